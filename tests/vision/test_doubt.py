"""Late corrections and remaining doubt about cards with contradicting evidence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.cards import ALL_CARDS, Card
from companion.vision.core.calibration import Calibration
from companion.vision.core.geometry import Image, Quad, unit_square
from companion.vision.core.reading import Reading, Scale
from companion.vision.core.sightings import RUNNER_UP_BELOW, Sighting
from companion.vision.recognition.confidence_checks import final_corner_sighting, final_sighting

ANY = Scale(1.0, np.ones(len(ALL_CARDS) + 1, np.bool_))
QUAD: Quad = np.asarray(unit_square() * (100, 155) + (20, 20), np.float32)
YELLOW, ORANGE, GREY = (20, 210, 240), (20, 80, 230), (90, 90, 90)


def picture(ground: tuple[int, int, int], spot: tuple[int, int, int] | None = None) -> Image:
    """A card of one ground on a grey table, perhaps with a spot as in its middle."""
    image = np.full((200, 140, 3), GREY, np.uint8)
    image[20:175, 20:120] = ground
    if spot is not None:
        image[70:125, 30:110] = spot
    return image


def read(chances: dict[str, float], middle: dict[str, float] | None = None) -> Reading:
    """A whole card with these probabilities, and those that its middle had without its corners."""

    def logs(likely: dict[str, float]) -> np.ndarray:
        row = np.full(len(ALL_CARDS) + 1, -12.0, np.float32)
        for name, probability in likely.items():
            row[ALL_CARDS.index(Card.parse(name))] = np.log(probability)
        return row

    return Reading(QUAD, logs(chances), ANY, middle=None if middle is None else logs(middle))


def test_a_yellow_card_whose_ground_is_orange_is_red_but_not_beyond_doubt() -> None:
    yellow = read({"yellow 4": 0.99, "red 4": 0.01})
    reported = final_sighting(picture(ORANGE), yellow)
    assert [card.name for card in reported.cards[:2]] == ["red 4", "yellow 4"]
    assert 0.9 < reported.confidence < RUNNER_UP_BELOW
    assert final_sighting(picture(YELLOW), yellow).card.name == "yellow 4"
    # Orange that is not its ground is print, and a middle that corners dispute may be a picture.
    assert final_sighting(picture(GREY, ORANGE), yellow).card.name == "yellow 4"
    assert final_sighting(picture(ORANGE), yellow.capped(0.74)).card.name == "yellow 4"
    assert final_sighting(picture(ORANGE), read({"green 4": 0.99})).card.name == "green 4"
    # What a learnt deck's cards look like is known.
    assert final_sighting(picture(ORANGE), replace(yellow, membership=0.9)).card.name == "yellow 4"


@pytest.mark.parametrize(
    ("middle", "name"),
    [
        ({"red 1": 0.6, "red 7": 0.4}, "red 7"),
        ({"red 1": 0.95, "red 7": 0.05}, "red 1"),
        ({"red 1": 0.3, "red 7": 0.35, "red 4": 0.35}, "red 1"),
    ],
)
def test_a_1_whose_middle_may_as_well_be_a_7_is_a_slanted_7(middle: dict[str, float], name: str) -> None:
    reported = final_sighting(picture((40, 40, 200)), read({"red 1": 0.98, "red 7": 0.02}, middle))
    assert reported.card.name == name
    assert (reported.confidence < RUNNER_UP_BELOW) is (name == "red 7")


@pytest.mark.parametrize(
    ("corner", "name"),
    [
        ({"red 1": 0.6, "red 7": 0.3, "red 4": 0.1}, "red 7"),
        ({"red 1": 0.8, "red 7": 0.2}, "red 1"),
        ({"red 1": 0.4, "red 7": 0.25, "red 4": 0.35}, "red 1"),
        ({"red 4": 0.6, "red 7": 0.4}, "red 4"),
    ],
)
def test_a_corner_that_is_a_1_and_may_well_be_a_7_is_a_slanted_7(corner: dict[str, float], name: str) -> None:
    reported = final_corner_sighting(read(corner))
    assert reported.card.name == name
    assert reported.confidence == pytest.approx(max(corner.values()), abs=0.01)
    assert not reported.whole
    assert final_corner_sighting(replace(read(corner), membership=0.9)).card.name == next(iter(corner))


def test_where_a_card_s_fellows_are_barely_read_it_is_not_beyond_doubt() -> None:
    def open_card(confidence: float) -> Sighting:
        return Sighting(QUAD, (Card.parse("red 4"),), (confidence,), whole=True)

    def reported(*others: Sighting) -> float:
        return Calibration().in_picture([open_card(0.99), *others])[0].confidence

    assert reported(open_card(0.99), open_card(0.6)) < RUNNER_UP_BELOW
    assert reported(open_card(0.99), open_card(0.85)) == 0.99
    # One among many, a lone card's neighbour, or a corner says nothing of the picture.
    assert reported(*[open_card(0.99)] * 24, open_card(0.6)) == 0.99
    assert reported(open_card(0.6)) == 0.99
    assert reported(open_card(0.99), replace(open_card(0.6), whole=False)) == 0.99
