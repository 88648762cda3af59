"""Whether the pile lies elsewhere than it is taken to: looked for until a card is laid where it was found.

The first picture may show other open cards than the pile, as a hand that somebody has put down in view. Cards are laid
on the pile alone, so that the first that is laid elsewhere, nearer the middle of the picture, tells where it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from companion.vision.geometry import Image, Quad, intersection_over_union
from companion.vision.judgement import CHANGED, SAME_PLACE, UNCHANGED
from companion.vision.looks import SURE
from companion.vision.motion import Mask, difference, filled, length_of, share
from companion.vision.sightings import Sighting
from companion.vision.stillness import View, is_everywhere

# Seconds between looks at the whole picture, and the longest that they are put off to while they show nothing: a look
# there costs as much as the pile's, and the first card mostly lies for seconds before another comes.
_PAUSE, _LONGEST_PAUSE = 0.3, 1.2
# Part of the picture that may differ from one frame to the next where nothing moves in it, as for the pile's zone.
_MOTION = 0.006


class Elsewhere:
    """Looks for the first card that is laid anywhere but where the pile was found.

    first: the picture that it was found in. sightings: what lay open in it; pile: the outline that was taken for it.
    """

    def __init__(
        self, detect: Callable[[Image], list[Sighting]], first: View, sightings: Sequence[Sighting], pile: Quad
    ) -> None:
        self._detect = detect
        self._first = first
        self._sightings = sightings
        self._pile = pile
        self._last = first
        self._due, self._pause = first.time + _PAUSE, _PAUSE
        self._candidate: tuple[Sighting, View] | None = None

    def look(self, picture: View) -> tuple[Sighting, float] | None:
        """Return the card that was laid elsewhere and since when it lies, in seconds, once two pictures show it."""
        last, self._last = self._last, picture
        if picture.time < self._due or difference(last.glance, picture.glance).mean() > _MOTION:
            return None
        changed = difference(self._first.glance, picture.glance)
        if is_everywhere(changed):
            self._first = picture
        area = (length_of(self._pile) * picture.scale) ** 2
        if is_everywhere(changed) or np.count_nonzero(changed) < CHANGED * area:
            self._put_off(picture, _PAUSE)
            return None
        found = [s for s in self._detect(picture.frame.image) if self._is_laid(s, changed, picture)]
        before, self._candidate = self._candidate, None
        if len(found) != 1:
            self._put_off(picture, min(_LONGEST_PAUSE, 2 * self._pause))
            return None
        self._candidate = found[0], picture
        self._put_off(picture, _PAUSE)
        if before is not None and _lies(found[0], picture, *before):
            return found[0], before[1].time
        return None

    def _is_laid(self, card: Sighting, changed: Mask, picture: View) -> bool:
        if not card.whole or card.confidence < SURE:
            return False
        if share(changed, filled(card.quad, changed.shape, picture.scale))[0] < CHANGED:
            return False
        alike = [s.quad for s in self._sightings if s.card == card.card]
        if any(intersection_over_union(quad, card.quad) > SAME_PLACE for quad in alike):
            return False
        return _from_middle(card.quad, picture) < _from_middle(self._pile, picture) - length_of(self._pile)

    def _put_off(self, picture: View, pause: float) -> None:
        self._pause = pause
        self._due = picture.time + pause


def _lies(card: Sighting, picture: View, before: Sighting, then: View) -> bool:
    same = card.card == before.card and intersection_over_union(card.quad, before.quad) > SAME_PLACE
    return same and picture.shows_as(then, card.quad, UNCHANGED)


def _from_middle(quad: Quad, picture: View) -> float:
    height, width = picture.frame.image.shape[:2]
    return float(np.hypot(*(quad.mean(0) - (width / 2, height / 2))))
