"""A full disk, a second companion, a damaged match: nothing acknowledged is lost, and the message is clear."""

from __future__ import annotations

import ctypes
import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from devices import MATCH, Join, StubReader
from flask.testing import FlaskClient

from companion.server.access.guests import Role
from companion.server.access.pairing import JOINS, Pairing, TooManyTriesError
from companion.server.app import create_app, services_of
from companion.server.core.config import ServerConfig
from companion.server.core.folder_lock import FolderInUseError
from companion.server.services.services import Services
from companion.storage.records import Batch, StoreFullError
from companion.storage.store import Store
from companion.table.session import persistence

pytestmark = pytest.mark.slow


class FullDisk:
    """Lets a store fail as a full disk does, until there is room again."""

    def __init__(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        self.full = True
        write = store.write

        def writing(batch: Batch) -> None:
            if self.full:
                raise StoreFullError("There is no room left.", store.path)
            write(batch)

        monkeypatch.setattr(store, "write", writing)


def test_a_full_disk_loses_nothing_when_the_language_changes(
    playing: FlaskClient, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = FullDisk(services.store, monkeypatch)
    monkeypatch.setattr(persistence, "RETRY_SECONDS", 0.0)
    for _ in range(30):
        for move in ("draw", "pass"):
            assert playing.post("/api/moves", json={"do": move}).status_code == 200
    assert playing.post("/api/language", json={"language": "de"}).status_code == 204
    view = playing.get("/api/view").json
    assert (view["history_length"], view["saved"], view["language"]) == (61, False, "de")
    first = view["match"]["id"]
    # Nor when another match begins, or that one is asked for again before it is saved.
    assert playing.post("/api/match", json=MATCH).status_code == 200
    refused = playing.post("/api/match/resume", json={"id": first})
    assert (refused.status_code, refused.json["error"]) == (409, "storage")
    disk.full = False
    services.table.retry()
    assert playing.get("/api/view").json["saved"]
    assert len(services.store.load(first).lines) == 61
    assert playing.post("/api/match/resume", json={"id": first}).status_code == 200


def test_a_match_deleted_from_outside_does_not_keep_the_next_from_being_saved(
    playing: FlaskClient, services: Services
) -> None:
    Store(services.config.data).delete(playing.get("/api/view").json["match"]["id"])
    playing.post("/api/moves", json={"do": "draw"})
    view = playing.get("/api/view").json
    assert (view["saved"], [notice["kind"] for notice in view["notices"]]) == (False, ["storage"])
    started = playing.post("/api/match", json=MATCH).json["id"]
    view = playing.get("/api/view").json
    assert (view["saved"], view["notices"]) == (True, [])
    assert services.store.load(started).header.players == ("Ann", "Ben", "Cy")


def test_one_folder_is_one_companions(services: Services, tmp_path: Path, reader: StubReader) -> None:
    with pytest.raises(FolderInUseError, match=r"in use by another companion \(process \d+, begun"):
        create_app(ServerConfig(data=tmp_path), reader)
    command = [sys.executable, "-m", "companion.cli", "--data", str(tmp_path), "play", "--no-browser", "--port", "0"]
    program = f"import sys; sys.argv = {command[2:]!r}; from companion.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "is in use by another companion" in done.stderr
    services.close()
    services_of(create_app(ServerConfig(data=tmp_path), reader)).close()


# Of <linux/prctl.h> and <linux/capability.h>: what lets root pass over the modes of files.
_DROP, _OVERRIDES = 24, (1, 2)


def as_anybody() -> None:
    """Give up what root alone may, before a program is begun: files' modes then count for it as for everybody."""
    for right in _OVERRIDES:
        ctypes.CDLL(None).prctl(_DROP, right)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere tests are not to be run as root")
@pytest.mark.parametrize("place", ["", "new"], ids=["read-only", "cannot be made"])
def test_a_folder_that_cannot_be_written_is_named_at_the_start(place: str, tmp_path: Path) -> None:
    folder = tmp_path / place if place else tmp_path
    tmp_path.chmod(0o555)
    program = "from companion.cli import main; main()"
    command = [sys.executable, "-c", program, "--data", str(folder), "play", "--no-browser", "--port", "0"]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        preexec_fn=as_anybody,
    )
    tmp_path.chmod(0o755)
    said = f"Error: The data folder {folder} cannot be written: Permission denied. Name another with --data.\n"
    assert (done.returncode, done.stderr) == (1, said)
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_match_is_named_and_what_can_be_read_is_exported(playing: FlaskClient, services: Services) -> None:
    for move in ("draw", "pass"):
        playing.post("/api/moves", json={"do": move})
    damaged = playing.get("/api/view").json["match"]["id"]
    whole = playing.post("/api/match", json=MATCH).json["id"]
    with sqlite3.connect(services.store.path) as connection:
        connection.execute("UPDATE journal SET entry = '{' WHERE match = ? AND n = 3", (damaged,))
        connection.execute("UPDATE match SET winners = 'x' WHERE id = ?", (damaged,))
    connection.close()
    found = playing.get("/api/matches").json
    assert [each["id"] for each in found["matches"]] == [whole]
    assert [each["id"] for each in found["damaged"]] == [damaged]
    refused = playing.post("/api/match/resume", json={"id": damaged})
    assert (refused.status_code, "is damaged" in refused.json["message"]) == (409, True)
    assert playing.get(f"/api/matches/{damaged}").status_code == 409
    lines = playing.get(f"/api/matches/{damaged}/export").text.splitlines()
    assert [json.loads(line)["do"] for line in lines[1:]] == ["start", "draw"]
    assert "draw" in playing.get(f"/api/matches/{damaged}/export?format=moves-csv").text


def test_the_right_pin_lets_in_a_tableful_and_no_crowd() -> None:
    now = [0.0]
    pairing = Pairing(lambda: now[0])
    for _ in range(JOINS):
        pairing.enter(pairing.pin, "192.168.1.9")
    with pytest.raises(TooManyTriesError):
        pairing.enter(pairing.pin, "192.168.1.9")
    pairing.enter(pairing.pin, "192.168.1.10")


def test_only_the_challenger_settles_a_challenge(playing: FlaskClient, join: Join) -> None:
    for move in (
        {"do": "play", "card": "wild draw four"},
        {"do": "color", "color": "red"},
        {"do": "challenge"},
    ):
        assert playing.post("/api/moves", json=move).status_code == 200
    ben, cy = join(Role.PLAYER, "Ben"), join(Role.PLAYER, "Cy")
    for settled in ({"do": "reveal", "guilty": True}, {"do": "reveal", "cards": ["red 3"]}):
        refused = cy.post("/api/moves", json=settled)
        assert (refused.status_code, refused.json["error"]) == (403, "not-allowed")
    assert ben.post("/api/moves", json={"do": "reveal", "guilty": True}).status_code == 200
