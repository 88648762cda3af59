"""Placements of cards on a table plane, in the arrangements of a game.

The plane is in millimetres, x to the right and y down as seen from above, with the arrangement roughly centred on the
origin. Later placements lie on earlier ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from companion.dataset.artist.press import CARD_HEIGHT, CARD_WIDTH


class Layout(Enum):
    """An arrangement of cards."""

    SINGLE = "single"
    PILE = "pile"
    SPREAD = "spread"
    GRID = "grid"
    HEAP = "heap"
    FAN = "fan"
    CASCADE = "cascade"
    SEATS = "seats"
    EMPTY = "empty"


@dataclass(frozen=True)
class Placement:
    """A card's centre (mm), its rotation (radians, clockwise) and whether its face is up."""

    x: float
    y: float
    angle: float
    face_up: bool = True


def place(layout: Layout, rng: np.random.Generator, count: int | None = None) -> list[Placement]:
    """Return the placements of one random arrangement, bottom card first.

    `count`: number of cards of heaps, fans and cascades, all face up; other layouts choose it.
    """
    if count is None:
        return _MAKERS[layout](rng)
    if layout not in _COUNTED:
        raise ValueError(f"{layout} decides its own number of cards")
    return [replace(placement, face_up=True) for placement in _COUNTED[layout](rng, count)]


def _single(rng: np.random.Generator) -> list[Placement]:
    return [Placement(0.0, 0.0, float(rng.uniform(-np.pi, np.pi)))]


def _pile(rng: np.random.Generator) -> list[Placement]:
    """A discard pile, often with the draw pile beside it."""
    count = int(rng.integers(2, 9))
    shift = rng.choice([2.0, 8.0, 20.0])
    turn = rng.choice([0.05, 0.3, np.pi])
    start = rng.uniform(-np.pi, np.pi)
    backs = [
        Placement(float(rng.normal(0, 2)) + 100.0, float(rng.normal(0, 2)), float(rng.normal(0, 0.05)), False)
        for _ in range(int(rng.integers(1, 4)) if rng.random() < 0.45 else 0)
    ]
    return backs + [
        Placement(float(rng.normal(0, shift)), float(rng.normal(0, shift)), float(start + rng.uniform(-turn, turn)))
        for _ in range(count)
    ]


def _spread(rng: np.random.Generator) -> list[Placement]:
    """Separate cards, by rejection sampling, a few of them face down."""
    count = int(rng.integers(2, 26))
    span = 75.0 * np.sqrt(count) * rng.uniform(1.0, 1.6)
    gap = rng.uniform(62.0, 105.0)
    aligned = rng.random() < 0.25
    placed: list[Placement] = []
    for _ in range(count * 12):
        x, y = rng.uniform(-span / 2, span / 2, 2)
        if all(np.hypot(x - p.x, y - p.y) > gap for p in placed):
            angle = rng.normal(0, 0.1) if aligned else rng.uniform(-np.pi, np.pi)
            placed.append(Placement(float(x), float(y), float(angle), bool(rng.random() > 0.1)))
        if len(placed) == count:
            break
    return placed


def _grid(rng: np.random.Generator) -> list[Placement]:
    rows, columns = (1, int(rng.integers(2, 9))) if rng.random() < 0.5 else rng.integers(2, 6, 2)
    pitch_x, pitch_y = CARD_WIDTH + rng.uniform(-2, 30), CARD_HEIGHT + rng.uniform(-2, 40)
    jitter, turn = rng.uniform(0, 6), rng.uniform(0, 0.15)
    base = rng.choice([0.0, np.pi])
    return [
        Placement(
            float((c - (columns - 1) / 2) * pitch_x + rng.normal(0, jitter)),
            float((r - (rows - 1) / 2) * pitch_y + rng.normal(0, jitter)),
            float(base + rng.normal(0, turn)),
        )
        for r in range(rows)
        for c in range(columns)
    ]


def _heap(rng: np.random.Generator, count: int | None = None) -> list[Placement]:
    count = count or int(rng.integers(3, 16))
    span = 28.0 * np.sqrt(count) * rng.uniform(0.8, 1.8)
    return [
        Placement(
            float(rng.normal(0, span / 2)),
            float(rng.normal(0, span / 2)),
            float(rng.uniform(-np.pi, np.pi)),
            bool(rng.random() > 0.1),
        )
        for _ in range(count)
    ]


def _fan(rng: np.random.Generator, count: int | None = None) -> list[Placement]:
    """Cards rotated around a common point below them, each on its left neighbour."""
    count = count or int(rng.integers(3, 16))
    radius = rng.uniform(60.0, 150.0)
    # The visible strip of each card is at least about as wide as a corner index; fans are not wide open.
    step = min(rng.uniform(9.0, 26.0) / (radius + 35.0), np.radians(170.0) / count)
    wobble = rng.uniform(0.0, 0.2) * step
    start = -step * (count - 1) / 2
    placed = []
    for i in range(count):
        angle = start + i * step + rng.normal(0, wobble)
        reach = radius + rng.normal(0, 2.5)
        placed.append(Placement(float(reach * np.sin(angle)), float(radius - reach * np.cos(angle)), float(angle)))
    return placed


def _cascade(rng: np.random.Generator, count: int | None = None) -> list[Placement]:
    """A row or column of overlapping cards, each with a visible strip with its corner index."""
    count = count or int(rng.integers(3, 14))
    sideways = rng.random() < 0.6
    step = rng.uniform(12, 40)
    drift = rng.normal(0, 2)
    turn = rng.uniform(0, 0.08)
    return [
        Placement(
            float((i - count / 2) * (step if sideways else drift) + rng.normal(0, 1.5)),
            float((i - count / 2) * (drift if sideways else step) + rng.normal(0, 1.5)),
            float(rng.normal(0, turn)),
        )
        for i in range(count)
    ]


def _seats(rng: np.random.Generator) -> list[Placement]:
    """Rows of cards in front of two to four players, and one card or a pile between them."""
    placed = [
        Placement(float(rng.normal(0, 10)), float(rng.normal(0, 10)), float(rng.uniform(-np.pi, np.pi)))
        for _ in range(rng.integers(1, 4))
    ]
    distance = rng.uniform(160, 260)
    for seat in rng.permutation(4)[: rng.integers(2, 5)]:
        turn = seat * np.pi / 2
        count = int(rng.integers(1, 5))
        pitch = rng.uniform(45, 75)
        for i in range(count):
            along = (i - (count - 1) / 2) * pitch
            x, y = along * np.cos(turn) - distance * np.sin(turn), along * np.sin(turn) + distance * np.cos(turn)
            facing = turn + rng.choice([0.0, np.pi]) + rng.normal(0, 0.08)
            placed.append(Placement(float(x), float(y), float(facing), bool(rng.random() > 0.12)))
    return placed


def _empty(rng: np.random.Generator) -> list[Placement]:
    """No face-up card; often a draw pile or scattered face-down cards."""
    spread = rng.choice([0.0, 3.0, 80.0])
    return [
        Placement(float(rng.normal(0, spread)), float(rng.normal(0, spread)), float(rng.uniform(-np.pi, np.pi)), False)
        for _ in range(rng.integers(0, 6))
    ]


_MAKERS: dict[Layout, Callable[[np.random.Generator], list[Placement]]] = {
    Layout.SINGLE: _single,
    Layout.PILE: _pile,
    Layout.SPREAD: _spread,
    Layout.GRID: _grid,
    Layout.HEAP: _heap,
    Layout.FAN: _fan,
    Layout.CASCADE: _cascade,
    Layout.SEATS: _seats,
    Layout.EMPTY: _empty,
}

_COUNTED: dict[Layout, Callable[[np.random.Generator, int], list[Placement]]] = {
    Layout.HEAP: _heap,
    Layout.FAN: _fan,
    Layout.CASCADE: _cascade,
}
