"""One match being played: a value that says how far it has come, and what an observation or a correction makes of it.

Nothing here writes, publishes or waits; the table does, with what a step says is to be written and announced.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypedDict, Unpack

from companion.cards import Card
from companion.journal import Journal, Line, ReadBy, Reading, replay
from companion.journal import undone as undone_by
from companion.records import Batch, Correction, Standing, StoreDamagedError, StoredMatch
from companion.referee.errors import RefereeError
from companion.referee.match import Match
from companion.referee.moves import Amend, ChooseColor, Play
from companion.referee.state import Phase, State
from companion.referee.transcript import TranscriptError
from companion.table.hypotheses.revision_log import Trail
from companion.table.presentation.questions import Asked
from companion.table.presentation.sentences import Sentences
from companion.table.presentation.voice import Announcement, Voice
from companion.table.session.match_memory import Memory, Watch, dump_memory, recall
from companion.table.session.stage import Stage
from companion.table.state.observations import Pending, dump, load
from companion.table.state.situation import Situation, Turns
from companion.table.state.thresholds import REMINDED_AFTER_SECONDS


@dataclass(frozen=True, slots=True)
class Session:
    """A running match: what stands, what waits to be ruled on, and what was undone since the last move, latest last.

    trail: what was ruled on lately and may be judged anew, if it leads to what stands.
    """

    match_id: str
    known: Situation
    pending: tuple[Pending, ...] = ()
    watch: Watch = field(default_factory=Watch)
    undone: tuple[Line, ...] = ()
    trail: Trail | None = None

    @property
    def journal(self) -> Journal:
        """The journal of what stands."""
        return self.known.journal

    @property
    def match(self) -> Match:
        """The match as it stands."""
        return self.journal.match

    @property
    def state(self) -> State:
        """How the match stands."""
        return self.journal.match.state

    def long_ago(self) -> Session:
        """Return the session before whatever a camera sees from now on, whose clock may be another one's."""
        pending = tuple(observation.long_ago() for observation in self.pending)
        if self.trail is None or self.trail.known is not self.known:
            return replace(self, known=self.known.long_ago(), pending=pending, trail=None)
        trail = self.trail.long_ago()
        return replace(self, known=trail.known, pending=pending, trail=trail)

    def is_as_remembered(self, before: Session) -> bool:
        """Whether all that bears on what follows is as it was before."""
        same = self.known is before.known and self.watch == before.watch
        return same and self.pending == before.pending

    @property
    def memory(self) -> str:
        """What is to be kept of it besides its journal and what is pending, as one line of JSON."""
        return dump_memory(Memory(self.watch, self.known, self.trail or Trail(self.known), len(self.undone)))

    @property
    def color_is_guessed(self) -> bool:
        """Whether nobody said which colour was chosen for the wild card on which the last card lies."""
        lines = self.journal.lines
        landed = next((n for n in range(len(lines) - 1, 0, -1) if isinstance(lines[n].entry, Play)), 0)
        before = lines[landed - 1] if landed else None
        return before is not None and isinstance(before.entry, ChooseColor) and before.read_by is ReadBy.INFERRED


def taken_up(stored: StoredMatch, path: Path) -> tuple[Session, tuple[Pending, ...]]:
    """Return the session of a match that was kept, and what waited to be ruled on in it.

    path: of the store. Raises StoreDamagedError where the match makes no sense.
    """
    try:
        journal = replay(stored.header, stored.lines)
        pending = tuple(map(load, stored.pending))
        turns = Turns.RELAXED if stored.relaxed else Turns.CAMERA
    except (RefereeError, TranscriptError, ValueError, KeyError, TypeError) as error:
        raise StoreDamagedError(f"The match {stored.id} cannot be taken up again: {error}", path) from error
    memory, again = recall(stored.memory, journal, turns), undone_by(stored.lines)
    again = again if memory.undone is None else again[: memory.undone]
    return Session(stored.id, memory.known, (), memory.watch, again[::-1], memory.trail), pending


_MOST_ROUNDS = 8
"""How often all that is pending is weighed in one step at most; seldom is it more than twice."""


@dataclass(frozen=True, slots=True)
class Advance:
    """What a session comes to: the next session, what to write before anything else, what to announce, what to ask."""

    session: Session
    batch: Batch
    announcements: tuple[Announcement, ...]
    asked: Asked | None


class Given(TypedDict, total=False):
    """What a step is given besides what is pending.

    lines: to be entered before that. undone: what may be entered again after them, nothing where it is left out.
    readings, corrections: to be kept. fresh: whether the last of what is pending is a new observation. must_fit:
    whether that is a tap to be refused where it does not fit.
    """

    lines: tuple[Line, ...]
    undone: tuple[Line, ...]
    readings: tuple[Reading, ...]
    corrections: tuple[Correction, ...]
    fresh: bool
    must_fit: bool


def advance(session: Session, pending: Sequence[Pending], now: float, say: Voice, **given: Unpack[Given]) -> Advance:
    """Return what the session comes to with what is given, and then all this pending. now: seconds since the epoch.

    Raises RefereeError where a line is refused, or a tap that must fit is.
    """
    known, trail = session.known, session.trail
    if trail is None or trail.known is not known:
        trail = Trail(known)
    stage = Stage(session.watch, known, trail, tuple(pending)).entered(given.get("lines", ()), now, say)
    if given.get("fresh"):
        stage = stage.taken_in(must_fit=given.get("must_fit", False))
    stage, finding = stage.weighed(now, say)
    for _ in range(_MOST_ROUNDS):
        if not stage.pending or not stage.moved:
            break
        # What has become clear bears on what has not: a table that only stood still would come to it, and so would one
        # that is started again.
        stage, finding = stage.weighed(now, say)
    asked = stage.asked(finding, say)
    undone = given.get("undone", () if stage.written else session.undone)
    session = replace(session, known=stage.known, pending=stage.pending, trail=stage.trail, undone=undone)
    state = session.state
    batch = Batch(
        session.match_id,
        now,
        lines=stage.written,
        readings=given.get("readings", ()),
        corrections=given.get("corrections", ()),
        pending=tuple(map(dump, stage.pending)),
        memory=session.memory,
        standing=Standing(
            len(session.match.history),
            state.phase is Phase.OVER,
            tuple(state.players[seat] for seat in state.winners),
        ),
    )
    return Advance(session, batch, stage.announcements, asked)


def reminded(session: Session, now: float, say: Sentences) -> tuple[Session, tuple[str, ...]]:
    """Return the session, and what to say of each debt that nobody has taken for a while: each is spoken of once.

    Who has taken some by then has taken all: cards counted one by one follow at once, and how many were taken at a grab
    is hard to see. Of 62 debts in 29 simulated matches two seemed to be left in part, and none was. Nor is anybody
    spoken to beside whom others took what they came to owe at that moment, as after lightning: of 36 who came at once
    in eleven simulated lightnings 30 were not told from one another, and all had taken.
    """
    if not session.watch.reaches:
        return session, ()
    known, said = session.known, []
    for seat, debt in enumerate(known.debts.seats):
        if not debt.left or debt.spoken or now - debt.since <= REMINDED_AFTER_SECONDS:
            continue
        if debt.taken or debt.joined:
            known = replace(known, debts=known.debts.take(seat, debt.left))
        else:
            known = replace(known, debts=known.debts.spoken(seat))
            said.append(say.reminder(session.state.players[seat], debt.left))
    return replace(session, known=known), tuple(said)


def amendment(journal: Journal, entry: Amend, now: float) -> tuple[Line, tuple[Correction, ...]]:
    """Return the line for an amendment, and what it teaches about the reading behind the move that it replaces."""
    line = Line(entry, ReadBy.CORRECTED, now)
    if not 1 <= entry.n <= len(journal.lines):
        return line, ()
    old = journal.lines[entry.n - 1]
    card = getattr(entry.move, "card", None)
    if old.reading is None or not isinstance(card, Card) or card == getattr(old.entry, "card", None):
        return line, ()
    return line, (Correction(old.reading, card, now),)
