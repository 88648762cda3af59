"""Where the card lies that was laid between two pictures of a pile before a camera that stands still.

The outline is told by the difference to the picture before, so that designs are found that no detector knows. How
slanted the camera sees the table (`slant.plane_of`) tells what shapes a card there may have.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.decks.capture.table_plane import PLAIN, ratio_on, rectangle_on, turn_on, upright_on
from companion.decks.capture.table_plane import Floats as Matrix
from companion.vision.core.geometry import Image, Quad

Floats = NDArray[np.float32]

# A pixel has changed by more than so many grey levels in some colour, or times the median change, which is noise.
_CHANGED, _OVER_NOISE = 10.0, 4.0
# Blur (px) under which noise and the slightest shake are not seen.
_BLUR = 1.5
# How much brighter a picture may be by the camera's own doing, told by pixels so far apart.
_GAINS, _APART = (0.8, 1.25), 4
# From how many grey levels on a pixel is lit, what share must be where the table is darker, and how finely ratios of
# brightness are told apart.
_LIT, _ENOUGH_LIT, _RATIO_BINS = 40.0, 0.002, 45
# Changed spots nearer than this share of the picture's longer side are of one card: like print has not changed.
_GAP = 0.02
# The changed part of a picture is a card if it is so large (share of the picture) and so long over its width on the
# table.
_AREAS, _RATIOS = (0.004, 0.7), (1.15, 2.0)
# Where a card's edge is sought about the changed part's, over its length: shadows change as well, soft ones widely.
_REACH, _STEP = 0.09, 0.005
# At how many places a side is looked at, and what share of it its rounded ends take.
_PLACES, _ENDS = 48, 0.1
# A step of so many grey levels is as clear as any; an edge is the outermost line with so large a share of the clearest
# line's steps, as the print within may change more than a border on like borders.
_CLEAR, _AS_CLEAR = 40.0, 0.45
# How far (degrees; over its length) a pile's first card may lie turned and off from the second.
_TURNED, _MOVED = 60.0, 0.3
# By which steps of these it is sought, first on edges that are blurred as widely, then about where it is found.
_COARSE, _FINE = (6.0, 0.03), (1.0, 0.006)
# A card that is like the one under it changes at least so much of its area; so much of that is in it, or so little
# (over its sides) beyond its outline: what a shadow changed is not.
_TOUCHED, _WITHIN, _BEYOND = 0.03, 0.95, 0.02
# By how many steps the two ends of a side may be off differently.
_TURN = 8


def _soft(image: Image) -> Floats:
    """Return the picture as float32, blurred a little."""
    return np.asarray(cv2.GaussianBlur(image.astype(np.float32), (0, 0), _BLUR), np.float32)


def _most(colors: Floats) -> Floats:
    """Return the largest of three colours' values (H, W, 3): numpy takes ten times as long along so short an axis."""
    blue, green, red = cv2.split(colors)
    return np.asarray(cv2.max(cv2.max(blue, green), red), np.float32)


def changes(before: Image, after: Image) -> Floats:
    """Return (H, W) float32 by how many grey levels two pictures of one size differ, noise taken off."""
    was, now = _soft(before), _soft(after)
    return _most(np.abs(now - was * np.clip(_gain(was, now), *_GAINS)))


def _gain(was: Floats, now: Floats) -> float:
    """Return how many times as bright a picture is, as the camera may have turned its gain up a little for all of it.

    The darker half does not tell: of a dark table a level more or less is a tenth. Where nearly all is dark, what is
    lit tells, by the ratio that most of it has: where a card was laid it may have any.
    """
    before, after = was[::_APART, ::_APART].ravel(), now[::_APART, ::_APART].ravel()
    middle, lit = float(np.median(before)), before >= _LIT
    if middle < _LIT and lit.mean() >= _ENOUGH_LIT:
        ratios = after[lit] / before[lit]
        often, edges = np.histogram(ratios, _RATIO_BINS, _GAINS)
        at = int(np.convolve(often, np.ones(3), "same").argmax())
        near = (ratios >= edges[max(0, at - 1)]) & (ratios <= edges[min(at + 2, _RATIO_BINS)])
        return float(np.median(ratios[near])) if near.any() else 1.0
    bright = before >= max(1.0, middle)
    return float(np.median(after[bright] / before[bright])) if bright.any() else 1.0


def changed_hull(before: Image, after: Image) -> Quad | None:
    """Return the convex hull (N, 2) of what may be a card laid between two pictures of one size, None where none is."""
    return _hull(changes(before, after))


def changed_card(before: Image, after: Image, plane: Matrix = PLAIN) -> Quad | None:
    """Return the outline of the card that was laid between two pictures of one size, None where none was.

    plane: how slanted the camera sees the table (`slant.plane_of`).
    """
    difference = changes(before, after)
    hull = _hull(difference)
    if hull is None:
        return None
    rough = rectangle_on(plane, hull)
    if not _RATIOS[0] < ratio_on(plane, rough) < _RATIOS[1]:
        return None
    return upright_on(plane, _at_edges(difference, clockwise(rough)))


def _hull(difference: Floats) -> Quad | None:
    """Return the convex hull (N, 2) of the largest part of a picture that has changed, if it is as large as a card."""
    mask = (difference > max(_CHANGED, _OVER_NOISE * float(np.median(difference)))).astype(np.uint8)
    mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), np.uint8)
    gap = max(3, round(_GAP * max(mask.shape)))
    whole = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((gap, gap), np.uint8))
    count, parts, about, _ = cv2.connectedComponentsWithStats(whole)
    if count < 2:
        return None
    largest = 1 + int(about[1:, cv2.CC_STAT_AREA].argmax())
    points = cv2.findNonZero(((parts == largest) & (mask > 0)).astype(np.uint8))
    if points is None:
        return None
    hull = np.asarray(cv2.convexHull(points).reshape(-1, 2), np.float32)
    width, length = cv2.minAreaRect(hull)[1]
    return hull if _AREAS[0] < width * length / mask.size < _AREAS[1] else None


def clockwise(quad: Quad) -> Quad:
    """Return the outline with its corners clockwise on screen, from the same first one."""
    return quad if cv2.contourArea(quad, oriented=True) > 0 else np.asarray(quad[[0, 3, 2, 1]], np.float32)


def _at_edges(difference: Floats, rough: Quad) -> Quad:
    """Return the outline with each side moved to where the change begins most steeply."""
    lines = []
    length = max(float(np.hypot(*(rough[(i + 1) % 4] - rough[i]))) for i in range(4))
    offsets = np.arange(-_REACH, _REACH / 3, _STEP) * length
    for i in range(4):
        start, end = rough[i], rough[(i + 1) % 4]
        along = (end - start) / max(float(np.hypot(*(end - start))), 1e-6)
        outward = np.array([along[1], -along[0]], np.float32)
        places = start + np.linspace(_ENDS, 1 - _ENDS, _PLACES)[:, None] * (end - start)
        grid = places[:, None] + offsets[None, :, None] * outward
        values = cv2.remap(difference, grid.astype(np.float32), None, cv2.INTER_LINEAR)  # type: ignore[call-overload]
        # How much less has changed just outside a place than just inside it.
        steps = np.zeros_like(values)
        steps[:, 1:-1] = np.clip(values[:, :-2] - values[:, 2:], 0, _CLEAR)
        best = _outermost(steps)
        first, last = (offsets[k] * outward for k in best)
        lines.append((places[0] + first, places[-1] + last))
    corners = [_crossing(lines[i - 1], lines[i]) for i in range(4)]
    return np.asarray(corners, np.float32)


def _outermost(steps: Floats) -> tuple[int, int]:
    """Return at which offset the outermost line of clear steps begins and ends: steps (places, offsets)."""
    places, count = steps.shape
    share = np.linspace(0, 1, places)
    turns = np.arange(-_TURN, _TURN + 1)
    columns = np.arange(count)[:, None, None] + np.round(turns[:, None] * (share - 0.5)).astype(int)
    sums = steps[np.arange(places), np.clip(columns, 0, count - 1)].mean(2)
    clear = sums.max(1) >= _AS_CLEAR * sums.max()
    at = int(np.flatnonzero(clear).max())
    # The step itself may be a little further in than where it begins to show.
    at = max(range(max(0, at - 3), at + 1), key=lambda k: float(sums[k].max()))
    turn = int(turns[int(sums[at].argmax())])
    return max(0, min(count - 1, at - turn // 2)), max(0, min(count - 1, at + turn - turn // 2))


def _crossing(a: tuple[Floats, Floats], b: tuple[Floats, Floats]) -> Floats:
    """Return where two lines through two points each meet."""
    (p, q), (r, s) = a, b
    matrix = np.array([q - p, r - s], np.float64).T
    if abs(np.linalg.det(matrix)) < 1e-6:
        return np.asarray(q, np.float32)
    t = np.linalg.solve(matrix, r - p)[0]
    return np.asarray(p + t * (q - p), np.float32)


def first_card(image: Image, like: Quad, plane: Matrix = PLAIN) -> Quad:
    """Return the outline of the only card in a picture, which is of the size of the card that was laid on it next.

    Where its edges run is told by the picture's own: the outline that lies on most of them. plane: as `changed_card`.
    """
    return _on_edges(_steep(_soft(image)), like, np.zeros((0, 2), np.float32), plane)


def card_like(before: Image, after: Image, like: Quad, plane: Matrix = PLAIN) -> Quad | None:
    """Return the outline of the card that was laid between two pictures where it changed little, as on a like card.

    It is of the size of another card of the pile, lies on edges of the picture, and has all in it that has changed.
    plane: as `changed_card`.
    """
    changed = changed_points(before, after, _TOUCHED * cv2.contourArea(like))
    if changed is None:
        return None
    quad = _on_edges(_appeared(before, after), like, changed, plane)
    return quad if has_all(quad, changed) else None


def _appeared(before: Image, after: Image) -> Floats:
    """Return (H, W) how steep a picture is where it was not before: there are the edges of what was laid."""
    was, now = _soft(before), _soft(after)
    return np.asarray(np.minimum(_steep(now), _steep(now - was)), np.float32)


def changed_points(before: Image, after: Image, least: float) -> Floats | None:
    """Return some (N, 2) of the points that have changed, None where fewer than `least` have."""
    difference = changes(before, after)
    mask = (difference > max(_CHANGED, _OVER_NOISE * float(np.median(difference)))).astype(np.uint8)
    points = cv2.findNonZero(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)))
    if points is None or len(points) < least:
        return None
    return np.asarray(points.reshape(-1, 2)[:: max(1, len(points) // 300)], np.float32)


def _share_within(points: Floats, quad: Quad, moves: Floats) -> Floats:
    """Return (M,) which share of the points (N, 2) lies in an outline, or hardly beyond it, after each move (M, 2)."""
    if not len(points):
        return np.ones(len(moves), np.float32)
    across, down = quad[1] - quad[0] + quad[2] - quad[3], quad[3] - quad[0] + quad[2] - quad[1]
    off = points - (quad.mean(0) + moves)[:, None]
    inverse = np.linalg.inv(np.stack([across, down], 1) / 2)
    across_off, down_off = np.moveaxis(np.abs(off @ inverse.T), 2, 0)
    return np.asarray((np.maximum(across_off, down_off) < 0.5 + _BEYOND).mean(1), np.float32)


def _steep(image: Floats) -> Floats:
    """Return (H, W) by how many grey levels a pixel's step a (H, W, 3) picture changes, up to what is clear."""
    across, down = (cv2.Sobel(image, cv2.CV_32F, *way, ksize=3) / 8 for way in ((1, 0), (0, 1)))
    return np.asarray(np.minimum(np.sqrt(_most(np.asarray(across**2 + down**2, np.float32))), _CLEAR), np.float32)


def _on_edges(steep: Floats, like: Quad, changed: Floats, plane: Matrix) -> Quad:
    """Return an outline of this size that lies on most of a picture's edges and has what has changed (N, 2) in it.

    steep: (H, W) how steep the picture is.
    """
    length = float(np.hypot(*(like[3] - like[0])))
    wide = cv2.GaussianBlur(steep, (0, 0), _COARSE[1] * length / 2)
    start = _best(np.asarray(wide, np.float32), like, changed, (_TURNED, _MOVED), _COARSE, plane)
    return upright_on(plane, _best(steep, start, changed, _COARSE, _FINE, plane))


def _best(
    steep: Floats,
    like: Quad,
    changed: Floats,
    reach: tuple[float, float],
    step: tuple[float, float],
    plane: Matrix,
) -> Quad:
    """Return the best outline, turned (degrees) and moved (over its length) within a reach by steps."""
    center, length = like.mean(0), float(np.hypot(*(like[3] - like[0])))
    shares = np.linspace(_ENDS, 1 - _ENDS, 16, dtype=np.float32)[:, None]
    offsets = np.arange(-reach[1], reach[1] + 0.001, step[1], dtype=np.float32) * length
    moves = np.stack(np.meshgrid(offsets, offsets), 2).reshape(-1, 1, 2)
    best, most = like, -1.0
    for degrees in np.arange(-reach[0], reach[0] + 0.01, step[0]):
        quad = np.asarray((like - center) @ turn_on(plane, degrees).T + center, np.float32)
        places = np.concatenate([quad[i] + shares * (quad[(i + 1) % 4] - quad[i]) for i in range(4)])
        at = (places + moves).astype(np.float32)
        values = cv2.remap(steep, at, None, cv2.INTER_LINEAR)  # type: ignore[call-overload]
        # The side that is least upon an edge counts as much as the others together: print has edges, too.
        sides = values.reshape(len(moves), 4, -1).mean(2)
        scores = sides.mean(1) + sides.min(1)
        scores[_share_within(changed, quad, moves[:, 0]) < _WITHIN] = -1.0
        k = int(scores.argmax())
        if scores[k] > most:
            most, best = float(scores[k]), np.asarray(quad + moves[k], np.float32)
    return best


def card_boxed(before: Image, after: Image, box: Quad, changed: Floats, plane: Matrix = PLAIN) -> Quad:
    """Return the outline of the card that was laid between two pictures and is roughly boxed.

    changed: (N, 2) points that have changed. plane: as `changed_card`.
    """
    return upright_on(plane, _best(_appeared(before, after), box, changed, _COARSE, _FINE, plane))


def has_all(quad: Quad, changed: Floats) -> bool:
    """Whether all points (N, 2) that have changed are in an outline."""
    return bool(_share_within(changed, quad, np.zeros((1, 2), np.float32))[0] >= _WITHIN)
