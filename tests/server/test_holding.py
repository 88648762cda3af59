"""Only the current table affects a match: a camera that may show something else is held back."""

from __future__ import annotations

import ast
import threading
from pathlib import Path

import cv2
import numpy as np
import pytest
from devices import Join, StubReader
from flask import Flask
from flask.testing import FlaskClient

from companion.server.access.guests import Role
from companion.server.app import create_app, services_of
from companion.server.capture.hold import HeldTracker, Hold
from companion.server.core.config import ServerConfig
from companion.server.services.services import Services
from companion.vision.capture.frames import Frame
from companion.vision.core.events import CameraHealth, CameraStatus, PileEvent

ROOT = Path(__file__).resolve().parents[2]
LESSON = {"name": "Ours", "edition": "classic"}


class Counting:
    """A tracker that reports how many frames it has been given."""

    def __init__(self) -> None:
        self.frames = 0

    def feed(self, frame: Frame) -> list[PileEvent]:
        self.frames += 1
        return [CameraStatus(frame.time, CameraHealth.OK, str(self.frames))]

    def finish(self) -> list[PileEvent]:
        return [CameraStatus(99.0, CameraHealth.OK, f"end after {self.frames}")]


def frame(number: int) -> Frame:
    return Frame(np.zeros((20, 20, 3), np.uint8), number / 30, number)


def reported(events: list[PileEvent]) -> list[str]:
    return [event.detail for event in events if isinstance(event, CameraStatus)]


@pytest.fixture
def film(tmp_path: Path) -> str:
    folder = tmp_path / "film"
    folder.mkdir()
    for number in range(4):
        cv2.imwrite(str(folder / f"{number}.png"), np.full((60, 80, 3), 40 * number, np.uint8))
    return str(folder)


def hold(client: FlaskClient) -> str | None:
    state = client.get("/api/camera").json
    assert client.get("/api/view").json["camera"]["hold"] == state["hold"]
    return None if state["hold"] is None else str(state["hold"])


def test_a_tracker_begins_again_after_a_hold() -> None:
    held = HeldTracker(Counting, hold=None, waits=False)
    assert reported(held.feed(frame(0))) == ["1"]
    held.set_hold(Hold.LESSON)
    assert [held.feed(frame(number)) for number in range(1, 4)] == [[], [], []]
    assert held.finish() == []
    held.set_hold(None)
    assert reported(held.feed(frame(4))) == ["1"]
    assert reported(held.finish()) == ["end after 1"]


def test_a_film_waits_where_a_camera_goes_on() -> None:
    held = HeldTracker(Counting, hold=Hold.SOURCE, waits=True)
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.extend(reported(held.feed(frame(0)))))
    thread.start()
    thread.join(0.2)
    assert thread.is_alive()
    held.set_hold(None)
    thread.join(60)
    assert found == ["1"]


def test_a_film_that_waits_can_be_ended() -> None:
    held = HeldTracker(Counting, hold=Hold.SOURCE, waits=True)
    thread = threading.Thread(target=held.feed, args=(frame(0),))
    thread.start()
    held.close()
    thread.join(60)
    assert not thread.is_alive()


def test_a_match_taken_up_after_a_restart_waits_for_a_tap(
    playing: FlaskClient, services: Services, tmp_path: Path, film: str, reader: StubReader
) -> None:
    services.close()
    app = create_app(ServerConfig(data=tmp_path), reader)
    own = services_of(app)
    again = app.test_client()
    again.post("/api/join", json={"token": own.pairing.invite(Role.HOST)})
    for source in ("phone", film, "simulated"):
        again.post("/api/camera", json={"source": source})
        assert hold(again) == "taken-up"
    assert again.post("/api/camera/go-on").json["hold"] is None
    assert hold(again) is None
    own.close()


def test_a_film_feeds_only_a_match_that_began_with_it(playing: FlaskClient, film: str) -> None:
    playing.post("/api/camera", json={"source": film})
    assert hold(playing) == "source"
    playing.post("/api/match", json={"edition": "classic", "players": ["Ann", "Ben"]})
    assert hold(playing) is None


def test_another_camera_waits_for_a_tap_and_the_first_does_not(playing: FlaskClient, film: str) -> None:
    playing.post("/api/camera", json={"source": "phone"})
    assert hold(playing) is None
    playing.post("/api/camera", json={"source": "7"})
    assert hold(playing) == "source"
    playing.post("/api/camera", json={"source": None})
    assert hold(playing) is None


def test_without_a_match_every_source_counts(host: FlaskClient, film: str) -> None:
    for source in ("phone", film, "phone"):
        host.post("/api/camera", json={"source": source})
        assert hold(host) is None


def test_a_lesson_pauses_the_camera_and_its_cards_wait_for_a_tap(
    playing: FlaskClient, app: Flask, services: Services, join: Join
) -> None:
    playing.post("/api/camera", json={"source": "phone"})
    assert playing.post("/api/decks/lesson", json=LESSON).status_code == 200
    assert hold(playing) == "lesson"
    assert playing.delete("/api/decks/lesson").status_code == 204
    assert hold(playing) == "taken-up"
    assert join(Role.VIEWER).post("/api/camera/go-on").status_code == 403
    assert join(Role.PLAYER).post("/api/camera/go-on").status_code == 200
    assert hold(playing) is None


def test_a_lesson_without_a_match_leaves_nothing_behind(host: FlaskClient) -> None:
    host.post("/api/camera", json={"source": "phone"})
    host.post("/api/decks/lesson", json=LESSON)
    host.delete("/api/decks/lesson")
    assert hold(host) is None


def test_sights_reach_the_table_by_one_path() -> None:
    """Every call that hands an event to a table or to the camera's listener, by module and function."""
    found = set()
    for path in (ROOT / "companion" / "server").rglob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        for function in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]:
            for node in ast.walk(function):
                if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                    continue
                if node.func.attr == "camera_saw" or ast.unparse(node.func).endswith("table.see"):
                    found.add((path.name, function.name))
    # The services pass on what the camera reports; the camera reports its tracker's events, which a hold stops, and
    # its own health.
    assert found == {("services.py", "camera_saw"), ("camera.py", "_watch"), ("camera.py", "_turns")}
