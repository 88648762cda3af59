"""Degrades training crops: motion blur, darkness, low resolution, coloured light, glare.

A scene has at most one hardship; here every crop gets its own, and some become unreadable.
"""

from __future__ import annotations

import numpy as np

from companion.dataset.scenes.camera import coarsened
from companion.dataset.scenes.hardships import Hardship, suffer
from companion.vision.core.geometry import Image

# The degradations and their shares; the last one is low resolution. The readers were worst at the first two.
_WAYS = (Hardship.MOTION, Hardship.DIM, Hardship.LAMP, Hardship.GLARE, None)
_SHARES = (0.34, 0.28, 0.12, 0.08, 0.18)
# Remaining resolution of a coarse crop, as a share: cards 30 to 100 px long.
_DETAIL = (0.16, 0.5)


def hardened(crop: Image, rng: np.random.Generator) -> Image:
    """Return a (H, W, 3) BGR uint8 crop degraded in one way."""
    height, width = crop.shape[:2]
    way = _WAYS[int(rng.choice(len(_WAYS), p=_SHARES))]
    if way is not None:
        # The crop's edge stands for the card's outline; the margin between them makes little difference.
        frame = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
        return suffer(crop, way, [frame], rng)
    # Blur may differ between the two directions.
    along, across = rng.uniform(*_DETAIL) * np.array([1.0, rng.uniform(0.5, 1.0)])
    if rng.random() < 0.5:
        along, across = across, along
    return coarsened(crop, max(4, round(width * along)), max(4, round(height * across)))
