"""What the report of simulated matches makes of the readings."""

from __future__ import annotations

import pytest

from companion.bench.matches import best_temperature


@pytest.mark.parametrize(("right", "fits"), [(90, 1.0), (99, 0.48), (75, 2.0)])
def test_the_temperature_that_fits_is_the_one_that_makes_confidences_true(right: int, fits: float) -> None:
    readings = [(0.9, 0.1)] * right + [(0.1, 0.9)] * (100 - right)
    assert best_temperature(readings) == pytest.approx(fits, rel=0.03)
