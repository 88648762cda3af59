"""Estimates the reliability of several views of cards and the cards' names in turn.

On an unknown design some views show the digit and others a picture. A view is right or uninformative with a probability
of its own, for faces and for colours, estimated from the names most views agree on (Dawid and Skene 1979).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from companion.decks.labels.design import ROUNDS
from companion.vision.core.labels import Floats, card_classes, log_softmax
from companion.vision.core.sightings import EVEN


class ViewReliability:
    """The readings of V views of each of N pictures. logs: (N, V, 57) log-likelihoods."""

    def __init__(self, logs: Floats) -> None:
        chances = np.exp(log_softmax(logs[..., :-1])).swapaxes(0, 1)
        # (2 V, N, 56) probabilities of each card's face, then of its colour, in each view; (2 V, 1, 1) by chance.
        self._answers = np.concatenate(
            [chances @ (kind[:, None] == kind).astype(np.float32) for kind in card_classes()]
        )
        self._by_chance = np.repeat([1 / len(np.unique(kind)) for kind in card_classes()], len(chances))[:, None, None]
        self._trust = np.full_like(self._by_chance, EVEN)

    def scores(self) -> Floats:
        """Return (N, 56) log-likelihoods of the cards over all views."""
        mixed = (1 - self._trust) * self._by_chance + self._trust * self._answers
        return np.asarray(np.log(mixed).sum(0), np.float32)

    def weigh(self, names: NDArray[np.intp]) -> None:
        """Update each view's reliability by its agreement with the pictures' names (N,), numbers of ALL_CARDS."""
        right = self._answers[:, np.arange(len(names)), names, None]
        for _ in range(ROUNDS):
            shares = self._trust * right / (self._trust * right + (1 - self._trust) * self._by_chance)
            self._trust = (shares.sum(1, keepdims=True) + 1) / (len(names) + 2)
