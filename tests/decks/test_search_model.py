"""The fitted weights of the search: their file, and the log-likelihoods of faces."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from companion.decks.matching.search_model import (
    CARD_FEATURES,
    OUTLINE_FEATURES,
    SearchModel,
    shipped_search_model,
)
from companion.vision.core.logit import Logit
from companion.vision.core.runtime import ModelFileError, model_folder

MODEL = SearchModel(
    Logit(np.array([1.5, -2.0, 0.25, 3.0, 0.5]), -1.0),
    Logit(np.arange(12) / 4, 2.0),
    Logit(np.array([11.5, 0.75]), 0.0),
)


def _weights(model: SearchModel) -> list[list[float]]:
    return [[*one.weights.tolist(), one.intercept] for one in (model.outline, model.card, model.face)]


def test_weights_are_saved_and_loaded(tmp_path: Path) -> None:
    path = tmp_path / "search.json"
    MODEL.save(path)
    assert _weights(SearchModel.load(path)) == _weights(MODEL)
    rows = json.loads(path.read_text())
    assert tuple(rows["outline"]) == ("intercept", *OUTLINE_FEATURES)
    assert tuple(rows["card"]) == ("intercept", *CARD_FEATURES)


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match=r"search\.json"):
        SearchModel.load(tmp_path / "search.json")


@pytest.mark.parametrize(
    "damage",
    [
        "not JSON",
        "[]",
        "{}",
        ("outline", None),
        ("card", {"similarity": 1.0}),
        ("face", {"intercept": 0.0, "similarity": "sharp", "fit": 1.0}),
        ("face", {"intercept": 0.0, "similarity": float("nan"), "fit": 1.0}),
        ("face", {"intercept": 0.0, "similarity": 1.0, "fit": float("inf")}),
        ("outline", {name: float("nan") for name in (*OUTLINE_FEATURES, "intercept")}),
    ],
)
def test_a_malformed_file_is_reported(tmp_path: Path, damage: str | tuple[str, object]) -> None:
    path = tmp_path / "search.json"
    MODEL.save(path)
    rows = json.loads(path.read_text())
    path.write_text(damage if isinstance(damage, str) else json.dumps({**rows, damage[0]: damage[1]}))
    with pytest.raises(ModelFileError, match=r"search\.json"):
        SearchModel.load(path)


def test_log_odds_are_the_weighted_sum_of_facts() -> None:
    assert MODEL.outline.log_odds(np.array([1.0, 1, 4, 0, 2])) == pytest.approx(1.5 - 2 + 1 + 0 + 1 - 1)


def test_faces_are_judged_by_vectors_and_cells() -> None:
    logs = MODEL.face_logs(np.array([0.5, 0.7, 0.1], np.float32), np.array([-1, -3, -1], np.float32))
    assert logs.max() == 0
    assert int(logs.argmax()) == 1
    assert logs[0] == pytest.approx(-0.2 * 11.5 + 2 * 0.75, abs=1e-4)
    assert logs[2] == pytest.approx(-0.6 * 11.5 + 2 * 0.75, abs=1e-4)


def test_the_shipped_weights_say_what_a_person_would() -> None:
    """A card resembles one face most, and lies in the outline."""
    model = shipped_search_model()
    assert _weights(model) == _weights(SearchModel.load(model_folder() / "search.json"))
    for odds, names in ((model.outline, OUTLINE_FEATURES), (model.card, CARD_FEATURES)):
        weights = dict(zip(names, odds.weights, strict=True))
        assert weights["similarity"] > 0
        assert weights["lead"] > 0
        assert weights["correction"] < 0
    similarity, fit = model.face.weights
    assert similarity > 0
    assert fit >= 0
