"""Fits and checks how draws are recognised, on films of simulated tables at which people draw, lay and reach elsewhere.

Every fourth table is for the check, the others for the fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from companion.cards import Card
from companion.dataset.simulated.actions import Reach, Step
from companion.dataset.simulated.script import Nuisances, Writer
from companion.models.fitting.films import acted_table, nearest_seat, seats_of, watch
from companion.models.fitting.logistic import Checked, calibration_error, need_both, ridge_logistic
from companion.vision.arms.hand_visits import HandVisit
from companion.vision.core.events import IDLE_SHARE, PileKind, PileReached
from companion.vision.core.logit import Logit
from companion.vision.recognition.card_detector import CardDetector
from companion.vision.tracking.draw_inference import MOVEMENT, TOP, DrawEvidence, DrawModel, UsualChange, top_features

Values = NDArray[np.float64]

ACTIONS = 80
"""Number of actions at each simulated table."""
# Tolerance in seconds of a visit around the moment at which a hand takes cards.
_ABOUT = 0.4
# Ridge penalty on the weights of standardised features.
_RIDGE = 1.0


@dataclass(frozen=True, eq=False)
class Visit:
    """A visit to the draw pile at table `number`. movement: (len(MOVEMENT),) features. drew: whether it was a draw.

    share, only_hand: as in `DrawEvidence`.
    """

    number: int
    movement: Values
    share: float | None
    only_hand: bool
    drew: bool


@dataclass(frozen=True, eq=False)
class _Recorder(DrawModel):
    """A model that keeps the evidence it is asked about."""

    seen: list[tuple[DrawEvidence, Values]] = field(default_factory=list)

    def probability(self, evidence: DrawEvidence) -> float:
        """Return 0.5."""
        self.seen.append((evidence, evidence.movement))
        return 0.5


def drawn(detector: CardDetector, numbers: Iterable[int], seed: int) -> Iterator[Visit]:
    """Yield the visits at simulated tables."""
    for number in numbers:
        table = acted_table(seed, number, _act, ACTIONS)
        nothing = Logit(np.zeros(len(MOVEMENT)), 0.0), Logit(np.zeros(len(TOP)), 0.0)
        recorder = _Recorder(*nothing)
        arms = {
            (event.arm.track, event.began, event.time): event.arm.direction
            for event in watch(detector, table, draws=recorder)
            if isinstance(event, PileReached) and event.pile is PileKind.DRAW
        }
        seats = seats_of(table)
        rated = [
            (evidence, movement, nearest_seat(seats, arms[key]))
            for evidence, movement in recorder.seen
            if (key := _key(evidence.visit)) in arms
        ]
        truth = taken([(evidence.visit, seat) for evidence, _, seat in rated], table.script.steps)
        for (evidence, movement, _), drew in zip(rated, truth, strict=True):
            yield Visit(number, movement, evidence.share, evidence.only_hand, drew)


def taken(visits: Sequence[tuple[HandVisit, int]], steps: Sequence[Step]) -> list[bool]:
    """Return which of these visits, by the nearest seats, were draws; a shadow beside its hand took nothing."""
    draws = [{step.time for step in steps if _is_of(step, seat, visit)} for visit, seat in visits]
    by_hand = set[float]().union(
        *(times for (visit, _), times in zip(visits, draws, strict=True) if not visit.track.is_shadow)
    )
    return [
        bool(times - by_hand if visit.track.is_shadow else times)
        for (visit, _), times in zip(visits, draws, strict=True)
    ]


def fitted(visits: Sequence[Visit]) -> DrawModel:
    """Return ridge regressions of the movement, and then of the draw pile's top.

    Raises `OneSidedCasesError` if the visits are not both draws and others.
    """
    rows, drew = np.array([visit.movement for visit in visits]), np.array([visit.drew for visit in visits])
    need_both(drew)
    # The prior share of idle visits is that of `PileReached`, not that of these tables.
    prior = float(np.log((1 - IDLE_SHARE) / IDLE_SHARE) - np.log(drew.mean() / (1 - drew.mean())))
    movement = _fit(rows, drew, prior)
    tops = [(top, visit.drew) for visit, top in zip(visits, _tops(visits, movement), strict=True) if top is not None]
    return DrawModel(movement, _fit(np.array([top for top, _ in tops]), np.array([truth for _, truth in tops]), 0.0))


def checked(visits: Sequence[Visit], model: DrawModel) -> Checked:
    """Return how well a model rates these visits, and the expected calibration error."""
    tops = _tops(visits, model.movement)
    chances = np.array(
        [
            model.movement.probabilities(visit.movement) if top is None else model.top.probabilities(top)
            for visit, top in zip(visits, tops, strict=True)
        ]
    )
    drew = np.array([visit.drew for visit in visits])
    right, said = (chances > 0.5) == drew, np.maximum(chances, 1 - chances)
    return Checked.of("visits are rated right", said, right, calibration_error(chances, drew))


def _fit(rows: Values, truth: NDArray[np.bool_], prior: float) -> Logit:
    weights, intercept = ridge_logistic(rows, truth, _RIDGE)
    return Logit(weights, intercept + prior)


def _tops(visits: Sequence[Visit], movement: Logit) -> list[Values | None]:
    """Return the features of the draw pile's top, None where it was not seen; each table has its usual change."""
    rows: list[Values | None] = []
    for _, some in groupby(visits, attrgetter("number")):
        usual = UsualChange()
        for visit in some:
            if visit.share is None:
                rows.append(None)
                continue
            rows.append(
                top_features(float(movement.log_odds(visit.movement)), visit.share, usual.log_share, visit.only_hand)
            )
            usual.add(visit.share, float(visit.drew))
    return rows


def _key(visit: HandVisit) -> tuple[int, float, float]:
    """Return what identifies a visit and its event: number of the arm, beginning and end (s)."""
    return visit.track.number, visit.began, visit.ended


def _is_of(step: Step, seat: int, visit: HandVisit) -> bool:
    """Whether a player of a seat takes cards during a visit; a card fetched to be laid is no draw."""
    action = step.action
    if not isinstance(action, Reach) or not action.draws or action.seat != seat:
        return False
    return visit.began - _ABOUT <= step.time + action.pace.contact <= visit.ended + _ABOUT


def _act(writer: Writer, what: float, cards: Sequence[Card], pile: tuple[float, float]) -> None:
    """Write about as many draws as hands that reach elsewhere or only cast a shadow there, and fewer cards laid."""
    rng = writer.rng
    card, seat = cards[int(rng.integers(len(cards)))], writer.any_seat()
    if what < 0.3:
        writer.draw(seat, int(rng.choice([1, 2, 4], p=[0.75, 0.2, 0.05])))
    elif what < 0.33:
        writer.draw_together([(seat, int(rng.integers(1, 5))), ((seat + 1) % writer.seats, 2)])
    elif what < 0.56:
        x, y = np.array(pile) * (rng.random() < 0.6) + rng.normal(0, rng.choice([60, 150]), 2)
        pace = writer.pace(float(rng.choice([0.1, 0.5, 1.0, 2.0, 4.0])))
        writer.act(Reach(seat, pace, float(x), float(y)), pace.total)
    elif what < 0.67:
        x, y = np.array(pile) + rng.normal(0, 30, 2)
        pace, aside = writer.pace(float(rng.choice([0.1, 0.5, 1.0]))), float(rng.uniform(0.8, 3))
        writer.beside(Reach(seat, pace, float(x), float(y), beside=True, aside=aside))
        if rng.random() < 0.3:
            writer.draw((seat + 1) % writer.seats)
        writer.wait(pace.total, pace.total + 0.3)
    elif what < 0.77:
        writer.disturb(Nuisances(0, 0, 0.15, 0, 0.5, 0.1, 0, rest=0.3, cup=0.3, shade=0.3, idle=0.4))
    else:
        writer.lay(seat, card)
    writer.wait(0.3, 1.2)
