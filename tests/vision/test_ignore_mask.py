"""Constant motion at the border is ignored; arms and activity inside are not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from companion.vision.arms.ignore_mask import IgnoreMask
from companion.vision.imaging.masks import Mask

HEIGHT, WIDTH = 90, 160
RATE = 10
"""Pictures per second."""


def region(rows: slice, columns: slice) -> Mask:
    mask = np.zeros((HEIGHT, WIDTH), np.uint8)
    mask[rows, columns] = 1
    return mask


HELD = region(slice(0, 20), slice(50, 90))
ARM = region(slice(0, 60), slice(100, 115))
MIDDLE = region(slice(35, 55), slice(60, 100))
NOTHING = np.zeros((HEIGHT, WIDTH), np.uint8)


def learnt(shown: Callable[[float], Mask], seconds: float = 20.0) -> IgnoreMask:
    ignore = IgnoreMask()
    for n in range(round(seconds * RATE)):
        ignore.update(shown(n / RATE), n / RATE)
    return ignore


def test_cards_held_at_the_border_are_ignored() -> None:
    mask = learnt(lambda time: HELD).mask
    assert mask is not None
    assert mask.shape == HELD.shape
    assert mask[HELD > 0].all()
    # A margin is ignored too, as hands sway; the rest of the picture is not.
    assert mask.sum() < 1.6 * HELD.sum()


def test_an_arm_that_comes_and_goes_is_not_ignored() -> None:
    assert learnt(lambda time: ARM if time % 5 < 1 else NOTHING).mask is None


def test_the_first_arm_is_not_ignored() -> None:
    assert learnt(lambda time: ARM, seconds=2.0).mask is None


def test_what_lies_inside_is_not_ignored() -> None:
    assert learnt(lambda time: MIDDLE).mask is None


def test_what_is_no_longer_held_is_forgotten() -> None:
    ignore = learnt(lambda time: HELD if time < 20 else NOTHING, seconds=60)
    assert ignore.mask is None


def test_an_arm_from_behind_held_cards_is_cut_off_at_them() -> None:
    reaching = region(slice(0, 60), slice(60, 75))
    mask = learnt(lambda time: HELD | reaching if time % 5 < 1 else HELD).mask
    assert mask is not None
    assert not mask[30:60].any()


def test_a_pause_without_foreground_counts_as_empty() -> None:
    ignore = learnt(lambda time: HELD)
    ignore.update(NOTHING, 60.0)
    ignore.update(NOTHING, 61.0)
    assert ignore.mask is None


@pytest.mark.parametrize("shape", [(60, 160), (90, 120)])
def test_another_picture_size_begins_again(shape: tuple[int, int]) -> None:
    ignore = learnt(lambda time: HELD)
    ignore.update(np.zeros(shape, np.uint8), 20.0)
    assert ignore.mask is None
