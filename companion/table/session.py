"""One match being played: a value that says how far it has come, and what an observation or a correction makes of it.

Nothing here writes, publishes or waits; the table does, with what a step says is to be written and announced.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from companion.caller import Caller
from companion.cards import Card
from companion.journal import Journal, Line, ReadBy, Reading, replay, undone
from companion.records import Batch, Correction, Standing, StoreDamagedError, StoredMatch
from companion.referee.effects import Effect
from companion.referee.errors import RefereeError
from companion.referee.match import Match
from companion.referee.moves import Amend, ChooseColor, Flip, Play, Start, Target, Undo
from companion.referee.state import Phase, State
from companion.referee.transcript import TranscriptError
from companion.table.memory import Watch, dump_memory, recall
from companion.table.observations import Pending, Reach, Sight, Tap, dump, in_order, load
from companion.table.questions import Asked, ask
from companion.table.sentences import Sentences
from companion.table.situation import Mode, Situation, Turns, Way
from companion.table.stories import stories_of
from companion.table.thresholds import REMINDED_AFTER_SECONDS
from companion.table.trail import Trail, put_right
from companion.table.view import HistoryLine, Ruling
from companion.table.weigh import weighed


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

    def untimed(self) -> Session:
        """Return the session before whatever a camera sees from now on, whose clock may be another one's."""
        pending = tuple(replace(observation, at=None) for observation in self.pending)
        if self.trail is None or self.trail.known is not self.known:
            return replace(self, known=self.known.untimed(), pending=pending, trail=None)
        trail = self.trail.untimed()
        return replace(self, known=trail.known, pending=pending, trail=trail)

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
    watch, known, trail = recall(stored.memory, journal, turns)
    return Session(stored.id, known, watch=watch, undone=undone(stored.lines)[::-1], trail=trail), pending


@dataclass(frozen=True, slots=True)
class Announcement:
    """Something to be made known once it is written. ruling: None for a tap that turned out not to fit."""

    ruling: Ruling | None
    corrects: bool
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Advance:
    """What a session comes to: the next session, what to write before anything else, what to announce, what to ask."""

    session: Session
    batch: Batch
    announcements: tuple[Announcement, ...]
    asked: Asked | None


def advance(
    session: Session,
    pending: Sequence[Pending],
    now: float,
    say: Voice,
    *,
    lines: tuple[Line, ...] = (),
    readings: tuple[Reading, ...] = (),
    corrections: tuple[Correction, ...] = (),
    must_fit: bool = False,
) -> Advance:
    """Return what the session comes to with these lines entered, and then all this pending.

    now: seconds since the epoch. must_fit: whether the last observation is a tap to be refused where it does not fit.
    Raises RefereeError where a line is refused, or that tap is.
    """
    announcements = []
    known = session.known
    if lines:
        after = known
        for line in lines:
            after = after.enter(line)
        announcements.append(say.corrected(known.journal, after.journal, lines))
        if _landings(after.journal) < _landings(known.journal):
            after = replace(after, dropped=now)
        known = after
    mode = session.watch.mode(known.ring)
    written = list(lines)
    trail = session.trail
    if trail is None or trail.known is not known or not mode.sees_arms:
        trail = Trail(known)
    pending = in_order(pending)
    if must_fit:
        pending = _tapped_in_time(known, pending, mode)
    if pending and trail.is_late(pending[-1]):
        trail, pending = trail.with_late(pending[-1], mode), pending[:-1]
    beams = trail.beams(pending, mode)
    trail = trail.judged(beams[-1])
    if trail.known.journal.match.moves != known.journal.match.moves:
        lines = put_right(known, trail.known, now)
        announcements.append(say.corrected(known.journal, trail.known.journal, lines))
        written += lines
    known = trail.known
    finding = weighed(trail.going_on(beams[-1]), pending, mode)
    count = len(finding.settled)
    trail = trail.ruling(pending[:count], finding.settled, beams[count])
    for way, assumed in zip(finding.settled, finding.assumed, strict=True):
        announcement = say.ruled(known.journal, way, assumed=assumed)
        if announcement is not None:
            announcements.append(announcement)
        written += way.lines
        known = way.after
    rest = tuple(pending[len(finding.settled) : len(pending) - finding.idle])
    state = known.state
    asked = ask(finding, rest[0], state, say.sentences) if rest and not isinstance(rest[0].what, Reach) else None
    batch = Batch(
        session.match_id,
        now,
        lines=tuple(written),
        readings=readings,
        corrections=corrections,
        pending=tuple(map(dump, rest)),
        memory=dump_memory(session.watch, known, trail),
        standing=Standing(
            len(known.journal.match.history),
            state.phase is Phase.OVER,
            tuple(state.players[seat] for seat in state.winners),
        ),
    )
    undone = () if written else session.undone
    return Advance(
        replace(session, known=known, pending=rest, undone=undone, trail=trail), batch, tuple(announcements), asked
    )


def _landings(journal: Journal) -> int:
    return sum(isinstance(line.entry, Start | Play | Flip) for line in journal.lines)


def _tapped_in_time(known: Situation, pending: Sequence[Pending], mode: Mode) -> tuple[Pending, ...]:
    """Return what is pending with its last, a tap, where it fits; raises RefereeError where it fits nowhere.

    That may be before the arms at the draw pile that came just before it, whatever they did there: a colour or a target
    is named before the next player acts, and tapped when somebody has a hand there already, or when cards lie there
    that are still in doubt.
    """
    tapped, last = pending[-1], len(pending) - 1
    hands = last
    while hands and isinstance(pending[hands - 1].what, Reach):
        hands -= 1
    places = [last, hands]
    if isinstance(tapped.what, Tap) and isinstance(tapped.what.move, ChooseColor | Target):
        places = [hands, last, *reversed(_sights(pending))]
    for place in places:
        order = (*pending[:place], tapped, *pending[place:-1])
        refusal = stories_of(known, order, mode)[0].ways[order.index(tapped)].refusal
        if refusal is None:
            return order
    assert refusal is not None
    raise refusal


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


class Voice:
    """Puts what has happened into words, in the caller's language."""

    def __init__(self, caller: Caller) -> None:
        self.caller = caller
        self.sentences = Sentences(caller)

    def line(self, journal: Journal, place: int) -> HistoryLine:
        """Return the standing move at this place, counted from 0, as the history shows it."""
        line, step = journal.lines[place], journal.match.history[place]
        said = self._said(journal.match, place, line)
        player = journal.player(place)
        return HistoryLine(
            place + 1, step.move, step.effects, said, line.read_by, line.reading, line.time, player, line.known
        )

    def ruled(self, before: Journal, way: Way, *, assumed: bool) -> Announcement | None:
        """Return the announcement of a way that is ruled to be what happened; None where nothing happened."""
        if way.refusal is not None:
            return Announcement(None, False, (self.caller.refuse(way.refusal),))
        if not way.lines:
            return None
        after = way.after.journal
        if any(isinstance(line.entry, Undo) for line in way.lines):
            return self.corrected(before, after, way.lines)
        said: list[str] = []
        effects: list[Effect] = []
        covers = way.card is not None and way.card.face.is_wild
        for place in range(len(before.lines), len(after.lines)):
            line = after.lines[place]
            if assumed and way.card is not None and place == len(after.lines) - 1:
                said.append(self.sentences.assumed(way.card))
            if not (covers and isinstance(line.entry, ChooseColor) and line.read_by is ReadBy.INFERRED):
                # A colour that this card covers is a mere guess, and nothing hangs on it.
                said += self._said(after.match, place, line, prompts=place == len(after.lines) - 1)
            effects += after.match.history[place].effects
        return self._announcement(after, way.lines, tuple(effects), tuple(said), corrects=False)

    def corrected(self, before: Journal, after: Journal, lines: tuple[Line, ...]) -> Announcement:
        """Return the announcement of moves taken back or changed."""
        rewritten = before.match.moves != after.match.moves
        said = tuple(self.caller.correct(before.match.state, after.match.state, rewritten=rewritten))
        return self._announcement(after, lines, (), said, corrects=True)

    def _announcement(
        self,
        after: Journal,
        lines: tuple[Line, ...],
        effects: tuple[Effect, ...],
        said: tuple[str, ...],
        corrects: bool,
    ) -> Announcement:
        last = lines[-1]
        entries = tuple(line.entry for line in lines)
        ruling = Ruling(len(after.lines), entries, effects, said, last.read_by, last.reading, last.time)
        return Announcement(ruling, corrects, said)

    def _said(self, match: Match, place: int, line: Line, *, prompts: bool = True) -> tuple[str, ...]:
        step = match.history[place]
        before = match.history[place - 1].state if place else Match(match.header).state
        said = self.caller.say(step.effects, before, step.state)
        if not prompts and said[-1:] == [self.caller.prompt(step.state)]:
            said.pop()
        inferred = self.sentences.inferred(step.move, before) if line.read_by is ReadBy.INFERRED else None
        return tuple(said) if inferred is None else (inferred, *said)


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


def last_sight(pending: Sequence[Pending]) -> int | None:
    """Return the place of the last card seen among what is pending, None where there is none."""
    places = _sights(pending)
    return places[-1] if places else None


def _sights(pending: Sequence[Pending]) -> list[int]:
    """Return the places of the cards seen among what is pending."""
    return [place for place, waiting in enumerate(pending) if isinstance(waiting.what, Sight)]
