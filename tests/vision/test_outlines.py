"""One outline per card: a card's own corner is no second card."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from companion.cards import Card
from companion.vision.core.geometry import Quad, unit_square
from companion.vision.core.sightings import Sighting
from companion.vision.recognition.outlines import drop_duplicate_corners

QUAD: Quad = np.asarray(unit_square() * (100, 155) + (200, 200), np.float32)


def sighting(name: str, confidence: float, away: float = 0.0, whole: bool = False) -> Sighting:
    return Sighting(np.asarray(QUAD + np.array([away, 0.0]), np.float32), (Card.parse(name),), (confidence,), whole)


def test_a_doubtful_corner_beside_a_card_that_reads_alike_is_its_own() -> None:
    card = sighting("green 8", 0.99, whole=True)
    for echo in (sighting("green 8", 0.5), sighting("green 8", 0.5, -40)):
        assert drop_duplicate_corners([card, echo]) == [card]
    others = (
        sighting("green 8", 0.9),
        sighting("green 8", 0.5, 250),
        sighting("green 3", 0.5),
        replace(sighting("green 8", 0.5), whole=True),
    )
    for other in others:
        assert drop_duplicate_corners([card, other]) == [card, other]
    small = replace(sighting("red 2", 0.7), quad=np.asarray(unit_square() * (40, 62) + (210, 300), np.float32))
    assert drop_duplicate_corners([card, small]) == [card]
    outside = replace(small, quad=small.quad + np.float32(200))
    assert drop_duplicate_corners([card, outside]) == [card, outside]
    assert len(drop_duplicate_corners([card, sighting("green 8", 0.5), sighting("green 8", 0.5)])) == 3
    assert drop_duplicate_corners([]) == []
