"""Plastic sleeves and bent cards.

Both keep the picture's size. The card's outline stays the picture's, except for the bow of a bent card.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.dataset.artist.drawing.ink import Box
from companion.dataset.artist.faces import CardArt

Picture = NDArray[np.uint8]


def sleeved(art: CardArt, rng: np.random.Generator) -> CardArt:
    """Return the card in a clear sleeve: smaller inside the plastic's edge, hazy, with streaks of glare."""
    height, width = art.image.shape[:2]
    edge = rng.uniform(0.015, 0.035) * height
    scale_x, scale_y = 1 - 2 * edge / width, 1 - 2 * edge / height
    matrix = np.array([[scale_x, 0, edge], [0, scale_y, edge]])
    card = cv2.warpAffine(art.image, matrix, (width, height), flags=cv2.INTER_AREA)
    inside = card[:, :, 3:].astype(np.float32) / 255
    haze = rng.uniform(0.02, 0.15)
    color = card[:, :, :3] * (1 - haze) + 255 * haze
    plastic = np.full(3, rng.uniform(120, 235))
    color = inside * color + (1 - inside) * plastic
    shine = _streaks(rng, height, width)[:, :, None]
    color += (255 - color) * shine
    alpha = np.maximum(inside, rng.uniform(0.15, 0.5) + 0.5 * shine)
    image = np.dstack([color, 255 * alpha]).clip(0, 255).astype(np.uint8)
    boxes = tuple(
        (edge + scale_x * x0, edge + scale_y * y0, edge + scale_x * x1, edge + scale_y * y1)
        for x0, y0, x1, y1 in art.indices
    )
    return CardArt(image, boxes)


def _streaks(rng: np.random.Generator, height: int, width: int) -> NDArray[np.float32]:
    """Return (H, W) reflectance, 0 to 1: soft bands across the sleeve."""
    mask = np.zeros((height // 4, width // 4), np.float32)
    for _ in range(int(rng.integers(1, 4))):
        start, end = rng.uniform(-0.2, 1.2, (2, 2)) * (width // 4, height // 4)
        thick = max(1, int(rng.uniform(0.01, 0.08) * height / 4))
        first, last = ((round(float(x)), round(float(y))) for x, y in (start, end))
        cv2.line(mask, first, last, float(rng.uniform(0.1, 0.7)), thick)
    soft = cv2.GaussianBlur(mask, (0, 0), rng.uniform(1, 5))
    return np.asarray(cv2.resize(soft, (width, height)), np.float32)


def bowed(art: CardArt, rng: np.random.Generator) -> CardArt:
    """Return the card bent about its long axis and seen from the side: curved short edges, one side in shade."""
    height, width = art.image.shape[:2]
    bow = float(rng.uniform(0.01, 0.04))
    across = np.linspace(-1, 1, width, dtype=np.float32)
    rise = bow * across**2 if rng.random() < 0.5 else bow * (1 - across**2)
    rows = np.arange(height, dtype=np.float32)[:, None]
    source_y = (rows / height - rise) / (1 - bow) * height
    source_x = np.broadcast_to(np.arange(width, dtype=np.float32), (height, width))
    image = cv2.remap(art.image, source_x, source_y.astype(np.float32), cv2.INTER_LINEAR, borderValue=(0, 0, 0, 0))
    shade = 1 + rng.uniform(-0.25, 0.25) * across
    image[:, :, :3] = (image[:, :, :3] * shade[None, :, None]).clip(0, 255)

    def moved(box: Box) -> Box:
        x0, y0, x1, y1 = box
        rises = rise[max(0, int(x0)) : int(np.ceil(x1)) + 1]
        top, bottom = (1 - bow) * y0 + height * rises.min(), (1 - bow) * y1 + height * rises.max()
        return (x0, float(top), x1, float(bottom))

    return CardArt(np.asarray(image, np.uint8), tuple(moved(box) for box in art.indices))
