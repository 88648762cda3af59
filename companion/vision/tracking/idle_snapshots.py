"""What the table looked like whenever arms left the draw pile in view: what one did to it is told afterwards."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.arms.frame_border import Point
from companion.vision.core.geometry import Image, averaged
from companion.vision.imaging.motion import Mask

# Width at which pictures are kept: a card is fifty or more pixels long, and a pile's top that moved by a millimetre or
# two changes its edges. A picture takes 58 kB.
_WIDTH = 320
# Seconds without an arm there after which a picture is kept, and how often a newer one takes its place till one comes.
_SETTLES, _RENEWS = 0.1, 0.5
# Half the side of the piece of a pile that is compared, in lengths of a card: its top card, and little beside it; and
# how far about it nothing of an arm may be seen.
_HALF, _ABOUT = 0.42, 0.12
# Which share of that piece, and of what is about it, hands may hide in a picture, and which share of it must be in view
# in both pictures for it to tell what became of it: the less is hidden the better. In 43 recorded matches the second
# made seven draws clearly likelier, and none less likely; one was found by the third alone.
_VIEWS = ((0.0, 0.5), (0.4, 0.5), (0.65, 0.3))
# How much longer than an arm's stay the time between two pictures may be (s), for it to have done what differs in them:
# its coming and its leaving take a second each.
_APART = 4.0
# Grey levels that a pixel must change by, and so many times as much as half of the picture's pixels do.
_CHANGED, _NOISES = 12.0, 6.0
# The neighbourhood, in lengths of a card, whose mean change is taken off: shade changes all of it alike, a card that
# lies otherwise the edges of what is printed on it.
_SHADE = 0.3


@dataclass(frozen=True, eq=False)
class Picture:
    """began, ended: between which times (s) it was so. gray: (h, _WIDTH) uint8. scale: from frames to its pixels.

    hidden: where arms were in it, packed bits of a mask with these rows and columns; None where none were.
    """

    began: float
    ended: float
    gray: Image
    scale: float
    hidden: tuple[NDArray[np.uint8], tuple[int, int]] | None

    @cached_property
    def brightness(self) -> float:
        """The median of its grey levels, at least 1."""
        return max(1.0, float(np.median(self.gray)))

    def shown(self, length: float) -> NDArray[np.float32]:
        """Return (h, _WIDTH) of 1 where no arm was and none was near, 0 elsewhere. length: a card's, in the frames."""
        if self.hidden is None:
            return np.ones(self.gray.shape, np.float32)
        bits, (rows, columns) = self.hidden
        mask = np.unpackbits(bits, count=rows * columns).reshape(rows, columns)
        side = 2 * round(_ABOUT * length * columns * self.scale / _WIDTH) + 1
        near = cv2.dilate(mask, np.ones((side, side), np.uint8))
        size = self.gray.shape[1], self.gray.shape[0]
        return 1 - cv2.resize(near, size, interpolation=cv2.INTER_NEAREST).astype(np.float32)

    def shows(self, place: Point, length: float, share: float) -> bool:
        """Whether this share of a pile that lies there, in pixels of the frames, is in view."""
        if self.hidden is None:
            return True
        piece = self.shown(length)[_window(self.gray, place * self.scale, _HALF * length * self.scale)]
        return bool(piece.mean() >= share) if piece.size else True


@dataclass(frozen=True)
class Changed:
    """What became of a pile's top: the share of it that differs since a time (s)."""

    share: float
    since: float


class _Series:
    """A picture for each stretch of time in which no more than a share of the pile was hidden. keep: see QuietPictures.

    most: that share. seen: the one that is to be seen of it in two pictures.
    """

    def __init__(self, most: float, seen: float, keep: int | None) -> None:
        self._most, self._keep = most, keep
        self._in_view = seen
        self._since: float | None = None
        self.pictures: list[Picture] = []

    def settles(self, time: float, hidden: float) -> bool:
        """Return whether no more than its share of the pile has been hidden for a while, this one being hidden now."""
        if hidden > self._most:
            self._since = None
        elif self._since is None:
            self._since = time
        return self._since is not None and time - self._since >= _SETTLES

    def is_due(self, time: float) -> bool:
        """Return whether this stretch of time has no picture yet, or an old one."""
        return not self._goes_on() or time - self.pictures[-1].ended >= _RENEWS

    def take(self, picture: Picture) -> None:
        """Take in a picture, which stands for the stretch since that began."""
        assert self._since is not None
        if self._goes_on():
            self.pictures.pop()
        self.pictures.append(replace(picture, began=self._since))
        if self._keep is not None:
            self.pictures = self.pictures[-self._keep :]

    def forget(self) -> None:
        self.pictures, self._since = [], None

    def changed(self, place: Point, length: float, began: float, ended: float) -> Changed | None:
        """Return what `QuietPictures.changed` does, as far as these pictures tell.

        By the last one before and the first one after that show the pile, if nothing else can have happened meanwhile.
        """
        number = bisect_right([picture.began for picture in self.pictures], began) - 1
        after = bisect_left([picture.ended for picture in self.pictures], ended)
        while number >= 0 and not self.pictures[number].shows(place, length, self._in_view):
            number -= 1
        while after < len(self.pictures) and not self.pictures[after].shows(place, length, self._in_view):
            after += 1
        if number < 0 or after >= len(self.pictures) or after <= number:
            return None
        old, new = self.pictures[number], self.pictures[after]
        if new.began - old.ended > ended - began + _APART:
            return None
        share = difference(old, new, place, length, self._in_view)
        return None if share is None else Changed(share, old.ended)

    def _goes_on(self) -> bool:
        return bool(self.pictures) and self._since is not None and self.pictures[-1].began >= self._since


class QuietPictures:
    """Keeps a picture of the table for each time that no arm was at the draw pile, or one hid no more than a part.

    keep: how many of either, all where None.
    """

    def __init__(self, keep: int | None = None) -> None:
        self._series = tuple(_Series(most, seen, keep) for most, seen in _VIEWS)

    def see(self, image: Image, time: float, hidden: Mask | None, share: float) -> None:
        """Take in a (H, W, 3) BGR uint8 frame. hidden: (h, w) mask of arms; share: of the pile, what they hide."""
        settled = [series for series in self._series if series.settles(time, share)]
        if not any(series.is_due(time) for series in settled):
            return
        gray = np.asarray(cv2.cvtColor(averaged(image, _WIDTH), cv2.COLOR_BGR2GRAY), np.uint8)
        where = None if hidden is None else (np.packbits(hidden > 0), (hidden.shape[0], hidden.shape[1]))
        for series in settled:
            series.take(Picture(time, time, gray, _WIDTH / image.shape[1], where))

    def forget(self) -> None:
        """Begin anew, as after the camera was moved."""
        for series in self._series:
            series.forget()

    @property
    def latest(self) -> Picture | None:
        """The last one in which no arm hides the pile, None where there is none."""
        clear = self._series[0].pictures
        return clear[-1] if clear else None

    def changed(self, place: Point, length: float, began: float, ended: float, clearly: bool = False) -> Changed | None:
        """Return what became of a pile's top between two times (s); None where that is not known.

        place: (2,) the pile's middle, length: a card's, both in pixels of the frames. clearly: only by pictures in
        which no arm hides it, which come first in any case.
        """
        told = (series.changed(place, length, began, ended) for series in self._series[: 1 if clearly else None])
        return next((change for change in told if change is not None), None)


def difference(old: Picture, new: Picture, place: Point, length: float, least: float = 0.5) -> float | None:
    """Return the share that differs of what two pictures show of a pile's top; None where that is too little.

    place: (2,) the pile's middle, length: a card's, both in pixels of the frames. least: the share of it that both must
    show.
    """
    if old.gray.shape != new.gray.shape:
        return None
    # A lamp or the camera's exposure makes all of it brighter or darker.
    gain = old.brightness / new.brightness
    size = max(3, round(_SHADE * length * old.scale))
    window = _window(old.gray, place * old.scale, _HALF * length * old.scale)
    about = _window(old.gray, place * old.scale, _HALF * length * old.scale + size)
    if old.hidden is None and new.hidden is None and new.gray[window].size:
        most = np.abs(new.gray[about].astype(np.float32) * gain - old.gray[about].astype(np.float32)).max()
        if 2 * most <= _CHANGED:
            return 0.0  # as it mostly is: neither a pixel nor the mean that is taken off differs by more than half
    before, now = old.gray.astype(np.float32), new.gray.astype(np.float32)
    now *= gain
    shown = old.shown(length) * new.shown(length)
    change = (now - before) * shown
    mean = cv2.blur(change, (size, size)) / np.maximum(cv2.blur(shown, (size, size)), 1 / size**2)
    fine = np.abs(change - mean * shown)
    piece, seen = fine[window], shown[window]
    if not piece.size or seen.mean() < least:
        return None
    by = max(_CHANGED, _NOISES * float(np.median(fine[::2, ::2][shown[::2, ::2] > 0])))
    return float(np.count_nonzero(piece > by) / np.count_nonzero(seen))


def hidden_share(hidden: Mask, place: Point, length: float, scale: float) -> float:
    """Return the share of a pile with this middle, and of what is near it, that a mask hides; 0 outside the picture.

    place: (2,) and the length of a card in pixels of the frames. scale: from them to the mask.
    """
    piece = hidden[_window(hidden, place * scale, (_HALF + _ABOUT) * length * scale)]
    return float(np.mean(piece > 0)) if piece.size else 0.0


def _window(picture: NDArray[np.generic], middle: Point, half: float) -> tuple[slice, slice]:
    """Return the rows and columns of a picture within half a side of a middle, none where it lies outside."""
    x, y = middle
    return (
        slice(max(0, int(y - half)), max(0, int(y + half) + 1)),
        slice(max(0, int(x - half)), max(0, int(x + half) + 1)),
    )
