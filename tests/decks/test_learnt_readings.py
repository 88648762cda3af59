"""A familiar deck is never read worse with the learnt deck than without it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from unittest.mock import Mock

import cv2
import numpy as np
import pytest

from companion.cards import ALL_CARDS, Card, EditionName
from companion.dataset.artist.faces import render
from companion.dataset.artist.families import StyleFamily
from companion.dataset.artist.styles import sample_style
from companion.dataset.scenes.sittings import Sitting, drawn_faces
from companion.decks.matching.card_search import CardSearch
from companion.decks.model.card_views import PICTURE, index_frames, outline, usual_spot
from companion.decks.model.decision import shipped_decisions
from companion.decks.model.prototypes import Prototypes, fit
from companion.decks.service.build import DeckModel, fit_model, views_of
from companion.decks.service.deck_detector import reading_parts
from companion.decks.storage.deck_file import LearntDeck
from companion.editions import EDITIONS
from companion.vision.core.geometry import Image, Quad, corner_frames, homography, unit_square
from companion.vision.core.labels import Floats
from companion.vision.core.limits import ReadingLimits
from companion.vision.core.reading import Reading
from companion.vision.core.runtime import Network, model_folder
from companion.vision.detection.box_detector import Box, BoxKind
from companion.vision.detection.crops import CardPrediction, CropReader, IndexPrediction, mean_card
from companion.vision.recognition.assembly import Assembler
from companion.vision.recognition.card_detector import CardDetector
from companion.vision.recognition.reader import INDEX_VIEWS

pytestmark = pytest.mark.slow

NAMES = ("red 7", "blue 3", "green skip", "yellow 0")
CARDS = [ALL_CARDS.index(Card.parse(name)) for name in NAMES]
NONE = len(ALL_CARDS)


@pytest.fixture(scope="module")
def deck() -> LearntDeck:
    style = sample_style(np.random.default_rng(5), StyleFamily.WHITE_OVAL, ())
    faces = [np.ascontiguousarray(render(Card.parse(name), style, 400).image[:, :, :3]) for name in NAMES]
    pictures = []
    for face in faces:
        size = np.array(face.shape[1::-1], np.float32)
        laid = cv2.warpPerspective(face, homography(unit_square() * size, outline()), PICTURE)
        pictures.append(np.asarray(laid, np.uint8))
    cards = tuple(Card.parse(name) for name in NAMES)
    return LearntDeck("Ours", EDITIONS[EditionName.CLASSIC], cards, tuple(pictures), usual_spot())


@pytest.fixture(scope="module")
def known(deck: LearntDeck) -> DeckModel:
    result = fit_model(views_of(reading_parts()[0], deck), CARDS)
    return replace(
        result,
        cards=replace(result.cards, identifies=True),
        indices=replace(result.indices, identifies=True),
    )


def _says(name: str, chance: float, rest: int = ALL_CARDS.index(Card.parse("wild"))) -> Floats:
    """Return (57,) log-likelihoods of a card, the rest for one other card."""
    logs = np.full(NONE + 1, -30, np.float32)
    logs[[ALL_CARDS.index(Card.parse(name)), rest]] = np.log([chance, 1 - chance])
    return logs


def _crops(known: DeckModel) -> CropReader:
    networks = (Network.shared(model_folder() / f"{kind}-reader.onnx", 0) for kind in ("card", "index"))
    return CropReader(*networks, deck=known, combines_each_crop=known.is_searched)


def _number(name: str) -> int:
    return ALL_CARDS.index(Card.parse(name))


def _with_seeker(known: DeckModel, deck: LearntDeck, searched: bool) -> DeckModel:
    return replace(known, search=CardSearch.of(deck, CARDS, 0.0) if searched else None)


@pytest.fixture
def index(deck: LearntDeck, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Reading]:
    """Return a function that reads the index of the red 7 with given readings without and with the deck."""

    def read(
        known: DeckModel, alone: Floats, by_deck: Floats | None, membership: float = 1.0, is_out_of_deck: bool = False
    ) -> Reading:
        upright = np.array([0, -20, -20, -20], np.float32)
        reader, frame = reading_parts()[0].with_deck(known), index_frames(*usual_spot())[0]
        seen = IndexPrediction(alone, upright, membership, by_deck, is_out_of_deck=is_out_of_deck)
        monkeypatch.setattr(CropReader, "combine_index_views", lambda _, looks: [seen] * len(looks))
        (reading,) = reader.read_indices(deck.pictures[0], [frame], INDEX_VIEWS[:1])
        return reading

    return read


@pytest.mark.parametrize(
    ("alone", "by_deck", "expected", "chance", "is_known"),
    [
        (("red 9", 0.97), ("red 8", 0.6), "red 9", 0.97, False),
        (("red 9", 0.6), ("red 8", 0.97), "red 8", 0.97, True),
        # With an incomplete deck, a learnt card is less certain than without it.
        (("red 8", 0.97), ("red 8", 0.6), "red 8", 0.97, False),
    ],
)
def test_index_takes_the_more_confident_of_deck_and_networks(
    known: DeckModel,
    index: Callable[..., Reading],
    alone: tuple[str, float],
    by_deck: tuple[str, float],
    expected: str,
    chance: float,
    is_known: bool,
) -> None:
    """Readings of the networks keep their calibration; the deck does not raise their confidence."""
    read = index(known, _says(*alone), _says(*by_deck))
    assert (read.card.name, read.is_member, read.is_non_index, read.overrides_networks) == (
        expected,
        is_known,
        False,
        is_known,
    )
    assert read.confidence == index(known, _says(expected, chance), None).confidence


@pytest.mark.parametrize(
    ("membership", "cards", "indices", "chance"),
    [(1.0, True, True, 0.97), (0.9, True, True, 0.6), (1.0, False, True, 0.6), (1.0, True, False, 0.6)],
)
def test_informative_deck_overrules_agreeing_index_readings(
    known: DeckModel, index: Callable[..., Reading], membership: float, cards: bool, indices: bool, chance: float
) -> None:
    """Signs that the networks take for a card look like that card's, so membership must be certain."""
    whole, corners = replace(known.cards, identifies=cards), replace(known.indices, identifies=indices)
    known = replace(known, cards=whole, indices=corners)
    read = index(known, _says("red 8", 0.6), _says("red 8", 0.97), membership)
    assert (read.card.name, read.is_member, read.overrides_networks) == ("red 8", chance > 0.9, False)
    assert read.confidence == index(known, _says("red 8", chance), None).confidence


def test_low_membership_does_not_overrule_an_index(known: DeckModel, index: Callable[..., Reading]) -> None:
    alone, by_deck = _says("red 9", 0.6), _says("red 8", 0.97)
    assert [index(known, alone, by_deck, membership).card.name for membership in (0.4, 0.6)] == ["red 9", "red 8"]


def test_reader_weight_follows_its_accuracy_on_the_deck(known: DeckModel, index: Callable[..., Reading]) -> None:
    # Of four pictures, seen twice each, the second (labelled blue 3) is read as red 7 half the time or always.
    said = np.stack([np.stack([_says(NAMES[i], 0.9)] * 2) for i in range(4)])
    said[1, 0], said[3, :] = _says(NAMES[0], 0.9), _says("green 9", 0.9)
    features = np.random.default_rng(3).normal(size=(4, 2, 24)).astype(np.float32)

    def reliability_of(logs: Floats) -> Floats:
        reliability = fit(features, logs, CARDS, shipped_decisions().card).reliability
        assert reliability is not None
        return reliability

    reader_reliability = reliability_of(said)
    assert reader_reliability[CARDS[0]] == pytest.approx(2 / 3)
    assert reader_reliability[CARDS[1]] == reader_reliability[CARDS[2]] == 1
    assert reader_reliability[_number("green 9")] == 1, "what nothing is called may have the wrong name"
    said[1, 1] = said[2, :] = _says(NAMES[0], 0.9)
    less = reliability_of(said)
    assert less[CARDS[0]] == pytest.approx(1 / 3)
    alone, by_deck = _says(NAMES[0], 0.9), _says(NAMES[1], 0.8)
    for reliability, result in ((reader_reliability, NAMES[0]), (less, NAMES[1]), (None, NAMES[0])):
        deck = replace(known, indices=replace(known.indices, reliability=reliability))
        assert index(deck, alone, by_deck).card.name == result


@pytest.mark.parametrize(
    ("looks_unlike", "identifies", "is_out_of_deck"), [(True, True, True), (False, True, False), (True, False, False)]
)
def test_index_unlike_the_decks_is_reported(
    known: DeckModel, index: Callable[..., Reading], looks_unlike: bool, identifies: bool, is_out_of_deck: bool
) -> None:
    """Unless the deck leaves corners to the networks and so has no evidence about them."""
    known = replace(known, indices=replace(known.indices, identifies=identifies))
    read = index(known, _says("red 8", 0.3), _says("red 8", 0.3), 0.0, looks_unlike)
    assert read.is_out_of_deck is is_out_of_deck


def test_one_similar_pass_makes_an_index_the_decks(known: DeckModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Prototypes, "combine", lambda _, logs, features: (logs, features[:, 0]))
    says, turns = _says("red 8", 0.6), np.zeros(4, np.float32)
    looks = [
        [IndexPrediction(says, turns, 0.0, features=np.full(3, like, np.float32)) for like in few]
        for few in ([0, 0, 0.6], [0, 0, 0.4])
    ]
    result = _crops(known).combine_index_views(looks)
    assert [(one.membership, one.is_out_of_deck) for one in result] == [(0, False), (0, True)]


@pytest.mark.parametrize(
    ("none_alone", "none_by_deck", "is_non_index", "is_index"),
    [(0.1, 0.97, True, True), (0.1, 0.6, False, True), (0.6, 0.1, False, True), (0.9, 0.97, False, False)],
)
def test_index_presence_takes_the_more_confident_source(
    known: DeckModel,
    index: Callable[..., Reading],
    none_alone: float,
    none_by_deck: float,
    is_non_index: bool,
    is_index: bool,
) -> None:
    read = index(known, _says("red 8", 1 - none_alone, NONE), _says("red 8", 1 - none_by_deck, NONE))
    assert read.is_non_index is is_non_index
    assert (read.no_card < 0.5) is is_index


def test_deck_is_applied_once_to_several_index_passes(known: DeckModel, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def combine(_: Prototypes, logs: Floats, features: Floats) -> tuple[Floats, Floats]:
        asked.append(len(logs))
        return logs - 1, features[:, 0]

    monkeypatch.setattr(Prototypes, "combine", combine)
    crops = _crops(known)
    says, turns = _says("red 8", 0.6), np.zeros(4, np.float32)
    looks = [
        [IndexPrediction(says * k, turns, 0.0, features=np.full(3, k, np.float32)) for k in few]
        for few in ([1, 3], [2])
    ]
    first, second = crops.combine_index_views(looks)
    assert asked == [3]
    for result in (first, second):
        assert result.deck_logs is not None
        np.testing.assert_allclose(result.logs, says * 2, rtol=1e-6)
        np.testing.assert_allclose(result.deck_logs, says * 2 - 1, rtol=1e-6)
        assert result.membership == 2


@pytest.mark.parametrize("identifies", [True, False])
def test_deck_is_applied_once_to_several_card_passes(
    deck: LearntDeck, known: DeckModel, monkeypatch: pytest.MonkeyPatch, identifies: bool
) -> None:
    """A deck is not consulted at all if the networks read its cards as well without it."""
    asked: list[int] = []

    def combine(_: Prototypes, logs: Floats, features: Floats) -> tuple[Floats, Floats]:
        asked.append(len(logs))
        return logs - 1, np.arange(len(logs), dtype=np.float32)

    monkeypatch.setattr(Prototypes, "combine", combine)
    known = replace(known, cards=replace(known.cards, identifies=identifies))
    crops = _crops(known)
    seen = crops.predict_cards(deck.pictures[0], [outline()])
    (turned,) = crops.predict_cards_upside_down(deck.pictures[0], [outline()])
    first, second = crops.add_deck_evidence([mean_card(seen[0], turned), turned])
    assert asked == ([3] if identifies else [])
    if not identifies:
        assert first.deck_logs is second.deck_logs is None
        return
    assert first.deck_logs is not None
    np.testing.assert_allclose(first.deck_logs, first.logs - 1, rtol=1e-5)
    assert (first.membership, second.membership) == (1, 2)


@pytest.mark.parametrize("print_there", [False, True])
def test_other_sign_of_the_deck_is_neither_card_nor_evidence(
    deck: LearntDeck, known: DeckModel, monkeypatch: pytest.MonkeyPatch, print_there: bool
) -> None:
    by_deck = _says("red 7", 0.02 if print_there else 0.98, NONE)
    seen = IndexPrediction(_says("red 7", 0.97), np.array([0, -20, -20, -20], np.float32), 1.0, by_deck)
    monkeypatch.setattr(CropReader, "predict_indices", lambda _, image, frames, *views: [[seen]] * len(frames))
    limits = ReadingLimits.load(model_folder() / "limits.json")
    assembler = Assembler(reading_parts()[0].with_deck(known), limits)
    corner, card = corner_frames(outline())[0], Box(BoxKind.CARD, outline(), 0.9)
    boxes = [Box(BoxKind.INDEX, corner, 0.9)]
    alone = assembler.assemble(deck.pictures[1], boxes)
    assert [one.card.name for one in alone] == ([] if print_there else ["red 7"])
    result = assembler.assemble(deck.pictures[1], [card, *boxes])
    assert [one.card.name for one in result if one.whole] == (["blue 3"] if print_there else [])


@pytest.mark.parametrize(("alone", "still_open"), [(0.6, True), (0.97, False)])
def test_index_gets_as_many_passes_as_without_the_deck(
    deck: LearntDeck, known: DeckModel, monkeypatch: pytest.MonkeyPatch, alone: float, still_open: bool
) -> None:
    for by_deck in (0.6, 0.97):
        look = IndexPrediction(_says("red 8", alone), np.zeros(4, np.float32), 1.0, _says("red 8", by_deck))
        indices = Mock(return_value=[[look]])
        monkeypatch.setattr(CropReader, "predict_indices", indices)
        monkeypatch.setattr(CropReader, "combine_index_views", lambda _, looks: [few[0] for few in looks])
        reader = reading_parts()[0].with_deck(known)
        reader.read_indices(deck.pictures[0], [index_frames(*usual_spot())[0]], INDEX_VIEWS[:2])
        assert indices.call_count == (2 if still_open else 1)


@pytest.mark.parametrize("searched", [True, False])
def test_an_outline_that_shows_no_card_is_read_on_only_in_a_searched_deck(
    deck: LearntDeck, known: DeckModel, monkeypatch: pytest.MonkeyPatch, searched: bool
) -> None:
    looks = 0

    def cards(_: CropReader, image: Image, quads: Sequence[Quad]) -> list[CardPrediction]:
        nonlocal looks
        looks += len(quads)
        logs = np.full(NONE + 1, np.log(0.1 / NONE), np.float32)
        logs[NONE] = np.log(0.9)
        return [CardPrediction(quad, logs, 0.0) for quad in quads]

    monkeypatch.setattr(CropReader, "predict_cards", cards)
    reader = reading_parts()[0].with_deck(_with_seeker(known, deck, searched))
    reader.read_cards(np.full((400, 300, 3), 90, np.uint8), [outline()])
    assert (looks > 1) is searched


@pytest.fixture
def card(deck: LearntDeck, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Reading]:
    """Return a function that reads the red 7's whole card with given readings; its corners are blank."""

    flat = np.zeros(NONE + 1, np.float32)
    blank = IndexPrediction(flat, np.zeros(4, np.float32), 0.0, flat)

    def read(
        known: DeckModel,
        alone: Floats,
        by_deck: Floats,
        membership: float = 1.0,
        corner: IndexPrediction = blank,
        queries: list[int] | None = None,
    ) -> Reading:
        def cards(_: CropReader, image: Image, quads: Sequence[Quad]) -> list[CardPrediction]:
            return [CardPrediction(quad, alone, 0.0) for quad in quads]

        def add_deck_evidence(_: CropReader, seen: Sequence[CardPrediction]) -> list[CardPrediction]:
            return [replace(one, deck_logs=by_deck, membership=membership, queries=()) for one in seen]

        def combine_index_views(_: CropReader, looks: Sequence[Sequence[IndexPrediction]]) -> list[IndexPrediction]:
            if queries is not None:
                queries.append(len(looks))
            return [few[0] for few in looks]

        for name, patched in (
            ("predict_cards", cards),
            ("predict_cards_upside_down", cards),
            ("add_deck_evidence", add_deck_evidence),
        ):
            monkeypatch.setattr(CropReader, name, patched)
        monkeypatch.setattr(CropReader, "predict_indices", lambda _, image, frames, *views: [[corner] for _ in frames])
        monkeypatch.setattr(CropReader, "combine_index_views", combine_index_views)
        (reading,) = reading_parts()[0].with_deck(known).read_cards(deck.pictures[0], [outline()])
        return reading

    return read


@pytest.mark.parametrize(
    ("alone", "by_deck", "membership", "expected", "is_known"),
    [
        (("red 9", 0.97), ("red 8", 0.6), 1.0, "red 9", False),
        # Reported confidences of the networks are calibrated more cautiously.
        (("red 9", 0.99), ("red 8", 0.98), 1.0, "red 9", False),
        (("red 9", 0.6), ("red 8", 0.97), 1.0, "red 8", True),
        (("red 8", 0.6), ("red 8", 0.97), 1.0, "red 8", True),
        (("red 8", 0.6), ("red 8", 0.97), 0.9, "red 8", False),
        (("red 9", 0.6), ("red 8", 0.97), 0.6, "red 8", True),
        (("red 9", 0.6), ("red 8", 0.97), 0.4, "red 9", False),
        # A card the networks do not report needs near certainty from the deck.
        (("red 9", 0.6), ("red 8", 0.85), 1.0, "red 9", False),
        (("red 8", 0.6), ("red 8", 0.85), 1.0, "red 8", True),
        (("red 8", 0.4), ("red 8", 0.85), 1.0, "red 8", False),
        (("red 8", 0.4), ("red 8", 0.95), 1.0, "red 8", True),
    ],
)
def test_card_takes_the_more_confident_of_deck_and_networks(
    known: DeckModel,
    card: Callable[..., Reading],
    alone: tuple[str, float],
    by_deck: tuple[str, float],
    membership: float,
    expected: str,
    is_known: bool,
) -> None:
    """Labels in a deck may be wrong. Agreeing readings count as the deck's only if membership is certain."""
    says = _says(*alone, NONE)
    read = card(known, says, _says(*by_deck), membership)
    assert (read.card.name, read.is_member) == (expected, is_known)
    if not is_known:
        # Same confidence as without the deck.
        assert np.array_equal(read.logs, says)


@pytest.mark.parametrize(("by_deck", "membership"), [("red 8", 1.0), ("red 8", 0.9), ("red 9", 1.0)])
def test_a_sure_reading_by_the_networks_stands_beside_the_deck(
    known: DeckModel, card: Callable[..., Reading], by_deck: str, membership: float
) -> None:
    read = card(known, _says("red 8", 0.999), _says(by_deck, 0.9), membership)
    assert (read.card.name, read.is_member) == ("red 8", False)


@pytest.mark.parametrize(("chance", "asked"), [(1 - 1e-9, 0), (0.6, 1)])
def test_deck_is_applied_to_corners_only_in_doubt(
    known: DeckModel, card: Callable[..., Reading], chance: float, asked: int
) -> None:
    corner, times = _says("red 8", chance), list[int]()
    card(known, corner, _says("red 8", 0.97), 1.0, IndexPrediction(corner, np.zeros(4, np.float32), 0.0), times)
    assert len(times) == asked


@pytest.mark.parametrize("like", [True, False])
def test_card_unlike_the_deck_is_read_as_without_it(known: DeckModel, card: Callable[..., Reading], like: bool) -> None:
    if not like:
        known = replace(known, cards=replace(known.cards, decision=replace(known.cards.decision, offset=-99.0)))
    read = card(known, _says("red 9", 0.6), _says("red 8", 0.97))
    assert (read.card.name, read.is_member) == (("red 8", True) if like else ("red 9", False))


def test_occluded_card_belongs_to_the_deck_if_another_does(
    deck: LearntDeck, known: DeckModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All but one card of a hand are half covered and less similar to their pictures."""

    def add_deck_evidence(_: CropReader, seen: Sequence[CardPrediction]) -> list[CardPrediction]:
        return [replace(one, deck_logs=_says("red 8", 1 - 1e-6), membership=1.0, queries=()) for one in seen]

    monkeypatch.setattr(CropReader, "add_deck_evidence", add_deck_evidence)
    height, width = deck.pictures[0].shape[:2]
    hidden = deck.pictures[1].copy()
    hidden[height // 3 :] = np.random.default_rng(1).integers(0, 255, hidden[height // 3 :].shape)
    picture, beside = np.concatenate([deck.pictures[0], hidden], 1), outline() + np.float32([width, 0])
    reader = reading_parts()[0].with_deck(known)
    assert reader.are_of_another_deck(picture, [beside])
    assert [one.card.name for one in reader.read_cards(picture, [beside])] == ["blue 3"]
    assert [one.card.name for one in reader.read_cards(picture, [outline(), beside])] == ["red 8", "red 8"]


def test_familiar_deck_keeps_detection_unchanged(deck: LearntDeck, known: DeckModel) -> None:
    detector = CardDetector.shipped(EditionName.CLASSIC)
    with_deck = detector.with_deck(known)
    style = sample_style(np.random.default_rng(5), StyleFamily.WHITE_OVAL, ())
    faces = drawn_faces(style, dict.fromkeys(deck.cards, 1))
    sitting = Sitting(faces, (3, 1))
    for picture in (sitting.single(), sitting.single()):
        plain, result = (one.detect(picture.image) for one in (detector, with_deck))
        assert [(one.card, one.whole) for one in result] == [(one.card, one.whole) for one in plain]
        assert all(np.array_equal(a.quad, b.quad) for a, b in zip(plain, result, strict=True))
