"""How a learnt deck decides by similarity: vectors, odds, and the file of the fitted weights."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from companion.decks.model.decision import Decision, Decisions, shipped_decisions
from companion.decks.model.open_set import OpenSetModel
from companion.decks.model.prototypes import NOTHING, UNNAMED, Prototypes
from companion.vision.core.runtime import ModelFileError
from companion.vision.detection.embedding import PART

APART = OpenSetModel(10.0, 0.0, -6.0)
DECISION = Decision(share=0.7, sharpness=20.0, slope=10.0, lead=5.0, offset=-6.0)


def _descriptor(reader: int, embedding: int) -> np.ndarray:
    """Return a descriptor with one part's unit vector each, of different lengths."""
    both = np.zeros(2 * PART, np.float32)
    both[reader], both[PART + embedding] = 9.0, 0.5
    return both


def test_similarity_is_the_weighted_mean_of_both_parts() -> None:
    mean = np.zeros(2 * PART, np.float32)
    own, reader_alike, embedding_alike = (
        DECISION.centred(_descriptor(*parts), mean) for parts in ((0, 0), (0, 1), (1, 0))
    )
    assert own @ own == pytest.approx(1)
    assert own @ reader_alike == pytest.approx(0.3)
    assert own @ embedding_alike == pytest.approx(0.7)


def test_one_part_needs_no_share() -> None:
    vectors = DECISION.centred(np.array([[3.0, 4.0]], np.float32), np.zeros(2, np.float32))
    assert np.allclose(vectors, [[0.6, 0.8]])


def test_odds_rise_with_similarity_and_with_the_lead_over_other_faces() -> None:
    look = Prototypes(
        np.eye(3, dtype=np.float32)[:2],
        np.array([0, 1]),
        np.zeros(3, np.float32),
        APART,
        decision=DECISION,
    )
    own, between, other = look.odds(np.array([[1, 0, 0], [1, 1, 0], [0, 0, 1]], np.float32))
    assert own > between > other
    assert own > 0 > other


def test_posterior_names_learnt_faces_and_leaves_others_out() -> None:
    look = Prototypes(
        np.eye(4, dtype=np.float32)[:3],
        np.array([4, 7, UNNAMED]),
        np.zeros(4, np.float32),
        APART,
        decision=DECISION,
    )
    logs = look.posterior(np.array([[1, 0, 0, 0], [0.1, 1, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]], np.float32))
    chances = np.exp(logs)
    assert chances.sum(1) == pytest.approx(1, abs=1e-3)
    # The last two crops show something else and a card without a name.
    assert logs.argmax(1).tolist() == [4, 7, NOTHING, NOTHING]
    odds = look.odds(np.array([[1, 0, 0, 0]], np.float32))
    assert chances[0, 4] == pytest.approx(1 / (1 + np.exp(-odds[0])), abs=1e-3)


def test_decisions_survive_their_file(tmp_path: Path) -> None:
    path = tmp_path / "embedding.json"
    Decisions(DECISION, shipped_decisions().corner).save(path)
    assert Decisions.load(path) == Decisions(DECISION, shipped_decisions().corner)


@pytest.mark.parametrize("change", [{"slope": "steep"}, {"slope": float("nan")}, {"slope": None}])
def test_damaged_file_is_refused(tmp_path: Path, change: dict[str, object]) -> None:
    path, row = tmp_path / "embedding.json", asdict(DECISION)
    path.write_text(json.dumps({"card": row | change, "corner": row}))
    with pytest.raises(ModelFileError, match=r"embedding\.json"):
        Decisions.load(path)
