"""Whole cards: the face of every card and the back, drawn in a style.

Pictures are BGRA uint8 (H, W, 4), upright, with transparent rounded corners; the card's aspect is 56 : 87.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.cards import Card, Face
from companion.dataset.artist import decorations, wildfaces
from companion.dataset.artist.backs import render_back
from companion.dataset.artist.drawing import paintings, pictures, scenery, symbols
from companion.dataset.artist.drawing.glyphs import Lettering, letter, no_wider, shaped
from companion.dataset.artist.drawing.ink import (
    Bgr,
    Box,
    Finish,
    Points,
    Tone,
    ellipse,
    fill,
    flood,
    mix,
    print_mark,
    rounded,
    stroke,
    turned,
    union,
)
from companion.dataset.artist.drawing.symbols import CardsKind
from companion.dataset.artist.parts import Badge, Ground, Medallion, Outline
from companion.dataset.artist.press import CARD_HEIGHT, CARD_WIDTH, SCALE, Center, Sheet, width_of
from companion.dataset.artist.styles import Style

__all__ = ["CARD_HEIGHT", "CARD_WIDTH", "CardArt", "render", "render_back", "width_of"]

_WORDS = {Face.SKIP: ("SKIP",), Face.REVERSE: ("REVERSE",), Face.DRAW_TWO: ("DRAW", "TWO")}


@dataclass(frozen=True)
class CardArt:
    """A drawn card, BGRA uint8 (H, W, 4), and the tight boxes (x0, y0, x1, y1) in pixels of its corner indices.

    The upright index at the top left comes first. There are none if the deck leaves the card's corners empty.
    """

    image: NDArray[np.uint8]
    indices: tuple[Box, ...]


def render(card: Card, style: Style, height: int = 448) -> CardArt:
    """Draw a card's face, `height` pixels high."""
    sheet = Sheet(card, style, height)
    _ground(sheet)
    decorations.ground(sheet)
    shape = _medallion_shape(sheet)
    _medallion(sheet, shape)
    sheet.print_border()
    _middle(sheet, shape)
    if style.caption:
        _caption(sheet)
    boxes = _corners(sheet) if style.design.indices else ()
    if style.item_icon:
        _item(sheet)
    if style.design.wobble > 0:
        sheet.canvas = paintings.wobbled(sheet.canvas, style.art_seed, style.design.wobble)
    image = sheet.finished()
    if style.gloss > 0:
        _shine(image, style.gloss, style.art_seed)
    return CardArt(image, tuple(_within(box, image.shape[1], height) for box in boxes))


def _ground(sheet: Sheet) -> None:
    inner, ink = sheet.inner(), sheet.ink
    flood(inner, ink)
    match sheet.style.ground:
        case Ground.GRADIENT:
            scenery.gradient(inner, mix(ink, (255, 255, 255), 0.18), mix(ink, (0, 0, 0), 0.25))
        case Ground.RAYS:
            middle = (inner.shape[1] / 2, inner.shape[0] / 2)
            scenery.rays(inner, middle, mix(ink, (255, 255, 255), 0.2), 8 + sheet.style.art_seed % 17, 0.5, 0)
        case Ground.DOTS:
            scenery.dots(inner, mix(ink, (0, 0, 0), 0.15), inner.shape[1] / 14)
        case Ground.SPLIT:
            corner = np.array([[0, inner.shape[0]], [inner.shape[1], inner.shape[0]], [inner.shape[1], 0]], np.float64)
            fill(inner, corner, mix(ink, (0, 0, 0), 0.2))
        case Ground.FACETS:
            scenery.facets(inner, ink, sheet.rng())
        case Ground.STRIPES:
            scenery.stripes(inner, mix(ink, (255, 255, 255), 0.3), inner.shape[1] / 24, sheet.style.art_seed % 180)
        case Ground.DARK:
            flood(inner, sheet.tones.dark)
        case Ground.PAPER if not sheet.card.face.is_wild:
            flood(inner, sheet.tones.paper)
        case Ground.PAINTED:
            decorations.picture(sheet)
        case _:
            pass


def _medallion_shape(sheet: Sheet) -> Points:
    middle = sheet.style.middle
    wide, tall = middle.width * sheet.unit, middle.height * sheet.unit
    match middle.outline:
        case Outline.OVAL:
            shape = ellipse(wide, tall, middle.turn)
        case Outline.DIAMOND:
            shape = ellipse(wide * 1.2, tall * 1.2, middle.turn, count=4)
        case Outline.FRAME:
            shape = rounded(wide, tall, 0.1 * wide)
        case Outline.BAND:
            half = np.array([wide, tall]) / 2
            shape = turned(np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half, middle.turn)
        case Outline.HEXAGON:
            shape = ellipse(wide, tall, middle.turn, count=6)
        case Outline.STAR:
            shape = turned(scenery.star(8 + sheet.style.art_seed % 5, 0.8) * np.array([wide, tall]) * 1.1, middle.turn)
        case Outline.BLOT:
            blot = scenery.blot(np.random.default_rng(sheet.style.art_seed))
            shape = turned(blot * np.array([wide, tall]) * 1.2, middle.turn)
    return np.add(shape, sheet.center)


def _medallion(sheet: Sheet, shape: Points) -> None:
    middle = sheet.style.middle
    inner = sheet.inner()
    local = shape - sheet.rim
    paper = sheet.tones.of(middle.paper)
    match middle.medallion:
        case Medallion.OUTLINED:
            stroke(inner, local, paper, middle.line * sheet.unit, True)
        case Medallion.FILLED:
            fill(inner, local, paper)
        case Medallion.RAYS:
            _rays(sheet, local)
        case Medallion.PATCHES:
            cuts = [sheet.tones.of(tone) for tone in (Tone.INK, Tone.SHADE, Tone.TINT)]
            blots = [sheet.tones.of(tone) for tone in Tone]
            scenery.patches(inner, cuts, blots, np.random.default_rng(sheet.style.art_seed))
        case Medallion.PICTURE | Medallion.PIXELS:
            _picture(sheet, local)
        case Medallion.NONE:
            pass


def _rays(sheet: Sheet, shape: Points) -> None:
    seed, inner = sheet.style.art_seed, sheet.inner()
    count, share = 9 + seed % 28, 0.25 + (seed // 32 % 8) / 16
    center = (inner.shape[1] / 2, inner.shape[0] / 2)
    paper = sheet.tones.of(sheet.style.middle.paper)
    if seed // 256 % 2:
        # White rays end before they reach the corners, whose signs are white too.
        reach = 1.25 + (seed // 512 % 8) / 16
        burst = scenery.star(count, 1 / reach) * (shape[:, 0].max() - shape[:, 0].min()) * reach
        fill(inner, burst + np.array(center), paper if seed // 4096 % 3 else sheet.tones.of(Tone.TINT))
    else:
        tone = (Tone.TINT, Tone.SHADE)[seed // 512 % 2]
        scenery.rays(inner, center, mix(sheet.ink, sheet.tones.of(tone), 0.7), count, share, seed % 11)
    if seed // 1024 % 2:
        stroke(inner, shape, sheet.ink, 3.0 * sheet.unit, True)
    fill(inner, shape, paper)


def _picture(sheet: Sheet, shape: Points) -> None:
    middle, inner = sheet.style.middle, sheet.inner()
    draw = scenery.draw_pixels if middle.medallion is Medallion.PIXELS else scenery.draw_scenery
    if not middle.rim:
        draw(inner, sheet.ink, sheet.rng())
        return
    picture = np.empty_like(inner)
    draw(picture, mix(sheet.ink, (255, 255, 255), 0.25), sheet.rng())
    mask = np.zeros(inner.shape[:2], np.uint8)
    fill(mask, shape, 255)
    cv2.copyTo(picture, mask, inner)
    stroke(inner, shape, sheet.tones.paper, middle.line * sheet.unit, True)


def _middle(sheet: Sheet, shape: Points) -> None:
    style, face = sheet.style, sheet.card.face
    middle = style.middle
    size = middle.size * sheet.unit
    if face.is_wild:
        wildfaces.paint_middle(sheet, shape, size)
    elif (words := style.design.middle_words(face)) is not None and middle.number:
        sheet.words(words, size * (0.75, 0.5)[len(words) > 1 or len(words[0]) > 2], middle.finish)
    elif style.spelled and face in _WORDS:
        sheet.words(_WORDS[face], size * 0.3, middle.finish)
    elif middle.number:
        _sign(sheet, style.lettering, size, middle.rotation, middle.finish, sheet.center, False)


def _sign(
    sheet: Sheet, lettering: Lettering, size: float, rotation: float, finish: Finish, center: Center, index: bool
) -> Box:
    """Print the sign of the card's face, `size` pixels high, around a point; return the box of its ink."""
    drawn = sheet.style.symbols
    text = sheet.style.design.corner_text(sheet.card.face) if index else None
    if text is not None:
        return sheet.text_in_corner(text, lettering, size * (0.95, 0.65)[len(text) > 2], center, finish)
    if not index and not sheet.card.face.is_number:
        size *= drawn.scale
    match sheet.card.face:
        case Face.REVERSE:
            mask = shaped(symbols.reverse_mask(drawn), size * 1.1, turn=rotation)
        case Face.SKIP:
            mask = shaped(symbols.skip_mask(drawn), size * (1.0 if index else 1.15), turn=rotation)
        case Face.DRAW_TWO:
            if index and not sheet.style.index.cards_for_draw_two:
                return sheet.text_in_corner(sheet.style.design.draw_two, lettering, size * 0.9, center, finish)
            return _draw_two(sheet, lettering, size, rotation, finish, center, index)
        case face:
            mask = letter(face.value, lettering, size, rotation)
    widest = 1.35 * size if index else 0.76 * sheet.size[0]
    return print_mark(sheet.canvas, no_wider(mask, widest), center, finish, sheet.tones)


def _draw_two(
    sheet: Sheet, lettering: Lettering, size: float, rotation: float, finish: Finish, center: Center, index: bool
) -> Box:
    drawn, tones = sheet.style.symbols, sheet.tones
    kind = drawn.draw_two
    boxes = []
    if index or kind is not CardsKind.TEXT:
        ink = tones.paper if finish.fill is Tone.PAPER and kind is CardsKind.STACK else sheet.ink
        cards = symbols.two_cards(drawn, ink, tones.paper)
        tall = size * (1.1 if index else 1.2)
        boxes.append(symbols.draw_little_cards(sheet.canvas, cards, center, tall, drawn, tones.paper, tones.dark))
    if not index and kind is CardsKind.CARDS_AND_TEXT:
        mask = letter("+2", lettering, size * 0.55, rotation)
        boxes.append(print_mark(sheet.canvas, mask, center, Finish(Tone.PAPER, Tone.DARK, 0.06), tones))
    elif not index and kind is CardsKind.TEXT:
        mask = no_wider(letter("+2", lettering, size * 0.75, rotation), 0.76 * sheet.size[0])
        boxes.append(print_mark(sheet.canvas, mask, center, finish, tones))
    return union(boxes)


def _corners(sheet: Sheet) -> tuple[Box, ...]:
    """Print both indices and return their boxes on the sheet."""
    first = _index(sheet)
    if first is None:
        return ()
    sheet.turn_round()
    _index(sheet)
    sheet.turn_round()
    x0, y0, x1, y1 = first
    width, height = sheet.size
    return first, (width - x1, height - y1, width - x0, height - y0)


def _index(sheet: Sheet) -> Box | None:
    style, index, face = sheet.style, sheet.style.index, sheet.card.face
    size = index.size * sheet.unit
    center = (index.x * sheet.unit, index.y * sheet.unit)
    wide = face in (Face.DRAW_TWO, Face.WILD_DRAW_FOUR)
    if index.badge is not None and face is not Face.WILD:
        if wide:
            center = (max(center[0], sheet.rim + 1.05 * size), center[1])
        _badge(sheet, center, (2.1 if wide else 1.55) * size, 1.55 * size, sheet.tones.of(index.badge))
    decorations.partner(sheet, center, size)
    if face.is_wild:
        return wildfaces.paint_index(sheet, center, size)
    return _sign(sheet, style.index_lettering, size, index.rotation, index.finish, center, True)


def _badge(sheet: Sheet, center: Center, width: float, height: float, color: Bgr) -> None:
    """Print the shape under an index, `width` x `height` pixels around its centre."""
    match sheet.style.index.badge_shape:
        case Badge.DISC:
            fill(sheet.canvas, ellipse(width, height) + np.array(center), color)
        case Badge.POLYGON:
            count = (3, 5, 8)[sheet.style.art_seed % 3]
            room = 1 / np.cos(np.pi / count)
            fill(sheet.canvas, ellipse(width * room, height * room, 30.0, count=count) + np.array(center), color)
        case Badge.SQUARE:
            fill(sheet.canvas, rounded(width, height, 0.12 * height) + np.array(center), color)
        case Badge.CORNER:
            x, y = center[0] + width / 2 - sheet.rim, center[1] + height / 2 - sheet.rim
            fill(sheet.inner(), ellipse(2.2 * x, 2.2 * y), color)


def _caption(sheet: Sheet) -> None:
    """Print a made-up name and small print below the middle."""
    rng = sheet.rng()
    name = "".join(rng.choice(list("AEIOULMNRSTKDP"), int(rng.integers(4, 10))))
    lines = ((name, 3.4, 0.83), ("".join(rng.choice(list("aeioulmnrst ."), 30)), 1.2, 0.87))
    for text, size, y in lines[: 1 + int(rng.integers(2))]:
        mask = letter(text, sheet.style.index_lettering, size * sheet.unit)
        place = (sheet.center[0], y * sheet.size[1])
        print_mark(sheet.canvas, no_wider(mask, 0.5 * sheet.size[0]), place, Finish(), sheet.tones)


def _item(sheet: Sheet) -> None:
    size = sheet.style.item_size * sheet.unit
    inset = sheet.rim + 1.2 * sheet.unit + size / 2
    center = (inset, sheet.size[1] - inset)
    match sheet.style.art_seed % 4:
        case 0 | 1:
            fill(sheet.canvas, ellipse(1.25 * size, 1.25 * size) + np.array(center), sheet.tones.paper)
        case 2:
            fill(sheet.canvas, rounded(1.2 * size, 1.2 * size, 0.15 * size) + np.array(center), sheet.tones.dark)
    pictures.draw_item(sheet.canvas, pictures.item_of(sheet.card), center, size)


def _shine(image: NDArray[np.uint8], strength: float, seed: int) -> None:
    """Lighten a diagonal band of a BGRA picture in place."""
    height, width = image.shape[:2]
    across = np.add.outer(np.arange(height) * 0.6, np.arange(width)).astype(np.float32) / width
    band = np.exp(-(((across - 0.2 - seed % 100 / 70) / 0.35) ** 2)) * strength
    keep = np.asarray(255 * (1 - band), np.uint8)
    for channel in range(3):
        # 255 - (255 - x) * keep, in uint8.
        dark = cv2.multiply(255 - image[:, :, channel], keep, scale=1 / 255)
        image[:, :, channel] = 255 - dark


def _within(box: Box, width: int, height: int) -> Box:
    x0, y0, x1, y1 = (value / SCALE for value in box)
    return max(x0, 0.0), max(y0, 0.0), min(x1, float(width)), min(y1, float(height))
