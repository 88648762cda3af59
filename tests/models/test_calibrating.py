"""Fitting temperatures on readings that are known to be right or wrong."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from companion.cards import Card
from companion.models.evaluate import Labelled, Reading, fitted
from companion.vision.calibration import Calibration
from companion.vision.geometry import unit_square
from companion.vision.sightings import Sighting

RED_7, RED_1 = Card.parse("red 7"), Card.parse("red 1")


def _readings(corners: int, right: float, count: int = 60) -> list[Reading]:
    """Return pictures with so many corners said to be a red 7 with 0.8, of which a share is right."""
    corner = Sighting(unit_square(), (RED_7, RED_1), (0.8, 0.2), whole=False)
    return [
        Reading(
            Labelled(Path("none"), Counter({RED_7 if i < right * count else RED_1: corners}), ()), (corner,) * corners
        )
        for i in range(count)
    ]


def test_corners_are_told_more_surely_where_they_are_more_often_right_than_said() -> None:
    assert fitted(_readings(1, 0.8), Calibration()).index == pytest.approx(1.0, abs=0.05)
    assert fitted(_readings(1, 0.95), Calibration()).index < 0.6
    assert fitted(_readings(1, 0.6), Calibration()).index > 2


def test_corners_in_fans_have_a_share_of_their_own() -> None:
    both = [*_readings(1, 0.8, 300), *_readings(3, 0.95)]
    found = fitted(both, Calibration(card=1.2, pile=0.85))
    assert found.index * found.fanned == pytest.approx(fitted(_readings(3, 0.95), Calibration()).index, rel=0.05)
    assert found.fanned < 0.7
    # What these readings tell nothing of stays.
    assert (found.card, found.pile) == (1.2, 0.85)
    assert fitted(_readings(1, 0.8), Calibration(fanned=0.65)).fanned == 0.65
