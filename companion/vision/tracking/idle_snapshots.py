"""Keeps pictures of the table from times without arms at the draw pile, to measure later what an arm changed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.arms.frame_border import Point
from companion.vision.core.geometry import CARD_MARGIN, CARD_SIDE, CARD_WIDTH, Image, averaged
from companion.vision.imaging.motion import INSTANT, NOISES, SPARSE, WIDTH, Mask

KEPT = 12
"""Number of latest pictures kept of each kind, and of times of draws."""
# Minimum share of a pile's top that must be visible in both pictures. In 43 recorded matches pictures with part of it
# hidden made seven draws clearly more probable and none less.
_SHOWN = 0.5
# Minimum change of a pixel in grey levels, and at least `NOISES` times the median change.
_CHANGED = 12.0


@dataclass(frozen=True, eq=False)
class Picture:
    """A stored picture. began, ended: time span (s) in which it was valid. gray: (h, WIDTH) uint8. scale: from frames
    to its pixels.

    hidden: mask of arms, (h, w) uint8 of 0 and 1; None if there were none.
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

    def shown(self, length: float) -> NDArray[np.float32]:
        """Return (h, WIDTH) of 1 where no arm is near, 0 elsewhere. length: of a card, in frames."""
        if self.hidden is None:
            return np.ones(self.gray.shape, np.float32)
        side = 2 * round(CARD_MARGIN * length * self.hidden.shape[1] * self.scale / WIDTH) + 1
        near = cv2.dilate(self.hidden, np.ones((side, side), np.uint8))
        size = self.gray.shape[1], self.gray.shape[0]
        return 1 - cv2.resize(near, size, interpolation=cv2.INTER_NEAREST).astype(np.float32)

    def shows(self, place: Point, length: float) -> bool:
        """Whether enough of a pile at a place, in frame pixels, is visible."""
        piece = self.shown(length)[_window(self.gray, place * self.scale, CARD_SIDE / 2 * length * self.scale)]
        return bool(piece.mean() >= _SHOWN) if piece.size else True


@dataclass(frozen=True)
class Changed:
    """Change of a pile's top: differing share, since a time (s)."""

    share: float
    since: float


class _Series:
    """One picture per time span with at most a share of the pile hidden.

    most: that share.
    """

    def __init__(self, most: float) -> None:
        self._most = most
        self._since: float | None = None
        self.pictures: list[Picture] = []

    def settles(self, time: float, hidden: float) -> bool:
        """Return whether at most its share has been hidden for a moment."""
        if hidden > self._most:
            self._since = None
        elif self._since is None:
            self._since = time
        return self._since is not None and time - self._since >= INSTANT

    def is_due(self, time: float) -> bool:
        """Return whether this time span has no picture yet, or an old one."""
        return not self._goes_on() or time - self.pictures[-1].ended >= SPARSE

    def take(self, picture: Picture) -> None:
        """Add a picture that represents the time span since it began."""
        assert self._since is not None
        if self._goes_on():
            self.pictures.pop()
        self.pictures.append(replace(picture, began=self._since))
        self.pictures = self.pictures[-KEPT:]

    def forget(self) -> None:
        self.pictures, self._since = [], None

    def changed(self, place: Point, length: float, began: float, ended: float) -> Changed | None:
        """Return what `IdleSnapshots.changed` does, from these pictures.

        Uses the last one before and the first one after that show the pile.
        """
        earlier = (picture for picture in reversed(self.pictures) if picture.began <= began)
        later = (picture for picture in self.pictures if picture.ended >= ended)
        old, new = (next((one for one in some if one.shows(place, length)), None) for some in (earlier, later))
        if old is None or new is None or new.began <= old.began:
            return None
        share = difference(old, new, place, length)
        return None if share is None else Changed(share, old.ended)

    def _goes_on(self) -> bool:
        return bool(self.pictures) and self._since is not None and self.pictures[-1].began >= self._since


class IdleSnapshots:
    """Keeps one picture of the table per time span without arms at the draw pile, or with little of it hidden."""

    def __init__(self) -> None:
        self._series = _Series(0.0), _Series(1 - _SHOWN)  # The first kind is preferred.

    def see(self, image: Image, time: float, hidden: Mask | None, share: float) -> None:
        """Process a (H, W, 3) BGR uint8 frame. hidden: (h, w) mask of arms; share: of the pile hidden by them."""
        settled = [series for series in self._series if series.settles(time, share)]
        if not any(series.is_due(time) for series in settled):
            return
        gray = np.asarray(cv2.cvtColor(averaged(image, WIDTH), cv2.COLOR_BGR2GRAY), np.uint8)
        for series in settled:
            series.take(Picture(time, time, gray, WIDTH / image.shape[1], hidden))

    def forget(self) -> None:
        """Reset after the camera moved."""
        for series in self._series:
            series.forget()

    def changed(self, place: Point, length: float, began: float, ended: float, clearly: bool = False) -> Changed | None:
        """Return the change of a pile's top between two times (s); None if unknown.

        place: (2,) the pile's middle, length: of a card, both in frame pixels. clearly: use only pictures without arms
        at the pile, which are preferred in any case.
        """
        changes = (series.changed(place, length, began, ended) for series in self._series[: 1 if clearly else None])
        return next((change for change in changes if change is not None), None)


def difference(old: Picture, new: Picture, place: Point, length: float) -> float | None:
    """Return the differing share of a pile's top between two pictures; None if too little is visible.

    place: (2,) the pile's middle, length: of a card, both in frame pixels.
    """
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
    shown = old.shown(length) * new.shown(length)
    change = (now - before) * shown
    mean = cv2.blur(change, (size, size)) / np.maximum(cv2.blur(shown, (size, size)), 1 / size**2)
    fine = np.abs(change - mean * shown)
    piece, seen = fine[window], shown[window]
    if not piece.size or seen.mean() < _SHOWN:
        return None
    by = max(_CHANGED, NOISES * float(np.median(fine[::2, ::2][shown[::2, ::2] > 0])))
    return float(np.count_nonzero(piece > by) / np.count_nonzero(seen))


def hidden_share(hidden: Mask, place: Point, length: float, scale: float) -> float:
    """Return the share of a pile and its margin that a mask hides; 0 outside the picture.

    place: (2,) and length of a card in frame pixels. scale: from frames to the mask.
    """
    piece = hidden[_window(hidden, place * scale, (CARD_SIDE / 2 + CARD_MARGIN) * length * scale)]
    return float(np.mean(piece > 0)) if piece.size else 0.0


def _window(picture: NDArray[np.generic], middle: Point, half: float) -> tuple[slice, slice]:
    """Return the rows and columns of a window around a point, empty outside the picture."""
    x, y = middle
    return (
        slice(max(0, int(y - half)), max(0, int(y + half) + 1)),
        slice(max(0, int(x - half)), max(0, int(x + half) + 1)),
    )
