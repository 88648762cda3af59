"""The pile tracker and the arm that lays a card: what is visible past the leaving arm."""

from __future__ import annotations

import numpy as np
import pytest
from footage import (
    BLUE_3,
    RED_7,
    YELLOW_1,
    as_certain,
    laid,
    lay,
    reported,
    table,
)

from companion.bench.simulation.pile_scoring import ExactSightings
from companion.vision.capture.frames import Frame
from companion.vision.core.events import CardLanded, PileMoved, PileReached
from companion.vision.core.geometry import Image
from companion.vision.core.sightings import Sighting
from companion.vision.pile.pile_tracker import PileTracker
from companion.vision.tracking.table_tracker import TableTracker

pytestmark = pytest.mark.slow


def test_a_card_is_reported_once_while_the_arm_that_laid_it_still_leaves() -> None:
    footage, exact = table(lay(RED_7), laid(BLUE_3, 1.2)), ExactSightings()
    tracker = PileTracker(as_certain(exact))
    follower, said = TableTracker(tracker), []
    for frame in footage.frames():
        exact.show(frame)
        events = follower.feed(Frame(frame.image, frame.time, frame.number))
        said += [(frame.time, tracker.look_count, event) for event in events if not isinstance(event, PileReached)]
    assert reported([event for *_, event in said]) == [(CardLanded, "red 7"), (CardLanded, "blue 3")]
    time, looks, event = said[1]
    let_go, clear = footage.events[1].time, footage.events[1].clear
    assert isinstance(event, CardLanded)
    assert clear is not None
    # The arm needs half a second from the card to the edge of the pile's surroundings.
    assert let_go <= event.time < time <= clear + 0.1
    # What it leaves behind need not be looked at again.
    assert tracker.look_count == looks


_YELLOW, _BLUE = (40, 200, 220), (200, 60, 30)
_NO_ARM = (0, 0, 0, 0)
_GRAIN = np.random.default_rng(0).integers(60, 120, (45, 80, 3), dtype=np.uint8).repeat(8, axis=0).repeat(8, axis=1)


def _picture(mark: tuple[int, int, int], x: int, arm: tuple[int, int, int, int]) -> Image:
    """Return a card with marks that lies so far to the right, and an arm: left, top, right and bottom."""
    image = _GRAIN.copy()
    image[120:240, x : x + 80] = 230
    image[130:230:20, x + 10 : x + 70] = mark
    image[145 if mark == _BLUE else 225 : 230, x + 10 : x + 40] = mark
    left, top, right, bottom = arm
    image[top:bottom, left:right] = (110, 140, 190)
    return image


def _reads(image: Image) -> list[Sighting]:
    rows, columns = np.nonzero((image == 230).all(2))
    x, y = float(columns.min()), float(rows.min())
    card = BLUE_3 if (image == _BLUE).all(2).any() else YELLOW_1
    quad = np.array([[x, y], [x + 80, y], [x + 80, y + 120], [x, y + 120]], np.float32)
    return [Sighting(quad, (card, RED_7), (0.999, 0.0005), whole=True)]


_COMING = [_picture(_YELLOW, 280, (290 + 30 * n, 0, 350 + 30 * n, 90 + 40 * n)) for n in (0, 2, 3, 2, 0)]


@pytest.mark.parametrize("drags", [False, True])
def test_look_past_an_arm_is_reported_after_confirmation(drags: bool) -> None:
    # The arm drags the card along for some way, by a sleeve, or does not.
    leaving = [_picture(_BLUE, 280 + drags * min(24, 8 * n), (384, 0, 450, 280 - 35 * n)) for n in range(6)]
    left = _picture(_BLUE, 280 + drags * 24, _NO_ARM)
    tracker = PileTracker(_reads)
    said = []
    for n, image in enumerate([_picture(_YELLOW, 280, _NO_ARM)] * 20 + _COMING + leaving + [left] * 20):
        said += [(n, event) for event in tracker.feed(Frame(image, n / 30, n))]
    assert reported([event for _, event in said]) == [(CardLanded, "yellow 1"), (CardLanded, "blue 3")]
    at_rest = 20 + len(_COMING) + 3
    assert (said[1][0] > at_rest) is drags


@pytest.mark.parametrize("later", [False, True])
def test_what_the_arm_stirs_as_it_lets_go_is_no_move_of_its_own(later: bool) -> None:
    arms = [(384, 0, 450, 280 - 35 * n) for n in range(6)]
    # It lies still for two pictures while the arm leaves, then gives a little as it is let go, or is pushed later.
    leaving = [_picture(_BLUE, 280 + (not later) * max(0, min(12, 4 * n - 8)), arm) for n, arm in enumerate(arms)]
    left, pushed = _picture(_BLUE, 280, _NO_ARM), _picture(_BLUE, 292, _NO_ARM)
    pictures = [_picture(_YELLOW, 280, _NO_ARM)] * 20 + _COMING + leaving + [left] * 40 * later + [pushed] * 20
    tracker, said = PileTracker(_reads), []
    for n, image in enumerate(pictures):
        said += tracker.feed(Frame(image, n / 30, n))
    assert [type(event) for event in said] == [CardLanded, CardLanded, *[PileMoved] * later]
