"""A recording is read frame by frame, a camera by its newest frame; both end on request."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np
import pytest

from companion.cards import Card
from companion.vision.capture.capture_loop import CaptureLoop
from companion.vision.capture.frames import Frame, SourceError
from companion.vision.core.events import CameraHealth, CameraStatus, CardLanded, PileEvent


def frame(number: int) -> Frame:
    return Frame(np.full((32, 48, 3), 5 * number % 250, np.uint8), number / 30, number)


class Recording:
    """A recording of some frames that may be broken at its end."""

    name = "recording"
    live = False

    def __init__(self, count: int, broken: bool = False) -> None:
        self._count = count
        self._broken = broken

    def frames(self) -> Iterator[Frame]:
        yield from map(frame, range(self._count))
        if self._broken:
            raise SourceError("The file is damaged.")


class Camera:
    """A camera that gives a new picture each time it is asked, until it is released."""

    name = "camera"
    live = True

    def __init__(self) -> None:
        self.released = threading.Event()

    def frames(self) -> Iterator[Frame]:
        number = 0
        while not self.released.wait(0.005):
            yield frame(number)
            number += 1


class Counter:
    """Reports a card for every tenth frame, and one more at the end."""

    def __init__(self) -> None:
        self.seen: list[int] = []

    def feed(self, frame: Frame) -> list[PileEvent]:
        self.seen.append(frame.number)
        return [landed(frame.time)] if frame.number % 10 == 0 else []

    def finish(self) -> list[PileEvent]:
        return [landed(99.0)]


def landed(time: float) -> CardLanded:
    return CardLanded(time, ((Card.parse("red 7"), 0.99),), None)


def test_every_frame_of_a_recording_is_processed_in_order() -> None:
    tracker = Counter()
    loop = CaptureLoop(Recording(25), tracker)
    times = [event.time for event in loop.events()]
    assert tracker.seen == list(range(25))
    assert times == pytest.approx([0, 10 / 30, 20 / 30, 99])
    assert loop.drops == 0
    assert loop.newest is not None
    assert loop.newest.number == 24


def test_a_damaged_recording_is_reported_after_what_it_held() -> None:
    events = CaptureLoop(Recording(11, broken=True), Counter()).events()
    assert [next(events).time for _ in range(3)] == pytest.approx([0, 10 / 30, 99])
    with pytest.raises(SourceError, match="damaged"):
        next(events)


def test_a_recording_can_be_stopped() -> None:
    tracker = Counter()
    loop = CaptureLoop(Recording(1000), tracker)
    for event in loop.events():
        if event.time >= 10 / 30:
            loop.stop()
    assert len(tracker.seen) < 30


def test_a_camera_is_followed_by_its_newest_frame_until_stopped() -> None:
    camera, tracker = Camera(), Counter()
    loop = CaptureLoop(camera, tracker)
    found: list[PileEvent] = []
    for event in loop.events():
        found.append(event)
        if sum(isinstance(each, CardLanded) for each in found) == 2:
            loop.stop()
    camera.released.set()
    assert tracker.seen == sorted(set(tracker.seen))
    statuses = [event.health for event in found if isinstance(event, CameraStatus)]
    assert statuses[:1] == [CameraHealth.OK]
    assert loop.newest is not None
