"""All ways one observation can have come about, with weights and resulting situations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace

from companion.cards import Card
from companion.journal import Line, ReadBy
from companion.referee.effects import Drawn
from companion.referee.errors import NotAtUnoError, NotYourTurnError, RefereeError, WrongPhaseError
from companion.referee.legality import IN_ROUND, legal, must_draw_on
from companion.referee.moves import (
    Accept,
    ActorMove,
    Challenge,
    ChooseColor,
    Creeper,
    Draw,
    Entry,
    Flip,
    Move,
    Pass,
    Play,
    Reshuffle,
    Shed,
    Start,
    Target,
    Undo,
    Uno,
)
from companion.referee.state import Phase
from companion.table.hypotheses.draw_pile_acts import reach_ways
from companion.table.hypotheses.landings import most_by_arm, most_probable_arm, sight_ways
from companion.table.hypotheses.timing import carried_off_in_time, landed_in_time, taken_from_pile_lately, taken_in_time
from companion.table.hypotheses.unseen_moves import choices_made, standing
from companion.table.state import thresholds
from companion.table.state.observations import Lift, Observation, Pending, Reach, Sight, Tap
from companion.table.state.situation import Mode, Situation, Turns, Way
from companion.table.state.unseen_cards import landed_card

_AFTER_PLAY = (Phase.SCORING, Phase.OVER)


def ways(situation: Situation, pending: Pending, mode: Mode) -> list[Way]:
    """Return the ways the observation can have come about in this situation; at least one, none with weight 0."""
    what, at = pending.what, pending.at
    if pending.said is not None:
        return [_as_stated(situation, pending.said, what)]
    match what:
        case Tap():
            tapped = _tap_ways(situation, what, mode)
            return carried_off_in_time(situation, tapped, at) if isinstance(what.move, Reshuffle) else tapped
        case Lift():
            return _lift_ways(situation, what)
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
    if sight.arm is None or not mode.sees_arms or situation.illegal_card is not None or sight.same_face:
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


def _lift_ways(situation: Situation, lift: Lift) -> list[Way]:
    """Return how far the pile can have gone back. After a round it may be collected, which undoes nothing."""
    phase = situation.state.phase
    if phase is Phase.START:
        return [Way(situation)]
    reading = dict(lift.probabilities)
    bare = max(1 - sum(reading.values()), thresholds.FLOOR)

    def fits(card: Card | None) -> float:
        return bare if card is None else max(reading.get(card, 0.0), thresholds.FLOOR)

    none, one, *more = thresholds.TAKEN_BACK
    if situation.dropped is not None and lift.time - situation.dropped <= thresholds.ECHO_SECONDS:
        none, one = one, none  # It is the card people said was gone, or one that never landed.
    situation = replace(situation, dropped=None)
    if situation.shed:
        return [*_lifted_off(situation, lift, none * fits(situation.lying), one, fits)]
    if taken_from_pile_lately(situation, lift.time):
        found, one = [Way(situation, weight=one)], none
    else:
        found = [Way(situation, weight=none * fits(situation.lying))]
    if phase in _AFTER_PLAY:
        found.append(Way(situation, weight=thresholds.COLLECTED))
    way = Way(replace(situation, illegal_card=None), doubtful=phase in _AFTER_PLAY)
    shares = iter((one, *more))
    if situation.illegal_card is not None:
        way = _without_guess(way, lift.time)
        found.append(replace(way, weight=next(shares) * thresholds.MISMATCH_TAKEN_BACK_FACTOR * fits(way.after.lying)))
    for share in shares:
        further = without_last_card(way, lift.time)
        if further is None:
            break
        way = further
        after = replace(way.after, wrong_color=None if situation.lying is None else situation.lying.color)
        found.append(replace(way, after=after, weight=share * fits(way.after.lying)))
    return found


def _lifted_off(
    situation: Situation, lift: Lift, unchanged: float, lifted: float, fits: Callable[[Card | None], float]
) -> Iterator[Way]:
    """Yield the ways of a lift while cards are laid off: a false report, all of them gone beneath, the last taken back.

    unchanged: weight of the false report. lifted: share of the others. fits: probability of each card to be on top.
    """
    way = Way(situation)
    yield way.times(unchanged)
    done = way.then(Line(Shed(situation.shed), ReadBy.CAMERA, lift.time, lift.reading))
    yield done.times(lifted * fits(done.after.lying))
    *left, _ = situation.shed
    if left:
        fewer = replace(situation, shed=tuple(left))
        yield Way(fewer, weight=lifted * fits(fewer.lying))


def without_last_card(way: Way, time: float) -> Way | None:
    """Return the way before the last landing of this round; None without one.

    It is doubtful if others have acted since, as their moves would be undone with it.
    """
    round_ = way.after.state.round
    while way.after.journal.match.history and way.after.state.round == round_:
        last = way.after.journal.match.history[-1]
        mere_answer = isinstance(last.move, ChooseColor | Target | Uno | Reshuffle)
        card = landed_card(last)
        way = way.then(Line(Undo(), ReadBy.CAMERA, time))
        if card is not None:
            return _without_guess(way, time)
        if not mere_answer:
            way = replace(way, doubtful=True)
    return None


def _without_guess(way: Way, time: float) -> Way:
    """Return the way without the colour, and its consequences, implied by the card that was taken back.

    It may have been taken back because it did not match; the next card decides.
    """
    lines = way.after.journal.lines
    count = 1 + (bool(lines) and isinstance(lines[-1].entry, Accept))
    guessed = [*lines[max(0, len(lines) - count) :]]
    if guessed and isinstance(guessed[0].entry, ChooseColor) and all(g.read_by is ReadBy.INFERRED for g in guessed):
        for _ in guessed:
            way = way.then(Line(Undo(), ReadBy.CAMERA, time))
    return way


def _tap_ways(situation: Situation, tap: Tap, mode: Mode) -> list[Way]:
    if _seen_already(situation, tap) or _collected(situation, tap):
        return [Way(situation)]
    found: list[Way] = []
    # Keep the error without its traceback, which would keep all data of the computation alive.
    refusal: RefereeError | None = None
    for start in _ready(situation, tap, mode):
        try:
            found.append(start.then(_with_cards(start.after, tap)))
        except RefereeError as error:
            refusal = error.with_traceback(None)
            match error:
                case NotYourTurnError():
                    found += _after_the_ones_between(start, tap, relaxed=mode.turns is Turns.RELAXED)
                case NotAtUnoError():
                    found += _before_playing(start, tap, mode)
                case WrongPhaseError():
                    found += _after_the_choice(start, tap)
    if not found:
        return [Way(situation, weight=thresholds.TAP_SLIP, refusal=refusal)]
    if all(way.doubtful for way in found):
        found.append(Way(situation, weight=thresholds.TAP_SLIP, refusal=refusal))
    return [_noted(_landing(way), tap, mode) for way in found]


def _with_cards(situation: Situation, tap: Tap) -> Line:
    """Return the line of a tap; a tapped number of cards laid off names the cards if as many were seen."""
    move = tap.move
    if isinstance(move, Shed) and move.cards == len(situation.shed):
        return replace(tap.line, entry=replace(move, cards=situation.shed))
    return tap.line


def _seen_already(situation: Situation, tap: Tap) -> bool:
    """Return whether a tapped draw was already seen."""
    lines, state = situation.journal.lines, situation.state
    return (
        isinstance(tap.move, Draw)
        and state.phase is Phase.DRAWN
        and tap.move.by in (None, state.actor)
        and isinstance(lines[-1].entry, Draw)
        and lines[-1].direction is not None
    )


def _collected(situation: Situation, tap: Tap) -> bool:
    """Return whether a removed pile was seen while no round is being played, so it is not a reshuffle."""
    seen_to_go = isinstance(tap.move, Reshuffle) and tap.read_by is ReadBy.CAMERA
    return seen_to_go and situation.state.phase not in IN_ROUND


def _noted(way: Way, tap: Tap, mode: Mode) -> Way:
    """Return the way with a noted draw whose arm may still be reported when it leaves."""
    if not mode.sees_arms or not way.after.ring.seen or not way.lines or not isinstance(tap.move, Draw):
        return way
    return replace(way, after=replace(way.after, noted=way.after.state.turn))


def _ready(situation: Situation, tap: Tap, mode: Mode) -> Iterator[Way]:
    """Yield the situations in which the tap is possible: a creeper needs a draw; an open wild draw four is then
    accepted.
    """
    for way in _around(situation, tap):
        drawn: list[Way] = []
        if isinstance(tap.move, Creeper) and tap.move.player in way.after.state.players:
            seat, fresh = way.after.state.header.seat(tap.move.player), way.after.state.fresh
            drawn = [ready for ready in choices_made(way, tap.time) if ready.after.state.fresh[seat] > fresh[seat]]
            drawn = drawn or [*_on_drawing(way, tap.move.player, tap.time, mode)]
        yield from drawn or [way]


def _on_drawing(way: Way, player: str, time: float, mode: Mode) -> Iterator[Way]:
    """Yield the way in which a player who shows a creeper has just drawn, which is reported a moment later (R31).

    Nothing if no such report is expected, or if the player has drawn since the last card.
    """
    state = way.after.state
    reported_later = mode.sees_arms and way.after.ring.seen and not must_draw_on(state)
    if reported_later and state.phase is Phase.TURN and state.actor == player and not _has_drawn(way.after, player):
        drawn = way.then(Line(Draw(), ReadBy.INFERRED, time))
        yield replace(drawn, after=replace(drawn.after, noted=state.turn))


def _has_drawn(situation: Situation, player: str) -> bool:
    """Return whether the player has drawn since, or with, the last card."""
    for step in reversed(situation.journal.match.history):
        if any(isinstance(effect, Drawn) and effect.player == player for effect in step.effects):
            return True
        if landed_card(step) is not None:
            break
    return False


def _around(situation: Situation, tap: Tap) -> Iterator[Way]:
    """Yield the situations for the tap if an illegal card lies there."""
    if isinstance(tap.move, ActorMove):
        yield from standing(Way(situation), tap.time)
    else:
        yield Way(situation)


def _after_the_ones_between(way: Way, tap: Tap, *, relaxed: bool) -> Iterator[Way]:
    """Yield the way in which everyone before the tapping player has drawn and passed, or accepted a wild draw four."""
    assert isinstance(tap.move, ActorMove)
    fillers: dict[Phase, Move] = {
        Phase.TURN: Draw(),
        Phase.DRAWN: Pass(),
        Phase.CHALLENGE: Accept(),
        Phase.DEBT: Accept(),
    }
    state = way.after.state
    if tap.move.by not in state.players:
        return
    for _ in range(2 * len(state.players)):
        filler = fillers.get(way.after.state.phase)
        if filler is None or must_draw_on(way.after.state):
            return
        way = way.then(Line(filler, ReadBy.INFERRED, tap.time))
        if way.after.state.actor == tap.move.by and way.after.state.phase is not Phase.DRAWN:
            break
    for done in _if_accepted(way, tap):
        yield done if relaxed else replace(done, doubtful=True, weight=done.weight * thresholds.UNANNOUNCED_PASS)


def _before_playing(way: Way, tap: Tap, mode: Mode) -> Iterator[Way]:
    """Yield the ways in which the player who calls UNO is about to play; invisible events such as a pass have happened.

    That the previous player drew may be reported a moment later.
    """
    assert isinstance(tap.move, Uno)
    players = way.after.state.players
    if not mode.sees_arms or tap.move.player not in players or way.after.state.actor == tap.move.player:
        return
    for ready in choices_made(way, tap.time):
        state = ready.after.state
        if state.phase is Phase.TURN and state.turn != players.index(tap.move.player) and not must_draw_on(state):
            drawn = ready.then(Line(Draw(), ReadBy.INFERRED, tap.time), mode.unseen_draw)
            ready = replace(drawn, doubtful=True, after=replace(drawn.after, noted=state.turn))
        if ready.after.state.phase is Phase.DRAWN and not must_draw_on(ready.after.state):
            ready = ready.then(Line(Pass(), ReadBy.INFERRED, tap.time), thresholds.PASSED)
        yield from _if_accepted(ready, tap)


def _after_the_choice(way: Way, tap: Tap) -> Iterator[Way]:
    """Yield the ways in which missing choices and answers were made before the next player acted."""
    if not isinstance(tap.move, Play | Draw | Accept | Challenge):
        return
    for ready in choices_made(way, tap.time, answered=isinstance(tap.move, Play | Draw)):
        yield from _if_accepted(ready, tap)


def _if_accepted(way: Way, tap: Tap) -> Iterator[Way]:
    """Yield the way with the tapped move, unless the referee refuses it."""
    with suppress(RefereeError):
        yield way.then(tap.line)


def _landing(way: Way) -> Way:
    last = way.lines[-1].entry if way.lines else None
    return replace(way, card=last.card) if isinstance(last, Start | Play | Flip) else way
