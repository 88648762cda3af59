"""Mirrored pictures are told from others, and read."""

from __future__ import annotations

import numpy as np
import pytest

from companion.cards import Card, EditionName
from companion.dataset.artist.families import StyleFamily
from companion.dataset.scenes.compose import SceneMaker
from companion.dataset.scenes.layouts import Layout
from companion.vision.detector import CardDetector
from companion.vision.geometry import clipped, intersection_over_union
from companion.vision.mirror import back, flipped, is_doubtful, is_mirrored
from companion.vision.sightings import Sighting

QUAD = np.array([[10, 20], [60, 25], [55, 100], [5, 95]], np.float32)


def seen(name: str, confidence: float) -> Sighting:
    return Sighting(QUAD, (Card.parse(name),), (confidence,), True)


def test_outlines_lie_in_the_mirrored_picture_where_they_lie_in_the_other() -> None:
    moved = back(seen("red 7", 0.9), 200)
    assert moved.mirrored
    assert np.allclose(moved.quad, [[140, 25], [190, 20], [195, 95], [145, 100]])


def test_what_reads_the_same_both_ways_tells_nothing() -> None:
    assert is_doubtful([])
    assert is_doubtful([seen("red 7", 0.6)])
    assert not is_doubtful([seen("red 7", 0.99), seen("blue 2", 0.5)])
    assert is_mirrored([seen("red 4", 0.8)], [seen("red 7", 0.99)])
    assert not is_mirrored([seen("red 8", 0.99)], [seen("red 8", 1.0)])
    assert not is_mirrored([seen("red 2", 0.8)], [seen("red reverse", 0.99)])


def test_an_outline_that_reaches_out_of_the_picture_is_clipped() -> None:
    assert clipped(QUAD, 200, 200) is QUAD
    half = clipped(QUAD + np.float32([-30, 0]), 200, 200)
    assert half[:, 0].min() >= 0
    assert clipped(QUAD + np.float32([900, 0]), 200, 200).shape == (4, 2)


@pytest.mark.parametrize("seed", [3, 4])
def test_a_mirrored_picture_is_read_and_said_to_be_one(seed: int) -> None:
    scene = SceneMaker(seed, (800, 600), families=[StyleFamily.CLASSIC_OVAL], fonts=()).make(Layout.GRID)
    detector = CardDetector.shipped(EditionName.CLASSIC)
    straight, mirrored = detector.detect(scene.image), detector.detect(flipped(scene.image))
    assert straight
    assert not any(sighting.mirrored for sighting in straight)
    assert all(sighting.mirrored for sighting in mirrored)
    assert sorted(s.card.name for s in straight) == sorted(s.card.name for s in mirrored)
    width = scene.image.shape[1]
    for one in straight:
        assert max(intersection_over_union(back(one, width).quad, other.quad) for other in mirrored) > 0.8
