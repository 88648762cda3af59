"""Views of drawn scenes for training the detector: rotated by quarters, scaled and shifted, with their boxes.

The worker that draws the scene plans the view; the training process cuts it out (`models/training/detector_tuning.py`).
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
"""Maximum number of boxes in a view: scenes have at most 25 cards with two indices each."""

_VISIBLE = {BoxKind.CARD: CARD_VISIBLE, BoxKind.INDEX: INDEX_VISIBLE}
# Minimum length in pixels of a box's shorter side in a view.
_MIN_SIDE = {BoxKind.CARD: 8.0, BoxKind.INDEX: 3.6}
# Range of the picture's size, over the view's.
_SCALES = (0.6, 1.4)
# Maximum shift of a picture of the view's own size, over that size.
_SHIFT = 0.05
_MIN_AREA = 16.0


@dataclass(frozen=True, eq=False)
class Outline:
    """A card or an index to be boxed: its (4, 2) corners in pixels, clockwise, and the visible share of its area."""

    kind: BoxKind
    quad: Quad
    visible: float


@dataclass(frozen=True, eq=False)
class View:
    """The transform of a square picture into a view, and the view's boxes.

    matrix: (2, 3) float32, maps positions in the view to positions in the picture, both -1..1 from edge to edge, x
    first, as for torch's `affine_grid`. boxes: (M, 6) float32: class, x, y, longer and shorter side as shares of the
    view, and the longer side's angle in radians, clockwise, within -pi/4..3 pi/4, as in ultralytics.
    """

    matrix: NDArray[np.float32]
    boxes: NDArray[np.float32]


def outlines(cards: Sequence[SceneCard]) -> list[Outline]:
    """Return the face-up cards and indices of a scene that are visible enough to be boxed."""
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
    """Return a random view of `size` x `size` px of a picture of `picture` x `picture` px with these outlines.

    The outside of the picture is grey. Where the view's edge cuts a card or index, its visible share falls.
    """
    scale = rng.uniform(*_SCALES) * size / picture
    side = picture * scale
    room = max(abs(side - size) / 2, _SHIFT * size)
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
        if part is None or whole is None or min(sides(moved)) < _MIN_SIDE[outline.kind]:
            continue
        left = cv2.contourArea(part) / (cv2.contourArea(whole) * scale**2)
        if outline.visible * min(1.0, left) >= _VISIBLE[outline.kind]:
            x, y, width, height, angle = turned_box(part)
            boxes.append((outline.kind.number, x / size, y / size, width / size, height / size, angle))
    # Position c in the view is position p in the picture with c = turn (p - picture / 2) scale + size / 2 + shift.
    inverse = turn.T * (size / side)
    matrix = np.column_stack([inverse, -inverse @ shift / (size / 2)])
    return View(np.asarray(matrix, np.float32), np.array(boxes, np.float32).reshape(-1, 6))


def _within(quad: Quad, low: NDArray[np.floating], high: NDArray[np.floating]) -> NDArray[np.float32] | None:
    """Return the (N, 2) corners of the part of an outline inside a rectangle, None if almost nothing is inside."""
    if (quad >= low).all() and (quad <= high).all():
        return quad
    if (quad.max(0) <= low).any() or (quad.min(0) >= high).any():
        return None
    (x0, y0), (x1, y1) = low, high
    area, part = cv2.intersectConvexConvex(quad, np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], np.float32))
    return None if area < _MIN_AREA or part is None else np.asarray(part, np.float32).reshape(-1, 2)


def turned_box(points: NDArray[np.float32]) -> tuple[float, float, float, float, float]:
    """Return x, y, longer and shorter side, and angle (as in a view) of the minimum-area rectangle around (N, 2)
    points.
    """
    (x, y), (width, height), degrees = cv2.minAreaRect(points)
    angle = np.deg2rad(degrees)
    if width < height:
        width, height, angle = height, width, angle + np.pi / 2
    return x, y, width, height, float((angle + np.pi / 4) % np.pi - np.pi / 4)
