"""The looks of hands: textured skin, patterned sleeves, watches, and their shadows."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.dataset.scenes.surfaces import smooth_noise
from companion.dataset.simulated.sprites import HAND_REACH, HAND_TIP, hand_sprite
from companion.vision.core.geometry import Image

# Distance of the wrist below the fingertips, in finger lengths, and width of a watch strap.
_WRIST, _STRAP = (2.35, 2.8), 0.22


@dataclass(frozen=True)
class Light:
    """The shadow of hands: darkness (0 to 1), distance in card lengths, and softness (0 to 1)."""

    dark: float = 0.3
    shift: float = 0.06
    soft: float = 0.5


DAYLIGHT = Light()
"""The light of tables without seated players."""


def draw_light(rng: np.random.Generator) -> Light:
    """Return a random light: overcast sky, a lamp, or hard sunlight."""
    kind = int(rng.integers(3))
    if kind == 0:
        return Light(float(rng.uniform(0.1, 0.25)), float(rng.uniform(0.04, 0.1)), 1.0)
    if kind == 1:
        return Light(float(rng.uniform(0.25, 0.45)), float(rng.uniform(0.06, 0.2)), 0.5)
    return Light(float(rng.uniform(0.45, 0.65)), float(rng.uniform(0.15, 0.45)), 0.08)


def dressed_hand(seed: int, left: bool) -> Image:
    """Return a hand like `hand_sprite` with lifelike texture, sometimes with a watch or a patterned sleeve."""
    rng = np.random.default_rng([seed, 9])
    hand = hand_sprite(seed)
    alpha = np.asarray(hand[..., 3] / 255, np.float32)
    tone = _skin_texture(rng, alpha)
    height, width = alpha.shape
    rows = np.arange(height, dtype=np.float32)[:, None]
    start = HAND_TIP[1] + rng.uniform(*_WRIST) * HAND_REACH
    color = hand[..., :3].astype(np.float32) * tone[..., None]
    if rng.random() < 0.5:
        color = _patterned(rng, color, rows, start, alpha)
    if rng.random() < 0.35:
        strap = ((rows > start - _STRAP * HAND_REACH) & (rows < start)).astype(np.float32) * alpha
        ink = np.asarray(rng.uniform(5, 90, 3) if rng.random() < 0.7 else rng.uniform(120, 230, 3), np.float32)
        color = color * (1 - strap[..., None]) + ink * strap[..., None]
    dressed = np.dstack([np.clip(color, 0, hand[..., 3:]), hand[..., 3]]).astype(np.uint8)
    if not left:
        return dressed
    # The fingertip must not move.
    mirrored = cv2.warpAffine(dressed, np.array([[-1.0, 0, 2.0 * HAND_TIP[0]], [0, 1, 0]]), (width, height))
    return np.asarray(mirrored, np.uint8)


def _skin_texture(rng: np.random.Generator, alpha: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return (H, W) gains: blotches, hairs, pores, and the shading of an arm lit from one side."""
    height, width = alpha.shape
    tone = np.ones_like(alpha)
    for cells, strength in ((8, 0.1), (40, 0.07), (200, 0.05)):
        tone += smooth_noise(rng, height, width, cells) * strength * rng.uniform(0.3, 1.5)
    inside = cv2.distanceTransform((alpha > 0.5).astype(np.uint8), cv2.DIST_L2, 3)
    edge = np.clip(inside / (0.25 * HAND_REACH), 0, 1)
    tone *= rng.uniform(0.55, 0.9) + (1 - rng.uniform(0.55, 0.9)) * np.sqrt(edge)
    across = np.arange(width, dtype=np.float32)[None] / HAND_REACH - HAND_TIP[0] / HAND_REACH
    return np.asarray(tone * (1 + rng.uniform(-0.3, 0.3) * np.clip(across, -1, 1)), np.float32)


def _patterned(
    rng: np.random.Generator,
    color: NDArray[np.float32],
    rows: NDArray[np.float32],
    start: float,
    alpha: NDArray[np.float32],
) -> NDArray[np.float32]:
    """Return the hand with a striped or checked sleeve below a row."""
    height, width = alpha.shape
    columns = np.arange(width, dtype=np.float32)[None]
    period, ink, other = rng.uniform(15, 90), rng.uniform(10, 240, 3), rng.uniform(10, 240, 3)
    pattern = np.sin(rows * 2 * np.pi / period) > 0
    if rng.random() < 0.5:
        pattern = pattern ^ (np.sin(columns * 2 * np.pi / period) > 0)
    folds = 1 + 0.25 * smooth_noise(rng, height, width, 20)
    cloth = np.where(pattern[..., None], ink, other) * folds[..., None]
    covered = ((rows > start) * alpha)[..., None]
    return np.asarray(color * (1 - covered) + cloth * covered, np.float32)


def cup(seed: int, size: int) -> Image:
    """Return a cup from above, a premultiplied (size, size, 4) picture."""
    rng = np.random.default_rng([seed, 10])
    image = np.zeros((size, size, 4), np.uint8)
    middle, radius = (size // 2, size // 2), int(size * 0.4)
    ink = (*rng.uniform(30, 250, 3).tolist(), 255)
    cv2.line(image, middle, (size - 1, size // 2 + size // 8), ink, max(2, size // 10), cv2.LINE_AA)
    cv2.circle(image, middle, radius, ink, -1, cv2.LINE_AA)
    drink = (*rng.uniform(0, 120, 3).tolist(), 255)
    cv2.circle(image, middle, int(radius * 0.85), drink, -1, cv2.LINE_AA)
    return image
