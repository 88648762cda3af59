"""Stand-ins for pictures on cards: the items of the item decks, the question-mark box, the pixel face.

Every function draws on a BGR canvas around a centre, `size` pixels high, and returns nothing.
"""

from __future__ import annotations

from enum import Enum

import numpy as np
from numpy.typing import NDArray

from companion.cards import Card, Color
from companion.dataset.artist.drawing.glyphs import Lettering, letter
from companion.dataset.artist.drawing.ink import (
    Bgr,
    Finish,
    Points,
    Tone,
    Tones,
    ellipse,
    fill,
    mix,
    print_mark,
    rounded,
    stroke,
    turned,
)
from companion.vision.core.geometry import Image

_BLACK = (24, 20, 20)
_WHITE = (250, 250, 250)
Center = tuple[float, float]


class _Pen:
    """Draws shapes in units of a picture's height around its centre."""

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


class Item(Enum):
    """A picture in the corner of cards of the item decks."""

    MUSHROOM = "mushroom"
    BANANA_PEEL = "banana peel"
    GREEN_SHELL = "green shell"
    LIGHTNING = "lightning"
    BOB_OMB = "bob-omb"


_ITEM_OF_COLOR = {
    Color.RED: Item.MUSHROOM,
    Color.YELLOW: Item.BANANA_PEEL,
    Color.GREEN: Item.GREEN_SHELL,
    Color.BLUE: Item.LIGHTNING,
}


def item_of(card: Card) -> Item:
    """Return the item that is printed on a card of the item decks: it follows from the colour."""
    return Item.BOB_OMB if card.color is None else _ITEM_OF_COLOR.get(card.color, Item.BOB_OMB)


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


class BoxKind(Enum):
    """Drawings of the question-mark box."""

    CUBE = "cube with faces in three colours"
    BLOCK = "rounded block with rivets"
    CRYSTAL = "see-through cube in all colours"
    BARE = "question mark alone"


class CreeperKind(Enum):
    """Drawings of the pixel creature."""

    FACE = "face"
    FIGURE = "whole figure"


def draw_item_box(
    canvas: Image, center: Center, size: float, colors: tuple[Bgr, Bgr, Bgr, Bgr], lettering: Lettering, kind: BoxKind
) -> None:
    """Draw the question-mark box."""
    pen = _Pen(canvas, center, size, 0.03)
    top = np.array([[0, -0.5], [0.44, -0.26], [0, -0.04], [-0.44, -0.26]])
    left = np.array([[-0.44, -0.26], [0, -0.04], [0, 0.5], [-0.44, 0.24]])
    match kind:
        case BoxKind.CUBE:
            for face, color in zip((top, left, left * np.array([-1.0, 1.0])), colors, strict=False):
                pen.shape(face, color)
        case BoxKind.BLOCK:
            pen.shape(rounded(0.96, 0.96, 0.14), colors[0])
            for x, y in ((-1, -1), (1, -1), (-1, 1), (1, 1)):
                pen.oval(x * 0.37, y * 0.37, 0.09, 0.09, colors[1], False)
        case BoxKind.CRYSTAL:
            hexagon = np.concatenate([top[:2], [[0.44, 0.24], [0, 0.5], [-0.44, 0.24]], top[3:]])
            pen.shape(hexagon, mix(colors[0], _WHITE, 0.3))
            for turn, color in zip((0, 90, 180, 270), colors, strict=True):
                wedge = turned(np.array([[0.0, 0.0], [0.38, -0.2], [0.42, 0.05], [0.3, 0.26]]), turn)
                pen.shape(wedge, mix(color, _WHITE, 0.35), False)
            for corner in ((0.0, -0.5), (-0.44, 0.24), (0.44, 0.24)):
                pen.line(np.array([[0.0, 0.0], corner]), _WHITE, 0.03)
        case BoxKind.BARE:
            pass
    mark = letter("?", lettering, (0.9 if kind is BoxKind.BARE else 0.62) * size)
    print_mark(canvas, mark, center, Finish(Tone.PAPER, Tone.DARK, 0.06), Tones(colors[0], _WHITE, _BLACK))


_PIXEL_BODY = (
    ".######.",
    ".######.",
    ".######.",
    "..####..",
    "..####..",
    "..####..",
    "..####..",
    ".######.",
    ".######.",
    ".##..##.",
)


def _blotches(green: Bgr, seed: int, rows: int) -> Image:
    """Return cells in shades of a green, uint8 (rows, 8, 3)."""
    noise = np.random.default_rng(seed).uniform(0.6, 1.25, (rows, 8, 1))
    return np.asarray(np.clip(np.array(green) * noise, 0, 255), np.uint8)


def _features(seed: int) -> NDArray[np.bool_]:
    """Return where eyes and mouth are in a symmetric 8 x 8 face that depends on the seed."""
    rng = np.random.default_rng(seed)
    half = np.zeros((8, 4), np.bool_)
    top, inner = int(rng.integers(0, 3)), int(rng.integers(0, 2))
    half[top : top + int(rng.integers(1, 3)), 1 - inner : 3 - inner] = True
    mouth = int(rng.integers(4, 6))
    half[mouth : mouth + int(rng.integers(1, 3)), int(rng.integers(1, 3)) :] = True
    half[mouth + 1 :, 1:] |= rng.random((7 - mouth, 3)) < 0.4
    return np.hstack([half, half[:, ::-1]])


def _place_cells(canvas: Image, cells: Image, solid: NDArray[np.bool_], center: Center, height: float) -> None:
    """Draw square cells around a centre, those marked solid only."""
    rows, columns = solid.shape
    side = height / rows
    left, top = center[0] - columns * side / 2, center[1] - height / 2
    for row, column in np.argwhere(solid):
        x0, y0 = round(left + column * side), round(top + row * side)
        x1, y1 = round(left + (column + 1) * side), round(top + (row + 1) * side)
        canvas[max(y0, 0) : max(y1, 0), max(x0, 0) : max(x1, 0)] = cells[row, column]


def draw_pixel_face(canvas: Image, center: Center, size: float, green: Bgr, seed: int) -> None:
    """Draw a square face of green blotches with dark eyes and a dark mouth."""
    cells = _blotches(green, seed, 8)
    cells[_features(seed)] = (16, 20, 14)
    _place_cells(canvas, cells, np.ones((8, 8), np.bool_), center, size)


def draw_pixel_figure(canvas: Image, center: Center, size: float, green: Bgr, seed: int) -> None:
    """Draw the creature of the pixel face with its body and feet."""
    body = np.array([[cell == "#" for cell in row] for row in _PIXEL_BODY])
    solid = np.vstack([np.ones((8, 8), np.bool_), body])
    cells = _blotches(green, seed, len(solid))
    cells[:8][_features(seed)] = (16, 20, 14)
    _place_cells(canvas, cells, solid, center, size)
