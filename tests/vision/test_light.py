"""Measures of the light on drawn cards under lamps."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import pytest

from companion.cards import Card
from companion.dataset.artist.faces import render
from companion.dataset.artist.families import StyleFamily
from companion.dataset.artist.styles import sample_style
from companion.vision.core.geometry import Image
from companion.vision.imaging.lighting import Light

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


@pytest.mark.parametrize(("name", "hue"), [("red 3", 0), ("yellow 3", 50), ("green 3", 140), ("blue 3", -140)])
def test_hue_and_saturation_are_those_of_the_ground(name: str, hue: float) -> None:
    (light,) = Light.on(picture(name), [QUAD])
    assert abs((light.hue - hue + 180) % 360 - 180) < 30
    assert light.saturation > 0.5
    assert np.abs(light.of_card).max() < 0.1


def test_a_cold_lamp_shows_in_the_card_and_in_the_picture() -> None:
    (light,) = Light.on(under(picture("green 3"), 1.0, 0.8, 0.5), [QUAD])
    blue, green, red = light.of_card
    assert blue > green > red
    assert light.of_picture[0] > light.of_picture[2]


def test_a_coloured_table_is_no_cast_on_a_card_with_white() -> None:
    (light,) = Light.on(picture("blue 3", (160, 60, 30)), [QUAD])
    assert np.abs(light.of_card).max() < 0.1


def test_fog_takes_saturation_and_too_much_light_clips_channels() -> None:
    foggy = under(picture("blue 3"), 0.03, 0.03, 0.03) + np.uint8(110)
    assert Light.on(foggy, [QUAD])[0].saturation < 0.1
    bright = np.full((320, 320, 3), (80, 255, 255), np.uint8)
    assert Light.on(bright, [QUAD])[0].clipped_in_two == 1.0
