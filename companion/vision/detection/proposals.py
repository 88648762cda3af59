"""Card candidates without a network: card-shaped regions that stand out from the table.

Use only where candidates are verified afterwards, for example by a learnt deck or by hand movements: many objects are
card-shaped.
"""

from __future__ import annotations

import cv2
import numpy as np

from companion.vision.core.geometry import Image, Quad, intersection_over_smaller, portrait

# Working width (px) and blur, which suppresses the table's texture.
_WIDTH, _BLUR = 512, 1.5
# Quantiles of colour distance to the table, used as segmentation thresholds.
_LEVELS = (0.5, 0.65, 0.75, 0.85, 0.92, 0.97)
# Hysteresis thresholds of the edge filter (grey levels).
_EDGES = ((20, 60), (50, 120))
# Limits of a card's area (share of the picture), of its aspect ratio as lenses show it, and of the share of its
# rectangle that the region fills.
_AREAS, _RATIOS, _FILLED = (0.004, 0.6), (1.1, 2.1), 0.8
# Overlap above which regions are duplicates, and maximum number of results.
_SAME, _MOST = 0.8, 12


def proposals(image: Image) -> list[Quad]:
    """Return upright outlines (4, 2) of card candidates in a (H, W, 3) BGR uint8 picture, best first."""
    scale = _WIDTH / image.shape[1]
    small = cv2.resize(image, (_WIDTH, max(1, round(scale * image.shape[0]))), interpolation=cv2.INTER_AREA)
    lab = cv2.cvtColor(cv2.GaussianBlur(small, (0, 0), _BLUR), cv2.COLOR_BGR2LAB).astype(np.float32)
    rim = np.concatenate([lab[0], lab[-1], lab[:, 0], lab[:, -1]])
    # Brightness varies more over a table than colour does.
    off = np.abs(lab - np.median(rim, axis=0)) * np.array([0.6, 1.5, 1.5], np.float32)
    apart = off.sum(2)
    masks = [(apart > np.quantile(apart, level)).astype(np.uint8) for level in _LEVELS]
    for low, high in _EDGES:
        edges = np.maximum.reduce([cv2.Canny(np.asarray(lab[:, :, k], np.uint8), low, high) for k in range(3)])
        masks.append((1 - (cv2.dilate(edges, np.ones((3, 3), np.uint8)) > 0)).astype(np.uint8))
        masks.append((cv2.morphologyEx(edges, cv2.MORPH_CLOSE, np.ones((7, 7), np.uint8)) > 0).astype(np.uint8))
    found = [pair for mask in masks for pair in _card_shaped(mask)]
    kept: list[Quad] = []
    for _, quad in sorted(found, key=lambda pair: -pair[0]):
        if len(kept) == _MOST:
            break
        if all(intersection_over_smaller(quad, other) < _SAME for other in kept):
            kept.append(quad)
    return [np.asarray(portrait(quad) / scale, np.float32) for quad in kept]


def _card_shaped(mask: Image) -> list[tuple[float, Quad]]:
    """Return fill ratio and rectangle of each card-shaped region of a mask."""
    contours, _ = cv2.findContours(mask, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
    found = []
    for contour in contours:
        if len(contour) < 4:
            continue
        hull = cv2.convexHull(contour)
        center, (a, b), turn = cv2.minAreaRect(hull)
        filled = cv2.contourArea(hull) / max(a * b, 1.0)
        if (
            _AREAS[0] < a * b / mask.size < _AREAS[1]
            and _RATIOS[0] < max(a, b) / max(min(a, b), 1.0) < _RATIOS[1]
            and filled > _FILLED
            and cv2.contourArea(contour) > _FILLED * cv2.contourArea(hull)
        ):
            found.append((filled, np.asarray(cv2.boxPoints((center, (a, b), turn)), np.float32)))
    return found
