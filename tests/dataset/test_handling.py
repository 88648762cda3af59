"""Sleeves and bent cards: the ink of the corners is where the labels are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from companion.cards import Card
from companion.dataset.artist.condition.handling import bowed, sleeved
from companion.dataset.artist.faces import CardArt, render
from companion.dataset.artist.families import StyleFamily
from companion.dataset.artist.styles import sample_style


@pytest.mark.parametrize("handle", [sleeved, bowed])
@pytest.mark.parametrize("seed", range(4))
def test_labels_follow_the_ink(handle: Callable[[CardArt, np.random.Generator], CardArt], seed: int) -> None:
    rng = np.random.default_rng(seed)
    plain = render(Card.parse("red 7"), sample_style(rng, StyleFamily.CLASSIC_OVAL, ()), 352)
    height, width = plain.image.shape[:2]
    # Black boxes on white stand for the ink and show where it moved.
    image = np.full((height, width, 4), 255, np.uint8)
    for x0, y0, x1, y1 in plain.indices:
        image[round(y0) : round(y1), round(x0) : round(x1), :3] = 0
    art = handle(CardArt(image, plain.indices), rng)
    assert art.image.shape == image.shape
    dark = (art.image[:, :, :3].max(2) < 110) & (art.image[:, :, 3] > 200)
    for half, (x0, y0, x1, y1) in zip((slice(0, height // 2), slice(height // 2, height)), art.indices, strict=True):
        rows, columns = np.nonzero(dark[half])
        assert abs(columns.min() - x0) < 3
        assert abs(columns.max() - x1) < 3
        assert abs(rows.min() + half.start - y0) < 3
        assert abs(rows.max() + half.start - y1) < 3


def test_a_sleeve_shows_the_table_through_its_edge() -> None:
    rng = np.random.default_rng(0)
    art = sleeved(render(Card.parse("wild"), sample_style(rng, None, ()), 352), rng)
    assert 0 < art.image[2, 100, 3] < 250
    assert art.image[176, 110, 3] == 255
