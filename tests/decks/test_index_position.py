"""The index position of a design."""

from __future__ import annotations

import zlib

import cv2
import numpy as np
import pytest

from companion.cards import ALL_CARDS, Card
from companion.dataset.artist.faces import render
from companion.dataset.artist.families import StyleFamily
from companion.dataset.artist.styles import sample_style
from companion.decks.model.card_views import PICTURE, design_spot, outline
from companion.decks.service.deck_detector import reading_parts
from companion.vision.core.geometry import INDEX_SPOT, homography, unit_square


@pytest.mark.parametrize("family", [StyleFamily.BANNER, StyleFamily.WHITE_OVAL])
def test_index_position_is_found_although_other_corners_have_signs(family: StyleFamily) -> None:
    style = sample_style(np.random.default_rng([1100, zlib.crc32(family.value.encode())]), family)
    pictures = []
    for card in [card for card in ALL_CARDS if card.color is not None][::5]:
        face = np.ascontiguousarray(render(Card.parse(card.name), style, 480).image[:, :, :3])
        size = np.array(face.shape[1::-1], np.float32)
        pictures.append(cv2.warpPerspective(face, homography(unit_square() * size, outline()), PICTURE))
    _, boxes = reading_parts()
    spot = design_spot(boxes, pictures)
    assert spot is not None
    assert np.hypot(spot[0] - INDEX_SPOT[0], spot[1] - INDEX_SPOT[1]) < 0.15
    assert design_spot(boxes, [np.full_like(picture, 128) for picture in pictures]) is None
