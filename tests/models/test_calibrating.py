"""Tests of calibration fitted on readings that are known to be right or wrong."""

from __future__ import annotations

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
from companion.vision.core.calibration import Calibration, Curve, Kind
from companion.vision.core.geometry import Image, corner_frames, unit_square
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


def test_the_curve_gives_how_often_corners_in_a_fan_are_right() -> None:
    readings = [*_judged(Kind.FANNED, 0.6, 0.8), *_judged(Kind.FANNED, 0.9, 0.95), *_judged(Kind.OPEN, 0.9, 0.8)]
    found = calibration.fitted(readings, Calibration(card=1.1, index=1.3))
    found_levels = {
        kind: {round(level, 1) for level, _ in ones} for kind, ones in calibration.calibrated(readings, found).items()
    }
    assert found_levels == {Kind.FANNED: {0.8, 1.0}, Kind.OPEN: {0.9}}
    # Open cards are calibrated with their fusion.
    assert (found.card, found.index) == (1.1, 1.3)
    assert set(found.curves) == {Kind.FANNED}
    few = calibration.fitted(_judged(Kind.FANNED, 0.9, 1.0, 20), Calibration(fanned=0.7))
    assert few == Calibration(fanned=0.7)


def test_capped_readings_are_left_out_of_the_fit() -> None:
    free, held = _judged(Kind.FANNED, 0.8, 0.9), _judged(Kind.FANNED, 0.74, 0.1)
    held = [replace(one, sighting=replace(one.sighting, most=0.74)) for one in held]
    found = calibration.fitted([*free, *held], Calibration())
    curve = found.curves[Kind.FANNED]
    assert curve(0.8) > 0.8


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


def test_only_doubtful_readings_are_on_the_curve() -> None:
    found = calibration.fitted(_judged(Kind.FANNED, 0.95, 1.0), Calibration())
    assert found.fanned < 0.7
    assert not found.curves


def test_a_curve_never_falls() -> None:
    contrary = [*_judged(Kind.FANNED, 0.6, 0.9), *_judged(Kind.FANNED, 0.95, 0.5)]
    curve = calibration.fitted(contrary, Calibration()).curves[Kind.FANNED]
    assert curve(0.6) <= curve(0.95)


def test_confidences_are_calibrated_by_kind() -> None:
    calibration = Calibration(curves={Kind.OPEN: Curve(1.0, 1.0), Kind.CORNER: Curve(1.0, -0.5)})
    doubtful = Sighting(unit_square(), (RED_7, RED_1), (0.6, 0.3), whole=True)
    sure = Sighting(unit_square(), (RED_7, RED_1), (0.98, 0.01), whole=True)
    alone, beyond = calibration.in_picture([doubtful, sure])
    assert alone.confidence == pytest.approx(0.803, abs=0.001)
    # The others share the rest as before.
    assert alone.probabilities[1] == pytest.approx(0.3 / 0.4 * (1 - alone.confidence))
    assert beyond is sure
    corner = replace(doubtful, whole=False)
    assert calibration.in_picture([corner])[0].confidence == pytest.approx(0.476, abs=0.001)
    # The most likely card stays the most likely.
    none = Calibration(curves={Kind.OPEN: Curve(0.0, -3.0)}).in_picture([doubtful])[0]
    assert none.probabilities == pytest.approx((3 / 7, 3 / 7))
    # A reading below the limit stays below it.
    most = Calibration(curves={Kind.OPEN: Curve(1.0, 9.0)})
    assert most.in_picture([doubtful])[0].confidence < 0.97
    assert most.in_picture([doubtful.capped(0.7)])[0].confidence < 0.97


def test_calibrations_are_saved_and_loaded(tmp_path: Path) -> None:
    whole = Calibration(1.1, 1.3, 0.7, {Kind.OPEN: Curve(0.8, 0.5)})
    whole.save(tmp_path / "calibration.json")
    assert Calibration.load(tmp_path / "calibration.json") == whole


def test_intervals_are_wilson_intervals() -> None:
    low, high = Bin(0.5, 0.7, 25, 0.64, 18).interval
    # Reference values for 18 of 25.
    assert (low, high) == (pytest.approx(0.524, abs=0.001), pytest.approx(0.857, abs=0.001))
    counted = calibration.bins([(0.6, True), (0.65, False), (1.0, True), (0.3, False)])
    assert [one.count for one in counted] == [2, 0, 0, 0, 1]


@pytest.mark.slow
def test_drawn_decks_are_read_and_labelled() -> None:
    detector = CardDetector.shipped().with_calibration(Calibration())
    judged = []
    # Decks depend on the computer's fonts: deck 3 is unreadable in Liberation, this one is readable in it and in
    # DejaVu.
    for one in calibration.drawn(detector, [5], 1):
        judged.append(one)
        if len(judged) == 12:
            break
    assert {one.kind for one in judged} <= set(Kind)
    assert sum(one.right for one in judged) > 6
