"""Estimates the reliability of several views of cards and the cards' names in turn.

On an unknown design some views show the digit and others a picture. A view is right or uninformative with a probability
of its own, for faces and for colours, estimated from the names most views agree on (Dawid and Skene 1979).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.cards import ALL_CARDS
from companion.decks.labels.design import ROUNDS
from companion.vision.core.labels import Floats, color_class, face_class
from companion.vision.core.sightings import EVEN

_FACES = np.array([face_class(card.face) for card in ALL_CARDS])
_COLORS = np.array([color_class(card.color) for card in ALL_CARDS])


@dataclass(frozen=True, eq=False)
class _Answers:
    """Face or colour probabilities of one view for each picture: (N, K).

    kind: (56,) face or colour of each card.
    """

    probabilities: Floats
    kind: NDArray[np.intp]

    @property
    def by_chance(self) -> float:
        return 1.0 / int(self.probabilities.shape[1])


class ViewReliability:
    """The readings of V views of each of N pictures. logs: (N, V, 57) log-likelihoods."""

    def __init__(self, logs: Floats) -> None:
        self._answers = [answers for view in range(logs.shape[1]) for answers in _answers_of(logs[:, view, :-1])]
        self._trust = [EVEN] * len(self._answers)

    def scores(self) -> Floats:
        """Return (N, 56) log-likelihoods of the cards over all views."""
        total = np.zeros((len(self._answers[0].probabilities), len(ALL_CARDS)), np.float32)
        for answers, trust in zip(self._answers, self._trust, strict=True):
            total += np.log((1 - trust) * answers.by_chance + trust * answers.probabilities)[:, answers.kind]
        return total

    def weigh(self, names: NDArray[np.intp]) -> None:
        """Update each view's reliability by its agreement with the pictures' names (N,), numbers of ALL_CARDS."""
        rows = np.arange(len(names))
        for i, answers in enumerate(self._answers):
            right = answers.probabilities[rows, answers.kind[names]]
            trust = self._trust[i]
            for _ in range(ROUNDS):
                shares = trust * right / (trust * right + (1 - trust) * answers.by_chance)
                trust = float((shares.sum() + 1) / (len(names) + 2))
            self._trust[i] = trust


def _answers_of(logs: Floats) -> Iterator[_Answers]:
    """Yield the face and the colour probabilities of (N, 56) log-likelihoods."""
    odds = np.exp(logs - logs.max(1, keepdims=True))
    odds /= odds.sum(1, keepdims=True)
    for kind in (_FACES, _COLORS):
        probabilities = np.stack([odds[:, kind == k].sum(1) for k in range(int(kind.max()) + 1)], 1)
        yield _Answers(np.asarray(probabilities, np.float32), kind)
