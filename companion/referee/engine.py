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
from companion.referee import landing, moves
from companion.referee.draft import Draft
from companion.referee.editions import Options
from companion.referee.effects import (
    ChallengeSettled,
    ColorChosen,
    CountCorrected,
    Effect,
    Reshuffled,
    UnoCalled,
    Why,
)
from companion.referee.errors import (
    AlreadyScoredError,
    CannotTargetSelfError,
    NoDrawToShowError,
    NotAtUnoError,
    NothingToCatchError,
    NotInThisEditionError,
    NotYourTurnError,
    TooManyCopiesError,
    WrongPhaseError,
)
from companion.referee.legality import (
    IN_ROUND,
    PLAYING,
    SHOWING,
    Legal,
    legal,
    may_be_caught,
    may_call_uno,
    may_target,
)
from companion.referee.state import Choice, Phase, State

__all__ = ["Legal", "apply", "legal"]

_CREEPER = Card(Face.WILD_CREEPER)


def apply(state: State, move: moves.Move) -> tuple[State, tuple[Effect, ...]]:
    """Return the state after the move, and what followed from it, in the order in which it happened.

    Raises a RefereeError where the rules refuse the move: NoSuchPlayerError, WrongPhaseError, NotYourTurnError or
    NotInThisEditionError, looked for in this order, or else what the move's own rule raises.
    """
    rule = _RULES[type(move)]
    header = state.header
    by = move.by if isinstance(move, moves.ActorMove) else None
    if by is not None:
        header.seat(by)
    if isinstance(move, moves.PlayerMove | moves.Target):
        header.seat(move.player)
    if state.phase not in rule.phases:
        raise WrongPhaseError(rule.name, state.phase)
    if by is not None and by != state.actor:
        raise NotYourTurnError(by, str(state.actor))
    for card in rule.cards(move):
        if card not in header.edition.deck:
            raise NotInThisEditionError(card)
    draft = Draft(state)
    rule.run(draft, move)
    return draft.freeze(), tuple(draft.effects)


def _draw(draft: Draft, _: moves.Draw) -> None:
    """R12; drawing on a turn ends the chance to catch another (R27)."""
    if draft.catchable != draft.actor:
        draft.catchable = None
    draft.draw(draft.actor, 1, Why.TURN)
    draft.phase = Phase.DRAWN


def _pass(draft: Draft, _: moves.Pass) -> None:
    """R12."""
    draft.turn_to(draft.after(draft.actor))


def _choose_color(draft: Draft, move: moves.ChooseColor) -> None:
    """R9, R17, R18, R26."""
    draft.color = move.color
    draft.effects.append(ColorChosen(move.color))
    if draft.choice is Choice.OPENING:
        draft.turn_to(draft.after(draft.dealer))
        return
    following = draft.after(draft.actor)
    if draft.choice is Choice.WILD_DRAW_FOUR:
        draft.phase = Phase.CHALLENGE
        draft.turn = following
    else:
        draft.turn_to(following)


def _target(draft: Draft, move: moves.Target) -> None:
    """R24."""
    seat = draft.header.seat(move.player)
    if not may_target(draft, seat):
        raise CannotTargetSelfError(move.player)
    draft.draw(seat, 1, Why.GREEN_SHELL)
    draft.turn_to(draft.after(draft.actor))


def _accept(draft: Draft, _: moves.Accept) -> None:
    """R18."""
    landing.hit_next(draft, draft.before(draft.actor), Face.WILD_DRAW_FOUR)


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
    challenged = draft.actor
    challenger = draft.after(challenged)
    draft.effects.append(ChallengeSettled(draft.name(challenged), draft.name(challenger), guilty))
    if guilty:
        draft.draw(challenged, 4, Why.CHALLENGE)
        draft.turn_to(challenger)
    else:
        draft.draw(challenger, 6, Why.CHALLENGE)
        draft.skip(challenger)
        draft.turn_to(draft.after(challenger))


def _uno(draft: Draft, move: moves.Uno) -> None:
    """R27."""
    seat = draft.header.seat(move.player)
    if not may_call_uno(draft, seat):
        raise NotAtUnoError(move.player, draft.hands[seat])
    draft.called |= {seat}
    draft.effects.append(UnoCalled(move.player))


def _catch(draft: Draft, move: moves.Catch) -> None:
    """R27."""
    seat = draft.header.seat(move.player)
    if not may_be_caught(draft, seat):
        raise NothingToCatchError(move.player)
    draft.catchable = None
    draft.draw(seat, 2, Why.UNO)


def _creeper(draft: Draft, move: moves.Creeper) -> None:
    """R31."""
    seat = draft.header.seat(move.player)
    if not draft.fresh[seat]:
        raise NoDrawToShowError(move.player)
    draft.set_fresh(seat, draft.fresh[seat] - 1)
    draft.draw(seat, 3, Why.WILD_CREEPER)


def _reshuffle(draft: Draft, _: moves.Reshuffle) -> None:
    """R13."""
    draft.effects.append(Reshuffled())


def _count(draft: Draft, move: moves.Count) -> None:
    """A player without cards has gone out (R28)."""
    seat = draft.header.seat(move.player)
    _correct_count(draft, seat, move.cards)
    if move.cards == 0:
        _go_out(draft, seat)


def _correct_count(draft: Draft, seat: int, actual: int) -> None:
    believed = draft.hands[seat]
    if actual != believed:
        draft.effects.append(CountCorrected(draft.name(seat), believed, actual))
        draft.set_count(seat, actual)


def _go_out(draft: Draft, seat: int) -> None:
    """End the round of a player found without cards; a wild draw four still unanswered was the last one (R28)."""
    player = draft.before(draft.actor) if draft.phase is Phase.CHALLENGE else draft.actor
    if draft.contested is not None and player == seat:
        landing.punish_next(draft, seat, Face.WILD_DRAW_FOUR)
    draft.end_round(seat)


def _hand(draft: Draft, move: moves.Hand) -> None:
    """R28-R30."""
    seat = draft.header.seat(move.player)
    if draft.leftover[seat] is not None:
        raise AlreadyScoredError(move.player)
    _refuse_too_many(draft, move.cards)
    _correct_count(draft, seat, len(move.cards))
    draft.set_fresh(seat, 0)
    draft.leftover = (*draft.leftover[:seat], move.cards, *draft.leftover[seat + 1 :])
    if None not in draft.leftover:
        draft.score_round()


def _refuse_too_many(draft: Draft, cards: Iterable[Card]) -> None:
    """Raise TooManyCopiesError where these, the hands already in and the top card hold more of a card than the deck."""
    assert draft.top is not None
    seen = Counter([draft.top])
    for hand in draft.leftover:
        seen.update(hand or ())
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
    """What a kind of move is called, in which phases it may be made, what it does, and which cards it speaks of."""

    name: str
    phases: frozenset[Phase]
    run: Callable[[Draft, Any], None]
    cards: Callable[[Any], tuple[Card, ...]] = _no_card


def _only(phase: Phase) -> frozenset[Phase]:
    return frozenset({phase})


_RULES: dict[type, _Rule] = {
    moves.Start: _Rule("start", _only(Phase.START), landing.start, _its_card),
    moves.Play: _Rule("play", PLAYING, landing.play, _its_card),
    moves.Draw: _Rule("draw", _only(Phase.TURN), _draw),
    moves.Pass: _Rule("pass", _only(Phase.DRAWN), _pass),
    moves.Flip: _Rule("flip", _only(Phase.FLIP), landing.flip, _its_card),
    moves.ChooseColor: _Rule("color", _only(Phase.COLOR), _choose_color),
    moves.Target: _Rule("target", _only(Phase.TARGET), _target),
    moves.Accept: _Rule("accept", _only(Phase.CHALLENGE), _accept),
    moves.Challenge: _Rule("challenge", _only(Phase.CHALLENGE), _challenge),
    moves.Reveal: _Rule("reveal", _only(Phase.REVEAL), _reveal, _its_cards),
    moves.Judge: _Rule("reveal", _only(Phase.REVEAL), _judge),
    moves.Uno: _Rule("uno", IN_ROUND, _uno),
    moves.Catch: _Rule("catch", IN_ROUND, _catch),
    moves.Creeper: _Rule("creeper", SHOWING, _creeper, _a_creeper),
    moves.Reshuffle: _Rule("reshuffle", IN_ROUND, _reshuffle),
    moves.Hand: _Rule("hand", _only(Phase.SCORING), _hand, _its_cards),
    moves.Count: _Rule("count", IN_ROUND, _count),
}
