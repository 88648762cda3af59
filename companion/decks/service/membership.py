"""Decides whether the cards read belong to the learnt deck, by their likeness to its pictures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from companion.cards import Card
from companion.decks.storage.deck_file import LearntDeck
from companion.vision.core.geometry import Image, intersection_over_smaller
from companion.vision.core.logit import logistic
from companion.vision.core.sightings import NEARLY, Sighting
from companion.vision.recognition.reader import Reader


class DeckFit:
    """Compares open cards with the deck's while they are read.

    The log-odds that they show a learnt face are 3.5 in the mean of 116 open cards of nine printed decks, 3.0 for the
    lowest deck, and 2.6 for a deck with pictures from edge to edge. For 223 cards read with other designs' decks they
    are 0.0, for one of 18 pairs 2.0, for the others at most 1.5.
    """

    def __init__(self, deck: LearntDeck) -> None:
        self._cards = frozenset(deck.cards)
        # Log-odds of each card seen that it is of the deck; a card that stays counts once.
        self._odds: dict[Card, float] = {}

    def see(self, reader: Reader, image: Image, sightings: Sequence[Sighting]) -> None:
        """Process the cards read in a (H, W, 3) BGR uint8 picture by a reader with the deck.

        In a hand most of a card's outline shows its neighbours, so cards that overlap with others do not count.
        """
        seen = [one for one in sightings if one.whole and one.card in self._cards and not _overlaps(one, sightings)]
        for one, odds in zip(seen, reader.deck_odds(image, [one.quad for one in seen]), strict=False):
            self._odds[one.card] = float(odds)

    @property
    def is_another(self) -> bool:
        """Whether the cards seen so far are less than nearly certain in the mean, by more than its standard error."""
        odds = np.array([*self._odds.values()])
        return len(odds) > 1 and bool(logistic(odds.mean() + odds.std(ddof=1) / np.sqrt(len(odds))) < NEARLY)


def _overlaps(one: Sighting, sightings: Sequence[Sighting]) -> bool:
    return any(intersection_over_smaller(one.quad, other.quad) > 0 for other in sightings if other is not one)
