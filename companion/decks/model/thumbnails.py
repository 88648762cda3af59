"""Colour thumbnails of cards for comparing them, tolerant to light, orientation and small offsets."""

from __future__ import annotations

import cv2
import numpy as np

from companion.vision.core.geometry import Image, Quad, cut
from companion.vision.core.labels import Floats

# Size (px) and blur, which tolerates inexact outlines.
_SIZE, _BLUR = (32, 48), 1.0


def small(picture: Image, card: Quad) -> Floats:
    """Return the card in an outline (4, 2) as (48, 32, 3), each channel with mean 0, of unit length."""
    values = cv2.GaussianBlur(cut(picture, card, *_SIZE), (0, 0), _BLUR).astype(np.float32)
    values -= values.mean((0, 1))
    return np.asarray(values / max(float(np.linalg.norm(values)), 1e-6), np.float32)


def both_ways(seen: Floats, others: Floats) -> Floats:
    """Return (2, N, M) correlations of N thumbnails with M others, as they are and rotated by a half turn."""
    known = others.reshape(len(others), -1).T
    ways = seen, seen[:, ::-1, ::-1]
    return np.stack([way.reshape(len(seen), -1) @ known for way in ways]).astype(np.float32)
