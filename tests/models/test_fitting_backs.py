"""The classifier of face-down cards: its fit, and the shipped one on tables that it was not fitted on."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from companion.cli import main
from companion.models.fitting.backs import Candidates, Found, drawn, fitted, found
from companion.vision.core.runtime import model_folder
from companion.vision.detection.card_backs import BackModel
from companion.vision.recognition.card_detector import CardDetector


def candidates(rng: np.random.Generator, other: bool = False) -> Candidates:
    """A table with a draw pile, two other things, and one that overlaps it."""
    features = rng.normal(0, 1, (4, 3)).astype(np.float32)
    features[:, 1] += [3, -3, -3, -30]
    return Candidates(other, features, np.array([1, 0, 0, 0], bool), np.array([0, 1, 1, 0], bool))


def test_the_fit_separates_the_classes() -> None:
    rng = np.random.default_rng(1)
    tables = [candidates(rng, bool(number % 2)) for number in range(200)]
    looks = fitted(tables)
    assert abs(looks.weights[1]) > 5 * np.abs(looks.weights[[0, 2]]).max()
    assert found(tables, looks) == {False: Found(100, 100, 100), True: Found(100, 100, 100)}
    assert found(tables, BackModel(-looks.weights, -looks.bias))[True].best_on_pile == 0


@pytest.mark.slow
def test_draw_piles_of_any_maker_are_classified() -> None:
    tables = list(drawn(CardDetector.shipped(threads=1), range(20), seed=77))
    usual, other = found(tables, BackModel.load(model_folder() / "backs.json")).values()
    assert usual.best_on_pile >= 9
    assert other.best_on_pile >= 8


@pytest.mark.slow
def test_the_command_writes_what_it_fitted_and_checks_it(tmp_path: Path) -> None:
    for path in model_folder().glob("*.*n*"):
        shutil.copy(path, tmp_path)
    (tmp_path / "backs.json").unlink()
    result = CliRunner().invoke(main, ["train", "backs", "--models", str(tmp_path), "--tables", "6"])
    assert result.exit_code == 0, result.output
    assert BackModel.load(tmp_path / "backs.json").weights.shape == (128,)
    before = (tmp_path / "backs.json").read_text()
    checked = CliRunner().invoke(main, ["train", "backs", "--models", str(tmp_path), "--tables", "6", "--check"])
    assert "usual backs" in checked.output
    assert (tmp_path / "backs.json").read_text() == before


def test_a_missing_fit_is_reported(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["train", "backs", "--models", str(tmp_path / "none"), "--check"])
    assert result.exit_code == 1
    assert result.output.startswith("Error: ")
