"""What vision tells the rest: a reading, and the same one made surer or less sure."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.cards import Card
from companion.vision.geometry import unit_square
from companion.vision.sightings import Sighting

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


def test_the_number_of_probabilities_is_that_of_the_cards() -> None:
    with pytest.raises(ValueError, match="2 cards with 1 probabilities"):
        reading(0.9)
