"""Visible parts of cards: their masks, the corrections of outlines, and vectors of faces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from companion.decks.matching.candidates import Comparer, Faces
from companion.decks.matching.card_parts import CardPart, PartEmbedding, corrected, turned_about
from companion.decks.matching.cell_matching import CellMatcher
from companion.decks.matching.search_model import OUTLINE_FEATURES
from companion.vision.core.geometry import (
    CARD_MARGIN,
    Image,
    Quad,
    expand,
    homography,
    intersection_over_union,
    project,
    unit_square,
)
from companion.vision.core.labels import Floats
from companion.vision.core.logit import Logit
from companion.vision.core.runtime import ModelFileError

from .test_card_search import CARDS, _deck, _faces, _lay, _lit, _table, lying

QUAD = np.array([[100, 60], [228, 60], [228, 252], [100, 252]], np.float32)
"""An outline of 128 x 192 px."""
CROP = np.array([128, 192]) * (1 + 2 * CARD_MARGIN)
"""Sides (px) of its crop."""
PICTURE = np.full((400, 480, 3), 90, np.uint8)


def _aside(quad: Quad, x: float, y: float = 0) -> Quad:
    return np.asarray(quad + np.array([x, y]), np.float32)


RIGHT, LOWER = _aside(QUAD, 64), _aside(QUAD, 0, 96)


def test_an_outline_on_top_hides_what_it_covers() -> None:
    part = CardPart.of(PICTURE, QUAD, [RIGHT])
    assert part.share == pytest.approx(0.5, abs=0.02)
    assert part.crop.shape == (96, 64, 3)
    assert part.visible.shape == (96, 64)
    free = part.cells(8, 12)
    assert free[:, :4].all()
    assert not free[:, 4:].any()
    assert CardPart.of(PICTURE, QUAD).share == 1


def test_hidden_parts_accumulate() -> None:
    whole = CardPart.of(PICTURE, QUAD)
    both = whole.below([RIGHT]).below([LOWER])
    assert both.share == pytest.approx(0.25, abs=0.02)
    assert (both.visible == CardPart.of(PICTURE, QUAD, [LOWER, RIGHT]).visible).all()
    assert both.cells(8, 12).sum() == 24
    assert both.cells(8, 12)[:6, :4].all()
    assert whole.share == 1, "the part itself stays as it is"
    assert whole.below([]) is whole


def test_nothing_is_visible_beyond_the_picture() -> None:
    outside = CardPart.of(PICTURE, _aside(QUAD, -164))
    assert outside.share == pytest.approx(0.5, abs=0.02)
    assert outside.cells(8, 12)[:, 4:].all()
    assert not outside.cells(8, 12)[:, :4].any()


@pytest.mark.parametrize("length", [1e3, 1e6])
def test_large_and_distant_outlines_hide_what_lies_inside_them(length: float) -> None:
    part = CardPart.of(PICTURE, QUAD)
    around = np.asarray(QUAD.mean(0) + length * (unit_square() - 0.5), np.float32)
    assert part.below([around]).share == 0
    assert part.below([_aside(around, 2 * length)]).share == 1
    assert part.below([_aside(around, -length / 2)]).share == pytest.approx(0.5, abs=0.02)


def test_a_half_turn_keeps_the_part_and_twice_gives_it_back() -> None:
    picture = np.random.default_rng(1).integers(0, 256, PICTURE.shape).astype(np.uint8)
    part = CardPart.of(picture, QUAD, [RIGHT])
    turned = turned_about(part)
    assert (turned.quad == QUAD[[2, 3, 0, 1]]).all()
    assert turned.share == pytest.approx(part.share, abs=0.03)
    assert not turned.cells(8, 12)[:, :4].any()
    assert turned.cells(8, 12)[:, 4:].all()
    again = turned_about(turned)
    assert (again.quad == QUAD).all()
    assert (again.crop == part.crop).all()
    assert (again.visible == part.visible).all()


def test_corrections_are_shares_of_the_crops_sides() -> None:
    assert np.allclose(corrected(QUAD, np.zeros((4, 2), np.float32)), QUAD, atol=1e-3)
    moved = np.array([[6, -4], [0, 0], [-10, 3], [2, 8]], np.float32)
    assert np.allclose(corrected(QUAD, np.asarray(moved / CROP, np.float32)), QUAD + moved, atol=0.01)


class _Exact(PartEmbedding):
    """Finds the corners of a card (4, 2) exactly, but for an error that is the same in each crop."""

    truth = QUAD
    error = np.zeros((4, 2), np.float32)

    def describe(self, parts: Sequence[CardPart]) -> tuple[Floats, Floats]:
        corners = []
        for part in parts:
            to_crop = homography(expand(part.quad, CARD_MARGIN), unit_square())
            way = 2 if np.dot(part.quad[1] - part.quad[0], self.truth[1] - self.truth[0]) < 0 else 0
            there = project(to_crop, np.roll(self.truth, way, axis=0))
            corners.append(there - project(to_crop, part.quad) + self.error)
        return np.eye(2, 128, dtype=np.float32)[[0] * len(parts)], np.asarray(corners, np.float32)


def _comparer(embedding: PartEmbedding) -> Comparer:
    faces = Faces(np.arange(2), np.zeros(128, np.float32), np.eye(2, 128, dtype=np.float32), np.arange(2))
    matcher = CellMatcher(np.zeros((2, 144, 96, 3), np.float32), faces.numbers, np.zeros(96, np.float32))
    return Comparer.of(PICTURE, faces, matcher, embedding, Logit(np.ones(len(OUTLINE_FEATURES)), 0.0), [QUAD])


def test_the_usual_size_is_that_of_the_likelier_outlines() -> None:
    small = np.asarray(QUAD.mean(0) + (QUAD - QUAD.mean(0)) / 3, np.float32)
    plain = _comparer(PartEmbedding.shipped())
    some = Comparer.of(
        PICTURE, plain.faces, plain.matcher, plain.embedding, plain.odds, [QUAD, QUAD, small, small, small]
    )
    assert some.usual_size == plain.usual_size


def test_corrections_lead_to_the_card() -> None:
    """Each part is compared upside down too, and what is found there is turned back."""
    off = np.array([[9, 5], [4, -6], [-7, 3], [5, 5]], np.float32)
    embedding = _Exact(PartEmbedding.shipped().path)
    for way in (0, 2):
        part = CardPart.of(PICTURE, np.asarray(np.roll(QUAD + off, way, axis=0), np.float32))
        (found,) = _comparer(embedding).compare([part])
        assert found is not None
        assert np.allclose(found.corrected, np.roll(QUAD, way, axis=0), atol=0.05)


@pytest.mark.parametrize("weight", [-1.0, 0.0], ids=["raises its odds", "does not"])
def test_an_outline_is_corrected_only_if_that_raises_its_odds(weight: float) -> None:
    weights = np.where(np.array(OUTLINE_FEATURES) == "correction", weight, 0.0)
    comparer = replace(_comparer(_Exact(PartEmbedding.shipped().path)), odds=Logit(weights, 0.0))
    part = CardPart.of(PICTURE, _aside(QUAD, 9, 5), [RIGHT])
    (one,) = comparer.compare([part])
    assert one is not None
    better = comparer.improved(one)
    assert np.allclose(better.quad, QUAD if weight else part.quad, atol=0.05)
    assert better.part.above == part.above, "it stays covered"
    assert better.part.share == pytest.approx(0.5 if weight else part.share, abs=0.03)


def test_errors_that_do_not_turn_with_the_card_average_out() -> None:
    class Askew(_Exact):
        error = np.full((4, 2), 0.04, np.float32)

    embedding, part = Askew(PartEmbedding.shipped().path), CardPart.of(PICTURE, QUAD)
    (once,) = embedding.describe([part])[1]
    assert np.abs(corrected(QUAD, once) - QUAD).max() > 5
    (found,) = _comparer(embedding).compare([part])
    assert found is not None
    assert np.allclose(found.corrected, QUAD, atol=0.05)


def test_facts_of_an_outline() -> None:
    larger = np.asarray(QUAD.mean(0) + np.sqrt(2) * (QUAD - QUAD.mean(0)), np.float32)
    comparer = _comparer(_Exact(PartEmbedding.shipped().path))
    found = comparer.compare([CardPart.of(PICTURE, QUAD, [RIGHT]), CardPart.of(PICTURE, larger)])
    for one, share, size in zip(found, (0.5, 1.0), (0.0, np.log(2)), strict=True):
        assert one is not None
        similarity, lead, visible, correction, off = one.features
        assert (similarity, lead, one.face) == (1, 1, 0)
        assert (visible, off) == pytest.approx((share, size), abs=0.02)
        assert correction == pytest.approx(float(np.abs(one.corners).mean()))
        assert one.odds == pytest.approx(sum(one.features), abs=1e-5)


def test_a_part_too_small_to_compare_is_left_out() -> None:
    comparer = _comparer(_Exact(PartEmbedding.shipped().path))
    hidden, seen = (CardPart.of(PICTURE, QUAD, above) for above in ([_aside(QUAD, 6, 6)], [RIGHT]))
    assert [one is None for one in comparer.compare([hidden, seen, hidden])] == [True, False, True]
    assert comparer.compare([hidden]) == [None]
    assert comparer.compare([]) == []


def test_a_face_is_as_similar_as_the_most_similar_of_its_pictures() -> None:
    vectors = np.eye(4, 128, dtype=np.float32)
    faces = Faces(np.array([3, 9, 21]), np.zeros(128, np.float32), vectors, np.array([0, 0, 1, 2]))
    asked = np.zeros((2, 128), np.float32)
    asked[0, :3] = (0, 0.8, 0.6)
    asked[1, 3] = 5
    assert np.allclose(faces.similarities(asked), [[0.8, 0.6, 0], [0, 0, 1]], atol=1e-5)


@pytest.mark.parametrize("data", [None, b"damaged"], ids=["missing", "damaged"])
def test_a_missing_or_damaged_network_is_reported_when_it_is_used(tmp_path: Path, data: bytes | None) -> None:
    path = tmp_path / "card-parts.onnx"
    if data is not None:
        path.write_bytes(data)
    comparer = _comparer(PartEmbedding(path))
    with pytest.raises(ModelFileError, match=r"card-parts\.onnx"):
        comparer.compare([CardPart.of(PICTURE, QUAD)])


@pytest.fixture(scope="module")
def deck_faces() -> list[Image]:
    return _faces(5)


@pytest.mark.slow
def test_the_shipped_network_moves_outlines_towards_the_card(deck_faces: list[Image]) -> None:
    """Open or half covered, and with the outline either way up."""
    picture, quad = _table(800, 600), lying(400, 300, 15)
    _lay(picture, deck_faces[0], quad)
    over = lying(490, 320, 30)
    faces = Faces.of(_deck(deck_faces).all_pictures, CARDS, PartEmbedding.shipped())
    comparer = replace(_comparer(PartEmbedding.shipped()), faces=faces)
    rng, gains = np.random.default_rng(4), []
    for above in ([], [over]):
        if above:
            _lay(picture, deck_faces[1], over)
        for _ in range(6):
            rough = np.asarray(quad + rng.normal(0, 8, 2) + rng.normal(0, 4, (4, 2)), np.float32)
            for way in (0, 2):
                part = CardPart.of(_lit(picture), np.roll(rough, way, axis=0), above)
                (found,) = comparer.compare([part])
                assert found is not None
                assert faces.numbers[found.face] == CARDS[0]
                gains.append(intersection_over_union(found.corrected, quad) - intersection_over_union(part.quad, quad))
    assert np.mean(gains) > 0.06
    assert np.mean(np.array(gains) > 0) > 0.9
