"""The pile tracker beside cards held in view that move all the time."""

from __future__ import annotations

import numpy as np
import pytest
from footage import BLUE_3, GREEN_9, RED_7, SIZE, lay, reported, table

from companion.bench.simulation.pile_scoring import ExactSightings
from companion.vision.capture.frames import Frame
from companion.vision.core.events import CardLanded, PileEvent
from companion.vision.imaging.masks import NO_ARMS, ArmMasks
from companion.vision.pile.pile_tracker import PileTracker

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("ignored", [False, True])
def test_a_card_is_reported_at_once_though_something_moves_about_the_pile(ignored: bool) -> None:
    footage, exact = table(lay(RED_7), lay(BLUE_3, angle=1.4, x=9, seat=1), lay(GREEN_9, seat=2)), ExactSightings()
    tracker, noise = PileTracker(exact), np.random.default_rng(1)
    events: list[PileEvent] = []
    for frame in footage.frames():
        zone, arms = tracker.zone, NO_ARMS
        if zone is not None:
            # Nearer than a card may land, farther than the pile itself.
            x, y, near = int(zone.x), int(zone.y), int(1.05 * zone.length)
            restless = np.zeros((SIZE[1], SIZE[0]), np.uint8)
            restless[: max(0, y - near), x - near : x + near] = 1
            frame.image[restless > 0] = noise.integers(0, 255, (int(restless.sum()), 3))
            arms = ArmMasks(ignored=restless[::4, ::4] if ignored else None)
        exact.show(frame)
        events += tracker.feed(Frame(frame.image, frame.time, frame.number), arms)
    everything = [(CardLanded, "red 7"), (CardLanded, "blue 3"), (CardLanded, "green 9")]
    assert (reported(events) == everything) is ignored
