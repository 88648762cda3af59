"""Dark and blurred pictures are restored; others are unchanged."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
import pytest

from companion.cards import EditionName
from companion.dataset.artist.families import StyleFamily
from companion.dataset.scenes.compose import SceneMaker
from companion.dataset.scenes.layouts import Layout
from companion.vision.core.geometry import Image
from companion.vision.imaging.restoration import blur, lightened, movement, restored, sharpened
from companion.vision.recognition.card_detector import CardDetector


@cache
def scene() -> tuple[Image, list[str]]:
    """A drawn picture of one card, 480 x 360, and the card's name."""
    made = SceneMaker(11, (480, 360), families=[StyleFamily.CLASSIC_OVAL], fonts=()).make(Layout.SINGLE)
    return made.image, [card.card.name for card in made.cards]


def moved(image: Image, x: float, y: float) -> Image:
    """The picture as of a camera that moved so many pixels while the shutter was open."""
    steps = np.linspace(-0.5, 0.5, 61)
    size = image.shape[1::-1]
    shifted = [
        cv2.warpAffine(image, np.float32([[1, 0, s * x], [0, 1, s * y]]), size, borderMode=cv2.BORDER_REFLECT).astype(
            np.float32
        )
        for s in steps
    ]
    return np.asarray(np.mean(shifted, axis=0), np.uint8)


def dark(image: Image) -> Image:
    noise = np.random.default_rng(1).normal(0, 18, image.shape)
    return np.asarray(np.clip(image * 0.2 + noise, 0, 255), np.uint8)


@pytest.mark.parametrize(("x", "y"), [(30.0, 0.0), (0.0, 24.0), (20.0, 20.0), (18.0, -30.0)])
def test_how_a_picture_moved_is_reported(x: float, y: float) -> None:
    found = movement(moved(scene()[0], x, y))
    assert found is not None
    assert min(np.hypot(found[0] - x, found[1] - y), np.hypot(found[0] + x, found[1] + y)) < 2.5


def test_a_moved_picture_is_sharper_after() -> None:
    image = moved(scene()[0], 26, 10)
    mended = sharpened(image)
    assert mended is not None
    assert mended.shape == image.shape
    assert mended.dtype == np.uint8
    off_before, off = (float(cv2.absdiff(picture, scene()[0]).mean()) for picture in (image, mended))
    assert off < 0.8 * off_before
    assert blur(mended) < blur(image)


def test_what_is_neither_dark_nor_moved_is_left_alone() -> None:
    assert not list(restored(scene()[0]))
    assert sharpened(np.full((200, 300, 3), 90, np.uint8)) is None


def test_white_is_white_in_a_lightened_picture() -> None:
    image = lightened(dark(scene()[0]))
    assert image is not None
    assert np.percentile(image.max(axis=2), 98) == pytest.approx(225, abs=12)


@pytest.mark.parametrize("spoilt", [lambda image: moved(image, 28, 12), dark])
def test_spoilt_pictures_are_read(spoilt: object) -> None:
    image, names = scene()
    detector = CardDetector.shipped(EditionName.CLASSIC)
    assert callable(spoilt)
    assert [sighting.card.name for sighting in detector.detect(spoilt(image))] == names


def test_a_dark_pile_is_read() -> None:
    image, names = scene()
    detector = CardDetector.shipped(EditionName.CLASSIC)
    for look in (detector.detect_pile, detector.detect_closeup):
        assert [sighting.card.name for sighting in look(dark(image)) if sighting.whole] == names
