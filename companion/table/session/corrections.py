"""Corrections of earlier rulings: undo and redo, whose move it was, what it was; and what still stands then.

Corrections are lines of the journal, so they are stored, undone and replayed like any other.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile

from companion.cards import Card
from companion.referee.errors import AmendBreaksLaterMoveError, NoSuchMoveError, RefereeError
from companion.referee.legality import IN_ROUND
from companion.referee.moves import Amend, Draw, Flip, Move, Play, Reshuffle, Start, Undo
from companion.referee.state import Phase, State
from companion.storage.journal import Journal, Line, ReadBy
from companion.table.hypotheses.hypotheses import hypotheses_of
from companion.table.hypotheses.lifts import without_last_card
from companion.table.hypotheses.unseen_moves import until_somebody_acts
from companion.table.session.errors import NobodysMoveError, NothingToRedoError, RoundScoredError
from companion.table.state import thresholds
from companion.table.state.observations import Pending, Reach, Sight, Tap
from companion.table.state.situation import Mode, Situation, Turns, Way
from companion.vision.core.events import Arm

_ARM_SPREAD = 5.0
"""Assumed error in degrees of a stored direction; the measured spread is not stored."""

_ALONE = Mode(Turns.RELAXED, thresholds.DRAW_OUT_OF_VIEW, alone=True)
"""Interpretation of earlier observations when they are recomputed: nobody is asked."""


@dataclass(frozen=True, slots=True)
class AmendmentPreview:
    """Result of an amendment.

    lines: lines to be entered. state: the resulting state. dropped: positions (from 1) of moves that no longer stand.
    why: why the first of them is refused, None if all stand.
    """

    lines: tuple[Line, ...]
    state: State
    dropped: tuple[int, ...]
    why: RefereeError | None


def amendment_preview(journal: Journal, n: int, move: Move, now: float) -> AmendmentPreview:
    """Return the result of changing accepted move `n` (from 1); later moves that break are dropped.

    Raises NoSuchMoveError, and the RefereeError with which the move is refused in its place.
    """
    line = Line(Amend(n, move), ReadBy.CORRECTED, now)
    count = len(journal.lines)
    undos: tuple[Line, ...] = ()
    why: RefereeError | None = None
    try:
        after = journal.enter(line)
    except AmendBreaksLaterMoveError as error:
        why = error.cause
        undos = (Line(Undo(), ReadBy.CORRECTED, now),) * (count - error.n + 1)
        after = _entered(journal, (*undos, line))
    return AmendmentPreview((*undos, line), after.match.state, tuple(range(count - len(undos) + 1, count + 1)), why)


def attribution_lines(known: Situation, n: int, player: str, now: float) -> tuple[Situation, tuple[Line, ...]]:
    """Return the lines that attribute accepted move `n` (from 1) to this player, with later moves recomputed.

    Also returns the situation they are entered in, which has learnt whose arm that was. Raises NoSuchMoveError,
    NoSuchPlayerError, and NobodysMoveError if no arm makes such a move or it cannot be that player's.
    """
    lines, target = known.journal.lines, _line(known, n)
    seat = known.state.header.seat(player)
    if not isinstance(target.entry, Play | Draw):
        raise NobodysMoveError
    start = n - 1
    while start and lines[start - 1].read_by is ReadBy.INFERRED:
        start -= 1
    if target.direction is not None:
        old = known.journal.match.history[n - 2].state.turn
        ring = known.ring if old is None else known.ring.unlearn(old, target.direction)
        known = replace(known, ring=ring.corrected_by_players(seat, target.direction, _ARM_SPREAD))
    undos, way = _before(known, start + 1, now)
    way = _turn_of(way, seat, target)
    return known, (*undos, *way.lines, *_recomputed(way, lines[n:]))


def _recomputed(way: Way, later: Iterable[Line]) -> Iterator[Line]:
    """Yield the result of seeing or tapping these lines again after this way."""
    rest = [_observation_of(line) for line in later if line.read_by is not ReadBy.INFERRED]
    for each in hypotheses_of(way.after, rest, _ALONE)[0].ways:
        yield from each.lines


def _turn_of(way: Way, seat: int, target: Line) -> Way:
    """Return the most probable way up to and including the line's action by the player in this seat."""
    assert isinstance(target.entry, Play | Draw)
    entry = replace(target.entry, by=None)
    mode = Mode(Turns.RELAXED, thresholds.DRAW_OUT_OF_VIEW)
    found = []
    for ready in until_somebody_acts(way, target.time, mode):
        if ready.after.state.turn == seat:
            try:
                found.append(ready.then(replace(target, entry=entry, read_by=ReadBy.CORRECTED)))
            except RefereeError:
                continue
    if not found:
        raise NobodysMoveError
    return max(found, key=lambda each: each.weight)


def _observation_of(line: Line) -> Pending:
    """Return the observation or tap behind this line."""
    arm = None if line.direction is None else Arm(line.direction, _ARM_SPREAD, 0)
    entry = line.entry
    if isinstance(entry, Start | Play | Flip) and line.reading is not None:
        return Pending(Sight(line.time, ((entry.card, 1.0),), line.reading, arm=arm), card=entry.card)
    if isinstance(entry, Draw) and arm is not None:
        return Pending(Reach(line.time, arm, (0.02, 0.98)))
    assert not isinstance(entry, Undo | Amend)
    return Pending(Tap(line.time, entry, line.read_by))


def _entered(journal: Journal, lines: tuple[Line, ...]) -> Journal:
    for line in lines:
        journal = journal.enter(line)
    return journal


def drawn_first_lines(known: Situation, n: int, now: float) -> tuple[Line, ...]:
    """Return the lines by which the card of accepted move `n` (from 1) was drawn first.

    Later moves are recomputed. Raises NoSuchMoveError; NobodysMoveError unless it was laid by the player on turn
    without a draw.
    """
    lines, history = known.journal.lines, known.journal.match.history
    target = _line(known, n)
    on_turn = isinstance(target.entry, Play) and history[n - 2].state.phase is Phase.TURN
    if not on_turn or known.journal.player(n - 1) != history[n - 2].state.actor:
        raise NobodysMoveError
    undos, way = _before(known, n, now)
    way = way.then(Line(Draw(), ReadBy.CORRECTED, target.time, None, target.direction)).then(target)
    return (*undos, *way.lines, *_recomputed(way, lines[n:]))


def missed_card_lines(known: Situation, n: int, card: Card, now: float) -> tuple[Line, ...]:
    """Return the lines by which an unseen card landed just before accepted move `n` (from 1).

    It belongs to the player to act then; later moves are recomputed. Raises NoSuchMoveError; NobodysMoveError before
    the start card; the RefereeError with which the card is refused.
    """
    target = _line(known, n)
    undos, way = _before(known, n, now)
    if isinstance(target.entry, Start):
        raise NobodysMoveError
    move = Flip(card) if way.after.state.phase is Phase.FLIP else Play(card)
    laid = hypotheses_of(way.after, [Pending(Tap(target.time, move, ReadBy.CORRECTED))], _ALONE)[0].ways[0]
    if laid.refusal is not None:
        raise laid.refusal
    later = known.journal.lines[n - 1 :]
    # Answers that explained a later card count as inferred: they compensated for this one.
    landed = {line.time for line in later if isinstance(line.entry, Play | Flip)}
    kept = (line for line in later if isinstance(line.entry, Play | Flip) or line.time not in landed)
    return (*undos, *laid.lines, *_recomputed(laid, kept))


def removal_lines(known: Situation, n: int, now: float) -> tuple[Line, ...]:
    """Return the lines that remove accepted move `n` (from 1), with later moves recomputed.

    Raises NoSuchMoveError; NobodysMoveError for the start card, without which there is no round.
    """
    if isinstance(_line(known, n).entry, Start):
        raise NobodysMoveError
    undos, way = _before(known, n, now)
    return (*undos, *_recomputed(way, known.journal.lines[n:]))


def _line(known: Situation, n: int) -> Line:
    """Return the line of accepted move `n` (from 1). Raises NoSuchMoveError."""
    lines = known.journal.lines
    if not 1 <= n <= len(lines):
        raise NoSuchMoveError(n, len(lines))
    return lines[n - 1]


def _before(known: Situation, n: int, now: float) -> tuple[tuple[Line, ...], Way]:
    """Return the lines that undo everything from accepted move `n` on, and the way from there."""
    undos = (Line(Undo(), ReadBy.CORRECTED, now),) * (len(known.journal.lines) - n + 1)
    base = replace(known, illegal_card=None)
    for undo in undos:
        base = base.enter(undo)
    return undos, Way(base)


def taken_back_lines(known: Situation, now: float) -> tuple[Line, ...] | None:
    """Return the lines that remove the last ruled card and the taps after it; None without one."""
    way = without_last_card(Way(replace(known, illegal_card=None)), now)
    return None if way is None else tuple(replace(line, read_by=ReadBy.TAP) for line in way.lines)


def tap_time(journal: Journal, now: float) -> float:
    """Return the time of a tap made now, later than the tap before it: what shares a time is undone together."""
    last = journal.lines[-1] if journal.lines else None
    if last is None or last.read_by is not ReadBy.TAP or now > last.time:
        return now
    return math.nextafter(last.time, math.inf)


def undo_lines(journal: Journal, now: float, *, scored: bool) -> tuple[Line, ...]:
    """Return the lines that undo the last ruling, with the moves inferred for it or made by the same tap in its round.

    scored: whether a scored round may be reopened; raises RoundScoredError otherwise.
    """
    if not scored and _crosses_into_scored_round(journal):
        raise RoundScoredError
    lines, before = journal.lines[::-1], journal.match.history[-2::-1]
    in_round = sum(1 for _ in takewhile(lambda step: step.state.phase in IN_ROUND, before))
    together = _together(zip(lines[1:], lines, strict=False))
    return (Line(Undo(), ReadBy.TAP, now),) * max(1, min(len(lines), 1 + min(in_round, together)))


def redo_lines(undone: Sequence[Line]) -> tuple[tuple[Line, ...], tuple[Line, ...]]:
    """Return the last undone lines that form one ruling, to be entered again, and the remaining ones.

    Raises NothingToRedoError.
    """
    if not undone:
        raise NothingToRedoError
    lines = tuple(undone[::-1])
    count = min(len(lines), 1 + _together(pairwise(lines)))
    return lines[:count], lines[count:][::-1]


def _together(steps: Iterable[tuple[Line, Line]]) -> int:
    """Return in how many leading pairs one line was inferred for the other or made by the same tap."""
    return sum(1 for _ in takewhile(lambda step: _is_one_ruling(*step), steps))


def _is_one_ruling(line: Line, other: Line) -> bool:
    by_one_tap = line.read_by is ReadBy.TAP and other.read_by is ReadBy.TAP
    return line.time == other.time and (line.read_by is ReadBy.INFERRED or by_one_tap)


def _crosses_into_scored_round(journal: Journal) -> bool:
    """Return whether undoing the last move would reopen a scored round."""
    history = journal.match.history
    return len(history) > 0 and history[-1].state.phase not in IN_ROUND and _scored(journal)


def _scored(journal: Journal) -> bool:
    last = journal.match.history[-1]
    return any(effect.name == "score" for effect in last.effects) and not isinstance(last.move, Reshuffle)
