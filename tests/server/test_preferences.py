"""What the set-up page begins with: kept over restarts, restored from backups if it is valid, camera by its name."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner
from devices import StubReader
from flask.testing import FlaskClient

from companion.cli import main
from companion.server.access.guests import Role
from companion.server.app import create_app, services_of
from companion.server.archive.preferences import PREFERENCES, Preferences
from companion.server.core.config import ServerConfig
from companion.server.schema.match import last_match

MATCH = {"players": ["Ann", "Ben"], "edition": "classic", "options": {"target": 200}, "ours": True}


def backup_of(client: FlaskClient, choices: object = None) -> bytes:
    """Return a backup; with `choices`, its last set-up is replaced by that."""
    data = client.get("/api/backup").data
    if choices is None:
        return data
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(made, "w") as archive:
        for name in old.namelist():
            archive.writestr(name, json.dumps(choices) if name == PREFERENCES else old.read(name))
    return made.getvalue()


def restored(data: bytes, folder: Path, reader: StubReader) -> dict[str, object]:
    """Return the last set-up after a restoration in the browser."""
    app = create_app(ServerConfig(data=folder), reader)
    own, client = services_of(app), app.test_client()
    client.post("/api/join", json={"token": own.pairing.invite(Role.HOST)})
    assert client.post("/api/restore", data=data, content_type="application/zip").status_code == 200
    own.close()
    return Preferences(folder).match


def test_the_last_set_up_is_restored_in_the_browser(host: FlaskClient, tmp_path: Path, reader: StubReader) -> None:
    host.post("/api/match", json=MATCH)
    found = restored(backup_of(host), tmp_path / "other", reader)
    assert (found["players"], found["our_rules"]) == (["Ann", "Ben"], {"target": 200})


def test_the_last_set_up_is_restored_by_the_command(host: FlaskClient, tmp_path: Path) -> None:
    host.post("/api/match", json=MATCH)
    (tmp_path / "all.zip").write_bytes(backup_of(host))
    done = CliRunner().invoke(main, ["--data", str(tmp_path / "other"), "restore", str(tmp_path / "all.zip")])
    assert done.exit_code == 0, done.output
    assert Preferences(tmp_path / "other").match["edition"] == "classic"


@pytest.mark.parametrize(
    "choices", [{"edition": "classic"}, {**MATCH, "players": [["Ann"], {}]}, {**MATCH, "more": "x"}, {"players": "<b>"}]
)
def test_a_set_up_that_is_not_valid_is_left_out(
    choices: object, host: FlaskClient, tmp_path: Path, reader: StubReader
) -> None:
    host.post("/api/match", json=MATCH)
    assert restored(backup_of(host, choices), tmp_path / "other", reader) == {}


def test_what_was_set_up_here_stays_and_a_camera_is_not_taken_over(tmp_path: Path) -> None:
    here = Preferences(tmp_path)
    assert here.adopt(last_match({**MATCH, "camera": "/dev/v4l/by-id/usb-other"}))
    assert here.camera is None
    assert not here.adopt(last_match({**MATCH, "players": ["Cy", "Dee"]}))
    assert here.match["players"] == ["Ann", "Ben"]


def test_a_camera_is_remembered_by_the_name_that_it_was_chosen_by(host: FlaskClient) -> None:
    assert host.get("/api/cameras").json["last"] is None
    host.post("/api/camera", json={"source": "phone"})
    assert host.get("/api/cameras").json["last"] is None
    host.post("/api/camera", json={"source": "63"})
    host.post("/api/match", json=MATCH)
    assert host.get("/api/cameras").json["last"] == "63"
