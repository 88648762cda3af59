"""Moves that may have happened unseen between two observations: choices, answers, passes, missed draws."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

from companion.cards import Color
from companion.referee.errors import DoesNotStackError, RefereeError, WrongPhaseError
from companion.referee.legality import legal, may_stack, must_draw_on
from companion.referee.moves import (
    Accept,
    Challenge,
    ChooseColor,
    Draw,
    Flip,
    Judge,
    Move,
    Pass,
    Play,
    Shed,
    Start,
    Target,
    Undo,
)
from companion.referee.state import Phase, State
from companion.storage.journal import Line, ReadBy
from companion.table.state import thresholds
from companion.table.state.situation import Mode, Situation, Turns, Way


def standing(way: Way, time: float) -> Iterator[Way]:
    """Yield the fate of an illegal card when play continues: accepted, or quietly replaced."""
    illegal_card = way.after.illegal_card
    if illegal_card is None:
        yield way
        return
    bare = replace(way, after=replace(way.after, illegal_card=None))
    try:
        stood = bare.then(Line(Play(illegal_card, force=True), ReadBy.INFERRED, time), thresholds.ILLEGAL_ACCEPTED)
    except (DoesNotStackError, WrongPhaseError):
        yield bare  # It could not be accepted: owed cards, or a number or an answer of a player, come first.
        return
    yield stood
    yield bare.times(1 - thresholds.ILLEGAL_ACCEPTED)


def with_other_color(way: Way, wrong_color: Color | None, time: float) -> Iterator[Way]:
    """Yield the way, and those in which a colour inferred from a retracted card was another one.

    wrong_color: that card's colour. Later moves stand if the referee allows them.
    """
    lines = way.after.journal.lines
    since = next((n for n, line in enumerate(reversed(lines)) if isinstance(line.entry, Start | Play | Flip)), 0)
    places = [n for n in range(len(lines) - since, len(lines)) if isinstance(lines[n].entry, ChooseColor)]
    guess = lines[places[-1]] if places else None
    if (
        wrong_color is None
        or guess is None
        or guess.read_by is not ReadBy.INFERRED
        or guess.entry != ChooseColor(wrong_color)
    ):
        yield way
        return
    yield way.times(1 - thresholds.WRONG_COLOR_GUESS)
    bare = way
    for _ in range(places[-1], len(lines)):
        bare = bare.then(Line(Undo(), ReadBy.CAMERA, time))
    for color in (color for color in Color if color is not wrong_color):
        other = bare.then(replace(guess, entry=ChooseColor(color)), thresholds.WRONG_COLOR_GUESS / (len(Color) - 1))
        with suppress(RefereeError):
            for line in lines[places[-1] + 1 :]:
                other = other.then(line)
            yield other


def choices_made(way: Way, time: float, *, answered: bool = True) -> Iterator[Way]:
    """Yield the ways through missing colours, targets and answers, up to where a card may land.

    A wild draw four followed by play counts as accepted; a challenge would have been noticed. answered: whether that
    has happened, too.
    """
    state = way.after.state
    options: list[Move]
    match state.phase:
        case Phase.COLOR:
            options = [ChooseColor(color) for color in Color]
        case Phase.TARGET:
            options = [Target(player) for player in legal(state).targets]
        case Phase.REVEAL:
            options = [Judge(guilty=True), Judge(guilty=False)]
        case Phase.CHALLENGE | Phase.DEBT if answered:
            options = [Accept()]
        case Phase.SHED if answered:
            options = [Shed(way.after.shed)]
        case _:
            yield way
            return
    if state.phase in (Phase.DEBT, Phase.SHED) or may_stack(state):
        yield way  # A card may be laid first.
        way = way.times(thresholds.UNANNOUNCED_TAKING)
    for option, share in zip(options, _shares(state, options), strict=True):
        inferred = way.then(Line(option, ReadBy.INFERRED, time), share)
        yield from choices_made(inferred, time, answered=answered)


def _shares(state: State, options: list[Move]) -> list[float]:
    """Return the probability of each choice: equal, except that players rarely target themselves (R24)."""
    assert state.actor is not None
    themselves = Target(state.actor)
    others = sum(option != themselves for option in options)
    if others in (0, len(options)):
        return [1 / len(options)] * len(options)
    own = thresholds.TARGETS_SELF
    return [own if option == themselves else (1 - own) / others for option in options]


def until_somebody_acts(way: Way, time: float, mode: Mode, least: float = 0.0) -> Iterator[Way]:
    """Yield the ways to where the player to act may have laid a card or drawn, with arms as evidence.

    Ways that assume a missed draw in view are doubtful. least: minimum weight of a way.
    """
    count = len(way.after.state.players)
    in_view = mode.unseen_draw < thresholds.DRAW_OUT_OF_VIEW and mode.turns is Turns.CAMERA
    missed = min(count - 1, thresholds.MISSED_IN_A_ROW) if in_view else count - 1
    least = max(least, thresholds.FLOOR * way.weight)
    yield from _acting(way, time, mode, missed, least=least, in_view=in_view)


def _acting(way: Way, time: float, mode: Mode, missed: int, *, least: float, in_view: bool) -> Iterator[Way]:
    """Yield the continuations with at least this weight."""
    phase = way.after.state.phase

    def inferred(move: Move, share: float) -> Way:
        return way.then(Line(move, ReadBy.INFERRED, time), share)

    def worth(share: float) -> bool:
        return way.weight * share >= least

    def on(further: Way, left: int = missed) -> Iterator[Way]:
        if further.weight >= least:
            yield from _acting(further, time, mode, left, least=least, in_view=in_view)

    match phase:
        case Phase.CHALLENGE:
            if may_stack(way.after.state):
                yield way.times(thresholds.STACKED)
            yield from on(inferred(Accept(), thresholds.ACCEPTED))
            if worth((1 - thresholds.ACCEPTED) / 2):
                doubted = inferred(Challenge(), (1 - thresholds.ACCEPTED) / 2)
                for guilty in (True, False):
                    yield from on(doubted.then(Line(Judge(guilty), ReadBy.INFERRED, time)))
        case Phase.COLOR | Phase.TARGET | Phase.REVEAL:
            for ready in choices_made(way, time, answered=False):
                yield from on(ready)
        case Phase.DEBT:
            yield way.times(thresholds.STACKED)
            yield from on(inferred(Accept(), 1 - thresholds.STACKED))
        case Phase.SHED:
            yield way.times(1 - thresholds.UNANNOUNCED_TAKING)
            yield from on(inferred(Shed(way.after.shed), thresholds.UNANNOUNCED_TAKING))
        case _ if must_draw_on(way.after.state):
            yield way  # On turn until a card is played, however many were drawn.
        case Phase.DRAWN:
            yield way.times(1 - thresholds.PASSED)
            yield from on(inferred(Pass(), thresholds.PASSED))
        case Phase.TURN if missed:
            yield way.times(1 - mode.unseen_draw)
            if worth(mode.unseen_draw):
                drawn = inferred(Draw(), mode.unseen_draw).then(Line(Pass(), ReadBy.INFERRED, time))
                yield from on(replace(drawn, doubtful=way.doubtful or in_view), missed - 1)
        case _:
            yield way


def turned(way: Way, seat: int, arm_direction: float) -> Way:
    """Return the way in which this player's arm comes from there because all seats in the picture are new."""
    after: Situation = replace(way.after, ring=way.after.ring.reset().learn(seat, arm_direction))
    return replace(way, after=after, weight=way.weight * thresholds.TURNED / 360)
