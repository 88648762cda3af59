"""Photographs of real cards, from the folder named by COMPANION_PHOTOS, are read exactly.

The folder holds `labels.json`, a list of `{"file": ..., "cards": [...], "kind": ..., "flags": [...]}`, and `images/`.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.cards import EditionName
from companion.vision.recognition.card_detector import CardDetector

PHOTOS = Path(os.environ.get("COMPANION_PHOTOS", Path(__file__).resolve().parents[3] / "shared" / "photos"))

pytestmark = [
    pytest.mark.photos,
    pytest.mark.slow,
    pytest.mark.skipif(not PHOTOS.is_dir(), reason="no photographs here: name their folder by COMPANION_PHOTOS"),
]


def misread(rows: list[dict[str, object]]) -> list[str]:
    """Return the names of the pictures in which a card is wrong, missing or invented."""
    detector = CardDetector.shipped(EditionName.CLASSIC)
    wrong = []
    for row in rows:
        image = cv2.imread(str(PHOTOS / "images" / str(row["file"])))
        assert image is not None, row["file"]
        found = Counter(sighting.card.name for sighting in detector.detect(np.asarray(image, np.uint8)))
        labelled = Counter(row["cards"])  # type: ignore[call-overload]
        if labelled - found or ("ignore_extra" not in row["flags"] and found - labelled):  # type: ignore[operator]
            wrong.append(str(row["file"]))
    return wrong


@pytest.mark.parametrize("part", range(4))
def test_no_photograph_is_misread(part: int) -> None:
    rows = json.loads((PHOTOS / "labels.json").read_text("utf-8"))
    assert misread(rows[part::4]) == []


def test_a_small_mirrored_card_like_another_is_read_in_its_mirror_image() -> None:
    image = cv2.imread(str(PHOTOS / "images" / "natnael_001.jpg"))
    if image is None:
        pytest.skip("that photograph is not in this folder")
    # Its corners lie as printed and it reads as a skip, with little confidence.
    small = cv2.flip(cv2.resize(image, (201, 268), interpolation=cv2.INTER_AREA), 1)
    found = CardDetector.shipped(EditionName.CLASSIC).detect(np.asarray(small, np.uint8))
    assert [sighting.card.name for sighting in found] == ["red 6"]
