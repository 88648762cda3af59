"""Identifies crops of a learnt deck by nearest prototypes, combined with the reader's own answers.

Prototypes are centred and normalised features of the penultimate layer; they separate faces the reader was never
trained to name (Wang et al., SimpleShot, 2019).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from companion.cards import ALL_CARDS
from companion.decks.model.decision import Decision, shipped_decisions
from companion.decks.model.open_set import OUTLIER_SHARE, OpenSetModel
from companion.vision.core.labels import Floats, log_softmax
from companion.vision.core.logit import logistic
from companion.vision.core.sightings import EVEN

NOTHING = len(ALL_CARDS)
CLASSES = UNNAMED = NOTHING + 1
"""Labels of a crop that is no card, and of a learnt card whose name is uncertain. CLASSES: number of cards the reader
distinguishes, plus "no card".
"""

# Minimum likelihood; its logarithm is far below the bound.
_MIN_LIKELIHOOD = 1e-6


@dataclass(frozen=True, eq=False)
class Prototypes:
    """Prototypes of one reader's crops.

    prototypes: (P, D) float32 of unit length. cards: (P,) numbers of ALL_CARDS or UNNAMED, ascending. mean:
    (D,) subtracted before normalising. open_set: odds that a crop shows a learnt face. is_complete: whether every face
    was learnt. identifies: whether similarity identifies faces; if not, the reader does. reliability: (56,) share of
    the deck's pictures read as a card that have that name; None if unknown. decision: how descriptors become vectors,
    and similarity evidence.
    """

    prototypes: Floats
    cards: NDArray[np.intp]
    mean: Floats
    open_set: OpenSetModel
    is_complete: bool = True
    identifies: bool = True
    reliability: Floats | None = None
    decision: Decision = field(default_factory=lambda: shipped_decisions().card)

    def reader_reliability(self, card: int) -> float:
        """Return the reader's reliability (0 to 1) when it reports a card, a number of ALL_CARDS.

        1 if it is mostly right on the deck's pictures, else its share of correct readings: in 25 decks a card that the
        deck should overrule was right in .06 and .26 (wilds), one that it should not in .7 (a 1 similar to its 7).
        """
        share = 1.0 if self.reliability is None else float(self.reliability[card])
        return 1.0 if share >= EVEN else share

    @cached_property
    def _learnt(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Numbers of the learnt cards (C,), and index of each one's first prototype (C,)."""
        known, starts = np.unique(self.cards, return_index=True)
        return known, starts

    @cached_property
    def _columns(self) -> Floats:
        """The prototypes as columns, (D, P): multiplying a few crops takes half the time."""
        return np.ascontiguousarray(self.prototypes.T)

    @cached_property
    def _is_learnt(self) -> NDArray[np.bool_]:
        """(58,) whether a number is a learnt card's."""
        return np.isin(np.arange(UNNAMED + 1), self._learnt[0])

    def similarity(self, features: Floats) -> tuple[NDArray[np.intp], Floats]:
        """Return the learnt cards' numbers (C,), and (N, C) similarities, at most 1, of crops with (N, D) features.

        UNNAMED comes last if there are such prototypes.
        """
        known, starts = self._learnt
        pairwise = self.decision.centred(features, self.mean) @ self._columns
        return known, np.asarray(np.maximum.reduceat(pairwise, starts, axis=1), np.float32)

    def odds(self, features: Floats) -> Floats:
        """Return the log-odds (N,) that crops with (N, D) features show one of the learnt faces."""
        return self._odds(self.similarity(features)[1])

    def _odds(self, similarity: Floats) -> Floats:
        ordered = np.sort(np.pad(similarity, ((0, 0), (1, 0)), constant_values=-1.0), axis=1)
        return self.decision.odds(ordered[:, -1], ordered[:, -2])

    def posterior(self, features: Floats) -> Floats:
        """Return the log-probabilities (N, 57) of the learnt faces and of none of them, by the fitted decision alone.

        Crops have (N, D) features. One similar to a card without a name counts as none.
        """
        known, similarity = self.similarity(features)
        faces = log_softmax(self.decision.sharpness * similarity) + np.log(logistic(self._odds(similarity)))[:, None]
        found = np.full((len(features), CLASSES), np.log(_MIN_LIKELIHOOD), np.float32)
        found[:, known[known < NOTHING]] = faces[:, known < NOTHING]
        found[:, NOTHING] = np.log1p(-np.minimum(np.exp(faces[:, known < NOTHING]).sum(1), 1 - _MIN_LIKELIHOOD))
        return found

    def combine(self, logs: Floats, features: Floats) -> tuple[Floats, Floats]:
        """Return (N, 57) log-likelihoods of crops combined with their features, and (N,) memberships.

        A crop shows a learnt face, which similarity identifies, or else one that the reader names. Crops that do not
        belong to a complete deck keep the reader's log-likelihoods, and all do if similarity does not identify faces.
        """
        known, similarity = self.similarity(features)
        reader = log_softmax(logs)
        odds = self.open_set.odds(similarity.max(1), self._reader_nats(reader))
        memberships = np.asarray(np.maximum(np.tanh(odds / 2), 0), np.float32)
        if not self.identifies:
            return logs, memberships
        share = (memberships if self.is_complete else logistic(odds))[:, None]
        own = np.full((len(logs), CLASSES + 1), -np.inf, np.float32)
        own[:, known] = log_softmax(self.decision.sharpness * similarity)
        unlearnt = np.flatnonzero(~self._is_learnt[:NOTHING])
        if known[-1] == UNNAMED:
            # A crop similar to a card with an uncertain name is one of the cards without a name; the reader decides
            # which.
            own[:, unlearnt] = own[:, UNNAMED:] + log_softmax(reader[:, unlearnt])
        others = reader
        if not self.is_complete:
            is_face = np.append(self._is_learnt[:NOTHING], False)
            others = log_softmax(np.where(is_face, np.float32(np.log(_MIN_LIKELIHOOD)), reader))
        weighed = share * np.exp(own[:, :CLASSES]) + (1 - share) * np.exp(others)
        mixed = log_softmax(np.log(np.maximum(weighed, np.finfo(np.float32).tiny)).astype(np.float32))
        return np.where(share > 0, mixed, logs), memberships

    def _reader_nats(self, reader: Floats) -> Floats:
        """Return the reader's nats (N,) for a learnt face, 0 in a complete deck."""
        return np.zeros(len(reader), np.float32) if self.is_complete else _nats(reader, self._is_learnt[:NOTHING])


def fit(
    features: Floats, logs: Floats, cards: Sequence[int], decision: Decision, is_complete: bool = True
) -> Prototypes:
    """Fit the prototypes of crops with known cards.

    features: (N, V, D) of V views per crop. logs: (N, V, 57) readings of them. cards: (N,) numbers of ALL_CARDS or
    UNNAMED. is_complete: whether every face of the deck is among them.

    Copies are identified by the views of other copies; a card without a copy by its own other views. If the reader
    alone is as good, its answers are unchanged.
    """
    labels = np.asarray(cards)
    mean = features.mean((0, 1))
    units = decision.centred(features, mean)
    order = np.argsort(labels, kind="stable")
    named = np.flatnonzero(labels < NOTHING)
    readings = log_softmax(logs[named])
    known = np.unique(labels)
    similarity = np.stack([_similarity(units, i, labels, known) for i in named])
    is_own = (known == labels[named][:, None])[:, None]
    right = similarity.max(2, where=is_own, initial=-1.0)
    wrong = similarity.max(2, where=~is_own, initial=-1.0)
    chances = np.exp(log_softmax(np.float32(decision.sharpness) * similarity)).max(2, where=is_own, initial=0.0)
    by_deck = np.log((1 - OUTLIER_SHARE) * chances + OUTLIER_SHARE / len(known)).mean()
    by_reader = np.take_along_axis(readings, labels[named][:, None, None], 2).mean()
    copied = np.array([(labels == labels[i]).sum() > 1 for i in named])
    return Prototypes(
        np.asarray(units[order].reshape(-1, units.shape[2]), np.float32),
        np.repeat(labels[order], units.shape[1]),
        np.asarray(mean, np.float32),
        _open_set(right, wrong, readings, labels[named], copied, is_complete),
        is_complete,
        bool(by_deck > by_reader),
        _reader_reliability(logs, labels),
        decision,
    )


def _similarity(units: Floats, i: np.intp, labels: NDArray[np.intp], known: NDArray[np.intp]) -> Floats:
    """Return (V, C) the similarities of a crop's views to the other crops of each known card (C,).

    units: (N, V, D). labels: (N,). The only crop of a card is compared with its own other views.
    """
    views = len(units[i])
    pairwise = (units[i] @ units.reshape(-1, units.shape[2]).T).reshape(views, len(units), views)
    is_alone = (labels == labels[i]).sum() == 1
    pairwise[:, i][np.eye(views, dtype=bool) | ~is_alone] = -1.0
    best = pairwise.max(2)
    return np.stack([best[:, labels == card].max(1) for card in known], 1)


def _reader_reliability(logs: Floats, labels: NDArray[np.intp]) -> Floats:
    """Return (56,) the share of crops read as a card that have that name.

    logs: (N, V, 57) readings of V views of crops of cards (N,). A card that is never read, or never has that name
    (wrong names), counts as confirmed.
    """
    predicted = logs[..., :-1].argmax(-1)
    named = np.broadcast_to(labels[:, None], predicted.shape)
    every = np.bincount(predicted[named < NOTHING], minlength=NOTHING)
    correct = np.bincount(predicted[predicted == named], minlength=NOTHING)
    return np.where(correct > 0, correct / np.maximum(every, 1), 1).astype(np.float32)


def _open_set(
    right: Floats, wrong: Floats, logs: Floats, cards: NDArray[np.intp], copied: NDArray[np.bool_], is_complete: bool
) -> OpenSetModel:
    """Return the open-set model; each face is left out in turn.

    right, wrong: (N, Q) similarities of views of cards (N,) to their own face and to others. logs: (N, Q, 57) readings
    of them. copied: (N,) whether there are copies; a single card's views are too similar to itself.
    """
    numbers = np.arange(NOTHING)
    is_learnt = np.isin(numbers, cards)
    nats, nats_left_out = np.zeros((2, *right.shape), np.float32)
    if not is_complete:
        nats = _nats(logs, is_learnt)
        left_out = [_nats(rows, is_learnt & (numbers != card)) for rows, card in zip(logs, cards, strict=True)]
        nats_left_out = np.stack(left_out)
    copied = copied if copied.any() else np.ones_like(copied)
    own = np.stack([np.maximum(right, wrong), nats], -1)[copied]
    return OpenSetModel.of(own.reshape(-1, 2), np.stack([wrong, nats_left_out], -1).reshape(-1, 2))


def _nats(logs: Floats, is_learnt: NDArray[np.bool_]) -> Floats:
    """Return the nats (...,) of (..., 57) log-likelihoods for learnt cards (56,) against the others."""
    chances = np.maximum(np.exp(logs[..., :NOTHING]), _MIN_LIKELIHOOD)
    learnt, others = (chances[..., which].sum(-1) for which in (is_learnt, ~is_learnt))
    return np.asarray(np.log(np.maximum(learnt, _MIN_LIKELIHOOD) / np.maximum(others, _MIN_LIKELIHOOD)), np.float32)
