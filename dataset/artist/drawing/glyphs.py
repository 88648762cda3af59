"""Digits and short texts as they are lettered on cards: slanted, widened, emboldened, underlined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

import cv2
import numpy as np

from companion.dataset.artist.drawing import fonts
from companion.dataset.artist.drawing.chance import chance, pick
from companion.dataset.artist.drawing.ink import Mask, cropped, grown, padded


class Underline(Enum):
    """The mark that distinguishes a 6 from a 9."""

    BAR = "bar"
    DOT = "dot"
    NONE = "none"


@dataclass(frozen=True)
class Lettering:
    """A font and what is done to it."""

    font: str
    weight: int = 0
    """Weight of a variable font, 100 to 1000; 0 leaves it alone."""
    stem: float = 0.18
    """Target thickness of the strokes in digit heights; thin fonts are emboldened towards it."""
    slant: float = 0.0
    """Slant to the right in degrees."""
    stretch: float = 1.0
    """Factor on the width."""
    underline: Underline = Underline.BAR


def emboldened(mask: Mask, lettering: Lettering) -> Mask:
    """Return a text's mask with strokes nearer to the target thickness; unchanged if nothing would be left."""
    lack = lettering.stem - fonts.stem(lettering.font, lettering.weight)
    by = float(np.clip(lack / 2, -0.02, 0.05)) * fonts.MASK_HEIGHT
    if abs(by) < 1:
        return mask
    drawn = grown(padded(mask, int(abs(by)) + 2), by)
    return cropped(drawn) if drawn.any() else mask


def _underlined(mask: Mask, kind: Underline, stem: float) -> Mask:
    height, width = mask.shape
    thick = max(3, round(stem * 0.62 * height))
    gap = max(3, round(0.09 * height))
    result = np.zeros((height + gap + thick, width), np.uint8)
    result[:height] = mask
    if kind is Underline.BAR:
        result[height + gap :, round(0.04 * width) : round(0.96 * width)] = 255
    else:
        cv2.circle(result, (width // 2, height + gap + thick // 2), thick // 2, 255, cv2.FILLED)
    return result


@lru_cache(maxsize=256)
def _upright(text: str, lettering: Lettering) -> Mask:
    mask = emboldened(fonts.text_mask(text, lettering.font, lettering.weight), lettering)
    if text in ("6", "9") and lettering.underline is not Underline.NONE:
        stem = max(lettering.stem, fonts.stem(lettering.font, lettering.weight))
        mask = _underlined(mask, lettering.underline, min(stem, 0.24))
    return mask


def no_wider(mask: Mask, widest: float) -> Mask:
    """Return a mask, scaled down to a maximum width in pixels."""
    return mask if mask.shape[1] <= widest else shaped(mask, mask.shape[0] * widest / mask.shape[1])


def shaped(mask: Mask, height: float, slant: float = 0.0, stretch: float = 1.0, turn: float = 0.0) -> Mask:
    """Return a mask scaled to a height in pixels, stretched, slanted to the right and rotated clockwise (degrees)."""
    rows, columns = mask.shape
    scale = height / rows
    if slant == 0 and turn == 0:
        size = (max(2, round(columns * scale * stretch)), max(2, round(height)))
        return np.asarray(cv2.resize(mask, size, interpolation=cv2.INTER_AREA), np.uint8)
    shear = np.tan(np.deg2rad(slant))
    cos, sin = np.cos(np.deg2rad(turn)), np.sin(np.deg2rad(turn))
    linear = np.array([[cos, -sin], [sin, cos]]) @ np.array([[scale * stretch, -shear * scale], [0, scale]])
    corners = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]]) @ linear.T
    low, high = corners.min(0) - 1, corners.max(0) + 1
    matrix = np.hstack([linear, -low[:, None]])
    width, tall = (int(v) for v in np.ceil(high - low))
    return cropped(np.asarray(cv2.warpAffine(mask, matrix, (width, tall), flags=cv2.INTER_LINEAR), np.uint8))


def letter(text: str, lettering: Lettering, height: float, turn: float = 0.0) -> Mask:
    """Return a tight mask of a text, uint8 (h, w), `height` pixels high before it is rotated clockwise by degrees.

    The height is that of the digits; an underline adds at most a quarter.
    """
    mask = _upright(text, lettering)
    grow = 1.0
    if text in ("6", "9") and lettering.underline is not Underline.NONE:
        grow = 1.12
    return shaped(mask, height * grow, lettering.slant, lettering.stretch, turn)


def sample_lettering(
    rng: np.random.Generator, names: Sequence[str], slanted: float, thinnest: float = 0.14
) -> Lettering:
    """Sample a lettering from these fonts, the built-in ones and drawn digits.

    `slanted` is the probability of a slant, `thinnest` the minimum stroke thickness in digit heights.
    """
    draw = rng.random()
    weight = 0
    if names and draw < 0.7:
        # Decks use bold fonts: of a few sampled fonts, keep the one closest to a bold stem.
        wanted = rng.uniform(thinnest + 0.02, 0.28)
        tried = [names[int(i)] for i in rng.integers(len(names), size=4)]
        font = min(tried, key=lambda name: abs(fonts.stem(name) - wanted) + (0.06 if "erif" in name else 0.0))
    elif draw < 0.85:
        font, weight = pick(rng, [("sans", 0.7), ("italic", 0.3)]), int(rng.integers(600, 1001))
    else:
        font = f"{fonts.STROKES_PREFIX}{int(rng.integers(4000))}"
    leans = chance(rng, slanted)
    return Lettering(
        font=font,
        weight=weight,
        stem=float(rng.triangular(thinnest, thinnest + 0.06, 0.27)),
        slant=float(rng.uniform(5, 20)) if leans else float(rng.normal(0, 1.5)),
        stretch=float(np.clip(rng.normal(1.08, 0.14), 0.75, 1.45)),
        underline=pick(rng, [(Underline.BAR, 0.91), (Underline.DOT, 0.05), (Underline.NONE, 0.04)]),
    )


def sample_index_lettering(rng: np.random.Generator, lettering: Lettering) -> Lettering:
    """Sample the lettering of the corners, close to that of the middle."""
    return Lettering(
        font=lettering.font,
        weight=lettering.weight,
        stem=lettering.stem * float(rng.uniform(0.75, 1.0)),
        slant=lettering.slant * float(rng.choice([1.0, 1.0, 0.4])),
        stretch=lettering.stretch * float(rng.uniform(0.9, 1.08)),
        underline=lettering.underline,
    )


def sample_any_lettering(rng: np.random.Generator, names: Sequence[str]) -> Lettering:
    """Sample any lettering: any font, condensed or wide, thin or fat, or drawn."""
    if names and rng.random() < 0.85:
        font, weight = names[int(rng.integers(len(names)))], 0
    elif chance(rng, 0.5):
        font, weight = pick(rng, [("sans", 0.6), ("italic", 0.4)]), int(rng.integers(300, 1001))
    else:
        font, weight = f"{fonts.STROKES_PREFIX}{int(rng.integers(4000))}", 0
    return Lettering(
        font=font,
        weight=weight,
        stem=float(rng.uniform(0.08, 0.26)),
        slant=float(rng.uniform(4, 24)) if chance(rng, 0.35) else float(rng.normal(0, 2)),
        stretch=float(np.exp(rng.uniform(np.log(0.55), np.log(1.45)))),
        underline=pick(rng, [(Underline.BAR, 0.6), (Underline.DOT, 0.1), (Underline.NONE, 0.3)]),
    )
