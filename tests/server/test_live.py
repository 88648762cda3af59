"""The event stream: what a screen receives, and how it resumes after a break."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from threading import Event, Thread

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from companion.server.network.broadcast import KEPT, Hub, StreamSlots
from companion.server.services.services import Services


def events(client: FlaskClient, last: str = "", after: str = "") -> Iterator[tuple[str, str, object]]:
    """Yield id, name and data of the stream's events, from `last` (a header) or `after` (in the query) on."""
    stream = client.get(f"/api/events?after={after}", headers={"Last-Event-ID": last} if last else {})
    assert stream.content_type == "text/event-stream"
    for chunk in stream.response:
        fields = dict(line.split(": ", 1) for line in chunk.decode().split("\n") if ": " in line and line[0] != ":")
        if "event" in fields:
            yield fields.get("id", ""), fields["event"], json.loads(fields["data"])


def test_a_new_screen_is_shown_everything_first(playing: FlaskClient) -> None:
    mark, name, view = next(events(playing))
    assert (name, view["state"]["top"]) == ("view", "red 5")
    assert "-" in mark


def test_what_happens_is_sent_with_its_sentences_and_a_fresh_view(playing: FlaskClient) -> None:
    stream = events(playing)
    next(stream)
    playing.post("/api/moves", json={"do": "play", "card": "red skip"})
    _, name, update = next(stream)
    while name != "update" or update["ruling"] is None or "skipped" not in "".join(update["sentences"]):
        _, name, update = next(stream)
    assert update["sentences"] == ["Ben is skipped."]
    while name != "view":
        _, name, update = next(stream)
    assert update["state"]["turn"] == "Cy"


def test_a_screen_goes_on_where_it_broke_off(playing: FlaskClient) -> None:
    stream = events(playing)
    mark, _, _ = next(stream)
    playing.post("/api/moves", json={"do": "draw"})
    drawn = next(found for found, name, data in stream if name == "update" and data["sentences"] == ["Ann draws one."])
    # A tab that takes over from another names the mark itself. A stream that starts over begins with a view of a later
    # mark. The view of the match's start is published late: it may precede the draw.
    for resumed in (events(playing, mark), events(playing, after=mark)):
        found, name = next((found, name) for found, name, _ in resumed if _number(found) >= _number(drawn))
        assert (found, name) == (drawn, "update")


def _number(mark: str) -> int:
    """Return the number of a message by its mark."""
    return int(mark.partition("-")[2])


def test_a_mark_of_another_run_begins_again(playing: FlaskClient) -> None:
    for mark in ("feedface-3", "nonsense", "-", "1" * 500):
        assert next(events(playing, mark))[1] == "view"


def test_a_screen_that_was_away_too_long_begins_again() -> None:
    hub = Hub()
    boot, number = hub.mark()
    for _ in range(KEPT + 1):
        hub.publish("update", "{}")
    assert hub.resumes(f"{boot}-{number}") is None
    assert hub.resumes(f"{boot}-{KEPT}") == KEPT
    assert hub.resumes(f"{boot}-{KEPT + 2}") is None


def test_of_what_shows_all_only_the_newest_is_kept() -> None:
    hub = Hub()
    for number in range(KEPT):
        hub.publish("update", str(number))
        hub.publish("view", str(number), whole=True)
    boot, last = hub.mark()
    away = hub.resumes(f"{boot}-2")
    assert away == 2
    missed = [(message.event, message.data) for message in islice(hub.listen(away, 0.01), KEPT) if message]
    assert missed == [*(("update", str(number)) for number in range(1, KEPT)), ("view", str(KEPT - 1))]
    assert hub.resumes(f"{boot}-{last}") == last


def test_a_slow_screen_finds_the_newest_frame_and_no_other() -> None:
    hub = Hub()
    for number in range(5):
        hub.show(str(number))
    fresh = hub.listen(0, 0.01)
    first = next(fresh)
    assert first is not None
    assert first.data == "4"
    assert next(fresh) is None


def test_streams_end_when_the_server_is_closed(playing: FlaskClient, services: Services) -> None:
    stream = events(playing)
    next(stream)
    services.close()
    assert [name for _, name, _ in stream if name == "frame"] == []


def test_a_stream_ends_at_once_when_its_device_is_not_welcome_any_more() -> None:
    hub, welcome = Hub(), Event()
    welcome.set()
    waiting = Thread(target=lambda: list(hub.listen(0, 3600, welcome.is_set)), daemon=True)
    waiting.start()
    welcome.clear()
    hub.nudge()
    waiting.join(60)
    assert not waiting.is_alive()


def until_its_end(stream: TestResponse) -> list[bytes]:
    """Return all that is sent; fails where it does not end."""
    sent: list[bytes] = []
    reader = Thread(target=lambda: sent.extend(stream.response), daemon=True)
    reader.start()
    reader.join(60)
    assert not reader.is_alive(), "the stream goes on"
    return sent


def test_a_tab_that_turns_its_pages_quickly_is_never_refused(playing: FlaskClient) -> None:
    streams = [playing.get("/api/events?tab=one") for _ in range(12)]
    assert {stream.status_code for stream in streams} == {200}
    *left, last = streams
    assert all(b"event: replaced" in until_its_end(stream)[-1] for stream in left)
    assert b"event: view" in next(iter(last.response))
    others = [playing.get(f"/api/events?tab={tab}").status_code for tab in range(6)]
    assert others == [200] * 6


def test_a_devices_oldest_stream_makes_room_for_its_newest() -> None:
    slots = StreamSlots(each=3, total=100)
    streams = [slots.take("phone") for _ in range(5)]
    assert [stream is not None and stream.replaced for stream in streams] == [True, True, False, False, False]
    assert slots.held_by("phone") == 3


def test_nobody_leaves_the_others_none() -> None:
    slots = StreamSlots(each=3, total=6)
    crowd = [slots.take(f"crowd {number}") for number in (0, 0, 0, 1, 1, 2)]
    assert slots.take("another") is not None, "the greediest gives way"
    assert [stream is not None and stream.replaced for stream in crowd] == [True] + [False] * 5
    for number in range(20):
        slots.take(f"crowd {number}")
    assert slots.take("late") is None, "all hold one"
    for _ in range(3):
        assert slots.take("host", host=True) is not None
    assert slots.take("late") is None
    assert slots.held_by("host") == 3
