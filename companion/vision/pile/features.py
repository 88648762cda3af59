"""Features of one look at the pile, compared with the pile and the picture as last known; decides nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from companion.cards import Card
from companion.vision.core.geometry import Quad, intersection_over_union
from companion.vision.core.sightings import Sighting
from companion.vision.imaging.masks import Mask, covered_share, outline_mask
from companion.vision.pile.outline_comparison import Comparison
from companion.vision.pile.thresholds import CHANGED, INSIDE, MIN_STRIP, UNCHANGED

# Expansion of an outline when its area is excluded, for the same reason as `INSIDE`.
OUTSIDE = -0.12
# Expansion of an outline to the surroundings used to detect global changes of light and noise.
_SURROUNDINGS = -0.4


@dataclass(frozen=True, eq=False)
class KnownCard:
    """A card known to lie on the pile, and its outline (4, 2) in picture pixels."""

    card: Card
    quad: Quad


class RegionChange(NamedTuple):
    """Changed share of a region of the picture, and its area over the minimum area to tell anything."""

    share: float
    relative_area: float

    def is_significant(self, times: int = 1) -> bool:
        """Whether the region has at least `times` its minimum area."""
        return self.relative_area >= times

    def has_changed(self, times: int = 1) -> bool:
        """Whether the region is significant and has changed."""
        return self.is_significant(times) and self.share > CHANGED

    @property
    def is_unchanged(self) -> bool:
        """Whether the region is clearly significant and has not changed."""
        return self.is_significant(2) and self.share < UNCHANGED


@dataclass(frozen=True, eq=False)
class Evidence:
    """One look at a pile of `known` cards, bottom first, and the picture in which it was last known.

    sightings: cards read on and around the pile. changed: (h, w) mask of changes since that picture; `scale` maps
    picture pixels to mask pixels. pictures: both full pictures, if there is an earlier one. top_probabilities: (N,) of
    each sighting to lie on top, from the current picture alone; equal ones if None. last_read: what was read on the
    pile in the earlier picture, whether or not it was seen to land.
    """

    known: Sequence[KnownCard]
    sightings: Sequence[Sighting]
    changed: Mask
    scale: float
    pictures: Comparison | None = None
    top_probabilities: NDArray[np.float64] | None = None
    last_read: Sequence[KnownCard] = ()

    @cached_property
    def _candidates(self) -> list[Candidate]:
        tops = np.ones(len(self.sightings)) if self.top_probabilities is None else self.top_probabilities
        return [Candidate(s, self, float(top)) for s, top in zip(self.sightings, tops, strict=True)]

    @property
    def whole(self) -> list[Candidate]:
        """The open cards."""
        return [candidate for candidate in self._candidates if candidate.sighting.whole]

    @property
    def corners(self) -> list[Candidate]:
        """The cards of which only a corner is read."""
        return [candidate for candidate in self._candidates if not candidate.sighting.whole]

    @property
    def top(self) -> KnownCard:
        """The previous top card; there must be one."""
        return self.known[-1]

    @cached_property
    def top_mask(self) -> Mask:
        """Mask of the previous top card."""
        return self.mask(self.top.quad, INSIDE)

    @property
    def top_change(self) -> float:
        """Changed share of the previous top card's area."""
        return covered_share(self.changed, self.top_mask)

    @cached_property
    def around_top(self) -> Mask:
        """Mask of the lower cards outside the previous top card."""
        below = np.zeros_like(self.top_mask)
        for card in (*self.known[:-1], *self.last_read):
            below |= self.mask(card.quad, INSIDE)
        return below & (1 - self.mask(self.top.quad, OUTSIDE))

    def region_change(self, where: Mask) -> RegionChange:
        """Return the changed share of a region."""
        min_area = max(1.0, MIN_STRIP * float(self.top_mask.sum()))
        return RegionChange(covered_share(self.changed, where), np.count_nonzero(where) / min_area)

    def mask(self, quad: Quad, shrink: float) -> Mask:
        """Return the mask of an outline shrunk by a share."""
        return outline_mask(quad, self.changed.shape, self.scale, shrink)


@dataclass(frozen=True, eq=False)
class Candidate:
    """A card read now, with measures at its place. top_probability: to lie on top, by the current picture alone."""

    sighting: Sighting
    evidence: Evidence
    top_probability: float

    @property
    def card(self) -> Card:
        """The card it is read as."""
        return self.sighting.card

    @property
    def quad(self) -> Quad:
        """Its outline, (4, 2) picture pixels."""
        return self.sighting.quad

    @property
    def confidence(self) -> float:
        """The confidence of its reading."""
        return self.sighting.confidence

    @cached_property
    def change(self) -> float:
        """Changed share of the outline."""
        return covered_share(self.evidence.changed, self._inside)

    @cached_property
    def beside_top(self) -> RegionChange:
        """Its part beside the previous top card: changed if it landed or that card was larger there before."""
        return self.evidence.region_change(self._inside & (1 - self.evidence.top_mask))

    @cached_property
    def on_top(self) -> RegionChange:
        """Its overlap with the previous top card: unchanged if it lies below that card."""
        return self.evidence.region_change(self._inside & self.evidence.top_mask)

    @cached_property
    def top_beside(self) -> RegionChange:
        """The visible part of the previous top card beside it: changed if that card is gone."""
        return self.evidence.region_change(self.evidence.top_mask & (1 - self._covered))

    @cached_property
    def lower_beside(self) -> RegionChange:
        """The visible part of the lower cards beside both: changed if the pile was pushed."""
        return self.evidence.region_change(self.evidence.around_top & (1 - self._covered))

    @cached_property
    def surroundings(self) -> RegionChange:
        """Its surroundings: changed as well if light or noise changed everything."""
        return self.evidence.region_change(self.evidence.mask(self.quad, _SURROUNDINGS) & (1 - self._covered))

    @cached_property
    def overlap_with_top(self) -> float:
        """Intersection over union with the old top card's outline."""
        return intersection_over_union(self.quad, self.evidence.top.quad)

    def is_at(self, known: KnownCard, overlap: float) -> bool:
        """Whether it has a known card's face and overlaps its place by more than `overlap`."""
        return self.card == known.card and intersection_over_union(self.quad, known.quad) > overlap

    @cached_property
    def _inside(self) -> Mask:
        return self.evidence.mask(self.quad, INSIDE)

    @cached_property
    def _covered(self) -> Mask:
        return self.evidence.mask(self.quad, OUTSIDE)
