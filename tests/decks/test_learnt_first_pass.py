"""First pass over cards of a searched deck: what needs no further passes."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any
from unittest.mock import MagicMock

import cv2
import numpy as np
import pytest

from companion.cards import ALL_CARDS, Card, EditionName
from companion.dataset.artist.faces import render
from companion.dataset.artist.families import StyleFamily
from companion.dataset.artist.styles import sample_style
from companion.decks.model.card_views import PICTURE, outline
from companion.decks.service.build import DeckModel, fit_model, views_of
from companion.decks.service.deck_detector import reading_parts
from companion.decks.storage.deck_file import LearntDeck
from companion.editions import EDITIONS
from companion.vision.core.geometry import (
    Image,
    Quad,
    corner_frames,
    homography,
    intersection_over_union,
    turned,
    unit_square,
)
from companion.vision.core.limits import ReadingLimits
from companion.vision.core.reading import MaskedSoftmax, Reading
from companion.vision.core.runtime import model_folder
from companion.vision.detection.box_detector import Box, BoxKind
from companion.vision.detection.crops import CardPrediction, CropReader
from companion.vision.recognition.assembly import Assembler, explained_by_cards

pytestmark = pytest.mark.slow

NAMES = ("red 7", "blue 3", "green skip", "yellow 0")
CARDS = [ALL_CARDS.index(Card.parse(name)) for name in NAMES]
QUAD = np.array([[330, 150], [480, 170], [450, 400], [300, 380]], np.float32)


def _laid(face: Image, quad: Quad, size: tuple[int, int]) -> Image:
    """Return a picture of a table of the given width and height with a face laid on it."""
    table = np.full((size[1], size[0], 3), (60, 90, 120), np.uint8)
    height, width = face.shape[:2]
    matrix = homography(unit_square() * np.array([width, height], np.float32), quad)
    return np.asarray(cv2.warpPerspective(face, matrix, size, dst=table, borderMode=cv2.BORDER_TRANSPARENT), np.uint8)


@pytest.fixture(scope="module")
def faces() -> list[Image]:
    style = sample_style(np.random.default_rng(5), StyleFamily.WHITE_OVAL, ())
    return [np.ascontiguousarray(render(Card.parse(name), style, 400).image[:, :, :3]) for name in NAMES]


@pytest.fixture(scope="module")
def known(faces: list[Image]) -> DeckModel:
    """Return the model of a deck that is searched."""
    cards = tuple(Card.parse(name) for name in NAMES)
    deck = LearntDeck(
        "Ours", EDITIONS[EditionName.CLASSIC], cards, tuple(_laid(face, outline(), PICTURE) for face in faces)
    )
    reader, _ = reading_parts()
    result = fit_model(views_of(reader, deck), CARDS)
    whole = replace(result.cards, identifies=True)
    return replace(result, cards=whole, search=MagicMock())


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Return a counter of the crops read from now on, of whole cards and of indices."""
    counts = Counter[str]()
    for name in ("predict_cards", "predict_indices"):
        read = getattr(CropReader, name)

        def counted(self: CropReader, image: Image, quads: Any, *more: Any, name: str = name, read: Any = read) -> Any:
            counts[name] += len(quads)
            return read(self, image, quads, *more)

        monkeypatch.setattr(CropReader, name, counted)
    return counts


@pytest.mark.parametrize("searched", [True, False])
def test_card_confirmed_by_two_passes_is_final(
    faces: list[Image], known: DeckModel, looked: Counter[str], searched: bool
) -> None:
    picture = _laid(faces[0], QUAD, (800, 600))
    reader, _ = reading_parts()
    reader = reader.with_deck(known if searched else replace(known, search=None))
    (card,) = reader.read_cards(picture, [np.asarray(QUAD + np.array([6, -5]), np.float32)])
    assert card.card.name == NAMES[0]
    assert intersection_over_union(card.quad, QUAD) > 0.95
    assert looked["predict_cards"] == 2
    assert looked["predict_indices"] == (0 if searched else 2)


def _says(name: str, chance: float) -> np.ndarray:
    """Return (57,) log-likelihoods of a card, the rest for one other card."""
    logs = np.full(57, -30, np.float32)
    logs[[ALL_CARDS.index(Card.parse(name)), ALL_CARDS.index(Card.parse("wild"))]] = np.log([chance, 1 - chance])
    return logs


@pytest.mark.parametrize(("with_deck", "expected"), [(0.78, "blue 1"), (0.97, "blue reverse")])
def test_more_confident_network_reading_of_a_familiar_design_is_kept(
    faces: list[Image], known: DeckModel, monkeypatch: pytest.MonkeyPatch, with_deck: float, expected: str
) -> None:
    """Labels in a deck may be wrong."""
    one = CardPrediction(QUAD, _says("blue 1", 0.96), 1.0, _says("blue reverse", with_deck))
    monkeypatch.setattr(CropReader, "predict_cards", lambda _, image, quads: [one] * len(quads))
    picture = _laid(faces[0], QUAD, (800, 600))
    reader, _ = reading_parts()
    (card,) = reader.with_deck(replace(known, search=None)).read_cards(picture, [QUAD])
    assert card.card.name == expected
    assert card.is_member == (expected != "blue 1")


@pytest.mark.parametrize(("chances", "plainly"), [((0.97, 0.98), True), ((0.8, 0.98), False), ((0.97, 0.03), False)])
def test_card_clear_in_both_orientations_is_final(
    known: DeckModel, monkeypatch: pytest.MonkeyPatch, chances: tuple[float, float], plainly: bool
) -> None:
    views = iter([CardPrediction(QUAD, _says("blue 1", chance), 1.0) for chance in chances])
    monkeypatch.setattr(CropReader, "predict_cards", lambda _, image, quads: [next(views) for _ in quads])
    reader, _ = reading_parts()
    first = reader.with_deck(known).first_pass(np.zeros((600, 800, 3), np.uint8), [QUAD])
    assert (0 in first.confirmed) is plainly


def test_rough_outline_of_a_half_covered_card_is_refined(faces: list[Image]) -> None:
    picture = _laid(faces[0], QUAD, (800, 600))
    side = (QUAD[2] - QUAD[1]) / 2
    picture = np.where(_laid(np.full_like(faces[0], 255), QUAD + side, (800, 600)) == 255, 90, picture).astype(np.uint8)
    rough = QUAD + np.array([12, -10], np.float32)
    reader, _ = reading_parts()
    (refined,) = reader.refine_outlines(picture, [rough])
    assert intersection_over_union(refined, QUAD) > intersection_over_union(rough, QUAD) + 0.05
    assert reader.refine_outlines(picture, []) == []


def test_learnt_cards_are_searched_for_in_outlines_of_overlapping_cards(faces: list[Image], known: DeckModel) -> None:
    picture = _laid(faces[0], QUAD, (800, 600))
    beneath = QUAD + np.array([40, 5], np.float32)
    search = MagicMock()
    search.search.return_value = []
    reader = reading_parts()[0].with_deck(replace(known, search=search))
    limits = ReadingLimits.load(model_folder() / "limits.json")
    box = Box(BoxKind.CARD, QUAD, 0.9)
    aside = Box(BoxKind.CARD, QUAD + np.array([300, 0], np.float32), 0.9)
    Assembler(reader, limits).assemble(picture, [box, aside], lambda _: [beneath])
    outlines = search.search.call_args.args[1]
    assert max(intersection_over_union(quad, beneath) for quad in outlines) == pytest.approx(1.0)


def test_indices_on_a_final_card_are_not_read(faces: list[Image], known: DeckModel, looked: Counter[str]) -> None:
    picture = _laid(faces[0], QUAD, (800, 600))
    ends = [Box(BoxKind.INDEX, frame, 0.9) for frame in corner_frames(QUAD)]
    reader, _ = reading_parts()
    limits = ReadingLimits.load(model_folder() / "limits.json")
    boxes = [Box(BoxKind.CARD, QUAD, 0.9), *ends]
    (card,) = Assembler(reader.with_deck(known), limits).assemble(picture, boxes, boxes)
    assert card.card.name == NAMES[0]
    assert card.whole
    assert +looked == Counter(predict_cards=2)


@pytest.mark.parametrize("quarters", range(4))
def test_unread_indices_take_the_final_cards_name(quarters: int) -> None:
    logs = np.where(np.arange(57) == CARDS[0], 0, -20).astype(np.float32)
    card = Reading(QUAD, logs, MaskedSoftmax(1.0, np.ones(57, bool)), 1.0)
    first, last = corner_frames(QUAD)
    elsewhere = np.asarray(first + 300, np.float32)
    result, others = explained_by_cards([card], [turned(last, quarters), elsewhere, turned(first, quarters)])
    assert [one.card.name for one in result] == [NAMES[0]] * 2
    stand = {tuple(np.round(one.quad[0])) for one in result}
    assert stand == {tuple(np.round(frame[0])) for frame in (first, last)}
    assert len(others) == 1
    assert others[0] is elsewhere
