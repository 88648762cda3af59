"""The engine: `apply` a move to a state.

Each kind of move has one rule: here, or in `landing` where a card lands on the pile, or in `interpreter` where the
program of a special card waits. Rules share the operations of `Draft`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from companion.cards import Card, Color, Face
from companion.editions.options import Options
from companion.editions.program import DrawCards, PoolHands, ReadRule, Shed
from companion.referee import moves
from companion.referee.actions import hands, interpreter, landing, seating
from companion.referee.actions.elimination import eliminate
from companion.referee.actions.penalties import hit_next
from companion.referee.draft import Draft
from companion.referee.effects import (
    ChallengeSettled,
    ColorChosen,
    DebtOwed,
    Effect,
    HandsSwapped,
    Reshuffled,
    RuleRead,
    UnoCalled,
    Why,
)
from companion.referee.errors import (
    AlreadyChosenError,
    CannotTargetSelfError,
    DoesNotFitError,
    MustDrawError,
    MustPlayError,
    NoDrawToShowError,
    NotAtUnoError,
    NothingToCatchError,
    NotInThisEditionError,
    NotYourTurnError,
    PlayerIsOutError,
    TooFewCardsError,
    TooManyCopiesError,
    TooManyForStepError,
    UnclearHandError,
    WrongPhaseError,
)
from companion.referee.legality import (
    CREEPER,
    IN_ROUND,
    LEAVING,
    OWING,
    PLAYING,
    RUNNING,
    SHOWING,
    Legal,
    left_to_show,
    legal,
    matches,
    may_be_caught,
    may_call_uno,
    may_call_wrongly,
    may_draw_on,
    may_jump_in,
    may_stack,
    may_target,
    most_to_shed,
    must_draw_on,
    took_limits,
)
from companion.referee.model.running import step_of
from companion.referee.phase import Phase, Purpose
from companion.referee.state import State

__all__ = ["Legal", "apply", "doer", "legal"]


def apply(state: State, move: moves.Move) -> tuple[State, tuple[Effect, ...]]:
    """Return the state after the move, and its effects in the order in which they happen.

    Raises a RefereeError if the rules refuse the move. Checked in this order: NoSuchPlayerError, WrongPhaseError,
    NotYourTurnError, NotInThisEditionError, PlayerIsOutError, then what the move's own rule raises.
    """
    kind = type(move)
    rule = _RULES[kind]
    header = state.header
    seat = _acting_seat(state, move) if kind in _BY_ACTOR else None
    named = _named_seat(state, move) if kind in _NAMING else None
    if state.phase not in rule.phases and not (rule.also and rule.also(state)):
        raise WrongPhaseError(rule.name, state.phase)
    if seat is not None and seat != state.turn and not _jumps_in(state, move, seat):
        raise NotYourTurnError(header.players[seat], str(state.actor))
    for card in rule.cards(move):
        if card not in header.edition.deck:
            raise NotInThisEditionError(card)
    if named is not None:
        _refuse_absent(state, move, named)
    draft = Draft(state)
    rule.run(draft, move)
    if header.edition.out_at and draft.phase in IN_ROUND:
        eliminate(draft)
    return draft.freeze(), tuple(draft.effects)


def _acting_seat(state: State, move: Any) -> int | None:
    """Return the seat that made the move, None if it does not say."""
    return None if move.by is None else state.header.seat(move.by)


def _named_seat(state: State, move: Any) -> int | None:
    """Return the seat of the player whom the move names, None for one who is to join."""
    if not isinstance(move, moves.Join):
        return state.header.seat(move.player)
    if move.after is not None:
        state.header.seat(move.after)
    return None


def _jumps_in(state: State, move: moves.Move, seat: int) -> bool:
    return isinstance(move, moves.Play) and may_jump_in(state, seat, move.card)


def _refuse_absent(state: State, move: moves.Move, named: int) -> None:
    """Raise NotInThisEditionError for a card that is not shown when drawn, PlayerIsOutError for a player who is out."""
    if isinstance(move, moves.Show) and move.card.face not in state.header.rules.drawn:
        raise NotInThisEditionError(move.card)
    comes_or_goes = isinstance(move, moves.Leave | moves.Rename)
    if named in state.out and state.phase is not Phase.SCORING and not comes_or_goes:
        raise PlayerIsOutError(state.players[named])


def doer(state: State, move: moves.Move) -> str | None:
    """Return who made the move in this state, None for a move of nobody, such as a reshuffle."""
    if isinstance(move, moves.PlayerMove):
        return move.player
    if isinstance(move, moves.ActorMove):
        return move.by or state.actor
    return state.actor if isinstance(move, moves.Reveal | moves.Judge) else None


def _draw(draft: Draft, _: moves.Draw) -> None:
    """R12, R45; drawing on a turn ends the chance to catch another (R27), and that to jump in (R40)."""
    if draft.catchable != draft.actor:
        draft.catchable = None
    draft.shut_copies()
    draft.draw(draft.actor, 1, Why.TURN)
    draft.phase = Phase.DRAWN


def _pass(draft: Draft, move: moves.Pass) -> None:
    """R12, R45, R59. Whether the card kept would fit is known only where it was shown."""
    if must_draw_on(draft):
        raise MustDrawError(draft.name(draft.actor))
    if draft.header.options.must_play_drawn and move.card is not None:
        assert draft.top is not None
        if matches(move.card, draft.top, draft.color):
            raise MustPlayError(draft.name(draft.actor), move.card)
    draft.turn_to(draft.after(draft.actor))


def _choose_color(draft: Draft, move: moves.ChooseColor) -> None:
    """R9, R17, R18, R52."""
    draft.color = move.color
    draft.effects.append(ColorChosen(move.color))
    match draft.purpose:
        case Purpose.PROGRAM:
            interpreter.resume_color(draft)
        case Purpose.OPENING:
            draft.turn_to(draft.after(draft.dealer))
        case Purpose.RESUME:
            draft.turn_to(draft.actor)
        case Purpose.WILD_DRAW_FOUR:
            _ask_next(draft)
        case _:
            draft.turn_to(draft.after(draft.actor))


def _ask_next(draft: Draft) -> None:
    """Wait for the next player's answer to a wild draw four, or carry it out (R18, R36, R46)."""
    player = draft.actor
    if not draft.header.options.challenge:
        if draft.debt:
            draft.owe(draft.after(player), 0, laid_by=player)
        else:
            hit_next(draft, player, Face.WILD_DRAW_FOUR)
        return
    draft.phase = Phase.CHALLENGE
    draft.turn = draft.after(player)
    if draft.debt:
        draft.effects.append(DebtOwed(draft.name(draft.turn), draft.debt))


def _target(draft: Draft, move: moves.Target) -> None:
    """R42, R52."""
    player, seat = draft.actor, draft.header.seat(move.player)
    if not may_target(draft, seat):
        pooled = isinstance(step_of(draft.running), PoolHands)
        raise (AlreadyChosenError if pooled else CannotTargetSelfError)(draft.name(seat))
    if draft.purpose is Purpose.PROGRAM:
        interpreter.resume_target(draft, seat)
        return
    draft.move_hands({player: seat, seat: player})
    draft.effects.append(HandsSwapped(draft.name(player), draft.name(seat)))
    draft.turn_to(draft.after(player))


def _took(draft: Draft, move: moves.Took) -> None:
    """R52."""
    limits = took_limits(draft)
    assert limits is not None
    least, most = limits
    if move.cards > most:
        raise TooManyForStepError(move.cards, most)
    if move.cards < least:
        raise TooFewCardsError(draft.name(draft.actor))
    interpreter.resume_took(draft, move.cards)


def _shed(draft: Draft, move: moves.Shed) -> None:
    """R52."""
    most, running = most_to_shed(draft), draft.running
    assert most is not None
    assert running is not None
    assert isinstance(running.step, Shed)
    if move.count > most:
        raise TooManyForStepError(move.count, most)
    if not isinstance(move.cards, int):
        for card in move.cards:
            if not running.step.filter.fits(card, draft.color):
                raise DoesNotFitError(card, running.why)
        hands.refuse_too_many(draft, move.cards)
    interpreter.resume_shed(draft, move.count)


def _outcome(draft: Draft, move: moves.Outcome) -> None:
    """R52."""
    interpreter.resume_outcome(draft, yes=move.yes)


def _accept(draft: Draft, _: moves.Accept) -> None:
    """R18, R34, R53. Taking a debt ends the chance to jump in (R40)."""
    player = draft.actor
    draft.shut_copies()
    if draft.debt:
        draft.draw(player, draft.debt, Why.DEBT if draft.demand is None else draft.demand.why)
        draft.skip(player)
        draft.turn_to(draft.after(player))
    else:
        hit_next(draft, draft.before(player), Face.WILD_DRAW_FOUR)


def _challenge(draft: Draft, _: moves.Challenge) -> None:
    """R19."""
    draft.turn = draft.before(draft.actor)
    draft.phase = Phase.REVEAL


def _reveal(draft: Draft, move: moves.Reveal) -> None:
    """R18, R19; an empty hand means that the wild draw four was the last card, which cannot be challenged (R28).

    Cards drawn since the play do not count. Raises UnclearHandError if only they may have the colour.
    """
    hands.refuse_too_many(draft, move.cards)
    holding = _count_color(move.cards, draft.contested, draft.header.options)
    if 0 < holding <= draft.drawn_since:
        raise UnclearHandError(draft.drawn_since)
    hands.correct_count(draft, draft.actor, len(move.cards))
    if move.cards:
        _settle_challenge(draft, guilty=holding > 0)
    else:
        hands.go_out(draft, draft.actor)


def _judge(draft: Draft, move: moves.Judge) -> None:
    """R19."""
    _settle_challenge(draft, guilty=move.guilty)


def _count_color(cards: Iterable[Card], color: Color | None, options: Options) -> int:
    """Return how many of the cards count as holding the colour (R18 and the option `wild_counts_as_color`)."""
    return sum(
        options.wild_counts_as_color and card.face is not Face.WILD_DRAW_FOUR
        if card.color is None
        else card.color is color
        for card in cards
    )


def _settle_challenge(draft: Draft, *, guilty: bool) -> None:
    """R19, R36."""
    challenged = draft.actor
    challenger = draft.after(challenged)
    count = draft.debt or 4
    draft.effects.append(ChallengeSettled(draft.name(challenged), draft.name(challenger), guilty))
    if guilty:
        draft.draw(challenged, count, Why.CHALLENGE)
        draft.turn_to(challenger)
    else:
        draft.draw(challenger, count + 2, Why.CHALLENGE)
        draft.skip(challenger)
        draft.turn_to(draft.after(challenger))


def _uno(draft: Draft, move: moves.Uno) -> None:
    """R27, R58."""
    seat = draft.header.seat(move.player)
    if may_call_wrongly(draft, seat):
        draft.draw(seat, draft.header.options.uno_false_penalty, Why.FALSE_UNO, shows=False)
        return
    if not may_call_uno(draft, seat):
        raise NotAtUnoError(draft.name(seat), draft.hands[seat])
    draft.called |= {seat}
    draft.effects.append(UnoCalled(draft.name(seat)))


def _catch(draft: Draft, move: moves.Catch) -> None:
    """R27, R47."""
    seat = draft.header.seat(move.player)
    if not may_be_caught(draft, seat):
        raise NothingToCatchError(draft.name(seat))
    draft.catchable = None
    draft.draw(seat, draft.header.options.uno_penalty, Why.UNO)


def _creeper(draft: Draft, move: moves.Creeper) -> None:
    """R31."""
    _show_card(draft, draft.header.seat(move.player), CREEPER)


def _show(draft: Draft, move: moves.Show) -> None:
    """R31, R52."""
    _show_card(draft, draft.header.seat(move.player), move.card)


def _show_card(draft: Draft, seat: int, card: Card) -> None:
    """Run the program of a card that was drawn; what it draws cannot be shown (EDITIONS.md, section 4)."""
    if not draft.fresh[seat]:
        raise NoDrawToShowError(draft.name(seat))
    if not left_to_show(draft, seat, card.face):
        raise TooManyCopiesError(card, draft.header.edition.copies[card.face])
    draft.set_fresh(seat, draft.fresh[seat] - 1, (*draft.shown[seat], card.face))
    for step in draft.header.rules.drawn.get(card.face, ()):
        if isinstance(step, ReadRule):
            draft.effects.append(RuleRead(draft.name(seat), card.face.value))
        elif isinstance(step, DrawCards) and step.count is not None:
            draft.draw(seat, step.count, card.face.value, shows=False)


def _reshuffle(draft: Draft, _: moves.Reshuffle) -> None:
    """R13."""
    draft.effects.append(Reshuffled())


def _no_card(_: Any) -> tuple[Card, ...]:
    return ()


def _its_card(move: Any) -> tuple[Card, ...]:
    return (move.card,)


def _shown_card(move: moves.Pass) -> tuple[Card, ...]:
    return () if move.card is None else (move.card,)


def _its_cards(move: Any) -> tuple[Card, ...]:
    cards: tuple[Card, ...] = move.cards
    return cards


def _a_creeper(_: Any) -> tuple[Card, ...]:
    return (CREEPER,)


def _shed_cards(move: moves.Shed) -> tuple[Card, ...]:
    return () if isinstance(move.cards, int) else move.cards


@dataclass(frozen=True, slots=True)
class _Rule:
    """The rule of one kind of move: its name, its phases, what it does, and the cards that it names.

    also: a condition for further phases.
    """

    name: str
    phases: frozenset[Phase]
    run: Callable[[Draft, Any], None]
    cards: Callable[[Any], tuple[Card, ...]] = _no_card
    also: Callable[[State], bool] | None = None


def _only(phase: Phase) -> frozenset[Phase]:
    return frozenset({phase})


_RULES: dict[type, _Rule] = {
    moves.Start: _Rule("start", _only(Phase.START), landing.start, _its_card),
    moves.Play: _Rule("play", PLAYING, landing.play, _its_card, also=may_stack),
    moves.Draw: _Rule("draw", _only(Phase.TURN), _draw, also=may_draw_on),
    moves.Pass: _Rule("pass", _only(Phase.DRAWN), _pass, _shown_card),
    moves.Flip: _Rule("flip", _only(Phase.FLIP), landing.flip, _its_card),
    moves.ChooseColor: _Rule("color", _only(Phase.COLOR), _choose_color),
    moves.Target: _Rule("target", _only(Phase.TARGET), _target),
    moves.Accept: _Rule("accept", OWING, _accept),
    moves.Challenge: _Rule("challenge", _only(Phase.CHALLENGE), _challenge),
    moves.Reveal: _Rule("reveal", _only(Phase.REVEAL), _reveal, _its_cards),
    moves.Judge: _Rule("reveal", _only(Phase.REVEAL), _judge),
    moves.Uno: _Rule("uno", IN_ROUND, _uno),
    moves.Catch: _Rule("catch", IN_ROUND, _catch),
    moves.Creeper: _Rule("creeper", SHOWING, _creeper, _a_creeper),
    moves.Show: _Rule("show", SHOWING, _show, _its_card),
    moves.Took: _Rule("took", _only(Phase.TOOK), _took),
    moves.Shed: _Rule("shed", _only(Phase.SHED), _shed, _shed_cards),
    moves.Outcome: _Rule("outcome", _only(Phase.OUTCOME), _outcome),
    moves.Reshuffle: _Rule("reshuffle", SHOWING, _reshuffle),
    moves.Hand: _Rule("hand", _only(Phase.SCORING), hands.hand, _its_cards),
    moves.Tally: _Rule("hand", _only(Phase.SCORING), hands.tally),
    moves.Count: _Rule("count", IN_ROUND, hands.count),
    moves.Join: _Rule("join", _only(Phase.START), seating.join),
    moves.Leave: _Rule("leave", LEAVING, seating.leave),
    moves.Rename: _Rule("rename", RUNNING, seating.rename),
    moves.Retarget: _Rule("retarget", RUNNING, seating.retarget),
}

_BY_ACTOR = frozenset(kind for kind in _RULES if issubclass(kind, moves.ActorMove))
_NAMING = frozenset(kind for kind in _RULES if issubclass(kind, moves.PlayerMove | moves.Target))
