"""The host sees the joined devices and can sign one out."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from devices import MATCH, Join, StubReader
from flask import Flask
from flask.testing import FlaskClient

from companion.server.access.devices import MOST_DEVICES, Devices
from companion.server.access.guests import BADGE_SECONDS, Guest, Role
from companion.server.app import create_app, services_of
from companion.server.core.config import ServerConfig
from companion.server.management.pairing import SeatBody
from companion.server.services.services import Services

IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Safari/604.1"


def listed(host: FlaskClient) -> list[dict[str, object]]:
    found = host.get("/api/devices").json["devices"]
    assert isinstance(found, list)
    return found


def guest_id(host: FlaskClient, role: str) -> str:
    return str(next(each["id"] for each in listed(host) if each["role"] == role))


def test_the_host_sees_who_has_joined(playing: FlaskClient, app: Flask, services: Services) -> None:
    phone = app.test_client()
    token = services.pairing.invite(Role.PLAYER)
    phone.post("/api/join", json={"token": token}, headers={"User-Agent": IPHONE})
    phone.post("/api/seat", json={"player": "Ben"}, headers={"User-Agent": IPHONE})
    found = [(each["role"], each["player"], each["system"], each["own"], each["connected"]) for each in listed(playing)]
    assert found == [("player", "Ben", "iPhone", False, False), ("host", None, "", True, False)]


def test_a_device_that_is_signed_out_is_out(playing: FlaskClient, join: Join) -> None:
    viewer, player = join(Role.VIEWER), join(Role.PLAYER, "Ben")
    stream = viewer.get("/api/events").response
    next(iter(stream))
    assert [each["role"] for each in listed(playing) if each["connected"]] == ["viewer"]
    assert playing.delete(f"/api/devices/{guest_id(playing, 'viewer')}").status_code == 204
    # Its stream ends instead of waiting for news, its cookie counts no longer, and nobody else is touched.
    assert list(stream) == []
    assert viewer.get("/api/view").status_code == 401
    assert viewer.get("/api/events").status_code == 401
    assert player.get("/api/view").status_code == 200
    assert [each["role"] for each in listed(playing)] == ["player", "host"]


def test_a_device_that_is_not_there_cannot_be_signed_out(host: FlaskClient) -> None:
    assert host.delete("/api/devices/nobody").status_code == 404


def test_a_device_that_left_is_gone_for_good(playing: FlaskClient, services: Services, join: Join) -> None:
    viewer = join(Role.VIEWER)
    cookie = viewer.get_cookie(services.badges.cookie(secure=False))
    assert cookie is not None
    viewer.post("/api/leave")
    viewer.set_cookie(cookie.key, cookie.value)
    assert viewer.get("/api/view").status_code == 401


def test_who_was_signed_out_stays_out_over_a_restart(
    host: FlaskClient, services: Services, join: Join, tmp_path: Path, reader: StubReader
) -> None:
    devices = {role: join(role) for role in (Role.PLAYER, Role.VIEWER)}
    host.delete(f"/api/devices/{guest_id(host, 'viewer')}")
    services.close()
    again = create_app(ServerConfig(data=tmp_path), reader)
    for role, status in ((Role.PLAYER, 200), (Role.VIEWER, 401)):
        cookie = devices[role].get_cookie(services.badges.cookie(secure=False))
        assert cookie is not None
        device = again.test_client()
        device.set_cookie(cookie.key, cookie.value)
        assert device.get("/api/view").status_code == status
    services_of(again).close()


@pytest.mark.parametrize("content", [b"", b"{}", b'[{"id": 1}]', b"\xff"])
def test_a_damaged_list_lets_nobody_in(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "devices.json"
    path.write_bytes(content)
    devices = Devices(path)
    assert devices.all() == []
    assert not devices.knows(Guest("a", Role.HOST))


def test_old_devices_are_forgotten(tmp_path: Path) -> None:
    now = [1000.0]
    devices = Devices(tmp_path / "devices.json", lambda: now[0])
    devices.welcome(Guest("old", Role.HOST), "")
    now[0] += BADGE_SECONDS / 2
    devices.close()
    # How long companions ran counts, not when.
    now[0] = 7.0
    devices = Devices(tmp_path / "devices.json", lambda: now[0])
    assert devices.knows(Guest("old", Role.HOST))
    now[0] += BADGE_SECONDS / 2
    for number in range(MOST_DEVICES + 1):
        devices.welcome(Guest(str(number), Role.VIEWER), "<script>")
    assert not devices.knows(Guest("old", Role.HOST))
    assert not devices.knows(Guest("0", Role.VIEWER))
    assert [len(devices.all()), devices.all()[0].id, devices.all()[0].system] == [MOST_DEVICES, str(MOST_DEVICES), ""]


def test_a_clock_that_is_set_signs_nobody_out(
    host: FlaskClient, services: Services, join: Join, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()
    for jump in (-10 * 86400, 60 * 86400, 0):
        monkeypatch.setattr(time, "time", lambda jump=jump: now + jump)
        viewer = join(Role.VIEWER)
        assert [device.get("/api/view").status_code for device in (host, viewer)] == [200, 200]
    assert [each["role"] for each in listed(host)] == ["viewer", "viewer", "viewer", "host"]


def test_the_host_is_never_pushed_out(host: FlaskClient, services: Services) -> None:
    for number in range(MOST_DEVICES + 5):
        services.devices.welcome(Guest(str(number), Role.PLAYER), "")
    assert host.get("/api/devices").status_code == 200
    assert len(services.devices.all()) == MOST_DEVICES


def test_who_is_signed_out_meanwhile_is_not_let_in_by_what_was_begun(
    host: FlaskClient, services: Services, join: Join, monkeypatch: pytest.MonkeyPatch
) -> None:
    host.post("/api/match", json=MATCH)
    player = join(Role.PLAYER)
    own = guest_id(host, "player")
    validate = SeatBody.model_validate_json

    def while_it_comes(data: bytes) -> SeatBody:
        services.devices.dismiss(own)
        return validate(data)

    monkeypatch.setattr(SeatBody, "model_validate_json", while_it_comes)
    refused = player.post("/api/seat", json={"player": "Ann"})
    assert (refused.status_code, refused.headers.getlist("Set-Cookie")) == (401, [])
    assert player.get("/api/view").status_code == 401
    # Nor where it had come further.
    assert not services.devices.change(Guest(own, Role.PLAYER, "Ann"))
    assert not services.devices.knows(Guest(own, Role.PLAYER))


def test_who_has_joined_is_nobodys_else_to_read(host: FlaskClient, services: Services) -> None:
    kept = [services.config.data / name for name in ("devices.json", "secret.key", "companion.lock")]
    assert [path.stat().st_mode & 0o077 for path in kept] == [0, 0, 0]


def test_only_a_changed_name_is_written(tmp_path: Path) -> None:
    file = tmp_path / "devices.json"
    devices = Devices(file)
    for number, player in enumerate(("Ann", None)):
        devices.welcome(Guest(str(number), Role.PLAYER, player), IPHONE)
    file.unlink()
    devices.rename(lambda name: name)
    assert not file.exists()
    devices.rename(lambda name: f"{name}a")
    assert {device.player for device in Devices(file).all()} == {"Anna", None}
