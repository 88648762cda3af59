"""What most likely happened at a table that nobody told anything: all that was seen is kept and weighed together.

Unlike the running table it may wait: it keeps many stories, and says what all of them agree on. Stories that lead to
the same table are one from there on (the likeliest of them stands), so that what is open stays little.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from companion.journal import Journal, ReadBy
from companion.referee.match import Match
from companion.referee.moves import ActorMove, Move, Reshuffle
from companion.referee.state import Header
from companion.table.hypotheses.hypotheses import Story, grown
from companion.table.hypotheses.seating_inference import suggested_rings
from companion.table.state import thresholds
from companion.table.state.draw_pile_stays import Visits
from companion.table.state.observations import Lift, Observation, Pending, Sight, Tap
from companion.table.state.seat_model import Ring, unknown
from companion.table.state.situation import Mode, Situation, Turns, situation
from companion.vision.core.events import (
    CameraHealth,
    CameraStatus,
    CardLanded,
    CardTakenBack,
    PileEvent,
    PileGone,
    PileKind,
    PileReached,
)

_STORIES = 64
"""How many stories are kept: a colour and a target that nobody named make sixteen of one."""

_MAY_BE_TAKEN_BACK = 8
"""How many of the latest moves are held back, as cards may be taken back: three cards, and draws between them."""

_FEWEST_REACHES = 0.1
"""Arms at the draw pile per card laid, with fewer of which that pile is held to be out of view; usual is one in two."""

_COARSE = 20.0
"""Degrees: stories in which people sit elsewhere by about so much are not the same."""


_HEAD_START = 1.5
"""By how much (nats a player) a ring that the film itself suggested must be likelier than one learnt on the way: each
seat's first arm is as likely from anywhere (1 in 360 degrees) where nothing is known, and 1 in 30 where it is, but for
what the order of the seats tells."""

_BEGINNING, _KEPT = 8, 2
"""After so many landings so many turns of the suggested ring are kept: who began is all that tells them apart, and each
takes as long as the first reading does."""


@dataclass(frozen=True, slots=True)
class Told:
    """A move that most likely happened. time: seconds from the source's start; by: whose it is, None where nobody's."""

    time: float
    move: Move
    by: str | None
    read_by: ReadBy


class Transcriber:
    """Follows one match.

    ring: where people are known to sit. draws_in_view: whether the draw pile is in the picture.
    """

    def __init__(self, header: Header, *, ring: Ring | None = None, draws_in_view: bool = True) -> None:
        known = replace(situation(Journal(Match(header))), ring=ring or unknown(len(header.players)))
        unseen = thresholds.MISSED_DRAW if draws_in_view else thresholds.UNSEEN_DRAW
        self._mode = Mode(Turns.CAMERA, unseen, alone=True)
        self._stories: tuple[Story, ...] = (Story(known),)
        self._first_look = True
        self._visits = Visits()
        self.log_likelihood = 0.0
        """How likely all that was seen is, given how people sit: natural logarithm, up to a constant of the film."""
        self.told = 0
        """How many moves were told already."""

    @property
    def ring(self) -> Ring:
        """Where people most likely sit."""
        return self._stories[0].after.ring

    def see(self, event: PileEvent) -> None:
        """Take in what the camera saw; events are to come in the order of their times."""
        self._visits.note(event)
        what = self._observation(event)
        if isinstance(event, CameraStatus):
            self._first_look |= event.health is not CameraHealth.OK
            if event.health is CameraHealth.KNOCKED:
                self._stories = tuple(replace(story, after=story.after.shaken()) for story in self._stories)
        if isinstance(event, PileGone):
            self._first_look = True
        if isinstance(event, CardLanded):
            self._first_look = False
        if what is not None:
            self._weigh(Pending(what, at=event.time))

    def settled(self) -> Iterator[Told]:
        """Yield what all stories agree on and was not told yet, but for what may yet be taken back."""
        first, *others = (story.after.journal.lines for story in self._stories)
        agreed = len(first)
        for lines in others:
            pairs = enumerate(zip(first[:agreed], lines, strict=False))
            agreed = next((n for n, (one, other) in pairs if one != other), min(agreed, len(lines)))
        yield from self._tell(agreed - _MAY_BE_TAKEN_BACK)

    def finish(self) -> Iterator[Told]:
        """Yield the rest, as it most likely was."""
        yield from self._tell(len(self._stories[0].after.journal.lines))

    def _tell(self, upto: int) -> Iterator[Told]:
        journal = self._stories[0].after.journal
        for place in range(self.told, upto):
            line = journal.lines[place]
            before = journal.match.history[place - 1].state if place else None
            move = journal.match.history[place].move
            by = before.actor if isinstance(move, ActorMove) and before is not None else None
            yield Told(line.time, move, by if not isinstance(move, ActorMove) else move.by or by, line.read_by)
        self.told = max(self.told, upto)

    def _observation(self, event: PileEvent) -> Observation | None:
        match event:
            case CardLanded():
                flags = (event.same_face, self._first_look, False)
                return Sight(event.time, event.probabilities, "", *flags, event.arm, event.rivals)
            case CardTakenBack():
                return Lift(event.time, event.probabilities, "")
            case PileReached(pile=PileKind.DRAW):
                return self._visits.reach(event, event.time)
            case PileGone():
                return Tap(event.time, Reshuffle(), ReadBy.CAMERA)
            case _:
                return None

    def _weigh(self, pending: Pending) -> None:
        found = grown(self._stories, pending, self._mode, alike=_where, keep=_STORIES)
        self._stories = tuple(replace(story, ways=()) for story in found.stories)
        self.log_likelihood += math.log(found.likelihood)


def transcribe(header: Header, events: Iterable[PileEvent]) -> list[Told]:
    """Return what most likely happened in a film that has ended, given all that was seen in it."""
    seen = sorted(events, key=lambda event: event.time)
    landings = sum(isinstance(event, CardLanded) for event in seen)
    reaches = sum(isinstance(event, PileReached) and event.pile is PileKind.DRAW for event in seen)
    in_view = landings < thresholds.LANDINGS_WITHOUT_DRAW or reaches >= _FEWEST_REACHES * landings
    # One arm taken for another's at the start can teach a ring that is turned by a seat, and all that follows fits it
    # badly: so every turn of the ring that the film's arms suggest as a whole is tried, and the likeliest stands.
    learning = _Reading(Transcriber(header, draws_in_view=in_view), 0.0)
    given = [
        _Reading(Transcriber(header, ring=ring, draws_in_view=in_view), _HEAD_START * len(header.players))
        for ring in suggested_rings(header, [event for event in seen if isinstance(event, CardLanded)])
    ]
    landed = 0
    for event in seen:
        for reading in (learning, *given):
            reading.transcriber.see(event)
        landed += isinstance(event, CardLanded)
        if landed == _BEGINNING:
            given = sorted(given, key=_Reading.likely, reverse=True)[:_KEPT]
    return list(max((learning, *given), key=_Reading.likely).transcriber.finish())


@dataclass(frozen=True, slots=True)
class _Reading:
    """A reading of a film, and the nats by which it must be likelier than one that learns the ring on the way."""

    transcriber: Transcriber
    handicap: float

    def likely(self) -> float:
        """Return how likely it makes what was seen so far: a logarithm, to be compared with other readings' alone."""
        return self.transcriber.log_likelihood - self.handicap


def _where(known: Situation) -> tuple[object, ...]:
    """Return what tells where stories have led."""
    seats = tuple(None if not seat.arms else round(seat.bunch.middle / _COARSE) for seat in known.ring.seats)
    state = known.state
    turn = state.phase, state.turn, state.direction, state.top, state.color, state.round
    rest = state.hands, state.called, state.catchable, state.purpose, state.contested, state.fresh, state.debt
    return turn, rest, known.outlaw, known.debts, known.ring.turned, known.hands, seats
