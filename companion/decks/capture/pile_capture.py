"""Cards laid one after the other on a pile before a camera that stands still: what has changed is the card."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from companion.decks.capture.change_outline import (
    card_boxed,
    card_like,
    changed_card,
    changed_hull,
    changed_points,
    first_card,
    has_all,
)
from companion.decks.capture.table_plane import PLAIN, plane_of
from companion.vision.core.geometry import Image, Quad, cut, expand

# A card is on the table where what lies under the next one differs from what is about by so many standard deviations.
_TABLE = 1.0
# So many outlines, and no smaller share of all, tell how large the pile's cards are whose areas differ by no more than
# this share. An outline is another thing's where its area is so much smaller or larger: on a black design a card's sign
# had 0.13 to 0.43 of the card's area, cards that were found whole 0.94 to 1.05.
_FEWEST, _SELDOM, _AGREEING, _SMALLER, _LARGER, _SIGN = 3, 0.1, 0.12, 0.82, 1.22, 0.5
# So many pictures of something as large as a card tell how slanted the camera sees them, and so many tell it better: by
# the first four a table seen half as long was once told to be hardly slanted, and the cards to lie across.
_TELLING, _SURELY_TELLING = 4, 8
# So many pictures are kept until it is known how large cards are and how slanted they are seen.
_REMEMBERED = 16


@dataclass(frozen=True, eq=False)
class Laid:
    """A card as it was laid: the (H, W, 3) BGR uint8 picture, and its outline (4, 2), upright or upside down.

    place: how many cards were laid before it.
    """

    image: Image
    quad: Quad
    place: int


class Pile:
    """Follows pictures of a pile that grows card by card, each picture settled, and tells what was laid.

    each: whether every picture shows one card more, so that one on which nothing is found takes a place all the same.
    boxed: returns the (4, 2) outlines of what a detector takes for cards in a picture, roughly.
    """

    def __init__(self, each: bool = False, boxed: Callable[[Image], Sequence[Quad]] = lambda image: ()) -> None:
        self._each = each
        self._boxed = boxed
        self._before: Image | None = None
        # What showed before anything was laid on it, a card perhaps, and that card's place.
        self._alone: tuple[int, Image] | None = None
        self._last: Quad | None = None
        self._next = 0
        # Outlines of all that has changed, and boxed ones about it.
        self._outlines: list[Quad] = []
        self._boxes: list[Quad] = []
        self._size: Quad | None = None
        self._hulls: list[Quad] = []
        self._plane = PLAIN
        # The first pictures, which cards of what size are laid in is not yet known: place, before, after, outline.
        self._first: list[tuple[int, Image, Image, Quad | None]] = []

    def show(self, image: Image) -> list[Laid]:
        """Return the cards that a further picture tells of: none, the new one, or with it the pile's first.

        Once it is known how large the pile's cards are, those come again, with their place, that were outlined
        otherwise.
        """
        before = self._before
        if before is None or before.shape != image.shape:
            self._before, self._alone = image, (self._next, image)
            self._next += self._each
            return []
        anew = self._seen_aslant(before, image)
        quad = self._of_size(before, image, self._seen(before, image))
        if quad is None:
            if self._each:
                # A card that was passed over covers the pile now; the one before it may have been the first.
                self._keep(self._next, before, image, None)
                self._before = image
                self._next += 1
            return [*anew, *self._outlined_anew()]
        self._before, self._last = image, quad
        laid = []
        if self._alone is not None:
            place, alone = self._alone
            if self._each or not _is_bare(alone, image, quad):
                laid.append(Laid(alone, first_card(alone, quad, self._plane), place))
                self._next += not self._each
        self._alone = None
        laid.append(Laid(image, quad, self._next))
        self._keep(self._next, before, image, quad)
        self._next += 1
        return [*anew, *self._outlined_anew(), *laid]

    def _keep(self, place: int, before: Image, image: Image, quad: Quad | None) -> None:
        if self._size is not None and len(self._hulls) >= _SURELY_TELLING:
            self._first = []
        elif len(self._first) < _REMEMBERED:
            self._first.append((place, before, image, quad))

    def _seen_aslant(self, before: Image, image: Image) -> list[Laid]:
        """Return the first cards anew once all that has changed tells that the camera sees them aslant."""
        hull = changed_hull(before, image) if len(self._hulls) < _SURELY_TELLING else None
        if hull is None:
            return []
        self._hulls.append(hull)
        plane = plane_of(self._hulls) if len(self._hulls) in (_TELLING, _SURELY_TELLING) else self._plane
        if np.array_equal(plane, self._plane):
            return []
        self._plane, self._size = plane, None
        first, self._first, self._outlines, self._boxes = self._first, [], [], []
        anew = []
        for place, under, card, _ in first:
            quad = self._seen(under, card)
            self._keep(place, under, card, quad)
            if quad is not None:
                self._last = quad
                anew.append(Laid(card, quad, place))
            if quad is not None and place == 1 and first[0][0] == 1:
                anew.append(Laid(under, first_card(under, quad, self._plane), 0))
        return anew

    def _seen(self, before: Image, image: Image) -> Quad | None:
        """Return the outline of what has changed, or of a card boxed about it where it is a sign's.

        Of a black card on its like the sign alone changes, but a detector that knows such cards sees where it ends.
        """
        seen, changed = changed_card(before, image, self._plane), changed_points(before, image, 1)
        if seen is None or changed is None:
            return seen
        # About a card's sign alone not all is that has changed.
        if has_all(seen, changed):
            self._outlines.append(seen)
        if self._size is not None and _as_large(seen, self._size):
            return seen
        about = [quad for quad in self._boxed(image) if has_all(quad, changed)]
        quad = min(about, key=cv2.contourArea, default=None)
        if quad is None or cv2.contourArea(seen) >= _SIGN * cv2.contourArea(quad):
            return seen
        boxed = card_boxed(before, image, quad, changed, self._plane)
        self._boxes.append(boxed)
        return boxed

    def _of_size(self, before: Image, image: Image, seen: Quad | None) -> Quad | None:
        """Return the outline of a card that is as large as the pile's others, None where none was laid."""
        if seen is not None and (self._size is None or _as_large(seen, self._size)):
            return seen
        like = self._last if self._size is None else self._size
        other = None if like is None else card_like(before, image, like, self._plane)
        return seen if other is None else other

    def _outlined_anew(self) -> list[Laid]:
        """Return the first cards anew as soon as it is known how large cards are, if they were outlined otherwise.

        It is known first how slanted the camera sees them.
        """
        if self._size is not None or len(self._hulls) < _TELLING:
            return []
        # Boxes may be about a part of the pile.
        size = usual_size(self._outlines)
        size = usual_size(self._boxes) if size is None else size
        if size is None:
            return []
        self._size = size
        anew = []
        for place, before, image, quad in self._first:
            again = self._of_size(before, image, quad)
            if again is not None and again is not quad:
                anew.append(Laid(image, again, place))
            if place == 1 and self._each and quad is not None and not _as_large(quad, size):
                anew.append(Laid(before, first_card(before, size, self._plane), 0))
        return anew


def usual_size(quads: Sequence[Quad]) -> Quad | None:
    """Return a card's outline as large as those of a pile are, None where too few of its outlines (4, 2) agree.

    Where cards are plain and like each other, less than a card changes, now more, now less of it: the largest outlines
    that agree are the cards'. They agree by their areas, which stay the same before a slanted camera as cards are
    turned.
    """
    areas = np.array([abs(cv2.contourArea(quad)) for quad in quads])
    near = np.abs(areas[:, None] - areas) < _AGREEING * areas[:, None]
    often = near.sum(1) >= max(_FEWEST, _SELDOM * len(areas))
    if not often.any():
        return None
    like = np.flatnonzero(near[int(np.where(often, areas, 0).argmax())])
    return quads[int(like[np.argsort(areas[like])[len(like) // 2]])]


def _as_large(quad: Quad, size: Quad) -> bool:
    return bool(_SMALLER < abs(cv2.contourArea(quad)) / abs(cv2.contourArea(size)) < _LARGER)


def _is_bare(before: Image, after: Image, quad: Quad) -> bool:
    """Whether no card lay there before this one: what it covered went on beside it as the table does."""
    part = cut(before, expand(quad, 0.35), 96, 144)
    gray = cv2.GaussianBlur(part, (0, 0), 2).astype(np.float32)
    within, about = np.zeros((144, 96), bool), np.ones((144, 96), bool)
    within[34:110, 23:73], about[14:130, 9:87] = True, False
    unlike = np.abs(gray[within].mean(0) - gray[about].mean(0)).max()
    return bool(unlike < _TABLE * (gray[about].std() + 3))
