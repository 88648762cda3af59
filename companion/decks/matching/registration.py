"""Registers stored pictures in an image.

Inverse compositional alignment (Baker and Matthews, Lucas-Kanade 20 Years On, 2004) of pictures normalised to mean 0
and unit length, so that light does not matter; from blurred to sharp.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.core.geometry import Image, Quad, cut, expand, homography, project, unit_square
from companion.vision.core.labels import Floats

# Margin around the rough outline.
_MARGIN = 0.3
# Blur (px of the templates) and number of steps per level.
_LEVELS = ((3.0, 12), (1.0, 8))
# Free parameters of the homography per level: affine first. Small templates are only rotated, moved and scaled;
# otherwise one digit would be bent into another.
_PROJECTIVE = np.eye(8)
_SIMILARITY = np.array(
    [[1, 0, 0, 0, 1, 0, 0, 0], [0, 1, 0, -1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1, 0, 0]], float
)
_FREE, _FREE_OF_SMALL = (_PROJECTIVE[:6], _PROJECTIVE), (_SIMILARITY, _SIMILARITY)
# Width and blur of the thumbnails used to select templates, and number of templates tried.
_COARSE, _COARSE_BLUR, _MAX_TRIED = 16, 2.5, 3
# Number of templates aligned finely; correlations below which none is tried, and none is aligned finely: on seven decks
# none of 155 final matches was below it, and 177 of 235 others were.
_MIN_COARSE_FIT, _MIN_FIT, _MIN_ROUGH_FIT = 2, 0.3, 0.6
# Correlation after rough alignment from which no further template is tried: of 193 cards of six decks as many were
# correct, a seventh faster.
_CLEAR_FIT = 0.93
# Damping relative to the mean curvature, and minimum.
_DAMPING, _EMPTY = 0.01, 1e-6
# Minimum similarity assumed in a step, so that distant starts do not jump.
_MIN_CORRELATION = 0.25
# Maximum movement of a corner per step (of half the template's size).
_MAX_STEP = 0.15
# Movement of a corner (of half the template's size) below which the iteration ends.
_CONVERGED = 0.005
# Movement of a corner (of the template's size) beyond which the template is lost.
_LOST_FIT = 0.35

_Matrix = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Found:
    """A registered template.

    quad: its outline (4, 2). fit: correlation, at most 1. fits: (T,) correlation of every template in this outline.
    """

    quad: Quad
    fit: float
    fits: Floats


@dataclass(frozen=True, eq=False)
class _Steps:
    """A template at one blur: normalised grey values (N,), and the matrix from differences to a step (8, N)."""

    values: Floats
    solve: Floats


class Templates:
    """Pictures of one size to be registered in images.

    pictures: (H, W, 3) BGR uint8 each. turns: allowed quarter turns relative to the rough outline. small: whether
    perspective is negligible.
    """

    def __init__(self, pictures: Sequence[Image], turns: Sequence[int], small: bool = False) -> None:
        self._free = _FREE_OF_SMALL if small else _FREE
        self._pictures = pictures
        self._turns = turns
        self._height, self._width = pictures[0].shape[:2]
        self._clear = np.stack([_normalized(_blurred(picture, _LEVELS[-1][0])) for picture in pictures])
        self._coarse = np.stack([self._small(picture) for picture in pictures])
        self._grid = _grid(self._width, self._height)
        self._steps: dict[tuple[int, int], _Steps] = {}

    def _small(self, picture: Image) -> Floats:
        size = (_COARSE, round(_COARSE * self._height / self._width))
        return _normalized(_array(cv2.resize(_blurred(picture, _COARSE_BLUR), size, interpolation=cv2.INTER_AREA)))

    def find(self, image: Image, rough: Quad, likely: Sequence[int] = (), without: int | None = None) -> Found | None:
        """Return the best template near a rough outline (4, 2) in a (H, W, 3) BGR uint8 picture.

        likely: templates tried in addition to the selected ones. without: a template to ignore. None if none can be
        aligned or is similar.
        """
        patch = Patch(image, rough, self._width, self._height)
        starts = [patch.start(turn) for turn in self._turns]
        apparent = np.stack(
            [self._coarse @ self._small(self._warped(patch.picture, start)) for start in starts], axis=1
        )
        if without is not None:
            apparent[without] = -1.0
        if float(apparent.max()) < _MIN_FIT:
            return None
        order = [divmod(int(k), len(starts)) for k in np.argsort(-apparent, axis=None)[: 3 * _MAX_TRIED]]
        tried = [(template, int(apparent[template].argmax())) for template in likely]
        for pair in order:
            if len(tried) >= _MAX_TRIED + len(likely):
                break
            if pair not in tried:
                tried.append(pair)
        best: Found | None = None
        coarse = []
        for template, way in tried:
            matrix = self.align(patch, template, 0, starts[way])
            if matrix is not None:
                coarse.append((self._correlation_at(patch, template, matrix), template, matrix))
                if coarse[-1][0] >= _CLEAR_FIT:
                    break
        coarse.sort(key=lambda one: -one[0])
        if not coarse or coarse[0][0] < _MIN_ROUGH_FIT:
            return None
        for _, template, rough_matrix in coarse[:_MIN_COARSE_FIT]:
            matrix = self.align(patch, template, 1, rough_matrix)
            if matrix is None:
                continue
            found = self._found(patch, template, matrix)
            if best is None or found.fit > best.fit:
                best = found
        if best is not None and without is not None:
            best.fits[without] = -1.0
        return best

    def _correlation_at(self, patch: Patch, template: int, matrix: _Matrix) -> float:
        return float(self._sampled(patch, matrix) @ self._clear[template])

    def _sampled(self, patch: Patch, matrix: _Matrix) -> Floats:
        return _normalized(self._warped(patch.clear, matrix))

    def _warped(self, picture: Image, matrix: _Matrix) -> Image:
        """Return the part of a patch under a template."""
        return _array(cv2.warpPerspective(picture, matrix, (self._width, self._height), flags=_WARP))

    def _found(self, patch: Patch, template: int, matrix: _Matrix) -> Found:
        fits = np.asarray(self._clear @ self._sampled(patch, matrix), np.float32)
        size = np.array([self._width, self._height], np.float32)
        corners = project(matrix, unit_square() * size)
        return Found(patch.back(corners), float(fits[template]), fits)

    def align(self, patch: Patch, template: int, level: int, start: _Matrix) -> _Matrix | None:
        """Return the (3, 3) matrix from a template's pixels to the patch's, None if the template is lost."""
        steps = self._steps_of(template, level)
        blurred = patch.grey[level]
        half = np.array([self._width - 1, self._height - 1]) / 2
        # From normalised coordinates (-1 to 1) to the template's pixels, and back.
        scaled = np.array([[half[0], 0, half[0]], [0, half[1], half[1]], [0, 0, 1.0]])
        back = np.array([[1 / half[0], 0, -1.0], [0, 1 / half[1], -1.0], [0, 0, 1.0]])
        matrix, size = start, (self._width, self._height)
        best, most = start, -1.0
        for left in reversed(range(_LEVELS[level][1] + 1)):
            shown = cv2.warpPerspective(blurred, matrix, size, flags=_WARP, borderMode=cv2.BORDER_REPLICATE).ravel()
            shown -= shown.mean()
            length = max(float(np.linalg.norm(shown)), 1e-6)
            correlation = float(shown @ steps.values) / length
            if correlation > most:
                best, most = matrix, correlation
            if not left:
                break
            step = steps.solve @ (shown / np.float32(max(correlation, _MIN_CORRELATION) * length) - steps.values)
            largest = float(np.abs(step).max())
            if largest < _CONVERGED:
                break
            matrix = matrix @ scaled @ _undone(step * np.float32(min(1.0, _MAX_STEP / largest))) @ back
            matrix = matrix / matrix[2, 2]
        moved = np.abs(project(best @ scaled, _CORNERS) - project(start @ scaled, _CORNERS)).max(0)
        return None if (moved > _LOST_FIT * np.array(size)).any() else best

    def _steps_of(self, template: int, level: int) -> _Steps:
        key = template, level
        if key not in self._steps:
            grey = cv2.cvtColor(_blurred(self._pictures[template], _LEVELS[level][0]), cv2.COLOR_BGR2GRAY)
            self._steps[key] = _steps(grey.astype(np.float32), self._grid, self._free[level])
        return self._steps[key]


def _undone(step: Floats) -> _Matrix:
    """Return the homography, up to scale, that inverts a step (8,), without a matrix inversion."""
    a, b, c, d, e, f, g, h = step.tolist()
    a, e = a + 1, e + 1
    return np.array(
        [
            [e - f * h, c * h - b, b * f - c * e],
            [f * g - d, a - c * g, c * d - a * f],
            [d * h - e * g, b * g - a * h, a * e - b * d],
        ]
    )


_CORNERS = unit_square() * 2 - 1
_WARP = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP


class Patch:
    """The part of an image around a rough outline, in which templates of one size are aligned."""

    def __init__(self, image: Image, rough: Quad, width: int, height: int) -> None:
        self._edge = expand(rough, _MARGIN)
        self._size = np.array([round(width * (1 + 2 * _MARGIN)), round(height * (1 + 2 * _MARGIN))])
        self.picture = cut(image, self._edge, int(self._size[0]), int(self._size[1]))
        self.clear = _blurred(self.picture, _LEVELS[-1][0])
        grey = cv2.cvtColor(self.picture, cv2.COLOR_BGR2GRAY).astype(np.float32)
        self.grey = [cv2.GaussianBlur(grey, (0, 0), blur) for blur, _ in _LEVELS]
        self._template = unit_square() * np.array([width, height], np.float32)

    def start(self, turn: int) -> _Matrix:
        """Return the initial matrix from a template's pixels to the patch's.

        turn: quarter turns relative to the rough outline.
        """
        inner = (unit_square() + _MARGIN) / (1 + 2 * _MARGIN) * self._size
        return homography(self._template, np.roll(inner, -turn, axis=0).astype(np.float32))

    def back(self, points: Quad) -> Quad:
        """Return points (N, 2) of the patch in picture coordinates."""
        return project(homography(unit_square(), self._edge), points / self._size)


def _grid(width: int, height: int) -> Floats:
    """Return (H * W, 2) the pixels' normalised coordinates, -1 to 1."""
    x, y = np.meshgrid(np.linspace(-1, 1, width), np.linspace(-1, 1, height))
    return np.stack([x.ravel(), y.ravel()], 1).astype(np.float32)


def _steps(grey: Floats, grid: Floats, free: NDArray[np.float64]) -> _Steps:
    height, width = grey.shape
    values = grey.ravel() - grey.mean()
    length = max(float(np.linalg.norm(values)), 1e-3)
    values = values / length
    down, across = (part.ravel() / length for part in np.gradient(grey))
    across, down = across * (width - 1) / 2, down * (height - 1) / 2
    x, y = grid.T
    along = across * x + down * y
    slopes = np.stack([across * x, across * y, across, down * x, down * y, down, -x * along, -y * along])
    # Gain and offset of the light are not part of a step.
    slopes -= slopes.mean(1, keepdims=True)
    slopes -= (slopes @ values)[:, None] * values
    slopes = free @ slopes
    hessian = slopes @ slopes.T
    # An empty picture gives no step.
    hessian += np.eye(len(free)) * max(_DAMPING * float(np.trace(hessian)) / len(free), _EMPTY)
    solve = free.T @ np.linalg.solve(hessian, slopes)
    return _Steps(values.astype(np.float32), solve.astype(np.float32))


def _array(picture: NDArray[Any]) -> Image:
    return np.asarray(picture, np.uint8)


def _blurred(picture: Image, blur: float) -> Image:
    return _array(cv2.GaussianBlur(picture, (0, 0), blur))


def _normalized(picture: Image) -> Floats:
    """Return the picture's values (N,) with mean 0 per channel, of unit length."""
    values = picture.astype(np.float32)
    values -= values.mean((0, 1))
    return np.asarray(values.ravel() / max(float(np.linalg.norm(values)), 1e-3), np.float32)
