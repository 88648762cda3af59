"""Verification of a candidate by the cells of its face's picture: alignment, visible cells, and facts."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.decks.matching.candidates import Candidate, Comparer, Faces
from companion.decks.matching.card_parts import CardPart, PartEmbedding
from companion.decks.matching.cell_matching import CellMatcher
from companion.decks.matching.search_model import CARD_FEATURES, OUTLINE_FEATURES, SearchModel
from companion.decks.matching.verification import VerifiedCard, realigned, verify
from companion.vision.core.geometry import Image, Quad, homography, intersection_over_union, unit_square
from companion.vision.core.labels import Floats
from companion.vision.core.logit import Logit

CARD = 7
QUAD = np.asarray(unit_square() * np.array([150, 225], np.float32) + 80, np.float32)
NUMBERS = np.array([3, 5, CARD, 20])


def _face(seed: int) -> Image:
    """Return a card of (144, 96) px with print everywhere."""
    noise = np.random.default_rng(seed).integers(0, 255, (18, 12, 3)).astype(np.uint8)
    return np.asarray(cv2.resize(noise, (96, 144), interpolation=cv2.INTER_CUBIC), np.uint8)


def _lying(face: Image, quad: Quad, table: Image | None = None) -> Image:
    """Return a picture of a table with a card."""
    table = np.full((360, 480, 3), (60, 90, 120), np.uint8) if table is None else table.copy()
    matrix = homography(unit_square() * np.array([96, 144], np.float32), quad)
    return np.asarray(
        cv2.warpPerspective(face, matrix, (480, 360), dst=table, borderMode=cv2.BORDER_TRANSPARENT), np.uint8
    )


def _matcher(faces: list[Image], numbers: NDArray[np.intp] = NUMBERS) -> CellMatcher:
    return CellMatcher(np.stack(faces).astype(np.float32), numbers, np.zeros(96, np.float32))


def _faces_of(numbers: NDArray[np.intp]) -> Faces:
    vectors = np.eye(len(numbers), 128, dtype=np.float32)
    return Faces(numbers, np.zeros(128, np.float32), vectors, np.arange(len(numbers)))


def _aligned(picture: Image, quad: Quad, similarities: list[float], faces: Faces, matcher: CellMatcher) -> VerifiedCard:
    """Return the candidate in an outline, verified where its face lies."""
    comparer = _comparer(picture, faces, matcher)
    moved = realigned(_candidate(CardPart.of(picture, quad), similarities), comparer)
    assert moved is not None
    return verify(_candidate(CardPart.of(picture, moved), similarities), comparer)


def _comparer(picture: Image, faces: Faces, matcher: CellMatcher) -> Comparer:
    odds = Logit(np.zeros(len(OUTLINE_FEATURES)), 0.0)
    return Comparer.of(picture, faces, matcher, PartEmbedding.shipped(), odds, [])


def _candidate(part: CardPart, similarities: list[float]) -> Candidate:
    features = (max(similarities), 0.5, part.share, 0.02, 0.01)
    return Candidate(part, np.array(similarities, np.float32), np.zeros((4, 2), np.float32), features, 1.0)


def test_low_explained_variance_is_no_evidence() -> None:
    noise = np.random.default_rng(4)
    # A sign in two cells of a plain card, with noise that makes up most of the variance.
    plain = np.full((144, 96, 3), 128.0, np.float32)
    plain[24:36, 24:48] += 22 * np.kron(np.indices((3, 6)).sum(0) % 2 - 0.5, np.ones((4, 4)))[..., None]
    prints = _matcher([plain], np.array([CARD]))
    quad, free = unit_square() * np.array([96, 144], np.float32), np.ones((12, 8), bool)
    result = {}
    for level in (0.5, 20.0):
        seen = np.clip(plain + noise.normal(0, level, plain.shape), 0, 255).astype(np.uint8)
        one = prints.compare(seen, quad, np.arange(1), free)
        assert one.shown(0).all()
        result[level] = int(one.informative(0).sum())
    assert result[0.5] == 2
    assert result[20.0] == 0


@pytest.mark.parametrize("off", [2.0, 4.0])
def test_an_outline_is_aligned_with_the_picture_of_its_face(off: float) -> None:
    faces = [_face(seed) for seed in range(4)]
    rough = np.asarray(QUAD + np.array([off, -off / 2]), np.float32)
    picture = _lying(faces[2], QUAD)
    one = _aligned(picture, rough, [0, 0.1, 0.9, 0], _faces_of(NUMBERS), _matcher(faces))
    assert intersection_over_union(one.quad, QUAD) > 0.97
    assert int(one.fits.argmax()) == 2
    assert one.shown.mean() > 0.9
    shown, informative, explained = one.cells
    assert shown == one.shown.mean()
    assert min(informative, explained) > 0.8


def test_hidden_cells_neither_count_nor_show() -> None:
    faces = [_face(seed) for seed in range(4)]
    top = np.asarray(QUAD + 0.5 * (QUAD[1] - QUAD[0]), np.float32)
    picture = _lying(faces[1], top, _lying(faces[2], QUAD))
    comparer = _comparer(picture, _faces_of(NUMBERS), _matcher(faces))
    parts = [CardPart.of(picture, QUAD, above) for above in ([top], [])]
    verified = [verify(_candidate(part, [0, 0, 0.9, 0]), comparer) for part in parts]
    for one in verified:
        assert one.shown[:, :4].mean() > 0.9
    assert not verified[0].shown[:, 4:].any()
    assert verified[0].cells[0] > 0.9
    assert verified[1].cells[0] < 0.7
    assert verified[0].fits[2] > verified[1].fits[2] + 1


def test_cells_tell_faces_apart_that_the_vectors_confuse() -> None:
    """The faces differ by a sign, and the wrong one is a little more similar."""
    plain = _face(1)
    signed = plain.copy()
    signed[40:100, 30:66] = _face(2)[40:100, 30:66]
    numbers = np.arange(2)
    picture = _lying(signed, QUAD)
    rough = np.asarray(QUAD + 3, np.float32)
    one = _aligned(picture, rough, [0.82, 0.8], _faces_of(numbers), _matcher([plain, signed], numbers))
    assert intersection_over_union(one.quad, QUAD) > 0.97
    assert int(one.fits.argmax()) == 1
    odds = Logit(np.zeros(len(CARD_FEATURES)), 0.0)
    assert int(one.logs(SearchModel(odds, odds, Logit(np.array([10.0, 1.0]), 0.0))).argmax()) == 1
    assert int(one.logs(SearchModel(odds, odds, Logit(np.array([10.0, 0.0]), 0.0))).argmax()) == 0


def test_facts_of_a_verified_card() -> None:
    part = CardPart.of(np.zeros((360, 480, 3), np.uint8), QUAD)
    fits: Floats = np.array([-1.0, -0.5, -4.0], np.float32)
    one = VerifiedCard(_candidate(part, [0.9, 0.2, 0.1]), np.ones((12, 8), bool), fits, (0.8, 0.6, 0.7))
    odds = Logit(np.zeros(len(CARD_FEATURES)), 0.0)
    features = dict(
        zip(CARD_FEATURES, one.features(SearchModel(odds, odds, Logit(np.array([10.0, 2.0]), 0.0))), strict=True)
    )
    assert tuple(features.values())[:8] == (*one.candidate.features, 0.8, 0.6, 0.7)
    assert (features["fit"], features["fit lead"]) == (-1, -0.5)
    assert features["fused lead"] == pytest.approx(10 * 0.7 - 2 * 0.5)
    assert features["agreed"] == 0
    agreeing = replace(one, fits=fits[[1, 0, 2]])
    assert agreeing.features(SearchModel(odds, odds, Logit(np.array([10.0, 2.0]), 0.0)))[-1] == 1
