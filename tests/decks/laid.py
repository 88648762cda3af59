"""Pictures of cards laid on a table, for tests of learning a deck."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from companion.cards import ALL_CARDS, Card
from companion.dataset.artist.faces import render
from companion.dataset.artist.families import StyleFamily
from companion.dataset.artist.styles import sample_style
from companion.dataset.gallery.decks import ArtDeck, card_mask
from companion.vision.core.geometry import Image, Quad, homography, unit_square
from companion.vision.core.runtime import Network, model_folder
from companion.vision.detection.crops import CropReader

RED_7, BLUE_3 = Card.parse("red 7"), Card.parse("blue 3")


def cut_faces(deck: ArtDeck) -> dict[Card, Image]:
    """Return the faces of a deck of any art as (H, W, 4) BGRA uint8 pictures with rounded corners, by card."""
    mask = card_mask(*deck.faces.shape[2:0:-1], 0.055)
    return dict(zip(ALL_CARDS, [np.dstack([face, mask]) for face in deck.faces], strict=False))


def bare_table(rng: np.random.Generator) -> Image:
    """Return a (480, 640, 3) BGR uint8 picture of a table."""
    grain = cv2.GaussianBlur(rng.normal(0, 30, (480, 640, 1)), (0, 0), 4)[..., None]
    return np.clip(np.array([60, 90, 120]) + grain, 0, 255).astype(np.uint8)


def with_card(table: Image, card: Card, center: tuple[float, float], degrees: float) -> tuple[Image, Quad]:
    """Return the picture with a card of a known design laid on it, and its outline."""
    style = sample_style(np.random.default_rng(5), StyleFamily.WHITE_OVAL, ())
    face = render(card, style, 300).image
    height, width = face.shape[:2]
    turn = np.radians(degrees)
    matrix = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    size = np.array([width, height]) * 0.6
    quad = np.asarray(((unit_square() - 0.5) * size) @ matrix.T + center, np.float32)
    whole = homography(unit_square() * np.array([width, height], np.float32), quad)
    warped = cv2.warpPerspective(face, whole, (640, 480))
    alpha = warped[:, :, 3:] / 255
    return (warped[:, :, :3] * alpha + table * (1 - alpha)).astype(np.uint8), quad


def shipped_outlines(image: Image, quads: Sequence[Quad]) -> list[Quad]:
    """Return the outlines that the shipped card reader finds from rough ones (4, 2)."""
    cards, indices = (Network.shared(model_folder() / f"{kind}-reader.onnx") for kind in ("card", "index"))
    return CropReader(cards, indices).refine_outlines(image, quads)
