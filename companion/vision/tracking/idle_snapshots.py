"""Keeps pictures of the table from times without arms at the draw pile, to measure later what an arm changed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.arms.frame_border import Point
from companion.vision.core.geometry import CARD_MARGIN, CARD_SIDE, CARD_WIDTH, Image, averaged
from companion.vision.imaging.durations import INSTANT, SPARSE
from companion.vision.imaging.masks import NOISES, Mask, resized
from companion.vision.imaging.motion import MEDIUM_WIDTH

MAX_KEPT = 12
"""Number of latest pictures kept of each kind, and of times of draws."""
# Minimum share of a pile's top that must be visible in both pictures.
_MIN_VISIBLE = 0.5
# Minimum change of a pixel in grey levels, and at least `NOISES` times the median change.
_CHANGED = 12.0


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A stored picture. began, ended: time span (s) in which it was valid. gray: (h, MEDIUM_WIDTH) uint8.

    scale: from frames to its pixels. hidden: mask of arms, (h, w) uint8 of 0 and 1; None if there were none.
    """

    began: float
    ended: float
    gray: Image
    scale: float
    hidden: Mask | None

    @cached_property
    def brightness(self) -> float:
        """Median of its grey levels, at least 1."""
        return max(1.0, float(np.median(self.gray)))

    def visible(self, length: float) -> NDArray[np.float32]:
        """Return (h, MEDIUM_WIDTH) of 1 where no arm is near, 0 elsewhere. length: of a card, in frames."""
        if self.hidden is None:
            return np.ones(self.gray.shape, np.float32)
        side = 2 * round(CARD_MARGIN * length * self.hidden.shape[1] * self.scale / MEDIUM_WIDTH) + 1
        near = cv2.dilate(self.hidden, np.ones((side, side), np.uint8))
        return 1 - resized(np.asarray(near, np.uint8), self.gray.shape).astype(np.float32)

    def is_visible(self, place: Point, length: float) -> bool:
        """Whether enough of a pile at a place, in frame pixels, is visible."""
        piece = self.visible(length)[_window(self.gray, place * self.scale, CARD_SIDE / 2 * length * self.scale)]
        return bool(piece.mean() >= _MIN_VISIBLE) if piece.size else True


@dataclass(frozen=True)
class TopChange:
    """Change of a pile's top: differing share, since a time (s)."""

    share: float
    since: float


class _Series:
    """One picture per time span in which at most the share `most` of the pile is hidden."""

    def __init__(self, most: float) -> None:
        self._most = most
        self._since: float | None = None
        self.snapshots: list[Snapshot] = []

    def is_settled(self, time: float, hidden: float) -> bool:
        """Return whether at most its share has been hidden for a moment."""
        if hidden > self._most:
            self._since = None
        elif self._since is None:
            self._since = time
        return self._since is not None and time - self._since >= INSTANT

    def is_due(self, time: float) -> bool:
        """Return whether this time span has no picture yet, or an old one."""
        return not self._continues() or time - self.snapshots[-1].ended >= SPARSE

    def add(self, snapshot: Snapshot) -> None:
        """Add a picture that represents the time span since it began."""
        assert self._since is not None
        earlier = self.snapshots[:-1] if self._continues() else self.snapshots
        self.snapshots = [*earlier, replace(snapshot, began=self._since)][-MAX_KEPT:]

    def reset(self) -> None:
        self.snapshots, self._since = [], None

    def change(self, place: Point, length: float, began: float, ended: float) -> TopChange | None:
        """Return the change from the last picture before to the first one after that show the pile."""
        earlier = (snapshot for snapshot in reversed(self.snapshots) if snapshot.began <= began)
        later = (snapshot for snapshot in self.snapshots if snapshot.ended >= ended)
        old, new = (next((s for s in some if s.is_visible(place, length)), None) for some in (earlier, later))
        if old is None or new is None or new.began <= old.began:
            return None
        share = changed_share(old, new, place, length)
        return None if share is None else TopChange(share, old.ended)

    def _continues(self) -> bool:
        return bool(self.snapshots) and self._since is not None and self.snapshots[-1].began >= self._since


class IdleSnapshots:
    """Keeps one picture of the table per time span without arms at the draw pile, or with little of it hidden."""

    def __init__(self) -> None:
        self._series = _Series(0.0), _Series(1 - _MIN_VISIBLE)  # The first kind is preferred.

    def feed(self, image: Image, time: float, hidden: Mask | None, share: float) -> None:
        """Process a (H, W, 3) BGR uint8 frame. hidden: (h, w) mask of arms; share: of the pile hidden by them."""
        settled = [series for series in self._series if series.is_settled(time, share)]
        if not any(series.is_due(time) for series in settled):
            return
        gray = np.asarray(cv2.cvtColor(averaged(image, MEDIUM_WIDTH), cv2.COLOR_BGR2GRAY), np.uint8)
        for series in settled:
            series.add(Snapshot(time, time, gray, MEDIUM_WIDTH / image.shape[1], hidden))

    def reset(self) -> None:
        """Reset after the camera moved."""
        for series in self._series:
            series.reset()

    def change(self, place: Point, length: float, began: float, ended: float, clear: bool = False) -> TopChange | None:
        """Return the change of a pile's top between two times (s), in frame pixels. clear: with no arm at the pile."""
        changes = (series.change(place, length, began, ended) for series in self._series[: 1 if clear else None])
        return next((change for change in changes if change is not None), None)


def changed_share(old: Snapshot, new: Snapshot, place: Point, length: float) -> float | None:
    """Return the differing share of a pile's top, in frame pixels, between two pictures; None if too little shows."""
    if old.gray.shape != new.gray.shape:
        return None
    # Lamps and exposure change the brightness globally.
    gain = old.brightness / new.brightness
    # The mean change of a neighbourhood is removed: shade changes all of it, a shifted card the edges of its print.
    size, half = max(3, round(CARD_WIDTH / 2 * length * old.scale)), CARD_SIDE / 2 * length * old.scale
    window = _window(old.gray, place * old.scale, half)
    about = _window(old.gray, place * old.scale, half + size)
    if old.hidden is None and new.hidden is None and new.gray[window].size:
        most = np.abs(new.gray[about].astype(np.float32) * gain - old.gray[about].astype(np.float32)).max()
        if 2 * most <= _CHANGED:
            return 0.0  # The usual case: no pixel differs by more than the threshold.
    before, now = old.gray.astype(np.float32), new.gray.astype(np.float32)
    now *= gain
    visible = old.visible(length) * new.visible(length)
    change = (now - before) * visible
    mean = cv2.blur(change, (size, size)) / np.maximum(cv2.blur(visible, (size, size)), 1 / size**2)
    fine = np.abs(change - mean * visible)
    piece, seen = fine[window], visible[window]
    if not piece.size or seen.mean() < _MIN_VISIBLE:
        return None
    by = max(_CHANGED, NOISES * float(np.median(fine[::2, ::2][visible[::2, ::2] > 0])))
    return float(np.count_nonzero(piece > by) / np.count_nonzero(seen))


def hidden_share(hidden: Mask, place: Point, length: float, scale: float) -> float:
    """Return the share of a pile and its margin, in frame pixels, that a mask hides; scale: from frames to it."""
    piece = hidden[_window(hidden, place * scale, (CARD_SIDE / 2 + CARD_MARGIN) * length * scale)]
    return float(np.mean(piece > 0)) if piece.size else 0.0


def _window(picture: NDArray[np.generic], middle: Point, half: float) -> tuple[slice, slice]:
    """Return the rows and columns of a window around a point, empty outside the picture."""
    x, y = middle
    return (
        slice(max(0, int(y - half)), max(0, int(y + half) + 1)),
        slice(max(0, int(x - half)), max(0, int(x + half) + 1)),
    )
