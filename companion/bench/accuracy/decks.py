"""`companion bench decks`: accuracy on a deck learnt from one pass over its cards, compared with no learning."""

from __future__ import annotations

import json
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import TypeVar

import click
import cv2
import numpy as np
from rich.console import Console
from rich.table import Table

from companion.bench.accuracy.style_option import families_named
from companion.cards import Card, EditionName, UnknownCardError
from companion.dataset.artist.families import HOMEMADE_KEPT_OUT, KEPT_OUT, StyleFamily
from companion.dataset.artist.styles import sample_style
from companion.dataset.scenes.sittings import Picture, Sitting, drawn_faces, faces_in
from companion.decks.service.build import build_model
from companion.decks.service.deck_detector import reading_parts
from companion.decks.service.enrollment import Lesson
from companion.decks.service.match_corrections import Corrected, with_corrections
from companion.decks.storage.deck_file import LearntDeck, encoded
from companion.editions import EDITIONS
from companion.vision.core.geometry import Image
from companion.vision.core.runtime import model_folder
from companion.vision.recognition.card_detector import CardDetector

_EDITION = EDITIONS[EditionName.CLASSIC]
_HANDS = "fans"
_T = TypeVar("_T")
Row = dict[str, float]


@dataclass(frozen=True)
class _Plan:
    """How a deck is learnt and how many pictures are read; see the command's options."""

    ordered: bool
    share: float
    dim: bool
    wrong: int
    corrected: int
    singles: int
    scattered: int
    fans: int
    seed: int


@dataclass(frozen=True)
class _Design:
    """A design to learn: drawn at random from a family, or the faces of a folder."""

    name: str
    family: StyleFamily | None = None
    folder: Path | None = None
    number: int = 0

    def faces(self) -> tuple[dict[Card, Image], bool]:
        """Return its faces, and whether they can be identified by their corners alone, as in a hand."""
        if self.folder is not None:
            about = self.folder.parent / "decks.json"
            said = json.loads(about.read_text("utf-8")).get(self.folder.name, {}) if about.exists() else {}
            faces = faces_in(self.folder)
            hidden = {Card.parse(name) for name in said.get("not_shown", ())}
            return {card: face for card, face in faces.items() if card not in hidden}, bool(said.get("indices", True))
        assert self.family is not None
        style = sample_style(np.random.default_rng([self.number, zlib.crc32(self.family.value.encode())]), self.family)
        return drawn_faces(style, _EDITION.deck), style.design.indices


@dataclass
class _Score:
    """Counts over the pictures of one kind."""

    there: int = 0
    claimed: int = 0
    hit: int = 0
    pictures: int = 0
    exact: int = 0

    def add(self, cards: Sequence[Card], read: Sequence[Card]) -> None:
        self.pictures, self.exact = self.pictures + 1, self.exact + (Counter(cards) == Counter(read))
        self.there, self.claimed = self.there + len(cards), self.claimed + len(read)
        self.hit += (Counter(cards) & Counter(read)).total()

    @property
    def f1(self) -> float:
        return 2 * self.hit / max(1, self.there + self.claimed)


def _measured(job: tuple[_Design, _Plan]) -> tuple[str, Row]:
    design, plan = job
    # Each process has one core.
    cv2.setNumThreads(1)
    faces, held = design.faces()
    seed = zlib.crc32(design.name.encode())
    learning = Sitting(faces, (plan.seed, seed, 0), plan.dim)
    reader, boxes = reading_parts(threads=1)
    detector = CardDetector.shipped(_EDITION.base, threads=1)
    cards = sorted((card for card in Counter(_EDITION.deck).elements() if card in faces), key=str)
    rng = Random(f"{plan.seed}/{design.name}")
    rng.shuffle(cards)
    cards = cards[: round(plan.share * len(cards))]
    row: Row = {}
    given = _exchanged(cards, plan.wrong, rng) if plan.ordered else []
    lesson = Lesson(reader, boxes, _EDITION, given, each=True)
    seconds = 0.0
    for picture in learning.flip(cards):
        seconds += _timed(lambda image=picture.image: lesson.show(image))[0]  # type: ignore[misc]
    truth = [cards[place] for place in lesson.places]
    if plan.wrong and not plan.ordered:
        row["wrong"] = answer_wrongly(lesson, truth, plan.wrong, rng)
    took, naming = _timed(lesson.naming)
    row["names"] = sum(a == b for a, b in zip(naming.cards, truth, strict=True)) / len(cards)
    row["asked"] = len(naming.questions)
    kinds: dict[str, tuple[int, Callable[[Sitting], Picture]]] = {
        "singles": (plan.singles, Sitting.single),
        "scattered": (plan.scattered, Sitting.scattered),
        _HANDS: (plan.fans if held else 0, Sitting.fan),
    }
    if any(count for count, _ in kinds.values()):
        made, deck = _timed(lambda: lesson.finish(design.name))
        known, looks = _timed(lambda: build_model(detector.reader, deck, model_folder()))
        took += made + known
        if plan.corrected:
            sitting = Sitting(faces, (plan.seed, seed, 2))
            row["corrected"], deck = corrected(deck, detector.with_deck(looks), sitting, plan.corrected)
            looks = build_model(detector.reader, deck, model_folder())
        row |= _read(Sitting(faces, (plan.seed, seed, 1)), kinds, detector, detector.with_deck(looks))
    row["seconds"] = seconds + took
    return design.name, {name: round(value, 3) for name, value in row.items()}


def _exchanged(cards: Sequence[Card], faces: int, rng: Random) -> list[Card]:
    """Return the cards with the names of `faces` faces permuted cyclically."""
    chosen = rng.sample(list(dict.fromkeys(cards)), min(faces, len(set(cards))))
    names = dict(zip(chosen, [*chosen[1:], *chosen[:1]], strict=True))
    return [names.get(card, card) for card in cards]


def corrected(deck: LearntDeck, detector: CardDetector, sitting: Sitting, pictures: int) -> tuple[int, LearntDeck]:
    """Return how many of `pictures` single-card pictures people correct, as at the table, and the deck after that."""
    corrections: list[Corrected] = []
    for number in range(pictures):
        picture = sitting.single()
        found = detector.detect(picture.image)
        if len(found) == 1 and found[0].card != picture.cards[0]:
            corners = [(float(x), float(y)) for x, y in found[0].quad]
            corrections.append(Corrected(str(number), picture.cards[0], encoded(picture.image), corners))
    return len(corrections), with_corrections(deck, "bench", corrections)


def answer_wrongly(lesson: Lesson, truth: Sequence[Card], most: int, rng: Random) -> int:
    """Answer up to `most` questions with a wrong card of those offered; returns the number of questions.

    Nobody is asked if the deck should be laid by name instead, as on the page and in `learn`.
    """
    for given in range(most):
        naming = lesson.naming()
        questions = naming.questions
        if not questions or naming.prompted_is_better:
            return given
        number = questions[0].pictures[0]
        lesson.answer(number, rng.choice([card for card in questions[0].options if card != truth[number]]))
    return most


def _read(
    sitting: Sitting,
    kinds: dict[str, tuple[int, Callable[[Sitting], Picture]]],
    plain: CardDetector,
    learnt: CardDetector,
) -> Row:
    """Return the figures of the pictures read with and without the learnt deck."""
    row: Row = {}
    more, cards = 0.0, 0
    for kind, (count, photograph) in kinds.items():
        without, with_deck = _Score(), _Score()
        for _ in range(count):
            picture = photograph(sitting)
            times = []
            for detector, score in ((plain, without), (learnt, with_deck)):
                took, found = _timed(lambda image=picture.image, reads=detector: reads.detect(image))  # type: ignore[misc]
                score.add(picture.cards, [sighting.card for sighting in found])
                times.append(took)
            more, cards = more + times[1] - times[0], cards + len(picture.cards)
        if count:
            row[f"{kind} before"], row[kind] = without.f1, with_deck.f1
            if kind == _HANDS:
                row["exact hands before"], row["exact hands"] = (s.exact / s.pictures for s in (without, with_deck))
    row["ms a card"] = 1000 * more / max(1, cards)
    return row


def _timed(work: Callable[[], _T]) -> tuple[float, _T]:
    """Return the seconds of processor time that a call took, and its result."""
    start = time.thread_time()
    outcome = work()
    return time.thread_time() - start, outcome


_COUNT = click.IntRange(0)


@click.command()
@click.option(
    "--families",
    callback=families_named,
    metavar="A,B",
    help="Style families of the decks; by default those not used in training.",
)
@click.option(
    "--designs",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help='Folder with a folder of upright faces for each design ("red 7.png"), instead of drawn decks.',
)
@click.option("--each", default=1, show_default=True, type=click.IntRange(1), help="Number of designs per family.")
@click.option(
    "--order",
    type=click.Choice(["given", "any"]),
    default="given",
    show_default=True,
    help="Whether the name of each card is given as it is laid, or no name is given and no question answered.",
)
@click.option(
    "--share", default=1.0, show_default=True, type=click.FloatRange(0.05, 1), help="Share of the deck that is laid."
)
@click.option("--dim", is_flag=True, help="Lay the cards in dim light and out of focus.")
@click.option(
    "--wrong",
    default=0,
    show_default=True,
    type=_COUNT,
    help="Number of wrong answers to questions; with --order given, number of faces with exchanged names.",
)
@click.option(
    "--corrected",
    default=0,
    show_default=True,
    type=_COUNT,
    help="Number of single-card pictures shown first; misread ones are corrected as in a match.",
)
@click.option("--singles", default=12, show_default=True, type=_COUNT, help="Number of pictures of one card.")
@click.option(
    "--scattered", default=4, show_default=True, type=_COUNT, help="Number of pictures of five to eight separate cards."
)
@click.option(
    "--fans", default=6, show_default=True, type=_COUNT, help="Number of pictures of hands of five to eight cards."
)
@click.option("--seed", default=1, show_default=True, type=_COUNT, help="Random seed for decks and pictures.")
@click.option(
    "--jobs", default=1, show_default=True, type=click.IntRange(1), help="Number of designs processed in parallel."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def decks(
    families: tuple[str, ...],
    designs: Path | None,
    each: int,
    order: str,
    share: float,
    dim: bool,
    wrong: int,
    corrected: int,
    singles: int,
    scattered: int,
    fans: int,
    seed: int,
    jobs: int,
    as_json: bool,
) -> None:
    """Learn decks from one pass over their cards, then read other pictures of them with and without the learnt deck.

    The pictures are taken on another table in other light. Names and figures are shares: F1 for several cards, exact
    hands without any mistake. Seconds are processor time for learning; milliseconds are the added time per card.
    """
    if designs is not None and families:
        raise click.UsageError("--designs are measured instead of --families: leave one out.")
    plan = _Plan(order == "given", share, dim, wrong, corrected, singles, scattered, fans, seed)
    chosen = list(_of_folder(designs)) if designs else list(_drawn(families, each, seed))
    rows: dict[str, Row] = {}
    try:
        for name, row in _all([(design, plan) for design in chosen], jobs):
            rows[name] = row
            click.echo(f"{len(rows)} of {len(chosen)}: {name}", err=True)
    except (OSError, UnknownCardError) as error:
        raise click.ClickException(str(error)) from error
    if len(rows) > 1:
        columns = dict.fromkeys(column for row in rows.values() for column in row)
        rows["mean"] = {
            column: round(float(np.mean([row[column] for row in rows.values() if column in row])), 3)
            for column in columns
        }
    click.echo(json.dumps(rows)) if as_json else Console().print(_table(rows))


def _drawn(families: Sequence[str], each: int, seed: int) -> Iterator[_Design]:
    wanted = [StyleFamily(name) for name in families] or [*KEPT_OUT, *HOMEMADE_KEPT_OUT]
    for family in wanted:
        for i in range(each):
            number = seed * 100 + i
            yield _Design(f"{family.value} {number}", family, number=number)


def _of_folder(folder: Path) -> Iterator[_Design]:
    for path in sorted(path for path in folder.iterdir() if path.is_dir()):
        if any(file.suffix in (".png", ".webp") for file in path.iterdir()):
            yield _Design(path.name, folder=path)


def _all(work: Sequence[tuple[_Design, _Plan]], jobs: int) -> Iterator[tuple[str, Row]]:
    if jobs == 1:
        yield from map(_measured, work)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        yield from pool.map(_measured, work)


def _table(rows: dict[str, Row]) -> Table:
    columns = list(dict.fromkeys(column for row in rows.values() for column in row))
    table = Table("design", *columns)
    for name, row in rows.items():
        table.add_row(name, *(f"{row[column]:g}" if column in row else "" for column in columns))
    return table
