"""Possible actions of an arm at the draw pile: drawing, taking owed cards, turning a card up, nothing."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from companion.referee.legality import IN_ROUND, creepers_left, may_be_caught, may_draw_on, must_draw_on
from companion.referee.moves import Accept, Catch, Challenge, Creeper, Draw, Judge, Pass
from companion.referee.state import Phase
from companion.storage.journal import Line, ReadBy
from companion.table.hypotheses.unseen_moves import choices_made, standing, turned
from companion.table.state import thresholds
from companion.table.state.observations import Reach
from companion.table.state.situation import Mode, Situation, Turns, Way
from companion.vision.core.events import IDLE_SHARE


def reach_ways(situation: Situation, reach: Reach, mode: Mode) -> list[Way]:
    """Return the possible actions of the arm; at least one way, none with weight 0."""
    if not mode.sees_arms:
        return [Way(situation)]
    if situation.state.phase not in IN_ROUND:
        return [Way(situation, weight=thresholds.IDLE_REACH / 360)]
    found = [*_idle(Way(situation), reach, mode)]
    noted = situation.noted
    if noted is not None:
        tapped = Way(replace(situation, noted=None), weight=1 - thresholds.IDLE_REACH)
        found += _by(tapped, noted, reach, _taken(reach, 1), mode)
        return [way for way in found if way.weight > 0]
    # All further factors are shares, except the density of arms from that direction.
    least = mode.least / situation.max_density(reach.arm)
    for way in standing(Way(situation), reach.time):
        if way.after.state.phase not in IN_ROUND:
            continue  # The card that stands was the last one.
        for ready in _ready(way, reach, least):
            if ready.weight < least:
                continue
            found += _taking_what_is_owed(ready, reach, mode)
            found += _drawing(ready, reach, mode, least)
            found += _being_caught(ready, reach, mode)
            found += _showing_a_creeper(ready, reach, mode)
    return [way for way in found if way.weight > 0]


def _idle(way: Way, reach: Reach, mode: Mode) -> Iterator[Way]:
    """Yield the way in which nothing was taken, by anybody."""
    idle = thresholds.IDLE_REACH_ALONE if mode.alone else thresholds.IDLE_REACH
    nothing = max(_nothing(reach), thresholds.MIN_IDLE_REACH_ALONE if mode.alone else thresholds.MIN_IDLE_REACH)
    again = way.after.seat_of_arm(reach.arm)
    if again is not None:
        # It has laid a card or drawn and not left since: it passes the pile again, or is seen there twice.
        likely = max(nothing, thresholds.VISIT_SEEN_TWICE) * way.after.density(again, reach.arm)
        yield way.times((1 - thresholds.DRAWS_AGAIN) * likely)
    ring, seat = way.after.ring, way.after.state.turn
    densities = ring.densities(reach.arm.direction, reach.arm.spread)
    even = sum(densities) / len(densities)
    if seat is not None and not ring.seats[seat].arms:
        # It may be the arm of the player on turn, as if that player lays the next card from there.
        ring = ring.learn(seat, reach.arm.direction, densities[seat] / sum(densities))
        way = replace(way, after=replace(way.after, ring=ring))
    if reach.again and again is None:
        # It came for nothing and stays: it comes from the same direction as before.
        known = (ring.teach(place, reach.arm.direction, reach.arm.spread) for place in range(len(densities)))
        there = [each.density(place, reach.arm.direction, reach.arm.spread) for place, each in enumerate(known)]
        same = sum(map(math.prod, zip(densities, there, strict=True))) / sum(densities)
        yield way.times((1 - thresholds.DRAWS_AGAIN) * max(nothing, thresholds.VISIT_SEEN_TWICE) * same)
    else:
        yield way.times(idle * nothing * even)


def _ready(way: Way, reach: Reach, least: float) -> Iterator[Way]:
    """Yield the ways to where somebody may take cards, without anybody passing or drawing unseen.

    least: minimum weight of a way.
    """
    match way.after.state.phase:
        case Phase.COLOR | Phase.TARGET | Phase.REVEAL:
            for ready in choices_made(way, reach.time, answered=False):
                yield from _ready(ready, reach, least)
        case Phase.DEBT:
            yield way.then(Line(Accept(), ReadBy.INFERRED, reach.time))
        case Phase.CHALLENGE:
            yield way.then(Line(Accept(), ReadBy.INFERRED, reach.time), thresholds.ACCEPTED)
            if way.weight * (1 - thresholds.ACCEPTED) / 2 < least:
                return
            doubted = way.then(Line(Challenge(), ReadBy.INFERRED, reach.time), (1 - thresholds.ACCEPTED) / 2)
            for guilty in (True, False):
                yield doubted.then(Line(Judge(guilty), ReadBy.INFERRED, reach.time))
        case _:
            yield way


def _taking_what_is_owed(way: Way, reach: Reach, mode: Mode) -> Iterator[Way]:
    debts = way.after.debts
    owing = [seat for seat, debt in enumerate(debts.seats) if debt.left]
    for seat in owing:
        left = debts.left(seat)
        numbers = range(1, left + 1)
        shares = [
            _at_one_grab(count, left, began=debts.seats[seat].taken > 0) * _lasting(reach, count) for count in numbers
        ]
        for count, share in zip(numbers, shares, strict=True):
            weight = _owing(way, seat) / len(owing) * share / sum(shares) * _counted(reach, count)
            for taken in _by(way, seat, reach, weight, mode):
                yield replace(taken, after=replace(taken.after, debts=debts.take(seat, count)))


def _at_one_grab(count: int, left: int, *, began: bool) -> float:
    """Return the probability of taking `count` of the `left` owed cards in one grab. began: whether some were taken
    before.
    """
    alone, all_ = (
        (thresholds.ONE_OF_REST, thresholds.REST_AT_ONCE) if began else (thresholds.ONE, thresholds.ALL_OWED_AT_ONCE)
    )
    if left == 1:
        return 1.0
    if left == 2:
        return (alone if count == 1 else all_) / (alone + all_)
    return alone if count == 1 else all_ if count == left else (1 - alone - all_) / (left - 2)


def _owing(way: Way, seat: int) -> float:
    """Return the probability that this player's debt is the one being paid.

    Debts are usually paid before play continues; a player on turn again after others have played has probably paid.
    """
    if not way.after.debts.seats[seat].passed:
        return thresholds.DEBT_TAKEN_AT_ONCE
    return thresholds.SEVERAL_SEEN_AS_ONE if way.after.state.turn == seat else thresholds.DEBT_TAKEN


def _drawing(way: Way, reach: Reach, mode: Mode, least: float) -> Iterator[Way]:
    """Yield the ways in which the player to act has drawn, or a later one after unseen passes and draws.

    least: minimum weight of a way before the arm is considered.
    """
    state = way.after.state
    seat = state.turn
    assert seat is not None
    free = 1 - thresholds.IDLE_REACH
    if way.after.debts.any:
        free *= 1 - max(_owing(way, owing) for owing, debt in enumerate(way.after.debts.seats) if debt.left)
    if state.phase is Phase.FLIP:
        yield from _by(way.times(free), seat, reach, 1.0, mode)
        return
    least /= free * _taken(reach, 1)
    in_view = mode.turns is Turns.CAMERA
    for missed in range(thresholds.MISSED_IN_A_ROW + 1):
        if way.after.state.phase is Phase.DRAWN:
            if not missed and may_draw_on(way.after.state):
                yield from _draw(way.times(free), reach, mode)
            if must_draw_on(way.after.state):
                return
            way = way.then(Line(Pass(), ReadBy.INFERRED, reach.time), thresholds.PASSED)
        if way.after.state.phase is not Phase.TURN or way.weight < least:
            return
        yield from _draw(way.times(free), reach, mode)
        if must_draw_on(way.after.state) or way.weight * mode.unseen_draw < least:
            return
        way = way.then(Line(Draw(), ReadBy.INFERRED, reach.time), mode.unseen_draw)
        way = replace(way, doubtful=way.doubtful or in_view)


def _draw(way: Way, reach: Reach, mode: Mode) -> Iterator[Way]:
    seat = way.after.state.turn
    assert seat is not None
    drawn = Line(Draw(), ReadBy.CAMERA, reach.time, None, reach.arm.direction)
    for acted in _by(way, seat, reach, _taken(reach, 1), mode):
        yield acted.then(drawn)


def _being_caught(way: Way, reach: Reach, mode: Mode) -> Iterator[Way]:
    state = way.after.state
    seat = state.catchable
    if not mode.alone or seat is None or not may_be_caught(state, seat):
        return
    caught = way.then(Line(Catch(state.players[seat]), ReadBy.INFERRED, reach.time), thresholds.UNO_PENALTY)
    for taken in _taking_what_is_owed(caught, reach, mode):
        if taken.after.debts.left(seat) < caught.after.debts.left(seat):
            yield taken


def _showing_a_creeper(way: Way, reach: Reach, mode: Mode) -> Iterator[Way]:
    """Yield the ways in which a player who has just drawn takes three more for a creeper (R31)."""
    state = way.after.state
    if not mode.alone or not state.header.edition.shown_when_drawn:
        return
    for seat, player in enumerate(state.players):
        if creepers_left(state, seat):
            shown = way.then(Line(Creeper(player), ReadBy.INFERRED, reach.time), thresholds.SHOWS_CREEPER)
            for taken in _taking_what_is_owed(shown, reach, mode):
                if taken.after.debts.left(seat) < shown.after.debts.left(seat):
                    yield taken


def _by(way: Way, seat: int, reach: Reach, share: float, mode: Mode) -> Iterator[Way]:
    """Yield the way in which the arm is this player's; two if all seats may be new."""
    if share <= thresholds.NEGLIGIBLE:
        return
    ring = way.after.ring
    way = replace(way, by=seat)
    weight = way.weight * share * way.after.density(seat, reach.arm)
    if weight >= mode.least:
        yield replace(way, after=way.after.taught(seat, reach.arm), weight=weight)
    may_be_turned = way.weight * share * thresholds.TURNED / 360 >= mode.least
    if may_be_turned and ring.is_stray(ring.density(seat, reach.arm.direction, reach.arm.spread)):
        yield turned(way.times(share), seat, reach.arm.direction)


def _nothing(reach: Reach) -> float:
    """Return the likelihood of the visit if nothing was taken, up to a common factor.

    The event's probabilities divided by their prior are likelihoods. The prior for taking nothing depends on who is to
    draw.
    """
    return max((reach.drawn[0] if reach.drawn else 1.0) / IDLE_SHARE, thresholds.FLOOR)


def _counted(reach: Reach, count: int) -> float:
    """Return the likelihood if `count` cards were taken, up to the same factor."""
    seen = reach.drawn[min(count, len(reach.drawn) - 1)] if len(reach.drawn) > 1 else 0.0
    any_ = sum(reach.drawn[1:])
    return max(max(seen, thresholds.TOO_MANY * any_) / (1 - IDLE_SHARE), thresholds.FLOOR)


def _lasting(reach: Reach, count: int) -> float:
    """Return the likelihood of the visit's duration for `count` cards, up to a common factor."""
    if not reach.stay:
        return 1.0
    usual = thresholds.ONE_CARD_SECONDS if count == 1 else thresholds.SEVERAL_CARDS_SECONDS
    off = min(abs(math.log(reach.stay / usual)) / thresholds.VISIT_LOG_SPREAD, thresholds.MAX_VISIT_NATS)
    return math.exp(-0.5 * off**2)


def _taken(reach: Reach, count: int) -> float:
    """Return the same, allowing for more cards being counted than taken."""
    more = sum(reach.drawn[count + 1 :]) / (1 - IDLE_SHARE)
    return _counted(reach, count) + more * thresholds.TOO_MANY
