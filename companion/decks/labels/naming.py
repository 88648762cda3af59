"""Names the pictures of a deck, from the reader, the deck's composition and the design's consistency.

Copies are grouped by similarity and by what the reader says against one name. Groups are named jointly within the
deck's numbers of copies. Then consistency is used: one colour has one ground or ink, one face one shape in four
colours, so other groups of a colour and face predict a card's appearance; names and appearance are found in turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from companion.cards import ALL_CARDS, Card
from companion.decks.labels.clustering import group_copies
from companion.decks.labels.dawid_skene import ViewReliability
from companion.decks.labels.design import (
    EXCLUDED,
    ROUNDS,
    Swap,
    consistency_nats,
    descriptors,
    doubtful,
    expected_similarity,
    group_means,
    similarities,
    swapped,
)
from companion.decks.labels.hungarian import group_names
from companion.decks.model.edition_cards import LearntCards, learnt_cards
from companion.editions import Edition
from companion.vision.core.labels import Floats, card_classes, log_softmax
from companion.vision.core.sightings import EVEN

# Number of questions that is too many. A group's name is asked for unless it is more likely than not. Over ten designs
# a temperature did not improve the probabilities: confident errors were whole faces, which have their own questions.
TOO_MANY = 12
# Mean confidence of the names below which answers are not trusted blindly: three of fifteen designs were below 0.7 with
# 0.28 to 0.58 of the names right, the others above 0.84 with at least 0.85 right.
_MIN_MEAN_CONFIDENCE = 0.7
# Maximum loss of fit by answers (nats). In 66 lessons of 24 cards right answers cost at most 10; in 13 with wrong names
# corrections of all of them cost at most 16, of one 20. The limit refuses 47 of 66 single wrong answers about random
# pictures, and 63 of 66 pairs of them.
_MISFIT = 20.0
_OPTIONS = 3


@dataclass(frozen=True)
class Question:
    """A question for people: pictures of one card (numbers from 0), and its options, most probable first."""

    pictures: tuple[int, ...]
    options: tuple[Card, ...]


@dataclass(frozen=True)
class Naming:
    """Names of pictures with confidences, and questions, most informative first.

    fit: score of these names by reader and design (nats over all pictures), comparable with other names of the same
    pictures. prompted_is_better: whether laying one card of each name is less effort than the questions. set_aside:
    whether answers were ignored because they do not fit the cards.
    """

    cards: tuple[Card, ...]
    confidences: tuple[float, ...]
    questions: tuple[Question, ...]
    fit: float
    prompted_is_better: bool
    set_aside: bool = False

    @property
    def sure(self) -> tuple[bool, ...]:
        """Whether each name is sure enough to be used; if none is, all are used."""
        sure = tuple(confidence > EVEN for confidence in self.confidences)
        return sure if any(sure) else (True,) * len(sure)


def name_cards(
    features: Floats, logs: Floats, edition: Edition, answers: Mapping[int, Card] | None = None, by_color: bool = False
) -> Naming:
    """Return the names of pictures of cards laid one after the other.

    features: (N, V, D) of the plain views; logs: (N, L, 57) readings of each part. answers: known names by picture.
    by_color: whether the cards were sorted by colour.
    """
    learnt = learnt_cards(edition)
    held = learnt.held
    counts = np.array([held[card] for card in ALL_CARDS])
    known = {i: learnt.number(card) for i, card in (answers or {}).items()}
    units = descriptors(features)
    # Two faces of one colour, such as a 3 and an 8, may look as alike as two copies do.
    similarity = similarities(units).astype(np.float64) - _disagreement(logs) / consistency_nats()
    group_of = group_copies(similarity, held, len(logs) / counts.sum(), known)
    fixed = {int(group_of[i]): card for i, card in known.items()}
    certain = np.zeros((group_of.max() + 1, len(ALL_CARDS)), np.float32)
    for g, card in fixed.items():
        certain[g] = np.where(np.arange(len(ALL_CARDS)) == card, 0, EXCLUDED)
    means = group_means(units.mean(1), group_of)
    views = ViewReliability(logs)
    consistency = np.zeros_like(certain)
    for _ in range(ROUNDS):
        base = _group_scores(views.scores(), group_of, by_color)
        names = group_names(base + consistency + certain, group_of, counts)
        views.weigh(names[group_of])
        consistency = consistency_nats() * expected_similarity(means, names)
    base = _group_scores(views.scores(), group_of, by_color)
    names = swapped(base, means, names, counts, fixed)
    total = base + consistency_nats() * expected_similarity(means, names)
    probabilities = _name_probabilities(total, group_of, counts, fixed)
    fit = float(total[group_of, names[group_of]].sum())
    doubts = doubtful(base, names, counts, fixed)
    return _naming(learnt, probabilities, names, group_of, doubts, fixed, fit)


def accepted_answers(unanswered: Naming, answered: Naming) -> Naming:
    """Return the names to use, given those without and with answers that may be wrong.

    An answer also fixes names nobody was asked about, so wrong ones can make the deck worse than none. Either all
    answers fit the printed cards or none counts; questions continue from them, as further answers may confirm them. The
    doubt that existed before remains.
    """
    if answered.fit < unanswered.fit - _MISFIT:
        return replace(unanswered, questions=answered.questions, set_aside=True)
    return replace(answered, prompted_is_better=unanswered.prompted_is_better)


def _disagreement(logs: Floats) -> NDArray[np.float64]:
    """Return (N, N) what one name for two pictures costs in nats, from (N, L, 57) readings of their parts."""
    names = log_softmax(logs)[:, :, :-1].mean(1).astype(np.float64)
    best = names.max(1)
    return np.asarray(best[:, None] + best - (names[:, None] + names).max(2), np.float64)


def _group_scores(picture_scores: Floats, group_of: NDArray[np.intp], by_color: bool) -> Floats:
    """Return (G, 56) the scores of groups, from (N, 56) of their pictures, whose groups are (N,).

    by_color: whether neighbours' colours are evidence, as the deck was sorted by colour.
    """
    base = group_means(picture_scores, group_of)
    if not by_color:
        return base
    _, colors = card_classes()
    of_color = np.stack([np.logaddexp.reduce(base[:, colors == c], axis=1) for c in range(colors.max() + 1)], 1)
    # Shares of neighbours bound the evidence, so that a few wilds between two colours keep their names.
    shares = np.exp(log_softmax(of_color))[group_of]
    around = np.stack([shares[max(0, i - 5) : i + 6].mean(0) for i in range(len(group_of))])
    return np.asarray(base + np.log(group_means(around, group_of))[:, colors], np.float32)


def _name_probabilities(
    scores: Floats, group_of: NDArray[np.intp], held: NDArray[np.intp], fixed: Mapping[int, int]
) -> Floats:
    """Return (G, 56) probabilities of the groups' names, given the numbers of copies (Sinkhorn 1967)."""
    sizes = np.bincount(group_of)
    odds = np.exp(np.asarray(scores - scores.max(1, keepdims=True), np.float64)) * (held > 0)
    for g, card in fixed.items():
        odds[g] = np.arange(len(ALL_CARDS)) == card
    for _ in range(ROUNDS):
        odds /= np.maximum(odds.sum(1, keepdims=True), 1e-30)
        odds *= np.minimum(1.0, held / np.maximum(sizes @ odds, 1e-30))
    return np.asarray(odds / np.maximum(odds.sum(1, keepdims=True), 1e-30), np.float32)


def _naming(
    learnt: LearntCards,
    probabilities: Floats,
    names: NDArray[np.intp],
    group_of: NDArray[np.intp],
    doubts: Sequence[Swap],
    fixed: Mapping[int, int],
    fit: float,
) -> Naming:
    sure = probabilities[np.arange(len(names)), names]
    questions: list[tuple[bool, float, Question]] = []

    def ask(g: int, *first: int) -> Question:
        """Return a question about a group, with the given names as its first options."""
        options = list(dict.fromkeys([*first, *np.argsort(-probabilities[g]).tolist()]))[:_OPTIONS]
        return Question(tuple(np.flatnonzero(group_of == g).tolist()), tuple(learnt.card(name) for name in options))

    asked: set[int] = set()
    # One question per ambiguous swap, about its least certain group, comes before those about single cards.
    for swap in doubts:
        if asked.isdisjoint(swap.groups.tolist()):
            k = int(sure[swap.groups].argmin())
            g = int(swap.groups[k])
            asked.update(swap.groups.tolist())
            questions.append((False, swap.margin, ask(g, int(names[g]), int(swap.names[k]))))
    sure[list(asked)] = np.minimum(sure[list(asked)], EVEN)
    for g in np.flatnonzero(sure <= EVEN).tolist():
        if g not in fixed and g not in asked:
            question = ask(g, int(names[g]))
            questions.append((True, float(sure[g]) - 0.1 * len(question.pictures), question))
    ordered = tuple(question for *_, question in sorted(questions, key=lambda each: each[:2]))
    prompted = len(ordered) > TOO_MANY or float(sure[group_of].mean()) < _MIN_MEAN_CONFIDENCE
    cards = tuple(learnt.card(int(names[g])) for g in group_of)
    return Naming(cards, tuple(sure[group_of].tolist()), ordered, fit, prompted)
