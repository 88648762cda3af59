"""A displaced table differs all over the picture; a hand, a card or a shadow's edge does not."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.vision.imaging.displacement import is_displaced
from companion.vision.imaging.masks import Mask

SIZES = [(90, 160), (180, 320)]


def edges(height: int, width: int) -> Mask:
    """Return what differs where a chequered table has moved a little."""
    mask = np.zeros((height, width), np.uint8)
    mask[:: height // 15] = 1
    mask[:, :: width // 25] = 1
    return mask


def hand(height: int, width: int, reach: float = 0.6) -> Mask:
    """Return an arm from the left border, half as wide as the picture is high."""
    mask = np.zeros((height, width), np.uint8)
    cv2.rectangle(mask, (0, height // 4), (round(reach * width), 3 * height // 4), 1, cv2.FILLED)
    return mask


@pytest.mark.parametrize("size", SIZES)
def test_a_table_that_differs_all_over_is_displaced(size: tuple[int, int]) -> None:
    assert is_displaced(edges(*size))


@pytest.mark.parametrize("size", SIZES)
def test_a_close_hand_does_not_hide_that_the_table_is_displaced(size: tuple[int, int]) -> None:
    assert is_displaced(edges(*size) & (1 - hand(*size)) | cv2.erode(hand(*size), np.ones((5, 5), np.uint8)))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("reach", [0.3, 0.6, 0.9])
def test_a_hand_is_no_displaced_table(size: tuple[int, int], reach: float) -> None:
    assert not is_displaced(hand(*size, reach))


def test_a_table_that_differs_in_one_quarter_is_not_displaced() -> None:
    mask = edges(90, 160)
    mask[:, 40:] = 0
    assert not is_displaced(mask)
