"""Other views of drawn scenes."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.cards import Card
from companion.dataset.scenes.compose import Scene, SceneCard, SceneIndex
from companion.dataset.scenes.layouts import Layout
from companion.dataset.scenes.viewpoints import distant, from_low, otherwise
from companion.vision.core.geometry import CARD_SIZE, Quad, sides, tilt, unit_square

GREEN = (40, 160, 40)


@pytest.fixture
def scene() -> Scene:
    """Three green cards on a grey table, the last one near its edge."""
    image = np.full((720, 1280, 3), 128, np.uint8)
    cards = []
    for x, y in ((560, 300), (700, 420), (1220, 640)):
        quad = np.asarray(unit_square() * np.array(CARD_SIZE) * 2 + (x - 56, y - 87), np.float32)
        cv2.fillConvexPoly(image, quad.astype(np.int32), GREEN)
        index = np.asarray(quad[0] + unit_square() * 24 + 6, np.float32)
        cards.append(SceneCard(Card.parse("green 5"), quad, 1.0, (SceneIndex(index, 1.0),)))
    return Scene(image, tuple(cards), Layout.SPREAD, (cards[0].quad,))


def _shows(scene: Scene, quad: Quad) -> bool:
    x, y = quad.mean(0).astype(int)
    return bool(np.abs(scene.image[y, x].astype(int) - GREEN).max() < 20)


@pytest.mark.parametrize("seed", range(4))
def test_outlines_and_indices_follow_the_cards_into_every_view(scene: Scene, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for view in (*from_low(scene, rng), distant(scene, rng)):
        assert view.image.shape == scene.image.shape
        assert len(view.cards) >= 2
        assert all(_shows(view, card.quad) and _shows(view, card.indices[0].quad) for card in view.cards)
        assert _shows(view, view.backs[0])


@pytest.mark.parametrize("seed", range(4))
def test_cards_from_low_are_tilted_and_rectified_again(scene: Scene, seed: int) -> None:
    low, level = from_low(scene, np.random.default_rng(seed))
    assert all(35 < tilt(card.quad) < 75 for card in low.cards)
    # The first card lies where the picture is rectified; the outline that it is rectified by is rough.
    assert tilt(level.cards[0].quad) < tilt(low.cards[0].quad) - 10


def test_distant_cards_are_45_to_80_pixels_long_and_stay_in_the_picture(scene: Scene) -> None:
    for seed in range(4):
        far = distant(scene, np.random.default_rng(seed))
        assert len(far.cards) == 3
        assert all(44 < max(sides(card.quad)) < 81 for card in far.cards)


def test_pictures_without_cards_are_seen_otherwise_too(scene: Scene) -> None:
    empty = Scene(scene.image, (), Layout.SPREAD)
    views = [otherwise(empty, np.random.default_rng(seed)) for seed in range(6)]
    assert all(view.cards == () and not np.array_equal(view.image, scene.image) for view in views)
