"""One step of a running match: enter lines, add the new observation, evaluate everything pending, say what to store.

Nothing here writes, publishes or waits; the table does, as the result of a step says. Evaluating an unchanged stage
again has no effect, so a restarted table is in the same state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypedDict, Unpack

from companion.cards import Card
from companion.referee.moves import Amend, ChooseColor, Draw, Flip, Outcome, Pass, Play, Start, Target, Took
from companion.referee.state import Phase
from companion.storage.journal import Journal, Line, ReadBy, Reading
from companion.storage.records import Batch, Correction, Standing
from companion.table.hypotheses.finding import Finding, RevisionLog
from companion.table.hypotheses.hypotheses import hypotheses_of
from companion.table.hypotheses.inference import weighed
from companion.table.hypotheses.revision_log import (
    beams_of,
    continuations,
    correction_lines,
    revised,
    with_late_observation,
    with_rulings,
)
from companion.table.presentation.questions import Asked, ask
from companion.table.presentation.sentences import Sentences
from companion.table.presentation.voice import Announcement, Voice
from companion.table.session.match_memory import memory_of
from companion.table.session.running import Advance, Session
from companion.table.state.observations import Pending, Reach, Sight, Tap, by_camera_time, dump
from companion.table.state.situation import Mode, Situation
from companion.table.state.thresholds import REMINDED_AFTER_SECONDS
from companion.table.state.watch import Watch

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


@dataclass(frozen=True, slots=True)
class Stage:
    """Intermediate result of a step.

    revisions: the latest rulings; differs from the known situation only after a late observation. written: lines
    entered so far; announcements: about them. moved: whether the last evaluation changed anything.
    """

    watch: Watch
    known: Situation
    revisions: RevisionLog
    pending: tuple[Pending, ...]
    written: tuple[Line, ...] = ()
    announcements: tuple[Announcement, ...] = ()
    moved: bool = False

    @property
    def mode(self) -> Mode:
        """How observations are interpreted."""
        return self.watch.mode(self.known.ring)

    def entered(self, lines: Sequence[Line], now: float, say: Voice) -> Stage:
        """Return the stage with these lines entered; raises RefereeError if one is refused."""
        if not lines:
            return self
        after = self.known
        for line in lines:
            after = after.enter(line)
        correction = say.corrected(self.known.journal, after.journal, tuple(lines))
        if _landings(after.journal) < _landings(self.known.journal):
            after = replace(after, dropped=now)
        announcements = (*self.announcements, correction)
        return replace(
            self,
            known=after,
            revisions=RevisionLog(after),
            written=(*self.written, *lines),
            announcements=announcements,
        )

    def placed_in_time(self, *, must_fit: bool) -> Stage:
        """Return the stage with the last pending observation moved to its place in time.

        must_fit: whether it is a tap that must fit; raises RefereeError if it does not.
        """
        mode, pending = self.mode, by_camera_time(self.pending)
        if must_fit:
            pending = _tapped_in_time(self.known, pending, mode)
        elif pending and isinstance(pending[-1].what, Sight) and pending[-1].what.landed_unseen:
            pending = _before_doubtful_taps(self.known, pending, mode)
        if pending and mode.sees_arms and self.revisions.is_late(pending[-1]):
            return replace(
                self, revisions=with_late_observation(self.revisions, pending[-1], mode), pending=pending[:-1]
            )
        return replace(self, pending=pending)

    def weighed(self, now: float, say: Voice) -> tuple[Stage, Finding]:
        """Return the stage with everything clear ruled on or corrected, and the finding for the rest."""
        mode, known = self.mode, self.known
        revisions = self.revisions if mode.sees_arms else RevisionLog(known)
        beams = beams_of(revisions, self.pending, mode)
        revisions = revised(revisions, beams[-1])
        written = [*correction_lines(known, revisions.known, now)]
        announcements = []
        if revisions.known.journal.match.moves != known.journal.match.moves:
            announcements.append(say.corrected(known.journal, revisions.known.journal, tuple(written)))
        known = revisions.known
        finding = weighed(continuations(revisions, beams[-1]), self.pending, mode)
        count = len(finding.settled)
        revisions = with_rulings(revisions, self.pending[:count], finding.settled, beams[count], mode)
        for way, assumed in zip(finding.settled, finding.assumed, strict=True):
            announcement = say.ruled(known.journal, way, assumed=assumed)
            if announcement is not None:
                announcements.append(announcement)
            written += way.lines
            known = way.after
        rest = self.pending[count : len(self.pending) - finding.idle]
        changed = replace(known, journal=self.known.journal) != self.known
        return replace(
            self,
            known=known,
            revisions=revisions,
            pending=rest,
            written=(*self.written, *written),
            announcements=(*self.announcements, *announcements),
            moved=bool(written) or changed or rest != self.pending,
        ), finding

    def asked(self, finding: Finding, say: Voice) -> Asked | None:
        """Return the question about the first pending observation, None without one."""
        if not finding.open or isinstance(self.pending[0].what, Reach):
            return None
        return ask(finding, self.pending[0], self.known.state, say.sentences)


def last_sight(pending: Sequence[Pending]) -> int | None:
    """Return the position of the last card among the pending observations, None without one."""
    places = _sights(pending)
    return places[-1] if places else None


def _landings(journal: Journal) -> int:
    return sum(isinstance(line.entry, Start | Play | Flip) for line in journal.lines)


def _tapped_in_time(known: Situation, pending: Sequence[Pending], mode: Mode) -> tuple[Pending, ...]:
    """Return the pending observations with the last one, a tap, at a place where it fits; raises RefereeError if none.

    It may precede the latest visits to the draw pile: a colour or target is named before the next player acts, but
    tapped later. It may also precede cards in doubt, because people remember a draw or pass only when the next card
    lands. A number of cards or an answer precedes all of them.
    """
    tapped, last = pending[-1], len(pending) - 1
    hands = last
    while hands and isinstance(pending[hands - 1].what, Reach):
        hands -= 1
    move = tapped.what.move if isinstance(tapped.what, Tap) else None
    places = [hands, last] if isinstance(move, ChooseColor | Target) else [last, hands]
    if isinstance(move, Took | Outcome):
        places = [*_sights(pending), *places]
    if isinstance(move, ChooseColor | Target | Draw | Pass):
        places += reversed(_sights(pending))
    for place in places:
        order = (*pending[:place], tapped, *pending[place:-1])
        refusal = hypotheses_of(known, order, mode)[0].ways[place].refusal
        if refusal is None:
            return order
    assert refusal is not None
    raise refusal


def _before_doubtful_taps(known: Situation, pending: Sequence[Pending], mode: Mode) -> tuple[Pending, ...]:
    """Return the pending observations with the last one, a card found lying there, where most taps make sense.

    It landed before the camera saw the pile again, and so before taps that seemed out of turn without it.
    """
    place = len(pending) - 1
    orders: list[Sequence[Pending]] = [pending]
    while place and isinstance(pending[place - 1].what, Tap):
        place -= 1
        orders.append((*pending[:place], pending[-1], *pending[place:-1]))
    best = orders[0] if len(orders) == 1 else min(orders, key=lambda order: _doubtful_taps(known, order, mode))
    return tuple(best)


def _doubtful_taps(known: Situation, pending: Sequence[Pending], mode: Mode) -> int:
    """Return how many taps the best hypothesis doubts or refuses."""
    ways = hypotheses_of(known, pending, mode)[0].ways
    taps = (way for way, each in zip(ways, pending, strict=True) if isinstance(each.what, Tap))
    return sum(way.doubtful or way.refusal is not None for way in taps)


def _sights(pending: Sequence[Pending]) -> list[int]:
    """Return the positions of the cards among the pending observations."""
    return [place for place, waiting in enumerate(pending) if isinstance(waiting.what, Sight)]
