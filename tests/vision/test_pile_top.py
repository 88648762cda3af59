"""Draws without a visible hand, inferred from the draw pile's top."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from companion.vision.arms.arm_tracks import Sample, Track
from companion.vision.arms.hand_visits import Spot
from companion.vision.core.events import Arm, CardLanded, PileEvent, PileKind, PileReached
from companion.vision.core.geometry import Image
from companion.vision.tracking.draw_pile_change import DrawPileMonitor, TopChange
from companion.vision.tracking.idle_snapshots import IdleSnapshots

DISCARD = Spot(PileKind.DISCARD, np.array([200.0, 200.0]), 80.0)
DRAW = Spot(PileKind.DRAW, np.array([420.0, 200.0]), 80.0)
ARM = Arm(90.0, 8.0, 1)


def picture(discard: int = 0, draw: int = 0) -> Image:
    """Return a table on which the piles are so many pixels to the right of where they lay."""
    image = np.full((360, 640, 3), 120, np.uint8)
    for x, shift in ((200, discard), (420, draw)):
        for number in range(6):
            corner = x - 25 + shift + 8 * number, 165 + 10 * number
            cv2.rectangle(image, corner, (corner[0] + 10, corner[1] + 12), (30, 40, 200), -1)
    return image


def changes(
    show: Callable[[float], Image], events: tuple[PileEvent, ...] = (), held: tuple[PileReached, ...] = ()
) -> list[TopChange]:
    """Return the events of six seconds of such pictures."""
    quiet, top = IdleSnapshots(), DrawPileMonitor()
    found: list[TopChange | None] = []
    for number in range(90):
        time = number / 15
        top.note(event for event in events if time <= event.time < time + 1 / 15)
        quiet.see(show(time), time, None, 0.0)
        found.append(top.look(quiet, DISCARD, DRAW, held))
    return [change for change in found if change is not None]


def test_a_card_that_is_gone_from_the_draw_pile_is_reported_once() -> None:
    (change,) = changes(lambda time: picture(draw=5 * (time > 2.0)))
    assert change.began < 2.0 < change.ended < 3.0
    assert change.share > 0.08


@pytest.mark.parametrize(
    "show",
    [
        pytest.param(lambda time: picture(5 * (time > 2.0), 5 * (time > 2.0)), id="a knock"),
        pytest.param(lambda time: picture(draw=5 * (2.0 < time < 2.4)), id="a hand that passes"),
        pytest.param(lambda time: picture(draw=round(6 * time)), id="a hand that moves on and on"),
        pytest.param(lambda time: picture(discard=5 * (time > 2.0)), id="the other pile"),
        pytest.param(lambda time: (picture() * (1.0 if time < 2.0 else 0.7)).astype(np.uint8), id="a lamp"),
    ],
)
def test_nothing_is_gone_from_the_draw_pile_by(show: Callable[[float], Image]) -> None:
    assert changes(show) == []


@pytest.mark.parametrize(
    ("event", "reported"),
    [
        (CardLanded(2.1, ()), False),
        (CardLanded(0.5, ()), True),
        (PileReached(2.1, 1.7, ARM, PileKind.DRAW, (0.1, 0.9)), False),
        (PileReached(2.1, 1.7, ARM, PileKind.DRAW, (0.9, 0.1)), True),
        (PileReached(2.1, 1.7, ARM, PileKind.DISCARD), True),
    ],
)
def test_what_is_accounted_for_is_not_reported(event: PileEvent, reported: bool) -> None:
    assert bool(changes(lambda time: picture(draw=5 * (time > 2.0)), (event,))) is reported
    if isinstance(event, PileReached) and event.drawn:
        assert bool(changes(lambda time: picture(draw=5 * (time > 2.0)), held=(event,))) is reported


def hand(number: int, goal: tuple[float, float]) -> Track:
    """Return an arm that reaches in from below for a second, from the second one on, and rests there for another."""
    rim, there = np.array([420.0, 400.0]), np.array(goal)
    ways = [min(1.0, step / 15) for step in range(30)]
    samples = [
        Sample(2 + n / 15, rim + (there - rim) * way, rim, 30.0, 400.0, single=True) for n, way in enumerate(ways)
    ]
    return Track(number, samples)


@pytest.mark.parametrize(
    ("goals", "whose"),
    [(((420, 290), (420, 320)), 0), (((420, 320), (420, 290)), 1), (((420, 350), (420, 350)), None), ((), None)],
)
def test_it_was_the_hand_that_was_nearest_meanwhile(goals: tuple[tuple[float, float], ...], whose: int | None) -> None:
    tracks = [hand(number, goal) for number, goal in enumerate(goals)]
    reach = TopChange(2.5, 3.5, 0.2).hand(tracks, [DISCARD, DRAW])
    assert (None if reach is None else reach.track.number) == whose
    if reach is not None:
        assert (reach.kind, reach.began, reach.ended) == (
            PileKind.DRAW,
            pytest.approx(2.5, abs=0.1),
            pytest.approx(3.5, abs=0.1),
        )
    assert TopChange(7.0, 8.0, 0.2).hand(tracks, [DISCARD, DRAW]) is None
