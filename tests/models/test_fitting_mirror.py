"""The models of mirrored pictures: their fit, the drawn pictures, and the command that writes them."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from companion.cards import Card
from companion.cli import main
from companion.dataset.scenes.layouts import Layout
from companion.models.fitting import mirror
from companion.models.fitting.mirror import Pair, checked, fitted, paired
from companion.vision.core.runtime import model_folder
from companion.vision.core.sightings import Handedness, Sighting

QUAD = np.array([[10, 20], [60, 20], [60, 98], [10, 98]], np.float32)


def _pairs(count: int = 200) -> list[Pair]:
    """Return pictures that read better as they are sent; in every other one, corners lie as printed there."""
    rng = np.random.default_rng(1)
    pairs = []
    for number in range(count):
        way = Handedness.PRINTED if number % 2 else Handedness.UNKNOWN
        straight, mirrored = rng.uniform(0.8, 0.999), rng.uniform(0.5, 0.9)
        pairs.append(
            paired(
                [Sighting(QUAD, (Card.parse("red 7"),), (straight,), True, handedness=way)],
                [Sighting(QUAD, (Card.parse("red 4"),), (mirrored,), True, handedness=Handedness(-way))],
            )
        )
    return pairs


def test_the_fit_recognises_pictures_and_their_mirror_images() -> None:
    pairs = _pairs()
    found = checked(pairs, fitted(pairs))
    assert found.right == found.pictures == len(pairs)
    assert found.mirrored_right > 0.8 * len(pairs)
    assert found.looks < found.mirrored_looks
    swapped = [Pair(one.mirrored, one.straight, one.mirrored_once, one.straight_once) for one in pairs]
    assert checked(swapped, fitted(pairs)).right < 0.2 * len(pairs)


def test_pictures_that_show_nothing_are_not_mirrored() -> None:
    model = fitted(_pairs())
    assert model.evidence([], []) == 0
    assert not model.is_mirrored([], [])


@pytest.mark.slow
def test_the_command_writes_what_it_fitted_and_checks_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mirror, "PICTURES", {Layout.SINGLE: 1})
    monkeypatch.setattr(mirror, "OTHERS", ())
    for path in model_folder().glob("*.*n*"):
        shutil.copy(path, tmp_path)
    (tmp_path / "mirror.json").unlink()
    result = CliRunner().invoke(main, ["train", "mirror", "--models", str(tmp_path), "--decks", "4"])
    assert result.exit_code == 0, result.output
    before = (tmp_path / "mirror.json").read_text()
    assert before != (model_folder() / "mirror.json").read_text()
    again = CliRunner().invoke(main, ["train", "mirror", "--models", str(tmp_path), "--decks", "4", "--check"])
    # A card, its degraded copy, and a lone reverse.
    assert "of 3 pictures" in again.output
    assert (tmp_path / "mirror.json").read_text() == before
