"""Cards laid one after the other on a pile before a camera that stands still: what has changed is the card.

The outline is told by the difference to the picture before, so that designs are found that no detector knows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.geometry import Image, Quad, cut, expand, portrait

Floats = NDArray[np.float32]

# A pixel has changed by more than so many grey levels in some colour, or times the median change, which is noise.
_CHANGED, _OVER_NOISE = 10.0, 4.0
# Blur (px) under which noise and the slightest shake are not seen.
_BLUR = 1.5
# How much brighter a picture may be by the camera's own doing, told by pixels so far apart.
_GAINS, _APART = (0.8, 1.25), 4
# Changed spots nearer than this share of the picture's longer side are of one card: like print has not changed.
_GAP = 0.02
# The changed part of a picture is a card if it is so large (share of the picture) and so long over its width.
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
# A card is on the table where what lies under the next one differs from what is about by so many standard deviations.
_TABLE = 1.0
# So many outlines, and no smaller share of all, tell how large the pile's cards are whose areas differ by no more than
# this share. An outline is another thing's where its area is so much smaller or larger: on a black design a card's sign
# had 0.13 to 0.43 of the card's area, cards that were found whole 0.94 to 1.05.
_FEWEST, _SELDOM, _AGREEING, _SMALLER, _LARGER, _SIGN = 3, 0.1, 0.12, 0.82, 1.22, 0.5
# So many pictures are kept until then.
_REMEMBERED = 16
# By how many steps the two ends of a side may be off differently.
_TURN = 8


@dataclass(frozen=True, eq=False)
class Laid:
    """A card as it was laid: the (H, W, 3) BGR uint8 picture, and its outline (4, 2), upright or upside down.

    place: how many cards were laid before it.
    """

    image: Image
    quad: Quad
    place: int


def _soft(image: Image) -> Floats:
    """Return the picture as float32, blurred a little."""
    return np.asarray(cv2.GaussianBlur(image.astype(np.float32), (0, 0), _BLUR), np.float32)


def changes(before: Image, after: Image) -> Floats:
    """Return (H, W) float32 by how many grey levels two pictures of one size differ, noise taken off."""
    was, now = _soft(before), _soft(after)
    return np.asarray(np.abs(now - was * np.clip(_gain(was, now), *_GAINS)).max(2), np.float32)


def _gain(was: Floats, now: Floats) -> float:
    """Return how many times as bright a picture is, as the camera may have turned its gain up a little for all of it.

    The darker half does not tell: of a dark table a level more or less is a tenth.
    """
    before, after = was[::_APART, ::_APART].ravel(), now[::_APART, ::_APART].ravel()
    bright = before >= max(1.0, float(np.median(before)))
    return float(np.median(after[bright] / before[bright])) if bright.any() else 1.0


def changed_card(before: Image, after: Image) -> Quad | None:
    """Return the outline of the card that was laid between two pictures of one size, None where none was."""
    difference = changes(before, after)
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
    rough = portrait(np.asarray(cv2.boxPoints(cv2.minAreaRect(cv2.convexHull(points))), np.float32))
    width, length = np.hypot(*(rough[1] - rough[0])), np.hypot(*(rough[3] - rough[0]))
    share = width * length / mask.size
    if not _AREAS[0] < share < _AREAS[1] or not _RATIOS[0] < length / max(width, 1.0) < _RATIOS[1]:
        return None
    return portrait(_at_edges(difference, clockwise(rough)))


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


def first_card(image: Image, like: Quad) -> Quad:
    """Return the outline of the only card in a picture, which is of the size of the card that was laid on it next.

    Where its edges run is told by the picture's own: the outline that lies on most of them.
    """
    return _on_edges(_steep(_soft(image)), like, np.zeros((0, 2), np.float32))


def card_like(before: Image, after: Image, like: Quad) -> Quad | None:
    """Return the outline of the card that was laid between two pictures where it changed little, as on a like card.

    It is of the size of another card of the pile, lies on edges of the picture, and has all in it that has changed.
    """
    changed = _changed(before, after, _TOUCHED * cv2.contourArea(like))
    if changed is None:
        return None
    quad = _on_edges(_appeared(before, after), like, changed)
    return quad if _has_all(quad, changed) else None


def _appeared(before: Image, after: Image) -> Floats:
    """Return (H, W) how steep a picture is where it was not before: there are the edges of what was laid."""
    was, now = _soft(before), _soft(after)
    return np.asarray(np.minimum(_steep(now), _steep(now - was)), np.float32)


def _changed(before: Image, after: Image, least: float) -> Floats | None:
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
    return np.asarray((np.abs(off @ inverse.T).max(2) < 0.5 + _BEYOND).mean(1), np.float32)


def _steep(image: Floats) -> Floats:
    """Return (H, W) by how many grey levels a pixel's step a (H, W, 3) picture changes, up to what is clear."""
    across, down = (cv2.Sobel(image, cv2.CV_32F, *way, ksize=3) / 8 for way in ((1, 0), (0, 1)))
    return np.asarray(np.minimum(np.sqrt(across**2 + down**2).max(2), _CLEAR), np.float32)


def _on_edges(steep: Floats, like: Quad, changed: Floats) -> Quad:
    """Return an outline of this size that lies on most of a picture's edges and has what has changed (N, 2) in it.

    steep: (H, W) how steep the picture is.
    """
    length = float(np.hypot(*(like[3] - like[0])))
    wide = cv2.GaussianBlur(steep, (0, 0), _COARSE[1] * length / 2)
    start = _best(np.asarray(wide, np.float32), like, changed, (_TURNED, _MOVED), _COARSE)
    return portrait(_best(steep, start, changed, _COARSE, _FINE))


def _best(steep: Floats, like: Quad, changed: Floats, reach: tuple[float, float], step: tuple[float, float]) -> Quad:
    """Return the best outline, turned (degrees) and moved (over its length) within a reach by steps."""
    center, length = like.mean(0), float(np.hypot(*(like[3] - like[0])))
    shares = np.linspace(_ENDS, 1 - _ENDS, 16, dtype=np.float32)[:, None]
    offsets = np.arange(-reach[1], reach[1] + 0.001, step[1], dtype=np.float32) * length
    moves = np.stack(np.meshgrid(offsets, offsets), 2).reshape(-1, 1, 2)
    best, most = like, -1.0
    for degrees in np.arange(-reach[0], reach[0] + 0.01, step[0]):
        turn = np.radians(degrees)
        matrix = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]], np.float32)
        quad = np.asarray((like - center) @ matrix.T + center, np.float32)
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


class Pile:
    """Follows pictures of a pile that grows card by card, each picture settled, and tells what was laid.

    each: whether every picture shows one card more, so that one on which nothing is found takes a place all the same.
    boxed: returns the (4, 2) outlines of what a detector takes for cards in a picture, roughly.
    """

    def __init__(self, each: bool = False, boxed: Callable[[Image], Sequence[Quad]] = lambda image: ()) -> None:
        self._each = each
        self._boxed = boxed
        self._before: Image | None = None
        self._alone: Image | None = None
        self._last: Quad | None = None
        self._next = 0
        # Outlines of all that has changed, and boxed ones about it.
        self._outlines: list[Quad] = []
        self._boxes: list[Quad] = []
        self._size: Quad | None = None
        # The first pictures, which cards of what size are laid in is not yet known: place, before, after, outline.
        self._first: list[tuple[int, Image, Image, Quad | None]] = []

    def show(self, image: Image) -> list[Laid]:
        """Return the cards that a further picture tells of: none, the new one, or with it the pile's first.

        Once it is known how large the pile's cards are, those come again, with their place, that were outlined
        otherwise.
        """
        before = self._before
        if before is None or before.shape != image.shape:
            self._before = self._alone = image
            return []
        quad = self._of_size(before, image, self._seen(before, image, _changed(before, image, 1)))
        if quad is None:
            if self._each:
                # A card that was passed over covers the pile now; the one before it may have been the first.
                self._keep(self._next, before, image, None)
                self._before = image
                self._next += 1
            return self._outlined_anew()
        self._before, self._last = image, quad
        laid = []
        if self._alone is not None and (self._each or not _is_bare(self._alone, image, quad)):
            laid.append(Laid(self._alone, first_card(self._alone, quad), 0))
            self._next = max(self._next, 0) + 1
        self._alone = None
        laid.append(Laid(image, quad, self._next))
        self._keep(self._next, before, image, quad)
        self._next += 1
        return [*self._outlined_anew(), *laid]

    def _keep(self, place: int, before: Image, image: Image, quad: Quad | None) -> None:
        if self._size is None and len(self._first) < _REMEMBERED:
            self._first.append((place, before, image, quad))

    def _seen(self, before: Image, image: Image, changed: Floats | None) -> Quad | None:
        """Return the outline of what has changed, or of a card boxed about it where it is a sign's.

        Of a black card on its like the sign alone changes, but a detector that knows such cards sees where it ends.
        """
        seen = changed_card(before, image)
        if seen is None or changed is None:
            return seen
        # About a card's sign alone not all is that has changed.
        if _has_all(seen, changed):
            self._outlines.append(seen)
        if self._size is not None and _as_large(seen, self._size):
            return seen
        about = [quad for quad in self._boxed(image) if _has_all(quad, changed)]
        quad = min(about, key=cv2.contourArea, default=None)
        if quad is None or cv2.contourArea(seen) >= _SIGN * cv2.contourArea(quad):
            return seen
        boxed = portrait(_best(_appeared(before, image), quad, changed, _COARSE, _FINE))
        self._boxes.append(boxed)
        return boxed

    def _of_size(self, before: Image, image: Image, seen: Quad | None) -> Quad | None:
        """Return the outline of a card that is as large as the pile's others, None where none was laid."""
        if seen is not None and (self._size is None or _as_large(seen, self._size)):
            return seen
        like = self._last if self._size is None else self._size
        other = None if like is None else card_like(before, image, like)
        return seen if other is None else other

    def _outlined_anew(self) -> list[Laid]:
        """Return the first cards anew as soon as it is known how large cards are, if they were outlined otherwise."""
        known = self._size is not None
        # Boxes may be about a part of the pile.
        size = usual_size(self._outlines)
        self._size = usual_size(self._boxes) if size is None else size
        if known or self._size is None:
            return []
        anew = []
        for place, before, image, quad in self._first:
            again = self._of_size(before, image, quad)
            if again is not None and again is not quad:
                anew.append(Laid(image, again, place))
            if place == 1 and self._each and quad is not None and not _as_large(quad, self._size):
                anew.append(Laid(before, first_card(before, self._size), 0))
        self._first = []
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


def _has_all(quad: Quad, changed: Floats) -> bool:
    """Whether all points (N, 2) that have changed are in an outline."""
    return bool(_share_within(changed, quad, np.zeros((1, 2), np.float32))[0] >= _WITHIN)


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
