"""The model of who laid a card: its fit, the landings at simulated tables, and the command that writes it."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from companion.cli import main
from companion.models.fitting import landings
from companion.models.fitting.landings import Case, checked, fitted
from companion.models.fitting.logistic import conditional_logit
from companion.vision.core.logit import Logit
from companion.vision.core.runtime import model_folder
from companion.vision.tracking.landing_attribution import MOMENT, LandingModel, shipped

DISTANCE = MOMENT.index("distance")


def _cases(count: int = 300) -> list[Case]:
    """Return landings of the nearest of up to three arms; in one of six, nobody near was seen."""
    rng = np.random.default_rng(1)
    cases = []
    for number in range(count):
        arms = []
        for _ in range(int(rng.integers(1, 4))):
            rows = rng.normal(0, 1, (int(rng.integers(1, 6)), len(MOMENT)))
            rows[:, DISTANCE] = rng.uniform(1.0, 3.0) + np.arange(len(rows)) * 0.1
            arms.append(rows)
        nearest = int(np.argmin([rows[:, DISTANCE].min() for rows in arms]))
        seen = number % 6 > 0
        if seen:
            arms[nearest][0, DISTANCE] = rng.uniform(0.0, 0.5)
        cases.append(Case(number // 20, tuple(arms), tuple(n == nearest and seen for n in range(len(arms)))))
    return cases


def test_the_fit_finds_the_feature_that_decides() -> None:
    cases = _cases()
    model = fitted(cases)
    assert model.moment.weights[DISTANCE] < -1
    assert np.abs(np.delete(model.moment.weights, DISTANCE)).max() < 0.6
    figures = checked(cases, model)
    # Unseen arms are rarer in the prior than here.
    assert figures.right >= 0.9 * figures.cases
    wrong = LandingModel(Logit(-model.moment.weights, -model.moment.intercept))
    assert checked(cases, wrong).right < figures.right / 2


def test_a_choice_with_equal_candidates_is_even() -> None:
    """Of two candidates one is right in every choice but each fifth, in which none is."""
    groups = [np.zeros((2, 1))] * 100
    right = [np.array([True, False]) if number % 5 else np.zeros(2, np.bool_) for number in range(100)]
    _, intercept = conditional_logit(groups, right, 1.0)
    chances = np.exp([intercept, intercept, 0.0])
    assert (chances / chances.sum()).tolist() == pytest.approx([0.4, 0.4, 0.2], abs=0.01)


@pytest.mark.slow
def test_the_command_writes_what_it_fitted_and_checks_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landings, "ACTIONS", 3)
    for path in model_folder().glob("*.*n*"):
        shutil.copy(path, tmp_path)
    (tmp_path / "landings.json").unlink()
    result = CliRunner().invoke(main, ["train", "landings", "--models", str(tmp_path), "--tables", "4"])
    assert result.exit_code == 0, result.output
    before = (tmp_path / "landings.json").read_text()
    assert before != (model_folder() / "landings.json").read_text()
    again = CliRunner().invoke(main, ["train", "landings", "--models", str(tmp_path), "--tables", "4", "--check"])
    assert "landings are attributed right" in again.output
    assert (tmp_path / "landings.json").read_text() == before


def test_shipped_weights_say_what_a_person_would() -> None:
    """Who is far away, left long before, or is a shadow did not lay the card; who carried its colours did."""
    weights = dict(zip(MOMENT, shipped().moment.weights, strict=True))
    assert all(weights[name] < 0 for name in ("seconds before", "distance", "shadow", "laid before"))
    assert weights["load like the card"] > 0
