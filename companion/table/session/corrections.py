"""Mending what was ruled before: whose move it was, what it was, whether a card was drawn; what still stands then.

Everything is told as lines of the journal, so that it is kept, undone and replayed like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile

from companion.cards import Card
from companion.journal import Journal, Line, ReadBy
from companion.referee.errors import AmendBreaksLaterMoveError, NoSuchMoveError, RefereeError
from companion.referee.legality import IN_ROUND
from companion.referee.moves import Amend, Draw, Flip, Move, Play, Reshuffle, Start, Undo
from companion.referee.state import Phase, State
from companion.table.hypotheses.explanations import without_last_card
from companion.table.hypotheses.hypotheses import stories_of
from companion.table.hypotheses.unseen_moves import until_somebody_acts
from companion.table.session.errors import NobodysMoveError, NothingToRedoError, RoundScoredError
from companion.table.state import thresholds
from companion.table.state.observations import Pending, Reach, Sight, Tap
from companion.table.state.situation import Mode, Situation, Turns, Way
from companion.vision.core.events import Arm

_ARM_SPREAD = 5.0
"""Degrees by which a kept direction may be off; the measured spread is not kept."""

_ALONE = Mode(Turns.RELAXED, thresholds.UNSEEN_DRAW, alone=True)
"""How what was seen once is understood when it is worked out anew: nobody is asked about it."""


@dataclass(frozen=True, slots=True)
class Mended:
    """What an amendment comes to.

    lines: to be entered for it. state: how the match stands then. dropped: the places, counted from 1, of the moves
    that no longer stand and go. why: what the first of them is refused for, None where all stand.
    """

    lines: tuple[Line, ...]
    state: State
    dropped: tuple[int, ...]
    why: RefereeError | None


def mended(journal: Journal, n: int, move: Move, now: float) -> Mended:
    """Return what comes of accepted move `n`, counted from 1, having been another; what then breaks is dropped.

    Raises NoSuchMoveError, and the RefereeError for which the move is refused in its own place.
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
    return Mended((*undos, line), after.match.state, tuple(range(count - len(undos) + 1, count + 1)), why)


def played_by(known: Situation, n: int, player: str, now: float) -> tuple[Situation, tuple[Line, ...]]:
    """Return the lines by which accepted move `n`, counted from 1, was this player's, what followed worked out anew.

    With them comes the situation that they are to be entered in, which has learnt from it whose arm that was. Raises
    NoSuchMoveError, NoSuchPlayerError, and NobodysMoveError where the move is none that an arm makes, or where it
    cannot have been that player's.
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
        known = replace(known, ring=ring.taught_by_hand(seat, target.direction, _ARM_SPREAD))
    undos, way = _before(known, start + 1, now)
    way = _turn_of(way, seat, target)
    return known, (*undos, *way.lines, *_worked_out_anew(way, lines[n:]))


def _worked_out_anew(way: Way, later: Iterable[Line]) -> Iterator[Line]:
    """Yield what these lines, seen or tapped again after this way, come to."""
    rest = [_seen_again(line) for line in later if line.read_by is not ReadBy.INFERRED]
    for each in stories_of(way.after, rest, _ALONE)[0].ways:
        yield from each.lines


def _turn_of(way: Way, seat: int, target: Line) -> Way:
    """Return the likeliest way to where the player in this seat did what the line says, that included."""
    entry = replace(target.entry, by=None) if isinstance(target.entry, Play | Draw) else target.entry
    mode = Mode(Turns.RELAXED, thresholds.UNSEEN_DRAW)
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


def _seen_again(line: Line) -> Pending:
    """Return what was seen or tapped when this line was entered."""
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


def drawn_first(known: Situation, n: int, now: float) -> tuple[Line, ...]:
    """Return the lines by which the card laid with accepted move `n`, counted from 1, was drawn first.

    What followed is worked out anew. Raises NoSuchMoveError; NobodysMoveError where it was not laid by who was on turn
    and had not drawn.
    """
    lines, history = known.journal.lines, known.journal.match.history
    target = _line(known, n)
    on_turn = isinstance(target.entry, Play) and history[n - 2].state.phase is Phase.TURN
    if not on_turn or known.journal.player(n - 1) != history[n - 2].state.actor:
        raise NobodysMoveError
    undos, way = _before(known, n, now)
    way = way.then(Line(Draw(), ReadBy.CORRECTED, target.time, None, target.direction)).then(target)
    return (*undos, *way.lines, *_worked_out_anew(way, lines[n:]))


def missed(known: Situation, n: int, card: Card, now: float) -> tuple[Line, ...]:
    """Return the lines by which a card that nobody saw landed just before accepted move `n`, counted from 1.

    It is its player's who was to act then. What followed is worked out anew. Raises NoSuchMoveError; NobodysMoveError
    before the card turned up to start; the RefereeError for which the card is refused.
    """
    target = _line(known, n)
    undos, way = _before(known, n, now)
    if isinstance(target.entry, Start):
        raise NobodysMoveError
    move = Flip(card) if way.after.state.phase is Phase.FLIP else Play(card)
    laid = stories_of(way.after, [Pending(Tap(target.time, move, ReadBy.CORRECTED))], _ALONE)[0].ways[0]
    if laid.refusal is not None:
        raise laid.refusal
    later = known.journal.lines[n - 1 :]
    # What was answered to make sense of a later card is as good as inferred: it made up for this one.
    landed = {line.time for line in later if isinstance(line.entry, Play | Flip)}
    kept = (line for line in later if isinstance(line.entry, Play | Flip) or line.time not in landed)
    return (*undos, *laid.lines, *_worked_out_anew(laid, kept))


def never_was(known: Situation, n: int, now: float) -> tuple[Line, ...]:
    """Return the lines by which accepted move `n`, counted from 1, never was, what followed worked out anew.

    Raises NoSuchMoveError; NobodysMoveError for the card turned up to start, without which there is no round.
    """
    if isinstance(_line(known, n).entry, Start):
        raise NobodysMoveError
    undos, way = _before(known, n, now)
    return (*undos, *_worked_out_anew(way, known.journal.lines[n:]))


def _line(known: Situation, n: int) -> Line:
    """Return the line of accepted move `n`, counted from 1. Raises NoSuchMoveError."""
    lines = known.journal.lines
    if not 1 <= n <= len(lines):
        raise NoSuchMoveError(n, len(lines))
    return lines[n - 1]


def _before(known: Situation, n: int, now: float) -> tuple[tuple[Line, ...], Way]:
    """Return the lines that undo all from accepted move `n` on, and the way from there."""
    undos = (Line(Undo(), ReadBy.CORRECTED, now),) * (len(known.journal.lines) - n + 1)
    base = replace(known, outlaw=None)
    for undo in undos:
        base = base.enter(undo)
    return undos, Way(base)


def card_taken_back(known: Situation, now: float) -> tuple[Line, ...] | None:
    """Return the lines by which the last card goes that was ruled on, and taps that followed it; None without one."""
    way = without_last_card(Way(replace(known, outlaw=None)), now)
    return None if way is None else tuple(replace(line, read_by=ReadBy.TAP) for line in way.lines)


def undoing(journal: Journal, now: float, *, scored: bool) -> tuple[Line, ...]:
    """Return the lines that take the last ruling back with what was inferred for it in its round; one without any.

    scored: whether that may open a round again that has been scored; raises RoundScoredError where it may not.
    """
    if not scored and _crosses_into_scored_round(journal):
        raise RoundScoredError
    lines, before = journal.lines[::-1], journal.match.history[-2::-1]
    in_round = sum(1 for _ in takewhile(lambda step: step.state.phase in IN_ROUND, before))
    inferred = _inferred(zip(lines[1:], lines, strict=False))
    return (Line(Undo(), ReadBy.TAP, now),) * max(1, min(len(lines), 1 + min(in_round, inferred)))


def redoing(undone: Sequence[Line]) -> tuple[tuple[Line, ...], tuple[Line, ...]]:
    """Return the lines undone last, latest last in `undone`, that are entered again as one ruling, and what is left.

    Raises NothingToRedoError.
    """
    if not undone:
        raise NothingToRedoError
    lines = tuple(undone[::-1])
    count = min(len(lines), 1 + _inferred(pairwise(lines)))
    return lines[:count], lines[count:][::-1]


def _inferred(steps: Iterable[tuple[Line, Line]]) -> int:
    """Return in how many of these pairs, up to the first other one, the one line was inferred for the other."""
    return sum(1 for _ in takewhile(lambda step: _is_inferred_for(*step), steps))


def _is_inferred_for(line: Line, other: Line) -> bool:
    return line.read_by is ReadBy.INFERRED and line.time == other.time


def _crosses_into_scored_round(journal: Journal) -> bool:
    """Return whether taking the last move back would open a round again that has been scored."""
    history = journal.match.history
    return len(history) > 0 and history[-1].state.phase not in IN_ROUND and _scored(journal)


def _scored(journal: Journal) -> bool:
    last = journal.match.history[-1]
    return any(effect.name == "score" for effect in last.effects) and not isinstance(last.move, Reshuffle)
