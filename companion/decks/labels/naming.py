"""Which card each picture of a deck shows: what the reader says, what the deck holds, and what the design tells itself.

Copies are grouped by likeness. The groups are named together, each name as often as the deck has the card. Then the
design is asked: one colour is one ground or one ink, one digit is one shape in four colours, so what the other groups
of that colour and of that face look like says how a card must look; names and looks are found in turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from companion.cards import ALL_CARDS, Card, EditionName, deck
from companion.decks.labels.clustering import copies
from companion.decks.labels.dawid_skene import Opinions
from companion.decks.labels.design import LOOKS, Swap, composed, doubtful, shown, swapped
from companion.decks.labels.hungarian import assign
from companion.vision.core.labels import COLORS, Floats, color_class

# How often names and looks are found in turn.
_ROUNDS = 8
# Steps of the balancing of rows and columns by which the names' probabilities are found (Sinkhorn 1967).
_BALANCING = 60
# A group's name is asked for where its probability is less; more questions than so many are too many. Over ten designs
# a temperature made the probabilities no truer: what was sure and wrong was so by whole faces, asked for by themselves.
_SURE, TOO_MANY = 0.6, 12
# Where so few names are right by their own account, answers that are taken for granted would be, too: over fifteen
# designs three had less than 0.7, of which 0.28 to 0.58 were right, the others 0.84 and more, of which 0.85 and more.
_MOSTLY = 0.7
# Answers do not fit where the names' fit falls by more than so many nats and so many more for each. Over ten decks of
# which less is in doubt, right ones cost at most 15 and 2 each once nothing was asked any more (until then 20, of one
# deck 40), ten wrong ones 28 and 2 each or more, all of seventeen times, fewer often less. Of decks of which more is in
# doubt no such line could be drawn.
_MISFIT, _MISFIT_EACH = 24.0, 2.0
_OPTIONS = 3
# How sure a name is at most that could as well be another one's.
_EITHER = 0.5
# What puts the questions that tell of whole faces before those of one card.
_FIRST = 100.0


@dataclass(frozen=True)
class Question:
    """What only people can tell: pictures of one card (numbers from 0), and what it may be, likeliest first."""

    pictures: tuple[int, ...]
    options: tuple[Card, ...]


@dataclass(frozen=True)
class Naming:
    """The cards of pictures, how surely each is right, and the questions, most telling first.

    fit: what the reader and the design say for these names (nats, over all pictures), to be compared with what they say
    for other names of the same pictures. prompted_is_better: whether so much is in doubt that laying one card of each,
    by name, is less trouble than the questions. set_aside: whether answers were left out, as they do not fit the cards.
    """

    cards: tuple[Card, ...]
    confidences: tuple[float, ...]
    questions: tuple[Question, ...]
    fit: float
    prompted_is_better: bool
    set_aside: bool = False

    @property
    def sure(self) -> tuple[bool, ...]:
        """Whether each name is sure enough to read by; where none is, all count as such."""
        sure = tuple(confidence >= _SURE for confidence in self.confidences)
        return sure if any(sure) else (True,) * len(sure)


def name_cards(
    features: Floats,
    inks: Floats,
    logs: Floats,
    edition: EditionName,
    answers: Mapping[int, Card] | None = None,
    by_color: bool = False,
) -> Naming:
    """Return the names of pictures of cards laid one after the other.

    features: (N, V, D) of the views of each picture as it is; inks: (N, E) what colours it is of; logs: (N, L, 57) what
    the reader says of it, each time that it looks at some part of it. answers: names that are known, by picture.
    by_color: whether the cards were laid sorted by colour.
    """
    held = deck(edition)
    slots = np.array([i for i, card in enumerate(ALL_CARDS) for _ in range(held[card])])
    known = {i: ALL_CARDS.index(card) for i, card in (answers or {}).items()}
    units = shown(features, inks)
    alike = np.asarray(np.einsum("nvd,mwd->nmvw", units, units, optimize=True).max((2, 3)), np.float64)
    groups = copies(alike, held, len(logs) / len(slots), known)
    of = np.empty(len(logs), np.intp)
    for g, members in enumerate(groups):
        of[members] = g
    fixed = {int(of[i]): card for i, card in known.items()}
    means = np.stack([units[members].mean((0, 1)) for members in groups])
    opinions = Opinions(logs, np.bincount(slots, minlength=len(ALL_CARDS)))
    similarity = np.zeros((len(groups), len(ALL_CARDS)), np.float32)
    for _ in range(_ROUNDS):
        base = _of_groups(opinions.scores(), groups, by_color)
        names = _assigned(base + similarity, groups, slots, fixed)
        opinions.weigh(names[of])
        similarity = LOOKS * composed(means, names)
    base = _of_groups(opinions.scores(), groups, by_color)
    sizes = np.array([len(members) for members in groups])
    names = swapped(base, means, names, sizes, fixed)
    total = base + LOOKS * composed(means, names)
    chances = _chances(total, groups, slots, fixed)
    fit = float((sizes * total[np.arange(len(groups)), names]).sum())
    return _naming(chances, names, groups, len(logs), doubtful(base, names, sizes, fixed), fixed, fit)


def heeded(unanswered: Naming, answered: Naming, answers: int) -> Naming:
    """Return what to go by of the names without and with so many answers, of which the latter may be mistaken.

    An answer makes names certain that nobody was asked about, too, so wrong ones may leave the deck worse than none do.
    All together must go with what is printed on the cards, or else none counts; what is asked goes on from them, as
    further ones may bear them out. How much was in doubt before, they do not talk away.
    """
    if answered.fit < unanswered.fit - _MISFIT - _MISFIT_EACH * answers:
        return replace(unanswered, questions=answered.questions, set_aside=True)
    return replace(answered, prompted_is_better=unanswered.prompted_is_better)


def _of_groups(says: Floats, groups: Sequence[Sequence[int]], by_color: bool) -> Floats:
    """Return (G, 56) what is said of the groups of pictures, of each of which (N, 56) is said."""
    base = np.stack([says[list(members)].mean(0) for members in groups])
    return _with_runs(base, groups, len(says)) if by_color else base


def _assigned(
    scores: Floats, groups: Sequence[Sequence[int]], slots: NDArray[np.intp], fixed: Mapping[int, int]
) -> NDArray[np.intp]:
    """Return the card of each group under which the pictures' scores are best, each card as often as the deck has it.

    A picture is assigned by its group's scores; a group is then called what most of its pictures are.
    """
    pictures = [g for g, members in enumerate(groups) for _ in members]
    costs = -scores[pictures][:, slots].astype(np.float64)
    for row, g in enumerate(pictures):
        if g in fixed:
            costs[row] += np.where(slots == fixed[g], -1e3, 0.0)
    while costs.shape[0] > costs.shape[1]:
        # More pictures than the deck has cards: some were laid twice.
        costs = np.concatenate([costs, costs + 5.0], axis=1)
        slots = np.concatenate([slots, slots])
    cards = slots[assign(costs)]
    names = np.zeros(len(groups), np.intp)
    at = 0
    for g, members in enumerate(groups):
        own, counts = np.unique(cards[at : at + len(members)], return_counts=True)
        names[g] = max(zip(counts, scores[g, own], own, strict=True))[2]
        at += len(members)
    return names


def _chances(
    scores: Floats, groups: Sequence[Sequence[int]], slots: NDArray[np.intp], fixed: Mapping[int, int]
) -> Floats:
    """Return (G, 56) probabilities of the groups' names, given how many pictures of each card there can be."""
    sizes = np.array([len(members) for members in groups], np.float64)
    held = np.bincount(slots, minlength=len(ALL_CARDS)).astype(np.float64)
    odds = np.exp(np.asarray(scores - scores.max(1, keepdims=True), np.float64)) * (held > 0)
    for g, card in fixed.items():
        odds[g] = np.arange(len(ALL_CARDS)) == card
    for _ in range(_BALANCING):
        odds /= np.maximum(odds.sum(1, keepdims=True), 1e-30)
        taken = (odds * sizes[:, None]).sum(0)
        odds *= np.minimum(1.0, held / np.maximum(taken, 1e-30))
    return np.asarray(odds / np.maximum(odds.sum(1, keepdims=True), 1e-30), np.float32)


def _with_runs(base: Floats, groups: Sequence[Sequence[int]], count: int) -> Floats:
    """Return the scores with the colours of neighbours, for a deck that was sorted by colour before it was laid."""
    colors = np.array([color_class(card.color) for card in ALL_CARDS])
    of = np.empty(count, np.intp)
    for g, members in enumerate(groups):
        of[list(members)] = g
    by_color = np.stack([np.logaddexp.reduce(base[:, colors == c], axis=1) for c in range(len(COLORS) + 1)], 1)
    shown = by_color[of]
    around = np.stack([shown[max(0, i - 5) : i + 6].mean(0) for i in range(count)])
    more = np.stack([around[list(members)].mean(0) for members in groups])
    return np.asarray(base + 2 * more[:, colors], np.float32)


def _naming(
    chances: Floats,
    names: NDArray[np.intp],
    groups: Sequence[Sequence[int]],
    count: int,
    doubts: Sequence[Swap],
    fixed: Mapping[int, int],
    fit: float,
) -> Naming:
    cards: list[Card] = [ALL_CARDS[0]] * count
    confidences = [0.0] * count
    questions: list[tuple[float, Question]] = []
    asked: set[int] = set()
    # One group of a doubtful swap tells of all: its least sure one is asked for, before all else.
    for swap in doubts:
        if asked & set(swap.groups.tolist()):
            continue
        k = int(chances[swap.groups, names[swap.groups]].argmin())
        g = int(swap.groups[k])
        asked.update(swap.groups.tolist())
        options = dict.fromkeys([int(names[g]), int(swap.names[k]), *np.argsort(-chances[g]).tolist()])
        questions.append((swap.margin - _FIRST, _question(groups[g], list(options))))
    for g, members in enumerate(groups):
        sure = min(float(chances[g, names[g]]), _EITHER if g in asked else 1.0)
        for i in members:
            cards[i], confidences[i] = ALL_CARDS[int(names[g])], sure
        if sure < _SURE and g not in fixed and g not in asked:
            order = [int(names[g])] + [int(i) for i in np.argsort(-chances[g]) if i != names[g]]
            questions.append((sure - 0.1 * len(members), _question(members, order)))
    ordered = tuple(question for _, question in sorted(questions, key=lambda pair: pair[0]))
    prompted = len(ordered) > TOO_MANY or float(np.mean(confidences)) < _MOSTLY
    return Naming(tuple(cards), tuple(confidences), ordered, fit, prompted)


def _question(members: Sequence[int], order: Sequence[int]) -> Question:
    return Question(tuple(members), tuple(ALL_CARDS[i] for i in order[:_OPTIONS]))
