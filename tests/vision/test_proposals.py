"""Card candidates without a network: only card-shaped regions stand out from the table."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn_card import bare_table, outline, with_card

from companion.vision.core.geometry import Image, Quad, intersection_over_union
from companion.vision.detection.proposals import proposals


def best_overlap(image: Image, quad: Quad) -> float:
    return max((intersection_over_union(found, quad) for found in proposals(image)), default=0.0)


@pytest.mark.parametrize("degrees", [0, 20, 45, 90, 160])
@pytest.mark.parametrize("card", ["red 7", "blue skip", "wild"])
def test_a_card_is_proposed_however_it_lies(card: str, degrees: float) -> None:
    quad = outline((300, 220), degrees)
    assert best_overlap(with_card(bare_table(), card, quad), quad) > 0.85


def test_every_one_of_several_cards_is_proposed() -> None:
    quads = [outline((130, 150), 10), outline((330, 320), -20), outline((520, 140), 75)]
    image = bare_table()
    for card, quad in zip(("green 2", "yellow reverse", "red 0"), quads, strict=True):
        image = with_card(image, card, quad)
    assert [best_overlap(image, quad) > 0.8 for quad in quads] == [True] * 3


def test_outlines_are_upright_and_in_pixels_of_the_picture() -> None:
    quad = outline((800, 500), 90)
    found = proposals(with_card(bare_table(1280, 960), "blue 4", quad))
    assert found
    for each in found:
        assert each.shape == (4, 2)
        assert each.dtype == np.float32
        top, side = (float(np.hypot(*(each[k] - each[k + 1]))) for k in (0, 1))
        assert top < side


def test_a_plate_is_no_candidate() -> None:
    image = bare_table()
    cv2.circle(image, (320, 240), 90, (230, 230, 240), -1)
    plate = outline((320, 240))
    assert best_overlap(image, plate) < 0.8


def test_an_even_table_has_no_candidates() -> None:
    assert proposals(np.full((480, 640, 3), 120, np.uint8)) == []


def test_the_number_of_candidates_is_limited() -> None:
    image = np.full((960, 1280, 3), 90, np.uint8)
    for row in range(5):
        for column in range(8):
            cv2.rectangle(image, (40 + 150 * column, 20 + 185 * row), (130 + 150 * column, 160 + 185 * row), 240, -1)
    assert 0 < len(proposals(image)) <= 12
