"""Training crops: degradation keeps the content readable."""

from __future__ import annotations

import cv2
import numpy as np

from companion.models.training_data.crops import softened
from companion.models.training_data.degradation import hardened


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


def test_a_degraded_crop_changes_and_shows_the_same() -> None:
    rng = np.random.default_rng(4)
    crop = np.full((192, 128, 3), 90, np.uint8)
    cv2.putText(crop, "7", (20, 150), cv2.FONT_HERSHEY_SIMPLEX, 5.0, (255, 255, 255), 14)
    spoilt = [hardened(crop, rng) for _ in range(30)]
    assert {(one.shape, one.dtype) for one in spoilt} == {(crop.shape, crop.dtype)}
    assert not any(np.array_equal(one, crop) for one in spoilt)
    # The same seed degrades it the same way.
    assert np.array_equal(hardened(crop, np.random.default_rng(9)), hardened(crop, np.random.default_rng(9)))
    # The digit stays brighter than its surroundings, whatever the degradation.
    print_ = crop[..., 0] > 200
    lighter = [one[print_].mean() > one[~print_].mean() for one in spoilt]
    assert sum(lighter) >= 27
