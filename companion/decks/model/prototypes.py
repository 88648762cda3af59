"""Identifies crops of a learnt deck by nearest prototypes, combined with the reader's own answers.

Prototypes are centred and normalised features of the penultimate layer; they separate faces the reader was never
trained to name (Wang et al., SimpleShot, 2019).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from companion.cards import ALL_CARDS
from companion.decks.model.decision import Decision, shipped_decisions
from companion.decks.model.open_set import MAX_NATS, OpenSetModel
from companion.vision.core.labels import Floats, color_class, face_class, log_softmax
from companion.vision.core.logit import logistic
from companion.vision.core.sightings import EVEN

NOTHING = len(ALL_CARDS)
CLASSES = UNNAMED = NOTHING + 1
"""Labels of a crop that is no card, and of a learnt card whose name is uncertain. CLASSES: number of cards the reader
distinguishes, plus "no card".
"""

# Candidate values for the weight of similarity (nats from the nearest other face to a copy) and for the weight of the
# reader.
_STEPS = range(2, 12, 2)
_TRUSTS = (0.05, 0.1, 0.2, 0.5)
# Likelihoods that differ by less (nats per crop) count as equal; then the smaller weight of the reader is chosen,
# because its errors on a design repeat at the table.
_EQUAL = 0.02
# Minimum likelihood; its logarithm is far below the bound.
_MIN_LIKELIHOOD = 1e-6
# Similarity at which membership begins, as a share of the way from the nearest other faces to copies; membership is
# full one such share higher. Never below `_MIN_BEGIN`.
_BEGIN, _FULL, _MIN_BEGIN = 0.2, 0.6, 0.4
# Minimum assumed step in similarity.
_MIN_STEP = 0.04
_FACES = np.array([face_class(card.face) for card in ALL_CARDS])
_COLORS = np.array([color_class(card.color) for card in ALL_CARDS])
# Maximum dissimilarity for similarity to count against a card.
_MAX_DISSIMILARITY = 0.4


@dataclass(frozen=True, eq=False)
class Prototypes:
    """Prototypes of one reader's crops with their weights.

    prototypes: (P, D) float32 of unit length. cards: (P,) numbers of ALL_CARDS, NOTHING or UNNAMED, ascending. mean:
    (D,) subtracted before normalising. sharpness: nats per unit of similarity. trust: weight of the reader's
    log-likelihoods. begin, full: similarities at which membership begins and is complete. prior: nats against a face
    that was not learnt. open_set: open-set model, None for a complete deck. confusion: (57, 57) probability that the
    reader reports each column for a row's card, from the deck's own pictures; None if it reads them correctly.
    reliability: (56,) share of the deck's pictures read as a card that have that name; None if unknown. decision: how
    descriptors become vectors.
    """

    prototypes: Floats
    cards: NDArray[np.intp]
    mean: Floats
    sharpness: float
    trust: float
    begin: float
    full: float
    prior: float = 0.0
    open_set: OpenSetModel | None = None
    confusion: Floats | None = None
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

        NOTHING and UNNAMED come last if there are such prototypes.
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

    def with_nothing(self, features: Floats) -> Prototypes:
        """Return the same prototypes with additional ones of NOTHING for crops with (N, D) features."""
        cards = np.append(self.cards, np.full(len(features), NOTHING))
        prototypes = np.concatenate([self.prototypes, self.decision.centred(features, self.mean)])
        order = np.argsort(cards, kind="stable")
        return replace(self, prototypes=prototypes[order], cards=cards[order])

    def _membership(self, similarity: Floats) -> Floats:
        return np.asarray(np.clip((similarity.max(1) - self.begin) / (self.full - self.begin), 0, 1), np.float32)

    def weigh(self, logs: Floats, features: Floats) -> tuple[Floats, Floats]:
        """Return (N, 57) log-likelihoods of crops combined with their features, and (N,) memberships.

        Crops that do not belong to this deck keep the reader's log-likelihoods.
        """
        known, similarity = self.similarity(features)
        memberships = self._membership(similarity)
        others = np.flatnonzero(~self._is_learnt[:NOTHING]) if known[-1] == UNNAMED else known[:0]
        # A face that was not learnt is similar to a learnt one: the reader decides unless the similarity equals that of
        # copies.
        unlearnt = ~self._is_learnt[logs[:, :-1].argmax(1)] & (known[similarity.argmax(1)] < NOTHING)
        if self.open_set is None or self.sharpness == 0:
            memberships[unlearnt] = np.clip((similarity.max(1)[unlearnt] - self.full) / (self.full - self.begin), 0, 1)
        if self.sharpness == 0:
            # For designs it reads well, the reader only needs to know which crops are no cards.
            nothing_weight = np.where(known[similarity.argmax(1)] == NOTHING, memberships, 0)
            scores = logs - -MAX_NATS * nothing_weight[:, None] * (np.arange(CLASSES) == NOTHING)
            return np.where(nothing_weight[:, None] > 0, log_softmax(scores.astype(np.float32)), logs), memberships
        reader_nats = self._reader_evidence(logs)
        odds = (
            None
            if self.open_set is None
            else self.open_set.odds(similarity.max(1), _learnt_nats(reader_nats, self._is_learnt[:NOTHING]))
        )
        membership = memberships[:, None]
        evidence = _evidence(known, similarity - self.begin, self.sharpness, self.prior)
        own = np.maximum(reader_nats, -MAX_NATS) * self.trust
        if len(others):
            # A crop similar to a card with an uncertain name is one of the cards without a name; the reader decides
            # which.
            within = log_softmax(np.maximum(logs[:, others], -MAX_NATS))
            own[:, others] = own[:, others].max(1, keepdims=True) + within
            evidence[:, others] = evidence[:, UNNAMED:]
        scores = np.asarray(own + evidence[:, :CLASSES], np.float32)
        if odds is not None:
            scores = _with_unlearnt(scores, reader_nats, self._is_learnt, odds)
        blended = log_softmax(scores)
        # A gradual transition: a crop with low membership is read almost as without the deck.
        weighed = np.where(membership > 0, (1 - membership) * logs + membership * blended, logs)
        if odds is not None:
            # A face that was not learnt does not belong to the deck's known cards.
            memberships = np.where(
                self._is_learnt[weighed[:, :-1].argmax(1)], memberships, memberships * np.maximum(np.tanh(odds / 2), 0)
            )
        return weighed.astype(np.float32), np.asarray(memberships, np.float32)

    def _reader_evidence(self, logs: Floats) -> Floats:
        """Return the reader's (N, 57) evidence per card, corrected by its confusions on this design."""
        return logs if self.confusion is None else _confusion_scores(logs, self.confusion)


def fit(
    features: Floats,
    logs: Floats,
    cards: Sequence[int],
    plain: int,
    decision: Decision,
    prior: float = 0.0,
    incomplete: bool = False,
) -> Prototypes:
    """Fit the prototypes of crops with known cards.

    features: (N, V, D), V views per crop, the first `plain` of which are plain and the others augmented. logs: (N, V,
    57) readings of them. cards: (N,) numbers of ALL_CARDS, NOTHING or UNNAMED. prior: nats against a face that was not
    learnt. incomplete: whether the deck is incomplete.

    The weights maximise the likelihood of copies read by views of other copies; a card without a copy is read by its
    own plain views. If the reader alone is as good, its answers are unchanged.
    """
    labels = np.asarray(cards)
    mean = features[:, :plain].mean((0, 1))
    units = decision.centred(features, mean)
    order = np.argsort(labels, kind="stable")
    prototypes = units[order].reshape(-1, units.shape[2])
    numbers = np.repeat(labels[order], units.shape[1])
    named = labels < NOTHING
    queries = units[named, plain:] if units.shape[1] > plain else units[named]
    asked = logs[named, plain:] if units.shape[1] > plain else logs[named]
    # (N, Q, M): similarity of each augmented view to the plain views of the other crops, the best per crop.
    pairwise = np.einsum("nqd,mvd->nqmv", queries, units[:, :plain], optimize=True)
    best = pairwise.max(3)
    known = np.unique(labels)
    copies = (labels[:, None] == labels[None]) & ~np.eye(len(labels), dtype=bool)
    lone = ~copies.any(1)
    usable = np.where(np.eye(len(labels), dtype=bool), lone[:, None], True)
    held = np.where(usable[named][:, None], best, -1.0)
    similarity = np.stack([held[:, :, labels == card].max(2) for card in known], 2)
    own = np.searchsorted(known, labels[named])
    is_own = np.arange(len(known))[None, None] == own[:, None, None]
    right = similarity[np.broadcast_to(is_own, similarity.shape)].reshape(similarity.shape[:2])
    wrong = np.where(is_own, -1.0, similarity).max(2)
    low, high = float(np.median(wrong)), float(np.median(right))
    begin = max(_MIN_BEGIN, low + _BEGIN * max(high - low, 0.05))
    full = max(begin + 0.05, low + _FULL * max(high - low, 0.05))
    # If faces are almost as similar as copies, the deck's own cards must still belong to it.
    full = max(_MIN_BEGIN + 0.05, min(full, high))
    begin = min(begin, full - 0.05)
    model = Prototypes(np.asarray(prototypes, np.float32), numbers, np.asarray(mean, np.float32), 0.0, 1.0, begin, full)
    likelihoods = np.exp(logs[:, :plain]).mean(1)
    confusion = _confusion(likelihoods, labels)
    evidence = np.stack(
        [
            _confusion_scores(rows, _confusion_without(confusion, likelihoods, labels, int(i)))
            for i, rows in zip(np.flatnonzero(named), asked, strict=True)
        ]
    )
    sharpness, trust = _weights(
        model, similarity.astype(np.float32), asked, evidence, labels[named], known, max(high - low, _MIN_STEP)
    )
    open_set_model = None
    if incomplete:
        # Leave each face out in turn.
        without = {
            card: _confusion(likelihoods[labels != card], labels[labels != card]) for card in np.unique(labels[named])
        }
        left_out_evidence = [
            _confusion_scores(rows, without[card]) for rows, card in zip(asked, labels[named], strict=True)
        ]
        open_set_model = _open_set_model(
            right, wrong, evidence, np.stack(left_out_evidence), labels[named], ~lone[named]
        )
    reliability = _reader_reliability(logs[:, :plain], labels)
    return replace(
        model,
        sharpness=sharpness,
        trust=trust,
        prior=prior,
        open_set=open_set_model,
        confusion=confusion,
        reliability=reliability,
        decision=decision,
    )


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


def _with_unlearnt(scores: Floats, reader_nats: Floats, is_learnt: NDArray[np.bool_], odds: Floats) -> Floats:
    """Return (N, 57) log-likelihoods extended by the faces that were not learnt.

    The deck knows nothing of those, so the reader distributes their probability. is_learnt: (58,) whether a number is a
    learnt card's. odds: (N,) nats for a learnt face.
    """
    others = np.flatnonzero(~is_learnt[:NOTHING])
    # What cards without a name add to the others belongs to the deck, too.
    of_deck = np.arange(NOTHING) if is_learnt[UNNAMED] else np.flatnonzero(is_learnt[:NOTHING])
    scores = scores + (odds - np.logaddexp.reduce(scores[:, of_deck], axis=1))[:, None]
    unlearnt = log_softmax(reader_nats[:, others])
    scores[:, others] = np.logaddexp(scores[:, others], unlearnt) if is_learnt[UNNAMED] else unlearnt
    return np.asarray(scores, np.float32)


def _open_set_model(
    right: Floats,
    wrong: Floats,
    evidence: Floats,
    left_out_evidence: Floats,
    cards: NDArray[np.intp],
    copied: NDArray[np.bool_],
) -> OpenSetModel:
    """Return the open-set model.

    right, wrong: (N, Q) similarities of views of cards (N,) to their own face and to others. evidence,
    left_out_evidence: (N, Q, 57) the reader's log-likelihoods with the face learnt and left out. copied: (N,) whether
    there are copies; a single card's views are too similar to itself.
    """
    numbers = np.arange(NOTHING)
    is_learnt = np.isin(numbers, cards)
    copied = copied if copied.any() else np.ones_like(copied)
    own = np.stack([np.maximum(right, wrong), _learnt_nats(evidence, is_learnt)], -1)[copied]
    left_out = np.stack(
        [_learnt_nats(rows, is_learnt & (numbers != card)) for rows, card in zip(left_out_evidence, cards, strict=True)]
    )
    return OpenSetModel.of(own.reshape(-1, 2), np.stack([wrong, left_out], -1).reshape(-1, 2))


def _learnt_nats(logs: Floats, is_learnt: NDArray[np.bool_]) -> Floats:
    """Return the nats (...,) of (..., 57) log-likelihoods for learnt cards (56,) against the others."""
    cards = np.maximum(logs[..., :NOTHING], np.log(_MIN_LIKELIHOOD))
    return np.asarray(
        np.logaddexp.reduce(cards[..., is_learnt], -1) - np.logaddexp.reduce(cards[..., ~is_learnt], -1), np.float32
    )


def _confusion(likelihoods: Floats, labels: NDArray[np.intp]) -> Floats:
    """Return the (57, 57) mean reading per card. likelihoods: (N, 57) likelihoods of crops of cards.

    For a card that was not learnt, the face and the colour are averaged over learnt cards that share them.
    """
    confusion = np.eye(CLASSES, dtype=np.float32)
    learnt = np.unique(labels[labels < NOTHING])
    for card in learnt:
        confusion[card] = likelihoods[labels == card].mean(0)
    means = confusion[learnt]
    face_says, color_says = (_by_kind(means, learnt, kinds) for kinds in (_FACES, _COLORS))
    others = np.setdiff1d(np.arange(NOTHING), learnt)
    pairs = face_says[_FACES[others]][:, _FACES] * color_says[_COLORS[others]][:, _COLORS]
    confusion[others, :NOTHING] = pairs / np.maximum(pairs.sum(1, keepdims=True), _MIN_LIKELIHOOD)
    return confusion


def _by_kind(means: Floats, cards: NDArray[np.intp], kinds: NDArray[np.intp]) -> Floats:
    """Return (K, K) the probability of reading each face or colour for each; the identity for kinds without cards.

    means: (C, 57) mean readings of cards (C,). kinds: (56,) face or colour of each card.
    """
    count = int(kinds.max()) + 1
    predicted = np.stack([means[:, :NOTHING][:, kinds == kind].sum(1) for kind in range(count)], 1)
    predicted = predicted / np.maximum(predicted.sum(1, keepdims=True), _MIN_LIKELIHOOD)
    own_kinds = kinds[cards]
    rows = [
        predicted[own_kinds == kind].mean(0) if (own_kinds == kind).any() else np.eye(count)[kind]
        for kind in range(count)
    ]
    return np.asarray(rows, np.float32)


def _confusion_without(confusion: Floats, likelihoods: Floats, labels: NDArray[np.intp], crop: int) -> Floats:
    """Return the same without one crop's reading, if its card has others."""
    others = labels == labels[crop]
    others[crop] = False
    if not others.any():
        return confusion
    confusion = confusion.copy()
    confusion[labels[crop]] = likelihoods[others].mean(0)
    return confusion


def _confusion_scores(logs: Floats, confusion: Floats) -> Floats:
    """Return (N, 57) the agreement of a reader's log-likelihoods with its mean reading per card."""
    return np.asarray(np.log(np.exp(logs) @ confusion.T + _MIN_LIKELIHOOD), np.float32)


def _weights(
    model: Prototypes,
    similarity: Floats,
    logs: Floats,
    reader_evidence: Floats,
    labels: NDArray[np.intp],
    known: NDArray[np.intp],
    step: float,
) -> tuple[float, float]:
    """Return sharpness and trust. reader_evidence: (N, Q, 57) the reader's evidence per card from (N, Q, 57)
    log-likelihoods.
    """
    flat, readings, own = (
        similarity.reshape(-1, len(known)),
        logs.reshape(-1, CLASSES),
        reader_evidence.reshape(-1, CLASSES),
    )
    truth = np.repeat(labels, similarity.shape[1])
    rows = np.arange(len(truth))
    tried: list[tuple[float, float, float]] = []
    for sharpness in (nats / step for nats in _STEPS):
        for trust in _TRUSTS:
            evidence = _evidence(known, flat - model.begin, sharpness)[:, :CLASSES]
            scores = log_softmax(np.asarray(np.maximum(own, -MAX_NATS) * trust + evidence, np.float32))
            tried.append((float(scores[rows, truth].mean()), sharpness, trust))
    most = max(score for score, _, _ in tried)
    if float(log_softmax(readings)[rows, truth].mean()) >= most - _EQUAL:
        # The reader alone reads the held-out copies as well.
        return 0.0, 1.0
    near = [(sharpness, trust) for score, sharpness, trust in tried if score >= most - _EQUAL]
    return min(near, key=lambda pair: (pair[1], pair[0]))


def _evidence(known: NDArray[np.intp], over: Floats, sharpness: float, prior: float = 0.0) -> Floats:
    """Return (N, 58) evidence per card, NOTHING and UNNAMED, from similarities (N, C) above the minimum."""
    evidence = np.zeros((len(over), CLASSES + 1), np.float32)
    evidence[:, :NOTHING] = -prior
    evidence[:, known] = sharpness * np.maximum(over, -_MAX_DISSIMILARITY)
    # Not everything that is no card was seen in learning: dissimilarity to the examples is no evidence.
    evidence[:, NOTHING] = np.maximum(evidence[:, NOTHING], 0)
    return evidence
