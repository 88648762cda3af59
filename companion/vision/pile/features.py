"""Features of one look at the pile: current outlines compared with the pile and the picture as last known.

Measures only, decides nothing. Features are named, computed lazily and cached, as are their masks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from companion.cards import Card
from companion.vision.core.geometry import Quad, intersection_over_union
from companion.vision.core.sightings import Sighting
from companion.vision.imaging.motion import Mask, filled, share
from companion.vision.pile.outline_comparison import Comparison
from companion.vision.pile.thresholds import INSIDE, MIN_STRIP

# Expansion of an outline when its area is excluded, for the same reason as `INSIDE`.
OUTSIDE = -0.12
# Expansion of an outline to the surroundings used to detect global changes of light and noise.
_SURROUNDINGS = -0.4


@dataclass(frozen=True, eq=False)
class Lying:
    """A card known to lie on the pile, and its outline (4, 2) in picture pixels."""

    card: Card
    quad: Quad


class Part(NamedTuple):
    """A region of the picture: changed share, and area in small pixels.

    least: minimum area for the share to be significant.
    """

    share: float
    area: int
    least: float

    def tells(self, times: int = 1) -> bool:
        """Whether the region has at least `times` its minimum area."""
        return self.area >= times * self.least


@dataclass(frozen=True, eq=False)
class Evidence:
    """One look at a pile of `known` cards, bottom first, and the picture in which it was last known.

    sightings: cards read on and around the pile. changed: (h, w) mask of changes since that picture; `scale` maps
    picture pixels to mask pixels. pictures: both full pictures, if there is an earlier one. rate_tops: returns the
    probability of each sighting to lie on top, from the current picture alone; equal ones if None. others: what was
    read on the pile in the earlier picture, whether or not it was seen to land.
    """

    known: Sequence[Lying]
    sightings: Sequence[Sighting]
    changed: Mask
    scale: float
    pictures: Comparison | None = None
    rate_tops: Callable[[], NDArray[np.float64]] | None = None
    others: Sequence[Lying] = ()

    @cached_property
    def _outlines(self) -> tuple[Outline, ...]:
        return tuple(Outline(sighting, self, number) for number, sighting in enumerate(self.sightings))

    @cached_property
    def top_probabilities(self) -> NDArray[np.float64]:
        """(N,) the probability of each sighting to lie on top, from the current picture alone."""
        return np.ones(len(self.sightings)) if self.rate_tops is None else self.rate_tops()

    @cached_property
    def whole(self) -> tuple[Outline, ...]:
        """The open cards."""
        return tuple(outline for outline in self._outlines if outline.sighting.whole)

    @cached_property
    def corners(self) -> tuple[Outline, ...]:
        """The cards of which only a corner is read."""
        return tuple(outline for outline in self._outlines if not outline.sighting.whole)

    @property
    def top(self) -> Lying:
        """The previous top card; there must be one."""
        return self.known[-1]

    @cached_property
    def top_mask(self) -> Mask:
        """Mask of the previous top card."""
        return self.mask(self.top.quad, INSIDE)

    @cached_property
    def top_change(self) -> float:
        """Changed share of the previous top card's area."""
        return share(self.changed, self.top_mask)[0]

    @cached_property
    def around_top(self) -> Mask:
        """Mask of the lower cards outside the previous top card."""
        below = np.zeros_like(self.top_mask)
        for lying in (*self.known[:-1], *self.others):
            below |= self.mask(lying.quad, INSIDE)
        return np.asarray(below & (1 - self.mask(self.top.quad, OUTSIDE)), np.uint8)

    def part(self, where: Mask) -> Part:
        """Return the changed share of a region."""
        part, area = share(self.changed, where)
        return Part(part, area, self._least)

    def mask(self, quad: Quad, shrink: float) -> Mask:
        """Return the mask of an outline shrunk by a share."""
        return filled(quad, self.changed.shape, self.scale, shrink)

    @cached_property
    def _least(self) -> float:
        return max(1.0, MIN_STRIP * float(self.top_mask.sum()))


@dataclass(frozen=True, eq=False)
class Outline:
    """A card read now, number `number` of the look's sightings, with measures of the pictures at its place."""

    sighting: Sighting
    look: Evidence
    number: int

    @property
    def top_probability(self) -> float:
        """The probability that it lies on top, from the current picture alone."""
        return float(self.look.top_probabilities[self.number])

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
        return share(self.look.changed, self._inside)[0]

    @cached_property
    def beside_top(self) -> Part:
        """Its part beside the previous top card: changed if it landed or that card was larger there before."""
        return self.look.part(np.asarray(self._inside & (1 - self.look.top_mask), np.uint8))

    @cached_property
    def on_top(self) -> Part:
        """Its overlap with the previous top card: unchanged if it lies below that card."""
        return self.look.part(np.asarray(self._inside & self.look.top_mask, np.uint8))

    @cached_property
    def top_beside(self) -> Part:
        """The visible part of the previous top card beside it: changed if that card is gone."""
        return self.look.part(np.asarray(self.look.top_mask & (1 - self._covered), np.uint8))

    @cached_property
    def rest_beside(self) -> Part:
        """The visible part of the lower cards beside both: changed if the pile was pushed."""
        return self.look.part(np.asarray(self.look.around_top & (1 - self._covered), np.uint8))

    @cached_property
    def about(self) -> Part:
        """Its surroundings: changed as well if light or noise changed everything."""
        return self.look.part(np.asarray(self.look.mask(self.quad, _SURROUNDINGS) & (1 - self._covered), np.uint8))

    @cached_property
    def overlap_with_top(self) -> float:
        """Intersection over union with the old top card's outline."""
        return self.overlap(self.look.top)

    def overlap(self, lying: Lying) -> float:
        """Return the intersection over union with a known card's outline."""
        return intersection_over_union(self.quad, lying.quad)

    def is_at(self, lying: Lying, overlap: float) -> bool:
        """Whether it has a known card's face and overlaps its place by more than `overlap`."""
        return self.card == lying.card and self.overlap(lying) > overlap

    @cached_property
    def _inside(self) -> Mask:
        return self.look.mask(self.quad, INSIDE)

    @cached_property
    def _covered(self) -> Mask:
        return self.look.mask(self.quad, OUTSIDE)
