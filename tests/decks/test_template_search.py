"""Cards of a learnt deck found by their pictures alone, open and covered; joint alignment of stored pictures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest

from companion.cards import ALL_CARDS, Card, EditionName
from companion.dataset.artist.faces import render
from companion.dataset.artist.families import StyleFamily
from companion.dataset.artist.styles import sample_style
from companion.decks.matching import template_search
from companion.decks.matching.alignment import aligned
from companion.decks.matching.cell_matching import CellMatcher
from companion.decks.matching.keypoints import Keypoints, KeypointVoter
from companion.decks.matching.template_search import TemplateSearch, informativeness
from companion.decks.matching.verification import Verification
from companion.decks.model.card_views import PICTURE, outline
from companion.decks.service.build import DeckModel, build_model
from companion.decks.service.deck_detector import reading_parts
from companion.decks.service.membership import agreement
from companion.decks.storage.deck_file import LearntDeck
from companion.editions import EDITIONS
from companion.vision.core.geometry import Image, Quad, corner_frames, homography, intersection_over_union, unit_square
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


def test_cards_are_found_topmost_first(faces: list[Image]) -> None:
    picture = _table(800, 600)
    quads = [lying(220 + 60 * i, 300 + 8 * i, -24 + 14 * i) for i in range(4)] + [lying(650, 170, 160)]
    for face, quad in zip(faces, quads, strict=False):
        _lay(picture, face, quad)
    found = TemplateSearch.of(_deck(faces), CARDS).search(_lit(picture), [])
    assert sorted(_names(found)) == sorted(NAMES[:5])
    for one, name in zip(found, _names(found), strict=True):
        truth = quads[NAMES.index(name)]
        # The orientation is undetermined: cards of this design look the same upside down.
        assert intersection_over_union(one.quad, truth) > 0.85
        assert one.open == (name in {NAMES[3], NAMES[4]})


def test_known_cards_are_not_reported_and_occlude_others(faces: list[Image]) -> None:
    picture = _table(800, 600)
    quads = [lying(220 + 60 * i, 300 + 8 * i, -24 + 14 * i) for i in range(4)]
    for face, quad in zip(faces, quads, strict=False):
        _lay(picture, face, quad)
    search, lit = TemplateSearch.of(_deck(faces), CARDS), _lit(picture)
    assert sorted(_names(search.search(lit, [], [(quads[3], CARDS[3])]))) == sorted(NAMES[:3])
    # A card that is not visible at its stated place occludes nothing.
    assert sorted(_names(search.search(lit, [], [(quads[3], CARDS[5])]))) == sorted(NAMES[:4])


def test_outlines_are_examined_once(faces: list[Image], monkeypatch: pytest.MonkeyPatch) -> None:
    picture = _table(800, 600)
    quads = [lying(160 + 130 * i, 300, 6 * i) for i in range(4)]
    for face, quad in zip(faces, quads, strict=False):
        _lay(picture, face, quad)
    looks = list[tuple[str, bytes, bytes]]()

    def counted(name: str) -> Callable[..., Verification]:
        tell = getattr(template_search, name)

        def result(*args: Any) -> Verification:
            quad = args[1] if name == "verify" else args[2].quad
            looks.append((name, quad.tobytes(), args[3].tobytes()))
            return tell(*args)  # type: ignore[no-any-return]

        return result

    for name in ("verify", "verify_aligned"):
        monkeypatch.setattr(template_search, name, counted(name))
    # All but the last are known; they do not explain the box on the last one.
    known = [np.asarray(quad + 2, np.float32) for quad in quads[:3]]
    box = np.asarray(quads[3].mean(0) + 8 * (unit_square() - 0.5), np.float32)
    search = TemplateSearch.of(_deck(faces), CARDS)
    explained = iter((True, False))
    monkeypatch.setattr(template_search, "explains_all", lambda *_: next(explained, False))
    assert sorted(_names(search.search(_lit(picture), known, boxed=[box]))) == sorted(NAMES[:4])
    assert len(looks) == len(set(looks))


def test_fan_is_extrapolated_to_undetected_cards(faces: list[Image]) -> None:
    picture, turns = _table(800, 600), np.radians([-28, -14, 0, 14])
    quads = [lying(400 + 260 * np.sin(turn), 520 - 260 * np.cos(turn), float(np.degrees(turn))) for turn in turns]
    for face, quad in zip(faces, quads, strict=False):
        _lay(picture, face, quad)
    nothing = KeypointVoter(Keypoints(np.zeros((0, 4), np.float32), np.zeros((0, 128), np.float32)))
    search = TemplateSearch(CellMatcher.of(_deck(faces).pictures, CARDS), nothing, 0.5)
    assert sorted(_names(search.search(_lit(picture), quads[2:]))) == sorted(NAMES[:4])
    # The card on top is enough: its neighbours turn about the hand's pivot.
    assert sorted(_names(search.search(_lit(picture), quads[3:]))) == sorted(NAMES[:4])


def test_keypoints_are_used_only_for_unexplained_boxes(faces: list[Image], monkeypatch: pytest.MonkeyPatch) -> None:
    picture, quads = _table(800, 600), [lying(200, 300, 20), lying(560, 300, -15)]
    for face, quad in zip(faces, quads, strict=False):
        _lay(picture, face, quad)
    search, lit = TemplateSearch.of(_deck(faces), CARDS), _lit(picture)
    corners = [corner_frames(quad)[0] for quad in quads]
    asked: list[Image] = []
    outlines = KeypointVoter.outlines
    monkeypatch.setattr(
        KeypointVoter, "outlines", lambda self, image, *at: asked.append(image) or outlines(self, image, *at)
    )
    # All boxes lie on a card found in a known outline.
    assert _names(search.search(lit, quads[:1], boxed=[quads[0], corners[0]])) == [NAMES[0]]
    assert _names(search.search(lit, quads[1:], [(quads[0], CARDS[0])], boxed=corners)) == [NAMES[1]]
    assert not asked
    # A box on no known card indicates another one, as does the absence of known outlines.
    assert sorted(_names(search.search(lit, quads[:1], boxed=corners))) == sorted(NAMES[:2])
    assert sorted(_names(search.search(lit, quads[:1]))) == sorted(NAMES[:2])
    # An empty result is not accepted.
    assert sorted(_names(search.search(lit, [], boxed=[]))) == sorted(NAMES[:2])
    assert len(asked) == 3


def test_other_designs_and_bare_tables_match_nothing(faces: list[Image]) -> None:
    search, picture = TemplateSearch.of(_deck(faces), CARDS), _table(800, 600)
    assert search.search(picture, [lying(400, 300, 20)]) == []
    style = sample_style(np.random.default_rng(9), StyleFamily.MINECRAFT, ())
    other = np.ascontiguousarray(render(Card.parse("red 7"), style, 400).image[:, :, :3])
    _lay(picture, other, lying(400, 300, 20))
    assert search.search(picture, [lying(400, 300, 20)]) == []


def test_keypoints_locate_cards_in_a_large_picture(faces: list[Image]) -> None:
    picture = _table(1600, 1200)
    quads = [lying(500, 500, 25, 420), lying(1150, 700, 200, 420)]
    for face, quad in zip(faces, quads, strict=False):
        _lay(picture, face, quad)
    found = KeypointVoter.of(_deck(faces).pictures).outlines(_lit(picture))
    for truth in quads:
        assert max(intersection_over_union(truth, quad) for quad in found) > 0.95


def test_keypoints_are_restricted_to_the_given_points(faces: list[Image]) -> None:
    picture = _table(800, 600)
    quads = [lying(200, 300, 25), lying(600, 300, 200)]
    for face, quad in zip(faces, quads, strict=False):
        _lay(picture, face, quad)
    voters = KeypointVoter.of(_deck(faces).pictures)
    found = voters.outlines(picture, np.array([[450, 120], [900, 480]], np.float32))
    assert max(intersection_over_union(quads[1], quad) for quad in found) > 0.95
    assert max(intersection_over_union(quads[0], quad) for quad in found) < 0.1
    assert voters.outlines(picture, np.array([[-90, -90], [-50, -50]], np.float32)) == []


@pytest.mark.parametrize(("x", "alone"), [(600, True), (300, False)])
def test_keypoints_are_restricted_to_isolated_boxes(
    faces: list[Image], monkeypatch: pytest.MonkeyPatch, x: float, alone: bool
) -> None:
    """A box half on a card may belong to a neighbour anywhere around it."""
    picture, quad = _table(800, 600), lying(200, 300, 0)
    _lay(picture, faces[0], quad)
    asked = list[Any]()
    monkeypatch.setattr(KeypointVoter, "outlines", lambda _, image, about: asked.append(about) or [])
    box = np.asarray((x, 300) + np.array([100, 60]) * (unit_square() - 0.5), np.float32)
    TemplateSearch.of(_deck(faces), CARDS).search(picture, [], [(quad, CARDS[0])], [quad, box])
    (about,) = asked
    assert (about is not None) is alone
    if alone:
        # A card reaches this far if one of its ends is detected.
        assert np.allclose([about.min(0), about.max(0)], [box.min(0) - 120, box.max(0) + 120], atol=2)


@pytest.mark.parametrize(("x", "alone"), [(200, True), (330, False), (None, False)])
def test_keypoints_are_restricted_to_an_enclosing_box(
    faces: list[Image], monkeypatch: pytest.MonkeyPatch, x: float | None, alone: bool
) -> None:
    """A card with its index inside; not if another index lies elsewhere, nor around a box that may be an index."""
    asked = list[Any]()
    monkeypatch.setattr(KeypointVoter, "outlines", lambda _, image, about: asked.append(about) or [])
    quad = lying(200, 300, 0)
    index = np.asarray((x or 0, 300) + 30 * (unit_square() - 0.5), np.float32)
    TemplateSearch.of(_deck(faces), CARDS).search(_table(800, 600), [], [], [quad, index] if x else [quad])
    (about,) = asked
    assert (about is not None) is alone
    if alone:
        assert np.allclose([about.min(0), about.max(0)], [quad.min(0) - 66, quad.max(0) + 66], atol=2)


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


def test_inconsistently_outlined_copies_are_dissimilar(faces: list[Image]) -> None:
    pictures = list(_deck(faces).pictures)
    turns = [cv2.getRotationMatrix2D((160, 240), degrees, 1.0) for degrees in (25, -25, 20, -20, 30, -30)]
    copies = [_lit(picture) for picture in pictures]
    askew = [np.asarray(cv2.warpAffine(one, turn, PICTURE), np.uint8) for one, turn in zip(copies, turns, strict=True)]
    assert agreement([*pictures, *copies], CARDS * 2) > 0.9
    assert agreement([*pictures, *askew], CARDS * 2) < 0.7
    assert agreement(pictures, CARDS) == 1.0


def test_confused_pictures_are_uninformative(faces: list[Image]) -> None:
    pictures = list(_deck(faces).pictures)
    copies = [_lit(picture) for picture in pictures]
    assert informativeness([*pictures, *copies], CARDS * 2) == 0.5
    assert informativeness([*pictures, *copies[1:], copies[0]], CARDS * 2) == 0.0


def test_sure_reading_is_not_overruled_by_a_better_match(faces: list[Image], monkeypatch: pytest.MonkeyPatch) -> None:
    deck, picture, quad = _deck(faces), _table(800, 600), lying(400, 300, 20)
    _lay(picture, faces[0], quad)
    reader, _ = reading_parts()
    known = replace(build_model(reader, deck, model_folder()), search=TemplateSearch.of(deck, CARDS, None))
    logs = np.full(57, -30, np.float32)
    logs[CARDS[1:3]] = 0, -4
    unseen = np.setdiff1d(np.arange(len(ALL_CARDS)), CARDS)
    for shown, name in ((np.ones((12, 8), bool), NAMES[0]), (np.arange(96).reshape(12, 8) < 30, NAMES[1])):
        match = PictureMatch(quad, logs, shown, unseen)
        monkeypatch.setattr(DeckModel, "seek", lambda *_, found=match: [found])
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
    assert not result.seeks
    # The deck does not separate its cards, so they are read as without it.
    detector = CardDetector.shipped(EditionName.CLASSIC)
    assert detector.with_deck(result) is detector
    assert detector.with_deck(build_model(reader, deck, model_folder())).with_deck(result) is detector
