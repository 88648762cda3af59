"""Open cards that are corrected after the fusion, and their remaining doubt."""

from __future__ import annotations

import numpy as np
import pytest

from companion.cards import ALL_CARDS, Card
from companion.vision.core.corrections import corrected, corrected_seven
from companion.vision.core.geometry import unit_square
from companion.vision.core.sightings import FAIRLY, RUNNER_UP_BELOW, Sighting

YELLOW, ORANGE = 50.0, 20.0
PLAIN, MIXED = 0.8, 0.2


def seen(first: str, second: str, confidence: float = 0.98) -> Sighting:
    cards = (Card.parse(first), Card.parse(second))
    return Sighting(unit_square(), cards, (confidence, 1 - confidence), whole=True)


def chances(likely: dict[str, float]) -> np.ndarray:
    row = np.full(len(ALL_CARDS) + 1, 1e-6)
    for name, probability in likely.items():
        row[ALL_CARDS.index(Card.parse(name))] = probability
    return row


def test_a_yellow_card_whose_ground_is_orange_is_red_but_not_beyond_doubt() -> None:
    middle = chances({"yellow 4": 0.98})
    reported = corrected(seen("yellow 4", "red 4"), middle, ORANGE, PLAIN)
    assert [card.name for card in reported.cards] == ["red 4", "yellow 4"]
    assert 0.9 < reported.confidence < RUNNER_UP_BELOW
    assert corrected(seen("yellow 4", "red 4"), middle, YELLOW, PLAIN).card.name == "yellow 4"
    assert corrected(seen("green 4", "red 4"), middle, ORANGE, PLAIN).card.name == "green 4"


def test_a_yellow_card_between_red_neighbours_stays_yellow() -> None:
    """A card in a fan shows parts of others, so that its outline has no ground of one hue."""
    reported = corrected(seen("yellow 4", "red 4"), chances({"yellow 4": 0.98}), ORANGE, MIXED)
    assert reported.card.name == "yellow 4"


@pytest.mark.parametrize(
    ("corner", "name"),
    [
        ({"red 1": 0.6, "red 7": 0.35}, "red 7"),
        ({"red 1": 0.8, "red 7": 0.15}, "red 1"),
        ({"red 1": 0.4, "red 7": 0.3, "red 4": 0.3}, "red 1"),
    ],
)
def test_a_corner_1_that_may_be_a_7_is_a_slanted_7(corner: dict[str, float], name: str) -> None:
    assert corrected_seven(seen("red 1", "red 7"), chances(corner), FAIRLY).card.name == name


@pytest.mark.parametrize(
    ("middle", "name"),
    [
        ({"red 1": 0.6, "red 7": 0.4}, "red 7"),
        ({"red 1": 0.95, "red 7": 0.05}, "red 1"),
        ({"red 1": 0.3, "red 7": 0.35, "red 4": 0.35}, "red 1"),
    ],
)
def test_a_1_whose_middle_may_be_a_7_is_a_slanted_7(middle: dict[str, float], name: str) -> None:
    reported = corrected(seen("red 1", "red 7"), chances(middle), 0.0, PLAIN)
    assert reported.card.name == name
    assert (reported.confidence < RUNNER_UP_BELOW) is (name == "red 7")
