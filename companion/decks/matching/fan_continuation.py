"""Where a hand may go on: each card lies to its neighbour about as that does to the next."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from companion.vision.core.geometry import Quad, intersection_over_union

# Neighbours cover each other by so much, and are turned (radians) and grown (logarithm) by so little.
_COVER, _TURNED, _GROWN = 0.15, 0.7, 0.15


def continued(quads: Sequence[Quad]) -> list[Quad]:
    """Return the outlines (4, 2) to which pairs of neighbours lead on either side; some may be those of cards known."""
    found = []
    for i, first in enumerate(quads):
        for second in quads[:i]:
            if intersection_over_union(first, second) < _COVER:
                continue
            for near, far in ((first, second), (second, first)):
                onward = _onward(near, far)
                if onward is not None:
                    found.append(onward)
    return found


def _onward(near: Quad, far: Quad) -> Quad | None:
    """Return the far outline moved as it lies to the near one, None where they do not lie like neighbours."""
    start = _complex(near)
    # Which end of a card is up is not known: of the two it is the one that is turned less.
    end = min(
        (_complex(far), _complex(np.roll(far, 2, axis=0))), key=lambda points: abs(np.angle(_step(start, points)[0]))
    )
    step, middle = _step(start, end)
    if abs(np.angle(step)) > _TURNED or abs(np.log(abs(step))) > _GROWN:
        return None
    moved = end.mean() + middle * step + (end - end.mean()) * step
    return np.stack([moved.real, moved.imag], 1).astype(np.float32)


def _complex(quad: Quad) -> NDArray[np.complex128]:
    return np.asarray(quad[:, 0] + 1j * quad[:, 1], np.complex128)


def _step(start: NDArray[np.complex128], end: NDArray[np.complex128]) -> tuple[complex, complex]:
    """Return the turn and growth that takes one outline to another, and how far their middles are apart."""
    a, b = start - start.mean(), end - end.mean()
    return complex(np.vdot(a, b) / np.vdot(a, a)), complex(end.mean() - start.mean())
