"""Sightings: a reading, and the same with higher or lower confidence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.cards import Card
from companion.vision.core.calibration import Calibration
from companion.vision.core.geometry import unit_square
from companion.vision.core.sightings import CERTAIN, RUNNER_UP_BELOW, Sighting
from companion.vision.recognition.mirror import is_better, is_fairly_read

RED_7, RED_1 = Card.parse("red 7"), Card.parse("red 1")


def reading(*probabilities: float) -> Sighting:
    return Sighting(unit_square(), (RED_7, RED_1), probabilities, whole=True)


def test_half_the_temperature_squares_the_odds() -> None:
    assert reading(0.8, 0.1).tempered(0.5).probabilities == pytest.approx((64 / 66, 1 / 66))


@given(st.floats(0.5, 0.99), st.floats(0.3, 3.0))
def test_a_temperature_changes_how_sure_a_reading_is_and_not_what_is_read(best: float, temperature: float) -> None:
    before = reading(best, 0.9 * (1 - best))
    after = before.tempered(temperature)
    assert after.cards == before.cards
    assert sum(after.probabilities) <= 1 + 1e-9
    assert after.confidence == pytest.approx(best, abs=1e-9) or (after.confidence > best) is (temperature < 1)
    assert np.argsort(after.probabilities).tolist() == np.argsort(before.probabilities).tolist()


def test_uncertain_reading_names_its_runner_up() -> None:
    doubted = reading(0.999, 0.001).capped(CERTAIN)
    assert 0.9 < doubted.confidence <= CERTAIN
    assert doubted.tempered(0.5).confidence <= CERTAIN < RUNNER_UP_BELOW
    assert doubted.tempered(0.5).alternative == RED_1
    assert doubted.tempered(3.0).confidence < doubted.confidence
    assert doubted.capped(0.99).confidence == pytest.approx(doubted.confidence)


def test_corners_in_a_fan_alone_are_reported_with_calibrated_confidence() -> None:
    calibration = Calibration(fanned=0.5)
    corner, whole = replace(reading(0.8, 0.1), whole=False), reading(0.8, 0.1)
    reported = calibration.in_picture([whole, corner, corner, corner])
    assert [sighting.confidence for sighting in reported] == pytest.approx([0.8, *[64 / 66] * 3])
    assert calibration.in_picture([whole, corner, corner]) == [whole, corner, corner]


def test_the_number_of_probabilities_is_that_of_the_cards() -> None:
    with pytest.raises(ValueError, match="2 cards with 1 probabilities"):
        reading(0.9)


def test_another_makers_card_is_doubted_and_read_as_clearly_as_before() -> None:
    doubted = reading(0.8, 0.1).with_other(0.75)
    assert doubted.probabilities == pytest.approx((0.2, 0.025))
    assert doubted.clarity == pytest.approx(0.8)
    assert doubted.given_card.probabilities == pytest.approx((0.8, 0.1))
    assert reading(0.8, 0.1).with_other(1.0).clarity == 0.0


def test_a_look_that_reads_cards_more_clearly_is_better_although_they_may_be_another_makers() -> None:
    vague, clear = reading(0.6, 0.3), reading(0.9, 0.05).with_other(0.5)
    assert is_better([clear], [vague])
    assert not is_better([vague], [clear])
    assert not is_fairly_read([clear]), "a finer look may show whose card it is"
