"""Films of simulated tables at which people act, for fits of what their arms did."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from companion.cards import Card, EditionName
from companion.cards import deck as cards_of
from companion.dataset.simulated.script import Script, Writer, write_script
from companion.dataset.simulated.seating import draw_chairs
from companion.dataset.simulated.simulation import SimulatedTable
from companion.vision.capture.frames import Frame
from companion.vision.core.events import PileEvent
from companion.vision.pile.pile_tracker import PileTracker
from companion.vision.recognition.card_detector import CardDetector
from companion.vision.tracking.draw_inference import DrawModel
from companion.vision.tracking.landing_attribution import LandingModel
from companion.vision.tracking.table_tracker import TableTracker

# Frames per second: arms are tracked no faster.
_RATE = 15.0

Act = Callable[[Writer, float, Sequence[Card], tuple[float, float]], None]
"""Writes one action. Given: the writer, a number from 0 to 1 that chooses it, the cards, the draw pile's place (mm)."""


def acted_table(seed: int, number: int, act: Act, actions: int) -> SimulatedTable:
    """Return a table at which two to six people act so many times; a card is laid first."""
    edition = list(EditionName)[number % len(EditionName)]
    rng = np.random.default_rng([seed, number])
    players = [f"Player {seat}" for seat in range(int(rng.integers(2, 7)))]
    header = write_script(0, edition, players, longest=1).header
    turn, far = rng.uniform(-0.3, 0.3) + np.pi * rng.integers(2), rng.uniform(80, 130)
    pile = float(far * np.cos(turn)), float(far * np.sin(turn))
    writer = Writer(rng, len(players), float(rng.uniform(4, 15)), float(rng.uniform(0.2, 0.9)), pile, lively=True)
    cards = sorted(set(cards_of(edition)), key=str)
    for action in range(actions):
        act(writer, 1.0 if action == 0 else float(rng.random()), cards, pile)
    writer.wait(1.5, 1.6)
    steps = tuple(sorted(writer.steps, key=attrgetter("time")))
    script = Script(header, steps, (), writer.now, draw_chairs(rng, len(players)), pile)
    return SimulatedTable(seed + number, script, edition, rate=_RATE)


def watch(
    detector: CardDetector,
    table: SimulatedTable,
    draws: DrawModel | None = None,
    landings: LandingModel | None = None,
) -> list[PileEvent]:
    """Return the events of a whole film, as the table's tracker reports them with these models."""
    tracker = PileTracker(detector.detect_pile, detect_closeup=detector.detect_closeup)
    follower = TableTracker(tracker, detector.backs, draws=draws, landings=landings)
    events = [event for f in table.frames() for event in follower.feed(Frame(f.image, f.time, f.number))]
    return [*events, *follower.finish()]


def seats_of(table: SimulatedTable) -> NDArray[np.float64]:
    """Return the players' directions in degrees clockwise from up, as of an arm's."""
    top = table.new_tabletop()
    away = np.array([top.point(chair.x, chair.y) - top.point(0, 0) for chair in table.script.chairs])
    return np.degrees(np.arctan2(away[:, 0], -away[:, 1])) % 360


def nearest_seat(seats: NDArray[np.float64], direction: float) -> int:
    """Return the number of the seat whose direction (degrees) is nearest to an arm's."""
    return int(np.abs((seats - direction + 180) % 360 - 180).argmin())
