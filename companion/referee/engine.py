"""The rules at work: `apply` a move to a state, or learn from `legal` what may be done next.

Each kind of move has one rule: here, or in `landing` where a card lands on the pile. The steps that rules share are
those of a draft.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from companion.cards import Card, Color, Face
from companion.referee import landing, moves, seating
from companion.referee.draft import Draft
from companion.referee.editions import Options
from companion.referee.effects import (
    ChallengeSettled,
    ColorChosen,
    CountCorrected,
    DebtOwed,
    Effect,
    HandsSwapped,
    Reshuffled,
    UnoCalled,
    Why,
)
from companion.referee.errors import (
    AlreadyScoredError,
    CannotTargetSelfError,
    MustDrawError,
    NoDrawToShowError,
    NotAtUnoError,
    NothingToCatchError,
    NotInThisEditionError,
    NotYourTurnError,
    TooManyCardsError,
    TooManyCopiesError,
    WrongPhaseError,
)
from companion.referee.legality import (
    IN_ROUND,
    OWING,
    PLAYING,
    SHOWING,
    Legal,
    creepers_left,
    legal,
    may_be_caught,
    may_call_uno,
    may_draw_on,
    may_jump_in,
    may_stack,
    may_target,
    must_draw_on,
)
from companion.referee.phase import Phase, Purpose
from companion.referee.scoring import shown_cards
from companion.referee.state import State

__all__ = ["Legal", "apply", "doer", "legal"]

_CREEPER = Card(Face.WILD_CREEPER)


def apply(state: State, move: moves.Move) -> tuple[State, tuple[Effect, ...]]:
    """Return the state after the move, and what followed from it, in the order in which it happened.

    Raises a RefereeError where the rules refuse the move: NoSuchPlayerError, WrongPhaseError, NotYourTurnError or
    NotInThisEditionError, looked for in this order, or else what the move's own rule raises.
    """
    rule = _RULES[type(move)]
    header = state.header
    by = move.by if isinstance(move, moves.ActorMove) else None
    seat = None if by is None else header.seat(by)
    if isinstance(move, moves.Join):
        if move.after is not None:
            header.seat(move.after)
    elif isinstance(move, moves.PlayerMove | moves.Target):
        header.seat(move.player)
    if state.phase not in rule.phases and not (rule.also and rule.also(state)):
        raise WrongPhaseError(rule.name, state.phase)
    jumps = isinstance(move, moves.Play) and seat is not None and may_jump_in(state, seat, move.card)
    if seat is not None and seat != state.turn and not jumps:
        raise NotYourTurnError(header.players[seat], str(state.actor))
    for card in rule.cards(move):
        if card not in header.edition.deck:
            raise NotInThisEditionError(card)
    draft = Draft(state)
    rule.run(draft, move)
    return draft.freeze(), tuple(draft.effects)


def doer(state: State, move: moves.Move) -> str | None:
    """Return who made the move in this state, None for one that is nobody's own, such as a reshuffle."""
    if isinstance(move, moves.PlayerMove):
        return move.player
    if isinstance(move, moves.ActorMove):
        return move.by or state.actor
    return state.actor if isinstance(move, moves.Reveal | moves.Judge) else None


def _draw(draft: Draft, _: moves.Draw) -> None:
    """R12, R45; drawing on a turn ends the chance to catch another (R27), and that to jump in (R40)."""
    if draft.catchable != draft.actor:
        draft.catchable = None
    draft.jump_open = False
    draft.draw(draft.actor, 1, Why.TURN)
    draft.phase = Phase.DRAWN


def _pass(draft: Draft, _: moves.Pass) -> None:
    """R12, R45."""
    if must_draw_on(draft):
        raise MustDrawError(draft.name(draft.actor))
    draft.turn_to(draft.after(draft.actor))


def _choose_color(draft: Draft, move: moves.ChooseColor) -> None:
    """R9, R17, R18, R26."""
    draft.color = move.color
    draft.effects.append(ColorChosen(move.color))
    if draft.purpose is Purpose.OPENING:
        draft.turn_to(draft.after(draft.dealer))
    elif draft.purpose is Purpose.WILD_DRAW_FOUR:
        _ask_next(draft)
    else:
        draft.turn_to(draft.after(draft.actor))


def _ask_next(draft: Draft) -> None:
    """Let the player after a wild draw four answer it, or do what there is no answer to (R18, R36, R46)."""
    player = draft.actor
    if not draft.header.options.challenge:
        if draft.debt:
            draft.owe(draft.after(player), 0, laid_by=player)
        else:
            landing.hit_next(draft, player, Face.WILD_DRAW_FOUR)
        return
    draft.phase = Phase.CHALLENGE
    draft.turn = draft.after(player)
    if draft.debt:
        draft.effects.append(DebtOwed(draft.name(draft.turn), draft.debt))


def _target(draft: Draft, move: moves.Target) -> None:
    """R24, R42."""
    player, seat = draft.actor, draft.header.seat(move.player)
    if not may_target(draft, seat):
        raise CannotTargetSelfError(draft.name(seat))
    if draft.purpose is Purpose.SEVEN:
        draft.move_hands({player: seat, seat: player})
        draft.effects.append(HandsSwapped(draft.name(player), draft.name(seat)))
    else:
        draft.draw(seat, 1, Why.GREEN_SHELL)
    draft.turn_to(draft.after(player))


def _accept(draft: Draft, _: moves.Accept) -> None:
    """R18, R34; taking a debt ends the chance to jump in (R40)."""
    player = draft.actor
    draft.jump_open = False
    if draft.debt:
        draft.draw(player, draft.debt, Why.DEBT)
        draft.skip(player)
        draft.turn_to(draft.after(player))
    else:
        landing.hit_next(draft, draft.before(player), Face.WILD_DRAW_FOUR)


def _challenge(draft: Draft, _: moves.Challenge) -> None:
    """R19."""
    draft.turn = draft.before(draft.actor)
    draft.phase = Phase.REVEAL


def _reveal(draft: Draft, move: moves.Reveal) -> None:
    """R19; an empty hand means that the wild draw four was the last card, which cannot be challenged (R28)."""
    _refuse_too_many(draft, move.cards)
    _correct_count(draft, draft.actor, len(move.cards))
    if move.cards:
        _settle_challenge(draft, guilty=_holds_color(move.cards, draft.contested, draft.header.options))
    else:
        _go_out(draft, draft.actor)


def _judge(draft: Draft, move: moves.Judge) -> None:
    """R19."""
    _settle_challenge(draft, guilty=move.guilty)


def _holds_color(cards: Iterable[Card], color: Color | None, options: Options) -> bool:
    """R18 and the option `wild_counts_as_color`."""
    return any(
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
    """R27."""
    seat = draft.header.seat(move.player)
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
    seat = draft.header.seat(move.player)
    if not draft.fresh[seat]:
        raise NoDrawToShowError(draft.name(seat))
    if not creepers_left(draft, seat):
        raise TooManyCopiesError(_CREEPER, draft.header.edition.deck[_CREEPER])
    draft.set_fresh(seat, draft.fresh[seat] - 1, draft.shown[seat] + 1)
    draft.draw(seat, 3, Why.WILD_CREEPER)


def _reshuffle(draft: Draft, _: moves.Reshuffle) -> None:
    """R13."""
    draft.effects.append(Reshuffled())


def _count(draft: Draft, move: moves.Count) -> None:
    """A player without cards has gone out (R28)."""
    seat = draft.header.seat(move.player)
    if move.cards > draft.header.edition.size:
        raise TooManyCardsError(move.cards, draft.header.edition.size)
    _correct_count(draft, seat, move.cards)
    if move.cards == 0:
        _go_out(draft, seat)


def _correct_count(draft: Draft, seat: int, actual: int) -> None:
    believed = draft.hands[seat]
    if actual != believed:
        draft.effects.append(CountCorrected(draft.name(seat), believed, actual))
        draft.set_count(seat, actual)


def _go_out(draft: Draft, seat: int) -> None:
    """End the round of a player found without cards; what was laid last is drawn for, if it still can be (R28, R37)."""
    if draft.laid_by == seat:
        landing.go_out_drawing(draft, seat, Face.WILD_DRAW_FOUR)
    draft.end_round(seat)


def _hand(draft: Draft, move: moves.Hand) -> None:
    """R28-R30."""
    seat = _awaited(draft, move.player)
    _refuse_too_many(draft, move.cards)
    _correct_count(draft, seat, len(move.cards))
    _take_in(draft, seat, move.cards)


def _tally(draft: Draft, move: moves.Tally) -> None:
    """R1; how many cards they were is not told."""
    _take_in(draft, _awaited(draft, move.player), move.points)


def _awaited(draft: Draft, player: str) -> int:
    """Return the seat of a player whose leftover hand is awaited; raises AlreadyScoredError where it is in."""
    seat = draft.header.seat(player)
    if draft.leftover[seat] is not None:
        raise AlreadyScoredError(draft.name(seat))
    return seat


def _take_in(draft: Draft, seat: int, hand: tuple[Card, ...] | int) -> None:
    """Take a leftover hand in, and score the round with the last of them (R29, R30)."""
    draft.set_fresh(seat, 0)
    draft.leftover = (*draft.leftover[:seat], hand, *draft.leftover[seat + 1 :])
    if None not in draft.leftover:
        draft.score_round()


def _refuse_too_many(draft: Draft, cards: Iterable[Card]) -> None:
    """Raise TooManyCopiesError where these, the hands already in and the top card hold more of a card than the deck."""
    assert draft.top is not None
    seen = Counter([draft.top])
    for hand in draft.leftover:
        seen.update(shown_cards(hand))
    for card in cards:
        seen[card] += 1
        if seen[card] > draft.header.edition.deck[card]:
            raise TooManyCopiesError(card, draft.header.edition.deck[card])


def _no_card(_: Any) -> tuple[Card, ...]:
    return ()


def _its_card(move: Any) -> tuple[Card, ...]:
    return (move.card,)


def _its_cards(move: Any) -> tuple[Card, ...]:
    cards: tuple[Card, ...] = move.cards
    return cards


def _a_creeper(_: Any) -> tuple[Card, ...]:
    return (_CREEPER,)


@dataclass(frozen=True, slots=True)
class _Rule:
    """What a kind of move is called, in which phases it may be made, what it does, and which cards it speaks of.

    also: whether it may be made in another phase besides, by what the options say.
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
    moves.Pass: _Rule("pass", _only(Phase.DRAWN), _pass),
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
    moves.Reshuffle: _Rule("reshuffle", SHOWING, _reshuffle),
    moves.Hand: _Rule("hand", _only(Phase.SCORING), _hand, _its_cards),
    moves.Tally: _Rule("hand", _only(Phase.SCORING), _tally),
    moves.Count: _Rule("count", IN_ROUND, _count),
    moves.Join: _Rule("join", _only(Phase.START), seating.join),
    moves.Leave: _Rule("leave", _only(Phase.START), seating.leave),
}
