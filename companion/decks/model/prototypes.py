"""What the crops of a learnt deck look like to a reader: nearest prototypes beside the reader's own answers.

Prototypes on the penultimate layer, the deck's mean taken off and the length made one, tell faces apart that the reader
never learnt to name (Wang et al., SimpleShot, 2019).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from companion.cards import ALL_CARDS
from companion.decks.model.open_set import Apart
from companion.vision.core.labels import Floats, color_class, face_class, log_softmax

CLASSES = len(ALL_CARDS) + 1
"""Cards that a reader tells apart, and no card."""
NOTHING, UNNAMED = CLASSES - 1, CLASSES
"""What stands for the name of what is no card, and of a learnt card whose name is in doubt."""

# What is tried for how much likeness counts: nats for the step from the nearest other face to a copy. And for how much
# the reader's own answer still does.
_STEPS = (2.0, 4.0, 6.0, 8.0, 10.0)
_TRUSTS = (0.05, 0.1, 0.2, 0.5)
# Likelihoods may differ by so much (nats a crop) and count as equal: then the reader's answer counts the less, as what
# it errs in on a design it errs in at the table too.
_EQUAL = 0.02
# A reader that does not know a design is wrong with great certainty: what it can say against a card is bounded.
_BOUND = -9.0
# No likelihood is less than this: its logarithm is far under the bound.
_NEVER = 1e-6
# Likeness at which a crop begins to count as one of this deck: this share of the way from what the nearest other faces
# have to what copies have; it counts fully another such share higher. Never less than the last.
_BEGIN, _FULL, _LEAST = 0.2, 0.6, 0.4
# The step is taken to be at least so large.
_LEAST_STEP = 0.04
_FACES = np.array([face_class(card.face) for card in ALL_CARDS])
_COLORS = np.array([color_class(card.color) for card in ALL_CARDS])
# The share of the deck's own pictures from which on what the reader calls them is mostly right: of 25 decks a word that
# the deck had better correct was right in .06 and .26 (wilds), one that it had better not in .7 (a 1 like its 7).
_MOSTLY = 0.5
# How unlike a card can be, at most, for its likeness to speak against it.
_UNLIKE = 0.4


@dataclass(frozen=True, eq=False)
class Look:
    """Prototypes of one reader's crops, and how they are weighed.

    prototypes: (P, D) float32, each of length one. cards: (P,) numbers of ALL_CARDS, NOTHING or UNNAMED, rising. mean:
    (D,) taken off before. sharpness: nats for a likeness of one. trust: what the reader's own log-likelihoods still
    count. begin, full: the likeness from which on a crop is taken for one of this deck, a little and entirely. prior:
    nats against a face that was not laid. apart: what tells faces that were laid from others, None where all were.
    confusion: (57, 57) how likely the reader is to say each of the columns where a row's card lies, by what it says of
    the deck's own pictures; None where it says what lies there. borne_out: (56,) in which share of the deck's own
    pictures that the reader takes for a card that is what they are called; None where that is not known.
    """

    prototypes: Floats
    cards: NDArray[np.intp]
    mean: Floats
    sharpness: float
    trust: float
    begin: float
    full: float
    prior: float = 0.0
    apart: Apart | None = None
    confusion: Floats | None = None
    borne_out: Floats | None = None

    def credit(self, card: int) -> float:
        """Return how far (0 to 1) the reader is to be believed when it says a card, a number of ALL_CARDS.

        Where that is mostly right it is as without the deck, else as far as it is right.
        """
        share = 1.0 if self.borne_out is None else float(self.borne_out[card])
        return 1.0 if share >= _MOSTLY else share

    @cached_property
    def _learnt(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The learnt cards' numbers (C,), and from which prototype (C,) on each one's are."""
        known, starts = np.unique(self.cards, return_index=True)
        return known, starts

    @cached_property
    def _columns(self) -> Floats:
        """The prototypes side by side, (D, P): the product of a few crops with these takes half the time."""
        return np.ascontiguousarray(self.prototypes.T)

    @cached_property
    def _laid(self) -> NDArray[np.bool_]:
        """(58,) whether a number is a learnt card's."""
        return np.isin(np.arange(UNNAMED + 1), self._learnt[0])

    def similarity(self, features: Floats) -> tuple[NDArray[np.intp], Floats]:
        """Return the learnt cards' numbers (C,), and the (N, C) likeness, at most 1, of crops with (N, D) features.

        The last numbers are NOTHING and UNNAMED if there are such crops.
        """
        known, starts = self._learnt
        alike = unit(features - self.mean) @ self._columns
        return known, np.asarray(np.maximum.reduceat(alike, starts, axis=1), np.float32)

    def but(self, features: Floats) -> Look:
        """Return the same look that knows besides what crops with (N, D) features show: nothing."""
        cards = np.append(self.cards, np.full(len(features), NOTHING))
        prototypes = np.concatenate([self.prototypes, unit(features - self.mean)])
        order = np.argsort(cards, kind="stable")
        return replace(self, prototypes=prototypes[order], cards=cards[order])

    def _belonging(self, similarity: Floats) -> Floats:
        return np.asarray(np.clip((similarity.max(1) - self.begin) / (self.full - self.begin), 0, 1), np.float32)

    def weigh(self, logs: Floats, features: Floats) -> tuple[Floats, Floats]:
        """Return the (N, 57) log-likelihoods of crops with what their features tell, and (N,) their belonging.

        Crops that do not belong to this deck are left as the reader has read them.
        """
        known, similarity = self.similarity(features)
        belongs = self._belonging(similarity)
        others = np.flatnonzero(~self._laid[:NOTHING]) if known[-1] == UNNAMED else known[:0]
        # A face that was not laid looks most like another one that was: what the reader takes for such a face is left
        # to it, unless it is as like to a laid one as copies are.
        unlaid = ~self._laid[logs[:, :-1].argmax(1)] & (known[similarity.argmax(1)] < NOTHING)
        if self.apart is None or self.sharpness == 0:
            belongs[unlaid] = np.clip((similarity.max(1)[unlaid] - self.full) / (self.full - self.begin), 0, 1)
        if self.sharpness == 0:
            # Of what it reads well by itself the reader need be told but what is none.
            surely = np.where(known[similarity.argmax(1)] == NOTHING, belongs, 0)
            told = logs - _BOUND * surely[:, None] * (np.arange(CLASSES) == NOTHING)
            return np.where(surely[:, None] > 0, log_softmax(told.astype(np.float32)), logs), belongs
        tells = self._own(logs)
        odds = (
            None if self.apart is None else self.apart.odds(similarity.max(1), _for_laid(tells, self._laid[:NOTHING]))
        )
        membership = belongs[:, None]
        evidence = _evidence(known, similarity - self.begin, self.sharpness, self.prior)
        own = np.maximum(tells, _BOUND) * self.trust
        if len(others):
            # What looks like a card whose name is in doubt is one of those that have none: which, the reader tells.
            within = log_softmax(np.maximum(logs[:, others], _BOUND))
            own[:, others] = own[:, others].max(1, keepdims=True) + within
            evidence[:, others] = evidence[:, UNNAMED:]
        told = np.asarray(own + evidence[:, :CLASSES], np.float32)
        if odds is not None:
            told = _with_unlaid(told, tells, self._laid, odds)
        blended = log_softmax(told)
        # Between the two, not a jump: a crop that is hardly like the deck's is hardly read otherwise than without it.
        weighed = np.where(membership > 0, (1 - membership) * logs + membership * blended, logs)
        if odds is not None:
            # What is told to be a face that was not laid is none of those that the deck knows.
            belongs = np.where(
                self._laid[weighed[:, :-1].argmax(1)], belongs, belongs * np.maximum(np.tanh(odds / 2), 0)
            )
        return weighed.astype(np.float32), np.asarray(belongs, np.float32)

    def _own(self, logs: Floats) -> Floats:
        """Return what the reader's (N, 57) log-likelihoods tell of each card, as it errs on this design."""
        return logs if self.confusion is None else _by_confusion(logs, self.confusion)


def fit(
    features: Floats, logs: Floats, cards: Sequence[int], plain: int, prior: float = 0.0, part: bool = False
) -> Look:
    """Return the look of crops whose cards are known.

    features: (N, V, D), V views of each crop, of which the first `plain` are as they are and the others altered as
    light, lens and outline may be. logs: (N, V, 57) what the reader says of them. cards: (N,) numbers of ALL_CARDS,
    NOTHING or UNNAMED. prior: nats against a face that was not laid. part: whether only a part of the deck was.

    Weights are those under which copies are likeliest to be read right by the views of other copies; a card without a
    copy is read by its own plain views. Where the reader alone does as well, nothing is added to what it says.
    """
    labels = np.asarray(cards)
    mean = features[:, :plain].mean((0, 1))
    units = unit(features - mean)
    order = np.argsort(labels, kind="stable")
    prototypes = units[order].reshape(-1, units.shape[2])
    numbers = np.repeat(labels[order], units.shape[1])
    named = labels < NOTHING
    queries = units[named, plain:] if units.shape[1] > plain else units[named]
    asked = logs[named, plain:] if units.shape[1] > plain else logs[named]
    # (N, Q, M): the likeness of each altered view to the other crops' plain views, the best of them.
    alike = np.einsum("nqd,mvd->nqmv", queries, units[:, :plain], optimize=True)
    best = alike.max(3)
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
    begin = max(_LEAST, low + _BEGIN * max(high - low, 0.05))
    full = max(begin + 0.05, low + _FULL * max(high - low, 0.05))
    # Where faces are hardly less alike than copies are, the deck's own cards belong to it all the same.
    full = max(_LEAST + 0.05, min(full, high))
    begin = min(begin, full - 0.05)
    look = Look(np.asarray(prototypes, np.float32), numbers, np.asarray(mean, np.float32), 0.0, 1.0, begin, full)
    says = np.exp(logs[:, :plain]).mean(1)
    confusion = _confusion(says, labels)
    told = np.stack(
        [
            _by_confusion(rows, _without(confusion, says, labels, int(i)))
            for i, rows in zip(np.flatnonzero(named), asked, strict=True)
        ]
    )
    sharpness, trust = _weights(
        look, similarity.astype(np.float32), asked, told, labels[named], known, max(high - low, _LEAST_STEP)
    )
    apart = None
    if part:
        # Each face is taken for one that was not laid.
        without = {card: _confusion(says[labels != card], labels[labels != card]) for card in np.unique(labels[named])}
        untold = [_by_confusion(rows, without[card]) for rows, card in zip(asked, labels[named], strict=True)]
        apart = _apart(right, wrong, told, np.stack(untold), labels[named], ~lone[named])
    borne_out = _borne_out(logs[:, :plain], labels)
    return replace(
        look,
        sharpness=sharpness,
        trust=trust,
        prior=prior,
        apart=apart,
        confusion=confusion,
        borne_out=borne_out,
    )


def _borne_out(logs: Floats, labels: NDArray[np.intp]) -> Floats:
    """Return (56,) in which share of the crops that a reader takes for a card it is what they are called.

    logs: (N, V, 57) what it says of V views of crops of cards (N,). What it never says, or says of nothing that is
    called so, as where names are wrong, counts as borne out.
    """
    said = logs[..., :-1].argmax(-1)
    named = np.broadcast_to(labels[:, None], said.shape)
    every = np.bincount(said[named < NOTHING], minlength=NOTHING)
    right = np.bincount(said[said == named], minlength=NOTHING)
    return np.where(right > 0, right / np.maximum(every, 1), 1).astype(np.float32)


def _with_unlaid(told: Floats, tells: Floats, laid: NDArray[np.bool_], odds: Floats) -> Floats:
    """Return what is told (N, 57) of the deck's pictures, and that it may be a face that was not laid.

    Of those the deck knows nothing: which of them it is, the reader tells. laid: (58,) whether a number is a learnt
    card's. odds: (N,) nats for a face that was.
    """
    others = np.flatnonzero(~laid[:NOTHING])
    # What cards without a name add to the others is of the deck, too.
    of_deck = np.arange(NOTHING) if laid[UNNAMED] else np.flatnonzero(laid[:NOTHING])
    told = told + (odds - np.logaddexp.reduce(told[:, of_deck], axis=1))[:, None]
    unlaid = log_softmax(tells[:, others])
    told[:, others] = np.logaddexp(told[:, others], unlaid) if laid[UNNAMED] else unlaid
    return np.asarray(told, np.float32)


def _apart(
    right: Floats,
    wrong: Floats,
    told: Floats,
    untold: Floats,
    cards: NDArray[np.intp],
    copied: NDArray[np.bool_],
) -> Apart:
    """Return what tells faces that were laid from others.

    right, wrong: (N, Q) likeness of views of cards (N,) to their own faces and to the others. told, untold: (N, Q, 57)
    what the reader tells of them, and would had their faces not been laid. copied: (N,) of which there are copies: a
    lone card's views are more like itself than any would be.
    """
    numbers = np.arange(NOTHING)
    laid = np.isin(numbers, cards)
    copied = copied if copied.any() else np.ones_like(copied)
    own = np.stack([np.maximum(right, wrong), _for_laid(told, laid)], -1)[copied]
    said = np.stack([_for_laid(rows, laid & (numbers != card)) for rows, card in zip(untold, cards, strict=True)])
    return Apart.of(own.reshape(-1, 2), np.stack([wrong, said], -1).reshape(-1, 2))


def _for_laid(logs: Floats, laid: NDArray[np.bool_]) -> Floats:
    """Return by how many nats (...,) a reader's (..., 57) log-likelihoods are for laid cards (56,), not the others."""
    cards = np.maximum(logs[..., :NOTHING], np.log(_NEVER))
    return np.asarray(
        np.logaddexp.reduce(cards[..., laid], -1) - np.logaddexp.reduce(cards[..., ~laid], -1), np.float32
    )


def _confusion(says: Floats, labels: NDArray[np.intp]) -> Floats:
    """Return (57, 57) what the reader says of each card in the mean. says: (N, 57) likelihoods of crops of cards.

    Of a card that was not laid it says the face as of those of that face that were, and likewise the colour.
    """
    confusion = np.eye(CLASSES, dtype=np.float32)
    laid = np.unique(labels[labels < NOTHING])
    for card in laid:
        confusion[card] = says[labels == card].mean(0)
    means = confusion[laid]
    face_says, color_says = (_by_kind(means, laid, kinds) for kinds in (_FACES, _COLORS))
    others = np.setdiff1d(np.arange(NOTHING), laid)
    pairs = face_says[_FACES[others]][:, _FACES] * color_says[_COLORS[others]][:, _COLORS]
    confusion[others, :NOTHING] = pairs / np.maximum(pairs.sum(1, keepdims=True), _NEVER)
    return confusion


def _by_kind(means: Floats, cards: NDArray[np.intp], kinds: NDArray[np.intp]) -> Floats:
    """Return (K, K) how likely each face or colour is said of each, that itself of which no card was laid.

    means: (C, 57) what is said of cards (C,). kinds: (56,) which face or colour each card has.
    """
    count = int(kinds.max()) + 1
    said = np.stack([means[:, :NOTHING][:, kinds == kind].sum(1) for kind in range(count)], 1)
    said = said / np.maximum(said.sum(1, keepdims=True), _NEVER)
    there = kinds[cards]
    rows = [said[there == kind].mean(0) if (there == kind).any() else np.eye(count)[kind] for kind in range(count)]
    return np.asarray(rows, np.float32)


def _without(confusion: Floats, says: Floats, labels: NDArray[np.intp], crop: int) -> Floats:
    """Return the same without what was said of one crop, where its card has others."""
    others = labels == labels[crop]
    others[crop] = False
    if not others.any():
        return confusion
    confusion = confusion.copy()
    confusion[labels[crop]] = says[others].mean(0)
    return confusion


def _by_confusion(logs: Floats, confusion: Floats) -> Floats:
    """Return (N, 57) how well a reader's log-likelihoods agree with what it says where each card lies."""
    return np.asarray(np.log(np.exp(logs) @ confusion.T + _NEVER), np.float32)


def _weights(
    look: Look,
    similarity: Floats,
    logs: Floats,
    told: Floats,
    labels: NDArray[np.intp],
    known: NDArray[np.intp],
    step: float,
) -> tuple[float, float]:
    """Return the sharpness and the trust. told: (N, Q, 57) what the reader's (N, Q, 57) logs tell of each card."""
    flat, says, own = similarity.reshape(-1, len(known)), logs.reshape(-1, CLASSES), told.reshape(-1, CLASSES)
    truth = np.repeat(labels, similarity.shape[1])
    rows = np.arange(len(truth))
    tried: list[tuple[float, float, float]] = []
    for sharpness in (nats / step for nats in _STEPS):
        for trust in _TRUSTS:
            evidence = _evidence(known, flat - look.begin, sharpness)[:, :CLASSES]
            scores = log_softmax(np.asarray(np.maximum(own, _BOUND) * trust + evidence, np.float32))
            tried.append((float(scores[rows, truth].mean()), sharpness, trust))
    most = max(score for score, _, _ in tried)
    if float(log_softmax(says)[rows, truth].mean()) >= most - _EQUAL:
        # The reader by itself reads the held-out copies as well.
        return 0.0, 1.0
    near = [(sharpness, trust) for score, sharpness, trust in tried if score >= most - _EQUAL]
    return min(near, key=lambda pair: (pair[1], pair[0]))


def _evidence(known: NDArray[np.intp], over: Floats, sharpness: float, prior: float = 0.0) -> Floats:
    """Return (N, 58) what the likeness (N, C) over the least that counts tells of each card, NOTHING and UNNAMED."""
    evidence = np.zeros((len(over), CLASSES + 1), np.float32)
    evidence[:, :NOTHING] = -prior
    evidence[:, known] = sharpness * np.maximum(over, -_UNLIKE)
    # There is more that is no card than was ever seen of it: to be unlike that says nothing.
    evidence[:, NOTHING] = np.maximum(evidence[:, NOTHING], 0)
    return evidence


def unit(features: Floats) -> Floats:
    """Return (..., D) features, each of length one."""
    lengths = np.maximum(np.linalg.norm(features, axis=-1, keepdims=True), 1e-6)
    return np.asarray(features / lengths, np.float32)
