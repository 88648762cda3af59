"""The interface between the reader and a learnt deck."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from companion.vision.core.geometry import Image, Quad, homography, project, unit_square
from companion.vision.core.labels import Floats, log_softmax

# Minimum visible share of an open card.
_OPEN = 0.6


@dataclass(frozen=True, eq=False)
class PictureMatch:
    """A card of the deck, identified by its picture alone.

    quad: its outline (4, 2). logs: (57,) log-likelihoods from its visible part. visible: (R, C) mask of its visible
    cells. unlearnt: the cards, numbers of ALL_CARDS, that the deck has no picture of.
    """

    quad: Quad
    logs: Floats
    visible: NDArray[np.bool_]
    unlearnt: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, np.intp))

    @property
    def is_open(self) -> bool:
        """Whether the card is open."""
        return bool(self.visible.mean() >= _OPEN)

    def among_learnt(self, logs: Floats) -> Floats:
        """Return (57,) log-likelihoods restricted to "no card" and cards with pictures."""
        return log_softmax(np.delete(logs, self.unlearnt)[None])[0] if len(self.unlearnt) else logs

    def shows(self, points: Floats) -> NDArray[np.bool_]:
        """Return (N,) which of the points (N, 2) lie on a visible part of the card."""
        rows, columns = self.visible.shape
        x, y = np.floor(project(homography(self.quad, unit_square()), points) * (columns, rows)).astype(int).T
        inside: NDArray[np.bool_] = (x >= 0) & (x < columns) & (y >= 0) & (y < rows)
        inside[inside] = self.visible[y[inside], x[inside]]
        return inside


def add_picture_evidence(logs: Floats, match: PictureMatch) -> Floats:
    """Return the (57,) log-likelihoods of a reading combined with the match of the deck's pictures.

    For cards without a picture the pictures carry no evidence, so their total probability is kept.
    """
    posterior: Floats = log_softmax(np.asarray(logs + match.logs, np.float32)[None])[0]
    unlearnt = match.unlearnt
    if not len(unlearnt):
        return posterior
    learnt = np.setdiff1d(np.arange(len(logs) - 1), unlearnt)
    prior = logs[unlearnt] + np.logaddexp.reduce(posterior[learnt]) - np.logaddexp.reduce(logs[learnt])
    posterior[unlearnt] = np.maximum(posterior[unlearnt], prior)
    return np.asarray(log_softmax(posterior[None])[0], np.float32)


class LearntFaces(Protocol):
    """The faces of a learnt deck, to which crops of one kind, with features (N, D), are compared."""

    @property
    def identifies(self) -> bool:
        """Whether similarity to the deck's pictures identifies a face."""

    def reader_reliability(self, card: int) -> float:
        """Return the weight (0 to 1) of the networks' evidence that a crop shows a card, a number of ALL_CARDS.

        It is the share of the deck's own pictures of that card they read correctly: one design's wild looks like
        another one's wild draw four.
        """

    def odds(self, features: Floats) -> Floats:
        """Return the log-odds (N,) that crops show one of the learnt faces."""

    def posterior(self, features: Floats) -> Floats:
        """Return the log-probabilities (N, 57) of the learnt faces, and of none."""

    def combine(self, logs: Floats, features: Floats) -> tuple[Floats, Floats]:
        """Return (N, 57) log-likelihoods of crops combined with their features, and (N,) memberships (0 to 1)."""


class Deck(Protocol):
    """A learnt deck as the reader uses it."""

    @property
    def is_searched(self) -> bool:
        """Whether the networks do not know the design, so that cards must be searched for by picture."""

    @property
    def completes_hands(self) -> bool:
        """Whether the networks know the design, and cards they miss in a hand may be searched for by picture."""

    @property
    def hard_to_see(self) -> bool:
        """Whether the outlines were so uncertain during learning that the pictures carry no evidence."""

    @property
    def mostly_nameless(self) -> bool:
        """Whether over two thirds of the pictures have no name, so that they carry little evidence."""

    @property
    def has_indices(self) -> bool:
        """Whether the deck's cards have corner indices."""

    @property
    def cards(self) -> LearntFaces:
        """The faces by crops of whole cards."""

    @property
    def indices(self) -> LearntFaces:
        """The faces by crops of corner indices."""

    def find_cards(
        self,
        image: Image,
        outlines: Sequence[Quad],
        identified: Sequence[Quad] = (),
        parts: Sequence[Quad] | None = None,
    ) -> list[PictureMatch]:
        """Return the deck's cards in a picture without those already identified.

        outlines: candidates (4, 2). identified: outlines of cards that may occlude others. parts: parts of cards, of
        which each other card shows one; None for any card.
        """

    def corners(self, card: Quad) -> tuple[Quad, Quad]:
        """Return the squares around a card's two indices, each upright for its own index."""
