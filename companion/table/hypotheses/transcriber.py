"""Transcribes a match from observations alone, without any input by people.

Unlike the running table it may wait: it keeps many hypotheses and reports what all of them agree on. Hypotheses that
lead to equivalent situations are merged.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from companion.referee.match import Match
from companion.referee.moves import ActorMove, Move, Reshuffle
from companion.referee.state import Header
from companion.storage.journal import Journal, ReadBy
from companion.table.hypotheses.finding import Hypothesis
from companion.table.hypotheses.hypotheses import extended
from companion.table.hypotheses.seating_inference import suggested_seatings
from companion.table.state import thresholds
from companion.table.state.draw_pile_stays import VisitHistory
from companion.table.state.observations import Lift, Observation, Pending, Sight, Tap
from companion.table.state.seat_model import SeatRing, unknown
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

_MAX_HYPOTHESES = 64
"""Number of hypotheses kept: an unnamed colour and target make sixteen of one."""

_MAY_BE_TAKEN_BACK = 8
"""Number of latest moves held back, as cards may be taken back: three cards and the draws between them."""

_FEWEST_REACHES = 0.1
"""Visits to the draw pile per card laid, below which that pile is out of view; one in two is usual."""

_COARSE = 20.0
"""Angle in degrees within which seats count as equivalent."""


_HEAD_START = 1.5
"""Log-odds (nats per player) by which a ring suggested by the whole film must exceed one learnt on the way: a seat's
first arm has density 1/360 per degree if unknown and 1/30 otherwise, except for the seats' order.
"""

_BEGINNING, _KEPT = 8, 2
"""Number of landings after which only this many rotations of the suggested ring are kept: only who began distinguishes
them, and each costs as much as the first pass.
"""


@dataclass(frozen=True, slots=True)
class TranscribedMove:
    """A transcribed move. time: seconds from the source's start; by: whose it is, None if nobody's."""

    time: float
    move: Move
    by: str | None
    read_by: ReadBy


class Transcriber:
    """Follows one match.

    ring: known seats. draws_in_view: whether the draw pile is in the picture.
    """

    def __init__(self, header: Header, *, ring: SeatRing | None = None, draws_in_view: bool = True) -> None:
        known = replace(situation(Journal(Match(header))), ring=ring or unknown(len(header.players)))
        unseen = thresholds.MISSED_DRAW if draws_in_view else thresholds.DRAW_OUT_OF_VIEW
        self._mode = Mode(Turns.CAMERA, unseen, alone=True)
        self._hypotheses: tuple[Hypothesis, ...] = (Hypothesis(known),)
        self._first_look = True
        self._visits = VisitHistory()
        self.log_likelihood = 0.0
        """Log-likelihood of all observations given the seats, up to a constant of the film."""
        self.reported = 0
        """Number of moves reported so far."""

    @property
    def ring(self) -> SeatRing:
        """Most probable seats."""
        return self._hypotheses[0].after.ring

    def see(self, event: PileEvent) -> None:
        """Process an event; events must arrive in order of time."""
        self._visits.note(event)
        what = self._observation(event)
        if isinstance(event, CameraStatus):
            self._first_look |= event.health is not CameraHealth.OK
            if event.health is CameraHealth.KNOCKED:
                self._hypotheses = tuple(
                    replace(hypothesis, after=hypothesis.after.after_knock()) for hypothesis in self._hypotheses
                )
        if isinstance(event, PileGone):
            self._first_look = True
        if isinstance(event, CardLanded):
            self._first_look = False
        if what is not None:
            self._weigh(Pending(what, at=event.time))

    def settled(self) -> Iterator[TranscribedMove]:
        """Yield new moves all hypotheses agree on, except those that may still be taken back."""
        first, *others = (hypothesis.after.journal.lines for hypothesis in self._hypotheses)
        agreed = len(first)
        for lines in others:
            pairs = enumerate(zip(first[:agreed], lines, strict=False))
            agreed = next((n for n, (one, other) in pairs if one != other), min(agreed, len(lines)))
        yield from self._emit(agreed - _MAY_BE_TAKEN_BACK)

    def finish(self) -> Iterator[TranscribedMove]:
        """Yield the remaining moves of the best hypothesis."""
        yield from self._emit(len(self._hypotheses[0].after.journal.lines))

    def _emit(self, upto: int) -> Iterator[TranscribedMove]:
        journal = self._hypotheses[0].after.journal
        for place in range(self.reported, upto):
            line = journal.lines[place]
            before = journal.match.history[place - 1].state if place else None
            move = journal.match.history[place].move
            by = before.actor if isinstance(move, ActorMove) and before is not None else None
            yield TranscribedMove(
                line.time, move, by if not isinstance(move, ActorMove) else move.by or by, line.read_by
            )
        self.reported = max(self.reported, upto)

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
        found = extended(self._hypotheses, pending, self._mode, equivalence=_equivalence_key, keep=_MAX_HYPOTHESES)
        self._hypotheses = tuple(replace(hypothesis, ways=()) for hypothesis in found.hypotheses)
        self.log_likelihood += math.log(found.likelihood)


def transcribe(header: Header, events: Iterable[PileEvent]) -> list[TranscribedMove]:
    """Return the most probable transcript of a film that has ended, given all events."""
    seen = sorted(events, key=lambda event: event.time)
    landings = sum(isinstance(event, CardLanded) for event in seen)
    reaches = sum(isinstance(event, PileReached) and event.pile is PileKind.DRAW for event in seen)
    in_view = landings < thresholds.LANDINGS_WITHOUT_DRAW or reaches >= _FEWEST_REACHES * landings
    # An arm misattributed at the start can rotate the ring by a seat, after which everything fits badly. So every
    # rotation of the ring suggested by the whole film is tried, and the best one is used.
    learning = _Reading(Transcriber(header, draws_in_view=in_view), 0.0)
    given = [
        _Reading(Transcriber(header, ring=ring, draws_in_view=in_view), _HEAD_START * len(header.players))
        for ring in suggested_seatings(header, [event for event in seen if isinstance(event, CardLanded)])
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
    """One pass over a film, and the log-odds by which it must exceed one that learns the ring on the way."""

    transcriber: Transcriber
    handicap: float

    def likely(self) -> float:
        """Log-likelihood of the observations so far, comparable only with other passes."""
        return self.transcriber.log_likelihood - self.handicap


def _equivalence_key(known: Situation) -> tuple[object, ...]:
    """Return the key of equivalent situations."""
    seats = tuple(None if not seat.arms else round(seat.bunch.middle / _COARSE) for seat in known.ring.seats)
    state = known.state
    turn = state.phase, state.turn, state.direction, state.top, state.color, state.round
    rest = state.hands, state.called, state.catchable, state.purpose, state.contested, state.fresh, state.debt
    return turn, rest, known.illegal_card, known.shed, known.debts, known.ring.turned, known.hands, seats
