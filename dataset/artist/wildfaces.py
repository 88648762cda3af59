"""Middles and corners of the wild cards."""

from __future__ import annotations

import zlib

import cv2
import numpy as np

from companion.cards import Face
from companion.dataset.artist import wilds
from companion.dataset.artist.designs import CornerArt
from companion.dataset.artist.drawing import pictures, symbols
from companion.dataset.artist.drawing.glyphs import letter
from companion.dataset.artist.drawing.ink import Box, Finish, Points, Tone, ellipse, fill, print_mark, rounded
from companion.dataset.artist.drawing.pictures import CreeperKind
from companion.dataset.artist.drawing.scenery import draw_scenery
from companion.dataset.artist.drawing.symbols import CardsKind
from companion.dataset.artist.parts import Medallion, Outline
from companion.dataset.artist.press import Center, Sheet
from companion.dataset.artist.styles import Style
from companion.dataset.artist.wilds import WildIndex, WildKind

_BOLD = Finish(Tone.PAPER, Tone.DARK, 0.07, shadow_x=-0.06, shadow_y=0.06)
_DRAW_FOUR = ("WILD", "DRAW", "FOUR")


def _quarters(style: Style) -> tuple[float, ...]:
    """Directions of the lines between the four colours."""
    start = (0.0, 45.0, 20.0)[style.art_seed % 3]
    lean = (0.0, 28.0)[style.art_seed // 3 % 2]
    return start, start + 90 + lean, start + 180, start + 270 + lean


def paint_middle(sheet: Sheet, shape: Points, size: float) -> None:
    """Paint the middle of a wild card; `shape` is the deck's medallion (N, 2), `size` a sign's height, in pixels."""
    style = sheet.style
    match sheet.card.face:
        case Face.WILD:
            _wild(sheet, shape)
            if style.wild_word:
                sheet.words(("WILD",), size * 0.4, _BOLD)
        case Face.WILD_DRAW_FOUR:
            _draw_four(sheet, shape, size)
        case Face.WILD_ITEM_BOX:
            _backdrop(sheet, shape)
            pictures.draw_item_box(sheet.canvas, sheet.center, size * 1.3, sheet.four, style.lettering, style.box)
        case face if face not in Face:
            _picture(sheet, shape)
        case _:
            _backdrop(sheet, shape)
            if style.creeper is CreeperKind.FIGURE:
                pictures.draw_pixel_figure(sheet.canvas, sheet.center, size * 1.6, style.inks.green, style.art_seed)
            else:
                pictures.draw_pixel_face(sheet.canvas, sheet.center, size * 1.15, style.inks.green, style.art_seed)


def _picture(sheet: Sheet, shape: Points) -> None:
    """Paint the picture of an edition's own wild: an invented one that only this face has."""
    canvas = sheet.canvas
    picture, mask = np.empty_like(canvas), np.zeros(canvas.shape[:2], np.uint8)
    rng = np.random.default_rng([sheet.style.art_seed, zlib.crc32(sheet.card.face.value.encode())])
    draw_scenery(picture, sheet.four[int(rng.integers(len(sheet.four)))], rng)
    fill(mask, shape, 255)
    cv2.copyTo(picture, mask, canvas)


def _backdrop(sheet: Sheet, shape: Points) -> None:
    match sheet.style.art_seed % 6:
        case 0 | 1:
            wilds.four_colors(sheet.canvas, shape, sheet.four, _quarters(sheet.style), None)
        case 2:
            fill(sheet.canvas, shape, sheet.tones.paper)


def _wild(sheet: Sheet, shape: Points) -> None:
    style, canvas, four = sheet.style, sheet.canvas, sheet.four
    rim = (sheet.tones.paper, (0.4 + style.art_seed % 4 * 0.4) * sheet.unit)
    center = np.array(sheet.center)
    across = (0.6 + style.art_seed % 5 * 0.06) * sheet.size[0]
    turns = _quarters(style)
    match style.wild:
        case WildKind.OVAL:
            oval = shape if style.middle.outline is Outline.OVAL else ellipse(across, across * 1.7, 25) + center
            wilds.four_colors(canvas, oval, four, turns, rim)
        case WildKind.DISC:
            wilds.four_colors(canvas, ellipse(across, across) + center, four, turns, rim)
        case WildKind.DIAMOND:
            wilds.four_colors(canvas, ellipse(across * 1.1, across * 1.7, count=4) + center, four, turns, rim)
        case WildKind.GROUND:
            width, height = np.array(sheet.size) - 2 * sheet.rim
            ground = rounded(width, height, style.inner_radius * sheet.unit) + center
            wilds.four_colors(canvas, ground, four, turns, None)
        case WildKind.PIE:
            wilds.four_colors(canvas, ellipse(across, across) + center, four, tuple(range(0, 360, 45)), rim)
        case WildKind.STRIPES:
            wilds.stripes(canvas, shape, four, rim)
        case WildKind.BLOBS:
            wilds.blobs(canvas, sheet.center, across * 1.05, four)


def _draw_four(sheet: Sheet, shape: Points, size: float) -> None:
    style = sheet.style
    if style.middle.medallion not in (Medallion.FILLED, Medallion.RAYS) and style.draw_four_paper:
        if style.art_seed % 7 < 2:
            wilds.four_colors(sheet.canvas, shape, sheet.four, _quarters(style), (sheet.tones.paper, sheet.unit))
        else:
            fill(sheet.canvas, shape, sheet.tones.paper)
    kind = style.symbols.draw_four
    if style.spelled and kind is CardsKind.TEXT:
        sheet.words(_DRAW_FOUR, size * 0.25, Finish(Tone.PAPER, Tone.DARK, 0.08))
        return
    if kind is not CardsKind.TEXT:
        _little_cards(sheet, sheet.center, size * 1.45)
    if kind in (CardsKind.TEXT, CardsKind.CARDS_AND_TEXT):
        mask = letter("+4", style.lettering, size * 0.7, style.middle.rotation)
        print_mark(sheet.canvas, mask, sheet.center, Finish(Tone.PAPER, Tone.DARK, 0.06), sheet.tones)


def _little_cards(sheet: Sheet, center: Center, size: float) -> Box:
    drawn = sheet.style.symbols
    cards = symbols.four_cards(drawn, sheet.four)
    return symbols.draw_little_cards(sheet.canvas, cards, center, size, drawn, sheet.tones.paper, sheet.tones.dark)


def paint_index(sheet: Sheet, center: Center, size: float) -> Box | None:
    """Paint the upright index of a wild card around a centre; return the box of its ink, None if there is none."""
    style, index = sheet.style, sheet.style.index
    outline = index.finish.outline_width
    if style.design.corner_art is not CornerArt.NONE:
        outline = max(outline, 0.05)
    finish = Finish(Tone.PAPER, Tone.DARK, outline, halo_width=outline if style.art_seed % 3 == 0 else 0.0)
    if index.badge is Tone.PAPER or (
        style.light_wilds and index.badge is None and style.design.corner_art is CornerArt.NONE
    ):
        finish = Finish(Tone.DARK)
    match sheet.card.face:
        case Face.WILD_DRAW_FOUR:
            if index.cards_for_draw_four:
                return _little_cards(sheet, (center[0] + 0.1 * size, center[1] + 0.1 * size), size * 1.2)
            return sheet.text_in_corner(style.design.draw_four, style.index_lettering, size * 0.9, center, finish)
        case Face.WILD_ITEM_BOX if style.art_seed % 5 < 2:
            return sheet.text_in_corner("?", style.index_lettering, size, center, finish)
        case Face.WILD_ITEM_BOX if style.art_seed % 5 < 4:
            pictures.draw_item_box(sheet.canvas, center, size, sheet.four, style.index_lettering, style.box)
            return _square(center, size)
        case Face.WILD_CREEPER if style.art_seed % 5 < 4:
            pictures.draw_pixel_face(sheet.canvas, center, size, style.inks.green, style.art_seed)
            return _square(center, size)
        case _:
            return _four_color_index(sheet, center, size, finish)


def _square(center: Center, size: float) -> Box:
    half = size / 2
    return center[0] - half, center[1] - half, center[0] + half, center[1] + half


def _four_color_index(sheet: Sheet, center: Center, size: float, finish: Finish) -> Box | None:
    style = sheet.style
    rim = (sheet.tones.paper, 0.06 * size)
    match style.index.wild:
        case WildIndex.OVAL:
            oval = ellipse(0.75 * size, 1.3 * size, style.middle.turn) + np.array(center)
            return wilds.four_colors(sheet.canvas, oval, sheet.four, _quarters(style), rim)
        case WildIndex.DISC:
            disc = ellipse(size, size) + np.array(center)
            return wilds.four_colors(sheet.canvas, disc, sheet.four, _quarters(style), rim)
        case WildIndex.LETTER:
            return sheet.text_in_corner("W", style.index_lettering, 0.9 * size, center, finish)
        case WildIndex.WORD:
            return sheet.text_in_corner("WILD", style.index_lettering, 0.45 * size, center, finish)
        case WildIndex.NONE:
            return None
