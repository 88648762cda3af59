"""Own sounds from a folder, the turn timer, and the broadcast page."""

from __future__ import annotations

from pathlib import Path

import pytest
from devices import Join
from flask.testing import FlaskClient

from companion.server.access.guests import Role
from companion.server.services.services import Services
from companion.server.services.turn_timer import TurnTimer


def test_own_sounds_are_listed_by_event_and_served(join: Join, services: Services) -> None:
    watcher = join(Role.VIEWER)
    assert watcher.get("/api/sounds").json == {"sounds": {}}
    folder = services.config.data / "sounds"
    folder.mkdir()
    (folder / "uno.mp3").write_bytes(b"ID3 sound")
    (folder / "win.wav").write_bytes(bytes(6_000_000))
    for other in ("notes.txt", "Bad Name.mp3", "secret.key"):
        (folder / other).write_bytes(b"x")
    assert watcher.get("/api/sounds").json == {"sounds": {"uno": "/api/sounds/uno"}}
    got = watcher.get("/api/sounds/uno")
    assert (got.data, got.content_type) == (b"ID3 sound", "audio/mpeg")
    for name in ("win", "..%2Fsecret", "secret"):
        assert watcher.get(f"/api/sounds/{name}").status_code == 404


def test_a_turn_is_nudged_once_and_never_when_off(tmp_path: Path) -> None:
    now = [0.0]
    timer = TurnTimer(tmp_path / "timer.json", lambda: now[0])
    assert not timer.is_due("Ann 1")
    now[0] = 1000.0
    assert not timer.is_due("Ann 1")
    timer.set(60)
    due = []
    for second in range(1000, 1200):
        now[0] = float(second)
        due.append(timer.is_due("Ann 1" if second < 1100 else "Ben 2"))
    assert [1000 + place for place, each in enumerate(due) if each] == [1060, 1160]
    assert not timer.is_due(None)
    assert TurnTimer(tmp_path / "timer.json").seconds == 60


@pytest.mark.parametrize("content", ["", "[]", '{"seconds": "x"}', '{"seconds": 9999}', '{"seconds": -1}'])
def test_a_damaged_timer_file_means_off(content: str, tmp_path: Path) -> None:
    (tmp_path / "timer.json").write_text(content)
    assert TurnTimer(tmp_path / "timer.json").seconds == 0


def test_the_timer_is_set_by_the_host_and_reaches_the_screens(
    playing: FlaskClient, services: Services, join: Join
) -> None:
    assert playing.get("/api/turn-timer").json == {"seconds": 0}
    assert join(Role.PLAYER).post("/api/turn-timer", json={"seconds": 5}).status_code == 403
    assert playing.post("/api/turn-timer", json={"seconds": 601}).status_code == 422
    _, seen = services.hub.mark()
    assert playing.post("/api/turn-timer", json={"seconds": 1}).json == {"seconds": 1}
    messages = (message for message in services.hub.listen(seen, 10.0) if message is not None)
    nudge = next(message for message in messages if message.event == "nudge")
    assert '"player": "Ann"' in nudge.data


def test_a_broadcast_page_needs_no_more_than_a_watcher(playing: FlaskClient) -> None:
    assert playing.get("/broadcast").status_code == 200
    body = {"role": "viewer", "page": "broadcast"}
    assert "p=broadcast" in playing.post("/api/pairing/invitations", json=body).json["url"]
