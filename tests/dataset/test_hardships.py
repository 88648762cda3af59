"""Tests of image degradations: each has its effect, and labels stay correct."""

from __future__ import annotations

import numpy as np
import pytest

from companion.dataset.scenes.clutter import draw_hand
from companion.dataset.scenes.compose import SceneMaker
from companion.dataset.scenes.hardships import SHARES, Hardship, cover, suffer
from companion.dataset.scenes.layouts import Layout
from companion.dataset.scenes.surfaces import SurfaceBank
from companion.vision.core.geometry import Image

pytestmark = pytest.mark.slow

QUAD = np.array([[60, 40], [124, 40], [124, 140], [60, 140]], np.float32)


def chequered() -> Image:
    y, x = np.indices((180, 200)) // 10
    return np.where(((x + y) % 2 == 0)[..., None], (40, 120, 200), (200, 90, 30)).astype(np.uint8)


def test_every_hardship_is_drawn() -> None:
    assert set(SHARES) == set(Hardship)
    assert sum(SHARES.values()) == pytest.approx(1)


DRAWN = (Hardship.FAR, Hardship.SLANTED, Hardship.FINGER)
"""Hardships that are part of the scene."""


@pytest.mark.parametrize("hardship", [kind for kind in Hardship if kind not in DRAWN])
def test_a_degraded_picture_keeps_its_shape_and_changes(hardship: Hardship) -> None:
    picture = chequered()
    spoilt = suffer(picture, hardship, [QUAD], np.random.default_rng(4))
    assert spoilt.shape == picture.shape
    assert spoilt.dtype == np.uint8
    assert np.abs(spoilt.astype(int) - picture).mean() > 1
    again = suffer(picture, hardship, [QUAD], np.random.default_rng(4))
    assert np.array_equal(spoilt, again)


def test_dim_pictures_are_dark_and_too_much_light_is_bright() -> None:
    picture = chequered()
    for seed in range(5):
        assert suffer(picture, Hardship.DIM, [QUAD], np.random.default_rng(seed)).mean() < 0.75 * picture.mean()
        assert suffer(picture, Hardship.OVEREXPOSED, [QUAD], np.random.default_rng(seed)).mean() > picture.mean()


def test_a_finger_covers_a_corner_in_picture_and_owner_map() -> None:
    for seed in range(8):
        picture, owner = chequered(), np.zeros((180, 200), np.int16)
        before = picture.copy()
        cover(picture, owner, [QUAD], np.random.default_rng(seed))
        hidden = owner == -1
        assert hidden[45:135, 60:124].any()
        assert (picture[~hidden] == before[~hidden]).mean() > 0.9
        assert (picture[hidden] != before[hidden]).any(axis=1).mean() > 0.9


def test_hard_scenes_hold_far_cards() -> None:
    def shortest(hard: float) -> float:
        surfaces = SurfaceBank(np.random.default_rng(1), count=2)
        scenes = SceneMaker(5, (320, 320), surfaces=surfaces, deck_count=1, fonts=(), hard=hard)
        made = [scenes.make(Layout.SINGLE).cards[0].quad for _ in range(30)]
        return float(np.mean([np.hypot(*(quad[3] - quad[0])) < 100 for quad in made]))

    assert shortest(1.0) > shortest(0.0)


def test_a_hand_too_large_to_be_drawn_whole_is_drawn_in_part() -> None:
    image, owner = np.zeros((45, 80, 3), np.uint8), np.full((45, 80), -1, np.int16)
    draw_hand(image, owner, np.random.default_rng(0), (-8e4, 20.0), 6e4, 3.1)
    assert (image.any(axis=2) == (owner != -1)).all()
