"""Marks that tell the faces of a deck apart: tight masks, uint8 (H, W), 255 where there is ink."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from functools import partial

import cv2
import numpy as np

from companion.dataset.artist.drawing import fonts as typefaces
from companion.dataset.artist.drawing.chance import chance
from companion.dataset.artist.drawing.ink import Mask, Points, cropped, ellipse, fill, grown, rounded, stroke, turned
from companion.dataset.artist.drawing.scenery import blot, star

_SIDE = 256
_VOWELS, _CONSONANTS = "aeiou", "bcdfghklmnprstvwz"
_WORD_LIST = (
    "skip reverse draw wild stop turn back take two four go swap all color lose gain fire water "
    "earth wind sun moon star gold iron wood king queen knight page ace fool tower magic sword cup "
    "coin wand shield dragon wolf bear fox owl "
)
_WORDS = tuple(_WORD_LIST.split())
# Ranges of code points: capitals, Greek, Cyrillic, arrows, mathematics, shapes, dingbats, emoji.
_SCRIPTS = ((0x41, 0x5A), (0x391, 0x3A9), (0x410, 0x42F), (0x2190, 0x21FF), (0x2200, 0x22FF), (0x25A0, 0x25FF),
            (0x2600, 0x26FF), (0x2701, 0x27BE), (0x1F300, 0x1F5FF), (0x1F900, 0x1F9FF))  # fmt: skip


class MarkKind(Enum):
    """What distinguishes the faces of a deck."""

    DIGITS = "the digits, then numbers"
    NUMBERS = "numbers to 99"
    LETTERS = "letters"
    ROMAN = "Roman numerals"
    WORDS = "words"
    GLYPHS = "signs of a typeface"
    EMBLEMS = "stars and blots"
    STROKES = "lines drawn by hand"
    PIXELS = "symmetric pixel figures"
    PIPS = "equal shapes, one to a dozen"
    RUNES = "straight strokes on a grid"


TRAINING_MARKS = tuple(kind for kind in MarkKind if kind not in (MarkKind.PIPS, MarkKind.RUNES))
"""Marks that networks are trained on; pips and runes are kept for measuring."""


def marks(kind: MarkKind, count: int, fonts: Sequence[str], rng: np.random.Generator) -> list[Mask]:
    """Return up to `count` marks of one deck, all different; fewer where the kind has no more."""
    font = str(rng.choice(list(fonts))) if fonts else "sans"
    weight = int(rng.integers(3, 10)) * 100
    match kind:
        case MarkKind.DIGITS:
            texts = [str(number) for number in range(count)]
        case MarkKind.NUMBERS:
            texts = [str(number) for number in rng.permutation(100)[:count]]
        case MarkKind.LETTERS:
            letters = [chr(65 + int(i)) for i in rng.permutation(26)]
            texts = [text.lower() for text in letters] if chance(rng, 0.3) else letters
        case MarkKind.ROMAN:
            texts = [_roman(number) for number in range(1, count + 1)]
        case MarkKind.WORDS:
            texts = _words(count, rng)
        case MarkKind.GLYPHS:
            return _glyphs(font, count, rng)
        case MarkKind.PIPS:
            return _pips(count, rng)
        case _:
            return [_shape(kind, rng) for _ in range(count)]
    return [np.asarray(typefaces.text_mask(text, font, weight), np.uint8) for text in texts[:count]]


def _shape(kind: MarkKind, rng: np.random.Generator) -> Mask:
    draw: dict[MarkKind, Callable[[np.random.Generator], Mask]] = {
        MarkKind.EMBLEMS: _emblem,
        MarkKind.STROKES: partial(_scrawl, straight=False),
        MarkKind.RUNES: partial(_scrawl, straight=True),
        MarkKind.PIXELS: _pixels,
    }
    return draw[kind](rng)


def _roman(number: int) -> str:
    text = ""
    for value, letters in ((50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")):
        text += letters * (number // value)
        number %= value
    return text


def _words(count: int, rng: np.random.Generator) -> list[str]:
    made = ["".join(_syllable(rng) for _ in range(int(rng.integers(1, 4)))) for _ in range(count)]
    words = [str(word) for word in rng.permutation(_WORDS)[: count // 2]] + made
    words = list(dict.fromkeys(words))
    case = int(rng.integers(3))
    return [word.upper() if case == 0 else word.capitalize() if case == 1 else word for word in words]


def _syllable(rng: np.random.Generator) -> str:
    end = str(rng.choice(list(_CONSONANTS))) if chance(rng, 0.4) else ""
    return str(rng.choice(list(_CONSONANTS))) + str(rng.choice(list(_VOWELS))) + end


def _glyphs(font: str, count: int, rng: np.random.Generator) -> list[Mask]:
    """Return signs that the typeface has, no two of them alike (a typeface draws all it lacks in one way)."""
    first, last = _SCRIPTS[int(rng.integers(len(_SCRIPTS)))]
    found: dict[bytes, Mask] = {}
    for code in rng.permutation(np.arange(first, last + 1))[: 3 * count]:
        mask = typefaces.text_mask(chr(int(code)), font)
        if mask.size:
            found.setdefault(cv2.resize(mask, (16, 16), interpolation=cv2.INTER_AREA).tobytes(), mask)
    return list(found.values())[:count]


def _blank() -> Mask:
    return np.zeros((_SIDE, _SIDE), np.uint8)


def _outline(rng: np.random.Generator) -> Points:
    match int(rng.integers(5)):
        case 0:
            return blot(rng)
        case 1:
            return ellipse(1, float(rng.uniform(0.3, 1)), float(rng.uniform(0, 180)), count=int(rng.integers(3, 40)))
        case 2:
            return turned(rounded(1.0, float(rng.uniform(0.3, 1)), 0.1), float(rng.uniform(0, 180)))
        case _:
            return star(int(rng.integers(3, 10)), float(rng.uniform(0.3, 0.9)), float(rng.uniform(0, 360)))


def _emblem(rng: np.random.Generator) -> Mask:
    """Some outlines, filled and cut out in turn."""
    mask = _blank()
    mirrored = chance(rng, 0.4)
    for layer in range(int(rng.integers(1, 5))):
        size = _SIDE * float(rng.uniform(0.3, 0.9))
        off = rng.normal(0, 0.12, 2) * _SIDE if layer else np.zeros(2)
        fill(mask, _outline(rng) * size + _SIDE / 2 + off, 0 if layer % 2 else 255)
    if mirrored:
        mask = np.asarray(np.maximum(mask, mask[:, ::-1]), np.uint8)
    return cropped(mask) if mask.any() else _pixels(rng)


def _scrawl(rng: np.random.Generator, straight: bool) -> Mask:
    """One to five lines through a few places: bent, or straight between the knots of a grid."""
    mask = _blank()
    width = _SIDE * float(rng.uniform(0.04, 0.13))
    for _ in range(int(rng.integers(2, 6) if straight else rng.integers(1, 5))):
        knots = rng.integers(0, 4, (2, 2)) / 3 if straight else rng.random((int(rng.integers(3, 7)), 2))
        points = (0.1 + 0.8 * knots) * _SIDE
        if not straight:
            points = _bent(points)
        stroke(mask, points, 255, width, False)
    return cropped(mask)


def _bent(points: Points) -> Points:
    """Return a smooth line through points: four rounds of corner cutting (Chaikin 1974)."""
    for _ in range(4):
        quarter = 0.75 * points[:-1] + 0.25 * points[1:], 0.25 * points[:-1] + 0.75 * points[1:]
        points = np.stack(quarter, 1).reshape(-1, 2)
    return points


def _pixels(rng: np.random.Generator) -> Mask:
    rows = int(rng.integers(5, 11))
    half = rng.random((rows, (rows + 1) // 2)) < rng.uniform(0.4, 0.65)
    cells = np.concatenate([half, half[:, ::-1][:, rows % 2 :]], 1).astype(np.uint8) * np.uint8(255)
    cells[rows // 2, rows // 2] = 255
    return cropped(np.asarray(cv2.resize(cells, (_SIDE, _SIDE), interpolation=cv2.INTER_NEAREST), np.uint8))


def _pips(count: int, rng: np.random.Generator) -> list[Mask]:
    """Return masks with one, two, three ... of the same shape in rows."""
    shape = _outline(rng)
    columns = int(rng.integers(2, 4))
    result = []
    for number in range(1, count + 1):
        mask = _blank()
        rows = -(-number // columns)
        for i in range(number):
            row, column = divmod(i, columns)
            there = min(columns, number - row * columns)
            place = np.array([(column + 0.5) / there, (row + 0.5) / rows]) * _SIDE
            fill(mask, shape * min(0.8 * _SIDE / max(rows, columns), 0.4 * _SIDE) + place, 255)
        result.append(cropped(grown(mask, 1)))
    return result
