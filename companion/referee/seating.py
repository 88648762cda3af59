"""Players join, leave and are renamed; the target is changed (R48-R51, R55-R57).

Players who leave keep their points in `State.left` and get them back when they rejoin.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from companion.referee.departure import leave_round, without
from companion.referee.draft import Draft
from companion.referee.effects import Joined, Left, Renamed, TargetChanged
from companion.referee.errors import (
    AlreadyPlayingError,
    NameTakenError,
    NoRoomError,
    NoSuchPlayerError,
    TargetReachedError,
    TooManyPointsError,
)
from companion.referee.legality import may_seat_another
from companion.referee.moves import Join, Leave, Rename, Retarget
from companion.referee.names import key
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
        leave_round(draft, seat)
        return
    draft.effects.append(Left(draft.name(seat), draft.scores[seat]))
    if len(header.players) == MIN_PLAYERS:
        draft.end_match((1 - seat,))
        return
    # The player to the left of a dealer who leaves takes over the dealer's seat number.
    dealer = (draft.dealer - (seat < draft.dealer)) % (len(header.players) - 1)
    draft.left = (*draft.left, (draft.name(seat), draft.scores[seat]))
    draft.scores = without(draft.scores, seat)
    draft.header = replace(header, players=without(header.players, seat), dealer=dealer)
    draft.dealer = dealer
    draft.deal_hands(len(draft.header.players))


def rename(draft: Draft, move: Rename) -> None:
    """R56. A player may have the own name spelled differently."""
    header = draft.header
    seat = header.seat(move.player)
    others = (*without(header.players, seat), *(name for name, _ in draft.left))
    if key(move.name) in map(key, others):
        raise NameTakenError(move.name)
    draft.effects.append(Renamed(header.players[seat], move.name))
    draft.header = replace(header, players=_with(without(header.players, seat), seat, move.name))


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
