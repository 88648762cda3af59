"""Scale- and rotation-invariant keypoints (Lowe, SIFT, 2004)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from companion.vision.core.geometry import Image
from companion.vision.core.labels import Floats

# Contrast threshold: half of Lowe's, as print in a dim room has little contrast.
_CONTRAST = 0.02


@dataclass(frozen=True, eq=False)
class Keypoints:
    """places: (N, 4) x, y, size (px) and direction (degrees). words: (N, 128) descriptors of unit length."""

    places: Floats
    words: Floats

    def at(self, which: Floats) -> Keypoints:
        """Return a subset, by an (N,) mask or by indices."""
        return Keypoints(np.ascontiguousarray(self.places[which]), np.ascontiguousarray(self.words[which]))


def keypoints(image: Image, most: int) -> Keypoints:
    """Return up to `most` keypoints of a (H, W, 3) BGR uint8 picture, strongest first.

    Descriptors are square-rooted (Arandjelovic and Zisserman, RootSIFT, 2012).
    """
    found, words = _sift(most).detectAndCompute(image, None)
    if words is None or not len(words):
        return Keypoints(np.zeros((0, 4), np.float32), np.zeros((0, 128), np.float32))
    places = np.array([(*one.pt, one.size, one.angle) for one in found[:most]], np.float32)
    words = np.asarray(words[:most], np.float32)
    return Keypoints(places, np.sqrt(words / (words.sum(1, keepdims=True) + 1e-6)).astype(np.float32))


def _sift(most: int) -> Any:
    return cv2.SIFT_create(nfeatures=most, contrastThreshold=_CONTRAST)  # type: ignore[attr-defined]
