"""Geometry of outlines and crops, shared by reading and training.

A quad is a (4, 2) float32 array in picture pixels, clockwise on screen. A crop is defined by the quad in the picture
that maps to the edge of the crop.
"""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
"""A picture: (H, W, 3) uint8, BGR."""
Quad = NDArray[np.float32]
"""An outline: (4, 2) float32, (x, y) in pixels, clockwise from the object's own top left."""

CARD_SIZE = (56.0, 87.0)
"""Width and height of a card in millimetres."""
CARD_WIDTH = float(np.divide(*CARD_SIZE))
"""Width of a card in card lengths."""
CARD_SIDE = float(np.sqrt(CARD_WIDTH))
"""Side of a square with a card's area in card lengths."""
CARD_RADIUS = float(np.hypot(*CARD_SIZE)) / 2 / max(CARD_SIZE)
"""Half a card's diagonal in card lengths: what is farther from its middle is not on it, however it lies."""
CARD_CROP = (128, 192)
"""Width and height in pixels of a whole card's crop."""
HALF_CROP = tuple(side // 2 for side in CARD_CROP)
"""The same at half the size, where the print still tells faces apart."""
CARD_THUMBNAIL = tuple(side // 4 for side in CARD_CROP)
"""The same at a quarter, for a card's colours."""
CARD_MARGIN = 0.1
"""Margin around the outline in a whole card's crop, as a share of the card's width and height on each side."""
INDEX_CROP = 64
"""Side in pixels of a corner index' crop."""
INDEX_REACH = 1.9
"""Side of an index crop divided by the longer side of the printed index."""

# Centre of the top-left index as shares of the card's width and height; size of its crop divided by the card's width.
# Mean over the drawn decks; real decks are close to it.
INDEX_SPOT = (0.155, 0.12)
INDEX_SPOT_SIDE = 0.3

NEARLY_ALL = 0.95
"""Share of an area from which it is all of it, as exactly as outlines are known."""
# Share of the smaller outline from which one lies on another.
_LIES_ON = 0.5


def unit_square() -> Quad:
    """Return the corners of the unit square, clockwise from (0, 0)."""
    return np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)


def homography(source: Quad, target: Quad) -> NDArray[np.float64]:
    """Return the (3, 3) float64 matrix that maps the corners of `source` to those of `target`."""
    return np.asarray(cv2.getPerspectiveTransform(source.astype(np.float32), target.astype(np.float32)), np.float64)


def project(matrix: NDArray[np.float64], points: NDArray[np.floating]) -> Quad:
    """Return (N, 2) points transformed by a homography."""
    mapped = points @ matrix[:, :2].T + matrix[:, 2]
    return np.asarray(mapped[:, :2] / mapped[:, 2:], np.float32)


def expand(quad: Quad, margin: float) -> Quad:
    """Return the quad expanded by `margin` of its sides in each direction, within its own perspective."""
    grown = unit_square() * (1 + 2 * margin) - margin
    return project(homography(unit_square(), quad), grown)


def framed(width: float, height: float, margin: float) -> Quad:
    """Return the outline in a crop of this size, which was cut with a margin, a share of its sides, around it."""
    return np.asarray((unit_square() + margin) / (1 + 2 * margin) * (width, height), np.float32)


def cut(image: Image, quad: Quad, width: int, height: int) -> Image:
    """Return the (height, width, 3) crop whose edge is `quad` in the picture; pixels outside the picture are grey.

    If the crop is much smaller than its outline, the picture is reduced first to avoid aliasing.
    """
    x0, y0 = np.floor(quad.min(0)).astype(int) - 2
    x1, y1 = np.ceil(quad.max(0)).astype(int) + 3
    limit_y, limit_x = image.shape[:2]
    x0, y0, x1, y1 = max(x0, 0), max(y0, 0), min(x1, limit_x), min(y1, limit_y)
    if x0 >= x1 or y0 >= y1:
        return np.full((height, width, 3), 127, np.uint8)
    part = image[y0:y1, x0:x1]
    local = quad - np.array([x0, y0], np.float32)
    shrink = max(sides(quad)[0] / width, sides(quad)[1] / height)
    if shrink > 1.6:
        size = (max(1, round(part.shape[1] / shrink)), max(1, round(part.shape[0] / shrink)))
        local = local * np.array([size[0] / part.shape[1], size[1] / part.shape[0]], np.float32)
        part = np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_AREA), np.uint8)
    matrix = homography(local, framed(width, height, 0))
    return np.asarray(cv2.warpPerspective(part, matrix, (width, height), borderValue=(127, 127, 127)), np.uint8)


def sides(quad: Quad) -> tuple[float, float]:
    """Return the lengths of a quad's top and of its left side."""
    return math.dist(quad[0], quad[1]), math.dist(quad[0], quad[3])


def aspect(quad: Quad) -> float:
    """Return the width of an outline over its height."""
    top_left, top_right, bottom_right, bottom_left = quad.tolist()
    width = math.dist(top_left, top_right) + math.dist(bottom_left, bottom_right)
    return width / max(math.dist(top_left, bottom_left) + math.dist(top_right, bottom_right), 1e-6)


def tilt(quad: Quad) -> float:
    """Return the angle in degrees between the line of sight and the card's normal, estimated from the outline.

    A card seen at an angle is foreshortened by the cosine of that angle (weak perspective: Hartley and Zisserman,
    Multiple View Geometry, 2nd edition, section 6.3).
    """
    matrix = homography(unit_square(), quad)
    step = 0.02
    middle, right, down = project(matrix, np.array([[0.5, 0.5], [0.5 + step, 0.5], [0.5, 0.5 + step]], np.float32))
    plane: NDArray[np.float64] = np.column_stack([right - middle, down - middle]) / (np.array(CARD_SIZE) * step)
    longer, shorter = np.linalg.svd(plane, compute_uv=False)
    return float(np.degrees(np.arccos(np.clip(shorter / max(longer, 1e-9), 0, 1))))


def index_frame(quad: Quad) -> Quad:
    """Return the square around an index' outline from which it is read, with the same rotation."""
    center = quad.mean(0)
    right, down = (quad[1] - quad[0] + quad[2] - quad[3]) / 2, (quad[3] - quad[0] + quad[2] - quad[1]) / 2
    side = INDEX_REACH * max(float(np.hypot(*right)), float(np.hypot(*down)))
    along = right / max(float(np.hypot(*right)), 1e-6)
    across = np.array([-along[1], along[0]], np.float32)
    offsets = (unit_square() - 0.5) * side
    return np.asarray(center + offsets[:, :1] * along + offsets[:, 1:] * across, np.float32)


def corner_frames(quad: Quad) -> tuple[Quad, Quad]:
    """Return the squares around the two corner indices of a whole card, each upright for its own index."""
    matrix = homography(unit_square(), quad)
    top_left = (unit_square() - 0.5) * (INDEX_SPOT_SIDE, INDEX_SPOT_SIDE * CARD_WIDTH) + INDEX_SPOT
    return project(matrix, top_left), project(matrix, 1 - top_left)


def turned(quad: Quad, quarters: int) -> Quad:
    """Return the same outline with its first corner moved on by `quarters` corners, which may be negative."""
    first = quarters % len(quad)
    # Two slices take a fifth of the time of `np.roll`, and one hand needs a hundred outlines.
    return np.concatenate([quad[first:], quad[:first]], dtype=np.float32)


def portrait(quad: Quad) -> Quad:
    """Return the same outline, starting at a corner followed by a short edge."""
    return quad if aspect(quad) <= 1 else turned(quad, -1)


def intersection_over_smaller(a: Quad, b: Quad) -> float:
    """Return the common area of two convex quads divided by the smaller area, 0 if either is empty."""
    smaller = min(abs(cv2.contourArea(a)), abs(cv2.contourArea(b)))
    if smaller < 1:
        return 0.0
    return float(cv2.intersectConvexConvex(a, b)[0]) / smaller


def lies_on(a: Quad, b: Quad) -> bool:
    """Whether half of the smaller of two convex quads lies in the other one."""
    return intersection_over_smaller(a, b) >= _LIES_ON


def grid_in(quad: Quad, columns: int, rows: int) -> Quad:
    """Return (rows * columns, 2) the centres of an outline's cells, row by row."""
    steps = ((np.arange(count) + 0.5) / count for count in (columns, rows))
    return project(homography(unit_square(), quad), np.stack(np.meshgrid(*steps), 2).reshape(-1, 2))


def clipped(quad: Quad, width: int, height: int) -> Quad:
    """Return the part (N, 2) of a convex outline inside a picture of this size, or the outline if it lies outside."""
    frame = framed(width, height, 0)
    if (quad >= 0).all() and (quad <= frame[2]).all():
        return quad
    area, part = cv2.intersectConvexConvex(quad, frame)
    return quad if area < 1 or part is None else np.asarray(part.reshape(-1, 2), np.float32)


def intersection_over_union(a: Quad, b: Quad) -> float:
    """Return the intersection over union of two convex quads, 0 if both are empty."""
    common = float(cv2.intersectConvexConvex(a, b)[0])
    union = abs(cv2.contourArea(a)) + abs(cv2.contourArea(b)) - common
    return common / union if union > 0 else 0.0


def averaged(image: Image, width: int) -> Image:
    """Return a (H, W, 3) picture resized to a width in pixels by area averaging."""
    height = max(4, round(image.shape[0] * width / image.shape[1]))
    while image.shape[1] % (4 * width) == 0 and image.shape[0] % (4 * height) == 0:
        # Repeated halving: within one grey level of the exact result in a third of the time.
        half = image.shape[1] // 2, image.shape[0] // 2
        image = np.asarray(cv2.resize(image, half, interpolation=cv2.INTER_AREA), np.uint8)
    method = cv2.INTER_AREA if image.shape[1] > width else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(image, (width, height), interpolation=method), np.uint8)


def reduced(image: Image, width: int) -> Image:
    """Return a (H, W, 3) picture resized to a width in pixels; large pictures are subsampled first for speed."""
    height = max(8, round(image.shape[0] * width / image.shape[1]))
    if image.shape[1] >= 4 * width:
        # Two steps: the first one subsamples and takes an eighth of the time of an exact resize.
        image = np.asarray(cv2.resize(image, (2 * width, 2 * height), interpolation=cv2.INTER_LINEAR), np.uint8)
    return np.asarray(cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
