"""Tracks a growing pile of cards in front of a fixed camera: the change between pictures is the new card."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from companion.decks.capture.change_outline import (
    PictureChange,
    card_boxed,
    card_like,
    changed_card,
    first_card,
    has_all,
    has_some,
    is_taken,
)
from companion.decks.capture.table_plane import PLAIN, plane_of
from companion.vision.core.geometry import Image, Quad, aspect, cut, expand, intersection_over_smaller, portrait, turned
from companion.vision.recognition.reader import MAYBE_SIDEWAYS

# Contrast, in standard deviations, between the ground below a card and its surroundings from which it covers another
# card rather than the table.
_TABLE_CONTRAST = 1.0
# Minimum number and share of outlines with agreeing areas (relative tolerance) that determine the card size. An outline
# outside the range of relative areas is another object: on a black design the changed sign had 0.13 to 0.43 of the
# card's area, complete cards 0.94 to 1.05.
_MIN_OUTLINES, _MIN_SHARE, _AREA_TOLERANCE, _MIN_AREA, _MAX_AREA, _MAX_SIGN_AREA = 3, 0.1, 0.12, 0.82, 1.22, 0.5
# Number of pictures from which the tilt is estimated, and from which it is reliable: from four, a table foreshortened
# by half was once estimated as almost untilted.
_TILT_PICTURES, _RELIABLE_TILT_PICTURES = 4, 8
# Number of pictures kept until card size and tilt are known.
_KEPT_PICTURES = 16
# Advantage in clearness of a detected box over the changed region's outline from which the box is used. On eleven
# composed designs no box had it over an outline that fits (overlap with the truth 0.96 against 0.85 for boxes); in
# pictures of a real tray with automatic exposure, six of seven outlines that missed the card were replaced.
_CLEARER = 0.2


@dataclass(frozen=True, eq=False)
class LaidCard:
    """A laid card: the (H, W, 3) BGR uint8 picture, and its outline (4, 2), upright or upside down.

    place: number of cards laid before it.
    """

    image: Image
    quad: Quad
    place: int


class Pile:
    """Processes still pictures of a pile that grows card by card, and returns the laid cards.

    each: whether every picture shows one more card, so that a failed one keeps its place. boxed: returns rough (4, 2)
    outlines of possible cards in a picture. clearness: returns how clearly the networks read a card in an outline, from
    0 to 1; if that is at most its last argument, any value up to it.
    """

    def __init__(
        self,
        each: bool = False,
        boxed: Callable[[Image], Sequence[Quad]] = lambda image: (),
        clearness: Callable[[Image, Quad, float], float] = lambda image, quad, least: 1.0,
    ) -> None:
        self._each = each
        self._boxed = boxed
        self._clearness = clearness
        self._before: Image | None = None
        # The first picture, possibly with a card, and that card's place.
        self._single: tuple[int, Image] | None = None
        self._last: Quad | None = None
        self._next = 0
        # Outlines of all changed regions, and of boxes around them.
        self._outlines: list[Quad] = []
        self._boxes: list[Quad] = []
        self._size: Quad | None = None
        self._hulls: list[Quad] = []
        self._plane = PLAIN
        # The first pictures, before the card size is known: place, before, after, outline.
        self._first: list[tuple[int, Image, Image, Quad | None]] = []

    def pass_over(self) -> None:
        """Keep the place of a picture that cannot be read, if every picture shows one more card."""
        self._next += self._each

    def show(self, image: Image) -> list[LaidCard]:
        """Return the cards found with a further picture: none, the new one, or also the pile's first.

        Once the card size is known, cards whose outline changes are returned again with their place.
        """
        before = self._before
        if before is None or before.shape != image.shape:
            self._before, self._single = image, (self._next, image)
            self._next += self._each
            return []
        change = PictureChange(before, image)
        revised = self._corrected_for_tilt(change)
        quad = self._of_size(change, self._changed_outline(change))
        if quad is None:
            quad = self._unchanged_outline(change)
        else:
            quad = self._clearest(image, quad, change)
            # Where a card was taken away, the region changed as well.
            is_gone = _is_bare(image, quad) and is_taken(change, quad) and not self._is_read(image, quad)
            quad = None if is_gone else quad
        if quad is None:
            if self._each:
                # A missed card covers the pile now; the one before it may have been the first.
                self._keep(self._next, change, None)
                self._before = image
                self._next += 1
            return [*revised, *self._outlined_again()]
        self._before, self._last = image, quad
        laid = []
        if self._single is not None:
            place, single = self._single
            first = first_card(single, quad, self._plane)
            if not _is_bare(single, quad) or (self._each and self._is_read(single, first)):
                laid.append(LaidCard(single, self._clearest(single, first), place))
                self._next += not self._each
        self._single = None
        laid.append(LaidCard(image, quad, self._next))
        self._keep(self._next, change, quad)
        self._next += 1
        return [*revised, *self._outlined_again(), *laid]

    def _keep(self, place: int, change: PictureChange, quad: Quad | None) -> None:
        if self._size is not None and len(self._hulls) >= _RELIABLE_TILT_PICTURES:
            self._first = []
        elif len(self._first) < _KEPT_PICTURES:
            self._first.append((place, change.before, change.after, quad))

    def _corrected_for_tilt(self, change: PictureChange) -> list[LaidCard]:
        """Return the first cards again once the tilt is known."""
        hull = change.hull() if len(self._hulls) < _RELIABLE_TILT_PICTURES else None
        if hull is None:
            return []
        self._hulls.append(hull)
        plane = plane_of(self._hulls) if len(self._hulls) in (_TILT_PICTURES, _RELIABLE_TILT_PICTURES) else self._plane
        if np.array_equal(plane, self._plane):
            return []
        self._plane, self._size = plane, None
        first, self._first, self._outlines, self._boxes = self._first, [], [], []
        revised = []
        for place, under, card, _ in first:
            again = PictureChange(under, card)
            quad = self._changed_outline(again)
            self._keep(place, again, quad)
            if quad is None:
                continue
            self._last = quad = self._clearest(card, quad, again)
            revised.append(LaidCard(card, quad, place))
            if place == 1 and first[0][0] == 1:
                lowest = first_card(under, quad, self._plane)
                revised.append(LaidCard(under, self._clearest(under, lowest), 0))
        return revised

    def _changed_outline(self, change: PictureChange) -> Quad | None:
        """Return the outline of the changed region, or of a box around it if only a sign changed.

        For a black card on an identical one only the sign changes, but a detector that knows such cards finds its
        edges.
        """
        seen, changed = changed_card(change, self._plane), change.points(1)
        if seen is None or changed is None:
            return seen
        # Around a card's sign alone not all points have changed.
        if has_all(seen, changed):
            self._outlines.append(seen)
        if self._size is not None and _as_large(seen, self._size):
            return seen
        about = [quad for quad in self._boxed(change.after) if has_all(quad, changed)]
        quad = min(about, key=cv2.contourArea, default=None)
        if quad is None or cv2.contourArea(seen) >= _MAX_SIGN_AREA * cv2.contourArea(quad):
            return seen
        boxed = card_boxed(change, quad, changed, self._plane)
        self._boxes.append(boxed)
        return boxed

    def _of_size(self, change: PictureChange, seen: Quad | None) -> Quad | None:
        """Return the outline of a card as large as the pile's others, None if there is none."""
        if seen is not None and (self._size is None or _as_large(seen, self._size)):
            return seen
        like = self._last if self._size is None else self._size
        other = None if like is None else card_like(change, like, self._plane)
        return seen if other is None else other

    def _clearest(self, image: Image, seen: Quad, change: PictureChange | None = None) -> Quad:
        """Return an outline, or the detected box in which the networks read a card much more clearly.

        The box must lie on the outline or, if no box does, contain some of the change: automatic exposure and
        reflections change more than the card. Otherwise an outline from changes is more exact than a box.
        """
        clear = self._clearness(image, seen, 0.0)
        if clear > 1 - _CLEARER:
            return seen
        every = self._boxed(image)
        boxes = [quad for quad in every if intersection_over_smaller(quad, seen) > 0.5]
        if not boxes and change is not None:
            changed = change.points(1)
            boxes = [] if changed is None else [quad for quad in every if has_some(quad, changed)]
        box = self._clearest_box(image, boxes, clear + _CLEARER)
        return seen if box is None else box

    def _clearest_box(self, image: Image, boxes: Sequence[Quad], least: float) -> Quad | None:
        """Return the box in which the networks read a card most clearly, None if all are below `least`."""
        ways = [portrait(quad) for quad in boxes]
        ways += [turned(quad, 1) for quad in ways if aspect(quad) > MAYBE_SIDEWAYS]
        best = None
        for quad in ways:
            clear = self._clearness(image, quad, least)
            if clear > least:
                least, best = clear, quad
        return best

    def _unchanged_outline(self, change: PictureChange) -> Quad | None:
        """Return the clearest box of a card that changed too little for an outline, None without one."""
        changed = change.points(1)
        if changed is None:
            return None
        boxes = [quad for quad in self._boxed(change.after) if self._each or has_all(quad, changed)]
        return self._clearest_box(change.after, boxes, 0.5)

    def _is_read(self, image: Image, quad: Quad) -> bool:
        """Whether the corners or the whole card are read as a card rather than as none; clearness is their mean."""
        return self._clearness(image, quad, 0.0) >= 0.5 / 2

    def _outlined_again(self) -> list[LaidCard]:
        """Return the first cards whose outline changes once the card size is known.

        The tilt is estimated first.
        """
        if self._size is not None or len(self._hulls) < _TILT_PICTURES:
            return []
        # Boxes may enclose a part of the pile.
        size = usual_size(self._outlines)
        size = usual_size(self._boxes) if size is None else size
        if size is None:
            return []
        self._size = size
        revised = []
        for place, before, image, quad in self._first:
            change = PictureChange(before, image)
            again = self._of_size(change, quad)
            if again is not None and again is not quad:
                again = self._clearest(image, again, change)
                revised.append(LaidCard(image, again, place))
            if place == 1 and self._each and quad is not None and not _as_large(quad, size):
                first = first_card(before, size if again is None else again, self._plane)
                revised.append(LaidCard(before, self._clearest(before, first), 0))
        return revised


def usual_size(quads: Sequence[Quad]) -> Quad | None:
    """Return a card outline of the pile's card size, None if too few of its outlines (4, 2) agree.

    Plain, similar cards change only in part, so the largest agreeing outlines count. Areas are compared because a
    tilted camera preserves them under rotation.
    """
    areas = np.array([abs(cv2.contourArea(quad)) for quad in quads])
    near = np.abs(areas[:, None] - areas) < _AREA_TOLERANCE * areas[:, None]
    often = near.sum(1) >= max(_MIN_OUTLINES, _MIN_SHARE * len(areas))
    if not often.any():
        return None
    like = np.flatnonzero(near[int(np.where(often, areas, 0).argmax())])
    return quads[int(like[np.argsort(areas[like])[len(like) // 2]])]


def _as_large(quad: Quad, size: Quad) -> bool:
    return bool(_MIN_AREA < abs(cv2.contourArea(quad)) / abs(cv2.contourArea(size)) < _MAX_AREA)


def _is_bare(image: Image, quad: Quad) -> bool:
    """Whether no card lies in an outline: the ground continues beside it like the table."""
    part = cut(image, expand(quad, 0.35), 96, 144)
    gray = cv2.GaussianBlur(part, (0, 0), 2).astype(np.float32)
    within, about = np.zeros((144, 96), bool), np.ones((144, 96), bool)
    within[34:110, 23:73], about[14:130, 9:87] = True, False
    unlike = np.abs(gray[within].mean(0) - gray[about].mean(0)).max()
    return bool(unlike < _TABLE_CONTRAST * (gray[about].std() + 3))
