"""Hypotheses: the ways one observation can have come about, and joint explanations of several (beam search)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import nlargest

from companion.cards import Card
from companion.referee.errors import RefereeError
from companion.referee.legality import legal
from companion.referee.moves import (
    Draw,
    Entry,
    Flip,
    Pass,
    Play,
    Reshuffle,
    Start,
)
from companion.storage.journal import Line, ReadBy
from companion.table.hypotheses.draw_pile_acts import reach_ways
from companion.table.hypotheses.finding import Hypothesis
from companion.table.hypotheses.landings import most_by_arm, most_probable_arm, sight_ways
from companion.table.hypotheses.lifts import lift_ways, without_last_card
from companion.table.hypotheses.taps import tap_ways
from companion.table.hypotheses.timing import carried_off_in_time, landed_in_time, taken_in_time
from companion.table.state import thresholds
from companion.table.state.observations import Lift, Observation, Pending, Reach, Sight, Tap
from companion.table.state.situation import Mode, Situation, Way

_MIN_OF_KEPT = 0.25
"""Ways less probable than this, relative to the kept ones, are dropped: few of one outcome add up."""


@dataclass(frozen=True, slots=True)
class Extended:
    """The most probable hypotheses, weights summing to 1, best first.

    likelihood: of the last observation under all of them, up to a factor of that observation.
    """

    hypotheses: tuple[Hypothesis, ...]
    likelihood: float


def hypotheses_of(base: Situation, pending: Sequence[Pending], mode: Mode) -> list[Hypothesis]:
    """Return the most probable hypotheses, weights summing to 1, best first."""
    return hypotheses_by(base, ((observation, mode) for observation in pending))


def hypotheses_by(base: Situation, seen: Iterable[tuple[Pending, Mode]]) -> list[Hypothesis]:
    """Return the same with an own mode of interpretation per observation."""
    hypotheses: tuple[Hypothesis, ...] = (Hypothesis(base),)
    for observation, mode in seen:
        hypotheses = extended(hypotheses, observation, mode).hypotheses
    return list(hypotheses)


def extended(
    hypotheses: Sequence[Hypothesis],
    observation: Pending,
    mode: Mode,
    *,
    equivalence: Callable[[Situation], Hashable] | None = None,
    keep: int = thresholds.MAX_HYPOTHESES,
) -> Extended:
    """Return the most probable continuations of hypotheses by one more observation, best first.

    equivalence: key of equivalent situations; equivalent hypotheses are merged and the best one represents them. By
    default only ways of one hypothesis with the same outcome are.
    """
    best: dict[Hashable, Hypothesis] = {}
    weights: dict[Hashable, float] = defaultdict(float)
    minimum = 0.0
    for place, hypothesis in enumerate(hypotheses):
        for way in ways(hypothesis.after, observation, replace(mode, least=minimum / hypothesis.weight)):
            key = (place, way.outcome) if equivalence is None else equivalence(way.after)
            weight = hypothesis.weight * way.weight
            weights[key] += weight
            if key not in best or best[key].weight < weight:
                best[key] = Hypothesis(way.after, (*hypothesis.ways, way), weight)
        kept = nlargest(keep, weights.values())
        minimum = max(_MIN_OF_KEPT * kept[-1] if len(kept) == keep else 0.0, thresholds.MIN_RELATIVE_WEIGHT * kept[0])
        for key in [key for key, weight in weights.items() if weight < minimum]:
            del best[key], weights[key]  # Saves tens of megabytes.
    likelihood = sum(weights.values()) / sum(hypothesis.weight for hypothesis in hypotheses)
    found = nlargest(keep, (replace(hypothesis, weight=weights[key]) for key, hypothesis in best.items()), key=_weight)
    likely = [
        hypothesis for hypothesis in found if hypothesis.weight >= thresholds.MIN_RELATIVE_WEIGHT * found[0].weight
    ]
    return Extended(tuple(normalized(likely)), likelihood)


def normalized(hypotheses: Sequence[Hypothesis]) -> list[Hypothesis]:
    """Return the hypotheses with weights that sum to 1."""
    total = sum(hypothesis.weight for hypothesis in hypotheses)
    return [replace(hypothesis, weight=hypothesis.weight / total) for hypothesis in hypotheses]


def _weight(hypothesis: Hypothesis) -> float:
    return hypothesis.weight


def ways(situation: Situation, pending: Pending, mode: Mode) -> list[Way]:
    """Return the ways the observation can have come about in this situation; at least one, none with weight 0."""
    what, at = pending.what, pending.at
    if pending.said is not None:
        return [_as_stated(situation, pending.said, what)]
    match what:
        case Tap():
            tapped = tap_ways(situation, what, mode)
            return carried_off_in_time(situation, tapped, at) if isinstance(what.move, Reshuffle) else tapped
        case Lift():
            return lift_ways(situation, what)
        case Reach():
            return taken_in_time(situation, reach_ways(situation, what, mode), what, at)
        case Sight():
            return landed_in_time(situation, _sight_ways(situation, what, pending.card, mode), at)


def _sight_ways(situation: Situation, sight: Sight, stated: Card | None, mode: Mode) -> list[Way]:
    """Return the ways the card can have landed. stated: the card people named."""
    if stated is None:
        unseen = (*_replaced(situation, sight, mode), *_uncovered(situation, sight, mode))
        return [*sight_ways(situation, sight, mode), *unseen]
    read = sight.probabilities[0][0] if sight.probabilities else None
    read_by = ReadBy.CAMERA if read == stated else ReadBy.CORRECTED
    # Who names a card that does not match says nothing about one that was missed below it.
    seen = sight_ways(situation, replace(sight, probabilities=((stated, 1.0),), after_gap=False), mode, read_by)
    landed = [way for way in seen if way.card is not None]
    # A hypothesis must not gain from an implausible landing.
    return [replace(way, doubtful=way.by is not None and way.doubtful) for way in landed] or seen


def _replaced(situation: Situation, sight: Sight, mode: Mode) -> Iterator[Way]:
    """Yield the ways in which the player of the last card had taken it back unseen and laid this one instead.

    Requires that the last card did not match: an arm attributed to that player may be another's.
    """
    if mode.arm(sight) is None or situation.illegal_card is not None or sight.same_face:
        return
    if mode.least > thresholds.TAKEN_BACK_UNSEEN * most_by_arm(situation, sight, mode):
        return
    back = without_last_card(Way(situation), sight.time)
    if back is None or back.doubtful or back.after.state.turn is None:
        return
    player, allowed = back.after.state.turn, legal(situation.state).cards
    for way in sight_ways(back.after, sight, replace(mode, least=mode.least / thresholds.TAKEN_BACK_UNSEEN)):
        if way.card is None or way.card in allowed or way.after.illegal_card is not None:
            continue
        if way.by == player and not any(isinstance(entry, Draw | Pass) for entry in way.entries):
            share = way.weight * thresholds.TAKEN_BACK_UNSEEN
            yield replace(way, lines=(*back.lines, *way.lines), weight=share)


def _uncovered(situation: Situation, sight: Sight, mode: Mode) -> Iterator[Way]:
    """Yield the way in which the known top card was taken back out of view, and the one below it is seen again."""
    if not sight.landed_unseen or mode.alone or situation.illegal_card is not None:
        return
    back = without_last_card(Way(situation), sight.time)
    if back is None or back.after.lying == situation.lying:
        return
    share = sum(probability for card, probability in sight.probabilities if card == back.after.lying)
    if share:
        yield replace(back, doubtful=True, weight=share * thresholds.TAKEN_BACK_UNSEEN)


def _as_stated(situation: Situation, stated: tuple[Entry, ...], what: Observation) -> Way:
    way = Way(replace(situation, illegal_card=None))
    arm = what.arm if isinstance(what, Sight | Reach) else None
    reading = what.reading if isinstance(what, Sight | Lift) else None
    last_landing = next((entry for entry in reversed(stated) if isinstance(entry, Start | Play | Flip)), None)
    try:
        for entry in stated:
            lands = entry is last_landing
            seat = way.after.state.turn
            acts = arm is not None and isinstance(entry, Play | Flip | Draw) and entry is stated[-1]
            if acts and isinstance(what, Sight) and seat is not None:
                arm = most_probable_arm(way.after, seat, what)
            direction = arm.direction if acts and arm is not None else None
            way = way.then(Line(entry, ReadBy.TAP, what.time, reading if lands else None, direction))
            if acts and arm is not None and seat is not None:
                ring = way.after.ring.corrected_by_players(seat, arm.direction, arm.spread)
                way = replace(way, after=replace(way.after, ring=ring))
    except RefereeError as error:
        return Way(situation, weight=thresholds.FLOOR, refusal=error)
    card = next((line.entry.card for line in reversed(way.lines) if isinstance(line.entry, Start | Play | Flip)), None)
    return replace(way, card=card)
