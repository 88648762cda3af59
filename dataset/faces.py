"""Whole cards: the face of every card and the back, drawn in a style.

Pictures are BGRA uint8 (H, W, 4), upright, with transparent rounded corners; the card's aspect is 56 : 87.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.cards import Card, Color, Face
from companion.dataset import pictures, scenery, symbols, wilds
from companion.dataset.glyphs import Lettering, letter, shaped
from companion.dataset.ink import (
    Bgr,
    Box,
    Finish,
    Image,
    Mask,
    Points,
    Tone,
    Tones,
    fill,
    mix,
    print_mark,
    stroke,
    union,
)
from companion.dataset.styles import Ground, Medallion, MiddleStyle, Outline, Style
from companion.dataset.symbols import CardsKind, ellipse, rounded
from companion.dataset.wilds import WildIndex, WildKind

CARD_WIDTH, CARD_HEIGHT = 56.0, 87.0
"""Size of a card in millimetres."""

_SCALE = 2
_WORDS = {
    Face.SKIP: ("SKIP",),
    Face.REVERSE: ("REVERSE",),
    Face.DRAW_TWO: ("DRAW", "TWO"),
    Face.WILD: ("WILD",),
    Face.WILD_DRAW_FOUR: ("WILD", "DRAW", "FOUR"),
}


@dataclass(frozen=True)
class CardArt:
    """A drawn card: BGRA uint8 (H, W, 4), and the boxes (x0, y0, x1, y1) in its pixels tight around the ink of each
    corner index, the upright one top left first, the upside-down one bottom right second; none where the deck
    leaves the corners of a card empty."""

    image: NDArray[np.uint8]
    indices: tuple[Box, ...]


def width_of(height: int) -> int:
    """Return the width in pixels of a card of a height in pixels."""
    return round(height * CARD_WIDTH / CARD_HEIGHT)


@lru_cache(maxsize=64)
def _alpha(height: int, radius: float) -> Mask:
    width = width_of(height)
    mask = np.zeros((height * _SCALE, width * _SCALE), np.uint8)
    shape = rounded(width * _SCALE, height * _SCALE, radius) + np.array([width, height]) * _SCALE / 2
    fill(mask, shape, 255)
    return np.asarray(cv2.resize(mask, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def finished(canvas: Image, height: int, radius: float) -> NDArray[np.uint8]:
    """Shrink a canvas to a card `height` pixels high and cut its corners with a radius in pixels; returns BGRA."""
    small = cv2.resize(canvas, (width_of(height), height), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.merge([*cv2.split(small), _alpha(height, round(radius * _SCALE) * 1.0)]), np.uint8)


class _Painter:
    """Paints one card on a canvas of twice the final size."""

    def __init__(self, card: Card, style: Style, height: int) -> None:
        self.card = card
        self.style = style
        self.size = (width_of(height) * _SCALE, height * _SCALE)
        self.unit = height * _SCALE / CARD_HEIGHT
        self.ink = style.wild_ground if card.color is None else style.inks.of(card.color)
        self.tones = Tones(self.ink, style.inks.paper, style.inks.dark)
        inks = [style.inks.of(color) for color in Color]
        self.four = tuple(inks[i] for i in style.wild_order)
        self.canvas: Image = np.empty((self.size[1], self.size[0], 3), np.uint8)
        self.center = (self.size[0] / 2, self.size[1] / 2)

    def inner(self) -> Image:
        """The view of the canvas inside the border."""
        rim = round(self.style.border_width * self.unit)
        return self.canvas[rim : self.size[1] - rim, rim : self.size[0] - rim]

    def rng(self) -> np.random.Generator:
        """Randomness of the art of this card in this deck: pictures may go with the colour or with the card."""
        place = list(Face).index(self.card.face) if self.style.art_seed % 2 else 0
        color = -1 if self.card.color is None else list(Color).index(self.card.color)
        return np.random.default_rng([self.style.art_seed, place, color + 1])

    def paint(self) -> tuple[Box, ...]:
        self.canvas[:] = self.style.border
        self.ground()
        shape = self.middle_shape(self.style.middle)
        self.medallion(shape)
        self.border()
        self.middle(shape)
        boxes = self.corners()
        if self.style.item_icon:
            self.item()
        return boxes

    def ground(self) -> None:
        inner = self.inner()
        match self.style.ground:
            case Ground.GRADIENT:
                scenery.gradient(inner, mix(self.ink, (255, 255, 255), 0.18), mix(self.ink, (0, 0, 0), 0.25))
            case Ground.RAYS:
                inner[:] = self.ink
                middle = (inner.shape[1] / 2, inner.shape[0] / 2)
                scenery.rays(inner, middle, mix(self.ink, (255, 255, 255), 0.2), 8 + self.style.art_seed % 17, 0.5, 0)
            case Ground.DOTS:
                inner[:] = self.ink
                scenery.dots(inner, mix(self.ink, (0, 0, 0), 0.15), inner.shape[1] / 14)
            case Ground.FLAT:
                inner[:] = self.ink

    def middle_shape(self, middle: MiddleStyle) -> Points:
        wide, tall = middle.width * self.unit, middle.height * self.unit
        match middle.outline:
            case Outline.OVAL:
                shape = ellipse(wide, tall, middle.turn)
            case Outline.DIAMOND:
                shape = ellipse(wide * 1.2, tall * 1.2, middle.turn, count=4)
            case Outline.FRAME:
                shape = rounded(wide, tall, 0.1 * wide)
        return shape + np.array(self.center)

    def medallion(self, shape: Points) -> None:
        middle = self.style.middle
        inner = self.inner()
        rim = np.array([round(self.style.border_width * self.unit)] * 2)
        local = shape - rim
        paper = self.tones.of(middle.paper)
        match middle.medallion:
            case Medallion.OUTLINED:
                stroke(inner, local, paper, middle.line * self.unit, True)
            case Medallion.FILLED:
                fill(inner, local, paper)
            case Medallion.RAYS:
                seed = self.style.art_seed
                count, share = 10 + seed % 23, 0.25 + (seed // 32 % 8) / 16
                tone = (Tone.PAPER, Tone.TINT, Tone.SHADE)[seed // 256 % 3]
                center = (inner.shape[1] / 2, inner.shape[0] / 2)
                scenery.rays(inner, center, self.tones.of(tone), count, share, seed % 11)
                if seed // 1024 % 2:
                    stroke(inner, local, self.ink, 3.0 * self.unit, True)
                fill(inner, local, paper)
            case Medallion.PICTURE:
                scenery.draw_scenery(inner, self.ink, self.rng())
            case Medallion.PIXELS:
                scenery.draw_pixels(inner, self.ink, self.rng())
            case Medallion.NONE:
                pass

    def border(self) -> None:
        style = self.style
        if style.border_width <= 0:
            return
        mask = _border_mask(self.size, round(style.border_width * self.unit), round(style.inner_radius * self.unit))
        flat = np.empty_like(self.canvas)
        flat[:] = style.border
        cv2.copyTo(flat, mask, self.canvas)

    def middle(self, shape: Points) -> None:
        middle, face = self.style.middle, self.card.face
        size = middle.size * self.unit
        if self.style.spelled and face in _WORDS and not face.is_wild:
            self.words(_WORDS[face], size * 0.3, middle.finish)
        elif face.is_wild:
            self.wild_middle(shape, size)
        elif middle.number:
            self.mark(self.style.lettering, size, middle.rotation, middle.finish, self.center, False)

    def words(self, words: tuple[str, ...], size: float, finish: Finish) -> None:
        """Spell words over the middle, one under another."""
        widest = self.size[0] * 0.72
        for row, word in enumerate(words):
            mask = letter(word, self.style.lettering, size)
            if mask.shape[1] > widest:
                mask = shaped(mask, mask.shape[0] * widest / mask.shape[1])
            y = self.center[1] + (row - (len(words) - 1) / 2) * size * 1.3
            print_mark(self.canvas, mask, (self.center[0], y), finish, self.tones)

    def mark(
        self,
        lettering: Lettering,
        size: float,
        rotation: float,
        finish: Finish,
        center: tuple[float, float],
        index: bool,
    ) -> Box:
        """Print the sign of the card's face around a point; return the box of its ink."""
        style, face = self.style, self.card.face
        match face:
            case Face.REVERSE:
                mask = shaped(symbols.reverse_mask(style.symbols), size * 1.1, turn=rotation)
            case Face.SKIP:
                mask = shaped(symbols.skip_mask(style.symbols), size * (1.05 if index else 1.2), turn=rotation)
            case Face.DRAW_TWO:
                return self.draw_two(lettering, size, rotation, finish, center, index)
            case _:
                mask = letter(face.value, lettering, size, rotation)
        return print_mark(self.canvas, mask, center, finish, self.tones)

    def draw_two(
        self,
        lettering: Lettering,
        size: float,
        rotation: float,
        finish: Finish,
        center: tuple[float, float],
        index: bool,
    ) -> Box:
        kind = self.style.symbols.draw_two
        boxes = []
        cards_here = self.style.index.cards_for_draw_two if index else kind is not CardsKind.TEXT
        if cards_here:
            ink = self.ink if finish.fill is not Tone.PAPER or kind is not CardsKind.STACK else self.tones.paper
            cards = symbols.two_cards(self.style.symbols, ink, self.tones.paper)
            boxes.append(
                symbols.draw_little_cards(
                    self.canvas, cards, center, size * 1.2, self.style.symbols, self.tones.paper, self.tones.dark
                )
            )
        if not cards_here or (kind is CardsKind.CARDS_AND_TEXT and not index):
            over = cards_here and not index
            text_finish = Finish(Tone.PAPER, Tone.DARK, 0.05) if over else finish
            mask = letter("+2", lettering, size * (0.55 if over else 0.9 if index else 0.75), rotation)
            boxes.append(print_mark(self.canvas, mask, center, text_finish, self.tones))
        return union(boxes)

    def wild_middle(self, shape: Points, size: float) -> None:
        style, face = self.style, self.card.face
        match face:
            case Face.WILD:
                self.wild(shape)
            case Face.WILD_DRAW_FOUR:
                self.draw_four(shape, size)
            case Face.WILD_ITEM_BOX:
                if style.art_seed % 5 < 2:
                    wilds.four_colors(self.canvas, shape, self.four, _quarters(style), None)
                lettering = style.lettering
                box_colors = (self.four[0], self.four[1], self.four[2], self.four[3])
                pictures.draw_item_box(self.canvas, self.center, size * 1.3, box_colors, lettering, style.box_cube)
            case _:
                green = style.inks.green
                if style.art_seed % 5 < 2:
                    wilds.four_colors(self.canvas, shape, self.four, _quarters(style), None)
                pictures.draw_pixel_face(self.canvas, self.center, size * 1.15, green, style.art_seed)
        if face is Face.WILD and style.wild_word:
            self.words(("WILD",), size * 0.4, Finish(Tone.PAPER, Tone.DARK, 0.07, shadow_x=-0.06, shadow_y=0.06))

    def wild(self, shape: Points) -> None:
        style = self.style
        rim = (self.tones.paper, 1.2 * self.unit)
        center = np.array(self.center)
        across = 0.72 * self.size[0]
        turns = _quarters(style)
        match style.wild:
            case WildKind.OVAL:
                oval = shape if style.middle.outline is Outline.OVAL else ellipse(across, across * 1.7, 25) + center
                wilds.four_colors(self.canvas, oval, self.four, turns, rim)
            case WildKind.DISC:
                wilds.four_colors(self.canvas, ellipse(across, across) + center, self.four, turns, rim)
            case WildKind.DIAMOND:
                diamond = ellipse(across * 1.1, across * 1.7, count=4) + center
                wilds.four_colors(self.canvas, diamond, self.four, turns, rim)
            case WildKind.GROUND:
                inset = (style.border_width + 0.1) * self.unit
                size = np.array(self.size) - 2 * inset
                ground = rounded(size[0], size[1], style.inner_radius * self.unit) + center
                wilds.four_colors(self.canvas, ground, self.four, (0, 90, 180, 270), None)
            case WildKind.PIE:
                pie = ellipse(across, across) + center
                wilds.four_colors(self.canvas, pie, self.four, tuple(range(0, 360, 45)), rim)
            case WildKind.STRIPES:
                wilds.stripes(self.canvas, shape, self.four, rim)
            case WildKind.BLOBS:
                wilds.blobs(self.canvas, self.center, across * 1.05, self.four)

    def draw_four(self, shape: Points, size: float) -> None:
        style = self.style
        if style.middle.medallion not in (Medallion.FILLED, Medallion.RAYS) and style.draw_four_paper:
            if style.art_seed % 7 < 2:
                wilds.four_colors(self.canvas, shape, self.four, _quarters(style), (self.tones.paper, self.unit))
            else:
                fill(self.canvas, shape, self.tones.paper)
        kind = style.symbols.draw_four
        if style.spelled and kind is CardsKind.TEXT:
            self.words(_WORDS[Face.WILD_DRAW_FOUR], size * 0.25, Finish(Tone.PAPER, Tone.DARK, 0.08))
            return
        if kind is not CardsKind.TEXT:
            cards = symbols.four_cards(style.symbols, self.four)
            symbols.draw_little_cards(
                self.canvas, cards, self.center, size * 1.45, style.symbols, self.tones.paper, self.tones.dark
            )
        if kind in (CardsKind.TEXT, CardsKind.CARDS_AND_TEXT):
            mask = letter("+4", style.lettering, size * 0.7, style.middle.rotation)
            print_mark(self.canvas, mask, self.center, Finish(Tone.PAPER, Tone.DARK, 0.06), self.tones)

    def corners(self) -> tuple[Box, ...]:
        """Print both indices; returns their boxes on the canvas."""
        first = self.index()
        if first is None:
            return ()
        self.canvas = np.asarray(cv2.rotate(self.canvas, cv2.ROTATE_180), np.uint8)
        self.index()
        self.canvas = np.asarray(cv2.rotate(self.canvas, cv2.ROTATE_180), np.uint8)
        x0, y0, x1, y1 = first
        width, height = self.size
        return first, (width - x1, height - y1, width - x0, height - y0)

    def index(self) -> Box | None:
        style, index, face = self.style, self.style.index, self.card.face
        size = index.size * self.unit
        center = (index.x * self.unit, index.y * self.unit)
        if index.badge is not None and not (face is Face.WILD and index.wild is WildIndex.NONE):
            disc = ellipse(1.55 * size, 1.55 * size) + np.array(center)
            fill(self.canvas, disc, self.tones.of(index.badge))
        if not face.is_wild:
            center = self.clear_of_edge(center, size)
            return self.mark(style.index_lettering, size, index.rotation, index.finish, center, True)
        return self.wild_index(center, size)

    def clear_of_edge(self, center: tuple[float, float], size: float) -> tuple[float, float]:
        """Move wide signs in from the card's edge."""
        if self.card.face is Face.DRAW_TWO and not self.style.index.cards_for_draw_two:
            mask = letter("+2", self.style.index_lettering, size * 0.9)
            return max(center[0], (self.style.border_width + 1) * self.unit + mask.shape[1] / 2), center[1]
        return center

    def wild_index(self, center: tuple[float, float], size: float) -> Box | None:
        style, index = self.style, self.style.index
        finish = Finish(Tone.PAPER, index.finish.outline, index.finish.outline_width)
        if index.badge is Tone.PAPER:
            finish = Finish(Tone.DARK)
        match self.card.face:
            case Face.WILD_DRAW_FOUR:
                return self.draw_four_index(center, size, finish)
            case Face.WILD_ITEM_BOX if style.art_seed % 4 < 3:
                mask = letter("?", style.index_lettering, size)
                return print_mark(self.canvas, mask, center, finish, self.tones)
            case Face.WILD_CREEPER if style.art_seed % 4 < 3:
                pictures.draw_pixel_face(self.canvas, center, size, style.inks.green, style.art_seed)
                half = size / 2
                return center[0] - half, center[1] - half, center[0] + half, center[1] + half
        kind = index.wild
        rim = (self.tones.paper, 0.06 * size)
        match kind:
            case WildIndex.OVAL:
                oval = ellipse(0.75 * size, 1.3 * size, style.middle.turn) + np.array(center)
                return wilds.four_colors(self.canvas, oval, self.four, _quarters(style), rim)
            case WildIndex.DISC:
                return wilds.four_colors(
                    self.canvas, ellipse(size, size) + np.array(center), self.four, _quarters(style), rim
                )
            case WildIndex.NONE:
                return None
            case _:
                word = "W" if kind is WildIndex.LETTER else "WILD"
                mask = letter(word, style.index_lettering, size * (0.9 if word == "W" else 0.42))
                x = max(center[0], (style.border_width + 1) * self.unit + mask.shape[1] / 2)
                return print_mark(self.canvas, mask, (x, center[1]), finish, self.tones)

    def draw_four_index(self, center: tuple[float, float], size: float, finish: Finish) -> Box:
        style = self.style
        if style.index.cards_for_draw_four:
            cards = symbols.four_cards(style.symbols, self.four)
            place = (center[0] + 0.1 * size, center[1] + 0.1 * size)
            return symbols.draw_little_cards(
                self.canvas, cards, place, size * 1.2, style.symbols, self.tones.paper, self.tones.dark
            )
        mask = letter("+4", style.index_lettering, size * 0.9)
        x = max(center[0], (style.border_width + 1) * self.unit + mask.shape[1] / 2)
        return print_mark(self.canvas, mask, (x, center[1]), finish, self.tones)

    def item(self) -> None:
        style = self.style
        size = style.item_size * self.unit
        inset = (style.border_width + 1.2) * self.unit + size / 2
        center = (inset, self.size[1] - inset)
        if style.art_seed % 3:
            fill(self.canvas, ellipse(1.25 * size, 1.25 * size) + np.array(center), self.tones.of(Tone.PAPER))
        pictures.draw_item(self.canvas, self.card.item, center, size)


def _quarters(style: Style) -> tuple[float, ...]:
    """Directions of the lines between the four colours."""
    start = (0.0, 45.0, 20.0)[style.art_seed % 3]
    lean = (0.0, 28.0)[style.art_seed // 3 % 2]
    return start, start + 90 + lean, start + 180, start + 270 + lean


@lru_cache(maxsize=32)
def _border_mask(size: tuple[int, int], rim: int, radius: int) -> Mask:
    mask = np.full((size[1], size[0]), 255, np.uint8)
    shape = rounded(size[0] - 2 * rim, size[1] - 2 * rim, max(1, radius)) + np.array(size) / 2
    fill(mask, shape, 0)
    return mask


def _shine(image: NDArray[np.uint8], strength: float, seed: int) -> None:
    """Lighten a diagonal band of a BGRA picture in place."""
    height, width = image.shape[:2]
    across = np.add.outer(np.arange(height) * 0.6, np.arange(width)).astype(np.float32) / width
    band = np.exp(-(((across - 0.2 - seed % 100 / 70) / 0.35) ** 2)) * strength
    color = image[:, :, :3]
    color[:] = (color + (255 - color) * band[:, :, None]).astype(np.uint8)


def render(card: Card, style: Style, height: int = 448) -> CardArt:
    """Draw a card's face, `height` pixels high."""
    painter = _Painter(card, style, height)
    boxes = painter.paint()
    image = finished(painter.canvas, height, style.corner_radius * height / CARD_HEIGHT)
    if style.gloss > 0:
        _shine(image, style.gloss, style.art_seed)
    inside = tuple(_within(box, image.shape[1], height) for box in boxes)
    return CardArt(image, inside)


def _within(box: Box, width: int, height: int) -> Box:
    x0, y0, x1, y1 = (value / _SCALE for value in box)
    return max(x0, 0.0), max(y0, 0.0), min(x1, float(width)), min(y1, float(height))


def render_back(style: Style, height: int = 448) -> NDArray[np.uint8]:
    """Draw the back of a deck's cards, `height` pixels high; BGRA uint8 (H, W, 4)."""
    width = width_of(height)
    size = (width * _SCALE, height * _SCALE)
    unit = height * _SCALE / CARD_HEIGHT
    rng = np.random.default_rng([style.art_seed, 99])
    canvas: Image = np.empty((size[1], size[0], 3), np.uint8)
    canvas[:] = style.border
    rim = round(style.border_width * unit)
    inner = canvas[rim : size[1] - rim, rim : size[0] - rim]
    usual = rng.random() < 0.7
    ground: Bgr = style.wild_ground if usual else style.inks.of(list(Color)[int(rng.integers(4))])
    inner[:] = ground
    center = np.array(size) / 2
    if not usual and rng.random() < 0.5:
        scenery.draw_scenery(inner, ground, rng)
    tones = Tones(style.inks.red, style.inks.paper, style.inks.dark)
    oval = ellipse(rng.uniform(34, 44) * unit, rng.uniform(58, 76) * unit, rng.uniform(20, 40)) + center
    fill(canvas, oval, style.inks.red if usual else style.inks.paper)
    if rng.random() < 0.3:
        stroke(canvas, oval, style.inks.paper, 1.5 * unit, True)
    word = ("UNO", "UNO", "DUO", "CARDS", "1+1")[int(rng.integers(5))]
    mask = letter(word, style.lettering, rng.uniform(13, 20) * unit, rng.uniform(-35, -10))
    widest = 0.8 * size[0]
    if mask.shape[1] > widest:
        mask = shaped(mask, mask.shape[0] * widest / mask.shape[1])
    fills = (Tone.PAPER, Tone.DARK) if usual else (Tone.INK, Tone.DARK)
    finish = Finish(fills[int(rng.random() < 0.3)], Tone.DARK, 0.03, shadow_x=-0.05, shadow_y=0.04)
    print_mark(canvas, mask, (center[0], center[1]), finish, tones)
    if style.border_width > 0:
        border = _border_mask(size, rim, round(style.inner_radius * unit))
        flat = np.empty_like(canvas)
        flat[:] = style.border
        cv2.copyTo(flat, border, canvas)
    return finished(canvas, height, style.corner_radius * height / CARD_HEIGHT)
