"""Attacks from the same network or from pages of other origins."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path

import pytest
from devices import MATCH, Join, StubReader
from flask import Flask
from flask.testing import FlaskClient

from companion.server.access.guests import Role
from companion.server.access.pairing import (
    TOKEN_SECONDS,
    TRIES,
    TRIES_BY_ALL,
    TRY_SECONDS,
    InvalidTokenError,
    Pairing,
    TooManyTriesError,
    WrongPinError,
)
from companion.server.app import create_app, services_of
from companion.server.core.config import ServerConfig
from companion.server.services.services import Services

HOSTILE_NAMES = ["", "   ", "a" * 25, "a\nb\x00", "\u202egnp", "\u200b", "\ud800"]


def png(width: int, height: int, data: bytes = b"") -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil", "a.local:x", "", "[::1"])
def test_a_foreign_host_name_is_refused(host: str, client: FlaskClient) -> None:
    assert client.get("/api/me", headers={"Host": host}).status_code == 400


@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1", "[::1]:8000", "192.168.1.7:8000", "table.local"])
def test_names_of_this_computer_are_let_in(host: str, client: FlaskClient) -> None:
    assert client.get("/api/me", headers={"Host": host}).status_code == 200


def test_only_names_that_the_host_allows_are_let_in(tmp_path: Path) -> None:
    config = ServerConfig(data=tmp_path / "named", allowed_hosts=("uno.lan",))
    app = create_app(config)
    statuses = [
        app.test_client().get("/api/me", headers={"Host": host}).status_code
        for host in ("uno.lan:8000", "UNO.LAN", "evil.uno.lan", "uno.lan.evil.example")
    ]
    services_of(app).close()
    assert statuses == [200, 200, 400, 400]


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:9999"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": "http://localhost", "Sec-Fetch-Site": "cross-site"},
    ],
)
def test_another_pages_request_is_refused(headers: dict[str, str], playing: FlaskClient) -> None:
    answer = playing.post("/api/undo", headers=headers)
    assert answer.status_code == 403
    assert answer.json["error"] == "foreign-origin"


def test_the_pages_own_request_is_let_in(playing: FlaskClient) -> None:
    headers = {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}
    assert playing.post("/api/undo", headers=headers).status_code == 200


def test_a_token_works_once(services: Services, app: Flask) -> None:
    token = services.pairing.invite(Role.PLAYER)
    assert app.test_client().post("/api/join", json={"token": token}).status_code == 200
    replayed = app.test_client().post("/api/join", json={"token": token})
    assert (replayed.status_code, replayed.json["error"]) == (401, "invalid-token")


def test_a_token_grows_old() -> None:
    clock = Clock()
    pairing = Pairing(clock)
    token = pairing.invite(Role.HOST)
    clock.now += TOKEN_SECONDS
    with pytest.raises(InvalidTokenError):
        pairing.redeem(token)


def test_the_pin_cannot_be_guessed_quickly(services: Services, client: FlaskClient) -> None:
    wrong = "x" + services.pairing.pin[1:]
    for _ in range(TRIES):
        assert client.post("/api/join", json={"pin": wrong}).status_code == 401
    held = client.post("/api/join", json={"pin": services.pairing.pin})
    assert held.status_code == 429
    assert int(held.headers["Retry-After"]) > 0


def test_guessing_from_many_addresses_is_held_up_too() -> None:
    clock = Clock()
    pairing = Pairing(clock)
    for number in range(TRIES_BY_ALL):
        with pytest.raises(WrongPinError):
            pairing.enter("wrong", f"10.0.{number // 4}.1")
    with pytest.raises(TooManyTriesError):
        pairing.enter(pairing.pin, "10.0.99.1")
    clock.now += TRY_SECONDS + 1
    assert pairing.enter(pairing.pin, "10.0.0.1").role is Role.PLAYER


def test_the_pin_makes_nobody_host(services: Services, client: FlaskClient) -> None:
    assert client.post("/api/join", json={"pin": services.pairing.pin}).json["role"] == "player"


def test_a_forged_cookie_is_no_badge(host: FlaskClient, client: FlaskClient, services: Services) -> None:
    cookie = host.get_cookie(services.badges.cookie(secure=False))
    assert cookie is not None
    assert cookie.http_only
    assert cookie.same_site == "Strict"
    client.set_cookie(services.badges.cookie(secure=False), cookie.value[:-2] + "AA")
    assert client.get("/api/view").status_code == 401


def test_another_servers_badge_is_worth_nothing(
    host: FlaskClient, services: Services, tmp_path: Path, reader: StubReader
) -> None:
    other = create_app(ServerConfig(data=tmp_path / "other"), reader)
    cookie = host.get_cookie(services.badges.cookie(secure=False))
    assert cookie is not None
    device = other.test_client()
    device.set_cookie(services_of(other).badges.cookie(secure=False), cookie.value)
    assert device.get("/api/view").status_code == 401
    services_of(other).close()


@pytest.mark.parametrize(
    "path",
    [
        "/api/pictures/..%2F..%2Fsecret.key",
        "/api/pictures/%2Fetc%2Fpasswd",
        "/web/../companion/server/app.py",
        "/web/%2e%2e/pyproject.toml",
        "/web/..%5c..%5cpyproject.toml",
        "/web//etc/passwd",
        "/web/__init__.py",
        "/web/setup.html",
        "/api/matches/..%2f..%2fsecret.key/export",
    ],
)
def test_nothing_outside_is_handed_out(path: str, host: FlaskClient) -> None:
    assert host.get(path, follow_redirects=True).status_code in (400, 404)


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"", 422),
        (b"GIF89a" + b"\0" * 100, 422),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", 422),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF" + b"\0" * 50, 422),
        (png(60_000, 60_000, zlib.compress(b"\0" * 1000)), 422),
        (png(15_000, 15_000), 422),
        (png(64, 64, b"garbage"), 422),
        (b"\xff\xd8\xff" + b"\0" * (13 * 1024 * 1024), 413),
    ],
    ids=["empty", "gif", "svg", "cut off", "bomb", "too large", "damaged", "too long"],
)
def test_what_is_no_good_picture_is_refused(data: bytes, status: int, playing: FlaskClient) -> None:
    form = {"pictures": (io.BytesIO(data), "hand.png")}
    assert playing.post("/api/hands/read", data=form).status_code == status
    assert playing.post("/api/camera", json={"source": "phone"}).status_code == 200
    assert playing.post("/api/camera/frames", data=data, content_type="image/png").status_code == status


def test_too_many_pictures_are_refused(playing: FlaskClient) -> None:
    form = {"pictures": [(io.BytesIO(png(64, 64)), f"{i}.png") for i in range(9)]}
    assert playing.post("/api/hands/read", data=form).status_code in (413, 422)


def test_a_long_body_is_refused(playing: FlaskClient) -> None:
    huge = b'{"do": "draw", "card": "' + b"a" * 100_000 + b'"}'
    assert playing.post("/api/moves", data=huge, content_type="application/json").status_code == 413


@pytest.mark.parametrize(
    "body", [b"[" * 50_000, b"{", b"\xff", b"null", b"[]", b'{"do": 1e999}', b'{"do": "draw", "x": 1}']
)
def test_bad_json_is_named_not_fallen_over(body: bytes, playing: FlaskClient) -> None:
    assert playing.post("/api/moves", data=body, content_type="application/json").status_code == 422


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_unfit_names_are_refused(name: str, host: FlaskClient) -> None:
    assert host.post("/api/match", json={**MATCH, "players": ["Ann", name]}).status_code == 422


@pytest.mark.parametrize("name", ["<b>Ann</b>", "=HYPERLINK(1)", "Robert'); --", "Ünïcödé 🙂"])
def test_odd_but_honest_names_are_only_text(name: str, host: FlaskClient) -> None:
    started = host.post("/api/match", json={**MATCH, "players": ["Ann", name]})
    assert started.status_code == 200
    table = host.get(f"/api/matches/{started.json['id']}/export?format=rounds-csv").get_data(as_text=True)
    assert ("'=HYPERLINK" in table) == name.startswith("=")
    assert host.get("/api/view").json["match"]["players"][1] == name


def test_streams_held_open_are_counted(services: Services, host: FlaskClient, join: Join) -> None:
    held = [host.get("/api/events") for _ in range(7)]
    assert [stream.status_code for stream in held] == [200] * 7
    assert b"event: replaced" in list(held[0].response)[-1], "the oldest makes room"
    crowd = [viewer.get("/api/events") for viewer in (join(Role.VIEWER) for _ in range(6)) for _ in range(6)]
    assert {stream.status_code for stream in crowd} == {200}
    # Six times six leave the host what it has, and room for one more page of anybody's.
    assert sum(services.streams.held_by(device.id) for device in services.devices.all()) == 36
    assert host.get("/api/events").status_code == 200
    assert join(Role.VIEWER).get("/api/events").status_code == 200


def test_every_answer_carries_the_protective_headers(client: FlaskClient) -> None:
    for path in ("/", "/table", "/api/me", "/api/view", "/web/css/base.css", "/nowhere"):
        headers = client.get(path).headers
        assert "script-src 'self'" in headers["Content-Security-Policy"]
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "Access-Control-Allow-Origin" not in headers


def test_keys_are_for_the_owner_alone(services: Services, tmp_path: Path) -> None:
    assert (tmp_path / "secret.key").stat().st_mode & 0o077 == 0
