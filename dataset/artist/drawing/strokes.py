"""Digits drawn by a pen: skeletons of lines and superellipse arcs with random shape and thickness.

They keep drawn decks varied on computers with few fonts. Skeletons have width 1 and height 1, y down.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
_SHIFT = 4


@dataclass(frozen=True)
class StrokeFont:
    """How digits are drawn; lengths in heights of a digit."""

    width: float
    thickness: float
    squareness: float
    """Exponent of the superellipse bowls: 2 is an ellipse, more is squarer."""
    waist: float
    """Where the bowls of 3 and 8 meet, from the top."""
    flat: bool
    """Whether strokes end flat instead of round."""
    open_four: bool
    flag: float
    """Length of the flag of the 1; 0 for a plain bar."""
    foot: bool
    crossed_seven: bool
    straight_tail: bool
    """Whether the tails of 6 and 9 are straight."""
    flat_three: bool

    @staticmethod
    @lru_cache(maxsize=256)
    def sample(seed: int) -> StrokeFont:
        """Return the font of this seed."""
        rng = np.random.default_rng(seed)
        width = rng.uniform(0.55, 0.85)
        return StrokeFont(
            width=width,
            thickness=rng.uniform(0.13, min(0.23, 0.31 * width)),
            squareness=float(rng.choice([2.0, 2.4, 3.0, 4.5])),
            waist=rng.uniform(0.44, 0.52),
            flat=bool(rng.random() < 0.6),
            open_four=bool(rng.random() < 0.15),
            flag=float(rng.choice([0.0, 0.25, 0.35], p=[0.04, 0.48, 0.48])),
            foot=bool(rng.random() < 0.25),
            crossed_seven=bool(rng.random() < 0.1),
            straight_tail=bool(rng.random() < 0.4),
            flat_three=bool(rng.random() < 0.2),
        )


def _arc(x0: float, y0: float, x1: float, y1: float, start: float, stop: float, power: float) -> Points:
    """Superellipse arc inside a box, from `start` to `stop` in degrees, clockwise from the right."""
    angles = np.deg2rad(np.linspace(start, stop, max(8, int(abs(stop - start) / 7))))
    cos, sin = np.cos(angles), np.sin(angles)
    unit = np.stack([np.sign(cos) * np.abs(cos) ** (2 / power), np.sign(sin) * np.abs(sin) ** (2 / power)], axis=1)
    points = np.array([x0 + x1, y0 + y1]) / 2 + unit * (np.array([x1 - x0, y1 - y0]) / 2)
    return np.asarray(points, np.float64)


def _line(*points: tuple[float, float]) -> Points:
    return np.array(points, np.float64)


def _skeleton(digit: int, font: StrokeFont) -> list[Points]:
    power, waist = font.squareness, font.waist
    match digit:
        case 0:
            return [_arc(0, 0, 1, 1, 0, 360, power)]
        case 1:
            parts = [_line((0.55, 0), (0.55, 1))]
            if font.flag:
                parts.append(_line((0.55, 0), (0.55 - 1.5 * font.flag, font.flag * font.width)))
            if font.foot:
                parts.append(_line((0.1, 1), (1, 1)))
            return parts
        case 2:
            bowl = _arc(0, 0, 1, 0.62, -170, 30, power)
            return [np.concatenate([bowl, _line((0, 1))]), _line((0, 1), (1, 1))]
        case 3:
            lower = _arc(0, waist, 1, 1, -90, 160, power)
            if font.flat_three:
                return [_line((0.02, 0), (0.95, 0), (0.45, waist)), lower]
            return [_arc(0.04, 0, 0.96, waist, -160, 90, power), lower]
        case 4:
            if font.open_four:
                return [_line((0.1, 0), (0, 0.62), (1, 0.62)), _line((0.78, 0), (0.78, 1))]
            return [_line((0.72, 1), (0.72, 0), (0, 0.7), (1, 0.7))]
        case 5:
            return [_line((0.95, 0), (0.12, 0), (0.05, 0.45)), _arc(0, 0.36, 1, 1, -150, 150, power)]
        case 6 | 9:
            bowl = _arc(0, 0.4, 1, 1, 0, 360, power)
            tail = _line((0.02, 0.68), (0.7, 0)) if font.straight_tail else _arc(0, 0, 1, 1.3, -180, -50, power)
            parts = [bowl, tail]
            return parts if digit == 6 else [np.array([1.0, 1.0]) - part for part in parts]
        case 7:
            parts = [_line((0, 0), (1, 0), (0.35, 1))]
            if font.crossed_seven:
                parts.append(_line((0.3, 0.5), (0.95, 0.5)))
            return parts
        case _:
            return [_arc(0.04, 0, 0.96, waist, 0, 360, power), _arc(0, waist, 1, 1, 0, 360, power)]


def digit_mask(digit: int, font: StrokeFont, height: int) -> NDArray[np.uint8]:
    """Return a mask of the digit, uint8 (H, W), 255 inside, about `height` pixels high, with an empty rim."""
    pen = max(2, round(font.thickness * height))
    inner = np.array([max(font.width * height - pen, 0.2 * height), float(height - pen)])
    rim = pen
    size = (height + 2 * rim, int(inner[0]) + pen + 2 * rim)
    mask = np.zeros(size, np.uint8)
    for part in _skeleton(digit, font):
        points = np.round((part * inner + rim + pen / 2) * 2**_SHIFT).astype(np.int32)
        cv2.polylines(mask, [points], False, 255, pen, cv2.LINE_8, _SHIFT)
    if font.flat:
        # Closing with a square sharpens the corners where round pen strokes meet.
        side = max(3, pen // 3)
        mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((side, side), np.uint8)), np.uint8)
    return mask
