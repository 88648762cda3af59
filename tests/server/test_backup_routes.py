"""Backup and restoration in the browser."""

from __future__ import annotations

from pathlib import Path

from devices import StubReader
from flask.testing import FlaskClient

from companion.server.access.guests import Role
from companion.server.app import create_app, services_of
from companion.server.core.config import ServerConfig


def test_a_backup_is_restored_on_another_computer(playing: FlaskClient, tmp_path: Path, reader: StubReader) -> None:
    got = playing.get("/api/backup")
    assert got.headers["Content-Type"] == "application/zip"
    assert int(got.headers["Content-Length"]) == len(got.data)
    app = create_app(ServerConfig(data=tmp_path / "other"), reader)
    own = services_of(app)
    other = app.test_client()
    other.post("/api/join", json={"token": own.pairing.invite(Role.HOST)})
    restored = other.post("/api/restore", data=got.data, content_type="application/zip").json
    assert (restored["matches"], restored["known"], restored["refused"]) == (1, 0, [])
    assert other.get("/api/matches").json["matches"][0]["players"] == ["Ann", "Ben", "Cy"]
    assert other.get("/api/people").json["people"] == playing.get("/api/people").json["people"]
    own.close()


def test_what_is_no_backup_is_refused(host: FlaskClient) -> None:
    refused = host.post("/api/restore", data=b"PK\x05\x06" + bytes(18), content_type="application/zip")
    assert (refused.status_code, refused.json["error"]) == (422, "not-a-backup")
    assert host.post("/api/restore", data=b"{}", content_type="application/json").status_code == 415
