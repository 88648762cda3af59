"""Helpers shared by the server's tests."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from flask.testing import FlaskClient

from companion.cards import Card
from companion.vision.core.geometry import Image
from companion.vision.core.sightings import Sighting

Join = Callable[..., FlaskClient]

MATCH = {"edition": "mario-kart", "players": ["Ann", "Ben", "Cy"]}


class StubReader:
    """Stands in for the networks: finds the cards that a test says are in every picture, or in one of some width."""

    def __init__(self) -> None:
        self.cards = ["red 7"]
        self.by_width: dict[int, list[str]] = {}

    def __call__(self, image: Image) -> list[Sighting]:
        quad = np.array([[10, 10], [40, 10], [40, 60], [10, 60]], np.float32)
        cards = self.by_width.get(image.shape[1], self.cards)
        return [Sighting(quad + 5 * i, (Card.parse(name),), (0.99,), True) for i, name in enumerate(cards)]
