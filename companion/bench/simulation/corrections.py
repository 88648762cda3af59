"""How people at a simulated table correct it: by one tap on a line of the history if possible, else by undoing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial

from companion.bench.simulation.truth import bare, laid_by
from companion.cards import Card
from companion.referee.errors import RefereeError
from companion.referee.moves import ChooseColor, Draw, Flip, Move, Play, Reshuffle, Start
from companion.referee.state import Header
from companion.storage.journal import ReadBy
from companion.table.presentation.view import HistoryLine
from companion.table.session.errors import TableError
from companion.table.session.table import Table

# Maximum number of lines corrected by a tap each; with more errors people undo instead.
_MOST = 4
# Moves that can be replaced by another of their kind with one tap.
_OTHERS = (Start, Play, Flip, ChooseColor)


def correct_table(table: Table, wanted: Sequence[Move], least: int, header: Header, *, by_line: bool) -> int:
    """Tap until at least `least` of the wanted moves stand and no others; return the number of taps.

    wanted: bare, see `bare`. header: of the match. by_line: whether lines are corrected in place.
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
            continue  # it was pending, and now stands together with the one before
        try:
            table.tap(move)
        except RefereeError:
            # A landed card is still pending: the table no longer expects it first.
            table.undo(scored=True)
            table.tap(move)
            taps += 1
        taps += 1
    return taps


def _mend_lines(table: Table, wanted: Sequence[Move], header: Header) -> int:
    """Correct one wrong line after the other while that helps; return the number of lines tapped."""
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
    """Return the tap for the first wrong line; None if there is no such line, or no tap corrects it."""
    lines = [(n, line) for n, line in enumerate(table.view().history, 1) if not isinstance(line.move, Reshuffle)]
    stands, place = bare(line.move for _, line in lines), _agreed(table, wanted)
    if place >= min(len(stands), len(wanted)):
        return None
    n, said, true = lines[place][0], stands[place], wanted[place]
    anothers = _anothers_card(lines, wanted, header)
    if anothers is not None:
        # If someone was wrongly seen drawing, correcting that also corrects whose the following cards are.
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
    """Return the first card that lands with these moves, None if there is none."""
    return next((move.card for move in moves if isinstance(move, Play | Flip)), None)


def _anothers_card(
    lines: Sequence[tuple[int, HistoryLine]], wanted: Sequence[Move], header: Header
) -> tuple[int, str] | None:
    """Return the first line with the right card but the wrong player, and the right player."""
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
    """Return the number of leading moves that agree with the wanted ones."""
    same = 0
    for said, true in zip(accepted(table), wanted, strict=False):
        if said != true:
            break
        same += 1
    return same


def accepted(table: Table) -> tuple[Move, ...]:
    """Return the moves that stand at the table, bare."""
    return bare(line.move for line in table.view().history)
