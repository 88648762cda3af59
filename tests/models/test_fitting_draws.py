"""The model of draws: its fit, the visits at simulated tables, and the command that writes it."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from companion.cli import main
from companion.dataset.simulated.actions import Pace, Reach, Step
from companion.models.fitting import draws
from companion.models.fitting.draws import Visit, checked, fitted, taken
from companion.models.fitting.logistic import OneSidedCasesError
from companion.vision.arms.arm_tracks import Sample, Track
from companion.vision.arms.hand_visits import HandVisit
from companion.vision.core.events import PileKind
from companion.vision.core.logit import Logit
from companion.vision.core.runtime import model_folder
from companion.vision.tracking.draw_inference import MOVEMENT, DrawModel, shipped


def _visits(count: int = 600) -> list[Visit]:
    """Return visits that are draws by the first feature, whose draw pile then changes by a fifth."""
    rng = np.random.default_rng(1)
    visits = []
    for number in range(count):
        movement = rng.normal(0, 1, len(MOVEMENT))
        drew = bool(rng.random() < 1 / (1 + np.exp(2 * movement[0])))
        share = None if number % 3 else float(rng.uniform(0.15, 0.25) if drew else rng.uniform(0, 0.01))
        visits.append(Visit(number // 20, movement, share, True, drew))
    return visits


def test_the_fit_finds_the_features_that_decide() -> None:
    visits = _visits()
    model = fitted(visits)
    assert abs(model.movement.weights[0] + 2) < 0.5
    assert np.abs(model.movement.weights[1:]).max() < 0.5
    assert checked(visits, model).calibration_error < 0.1
    wrong = DrawModel(Logit(-model.movement.weights, 0.0), Logit(-model.top.weights, -model.top.intercept))
    assert checked(visits, wrong).right < checked(visits, model).right / 2


@pytest.mark.parametrize(
    ("solid", "seats", "draws"),
    [
        ((1.0, 0.0), (0, 0), [True, False]),
        ((0.0, 0.0), (0, 0), [True, True]),
        ((0.0, 1.0), (0, 1), [True, False]),
        ((1.0, 0.0), (1, 1), [False, False]),
    ],
    ids=["a shadow beside its hand", "hands like shadows", "beside the hand of another one", "nobody's"],
)
def test_a_shadow_beside_the_hand_that_draws_took_nothing(
    solid: tuple[float, float], seats: tuple[int, int], draws: list[bool]
) -> None:
    steps = [Step(1.0, Reach(0, Pace(0.5, 0.2, 0.5), 95.0, 0.0, draws=True))]
    visits = []
    for number, share in enumerate(solid):
        sample = Sample(np.zeros(2), np.zeros(2), 9.0, 99.0, separate=True, solid_share=share, time=1.5)
        visits.append(HandVisit(Track(number, [sample]), PileKind.DRAW, 1.5, 1.7, 0.1, 0.0))
    assert taken(list(zip(visits, seats, strict=True)), steps) == draws


def test_the_top_of_the_draw_pile_decides_where_it_was_seen() -> None:
    seen = [visit for visit in _visits() if visit.share is not None]
    assert checked(seen, fitted(_visits())).right >= 0.98 * len(seen)


def test_the_prior_is_that_of_the_reported_events() -> None:
    """A visit whose movement shows nothing is a draw in two of three cases."""
    rng = np.random.default_rng(2)
    visits = [Visit(0, rng.normal(0, 1, len(MOVEMENT)), None, True, bool(number % 10)) for number in range(400)]
    visits += [Visit(0, np.zeros(len(MOVEMENT)), 0.1, True, bool(number % 2)) for number in range(4)]
    assert fitted(visits).movement.probabilities(np.zeros(len(MOVEMENT))) == pytest.approx(2 / 3, abs=0.03)


@pytest.mark.slow
def test_the_command_writes_what_it_fitted_and_checks_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draws, "ACTIONS", 5)
    for path in model_folder().glob("*.*n*"):
        shutil.copy(path, tmp_path)
    (tmp_path / "draws.json").unlink()
    result = CliRunner().invoke(main, ["train", "draws", "--models", str(tmp_path), "--tables", "4"])
    assert result.exit_code == 0, result.output
    before = (tmp_path / "draws.json").read_text()
    assert before != (model_folder() / "draws.json").read_text()
    again = CliRunner().invoke(main, ["train", "draws", "--models", str(tmp_path), "--tables", "4", "--check"])
    assert "visits are rated right" in again.output
    assert (tmp_path / "draws.json").read_text() == before


def test_visits_of_one_kind_are_refused() -> None:
    draws_alone = [visit for visit in _visits() if visit.drew]
    for visits in ([], draws_alone):
        with pytest.raises(OneSidedCasesError, match=f"{len(visits)} cases do not show both outcomes"):
            fitted(visits)


def test_the_command_writes_nothing_without_visits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draws, "ACTIONS", 0)
    for path in model_folder().glob("*.*n*"):
        shutil.copy(path, tmp_path)
    before = (tmp_path / "draws.json").read_text()
    result = CliRunner().invoke(main, ["train", "draws", "--models", str(tmp_path), "--tables", "4"])
    assert result.exit_code == 1
    assert "nothing was fitted: draw more tables" in result.output
    assert (tmp_path / "draws.json").read_text() == before


def test_shipped_weights_say_what_a_person_would() -> None:
    """Far from the pile, in shadow, or turning elsewhere, nothing is drawn; a card back at the tip shows a draw."""
    weights = dict(zip(MOVEMENT, shipped().movement.weights, strict=True))
    assert all(weights[name] < 0 for name in ("distance", "shadow", "turning distance"))
    assert weights["back taken"] > 0
