"""Signs of a design that resemble its indices."""

from __future__ import annotations

import zlib

import cv2
import numpy as np
import pytest

from companion.cards import ALL_CARDS, Card
from companion.dataset.artist.faces import render
from companion.dataset.artist.families import StyleFamily
from companion.dataset.artist.styles import sample_style
from companion.decks.model.card_views import PICTURE, CardViews, design_spots, outline
from companion.decks.model.open_set import OpenSetModel
from companion.decks.model.prototypes import CLASSES, NOTHING, Prototypes
from companion.decks.service.build import DeckModel, fit_model
from companion.decks.service.deck_detector import reading_parts
from companion.vision.core.geometry import homography, unit_square
from companion.vision.core.labels import Floats


def test_design_sign_is_no_card() -> None:
    look = Prototypes(
        np.eye(3, dtype=np.float32)[:2], np.array([0, 1]), np.zeros(3, np.float32), OpenSetModel(10.0, 0.0, -6.0)
    )
    crops = np.eye(3, dtype=np.float32)
    logs = np.full((3, CLASSES), -9.0, np.float32)
    logs[:, 0] = -0.01
    with_deck = look.with_nothing(crops[2:])
    assert with_deck.weigh(logs, crops)[0].argmax(1).tolist() == [0, 1, NOTHING]
    assert look.weigh(logs, crops)[0][2].argmax() == 0


def _views(card: int, sign: Floats, rng: np.random.Generator) -> CardViews:
    """Return the views of a card that reader and features identify clearly, with a sign read as a 3."""

    def seen(direction: Floats, number: int, count: int) -> tuple[Floats, Floats]:
        logs = np.full((count, CLASSES), -12.0, np.float32)
        logs[:, number] = -0.5
        return (direction + rng.normal(0, 0.02, (count, len(direction)))).astype(np.float32), logs

    own = np.eye(8, dtype=np.float32)[card]
    whole, indices, signs = seen(own, card, 6), seen(own, card, 12), seen(sign, 3, 8)
    return CardViews(*whole, *indices, signs[0][None], signs[1][None])


@pytest.mark.parametrize("informative", [True, False])
def test_informative_sign_is_an_index(informative: bool) -> None:
    rng = np.random.default_rng(3)
    cards = [0, 1, 2, 3] * 2
    axes = np.eye(8, dtype=np.float32)
    taught: DeckModel = fit_model([_views(card, axes[card if informative else 6], rng) for card in cards], cards)
    logs = np.full((1, CLASSES), -9.0, np.float32)
    logs[:, 3] = -0.2
    result = taught.weigh_indices(logs, axes[[1 if informative else 6]])[0]
    assert (result.argmax() == NOTHING) is not informative


@pytest.mark.parametrize(("family", "there"), [(StyleFamily.BANNER, True), (StyleFamily.WHITE_OVAL, False)])
def test_sign_positions_are_found(family: StyleFamily, there: bool) -> None:
    style = sample_style(np.random.default_rng([1100, zlib.crc32(family.value.encode())]), family)
    pictures = []
    for card in [card for card in ALL_CARDS if card.color is not None][::5]:
        face = np.ascontiguousarray(render(Card.parse(card.name), style, 480).image[:, :, :3])
        size = np.array(face.shape[1::-1], np.float32)
        pictures.append(cv2.warpPerspective(face, homography(unit_square() * size, outline()), PICTURE))
    _, boxes = reading_parts()
    spot, signs = design_spots(boxes, pictures)
    assert spot is not None
    corners = [sign for sign in signs if sign[1] < 0.3]
    assert bool(corners) is there
    assert all(np.hypot(sign[0] - spot[0], sign[1] - spot[1]) > 0.2 for sign in corners)
