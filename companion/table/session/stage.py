"""The stages of one step of a match: lines are entered, what is new is taken in, and all that is pending is weighed.

Weighed again, a stage on which nothing has moved comes to itself: so a table that is started again stands as it stood.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from companion.journal import Journal, Line
from companion.referee.moves import ChooseColor, Draw, Flip, Pass, Play, Start, Target
from companion.table.hypotheses.hypotheses import stories_of
from companion.table.hypotheses.inference import Finding, weighed
from companion.table.hypotheses.revision_log import Trail, put_right
from companion.table.presentation.questions import Asked, ask
from companion.table.presentation.voice import Announcement, Voice
from companion.table.session.match_memory import Watch
from companion.table.state.observations import Pending, Reach, Sight, Tap, in_order
from companion.table.state.situation import Mode, Situation


@dataclass(frozen=True, slots=True)
class Stage:
    """How far a step has come.

    trail: what was ruled on lately; only where an observation was told late does it lead elsewhere than to what is
    known. written: the lines entered so far; announcements: what is to be made known of them. moved: whether the last
    weighing has changed anything.
    """

    watch: Watch
    known: Situation
    trail: Trail
    pending: tuple[Pending, ...]
    written: tuple[Line, ...] = ()
    announcements: tuple[Announcement, ...] = ()
    moved: bool = False

    @property
    def mode(self) -> Mode:
        """How observations are to be understood."""
        return self.watch.mode(self.known.ring)

    def entered(self, lines: Sequence[Line], now: float, say: Voice) -> Stage:
        """Return the stage with these lines entered, if any; raises RefereeError where one is refused."""
        if not lines:
            return self
        after = self.known
        for line in lines:
            after = after.enter(line)
        told = say.corrected(self.known.journal, after.journal, tuple(lines))
        if _landings(after.journal) < _landings(self.known.journal):
            after = replace(after, dropped=now)
        announcements = (*self.announcements, told)
        return replace(
            self, known=after, trail=Trail(after), written=(*self.written, *lines), announcements=announcements
        )

    def taken_in(self, *, must_fit: bool) -> Stage:
        """Return the stage with the last of what is pending, a new observation, put where it belongs.

        must_fit: whether it is a tap to be refused where it does not fit; raises RefereeError for one that does not.
        """
        mode, pending = self.mode, in_order(self.pending)
        if must_fit:
            pending = _tapped_in_time(self.known, pending, mode)
        if pending and mode.sees_arms and self.trail.is_late(pending[-1]):
            return replace(self, trail=self.trail.with_late(pending[-1], mode), pending=pending[:-1])
        return replace(self, pending=pending)

    def weighed(self, now: float, say: Voice) -> tuple[Stage, Finding]:
        """Return the stage where all that has become clear is ruled on or put right, and what the rest comes to."""
        mode, known = self.mode, self.known
        trail = self.trail if mode.sees_arms else Trail(known)
        beams = trail.beams(self.pending, mode)
        trail = trail.judged(beams[-1])
        written = [*put_right(known, trail.known, now)]
        announcements = []
        if trail.known.journal.match.moves != known.journal.match.moves:
            announcements.append(say.corrected(known.journal, trail.known.journal, tuple(written)))
        known = trail.known
        finding = weighed(trail.going_on(beams[-1]), self.pending, mode)
        count = len(finding.settled)
        trail = trail.ruling(self.pending[:count], finding.settled, beams[count], mode)
        for way, assumed in zip(finding.settled, finding.assumed, strict=True):
            announcement = say.ruled(known.journal, way, assumed=assumed)
            if announcement is not None:
                announcements.append(announcement)
            written += way.lines
            known = way.after
        rest = self.pending[count : len(self.pending) - finding.idle]
        elsewhere = replace(known, journal=self.known.journal) != self.known
        return replace(
            self,
            known=known,
            trail=trail,
            pending=rest,
            written=(*self.written, *written),
            announcements=(*self.announcements, *announcements),
            moved=bool(written) or elsewhere or rest != self.pending,
        ), finding

    def asked(self, finding: Finding, say: Voice) -> Asked | None:
        """Return what is to be asked of the first of what is still pending, None where nothing is."""
        if not self.pending or isinstance(self.pending[0].what, Reach):
            return None
        return ask(finding, self.pending[0], self.known.state, say.sentences)


def last_sight(pending: Sequence[Pending]) -> int | None:
    """Return the place of the last card seen among what is pending, None where there is none."""
    places = _sights(pending)
    return places[-1] if places else None


def _landings(journal: Journal) -> int:
    return sum(isinstance(line.entry, Start | Play | Flip) for line in journal.lines)


def _tapped_in_time(known: Situation, pending: Sequence[Pending], mode: Mode) -> tuple[Pending, ...]:
    """Return what is pending with its last, a tap, where it fits; raises RefereeError where it fits nowhere.

    That may be before the arms at the draw pile that came just before it, whatever they did there: a colour or a target
    is named before the next player acts, and tapped when somebody has a hand there already. It may also be before cards
    that are still in doubt: of a draw or a pass, too, people only think when the next card lies there.
    """
    tapped, last = pending[-1], len(pending) - 1
    hands = last
    while hands and isinstance(pending[hands - 1].what, Reach):
        hands -= 1
    move = tapped.what.move if isinstance(tapped.what, Tap) else None
    places = [hands, last] if isinstance(move, ChooseColor | Target) else [last, hands]
    if isinstance(move, ChooseColor | Target | Draw | Pass):
        places += reversed(_sights(pending))
    for place in places:
        order = (*pending[:place], tapped, *pending[place:-1])
        refusal = stories_of(known, order, mode)[0].ways[place].refusal
        if refusal is None:
            return order
    assert refusal is not None
    raise refusal


def _sights(pending: Sequence[Pending]) -> list[int]:
    """Return the places of the cards seen among what is pending."""
    return [place for place, waiting in enumerate(pending) if isinstance(waiting.what, Sight)]
