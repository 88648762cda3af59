"""Full disks and read-only folders: the match continues in memory, says so, and is written when possible."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.cards import EditionName
from companion.editions import EDITIONS
from companion.referee.moves import Draw, Play, Undo
from companion.storage.journal import replay
from companion.storage.store import FILE, NoSuchMatchError, Store, StoreDamagedError
from companion.table.presentation.updates import UpdateKind
from companion.table.presentation.view import NoticeKind, Turns
from companion.table.session.errors import NothingToRedoError
from companion.table.session.persistence import RETRY_SECONDS
from companion.table.session.table import Table
from companion.table.state.stored_pictures import LONGEST_SIDE, MAX_BYTES, kept_picture
from companion.vision.core.events import CardLanded

from .conftest import Game, card, header, probabilities


class Disk(Store):
    """A store on a disk that can be made to fail as SQLite reports it."""

    trouble: str | None = None

    def _transaction(self, begin: str = "BEGIN"):  # type: ignore[no-untyped-def]
        if self._connection is None and self.trouble is not None:
            self._connection = self._open()
        if self._connection is not None:
            full, read_only = self.trouble == "full", self.trouble == "read-only"
            self._connection.execute(f"PRAGMA max_page_count = {1 if full else 1_000_000}")
            self._connection.execute(f"PRAGMA query_only = {int(read_only)}")
        return super()._transaction(begin)


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    return Disk(tmp_path / "data")


@pytest.mark.parametrize(
    ("trouble", "said"), [("full", "The disk is full."), ("read-only", "The data folder may not be written.")]
)
def test_match_continues_in_memory_and_is_written_later(disk: Disk, trouble: str, said: str) -> None:
    game = Game(disk)
    match_id = game.table.start_match(header())
    game.land("red 7")
    disk.trouble = trouble
    subscription = game.table.subscribe()
    picture = np.random.default_rng(1).integers(0, 255, (720, 1280, 3), np.uint8)
    for name in ("red 3", "red 5", "blue 5", "blue 1", "blue 2"):
        game.land(name, picture=picture)
    for _ in range(200):
        game.table.tap(Draw())
        game.table.undo()
    view = game.view
    assert (game.top, view.saved) == ("blue 2", False)
    (notice,) = view.notices
    assert (notice.kind, notice.sentence.startswith(said)) == (NoticeKind.STORAGE, True)
    kinds = []
    while update := subscription.next(timeout=0):
        kinds.append(update.kind)
    assert kinds.count(UpdateKind.NOTICE) == 1
    disk.trouble = None
    game.now += RETRY_SECONDS
    assert not game.view.saved, "a view changes nothing"
    game.table.retry()
    assert (game.view.saved, game.view.notices) == (True, ())
    stored = disk.load(match_id)
    journal = replay(stored.header, stored.lines)
    assert journal.match.state == game.view.state
    game.land("blue 3")
    assert disk.load(match_id).lines[-1].entry == Play(card("blue 3"))


def test_match_can_start_without_writable_storage(tmp_path: Path) -> None:
    (tmp_path / "data").touch()
    game = Game(Store(tmp_path / "data"))
    match_id = game.table.start_match(header())
    game.land("red 7")
    assert game.view.notices[0].sentence.startswith("The data folder cannot be used.")
    (tmp_path / "data").unlink()
    game.now += RETRY_SECONDS
    game.table.retry()
    assert game.view.saved
    assert Store(tmp_path / "data").load(match_id).lines


def test_properties_are_answered_without_a_view() -> None:
    game = Game(None)
    assert (game.table.match_id, game.table.edition, game.table.state) == (None, None, None)
    match_id = game.table.start_match(header("classic"))
    view = game.view
    assert (game.table.match_id, game.table.edition) == (match_id, EDITIONS[EditionName.CLASSIC])
    assert (game.table.state, game.table.match_id) == (view.state, view.match_id)


def test_no_storage_notice_without_a_store(tmp_path: Path) -> None:
    game = Game(None)
    game.table.start_match(header())
    game.land("red 7", picture=np.zeros((90, 120, 3), np.uint8))
    assert (game.view.notices, game.view.saved, game.table.resume()) == ((), False, None)
    picture = game.view.history[0].picture
    assert picture is not None
    assert game.table.picture(picture)


def test_match_deleted_while_played_continues(disk: Disk) -> None:
    game = Game(disk)
    match_id = game.table.start_match(header())
    disk.delete(match_id)
    game.land("red 7")
    assert (game.top, game.view.saved) == ("red 7", False)


def test_resumed_match_continues_where_it_was(store: Store) -> None:
    game = Game(store)
    first = game.table.start_match(header(), turns=Turns.RELAXED)
    game.land("red 7")
    game.land("red 3", picture=np.zeros((90, 120, 3), np.uint8))
    game.land({"red 5": 0.6, "red 8": 0.4})
    other = Table(store)
    assert other.resume() == first
    ours, theirs = game.view, other.view()
    assert (theirs.state, theirs.history, theirs.turns) == (ours.state, ours.history, Turns.RELAXED)
    assert theirs.questions[0].choices == ours.questions[0].choices
    picture = theirs.history[1].picture
    assert picture is not None
    assert other.picture(picture)
    other.answer(theirs.questions[0].id, card("red 8"))
    third = Table(store)
    third.resume(first)
    assert third.view().questions == ()
    assert third.view().state == other.view().state


@pytest.mark.parametrize(
    "memory",
    [
        "{",
        "[]",
        "{}",
        '{"turns": "nobody"}',
        '{"turns": "camera", "landings": 0, "reaches": 0, "seats": [], "turned": 0, "debts": [], "noted": null}',
        '{"turns": "camera", "landings": 0, "reaches": 0, "seats": [["a", 0, 0], [0, 0, 0], [0, 0, 0]], "turned": 0,'
        ' "debts": [[0, 0, 0, false], [0, 0, 0, false], [0, 0, 0, false]], "noted": null}',
        '{"turns": "camera", "landings": 0, "reaches": 0, "seats": [[0, 0, 0], [0, 0, 0], [0, 0, 0]], "turned": 0,'
        ' "debts": [[0, 0, 0, false], [0, 0, 0, false], [0, 0, 0, false]], "noted": 7}',
    ],
)
def test_damaged_memory_falls_back_to_the_moves(store: Store, memory: str) -> None:
    game = Game(store)
    match_id = game.table.start_match(header(), turns=Turns.RELAXED)
    game.land("red 7")
    game.land("red 3")
    before = game.view
    store.close()
    with sqlite3.connect(store.folder / FILE) as connection:
        assert connection.execute("UPDATE match SET memory = ?", (memory,)).rowcount == 1
    other = Table(store)
    assert other.resume() == match_id
    view = other.view()
    assert (view.state, view.turns) == (before.state, Turns.RELAXED)
    other.see(CardLanded(0.0, probabilities("red 3")))
    other.see(CardLanded(1.0, probabilities("red 4")))
    assert len(other.view().history) == 3


def test_top_card_seen_again_after_a_restart_is_no_play(store: Store) -> None:
    game = Game(store)
    game.table.start_match(header())
    game.land("red 7")
    game.land("red 3")
    other = Table(store)
    other.resume()
    other.see(CardLanded(0.0, probabilities("red 3")))
    assert (len(other.view().history), other.view().questions) == (2, ())
    other.see(CardLanded(1.0, probabilities("red 4")))
    assert len(other.view().history) == 3


def test_error_names_the_match_that_cannot_be_resumed(store: Store) -> None:
    with pytest.raises(NoSuchMatchError):
        Table(store).resume("nothing")
    assert Table(store).resume() is None
    store.close()
    (store.folder / FILE).write_bytes(b"rubbish" * 300)
    with pytest.raises(StoreDamagedError):
        Table(store).resume()


def test_undone_moves_can_be_redone_after_a_restart(store: Store) -> None:
    game = Game(store)
    game.table.start_match(header())
    game.land("red 7")
    game.land("red 3")
    game.land("red 5")
    before = game.view.state
    game.table.undo()
    game.table.undo()
    other = Table(store)
    other.resume()
    other.redo()
    third = Table(store)
    third.resume()
    third.redo()
    assert third.view().state == before
    with pytest.raises(NothingToRedoError):
        third.redo()


def test_undos_and_amendments_are_stored_as_made(store: Store) -> None:
    game = Game(store)
    match_id = game.table.start_match(header())
    game.land("red 7")
    game.land("red 3")
    game.table.take_back()
    game.table.tap(Play(card("red 5")))
    game.table.amend(2, Play(card("red skip")))
    entries = [type(line.entry).__name__ for line in store.load(match_id).lines]
    assert entries == ["Start", "Play", "Undo", "Play", "Amend"]
    assert isinstance(store.load(match_id).lines[2].entry, Undo)
    assert store.matches()[0].moves == 2


def test_stored_pictures_are_within_limits() -> None:
    noise = np.random.default_rng(1).integers(0, 255, (1440, 2560, 3), np.uint8)
    noise = np.asarray(cv2.GaussianBlur(noise, (9, 9), 3), np.uint8)
    quad = np.array([[0, 0], [200, 0], [200, 300], [0, 300]], np.float32)
    jpeg, corners = kept_picture(noise, quad)
    assert jpeg is not None
    assert corners == ((0, 0), (100, 0), (100, 150), (0, 150))
    assert len(jpeg) <= MAX_BYTES
    assert max(cv2.imdecode(np.frombuffer(jpeg, np.uint8), 1).shape) == LONGEST_SIDE
    assert kept_picture(jpeg, quad)[0] is jpeg
    assert kept_picture(b"no picture", quad) == (None, None)
    assert kept_picture(None, quad) == (None, None)
