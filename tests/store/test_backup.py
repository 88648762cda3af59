"""Backup and restoration: the restored data equal the original, and a hostile file does no harm."""

from __future__ import annotations

import io
import json
import random
import sqlite3
import zipfile
from contextlib import closing, suppress
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from companion.backup import BackupError, restore_backup, write_backup
from companion.cards import Card
from companion.cli import main
from companion.decks.storage.library import DeckLibrary
from companion.referee.moves import Play, Start
from companion.referee.transcript import read_header
from companion.storage.journal import Line, ReadBy, Reading
from companion.storage.records import Batch, Correction, Standing
from companion.storage.store import FILE, Store

HEADER = read_header({"match": {"edition": "classic", "players": ["Jörg", "Ben"], "dealer": "Ben"}})
RED_5, RED_7 = Card.parse("red 5"), Card.parse("red 7")
JPEG = b"\xff\xd8\xff" + bytes(2000)
QUAD = ((1.0, 1.0), (9.0, 1.0), (9.0, 12.0), (1.0, 12.0))


def match(id_: str, *, picture: bytes = JPEG) -> Batch:
    return Batch(
        id_, 1000.0, header=HEADER, relaxed=False,
        lines=(Line(Start(RED_5), ReadBy.TAP, 1001.0), Line(Play(RED_7), ReadBy.CAMERA, 1002.0, "r1", 90.0)),
        readings=(Reading("r1", 1002.0, ((RED_7, 0.98),), QUAD, picture),),
        corrections=(Correction("r1", RED_7, 1003.0),),
        pending=(), memory="{}", standing=Standing(2, False, ()),
    )  # fmt: skip


def full(folder: Path, *ids: str) -> Path:
    folder.mkdir(exist_ok=True)
    store = Store(folder)
    for each in ids or ("20260101-1000-aaaa", "20260102-1000-bbbb"):
        store.write(match(each))
    store.close()
    (folder / "people.json").write_text(json.dumps({"numbers": {"Jörg": 0, "Ben": 1}}), "utf-8")
    (folder / "secret.key").write_bytes(b"k" * 32)
    (folder / "tls").mkdir(exist_ok=True)
    (folder / "tls" / "authority.key").write_bytes(b"private")
    return folder


def run(data: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["--data", str(data), *arguments])


def backup(folder: Path) -> bytes:
    out = io.BytesIO()
    write_backup(folder, folder / "decks", out)
    return out.getvalue()


def restore(data: bytes, folder: Path) -> object:
    store = Store(folder)
    try:
        return restore_backup(io.BytesIO(data), store, DeckLibrary(folder / "decks"))
    finally:
        store.close()


def test_what_comes_back_is_what_went_in(tmp_path: Path) -> None:
    old, new, file = full(tmp_path / "old"), tmp_path / "new", tmp_path / "all.zip"
    assert run(old, "backup", str(file)).exit_code == 0
    restored = run(new, "restore", str(file))
    assert restored.exit_code == 0, restored.output
    assert "2 matches" in restored.output
    before, after = Store(old), Store(new)
    for each in before.matches():
        assert after.whole(each.id) == before.whole(each.id)
    assert after.latest() == before.latest()
    assert len(list(after.training_samples())) == 2
    assert json.loads((new / "people.json").read_text("utf-8"))["numbers"] == {"Jörg": 0, "Ben": 1}
    before.close()
    after.close()


def test_keys_are_not_in_it(tmp_path: Path) -> None:
    names = zipfile.ZipFile(io.BytesIO(backup(full(tmp_path)))).namelist()
    assert not [name for name in names if "key" in name or "tls" in name or "devices" in name]


def test_import_overwrites_nothing_and_keeps_the_running_match(tmp_path: Path) -> None:
    data = backup(full(tmp_path / "old"))
    own = full(tmp_path / "own", "20260102-1000-bbbb", "20260103-1000-cccc")
    store = Store(own)
    store.write(Batch("20260102-1000-bbbb", 2000.0, lines=(Line(Play(RED_7), ReadBy.TAP, 2000.0),)))
    mine = store.whole("20260102-1000-bbbb")
    store.close()
    assert restore(data, own).matches == ("20260101-1000-aaaa",)
    store = Store(own)
    assert store.whole("20260102-1000-bbbb").lines == mine.lines
    assert store.latest() == "20260102-1000-bbbb"
    store.close()
    assert restore(data, own).known == 2


def tampered(data: bytes, *, name: str = FILE, content: bytes | None = None, sql: str = "") -> bytes:
    """Return a backup with another member, or with a statement run on its matches."""
    source, out = zipfile.ZipFile(io.BytesIO(data)), io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for each in source.namelist():
            if each == name and content is None:
                path = Path(f"{FILE}.tampered")
                path.write_bytes(source.read(each))
                with closing(sqlite3.connect(path)) as connection:
                    connection.executescript(sql)
                target.write(path, each)
            elif each != name:
                target.writestr(each, source.read(each))
        if content is not None:
            target.writestr(name, content)
    return out.getvalue()


HOSTILE_SQL = {
    "trigger": "CREATE TRIGGER t AFTER INSERT ON match BEGIN DELETE FROM match; END",
    "view": "DROP TABLE reading; CREATE VIEW reading AS SELECT 1",
    "other table": "CREATE TABLE more (a)",
    "missing column": "ALTER TABLE match DROP COLUMN winners",
    "later version": "PRAGMA user_version = 99",
}


@pytest.mark.parametrize("sql", HOSTILE_SQL.values(), ids=HOSTILE_SQL)
def test_a_foreign_database_is_refused_whole(sql: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = backup(full(tmp_path / "old"))
    own = full(tmp_path / "own", "20260103-1000-cccc")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BackupError):
        restore(tampered(data, sql=sql), own)
    store = Store(own)
    assert [each.id for each in store.survey()] == ["20260103-1000-cccc"]
    store.close()


HOSTILE_ROWS = {
    "rules": """UPDATE journal SET entry = '{"do": "play", "card": "blue 9"}' WHERE n = 2""",
    "json": "UPDATE journal SET entry = 'x' WHERE n = 2",
    "picture": "UPDATE picture SET jpeg = CAST('<script>' AS BLOB)",
    "header": "UPDATE match SET header = '{}'",
    "winners": "UPDATE match SET winners = '{'",
    "card": "UPDATE correction SET card = 'mauve 3'",
}


@pytest.mark.parametrize("sql", HOSTILE_ROWS.values(), ids=HOSTILE_ROWS)
def test_a_match_that_cannot_be_is_left_out_and_said(sql: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = restore(tampered(backup(full(tmp_path / "old")), sql=sql), tmp_path / "new")
    assert found.matches == ()
    assert len(found.refused) == 2


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (FILE, b"no database"),
        ("backup.json", b"{}"),
        ("backup.json", b'{"format": 2}'),
        ("backup.json", b"[" * 100_000),
        ("people.json", b'"x"'),
        ("backup.json", b" " * 1_000_000),
    ],
)
def test_other_members_are_not_trusted(name: str, content: bytes, tmp_path: Path) -> None:
    with pytest.raises(BackupError):
        restore(tampered(backup(full(tmp_path / "old")), name=name, content=content), tmp_path / "new")


def test_a_bomb_is_not_unpacked_and_paths_lead_nowhere(tmp_path: Path) -> None:
    data = backup(full(tmp_path / "old"))
    bomb = tampered(data, name="decks/bomb.deck", content=bytes(60_000_000))
    found = restore(bomb, tmp_path / "one")
    assert len(found.refused) == 1
    outside = tampered(data, name="decks/../../escaped.deck", content=b"x")
    restore(outside, tmp_path / "two")
    assert not list(tmp_path.rglob("escaped*"))


def test_rubbish_raises_nothing_else(tmp_path: Path) -> None:
    data = backup(full(tmp_path / "old", "20260101-1000-aaaa"))
    dice = random.Random(3)
    for number in range(100):
        spoilt = bytearray(data)
        for _ in range(dice.randrange(1, 30)):
            spoilt[dice.randrange(len(spoilt))] = dice.randrange(256)
        if number % 3 == 0:
            spoilt = spoilt[: dice.randrange(len(spoilt))]
        with suppress(BackupError):
            restore(bytes(spoilt), tmp_path / f"n{number}")


def test_a_backup_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    refused = run(full(tmp_path / "old"), "backup", str(tmp_path / "none" / "all.zip"))
    assert refused.exit_code == 1
    assert "cannot be written" in refused.output
