"""Photographs faces for training: each view has its own place, table, light, lens and camera.

Views are BGR uint8, cut as reading cuts them: whole cards with a margin, corners as squares about the index.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.dataset.artist.drawing.chance import chance
from companion.dataset.gallery.decks import card_mask
from companion.models.embedding.gallery import Gallery
from companion.models.embedding.network import SIZE
from companion.vision.core.geometry import (
    CARD_MARGIN,
    INDEX_CROP,
    INDEX_REACH,
    INDEX_SPOT,
    INDEX_SPOT_SIDE,
    Image,
    Quad,
    framed,
    homography,
    unit_square,
)

Floats = NDArray[np.float32]
Matrix = NDArray[np.float64]

# Standard deviations of a card's outline as it is found: turn (radians), scale (logarithm), shift and each corner's own
# place (shares of the card's sides). One view in three is as loose as a detector's box, the others are refined.
_LOOSE = (0.05, 0.05, 0.035, 0.015)
_REFINED = (0.012, 0.015, 0.01, 0.006)
# The same of the square about an index.
_CORNER = (0.1, 0.12, 0.06, 0.02)
# Height in pixels at which a camera sees a card.
_SEEN = (55.0, 330.0)
# Pictures of noise, and by how many pixels they exceed a view, so that each view can have another part.
_NOISE_BANK, _NOISE_ROOM = 64, 32


class Photographer:
    """Takes views of a gallery's faces. Not for several threads at once.

    view: width and height in pixels of views of whole cards, not less than a corner's.
    """

    def __init__(self, gallery: Gallery, seed: Sequence[int], view: tuple[int, int] = SIZE) -> None:
        self._gallery = gallery
        self._view = view
        self._edge = framed(*view, CARD_MARGIN)
        self._rng = np.random.default_rng(seed)
        height, width = gallery.faces.shape[1:3]
        self._size = (width, height)
        self._masks = [card_mask(width, height, share) for share in np.linspace(0.0, 0.06, 6)]
        shape = (_NOISE_BANK, view[1] + _NOISE_ROOM, view[0] + _NOISE_ROOM, 3)
        self._noise = self._rng.standard_normal(shape, np.float32)

    def card(self, face: int) -> Image:
        """Return a view (H, W, 3) of a whole card, either way up."""
        return self._card_within(face, self._outline())

    def _outline(self) -> Quad:
        """Return the outline of a card in a view that is cut where the card was found."""
        return shaken(self._edge, _LOOSE if chance(self._rng, 0.33) else _REFINED, self._rng)

    def _card_within(self, face: int, outline: Quad) -> Image:
        """Return a view (H, W, 3) of a whole card with this outline, either way up."""
        rng = self._rng
        outline = self._either_way_up(outline)
        matrix = homography(self._corners(), outline)
        seen = self._seen()
        scene = self._table(face, *self._view, 0.45)
        self._lay(scene, face, matrix, seen)
        if chance(rng, 0.22):
            self._lay_over(scene, face)
        if chance(rng, 0.22):
            finger(scene, outline, rng)
        return self._photographed(scene)

    def _either_way_up(self, outline: Quad) -> Quad:
        return np.roll(outline, 2, axis=0) if chance(self._rng, 0.5) else outline

    def _seen(self) -> float:
        """Return the height in pixels at which a camera sees a card, not much above what a view shows."""
        return min(float(np.exp(self._rng.uniform(*np.log(_SEEN)))), 1.3 * self._view[1])

    def corner(self, face: int) -> Image:
        """Return a view (64, 64, 3) of a face's upper left corner, upright to within some degrees."""
        rng = self._rng
        frame = self._corner_frame(face)
        # The lower right corner is the same one upside down in most decks, and is taken for it by readers.
        frame = shaken(frame, _CORNER, rng)
        size = INDEX_CROP
        matrix = homography(frame, unit_square() * size)
        seen = float(np.exp(rng.uniform(*np.log((110.0, 380.0)))))
        scene = self._table(face, size, size, 0.3)
        self._lay(scene, face, matrix, seen)
        if chance(rng, 0.45):
            self._beside(scene, face, matrix)
        if chance(rng, 0.08):
            finger(scene, unit_square() * size, rng)
        return self._photographed(scene)

    def _corners(self) -> Quad:
        return unit_square() * np.array(self._size, np.float32)

    def _corner_frame(self, face: int) -> Quad:
        """Return the square about the upright index, in pixels of the face: about its ink, or where it mostly is."""
        width, height = self._size
        box = self._gallery.corners[face]
        if not np.isnan(box[0]) and chance(self._rng, 0.4):
            center = np.array([box[0] + box[2], box[1] + box[3]]) / 2
            side = INDEX_REACH * max(box[2] - box[0], box[3] - box[1])
        else:
            center, side = np.array(INDEX_SPOT) * (width, height), INDEX_SPOT_SIDE * width
        return np.asarray((unit_square() - 0.5) * side + center, np.float32)

    def _table(self, face: int, width: int, height: int, piled: float) -> Image:
        """Return what lies about a card: a table top, or in a share of the views other cards of the deck."""
        rng, tiles = self._rng, self._gallery.tiles
        tile = tiles[int(rng.integers(len(tiles)))]
        y, x = (int(rng.integers(0, tile.shape[0] - size + 1)) for size in (height, width))
        scene: Image = tile[y : y + height, x : x + width].copy()
        if chance(rng, piled):
            angle = float(rng.uniform(0, 2 * np.pi))
            off = rng.normal(0, 0.25, 2) * (width, height)
            self._lay(scene, self._other(face), self._placed(width, height, angle, off), 200.0)
        return scene

    def _placed(self, width: int, height: int, angle: float, off: NDArray[np.float64]) -> Matrix:
        """Return the matrix that lays a face, as large as a card is in a view of this size, off its middle."""
        scale = max(height, 2.8 * width if width == height else 0) / 1.2 / self._size[1]
        cos, sin = scale * np.cos(angle), scale * np.sin(angle)
        turn = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1.0]])
        center = turn @ np.array([self._size[0] / 2, self._size[1] / 2, 1])
        turn[:2, 2] = np.array([width / 2, height / 2]) + off - center[:2]
        return turn

    def _other(self, face: int) -> int:
        decks = self._gallery.decks
        start, end = np.searchsorted(decks, [decks[face], decks[face] + 1])
        return int(self._rng.integers(start, end))

    def _lay(self, scene: Image, face: int, matrix: Matrix, seen: float) -> None:
        """Draw a face into a scene, no finer than a camera shows it that sees the card `seen` pixels high."""
        rng = self._rng
        picture = np.asarray(self._gallery.faces[face])
        mask = self._masks[int(rng.integers(len(self._masks)))]
        scale = min(1.0, seen / picture.shape[0])
        if scale < 1:
            size = (max(8, round(picture.shape[1] * scale)), max(8, round(picture.shape[0] * scale)))
            picture = np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)
            shrink = np.diag([self._size[0] / size[0], self._size[1] / size[1], 1.0])
        else:
            shrink = np.eye(3)
        height, width = scene.shape[:2]
        drawn = cv2.warpPerspective(
            picture, matrix @ shrink, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        alpha = cv2.warpPerspective(mask, matrix, (width, height), flags=cv2.INTER_LINEAR)
        if chance(rng, 0.5):
            dx, dy = rng.normal(0, 0.02, 2) * height
            moved = cv2.warpAffine(alpha, np.array([[1, 0, dx], [0, 1, dy]]), (width, height))
            shadow = cv2.blur(moved, (7, 7)).astype(np.float32)[..., None] * (float(rng.uniform(0.1, 0.5)) / 255)
            scene[:] = (scene * (1 - shadow)).astype(np.uint8)
        share = alpha.astype(np.float32)[..., None] / 255
        scene[:] = (drawn * share + scene * (1 - share)).astype(np.uint8)

    def _lay_over(self, scene: Image, face: int) -> None:
        """Lay another card of the deck over a part of a card, at most about a third of it."""
        rng = self._rng
        height, width = scene.shape[:2]
        angle = float(rng.uniform(0, 2 * np.pi))
        way = float(rng.uniform(0, 2 * np.pi))
        away = np.array([np.cos(way) * width * rng.uniform(0.62, 0.95), np.sin(way) * height * rng.uniform(0.65, 0.95)])
        self._lay(scene, self._other(face), self._placed(width, height, angle, away), 220.0)

    def _beside(self, scene: Image, face: int, matrix: Matrix) -> None:
        """Lay the next card of a fan over the right side, or over the lower part, of a corner."""
        rng = self._rng
        width, height = self._size
        right = chance(rng, 0.7)
        angle = float(rng.normal(0.2, 0.15))
        cos, sin = np.cos(angle), np.sin(angle)
        share = float(rng.uniform(0.2, 0.4))
        # The pivot is the next card's upper left corner, in pixels of this one.
        pivot = (share * width, rng.uniform(-0.05, 0.1) * height) if right else (-0.1 * width, share * 0.75 * height)
        place = np.array([[cos, -sin, pivot[0]], [sin, cos, pivot[1]], [0, 0, 1.0]])
        self._lay(scene, self._other(face), matrix @ place, 220.0)

    def _photographed(self, scene: Image) -> Image:
        """Return a scene as a camera gives it."""
        rng = self._rng
        height, width = scene.shape[:2]
        light: Floats = _printed(scene.astype(np.float32), rng)
        light *= _lamp(height, width, rng)
        if chance(rng, 0.15):
            light += _glare(height, width, rng)
        if chance(rng, 0.6):
            blur = float(rng.uniform(0.3, 1.3)) * (width / 100)
            light = np.asarray(cv2.GaussianBlur(light, (0, 0), blur), np.float32)
        if chance(rng, 0.12):
            light = np.asarray(
                cv2.filter2D(light, -1, _streak(float(rng.uniform(0.03, 0.1)) * height, rng)), np.float32
            )
        noise = self._noise[int(rng.integers(len(self._noise)))]
        y, x = (int(rng.integers(0, size + 1)) for size in (noise.shape[0] - height, noise.shape[1] - width))
        light += noise[y : y + height, x : x + width] * float(rng.uniform(0, 1) ** 2 * 12)
        picture = np.clip(light, 0, 255).astype(np.uint8)
        if chance(rng, 0.2):
            coded = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(15, 80))])[1]
            picture = np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), np.uint8)
        return picture


def rgb(views: list[Image]) -> NDArray[np.uint8]:
    """Return (N, 3, H, W) RGB of BGR views (H, W, 3)."""
    return np.ascontiguousarray(np.stack(views)[..., ::-1].transpose(0, 3, 1, 2))


def shaken(quad: Quad, amounts: tuple[float, float, float, float], rng: np.random.Generator) -> Quad:
    """Return a quad turned, scaled, moved and skewed at random, by these standard deviations.

    amounts: turn in radians, scale as a logarithm, shift and each corner's own place as shares of the quad's sides.
    """
    turn, scale, shift, skew = amounts
    angle = rng.normal(0, turn)
    cos, sin = np.cos(angle), np.sin(angle)
    sides = np.array([np.hypot(*(quad[1] - quad[0])), np.hypot(*(quad[3] - quad[0]))])
    center = quad.mean(0)
    local = (quad - center) * np.exp(rng.normal(0, scale, 2))
    moved = local @ np.array([[cos, sin], [-sin, cos]]) + center + rng.normal(0, shift, 2) * sides
    return np.asarray(moved + rng.normal(0, skew, (4, 2)) * sides, np.float32)


def _printed(light: Floats, rng: np.random.Generator) -> Floats:
    """Return a picture with the contrast, the saturation and the curve of some print and camera."""
    if chance(rng, 0.7):
        grey = light.mean(2, keepdims=True)
        light = grey + (light - grey) * np.float32(rng.uniform(0.55, 1.2))
    if chance(rng, 0.3):
        curve = (np.arange(256) / 255) ** float(np.exp(rng.normal(0, 0.25))) * 255
        light = np.asarray(cv2.LUT(np.clip(light, 0, 255).astype(np.uint8), curve.astype(np.float32)), np.float32)
    low, high = rng.uniform(0, 35), rng.uniform(205, 260)
    return np.asarray(light * np.float32((high - low) / 255) + np.float32(low), np.float32)


def _lamp(height: int, width: int, rng: np.random.Generator) -> Floats:
    """Return (H, W, 3) gains: exposure, the lamp's colour, and light that falls off to one side or in a shadow."""
    colored = 0.16 if chance(rng, 0.15) else 0.05
    gains = np.exp(rng.normal(0, colored, 3)) * float(np.exp(rng.uniform(np.log(0.35), np.log(1.25))))
    grid = np.exp(rng.normal(0, 0.18 if chance(rng, 0.5) else 0.04, (2, 2))).astype(np.float32)
    field = cv2.resize(grid, (width, height), interpolation=cv2.INTER_LINEAR)
    if chance(rng, 0.15):
        edge = int(rng.integers(0, width)), int(rng.integers(0, height))
        cast = np.ones((height, width), np.float32)
        way = rng.uniform(0, 2 * np.pi)
        far = np.array([np.cos(way), np.sin(way)]) * 2 * height
        side = np.array([-far[1], far[0]])
        shape = np.stack([edge + side, edge - side, edge - side + far, edge + side + far]).astype(np.int32)
        cv2.fillPoly(cast, [shape], float(rng.uniform(0.45, 0.85)))
        field = field * cv2.blur(cast, (9, 9))
    return np.asarray(field[..., None] * gains.astype(np.float32), np.float32)


def _glare(height: int, width: int, rng: np.random.Generator) -> Floats:
    """Return (H, W, 1) light that is mirrored in a spot or a streak."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    u, v = rng.uniform(0, width), rng.uniform(0, height)
    angle = rng.uniform(0, np.pi)
    along = (x - u) * np.cos(angle) + (y - v) * np.sin(angle)
    across = -(x - u) * np.sin(angle) + (y - v) * np.cos(angle)
    far, near = rng.uniform(0.15, 0.8) * height, rng.uniform(0.05, 0.25) * height
    spot = np.exp(-((along / far) ** 2) - (across / near) ** 2) * rng.uniform(30, 200)
    return np.asarray(spot[..., None], np.float32)


def _streak(length: float, rng: np.random.Generator) -> Floats:
    """Return the kernel of a motion over so many pixels."""
    side = max(3, int(length) | 1)
    kernel = np.zeros((side, side), np.float32)
    angle = rng.uniform(0, np.pi)
    half = np.array([np.cos(angle), np.sin(angle)]) * side / 2
    start, end = (np.round((side / 2 + half * sign) * 16).astype(int) for sign in (-1, 1))
    cv2.line(kernel, tuple(map(int, start)), tuple(map(int, end)), 1.0, 1, cv2.LINE_AA, 4)
    return kernel / max(float(kernel.sum()), 1e-6)


def finger(scene: Image, outline: Quad, rng: np.random.Generator) -> None:
    """Draw a finger that reaches over a rim of an outline, up to a third of the way in."""
    side = int(rng.integers(4))
    a, b = outline[side], outline[(side + 1) % 4]
    foot = a + (b - a) * rng.uniform(0, 1)
    center = outline.mean(0)
    tip = foot + (center - foot) * rng.uniform(0.1, 0.6)
    way = tip - foot + rng.normal(0, 0.3, 2) * np.hypot(*(tip - foot))
    width = float(rng.uniform(0.1, 0.22)) * float(np.hypot(*(outline[1] - outline[0])))
    start = tip - way / max(float(np.hypot(*way)), 1e-6) * 3 * scene.shape[0]
    skin = np.array([rng.uniform(60, 150), rng.uniform(90, 180), rng.uniform(120, 235)])
    mask = np.zeros(scene.shape[:2], np.uint8)
    ends = [tuple(map(int, np.round(np.clip(point, -4000, 4000) * 16))) for point in (start, tip)]
    cv2.line(mask, ends[0], ends[1], 255, max(2, round(width)), cv2.LINE_AA, 4)
    share = cv2.blur(mask, (3, 3)).astype(np.float32)[..., None] / 255
    shade = 0.75 + 0.25 * cv2.blur(mask, (9, 9)).astype(np.float32)[..., None] / 255
    scene[:] = (scene * (1 - share) + skin * shade * share).astype(np.uint8)
