"""Keypoints of pictures and what they look like, whatever their size and turn (Lowe, SIFT, 2004)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from companion.vision.core.geometry import Image
from companion.vision.core.labels import Floats

# Contrast from which on a spot is a keypoint: half of what Lowe proposes, as print in a dim room has little.
_CONTRAST = 0.02


@dataclass(frozen=True, eq=False)
class Keypoints:
    """places: (N, 4) x, y, size (px) and direction (degrees). words: (N, 128) what is about them, of length one."""

    places: Floats
    words: Floats

    def at(self, which: Floats) -> Keypoints:
        """Return some of them, told by an (N,) mask or by numbers."""
        return Keypoints(np.ascontiguousarray(self.places[which]), np.ascontiguousarray(self.words[which]))


def keypoints(image: Image, most: int) -> Keypoints:
    """Return at most so many keypoints of a (H, W, 3) BGR uint8 picture, the clearest.

    Their words are square roots of the histograms (Arandjelovic and Zisserman, RootSIFT, 2012).
    """
    found, words = _sift(most).detectAndCompute(image, None)
    if words is None or not len(words):
        return Keypoints(np.zeros((0, 4), np.float32), np.zeros((0, 128), np.float32))
    places = np.array([(*one.pt, one.size, one.angle) for one in found[:most]], np.float32)
    words = np.asarray(words[:most], np.float32)
    return Keypoints(places, np.sqrt(words / (words.sum(1, keepdims=True) + 1e-6)).astype(np.float32))


def _sift(most: int) -> Any:
    return cv2.SIFT_create(nfeatures=most, contrastThreshold=_CONTRAST)  # type: ignore[attr-defined]
