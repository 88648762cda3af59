"""The available sources, and `open_source`, which selects one from a text."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import cv2

from companion.vision.capture.frames import Frame, FrameSource, SourceError, Stopwatch, as_picture
from companion.vision.capture.image_files import SUFFIXES, PictureError, load_picture

PICTURES_PER_SECOND = 30.0
"""Default rate of a folder's pictures."""

Opener = Callable[[str], FrameSource | None]
"""Takes the text after the colon and returns the source it names, or None if it is invalid."""

_registered: dict[str, Opener] = {}

_STREAM_SCHEMES = frozenset({"rtsp", "rtsps", "rtmp", "http", "https", "udp", "tcp"})
# FFmpeg's timeout for a stream. A camera counts as lost earlier, but a slow one may still connect.
_STREAM_PATIENCE_MS = 5000
_WEBCAM_SIZE = (1280, 720)
# Frame rate assumed for a container that has neither time stamps nor a rate.
_USUAL_RATE = 30.0
# Number of consecutive undecodable frames after which a stream counts as broken: about two seconds.
_GARBLED_LIMIT = 60


class Webcam:
    """A camera by number; 0 is the computer's first."""

    live = True

    def __init__(self, number: int) -> None:
        self._number = number
        self._clock = Stopwatch()
        self.name = f"camera {number}"

    def frames(self) -> Iterator[Frame]:
        """Yield pictures as the camera delivers them."""
        _hush()
        capture = cv2.VideoCapture(self._number)
        capture.set(cv2.CAP_PROP_FRAME_WIDTH, _WEBCAM_SIZE[0])
        capture.set(cv2.CAP_PROP_FRAME_HEIGHT, _WEBCAM_SIZE[1])
        # Queued pictures in the driver would be processed with a wrong time.
        capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        yield from _live_frames(capture, self._clock, self.name)


class NetworkStream:
    """A network camera: RTSP, RTMP, MJPEG or video over HTTP."""

    live = True

    def __init__(self, address: str) -> None:
        self._address = address
        self._clock = Stopwatch()
        self.name = without_password(address)

    def frames(self) -> Iterator[Frame]:
        """Yield pictures as they arrive."""
        _hush()
        limits = (cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, cv2.CAP_PROP_READ_TIMEOUT_MSEC)
        options = [value for limit in limits for value in (limit, _STREAM_PATIENCE_MS)]
        capture = cv2.VideoCapture(self._address, cv2.CAP_FFMPEG, options)
        yield from _live_frames(capture, self._clock, self.name)


# Some containers only estimate their frame count; a file with fewer frames than this share is truncated.
_WHOLE = 0.8


class VideoFile:
    """A recording, with its own time stamps, read as fast as possible."""

    live = False

    def __init__(self, path: Path) -> None:
        self._path = path
        self.name = str(path)

    def frames(self) -> Iterator[Frame]:
        """Yield every frame; raises SourceError if the file is no video."""
        _hush()
        capture = cv2.VideoCapture(str(self._path))
        try:
            rate = capture.get(cv2.CAP_PROP_FPS)
            step = 1 / (rate if 1 <= rate <= 1000 else _USUAL_RATE)
            number, last = 0, -step
            while True:
                taken, raw = capture.read()
                image = as_picture(raw) if taken else None
                if image is None:
                    break
                stamp = capture.get(cv2.CAP_PROP_POS_MSEC) / 1000
                # Some containers repeat a time stamp or give 0. Times must increase for the motion gate.
                last = stamp if stamp > last else last + step
                yield Frame(image, last, number)
                number += 1
            declared = capture.get(cv2.CAP_PROP_FRAME_COUNT)
        finally:
            capture.release()
        if number == 0:
            raise SourceError(f"{self.name} is no video that can be read.")
        if number < _WHOLE * declared:
            raise SourceError(f"{self.name} breaks off after {last:.0f} seconds: the rest of the film is missing.")


class PictureFolder:
    """Pictures of a folder in natural order of their names (2 before 10), `rate` per second."""

    live = False

    def __init__(self, path: Path, rate: float = PICTURES_PER_SECOND) -> None:
        self._path = path
        self._rate = rate
        self.name = str(path)

    def frames(self) -> Iterator[Frame]:
        """Yield every picture, skipping damaged ones; raises SourceError if there is none."""
        number = 0
        for place, file in enumerate(_pictures(self._path)):
            try:
                image = load_picture(file)
            except PictureError:
                continue
            yield Frame(image, place / self._rate, number)
            number += 1
        if number == 0:
            raise SourceError(f"{self.name} holds no picture that can be read.")


def open_source(text: str, rate: float = PICTURES_PER_SECOND) -> FrameSource:
    """Return the source that a text names; it connects when its frames are requested.

    `text`: a camera number, stream address, video or picture file, folder of pictures (`rate` per second), or a
    registered kind such as `simulated` or `simulated:SEED`. Raises SourceError if it is none of these.
    """
    if text.isdecimal():
        return Webcam(int(text))
    kind, _, details = text.partition(":")
    registered = _registered[kind](details) if kind in _registered else None
    if registered is not None:
        return registered
    if urlsplit(text).scheme in _STREAM_SCHEMES:
        return NetworkStream(text)
    path = Path(text)
    if path.is_dir() or (path.is_file() and path.suffix.lower() in SUFFIXES):
        return PictureFolder(path, rate)
    if path.is_file():
        return VideoFile(path)
    raise SourceError(
        f"There is no {text}: name a camera by its number, a video file, a folder of pictures, "
        "a stream's address, or simulated."
    )


def register(kind: str, opener: Opener) -> None:
    """Register a kind of source: `opener` is called for the text `kind`, or `kind:...`."""
    _registered[kind] = opener


def without_password(address: str) -> str:
    """Return a stream's address without its user name and password."""
    parts = urlsplit(address)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _live_frames(capture: cv2.VideoCapture, clock: Stopwatch, name: str) -> Iterator[Frame]:
    try:
        if not capture.isOpened():
            raise SourceError(f"There is no picture from {name}: check that it is on and that nothing else uses it.")
        garbled = 0
        while garbled < _GARBLED_LIMIT:
            taken, raw = capture.read()
            if not taken:
                break
            image = as_picture(raw)
            if image is None:
                garbled += 1
                continue
            garbled = 0
            yield clock.stamp(image)
        raise SourceError(f"{name[:1].upper()}{name[1:]} stopped sending pictures.")
    finally:
        capture.release()


def _pictures(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    files = (file for file in path.iterdir() if file.suffix.lower() in SUFFIXES)
    return sorted(files, key=lambda file: [int(p) if p.isdecimal() else p for p in re.split(r"(\d+)", file.name)])


def _hush() -> None:
    """Suppress OpenCV's and FFmpeg's own messages; SourceError reports the problem in one sentence.

    Also skips Media Foundation's hardware search on Windows, which takes half a minute before a webcam's first picture.
    """
    os.environ.setdefault("OPENCV_VIDEOIO_MSMF_ENABLE_HW_TRANSFORMS", "0")
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)
