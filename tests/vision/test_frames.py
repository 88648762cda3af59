"""Frame sources and the grabber: real files and streams, and cameras that stall, freeze, corrupt and disconnect."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.dataset.simulated.source import SimulatedSource
from companion.vision.capture import grabber as grabber_module
from companion.vision.capture.frames import Frame, FrameSource, SourceError, UploadSource, as_picture
from companion.vision.capture.grabber import Grabber
from companion.vision.capture.image_files import PictureError
from companion.vision.capture.sources import (
    PictureFolder,
    VideoFile,
    network_stream,
    open_source,
    webcam,
    without_password,
)
from companion.vision.core.events import CameraHealth, CameraStatus
from companion.vision.core.geometry import Image

PATIENCE_S, STARVED_S = 60.0, 300.0

over = threading.Event()
"""Set when a test ends."""


@pytest.fixture(autouse=True)
def no_camera_outlives_its_test() -> Iterator[None]:
    """End the threads of stuck cameras: every server that closes later in this process would wait for them."""
    over.clear()
    yield
    over.set()
    for thread in threading.enumerate():
        if thread.name.startswith("camera"):
            thread.join(PATIENCE_S)


def picture(level: int, width: int = 64) -> Image:
    return np.full((48, width, 3), level, np.uint8)


def noisy(number: int) -> Image:
    return np.random.default_rng(number).integers(0, 255, (48, 64, 3), dtype=np.uint8)


def levels(source: FrameSource) -> list[int]:
    """Return the mean grey of each frame, to the nearest ten."""
    return [round(float(frame.image.mean()), -1) for frame in source.frames()]  # type: ignore[misc]


@pytest.fixture
def video(tmp_path: Path) -> Path:
    path = tmp_path / "table.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10.0, (64, 48))
    for level in (10, 60, 110, 160, 210):
        writer.write(picture(level))
    writer.release()
    return path


def test_a_video_gives_each_frame_with_its_own_time(video: Path) -> None:
    frames = list(VideoFile(video).frames())
    assert [round(float(f.image.mean()), -1) for f in frames] == [10, 60, 110, 160, 210]
    assert [f.number for f in frames] == [0, 1, 2, 3, 4]
    assert [f.time for f in frames] == pytest.approx([0.0, 0.1, 0.2, 0.3, 0.4], abs=0.02)


def test_a_cut_off_video_gives_what_can_be_read_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "cut.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10.0, (64, 48))
    for number in range(60):
        writer.write(noisy(number))
    writer.release()
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    read = []
    with pytest.raises(SourceError, match="breaks off after 3 seconds"):
        read.extend(VideoFile(path).frames())
    assert 10 <= len(read) < 50


def test_a_file_that_is_no_video_is_named_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "notes.mp4"
    path.write_text("nothing to see")
    with pytest.raises(SourceError, match=r"notes\.mp4 is no video that can be read\.$"):
        list(VideoFile(path).frames())


def test_a_folder_is_read_in_natural_order_past_damaged_pictures(tmp_path: Path) -> None:
    for name, level in (("shot 10.png", 200), ("shot 2.png", 100), ("shot 1.png", 50)):
        cv2.imwrite(str(tmp_path / name), picture(level))
    (tmp_path / "shot 3.png").write_bytes(b"\x89PNG broken")
    (tmp_path / "notes.txt").write_text("not a picture")
    frames = list(PictureFolder(tmp_path, rate=2.0).frames())
    assert [round(float(f.image.mean()), -1) for f in frames] == [50, 100, 200]
    assert [f.time for f in frames] == [0.0, 0.5, 1.5]


def test_an_empty_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="holds no picture"):
        list(PictureFolder(tmp_path).frames())


def test_a_text_says_which_source_is_meant(tmp_path: Path, video: Path) -> None:
    still = tmp_path / "still.jpg"
    cv2.imwrite(str(still), picture(90))
    live = ("0", "rtsp://camera.local/table", "http://camera.local/video.mjpg")
    names = ["camera 0", *live[1:]]
    assert [(source.name, source.live) for source in map(open_source, live)] == [(name, True) for name in names]
    assert isinstance(open_source(str(tmp_path)), PictureFolder)
    assert isinstance(open_source(str(video)), VideoFile)
    assert levels(open_source(str(still))) == [90]
    simulated = open_source("simulated:7")
    assert isinstance(simulated, SimulatedSource)
    assert simulated.table.seed == 7


@pytest.mark.parametrize("text", ["", "nowhere.mp4", "simulated:seven", "camera"])
def test_a_text_that_names_nothing_is_refused(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    if text == "":
        text = str(tmp_path / "missing")
    with pytest.raises(SourceError, match="There is no"):
        open_source(text)


def test_a_password_is_never_shown() -> None:
    assert without_password("rtsp://ann:secret@10.0.0.5:554/one") == "rtsp://10.0.0.5:554/one"
    assert "secret" not in network_stream("rtsp://ann:secret@10.0.0.5:554/one").name


def test_a_camera_that_is_not_there_is_named() -> None:
    with pytest.raises(SourceError, match="There is no picture from camera 97"):
        next(webcam(97).frames())


def test_decoders_that_give_grey_or_four_channels_are_understood() -> None:
    grey = as_picture(np.full((48, 64), 7, np.uint8))
    assert grey is not None
    assert grey.shape == (48, 64, 3)
    four = as_picture(np.full((48, 64, 4), 7, np.uint8))
    assert four is not None
    assert four.shape == (48, 64, 3)
    assert as_picture(None) is None
    assert as_picture(np.zeros((48, 64, 3), np.float32)) is None
    assert as_picture(np.zeros((4, 64, 3), np.uint8)) is None


def test_a_stream_over_http_is_read() -> None:
    class Stream(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=cut")
            self.end_headers()
            for number in range(40):
                jpeg = cv2.imencode(".jpg", picture(100 + number % 2))[1].tobytes()
                head = f"--cut\r\nContent-Type: image/jpeg\r\nContent-Length: {len(jpeg)}\r\n\r\n"
                self.wfile.write(head.encode() + jpeg + b"\r\n")

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Stream)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        frames = network_stream(f"http://127.0.0.1:{server.server_address[1]}/table.mjpg").frames()
        taken = [next(frames) for _ in range(3)]
        with pytest.raises(SourceError, match="stopped sending"):
            list(frames)
    finally:
        server.shutdown()
        server.server_close()
    assert [frame.number for frame in taken] == [0, 1, 2]
    assert all(abs(float(frame.image.mean()) - 100) < 5 for frame in taken)
    assert taken[0].time <= taken[1].time <= taken[2].time


def test_fast_phone_is_shown_with_its_newest_picture() -> None:
    source = UploadSource()
    for level in (50, 100, 150):
        source.push(cv2.imencode(".png", picture(level))[1].tobytes())
    source.close()
    assert levels(source) == [150]
    assert source.drops == 2


def test_an_upload_that_is_no_picture_is_refused_and_nothing_breaks() -> None:
    source = UploadSource()
    with pytest.raises(PictureError):
        source.push(b"\xff\xd8 not quite")
    source.push(cv2.imencode(".png", picture(80))[1].tobytes())
    source.close()
    assert levels(source) == [80]


class Camera:
    """A camera whose connections behave as configured, one after the other, the last of them for ever."""

    live = True
    name = "the test camera"

    def __init__(self, *connections: Callable[[], Iterator[Image]]) -> None:
        self._connections = list(connections)
        self._start = time.monotonic()
        self.connected: list[float] = []
        """When it was connected to (s)."""

    def frames(self) -> Iterator[Frame]:
        connect = self._connections[min(len(self.connected), len(self._connections) - 1)]
        self.connected.append(time.monotonic())
        for number, image in enumerate(connect()):
            yield Frame(image, time.monotonic() - self._start, number)


def steady(count: int = 10**9, pause: float = 0.02) -> Callable[[], Iterator[Image]]:
    def run() -> Iterator[Image]:
        for number in range(count):
            time.sleep(pause)
            yield noisy(number)

    return run


def frozen() -> Iterator[Image]:
    while True:
        time.sleep(0.02)
        yield picture(120)


def starved() -> Iterator[Image]:
    over.wait(STARVED_S)
    yield picture(0)


def missing() -> Iterator[Image]:
    raise SourceError("There is no picture from the test camera.")
    yield picture(0)


def crashing() -> Iterator[Image]:
    yield noisy(1)
    raise RuntimeError("the driver fell over")


def wait_for(grabber: Grabber, health: CameraHealth) -> CameraStatus:
    """Return the first status of this health."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        grabber.next(0.05)
        for status in grabber.statuses():
            if status.health is health:
                return status
    raise AssertionError(f"no status is {health.value}")


def test_the_newest_frame_wins_and_drops_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grabber_module, "PATIENCE", STARVED_S)  # no pause makes it connect again
    taken, shown_more = threading.Event(), threading.Event()

    def stepwise() -> Iterator[Image]:
        """Yield five pictures, and more once the fifth was read."""
        for number in range(5):
            yield noisy(number)
        taken.set()
        shown_more.wait(PATIENCE_S)
        yield noisy(5)
        over.wait(PATIENCE_S)

    with Grabber(Camera(stepwise)) as grabber:
        assert taken.wait(PATIENCE_S)
        frame = grabber.next(PATIENCE_S)
        assert frame is not None
        assert (frame.number, grabber.drops) == (4, 4)
        assert next(status.health for status in grabber.statuses()) is CameraHealth.OK
        shown_more.set()
        end = time.monotonic() + PATIENCE_S
        while (later := grabber.next(0.05)) is None:
            assert time.monotonic() < end
            grabber.statuses()
        assert later.number == 5


@pytest.mark.parametrize(("trouble", "health"), [(frozen, CameraHealth.FROZEN), (starved, CameraHealth.GONE)])
def test_a_camera_in_trouble_is_noticed_and_reconnected(
    trouble: Callable[[], Iterator[Image]], health: CameraHealth
) -> None:
    def falls_ill() -> Iterator[Image]:
        yield from steady(5)()
        yield from trouble()

    camera = Camera(falls_ill, steady())
    with Grabber(camera) as grabber:
        wait_for(grabber, CameraHealth.OK)
        assert "the test camera" in wait_for(grabber, health).detail
        wait_for(grabber, CameraHealth.OK)
        assert len(camera.connected) >= 2


@pytest.mark.parametrize("trouble", [missing, crashing])
def test_a_camera_that_breaks_off_is_reported_and_asked_again(trouble: Callable[[], Iterator[Image]]) -> None:
    with Grabber(Camera(trouble, steady())) as grabber:
        assert wait_for(grabber, CameraHealth.GONE).detail
        wait_for(grabber, CameraHealth.OK)
        assert grabber.next(PATIENCE_S) is not None


def test_reconnecting_is_put_off_longer_and_longer() -> None:
    camera = Camera(missing)
    with Grabber(camera) as grabber:
        end = time.monotonic() + PATIENCE_S
        while len(camera.connected) < 3:
            assert time.monotonic() < end
            time.sleep(0.05)
        first, second, third = camera.connected[:3]
        # On a busy machine the pauses are longer, never shorter.
        assert second - first >= 1
        assert third - second >= 2
        assert [status.health for status in grabber.statuses()] == [CameraHealth.GONE]


def test_a_recording_ends() -> None:
    with Grabber(Camera(steady(3))) as grabber:
        while not grabber.ended:
            grabber.next(0.1)
        assert grabber.next(0) is None or grabber.ended


def test_closing_does_not_wait_for_a_stuck_camera() -> None:
    camera = Camera(starved)
    with Grabber(camera):
        wait_until_stuck = time.monotonic() + PATIENCE_S
        while not camera.connected:
            assert time.monotonic() < wait_until_stuck
            time.sleep(0.01)
    assert time.monotonic() - camera.connected[0] < STARVED_S
