"""Drawn cards placed into pictures, for tests that need pixels and no scene."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np

from companion.cards import Card
from companion.dataset.artist.faces import render
from companion.dataset.artist.families import StyleFamily
from companion.dataset.artist.styles import sample_style
from companion.vision.core.geometry import Image, Quad, homography, unit_square

SIZE = np.array([112.0, 174.0], np.float32)
"""Width and height in pixels of a card in the picture."""


def outline(center: tuple[float, float], degrees: float = 0.0) -> Quad:
    """Return the outline of a card with this middle, turned clockwise."""
    turn = np.radians(degrees)
    matrix = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    return np.asarray(((unit_square() - 0.5) * SIZE) @ matrix.T + center, np.float32)


def bare_table(width: int = 640, height: int = 480) -> Image:
    """Return a (height, width, 3) BGR uint8 picture of a grained table."""
    rng = np.random.default_rng(1)
    grain = cv2.GaussianBlur(rng.normal(0, 30, (height, width, 1)), (0, 0), 4)[..., None]
    return np.clip(np.array([60, 90, 120]) + grain, 0, 255).astype(np.uint8)


@cache
def _face(card: Card) -> Image:
    return render(card, sample_style(np.random.default_rng(5), StyleFamily.WHITE_OVAL, ()), 300).image


def with_card(picture: Image, card: str, quad: Quad) -> Image:
    """Return a picture with a card laid at an outline."""
    face = _face(Card.parse(card))
    height, width = face.shape[:2]
    whole = homography(unit_square() * np.array([width, height], np.float32), quad)
    warped = cv2.warpPerspective(face, whole, (picture.shape[1], picture.shape[0]), flags=cv2.INTER_AREA)
    alpha = warped[:, :, 3:] / 255
    return np.asarray(warped[:, :, :3] * alpha + picture * (1 - alpha), np.uint8)
