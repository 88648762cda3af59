"""Outlines the card laid between two pictures of a pile, for a fixed camera.

The outline comes from the difference of the pictures, so it works for designs no detector knows. The camera's tilt
(`table_plane.plane_of`) limits the possible shapes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.decks.capture.table_plane import PLAIN, ratio_on, rectangle_on, turn_on, upright_on
from companion.decks.capture.table_plane import Floats as Matrix
from companion.vision.core.geometry import Image, Quad, expand

Floats = NDArray[np.float32]
Levels = TypeVar("Levels", NDArray[np.float32], NDArray[np.uint8])

# Minimum change of a pixel in grey levels in some channel, and in multiples of the median change (noise).
_MIN_CHANGE, _MIN_CHANGE_OVER_NOISE = 10.0, 4.0
# Blur (px) against noise and slight shake.
_BLUR = 1.5
# Range of the camera's automatic gain, estimated from pixels at this spacing.
_GAIN_RANGE, _GAIN_SPACING = (0.8, 1.25), 4
# Minimum grey level of a lit pixel, minimum share of lit pixels on a dark table, number of bins for brightness ratios.
_LIT_LEVEL, _MIN_LIT_SHARE, _RATIO_BINS = 40.0, 0.002, 45
# Changed regions closer than this share of the picture's longer side belong to one card; similar print does not change.
_MAX_GAP = 0.02
# Range of a card's area (share of the picture) and of its aspect ratio on the table.
_AREA_RANGE, _ASPECT_RANGE = (0.004, 0.7), (1.15, 2.0)
# Search range for a card's edge around the changed region, and step, over its length; soft shadows change a wide area.
_SEARCH_RANGE, _SEARCH_STEP = 0.09, 0.005
# Number of samples per side, and share excluded at its rounded ends.
_SAMPLES_PER_SIDE, _CORNER_SHARE = 48, 0.1
# Step in grey levels that counts as fully clear. The edge is the outermost line with at least this share of the
# strongest line's steps: print inside may change more than a border on a similar one.
_CLEAR_STEP, _MIN_RELATIVE_STEP = 40.0, 0.45
# Maximum rotation (degrees) and offset (over its length) of a pile's first card relative to the second.
_MAX_ROTATION, _MAX_OFFSET = 60.0, 0.3
# Coarse and fine steps of that search; edges are blurred accordingly.
_COARSE_STEPS, _FINE_STEPS = (6.0, 0.03), (1.0, 0.006)
# Minimum changed share of a card laid on an identical one; share of the changed points that must lie inside, or within
# this margin (over its sides): changes by shadows do not.
_MIN_CHANGED_SHARE, _MIN_INSIDE_SHARE, _INSIDE_MARGIN = 0.03, 0.95, 0.02
_UNMOVED = np.zeros((1, 2), np.float32)
# Maximum difference in steps between both ends of a side.
_MAX_SIDE_TURN = 8


def _blurred(image: Image) -> Floats:
    """Return the picture as float32, slightly blurred."""
    return np.asarray(cv2.GaussianBlur(image.astype(np.float32), (0, 0), _BLUR), np.float32)


def _channel_max(colors: Levels) -> Levels:
    """Return the maximum over three channels (H, W, 3); ten times faster than numpy's along a short axis."""
    blue, green, red = cv2.split(colors)
    return np.asarray(cv2.max(cv2.max(blue, green), red), colors.dtype)


def changes(before: Image, after: Image) -> Floats:
    """Return (H, W) float32 differences of two pictures of one size in grey levels, noise subtracted."""
    # In whole grey levels, which is four times as fast as in fractions; a card changes ten of them.
    was, now = (np.asarray(cv2.GaussianBlur(image, (0, 0), _BLUR), np.uint8) for image in (before, after))
    gain = float(np.clip(_gain(_spaced(was), _spaced(now)), *_GAIN_RANGE))
    difference = np.asarray(cv2.absdiff(now, cv2.convertScaleAbs(was, alpha=gain)), np.uint8)
    return np.asarray(_channel_max(difference), np.float32)


def _spaced(image: Image) -> Floats:
    """Return the levels of some pixels (N,)."""
    return np.asarray(image[::_GAIN_SPACING, ::_GAIN_SPACING].ravel(), np.float32)


def _gain(before: Floats, after: Floats) -> float:
    """Return the ratio of brightness of two pictures, caused by the camera's automatic gain; some of their levels (N,).

    The darker half is ignored: on a dark table one level is a tenth. If almost everything is dark, the most common
    ratio of the lit pixels is used.
    """
    middle, lit = float(np.median(before)), before >= _LIT_LEVEL
    if middle < _LIT_LEVEL and lit.mean() >= _MIN_LIT_SHARE:
        ratios = after[lit] / before[lit]
        often, edges = np.histogram(ratios, _RATIO_BINS, _GAIN_RANGE)
        at = int(np.convolve(often, np.ones(3), "same").argmax())
        near = (ratios >= edges[max(0, at - 1)]) & (ratios <= edges[min(at + 2, _RATIO_BINS)])
        return float(np.median(ratios[near])) if near.any() else 1.0
    bright = before >= max(1.0, middle)
    return float(np.median(after[bright] / before[bright])) if bright.any() else 1.0


@dataclass(frozen=True, eq=False)
class PictureChange:
    """Two (H, W, 3) BGR uint8 pictures of one size; their differences are computed once, when first needed."""

    before: Image
    after: Image

    @cached_property
    def differences(self) -> Floats:
        """The (H, W) differences in grey levels, as `changes` returns them."""
        return changes(self.before, self.after)

    def hull(self) -> Quad | None:
        """Return the convex hull (N, 2) of a possible card laid between the pictures, None without one."""
        return _hull(self.differences)

    def points(self, min_share: float) -> Floats | None:
        """Return some (N, 2) of the changed points, None if fewer than `min_share` have changed."""
        mask = _changed(self.differences)
        points = cv2.findNonZero(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)))
        if points is None or len(points) < min_share:
            return None
        return np.asarray(points.reshape(-1, 2)[:: max(1, len(points) // 300)], np.float32)


def changed_card(change: PictureChange, plane: Matrix = PLAIN) -> Quad | None:
    """Return the outline of the card laid between two pictures, None without one.

    plane: the camera's tilt (`table_plane.plane_of`).
    """
    difference, hull = change.differences, change.hull()
    if hull is None:
        return None
    snapped = rectangle_on(plane, hull)
    if not _ASPECT_RANGE[0] < ratio_on(plane, snapped) < _ASPECT_RANGE[1]:
        return None
    return upright_on(plane, _snapped_to_edges(difference, clockwise(snapped)))


def _changed(difference: Floats) -> Image:
    """Return (H, W) uint8 1 where the difference is more than noise; its level is taken from a part of the pixels."""
    noise = float(np.median(difference[::_GAIN_SPACING, ::_GAIN_SPACING]))
    return np.asarray(difference > max(_MIN_CHANGE, _MIN_CHANGE_OVER_NOISE * noise), np.uint8)


def _hull(difference: Floats) -> Quad | None:
    """Return the convex hull (N, 2) of the largest changed region if it is as large as a card."""
    mask = _changed(difference)
    mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), np.uint8)
    gap = max(3, round(_MAX_GAP * max(mask.shape)))
    # Nothing changed outside this part, which is smaller than the picture.
    x, y, width, height = cv2.boundingRect(mask)
    left, top = max(0, x - gap), max(0, y - gap)
    part = mask[top : y + height + gap, left : x + width + gap]
    whole = cv2.morphologyEx(part, cv2.MORPH_CLOSE, np.ones((gap, gap), np.uint8))
    count, parts, about, _ = cv2.connectedComponentsWithStats(whole)
    if count < 2:
        return None
    largest = 1 + int(about[1:, cv2.CC_STAT_AREA].argmax())
    points = cv2.findNonZero(((parts == largest) & (part > 0)).astype(np.uint8))
    if points is None:
        return None
    hull = np.asarray(cv2.convexHull(points).reshape(-1, 2) + np.array([left, top]), np.float32)
    area = float(np.prod(cv2.minAreaRect(hull)[1]))
    return hull if _AREA_RANGE[0] < area / mask.size < _AREA_RANGE[1] else None


def clockwise(quad: Quad) -> Quad:
    """Return the outline with its corners clockwise on screen, starting at the same one."""
    return quad if cv2.contourArea(quad, oriented=True) > 0 else np.asarray(quad[[0, 3, 2, 1]], np.float32)


def _snapped_to_edges(difference: Floats, rough: Quad) -> Quad:
    """Return the outline with each side moved to the steepest onset of change."""
    lines = []
    length = max(float(np.hypot(*(rough[(i + 1) % 4] - rough[i]))) for i in range(4))
    offsets = np.arange(-_SEARCH_RANGE, _SEARCH_RANGE / 3, _SEARCH_STEP) * length
    for i in range(4):
        start, end = rough[i], rough[(i + 1) % 4]
        along = (end - start) / max(float(np.hypot(*(end - start))), 1e-6)
        outward = np.array([along[1], -along[0]], np.float32)
        places = start + np.linspace(_CORNER_SHARE, 1 - _CORNER_SHARE, _SAMPLES_PER_SIDE)[:, None] * (end - start)
        grid = places[:, None] + offsets[None, :, None] * outward
        values = cv2.remap(difference, grid.astype(np.float32), None, cv2.INTER_LINEAR)  # type: ignore[call-overload]
        # Difference of the change just inside and just outside a place.
        steps = np.zeros_like(values)
        steps[:, 1:-1] = np.clip(values[:, :-2] - values[:, 2:], 0, _CLEAR_STEP)
        best = _outermost_step(steps)
        first, last = (offsets[k] * outward for k in best)
        lines.append((places[0] + first, places[-1] + last))
    corners = [_intersection(lines[i - 1], lines[i]) for i in range(4)]
    return np.asarray(corners, np.float32)


def _outermost_step(steps: Floats) -> tuple[int, int]:
    """Return the offsets at which the outermost line of clear steps begins and ends: steps (places, offsets)."""
    places, count = steps.shape
    share = np.linspace(0, 1, places)
    turns = np.arange(-_MAX_SIDE_TURN, _MAX_SIDE_TURN + 1)
    columns = np.arange(count)[:, None, None] + np.round(turns[:, None] * (share - 0.5)).astype(int)
    sums = steps[np.arange(places), np.clip(columns, 0, count - 1)].mean(2)
    clear = sums.max(1) >= _MIN_RELATIVE_STEP * sums.max()
    at = int(np.flatnonzero(clear).max())
    # The step itself may lie slightly further inside than its onset.
    at = max(range(max(0, at - 3), at + 1), key=lambda k: float(sums[k].max()))
    turn = int(turns[int(sums[at].argmax())])
    return max(0, min(count - 1, at - turn // 2)), max(0, min(count - 1, at + turn - turn // 2))


def _intersection(a: tuple[Floats, Floats], b: tuple[Floats, Floats]) -> Floats:
    """Return the intersection of two lines through two points each."""
    (p, q), (r, s) = a, b
    matrix = np.array([q - p, r - s], np.float64).T
    if abs(np.linalg.det(matrix)) < 1e-6:
        return np.asarray(q, np.float32)
    t = np.linalg.solve(matrix, r - p)[0]
    return np.asarray(p + t * (q - p), np.float32)


def first_card(image: Image, reference: Quad, plane: Matrix = PLAIN) -> Quad:
    """Return the outline of a picture's only card, with the size of the card laid on it next.

    The outline with most image edges along it is chosen. plane: as in `changed_card`.
    """
    return _fitted_to_edges(_gradient_of(_blurred(image)), reference, np.zeros((0, 2), np.float32), plane)


def card_like(change: PictureChange, reference: Quad, plane: Matrix = PLAIN) -> Quad | None:
    """Return the outline of the card laid between two pictures that differ little, as for an identical card.

    It has the size of another card of the pile, lies on image edges, and contains all changed points. plane: as in
    `changed_card`.
    """
    changed = change.points(_MIN_CHANGED_SHARE * cv2.contourArea(reference))
    if changed is None:
        return None
    quad = _fitted_to_edges(_new_edges(change), reference, changed, plane)
    return quad if has_all(quad, changed) else None


def is_taken(change: PictureChange, quad: Quad) -> bool:
    """Return whether a card was taken away: the edges along its outline (4, 2) were stronger before."""
    around = expand(quad, _SEARCH_RANGE)
    (left, top), (right, bottom) = np.maximum(around.min(0).astype(int), 0), around.max(0).astype(int)
    before, after = (
        _edges_along(_gradient_of(_blurred(picture[top:bottom, left:right])), quad - (left, top), _UNMOVED)[0]
        for picture in (change.before, change.after)
    )
    return bool(before > after)


def _new_edges(change: PictureChange) -> Floats:
    """Return (H, W) the gradient of a picture where it had none before: the edges of the new card."""
    was, now = _blurred(change.before), _blurred(change.after)
    return np.asarray(np.minimum(_gradient_of(now), _gradient_of(now - was)), np.float32)


def _share_inside(points: Floats, quad: Quad, moves: Floats) -> Floats:
    """Return (M,) the share of points (N, 2) inside or close to an outline after each move (M, 2)."""
    if not len(points):
        return np.ones(len(moves), np.float32)
    across, down = quad[1] - quad[0] + quad[2] - quad[3], quad[3] - quad[0] + quad[2] - quad[1]
    off = points - (quad.mean(0) + moves)[:, None]
    inverse = np.linalg.inv(np.stack([across, down], 1) / 2)
    across_off, down_off = np.moveaxis(np.abs(off @ inverse.T), 2, 0)
    return np.asarray((np.maximum(across_off, down_off) < 0.5 + _INSIDE_MARGIN).mean(1), np.float32)


def _gradient_of(image: Floats) -> Floats:
    """Return (H, W) the step of each pixel in a (H, W, 3) picture in grey levels, clipped at a clear step."""
    across, down = (cv2.Sobel(image, cv2.CV_32F, *way, ksize=3) / 8 for way in ((1, 0), (0, 1)))
    return np.asarray(
        np.minimum(np.sqrt(_channel_max(np.asarray(across**2 + down**2, np.float32))), _CLEAR_STEP), np.float32
    )


def _fitted_to_edges(gradient: Floats, reference: Quad, changed: Floats, plane: Matrix) -> Quad:
    """Return an outline of this size along most image edges that contains the changed points (N, 2).

    gradient: (H, W) the picture's gradient.
    """
    length = float(np.hypot(*(reference[3] - reference[0])))
    wide = cv2.GaussianBlur(gradient, (0, 0), _COARSE_STEPS[1] * length / 2)
    start = _best_placement(
        np.asarray(wide, np.float32), reference, changed, (_MAX_ROTATION, _MAX_OFFSET), _COARSE_STEPS, plane
    )
    return upright_on(plane, _best_placement(gradient, start, changed, _COARSE_STEPS, _FINE_STEPS, plane))


def _best_placement(
    gradient: Floats,
    reference: Quad,
    changed: Floats,
    reach: tuple[float, float],
    step: tuple[float, float],
    plane: Matrix,
) -> Quad:
    """Return the best outline, rotated (degrees) and moved (over its length) within a range by steps."""
    center, length = reference.mean(0), float(np.hypot(*(reference[3] - reference[0])))
    offsets = np.arange(-reach[1], reach[1] + 0.001, step[1], dtype=np.float32) * length
    moves = np.stack(np.meshgrid(offsets, offsets), 2).reshape(-1, 2)
    best, most = reference, -1.0
    for degrees in np.arange(-reach[0], reach[0] + 0.01, step[0]):
        quad = np.asarray((reference - center) @ turn_on(plane, degrees).T + center, np.float32)
        scores = _edges_along(gradient, quad, moves)
        scores[_share_inside(changed, quad, moves) < _MIN_INSIDE_SHARE] = -1.0
        k = int(scores.argmax())
        if scores[k] > most:
            most, best = float(scores[k]), np.asarray(quad + moves[k], np.float32)
    return best


def _edges_along(gradient: Floats, quad: Quad, moves: Floats) -> Floats:
    """Return (M,) how strong the edges along an outline (4, 2) are after each move (M, 2).

    gradient: (H, W) of the picture.
    """
    shares = np.linspace(_CORNER_SHARE, 1 - _CORNER_SHARE, 16, dtype=np.float32)[:, None]
    places = np.concatenate([quad[i] + shares * (quad[(i + 1) % 4] - quad[i]) for i in range(4)])
    at = (places + moves[:, None]).astype(np.float32)
    values = cv2.remap(gradient, at, None, cv2.INTER_LINEAR)  # type: ignore[call-overload]
    # The weakest side counts as much as the others together, because print has edges, too.
    sides = values.reshape(len(moves), 4, -1).mean(2)
    return np.asarray(sides.mean(1) + sides.min(1), np.float32)


def card_boxed(change: PictureChange, box: Quad, changed: Floats, plane: Matrix = PLAIN) -> Quad:
    """Return the outline of a card laid between two pictures, given a rough box.

    changed: (N, 2) changed points. plane: as in `changed_card`.
    """
    return upright_on(plane, _best_placement(_new_edges(change), box, changed, _COARSE_STEPS, _FINE_STEPS, plane))


def has_all(quad: Quad, changed: Floats) -> bool:
    """Return whether all changed points (N, 2) lie in an outline."""
    return bool(_share_inside(changed, quad, _UNMOVED)[0] >= _MIN_INSIDE_SHARE)


def has_some(quad: Quad, changed: Floats) -> bool:
    """Return whether some of the changed points (N, 2) lie in an outline."""
    return bool(_share_inside(changed, quad, _UNMOVED)[0] >= _MIN_CHANGED_SHARE)
