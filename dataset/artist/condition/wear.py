"""Wear of cards: fading, yellowing, dirt, lost ink, scratches, creases, frayed edges; and soft print."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
_Field = NDArray[np.float32]


def _clouds(rng: np.random.Generator, height: int, width: int, cells: int) -> _Field:
    """Smooth noise from 0 to 1 with about `cells` bumps along the height."""
    grid = rng.random((cells + 1, max(2, cells * width // height) + 1), dtype=np.float32)
    return np.asarray(cv2.resize(grid, (width, height), interpolation=cv2.INTER_CUBIC), np.float32)


def _lines(
    rng: np.random.Generator, height: int, width: int, count: int, longest: float, bend: float
) -> NDArray[np.uint8]:
    """Thin bent lines at random positions; a mask."""
    mask = np.zeros((height, width), np.uint8)
    for _ in range(count):
        start = rng.uniform([0, 0], [width, height])
        angle, length = rng.uniform(0, np.pi), rng.uniform(0.1, 1.0) * longest * height
        along = np.array([np.cos(angle), np.sin(angle)])
        across = np.array([-along[1], along[0]])
        steps = np.linspace(0, 1, 6)[:, None]
        points = start + steps * length * along + bend * length * (steps * (1 - steps)) * across * rng.uniform(-1, 1)
        cv2.polylines(
            mask, [np.round(points * 8).astype(np.int32)], False, int(rng.integers(60, 256)), 1, cv2.LINE_AA, 3
        )
    return mask


def _edge_distance(alpha: NDArray[np.uint8]) -> _Field:
    solid = cv2.copyMakeBorder((alpha > 127).astype(np.uint8), 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=(0.0,))
    return np.asarray(cv2.distanceTransform(solid, cv2.DIST_L2, 3)[1:-1, 1:-1], np.float32)


def wear(image: Picture, rng: np.random.Generator, amount: float) -> Picture:
    """Return a worn copy of a card, BGRA uint8 (H, W, 4); `amount` from 0, new, to 1, worn out."""
    if amount <= 0:
        return image.copy()
    height, width = image.shape[:2]
    color = image[:, :, :3].astype(np.float32)
    alpha = image[:, :, 3].copy()
    _age(color, rng, amount)
    paper = np.array([200, 222, 232], np.float32) + rng.uniform(-14, 14)
    lost = np.zeros((height, width), np.float32)
    if rng.random() < 0.8:
        distance = _edge_distance(alpha) / height
        rough = _clouds(rng, height, width, int(rng.integers(14, 50)))
        reach = 0.012 + 0.045 * amount * rng.random()
        lost = np.maximum(lost, np.clip((rough - 0.25 - distance / reach) * 5, 0, 1) * rng.uniform(0.3, 1.0))
    if rng.random() < 0.7:
        grains = _clouds(rng, height, width, int(rng.integers(60, 140)))
        where = _clouds(rng, height, width, int(rng.integers(3, 8)))
        limit = 1.02 - 0.14 * amount * rng.random()
        lost = np.maximum(lost, np.clip((grains + 0.15 * where - limit) * 8, 0, 1) * rng.uniform(0.4, 1.0))
    if rng.random() < 0.75:
        count = int(rng.integers(1, 4 + int(24 * amount)))
        scratches = _lines(rng, height, width, count, 0.5, 0.4)
        lost = np.maximum(lost, scratches.astype(np.float32) / 255 * rng.uniform(0.3, 0.9))
    color += (paper - color) * lost[:, :, None]
    if rng.random() < 0.5 * amount:
        _crease(color, rng)
    if amount > 0.5 and rng.random() < 0.5:
        _nibble(alpha, rng, amount)
    worn = np.empty_like(image)
    worn[:, :, :3] = np.clip(color, 0, 255)
    worn[:, :, 3] = alpha
    return worn


def _age(color: NDArray[np.float32], rng: np.random.Generator, amount: float) -> None:
    """Fade, yellow and soil a picture in place."""
    grey = color.mean(axis=2, keepdims=True)
    color += (grey - color) * (0.35 * amount * rng.random())
    lift = 40 * amount * rng.random()
    color *= 1 - lift / 255
    color += lift
    color *= np.array([1 - 0.22 * amount * rng.random(), 1 - 0.07 * amount * rng.random(), 1], np.float32)
    if rng.random() < 0.6:
        height, width = color.shape[:2]
        dirt = np.clip(_clouds(rng, height, width, int(rng.integers(3, 12))) - 0.45, 0, 1)
        color *= (1 - 0.4 * amount * rng.random() * dirt)[:, :, None]


def _crease(color: NDArray[np.float32], rng: np.random.Generator) -> None:
    """Fold a picture along a line, in place: a light ridge with a dark side, and paper where the ink broke."""
    height, width = color.shape[:2]
    angle = rng.uniform(0, np.pi)
    normal = np.array([np.cos(angle), np.sin(angle)])
    through = rng.uniform([0.1 * width, 0.1 * height], [0.9 * width, 0.9 * height])
    away = np.add.outer(
        (np.arange(height) - through[1]) * normal[1], (np.arange(width) - through[0]) * normal[0]
    ).astype(np.float32)
    away += 0.02 * height * (_clouds(rng, height, width, 8) - 0.5)
    thick = height * rng.uniform(0.0015, 0.004)
    ridge = np.exp(-((away / thick) ** 2)) * rng.uniform(0.3, 0.9)
    side = np.exp(-np.abs(away - 2 * thick) / (6 * thick)) * rng.uniform(0.05, 0.2)
    broken = np.clip(_clouds(rng, height, width, 40) * 2 - 0.5, 0, 1)
    color *= (1 - side)[:, :, None]
    color += (235 - color) * (ridge * broken)[:, :, None]


def _nibble(alpha: NDArray[np.uint8], rng: np.random.Generator, amount: float) -> None:
    """Fray the outline, in place."""
    height, width = alpha.shape
    distance = _edge_distance(alpha) / height
    rough = _clouds(rng, height, width, 20)
    alpha[distance < 0.012 * amount * np.clip(rough - 0.55, 0, 1) * 2] = 0


def soften(image: Picture, rng: np.random.Generator) -> Picture:
    """Return a copy as of a coarse print or a poor photograph of the card: same shape, BGRA uint8, fewer details.

    90 to 240 pixels of vertical resolution remain; the tint is slightly off, and edges may ring.
    """
    height, width = image.shape[:2]
    detail = rng.uniform(90, 240) / height
    method = (cv2.INTER_AREA, cv2.INTER_LINEAR)[int(rng.integers(2))]
    small = cv2.resize(image[:, :, :3], None, fx=detail, fy=detail, interpolation=method)
    if rng.random() < 0.5:
        encoded = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(30, 90))])[1]
        small = np.asarray(cv2.imdecode(encoded, cv2.IMREAD_COLOR), np.uint8)
    color = cv2.resize(small, (width, height), interpolation=(cv2.INTER_LINEAR, cv2.INTER_CUBIC)[int(rng.integers(2))])
    if rng.random() < 0.3:
        soft = cv2.GaussianBlur(color, (0, 0), 0.7 / detail)
        color = cv2.addWeighted(color, 1.7, soft, -0.7, 0)
    tint = rng.normal(1.0, 0.06, 3) * rng.uniform(0.8, 1.1)
    return np.dstack([np.clip(color * tint, 0, 255).astype(np.uint8), image[:, :, 3]])
