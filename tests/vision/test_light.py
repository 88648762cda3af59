"""Light that makes a card's colour ambiguous: drawn cards under lamps."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import pytest

from companion.cards import Card, Color
from companion.dataset.artist.faces import render
from companion.dataset.artist.families import StyleFamily
from companion.dataset.artist.styles import sample_style
from companion.vision.core.geometry import Image
from companion.vision.imaging.lighting import is_color_doubtful

QUAD = np.array([[100, 60], [228, 60], [228, 259], [100, 259]], np.float32)
GREY_TABLE = (150, 150, 150)


def picture(name: str, table: Sequence[int] = GREY_TABLE) -> Image:
    """A card with white about it on a plain table (BGR)."""
    face = render(Card.parse(name), sample_style(np.random.default_rng(5), StyleFamily.CLASSIC_OVAL, ()), 128).image
    image = np.full((320, 320, 3), table, np.uint8)
    small = cv2.resize(face, (128, 199), interpolation=cv2.INTER_AREA).astype(np.float32)
    alpha = small[..., 3:] / 255
    image[60:259, 100:228] = small[..., :3] * alpha + image[60:259, 100:228] * (1 - alpha)
    return image


def under(image: Image, *gains: float) -> Image:
    """The picture under a lamp with these gains of blue, green and red."""
    return np.clip(image * np.array(gains), 0, 255).astype(np.uint8)


@pytest.mark.parametrize("name", ["red 3", "yellow 3", "green 3", "blue 3"])
def test_colours_in_white_light_are_not_in_doubt(name: str) -> None:
    color = Card.parse(name).color
    assert color is not None
    assert not is_color_doubtful(picture(name), QUAD, color)
    assert not is_color_doubtful(under(picture(name), 0.5, 0.5, 0.5), QUAD, color)


def test_green_and_blue_may_be_each_other_under_a_cold_lamp() -> None:
    for name in ("green 3", "blue 3"):
        color = Card.parse(name).color
        assert color is not None
        assert is_color_doubtful(under(picture(name), 1.0, 0.8, 0.5), QUAD, color)
    assert not is_color_doubtful(under(picture("red 3"), 1.0, 0.8, 0.5), QUAD, Color.RED)


def test_what_looks_green_under_a_green_lamp_may_be_yellow() -> None:
    assert is_color_doubtful(under(picture("yellow 3"), 0.5, 1.0, 0.5), QUAD, Color.GREEN)


def test_a_coloured_table_casts_no_doubt_on_a_card_with_white() -> None:
    assert not is_color_doubtful(picture("blue 3", (160, 60, 30)), QUAD, Color.BLUE)


def test_grey_fog_and_light_beyond_the_sensor_leave_colours_open() -> None:
    foggy = under(picture("blue 3"), 0.03, 0.03, 0.03) + np.uint8(110)
    assert is_color_doubtful(foggy, QUAD, Color.BLUE)
    bright = np.full((320, 320, 3), (80, 255, 255), np.uint8)
    assert is_color_doubtful(bright, QUAD, Color.YELLOW)


def test_a_yellow_that_is_orange_or_greenish_under_a_lamp_is_not_beyond_doubt() -> None:
    def on_white(ground: tuple[int, int, int], *lamp: float) -> Image:
        image = np.full((320, 320, 3), 235, np.uint8)
        image[80:240, 115:213] = ground
        return under(image, *lamp)

    amber, yellow, lime = (20, 150, 230), (20, 200, 230), (20, 230, 180)
    assert is_color_doubtful(on_white(amber, 0.6, 0.95, 1.0), QUAD, Color.YELLOW)
    assert is_color_doubtful(on_white(lime, 1.0, 1.0, 1.0), QUAD, Color.YELLOW)
    # A deck's yellow may be so in white light.
    assert not is_color_doubtful(on_white(amber, 1.0, 1.0, 1.0), QUAD, Color.YELLOW)
    assert not is_color_doubtful(on_white(yellow, 0.7, 1.0, 1.0), QUAD, Color.YELLOW)
