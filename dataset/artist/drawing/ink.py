"""Prints marks with outline and shadow on a canvas through masks.

A canvas is BGR uint8 (H, W, 3), usually at twice the final size, so that hard masks give clean edges when it is
reduced. Coordinates are pixels of the canvas, x to the right, y down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.core.geometry import Image

Bgr = tuple[int, int, int]
Box = tuple[float, float, float, float]
Mask = NDArray[np.uint8]
Points = NDArray[np.float64]
SHIFT = 4
"""Fractional bits of the coordinates handed to OpenCV's drawing functions."""


class Tone(Enum):
    """A colour named by its role on the card."""

    INK = "ink"
    PAPER = "paper"
    DARK = "dark"
    SHADE = "shade"
    TINT = "tint"


@dataclass(frozen=True)
class Tones:
    """The colours of one card, BGR."""

    ink: Bgr
    paper: Bgr
    dark: Bgr

    def of(self, tone: Tone) -> Bgr:
        """Return the colour of a tone."""
        match tone:
            case Tone.INK:
                return self.ink
            case Tone.PAPER:
                return self.paper
            case Tone.DARK:
                return self.dark
            case Tone.SHADE:
                return mix(self.ink, (0, 0, 0), 0.4)
            case Tone.TINT:
                return mix(self.ink, (255, 255, 255), 0.45)


class Pattern(Enum):
    """How a mark's second colour is distributed."""

    PLAIN = "not at all"
    CORE = "along the middle of its strokes"
    HATCHED = "in lines across"
    HALVED = "over its lower half"
    INLINE = "as a line along the middle of its strokes"
    CUT = "as lines right through it"


@dataclass(frozen=True)
class Finish:
    """How a mark is printed. Lengths are shares of the mark's height."""

    fill: Tone = Tone.PAPER
    outline: Tone = Tone.DARK
    outline_width: float = 0.0
    shadow: Tone = Tone.DARK
    shadow_x: float = 0.0
    shadow_y: float = 0.0
    halo: Tone = Tone.PAPER
    halo_width: float = 0.0
    pattern: Pattern = Pattern.PLAIN
    second: Tone = Tone.TINT
    second_share: float = 0.5
    """Share of the second colour: of the strokes' depth, of each line's pitch or of the height."""


def mix(first: Bgr, second: Bgr, share: float) -> Bgr:
    """Return the first colour with a share (0 to 1) of the second."""
    a, b, c = (round(p + (q - p) * share) for p, q in zip(first, second, strict=True))
    return a, b, c


def fixed(points: Points) -> NDArray[np.int32]:
    """Return points (N, 2) in the fixed-point format of OpenCV's drawing functions with SHIFT."""
    return np.asarray(np.round(points * 2**SHIFT), np.int32)


def turned(points: Points, degrees: float) -> Points:
    """Return points (N, 2) turned clockwise around the origin."""
    cos, sin = np.cos(np.deg2rad(degrees)), np.sin(np.deg2rad(degrees))
    return np.asarray(points @ np.array([[cos, sin], [-sin, cos]]), np.float64)


def ellipse(width: float, height: float, turn: float = 0.0, slant: float = 0.0, count: int = 72) -> Points:
    """Return points (count, 2) of an ellipse around the origin, slanted to the right, then turned clockwise."""
    angles = np.linspace(0, 2 * np.pi, count, endpoint=False)
    points = np.stack([np.cos(angles) * width / 2, np.sin(angles) * height / 2], axis=1)
    points[:, 0] -= points[:, 1] * np.tan(np.deg2rad(slant))
    return turned(points, turn)


def rounded(width: float, height: float, radius: float) -> Points:
    """Return points of a rectangle with round corners around the origin."""
    angles = np.deg2rad(np.linspace(0, 90, 7))
    corner = np.stack([np.cos(angles), np.sin(angles)], axis=1) * radius
    offset = np.array([width / 2 - radius, height / 2 - radius])
    quarters = []
    for turn, sign in ((0, (1, 1)), (90, (-1, 1)), (180, (-1, -1)), (270, (1, -1))):
        quarters.append(turned(corner, turn) + offset * np.array(sign))
    return np.concatenate(quarters)


def flood(canvas: Image, color: Sequence[int]) -> None:
    """Fill a canvas with one colour."""
    cv2.rectangle(canvas, (0, 0), (canvas.shape[1], canvas.shape[0]), color, cv2.FILLED)


def fill(canvas: NDArray[np.uint8], points: Points, color: Sequence[int] | int) -> None:
    """Fill a polygon, points (N, 2) in pixels, on a canvas or a mask."""
    cv2.fillPoly(canvas, [fixed(points)], color, cv2.LINE_8, SHIFT)


def stroke(canvas: NDArray[np.uint8], points: Points, color: Sequence[int] | int, width: float, closed: bool) -> None:
    """Draw a line of a width in pixels through points (N, 2)."""
    cv2.polylines(canvas, [fixed(points)], closed, color, max(1, round(width)), cv2.LINE_8, SHIFT)


def stain(canvas: Image, mask: Mask, color: Bgr, x: int, y: int) -> None:
    """Colour the canvas where the mask, with its top-left corner at (x, y), is above 127."""
    height, width = mask.shape
    x0, y0 = max(x, 0), max(y, 0)
    x1, y1 = min(x + width, canvas.shape[1]), min(y + height, canvas.shape[0])
    if x1 <= x0 or y1 <= y0:
        return
    part = mask[y0 - y : y1 - y, x0 - x : x1 - x]
    where = cv2.threshold(part, 127, 255, cv2.THRESH_BINARY)[1]
    flat = np.empty((y1 - y0, x1 - x0, 3), np.uint8)
    flood(flat, color)
    region = canvas[y0:y1, x0:x1]
    cv2.copyTo(flat, where, region)


def grown(mask: Mask, by: float) -> Mask:
    """Return the mask dilated by some pixels, or eroded if negative; it is cut at its border."""
    solid = (mask > 127).astype(np.uint8)
    if by >= 0:
        distance = cv2.distanceTransform(1 - solid, cv2.DIST_L2, 3)
        return (distance <= by).astype(np.uint8) * np.uint8(255)
    depth = cv2.distanceTransform(solid, cv2.DIST_L2, 3)
    return (depth > -by).astype(np.uint8) * np.uint8(255)


def padded(mask: Mask, rim: int) -> Mask:
    """Return the mask with an empty border of some pixels."""
    return np.asarray(cv2.copyMakeBorder(mask, rim, rim, rim, rim, cv2.BORDER_CONSTANT, value=(0.0,)), np.uint8)


def cropped(mask: Mask) -> Mask:
    """Return the mask cropped to its content."""
    x, y, width, height = cv2.boundingRect(mask)
    return np.ascontiguousarray(mask[y : y + height, x : x + width])


@lru_cache(maxsize=64)
def _trail(dx: int, dy: int) -> tuple[NDArray[np.uint8], tuple[int, int]]:
    """A kernel (and its anchor) that drags a mask along (dx, dy)."""
    kernel = np.zeros((abs(dy) + 1, abs(dx) + 1), np.uint8)
    ends = ((0 if dx >= 0 else -dx, 0 if dy >= 0 else -dy), (dx if dx >= 0 else 0, dy if dy >= 0 else 0))
    cv2.line(kernel, ends[0], ends[1], 1)
    return kernel, ends[1]


def _patterned(mask: Mask, pattern: Pattern, second: float) -> Mask:
    """Return the part of a mark that gets the second colour, for patterns that are not plain."""
    part = mask.copy()
    match pattern:
        case Pattern.CORE:
            depth = cv2.distanceTransform((padded(mask, 1) > 127).astype(np.uint8), cv2.DIST_L2, 3)[1:-1, 1:-1]
            part[depth < (1 - second) * depth.max()] = 0
        case Pattern.HATCHED:
            pitch = max(4, mask.shape[0] // 8)
            part[np.arange(mask.shape[0]) % pitch < round(pitch * (1 - second))] = 0
        case Pattern.INLINE:
            depth = cv2.distanceTransform((padded(mask, 1) > 127).astype(np.uint8), cv2.DIST_L2, 3)[1:-1, 1:-1]
            # Lines of equal depth, as in inline fonts.
            part[np.abs(depth - 0.5 * depth.max()) > 0.2 * second * depth.max()] = 0
        case Pattern.CUT:
            rows, columns = np.indices(mask.shape)
            slope = 0.5 - second
            part[np.abs((rows - slope * columns) % (0.45 * mask.shape[0]) - 0.2 * mask.shape[0]) > 1 + second * 5] = 0
        case Pattern.HALVED:
            part[: round(mask.shape[0] * (1 - second))] = 0
    return part


def print_mark(canvas: Image, mask: Mask, center: tuple[float, float], finish: Finish, tones: Tones) -> Box:
    """Print a mark (a tight mask) centred at a point; return the box of its ink without the shadow."""
    height, width = mask.shape
    outline, halo = finish.outline_width * height, finish.halo_width * height
    dx, dy = round(finish.shadow_x * height), round(finish.shadow_y * height)
    rim = int(outline + halo + max(abs(dx), abs(dy))) + 2
    left, top = round(center[0] - width / 2), round(center[1] - height / 2)
    if outline or halo or dx or dy:
        body = padded(mask, rim)
        edge = grown(body, outline) if outline else body
        if dx or dy:
            kernel, anchor = _trail(dx, dy)
            dragged = np.asarray(cv2.dilate(edge, kernel, anchor=anchor), np.uint8)
        else:
            dragged = edge
        if halo:
            stain(canvas, grown(dragged, halo), tones.of(finish.halo), left - rim, top - rim)
        if dx or dy:
            stain(canvas, dragged, tones.of(finish.shadow), left - rim, top - rim)
        if outline:
            stain(canvas, edge, tones.of(finish.outline), left - rim, top - rim)
    stain(canvas, mask, tones.of(finish.fill), left, top)
    if finish.pattern is not Pattern.PLAIN:
        part = _patterned(mask, finish.pattern, finish.second_share)
        stain(canvas, part, tones.of(finish.second), left, top)
    spread = outline + halo
    return left - spread, top - spread, left + width + spread, top + height + spread


def union(boxes: Sequence[Box]) -> Box:
    """Return the smallest box around some boxes."""
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return min(x0), min(y0), max(x1), max(y1)
