"""Regularises the outlines of a deck's cards: on one pile before one camera they share one shape and size."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from companion.vision.core.geometry import Quad

# Maximum rotation in degrees between cards that have the same shape under a tilted camera.
_ALIKE = 25.0
# Minimum number of cards for a common shape, and number of refits without outliers.
_ENOUGH, _ROUNDS = 5, 3
# Outlines that deviate by more than this multiple of the median deviation are outliers.
_OFF = 2.0

_Shapes = NDArray[np.complex128]


def regularized(quads: Sequence[Quad]) -> list[Quad]:
    """Return the outlines (4, 2) replaced by the common shape of similarly rotated ones, at its best fit.

    Edge-based outlines have independent errors per card (Procrustes analysis: Gower, 1975). With too few similar cards
    an outline is left unchanged.
    """
    corners = np.stack([quad[:, 0] + 1j * quad[:, 1] for quad in quads]).astype(np.complex128)
    centers = corners.mean(1, keepdims=True)
    shapes = corners - centers
    # A card is upright or upside down: only the direction of its long sides counts.
    down = (shapes[:, 3] - shapes[:, 0]) + (shapes[:, 2] - shapes[:, 1])
    turned = np.real(down / down[:1]) < 0
    shapes[turned] = np.roll(shapes[turned], 2, axis=1)
    down = np.where(turned, -down, down)
    answer = []
    for i in range(len(quads)):
        way = np.degrees(np.angle(down / down[i]))
        # For cards across the first one's direction some are counted in reverse.
        flip = np.abs(way) > 90
        near = np.abs(np.where(flip, 180 - np.abs(way), way)) < _ALIKE
        alike = np.where(flip[near, None], np.roll(shapes[near], 2, axis=1), shapes[near])
        if len(alike) < _ENOUGH:
            answer.append(quads[i])
            continue
        shape = _common(alike, shapes[i])
        fitted = shape * _turn(shape, shapes[i])
        fitted = np.roll(fitted, 2) if turned[i] else fitted
        both = fitted + centers[i]
        answer.append(np.stack([both.real, both.imag], 1).astype(np.float32))
    return answer


def _turn(shape: _Shapes, to: _Shapes) -> np.complex128:
    """Return the rotation, a complex number of modulus 1, that aligns a shape (4,) with another one."""
    turn = np.complex128(np.vdot(shape, to))
    return np.complex128(turn / max(abs(turn), 1e-9))


def _common(shapes: _Shapes, start: _Shapes) -> _Shapes:
    """Return the common shape (4,) of most shapes (N, 4)."""
    shape = start
    kept = shapes
    for _ in range(_ROUNDS):
        laid = np.stack([one / _turn(shape, one) for one in shapes])
        off = np.abs(laid - np.median(laid.real, 0) - 1j * np.median(laid.imag, 0)).max(1)
        kept = laid[off <= _OFF * np.median(off)]
        shape = np.asarray(kept.mean(0), np.complex128)
    return shape
