"""The records that the store reads and writes, and its errors."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from companion.cards import Card
from companion.referee.state import Header
from companion.storage.journal import Corners, Line, Reading


class StoreError(Exception):
    """The store cannot do what was asked; the message is one sentence for people. `path` is the file."""

    def __init__(self, message: str, path: Path) -> None:
        super().__init__(message)
        self.path = path


class StoreFullError(StoreError):
    """There is no room left on the disk."""


class StoreReadOnlyError(StoreError):
    """The folder or the file may not be written."""


class StoreVersionError(StoreError):
    """The file was written by a later version of this program. `version` is the file's."""

    def __init__(self, path: Path, version: int) -> None:
        super().__init__(f"{path} was written by a later version of this program.", path)
        self.version = version


class StoreDamagedError(StoreError):
    """The file is not a database of matches, or is damaged."""


class NoLocksError(StoreError):
    """The drive of the file or folder cannot lock files, so that two programs could damage it."""

    def __init__(self, path: Path) -> None:
        message = f"The drive of {path} cannot lock files, as many network drives: keep matches on a local disk."
        super().__init__(f"{message} `--data DIR` names a folder there.", path)


class RefusedBatchError(StoreError):
    """The file is intact, but this batch is invalid. `match_id` is the batch's."""

    def __init__(self, match_id: str, reason: str, path: Path) -> None:
        super().__init__(f"What was played in {match_id} does not fit what is kept of it: {reason}.", path)
        self.match_id = match_id


class NoSuchMatchError(Exception):
    """No match has this id. `match_id` is the id."""

    def __init__(self, match_id: str) -> None:
        super().__init__(f"There is no match {match_id!r}.")
        self.match_id = match_id


@dataclass(frozen=True, slots=True)
class Correction:
    """The true card of a reading, according to people. time: seconds since the epoch."""

    reading: str
    card: Card
    time: float


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a match has come, for the list of matches."""

    moves: int
    over: bool
    winners: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Batch:
    """What is written in one transaction.

    time: seconds since the epoch. header: begins the match if given. pending: the table's observations without a
    ruling; replaces the stored ones unless None. memory: what else the table remembers, likewise. relaxed: the host's
    option, unless None.
    """

    match_id: str
    time: float
    header: Header | None = None
    relaxed: bool | None = None
    lines: tuple[Line, ...] = ()
    readings: tuple[Reading, ...] = ()
    corrections: tuple[Correction, ...] = ()
    pending: tuple[str, ...] | None = None
    memory: str | None = None
    standing: Standing | None = None


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """A match as stored; `lines` is the whole journal, undos and amendments included.

    memory: what else the table remembered; None if an earlier version stored the match.
    """

    id: str
    header: Header
    relaxed: bool
    started: float
    lines: tuple[Line, ...]
    pending: tuple[str, ...]
    memory: str | None = None


@dataclass(frozen=True, slots=True)
class MatchSummary:
    """A match in the list. `moves` counts standing moves; `started` and `touched` are seconds since the epoch."""

    id: str
    header: Header
    started: float
    touched: float
    moves: int
    over: bool
    winners: tuple[str, ...]
    pictures: int


@dataclass(frozen=True, slots=True)
class DamagedMatch:
    """A match that is partly unreadable; `reason` is one sentence for people."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Salvage:
    """The readable part of a match: its lines up to the first damaged one. fault: what is wrong, None if nothing."""

    match: StoredMatch
    fault: str | None


@dataclass(frozen=True, slots=True)
class TrainingSample:
    """A corrected reading: the picture (JPEG bytes), the outline in it, the predicted card and the true one."""

    match_id: str
    picture: bytes
    quad: Corners
    read: tuple[tuple[Card, float], ...]
    card: Card
