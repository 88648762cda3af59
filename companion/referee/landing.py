"""What a card does when it lands on the discard pile: turned up at the start, played, or turned up by an item box."""

from __future__ import annotations

from collections.abc import Callable

from companion.cards import Color, Face, Item
from companion.referee import moves
from companion.referee.draft import Draft
from companion.referee.editions import Stacking, StartAction, StartWildChooser, TwoPlayerReverse
from companion.referee.effects import GoesAgain, HandsRotated, ItemUsed, JumpedIn, SetAside, Why
from companion.referee.errors import DoesNotMatchError, DoesNotStackError
from companion.referee.legality import OWING, matches, stacks
from companion.referee.phase import Phase, Purpose

_ACTIONS = frozenset({Face.DRAW_TWO, Face.REVERSE, Face.SKIP})
_PENALTY = {Face.DRAW_TWO: (2, Why.DRAW_TWO), Face.WILD_DRAW_FOUR: (4, Why.WILD_DRAW_FOUR)}


def start(draft: Draft, move: moves.Start) -> None:
    """Begin the round with the card turned up, or set it aside (R4-R10)."""
    options = draft.header.options
    face = move.card.face
    if _is_set_aside(draft, face):
        draft.effects.append(SetAside())
        return
    draft.land(move.card)
    first = draft.after(draft.dealer)
    if face.is_wild:
        dealer_chooses = options.start_wild_chooser is StartWildChooser.DEALER
        draft.choose(draft.dealer if dealer_chooses else first, Phase.COLOR, Purpose.OPENING)
    elif face is Face.REVERSE:
        draft.reverse()
        draft.turn_to(draft.dealer)
    elif face is Face.DRAW_TWO and _stacking(draft):
        draft.owe(first, 2, laid_by=None)
    elif face is Face.DRAW_TWO or face is Face.SKIP:
        hit_next(draft, draft.dealer, face)
    else:
        draft.turn_to(first)


def _is_set_aside(draft: Draft, face: Face) -> bool:
    """R8, R10 and the option `start_action`."""
    if face.is_wild:
        return face is Face.WILD_DRAW_FOUR or draft.header.edition.sets_aside_opening_wilds
    return face in _ACTIONS and draft.header.options.start_action is StartAction.REDRAW


def hit_next(draft: Draft, seat: int, face: Face) -> None:
    """Let the player after this seat draw what the face asks for, if anything, and lose the turn (R5, R6, R14, R16)."""
    victim = draft.after(seat)
    punish_next(draft, seat, face)
    draft.skip(victim)
    draft.turn_to(draft.after(victim))


def punish_next(draft: Draft, seat: int, face: Face) -> None:
    """Let the player after this seat draw what the face asks for, if anything."""
    if face in _PENALTY:
        draft.draw(draft.after(seat), *_PENALTY[face])


def go_out_drawing(draft: Draft, seat: int, face: Face) -> None:
    """Let the player after this seat draw for its last card, and all that is owed with it (R28, R37)."""
    if _stacking(draft):
        draft.draw(draft.after(seat), draft.debt, Why.DEBT)
    else:
        punish_next(draft, seat, face)


def _stacking(draft: Draft) -> bool:
    return draft.header.options.stacking is not Stacking.OFF


def play(draft: Draft, move: moves.Play) -> None:
    """Play the card and do what it asks for (R11-R18, R20, R27, R28, R34-R44).

    Raises DoesNotStackError or DoesNotMatchError. That a player who is not on turn may jump in has been found before.
    """
    card, top, color = move.card, draft.top, draft.color
    assert top is not None
    assert color is not None
    player = draft.actor if move.by is None else draft.header.seat(move.by)
    if player != draft.turn:
        draft.effects.append(JumpedIn(draft.name(player)))
        draft.lapse_calls()
    elif draft.phase in OWING and not stacks(card, top, draft.header.options.stacking):
        raise DoesNotStackError(card, top)
    elif not move.force and not matches(card, top, color):
        raise DoesNotMatchError(card, top, color)
    draft.land(card)
    draft.set_fresh(player, 0)
    draft.catchable = player
    draft.set_count(player, draft.hands[player] - 1)
    if draft.hands[player] == 0:
        _play_last(draft, player, card.face)
        return
    _ACTION.get(card.face, _play_number)(draft, player, color)


def _play_last(draft: Draft, player: int, face: Face) -> None:
    """R28, R37."""
    if face in _PENALTY:
        draft.debt += _PENALTY[face][0]
        go_out_drawing(draft, player, face)
    draft.end_round(player)


def _play_number(draft: Draft, player: int, _: Color) -> None:
    draft.turn_to(draft.after(player))


def _play_seven(draft: Draft, player: int, color: Color) -> None:
    """R42."""
    if draft.header.options.seven_zero:
        draft.choose(player, Phase.TARGET, Purpose.SEVEN)
    else:
        _play_number(draft, player, color)


def _play_zero(draft: Draft, player: int, color: Color) -> None:
    """R42."""
    if draft.header.options.seven_zero:
        draft.move_hands({draft.after(seat): seat for seat in range(len(draft.hands))})
        draft.effects.append(HandsRotated(draft.direction))
    _play_number(draft, player, color)


def _play_draw_two(draft: Draft, player: int, _: Color) -> None:
    """R14, R34."""
    if _stacking(draft):
        draft.owe(draft.after(player), 2, laid_by=player)
    else:
        hit_next(draft, player, Face.DRAW_TWO)


def _play_skip(draft: Draft, player: int, _: Color) -> None:
    hit_next(draft, player, Face.SKIP)


def _play_reverse(draft: Draft, player: int, _: Color) -> None:
    """R15."""
    draft.reverse()
    if len(draft.hands) == 2 and draft.header.options.two_player_reverse is TwoPlayerReverse.SKIP:
        hit_next(draft, player, Face.SKIP)
    else:
        draft.turn_to(draft.after(player))


def _play_wild(draft: Draft, player: int, _: Color) -> None:
    """R17; a creeper in the hand is a plain wild (R31)."""
    draft.choose(player, Phase.COLOR, Purpose.WILD)


def _play_wild_draw_four(draft: Draft, player: int, contested: Color) -> None:
    """R18, R34."""
    draft.choose(player, Phase.COLOR, Purpose.WILD_DRAW_FOUR)
    draft.contested = contested
    draft.laid_by = player
    if _stacking(draft):
        draft.debt += 4


def _play_item_box(draft: Draft, _: int, __: Color) -> None:
    """R20."""
    draft.phase = Phase.FLIP


_ACTION: dict[Face, Callable[[Draft, int, Color], None]] = {
    Face.ZERO: _play_zero,
    Face.SEVEN: _play_seven,
    Face.DRAW_TWO: _play_draw_two,
    Face.SKIP: _play_skip,
    Face.REVERSE: _play_reverse,
    Face.WILD: _play_wild,
    Face.WILD_CREEPER: _play_wild,
    Face.WILD_DRAW_FOUR: _play_wild_draw_four,
    Face.WILD_ITEM_BOX: _play_item_box,
}


def flip(draft: Draft, move: moves.Flip) -> None:
    """Let the item of the card turned up happen (R20, R21)."""
    draft.land(move.card)
    draft.effects.append(ItemUsed(move.card.item, draft.name(draft.actor)))
    _ITEM[move.card.item](draft, draft.actor)


def _mushroom(draft: Draft, player: int) -> None:
    """R22."""
    draft.effects.append(GoesAgain(draft.name(player)))
    draft.turn_to(player)


def _banana_peel(draft: Draft, player: int) -> None:
    """R23."""
    draft.draw(draft.before(player), 2, Why.BANANA_PEEL)
    draft.turn_to(draft.after(player))


def _green_shell(draft: Draft, player: int) -> None:
    """R24."""
    draft.choose(player, Phase.TARGET, Purpose.GREEN_SHELL)


def _lightning(draft: Draft, player: int) -> None:
    """R25."""
    other = draft.after(player)
    while other != player:
        draft.draw(other, 1, Why.LIGHTNING)
        other = draft.after(other)
    _mushroom(draft, player)


def _bob_omb(draft: Draft, player: int) -> None:
    """R26."""
    draft.draw(player, 2, Why.BOB_OMB)
    draft.choose(player, Phase.COLOR, Purpose.WILD)


_ITEM: dict[Item, Callable[[Draft, int], None]] = {
    Item.MUSHROOM: _mushroom,
    Item.BANANA_PEEL: _banana_peel,
    Item.GREEN_SHELL: _green_shell,
    Item.LIGHTNING: _lightning,
    Item.BOB_OMB: _bob_omb,
}
