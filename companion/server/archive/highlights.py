"""The best moments of a match: the longest stack, the biggest score, cards that did not match."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from companion.cards import Card
from companion.referee.effects import DebtOwed, Drawn, RoundWon, Scored
from companion.table.presentation.view import HistoryLine


class Moment(Enum):
    """What makes a moment worth keeping."""

    STACK = "stack"
    """The most cards owed in a stack of at least two cards."""
    SCORE = "score"
    """The card that ended the round with the most points for one player."""
    WRONG = "wrong"
    """A card that did not match."""


@dataclass(frozen=True, slots=True)
class Highlight:
    """One moment. time: of its observation, seconds since the epoch. player: who acted, None if unknown.

    amount: cards owed or points. sentences: what was announced.
    """

    moment: Moment
    time: float
    player: str | None
    card: Card | None
    amount: int
    sentences: tuple[str, ...]


def highlights(history: Sequence[HistoryLine]) -> Iterator[Highlight]:
    """Yield every stack and every scored round of a match."""
    yield from _stacks(history)
    yield from _scores(history)


def best_of(found: Sequence[Highlight]) -> tuple[Highlight, ...]:
    """Return the largest stack and score, each the first of its kind on a tie, and every wrong card, by time."""
    largest = []
    for moment in (Moment.STACK, Moment.SCORE):
        same = [one for one in found if one.moment is moment]
        largest += [max(same, key=lambda one: one.amount)] if same else []
    wrong = [one for one in found if one.moment is Moment.WRONG]
    return tuple(sorted([*largest, *wrong], key=lambda one: one.time))


def _stacks(history: Sequence[HistoryLine]) -> Iterator[Highlight]:
    laid = owed = 0
    for line in history:
        if any(isinstance(effect, Drawn) for effect in line.effects):
            laid = owed = 0
        for effect in line.effects:
            if isinstance(effect, DebtOwed) and effect.count > owed:
                laid, owed = laid + 1, effect.count
                if laid >= 2:
                    yield _highlight(Moment.STACK, line, owed)


def _scores(history: Sequence[HistoryLine]) -> Iterator[Highlight]:
    """Yield the last card of each round with its points, which are entered in later lines."""
    last: HistoryLine | None = None
    points: dict[str, int] = {}
    for line in history:
        if any(isinstance(effect, RoundWon) for effect in line.effects):
            last, points = line, {}
        for effect in line.effects:
            if isinstance(effect, Scored):
                points[effect.player] = points.get(effect.player, 0) + effect.points
        if last is not None and any(isinstance(effect, Scored) for effect in line.effects):
            yield _highlight(Moment.SCORE, last, max(points.values()))


def _highlight(moment: Moment, line: HistoryLine, amount: int) -> Highlight:
    card = getattr(line.move, "card", None)
    return Highlight(moment, line.time, line.player, card, amount, line.sentences)
