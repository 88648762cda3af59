"""Tests of calibration fitted on readings that are known to be right or wrong."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from companion.cards import Card
from companion.dataset.scenes.compose import SceneMaker
from companion.dataset.scenes.layouts import Layout
from companion.models.evaluation.pictures import Labelled, Reading, fitted
from companion.models.fitting import calibration
from companion.models.fitting.calibration import Bin, Judged
from companion.vision.core.calibration import Calibration, Kind
from companion.vision.core.geometry import Image, corner_frames, unit_square
from companion.vision.core.limits import ReadingLimits
from companion.vision.core.runtime import ModelFileError, model_folder
from companion.vision.core.sightings import RUNNER_UP_BELOW, Sighting
from companion.vision.recognition.card_detector import CardDetector

RED_7, RED_1 = Card.parse("red 7"), Card.parse("red 1")


def _readings(corners: int, right: float, count: int = 60) -> list[Reading]:
    """Return `count` pictures with corners read as red 7 with confidence 0.8, of which a share is right."""
    corner = Sighting(unit_square(), (RED_7, RED_1), (0.8, 0.2), whole=False)
    return [
        Reading(
            Labelled(Path("none"), Counter({RED_7 if i < right * count else RED_1: corners}), ()), (corner,) * corners
        )
        for i in range(count)
    ]


def test_underconfident_corners_are_calibrated_upwards() -> None:
    assert fitted(_readings(1, 0.8), Calibration()).index == pytest.approx(1.0, abs=0.05)
    assert fitted(_readings(1, 0.95), Calibration()).index < 0.6
    assert fitted(_readings(1, 0.6), Calibration()).index > 2


def test_corners_in_fans_have_their_own_temperature() -> None:
    both = [*_readings(1, 0.8, 300), *_readings(3, 0.95)]
    found = fitted(both, Calibration(card=1.2))
    assert found.index * found.fanned == pytest.approx(fitted(_readings(3, 0.95), Calibration()).index, rel=0.05)
    assert found.fanned < 0.7
    # Parts without such readings stay.
    assert found.card == 1.2
    assert fitted(_readings(1, 0.8), Calibration(fanned=0.65)).fanned == 0.65


def _judged(kind: Kind, confidence: float, right: float, count: int = 400) -> list[Judged]:
    sighting = Sighting(unit_square(), (RED_7, RED_1), (confidence, (1 - confidence) * 0.9), kind is not Kind.FANNED)
    return [Judged(kind, sighting, i < right * count) for i in range(count)]


def test_the_temperature_of_corners_in_a_fan_is_fitted_on_them_alone() -> None:
    readings = [*_judged(Kind.FANNED, 0.6, 0.8), *_judged(Kind.FANNED, 0.9, 0.95), *_judged(Kind.OPEN, 0.9, 0.2)]
    found = calibration.fitted(readings, Calibration(card=1.1, index=1.3))
    assert (found.card, found.index) == (1.1, 1.3)
    assert found == calibration.fitted(readings[:800], Calibration(card=1.1, index=1.3))
    levels = [level for level, _ in calibration.calibrated(readings, found)[Kind.FANNED]]
    assert np.mean(levels) == pytest.approx(0.875, abs=0.05)
    assert calibration.fitted(_judged(Kind.FANNED, 0.9, 1.0, 20), Calibration(fanned=0.7)) == Calibration(fanned=0.7)


def test_a_wild_corner_has_its_own_cap() -> None:
    corners = [Sighting(unit_square(), (Card.parse(name),), (0.99,), False) for name in ("red 7", "wild", "blue 2")]
    assert Calibration.kinds(corners) == [Kind.FANNED, Kind.WILD, Kind.FANNED]
    assert [card.confidence >= RUNNER_UP_BELOW for card in Calibration().in_picture(corners)] == [True, False, True]


class Answers:
    """Returns the sightings that it was given."""

    def __init__(self, found: list[Sighting]) -> None:
        self._found = found

    def detect(self, image: Image) -> list[Sighting]:
        return self._found


def test_the_corner_of_a_zero_is_right_either_way_up() -> None:
    scene = SceneMaker(3, (1280, 720), deck_count=1).make(Layout.FAN)
    top = scene.cards[-1]
    index = corner_frames(top.quad)[0].mean(0)
    away = Sighting(np.asarray(2 * index - top.quad, np.float32), (top.card,), (0.9,), whole=False)
    other = replace(away, quad=away.quad + 400)
    judged = list(calibration.judged(Answers([away, other]), scene.image, scene))  # type: ignore[arg-type]
    assert [one.right for one in judged] == [True, False]


def test_calibration_leaves_the_probability_that_no_card_of_the_deck_lies_there() -> None:
    calibration = Calibration(fanned=0.5)
    corner = Sighting(unit_square(), (RED_7, RED_1), (0.6, 0.3), whole=False)
    known, doubted = (
        calibration.calibrated(corner, Kind.FANNED),
        calibration.calibrated(corner.with_other(0.4), Kind.FANNED),
    )
    assert doubted.probabilities == pytest.approx([0.6 * p for p in known.probabilities])
    assert doubted.other == 0.4
    assert doubted.given_card.probabilities == pytest.approx(known.probabilities)


def test_calibrations_are_saved_and_loaded(tmp_path: Path) -> None:
    whole = Calibration(1.1, 1.3, 0.7)
    whole.save(tmp_path / "calibration.json")
    assert Calibration.load(tmp_path / "calibration.json") == whole


def test_a_calibration_with_an_unknown_entry_is_refused(tmp_path: Path) -> None:
    (tmp_path / "calibration.json").write_text('{"card": 1.1, "cards": 1.2}')
    with pytest.raises(ModelFileError, match=r"calibration\.json"):
        Calibration.load(tmp_path / "calibration.json")
    (tmp_path / "calibration.json").write_text('{"card": 1.1, "curves": {}}')
    assert Calibration.load(tmp_path / "calibration.json") == Calibration(card=1.1)


def test_limits_with_a_name_of_old_calibrations_are_malformed(tmp_path: Path) -> None:
    path = tmp_path / "limits.json"
    path.write_text(json.dumps(json.loads((model_folder() / path.name).read_text()) | {"curves": {}}))
    with pytest.raises(ModelFileError, match=r"limits\.json"):
        ReadingLimits.load(path)


def test_intervals_are_wilson_intervals() -> None:
    low, high = Bin(0.5, 0.7, 25, 0.64, 18).interval
    # Reference values for 18 of 25.
    assert (low, high) == (pytest.approx(0.524, abs=0.001), pytest.approx(0.857, abs=0.001))
    counted = calibration.bins([(0.6, True), (0.65, False), (1.0, True), (0.3, False)])
    assert [one.count for one in counted] == [2, 0, 0, 0, 1]


@pytest.mark.slow
def test_drawn_decks_are_read_and_labelled() -> None:
    detector = replace(CardDetector.shipped(), calibration=Calibration())
    judged = []
    # Decks depend on the computer's fonts: deck 3 is unreadable in Liberation, this one is readable in it and in
    # DejaVu.
    for one in calibration.drawn(detector, [5], 1):
        judged.append(one)
        if len(judged) == 12:
            break
    assert {one.kind for one in judged} <= set(Kind)
    assert sum(one.right for one in judged) > 6
