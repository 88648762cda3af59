"""Cards and tiles of other games: French suits, pictures, numbers beyond nine, words, dominoes, letters."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from companion.dataset.artist.drawing import paintings, scenery
from companion.dataset.artist.drawing.glyphs import Lettering
from companion.dataset.artist.drawing.ink import Bgr, Points, ellipse, mix, rounded, stroke
from companion.dataset.artist.press import CARD_HEIGHT, CARD_WIDTH
from companion.dataset.others.sheet import Sheet, Thing, any_color, dark, lettering, paper, suit, word

Fonts = tuple[str, ...]
Artist = Callable[[np.random.Generator, Fonts], Thing]
_CARD = (CARD_WIDTH, CARD_HEIGHT)


def french_card(rng: np.random.Generator, fonts: Fonts) -> Thing:
    """Return a playing card: rank and suit in two or four corners, pips or a framed figure."""
    sheet = Sheet(rng, _CARD, paper(rng), rng.uniform(1, 5))
    kind, rank = int(rng.integers(4)), str(rng.choice(["A", *map(str, range(2, 11)), "J", "Q", "K"]))
    usual: Bgr = (30, 20, 200) if kind < 2 else (25, 20, 20)
    ink = any_color(rng) if rng.random() < 0.15 else mix(usual, dark(rng), rng.uniform(0, 0.4))
    hand, size = lettering(rng, fonts), sheet.width * rng.uniform(0.1, 0.24)
    for x in (0.11, 0.89) if rng.random() < 0.3 else (0.11,):
        sheet.twice(partial(_french_corner, sheet, x, rank, kind, size, ink, hand))
    if rank.isdigit():
        _pips(sheet, kind, int(rank), ink)
    elif rank == "A" or rng.random() < 0.15:
        for part in suit(kind, sheet.width * rng.uniform(0.3, 0.8)):
            sheet.shape(part, sheet.at(0.5, 0.5), ink)
    else:
        _court(sheet, ink)
    return sheet.finished()


def _french_corner(sheet: Sheet, x: float, rank: str, kind: int, size: float, ink: Bgr, hand: Lettering) -> None:
    sheet.text(rank, sheet.at(x, 0.04) + np.array([0, size / 2]), size, ink, hand)
    for part in suit(kind, size * 0.8):
        sheet.shape(part, sheet.at(x, 0.07) + np.array([0, size * 1.5]), ink)


def pip_spots(count: int) -> list[tuple[float, float]]:
    """Return where up to ten pips lie, as shares of their field: two columns, and the rest between them."""
    if count < 4:
        return [(0.5, float(y)) for y in np.linspace(0, 1, count)] if count > 1 else [(0.5, 0.5)] * count
    rows = min(count // 2, 3 if count < 9 else 4)
    spots = [(float(x), float(y)) for x in (0, 1) for y in np.linspace(0, 1, rows)]
    near = 0.5 if count == 9 else 0.5 / (rows - 1)
    return spots + [(0.5, near), (0.5, 1 - near)][: count - 2 * rows]


def _pips(sheet: Sheet, kind: int, count: int, ink: Bgr) -> None:
    size = sheet.width * sheet.rng.uniform(0.12, 0.2)
    for x, y in pip_spots(count):
        turn = -1 if y > 0.5 else 1
        for part in suit(kind, size):
            sheet.shape(part * turn, sheet.at(0.3 + 0.4 * x, 0.15 + 0.7 * y), ink)


def _court(sheet: Sheet, ink: Bgr) -> None:
    """Draw a framed double figure: a head, a crown and a robe of patches, twice."""
    rng, colors = sheet.rng, [any_color(sheet.rng) for _ in range(4)] + [ink]
    frame = rounded(sheet.width * 0.64, sheet.height * 0.76, rng.uniform(0, 20)) + sheet.at(0.5, 0.5)
    if rng.random() < 0.6:
        stroke(sheet.canvas, frame, mix(ink, (255, 255, 255), 0.3), sheet.width * 0.012, True)
    shapes = [
        (rng.normal(0, sheet.width * 0.11, (int(rng.integers(3, 6)), 2)), rng.uniform(0.3, 0.7), rng.uniform(0.2, 0.48))
        for _ in range(14)
    ]
    crown = np.array([[-0.5, 0.4], [-0.6, -0.4], [-0.2, 0], [0, -0.5], [0.2, 0], [0.6, -0.4], [0.5, 0.4]])
    skin: Bgr = (int(rng.uniform(120, 200)), int(rng.uniform(160, 215)), int(rng.uniform(200, 250)))
    where, wide = rng.uniform(0.38, 0.62), sheet.width * rng.uniform(0.14, 0.24)

    def half() -> None:
        for number, (points, x, y) in enumerate(shapes):
            sheet.shape(points, sheet.at(x, y), colors[number % len(colors)])
        sheet.shape(ellipse(wide, wide * 1.3), sheet.at(where, 0.22), skin)
        sheet.shape(crown * wide * 1.1, sheet.at(where, 0.15), colors[0])

    sheet.twice(half)


def picture_card(rng: np.random.Generator, fonts: Fonts) -> Thing:
    """Return a card that is a picture, with or without a frame, a title and a numeral, as in tarot and story games."""
    size = _CARD if rng.random() < 0.4 else (rng.uniform(54, 82), rng.uniform(84, 124))
    sheet = Sheet(rng, size, paper(rng) if rng.random() < 0.6 else dark(rng), rng.uniform(0, 6))
    rim = round(sheet.width * rng.choice([0.0, rng.uniform(0.03, 0.1)]))
    inner = sheet.canvas[rim : sheet.height - rim, rim : sheet.width - rim]
    if rng.random() < 0.5:
        paintings.paint(inner, rng, ())
    else:
        scenery.draw_scenery(inner, any_color(rng), rng)
    hand, ink = lettering(rng, fonts), dark(rng)
    for y in (0.06, 0.94):
        if rng.random() < 0.5:
            sheet.shape(rounded(sheet.width * 0.8, sheet.height * 0.08, 6), sheet.at(0.5, y), paper(rng))
            text = str(rng.choice(["I", "IV", "VII", "XII", "XVIII", "0", "3", "21"])) if y < 0.5 else word(rng)
            sheet.text(text, sheet.at(0.5, y), sheet.height * 0.05, ink, hand)
    return sheet.finished()


def number_card(rng: np.random.Generator, fonts: Fonts) -> Thing:
    """Return a card of a number game: 10 to 110, or a number beside a symbol, in corners and middle."""
    color = any_color(rng)
    sheet = Sheet(rng, _CARD, color if rng.random() < 0.5 else paper(rng), rng.uniform(1, 5))
    if rng.random() < 0.6:
        sheet.shape(_frame(sheet, rng.uniform(0.7, 0.95), 20), sheet.at(0.5, 0.5), any_color(rng))
    if rng.random() < 0.3:
        scenery.dots(sheet.canvas, any_color(rng), sheet.width / rng.uniform(5, 12))
    text = str(rng.integers(10, 111)) if rng.random() < 0.7 else str(rng.choice(["½", "%", "€5", "A1", "7x", "<", "="]))
    hand, ink, size = lettering(rng, fonts), any_color(rng), sheet.width * rng.uniform(0.1, 0.22)
    for x in (0.16, 0.84) if rng.random() < 0.4 else (0.16,):
        sheet.twice(partial(sheet.text, text, sheet.at(x, 0.1), size, ink, hand))
    if rng.random() < 0.7:
        sheet.text(text, sheet.at(0.5, 0.5), sheet.height * rng.uniform(0.15, 0.4), ink, hand)
    return sheet.finished()


def word_card(rng: np.random.Generator, fonts: Fonts) -> Thing:
    """Return a card with words: a visiting card, a ticket, a credit card or a card of questions."""
    long, short = rng.uniform(80, 92), rng.uniform(48, 60)
    size = (long, short) if rng.random() < 0.6 else (short, long)
    ground = paper(rng) if rng.random() < 0.5 else any_color(rng)
    sheet = Sheet(rng, size, ground, rng.choice([0.0, 3.0]))
    if rng.random() < 0.25:
        paintings.paint(sheet.canvas, rng, ())
    ink = dark(rng) if sum(ground) > 380 else paper(rng)
    hand = lettering(rng, fonts)
    if rng.random() < 0.6:
        sign = ellipse(sheet.height * rng.uniform(0.15, 0.4), sheet.height * rng.uniform(0.15, 0.4), rng.uniform(0, 90))
        sheet.shape(sign, sheet.at(rng.uniform(0.15, 0.85), rng.uniform(0.2, 0.8)), any_color(rng))
    for y in np.sort(rng.uniform(0.12, 0.9, int(rng.integers(2, 7)))):
        text = f"{word(rng)} {word(rng)}" if rng.random() < 0.6 else " ".join(str(n) for n in rng.integers(0, 9999, 3))
        sheet.text(text, sheet.at(rng.uniform(0.35, 0.65), float(y)), sheet.height * rng.uniform(0.04, 0.12), ink, hand)
    return sheet.finished()


def domino(rng: np.random.Generator, fonts: Fonts) -> Thing:
    """Return a domino: two halves with pips, or with digits."""
    light = rng.random() < 0.6
    sheet = Sheet(rng, (rng.uniform(22, 40), rng.uniform(48, 78)), paper(rng) if light else dark(rng), 3)
    ink = dark(rng) if light else paper(rng)
    stroke(sheet.canvas, np.stack([sheet.at(0.1, 0.5), sheet.at(0.9, 0.5)]), ink, sheet.height * 0.012, False)
    hand, digits, colored = lettering(rng, fonts), rng.random() < 0.15, any_color(rng) if rng.random() < 0.4 else ink
    for top in (0.0, 0.5):
        value = int(rng.integers(0, 7))
        if digits:
            sheet.text(str(value), sheet.at(0.5, top + 0.25), sheet.height * 0.25, colored, hand)
            continue
        for x, y in pip_spots(value):
            dot = ellipse(sheet.width * 0.17, sheet.width * 0.17)
            sheet.shape(dot, sheet.at(0.25 + 0.5 * x, top + 0.12 + 0.26 * y), colored)
    return sheet.finished()


def tile(rng: np.random.Generator, fonts: Fonts) -> Thing:
    """Return a tile with a letter and its value, with a coloured number, or with a sign."""
    side = rng.uniform(18, 32)
    sheet = Sheet(rng, (side, side * rng.choice([1.0, rng.uniform(1.2, 1.5)])), paper(rng), rng.uniform(0, 4))
    if rng.random() < 0.3:
        scenery.gradient(sheet.canvas, paper(rng), any_color(rng))
    hand, ink = lettering(rng, fonts), dark(rng) if rng.random() < 0.5 else any_color(rng)
    draw = rng.random()
    if draw < 0.4:
        sheet.text(
            str(rng.choice(list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))), sheet.at(0.45, 0.45), sheet.height * 0.5, ink, hand
        )
        sheet.text(str(rng.integers(1, 11)), sheet.at(0.8, 0.82), sheet.height * 0.18, ink, hand)
    elif draw < 0.75:
        sheet.text(str(rng.integers(10, 14)), sheet.at(0.5, 0.36), sheet.height * 0.42, ink, hand)
        sheet.shape(ellipse(sheet.width * 0.3, sheet.width * 0.3), sheet.at(0.5, 0.78), mix(ink, (255, 255, 255), 0.5))
    else:
        for _ in range(int(rng.integers(1, 9))):
            spot = ellipse(sheet.width * rng.uniform(0.1, 0.5), sheet.width * rng.uniform(0.1, 0.5), rng.uniform(0, 90))
            sheet.shape(spot, sheet.at(*rng.uniform(0.2, 0.8, 2)), any_color(rng))
    return sheet.finished()


def _frame(sheet: Sheet, share: float, radius: float = 0.0) -> Points:
    return rounded(sheet.width * share, sheet.height - sheet.width * (1 - share), radius)
