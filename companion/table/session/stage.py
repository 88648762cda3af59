"""Stages of one step: enter lines, add the new observation, evaluate everything pending.

Evaluating an unchanged stage again has no effect, so a restarted table is in the same state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from companion.journal import Journal, Line
from companion.referee.moves import ChooseColor, Draw, Flip, Outcome, Pass, Play, Start, Target, Took
from companion.table.hypotheses.finding import Finding
from companion.table.hypotheses.hypotheses import hypotheses_of
from companion.table.hypotheses.inference import weighed
from companion.table.hypotheses.revision_log import RevisionLog, correction_lines
from companion.table.presentation.questions import Asked, ask
from companion.table.presentation.voice import Announcement, Voice
from companion.table.state.observations import Pending, Reach, Sight, Tap, by_camera_time
from companion.table.state.situation import Mode, Situation
from companion.table.state.watch import Watch


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
                self, revisions=self.revisions.with_late_observation(pending[-1], mode), pending=pending[:-1]
            )
        return replace(self, pending=pending)

    def weighed(self, now: float, say: Voice) -> tuple[Stage, Finding]:
        """Return the stage with everything clear ruled on or corrected, and the finding for the rest."""
        mode, known = self.mode, self.known
        revisions = self.revisions if mode.sees_arms else RevisionLog(known)
        beams = revisions.beams(self.pending, mode)
        revisions = revisions.revised(beams[-1])
        written = [*correction_lines(known, revisions.known, now)]
        announcements = []
        if revisions.known.journal.match.moves != known.journal.match.moves:
            announcements.append(say.corrected(known.journal, revisions.known.journal, tuple(written)))
        known = revisions.known
        finding = weighed(revisions.continuations(beams[-1]), self.pending, mode)
        count = len(finding.settled)
        revisions = revisions.ruling(self.pending[:count], finding.settled, beams[count], mode)
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
