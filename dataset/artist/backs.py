"""Backs of cards."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from companion.cards import Card, Color, Face
from companion.dataset.artist import scenery
from companion.dataset.artist.glyphs import letter, shaped
from companion.dataset.artist.ink import Bgr, Finish, Tone, Tones, ellipse, fill, flood, print_mark, stroke
from companion.dataset.artist.press import Sheet
from companion.dataset.artist.styles import Style

_WORDS = ("UNO", "UNO", "UNO", "DUO", "CARDS", "TRIO")


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
    widest = 0.8 * sheet.size[0]
    if mask.shape[1] > widest:
        mask = shaped(mask, mask.shape[0] * widest / mask.shape[1])
    word = style.inks.yellow if rng.random() < 0.5 else style.inks.paper
    tones = Tones(word if usual else style.inks.red, style.inks.paper, style.inks.dark)
    shadow = rng.uniform(-0.08, 0.08)
    print_mark(
        sheet.canvas, mask, sheet.center, Finish(Tone.INK, Tone.DARK, 0.03, shadow_x=shadow, shadow_y=0.04), tones
    )
    sheet.print_border()
    return sheet.finished()
