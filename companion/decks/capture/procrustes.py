"""Regularises the outlines of a deck's cards: on one pile before one camera they share one shape and size."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from companion.vision.core.geometry import Quad

# Maximum rotation in degrees between cards that have the same shape under a tilted camera.
_MAX_ROTATION = 25.0
# Minimum number of cards for a common shape, and number of refits without outliers.
_MIN_CARDS, _ROUNDS = 5, 3
# Outlines that deviate by more than this multiple of the median deviation are outliers.
_MAX_DEVIATION = 2.0

_Shapes = NDArray[np.complex128]


def regularized(quads: Sequence[Quad]) -> list[Quad]:
    """Return the outlines (4, 2) replaced by the common shape of similarly rotated ones, at its best fit.

    Edge-based outlines have independent errors per card (Procrustes analysis: Gower, 1975). With too few similar cards
    an outline is left unchanged.
    """
    corners = np.stack([quad[:, 0] + 1j * quad[:, 1] for quad in quads]).astype(np.complex128)
    centers = corners.mean(1, keepdims=True)
    shapes = corners - centers
    # A card is upright or upside long_side: only the direction of its long sides counts.
    long_side = (shapes[:, 3] - shapes[:, 0]) + (shapes[:, 2] - shapes[:, 1])
    turned = np.real(long_side / long_side[:1]) < 0
    shapes[turned] = np.roll(shapes[turned], 2, axis=1)
    long_side = np.where(turned, -long_side, long_side)
    result = []
    for i in range(len(quads)):
        direction = np.degrees(np.angle(long_side / long_side[i]))
        # For cards across the first one's direction some are counted in reverse.
        flip = np.abs(direction) > 90
        agreeing = np.abs(np.where(flip, 180 - np.abs(direction), direction)) < _MAX_ROTATION
        alike = np.where(flip[agreeing, None], np.roll(shapes[agreeing], 2, axis=1), shapes[agreeing])
        if len(alike) < _MIN_CARDS:
            result.append(quads[i])
            continue
        shape = _common(alike, shapes[i])
        fitted = shape * _turn(shape, shapes[i])
        fitted = np.roll(fitted, 2) if turned[i] else fitted
        both = fitted + centers[i]
        result.append(np.stack([both.real, both.imag], 1).astype(np.float32))
    return result


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
        kept = laid[off <= _MAX_DEVIATION * np.median(off)]
        shape = np.asarray(kept.mean(0), np.complex128)
    return shape
