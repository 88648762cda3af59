"""Decks of any art: what they hold, and that their faces differ."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from companion.cards import ALL_CARDS
from companion.dataset.gallery.decks import ArtDeck, Sources, art_deck, distinct, edge_deck, printed_deck
from companion.dataset.gallery.marks import TRAINING_MARKS, MarkKind, marks
from companion.dataset.scenes.art_decks import gallery_decks
from companion.dataset.scenes.compose import SceneMaker
from companion.dataset.scenes.layouts import Layout

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("kind", MarkKind)
def test_marks_of_a_deck_are_all_different(kind: MarkKind) -> None:
    found = marks(kind, 10, (), np.random.default_rng(1))
    assert len(found) >= 8
    assert len({(mask.shape, mask.tobytes()) for mask in found}) == len(found)
    assert all(mask.dtype == np.uint8 and mask.max() > 127 for mask in found)


def test_some_marks_are_held_out_of_training() -> None:
    assert {MarkKind.PIPS, MarkKind.RUNES}.isdisjoint(TRAINING_MARKS)


@pytest.mark.parametrize("draw", [art_deck, edge_deck, printed_deck])
def test_decks_are_drawn_at_random_and_the_same_for_a_seed(
    draw: Callable[[Sources, int, np.random.Generator], ArtDeck],
) -> None:
    first, again, other = (draw(Sources(), 96, np.random.default_rng(seed)) for seed in (3, 3, 4))
    assert first.faces.shape[1:] == (96, 62, 3)
    assert first.corners.shape == (len(first.faces), 4)
    assert np.array_equal(first.faces, again.faces)
    assert not np.array_equal(first.faces[0], other.faces[0])


def test_corner_boxes_lie_within_the_card() -> None:
    for seed in range(6):
        deck = art_deck(Sources(), 96, np.random.default_rng(seed))
        boxes = deck.corners[~np.isnan(deck.corners[:, 0])]
        assert (boxes >= 0).all()
        assert (boxes[:, 2:] <= (62, 96)).all()


def test_faces_count_as_one_that_differ_by_a_half_turn_alone() -> None:
    rng = np.random.default_rng(5)
    one, two = rng.integers(0, 256, (2, 48, 31, 3), np.uint8)
    small = np.kron(one[::8, ::8], np.ones((8, 8, 1), np.uint8))[:48, :31]
    turned = np.ascontiguousarray(small[::-1, ::-1])
    assert distinct([small, two, turned, small], 3.0).tolist() == [0, 1, 0, 0]


def test_scenes_are_made_of_decks_of_any_art() -> None:
    decks = gallery_decks(2, (), (), np.random.default_rng(2))
    assert all(deck.cards == ALL_CARDS for deck in decks)
    scene = SceneMaker(3, (320, 320), fonts=(), decks=decks).make(Layout.SPREAD)
    assert scene.image.shape == (320, 320, 3)
    assert len(scene.cards) > 1
