"""What a card does when it lands on the discard pile: turned up at the start, played, or turned up by another card."""

from __future__ import annotations

from collections.abc import Callable

from companion.cards import Color, Face
from companion.editions.edition import Answer
from companion.editions.options import Stacking, StartWildChooser, TwoPlayerReverse
from companion.referee import moves
from companion.referee.actions.interpreter import rotate_hands, run
from companion.referee.actions.penalties import go_out_drawing, hit_next
from companion.referee.draft import Draft
from companion.referee.effects import DebtAnswered, ItemUsed, JumpedIn, LaidSecond, SetAside, Why
from companion.referee.errors import DoesNotFitError, DoesNotMatchError, DoesNotStackError
from companion.referee.legality import OWING, matches, stacks
from companion.referee.model.running import Origin, Running
from companion.referee.phase import Phase, Purpose


def start(draft: Draft, move: moves.Start) -> None:
    """Begin the round with the card turned up, or set it aside (R4-R10)."""
    face = move.card.face
    rules = draft.header.rules
    if face in rules.set_aside:
        draft.effects.append(SetAside())
        return
    draft.land(move.card)
    first = draft.after(draft.dealer)
    if face in rules.applied:
        run(draft, Running(face.value, draft.dealer, rules.played[face], Origin.START))
    elif face.is_wild and draft.header.edition.has_colors:
        dealer_chooses = draft.header.options.start_wild_chooser is StartWildChooser.DEALER
        draft.choose(draft.dealer if dealer_chooses else first, Phase.COLOR, Purpose.OPENING)
    elif face is Face.REVERSE:
        draft.reverse()
        draft.turn_to(draft.dealer)
    elif face is Face.DRAW_TWO and rules.opens:
        draft.owe(first, 2, laid_by=None)
    elif face is Face.DRAW_TWO or face is Face.SKIP:
        hit_next(draft, draft.dealer, face)
    else:
        draft.turn_to(first)


def play(draft: Draft, move: moves.Play) -> None:
    """Play the card and do what it asks for (R11-R18, R20, R27, R28, R34-R44, R52, R53).

    Raises DoesNotFitError, DoesNotStackError or DoesNotMatchError. Whether a player may jump in was checked before.
    """
    card, top, color = move.card, draft.top, draft.color
    assert top is not None
    header = draft.header
    player = draft.actor if move.by is None else header.seat(move.by)
    answer = author = None
    stacked = draft.debt > 0
    if player != draft.turn:
        if player == draft.doubler:
            draft.effects.append(LaidSecond(draft.name(player)))
        else:
            draft.effects.append(JumpedIn(draft.name(player)))
            draft.lapse_calls()
    elif draft.phase in OWING:
        if draft.demand is not None:
            if not draft.demand.filter.fits(card, color):
                raise DoesNotFitError(card, draft.demand.why)
            draft.demand = None
            draft.debt = 0
            stacked = False
        elif card.face in header.rules.answers:
            answer, author = header.rules.answers[card.face], draft.laid_by
        elif not stacks(card, top, header):
            raise DoesNotStackError(card, top)
        elif header.options.stacking is not Stacking.RISING and not move.force and not matches(card, top, color):
            raise DoesNotMatchError(card, top, color)
    elif not move.force and not matches(card, top, color):
        raise DoesNotMatchError(card, top, color)
    if player != draft.doubler:
        draft.shut_copies()
    draft.land_played(card, player)
    draft.set_fresh(player, 0)
    draft.catchable = player
    draft.set_count(player, draft.hands[player] - 1)
    if answer is not None:
        _answer(draft, player, answer)
        stacked = False
    if draft.hands[player] == 0:
        _play_last(draft, player, card.face)
        return
    action = _ACTION.get(card.face)
    if action is not None:
        action(draft, player, color)
        return
    program = header.rules.played.get(card.face)
    if program is None:
        draft.turn_to(draft.after(player))
        return
    draft.contested = None
    if stacked:
        draft.laid_by = player
    run(draft, Running(card.face.value, player, program, Origin.PLAY, author=author))


def _answer(draft: Draft, player: int, how: Answer) -> None:
    """R53: the debt is gone, or whoever played the draw card draws it."""
    draft.effects.append(DebtAnswered(draft.name(player), how))
    debt, author = draft.debt, draft.laid_by
    draft.debt = 0
    draft.laid_by = None
    draft.contested = None
    draft.purpose = None
    if how is Answer.REFLECT and author is not None:
        draft.draw(author, debt, Why.DEBT)


def _play_last(draft: Draft, player: int, face: Face) -> None:
    """R28, R37."""
    penalty = draft.header.rules.penalties.get(face)
    if penalty is not None:
        draft.debt += penalty
        go_out_drawing(draft, player, face)
    draft.end_round(player)


def _play_number(draft: Draft, player: int, _: Color | None) -> None:
    draft.turn_to(draft.after(player))


def _play_seven(draft: Draft, player: int, color: Color | None) -> None:
    """R42."""
    if draft.header.options.seven_zero:
        draft.choose(player, Phase.TARGET, Purpose.SEVEN)
    else:
        _play_number(draft, player, color)


def _play_zero(draft: Draft, player: int, color: Color | None) -> None:
    """R42."""
    if draft.header.options.seven_zero:
        rotate_hands(draft)
    _play_number(draft, player, color)


def _play_draw_two(draft: Draft, player: int, _: Color | None) -> None:
    """R14, R34."""
    if draft.header.rules.opens:
        draft.owe(draft.after(player), 2, laid_by=player)
    else:
        hit_next(draft, player, Face.DRAW_TWO)


def _play_skip(draft: Draft, player: int, _: Color | None) -> None:
    hit_next(draft, player, Face.SKIP)


def _play_reverse(draft: Draft, player: int, _: Color | None) -> None:
    """R15."""
    draft.reverse()
    if draft.present == 2 and draft.header.options.two_player_reverse is TwoPlayerReverse.SKIP:
        hit_next(draft, player, Face.SKIP)
    else:
        draft.turn_to(draft.after(player))


def _play_wild(draft: Draft, player: int, _: Color | None) -> None:
    """R17."""
    if draft.header.edition.has_colors:
        draft.choose(player, Phase.COLOR, Purpose.WILD)
    else:
        draft.turn_to(draft.after(player))


def _play_wild_draw_four(draft: Draft, player: int, contested: Color | None) -> None:
    """R18, R34."""
    draft.choose(player, Phase.COLOR, Purpose.WILD_DRAW_FOUR)
    draft.contested = contested
    draft.drawn_since = 0
    draft.laid_by = player
    if draft.header.rules.opens:
        draft.debt += 4


_ACTION: dict[Face, Callable[[Draft, int, Color | None], None]] = {
    Face.ZERO: _play_zero,
    Face.SEVEN: _play_seven,
    Face.DRAW_TWO: _play_draw_two,
    Face.SKIP: _play_skip,
    Face.REVERSE: _play_reverse,
    Face.WILD: _play_wild,
    Face.WILD_DRAW_FOUR: _play_wild_draw_four,
}


def flip(draft: Draft, move: moves.Flip) -> None:
    """Run the program of the mark that the card turned up bears (R20, R21)."""
    draft.land(move.card)
    waiting = draft.running
    assert waiting is not None
    bears = draft.header.rules.turned_up.get(move.card)
    if bears is None:
        run(draft, Running(waiting.why, waiting.seat, (), Origin.FLIP, skipped=waiting.skipped))
        return
    mark, program = bears
    draft.effects.append(ItemUsed(mark, draft.name(waiting.seat)))
    run(draft, Running(mark, waiting.seat, program, Origin.FLIP, skipped=waiting.skipped))
