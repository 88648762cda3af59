"""Players join, leave and are renamed; the target is changed (R48-R51, R55-R57).

Players who leave keep their points in `State.left` and get them back when they rejoin.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

from companion.referee.actions.penalties import hit_next
from companion.referee.draft import Draft
from companion.referee.effects import DebtOwed, Joined, Left, Renamed, TargetChanged
from companion.referee.errors import (
    AlreadyPlayingError,
    NameTakenError,
    NoRoomError,
    NoSuchPlayerError,
    TargetReachedError,
    TooManyPointsError,
)
from companion.referee.legality import may_seat_another
from companion.referee.model.names import key
from companion.referee.model.running import Running
from companion.referee.moves import Join, Leave, Rename, Retarget
from companion.referee.phase import Phase
from companion.referee.state import MIN_PLAYERS

_T = TypeVar("_T")


def join(draft: Draft, move: Join) -> None:
    """R48, R49."""
    header = draft.header
    try:
        raise AlreadyPlayingError(header.players[header.seat(move.player)])
    except NoSuchPlayerError:
        pass
    if not may_seat_another(draft):
        raise NoRoomError(len(header.players))
    seat = len(header.players) if move.after is None else header.seat(move.after) + 1
    known = {key(name): (name, points) for name, points in draft.left}
    player, points = known.get(key(move.player), (move.player, 0))
    points = points if move.score is None else move.score
    if points >= header.options.target:
        raise TooManyPointsError(player, points, header.options.target)
    dealer = draft.dealer + (seat <= draft.dealer)
    draft.header = replace(header, players=_with(header.players, seat, player), dealer=dealer)
    draft.dealer = dealer
    draft.scores = _with(draft.scores, seat, points)
    draft.left = tuple(each for each in draft.left if key(each[0]) != key(player))
    draft.effects.append(Joined(player, points))
    draft.deal_hands(len(draft.header.players))


def leave(draft: Draft, move: Leave) -> None:
    """R50, R51, R55."""
    header = draft.header
    seat = header.seat(move.player)
    if draft.phase is not Phase.START:
        _leave_round(draft, seat)
        return
    draft.effects.append(Left(draft.name(seat), draft.scores[seat]))
    if len(header.players) == MIN_PLAYERS:
        draft.end_match((1 - seat,))
        return
    # The player to the left of a dealer who leaves takes over the dealer's seat number.
    dealer = (draft.dealer - (seat < draft.dealer)) % (len(header.players) - 1)
    draft.left = (*draft.left, (draft.name(seat), draft.scores[seat]))
    draft.scores = _without(draft.scores, seat)
    draft.header = replace(header, players=_without(header.players, seat), dealer=dealer)
    draft.dealer = dealer
    draft.deal_hands(len(draft.header.players))


def rename(draft: Draft, move: Rename) -> None:
    """R56. A player may have the own name spelled differently."""
    header = draft.header
    seat = header.seat(move.player)
    others = (*_without(header.players, seat), *(name for name, _ in draft.left))
    if key(move.name) in map(key, others):
        raise NameTakenError(move.name)
    draft.effects.append(Renamed(header.players[seat], move.name))
    draft.header = replace(header, players=_with(_without(header.players, seat), seat, move.name))


def retarget(draft: Draft, move: Retarget) -> None:
    """R57."""
    header = draft.header
    most = max(draft.scores)
    if most >= move.points:
        raise TargetReachedError(draft.name(draft.scores.index(most)), most, move.points)
    draft.effects.append(TargetChanged(move.points))
    draft.header = replace(header, options=replace(header.options, target=move.points))


def _with(values: tuple[_T, ...], seat: int, value: _T) -> tuple[_T, ...]:
    return (*values[:seat], value, *values[seat:])


def _leave_round(draft: Draft, seat: int) -> None:
    """R55. What the leaver owed, was asked or had begun lapses; what others owe or are asked stays."""
    draft.effects.append(Left(draft.name(seat), draft.scores[seat]))
    if len(draft.hands) == MIN_PLAYERS:
        draft.set_count(seat, 0)
        draft.close_round()
        draft.end_match((1 - seat,))
        return
    owner = draft.actor if draft.running is None else draft.running.seat
    heir = draft.after(owner)
    heir = draft.after(heir) if heir == seat else heir
    ends = _ends_what_waits(draft, seat)
    author = draft.laid_by == seat
    _vacate(draft, seat)
    if draft.end_if_alone():
        return
    if ends:
        draft.begin_turn(_shifted(heir, seat))
    elif author:
        _without_author(draft)


def _ends_what_waits(draft: Draft, seat: int) -> bool:
    """Return whether the game waits for this player, or for somebody else because of this player."""
    challenger = draft.phase is Phase.REVEAL and draft.after(draft.actor) == seat
    return seat == draft.turn or challenger or (draft.running is not None and draft.running.seat == seat)


def _without_author(draft: Draft) -> None:
    """Let a draw card stand whose player has left. Nobody is there to be challenged (as R46)."""
    draft.laid_by = None
    draft.contested = None
    draft.drawn_since = 0
    if draft.phase is not Phase.CHALLENGE:
        return
    draft.purpose = None
    if draft.debt:
        draft.phase = Phase.DEBT
        draft.effects.append(DebtOwed(draft.name(draft.actor), draft.debt))
    else:
        assert draft.top is not None
        hit_next(draft, draft.before(draft.actor), draft.top.face)


def _vacate(draft: Draft, seat: int) -> None:
    """Take the seat out of the ring. The deal passes to the left of a dealer who leaves, once the round is over."""
    header = draft.header
    players = _without(header.players, seat)
    dealer = (draft.dealer - (seat <= draft.dealer)) % len(players)
    draft.left = (*draft.left, (draft.name(seat), draft.scores[seat]))
    draft.header = replace(header, players=players, dealer=dealer)
    draft.dealer = dealer
    draft.hands = _without(draft.hands, seat)
    draft.scores = _without(draft.scores, seat)
    draft.fresh = _without(draft.fresh, seat)
    draft.shown = _without(draft.shown, seat)
    draft.leftover = _without(draft.leftover, seat)
    draft.called = _seats(draft.called, seat)
    draft.out = _seats(draft.out, seat)
    draft.turn = _seat(draft.turn, seat)
    draft.catchable = _seat(draft.catchable, seat)
    draft.doubler = _seat(draft.doubler, seat)
    draft.laid_by = _seat(draft.laid_by, seat)
    draft.running = _program(draft.running, seat)


def _program(running: Running | None, seat: int) -> Running | None:
    if running is None:
        return None
    return replace(
        running,
        seat=_shifted(running.seat, seat),
        chosen=_seat(running.chosen, seat),
        author=_seat(running.author, seat),
        asked=_seat(running.asked, seat),
        skipped=_seats(running.skipped, seat),
        queue=None if running.queue is None else _row(running.queue, seat),
        picked=_row(running.picked, seat),
        outer=_program(running.outer, seat),
    )


def _without(values: tuple[_T, ...], seat: int) -> tuple[_T, ...]:
    """Return the values of all seats but one."""
    return (*values[:seat], *values[seat + 1 :])


def _shifted(other: int, seat: int) -> int:
    """Return the number of another player's seat once this one is gone."""
    return other - (other > seat)


def _seat(other: int | None, seat: int) -> int | None:
    return None if other is None or other == seat else _shifted(other, seat)


def _row(seats: Iterable[int], seat: int) -> tuple[int, ...]:
    return tuple(_shifted(other, seat) for other in seats if other != seat)


def _seats(seats: frozenset[int], seat: int) -> frozenset[int]:
    return frozenset(_row(seats, seat))
