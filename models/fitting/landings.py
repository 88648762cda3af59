"""Fits and checks who laid a card, on films of simulated tables at which people lay, draw, rest and reach together.

Every fourth table is for the check, the others for the fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from companion.cards import Card
from companion.dataset.simulated.actions import Lay, Reach, Rest, Step
from companion.dataset.simulated.script import Nuisances, Writer
from companion.models.fitting.films import acted_table, nearest_seat, seats_of, watch
from companion.models.fitting.logistic import Checked, calibration_error, conditional_logit
from companion.vision.arms.arm_tracks import Track
from companion.vision.core.events import CardLanded
from companion.vision.core.logit import Logit
from companion.vision.recognition.card_detector import CardDetector
from companion.vision.tracking.landing_attribution import MOMENT, Landing, LandingModel

Values = NDArray[np.float64]

ACTIONS = 34
"""Number of actions at each simulated table."""
# Seconds between a card's release and its landing event, at most.
_ABOUT = 1.5
# Prior share of landings whose arm is not seen: none of 62 in films, 2 of 291 at simulated tables.
_UNSEEN = 0.03
# Ridge penalty; rounds of choosing the moments that speak most for an arm, and of fitting on them.
_RIDGE, _ROUNDS = 1.0, 12


@dataclass(frozen=True, eq=False)
class Case:
    """A landing at table `number`. arms: (N, len(MOMENT)) features of each arm's moments. laid: whether it laid it."""

    number: int
    arms: tuple[Values, ...]
    laid: tuple[bool, ...]


@dataclass(frozen=True, eq=False)
class _Seen:
    """A landing as it was seen. sides: directions of the arms in degrees, None if unknown."""

    landed: float
    arms: tuple[Values, ...]
    sides: tuple[float | None, ...]


@dataclass(frozen=True, eq=False)
class _Recorder(LandingModel):
    """A model that keeps the landings it is asked about."""

    seen: list[_Seen] = field(default_factory=list)

    def attributed(self, landing: Landing) -> tuple[tuple[Track, float], ...]:
        """Return the most probable arm by distance."""
        arms = tuple(landing.moments(track) for track in landing.tracks)
        ways = (track.direction(landing.spot.middle, -np.inf, np.inf) for track in landing.tracks)
        self.seen.append(_Seen(landing.landed, arms, tuple(way and way[0] for way in ways)))
        return super().attributed(landing)


def drawn(detector: CardDetector, numbers: Iterable[int], seed: int) -> Iterator[Case]:
    """Yield the landings at simulated tables."""
    for number in numbers:
        table = acted_table(seed, number, _act, ACTIONS)
        recorder = _Recorder(nearest())
        landed = {event.time for event in watch(detector, table, landings=recorder) if isinstance(event, CardLanded)}
        seats = seats_of(table)
        actions = ((step.time, step.action) for step in table.script.steps)
        lays = [(time + action.pace.contact, action.seat) for time, action in actions if isinstance(action, Lay)]
        for seen in recorder.seen:
            laid = [(seen.landed - time, seat) for time, seat in lays if abs(seen.landed - time) <= _ABOUT]
            if seen.landed in landed and laid:
                _, seat = min(laid, key=lambda one: abs(one[0]))
                yield Case(number, seen.arms, tuple(_seat(side, seats) == seat for side in seen.sides))


def nearest() -> Logit:
    """Return weights by which the arm that was nearest laid the card."""
    return Logit(-np.array([name == "distance" for name in MOMENT], np.float64), float(len(MOMENT)))


def fitted(cases: Sequence[Case]) -> LandingModel:
    """Return the model that maximises the likelihood of who laid the cards.

    As almost every arm of these tables is seen, each landing counts a second time without the arm that laid the card;
    the intercept is then that of the prior.
    """
    model, some = LandingModel(nearest()), [*cases, *map(_without, cases)]
    seen = sum(any(case.laid) for case in some)
    prior = float(np.log((1 - _UNSEEN) / _UNSEEN) - np.log(seen / (len(some) - seen)))
    for _ in range(_ROUNDS):
        chosen = [_best(case, model) for case in some]
        groups, right = [rows for rows, _ in chosen], [laid for _, laid in chosen]
        weights, intercept = conditional_logit(groups, right, _RIDGE)
        model = LandingModel(Logit(weights, intercept))
    return LandingModel(Logit(model.moment.weights, model.moment.intercept + prior))


def _without(case: Case) -> Case:
    """Return the landing as if the arm that laid the card had not been seen."""
    others = tuple(rows for rows, laid in zip(case.arms, case.laid, strict=True) if not laid)
    return Case(case.number, others, (False,) * len(others))


def checked(cases: Sequence[Case], model: LandingModel) -> Checked:
    """Return how well a model attributes these landings, and the expected calibration error."""
    said, right = [], []
    for case in cases:
        rows, laid = _best(case, model)
        odds = np.exp(np.append(model.moment.log_odds(rows), 0.0))
        number = int(odds.argmax())
        said.append(float(odds[number] / odds.sum()))
        right.append(bool(np.append(laid, not laid.any())[number]))
    chances, truth = np.array(said), np.array(right)
    return Checked.of("landings are attributed right", chances, truth, calibration_error(chances, truth))


def _best(case: Case, model: LandingModel) -> tuple[Values, NDArray[np.bool_]]:
    """Return the (N, len(MOMENT)) features of the arms' best moments, and whether each arm laid the card."""
    there = [(rows, laid) for rows, laid in zip(case.arms, case.laid, strict=True) if len(rows)]
    best = [rows[int(model.moment.log_odds(rows).argmax())] for rows, _ in there]
    return np.array(best, np.float64).reshape(-1, len(MOMENT)), np.array([laid for _, laid in there], np.bool_)


def _seat(side: float | None, seats: Values) -> int | None:
    """Return the seat in the direction of an arm, None if that is unknown."""
    return None if side is None else nearest_seat(seats, side)


def _act(writer: Writer, what: float, cards: Sequence[Card], pile: tuple[float, float]) -> None:
    """Write a card laid, half of them while somebody else reaches or rests, or another action."""
    rng, seat = writer.rng, writer.any_seat()
    if what < 0.2:
        writer.draw(seat, int(rng.choice([1, 2, 4], p=[0.75, 0.2, 0.05])))
    elif what < 0.26:
        _reach(writer, seat, (0.0, 0.0), float(rng.choice([40, 120])))
    elif what < 0.34:
        writer.disturb(Nuisances(0, 0, 0.12, 0, 0.4, 0.05, 0, rest=0.3, cup=0.2, shade=0.25, idle=0.5))
    else:
        _meanwhile(writer, (seat + 1 + int(rng.integers(writer.seats - 1))) % writer.seats, pile)
        writer.lay(seat, cards[int(rng.integers(len(cards)))])
    writer.wait(0.2, 0.8)


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
