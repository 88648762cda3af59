"""What the table looked like whenever no arm hid the draw pile, small: what one did to it can be seen afterwards."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.geometry import Image, averaged
from companion.vision.motion import Mask
from companion.vision.rim import Point

# Width at which pictures are kept: a card is fifty or more pixels long, and a pile's top that moved by a millimetre or
# two changes its edges. A picture takes 58 kB.
_WIDTH = 320
# Seconds without an arm there after which a picture is kept, and how often a newer one takes its place till one comes.
_SETTLES, _RENEWS = 0.1, 0.5
# Half the side of the piece of a pile that is compared, in lengths of a card: its top card, and little beside it; and
# how far about it nothing of an arm may be seen.
_HALF, _ABOUT = 0.42, 0.12
# How much longer than an arm's stay the time between two pictures may be (s), for it to have done what differs in them:
# its coming and its leaving take a second each.
_APART = 4.0
# Grey levels that a pixel must change by, and so many times as much as half of the picture's pixels do.
_CHANGED, _NOISES = 12.0, 6.0
# The neighbourhood, in lengths of a card, whose mean change is taken off: shade changes all of it alike, a card that
# lies otherwise the edges of what is printed on it.
_SHADE = 0.3


@dataclass(frozen=True, eq=False)
class _Picture:
    """began, ended: between which times (s) it was so. gray: (h, _WIDTH) uint8. scale: from frames to its pixels.

    hidden: where arms were in it, packed bits of a mask with these rows and columns; None where none were.
    """

    began: float
    ended: float
    gray: Image
    scale: float
    hidden: tuple[NDArray[np.uint8], tuple[int, int]] | None

    def shows(self, place: Point, length: float) -> bool:
        """Whether no arm hid a pile that lies there, in pixels of the frames."""
        if self.hidden is None:
            return True
        bits, (rows, columns) = self.hidden
        mask = np.unpackbits(bits, count=rows * columns).reshape(rows, columns)
        return not hides(mask, place, length, columns * self.scale / _WIDTH)


class QuietPictures:
    """Keeps a picture of the table for each time that no arm was at the pile. keep: how many, all where None."""

    def __init__(self, keep: int | None = None) -> None:
        self._keep = keep
        self._pictures: list[_Picture] = []
        self._since: float | None = None

    def see(self, image: Image, time: float, hidden: Mask | None, at_pile: bool) -> None:
        """Take in a (H, W, 3) BGR uint8 frame. hidden: (h, w) mask of arms; at_pile: whether one may hide the pile."""
        if at_pile:
            self._since = None
            return
        if self._since is None:
            self._since = time
        last = self._pictures[-1] if self._pictures else None
        if time - self._since < _SETTLES or (last and last.began >= self._since and time - last.ended < _RENEWS):
            return
        scale = _WIDTH / image.shape[1]
        gray = np.asarray(cv2.cvtColor(averaged(image, _WIDTH), cv2.COLOR_BGR2GRAY), np.uint8)
        if last is not None and last.began >= self._since:
            self._pictures.pop()
        where = None if hidden is None else (np.packbits(hidden > 0), (hidden.shape[0], hidden.shape[1]))
        self._pictures.append(_Picture(self._since, time, gray, scale, where))
        if self._keep is not None:
            self._pictures = self._pictures[-self._keep :]

    def forget(self) -> None:
        """Begin anew, as after the camera was moved."""
        self._pictures, self._since = [], None

    def before(self, time: float) -> float:
        """Return when the last picture before a time (s) was last true; minus infinity where there is none."""
        return max((picture.ended for picture in self._pictures if picture.began <= time), default=-np.inf)

    def changed(self, place: Point, length: float, began: float, ended: float) -> float | None:
        """Return the share of a pile's top that something changed between two times (s); None where that is not known.

        place: (2,) the pile's middle, length: a card's, both in pixels of the frames.
        """
        number = bisect_right([picture.began for picture in self._pictures], began) - 1
        after = bisect_left([picture.ended for picture in self._pictures], ended)
        while number >= 0 and not self._pictures[number].shows(place, length):
            number -= 1
        while after < len(self._pictures) and not self._pictures[after].shows(place, length):
            after += 1
        if number < 0 or after >= len(self._pictures) or after <= number:
            return None
        old, new = self._pictures[number], self._pictures[after]
        if new.began - old.ended > ended - began + _APART or old.gray.shape != new.gray.shape:
            return None
        before, now = old.gray.astype(np.float32), new.gray.astype(np.float32)
        # A lamp or the camera's exposure makes all of it brighter or darker.
        now *= max(1.0, float(np.median(before))) / max(1.0, float(np.median(now)))
        change = now - before
        size = max(3, round(_SHADE * length * old.scale))
        fine = np.abs(change - cv2.blur(change, (size, size)))
        piece = fine[_window(change, place * old.scale, _HALF * length * old.scale)]
        if not piece.size:
            return None
        return float(np.mean(piece > max(_CHANGED, _NOISES * float(np.median(fine[::2, ::2])))))


def hides(hidden: Mask, place: Point, length: float, scale: float) -> bool:
    """Whether a mask hides a part of the pile with this middle, for cards of this length, both in pixels of the frames.

    scale: from frames to the mask.
    """
    return bool(hidden[_window(hidden, place * scale, (_HALF + _ABOUT) * length * scale)].any())


def _window(picture: NDArray[np.generic], middle: Point, half: float) -> tuple[slice, slice]:
    """Return the rows and columns of a picture within half a side of a middle, none where it lies outside."""
    x, y = middle
    return (
        slice(max(0, int(y - half)), max(0, int(y + half) + 1)),
        slice(max(0, int(x - half)), max(0, int(x + half) + 1)),
    )
