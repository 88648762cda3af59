"""Training crops: what is done to them keeps what they show."""

from __future__ import annotations

import cv2
import numpy as np

from companion.models.crops import softened


def test_a_softened_crop_keeps_its_colours_and_loses_its_fine_detail() -> None:
    rng = np.random.default_rng(3)
    crop = np.zeros((192, 128, 3), np.uint8)
    crop[:96] = (40, 60, 200)
    crop[96::2] = 255
    soft = softened(crop, rng)
    assert soft.shape == crop.shape
    assert soft.dtype == np.uint8
    assert np.abs(soft[:80].astype(int) - crop[:80]).max() <= 2
    assert soft[112:].std() < 0.7 * crop[112:].std()
    assert abs(cv2.mean(soft)[0] - cv2.mean(crop)[0]) < 4
