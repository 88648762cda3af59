"""The camera at work: a thread that reads a source, follows the pile, and tells the table and the screens."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import cv2

from companion.server.hub import Pace
from companion.vision.events import CameraHealth, CameraStatus, PileEvent
from companion.vision.frames import Frame, FrameSource, SourceError, UploadSource
from companion.vision.pile import Detect, PileTracker, Region
from companion.vision.sources import open_source

PHONE = "phone"
"""What names a phone's pictures among the sources."""

PREVIEWS_PER_SECOND = 6.0
_PREVIEW_SIDE = 960
_RETRY_SECONDS = 1.5
_GONE_SECONDS = 4.0
_FROZEN_SECONDS = 2.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class CameraState:
    """What the camera is doing. rate: frames per second of late; drops: pictures of a phone nobody looked at."""

    source: str | None
    name: str | None
    width: int
    height: int
    rate: float
    drops: int


class Camera:
    """One source at a time. All methods may be called from any thread.

    detect: returns what finds the cards, loaded when first needed. see: takes what happened to the pile. show: takes
    the number and outline of each new preview as JSON.
    """

    def __init__(
        self,
        detect: Callable[[], Detect],
        see: Callable[[PileEvent], None],
        show: Callable[[str], None],
    ) -> None:
        self._detect, self._see, self._show = detect, see, show
        self._lock = threading.Lock()
        self._run: _Run | None = None

    @property
    def state(self) -> CameraState:
        """What the camera is doing now."""
        run = self._run
        if run is None:
            return CameraState(None, None, 0, 0, 0.0, 0)
        frame = run.frame
        height, width = (0, 0) if frame is None else frame.image.shape[:2]
        drops = run.source.drops if isinstance(run.source, UploadSource) else 0
        return CameraState(run.text, run.source.name, width, height, run.rate, drops)

    def choose(self, text: str | None, region: Region | None = None) -> None:
        """Watch this source from now on, or none; raises SourceError where it can be none."""
        source = None
        if text is not None:
            source = UploadSource() if text == PHONE else open_source(text)
        self.watch(source, text or "", region)

    def watch(self, source: FrameSource | None, text: str, region: Region | None = None) -> None:
        """Watch a source that is already at hand, or none."""
        with self._lock:
            if self._run is not None:
                self._run.stop()
            self._run = None if source is None else _Run(source, text, region, self)
            if self._run is not None:
                self._run.thread.start()

    def push(self, data: bytes) -> bool:
        """Take in a phone's picture; returns whether a phone is the source. Raises PictureError."""
        run = self._run
        if run is None or not isinstance(run.source, UploadSource):
            return False
        run.source.push(data)
        return True

    def frame(self) -> Frame | None:
        """Return the newest frame."""
        run = self._run
        return None if run is None else run.frame

    def preview(self) -> bytes | None:
        """Return the newest frame as a JPEG file fit for a screen."""
        frame = self.frame()
        if frame is None:
            return None
        height, width = frame.image.shape[:2]
        scale = min(1.0, _PREVIEW_SIDE / max(height, width))
        small = cv2.resize(frame.image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        _, data = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, 80])
        return data.tobytes()

    def close(self) -> None:
        """Stop watching."""
        self.watch(None, "")


class _Run:
    """One source being watched, until it is told to stop."""

    def __init__(self, source: FrameSource, text: str, region: Region | None, camera: Camera) -> None:
        self.source, self.text = source, text
        self.frame: Frame | None = None
        self.rate = 0.0
        self.thread = threading.Thread(target=self._work, name="camera", daemon=True)
        self._camera = camera
        self._region = region
        self._stopped = threading.Event()
        self._pace = Pace(PREVIEWS_PER_SECOND)
        self._health: CameraHealth | None = None
        self._tracker: PileTracker | None = None
        self._print: bytes | None = None
        self._fresh = 0.0

    def stop(self) -> None:
        """Let the thread end after the frame that it is at."""
        self._stopped.set()
        if isinstance(self.source, UploadSource):
            self.source.close()

    def _work(self) -> None:
        try:
            self._tracker = PileTracker(self._camera._detect(), self._region)
        except Exception as error:  # without its networks the camera still shows its picture
            _log.warning("The pile cannot be read: %s", error)
            self._tell(CameraHealth.OK, str(error))
        while not self._stopped.is_set():
            try:
                for frame in self.source.frames():
                    if self._stopped.is_set():
                        return
                    self._take(frame)
                if not self.source.live:
                    self._finish()
                    return
            except SourceError as error:
                self._tell(CameraHealth.GONE, str(error))
            self._stopped.wait(_RETRY_SECONDS)

    def _take(self, frame: Frame) -> None:
        previous, self.frame = self.frame, frame
        if previous is not None and frame.time > previous.time:
            self.rate += 0.1 * (1 / (frame.time - previous.time) - self.rate)
        self._watch_health(frame)
        events = self._tracker.feed(frame) if self._tracker is not None else []
        for event in events:
            self._camera._see(event)
        if events or self._pace.now():
            height, width = frame.image.shape[:2]
            self._camera._show(
                json.dumps({"n": frame.number, "width": width, "height": height, "pile": self._outline(events)})
            )

    def _outline(self, events: list[PileEvent]) -> list[list[float]] | None:
        """Return the top card's outline where an event has just told it."""
        for event in reversed(events):
            quad = getattr(event, "quad", None)
            if quad is not None:
                return [[round(float(x), 1), round(float(y), 1)] for x, y in quad]
        return None

    def _watch_health(self, frame: Frame) -> None:
        """Tell when the picture stands still to the last bit, which no real camera's does."""
        now = time.monotonic()
        glance = frame.image[::8, ::8].tobytes()
        if glance != self._print or not self.source.live:
            self._print, self._fresh = glance, now
            if self._tracker is not None or self._health is not CameraHealth.OK:
                self._tell(CameraHealth.OK, "")
        elif now - self._fresh > _FROZEN_SECONDS:
            self._tell(CameraHealth.FROZEN, "The picture stands still.")

    def _finish(self) -> None:
        for event in self._tracker.finish() if self._tracker is not None else []:
            self._camera._see(event)

    def _tell(self, health: CameraHealth, detail: str) -> None:
        if health is self._health or self._stopped.is_set():
            return
        self._health = health
        seconds = 0.0 if self.frame is None else self.frame.time
        self._camera._see(CameraStatus(seconds, health, detail))
