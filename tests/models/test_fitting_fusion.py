"""The fusion of a card's evidence: its fit, the shipped model, and the command that writes it."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from companion.cards import ALL_CARDS, Card
from companion.cli import main
from companion.dataset.scenes.layouts import Layout
from companion.dataset.simulated.simulation import TrueCard
from companion.models.fitting import fusion
from companion.models.fitting.fusion import Judged, checked, fitted, labelled
from companion.vision.core.geometry import unit_square
from companion.vision.core.reading import MaskedSoftmax
from companion.vision.core.runtime import model_folder
from companion.vision.imaging.lighting import Light
from companion.vision.recognition.fusion import Evidence, FusionModel, shipped

pytest.importorskip("torch", reason="needs the train extra")
pytestmark = pytest.mark.train

WHITE = Light(0.7, 0.0, 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0, 0.8, 0.5, 0.2)
QUAD = np.asarray(unit_square() * (100, 155), np.float32)


def _logs(card: int, chance: float, none: float = 1e-3) -> np.ndarray:
    row = np.full(len(ALL_CARDS) + 1, np.log((1 - chance) / len(ALL_CARDS)))
    row[card] = np.log(chance)
    row[-1] = np.log(none)
    return row


def _judged(rng: np.random.Generator, good: float, bad: float) -> Judged:
    """A card whose middle is right with probability `good`, whose corners are right with probability `bad`."""
    truth = int(rng.integers(len(ALL_CARDS)))
    others = rng.integers(len(ALL_CARDS), size=3)
    middle, first, second = (
        truth if rng.random() < right else int(other) for right, other in zip((good, bad, bad), others, strict=True)
    )
    corners = np.stack([_logs(first, 0.7), _logs(second, 0.7)])
    return Judged(Evidence(QUAD, _logs(middle, 0.7), corners, (False, False), 0.9, 0, 1, False, WHITE), truth, 1.0)


@pytest.mark.slow
def test_the_fit_trusts_the_view_that_is_right() -> None:
    rng = np.random.default_rng(1)
    judged = [_judged(rng, 0.95, 0.2) for _ in range(600)]
    model = fitted(judged)
    again = [_judged(rng, 0.95, 0.2) for _ in range(300)]
    assert checked(again, model).right >= 0.9 * len(again)
    assert checked(again, model).calibration_error < 0.06
    corners_alone = fitted([_judged(rng, 0.05, 0.9) for _ in range(600)])
    assert checked(again, corners_alone).right < 0.6 * len(again)


def test_an_outline_on_a_pile_shows_the_visible_card_of_two_at_one_place() -> None:
    rng = np.random.default_rng(3)
    evidence = _judged(rng, 1.0, 1.0).evidence
    lower = TrueCard(Card.parse("red 1"), QUAD, 0.1, held=False)
    upper = TrueCard(Card.parse("blue 4"), QUAD + 12, 1.0, held=False)
    (found,) = labelled([evidence], [lower, upper])
    assert (ALL_CARDS[found.truth].name, found.visible) == ("blue 4", 1.0)
    (elsewhere,) = labelled([evidence], [TrueCard(Card.parse("blue 4"), QUAD + 60, 1.0, held=False)])
    assert elsewhere.truth == -1


def test_the_shipped_model_asks_where_corners_and_middle_disagree() -> None:
    one, seven = (ALL_CARDS.index(Card.parse(name)) for name in ("red 1", "red 7"))
    rows = [_logs(one, 0.97), _logs(seven, 0.97)]
    scale_free = [
        Evidence(
            QUAD * 2, rows[middle], np.stack([rows[corner]] * 2), (True, True), 0.9, 0, 1, False, WHITE, foreign=-6
        )
        for middle, corner in ((0, 0), (1, 0))
    ]
    model = shipped()
    agreed, disputed = model.sightings(scale_free, MaskedSoftmax(1.0, np.ones(len(ALL_CARDS) + 1, np.bool_)))
    assert agreed.card.name == "red 1"
    assert agreed.confidence > 0.97
    assert {card.name for card in disputed.cards[:2]} == {"red 1", "red 7"}
    assert disputed.confidence < 0.97
    assert sum(disputed.probabilities) <= 1


@pytest.mark.slow
def test_the_command_writes_what_it_fitted_and_checks_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fusion, "PICTURES", {Layout.SINGLE: 2})
    monkeypatch.setattr(fusion, "RATE", 0.02)
    for path in model_folder().glob("*.*n*"):
        shutil.copy(path, tmp_path)
    (tmp_path / "fusion.json").unlink()
    result = CliRunner().invoke(main, ["train", "fusion", "--models", str(tmp_path), "--decks", "4"])
    assert result.exit_code == 0, result.output
    before = FusionModel.load(tmp_path / "fusion.json").confidence
    again = CliRunner().invoke(main, ["train", "fusion", "--models", str(tmp_path), "--decks", "4", "--check"])
    assert "candidates right" in again.output
    assert np.array_equal(FusionModel.load(tmp_path / "fusion.json").confidence, before)
