"""The model of what covers what: its fit, and the shipped one on piles that it was not fitted on."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from companion.cli import main
from companion.models.fitting.top_card import Pile, checked, drawn, fitted
from companion.vision.core.logit import Logit
from companion.vision.core.runtime import model_folder
from companion.vision.pile.top_card import FEATURES, TopModel, shipped
from companion.vision.recognition.card_detector import CardDetector


def test_the_fit_finds_the_features_that_decide() -> None:
    rng = np.random.default_rng(1)
    piles = []
    for _ in range(300):
        features = rng.normal(0, 1, (3, len(FEATURES)))
        chances = np.exp(np.append(2 * features[:, 4], -1.0))
        piles.append(Pile(features, int(rng.choice(4, p=chances / chances.sum()))))
    model = fitted(piles)
    weights = model.outline.weights
    assert abs(weights[4] - 2) < 0.5
    assert np.abs(np.delete(weights, 4)).max() < 0.5
    assert checked(piles, model).calibration_error < 0.08
    opposite = TopModel(Logit(-weights, model.outline.intercept))
    assert checked(piles, opposite).right < checked(piles, model).right / 2


@pytest.mark.slow
def test_the_top_of_other_piles_is_found() -> None:
    piles = list(drawn(CardDetector.shipped(threads=1), range(3000, 3008), seed=77))
    assert checked(piles, shipped()).right >= 0.85 * len(piles)


@pytest.mark.slow
def test_the_command_writes_what_it_fitted_and_checks_it(tmp_path: Path) -> None:
    for path in model_folder().glob("*.*n*"):
        shutil.copy(path, tmp_path)
    (tmp_path / "top.json").unlink()
    result = CliRunner().invoke(main, ["train", "top", "--models", str(tmp_path), "--tables", "8"])
    assert result.exit_code == 0, result.output
    before = TopModel.load(tmp_path / "top.json").outline.weights
    checked = CliRunner().invoke(main, ["train", "top", "--models", str(tmp_path), "--tables", "8", "--check"])
    assert "looks name the top card" in checked.output
    assert np.array_equal(TopModel.load(tmp_path / "top.json").outline.weights, before)
