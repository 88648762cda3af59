"""The background model without moving objects; objects that rested leave no ghost."""

from __future__ import annotations

import numpy as np
import pytest

from companion.vision.core.geometry import Image
from companion.vision.imaging.masks import Mask
from companion.vision.imaging.motion import SettledBackground, describe

TABLE = np.random.default_rng(2).integers(90, 110, (45, 80, 3), dtype=np.uint8).repeat(8, axis=0).repeat(8, axis=1)
HAND = np.random.default_rng(3).integers(0, 255, (20, 15, 3), dtype=np.uint8).repeat(8, axis=0).repeat(8, axis=1)
# Where the hand lies in the small picture, its edge left out.
PLACE = slice(4, 76), slice(104, 156)


def foreground(*stays: tuple[float, bool], time: float = 0.0) -> list[Mask]:
    """Return what is foreign at the end of each stretch of so many seconds, with the hand there or not."""
    background, masks = SettledBackground(), list[Mask]()
    for seconds, there in stays:
        image = TABLE.copy()
        if there:
            image[:160, 200:320] = HAND
        for _ in range(round(seconds * 10)):
            picture = describe(image, time)
            background.learn(picture)
            time += 0.1
        masks.append(background.foreground(picture))
    return masks


@pytest.mark.parametrize("rested", [1.0, 3.0, 8.0])
def test_a_hand_is_foreign_while_it_is_new_and_leaves_no_ghost(rested: float) -> None:
    bare, _, left = foreground((6, False), (rested, True), (0.1, False))
    assert not bare.any()
    assert not left[PLACE].any()


@pytest.mark.parametrize("time", [0.0, 1.8e9])
def test_what_stays_becomes_part_of_the_table(time: float) -> None:
    _, new, old = foreground((6, False), (0.5, True), (6, True), time=time)
    assert new[PLACE].mean() > 0.9
    assert not old[PLACE].any()


def test_a_hand_that_comes_again_is_foreign_again() -> None:
    *_, again = foreground((6, False), (4, True), (6, False), (0.5, True))
    assert again[PLACE].mean() > 0.9


def test_a_hand_that_was_there_from_the_first_is_foreign_when_it_comes_again() -> None:
    *_, again = foreground((4, True), (12, False), (0.5, True))
    assert again[PLACE].mean() > 0.9


def settled(image: Image) -> SettledBackground:
    """Return a background that knows the table well and then took an image as settled."""
    background = SettledBackground()
    for tenth in range(60):
        background.learn(describe(TABLE, tenth / 10))
    picture = describe(image, 6.0)
    background.learn(picture)
    background.settle(picture)
    return background


def test_a_table_is_known_again_once_arms_that_filled_the_picture_leave() -> None:
    filled = np.random.default_rng(4).integers(0, 255, (45, 80, 3), dtype=np.uint8).repeat(8, axis=0).repeat(8, axis=1)
    background = settled(filled)
    assert not background.foreground(describe(filled, 6.1)).any()
    assert not background.foreground(describe(TABLE, 6.1)).any()


def test_a_table_seen_by_a_moved_camera_is_known_at_once_and_a_hand_on_it_foreign() -> None:
    moved = np.roll(TABLE, (40, 72), (0, 1))
    background = settled(moved)
    assert not background.foreground(describe(moved, 6.1)).any()
    moved[:160, 200:320] = HAND
    assert background.foreground(describe(moved, 6.2))[PLACE].mean() > 0.9
