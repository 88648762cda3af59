"""Estimates the reliability of several views of cards from the deck's composition and from the names, in turn.

On an unknown design some views show the digit and others a picture. A view is right or uninformative with a probability
of its own, for faces and for colours, estimated from the names most views agree on (Dawid and Skene 1979).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.cards import ALL_CARDS
from companion.vision.core.labels import Floats, color_class, face_class

# Minimum share assumed when comparing a view with the deck's composition.
_MIN_PROBABILITY = 1e-3
# Range of the initial reliabilities.
_TRUST_RANGE = (0.02, 0.9)
# Number of update steps; reliabilities change little with each.
_UPDATES = 5
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
    """The readings of V views of each of N pictures.

    logs: (N, V, 57) log-likelihoods. held: (56,) copies of each card in the deck.
    """

    def __init__(self, logs: Floats, held: NDArray[np.intp]) -> None:
        self._answers = [answers for view in range(logs.shape[1]) for answers in _answers_of(logs[:, view, :-1])]
        self._trust = [_initial_trust(answers, held) for answers in self._answers]

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
            for _ in range(_UPDATES):
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


def _initial_trust(answers: _Answers, held: NDArray[np.intp]) -> float:
    """Return the initial reliability of a view from how its answers differ from the deck's composition.

    Uninformative views give nearly the same answer for all pictures. Over fifteen designs, views with nine tenths right
    differed by 0.0 to 0.2 nats (Kullback and Leibler 1951), those with less than a third right by 0.1 to 2.6.
    """
    expected = np.bincount(answers.kind, held, answers.probabilities.shape[1]) / held.sum()
    reported = np.maximum(answers.probabilities.mean(0), _MIN_PROBABILITY)
    divergence = float((expected * np.log(np.maximum(expected, 1e-9) / reported)).sum())
    return float(np.clip(np.exp(-divergence), *_TRUST_RANGE))
