"""A hand rectified by the plane of one of its cards."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion.cards import ALL_CARDS, Card
from companion.dataset.artist.families import StyleFamily
from companion.dataset.scenes.compose import SceneMaker
from companion.dataset.scenes.layouts import Layout
from companion.vision.core.geometry import CARD_SIZE, Image, Quad, project, sides, tilt, unit_square
from companion.vision.core.sightings import Sighting
from companion.vision.recognition.card_detector import CardDetector
from companion.vision.recognition.rectify import RectifiedHand

_PICTURE: Image = np.zeros((720, 1280, 3), np.uint8)
_SLANTED = np.array([[2.2, 0.9, 420.0], [0.3, 1.1, 300.0], [0.0004, 0.0012, 1.0]])


def _card(x: float, y: float, degrees: float) -> Quad:
    """Return a card (mm) that lies on a table, seen from the side."""
    angle = np.radians(degrees)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    return project(_SLANTED, (unit_square() - 0.5) * np.array(CARD_SIZE) @ turn + (x, y))


def _sighting(quad: Quad, name: str, whole: bool = True, confidence: float = 0.9) -> Sighting:
    return Sighting(quad, (Card.parse(name),), (confidence,), whole)


@pytest.fixture
def hand() -> list[Sighting]:
    quads = [_card(0, 0, -24), _card(22, -2, -8), _card(44, 0, 9), _card(66, 8, 25)]
    names = ("red 7", "blue 2", "green skip", "yellow 4")
    return [_sighting(quad, name, name == "yellow 4") for quad, name in zip(quads, names, strict=True)]


def test_all_cards_of_a_level_hand_are_rectangles_of_one_size(hand: list[Sighting]) -> None:
    assert max(tilt(one.quad) for one in hand) > 30
    level = RectifiedHand.of(_PICTURE, hand)
    assert level is not None
    lengths = []
    for one in hand:
        quad = project(level.matrix, one.quad)
        width, length = sides(quad)
        assert width / length == pytest.approx(CARD_SIZE[0] / CARD_SIZE[1], rel=0.02)
        assert tilt(quad) < 8
        assert (quad > 0).all()
        assert (quad < level.image.shape[1::-1]).all()
        lengths.append(length)
    assert max(lengths) == pytest.approx(min(lengths), rel=0.02)


def test_the_plane_is_reported_by_the_most_confident_open_card_and_not_by_a_corner(hand: list[Sighting]) -> None:
    rough = replace(hand[0], quad=hand[0].quad + np.array([[0, 0], [40, 0], [0, 60], [0, 0]], np.float32))
    level = RectifiedHand.of(_PICTURE, [rough, *hand[1:]])
    assert level is not None
    assert tilt(project(level.matrix, hand[0].quad)) < 8


def test_what_is_seen_in_the_level_picture_is_reported_where_it_lies(hand: list[Sighting]) -> None:
    level = RectifiedHand.of(_PICTURE, hand)
    assert level is not None
    seen = replace(hand[1], quad=project(level.matrix, hand[1].quad))
    assert level.to_picture(seen).quad == pytest.approx(hand[1].quad, abs=0.1)


def test_a_level_picture_holds_the_hand_that_it_was_made_for_and_no_longer_one(hand: list[Sighting]) -> None:
    level = RectifiedHand.of(_PICTURE, hand)
    assert level is not None
    assert level.contains(hand)
    one_more = _sighting(_card(88, 20, 42), "green 1")
    assert not level.contains([*hand, one_more])
    longer = RectifiedHand.of(_PICTURE, [*hand, one_more])
    assert longer is not None
    assert longer.contains([*hand, one_more])


def test_no_level_picture_where_there_is_no_hand_or_no_plane(hand: list[Sighting]) -> None:
    apart = [_sighting(_card(200 * i, 0, 10 * i), "red 1") for i in range(-1, 3)]
    assert RectifiedHand.of(_PICTURE, hand[2:]) is None
    assert RectifiedHand.of(_PICTURE, apart) is None
    assert RectifiedHand.of(_PICTURE, [replace(one, whole=False) for one in hand]) is None
    assert RectifiedHand.of(_PICTURE, [replace(one, mirrored=True) for one in hand]) is None
    assert RectifiedHand.of(_PICTURE, [replace(one, probabilities=(0.3,)) for one in hand]) is None
    flat = unit_square() * np.array(CARD_SIZE, np.float32) * 2 + 300
    assert RectifiedHand.of(_PICTURE, [_sighting(flat + 40 * i, "red 1") for i in range(3)]) is None
    far = replace(hand[0], quad=np.asarray(hand[0].quad * 0.2, np.float32))
    assert RectifiedHand.of(_PICTURE, [far, *hand[1:]]) is None


@pytest.mark.parametrize("seed", [4, 27])
def test_a_hand_that_reaches_out_of_the_level_picture_is_followed(seed: int) -> None:
    cards = [ALL_CARDS[int(i)] for i in np.random.default_rng((seed, 0)).integers(0, 52, 8)]
    families = [StyleFamily.CLASSIC_OVAL, StyleFamily.WHITE_OVAL]
    scenes = SceneMaker(seed, (900, 900), families=families, fonts=(), deck_count=1)
    from_low = np.array([[1, 0.35, 0], [0, 0.55, 60], [0, 0.0007, 1]])
    picture = cv2.warpPerspective(scenes.make(Layout.FAN, cards).image, from_low, (1280, 720), flags=cv2.INTER_AREA)
    seen = Counter(sighting.card for sighting in CardDetector.shipped(None).detect(np.asarray(picture, np.uint8)))
    # One level picture shows three of the first hand and six of the second.
    assert (seen & Counter(cards)).total() >= 7
