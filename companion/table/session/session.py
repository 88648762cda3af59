"""The next value of a running match after an observation or correction, and what is stored of it.

Nothing here writes, publishes or waits; the table does, as the result of a step says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypedDict, Unpack

from companion.cards import Card
from companion.journal import Journal, Line, ReadBy, Reading, replay
from companion.journal import undone as undone_by
from companion.records import Batch, Correction, Standing, StoreDamagedError, StoredMatch
from companion.referee.errors import RefereeError
from companion.referee.moves import Amend
from companion.referee.state import Phase
from companion.referee.transcript import TranscriptError
from companion.table.hypotheses.revision_log import RevisionLog
from companion.table.presentation.sentences import Sentences
from companion.table.presentation.voice import Voice
from companion.table.session.match_memory import Memory, dump_memory, recall
from companion.table.session.running import Advance, Session
from companion.table.session.stage import Stage
from companion.table.state.observations import Pending, dump, load
from companion.table.state.situation import Turns
from companion.table.state.thresholds import REMINDED_AFTER_SECONDS


def resumed_session(stored: StoredMatch, path: Path) -> tuple[Session, tuple[Pending, ...]]:
    """Return the session of a stored match, and its pending observations.

    path: of the store. Raises StoreDamagedError if the match is inconsistent.
    """
    try:
        journal = replay(stored.header, stored.lines)
        pending = tuple(load(text, stored.header.edition) for text in stored.pending)
        turns = Turns.RELAXED if stored.relaxed else Turns.CAMERA
    except (RefereeError, TranscriptError, ValueError, KeyError, TypeError) as error:
        raise StoreDamagedError(f"The match {stored.id} cannot be taken up again: {error}", path) from error
    memory, redoable = recall(stored.memory, journal, turns), undone_by(stored.lines)
    redoable = redoable if memory.undone is None else redoable[: memory.undone]
    return Session(stored.id, memory.known, (), memory.watch, redoable[::-1], memory.revisions), pending


def memory_of(session: Session) -> str:
    """Return the state to store besides the journal and the pending observations, as one line of JSON."""
    revisions = session.revisions or RevisionLog(session.known)
    return dump_memory(Memory(session.watch, session.known, revisions, len(session.undone)))


_MAX_ROUNDS = 8
"""Maximum number of evaluations per step; rarely more than two are needed."""


class StepInputs(TypedDict, total=False):
    """Inputs of a step besides the pending observations.

    lines: to be entered first. undone: lines that can be redone afterwards, none by default. readings, corrections: to
    be stored. fresh: whether the last pending observation is new. must_fit: whether it is a tap that is refused unless
    it fits.
    """

    lines: tuple[Line, ...]
    undone: tuple[Line, ...]
    readings: tuple[Reading, ...]
    corrections: tuple[Correction, ...]
    fresh: bool
    must_fit: bool


def advance(
    session: Session, pending: Sequence[Pending], now: float, say: Voice, **given: Unpack[StepInputs]
) -> Advance:
    """Return the result of a step with these inputs and all pending observations. now: seconds since the epoch.

    Raises RefereeError if a line, or a tap that must fit, is refused.
    """
    known, revisions = session.known, session.revisions
    if revisions is None or revisions.known is not known:
        revisions = RevisionLog(known)
    stage = Stage(session.watch, known, revisions, tuple(pending)).entered(given.get("lines", ()), now, say)
    if given.get("fresh"):
        stage = stage.placed_in_time(must_fit=given.get("must_fit", False))
    stage, finding = stage.weighed(now, say)
    for _ in range(_MAX_ROUNDS):
        if not stage.pending or not stage.moved:
            break
        # A ruling may settle other observations; a restarted table would evaluate them as well.
        stage, finding = stage.weighed(now, say)
    asked = stage.asked(finding, say)
    undone = given.get("undone", () if stage.written else session.undone)
    session = replace(session, known=stage.known, pending=stage.pending, revisions=stage.revisions, undone=undone)
    state = session.state
    batch = Batch(
        session.match_id,
        now,
        lines=stage.written,
        readings=given.get("readings", ()),
        corrections=given.get("corrections", ()),
        pending=tuple(map(dump, stage.pending)),
        memory=memory_of(session),
        standing=Standing(
            len(session.match.history),
            state.phase is Phase.OVER,
            tuple(state.players[seat] for seat in state.winners),
        ),
    )
    return Advance(session, batch, stage.announcements, asked)


def with_reminders(session: Session, now: float, say: Sentences) -> tuple[Session, tuple[str, ...]]:
    """Return the session, and the reminders for debts nobody has taken for a while, each once.

    A player who has taken some is assumed to have taken all: how many were taken in a grab is hard to see. Of 62 debts
    in 29 simulated matches two seemed incomplete and none was. No reminder either for a player beside whom others took
    simultaneous debts, as after lightning: of 36 simultaneous arms in eleven simulated lightnings 30 could not be
    separated, and all had taken.
    """
    if not session.watch.reaches:
        return session, ()
    known, reminders = session.known, []
    for seat, debt in enumerate(known.debts.seats):
        if not debt.left or debt.spoken or now - debt.since <= REMINDED_AFTER_SECONDS:
            continue
        if debt.taken or debt.joined:
            known = replace(known, debts=known.debts.take(seat, debt.left))
        else:
            known = replace(known, debts=known.debts.spoken(seat))
            reminders.append(say.reminder(session.state.players[seat], debt.left))
    return replace(session, known=known), tuple(reminders)


def amendment(journal: Journal, entry: Amend, now: float) -> tuple[Line, tuple[Correction, ...]]:
    """Return the line of an amendment, and the correction of the reading behind the move it replaces."""
    line = Line(entry, ReadBy.CORRECTED, now)
    if not 1 <= entry.n <= len(journal.lines):
        return line, ()
    old = journal.lines[entry.n - 1]
    card = getattr(entry.move, "card", None)
    if old.reading is None or not isinstance(card, Card) or card == getattr(old.entry, "card", None):
        return line, ()
    return line, (Correction(old.reading, card, now),)
