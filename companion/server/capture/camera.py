"""The running camera: events go to the table, preview frames to the screens."""

from __future__ import annotations

import gc
import json
import logging
import threading
from dataclasses import dataclass
from typing import Protocol

import companion.dataset.simulated  # noqa: F401 (registers itself as a source)
from companion.server.capture.frame_ring import FrameRing, small_jpeg
from companion.server.capture.hold import HeldTracker, Hold
from companion.vision.capture.capture_loop import CaptureLoop
from companion.vision.capture.frames import Frame, FrameSource, SourceError, UploadSource
from companion.vision.capture.sources import open_source
from companion.vision.core.events import CameraHealth, CameraStatus, CardLanded, PileEvent
from companion.vision.core.geometry import Image, Quad
from companion.vision.core.runtime import ModelFileError
from companion.vision.core.sightings import Back, Sighting
from companion.vision.pile.pile_state import Region
from companion.vision.pile.pile_tracker import Detect, PileTracker
from companion.vision.recognition.mirror import MirrorCorrection, unmirrored_event
from companion.vision.tracking.camera_advice import Visibility
from companion.vision.tracking.table_tracker import FindBacks, TableTracker

PHONE = "phone"
"""Source name of a phone's camera."""

PREVIEW_SECONDS = 1 / 6
_RECORD_SECONDS = 1 / 10
_PREVIEW_SIDE = 960
# Seconds for which a landed card stays outlined; later the pile may have moved.
_OUTLINED_SECONDS = 3.0

# Names of the threads that watch a source and play a simulated match.
_THREADS = frozenset({"pile", "preview", "recorder", "camera", "self-play"})
# Seconds in which the threads of a source end, even if the computer is busy.
_FAREWELL_SECONDS = 5.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class CameraState:
    """State of the camera. drops: frames skipped for newer ones; trouble: why no card can be read."""

    source: str | None
    name: str | None
    width: int
    height: int
    drops: int
    trouble: str | None
    hold: Hold | None = None


class CameraListener(Protocol):
    """Supplies a camera with detectors and receives its results. Called from the camera's threads."""

    def detector(self) -> Detect:
        """Return the detector for pictures of the pile; raises ModelFileError."""

    def close_detector(self) -> Detect:
        """Return the detector for the pile's surroundings; raises ModelFileError."""

    def back_finder(self) -> FindBacks:
        """Return the detector for face-down cards; raises ModelFileError."""

    def camera_saw(self, event: PileEvent) -> None:
        """Receive an event of the pile."""

    def camera_records(self) -> bool:
        """Return whether pictures may be kept for replays now."""

    def camera_showed(self, preview: str) -> None:
        """Receive a preview as JSON: frame number, size and the pile's outline."""

    def camera_changes(self) -> None:
        """Called when another source, or none, is watched from now on."""


def named_source(text: str | None) -> FrameSource | None:
    """Return the source with this name, `phone` among them, None for none; raises SourceError."""
    if text is None:
        return None
    return UploadSource() if text == PHONE else open_source(text)


class Camera:
    """Watches one source at a time. All methods are thread-safe."""

    def __init__(self, listener: CameraListener) -> None:
        self.listener = listener
        self.ring = FrameRing()
        """The last seconds, as far as they may be kept."""
        self._lock = threading.Lock()
        self._run: _Run | None = None

    @property
    def state(self) -> CameraState:
        """Return the camera's current state."""
        run = self._run
        if run is None:
            return CameraState(None, None, 0, 0, 0, None, None)
        frame = run.frame
        height, width = (0, 0) if frame is None else frame.image.shape[:2]
        return CameraState(run.text, run.source.name, width, height, run.drops, run.trouble, run.hold)

    def choose(self, text: str | None, region: Region | None = None, draw_pile: Region | None = None) -> None:
        """Watch a source by name, or none; raises SourceError if it cannot be opened.

        region, draw_pile: where the piles lie; None to find them.
        """
        self.watch(named_source(text), text or "", region, draw_pile)

    def watch(
        self,
        source: FrameSource | None,
        text: str,
        region: Region | None = None,
        draw_pile: Region | None = None,
        hold: Hold | None = None,
    ) -> None:
        """Watch an open source, or none. hold: why it does not count for the match yet."""
        with self._lock:
            if self._run is not None:
                self._run.stop()
                _collect_soon()
            self.listener.camera_changes()
            self.ring.clear()
            self._run = None if source is None else _Run(source, text, region, draw_pile, hold, self)
            if self._run is not None:
                self._run.start()

    def set_hold(self, hold: Hold | None) -> None:
        """Hold the camera, or let it count from now on, beginning with what lies there then."""
        with self._lock:
            if self._run is None or self._run.hold is hold:
                return
            self.listener.camera_changes()
            self._run.set_hold(hold)

    def push(self, data: bytes) -> bool:
        """Take a frame from a phone. Returns False if the phone is not the current source. Raises PictureError."""
        run = self._run
        if run is None or not isinstance(run.source, UploadSource):
            return False
        run.source.push(data)
        return True

    def frame(self) -> Frame | None:
        """Return the newest frame."""
        run = self._run
        return None if run is None else run.frame

    def draw_pile(self) -> Visibility | None:
        """Return how much of the draw pile is in view, None if unknown."""
        run = self._run
        return None if run is None else run.draw_pile

    def mirrors(self) -> bool:
        """Return whether the camera is known to mirror its pictures."""
        run = self._run
        return run is not None and run.mirrors

    def preview(self) -> bytes | None:
        """Return the newest frame as JPEG, scaled for a screen."""
        frame = self.frame()
        return None if frame is None else small_jpeg(frame.image, _PREVIEW_SIDE, 80)

    def close(self) -> None:
        """Stop watching. Waits briefly for threads that draw or decode, since they must not outlive the interpreter."""
        self.watch(None, "")
        for thread in threading.enumerate():
            if thread.name in _THREADS and thread is not threading.current_thread():
                thread.join(_FAREWELL_SECONDS)


class _Run:
    """Watches one source until `stop`."""

    def __init__(
        self,
        source: FrameSource,
        text: str,
        region: Region | None,
        draw_pile: Region | None,
        hold: Hold | None,
        camera: Camera,
    ) -> None:
        self.source, self.text = source, text
        self.trouble: str | None = None
        self._camera = camera
        self._region, self._draw_pile = region, draw_pile
        self._watcher: CaptureLoop | None = None
        self._hold = hold
        self._held: HeldTracker[TableTracker] | None = None
        self._eyes: MirrorCorrection | None = None
        self._outline: tuple[float, Quad] | None = None
        self._recorded = -1
        self._recording = threading.Lock()
        self._stopped = threading.Event()

    @property
    def frame(self) -> Frame | None:
        """The newest frame."""
        return None if self._watcher is None else self._watcher.newest

    @property
    def draw_pile(self) -> Visibility | None:
        """How much of the draw pile is in view, None if unknown."""
        return None if self._held is None else self._held.tracker.draw_pile_view()

    @property
    def hold(self) -> Hold | None:
        """Why the camera does not count, None if it does."""
        return self._hold

    def set_hold(self, hold: Hold | None) -> None:
        """Hold the camera, or let it count."""
        self._hold = hold
        if self._held is not None:
            self._held.set_hold(hold)

    @property
    def mirrors(self) -> bool:
        """Whether the camera is known to mirror its pictures."""
        return self._eyes is not None and self._eyes.mirrors

    @property
    def drops(self) -> int:
        """How many frames were skipped for newer ones."""
        pushed = self.source.drops if isinstance(self.source, UploadSource) else 0
        return pushed + (0 if self._watcher is None else self._watcher.drops)

    def start(self) -> None:
        """Start watching."""
        threading.Thread(target=self._watch, name="pile", daemon=True).start()
        threading.Thread(target=self._preview, name="preview", daemon=True).start()
        threading.Thread(target=self._record, name="recorder", daemon=True).start()

    def stop(self) -> None:
        """Ask the threads to end."""
        self._stopped.set()
        if self._watcher is not None:
            self._watcher.stop()
        if self._held is not None:
            self._held.close()
        if isinstance(self.source, UploadSource):
            self.source.close()

    def _watch(self) -> None:
        listener = self._camera.listener
        try:
            detect, detect_closeup, backs = listener.detector(), listener.close_detector(), listener.back_finder()
        except ModelFileError as error:
            # Without networks the preview still works.
            self.trouble = str(error)
            _log.warning("The pile cannot be read: %s", error)
            detect = detect_closeup = _find_nothing
            backs = _find_no_backs
        eyes = self._eyes = MirrorCorrection(detect, detect_closeup, self._turns)

        def make() -> TableTracker:
            return TableTracker(
                PileTracker(eyes.detect_pile, self._region, eyes.detect_closeup), backs, self._draw_pile
            )

        self._held = HeldTracker(make, hold=self._hold, waits=not self.source.live)
        self._held.set_hold(self._hold)  # it may have changed meanwhile
        self._watcher = CaptureLoop(self.source, self._held)
        try:
            for event in self._watcher.events():
                if self._stopped.is_set():
                    return
                if isinstance(event, CardLanded) and event.quad is not None:
                    self._outline = event.time, event.quad
                if isinstance(event, CameraStatus):
                    self._log_status(event)
                self._record_newest()  # the card may lie still for less time than passes between two kept pictures
                listener.camera_saw(unmirrored_event(event) if eyes.mirrors else event)
            if not self.source.live:
                _log.warning("%s has ended: name another source on the page, or go on by taps.", self.source.name)
        except SourceError as error:
            gone = CameraStatus(0.0, CameraHealth.GONE, str(error))
            self._log_status(gone)
            listener.camera_saw(gone)

    def _log_status(self, status: CameraStatus) -> None:
        """Log a camera that gives no pictures, for whoever sees only the terminal."""
        if status.health in (CameraHealth.GONE, CameraHealth.FROZEN):
            detail = status.detail or "no picture comes"
            _log.warning("%s is %s: %s", self.source.name, status.health.value, detail)

    def _turns(self, mirrors: bool) -> None:
        """Take note that the camera mirrors, or no longer does."""
        frame = self.frame
        health = CameraHealth.MIRRORED if mirrors else CameraHealth.OK
        self._camera.listener.camera_saw(CameraStatus(0.0 if frame is None else frame.time, health))

    def _preview(self) -> None:
        """Publish previews, a few per second."""
        shown = -1
        while not self._stopped.wait(PREVIEW_SECONDS):
            frame = self.frame
            if frame is None or frame.number == shown:
                continue
            shown = frame.number
            height, width = frame.image.shape[:2]
            outline = self._outline
            fresh = outline is not None and frame.time - outline[0] < _OUTLINED_SECONDS
            quad = outline[1].round(1).tolist() if outline is not None and fresh else None
            self._camera.listener.camera_showed(
                json.dumps({"n": shown, "width": width, "height": height, "pile": quad})
            )

    def _record(self) -> None:
        """Keep the last seconds for replays, while the camera counts for a match."""
        while not self._stopped.wait(_RECORD_SECONDS):
            self._record_newest()

    def _record_newest(self) -> None:
        with self._recording:
            frame = self.frame
            if self._hold is not None or not self._camera.listener.camera_records():
                self._camera.ring.clear()
            elif frame is not None and frame.number != self._recorded:
                self._recorded = frame.number
                self._camera.ring.add(frame)


def _collect_soon() -> None:
    """Free what belonged to a source: trackers and pictures refer to each other, and could stay for minutes."""
    timer = threading.Timer(_FAREWELL_SECONDS, gc.collect)
    timer.daemon = True
    timer.start()


def _find_nothing(image: Image) -> list[Sighting]:
    return []


def _find_no_backs(image: Image) -> list[Back]:
    return []
