"""Extrapolates a hand: consecutive cards have about the same relative pose."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from companion.vision.core.geometry import Quad, intersection_over_union

# Minimum overlap of neighbours, maximum rotation (radians) and change of size (logarithm).
_MAX_OVERLAP, _MAX_ROTATION, _MAX_GROWTH = 0.15, 0.7, 0.15


def continued(quads: Sequence[Quad]) -> list[Quad]:
    """Return the outlines (4, 2) extrapolated from pairs of neighbours; they may repeat known cards."""
    found = []
    for i, first in enumerate(quads):
        for second in quads[:i]:
            if intersection_over_union(first, second) < _MAX_OVERLAP:
                continue
            for near, far in ((first, second), (second, first)):
                extrapolated = _extrapolated(near, far)
                if extrapolated is not None:
                    found.append(extrapolated)
    return found


def _extrapolated(near: Quad, far: Quad) -> Quad | None:
    """Return the next outline in the direction from `near` to `far`, None if they are not neighbours."""
    start = _complex(near)
    # A card's orientation is unknown; assume the smaller rotation.
    end = min(
        (_complex(far), _complex(np.roll(far, 2, axis=0))), key=lambda points: abs(np.angle(_step(start, points)[0]))
    )
    step, middle = _step(start, end)
    if abs(np.angle(step)) > _MAX_ROTATION or abs(np.log(abs(step))) > _MAX_GROWTH:
        return None
    moved = end.mean() + middle * step + (end - end.mean()) * step
    return np.stack([moved.real, moved.imag], 1).astype(np.float32)


def _complex(quad: Quad) -> NDArray[np.complex128]:
    return np.asarray(quad[:, 0] + 1j * quad[:, 1], np.complex128)


def _step(start: NDArray[np.complex128], end: NDArray[np.complex128]) -> tuple[complex, complex]:
    """Return the rotation and scale from one outline to another, and the distance of their centres."""
    a, b = start - start.mean(), end - end.mean()
    return complex(np.vdot(a, b) / np.vdot(a, a)), complex(end.mean() - start.mean())
