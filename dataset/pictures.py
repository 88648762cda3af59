"""Stand-ins for pictures on cards: the items of the item decks, the question-mark box, the pixel face.

Every function draws on a BGR canvas around a centre, `size` pixels high, and returns nothing.
"""

from __future__ import annotations

import cv2
import numpy as np

from companion.cards import Item
from companion.dataset.glyphs import Lettering, letter
from companion.dataset.ink import (
    Bgr,
    Finish,
    Image,
    Mask,
    Points,
    Tone,
    Tones,
    cropped,
    ellipse,
    fill,
    print_mark,
    rounded,
    stroke,
)

_BLACK = (24, 20, 20)
_WHITE = (250, 250, 250)
Center = tuple[float, float]


class _Pen:
    """Draws shapes given in shares of a picture's height around its centre."""

    def __init__(self, canvas: Image, center: Center, size: float, line: float = 0.045) -> None:
        self._canvas = canvas
        self._center = np.array(center)
        self._size = size
        self._line = line

    def shape(self, points: Points, color: Bgr, outlined: bool = True) -> None:
        placed = points * self._size + self._center
        fill(self._canvas, placed, color)
        if outlined:
            stroke(self._canvas, placed, _BLACK, self._line * self._size, True)

    def oval(self, x: float, y: float, wide: float, tall: float, color: Bgr, outlined: bool = True) -> None:
        self.shape(ellipse(wide, tall, count=28) + np.array([x, y]), color, outlined)

    def line(self, points: Points, color: Bgr, width: float) -> None:
        stroke(self._canvas, points * self._size + self._center, color, width * self._size, False)


def _arch(wide: float, tall: float) -> Points:
    angles = np.linspace(np.pi, 2 * np.pi, 20)
    return np.stack([np.cos(angles) * wide / 2, np.sin(angles) * tall], axis=1)


def _mushroom(pen: _Pen) -> None:
    pen.shape(rounded(0.5, 0.5, 0.16) + np.array([0, 0.22]), (205, 228, 250))
    pen.shape(_arch(1.0, 0.62) + np.array([0, 0.12]), (40, 40, 215))
    pen.oval(0, -0.22, 0.32, 0.3, _WHITE, False)
    pen.oval(-0.34, -0.02, 0.16, 0.2, _WHITE, False)
    pen.oval(0.34, -0.02, 0.16, 0.2, _WHITE, False)
    pen.oval(-0.09, 0.24, 0.06, 0.14, _BLACK, False)
    pen.oval(0.09, 0.24, 0.06, 0.14, _BLACK, False)


def _banana_peel(pen: _Pen) -> None:
    for side in (-1.0, 1.0):
        flap = np.array([[0.02, -0.3], [0.22, -0.18], [0.5, 0.1], [0.52, 0.42], [0.36, 0.3], [0.16, 0.1], [0, -0.02]])
        pen.shape(flap * np.array([side, 1.0]), (40, 215, 250))
    middle = np.array([[-0.1, -0.26], [0.1, -0.26], [0.17, 0.1], [0.05, 0.48], [-0.05, 0.48], [-0.17, 0.1]])
    pen.shape(middle, (90, 235, 255))
    pen.shape(np.array([[-0.07, -0.26], [-0.04, -0.48], [0.08, -0.48], [0.07, -0.26]]), (30, 90, 120))
    pen.oval(-0.05, 0.02, 0.05, 0.12, _BLACK, False)
    pen.oval(0.06, 0.02, 0.05, 0.12, _BLACK, False)


def _shell(pen: _Pen) -> None:
    pen.shape(rounded(0.98, 0.28, 0.13) + np.array([0, 0.26]), (220, 240, 250))
    pen.shape(_arch(0.92, 0.66) + np.array([0, 0.24]), (50, 170, 40))
    for x in (-0.22, 0.0, 0.22):
        pen.shape(ellipse(0.2, 0.26, count=6) + np.array([x, -0.06 if x else -0.16]), (80, 215, 90))


def _lightning(pen: _Pen) -> None:
    bolt = np.array(
        [[0.12, -0.5], [-0.32, 0.06], [-0.04, 0.08], [-0.2, 0.5], [0.32, -0.12], [0.04, -0.12], [0.3, -0.5]]
    )
    pen.shape(bolt, (60, 225, 255))


def _bomb(pen: _Pen) -> None:
    pen.shape(np.array([[-0.1, -0.26], [-0.1, -0.4], [0.1, -0.4], [0.1, -0.26]]), (130, 130, 130))
    pen.line(np.array([[0.0, -0.38], [0.1, -0.48], [0.24, -0.46]]), (200, 220, 235), 0.05)
    pen.oval(0.27, -0.45, 0.13, 0.13, (30, 130, 255), False)
    pen.oval(-0.16, 0.46, 0.24, 0.12, (30, 150, 240))
    pen.oval(0.16, 0.46, 0.24, 0.12, (30, 150, 240))
    pen.oval(0, 0.08, 0.74, 0.74, (52, 40, 40))
    pen.oval(-0.12, 0.02, 0.11, 0.26, _WHITE, False)
    pen.oval(0.12, 0.02, 0.11, 0.26, _WHITE, False)


def draw_item(canvas: Image, item: Item, center: Center, size: float) -> None:
    """Draw an item of the item decks."""
    pen = _Pen(canvas, center, size)
    match item:
        case Item.MUSHROOM:
            _mushroom(pen)
        case Item.BANANA_PEEL:
            _banana_peel(pen)
        case Item.GREEN_SHELL:
            _shell(pen)
        case Item.LIGHTNING:
            _lightning(pen)
        case Item.BOB_OMB:
            _bomb(pen)


def draw_item_box(
    canvas: Image, center: Center, size: float, colors: tuple[Bgr, Bgr, Bgr, Bgr], lettering: Lettering, cube: bool
) -> None:
    """Draw the question-mark box: a see-through cube in the four colours, or a flat rounded box."""
    pen = _Pen(canvas, center, size, 0.03)
    if cube:
        top = np.array([[0, -0.5], [0.44, -0.26], [0, -0.04], [-0.44, -0.26]])
        left = np.array([[-0.44, -0.26], [0, -0.04], [0, 0.5], [-0.44, 0.24]])
        right = left * np.array([-1.0, 1.0])
        for face, color in zip((top, left, right), colors, strict=False):
            pen.shape(face, color)
    else:
        pen.shape(rounded(0.96, 0.96, 0.14), colors[0])
        for corner in ((-1, -1), (1, -1), (-1, 1), (1, 1)):
            pen.oval(corner[0] * 0.37, corner[1] * 0.37, 0.09, 0.09, colors[1], False)
    mark = letter("?", lettering, 0.62 * size)
    tones = Tones(colors[0], _WHITE, _BLACK)
    print_mark(canvas, mark, center, Finish(Tone.PAPER, Tone.DARK, 0.06), tones)


_PIXEL_FACE = ("........", "........", ".##..##.", ".##..##.", "...##...", "..####..", "..####..", "..#..#..")


def pixel_face_mask(size: int) -> Mask:
    """Return a mask of the features of the pixel face, uint8 (h, w), tight."""
    grid = np.array([[255 * (cell == "#") for cell in row] for row in _PIXEL_FACE], np.uint8)
    return cropped(np.asarray(cv2.resize(grid, (size, size), interpolation=cv2.INTER_NEAREST), np.uint8))


def draw_pixel_face(canvas: Image, center: Center, size: float, green: Bgr, seed: int) -> None:
    """Draw a square face of green blotches with dark eyes and a dark, drooping mouth."""
    rng = np.random.default_rng(seed)
    shades = np.clip(np.array(green) * rng.uniform(0.6, 1.25, (8, 8, 1)), 0, 255).astype(np.uint8)
    features = np.array([[cell == "#" for cell in row] for row in _PIXEL_FACE])
    shades[features] = (16, 20, 14)
    side = max(8, round(size))
    sheet = cv2.resize(shades, (side, side), interpolation=cv2.INTER_NEAREST)
    x, y = round(center[0] - side / 2), round(center[1] - side / 2)
    x0, y0 = max(x, 0), max(y, 0)
    x1, y1 = min(x + side, canvas.shape[1]), min(y + side, canvas.shape[0])
    canvas[y0:y1, x0:x1] = sheet[y0 - y : y1 - y, x0 - x : x1 - x]
