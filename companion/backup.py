"""Backup of everything worth keeping in one ZIP file, and its restoration, which trusts nothing in the file.

Matches with their pictures, learnt decks, the people's names and the last choices are included; keys, certificates and
the list of devices are not, so that a backup lets nobody in. Restoring adds what is missing and overwrites nothing.
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from companion.decks.storage.deck_file import MAX_BYTES as DECK_BYTES
from companion.decks.storage.deck_file import DeckFileError, unpack
from companion.decks.storage.library import SUFFIX, DeckLibrary
from companion.referee.errors import RefereeError
from companion.storage.journal import replay
from companion.storage.records import Batch, StoreError
from companion.storage.store import FILE, PICTURES_BYTES, NoSuchMatchError, Store
from companion.zip_files import MemberTooLargeError, ZipFileError, open_zip, read_member, read_parts

_MANIFEST = "backup.json"
_FORMAT = 1
_NAMES, _CHOICES = "people.json", "preferences.json"
_DECKS = "decks/"
_MOST_DECKS, _MOST_NAMES, _MOST_NAME = 200, 1000, 24
_DATABASE_BYTES = 2 * PICTURES_BYTES
_JSON_BYTES = 256 * 1024
_TABLES = frozenset({"match", "journal", "pending", "reading", "picture", "correction"})


class BackupError(Exception):
    """The file is no backup, or cannot be read or written; the message is one sentence for people."""


@dataclass(frozen=True)
class Restored:
    """What a backup added. known: matches and decks that were there already. refused: one sentence for each fault.

    people: names in the order in which they first played. choices: the last set-up, None if the backup has none.
    """

    matches: tuple[str, ...]
    decks: tuple[str, ...]
    known: int
    refused: tuple[str, ...]
    people: tuple[str, ...]
    choices: dict[str, object] | None


def write_backup(folder: Path, decks: Path, target: IO[bytes]) -> None:
    """Write a backup of a data folder, which may be in use; raises BackupError, OSError."""
    with tempfile.TemporaryDirectory() as scratch, zipfile.ZipFile(target, "w") as archive:
        archive.writestr(_MANIFEST, json.dumps({"format": _FORMAT}))
        if (folder / FILE).exists():
            copy = Path(scratch) / FILE
            try:
                with closing(sqlite3.connect(folder / FILE)) as source, closing(sqlite3.connect(copy)) as made:
                    source.backup(made)
            except sqlite3.Error as error:
                raise BackupError(f"{folder / FILE} cannot be read: {error}.") from error
            archive.write(copy, FILE, zipfile.ZIP_DEFLATED)
        for name in (_NAMES, _CHOICES):
            if (folder / name).is_file():
                archive.write(folder / name, name)
        for path in sorted(decks.glob(f"*{SUFFIX}")):
            archive.write(path, _DECKS + path.name)


def restore_backup(file: IO[bytes], store: Store, decks: DeckLibrary) -> Restored:
    """Add what a backup holds and is not there yet; raises BackupError, StoreError."""
    try:
        with open_zip(file) as archive, tempfile.TemporaryDirectory() as scratch:
            manifest = _json(archive, _MANIFEST)
            if manifest.get("format") != _FORMAT:
                raise BackupError("This backup was made by a later version: update the companion first.")
            added, known, refused = _restore_matches(archive, Path(scratch), store)
            names, there, faults = _restore_decks(archive, decks)
            return Restored(
                tuple(added), tuple(names), known + there, (*refused, *faults), _people(archive), _choices(archive)
            )
    except MemberTooLargeError as error:
        raise BackupError(str(error)) from error
    except (ZipFileError, ValueError) as error:
        raise BackupError("This is no backup, or a damaged one.") from error


def _restore_matches(archive: zipfile.ZipFile, scratch: Path, store: Store) -> tuple[list[str], int, list[str]]:
    if FILE not in archive.namelist():
        return [], 0, []
    with (scratch / FILE).open("wb") as copy:
        for part in read_parts(archive, FILE, _DATABASE_BYTES):
            copy.write(part)
    _check_tables(scratch / FILE)
    there = {each.id for each in store.survey()}
    last = store.latest()
    added, refused = [], []
    with _opened(scratch) as backup:
        listed = backup.survey()
        for each in reversed(listed):
            if each.id in there:
                continue
            try:
                store.write(_checked(backup.whole(each.id)))
            except (BackupError, StoreError, NoSuchMatchError, RefereeError, UnicodeError) as error:
                refused.append(f"The match {each.id} was left out: {error}")
            else:
                added.append(each.id)
        known = sum(each.id in there for each in listed)
    if last is not None and added:
        store.write(Batch(last, store.load(last).started))  # it stays the one used last
    return added, known, refused


@contextmanager
def _opened(folder: Path) -> Iterator[Store]:
    store = Store(folder)
    try:
        yield store
    except StoreError as error:
        if error.path.is_relative_to(folder):
            raise BackupError("The matches in this backup are damaged.") from error
        raise
    finally:
        store.close()


def _checked(batch: Batch) -> Batch:
    """Return the batch if its lines keep to the rules and its pictures are JPEG; raises RefereeError, BackupError."""
    assert batch.header is not None
    replay(batch.header, batch.lines)
    for reading in batch.readings:
        # A database holds values of any type in any column.
        picture: object = reading.picture
        if picture is not None and not (isinstance(picture, bytes) and picture.startswith(b"\xff\xd8\xff")):
            raise BackupError("a picture in it is no JPEG.")
    return batch


def _check_tables(path: Path) -> None:
    """Raise BackupError unless the database has exactly our tables, without triggers or views that would run code."""
    try:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA trusted_schema = OFF")
            found = connection.execute("SELECT type, name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'").fetchall()
            (health,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    except sqlite3.Error as error:
        raise BackupError("The matches in this backup are damaged.") from error
    if health != "ok" or any(kind != "table" or name not in _TABLES for kind, name in found):
        raise BackupError("The matches in this backup are damaged.")


def _restore_decks(archive: zipfile.ZipFile, decks: DeckLibrary) -> tuple[list[str], int, list[str]]:
    added, known, refused = [], 0, []
    there = {each.name for each in decks.list()}
    for name in [name for name in archive.namelist() if name.startswith(_DECKS)][:_MOST_DECKS]:
        try:
            data = read_member(archive, name, DECK_BYTES)
            deck = unpack(data)
            if deck.name in there:
                known += 1
            else:
                added.append(decks.add(data).name)
        except (DeckFileError, ZipFileError) as error:
            refused.append(f"A deck was left out: {error}")
    return added, known, refused


def _people(archive: zipfile.ZipFile) -> tuple[str, ...]:
    if _NAMES not in archive.namelist():
        return ()
    found = _json(archive, _NAMES)
    numbers = found.get("numbers", found)
    if not isinstance(numbers, dict):
        return ()
    valid = {
        name: number
        for name, number in numbers.items()
        if isinstance(number, int) and 0 < len(name) <= _MOST_NAME and name.isprintable()
    }
    return tuple(sorted(valid, key=valid.__getitem__)[:_MOST_NAMES])


def _choices(archive: zipfile.ZipFile) -> dict[str, object] | None:
    return _json(archive, _CHOICES) if _CHOICES in archive.namelist() else None


def _json(archive: zipfile.ZipFile, name: str) -> dict[str, object]:
    if name not in archive.namelist():
        raise BackupError("This is no backup of the companion.")
    try:
        found = json.loads(read_member(archive, name, _JSON_BYTES))
    except RecursionError as error:
        raise BackupError(f"{name} in this backup is damaged.") from error
    if not isinstance(found, dict):
        raise BackupError(f"{name} in this backup is damaged.")
    return found
