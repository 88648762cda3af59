"""Position of the draw pile if several objects look like a back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.vision.core.sightings import Back
from companion.vision.imaging.zone import Zone
from companion.vision.tracking.draw_pile import DrawPile

pytestmark = pytest.mark.slow

ZONE = Zone(300.0, 200.0, 80.0)
BACK = (440.0, 200.0)


def box(x: float, y: float, length: float = 80.0, score: float = 1.0) -> Back:
    half = np.array([length * 0.32, length / 2])
    quad = np.array([x, y]) + np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half
    return Back(np.asarray(quad, np.float32), score)


def found(pile: DrawPile) -> tuple[float, float]:
    spot = pile.spot(ZONE)
    assert spot is not None
    return float(spot.middle[0]), float(spot.middle[1])


def test_of_two_boxes_side_by_side_it_is_the_one_to_which_hands_go() -> None:
    """As a dark square of the tablecloth beside a back is boxed as well, nearer to the discard pile."""
    pile, square = DrawPile(), (395.0, 200.0)
    pile.add_backs([box(*BACK), box(*square)], ZONE, 0.0)
    assert found(pile) == pytest.approx(square)
    pile.add_visit(np.array([434.0, 204.0]), ZONE, side=4, track=1)
    assert found(pile) == pytest.approx(BACK)


def test_of_two_boxes_side_by_side_it_is_the_one_that_is_always_seen() -> None:
    pile = DrawPile()
    for time in range(6):
        pile.add_backs([box(*BACK), *[box(395.0, 200.0)] * (time < 3)], ZONE, 40.0 * time)
    assert found(pile) == pytest.approx(BACK)


def test_what_barely_looks_like_a_back_gives_way_to_what_clearly_does() -> None:
    """A patch of the tablecloth nearer to the pile is boxed in each look, with little evidence that it is a back."""
    pile = DrawPile()
    for time in range(3):
        pile.add_backs([box(*BACK, score=0.9), box(200.0, 200.0, score=0.58)], ZONE, 40.0 * time)
    assert found(pile) == pytest.approx(BACK)


def test_what_the_rim_cuts_gives_way_to_what_has_a_cards_shape() -> None:
    """The shape of what the border cuts is no evidence, and much that enters the picture is boxed there."""
    pile, size = DrawPile(), (640, 325)
    cut = box(300.0, 318.0, score=0.9)
    cut = replace(cut, quad=np.minimum(cut.quad, np.array([640, 325], np.float32)))
    for time in range(3):
        pile.add_backs([box(*BACK, score=0.7), cut], ZONE, 40.0 * time, size)
    assert found(pile) == pytest.approx(BACK)


def test_what_is_boxed_twice_in_a_look_was_seen_once() -> None:
    pile = DrawPile()
    for time in range(4):
        pile.add_backs([box(*BACK), *[box(300.0, 310.0), box(302.0, 306.0)] * (time < 2)], ZONE, 40.0 * time)
    assert found(pile) == pytest.approx(BACK)


@pytest.mark.parametrize(("away", "made_out"), [(0.66, True), (0.5, False)])
def test_it_may_touch_the_discard_pile(away: float, made_out: bool) -> None:
    pile = DrawPile()
    pile.add_backs([box(300.0 + 80.0 * away, 200.0)], ZONE, 0.0)
    assert (pile.spot(ZONE) is not None) is made_out
