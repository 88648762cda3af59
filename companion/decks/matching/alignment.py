"""Aligns a picture with an image of the same card, using only its visible part.

Weighted inverse compositional alignment (Baker and Matthews, Lucas-Kanade 20 Years On, 2004).
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.core.geometry import Image, Quad, cut, expand, homography, project, unit_square
from companion.vision.core.labels import Floats
from companion.vision.recognition.outlines import is_card_shaped

# Margin around the outline.
_MARGIN = 0.15
# Blur (px) and number of steps per level.
_LEVELS = ((2.0, 5), (0.8, 6))
# Minimum visible share to estimate perspective, and for any alignment.
_COARSE_BLUR, _MIN_CELLS = 0.6, 0.06
# Damping relative to the mean curvature: with perspective and without.
_DAMPING = (0.01, 0.03)
# Maximum step (of half the card), and step size that ends the iteration.
_MAX_STEP, _CONVERGED = 0.1, 0.003
_GAINS = (0.3, 3.0)


def aligned(image: Image, quad: Quad, picture: Floats, shown: NDArray[np.bool_]) -> Quad | None:
    """Return the outline (4, 2) after alignment, None if too little is visible.

    image: (H, W, 3) BGR uint8. picture: (h, w, 3) BGR float32 levels, blurred. shown: (R, C) coarse visibility mask.
    """
    if shown.mean() < _MIN_CELLS:
        return None
    height, width = picture.shape[:2]
    size = (width, height)
    weights = cv2.resize(shown.astype(np.float32), size, interpolation=cv2.INTER_NEAREST).ravel().astype(np.float32)
    weights = weights / weights.sum()
    own = cv2.cvtColor(np.clip(picture, 0, 255).astype(np.uint8), cv2.COLOR_BGR2GRAY).astype(np.float32)
    edge = expand(quad, _MARGIN)
    room = (round(width * (1 + 2 * _MARGIN)), round(height * (1 + 2 * _MARGIN)))
    seen = cv2.cvtColor(cut(image, edge, *room), cv2.COLOR_BGR2GRAY).astype(np.float32)
    half = np.array([width - 1, height - 1]) / 2
    x, y = np.meshgrid(*(np.linspace(-1, 1, side, dtype=np.float32) for side in size))
    scaled = np.array([[half[0], 0, half[0]], [0, half[1], half[1]], [0, 0, 1.0]])
    back = np.linalg.inv(scaled)
    matrix: NDArray[np.float64] = np.array([[1, 0, _MARGIN * width], [0, 1, _MARGIN * height], [0, 0, 1.0]])
    widely = bool(shown.mean() > _COARSE_BLUR)
    for blur, steps in _LEVELS:
        soft, about = cv2.GaussianBlur(own, (0, 0), blur), cv2.GaussianBlur(seen, (0, 0), blur)
        down, across = np.gradient(soft)
        across, down = across * np.float32(half[0]), down * np.float32(half[1])
        along = across * x + down * y
        slopes = [across * x, across * y, across, down * x, down * y, down]
        slopes += [-x * along, -y * along] if widely else []
        rows = np.stack([slope.ravel() for slope in slopes])
        rows -= (rows @ weights)[:, None]
        values = soft.ravel() - soft.ravel() @ weights
        energy = max(float(weights @ values**2), 1e-6)
        weighted = rows * weights
        hessian = (weighted @ rows.T).astype(np.float64)
        hessian += np.eye(len(rows)) * max(_DAMPING[0 if widely else 1] * float(np.trace(hessian)) / len(rows), 1e-6)
        solve = np.linalg.inv(hessian).astype(np.float32) @ weighted
        for _ in range(steps):
            warped = cv2.warpPerspective(about, matrix, size, flags=_WARP, borderMode=cv2.BORDER_REPLICATE).ravel()
            warped = warped - warped @ weights
            gain = float(np.clip((weights * warped) @ values / energy, *_GAINS))
            step = solve @ (warped / gain - values)
            largest = float(np.abs(step).max())
            held = np.zeros(8)
            held[: len(step)] = step * min(1.0, _MAX_STEP / max(largest, 1e-9))
            a, b, c, d, e, f, g, h = held.tolist()
            change = np.array([[1 + a, b, c], [d, 1 + e, f], [g, h, 1]])
            matrix = matrix @ scaled @ np.linalg.inv(change) @ back
            matrix = np.asarray(matrix / matrix[2, 2], np.float64)
            if largest < _CONVERGED:
                break
    edges = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    corners = np.asarray(project(matrix, edges) / np.array(room, np.float32), np.float32)
    moved = project(homography(unit_square(), edge), corners)
    return moved if is_card_shaped(moved) else None


_WARP = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
