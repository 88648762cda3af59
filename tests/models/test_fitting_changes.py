"""The model of changes of a pile: its fit, and the command that writes it."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from companion.cli import main
from companion.models.fitting import pile_changes
from companion.models.fitting.pile_changes import Look, checked, drawn, fitted
from companion.vision.core.runtime import ModelFileError, model_folder
from companion.vision.pile.features import LOOK, OUTLINE
from companion.vision.pile.pile_change import OF_LOOK, OF_OUTLINE, ChangeModel, Way, shipped
from companion.vision.recognition.card_detector import CardDetector

pytest.importorskip("torch", reason="needs the train extra")
pytestmark = pytest.mark.train


def _looks(count: int = 400) -> list[Look]:
    """Return looks in which the outline with the larger third feature has landed, or none if both are small."""
    rng = np.random.default_rng(1)
    ways = (Way.UNCHANGED, Way.HIDDEN, Way.LANDED, Way.LANDED)
    looks = []
    for _ in range(count):
        outlines = np.zeros((4, len(OUTLINE)))
        outlines[2:] = rng.normal(0, 1, (2, len(OUTLINE)))
        best = int(outlines[2:, 2].argmax()) + 2
        looks.append(Look(ways, outlines, np.zeros(len(LOOK)), best if outlines[best, 2] > 0 else 0))
    return looks


def test_the_fit_finds_the_feature_that_decides() -> None:
    looks = _looks()
    model = fitted(looks[:300])
    assert checked(looks[300:], model).right >= 85
    none = ChangeModel(
        pile_changes.nothing(len(OUTLINE), len(OF_OUTLINE)), pile_changes.nothing(len(LOOK), len(OF_LOOK))
    )
    assert checked(looks[300:], none).right < 50


def test_a_missed_top_card_in_an_unchanged_pile_is_no_error() -> None:
    ways = (Way.UNCHANGED, Way.TOP, Way.LANDED)
    looks = [Look(ways, np.zeros((3, len(OUTLINE))), np.zeros(len(LOOK)), right) for right in range(3)]
    none = ChangeModel(
        pile_changes.nothing(len(OUTLINE), len(OF_OUTLINE)), pile_changes.nothing(len(LOOK), len(OF_LOOK))
    )
    assert checked(looks, none).right == 2


@pytest.mark.slow
def test_changes_of_other_piles_are_recognised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pile_changes, "ACTIONS", 25)
    looks = list(drawn(CardDetector.shipped(threads=1), range(3001, 3005, 2), seed=77))
    assert checked(looks, shipped()).right >= 0.85 * len(looks)


@pytest.mark.slow
def test_the_command_writes_what_it_fitted_and_checks_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pile_changes, "ACTIONS", 16)
    for path in model_folder().glob("*.*n*"):
        shutil.copy(path, tmp_path)
    (tmp_path / "changes.json").unlink()
    result = CliRunner().invoke(main, ["train", "changes", "--models", str(tmp_path), "--tables", "4"])
    assert result.exit_code == 0, result.output
    before = (tmp_path / "changes.json").read_text()
    again = CliRunner().invoke(main, ["train", "changes", "--models", str(tmp_path), "--tables", "4", "--check"])
    assert "looks are rated right" in again.output
    assert (tmp_path / "changes.json").read_text() == before


@pytest.mark.parametrize("text", ["", "{}", '{"outline": {"features": []}, "look": {}}'])
def test_a_damaged_model_file_is_reported(tmp_path: Path, text: str) -> None:
    (tmp_path / "changes.json").write_text(text)
    with pytest.raises(ModelFileError, match=r"changes\.json"):
        ChangeModel.load(tmp_path / "changes.json")


def test_a_model_file_with_other_features_is_refused(tmp_path: Path) -> None:
    shipped().save(tmp_path / "changes.json")
    text = (tmp_path / "changes.json").read_text()
    (tmp_path / "changes.json").write_text(text.replace("change of hue", "hue"))
    with pytest.raises(ModelFileError, match="other features"):
        ChangeModel.load(tmp_path / "changes.json")


def test_a_saved_model_gives_the_same_probabilities(tmp_path: Path) -> None:
    shipped().save(tmp_path / "changes.json")
    again = ChangeModel.load(tmp_path / "changes.json")
    for look in _looks(5):
        chances = shipped().of_features(look.ways, look.outlines, look.look)
        assert chances.sum() == pytest.approx(1)
        assert np.allclose(again.of_features(look.ways, look.outlines, look.look), chances)
