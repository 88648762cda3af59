"""Regularisation of outlines found one by one."""

from __future__ import annotations

import numpy as np

from companion.decks.capture.procrustes import regularized
from companion.vision.core.geometry import unit_square


def test_outlines_of_one_deck_get_one_shape() -> None:
    rng = np.random.default_rng(2)
    card = (unit_square() - 0.5) * np.array([112, 174])
    truth, found = [], []
    for _ in range(60):
        turn = np.radians(rng.normal(30, 8) + 180 * rng.integers(2))
        matrix = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        quad = (card @ matrix.T + rng.normal(300, 20, 2)).astype(np.float32)
        truth.append(quad)
        found.append(quad + rng.normal(0, 4, (4, 2)).astype(np.float32))
    before, after = (np.abs(np.stack(quads) - np.stack(truth)).mean() for quads in (found, regularized(found)))
    assert after < 0.75 * before
    assert all(np.array_equal(a, b) for a, b in zip(regularized(found[:3]), found[:3], strict=True))
