"""The journal of a match: every accepted line in the order of entry, undos and amendments included, and what stands.

The journal is what is kept on disk; replaying it gives the match again, each move with the line that it came from.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import Enum

from companion.cards import Card
from companion.referee.history import History
from companion.referee.match import Match, spelled
from companion.referee.moves import ActorMove, Amend, Entry, Flip, Play, PlayerMove, Start, Undo
from companion.referee.state import Header

Corners = tuple[tuple[float, float], ...]
"""Four corners (x, y) in pixels of a picture, clockwise from the card's own top left."""


class ReadBy(Enum):
    """Where a move came from."""

    CAMERA = "camera"
    TAP = "tap"
    INFERRED = "inferred"
    CORRECTED = "corrected"


class Known(Enum):
    """How it is known whose move it was."""

    SEEN = "seen"  # by the arm that did it
    INFERRED = "inferred"  # from the turn, or from what came after
    TAPPED = "tapped"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a match's journal: a move, an undo or an amendment. time: seconds since the epoch.

    reading: the id of the reading behind it, None where there is none. direction: where the arm came from that did it,
    degrees clockwise from up in the picture, None where none was seen.
    """

    entry: Entry
    read_by: ReadBy
    time: float
    reading: str | None = None
    direction: float | None = None

    @property
    def known(self) -> Known:
        """How it is known whose move this was."""
        if self.read_by in (ReadBy.TAP, ReadBy.CORRECTED):
            return Known.TAPPED
        return Known.SEEN if self.direction is not None else Known.INFERRED


@dataclass(frozen=True, slots=True)
class Reading:
    """What the camera read, kept as it was whatever people said later.

    id: unique within the match. time: seconds since the epoch. quad: the card's outline in `picture`. picture: JPEG
    bytes, None where there is none.
    """

    id: str
    time: float
    probabilities: tuple[tuple[Card, float], ...]
    quad: Corners | None = None
    picture: bytes | None = None


@dataclass(frozen=True, slots=True)
class Journal:
    """A match so far and, move by move, the lines that its standing moves came from. It is a value."""

    match: Match
    lines: History[Line] = field(default_factory=History)

    def player(self, place: int) -> str | None:
        """Return whose move stands at this place, counted from 0, None where it is nobody's."""
        history = self.match.history
        move = history[place].move
        if isinstance(move, PlayerMove):
            return move.player
        if isinstance(move, ActorMove):
            return move.by or (history[place - 1].state.actor if place else None)
        return None

    def corrected(self) -> tuple[tuple[str, Card], ...]:
        """Return the ids of the readings behind the moves that stand by people's word, and the cards they name."""
        told = (line for line in self.lines if line.read_by in (ReadBy.TAP, ReadBy.CORRECTED))
        return tuple(
            (line.reading, line.entry.card)
            for line in told
            if line.reading is not None and isinstance(line.entry, Start | Play | Flip)
        )

    def enter(self, line: Line) -> Journal:
        """Return the journal with one more line; raises RefereeError where its entry is refused.

        An amended move keeps the reading of the move that it replaces, and the arm.
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
    """Return the journal that these lines make; raises RefereeError at the first that is refused."""
    journal = Journal(Match(header))
    for line in lines:
        journal = journal.enter(line)
    return journal


def undone(lines: Iterable[Line]) -> tuple[Line, ...]:
    """Return the lines that undos took back and that can be entered again as they are, the next one first.

    lines: all that were accepted, in the order of entry. To enter one of them again takes it off; any other move, and
    every amendment, leaves nothing to enter again.
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
