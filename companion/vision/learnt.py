"""What a reader may be told of the looks of the deck on the table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from companion.vision.geometry import Image, Quad
from companion.vision.labels import Floats


@dataclass(frozen=True, eq=False)
class Placed:
    """Where one of the deck's pictures was found to lie.

    quad: its outline (4, 2). logs: (57,) log-likelihoods by how well each card's pictures fit there. belonging: how
    surely (0 to 1) it is of this deck.
    """

    quad: Quad
    logs: Floats
    belonging: float


class Deck(Protocol):
    """What is known of the looks of the deck on the table."""

    def weigh_cards(self, logs: Floats, features: Floats) -> tuple[Floats, Floats]:
        """Return what crops of whole cards show by their (N, 57) log-likelihoods and their (N, D) features.

        That is (N, 57) log-likelihoods, and (N,) how surely (0 to 1) each shows a card of this deck.
        """

    def weigh_indices(self, logs: Floats, features: Floats) -> tuple[Floats, Floats]:
        """Return the same of crops of indices."""

    def place_card(self, image: Image, rough: Quad) -> Placed | None:
        """Return how a card of the deck lies about a rough outline (4, 2), None where none fits there."""

    def place_index(self, image: Image, rough: Quad) -> Placed | None:
        """Return the same of an index about a rough frame that stands upright."""
