"""A running match as an immutable value, and the result of a step."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from companion.referee.match import Match
from companion.referee.moves import ChooseColor, Play
from companion.referee.state import State
from companion.storage.journal import Journal, Line, ReadBy
from companion.storage.records import Batch
from companion.table.hypotheses.finding import RevisionLog
from companion.table.presentation.questions import Asked
from companion.table.presentation.voice import Announcement
from companion.table.state.observations import Pending
from companion.table.state.situation import Situation
from companion.table.state.watch import Watch


@dataclass(frozen=True, slots=True)
class Session:
    """A running match: the accepted moves, the pending observations, and the lines undone since the last move, latest
    last.

    revisions: the latest rulings that may be revised, if it leads to the current situation.
    """

    match_id: str
    known: Situation
    pending: tuple[Pending, ...] = ()
    watch: Watch = field(default_factory=Watch)
    undone: tuple[Line, ...] = ()
    revisions: RevisionLog | None = None

    @property
    def journal(self) -> Journal:
        """The journal of accepted moves."""
        return self.known.journal

    @property
    def match(self) -> Match:
        """The match as it stands."""
        return self.journal.match

    @property
    def state(self) -> State:
        """State of the match."""
        return self.journal.match.state

    def before_camera_clock(self) -> Session:
        """Return the session placed before everything a camera sees from now on, as its clock may differ."""
        pending = tuple(observation.before_camera_clock() for observation in self.pending)
        if self.revisions is None or self.revisions.known is not self.known:
            return replace(self, known=self.known.before_camera_clock(), pending=pending, revisions=None)
        revisions = self.revisions.before_camera_clock()
        return replace(self, known=revisions.known, pending=pending, revisions=revisions)

    def has_same_state(self, before: Session) -> bool:
        """Whether everything that influences later steps is unchanged."""
        same = self.known is before.known and self.watch == before.watch
        return same and self.pending == before.pending

    @property
    def color_is_guessed(self) -> bool:
        """Whether nobody said which colour was chosen for the wild below the last card."""
        lines = self.journal.lines
        landed = next((n for n in range(len(lines) - 1, 0, -1) if isinstance(lines[n].entry, Play)), 0)
        before = lines[landed - 1] if landed else None
        return before is not None and isinstance(before.entry, ChooseColor) and before.read_by is ReadBy.INFERRED


@dataclass(frozen=True, slots=True)
class Advance:
    """Result of a step: the next session, what to write first, what to announce, what to ask."""

    session: Session
    batch: Batch
    announcements: tuple[Announcement, ...]
    asked: Asked | None
