"""Hardships: what makes cards hard to read at a real table. A hard scene has one of them.

Pictures are BGR uint8 (H, W, 3).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.dataset.scenes.clutter import Owner
from companion.vision.core.geometry import Image, Quad


class Hardship(Enum):
    """A kind of hardship."""

    FAR = "cards small in the picture"
    SLANTED = "camera low above the table"
    FINGER = "a finger over an index"
    MOTION = "moved while the shutter was open"
    DIM = "dark, with the sensor's noise"
    LAMP = "a coloured lamp"
    GLARE = "a lamp's reflection on a card"
    OVEREXPOSED = "too much light"
    COARSE = "few bits"
    FADED = "little colour and contrast"


SHARES = {
    Hardship.FAR: 0.2,
    Hardship.SLANTED: 0.14,
    Hardship.FINGER: 0.1,
    Hardship.MOTION: 0.15,
    Hardship.DIM: 0.12,
    Hardship.LAMP: 0.1,
    Hardship.GLARE: 0.09,
    Hardship.OVEREXPOSED: 0.03,
    Hardship.COARSE: 0.04,
    Hardship.FADED: 0.03,
}
"""Shares of the hardships among hard scenes; those that were read worst are most frequent."""

_LAID_OUT = frozenset({Hardship.FAR, Hardship.SLANTED, Hardship.FINGER})


def finished(rng: np.random.Generator) -> Hardship:
    """Return a random hardship that can be applied to a finished picture, by its share."""
    ways = [way for way in SHARES if way not in _LAID_OUT]
    shares = np.array([SHARES[way] for way in ways])
    return ways[int(rng.choice(len(ways), p=shares / shares.sum()))]


_SKINS = ((120, 150, 205), (90, 120, 180), (60, 85, 130), (45, 60, 95), (150, 175, 225))


def cover(image: Image, owner: Owner, quads: Sequence[Quad], rng: np.random.Generator) -> None:
    """Draw a finger over an index corner of some of these cards, on the picture and on the owner map."""
    height, width = owner.shape
    for quad in quads:
        if rng.random() > 0.5 and len(quads) > 1:
            continue
        corner, middle = quad[int(rng.choice((0, 2)))], quad.mean(0)
        long = float(np.hypot(*(quad[3] - quad[0])))
        away = (corner - middle) / max(float(np.hypot(*(corner - middle))), 1e-6)
        turn = np.arctan2(away[1], away[0]) + rng.normal(0, 0.5)
        thick = long * rng.uniform(0.14, 0.4)
        tip = corner - away * long * rng.uniform(-0.05, 0.14)
        blob = np.zeros((height, width), np.uint8)
        far = tip + np.array([np.cos(turn), np.sin(turn)]) * long * 3
        start, end = (tuple(int(v) for v in np.clip(point, -4000, 4000)) for point in (tip, far))
        cv2.line(blob, start, end, 255, max(2, int(thick)), cv2.LINE_AA)
        soft = cv2.GaussianBlur(blob, (0, 0), 0.8).astype(np.float32)[..., None] / 255
        skin = np.array(_SKINS[int(rng.integers(len(_SKINS)))], np.float32) * rng.uniform(0.75, 1.15)
        ridge = cv2.distanceTransform((blob > 127).astype(np.uint8), cv2.DIST_L2, 3)[..., None] / max(thick / 2, 1)
        shaded = np.clip(skin * (0.7 + 0.35 * ridge), 0, 255)
        image[:] = np.clip(image * (1 - soft) + shaded * soft, 0, 255).astype(np.uint8)
        owner[blob > 127] = -1


def _streak(length: float, rng: np.random.Generator) -> NDArray[np.float32]:
    side = max(3, round(length) | 1)
    kernel = np.zeros((side, side), np.float32)
    angle, middle = rng.uniform(0, np.pi), side // 2
    along = np.array([np.cos(angle), np.sin(angle)]) * middle
    start, end = ((middle + sign * along).round().astype(int).tolist() for sign in (-1, 1))
    cv2.line(kernel, start, end, 1.0, 1, cv2.LINE_AA)
    return np.asarray(kernel / kernel.sum(), np.float32)


def _lit(image: Image, gains: Sequence[float]) -> Image:
    """Return the picture with these gains (B, G, R) on linear light, clipped like a sensor."""
    values = (np.arange(256, dtype=np.float32)[:, None] / 255) ** 2.2 * np.array(gains, np.float32)
    table = (np.clip(values, 0, 1) ** (1 / 2.2) * 255).astype(np.uint8)[None]
    return np.asarray(cv2.LUT(image, table), np.uint8)


def _noisy(image: Image, spread: float, rng: np.random.Generator) -> Image:
    cv2.setRNGSeed(int(rng.integers(2**31)))
    grey, colored = np.empty(image.shape[:2], np.int16), np.empty(image.shape, np.int16)
    cv2.randn(grey, np.zeros(1), np.full(1, 0.7 * spread))
    cv2.randn(colored, np.zeros(3), np.full(3, 0.7 * spread))
    return np.asarray(cv2.add(image, colored + grey[..., None], dtype=cv2.CV_8U), np.uint8)


def _mirroring(image: Image, quads: Sequence[Quad], rng: np.random.Generator) -> Image:
    height, width = image.shape[:2]
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    light = np.zeros((height, width), np.float32)
    for quad in quads:
        if rng.random() > 0.4 and len(quads) > 1:
            continue
        u, v = rng.uniform(0.15, 0.85, 2)
        center = (quad[0] * (1 - u) + quad[1] * u) * (1 - v) + (quad[3] * (1 - u) + quad[2] * u) * v
        radius = float(np.hypot(*(quad[3] - quad[0]))) * rng.uniform(0.12, 0.45)
        turn = rng.uniform(0, np.pi)
        along = (x - center[0]) * np.cos(turn) + (y - center[1]) * np.sin(turn)
        across = (y - center[1]) * np.cos(turn) - (x - center[0]) * np.sin(turn)
        light += rng.uniform(100, 450) * np.exp(-((along / radius) ** 2) - (across / (0.6 * radius)) ** 2)
    return np.asarray(np.clip(image + light[..., None], 0, 255), np.uint8)


def suffer(image: Image, hardship: Hardship, quads: Sequence[Quad], rng: np.random.Generator) -> Image:
    """Return the picture, degraded by a hardship of light, lens or sensor; unchanged for hardships of the layout.

    quads: outlines of the cards.
    """
    longest = float(np.median([np.hypot(*(quad[3] - quad[0])) for quad in quads])) if quads else 120.0
    match hardship:
        case Hardship.MOTION:
            return np.asarray(cv2.filter2D(image, -1, _streak(longest * rng.uniform(0.04, 0.24), rng)), np.uint8)
        case Hardship.DIM:
            exposure = float(np.exp(rng.uniform(np.log(0.16), np.log(0.6))))
            return _noisy(np.asarray(cv2.convertScaleAbs(image, alpha=exposure), np.uint8), rng.uniform(5, 24), rng)
        case Hardship.LAMP:
            strength = rng.uniform(0.3, 1.0)
            gains = (2.2, 1.0, 0.4) if rng.random() < 0.6 else (0.18, 0.95, 1.6)
            return _lit(image, [gain**strength for gain in gains])
        case Hardship.GLARE:
            return _mirroring(image, quads, rng)
        case Hardship.OVEREXPOSED:
            return _lit(image, [float(rng.uniform(1.5, 4))] * 3)
        case Hardship.COARSE:
            encoded = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(4, 22))])[1]
            return np.asarray(cv2.imdecode(encoded, cv2.IMREAD_COLOR), np.uint8)
        case Hardship.FADED:
            share = rng.uniform(0.2, 0.7)
            return np.asarray(cv2.convertScaleAbs(image, alpha=1 - share, beta=share * rng.uniform(60, 190)), np.uint8)
        case _:
            return image
