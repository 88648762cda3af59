"""Extrapolates a hand: the cards beside one of its cards turn about its pivot."""

from __future__ import annotations

import numpy as np

from companion.vision.core.geometry import CARD_SIZE, Quad, homography, project, unit_square

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
