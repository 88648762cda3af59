"""Damaged or deleted files are named and affect nothing else."""

from __future__ import annotations

import sqlite3
import stat
from pathlib import Path

import pytest

from companion.cards import Card
from companion.referee.moves import Draw, Start
from companion.referee.state import Header
from companion.referee.transcript import read_header
from companion.storage.journal import Line, ReadBy
from companion.storage.records import (
    Batch,
    DamagedMatch,
    MatchSummary,
    RefusedBatchError,
    StoreDamagedError,
    StoreFullError,
)
from companion.storage.store import FILE, Store
from companion.table.session.persistence import MatchPersistence

pytestmark = pytest.mark.slow

HEADER: Header = read_header({"match": {"edition": "classic", "players": ["Ann", "Ben"]}})
START = Line(Start(Card.parse("red 7")), ReadBy.TAP, 2.0)


def begun(match_id: str, time: float = 1.0) -> Batch:
    return Batch(match_id, time, header=HEADER, lines=(START,))


def spoil(store: Store, statement: str) -> None:
    store.close()
    with sqlite3.connect(store.path) as connection:
        connection.execute(statement)
    connection.close()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    found = Store(tmp_path / "data")
    for match_id in ("first", "second", "third"):
        found.write(begun(match_id))
    return found


@pytest.mark.parametrize(
    "column", ["header = '{'", "header = '[]'", "winners = '7'", """header = '{"match": {"edition": "x"}}'"""]
)
def test_a_damaged_row_of_the_list_is_named_and_the_rest_is_whole(store: Store, column: str) -> None:
    spoil(store, f"UPDATE match SET {column} WHERE id = 'second'")
    third, second, first = store.survey()
    assert isinstance(second, DamagedMatch)
    assert "second is damaged" in second.reason
    assert [each.id for each in store.matches()] == ["third", "first"]
    assert isinstance(first, MatchSummary)
    assert isinstance(third, MatchSummary)


def test_what_can_be_read_of_a_damaged_match_is_had(store: Store) -> None:
    store.write(Batch("second", 2.0, lines=(Line(Draw(), ReadBy.TAP, 3.0), Line(Draw(), ReadBy.TAP, 4.0))))
    spoil(store, "UPDATE journal SET entry = '{\"do\": \"fly\"}' WHERE match = 'second' AND n = 3")
    with pytest.raises(StoreDamagedError, match="Line 3 of the match second is damaged"):
        store.load("second")
    found = store.salvage("second")
    assert [line.entry for line in found.match.lines] == [START.entry, Draw()]
    assert found.fault is not None
    assert store.salvage("first").fault is None


def test_the_clock_does_not_say_which_match_was_played_last(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.write(begun("earlier", 9e9))
    store.write(begun("later", 1.0))
    assert store.unfinished() == "later"
    assert [each.id for each in store.matches()] == ["later", "earlier"]
    store.write(Batch("earlier", 0.5, lines=(Line(Draw(), ReadBy.TAP, 0.5),)))
    assert store.unfinished() == "earlier"


def test_a_file_of_the_version_before_goes_on(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for number, match_id in enumerate(("first", "second")):
        store.write(begun(match_id, 5.0 - number))
    store.close()
    with sqlite3.connect(store.path) as connection:
        connection.execute("ALTER TABLE match DROP COLUMN sequence")
        connection.execute("ALTER TABLE match DROP COLUMN memory")
        connection.execute("ALTER TABLE journal DROP COLUMN direction")
        connection.execute("PRAGMA user_version = 1")
    connection.close()
    assert store.unfinished() == "first"
    store.write(Batch("second", 1.0, lines=(Line(Draw(), ReadBy.TAP, 1.0),)))
    assert store.unfinished() == "second"


@pytest.mark.skipif(not hasattr(stat, "S_IRWXG") or Path("C:/").exists(), reason="files have no modes here")
def test_nobody_else_may_read_the_matches(store: Store) -> None:
    assert {path.name for path in store.folder.iterdir()} >= {FILE, f"{FILE}-wal"}
    assert {path.stat().st_mode & 0o077 for path in store.folder.iterdir()} == {0}
    store.close()
    store.path.chmod(0o644)
    store.matches()
    assert store.path.stat().st_mode & 0o077 == 0


class Disk(Store):
    """A store whose disk can be full."""

    full = False

    def write(self, batch: Batch) -> None:
        if self.full:
            raise StoreFullError("full", self.path)
        super().write(batch)


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    return Disk(tmp_path / "data")


def test_a_deleted_match_does_not_block_the_next(disk: Disk) -> None:
    keeper = MatchPersistence(disk, lambda: 0.0)
    keeper.write(begun("deleted"))
    disk.delete("deleted")
    keeper.write(Batch("deleted", 2.0, lines=(Line(Draw(), ReadBy.TAP, 2.0),)))
    assert (keeper.saved, isinstance(keeper.trouble, RefusedBatchError)) == (False, True)
    keeper.write(begun("next"))
    assert (keeper.saved, keeper.trouble) == (True, None)
    assert disk.load("next").lines == (START,)


def test_a_batch_that_does_not_fit_blocks_its_own_match_alone(disk: Disk) -> None:
    keeper = MatchPersistence(disk, lambda: 0.0)
    keeper.write(begun("whole"))
    keeper.write(begun("whole"))  # it was begun already
    assert isinstance(keeper.trouble, RefusedBatchError)
    keeper.write(begun("next"))
    assert (keeper.saved, [each.id for each in disk.matches()]) == (True, ["next", "whole"])
    assert disk.load("whole").lines == (START,)


def test_what_waits_for_the_disk_is_written_whatever_became_of_another_match(disk: Disk) -> None:
    keeper = MatchPersistence(disk, lambda: 0.0)
    keeper.write(begun("deleted"))
    disk.full = True
    keeper.write(Batch("deleted", 2.0, lines=(Line(Draw(), ReadBy.TAP, 2.0),)))
    keeper.write(begun("next"))
    keeper.write(Batch("next", 3.0, lines=(Line(Draw(), ReadBy.TAP, 3.0),)))
    disk.full = False
    disk.delete("deleted")
    keeper.retry(now=True)
    assert (keeper.saved, keeper.trouble) == (True, None)
    assert len(disk.load("next").lines) == 2
