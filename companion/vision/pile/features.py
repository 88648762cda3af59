"""What one look tells of the pile: outlines that are read now, held against the pile and the picture as last known.

Everything here is measured and nothing judged. Features are named, measured when asked for, and kept; so are the masks
that they are measured with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from companion.cards import Card
from companion.vision.core.geometry import Quad, intersection_over_union
from companion.vision.core.sightings import Sighting
from companion.vision.imaging.motion import Mask, filled, share
from companion.vision.pile.outline_comparison import Comparison

# Share by which an outline is drawn in where the picture inside is asked about, and let out where what it covers is to
# be left out: outlines are off by a pixel or two of the small picture, in which a card is some forty long.
_INSIDE, OUTSIDE = 0.08, -0.12
# Share by which an outline is let out to the surroundings in which light and noise are told from what lies there.
_ABOUT = -0.4
# Area, over that of the old top card, from which a strip of a card tells anything; of a card of 27 x 40 small pixels it
# is a strip less than one wide.
_TELLING = 0.03


@dataclass(frozen=True, eq=False)
class Lying:
    """A card known to lie on the pile, and its outline (4, 2) in pixels of the picture."""

    card: Card
    quad: Quad


class Part(NamedTuple):
    """A piece of the picture: the share of it that has changed, and its area in small pixels.

    least: the area from which the share tells anything.
    """

    share: float
    area: int
    least: float

    def tells(self, times: int = 1) -> bool:
        """Whether the piece is so many times as large as it must be."""
        return self.area >= times * self.least


@dataclass(frozen=True, eq=False)
class Evidence:
    """One look at a pile of `known` cards, bottom first, beside the picture in which it was last known.

    sightings: what is read on and about the pile. changed: (h, w) mask of where the picture differs from that one,
    small; `scale` takes the picture's pixels to its own. pictures: then and now in full, where there is a then.
    """

    known: Sequence[Lying]
    sightings: Sequence[Sighting]
    changed: Mask
    scale: float
    pictures: Comparison | None = None

    @cached_property
    def whole(self) -> tuple[Outline, ...]:
        """The cards that lie open."""
        return tuple(Outline(s, self) for s in self.sightings if s.whole)

    @cached_property
    def corners(self) -> tuple[Outline, ...]:
        """The cards of which only a corner index is read."""
        return tuple(Outline(s, self) for s in self.sightings if not s.whole)

    @property
    def top(self) -> Lying:
        """The card that was on top. There must be one."""
        return self.known[-1]

    @cached_property
    def top_mask(self) -> Mask:
        """Where the old top card lay."""
        return self.mask(self.top.quad, _INSIDE)

    @cached_property
    def top_change(self) -> float:
        """The share of the old top card's place that has changed."""
        return share(self.changed, self.top_mask)[0]

    @cached_property
    def around_top(self) -> Mask:
        """Where the lower cards lie, outside the old top card."""
        below = np.zeros_like(self.top_mask)
        for lying in self.known[:-1]:
            below |= self.mask(lying.quad, _INSIDE)
        return np.asarray(below & (1 - self.mask(self.top.quad, OUTSIDE)), np.uint8)

    def part(self, where: Mask) -> Part:
        """Return how much has changed in a piece of the picture."""
        part, area = share(self.changed, where)
        return Part(part, area, self._least)

    def mask(self, quad: Quad, shrink: float) -> Mask:
        """Return where an outline, drawn in by that share, lies in the small picture."""
        return filled(quad, self.changed.shape, self.scale, shrink)

    @cached_property
    def _least(self) -> float:
        return max(1.0, _TELLING * float(self.top_mask.sum()))


@dataclass(frozen=True, eq=False)
class Outline:
    """A card that is read now, with what the pictures tell of the place where it is read."""

    sighting: Sighting
    look: Evidence

    @property
    def card(self) -> Card:
        """What it is read as."""
        return self.sighting.card

    @property
    def quad(self) -> Quad:
        """Its outline, (4, 2) pixels of the picture."""
        return self.sighting.quad

    @property
    def confidence(self) -> float:
        """How surely it is read so."""
        return self.sighting.confidence

    @cached_property
    def change(self) -> float:
        """The share of the outline in which the picture has changed."""
        return share(self.look.changed, self._inside)[0]

    @cached_property
    def beside_top(self) -> Part:
        """What of it lies beside the old top card: changed if it has come, or if that card lay further out before."""
        return self.look.part(np.asarray(self._inside & (1 - self.look.top_mask), np.uint8))

    @cached_property
    def on_top(self) -> Part:
        """What of it overlaps the old top card: as it was if it lies under that."""
        return self.look.part(np.asarray(self._inside & self.look.top_mask, np.uint8))

    @cached_property
    def top_beside(self) -> Part:
        """What shows of the old top card beside it: changed if that card has gone."""
        return self.look.part(np.asarray(self.look.top_mask & (1 - self._covered), np.uint8))

    @cached_property
    def rest_beside(self) -> Part:
        """What shows of the lower cards beside it and the old top card: changed if the pile was pushed."""
        return self.look.part(np.asarray(self.look.around_top & (1 - self._covered), np.uint8))

    @cached_property
    def about(self) -> Part:
        """What is seen about it: changed as well where light or noise changes all."""
        return self.look.part(np.asarray(self.look.mask(self.quad, _ABOUT) & (1 - self._covered), np.uint8))

    @cached_property
    def overlap_with_top(self) -> float:
        """Intersection over union with the old top card's outline."""
        return self.overlap(self.look.top)

    def overlap(self, lying: Lying) -> float:
        """Return the intersection over union with a known card's outline."""
        return intersection_over_union(self.quad, lying.quad)

    def is_at(self, lying: Lying, overlap: float) -> bool:
        """Whether it reads as a known card and overlaps its place by more than that."""
        return self.card == lying.card and self.overlap(lying) > overlap

    @cached_property
    def likeness_to_top(self) -> float:
        """How alike it looks to the old top card (-1 to 1); pictures are needed for it."""
        assert self.look.pictures is not None
        return self.look.pictures.likeness(self.look.top.quad, self.quad)

    @cached_property
    def likeness_in_place(self) -> float:
        """How alike the picture inside the outline is to what it was (-1 to 1); pictures are needed for it."""
        assert self.look.pictures is not None
        return self.look.pictures.likeness(self.quad, self.quad)

    @cached_property
    def tint(self) -> float:
        """By how much the hue inside the outline has changed; pictures are needed for it."""
        assert self.look.pictures is not None
        return self.look.pictures.tint(self.quad)

    @cached_property
    def rim(self) -> float:
        """How likely edges make it that it was laid on the old top card; pictures are needed for it."""
        assert self.look.pictures is not None
        return self.look.pictures.laid_on_like(self.look.top.quad, self.quad)

    @cached_property
    def _inside(self) -> Mask:
        return self.look.mask(self.quad, _INSIDE)

    @cached_property
    def _covered(self) -> Mask:
        return self.look.mask(self.quad, OUTSIDE)
