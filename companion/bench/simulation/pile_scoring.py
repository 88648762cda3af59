"""Scores the pile tracker: compares its events with the truth of simulated matches.

The tracker gets either exact sightings, which isolates tracking, or the networks' own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import islice

import numpy as np

from companion.cards import Card
from companion.dataset.simulated.simulation import PileChange, SimulatedFrame, SimulatedTable, TrueEvent
from companion.vision.arms.arm_detector import ArmDetector
from companion.vision.capture.frames import Frame
from companion.vision.core.events import CardLanded, CardTakenBack, PileEvent, PileGone, PileMoved
from companion.vision.core.geometry import Image
from companion.vision.core.sightings import Sighting
from companion.vision.pile.pile_tracker import Detect, PileTracker

# Minimum visible share of a card that is boxed as a whole.
_SEEN = 0.5
# Seconds for which a card may lie in place before the hand lets go; reporting it then is no error.
_EARLY = 0.25
# Seconds after the start of a knock during which the pile may settle elsewhere in the picture.
_KNOCKED = 1.0
# Number of alternative candidates kept per reading.
_READ = 8


class ExactSightings:
    """A detector that returns the truth of the latest frame shown to it.

    Its input must be that frame's picture, or a view of a part of it. jitter: standard deviation of corner noise in
    pixels. mistakes: probability that a card is missed, and also that it is misread.
    """

    def __init__(self, seed: int = 0, jitter: float = 0.0, mistakes: float = 0.0) -> None:
        self._rng = np.random.default_rng(seed)
        self._jitter = jitter
        self._mistakes = mistakes
        self._frame: SimulatedFrame | None = None

    def show(self, frame: SimulatedFrame) -> None:
        """Set the frame whose truth is returned."""
        self._frame = frame

    def __call__(self, image: Image) -> list[Sighting]:
        """Return the face-up cards that are at least half visible in the picture."""
        frame = self._frame
        assert frame is not None
        left, top = _corner(image, frame.image)
        height, width = image.shape[:2]
        sightings = []
        for card in frame.cards:
            quad = card.quad - np.array([left, top], np.float32)
            inside = ((quad >= -0.1 * width) & (quad <= 1.1 * np.array([width, height]))).all()
            if card.visible < _SEEN or not inside or self._rng.random() < self._mistakes:
                continue
            quad = quad + self._rng.normal(0, self._jitter, (4, 2)).astype(np.float32)
            sightings.append(self._read(card.card, np.asarray(quad, np.float32)))
        return sightings

    def _read(self, card: Card, quad: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> Sighting:
        others = [other for other in _lookalikes(card) if other != card]
        if others and self._rng.random() < self._mistakes:
            wrong = others[int(self._rng.integers(len(others)))]
            return Sighting(quad, (wrong, card), (0.6, 0.3), whole=True)
        return Sighting(quad, (card, *others[:1]), (0.98, 0.01)[: 1 + len(others[:1])], whole=True)


def _lookalikes(card: Card) -> list[Card]:
    return [] if card.color is None else [Card(face, card.color) for face in type(card.face) if not face.is_wild][:6]


def _corner(part: Image, whole: Image) -> tuple[int, int]:
    """Return left and top of a view within its base picture."""
    distance = part.__array_interface__["data"][0] - whole.__array_interface__["data"][0]
    row, rest = divmod(distance, whole.strides[0])
    if not 0 <= row < whole.shape[0]:
        raise ValueError("the picture asked about is no view of the frame shown")
    return rest // whole.strides[1], row


class Outcome(Enum):
    """How the tracker handled an event, or its absence."""

    FOUND = "found"
    MISSED = "missed"
    MISREAD = "misread"
    INVENTED = "invented"


@dataclass(frozen=True)
class Mistake:
    """An error. seed: of the match. time: in seconds. truth: what happened. said: what was reported."""

    seed: int
    time: float
    outcome: Outcome
    truth: str
    said: str

    def __str__(self) -> str:
        said = f": {self.said}" if self.said else ""
        return f"match {self.seed} at {self.time:.1f} s, {self.truth.strip()}: {self.outcome.value}{said}"


@dataclass
class Score:
    """Counts over matches: landings, take-backs, removed piles; and the errors."""

    counts: Counter[tuple[PileChange | None, Outcome]] = field(default_factory=Counter)
    mistakes: list[Mistake] = field(default_factory=list)
    latencies: list[float] = field(default_factory=list)
    """Seconds of footage from the first frame in which a card lies still and open to its event."""
    readings: list[tuple[float, ...]] = field(default_factory=list)
    """For each reported landing the probability of the true card, then those of the others."""
    frames: int = 0
    looks: int = 0

    def note(self, change: PileChange | None, outcome: Outcome) -> None:
        """Count one outcome."""
        self.counts[change, outcome] += 1

    def table(self) -> str:
        """Return the counts as lines of text."""
        lines = [f"{'':12}" + "".join(f"{outcome.value:>10}" for outcome in Outcome)]
        for change in (*PileChange, None):
            row = [self.counts[change, outcome] for outcome in Outcome]
            lines.append(f"{change.value if change else 'nothing':12}" + "".join(f"{n:>10}" for n in row))
        if self.latencies:
            median, late = np.percentile(self.latencies, [50, 95])
            lines.append(f"latency after the card lay open: median {median * 1000:.0f} ms, p95 {late * 1000:.0f} ms")
        lines.append(f"{self.frames} frames, {self.looks} looks")
        return "\n".join(lines)


Said = Sequence[tuple[float, PileEvent]]
"""Events with the time of the frame at which each was reported."""


def follow(table: SimulatedTable, detect: Detect) -> tuple[Said, list[TrueEvent], PileTracker]:
    """Return the tracker's events over a whole match at full speed, the truth, and the tracker."""
    tracker, arms = PileTracker(detect), ArmDetector()
    said: list[tuple[float, PileEvent]] = []
    time = 0.0
    for simulated in table.frames():
        if isinstance(detect, ExactSightings):
            detect.show(simulated)
        frame = Frame(simulated.image, simulated.time, simulated.number)
        arms.feed(frame)
        time = frame.time
        said += [(time, event) for event in tracker.feed(frame, arms.masks)]
    said += [(time, event) for event in tracker.finish()]
    return said, table.events, tracker


def grade(score: Score, seed: int, truth: Sequence[TrueEvent], said: Said, knocks: Sequence[float] = ()) -> None:
    """Add one match's events to the score.

    Events between two true events are compared with the earlier one. A nudge need not be reported. knocks: times in
    seconds at which the camera was knocked; reporting a moved pile is right then.
    """
    said = [(time, event) for time, event in said if not _is_of_a_knock(event, knocks)]
    starts = [event.time - _EARLY for event in truth]
    ends = [*starts[1:], float("inf")]
    early = [(time, event) for time, event in said if not truth or time < starts[0]]
    _grade_one(score, seed, None, early)
    for event, start, end in zip(truth, starts, ends, strict=True):
        _grade_one(score, seed, event, [(t, e) for t, e in said if start <= t < end])


def _grade_one(score: Score, seed: int, truth: TrueEvent | None, said: Iterable[tuple[float, PileEvent]]) -> None:
    change = truth.change if truth else None
    done = change is PileChange.MOVED
    expected = f"{truth.change.value} {truth.card or ''}" if truth else "nothing"
    for time, event in said:
        kind, card = _reported(event)
        if kind is None or (kind is PileChange.MOVED and change in (PileChange.MOVED, None)):
            continue
        if kind is PileChange.GONE and change is PileChange.TAKEN_BACK and truth is not None and truth.card is None:
            kind = PileChange.TAKEN_BACK  # the only card was taken back: the table is bare either way
        words = f"{kind.value} {card or ''}"
        if truth is not None and not done and kind is change:
            done = True
            right = card == truth.card
            if isinstance(event, CardLanded):
                score.readings.append(_reading(event, truth.card))
            score.note(change, Outcome.FOUND if right else Outcome.MISREAD)
            if not right:
                score.mistakes.append(Mistake(seed, time, Outcome.MISREAD, expected, words))
            elif truth.clear is not None:
                score.latencies.append(time - truth.clear)
        else:
            score.note(change, Outcome.INVENTED)
            score.mistakes.append(Mistake(seed, time, Outcome.INVENTED, expected, words))
    if truth is not None and not done:
        score.note(change, Outcome.MISSED)
        score.mistakes.append(Mistake(seed, truth.time, Outcome.MISSED, expected, ""))


def _is_of_a_knock(event: PileEvent, knocks: Iterable[float]) -> bool:
    return isinstance(event, PileMoved) and any(knock <= event.time < knock + _KNOCKED for knock in knocks)


def _reading(event: CardLanded, truth: Card | None) -> tuple[float, ...]:
    others = (probability for card, probability in event.probabilities if card != truth)
    return (dict(event.probabilities).get(truth, 0.0) if truth else 0.0, *islice(others, _READ))


def describe(event: PileEvent) -> str:
    """Return an event in words, with its two most probable cards."""
    probabilities = event.probabilities if isinstance(event, CardLanded | CardTakenBack) else ()
    cards = ", ".join(f"{card} {probability:.3f}" for card, probability in probabilities[:2])
    same = " same face" if isinstance(event, CardLanded) and event.same_face else ""
    return f"{type(event).__name__}{same} {cards} at {event.time:.2f}"


def _reported(event: PileEvent) -> tuple[PileChange | None, Card | None]:
    match event:
        case CardLanded(probabilities=probabilities):
            return PileChange.LANDED, probabilities[0][0]
        case CardTakenBack(probabilities=()):
            return PileChange.GONE, None
        case CardTakenBack(probabilities=probabilities):
            return PileChange.TAKEN_BACK, probabilities[0][0]
        case PileGone():
            return PileChange.GONE, None
        case PileMoved():
            return PileChange.MOVED, None
        case _:
            return None, None
