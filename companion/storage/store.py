"""Matches on disk: the journal of accepted lines, the camera's readings and, separately, people's corrections.

One SQLite file in one folder. Every write is one transaction, durable when the call returns, so a match can be resumed
after the process was killed at any moment.
"""

from __future__ import annotations

import errno
import json
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import platformdirs

from companion.cards import Card
from companion.referee.model.names import key
from companion.referee.state import Header
from companion.referee.transcript import read_entry, read_header, write_entry, write_header
from companion.storage.file_locks import can_lock
from companion.storage.forgetting import names_in, stand_in, without
from companion.storage.journal import Corners, Line, ReadBy, Reading
from companion.storage.private import make_private
from companion.storage.records import (
    Batch,
    Correction,
    DamagedMatch,
    MatchSummary,
    NoLocksError,
    NoSuchMatchError,
    RefusedBatchError,
    Salvage,
    Standing,
    StoreDamagedError,
    StoredMatch,
    StoreError,
    StoreFullError,
    StoreReadOnlyError,
    StoreVersionError,
    TrainingSample,
)
from companion.storage.store_schema import MIGRATIONS

__all__ = [
    "FILE",
    "PICTURES_BYTES",
    "Batch",
    "Correction",
    "DamagedMatch",
    "MatchSummary",
    "NoSuchMatchError",
    "RefusedBatchError",
    "Salvage",
    "Standing",
    "Store",
    "StoreDamagedError",
    "StoreError",
    "StoreFullError",
    "StoreReadOnlyError",
    "StoreVersionError",
    "StoredMatch",
    "TrainingSample",
    "default_folder",
    "new_match_id",
]

FILE = "matches.sqlite3"

PICTURES_BYTES = 400_000_000
"""Disk quota of all pictures: about 4000 rulings of 100 kB. The oldest uncorrected ones are deleted first."""

_BUSY_SECONDS = 5.0  # how long to wait while another process, such as an export, holds the file


def default_folder() -> Path:
    """Return the folder where matches are kept when no other is named."""
    return platformdirs.user_data_path("uno-table-companion", appauthor=False)


def new_match_id(now: float) -> str:
    """Return an id for a match begun at `now` (seconds since the epoch). Ids sort by time and are short to type."""
    return f"{time.strftime('%Y%m%d-%H%M', time.localtime(now))}-{secrets.token_hex(2)}"


class Store:
    """Matches in one folder, by default `default_folder()`. Thread-safe.

    The file is opened on first use. Every method raises StoreFullError, StoreReadOnlyError, StoreVersionError,
    StoreDamagedError or a plain StoreError if the file cannot be used, and may be called again.
    """

    def __init__(self, folder: Path | None = None, *, pictures_bytes: int = PICTURES_BYTES) -> None:
        self.folder = folder or default_folder()
        self.path = self.folder / FILE
        self._pictures_bytes = pictures_bytes
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def write(self, batch: Batch) -> None:
        """Write the whole batch durably.

        Raises NoSuchMatchError if the match neither exists nor begins here, RefusedBatchError if the batch itself is
        invalid.
        """
        with self._transaction("BEGIN IMMEDIATE") as connection:
            try:
                self._write_batch(connection, batch)
            except _REFUSALS as error:
                raise RefusedBatchError(batch.match_id, str(error), self.path) from error

    def matches(self) -> list[MatchSummary]:
        """Return all matches with an intact list entry, newest first."""
        return [each for each in self.survey() if isinstance(each, MatchSummary)]

    def survey(self) -> list[MatchSummary | DamagedMatch]:
        """Return all matches, newest first; for a damaged entry, what is wrong with it."""
        with self._transaction() as connection:
            rows = connection.execute(
                "SELECT id, header, started, touched, moves, over, winners,"
                " (SELECT count(*) FROM picture WHERE picture.match = match.id) FROM match ORDER BY rowid DESC"
            ).fetchall()
        return [_summary(*row) for row in rows]

    def load(self, match_id: str) -> StoredMatch:
        """Return one match; raises NoSuchMatchError, or StoreDamagedError if part of it is unreadable."""
        found = self.salvage(match_id)
        if found.fault is not None:
            raise StoreDamagedError(found.fault, self.path)
        return found.match

    def salvage(self, match_id: str) -> Salvage:
        """Return the readable part of a match; raises NoSuchMatchError, or StoreDamagedError if its set-up is
        unreadable.
        """
        with self._transaction() as connection:
            row = connection.execute(
                "SELECT header, relaxed, started, memory FROM match WHERE id = ?", (match_id,)
            ).fetchone()
            if row is None:
                raise NoSuchMatchError(match_id)
            lines = connection.execute(
                "SELECT entry, read_by, time, reading, direction FROM journal WHERE match = ? ORDER BY n", (match_id,)
            ).fetchall()
            pending = connection.execute(
                "SELECT observation FROM pending WHERE match = ? ORDER BY n", (match_id,)
            ).fetchall()
        text, relaxed, started, memory = row
        try:
            header = _header(text)
        except _UNREADABLE as error:
            raise StoreDamagedError(f"The set-up of the match {match_id} is damaged: {error}.", self.path) from error
        whole: list[Line] = []
        fault = None
        for entry, read_by, when, reading, direction in lines:
            try:
                whole.append(
                    Line(read_entry(json.loads(entry), header.edition), ReadBy(read_by), when, reading, direction)
                )
            except _UNREADABLE as error:
                fault = f"Line {len(whole) + 1} of the match {match_id} is damaged: {error}."
                break
        waiting = () if fault else tuple(text for (text,) in pending)
        known = StoredMatch(match_id, header, bool(relaxed), started, tuple(whole), waiting, None if fault else memory)
        return Salvage(known, fault)

    def unfinished(self) -> str | None:
        """Return the id of the match used last if it is not over, else None."""
        with self._transaction() as connection:
            row = connection.execute("SELECT id, over FROM match ORDER BY sequence DESC LIMIT 1").fetchone()
        return None if row is None or row[1] else str(row[0])

    def latest(self) -> str | None:
        """Return the id of the match used last, None if there is none."""
        with self._transaction() as connection:
            row = connection.execute("SELECT id FROM match ORDER BY sequence DESC LIMIT 1").fetchone()
        return None if row is None else str(row[0])

    def reading(self, match_id: str, reading_id: str) -> Reading | None:
        """Return a reading, with its picture if that is kept; None if there is no such reading."""
        with self._transaction() as connection:
            row = connection.execute(
                "SELECT reading.time, probabilities, quad, jpeg FROM reading LEFT JOIN picture"
                " ON picture.match = reading.match AND picture.reading = reading.id"
                " WHERE reading.match = ? AND reading.id = ?",
                (match_id, reading_id),
            ).fetchone()
        if row is None:
            return None
        when, probabilities, quad, jpeg = row
        try:
            return Reading(reading_id, when, _probabilities(probabilities), _corners(quad), jpeg)
        except _UNREADABLE as error:
            raise StoreDamagedError(f"A reading of the match {match_id} is damaged: {error}.", self.path) from error

    def picture(self, match_id: str, reading_id: str) -> bytes | None:
        """Return a reading's picture as JPEG bytes, None if it is not kept."""
        reading = self.reading(match_id, reading_id)
        return None if reading is None else reading.picture

    def whole(self, match_id: str) -> Batch:
        """Return everything of a match as one batch, for another store. Raises NoSuchMatchError, StoreDamagedError."""
        stored = self.load(match_id)
        with self._transaction() as connection:
            (moves, over, winners) = connection.execute(
                "SELECT moves, over, winners FROM match WHERE id = ?", (match_id,)
            ).fetchone()
            named = connection.execute("SELECT id FROM reading WHERE match = ? ORDER BY rowid", (match_id,)).fetchall()
            said = connection.execute(
                "SELECT reading, card, time FROM correction WHERE match = ?", (match_id,)
            ).fetchall()
        try:
            corrections = tuple(Correction(reading, Card.parse(card), when) for reading, card, when in said)
            standing = Standing(moves, bool(over), tuple(str(winner) for winner in json.loads(winners)))
        except _UNREADABLE as error:
            raise StoreDamagedError(f"The match {match_id} is damaged: {error}.", self.path) from error
        readings = tuple(found for (id_,) in named if (found := self.reading(match_id, id_)) is not None)
        return Batch(
            match_id, stored.started, header=stored.header, relaxed=stored.relaxed, lines=stored.lines,
            readings=readings, corrections=corrections, pending=stored.pending, memory=stored.memory, standing=standing,
        )  # fmt: skip

    def training_samples(self) -> Iterator[TrainingSample]:
        """Yield every corrected reading with picture and outline, oldest first."""
        with self._transaction() as connection:
            keys = connection.execute(
                "SELECT correction.match, correction.reading, card FROM correction JOIN picture"
                " USING (match, reading) ORDER BY picture.number"
            ).fetchall()
        for match_id, reading_id, card in keys:
            reading = self.reading(match_id, reading_id)
            if reading is not None and reading.picture is not None and reading.quad is not None:
                yield TrainingSample(match_id, reading.picture, reading.quad, reading.probabilities, Card.parse(card))

    def delete(self, match_id: str) -> None:
        """Delete the match with its readings and pictures; raises NoSuchMatchError."""
        with self._transaction("BEGIN IMMEDIATE") as connection:
            if not connection.execute("DELETE FROM match WHERE id = ?", (match_id,)).rowcount:
                raise NoSuchMatchError(match_id)
        with self._transaction() as connection:
            connection.execute("PRAGMA incremental_vacuum").fetchall()

    def forget(self, name: str, template: str, taken: Iterable[str] = ()) -> int:
        """Remove a name from all matches and from the file's bytes; return how many matches contained it.

        It is replaced by a name that nobody in that match has and that is not in `taken`. template: for the new name,
        with {number} in it. Pictures stay: they show cards.
        """
        with self._transaction("BEGIN IMMEDIATE") as connection:
            matches = connection.execute("SELECT id FROM match").fetchall()
            changed = sum(_forget(connection, match_id, name, template, taken) for (match_id,) in matches)
        # Overwritten text may survive in free pages, and the latest writes in the write-ahead log.
        with self._open_file() as connection:
            connection.execute("VACUUM")
            (busy, *_) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise StoreError(f"{self.path} is in use by another program.", self.path)
        return changed

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _write_batch(self, connection: sqlite3.Connection, batch: Batch) -> None:
        if batch.header is not None:
            connection.execute(
                "INSERT INTO match (id, header, relaxed, started, touched, moves, over, winners)"
                " VALUES (?, ?, 0, ?, ?, 0, 0, '[]')",
                (batch.match_id, json.dumps(write_header(batch.header)), batch.time, batch.time),
            )
        updated = connection.execute(
            "UPDATE match SET touched = ?, relaxed = coalesce(?, relaxed), memory = coalesce(?, memory),"
            " sequence = (SELECT max(sequence) + 1 FROM match) WHERE id = ?",
            (batch.time, batch.relaxed, batch.memory, batch.match_id),
        )
        if not updated.rowcount:
            raise NoSuchMatchError(batch.match_id)
        self._write_rows(connection, batch)

    def _write_rows(self, connection: sqlite3.Connection, batch: Batch) -> None:
        match_id = batch.match_id
        for reading in batch.readings:
            connection.execute(
                "INSERT INTO reading VALUES (?, ?, ?, ?, ?)",
                (
                    match_id,
                    reading.id,
                    reading.time,
                    json.dumps({card.name: probability for card, probability in reading.probabilities}),
                    reading.quad and json.dumps(reading.quad),
                ),
            )
            if reading.picture is not None:
                connection.execute(
                    "INSERT INTO picture (match, reading, size, jpeg) VALUES (?, ?, ?, ?)",
                    (match_id, reading.id, len(reading.picture), reading.picture),
                )
        if any(reading.picture for reading in batch.readings):
            self._drop_old_pictures(connection)
        (last,) = connection.execute("SELECT coalesce(max(n), 0) FROM journal WHERE match = ?", (match_id,)).fetchone()
        connection.executemany(
            "INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    match_id,
                    n,
                    json.dumps(write_entry(line.entry)),
                    line.read_by.value,
                    line.time,
                    line.reading,
                    line.direction,
                )
                for n, line in enumerate(batch.lines, last + 1)
            ],
        )
        connection.executemany(
            "INSERT OR REPLACE INTO correction VALUES (?, ?, ?, ?)",
            [(match_id, found.reading, found.card.name, found.time) for found in batch.corrections],
        )
        if batch.pending is not None:
            connection.execute("DELETE FROM pending WHERE match = ?", (match_id,))
            connection.executemany(
                "INSERT INTO pending VALUES (?, ?, ?)", [(match_id, n, text) for n, text in enumerate(batch.pending)]
            )
        if batch.standing is not None:
            connection.execute(
                "UPDATE match SET moves = ?, over = ?, winners = ? WHERE id = ?",
                (batch.standing.moves, batch.standing.over, json.dumps(batch.standing.winners), match_id),
            )

    def _drop_old_pictures(self, connection: sqlite3.Connection) -> None:
        (total,) = connection.execute("SELECT coalesce(sum(size), 0) FROM picture").fetchone()
        if total <= self._pictures_bytes:
            return
        oldest = connection.execute(
            "SELECT picture.number, size FROM picture LEFT JOIN correction USING (match, reading)"
            " ORDER BY correction.card IS NOT NULL, picture.number"
        ).fetchall()
        for number, size in oldest:
            if total <= self._pictures_bytes:
                return
            connection.execute("DELETE FROM picture WHERE number = ?", (number,))
            total -= size

    @contextmanager
    def _transaction(self, begin: str = "BEGIN") -> Iterator[sqlite3.Connection]:
        with self._open_file() as connection:
            connection.execute(begin)
            try:
                yield connection
                connection.commit()
            except BaseException:
                connection.rollback()
                raise

    @contextmanager
    def _open_file(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                if self._connection is None:
                    self._connection = self._open()
                yield self._connection
            except (sqlite3.Error, OSError) as error:
                self._connection, failed = None, self._connection
                if failed is not None:
                    failed.close()
                raise self._named(error) from error

    def _open(self) -> sqlite3.Connection:
        self.folder.mkdir(parents=True, exist_ok=True)
        with suppress(OSError):  # SQLite's own error says more
            make_private(self.path)
        connection = sqlite3.connect(self.path, timeout=_BUSY_SECONDS, check_same_thread=False, isolation_level=None)
        try:
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute("PRAGMA foreign_keys = ON")
            if self._version(connection) < len(MIGRATIONS):
                self._migrate(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _version(self, connection: sqlite3.Connection) -> int:
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        if version > len(MIGRATIONS):
            raise StoreVersionError(self.path, version)
        return version

    def _migrate(self, connection: sqlite3.Connection) -> None:
        connection.execute("BEGIN IMMEDIATE")
        for script in MIGRATIONS[self._version(connection) :]:
            for statement in script.split(";"):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        connection.commit()

    def _named(self, error: sqlite3.Error | OSError) -> StoreError:
        """Convert the error to a StoreError."""
        path = self.path
        # The low byte is the primary code; operating system errors carry errno instead.
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        number = error.errno if isinstance(error, OSError) else 0
        if code == sqlite3.SQLITE_FULL or number in (errno.ENOSPC, errno.EDQUOT):
            return StoreFullError(f"There is no room left on the disk for {path}.", path)
        if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM) or number in (errno.EACCES, errno.EPERM, errno.EROFS):
            return StoreReadOnlyError(f"{path} may not be written.", path)
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            return StoreDamagedError(f"{path} is damaged, or no database of matches.", path)
        if code == sqlite3.SQLITE_CANTOPEN or number:
            return StoreError(f"{path} cannot be opened.", path)
        if code == sqlite3.SQLITE_BUSY and not can_lock(self.folder):
            return NoLocksError(path)
        if code == sqlite3.SQLITE_BUSY:
            return StoreError(f"{path} is in use by another program.", path)
        return StoreError(f"{path} cannot be used: {error}.", path)


def _forget(connection: sqlite3.Connection, match_id: str, name: str, template: str, taken: Iterable[str]) -> bool:
    """Remove a name from one match; return whether it contained it."""
    (header, winners, memory) = connection.execute(
        "SELECT header, winners, memory FROM match WHERE id = ?", (match_id,)
    ).fetchone()
    rows = {
        (table, column): connection.execute(f"SELECT n, {column} FROM {table} WHERE match = ? ORDER BY n", (match_id,))
        for table, column in (("journal", "entry"), ("pending", "observation"))
    }
    lines = [(table, column, n, text) for (table, column), found in rows.items() for n, text in found]
    names = names_in([header, *(text for *_, text in lines)])
    if key(name) not in map(key, names):
        return False
    instead = stand_in(name, names, taken, template)
    remembered = None if memory is None else without(memory, name, instead)
    connection.execute(
        "UPDATE match SET header = ?, winners = ?, memory = ? WHERE id = ?",
        (without(header, name, instead), without(winners, name, instead), remembered, match_id),
    )
    for table, column, n, text in lines:
        fresh = without(text, name, instead)
        if fresh != text:
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE match = ? AND n = ?", (fresh, match_id, n))
    return True


_UNREADABLE = (ValueError, LookupError, TypeError, AttributeError)
"""Errors raised when an entry contains garbage."""

_REFUSALS = (sqlite3.IntegrityError, sqlite3.DataError, sqlite3.InterfaceError, UnicodeError, OverflowError)
"""SQLite errors caused by the rows themselves, not by the disk."""


def _summary(
    id_: str, header: str, started: float, touched: float, moves: int, over: int, winners: str, pictures: int
) -> MatchSummary | DamagedMatch:
    try:
        won = tuple(json.loads(winners))
        return MatchSummary(id_, _header(header), started, touched, moves, bool(over), won, pictures)
    except _UNREADABLE as error:
        return DamagedMatch(id_, f"The match {id_} is damaged: {error}.")


def _header(text: str) -> Header:
    return read_header(json.loads(text))


def _probabilities(text: str) -> tuple[tuple[Card, float], ...]:
    return tuple((Card.parse(name), probability) for name, probability in json.loads(text).items())


def _corners(text: str | None) -> Corners | None:
    return None if text is None else tuple((x, y) for x, y in json.loads(text))
