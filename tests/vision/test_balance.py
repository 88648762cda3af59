"""White balance: drawn cards with white parts under coloured lamps, on tables of all colours."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import pytest

from companion.cards import Card
from companion.dataset.artist.faces import render
from companion.dataset.artist.families import StyleFamily
from companion.dataset.artist.styles import sample_style
from companion.vision.core.geometry import Image, Quad
from companion.vision.imaging.white_balance import balanced

QUAD = np.array([[100, 60], [228, 60], [228, 259], [100, 259]], np.float32)
GREY, WOOD, PALE_YELLOW = (150, 150, 150), (90, 180, 215), (100, 200, 220)
COLD, WARM = (1.35, 1.0, 0.7), (0.5, 0.95, 1.2)


def picture(name: str, table: Sequence[int] = GREY) -> Image:
    """A card with a white rim on a plain table (BGR), none of it as bright as the sensor goes."""
    face = render(Card.parse(name), sample_style(np.random.default_rng(5), StyleFamily.CLASSIC_OVAL, ()), 128).image
    image = np.full((320, 320, 3), table, np.uint8)
    small = cv2.resize(face, (128, 199), interpolation=cv2.INTER_AREA).astype(np.float32)
    alpha = small[..., 3:] / 255
    image[60:259, 100:228] = 0.7 * small[..., :3] * alpha + image[60:259, 100:228] * (1 - alpha)
    return image


def under(image: Image, lamp: Sequence[float]) -> Image:
    """The picture under a lamp with these gains of blue, green and red."""
    return np.asarray(np.clip(image * np.array(lamp), 0, 255), np.uint8)


def off(one: Image, other: Image) -> float:
    """By how much a card's hues differ in two pictures: the mean of the channels' differences beside green."""
    beside = [image[60:259, 100:228].astype(float) - image[60:259, 100:228, 1:2] for image in (one, other)]
    return float(np.abs(beside[0] - beside[1]).mean())


@pytest.mark.parametrize("name", ["red 3", "yellow 3", "green 3", "blue 3"])
@pytest.mark.parametrize("lamp", [COLD, WARM])
def test_what_is_white_shows_the_lamp(name: str, lamp: Sequence[float]) -> None:
    white = picture(name)
    lit = under(white, lamp)
    assert off(balanced(lit, [QUAD]), white) < 0.35 * off(lit, white)


def test_white_light_is_left_as_it_is() -> None:
    image = picture("green 3")
    assert balanced(image, [QUAD]) is image


def test_a_coloured_table_is_no_lamp() -> None:
    image = picture("green 3", WOOD)
    assert balanced(image, [QUAD]) is image


def plain(table: Sequence[int], *colors: Sequence[int]) -> tuple[Image, list[Quad]]:
    """Cards of one colour each (BGR) side by side on a table, and their outlines."""
    image = np.full((320, 160 * len(colors), 3), table, np.uint8)
    quads = [QUAD + np.array([160 * k - 84, 0], np.float32) for k in range(len(colors))]
    for quad, color in zip(quads, colors, strict=True):
        cv2.fillConvexPoly(image, quad.astype(np.int32), tuple(map(float, color)))
    return image, quads


def test_cards_without_white_are_no_lamp() -> None:
    brighter_table = plain((220, 220, 220), PALE_YELLOW)
    assert balanced(*brighter_table) is brighter_table[0]
    cards_that_differ = plain((60, 90, 100), *[PALE_YELLOW] * 3, *[(10, 10, 120)] * 2)
    assert balanced(*cards_that_differ) is cards_that_differ[0]
    green_on_green = plain((40, 120, 30), (40, 160, 40))
    assert balanced(*green_on_green) is green_on_green[0]


def test_nothing_is_balanced_by_no_card() -> None:
    lit = under(picture("green 3"), COLD)
    assert balanced(lit, []) is lit


def test_white_stays_white_where_the_sensor_shows_no_more_of_blue() -> None:
    image = np.full((320, 320, 3), (255, 240, 130), np.uint8)
    image[120:200, 140:190] = (110, 160, 30)
    grey, green = balanced(image, [QUAD])[[0, 150], [0, 160]]
    assert abs(int(grey[0]) - int(grey[1])) <= 2
    assert abs(int(grey[2]) - int(grey[1])) <= 2
    assert green[0] < 90, "a green under such a lamp has less blue than it seems"
