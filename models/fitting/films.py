"""Films of simulated tables at which people lay, draw, rest and reach together, for fits of what arms did."""

from __future__ import annotations

from operator import attrgetter

import numpy as np

from companion.cards import EditionName
from companion.cards import deck as cards_of
from companion.dataset.simulated.actions import Reach, Rest, Step
from companion.dataset.simulated.script import Nuisances, Script, Writer, write_script
from companion.dataset.simulated.seating import draw_chairs
from companion.dataset.simulated.simulation import SimulatedTable
from companion.vision.capture.frames import Frame
from companion.vision.core.events import PileEvent
from companion.vision.pile.pile_tracker import PileTracker
from companion.vision.recognition.card_detector import CardDetector
from companion.vision.tracking.draw_inference import DrawModel
from companion.vision.tracking.landing_attribution import LandingModel
from companion.vision.tracking.table_tracker import TableTracker

RATE = 15.0
"""Frames per second: arms are tracked no faster."""
ACTIONS = 34
"""Number of actions at each table."""


def lively_table(seed: int, number: int) -> SimulatedTable:
    """Return a table at which cards are laid, half of them while somebody else reaches or rests, and drawn."""
    edition = list(EditionName)[number % len(EditionName)]
    return SimulatedTable(seed + number, _script(np.random.default_rng([seed, number]), edition), edition, rate=RATE)


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


def _script(rng: np.random.Generator, edition: EditionName) -> Script:
    """Return a film's actions: cards laid, half of them while somebody else reaches or rests, and other actions."""
    players = [f"Player {seat}" for seat in range(int(rng.integers(2, 7)))]
    header = write_script(0, edition, players, longest=1).header
    turn, far = rng.uniform(-0.3, 0.3) + np.pi * rng.integers(2), rng.uniform(80, 130)
    pile = float(far * np.cos(turn)), float(far * np.sin(turn))
    writer = Writer(rng, len(players), float(rng.uniform(4, 15)), float(rng.uniform(0.2, 0.9)), pile, lively=True)
    cards = sorted(set(cards_of(edition)), key=str)
    for number in range(ACTIONS):
        what, seat = 1.0 if number == 0 else float(rng.random()), writer.any_seat()
        if what < 0.2:
            writer.draw(seat, int(rng.choice([1, 2, 4], p=[0.75, 0.2, 0.05])))
        elif what < 0.26:
            _reach(writer, seat, (0.0, 0.0), float(rng.choice([40, 120])))
        elif what < 0.34:
            writer.disturb(Nuisances(0, 0, 0.12, 0, 0.4, 0.05, 0, rest=0.3, cup=0.2, shade=0.25, idle=0.5))
        else:
            _meanwhile(writer, (seat + 1 + int(rng.integers(len(players) - 1))) % len(players), pile)
            writer.lay(seat, cards[int(rng.integers(len(cards)))])
        writer.wait(0.2, 0.8)
    writer.wait(1.5, 1.6)
    steps = tuple(sorted(writer.steps, key=attrgetter("time")))
    return Script(header, steps, (), writer.now, draw_chairs(rng, len(players)), pile)


def _meanwhile(writer: Writer, seat: int, pile: tuple[float, float]) -> None:
    """Let somebody else reach over the discard pile or draw at about the same time, or rest a hand; or nobody."""
    rng = writer.rng
    what, began = float(rng.random()), max(0.0, writer.now + float(rng.uniform(-0.8, 0.6)))
    if what < 0.25:
        x, y = rng.normal(0, rng.choice([30, 80]), 2)
        writer.steps.append(Step(began, Reach(seat, writer.pace(0.5), float(x), float(y), beside=True)))
    elif what < 0.35:
        writer.steps.append(Step(began, Reach(seat, writer.pace(0.2), *pile, draws=True, beside=True)))
    elif what < 0.5:
        writer.beside(Rest(seat, writer.pace(float(rng.uniform(2, 8)))))


def _reach(writer: Writer, seat: int, goal: tuple[float, float], stray: float) -> None:
    """Let a hand come near a place (mm) and leave."""
    x, y = np.array(goal) + writer.rng.normal(0, stray, 2)
    pace = writer.pace(float(writer.rng.choice([0.1, 0.5, 1.0, 2.0])))
    writer.act(Reach(seat, pace, float(x), float(y)), pace.total)
