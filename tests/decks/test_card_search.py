"""Cards of a learnt deck found by their pictures alone, open and covered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.cards import ALL_CARDS, Card, EditionName
from companion.dataset.artist.faces import render
from companion.dataset.artist.families import StyleFamily
from companion.dataset.artist.styles import sample_style
from companion.decks.matching import card_search
from companion.decks.matching.alignment import aligned
from companion.decks.matching.candidates import Candidate, Comparer
from companion.decks.matching.card_parts import CardPart, PartEmbedding
from companion.decks.matching.card_search import CardSearch
from companion.decks.matching.cell_matching import ACROSS, DOWN, CellMatcher
from companion.decks.matching.verification import VerifiedCard, verify
from companion.decks.model.card_views import PICTURE, outline
from companion.decks.model.open_set import MAX_NATS
from companion.decks.model.prototypes import UNNAMED
from companion.decks.model.thumbnails import agreement
from companion.decks.service.build import DeckModel, build_model
from companion.decks.service.deck_detector import reading_parts
from companion.decks.storage.deck_file import LearntDeck
from companion.editions import EDITIONS
from companion.vision.core.geometry import (
    Image,
    Quad,
    corner_frames,
    grid_in,
    homography,
    intersection_over_union,
    portrait,
    project,
    turned,
    unit_square,
)
from companion.vision.core.labels import Floats
from companion.vision.core.runtime import model_folder
from companion.vision.detection.deck_protocol import PictureMatch
from companion.vision.recognition.card_detector import CardDetector

pytestmark = pytest.mark.slow

NAMES = ("red 7", "blue 3", "green skip", "yellow 0", "red 2", "blue reverse")
CARDS = [ALL_CARDS.index(Card.parse(name)) for name in NAMES]


def _faces(seed: int) -> list[Image]:
    style = sample_style(np.random.default_rng(seed), StyleFamily.WHITE_OVAL, ())
    return [np.ascontiguousarray(render(Card.parse(name), style, 400).image[:, :, :3]) for name in NAMES]


@pytest.fixture(scope="module")
def faces() -> list[Image]:
    return _faces(5)


def _table(width: int, height: int) -> Image:
    noise = np.random.default_rng(3).normal(0, 25, (height // 8, width // 8, 3))
    wide = cv2.resize(noise, (width, height), interpolation=cv2.INTER_CUBIC)
    return np.asarray(np.clip(np.array([70, 110, 150]) + wide, 0, 255), np.uint8)


def _lay(table: Image, face: Image, quad: Quad) -> None:
    height, width = face.shape[:2]
    matrix = homography(unit_square() * np.array([width, height], np.float32), quad)
    size = (table.shape[1], table.shape[0])
    cv2.warpPerspective(face, matrix, size, dst=table, borderMode=cv2.BORDER_TRANSPARENT)


def lying(x: float, y: float, degrees: float, length: float = 220.0) -> Quad:
    turn = np.radians(degrees)
    matrix = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    return np.asarray((unit_square() - 0.5) * (length * 56 / 87, length) @ matrix.T + (x, y), np.float32)


def _deck(faces: list[Image]) -> LearntDeck:
    pictures = []
    for face in faces:
        picture = _table(*PICTURE)
        _lay(picture, face, outline())
        pictures.append(picture)
    cards = tuple(Card.parse(name) for name in NAMES)
    return LearntDeck("drawn", EDITIONS[EditionName.CLASSIC], cards, tuple(pictures))


def _lit(picture: Image) -> Image:
    noise = np.random.default_rng(1).normal(0, 3, picture.shape)
    return np.asarray(np.clip(picture * np.array([0.75, 0.7, 0.68]) + noise, 0, 255), np.uint8)


def _names(found: list[PictureMatch]) -> list[str]:
    return [ALL_CARDS[int(one.logs[:-1].argmax())].name for one in found]


def rough(quads: Sequence[Quad], seed: int = 2) -> list[Quad]:
    """Return outlines as a detector may find them, off by some 2 % of a card's length, and some that hold no card."""
    rng = np.random.default_rng(seed)
    lengths = [float(np.hypot(*(quad[3] - quad[0]))) for quad in quads]
    moved = [
        np.asarray(quad + (rng.normal(0, 0.02, 2) + rng.normal(0, 0.01, (4, 2))) * length, np.float32)
        for quad, length in zip(quads, lengths, strict=True)
    ]
    return [*moved, lying(500, 480, 30), lying(120, 120, 80), lying(330, 200, 10)]


@pytest.fixture(scope="module")
def hand(faces: list[Image]) -> tuple[Image, list[Quad]]:
    """Return a picture of a hand of four cards and a separate fifth one, the last on top, and their outlines."""
    picture = _table(800, 600)
    quads = [lying(220 + 60 * i, 300 + 8 * i, -24 + 14 * i) for i in range(4)] + [lying(650, 170, 160)]
    for face, quad in zip(faces, quads, strict=False):
        _lay(picture, face, quad)
    return _lit(picture), quads


@pytest.fixture(scope="module")
def search(faces: list[Image]) -> CardSearch:
    return CardSearch.of(_deck(faces), CARDS)


def test_cards_are_found_with_outline_and_visible_part(search: CardSearch, hand: tuple[Image, list[Quad]]) -> None:
    picture, quads = hand
    found = search.search(picture, rough(quads))
    assert sorted(_names(found)) == sorted(NAMES[:5])
    for one, name in zip(found, _names(found), strict=True):
        at = NAMES.index(name)
        # The orientation is undetermined: cards of this design look the same upside down.
        assert intersection_over_union(one.quad, quads[at]) > 0.85
        assert one.is_open == (name in {NAMES[3], NAMES[4]})
        if at < 3:
            covered = _inside(quads[at + 1], one)
            assert covered.any()
            assert not one.visible[covered].any()


def _inside(quad: Quad, one: PictureMatch) -> NDArray[np.bool_]:
    """Return (12, 8) the cells of a found card whose centre lies well inside another outline."""
    at = project(homography(quad, unit_square()), grid_in(one.quad, 8, 12))
    return np.asarray(((at > 0.1) & (at < 0.9)).all(1).reshape(12, 8))


def test_known_cards_are_not_reported_and_hide_others(search: CardSearch, hand: tuple[Image, list[Quad]]) -> None:
    picture, quads = hand
    found = search.search(picture, rough(quads), [quads[3]])
    assert sorted(_names(found)) == sorted((*NAMES[:3], NAMES[4]))
    # The separate card is open; what a sure card may hide of it is not looked at.
    half = np.asarray(quads[4] + 0.5 * (quads[4][1] - quads[4][0]), np.float32)
    found = search.search(picture, rough(quads), [half])
    (one,) = (one for one, name in zip(found, _names(found), strict=True) if name == NAMES[4])
    assert not one.is_open
    assert not one.visible[_inside(half, one)].any()
    assert one.visible[:, :4].mean() > 0.8 or one.visible[:, 4:].mean() > 0.8


def test_cards_are_found_only_in_outlines_that_a_box_shows(search: CardSearch, hand: tuple[Image, list[Quad]]) -> None:
    picture, quads = hand
    corner = corner_frames(quads[4])[0]
    assert _names(search.search(picture, rough(quads), parts=[corner])) == [NAMES[4]]
    assert search.search(picture, rough(quads), parts=[]) == []
    assert search.search(picture, []) == []


def test_a_low_camera_sees_a_card_shorter_than_wide(search: CardSearch, faces: list[Image]) -> None:
    picture = _table(800, 600)
    quad = np.asarray(unit_square() * np.array([220, 190]) + (290, 200), np.float32)
    _lay(picture, faces[1], quad)
    assert np.array_equal(portrait(quad), turned(quad, -1))
    assert _names(search.search(_lit(picture), [portrait(quad)])) == [NAMES[1]]


def test_the_aligned_outline_counts_only_if_it_is_likelier(
    search: CardSearch, hand: tuple[Image, list[Quad]], monkeypatch: pytest.MonkeyPatch
) -> None:
    picture, quads = hand
    monkeypatch.setattr(card_search, "realigned", lambda one, comparer: one.quad + 25)
    found = search.search(picture, rough(quads))
    assert sorted(_names(found)) == sorted(NAMES[:5])
    assert all(max(intersection_over_union(one.quad, quad) for quad in quads) > 0.85 for one in found)


def test_what_is_not_verified_is_not_reported_and_others_are_once(
    search: CardSearch, hand: tuple[Image, list[Quad]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The topmost card of the hand is not verified here."""
    picture, quads = hand
    refuted = list[Quad]()

    def verified(one: Candidate, comparer: Comparer) -> VerifiedCard:
        result = verify(one, comparer)
        if intersection_over_union(result.quad, quads[3]) < 0.8:
            return result
        refuted.append(result.quad)
        return replace(result, candidate=replace(one, features=(-99.0, *one.features[1:])))

    monkeypatch.setattr(card_search, "verify", verified)
    found = search.search(picture, rough(quads))
    assert refuted
    assert sorted(_names(found)) == sorted((*NAMES[:3], NAMES[4]))
    assert len({one.quad.tobytes() for one in found}) == len(found)


def test_similar_outlines_are_compared_once(
    search: CardSearch, hand: tuple[Image, list[Quad]], monkeypatch: pytest.MonkeyPatch
) -> None:
    picture, quads = hand
    describe, asked = PartEmbedding.describe, list[list[bytes]]()

    def counted(self: PartEmbedding, parts: Sequence[CardPart]) -> tuple[Floats, Floats]:
        asked.append([part.quad.tobytes() for part in parts])
        return describe(self, parts)

    monkeypatch.setattr(PartEmbedding, "describe", counted)
    near = [np.asarray(quad + 1, np.float32) for quad in quads]
    assert sorted(_names(search.search(picture, [*quads, *near]))) == sorted(NAMES[:5])
    # Each is compared upside down too.
    assert asked[0] == [np.roll(quad, way, axis=0).tobytes() for way in (0, 2) for quad in quads]


def test_other_designs_and_bare_tables_match_nothing(search: CardSearch) -> None:
    picture = _table(800, 600)
    places = rough([lying(400, 300, 20)])
    assert search.search(picture, places) == []
    style = sample_style(np.random.default_rng(9), StyleFamily.MINECRAFT, ())
    other = np.ascontiguousarray(render(Card.parse("red 7"), style, 400).image[:, :, :3])
    _lay(picture, other, lying(400, 300, 20))
    assert search.search(picture, places) == []


def test_a_face_that_was_not_learnt_is_unlikely_in_a_complete_deck_and_unseen_in_another(faces: list[Image]) -> None:
    picture, quad = _table(800, 600), lying(400, 300, 20)
    _lay(picture, faces[0], quad)
    other = ALL_CARDS.index(Card.parse("green 5"))
    (complete,) = CardSearch.of(_deck(faces), CARDS, 4.0).search(_lit(picture), rough([quad]))
    assert complete.logs[CARDS[0]] == 0
    assert -MAX_NATS <= complete.logs[other] <= -4
    assert not len(complete.unlearnt)
    (partial,) = CardSearch.of(_deck(faces), CARDS, None).search(_lit(picture), rough([quad]))
    assert sorted(partial.unlearnt) == sorted({*range(len(ALL_CARDS))} - {*CARDS})
    assert partial.logs[CARDS[0]] == 0
    assert partial.logs[other] <= partial.logs[CARDS].min()


def test_a_picture_without_a_name_stands_for_all_cards_without_a_picture(faces: list[Image]) -> None:
    picture, quads = _table(800, 600), [lying(200, 300, 20), lying(600, 300, -15)]
    for face, quad in zip(faces, quads, strict=False):
        _lay(picture, face, quad)
    search = CardSearch.of(_deck(faces), [UNNAMED, *CARDS[1:]])
    found = search.search(_lit(picture), rough(quads))
    nameless, named = sorted(found, key=lambda one: float(one.quad[:, 0].mean()))
    assert nameless.logs[CARDS[0]] == 0
    assert (nameless.logs[[*{*range(len(ALL_CARDS))} - {*CARDS[1:]}]] == 0).all()
    assert _names([named]) == [NAMES[1]]
    assert named.logs[CARDS[0]] < -2


def test_stored_arrays_search_alike(search: CardSearch, hand: tuple[Image, list[Quad]]) -> None:
    picture, quads = hand
    again = CardSearch.from_arrays(search.arrays())
    for one, other in zip(*(each.search(picture, rough(quads)) for each in (search, again)), strict=True):
        assert np.allclose(one.quad, other.quad, atol=1)
        assert np.allclose(one.logs, other.logs, atol=0.1)
    with pytest.raises(KeyError):
        CardSearch.from_arrays({})


def test_visible_part_aligns_the_outline(faces: list[Image]) -> None:
    picture, truth, shown = _table(800, 600), lying(400, 300, 15), np.ones((12, 8), bool)
    _lay(picture, faces[0], truth)
    _lay(picture, faces[1], lying(520, 330, 30))
    shown[:, 4:] = False
    like = cv2.resize(faces[0], (96, 144), interpolation=cv2.INTER_AREA).astype(np.float32)
    moved = aligned(_lit(picture), np.asarray(truth + np.array([5, -4]), np.float32), like, shown)
    assert moved is not None
    # The far side is covered, so only the near one can be aligned.
    assert np.abs(moved - truth)[[0, 3]].max() < 2
    assert aligned(picture, truth, like, np.zeros((12, 8), bool)) is None


def test_a_lamp_may_tint_a_print_but_not_turn_one_colour_into_another(faces: list[Image]) -> None:
    picture, quad, every = _table(800, 600), lying(400, 300, 15), np.ones((DOWN, ACROSS), bool)
    _lay(picture, faces[0], quad)
    matcher = CellMatcher.of(_deck(faces).all_pictures, CARDS)
    tinted = np.asarray(np.clip(picture * np.array([0.6, 0.8, 1.0]), 0, 255), np.uint8)
    compared = matcher.compare(tinted, quad, np.arange(len(matcher.cards)), every)
    assert matcher.cards[compared.best] == CARDS[0]
    assert compared.shown(compared.best).mean() > 0.95
    assert compared.explained(compared.best) > 0.9
    white, cloth = np.full((480, 320, 3), 230, np.uint8), np.full((600, 800, 3), (60, 60, 190), np.uint8)
    plain = CellMatcher.of([white], [0])
    assert not plain.compare(cloth, quad, np.array([0]), every).shown(0).any()


def test_inconsistently_outlined_copies_are_dissimilar(faces: list[Image]) -> None:
    pictures = list(_deck(faces).pictures)
    turns = [cv2.getRotationMatrix2D((160, 240), degrees, 1.0) for degrees in (25, -25, 20, -20, 30, -30)]
    copies = [_lit(picture) for picture in pictures]
    askew = [np.asarray(cv2.warpAffine(one, turn, PICTURE), np.uint8) for one, turn in zip(copies, turns, strict=True)]
    assert agreement([*pictures, *copies], CARDS * 2) > 0.9
    assert agreement([*pictures, *askew], CARDS * 2) < 0.7
    assert agreement(pictures, CARDS) == 1.0


def test_sure_reading_is_not_overruled_by_a_better_match(faces: list[Image], monkeypatch: pytest.MonkeyPatch) -> None:
    deck, picture, quad = _deck(faces), _table(800, 600), lying(400, 300, 20)
    _lay(picture, faces[0], quad)
    reader, _ = reading_parts()
    known = replace(build_model(reader, deck, model_folder()), search=CardSearch.of(deck, CARDS, None))
    logs = np.full(57, -30, np.float32)
    logs[CARDS[1:3]] = 0, -4
    unseen = np.setdiff1d(np.arange(len(ALL_CARDS)), CARDS)
    for shown, name in ((np.ones((12, 8), bool), NAMES[0]), (np.arange(96).reshape(12, 8) < 30, NAMES[1])):
        match = PictureMatch(quad, logs, shown, unseen)
        monkeypatch.setattr(DeckModel, "find_cards", lambda *_, found=match: [found])
        ((result, _),) = reader.with_deck(known).deck_matches(picture, [])
        assert result.card.name == name


def test_deck_with_skewed_pictures_is_not_searched(faces: list[Image]) -> None:
    deck = _deck(faces)
    reader, _ = reading_parts()
    turns = [cv2.getRotationMatrix2D((160, 240), degrees, 1.0) for degrees in (25, -25, 20, -20, 30, -30)]
    askew = [
        np.asarray(cv2.warpAffine(one, turn, PICTURE), np.uint8) for one, turn in zip(deck.pictures, turns, strict=True)
    ]
    laid = replace(deck, cards=deck.cards * 2, pictures=(*deck.pictures, *askew), jpegs=())
    result = build_model(reader, laid, model_folder())
    assert result.hard_to_see
    assert not result.is_searched
    # The deck does not separate its cards, so they are read as without it.
    detector = CardDetector.shipped(EditionName.CLASSIC)
    assert detector.with_deck(result) is detector
    assert detector.with_deck(build_model(reader, deck, model_folder())).with_deck(result) is detector
