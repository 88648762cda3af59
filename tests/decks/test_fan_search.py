"""Cards of a familiar deck that the networks miss in a hand are found by their pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.cards import ALL_CARDS, Card
from companion.decks.matching.card_search import CardSearch
from companion.decks.model.card_views import outline
from companion.decks.model.prototypes import Prototypes
from companion.decks.service import build
from companion.decks.service.build import DeckModel, build_model, fit_model, views_of
from companion.decks.service.deck_detector import reading_parts
from companion.decks.storage.deck_file import LearntDeck
from companion.vision.core.geometry import Image, Quad, corner_frames
from companion.vision.core.labels import Floats
from companion.vision.core.limits import ReadingLimits
from companion.vision.core.reading import MaskedSoftmax, Reading
from companion.vision.core.runtime import model_folder
from companion.vision.core.sightings import Sighting
from companion.vision.detection.box_detector import Box, BoxKind
from companion.vision.detection.deck_protocol import PictureMatch
from companion.vision.recognition.card_detector import CardDetector
from companion.vision.recognition.deck_merge import merge_deck_matches

from .test_card_search import CARDS, NAMES, _deck, _faces, _lay, _lit, _table, lying, rough

pytestmark = pytest.mark.slow

ODD = 1
"""Index of the card that no network can read."""


def _odd_face(seed: int) -> Image:
    """Return a face unlike any card: black marks on a pale ground."""
    rng = np.random.default_rng(seed)
    face = np.full((400, 257, 3), (205, 225, 235), np.uint8)
    for _ in range(60):
        x, y = rng.integers((10, 10), (247, 390)).tolist()
        cv2.line(face, (x, y), (x + int(rng.integers(-30, 30)), y + int(rng.integers(-30, 30))), (40, 40, 40), 3)
    return face


def _name(one: PictureMatch) -> str:
    return ALL_CARDS[int(one.logs[:-1].argmax())].name


@pytest.fixture(scope="module")
def faces() -> list[Image]:
    faces = _faces(5)
    faces[ODD] = _odd_face(1)
    return faces


@pytest.fixture(scope="module")
def deck(faces: list[Image]) -> LearntDeck:
    return _deck(faces)


@pytest.fixture(scope="module")
def known(deck: LearntDeck) -> DeckModel:
    result = fit_model(views_of(reading_parts()[0], deck), CARDS)
    return replace(
        result,
        search=CardSearch.of(deck, CARDS, 0.0),
        spot=deck.spot,
        familiar=True,
    )


@dataclass
class _Boxed:
    """Returns the same boxes and outlines for every picture."""

    boxes: list[Box] = field(default_factory=list)
    whole: list[Quad] = field(default_factory=list)
    has_head: bool = False
    scales: tuple[int, ...] = (640, 320)

    def find(self, *_: object, **__: object) -> list[Box]:
        return self.boxes

    def with_outlines(self) -> _Boxed:
        return replace(self, has_head=True)

    def propose_outlines(self, *_: object) -> list[Quad]:
        return self.whole if self.has_head else []


@pytest.fixture
def read(faces: list[Image]) -> Callable[..., list[str]]:
    """Return a function that names the detected and searched cards of a hand."""

    def names(
        fit_model: DeckModel,
        shown: Sequence[int] = (0, 2, ODD, 3),
        score: float = 0.9,
        bare: bool = False,
        boxed: float = 1.0,
        outlined: bool = False,
    ) -> list[str]:
        picture, finder = _table(1000, 600), _Boxed([Box(BoxKind.CARD, lying(860, 140, 70), 0.9)] if bare else [])
        for place, i in enumerate(shown):
            quad = lying(250 + 110 * place, 300 + 8 * place, -18 + 10 * place)
            _lay(picture, faces[i], quad)
            part = quad + (boxed - 1) * (quad[[3, 3, 3, 3]] - quad[[0, 0, 0, 0]]) * [[0], [0], [1], [1]]
            box = np.asarray(part, np.float32) if i == ODD else quad
            finder.boxes.append(Box(BoxKind.CARD, box, score if i == ODD else 0.9))
            finder.whole += [quad] if outlined else []
        limits = ReadingLimits.load(model_folder() / "limits.json")
        detector = CardDetector(finder, reading_parts()[0], limits).with_deck(fit_model)  # type: ignore[arg-type]
        return sorted(sighting.card.name for sighting in detector.detect(_lit(picture)))

    return names


def test_cards_missed_in_a_hand_are_found_by_picture(known: DeckModel, read: Callable[..., list[str]]) -> None:
    without = read(replace(known, search=None))
    assert NAMES[ODD] not in without
    assert len(without) >= 3
    assert read(known) == sorted([*without, NAMES[ODD]])
    assert read(known, score=0.3) == without, "no box of high score is left out"


def test_box_of_a_part_is_searched_in_outlines_of_whole_cards(known: DeckModel, read: Callable[..., list[str]]) -> None:
    assert NAMES[ODD] not in read(known, boxed=0.3)
    assert NAMES[ODD] in read(known, boxed=0.3, outlined=True)


@pytest.mark.parametrize("left_out", [0, 3], ids=["lowest", "topmost"])
def test_only_unexplained_boxes_of_a_hand_are_searched(left_out: int) -> None:
    faces, picture = _faces(5), _table(800, 600)
    quads = [lying(220 + 60 * i, 300 + 8 * i, -24 + 14 * i) for i in range(4)]
    for face, quad in zip(faces, quads, strict=False):
        _lay(picture, face, quad)
    search, lit = CardSearch.of(_deck(faces), CARDS), _lit(picture)
    # The other end of the fan has a card too, but no box that nothing explains.
    sure = [quads[1], quads[2]]
    left = [corner_frames(quads[left_out])[left_out // 2]]
    assert [_name(one) for one in search.search(lit, rough(quads), sure, left)] == [NAMES[left_out]]
    assert sorted(_name(one) for one in search.search(lit, rough(quads), sure)) == sorted((NAMES[0], NAMES[3]))


def test_hand_of_another_deck_is_not_searched(known: DeckModel, read: Callable[..., list[str]]) -> None:
    other = replace(known.cards, decision=replace(known.cards.decision, offset=-99.0))
    assert NAMES[ODD] not in read(replace(known, cards=other))


def test_complete_or_single_cards_are_not_searched(
    known: DeckModel, read: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    searched: list[Image] = []

    def search(_: DeckModel, image: Image, *__: object) -> list[PictureMatch]:
        searched.append(image)
        return []

    monkeypatch.setattr(DeckModel, "find_cards", search)
    read(known, (0, ODD))
    read(known, (0, 2, 3))
    read(known, (0, 2, 3), bare=True)
    assert not searched
    read(known)
    assert searched


def test_doubtful_picture_match_is_resolved_by_the_deck(
    deck: LearntDeck, known: DeckModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    combine, asked = Prototypes.combine, 0

    def counted(faces: Prototypes, logs: Floats, features: Floats) -> tuple[Floats, Floats]:
        nonlocal asked
        asked += len(logs) * (faces is known.cards)
        return combine(faces, logs, features)

    monkeypatch.setattr(Prototypes, "combine", counted)
    doubtful = PictureMatch(outline(), np.full(57, -1, np.float32), np.ones((12, 8), bool))
    monkeypatch.setattr(DeckModel, "find_cards", lambda *_: [doubtful])
    ((result, _),) = reading_parts()[0].with_deck(known).deck_matches(deck.all_pictures[ODD], [])
    assert asked == 2, "both ways up"
    assert result.card.name == NAMES[ODD]


@pytest.mark.parametrize(("chance", "named"), [(0.9, "green 4"), (0.7, "red 7")])
def test_certain_detections_stand(chance: float, named: str) -> None:
    quad, logs = lying(300, 300, 10), np.full(57, -9, np.float32)
    logs[CARDS[0]] = 0
    result = (
        Reading(quad, logs, MaskedSoftmax(1.0, np.ones(57, bool)), 1.0),
        PictureMatch(quad, logs, np.ones((12, 8), bool)),
    )
    there = Sighting(quad, (Card.parse("green 4"), Card.parse("wild")), (chance, 1 - chance), True)
    assert [one.card.name for one in merge_deck_matches([there], [result], keep_from=0.8)] == [named]


@pytest.mark.parametrize(
    ("aside", "name", "cards"),
    [(30, NAMES[0], 1), (30, "green 4", 2), (48, NAMES[0], 2)],
    ids=["rim", "other", "beside"],
)
def test_edge_of_a_certain_card_is_no_second_card(aside: float, name: str, cards: int) -> None:
    there = Sighting(lying(300, 300, 0), (Card.parse(name), Card.parse("wild")), (0.97, 0.03), True)
    logs, rim = np.full(57, -9, np.float32), np.zeros((12, 8), bool)
    logs[CARDS[0]], rim[:, -1] = 0, True
    quad = lying(300 + aside, 300, 0)
    result = Reading(quad, logs, MaskedSoftmax(1.0, np.ones(57, bool)), 1.0), PictureMatch(quad, logs, rim)
    assert len(merge_deck_matches([there], [result], keep_from=0.8)) == cards


def test_familiar_deck_caches_its_search(deck: LearntDeck, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "is_familiar", lambda *_: True)
    reader, file = reading_parts()[0], tmp_path / "deck.npz"
    pictures = replace(deck, spot=(0.1, 0.1, 0.2))
    first, again = (build_model(reader, pictures, model_folder(), file) for _ in range(2))
    for known in (first, again):
        assert known.completes_hands
        assert not known.is_searched
        assert not known.hard_to_see
