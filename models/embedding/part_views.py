"""Views of outlines as a search finds them: on whole cards, on covered ones, beside cards and on none, with masks.

A mask tells what outlines of cards on top leave visible. They are found ones too: not exact, and some are missing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.dataset.artist.drawing.chance import chance, pick
from companion.models.embedding.gallery import Gallery
from companion.models.embedding.views import Matrix, Photographer, finger, shaken
from companion.vision.core.geometry import Image, Quad, homography, project

Mask = NDArray[np.uint8]
Place = Callable[[int], Matrix]
"""Returns where the card lies that is this many places above a card, below it if negative, in pixels of its face."""

# Standard deviations of an outline's turn, scale, shift and corners (see `shaken`) as shares of its error, and the
# least and greatest error of the second head's boxes and of rough ones. An error is about how far a corner is off, as a
# share of the card's sides.
_SPREAD = (0.6, 0.7, 0.7, 0.4)
_FOUND, _ROUGH = (0.004, 0.05), (0.05, 0.14)
# Least and greatest share of a covered card that can be seen; a mask leaves as much of an outline, too.
_LEAST, _MOST = 0.12, 0.97
_FAR = 4000.0
"""Pixels from which an outline is no card of a view, but the horizon of a slanted one."""


@dataclass(frozen=True, eq=False)
class PartView:
    """What is cut out at an outline.

    image: (H, W, 3) BGR, black where the mask hides it. mask: (H, W) 1 where the card can be seen, else 0. corners:
    (4, 2) corners of the card less those of the outline, as shares of the view's sides; 0 where there is no card.
    """

    image: Image
    mask: Mask
    corners: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class _Others:
    """Matrices that lay cards below and above a card into a view, the lowest first, and the upper ones' outlines."""

    below: list[Matrix]
    above: list[Matrix]
    covers: list[Quad]


class PartPhotographer(Photographer):
    """Takes views of parts of a gallery's faces. Not for several threads at once."""

    def __init__(self, gallery: Gallery, seed: Sequence[int]) -> None:
        super().__init__(gallery, seed)
        width, height = self._view
        self._open: Mask = np.ones((height, width), np.uint8)

    def whole(self, face: int) -> PartView:
        """Return a view of a whole card, either way up."""
        rough = chance(self._rng, 0.15)
        card = shaken(self._edge, self._spread(_ROUGH), self._rng) if rough else self._outline()
        return PartView(self._card_within(face, card), self._open, self._off(card))

    def covered(self, face: int) -> PartView:
        """Return a view of a card in a fan, a row or a heap, some of it under other cards of its deck."""
        while True:
            error = self._spread(_FOUND)
            rough = chance(self._rng, 0.5)
            card = shaken(self._edge, self._spread(_ROUGH) if rough else error, self._rng)
            view = self._among_others(face, card, card, error)
            if view:
                return PartView(*view, self._off(card))

    def beside(self, face: int) -> PartView:
        """Return a view as of a covered card, cut out beside the card or across it."""
        while True:
            error = self._spread(_FOUND)
            view = self._among_others(face, self._strayed(), self._edge, error)
            if view:
                return PartView(*view, self._off(self._edge))

    def nothing(self, face: int) -> PartView:
        """Return a view whose outline holds a table, a part of a card, or a small card on a table."""
        rng = self._rng
        scene = self._table(face, *self._view, 0.35)
        # How many times as large as its outline a card is.
        sizes = pick(rng, [(None, 0.3), ((1.5, 4.0), 0.4), ((0.25, 0.65), 0.3)])
        covers = self._lay_sized(scene, face, sizes) if sizes else self._covers_on_table()
        mask = self._masked(covers)
        if self._share_left(mask, self._edge) < _LEAST:
            mask = self._open
        return PartView(self._cut_out(scene, mask), mask, self._off(self._edge))

    def _off(self, card: Quad) -> NDArray[np.float32]:
        return np.asarray((card - self._edge) / self._view, np.float32)

    def _spread(self, errors: tuple[float, float]) -> tuple[float, float, float, float]:
        """Return the standard deviations, as of `shaken`, for an error between these."""
        turn, scale, shift, skew = np.array(_SPREAD) * self._rng.uniform(*errors)
        return turn, scale, shift, skew

    def _among_others(
        self, face: int, card: Quad, outline: Quad, error: tuple[float, float, float, float]
    ) -> tuple[Image, Mask] | None:
        """Return the view and the mask of a card among others of its deck.

        None where they hide too much or next to nothing of an outline. error: standard deviations of the outlines from
        which the mask is made.
        """
        rng = self._rng
        to = homography(self._corners(), self._either_way_up(card))
        others = self._others(to)
        if not _LEAST <= self._share_left(self._masked(others.covers), outline) <= _MOST:
            return None
        found = [cover for cover in others.covers if chance(rng, 0.9)]
        if others.below and chance(rng, 0.1):
            # A card below taken for one above.
            found.append(project(others.below[-1], self._corners()))
        mask = self._masked([shaken(cover, error, rng) for cover in found])
        if self._share_left(mask, self._edge) < _LEAST:
            return None
        scene = self._table(face, *self._view, 0.35)
        seen = self._seen()
        self._lay_others(scene, face, others.below, seen)
        self._lay(scene, face, to, seen)
        self._lay_others(scene, face, others.above, seen)
        if chance(rng, 0.15):
            finger(scene, card, rng)
        return self._cut_out(scene, mask), mask

    def _lay_others(self, scene: Image, face: int, matrices: Sequence[Matrix], seen: float) -> None:
        for matrix in matrices:
            self._lay(scene, self._other(face), matrix, seen)

    def _lay_sized(self, scene: Image, face: int, sizes: tuple[float, float]) -> list[Quad]:
        """Lay a card of another size than its outline's, others about it; return outlines of cards above it."""
        rng = self._rng
        size = float(np.exp(rng.uniform(*np.log(sizes))))
        turn = float(rng.normal(0, 0.2) if chance(rng, 0.5) else rng.uniform(0, 2 * np.pi))
        card = self._moved(turn, rng.uniform(-0.5, 0.5, 2) * abs(size - 1), size)
        to = homography(self._corners(), card)
        others, seen = self._others(to), self._seen()
        if chance(rng, 0.5):
            self._lay_others(scene, face, others.below, seen)
        self._lay(scene, face, to, seen)
        if chance(rng, 0.5):
            return []
        self._lay_others(scene, face, others.above, seen)
        return [cover for cover in others.covers if chance(rng, 0.8)]

    def _covers_on_table(self) -> list[Quad]:
        """Return outlines that a mask is made from where there may be no card at all."""
        if chance(self._rng, 0.4):
            return []
        away = self._moved(0.0, self._rng.uniform(-0.8, 0.8, 2))
        return [shaken(away, self._spread(_FOUND), self._rng)]

    def _strayed(self) -> Quad:
        """Return the outline of a card that lies beside the view's outline or across it."""
        rng = self._rng
        shift = rng.uniform(0.3, 0.65, 2) * rng.choice([-1, 1], 2)
        shift *= pick(rng, [((1.0, 0.15), 0.45), ((0.15, 1.0), 0.3), ((1.0, 1.0), 0.25)])
        if not chance(rng, 0.35):
            return self._moved(float(rng.normal(0, 0.15)), shift)
        turn = float(rng.uniform(0.4, np.pi / 2) * rng.choice([-1, 1]))
        return self._moved(turn, shift * 0.3 if chance(rng, 0.2) else shift)

    def _moved(self, turn: float, shift: NDArray[np.float64], size: float = 1.0) -> Quad:
        """Return the view's outline scaled, turned by radians, and moved by shares of its sides."""
        center = self._edge.mean(0)
        cos, sin = size * np.cos(turn), size * np.sin(turn)
        turned = (self._edge - center) @ np.array([[cos, sin], [-sin, cos]])
        return np.asarray(turned + center + shift * (self._edge[2] - self._edge[0]), np.float32)

    def _others(self, to: Matrix) -> _Others:
        """Return other cards of a fan, a row or a heap about the card that `to` lays into the view."""
        rng = self._rng
        arrange = pick(rng, [(_fan, 0.55), (_row, 0.2), (_heap, 0.25)])
        while True:
            place = arrange(*self._size, rng)
            above = [to @ place(k + 1) for k in range(rng.choice([1, 2, 3], p=[0.45, 0.3, 0.25]))]
            below = [to @ place(-k) for k in range(rng.choice([0, 1, 2], p=[0.3, 0.4, 0.3]), 0, -1)]
            outlines = [project(matrix, self._corners()) for matrix in (*above, *below)]
            if all((np.abs(quad) < _FAR).all() for quad in outlines):
                return _Others(below, above, outlines[: len(above)])

    def _masked(self, covers: Sequence[Quad]) -> Mask:
        """Return the mask (H, W) that outlines of covering cards leave."""
        mask = self._open.copy()
        for cover in covers:
            _fill(mask, cover, 0)
        return mask

    def _share_left(self, mask: Mask, outline: Quad) -> float:
        """Return the share of an outline's part in the view that a mask leaves visible."""
        inside = np.zeros_like(mask)
        _fill(inside, outline, 1)
        return float(cv2.mean(mask, inside)[0])

    def _cut_out(self, scene: Image, mask: Mask) -> Image:
        return self._photographed(scene) * mask[..., None]


def packed(views: Sequence[PartView]) -> NDArray[np.uint8]:
    """Return (N, 4, H, W) RGB and mask, 0 or 255, of views."""
    return np.stack([np.dstack([view.image[..., ::-1], view.mask * 255]).transpose(2, 0, 1) for view in views])


def _fill(mask: Mask, outline: Quad, value: int) -> None:
    """Set the pixels of an outline, whose corners count to a sixteenth of a pixel."""
    cv2.fillConvexPoly(mask, np.round(outline * 16).astype(np.int32), (value,), cv2.LINE_8, 4)


def _fan(width: int, height: int, rng: np.random.Generator) -> Place:
    """Return the places of cards turned about a point at or below the lower rim."""
    pivot = np.array([rng.uniform(0.3, 0.7) * width, rng.uniform(0.8, 1.8) * height])
    step = np.deg2rad(rng.uniform(4, 24)) * rng.choice([-1, 1], p=[0.4, 0.6])
    slide = rng.normal(0, 0.03, 2) * width
    return lambda k: _turned(k * step + rng.normal(0, 0.03), pivot, k * slide + rng.normal(0, 0.02, 2) * height)


def _row(width: int, height: int, rng: np.random.Generator) -> Place:
    """Return the places of cards side by side, or one below the other."""
    away = np.array([rng.uniform(0.1, 0.7), rng.normal(0, 0.04)]) * rng.choice([-1, 1])
    step = (away if chance(rng, 0.65) else away[::-1]) * (width, height)
    middle = np.array([width, height]) / 2
    return lambda k: _turned(rng.normal(0, 0.05), middle, k * step + rng.normal(0, 0.02, 2) * height)


def _heap(width: int, height: int, rng: np.random.Generator) -> Place:
    """Return places anyhow."""
    size = np.array([width, height])
    return lambda _: _turned(rng.uniform(0, 2 * np.pi), size / 2, rng.uniform(-0.95, 0.95, 2) * size)


def _turned(angle: float, pivot: NDArray[np.float64], shift: NDArray[np.float64]) -> Matrix:
    """Return the matrix that turns by radians about a point and moves by pixels."""
    cos, sin = np.cos(angle), np.sin(angle)
    turn = np.array([[cos, -sin], [sin, cos]])
    return np.vstack([np.column_stack([turn, pivot - turn @ pivot + shift]), [0, 0, 1]])
