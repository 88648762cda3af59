"""Makes clear training crops as hard to read as worse cameras, lights and hands do: moved, dark, coarse, coloured,
glaring. The scenes' own hardships are one to a scene; here every crop has its own, and some are beyond reading."""

from __future__ import annotations

import numpy as np

from companion.dataset.scenes.camera import coarsened
from companion.dataset.scenes.hardships import Hardship, suffer
from companion.vision.core.geometry import Image

# How often a crop is spoilt in each way, the last being coarseness: the readers of step 17 were worst at the first two.
_WAYS = (Hardship.MOTION, Hardship.DIM, Hardship.LAMP, Hardship.GLARE, None)
_SHARES = (0.34, 0.28, 0.12, 0.08, 0.18)
# What is left of a coarse crop's detail: cards 30 to 100 px long.
_DETAIL = (0.16, 0.5)


def hardened(crop: Image, rng: np.random.Generator) -> Image:
    """Return a (H, W, 3) BGR uint8 crop spoilt in one way, as if taken so; what it shows stays."""
    height, width = crop.shape[:2]
    way = _WAYS[int(rng.choice(len(_WAYS), p=_SHARES))]
    if way is not None:
        # As far as the crop is long, less than a card's margin about it, things move and light is mirrored.
        frame = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
        return suffer(crop, way, [frame], rng)
    # A lens may blur one direction more than the other.
    along, across = rng.uniform(*_DETAIL) * np.array([1.0, rng.uniform(0.5, 1.0)])
    if rng.random() < 0.5:
        along, across = across, along
    return coarsened(crop, max(4, round(width * along)), max(4, round(height * across)))
