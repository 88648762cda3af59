"""Finds the pile if it is not where it was first found, or if the picture is never still.

The first picture may show other open cards, such as a hand put down in view; then the first card laid elsewhere, nearer
to the picture's middle, locates the pile. If cards held in view always move, the still card nearest to the middle does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from companion.vision.core.geometry import Image, Quad, intersection_over_union
from companion.vision.core.sightings import FAIRLY, Sighting
from companion.vision.imaging.displacement import is_displaced
from companion.vision.imaging.durations import AT_REST, HAND_PATIENCE
from companion.vision.imaging.masks import Mask, covered_share, outline_mask
from companion.vision.imaging.motion import difference
from companion.vision.imaging.zone import length_of
from companion.vision.pile.motion_gate import LIES, MOTION, View
from companion.vision.pile.thresholds import CHANGED, SAME_PLACE, UNCHANGED

# Minimum and maximum pause in seconds between looks at the whole picture.
_PAUSE, _LONGEST_PAUSE = 0.2, 0.6
# Length of a card in shorter sides of the picture below which the players are at its border.
_WHOLE_TABLE = 0.35
# Minimum share of the picture changed by a card: half of the smallest readable one.
_CAME = 0.002


@dataclass(eq=False)
class PileRelocator:
    """Searches for the first card laid away from the assumed pile, or anywhere.

    first: the previous still picture, None if there was none. sightings: its open cards; pile: the outline assumed to
    be the pile, None without one.
    """

    detect: Callable[[Image], list[Sighting]]
    first: View | None = None
    sightings: Sequence[Sighting] = ()
    pile: Quad | None = None
    _due: float | None = field(default=None, init=False)
    _pause: float = field(default=_PAUSE, init=False)
    _candidates: list[tuple[Sighting, View]] = field(default_factory=list, init=False)

    def search(self, picture: View, moving: Mask | None) -> tuple[Sighting, float] | None:
        """Return the card laid elsewhere and since when it lies (s), once two pictures show it. moving: motion."""
        if self.pile is not None and self._max_distance(picture) <= 0:
            return None
        if self._due is None:
            self._postpone(picture, _PAUSE if self.first else LIES)
            return None
        if picture.time < self._due or moving is None:
            return None
        changed = self._changed(picture)
        if changed is None:
            self._postpone(picture, _PAUSE)
            return None
        laid = [s for s in self.detect(picture.frame.image) if self._is_laid(s, changed, moving, picture)]
        self._postpone(picture, _PAUSE if laid else min(_LONGEST_PAUSE, 2 * self._pause))
        before = [(card, then) for card, then in self._candidates if picture.time - then.time <= HAND_PATIENCE]
        self._candidates = [*before, *((card, picture) for card in laid)]
        for card in sorted(laid, key=lambda s: _from_middle(s.quad, picture)):
            since = [then.time for earlier, then in before if _still_lies(card, picture, earlier, then)]
            # It may be held in a swaying hand.
            long = AT_REST if self.pile is None and is_held(card.quad, picture, self.first) else LIES
            if since and picture.time - since[0] >= long:
                return card, since[0]
        return None

    def _changed(self, picture: View) -> Mask | None:
        """Return the mask of changes since the previous picture, None if no card can have landed."""
        if self.first is None:
            return np.ones_like(picture.descriptor.structure, np.uint8)
        changed = difference(self.first.descriptor, picture.descriptor)
        if is_displaced(changed):
            self.first = picture
            return None
        return changed if changed.mean() >= _CAME else None

    def _is_laid(self, card: Sighting, changed: Mask, moving: Mask, picture: View) -> bool:
        if not card.whole or card.confidence < FAIRLY:
            return False
        place = outline_mask(card.quad, changed.shape, picture.scale)
        if covered_share(moving, place) > MOTION or covered_share(changed, place) < CHANGED:
            return False
        alike = [s.quad for s in self.sightings if s.card == card.card]
        if any(intersection_over_union(quad, card.quad) > SAME_PLACE for quad in alike):
            return False
        if self.pile is None:
            return True
        return _from_middle(card.quad, picture) < self._max_distance(picture)

    def _max_distance(self, picture: View) -> float:
        """Return the maximum distance (px) of such a card from the picture's middle; 0 or less if none is possible."""
        assert self.pile is not None
        return _from_middle(self.pile, picture) - length_of(self.pile)

    def _postpone(self, picture: View, pause: float) -> None:
        self._pause = pause
        self._due = picture.time + pause


def _still_lies(card: Sighting, picture: View, before: Sighting, then: View) -> bool:
    same = card.card == before.card and intersection_over_union(card.quad, before.quad) > SAME_PLACE
    return same and picture.shows_as(then, card.quad, UNCHANGED)


def _from_middle(quad: Quad, picture: View) -> float:
    height, width = picture.frame.image.shape[:2]
    return float(np.hypot(*(quad.mean(0) - (width / 2, height / 2))))


def is_held(quad: Quad, picture: View, before: View | None) -> bool:
    """Whether a card may be in somebody's hand: at the border of a picture of the whole table, and with an arm at it.

    before: the picture before it came; without one, an arm that keeps still cannot be seen, so the border alone counts.
    """
    height, width = picture.frame.image.shape[:2]
    x, y = quad.mean(0)
    length = length_of(quad)
    if length >= _WHOLE_TABLE * min(height, width) or min(x, y, width - x, height - y) >= length:
        return False
    return before is None or picture.arms.reach(outline_mask(quad, picture.descriptor.shape, picture.scale))
