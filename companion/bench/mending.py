"""How people at a simulated table put it right: the one tap on a line that mends it if there is one, or all anew."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial

from companion.bench.truth import bare, laid_by
from companion.cards import Card
from companion.journal import ReadBy
from companion.referee.errors import RefereeError
from companion.referee.moves import ChooseColor, Draw, Flip, Move, Play, Reshuffle, Start
from companion.referee.state import Header
from companion.table import HistoryLine, Table, TableError

# So many lines are mended by a tap each at most; whoever has found more wrong takes them back.
_MOST = 4
# A move of which it can be tapped that it was another of its kind.
_OTHERS = (Start, Play, Flip, ChooseColor)


def put_right(table: Table, wanted: Sequence[Move], least: int, header: Header, *, by_line: bool) -> int:
    """Tap until so many of these moves at least stand and no other, and return how many taps it took.

    wanted: bare, see `bare`. header: of the match. by_line: whether lines are mended where they are.
    """
    taps = 0
    while table.view().questions:
        table.undo(scored=True)
        taps += 1
    if by_line:
        taps += _mend_lines(table, wanted, header)
    while (moves := accepted(table)) != wanted[: len(moves)]:
        table.undo(scored=True)
        taps += 1
    for place, move in enumerate(wanted[len(moves) : least], len(moves)):
        if accepted(table)[: place + 1] == wanted[: place + 1]:
            continue  # it lay in doubt, and came to stand with the one before
        try:
            table.tap(move)
        except RefereeError:
            # A card lies there of which the table waits to be told more: it comes first no longer.
            table.undo(scored=True)
            table.tap(move)
            taps += 1
        taps += 1
    return taps


def _mend_lines(table: Table, wanted: Sequence[Move], header: Header) -> int:
    """Mend one wrong line after the other as long as that brings the table on, and return how many were tapped."""
    right = _agreed(table, wanted)
    for tapped in range(_MOST):
        mend = _mend(table, wanted, header)
        if mend is None:
            return tapped
        with suppress(RefereeError, TableError):
            mend()
        before, right = right, _agreed(table, wanted)
        if right <= before:
            return tapped + 1
    return _MOST


def _mend(table: Table, wanted: Sequence[Move], header: Header) -> Callable[[], object] | None:
    """Return what to tap on the first wrong line; None where there is none, or no tap that mends it."""
    lines = [(n, line) for n, line in enumerate(table.view().history, 1) if not isinstance(line.move, Reshuffle)]
    stands, place = bare(line.move for _, line in lines), _agreed(table, wanted)
    if place >= min(len(stands), len(wanted)):
        return None
    n, said, true = lines[place][0], stands[place], wanted[place]
    anothers = _anothers_card(lines, wanted, header)
    if anothers is not None:
        # Where somebody is said to have been seen drawing who was not, whose the cards after it are follows from that.
        drew_not = isinstance(said, Draw) and lines[place][1].read_by is ReadBy.CAMERA and n < anothers[0]
        return partial(table.drop, n) if drew_not else partial(table.say_who, *anothers)
    if isinstance(true, Draw) and isinstance(said, Play) and said in wanted[place + 1 : place + 2]:
        return partial(table.say_drew, n)
    if isinstance(true, Play | Flip) and _lands_next(stands[place:]) == _lands_next(wanted[place + 1 :]) != true.card:
        return partial(table.say_missed, n, true.card)
    if isinstance(said, Draw):
        return partial(table.drop, n)
    if not isinstance(said, _OTHERS) or said in wanted[place:]:
        return None
    if type(said) is type(true) and true not in stands[place + 1 : place + 2]:
        return partial(table.amend, n, true, drop=True)
    return partial(table.drop, n)


def _lands_next(moves: Iterable[Move]) -> Card | None:
    """Return the first card that lands with these moves, None where none does."""
    return next((move.card for move in moves if isinstance(move, Play | Flip)), None)


def _anothers_card(
    lines: Sequence[tuple[int, HistoryLine]], wanted: Sequence[Move], header: Header
) -> tuple[int, str] | None:
    """Return the first line with the right card that is held to be the wrong player's, and whose it is."""
    true = [(card, player) for card, player in laid_by(header, wanted) if player is not None]
    laid = [(n, line) for n, line in lines if isinstance(line.move, Play | Flip)]
    for (n, line), (card, player) in zip(laid, true, strict=False):
        assert isinstance(line.move, Play | Flip)
        if line.move.card != card:
            return None
        if line.player != player and isinstance(line.move, Play):
            return n, player
    return None


def _agreed(table: Table, wanted: Sequence[Move]) -> int:
    """Return how many of the moves that stand are as they are wanted, from the first on."""
    same = 0
    for said, true in zip(accepted(table), wanted, strict=False):
        if said != true:
            break
        same += 1
    return same


def accepted(table: Table) -> tuple[Move, ...]:
    """Return the moves that stand at the table, bare."""
    return bare(line.move for line in table.view().history)
