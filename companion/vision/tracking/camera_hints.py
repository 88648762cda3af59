"""The camera helper: while a pile is followed, says what stands in the way of reading it, each thing once."""

from __future__ import annotations

from collections.abc import Callable

from companion.vision.core.geometry import Image
from companion.vision.core.sightings import Sighting
from companion.vision.tracking.camera_advice import Advice, Hindrance, InView, advise


class Helper:
    """Finds cards as `detect` does, and tells `say` when something else stands in the way than before.

    draw_pile: says how much of the draw pile is in view, None while that is not known. What is said is seen in two
    looks one after the other: a hand that passes is no news. That no card is seen is not said, for so a match begins.
    """

    def __init__(
        self,
        detect: Callable[[Image], list[Sighting]],
        say: Callable[[Advice], None],
        draw_pile: Callable[[], InView | None] = lambda: None,
    ) -> None:
        self._detect, self._say, self._draw_pile = detect, say, draw_pile
        self._last = self._said = Hindrance.NOTHING

    def __call__(self, image: Image) -> list[Sighting]:
        """Return the cards in a (H, W, 3) BGR uint8 picture."""
        found = self._detect(image)
        advice = advise(image, found, self._draw_pile())
        if advice.hindrance is not Hindrance.NO_PILE:
            if advice.hindrance is not self._said and advice.hindrance is self._last:
                self._said = advice.hindrance
                self._say(advice)
            self._last = advice.hindrance
        return found
