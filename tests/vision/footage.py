"""Short films of the simulated table for the tracker's tests, and the tracker's events for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from companion.bench.simulation.pile_scoring import ExactSightings, follow
from companion.cards import Card
from companion.dataset.scenes.layouts import Placement
from companion.dataset.simulated.actions import (
    Action,
    Lay,
    Pace,
    Step,
)
from companion.dataset.simulated.script import Script, write_script
from companion.dataset.simulated.simulation import SimulatedFrame, SimulatedTable
from companion.vision.capture.frames import Frame
from companion.vision.core.events import PileEvent, PileReached
from companion.vision.core.sightings import Sighting
from companion.vision.pile.pile_tracker import Detect, PileTracker
from companion.vision.tracking.table_tracker import TableTracker

SIZE = (640, 360)
PACE = Pace(0.4, 0.2, 0.4)
RED_7, BLUE_3, GREEN_9 = Card.parse("red 7"), Card.parse("blue 3"), Card.parse("green 9")
WILD, YELLOW_1 = Card.parse("wild"), Card.parse("yellow 1")
HEADER = write_script(0, longest=1).header


def lay(card: Card, angle: float = 0.3, x: float = 0.0, y: float = 0.0, seat: int = 0) -> Lay:
    return Lay(seat, PACE, card, Placement(x, y, angle))


def table(*actions: Action, seed: int = 2, pause: float = 2.0, size: tuple[int, int] = SIZE) -> SimulatedTable:
    """Return a table at which these actions begin two seconds apart."""
    steps = tuple(Step(1.0 + pause * i, action) for i, action in enumerate(actions))
    return SimulatedTable(seed, Script(HEADER, steps, (), 1.0 + pause * len(actions) + 0.5), size=size, fonts=())


def watch(*actions: Action, seed: int = 2, detector: ExactSightings | None = None) -> list[PileEvent]:
    """Return what the tracker says about these actions."""
    return [event for _, event in follow(table(*actions, seed=seed), detector or ExactSightings())[0]]


def reported(events: Sequence[PileEvent]) -> list[tuple[type, str]]:
    """Return the kinds of events with the most probable card's name."""
    return [(type(e), e.probabilities[0][0].name if getattr(e, "probabilities", ()) else "") for e in events]


def played(footage: SimulatedTable, exact: ExactSightings, tracker: PileTracker | TableTracker) -> list[PileEvent]:
    """Return what a tracker that sees by `exact` says about the pile in the footage; one of piles knows no arms."""
    events: list[PileEvent] = []
    for frame in footage.frames():
        exact.show(frame)
        events += tracker.feed(Frame(frame.image, frame.time, frame.number))
    return [event for event in events if not isinstance(event, PileReached)]


def exactly(stills: Sequence[SimulatedFrame]) -> Detect:
    """Return a detector that knows the truth of each of these frames."""
    exact = ExactSightings()

    def detect(image: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> list[Sighting]:
        exact.show(next(frame for frame in stills if np.shares_memory(frame.image, image)))
        return exact(image)

    return detect


def laid(card: Card, seconds: float, seat: int = 1) -> Lay:
    """Return a card laid by an arm that takes so many seconds to leave."""
    return Lay(seat, Pace(0.4, 0.2, seconds), card, Placement(5.0, 0.0, 1.4))


def as_certain(exact: ExactSightings) -> Detect:
    """Return a detector that reads what is there beyond doubt."""
    return lambda image: [replace(s, probabilities=(0.999, 0.0005)) for s in exact(image)]
