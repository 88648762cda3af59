"""What a reader may be told of the looks of the deck on the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from companion.vision.core.geometry import Image, Quad, homography, project, unit_square
from companion.vision.core.labels import Floats, log_softmax

# What a deck lacks that was laid to the last face.
_ALL_SEEN: NDArray[np.intp] = np.zeros(0, np.intp)
# Share of a card that shows if it lies open.
_OPEN = 0.6


@dataclass(frozen=True, eq=False)
class Placed:
    """Where one of the deck's pictures was found to lie.

    quad: its outline (4, 2). logs: (57,) log-likelihoods by how well each card's pictures fit there. belonging: how
    surely (0 to 1) it is of this deck. unseen: the cards, numbers of ALL_CARDS, of which the deck lacks pictures. odds:
    nats against those, by how well the likeliest of the others' fits.
    """

    quad: Quad
    logs: Floats
    belonging: float
    unseen: NDArray[np.intp] = field(default_factory=_ALL_SEEN.copy)
    odds: float = 0.0

    def lacks(self, logs: Floats) -> bool:
        """Whether the likeliest card by (57,) log-likelihoods is one of which the deck has no picture."""
        return bool(np.isin(logs[:-1].argmax(), self.unseen))


@dataclass(frozen=True, eq=False)
class Sought:
    """A card of the deck, told by its picture alone.

    quad: its outline (4, 2). logs: (57,) log-likelihoods by what shows of it. shown: (R, C) which cells of it do.
    unseen: the cards, numbers of ALL_CARDS, of which the deck lacks pictures.
    """

    quad: Quad
    logs: Floats
    shown: NDArray[np.bool_]
    unseen: NDArray[np.intp] = field(default_factory=_ALL_SEEN.copy)

    @property
    def open(self) -> bool:
        """Whether the card lies open."""
        return bool(self.shown.mean() >= _OPEN)

    def among_seen(self, logs: Floats) -> Floats:
        """Return of (57,) log-likelihoods those of no card and of cards with pictures, as if there were no others."""
        return log_softmax(np.delete(logs, self.unseen)[None])[0] if len(self.unseen) else logs

    def shows(self, points: Floats) -> NDArray[np.bool_]:
        """Return (N,) which of the points (N, 2) of the picture lie where the card shows."""
        rows, columns = self.shown.shape
        x, y = np.floor(project(homography(self.quad, unit_square()), points) * (columns, rows)).astype(int).T
        inside: NDArray[np.bool_] = (x >= 0) & (x < columns) & (y >= 0) & (y < rows)
        inside[inside] = self.shown[y[inside], x[inside]]
        return inside


def with_pictures(read: Floats, pictures: Placed | Sought) -> Floats:
    """Return the (57,) log-likelihoods that were read, with what the deck's pictures tell besides.

    Of cards that it has no picture of these tell nothing but how well others fit: but for that they are together as
    likely as they were read to be.
    """
    told: Floats = log_softmax(np.asarray(read + pictures.logs, np.float32)[None])[0]
    unseen = pictures.unseen
    if not len(unseen):
        return told
    seen = np.setdiff1d(np.arange(len(read) - 1), unseen)
    odds = pictures.odds if isinstance(pictures, Placed) else 0.0
    as_read = read[unseen] + np.logaddexp.reduce(told[seen]) - np.logaddexp.reduce(read[seen]) - odds
    told[unseen] = np.maximum(told[unseen], as_read)
    return np.asarray(log_softmax(told[None])[0], np.float32)


class Deck(Protocol):
    """What is known of the looks of the deck on the table."""

    @property
    def seeks(self) -> bool:
        """Whether its cards are unlike any that the networks know, and worth seeking by their pictures."""

    @property
    def fills_in(self) -> bool:
        """Whether the networks know its cards, and those of a hand that they leave out may be sought by pictures."""

    @property
    def hard_to_see(self) -> bool:
        """Whether the cards' outlines were hardly made out as they were laid, so that their pictures tell nothing."""

    @property
    def mostly_nameless(self) -> bool:
        """Whether over two thirds of its pictures have no name, so that they tell next to nothing."""

    @property
    def has_indices(self) -> bool:
        """Whether something was found in the corners of the deck's cards."""

    @property
    def tells_cards(self) -> bool:
        """Whether whole cards are told by their likeness to the deck's, which the networks do not read as well."""

    @property
    def tells_indices(self) -> bool:
        """Whether indices are."""

    def credit_of_index(self, card: int) -> float:
        """Return how far (0 to 1) the networks are to be believed when they say an index is a card's.

        card: a number of ALL_CARDS. They are as far as they say it rightly of the deck's own pictures: one design's
        wild is another one's wild draw four.
        """

    def seek(
        self,
        image: Image,
        known: Sequence[Quad],
        sure: Sequence[tuple[Quad, int]] = (),
        boxed: Sequence[Quad] | None = None,
        hand: bool = False,
    ) -> list[Sought]:
        """Return the deck's cards in a picture, the topmost first, without those that are sure.

        known: outlines (4, 2) in which some may lie. sure: outlines of cards, numbers of ALL_CARDS, that lie there.
        boxed: what shows all cards that there are, if only a part of them, None where others may lie anywhere. hand:
        whether the sure ones are a hand's, which hide one another, and boxed is what shows the others alone.
        """

    def are_of_another(self, image: Image, cards: Sequence[Quad]) -> bool:
        """Whether of the cards that lie whole in outlines (4, 2) of a picture none is like any of this deck."""

    def corners(self, card: Quad) -> tuple[Quad, Quad]:
        """Return the squares about a card's two indices, each upright for its own."""

    def weigh_cards(self, logs: Floats, features: Floats) -> tuple[Floats, Floats]:
        """Return what crops of whole cards show by their (N, 57) log-likelihoods and their (N, D) features.

        That is (N, 57) log-likelihoods, and (N,) how surely (0 to 1) each shows a card of this deck.
        """

    def weigh_indices(self, logs: Floats, features: Floats) -> tuple[Floats, Floats]:
        """Return the same of crops of indices."""

    def place_card(self, image: Image, rough: Quad) -> Placed | None:
        """Return how a card of the deck lies about a rough outline (4, 2), None where none fits there."""

    def place_index(self, image: Image, rough: Quad) -> Placed | None:
        """Return the same of an index about a rough frame that stands upright."""
