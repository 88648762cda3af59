"""State of the pile as an immutable value: its cards and where the next one is expected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from companion.cards import Card
from companion.vision.core.geometry import Quad, homography, intersection_over_union, project
from companion.vision.core.sightings import Sighting
from companion.vision.imaging.durations import ONE_PLAY
from companion.vision.imaging.masks import Mask, covered_share, outline_mask
from companion.vision.imaging.zone import Zone, length_of
from companion.vision.pile.features import OUTSIDE, KnownCard
from companion.vision.pile.thresholds import CHANGED, PUSHED, SAME_PLACE

Region = tuple[int, int, int, int]
"""Left, top, width and height in pixels."""

# Maximum distance of a landing from one of the latest cards in card lengths, which excludes the draw pile; number of
# latest cards considered, as many as are usually visible.
_NEAR, _LATEST = 0.9, 5
REMEMBERED = 60
"""Maximum number of remembered cards of the pile, or positions of hands."""


@dataclass(frozen=True, eq=False)
class KnownPile:
    """The cards of the pile, bottom first.

    zone: assumed location, None before the first card. region: location given by the user, if any. landed_at: time of
    the last landing in seconds. last_read: all cards last read on the pile, also those that were never seen to land.
    """

    cards: tuple[KnownCard, ...] = ()
    zone: Zone | None = None
    region: Region | None = None
    landed_at: float = -ONE_PLAY
    last_read: tuple[KnownCard, ...] = ()

    @property
    def top(self) -> Card | None:
        """The card assumed to be on top."""
        return self.cards[-1].card if self.cards else None

    def can_hold(self, quad: Quad, displaced: bool) -> bool:
        """Whether an outline can be a card of the pile; if the camera was moved, earlier outlines are invalid."""
        zone = self.zone
        if zone is None:
            return True
        if self.region is not None and not zone.contains(quad):
            return False
        if displaced:
            return True
        latest = [card.quad for card in self.cards[-_LATEST:]]
        if not latest:
            return self.region is not None or _distance(quad.mean(0), (zone.x, zone.y)) <= _NEAR * zone.length
        return min(_distance(quad.mean(0), other.mean(0)) for other in latest) <= _NEAR * length_of(latest[-1])

    def has_just_landed(self, card: Card, time: float) -> bool:
        """Whether an equal card landed so recently that it must be the same one."""
        return time - self.landed_at < ONE_PLAY and card == self.top

    def landed(self, top: Sighting, time: float) -> KnownPile:
        """Return the pile with one more card."""
        return replace(self, cards=(*self.cards[-REMEMBERED:], KnownCard(top.card, top.quad)), landed_at=time)

    def uncovered(self, top: Sighting, left: int) -> KnownPile:
        """Return the pile with `left` cards, the topmost of which is `top`."""
        return replace(self, cards=(*self.cards[: max(0, left - 1)], KnownCard(top.card, top.quad)))

    def moved(self, top: Quad, changed: Mask, scale: float) -> KnownPile:
        """Return the pile after its top card moved to `top`."""
        before, move = self.cards[-1], homography(self.cards[-1].quad, top)
        # Lower cards are assumed to have moved along where the picture changed beside the top card.
        old, new = (outline_mask(quad, changed.shape, scale, OUTSIDE) for quad in (before.quad, top))
        cards = []
        for card in self.cards[:-1]:
            part = covered_share(changed, outline_mask(card.quad, changed.shape, scale) & (1 - (old | new)))
            cards.append(KnownCard(card.card, project(move, card.quad)) if part > CHANGED else card)
        return replace(self, cards=(*cards, KnownCard(before.card, top)))

    def with_readings(self, sightings: Sequence[Sighting]) -> KnownPile:
        """Return the pile with its cards where they are read now, and an updated zone."""
        if not self.cards:
            return self
        cards = tuple(updated_places(self.cards, sightings))
        last_read = tuple(KnownCard(s.card, s.quad) for s in sightings)
        if self.region is not None:
            return replace(self, cards=cards, last_read=last_read)
        zone = zone_about([card.quad for card in cards[-_LATEST:]])
        return replace(self, cards=cards, zone=zone, last_read=last_read)


def in_region(region: Region | None) -> KnownPile:
    """Return an empty pile with a fixed region, or anywhere."""
    if region is None:
        return KnownPile()
    x, y, width, height = region
    return KnownPile(zone=Zone(x + width / 2, y + height / 2, max(width, height) / 2 / Zone.REACH), region=region)


def zone_about(quads: Sequence[Quad]) -> Zone:
    """Return the zone of a pile with cards at these outlines."""
    x, y = np.mean([quad.mean(0) for quad in quads], axis=0)
    return Zone(float(x), float(y), float(np.median([length_of(quad) for quad in quads])))


def _distance(a: NDArray[np.floating], b: NDArray[np.floating] | tuple[float, float]) -> float:
    return float(np.hypot(*(np.asarray(a) - b)))


def updated_places(known: Sequence[KnownCard], sightings: Sequence[Sighting]) -> list[KnownCard]:
    """Return the known cards, lower ones where they are read now if they were pushed."""
    top = known[-1]
    seen = [s for s in sightings if s.whole and not is_at(s, top)]

    def updated(card: KnownCard) -> KnownCard:
        alike = [s.quad for s in seen if s.card == card.card]
        quad = max(alike, key=lambda quad: intersection_over_union(quad, card.quad), default=card.quad)
        pushed = PUSHED < intersection_over_union(quad, card.quad) < SAME_PLACE
        return KnownCard(card.card, quad) if pushed else card

    return [*map(updated, known[:-1]), top]


def is_at(sighting: Sighting, card: KnownCard) -> bool:
    """Whether a card is read as a known one in its place."""
    return sighting.card == card.card and intersection_over_union(sighting.quad, card.quad) > SAME_PLACE
