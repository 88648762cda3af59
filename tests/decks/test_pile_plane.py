"""Which sides of laid cards are the short ones, seen from above and from the side."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from companion.decks.capture.pile_plane import congruent, upright
from companion.vision.core.geometry import CARD_SIZE, Quad, aspect, intersection_over_union, portrait, turned


def _seen(degrees: float, tilt: float, roll: float = 0.0) -> Quad:
    """Return the outline of a card, turned on its table, seen from that many degrees off the vertical."""
    card = (np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) - 0.5) * CARD_SIZE
    on_table = card @ _turn(degrees) * (1, np.cos(np.radians(tilt)))
    return np.asarray(on_table @ _turn(roll) + 200, np.float32)


def _turn(degrees: float) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    angle = np.radians(degrees)
    return np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])


def test_a_card_alone_keeps_its_shorter_sides() -> None:
    card = _seen(20, 10)
    assert np.array_equal(upright(card, []), card)
    assert np.array_equal(upright(turned(card, 1), []), turned(turned(card, 1), 1))


def test_a_card_shortened_by_a_low_camera_is_no_card_lying_across() -> None:
    others = [portrait(_seen(degrees, 60)) for degrees in (15, 40, 80, 100, 150)]
    card = _seen(0, 60)
    assert aspect(card) > 1
    assert np.array_equal(upright(portrait(card), others), turned(portrait(card), 1))


@given(
    st.floats(0, 180),
    st.floats(0, 62),
    st.floats(0, 180),
    st.lists(st.floats(0, 180), min_size=12, max_size=20),
    st.integers(0, 1000),
)
def test_cards_of_any_camera_keep_their_short_sides(
    degrees: float, tilt: float, roll: float, others: list[float], seed: int
) -> None:
    """Any outline may start at any corner, and is a hundredth of its length off."""
    assume(len({round(one) // 30 for one in others}) > 2)
    rng = np.random.default_rng(seed)
    quads = [_seen(one, tilt, roll) for one in (degrees, *others)]
    noisy = [np.asarray(turned(one, int(rng.integers(4))) + rng.normal(0, 0.5, (4, 2)), np.float32) for one in quads]
    found = upright(noisy[0], noisy[1:])
    ways = [np.abs(turned(found, way) - quads[0]).max() for way in range(4)]
    assert int(np.argmin(ways)) % 2 == 0


@pytest.mark.parametrize("tilt", [0, 20, 33, 45])
def test_cards_that_are_seen_too_wide_are_not_taken_for_lying_across(tilt: float) -> None:
    """A third of a lesson's cards was stored sideways when the networks' reading of them decided."""
    laid: list[Quad] = []
    for degrees in range(0, 180, 12):
        card = _seen(degrees, tilt)
        laid.append(upright(portrait(card), laid))
        assert np.array_equal(laid[-1], card)


@given(st.floats(0, 180), st.floats(0, 180), st.floats(0, 60), st.integers(0, 3), st.integers(0, 1000))
def test_a_card_is_as_large_as_the_other_one_on_its_table(
    degrees: float, others: float, tilt: float, start: int, seed: int
) -> None:
    """Its rough outline may begin at any corner."""
    card, other = _seen(degrees, tilt), _seen(others, tilt)
    rough = np.asarray(card + np.random.default_rng(seed).normal(0, 1, (4, 2)), np.float32)
    found = congruent(turned(rough, start), other)
    assert intersection_over_union(found, card) > 0.85
    assert np.abs([found - card, np.roll(found, 2, axis=0) - card]).max((1, 2)).min() < 8, (
        "its short sides are the same"
    )
    assert np.allclose(congruent(found, other), found, atol=0.01)
