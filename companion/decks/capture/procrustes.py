"""Outlines of a deck's cards, evened: laid on one pile before one camera, all are of one shape and size."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from companion.vision.core.geometry import Quad

# Cards turned to each other by less than this (degrees) look alike before a camera that looks down at a slant.
_ALIKE = 25.0
# So many of them make a shape; how often it is found anew without those that lie off it.
_ENOUGH, _ROUNDS = 5, 3
# Outlines whose corners are off the shape by more than so many times what the middling ones are do not shape it.
_OFF = 2.0

_Shapes = NDArray[np.complex128]


def evened(quads: Sequence[Quad]) -> list[Quad]:
    """Return the outlines (4, 2), each of the shape that most of those turned like it have, where it fits best.

    What finds an outline by its edges errs at each card otherwise, and seldom in the same way (Procrustes analysis:
    Gower, 1975). Where too few are turned alike, an outline is left as it is.
    """
    corners = np.stack([quad[:, 0] + 1j * quad[:, 1] for quad in quads]).astype(np.complex128)
    centers = corners.mean(1, keepdims=True)
    shapes = corners - centers
    # A card lies upright or upside down: what counts is the direction of its long sides.
    down = (shapes[:, 3] - shapes[:, 0]) + (shapes[:, 2] - shapes[:, 1])
    turned = np.real(down / down[:1]) < 0
    shapes[turned] = np.roll(shapes[turned], 2, axis=1)
    down = np.where(turned, -down, down)
    answer = []
    for i in range(len(quads)):
        way = np.degrees(np.angle(down / down[i]))
        # Of cards that lie across the first one's direction some are counted the other way round.
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
    """Return the turn, a complex number of size 1, that brings a shape (4,) nearest to another one."""
    turn = np.complex128(np.vdot(shape, to))
    return np.complex128(turn / max(abs(turn), 1e-9))


def _common(shapes: _Shapes, start: _Shapes) -> _Shapes:
    """Return the shape (4,) of most of the shapes (N, 4)."""
    shape = start
    kept = shapes
    for _ in range(_ROUNDS):
        laid = np.stack([one / _turn(shape, one) for one in shapes])
        off = np.abs(laid - np.median(laid.real, 0) - 1j * np.median(laid.imag, 0)).max(1)
        kept = laid[off <= _OFF * np.median(off)]
        shape = np.asarray(kept.mean(0), np.complex128)
    return shape
