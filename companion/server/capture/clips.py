"""Clips of what the camera saw, held in memory within a limit of bytes. Nothing is written to disk."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from companion.server.capture.frame_ring import Still, decoded, small_jpeg

Outline = tuple[tuple[float, float], ...]
"""Corners of a card, x and y as fractions (0 to 1) of the picture's width and height."""


@dataclass(frozen=True, slots=True)
class Clip:
    """What the camera saw of one observation, from the arm coming in to the card lying still.

    time: of the observation, seconds since the epoch. reading: identifier of the reading behind it, None without one.
    landed: time of the first picture in which the card lies still, on the clock of the pictures. outline: of the card
    there, None if unknown. mirrored: whether the camera mirrors its pictures.
    """

    time: float
    reading: str | None
    stills: tuple[Still, ...]
    landed: float
    outline: Outline | None = None
    mirrored: bool = False

    @property
    def size(self) -> int:
        """Bytes of its pictures."""
        return sum(len(still.jpeg) for still in self.stills)

    def thinned(self, side: int = 400, quality: int = 50) -> Clip:
        """Return the clip with every second picture, the last one included, each with this longer side at most."""
        kept = self.stills[::-1][::2][::-1]
        return replace(self, stills=tuple(Still(one.time, _smaller(one.jpeg, side, quality)) for one in kept))


class Clips:
    """The kept clips, oldest first. Thread-safe.

    most_bytes: of all clips together. Beyond it old clips lose every second picture, down to `fewest`, and the rest
    get smaller; then they are dropped.
    """

    def __init__(self, most_bytes: int = 6 << 20, *, fewest: int = 6) -> None:
        self._most, self._fewest = most_bytes, fewest
        self._lock = threading.Lock()
        self._clips: dict[float, Clip] = {}

    @property
    def size(self) -> int:
        """Bytes of all clips."""
        return sum(clip.size for clip in list(self._clips.values()))

    def keep(self, clip: Clip, best: Collection[float] = ()) -> None:
        """Keep a clip. best: times of clips that are dropped only after all others."""
        with self._lock:
            self._keep(clip, best)

    def lengthen(self, clip: Clip, stills: Sequence[Still], best: Collection[float] = ()) -> None:
        """Add pictures to the end of a clip, unless it was changed or dropped since it was returned."""
        with self._lock:
            if self._clips.get(clip.time) is clip:
                self._keep(replace(clip, stills=(*clip.stills, *stills)), best)

    def _keep(self, clip: Clip, best: Collection[float]) -> None:
        self._clips[clip.time] = clip
        order = sorted(self._clips, key=lambda time: (time in best, time))
        excess = self.size - self._most
        older = [time for time in order if time != clip.time]
        for time in older:
            excess -= self._thin(time, excess)
        for time in older:
            excess -= self._clips.pop(time).size if excess > 0 else 0
        if excess - self._thin(clip.time, excess) > 0:
            del self._clips[clip.time]

    def _thin(self, time: float, excess: int) -> int:
        """Thin a clip until this many bytes are saved, if it can be; return how many were."""
        before = clip = self._clips[time]
        while before.size - clip.size < excess and len(clip.stills) >= 2 * self._fewest:
            clip = clip.thinned()
        self._clips[time] = clip
        return before.size - clip.size

    @property
    def newest(self) -> Clip | None:
        """The clip that was kept last, None without any."""
        with self._lock:
            return next(reversed(self._clips.values()), None)

    def at(self, time: float) -> Clip | None:
        """Return the clip of the observation at this time (seconds since the epoch), None if there is none."""
        return self._clips.get(time)

    def of_reading(self, reading: str) -> Clip | None:
        """Return the clip of the observation with this reading, None if there is none."""
        with self._lock:
            return next((clip for clip in self._clips.values() if clip.reading == reading), None)

    def keep_only(self, times: Collection[float]) -> None:
        """Drop all other clips."""
        with self._lock:
            self._clips = {time: clip for time, clip in self._clips.items() if time in times}


def _smaller(jpeg: bytes, side: int, quality: int) -> bytes:
    image = decoded(jpeg)
    return jpeg if max(image.shape[:2]) <= side else small_jpeg(image, side, quality)
