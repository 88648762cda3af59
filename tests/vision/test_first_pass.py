"""The first pass reads one crop per rough outline; only a searched deck decides cards in it."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_card import bare_table, outline, with_card

from companion.cards import ALL_CARDS, EditionName
from companion.vision.core.geometry import turned
from companion.vision.recognition.card_detector import CardDetector
from companion.vision.recognition.reader import FirstPass, Reader

CARDS = ("red 7", "blue skip", "green 2")
QUADS = (outline((130, 150), 10), outline((330, 320), -20), outline((520, 140), 75))


@pytest.fixture(scope="module")
def reader() -> Reader:
    return CardDetector.shipped(EditionName.CLASSIC).reader


def passed(reader: Reader, shift: float = 0.0, turns: int = 0) -> FirstPass:
    """Return the first pass over three cards whose outlines are off by some pixels and turned by quarters."""
    image = bare_table()
    for card, quad in zip(CARDS, QUADS, strict=True):
        image = with_card(image, card, quad)
    return reader.first_pass(image, [np.asarray(turned(quad, turns) + shift, np.float32) for quad in QUADS])


@pytest.mark.parametrize("shift", [0.0, 4.0, -4.0])
@pytest.mark.parametrize("turns", [0, 2])
def test_every_outline_is_read_either_way_up(reader: Reader, shift: float, turns: int) -> None:
    first = passed(reader, shift, turns)
    assert [ALL_CARDS[one.top].name for one in first.predictions] == list(CARDS)


def test_outlines_are_refined(reader: Reader) -> None:
    for one, quad in zip(passed(reader, shift=5.0).predictions, QUADS, strict=True):
        off = min(np.abs(turned(one.outline, turns) - quad).mean() for turns in range(4))
        assert off < 2.5


def test_without_a_deck_nothing_is_settled(reader: Reader) -> None:
    first = passed(reader)
    assert first.confirmed == {}
    assert [one.membership for one in first.predictions] == [0.0] * len(CARDS)


def test_no_outlines_give_no_readings(reader: Reader) -> None:
    assert reader.first_pass(bare_table(), []).predictions == []
