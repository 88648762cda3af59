"""A leftover hand read from several pictures."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from companion.cards import Card, EditionName, deck
from companion.vision.core.sightings import Sighting
from companion.vision.recognition.hand_merging import read_hand

pytestmark = pytest.mark.slow

DECK = deck(EditionName.MARIO_KART)
QUAD = np.array([[0, 0], [56, 0], [56, 87], [0, 87]], np.float32)


def seen(text: str) -> list[Sighting]:
    """Return sightings written as 'red 7 0.9 / red 1 0.05; wild 0.99'."""
    sightings = []
    for entry in filter(None, (part.strip() for part in text.split(";"))):
        pairs = [option.strip().rsplit(" ", 1) for option in entry.split("/")]
        cards = tuple(Card.parse(name) for name, _ in pairs)
        sightings.append(Sighting(QUAD, cards, tuple(float(p) for _, p in pairs), True))
    return sightings


@pytest.mark.parametrize(
    ("pictures", "expected", "hand"),
    [
        ([], None, ""),
        ([""], None, ""),
        (["red 7 0.9; wild 0.9"], None, "red 7, wild"),
        (["red 7 0.9; red 7 0.9"], None, "red 7, red 7"),
        (["red 7 0.9; wild 0.9", "red 7 0.9; blue 2 0.95; wild 0.9"], None, "red 7, wild, blue 2"),
        (["red 7 0.9; wild 0.9", "red 7 0.9; blue 2 0.95"], None, "red 7, wild, blue 2"),
        (["red 7 0.9; wild 0.9", "red 7 0.9; blue 2 0.5"], None, "red 7, wild"),
        (["red 7 0.9; wild 0.99", "red 7 0.9; blue 2 0.95"], 2, "red 7, wild"),
        (["red 7 0.55 / red 1 0.4; wild 0.9", "red 1 0.97; wild 0.9"], None, "red 1, wild"),
        (["red 7 0.98; wild 0.9", "red 1 0.6 / red 7 0.35; wild 0.9"], None, "red 7, wild"),
        (["red 7 0.9", "red 7 0.9", "red 1 0.95 / red 7 0.03"], 1, "red 7"),
        (["red 7 0.9", "red 7 0.9; red 7 0.8"], None, "red 7, red 7"),
        (["red 7 0.9; blue 2 0.9; green 4 0.9", "red 7 0.9; blue 2 0.9"], 2, "red 7, blue 2"),
    ],
)
def test_merging(pictures: list[str], expected: int | None, hand: str) -> None:
    reading = read_hand([seen(picture) for picture in pictures], expected)
    assert Counter(held.card for held in reading.cards) == Counter(Card.parse(n) for n in hand.split(", ") if n)


def test_missing_and_impossible() -> None:
    pictures = [seen("red 7 0.9; red 7 0.9; red 7 0.9; wild item box 0.9; blue skip 0.9")]
    reading = read_hand(pictures, expected=6, deck=DECK)
    assert reading.missing == 1
    assert reading.impossible == (Card.parse("red 7"),)


def test_every_card_remembers_its_picture() -> None:
    reading = read_hand([seen("red 7 0.9; wild 0.9"), seen("red 7 0.95; blue 2 0.95")])
    assert {(held.card.name, held.picture) for held in reading.cards} == {("red 7", 1), ("wild", 0), ("blue 2", 1)}
