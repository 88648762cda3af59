"""Backs of cards."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from companion.cards import Card, Color, Face
from companion.dataset.artist.drawing import paintings, scenery
from companion.dataset.artist.drawing.glyphs import letter, no_wider
from companion.dataset.artist.drawing.ink import (
    Bgr,
    Finish,
    Tone,
    Tones,
    ellipse,
    fill,
    flood,
    mix,
    print_mark,
    rounded,
    stroke,
)
from companion.dataset.artist.press import Sheet
from companion.dataset.artist.styles import Style

_WORDS = ("UNO", "UNO", "UNO", "DUO", "CARDS", "TRIO")
_WORD = 0.8
"""Maximum width of the word, as a share of the card's."""


def render_back(style: Style, height: int = 448) -> NDArray[np.uint8]:
    """Draw the back of a deck's cards, `height` pixels high; BGRA uint8 (H, W, 4)."""
    rng = np.random.default_rng([style.art_seed, 99])
    sheet = Sheet(Card(Face.WILD), style, height)
    inner = sheet.inner()
    usual = rng.random() < 0.7
    ground: Bgr = style.wild_ground if usual else style.inks.of(list(Color)[int(rng.integers(4))])
    flood(inner, ground)
    if not usual and rng.random() < 0.5:
        scenery.draw_scenery(inner, ground, rng)
    elif not usual and rng.random() < 0.5:
        scenery.dots(inner, style.inks.paper, inner.shape[1] / rng.uniform(6, 14))
    unit, center = sheet.unit, np.array(sheet.center)
    oval = ellipse(rng.uniform(34, 44) * unit, rng.uniform(58, 76) * unit, rng.uniform(20, 40)) + center
    fill(sheet.canvas, oval, style.inks.red if usual else style.inks.paper)
    if rng.random() < 0.3:
        stroke(sheet.canvas, oval, style.inks.paper, 1.5 * unit, True)
    mask = letter(str(rng.choice(_WORDS)), style.lettering, rng.uniform(13, 20) * unit, rng.uniform(-35, -10))
    word = style.inks.yellow if rng.random() < 0.5 else style.inks.paper
    tones = Tones(word if usual else style.inks.red, style.inks.paper, style.inks.dark)
    shadow = rng.uniform(-0.08, 0.08)
    finish = Finish(Tone.INK, Tone.DARK, 0.03, shadow_x=shadow, shadow_y=0.04)
    print_mark(sheet.canvas, no_wider(mask, _WORD * sheet.size[0]), sheet.center, finish, tones)
    sheet.print_border()
    return sheet.finished()


def render_other_back(style: Style, height: int = 448) -> NDArray[np.uint8]:
    """Draw a back of another kind: a pattern, a picture or a plain ground, with or without a sign.

    `height`: of the picture in pixels. Returns BGRA uint8 (H, W, 4).
    """
    rng = np.random.default_rng([style.art_seed, 98])
    sheet = Sheet(Card(Face.WILD), style, height)
    inner, inks = sheet.inner(), [*sheet.four, style.inks.paper, style.inks.dark, style.wild_ground]

    def ink() -> Bgr:
        one, other = rng.choice(len(inks), 2, replace=False)
        return mix(inks[one], inks[other], float(rng.choice([0.0, 0.3, 0.5])))

    flood(inner, ink())
    pitch = inner.shape[1] * rng.uniform(0.05, 0.17)
    kind = int(rng.integers(6))
    if kind == 0:
        paintings.paint(inner, rng, ())
    elif kind == 1:
        scenery.draw_scenery(inner, ink(), rng)
    elif kind < 4:
        turn, color = float(rng.choice([0.0, 45.0, rng.uniform(0, 90)])), ink()
        scenery.stripes(inner, color, pitch, turn)
        if rng.random() < 0.7:
            scenery.stripes(inner, color if rng.random() < 0.6 else ink(), pitch, turn + 90)
    if kind in (3, 4):
        scenery.dots(inner, ink(), pitch)
    if kind == 5 or rng.random() < 0.5:
        _print_sign(sheet, rng, ink)
    sheet.print_border()
    return sheet.finished()


def _print_sign(sheet: Sheet, rng: np.random.Generator, ink: Callable[[], Bgr]) -> None:
    """Print a shape in the middle, usually with a letter or a word on it."""
    size = rng.uniform(0.35, 0.85) * sheet.size[0]
    square = np.array([[0.0, -0.75], [0.5, 0.0], [0.0, 0.75], [-0.5, 0.0]])
    shapes = (
        ellipse(size, size * rng.uniform(1, 1.4)),
        rounded(size, size * rng.uniform(0.6, 1.5), size * rng.uniform(0, 0.2)),
        square * size,
        scenery.star(int(rng.integers(5, 9)), rng.uniform(0.4, 0.8)) * size,
    )
    fill(sheet.canvas, shapes[int(rng.integers(len(shapes)))] + np.array(sheet.center), ink())
    if rng.random() < 0.6:
        word = str(rng.choice([*_WORDS, "M", "X", "?", "GAME", "1987"]))
        mask = letter(word, sheet.style.lettering, rng.uniform(10, 22) * sheet.unit, float(rng.choice([0, 0, -20, 90])))
        narrow = no_wider(mask, _WORD * sheet.size[0])
        print_mark(sheet.canvas, narrow, sheet.center, Finish(Tone.INK), Tones(ink(), ink(), ink()))
