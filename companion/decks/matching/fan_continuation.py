"""Extrapolates a hand: neighbours turn about its pivot, and consecutive cards have about the same relative pose."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from companion.vision.core.geometry import CARD_SIZE, Quad, homography, intersection_over_union, project, unit_square

# Minimum overlap of neighbours, maximum rotation (radians) and change of size (logarithm).
_MAX_OVERLAP, _MAX_ROTATION, _MAX_GROWTH = 0.15, 0.7, 0.15
# Rotations (degrees) of a neighbour about the pivot of a hand, and the pivot's distances from a card's middle (over its
# length): tight and open fans, held low and high. Outlines in between are a few percent of a card away.
_TURNS, _PIVOTS = range(6, 20, 2), (1.3, 1.65, 2.0)


def neighbours(card: Quad) -> list[Quad]:
    """Return possible outlines (4, 2) of the cards beside one of a hand, on both sides; its orientation is unknown."""
    card_plane = unit_square() * np.array(CARD_SIZE, np.float32)
    there = homography(card_plane, card)
    width, length = CARD_SIZE
    found = []
    for pivot in [np.array([width / 2, length * (0.5 + way * share)]) for way in (1, -1) for share in _PIVOTS]:
        for angle in np.radians([*_TURNS, *(-turn for turn in _TURNS)]):
            turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
            found.append(project(there, (card_plane - pivot) @ turn + pivot))
    return found


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
