"""Registration of stored pictures, and regularisation of outlines found one by one."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest

from companion.cards import ALL_CARDS, Card, EditionName
from companion.dataset.artist.faces import render
from companion.dataset.artist.families import StyleFamily
from companion.dataset.artist.styles import sample_style
from companion.decks.capture.procrustes import regularized
from companion.decks.matching import registration
from companion.decks.matching.registration import Templates
from companion.decks.matching.template_matching import FittedWeights, TemplateMatcher, card_matcher
from companion.decks.model.card_views import PICTURE, outline
from companion.decks.model.prototypes import CLASSES, NOTHING
from companion.decks.storage.deck_file import LearntDeck
from companion.vision.core.geometry import Image, cut, homography, intersection_over_union, unit_square
from companion.vision.detection.deck_protocol import with_pictures

NAMES = ("red 7", "blue 3", "green skip", "yellow 0")


@pytest.fixture(scope="module")
def faces() -> list[Image]:
    style = sample_style(np.random.default_rng(5), StyleFamily.WHITE_OVAL, ())
    return [np.ascontiguousarray(render(Card.parse(name), style, 300).image[:, :, :3]) for name in NAMES]


@pytest.mark.parametrize("shown", range(len(NAMES)))
@pytest.mark.parametrize("upside_down", [False, True])
def test_rough_outline_is_registered_and_identified(faces: list[Image], shown: int, upside_down: bool) -> None:
    rng = np.random.default_rng(shown)
    height, width = faces[0].shape[:2]
    size = np.array([width, height], np.float32)
    truth = np.array([[210, 90], [352, 118], [330, 352], [180, 318]], np.float32)
    table = np.full((480, 640, 3), (60, 90, 120), np.uint8)
    matrix = homography(unit_square() * size, truth)
    picture = cv2.warpPerspective(faces[shown], matrix, (640, 480), dst=table, borderMode=cv2.BORDER_TRANSPARENT)
    lit = np.clip(picture * np.array([0.8, 0.7, 0.62]) + rng.normal(0, 3, picture.shape), 0, 255).astype(np.uint8)
    templates = Templates([cv2.resize(face, (40, 60), interpolation=cv2.INTER_AREA) for face in faces], (0, 2))
    rough = truth + rng.normal(0, 6, (4, 2)).astype(np.float32)
    found = templates.find(lit, np.roll(rough, 2 if upside_down else 0, axis=0))
    assert found is not None
    assert int(found.fits.argmax()) == shown
    assert found.fit > 0.9
    assert intersection_over_union(found.quad, truth) > 0.96 > intersection_over_union(rough, truth)
    # The corners follow the card's own order, whichever rotation the rough outline had.
    assert np.abs(found.quad - truth).max() < 6


@pytest.mark.parametrize(("laid", "levels"), [(True, [0, 1]), (False, [0, 0, 0])])
def test_clear_first_match_ends_the_search(
    faces: list[Image], monkeypatch: pytest.MonkeyPatch, laid: bool, levels: list[int]
) -> None:
    """No template is aligned finely if none correlates after the coarse alignment."""
    height, width = faces[0].shape[:2]
    quad = (unit_square() * np.array([width, height], np.float32) + 60).astype(np.float32)
    table = np.full((height + 120, width + 120, 3), (60, 90, 120), np.uint8)
    table[60 : 60 + height, 60 : 60 + width] = faces[0]
    known = faces if laid else faces[1:]
    templates = Templates([cv2.resize(face, (40, 60), interpolation=cv2.INTER_AREA) for face in known], (0, 2))
    aligned, done, cuts = Templates.align, [], []

    def counted(self: Templates, patch: registration.Patch, template: int, level: int, start: Any) -> Any:
        done.append(level)
        return aligned(self, patch, template, level, start)

    def counted_cut(*args: Any) -> Image:
        cuts.append(args)
        return cut(*args)

    monkeypatch.setattr(Templates, "align", counted)
    monkeypatch.setattr(registration, "cut", counted_cut)
    assert (templates.find(table, quad) is not None) is laid
    assert done == levels
    # Both orientations are searched in one crop of the picture.
    assert len(cuts) == 1


def test_match_has_no_evidence_for_unlearnt_cards(faces: list[Image]) -> None:
    height, width = faces[0].shape[:2]
    outline = (unit_square() * np.array([width, height], np.float32) + 60).astype(np.float32)
    table = np.full((height + 120, width + 120, 3), (60, 90, 120), np.uint8)
    table[60 : 60 + height, 60 : 60 + width] = faces[0]
    laid = [ALL_CARDS.index(Card.parse(name)) for name in NAMES]
    small = [cv2.resize(face, (40, 60), interpolation=cv2.INTER_AREA) for face in faces]
    found = TemplateMatcher(Templates(small, (0, 2)), laid, FittedWeights(40.0)).find(table, outline)
    assert found is not None
    assert found.logs[laid[0]] == 0 > found.logs[laid[1]]
    assert not found.logs[np.setdiff1d(np.arange(len(ALL_CARDS)), laid)].any()


@pytest.mark.parametrize(("other", "is_card"), [(0.0, True), (0.45, False)])
def test_weak_match_does_not_overrule_no_card(faces: list[Image], other: float, is_card: bool) -> None:
    """A face-down card may resemble a face in its coarse structure, which the correlation takes for that face."""
    height, width = faces[0].shape[:2]
    table = np.full((height + 120, width + 120, 3), (60, 90, 120), np.uint8)
    unlike = np.random.default_rng(4).integers(0, 255, (12, 8, 3)).astype(np.uint8)
    back = cv2.addWeighted(faces[0], 1 - other, cv2.resize(unlike, (width, height)), other, 0)
    table[60 : 60 + height, 60 : 60 + width] = back
    small = [cv2.resize(face, (40, 60), interpolation=cv2.INTER_AREA) for face in faces]
    laid = [ALL_CARDS.index(Card.parse(name)) for name in NAMES]
    quad = (unit_square() * np.array([width, height], np.float32) + 60).astype(np.float32)
    found = TemplateMatcher(Templates(small, (0, 2)), laid, FittedWeights(40.0), 5.0).find(table, quad)
    assert found is not None
    assert (found.membership == 1) is is_card
    read = np.full(CLASSES, np.log(0.02 / NOTHING), np.float32)
    read[NOTHING] = np.log(0.98)
    result = with_pictures(read, found)
    assert (int(result.argmax()) == laid[0]) is is_card
    assert int(result.argmax()) == (laid[0] if is_card else NOTHING)
    assert int(found.logs.argmax()) == laid[0]


def test_template_weights_are_fitted_on_the_deck(faces: list[Image]) -> None:
    rng = np.random.default_rng(2)
    height, width = faces[0].shape[:2]
    size = np.array([width, height], np.float32)
    apart, alike = [], []
    for face in [*faces, *faces]:
        kept = cv2.warpPerspective(face, homography(unit_square() * size, outline()), PICTURE)
        apart.append(np.clip(kept + rng.normal(0, 4, kept.shape), 0, 255).astype(np.uint8))
        alike.append(np.clip(apart[0] + rng.normal(0, 4, kept.shape), 0, 255).astype(np.uint8))
    cards = [ALL_CARDS.index(Card.parse(name)) for name in NAMES] * 2
    result = [
        card_matcher(LearntDeck("Ours", EditionName.CLASSIC, (), tuple(pictures)), cards).fitted.sharpness
        for pictures in (apart, alike)
    ]
    assert result[0] >= 30 > 10 >= result[1]


def test_blank_pictures_are_skipped() -> None:
    black = np.zeros((60, 40, 3), np.uint8)
    assert Templates([black, black], (0, 2)).find(np.zeros((90, 90, 3), np.uint8), unit_square() * 60) is None
    noise = np.random.default_rng(1).integers(0, 255, (90, 90, 3)).astype(np.uint8)
    Templates([black, cv2.resize(noise, (40, 60))], (0,)).find(noise, np.asarray(unit_square() * 90, np.float32), [0])


def test_nothing_matches_an_empty_place(faces: list[Image]) -> None:
    templates = Templates([cv2.resize(face, (40, 60), interpolation=cv2.INTER_AREA) for face in faces], (0, 2))
    noise = np.random.default_rng(1).integers(0, 255, (480, 640, 3)).astype(np.uint8)
    found = templates.find(noise, np.array([[210, 90], [352, 118], [330, 352], [180, 318]], np.float32))
    assert found is None or found.fit < 0.5


def test_outlines_of_one_deck_get_one_shape() -> None:
    rng = np.random.default_rng(2)
    card = (unit_square() - 0.5) * np.array([112, 174])
    truth, found = [], []
    for _ in range(60):
        turn = np.radians(rng.normal(30, 8) + 180 * rng.integers(2))
        matrix = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        quad = (card @ matrix.T + rng.normal(300, 20, 2)).astype(np.float32)
        truth.append(quad)
        found.append(quad + rng.normal(0, 4, (4, 2)).astype(np.float32))
    before, after = (np.abs(np.stack(quads) - np.stack(truth)).mean() for quads in (found, regularized(found)))
    assert after < 0.75 * before
    assert all(np.array_equal(a, b) for a, b in zip(regularized(found[:3]), found[:3], strict=True))
