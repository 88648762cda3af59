"""The store returns what was stored, stays within limits, and names faults of a file or a disk."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.cards import Card
from companion.referee.moves import Amend, Play, Start, Undo
from companion.referee.state import Header
from companion.referee.transcript import read_header
from companion.storage.journal import Line, ReadBy, Reading
from companion.storage.records import (
    Batch,
    Correction,
    NoSuchMatchError,
    Standing,
    StoreDamagedError,
    StoreError,
    StoreFullError,
    StoreReadOnlyError,
    StoreVersionError,
)
from companion.storage.store import FILE, Store, new_match_id

RED_7, RED_1 = Card.parse("red 7"), Card.parse("red 1")
QUAD = ((0.0, 0.0), (10.0, 0.0), (10.0, 15.0), (0.0, 15.0))


@pytest.fixture
def header() -> Header:
    return read_header({"match": {"edition": "classic", "players": ["Ann", "Ben"], "options": {"target": 200}}})


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(tmp_path)
    yield store
    store.close()


def reading(name: str, picture: bytes | None = b"jpeg") -> Reading:
    return Reading(name, 2.0, ((RED_7, 0.75), (RED_1, 0.25)), QUAD, picture)


def test_a_match_comes_back_as_it_was_written(store: Store, header: Header) -> None:
    lines = (
        Line(Start(RED_7), ReadBy.CAMERA, 2.0, "r1"),
        Line(Play(RED_1, force=True, by="Ann"), ReadBy.TAP, 3.0),
        Line(Undo(), ReadBy.TAP, 4.0),
        Line(Amend(1, Start(RED_1)), ReadBy.CORRECTED, 5.0),
    )
    store.write(Batch("m", 1.0, header=header, relaxed=True))
    store.write(Batch("m", 2.0, lines=lines[:1], readings=(reading("r1"),), pending=("a", "b")))
    store.write(Batch("m", 5.0, lines=lines[1:], pending=("c",), standing=Standing(1, False, ())))
    store.close()
    match = Store(store.folder).load("m")
    assert (match.header, match.relaxed, match.started) == (header, True, 1.0)
    assert match.lines == lines
    assert match.pending == ("c",)
    assert Store(store.folder).reading("m", "r1") == reading("r1")


def test_the_list_shows_the_latest_first_and_the_unfinished_can_be_taken_up(store: Store, header: Header) -> None:
    store.write(Batch("old", 1.0, header=header))
    store.write(Batch("new", 2.0, header=header))
    assert [each.id for each in store.matches()] == ["new", "old"]
    assert store.unfinished() == "new"
    store.write(Batch("new", 3.0, standing=Standing(9, True, ("Ben",))))
    assert store.unfinished() is None
    assert store.matches()[0].winners == ("Ben",)
    store.write(Batch("old", 4.0))
    assert store.unfinished() == "old"


def test_a_batch_is_written_whole_or_not_at_all(store: Store, header: Header) -> None:
    store.write(Batch("m", 1.0, header=header, readings=(reading("r1"),)))
    with pytest.raises(StoreError):
        store.write(Batch("m", 2.0, lines=(Line(Start(RED_7), ReadBy.TAP, 2.0),), readings=(reading("r1"),)))
    assert store.load("m").lines == ()
    assert store.matches()[0].touched == 1.0


def test_unknown_matches_are_named(store: Store, header: Header) -> None:
    for call in (lambda: store.load("x"), lambda: store.delete("x"), lambda: store.write(Batch("x", 1.0))):
        with pytest.raises(NoSuchMatchError) as caught:
            call()
        assert caught.value.match_id == "x"


def test_deleting_takes_everything_along(store: Store, header: Header) -> None:
    store.write(Batch("m", 1.0, header=header, readings=(reading("r1"),), pending=("x",)))
    store.write(Batch("m", 1.0, corrections=(Correction("r1", RED_1, 2.0),)))
    store.delete("m")
    assert store.matches() == []
    assert store.reading("m", "r1") is None
    assert list(store.training_samples()) == []


def test_corrections_are_kept_apart_and_become_training_samples(store: Store, header: Header) -> None:
    store.write(Batch("m", 1.0, header=header, readings=(reading("r1"), reading("r2"), reading("r3", None))))
    for name in ("r1", "r3"):
        store.write(Batch("m", 2.0, corrections=(Correction(name, RED_1, 2.0),)))
    store.write(Batch("m", 3.0, corrections=(Correction("r1", RED_7, 3.0),)))
    (sample,) = store.training_samples()
    assert (sample.card, sample.quad, sample.picture) == (RED_7, QUAD, b"jpeg")
    assert sample.read == ((RED_7, 0.75), (RED_1, 0.25))


def test_pictures_stay_within_bounds_and_corrected_ones_stay_longest(tmp_path: Path, header: Header) -> None:
    store = Store(tmp_path, pictures_bytes=1000)
    store.write(Batch("m", 1.0, header=header, readings=(reading("r0", b"x" * 400),)))
    store.write(Batch("m", 1.0, corrections=(Correction("r0", RED_1, 1.0),)))
    for n in range(1, 5):
        store.write(Batch("m", 1.0 + n, readings=(reading(f"r{n}", b"x" * 400),)))
    assert [store.picture("m", f"r{n}") is not None for n in range(5)] == [True, False, False, False, True]


def test_a_later_version_is_refused_and_left_alone(store: Store, header: Header) -> None:
    store.write(Batch("m", 1.0, header=header))
    store.close()
    with sqlite3.connect(store.path) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(StoreVersionError) as caught:
        store.matches()
    assert caught.value.version == 99
    with sqlite3.connect(store.path) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (99,)


def test_an_empty_file_is_brought_up_to_date(store: Store) -> None:
    store.path.touch()
    assert store.matches() == []


def test_what_is_no_database_is_said_to_be_damaged(store: Store) -> None:
    store.path.write_bytes(b"no database at all" * 100)
    with pytest.raises(StoreDamagedError, match="damaged"):
        store.matches()


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cannot be opened"):
        Store(tmp_path / "file" / "folder").matches()


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch) -> list[sqlite3.Connection]:
    """The connections that are opened, in order."""
    opened: list[sqlite3.Connection] = []
    connect = sqlite3.connect

    def recorded(*args: Any, **named: Any) -> sqlite3.Connection:
        opened.append(connect(*args, **named))
        return opened[-1]

    monkeypatch.setattr(sqlite3, "connect", recorded)
    return opened


def test_a_full_disk_and_a_read_only_file_are_distinguished(
    connections: list[sqlite3.Connection], store: Store, header: Header
) -> None:
    store.write(Batch("m", 1.0, header=header))
    connections[-1].execute("PRAGMA max_page_count = 1")
    with pytest.raises(StoreFullError, match="no room"):
        store.write(Batch("m", 2.0, readings=(reading("big", b"x" * 500_000),)))
    store.matches()
    connections[-1].execute("PRAGMA query_only = 1")
    with pytest.raises(StoreReadOnlyError, match="may not be written"):
        store.write(Batch("m", 3.0))
    store.write(Batch("m", 4.0))
    assert store.matches()[0].touched == 4.0


def test_writes_are_durable_and_readers_do_not_wait(
    connections: list[sqlite3.Connection], store: Store, header: Header
) -> None:
    store.write(Batch("m", 1.0, header=header))
    assert connections[-1].execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connections[-1].execute("PRAGMA synchronous").fetchone() == (2,)


def test_the_file_lies_in_the_folder_given(store: Store) -> None:
    store.matches()
    assert (store.folder / FILE).is_file()
    assert new_match_id(0.0) != new_match_id(0.0)
