"""The fit of how learnt decks decide by similarity."""

from __future__ import annotations

import importlib.util
from dataclasses import replace

import numpy as np
import pytest

if importlib.util.find_spec("torch") is None:
    pytest.skip("needs the train extra", allow_module_level=True)

from companion.models.embedding.decision import DeckViews, check, fitted
from companion.vision.detection.embedding import PART

pytestmark = pytest.mark.train


def _deck(seed: int, faces: int = 12) -> DeckViews:
    """Return views whose second part identifies the face; the first part is noise."""
    rng = np.random.default_rng(seed)
    prints = rng.normal(0, 1, (faces, PART))
    names = np.repeat(np.arange(faces), 2)

    def views() -> np.ndarray:
        noise = rng.normal(0, 1, (len(names), PART))
        return np.concatenate([noise, prints[names] + rng.normal(0, 0.4, (len(names), PART))], 1).astype(np.float32)

    return DeckViews(views(), names, views(), names)


def test_the_informative_part_and_the_boundary_are_fitted() -> None:
    decision = fitted([_deck(seed) for seed in range(4)])
    others = [_deck(seed) for seed in range(10, 14)]
    result = check(others, decision)
    assert decision.share > 0.5
    assert (result.right, result.unknown) == (1, pytest.approx(1, abs=1e-3))
    assert result.error < 0.05
    # Another boundary is calibrated worse.
    assert check(others, replace(decision, offset=decision.offset + 4)).error > 2 * result.error + 0.05
