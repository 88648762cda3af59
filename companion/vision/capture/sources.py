"""The available sources, and `open_source`, which selects one from a text."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import cv2

from companion.vision.capture.frames import CONNECT_PATIENCE, Frame, FrameSource, SourceError, Stopwatch, as_picture
from companion.vision.capture.image_files import SUFFIXES, PictureError, load_picture, pictures_in
from companion.vision.capture.video_headers import is_truncated
from companion.vision.capture.webcams import open_webcam

_log = logging.getLogger(__name__)

PICTURES_PER_SECOND = 30.0
"""Usual rate of a camera, and default rate of a folder's pictures and of a container without time stamps and rate."""

Opener = Callable[[str], FrameSource | None]
"""Takes the text after the colon and returns the source it names, or None if it is invalid."""

_registered: dict[str, Opener] = {}

_STREAM_SCHEMES = frozenset({"rtsp", "rtsps", "rtmp", "http", "https", "udp", "tcp"})


class LiveSource:
    """A camera or stream. connect: opens it, whether or not it is there."""

    live = True

    def __init__(self, name: str, connect: Callable[[], cv2.VideoCapture]) -> None:
        self.name = name
        self._connect = connect
        self._clock = Stopwatch()

    def frames(self) -> Iterator[Frame]:
        """Yield pictures as they arrive."""
        _hush()
        capture = self._connect()
        try:
            if not capture.isOpened():
                raise SourceError(
                    f"There is no picture from {self.name}: check that it is on and that nothing else uses it."
                )
            garbled = 0
            # A second of frames that cannot be decoded is a broken stream.
            while garbled < PICTURES_PER_SECOND:
                taken, raw = capture.read()
                if not taken:
                    break
                image = as_picture(raw)
                if image is None:
                    garbled += 1
                    continue
                garbled = 0
                yield self._clock.stamp(image)
            raise SourceError(f"{self.name[:1].upper()}{self.name[1:]} stopped sending pictures.")
        finally:
            capture.release()


def webcam(device: int | str) -> LiveSource:
    """Return a camera by number, 0 being the computer's first, or by its device file on Linux."""
    return LiveSource(f"camera {device}", lambda: open_webcam(device))


def network_stream(address: str) -> LiveSource:
    """Return a network camera: RTSP, RTMP, MJPEG or video over HTTP."""
    limits = (cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, cv2.CAP_PROP_READ_TIMEOUT_MSEC)
    options = [value for limit in limits for value in (limit, round(1000 * CONNECT_PATIENCE))]
    return LiveSource(without_password(address), lambda: cv2.VideoCapture(address, cv2.CAP_FFMPEG, options))


class VideoFile:
    """A recording, with its own time stamps, read as fast as possible."""

    live = False

    def __init__(self, path: Path) -> None:
        self._path = path
        self.name = str(path)

    def frames(self) -> Iterator[Frame]:
        """Yield every frame; raises SourceError if the file is no video, or at the end if it is truncated."""
        _hush()
        # FFmpeg would take the start of a relative name such as `VID-12:30.mp4` for a protocol.
        capture = cv2.VideoCapture(str(self._path.absolute()))
        try:
            rate = capture.get(cv2.CAP_PROP_FPS)
            step = 1 / (rate if 1 <= rate <= 1000 else PICTURES_PER_SECOND)
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
            codec = _codec(capture)
        finally:
            capture.release()
        if number == 0:
            raise SourceError(_unreadable(self.name, codec))
        if is_truncated(self._path):
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
        first: PictureError | None = None
        for place, file in enumerate([self._path] if self._path.is_file() else pictures_in(self._path)):
            try:
                image = load_picture(file)
            except PictureError as error:
                _log.warning("%s; it is left out.", error)
                first = first or error
                continue
            yield Frame(image, place / self._rate, number)
            number += 1
        if number == 0:
            raise SourceError(f"{self.name} holds no picture that can be read{f' ({first})' if first else ''}.")


def open_source(text: str, rate: float = PICTURES_PER_SECOND) -> FrameSource:
    """Return the source that a text names; it connects when its frames are requested.

    `text`: a camera number or device file, stream address, video or picture file, folder of pictures (`rate` per
    second), or a registered kind such as `simulated` or `simulated:SEED`. Raises SourceError if it is none of these.
    """
    if text.isdecimal():
        return webcam(int(text))
    kind, _, details = text.partition(":")
    registered = _registered[kind](details) if kind in _registered else None
    if registered is not None:
        return registered
    if urlsplit(text).scheme in _STREAM_SCHEMES:
        return network_stream(text)
    path = Path(text)
    # Also if it is not plugged in now: a lost camera is waited for.
    if path.parts[:2] == ("/", "dev"):
        return webcam(text)
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


def _codec(capture: cv2.VideoCapture) -> str:
    """Return the four-character code of the video's codec, empty if unknown."""
    code = int(capture.get(cv2.CAP_PROP_FOURCC)) & 0xFFFFFFFF
    return code.to_bytes(4, "little").decode("ascii", "replace").strip("\0 ").upper() if capture.isOpened() else ""


def _unreadable(name: str, codec: str) -> str:
    if not codec or not codec.isprintable():
        return f"{name} is no video that can be read."
    called = {"AV01": "AV1"}.get(codec, codec)
    return (
        f"{name} is encoded as {called}, which cannot be decoded here: record as H.264, or convert it with "
        f"ffmpeg -i {name} -c:v libx264 film.mp4."
    )


def _hush() -> None:
    """Suppress OpenCV's and FFmpeg's own messages, and a search on Windows that takes half a minute."""
    os.environ.setdefault("OPENCV_VIDEOIO_MSMF_ENABLE_HW_TRANSFORMS", "0")
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)
