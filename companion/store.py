"""Matches on disk: an append-only log of accepted moves, the pictures behind them, what was read and what was corrected.

One SQLite file in one folder. Every write is one transaction that is on the disk when the call returns, so that a
match can be taken up again after the process was killed at any moment.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from companion.cards import Card
from companion.referee.moves import Entry
from companion.referee.state import Header

Corners = tuple[tuple[float, float], ...]
"""Four corners (x, y) in pixels of a picture, clockwise from the card's own top left."""


class ReadBy(Enum):
    """Where a move came from."""

    CAMERA = "camera"
    TAP = "tap"
    INFERRED = "inferred"
    CORRECTED = "corrected"


class StoreError(Exception):
    """The store cannot do what was asked; the message is one sentence for people. `path` is the file or folder."""

    def __init__(self, message: str, path: Path) -> None:
        super().__init__(message)
        self.path = path


class StoreFullError(StoreError):
    """There is no room left on the disk."""


class StoreReadOnlyError(StoreError):
    """The folder or the file may not be written."""


class StoreVersionError(StoreError):
    """The file was written by a later version of this program. `version` is the file's."""


class StoreDamagedError(StoreError):
    """The file is no database, or a damaged one."""


class NoSuchMatchError(Exception):
    """No match has this id. `match_id` is the id."""

    def __init__(self, match_id: str) -> None:
        super().__init__(f"There is no match {match_id!r}.")
        self.match_id = match_id


@dataclass(frozen=True, slots=True)
class Reading:
    """What the camera read, kept as it was whatever people said later.

    id: unique within the match. time: seconds since the epoch. quad: the card's outline in `picture`. picture: JPEG
    bytes, None where there is none or it was dropped to stay within bounds.
    """

    id: str
    time: float
    probabilities: tuple[tuple[Card, float], ...]
    quad: Corners | None
    picture: bytes | None


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a match's journal: a move, an undo or an amendment. time: seconds since the epoch.

    reading: the id of the reading behind it, None where there is none.
    """

    entry: Entry
    read_by: ReadBy
    time: float
    reading: str | None = None


@dataclass(frozen=True, slots=True)
class MatchSummary:
    """A match in the list: `moves` are the accepted ones that stand, `started` and `touched` seconds since the epoch."""

    id: str
    header: Header
    started: float
    touched: float
    moves: int
    over: bool
    winners: tuple[str, ...]
    pictures: int


class Store:
    """Matches in one folder. May be used from any thread.

    Raises StoreReadOnlyError, StoreFullError, StoreVersionError or StoreDamagedError where the folder cannot be used.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder

    def matches(self) -> list[MatchSummary]:
        """Return all matches, the latest first."""
        raise NotImplementedError

    def picture(self, match_id: str, reading_id: str) -> bytes | None:
        """Return the reading's picture as JPEG bytes, None where it is not kept."""
        raise NotImplementedError

    def export_transcript(self, match_id: str) -> str:
        """Return the match as a transcript, JSON Lines; raises NoSuchMatchError."""
        raise NotImplementedError

    def delete(self, match_id: str) -> None:
        """Delete the match with its pictures; raises NoSuchMatchError."""
        raise NotImplementedError
