"""Ways a tap can have come about: alone, or after moves nobody saw."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

from companion.referee.effects import Drawn
from companion.referee.errors import NotAtUnoError, NotYourTurnError, RefereeError, WrongPhaseError
from companion.referee.legality import IN_ROUND, must_draw_on
from companion.referee.moves import (
    Accept,
    ActorMove,
    Challenge,
    Creeper,
    Draw,
    Flip,
    Move,
    Pass,
    Play,
    Reshuffle,
    Shed,
    Start,
    Uno,
)
from companion.referee.state import Phase
from companion.storage.journal import Line, ReadBy
from companion.table.hypotheses.unseen_moves import choices_made, standing
from companion.table.state import thresholds
from companion.table.state.observations import Tap
from companion.table.state.situation import Mode, Situation, Turns, Way
from companion.table.state.unseen_cards import landed_card


def tap_ways(situation: Situation, tap: Tap, mode: Mode) -> list[Way]:
    """Return the ways the tap can have come about; one without effect if it was seen already."""
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
