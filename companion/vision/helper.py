"""The camera helper: while a pile is followed, says what stands in the way of reading it, each thing once."""

from __future__ import annotations

from collections.abc import Callable

from companion.vision.advice import Advice, Hindrance, advise
from companion.vision.geometry import Image
from companion.vision.mirror import is_doubtful
from companion.vision.sightings import Sighting

_FIRST, _RARER = 3, 4
"""After so many looks in which nothing was surely read the mirror image is tried, then each time after so many times as
many: an empty table must not cost a look more each time."""


class Helper:
    """Finds cards as `detect` does, and tells `say` when something else stands in the way than before.

    thoroughly: finds them in mirrored pictures too, which takes longer. What is said is seen in two looks one after the
    other: a hand that passes is no news. That no card is seen is not said, for so a match begins.
    """

    def __init__(
        self,
        detect: Callable[[Image], list[Sighting]],
        thoroughly: Callable[[Image], list[Sighting]],
        say: Callable[[Advice], None],
    ) -> None:
        self._detect, self._thoroughly, self._say = detect, thoroughly, say
        self._last = self._said = Hindrance.NOTHING
        self._doubtful, self._next = 0, _FIRST

    def __call__(self, image: Image) -> list[Sighting]:
        """Return the cards in a (H, W, 3) BGR uint8 picture."""
        found = self._detect(image)
        seen = found
        self._doubtful = self._doubtful + 1 if is_doubtful(found) else 0
        if self._doubtful >= self._next:
            self._next *= _RARER
            seen = self._thoroughly(image)
        advice = advise(image, seen)
        mirrored = advice.hindrance is Hindrance.MIRRORED
        if advice.hindrance is not Hindrance.NO_PILE:
            if advice.hindrance is not self._said and (mirrored or advice.hindrance is self._last):
                self._said = advice.hindrance
                self._say(advice)
            self._last = advice.hindrance
        return found
