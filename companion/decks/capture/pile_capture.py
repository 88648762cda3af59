"""Tracks a growing pile of cards in front of a fixed camera: the change between pictures is the new card."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from companion.decks.capture.change_outline import PictureChange, most_distinct
from companion.decks.capture.pile_plane import congruent, upright
from companion.vision.core.geometry import Image, Quad, intersection_over_union, portrait
from companion.vision.core.sightings import EVEN

REFINEMENTS = 2
"""How often an outline is refined: of 560 cards of 14 designs, 502 have an overlap above .9 with the truth after two
times, 509 after three; as many names are right.
"""


@dataclass(frozen=True, eq=False)
class LaidCard:
    """A laid card: the (H, W, 3) BGR uint8 picture, and its outline (4, 2), upright or upside down.

    place: number of cards laid before it.
    """

    image: Image
    quad: Quad
    place: int


class Pile:
    """Processes still pictures of a pile that grows card by card, and returns the laid cards.

    A new card's outline is that of the detected box that agrees best with the change, or of the changed region. Both
    are refined by the card reader; that one counts which agrees best with the change and is read most clearly. Of the
    first card no change is seen. If it is not read clearly, its outline is as large as the second card's, touches it,
    and has an edge on all sides.

    outlined: refines rough (4, 2) outlines in a picture. each: whether every picture shows one more card, so that a
    failed one keeps its place. boxed: returns rough outlines of possible cards in a picture. legibility: returns how
    clearly the networks read a card in an outline of a picture, 0 to 1. proposed: returns outlines of possible cards of
    any print in a picture, besides those refined from given ones.
    """

    def __init__(
        self,
        outlined: Callable[[Image, Sequence[Quad]], Sequence[Quad]],
        each: bool = False,
        boxed: Callable[[Image], Sequence[Quad]] = lambda image: (),
        legibility: Callable[[Image, Quad], float] = lambda image, quad: 1.0,
        proposed: Callable[[Image, Sequence[Quad]], Sequence[Quad]] = lambda image, quads: (),
    ) -> None:
        self._each = each
        self._boxed = boxed
        self._legibility = legibility
        self._outlined = outlined
        self._proposed = proposed
        self._before: Image | None = None
        # The picture before the last card was laid.
        self._earlier: Image | None = None
        self._laid: list[Quad] = []
        # The first picture, possibly with a card, and that card's place.
        self._single: tuple[int, Image] | None = None
        self._next = 0

    def pass_over(self) -> None:
        """Keep the place of a picture without a further card, if every picture should show one more."""
        self._next += self._each

    def show(self, image: Image) -> list[LaidCard]:
        """Return the cards found with a further picture: none, the new one, or also the pile's first."""
        before = self._before
        if before is None or before.shape != image.shape:
            self._before, self._earlier, self._single, self._laid = image, None, (self._next, image), []
            self._next += self._each
            return []
        change = PictureChange(before, image)
        if self._earlier is not None and change.is_return_to(self._earlier):
            self._before, self._earlier = image, None
            self.pass_over()
            return []
        quad = self._changed_outline(change)
        if quad is None:
            if self._each:
                # A missed card covers the pile now.
                self._before = image
                self.pass_over()
            return []
        laid = self._first_card(quad)
        self._before, self._earlier, self._single = image, before, None
        laid.append(LaidCard(image, quad, self._next))
        self._laid += [card.quad for card in laid]
        self._next += 1
        return laid

    def _first_card(self, second: Quad) -> list[LaidCard]:
        """Return the card of the pile's first picture, given the outline of the one laid on it."""
        if self._single is None:
            return []
        place, image = self._single
        boxes = self._boxed(image)
        if not self._each and not boxes:
            return []
        self._next += not self._each
        rough = [*boxes, second]
        refined = self._refined(image, rough)
        first = max(refined, key=lambda quad: self._legibility(image, quad))
        if self._legibility(image, first) >= EVEN:
            return [LaidCard(image, upright(first, [second]), place)]
        alike = [congruent(quad, second) for quad in (*refined, *self._proposed(image, rough))]
        near = [quad for quad in alike if intersection_over_union(quad, second) > 0]
        return [LaidCard(image, most_distinct(image, [congruent(second, second), *near]), place)]

    def _changed_outline(self, change: PictureChange) -> Quad | None:
        """Return the outline that agrees best with a change, None if the change is no card's."""
        region = change.rectangle
        if region is None:
            return None
        boxes = sorted(self._boxed(change.after), key=change.agreement, reverse=True)
        quads = self._refined(change.after, [*boxes[:1], region])
        # Reflections change more than the card, which is read more clearly.
        best = max(quads, key=lambda quad: change.agreement(quad) + self._legibility(change.after, quad))
        quad = change.with_edges(best)
        if not self._each and change.agreement(quad) < 1:
            return None
        return upright(quad, self._laid)

    def _refined(self, image: Image, quads: Sequence[Quad]) -> list[Quad]:
        """Return outlines refined by the card reader, each from a corner that a short side follows."""
        for _ in range(REFINEMENTS):
            quads = self._outlined(image, [portrait(quad) for quad in quads])
        return [np.asarray(portrait(quad), np.float32) for quad in quads]
