"""Reports obstacles to reading the table while a pile is tracked, each one once."""

from __future__ import annotations

from collections.abc import Callable

from companion.vision.core.geometry import Image
from companion.vision.core.sightings import Sighting
from companion.vision.tracking.camera_advice import Advice, Obstacle, Visibility, advise


class CameraHints:
    """Finds cards as `detect` does, and calls `say` when the worst obstacle is another one in two consecutive looks.

    draw_pile: returns the visible share of the draw pile, None while unknown. A missing card is not reported, because
    matches begin that way; missing colour is reported by the tracker.
    """

    def __init__(
        self,
        detect: Callable[[Image], list[Sighting]],
        say: Callable[[Advice], None],
        draw_pile: Callable[[], Visibility | None] = lambda: None,
    ) -> None:
        self._detect, self._say, self._draw_pile = detect, say, draw_pile
        self._last = self._said = Obstacle.NOTHING

    def __call__(self, image: Image) -> list[Sighting]:
        """Return the cards in a (H, W, 3) BGR uint8 picture."""
        sightings = self._detect(image)
        advice = advise(image, sightings, self._draw_pile())
        if advice.obstacle not in (Obstacle.NO_PILE, Obstacle.COLORLESS):
            if advice.obstacle is not self._said and advice.obstacle is self._last:
                self._said = advice.obstacle
                self._say(advice)
            self._last = advice.obstacle
        return sightings
