"""The seat model: what arms and people's statements teach about a seat."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.table.state.seat_model import Seat, unknown

from .test_arms import SEATS


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.floats(0, 359.9), max_size=25), st.lists(st.floats(0.3, 6), min_size=1, max_size=4))
def test_arm_density_of_a_seat_is_a_distribution(directions: list[float], weights: list[float]) -> None:
    seat = Seat()
    for place, direction in enumerate(directions):
        seat = seat.plus(direction, weights[place % len(weights)])
    assert sum(seat.density(float(direction), 11.0) for direction in range(360)) == pytest.approx(1, abs=0.01)


def test_answer_against_a_known_seat_teaches_little() -> None:
    ring = unknown(3)
    for place, direction in enumerate(SEATS.values()):
        for off in (-5, 0, 5):
            ring = ring.teach(place, direction + off, 4.0)
    assert ring.corrected_by_players(0, SEATS["Cy"], 4.0).shares(SEATS["Cy"], 4.0)[2] > 0.9
    assert ring.corrected_by_players(0, 80.0, 4.0).shares(80.0, 4.0)[0] > 0.8


def test_single_arm_does_not_move_a_seat() -> None:
    seat = Seat().plus(200, 1.0)
    for direction in (20, 25, 15):
        seat = seat.plus(direction, 1.0)
    assert seat.bunch.middle == pytest.approx(20, abs=3)
