"""One simulated match through the whole pipeline: frames, networks, tracker, table; and its scores."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from pydantic.dataclasses import dataclass

from companion.bench.simulation.arm_scoring import directions, grade_arms
from companion.bench.simulation.deck_lesson import learnt_detector
from companion.bench.simulation.gaps import Gap, TopAfterGap, gap_times, grade_gaps
from companion.bench.simulation.people import People
from companion.bench.simulation.picture_strips import Film
from companion.bench.simulation.pile_scoring import Outcome, Score, describe, grade
from companion.bench.simulation.rulings import Ruling, Slip
from companion.cards import Card
from companion.commands.shared.parameters import header_of
from companion.dataset.artist.drawing.fonts import fonts_in
from companion.dataset.artist.faces import CardArt
from companion.dataset.artist.families import KEPT_OUT, StyleFamily
from companion.dataset.scenes.surfaces import SurfaceBank, list_pictures
from companion.dataset.simulated.actions import Knock
from companion.dataset.simulated.script import LIVELY, Nuisances, Script, write_script
from companion.dataset.simulated.simulation import PileChange, SimulatedTable
from companion.decks.model.edition_cards import deck_cards
from companion.editions.library import Library
from companion.referee.state import Header
from companion.table.presentation.view import QuestionKind
from companion.table.session.table import Table
from companion.vision.capture.capture_loop import FrameConsumer
from companion.vision.capture.frames import Frame
from companion.vision.core.events import PileEvent
from companion.vision.pile.pile_tracker import PileTracker
from companion.vision.recognition.card_detector import CardDetector
from companion.vision.tracking.table_tracker import TableTracker

PLAYERS = ("Ann", "Ben", "Cy", "Dee", "Eli", "Flo")
# More reshuffles than in a real match, because a short one would have none.
NUISANCES = Nuisances(reshuffle=0.03)


@dataclass(frozen=True)
class MatchSetUp:
    """A match to simulate. families: style families of the decks, all if empty. None in a folder means its default.

    model: folder of the networks, the shipped ones if None. photos: card photos with labels.json, used instead of drawn
    cards. backgrounds: pictures of table tops, used instead of drawn ones. unseen: decks and table tops are drawn in
    styles outside the training set. hands_free: people are lively and tap only what no camera sees. learnt: the deck is
    first laid card by card and learnt. rules: the profile of house rules; options: further ones as NAME=VALUE. fonts:
    folder of typefaces for drawn decks, the computer's if None. gaps: the camera sees nothing now and then.
    """

    seed: int
    edition: str
    players: int
    moves: int
    families: tuple[str, ...] = ()
    model: str | None = None
    photos: str | None = None
    backgrounds: str | None = None
    unseen: bool = False
    hands_free: bool = False
    learnt: bool = False
    rules: str = "official"
    options: tuple[str, ...] = ()
    fonts: str | None = None
    gaps: bool = False

    def __str__(self) -> str:
        return f"{self.seed} ({self.edition}, {self.players} players)"


@dataclass(frozen=True)
class MatchResult:
    """Scores of a match.

    pile: counts by '<change>: <outcome>'. rulings, questions: counts by kind. latencies: seconds of footage from the
    first frame in which a card lies still and open to its event. events: number of pile events. cpu: seconds of
    processor time for tracking the pile, without rendering. readings: for each reported landing the probability of the
    true card, then those of the others in descending order. hands: counts about arms, empty if arms were not tracked.
    taps: taps by people. derailed: whether two consecutive cards were attributed to the wrong players.
    gaps: counts of tops after gaps.
    """

    set_up: MatchSetUp
    pile: dict[str, int]
    rulings: dict[str, int]
    questions: dict[str, int]
    slips: tuple[Slip, ...]
    latencies: tuple[float, ...]
    events: tuple[str, ...]
    frames: int
    looks: int
    refused: int
    cpu: float
    readings: tuple[tuple[float, ...], ...] = ()
    hands: dict[str, int] = field(default_factory=dict)
    taps: int = 0
    derailed: bool = False
    gaps: dict[str, int] = field(default_factory=dict)


def play(set_up: MatchSetUp, pictures: Path | None = None) -> MatchResult:
    """Play the match and return its scores; strips of pictures of the errors go to `pictures`."""
    cv2.setNumThreads(1)
    edition = Library()[set_up.edition]
    free = set_up.hands_free
    nuisances = LIVELY if free else NUISANCES
    players, header = PLAYERS[: set_up.players], header_by(set_up)
    script = write_script(set_up.seed, edition, players, nuisances, set_up.moves, header=header, lively=free)
    simulated = simulated_table(set_up, script)
    detector = detector_of(set_up)
    if set_up.learnt:
        detector = learnt_detector(simulated, detector, None if set_up.model is None else Path(set_up.model))

    def new_follower() -> tuple[PileTracker, FrameConsumer]:
        tracker = PileTracker(detector.detect_pile, detect_closeup=detector.detect_closeup)
        return tracker, TableTracker(tracker, detector.backs) if free else tracker

    tracker, follower = new_follower()
    gaps = list(gap_times(set_up.seed, script.duration)) if set_up.gaps else []
    pending, gap = list(gaps), None
    now = [0.0]
    table = Table(clock=lambda: now[0])
    table.start_match(script.header)
    people, film = People(table, script, free), Film()
    said: list[tuple[float, PileEvent]] = []
    cpu, frames = 0.0, 0
    for frame in simulated.frames():
        now[0], frames = frame.time, frames + 1
        film.take(frame.image, frame.time)
        events: list[PileEvent] = []
        if gap is None and pending and frame.time >= pending[0].start:
            gap = pending.pop(0)
            events += gap.status(over=False)
        if gap is not None and frame.time >= gap.end:
            events += gap.status(over=True)
            if gap.gap is Gap.RESTARTED:
                tracker, follower = new_follower()
            gap = None
        image = frame.image if gap is None else gap.picture(frame.image)
        began = time.process_time()
        if image is not None:
            events += follower.feed(Frame(image, frame.time, frame.number))
        cpu += time.process_time() - began
        for event in events:
            said.append((frame.time, event))
            table.see(event)
        people.live(frame.time)
    for event in follower.finish():
        said.append((now[0], event))
        table.see(event)
    people.finish(now[0])
    score = Score()
    knocks = [step.time for step in script.steps if isinstance(step.action, Knock)]
    grade(score, set_up.seed, simulated.events, said, knocks)
    slips = (
        *(Slip(round(m.time, 2), f"pile {m.outcome.value}", m.truth, m.said) for m in score.mistakes),
        *people.slips,
    )
    if pictures is not None:
        film.save(slips, pictures, f"{set_up.edition}-{set_up.seed}")
    return MatchResult(
        set_up,
        {_key(change, outcome): n for (change, outcome), n in score.counts.items()},
        _by_value(people.rulings),
        _by_value(people.questions),
        tuple(sorted(slips, key=lambda slip: slip.time)),
        tuple(round(latency, 3) for latency in score.latencies),
        tuple(f"{at:.2f} {describe(event)}" for at, event in said),
        frames,
        tracker.look_count,
        people.refused,
        round(cpu, 2),
        tuple(tuple(round(share, 6) for share in reading) for reading in score.readings),
        _hands(simulated, [event for _, event in said], people) if free else {},
        people.taps,
        people.derailed,
        _by_value(grade_gaps(gaps, simulated.events, said)),
    )


def simulated_table(set_up: MatchSetUp, script: Script) -> SimulatedTable:
    """Return the table that shows a script, with the deck and the table top of the set-up."""
    return SimulatedTable(
        set_up.seed,
        script,
        Library()[set_up.edition],
        families=KEPT_OUT if set_up.unseen else [StyleFamily(name) for name in set_up.families] or None,
        fonts=None if set_up.fonts is None else fonts_in(Path(set_up.fonts)),
        surfaces=_surfaces(set_up),
        photos=_photos(set_up),
    )


def detector_of(set_up: MatchSetUp) -> CardDetector:
    """Return the detector with the networks of the set-up."""
    return _detector(set_up.edition, set_up.model)


def header_by(set_up: MatchSetUp) -> Header | None:
    """Return the match header with the set-up's house rules, None without any; raises click.UsageError for an unknown
    rule.
    """
    if set_up.rules == "official" and not set_up.options:
        return None
    return header_of(PLAYERS[: set_up.players], None, Library()[set_up.edition], set_up.rules, set_up.options)


def _hands(simulated: SimulatedTable, said: Sequence[PileEvent], people: People) -> dict[str, int]:
    seats = directions(simulated.script, simulated.new_tabletop())
    seen = {count.value: n for count, n in grade_arms(simulated.script, seats, said).items()}
    return seen | {count.value: n for count, n in people.draws.items()}


def _key(change: PileChange | None, outcome: Outcome) -> str:
    return f"{change.value if change else 'nothing'}: {outcome.value}"


def _by_value(
    counts: Mapping[Ruling, int] | Mapping[QuestionKind, int] | Mapping[TopAfterGap, int],
) -> dict[str, int]:
    return {kind.value: n for kind, n in counts.items()}


@lru_cache(maxsize=1)
def _detector(edition: str, model: str | None) -> CardDetector:
    return CardDetector.shipped(deck_cards(Library()[edition]), None if model is None else Path(model), threads=1)


@lru_cache(maxsize=1)
def _photographed(folder: str) -> Mapping[str, Mapping[Card, Sequence[CardArt]]]:
    from companion.models.evaluation.hands import cut_out_cards

    return cut_out_cards(Path(folder))


def _photos(set_up: MatchSetUp) -> dict[Card, Sequence[CardArt]] | None:
    """Return one photographed deck, completed with cards of the others; None if cards are drawn."""
    if set_up.photos is None:
        return None
    decks = _photographed(set_up.photos)
    faces: dict[Card, Sequence[CardArt]] = {}
    for source in np.random.default_rng([set_up.seed, 8]).permutation(sorted(decks)):
        faces = {**decks[str(source)], **faces}
    return faces


def _surfaces(set_up: MatchSetUp) -> SurfaceBank | None:
    """Return one of the pictures of table tops, or one drawn in a style outside the training set; None for no
    restriction.
    """
    rng = np.random.default_rng([set_up.seed, 7])
    if set_up.unseen:
        return SurfaceBank(rng, 1, kept_out=True)
    if set_up.backgrounds is None:
        return None
    return SurfaceBank(rng, 1, list_pictures(Path(set_up.backgrounds)), drawn=False)
