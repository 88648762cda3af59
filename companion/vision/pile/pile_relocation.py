"""Where the pile is, if that is not where it was found, or if the picture never keeps still enough to find it.

The first picture may show other open cards than the pile, as a hand that somebody has put down in view. Cards are laid
on the pile alone, so that the first that is laid elsewhere, nearer the middle of the picture, tells where it is. And
hands of cards that are held in view move all the time: there the card nearest the middle that lies still is the pile's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from companion.vision.core.geometry import Image, Quad, intersection_over_union
from companion.vision.core.sightings import Sighting
from companion.vision.imaging.motion import Mask, difference, filled, length_of, share
from companion.vision.pile.consensus import SURE
from companion.vision.pile.motion_gate import MOTION, View, is_everywhere
from companion.vision.pile.pile_change import CHANGED, SAME_PLACE, UNCHANGED

# Seconds between looks at the whole picture, and the longest that they are put off to while they show nothing: a look
# there costs as much as the pile's, and the first card mostly lies for seconds before another comes.
_PAUSE, _LONGEST_PAUSE = 0.2, 0.6
# Seconds that a picture is given to keep still before it is searched though it does not, as a still one is; as long a
# card must be seen to lie, and one that may be held in a hand, which sways. And for how long it is remembered where it
# was seen, as arms pass over it between.
_SETTLING, _LIES, _LIES_AT_RIM, _REMEMBERED = 0.4, 0.4, 1.5, 2.5
# Length of a card, in the picture's shorter sides, under which its rim is where the players are.
_WHOLE_TABLE = 0.35
# Part of the picture that a card changes at least: half of one that is as small as it can be read.
_CAME = 0.002


class Elsewhere:
    """Looks for the first card that is laid anywhere but where the pile was found, or anywhere.

    first: the last picture before, None where none was still. sightings: what lay open in it; pile: the outline that
    was taken for it, None where none was found.
    """

    def __init__(
        self,
        detect: Callable[[Image], list[Sighting]],
        first: View | None = None,
        sightings: Sequence[Sighting] = (),
        pile: Quad | None = None,
    ) -> None:
        self._detect = detect
        self._first = first
        self._sightings = sightings
        self._pile = pile
        self._due: float | None = None
        self._pause = _PAUSE
        self._candidates: list[tuple[Sighting, View]] = []

    def look(self, picture: View, moving: Mask | None) -> tuple[Sighting, float] | None:
        """Return the card that was laid elsewhere and since when it lies, in seconds, once two pictures show it.

        moving: where the picture differs from the one before, None where that cannot be told.
        """
        if self._pile is not None and self._room(picture) <= 0:
            return None
        if self._due is None:
            self._put_off(picture, _PAUSE if self._first else _SETTLING)
            return None
        if picture.time < self._due or moving is None:
            return None
        changed = self._changed(picture)
        if changed is None:
            self._put_off(picture, _PAUSE)
            return None
        found = [s for s in self._detect(picture.frame.image) if self._is_laid(s, changed, moving, picture)]
        self._put_off(picture, _PAUSE if found else min(_LONGEST_PAUSE, 2 * self._pause))
        before = [(card, then) for card, then in self._candidates if picture.time - then.time <= _REMEMBERED]
        self._candidates = [*before, *((card, picture) for card in found)]
        for card in sorted(found, key=lambda s: _from_middle(s.quad, picture)):
            since = [then.time for earlier, then in before if _lies(card, picture, earlier, then)]
            long = _LIES_AT_RIM if self._pile is None and is_held(card.quad, picture) else _LIES
            if since and picture.time - since[0] >= long:
                return card, since[0]
        return None

    def _changed(self, picture: View) -> Mask | None:
        """Return where the picture differs from the one before, None where no card can have come since."""
        if self._first is None:
            return np.ones_like(picture.glance.structure, np.uint8)
        changed = difference(self._first.glance, picture.glance)
        if is_everywhere(changed):
            self._first = picture
            return None
        return changed if changed.mean() >= _CAME else None

    def _is_laid(self, card: Sighting, changed: Mask, moving: Mask, picture: View) -> bool:
        if not card.whole or card.confidence < SURE:
            return False
        place = filled(card.quad, changed.shape, picture.scale)
        if share(moving, place)[0] > MOTION or share(changed, place)[0] < CHANGED:
            return False
        alike = [s.quad for s in self._sightings if s.card == card.card]
        if any(intersection_over_union(quad, card.quad) > SAME_PLACE for quad in alike):
            return False
        if self._pile is None:
            return True
        return _from_middle(card.quad, picture) < self._room(picture)

    def _room(self, picture: View) -> float:
        """Return how far (px) from the picture's middle a card is elsewhere at most; 0 and less where none can be."""
        assert self._pile is not None
        return _from_middle(self._pile, picture) - length_of(self._pile)

    def _put_off(self, picture: View, pause: float) -> None:
        self._pause = pause
        self._due = picture.time + pause


def _lies(card: Sighting, picture: View, before: Sighting, then: View) -> bool:
    same = card.card == before.card and intersection_over_union(card.quad, before.quad) > SAME_PLACE
    return same and picture.shows_as(then, card.quad, UNCHANGED)


def _from_middle(quad: Quad, picture: View) -> float:
    height, width = picture.frame.image.shape[:2]
    return float(np.hypot(*(quad.mean(0) - (width / 2, height / 2))))


def is_held(quad: Quad, picture: View) -> bool:
    """Whether a card that nobody saw laid may be in somebody's hand: at the rim of a picture of the whole table."""
    height, width = picture.frame.image.shape[:2]
    x, y = quad.mean(0)
    length = length_of(quad)
    return bool(length < _WHOLE_TABLE * min(height, width) and min(x, y, width - x, height - y) < length)
