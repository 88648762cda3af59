"""The journal of a match: every accepted line in order, undos and amendments included, and the resulting match.

The journal is what is stored. Replaying it reproduces the match, each move with the line it came from.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import Enum

from companion.cards import Card
from companion.referee.match import Match, spelled, with_names
from companion.referee.model.history import History
from companion.referee.moves import (
    ActorMove,
    Amend,
    Entry,
    Flip,
    Play,
    PlayerMove,
    Rename,
    Start,
    Undo,
)
from companion.referee.state import Header

Corners = tuple[tuple[float, float], ...]
"""Four corners (x, y) in pixels of a picture, clockwise from the card's own top left."""


class ReadBy(Enum):
    """How a move was entered."""

    CAMERA = "camera"
    TAP = "tap"
    INFERRED = "inferred"
    CORRECTED = "corrected"


class Known(Enum):
    """How it is known who made a move."""

    SEEN = "seen"  # by the arm that made it
    INFERRED = "inferred"  # from the turn, or from later events
    TAPPED = "tapped"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a match's journal: a move, an undo or an amendment. time: seconds since the epoch.

    reading: id of the reading behind it, if any. direction: where the arm came from, degrees clockwise from up in the
    picture, None if no arm was seen.
    """

    entry: Entry
    read_by: ReadBy
    time: float
    reading: str | None = None
    direction: float | None = None

    @property
    def known(self) -> Known:
        """How it is known who made this move."""
        if self.read_by in (ReadBy.TAP, ReadBy.CORRECTED):
            return Known.TAPPED
        return Known.SEEN if self.direction is not None else Known.INFERRED


@dataclass(frozen=True, slots=True)
class Reading:
    """A camera reading, never changed by later corrections.

    id: unique within the match. time: seconds since the epoch. quad: the card's outline in `picture`. picture: JPEG
    bytes, None if there is none.
    """

    id: str
    time: float
    probabilities: tuple[tuple[Card, float], ...]
    quad: Corners | None = None
    picture: bytes | None = None


@dataclass(frozen=True, slots=True)
class Journal:
    """A match so far and the line behind each of its moves. Immutable."""

    match: Match
    lines: History[Line] = field(default_factory=History)

    def player(self, place: int) -> str | None:
        """Return who made the move at this index (from 0), None if nobody did."""
        history = self.match.history
        move = history[place].move
        if isinstance(move, PlayerMove):
            return move.player
        if isinstance(move, ActorMove):
            return move.by or (history[place - 1].state.actor if place else None)
        return None

    def corrected(self) -> tuple[tuple[str, Card], ...]:
        """Return the ids of the readings whose moves people confirmed or corrected, with the cards they named."""
        confirmed = (line for line in self.lines if line.read_by in (ReadBy.TAP, ReadBy.CORRECTED))
        return tuple(
            (line.reading, line.entry.card)
            for line in confirmed
            if line.reading is not None and isinstance(line.entry, Start | Play | Flip)
        )

    def enter(self, line: Line) -> Journal:
        """Return the journal with one more line; raises RefereeError if its entry is rejected.

        An amended move keeps the reading and the arm of the move it replaces.
        """
        entry = spelled(self.match.state.header, line.entry)
        if entry != line.entry:
            line = replace(line, entry=entry)
        if isinstance(entry, Undo):
            return Journal(self.match.undo(), self.lines.cut(len(self.lines) - 1))
        if isinstance(entry, Amend):
            match = self.match.amend(entry.n, entry.move)
            old = self.lines[entry.n - 1]
            new = replace(line, entry=entry.move, reading=old.reading, direction=old.direction)
            return Journal(match, History((*self.lines[: entry.n - 1], new, *self.lines[entry.n :])))
        return Journal(self.match.apply(entry), self.lines.grown(line))


def replay(header: Header, lines: Iterable[Line]) -> Journal:
    """Return the journal of these lines; raises RefereeError at the first rejected one."""
    journal = Journal(Match(header))
    for line in lines:
        journal = journal.enter(line)
    return journal


def with_final_names(journal: Journal) -> Journal:
    """Return the same match as if everybody had had their present name from the start, for results by name (R56)."""
    history = journal.match.history
    if not any(isinstance(step.move, Rename) for step in history):
        return journal
    names: dict[str, str] = {}
    lines = []
    for line, step in zip(reversed(journal.lines), reversed(history), strict=True):
        move = step.move
        if isinstance(move, Rename):
            final = names.pop(move.name, move.name)
            names[move.player] = final
            move = Rename(final, final)
        else:
            move = with_names(move, lambda name: names.get(name, name))
        lines.append(replace(line, entry=move))
    first = journal.match.header
    header = replace(first, players=tuple(names.get(player, player) for player in first.players))
    return replay(header, reversed(lines))


def undone(lines: Iterable[Line]) -> tuple[Line, ...]:
    """Return the lines that undos removed and that can be redone, the next one first.

    lines: all accepted lines in order. Redoing one removes it; any other move and every amendment clears the list.
    """
    standing: list[Line] = []
    back: list[Line] = []
    for line in lines:
        entry = line.entry
        if isinstance(entry, Undo):
            back.append(standing.pop())
        elif isinstance(entry, Amend):
            old = standing[entry.n - 1]
            standing[entry.n - 1] = replace(line, entry=entry.move, reading=old.reading, direction=old.direction)
            back.clear()
        else:
            if back and back[-1].entry == entry:
                back.pop()
            else:
                back.clear()
            standing.append(line)
    return tuple(reversed(back))
