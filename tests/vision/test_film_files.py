"""Films as people have them: trimmed, of variable rate, oddly named, truncated, in unsupported codecs."""

from __future__ import annotations

import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.vision.capture.capture_loop import CaptureLoop
from companion.vision.capture.frames import Frame, SourceError
from companion.vision.capture.sources import VideoFile, open_source
from companion.vision.core.events import CameraHealth, CameraStatus, PileEvent

pytestmark = pytest.mark.slow

needs_ffmpeg = pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="ffmpeg makes the films")
# Two seconds of picture at 30 a second.
PICTURE = ("-f", "lavfi", "-i", "testsrc=duration=2:size=160x120:rate=30")


def film(path: Path, *arguments: str) -> Path:
    subprocess.run(["ffmpeg", "-y", "-loglevel", "error", *arguments, str(path.absolute())], check=True)
    return path


def simple(path: Path, count: int = 20) -> Path:
    code = cv2.VideoWriter.fourcc(*("mp4v" if path.suffix == ".mp4" else "MJPG"))
    writer = cv2.VideoWriter(str(path.absolute()), code, 10.0, (64, 48))
    for number in range(count):
        writer.write(np.full((48, 64, 3), number, np.uint8))
    writer.release()
    return path


def test_a_name_that_looks_like_a_protocol_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    simple(Path("plain.mp4")).rename("VID-12:30.mp4")
    assert len(list(open_source("VID-12:30.mp4").frames())) == 20


@needs_ffmpeg
def test_a_trimmed_film_is_whole(tmp_path: Path) -> None:
    source = film(tmp_path / "source.mp4", *PICTURE, "-g", "60", "-pix_fmt", "yuv420p")
    # Cut without re-encoding: all samples stay, an edit list hides those before the cut.
    trimmed = film(tmp_path / "trimmed.mp4", "-ss", "1.5", "-i", str(source), "-c", "copy")
    frames = list(VideoFile(trimmed).frames())
    assert 10 <= len(frames) <= 60


@needs_ffmpeg
@pytest.mark.parametrize("suffix", ["mkv", "webm", "mp4"])
def test_sound_longer_than_the_picture_and_a_late_start_lose_nothing(suffix: str, tmp_path: Path) -> None:
    sound = ("-f", "lavfi", "-i", "sine=duration=9")
    codec = ("-c:v", "libvpx") if suffix == "webm" else ("-c:v", "mpeg4")
    variable = ("-vf", "select='lt(n,20)+not(mod(n,7))',setpts=PTS+1/TB", "-fps_mode", "vfr")
    frames = list(VideoFile(film(tmp_path / f"film.{suffix}", *PICTURE, *sound, *codec, *variable)).frames())
    assert 20 <= len(frames) <= 30
    assert all(later.time > earlier.time for earlier, later in pairwise(frames))


@needs_ffmpeg
def test_an_undecodable_codec_is_named(tmp_path: Path) -> None:
    path = film(tmp_path / "film.mp4", *PICTURE, "-c:v", "libaom-av1", "-cpu-used", "8", "-frames:v", "5")
    with pytest.raises(SourceError, match=r"AV1.*ffmpeg"):
        list(VideoFile(path).frames())


@needs_ffmpeg
@pytest.mark.parametrize("options", [("-movflags", "+faststart"), ()], ids=["mp4", "mkv"])
def test_a_cut_film_gives_what_it_has(options: tuple[str, ...], tmp_path: Path) -> None:
    path = film(tmp_path / ("film.mp4" if options else "film.mkv"), *PICTURE, "-c:v", "mpeg4", "-g", "5", *options)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    read: list[Frame] = []
    with pytest.raises(SourceError, match="breaks off"):
        read.extend(VideoFile(path).frames())
    assert 10 <= len(read) < 60


def test_events_are_given_out_before_a_cut_film_is_reported(tmp_path: Path) -> None:
    last = CameraStatus(9.0, CameraHealth.OK)

    class Remembers:
        def feed(self, frame: Frame) -> list[PileEvent]:
            return []

        def finish(self) -> list[PileEvent]:
            return [last]

    path = simple(tmp_path / "cut.avi", 60)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    seen: list[PileEvent] = []
    with pytest.raises(SourceError, match="breaks off"):
        seen.extend(CaptureLoop(VideoFile(path), Remembers()).events())
    assert seen == [last]


def test_a_camera_is_named_by_its_device_file() -> None:
    source = open_source("/dev/v4l/by-id/usb-nobody-has-this-index0")
    assert source.name == "camera /dev/v4l/by-id/usb-nobody-has-this-index0"
    assert source.live


def test_a_webcam_is_asked_for_compressed_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[object, object]] = []

    class Capture:
        def __init__(self, device: object, *_: object) -> None:
            asked.append(("device", device))

        def set(self, name: int, value: float) -> bool:
            asked.append((name, value))
            return True

        def isOpened(self) -> bool:  # noqa: N802 (OpenCV's name)
            return False

        def release(self) -> None:
            pass

    monkeypatch.setattr(cv2, "VideoCapture", Capture)
    with pytest.raises(SourceError):
        list(open_source("0").frames())
    codec = (cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
    # Drivers choose among the sizes of the current format, so it comes first.
    assert asked.index(codec) < asked.index((cv2.CAP_PROP_FRAME_WIDTH, 1280))
