"""Views of drawn scenes that the detector is trained on: turned by quarters, scaled, moved, with what is to be boxed.

A view is planned where its scene is drawn and cut out of the picture where the network is, see models/boxing.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.dataset.scenes.compose import SceneCard
from companion.dataset.scenes.generate import CARD_VISIBLE, INDEX_VISIBLE
from companion.vision.core.geometry import Quad, sides
from companion.vision.detection.box_detector import BoxKind

MOST_BOXES = 80
"""Boxes that a view has room for: no scene has more than 25 cards, each with two indices."""

_VISIBLE = {BoxKind.CARD: CARD_VISIBLE, BoxKind.INDEX: INDEX_VISIBLE}
# Least length in pixels of a view of what is boxed, on its shorter side.
_LEAST = {BoxKind.CARD: 8.0, BoxKind.INDEX: 3.6}
# How large a picture is shown, as shares of the view.
_SCALES = (0.6, 1.4)
# How far a picture of the view's own size is moved, as a share of it.
_MOVED = 0.05
_SPECK = 16.0


@dataclass(frozen=True, eq=False)
class Outline:
    """What may be boxed: its (4, 2) corners in pixels of the picture, clockwise, and the share of it that is seen."""

    kind: BoxKind
    quad: Quad
    visible: float


@dataclass(frozen=True, eq=False)
class View:
    """How a square picture is shown, and what is to be boxed there.

    matrix: (2, 3) float32, takes places of the view to those of the picture, both -1..1 from edge to edge and x first,
    as torch's `affine_grid` wants it. boxes: (M, 6) float32, of each its class, x, y, longer and shorter side as shares
    of the view, and the longer side's angle in radians, clockwise, within -pi/4..3 pi/4, as ultralytics has them.
    """

    matrix: NDArray[np.float32]
    boxes: NDArray[np.float32]


def outlines(cards: Sequence[SceneCard]) -> list[Outline]:
    """Return what may be boxed of a scene's face-up cards: what is seen too little of is left out."""
    every = [
        outline
        for card in cards
        for outline in (
            Outline(BoxKind.CARD, card.quad, card.visible),
            *(Outline(BoxKind.INDEX, index.quad, index.visible) for index in card.indices),
        )
    ]
    return [outline for outline in every if outline.visible >= _VISIBLE[outline.kind]]


def view(found: Sequence[Outline], picture: int, size: int, rng: np.random.Generator) -> View:
    """Return a view, `size` px squared, of a picture of `picture` px squared with these outlines.

    What of it lies beyond the picture is grey. A card or index that the view's rim cuts counts as seen the less.
    """
    scale = rng.uniform(*_SCALES) * size / picture
    side = picture * scale
    room = max(abs(side - size) / 2, _MOVED * size)
    shift = rng.uniform(-room, room, 2)
    cos, sin = ((1, 0), (0, 1), (-1, 0), (0, -1))[int(rng.integers(4))]
    turn = np.array([[cos, -sin], [sin, cos]], np.float32)
    low = np.maximum(0, size / 2 + shift - side / 2)
    high = np.minimum(size, size / 2 + shift + side / 2)
    boxes = []
    for outline in found:
        moved = np.asarray((outline.quad - picture / 2) * scale @ turn.T + size / 2 + shift, np.float32)
        part = _within(moved, low, high)
        whole = _within(outline.quad, np.zeros(2), np.full(2, picture))
        if part is None or whole is None or min(sides(moved)) < _LEAST[outline.kind]:
            continue
        left = cv2.contourArea(part) / (cv2.contourArea(whole) * scale**2)
        if outline.visible * min(1.0, left) >= _VISIBLE[outline.kind]:
            x, y, width, height, angle = turned_box(part)
            boxes.append((outline.kind, x / size, y / size, width / size, height / size, angle))
    # A place c of the view is the picture's p where c = turn (p - picture / 2) scale + size / 2 + shift.
    inverse = turn.T * (size / side)
    matrix = np.column_stack([inverse, -inverse @ shift / (size / 2)])
    return View(np.asarray(matrix, np.float32), np.array(boxes, np.float32).reshape(-1, 6))


def _within(quad: Quad, low: NDArray[np.floating], high: NDArray[np.floating]) -> NDArray[np.float32] | None:
    """Return the (N, 2) corners of an outline's part between two corners of a frame, None where there is hardly any."""
    if (quad >= low).all() and (quad <= high).all():
        return quad
    if (quad.max(0) <= low).any() or (quad.min(0) >= high).any():
        return None
    (x0, y0), (x1, y1) = low, high
    area, part = cv2.intersectConvexConvex(quad, np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], np.float32))
    return None if area < _SPECK or part is None else np.asarray(part, np.float32).reshape(-1, 2)


def turned_box(points: NDArray[np.float32]) -> tuple[float, float, float, float, float]:
    """Return x, y, longer and shorter side, and angle (as in a view) of the least rectangle about (N, 2) points."""
    (x, y), (width, height), degrees = cv2.minAreaRect(points)
    angle = np.deg2rad(degrees)
    if width < height:
        width, height, angle = height, width, angle + np.pi / 2
    return x, y, width, height, float((angle + np.pi / 4) % np.pi - np.pi / 4)
