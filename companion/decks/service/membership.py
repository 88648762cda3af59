"""Decides whether the cards read belong to the learnt deck, by comparison with its pictures."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from companion.cards import Card
from companion.decks.model.card_views import outline
from companion.decks.model.thumbnails import both_ways, small
from companion.decks.storage.deck_file import LearntDeck
from companion.vision.core.geometry import Image, Quad, intersection_over_smaller
from companion.vision.core.labels import Floats
from companion.vision.core.sightings import Sighting

# Minimum correlation of a card of the deck: under other light on another table nine of ten cards of two decks had at
# least 0.88, of five other designs less than 0.79.
_MIN_CORRELATION = 0.82
# Overlap from which a card may be covered.
_COVERED_OVERLAP = 0.1
# Minimum number of different whole cards for a decision, and number of latest ones it uses.
_MIN_CARDS, _RECENT_CARDS = 3, 12


class DeckSimilarity:
    """Similarities of cards to a deck's stored pictures."""

    def __init__(self, pictures: Sequence[Image]) -> None:
        self._known = np.stack([small(picture, outline()) for picture in pictures])

    def of(self, image: Image, card: Quad) -> Floats:
        """Return (P,) the similarity of a card, outline (4, 2) in a (H, W, 3) BGR uint8 picture, to each picture."""
        return np.asarray(both_ways(small(image, card)[None], self._known).max(0)[0], np.float32)


def _may_be_covered(cards: Sequence[Quad]) -> NDArray[np.bool_]:
    """Return (N,) which of the outlines (4, 2) overlap others."""
    shares = [[intersection_over_smaller(a, b) for b in cards if b is not a] for a in cards]
    return np.array([max(row, default=0.0) >= _COVERED_OVERLAP for row in shares], bool)


def agreement(pictures: Sequence[Image], cards: Sequence[int]) -> float:
    """Return the median similarity of stored pictures, of cards by number, to their most similar copy; 1 without
    copies.

    Cards outlined inconsistently, such as black ones on black ones, are not similar.
    """
    seen = np.stack([small(picture, outline()) for picture in pictures])
    labels = np.asarray(cards)
    copies = (labels[:, None] == labels) & ~np.eye(len(labels), dtype=bool)
    pairwise = np.where(copies, both_ways(seen, seen).max(0), -1.0)
    return float(np.median(pairwise.max(1)[copies.any(1)])) if copies.any() else 1.0


class DeckFit:
    """Compares whole cards with the deck's pictures while they are read."""

    def __init__(self, deck: LearntDeck) -> None:
        self._similarity, self._cards = DeckSimilarity(deck.pictures), deck.cards
        self._correlations: dict[Card, float] = {}

    def see(self, image: Image, sightings: Sequence[Sighting]) -> None:
        """Process the cards read in a (H, W, 3) BGR uint8 picture; of overlapping ones the most similar counts."""
        whole = [sighting for sighting in sightings if sighting.whole and sighting.card in self._cards]
        similarity = [_to(self._similarity.of(image, one.quad), self._cards, one.card) for one in whole]
        covered = _may_be_covered([one.quad for one in whole])
        shown = max(compress(similarity, covered), default=0.0)
        for sighting, correlation, may_be_covered in zip(whole, similarity, covered, strict=True):
            if may_be_covered and correlation < shown:
                continue
            # A card that stays counts once.
            self._correlations.pop(sighting.card, None)
            self._correlations[sighting.card] = correlation
        for card in list(self._correlations)[:-_RECENT_CARDS]:
            del self._correlations[card]

    @property
    def is_another(self) -> bool:
        """Whether most of the cards seen so far are of another design."""
        return (
            len(self._correlations) >= _MIN_CARDS
            and float(np.median(list(self._correlations.values()))) < _MIN_CORRELATION
        )


def is_similar_picture(deck: LearntDeck, picture: Image) -> bool:
    """Return whether a stored picture is as similar to the deck's as an unseen face would be."""
    return float(DeckSimilarity(deck.laid).of(picture, outline()).max()) >= _MIN_CORRELATION


def _to(similarity: Floats, cards: Sequence[Card], card: Card) -> float:
    return max(float(value) for value, other in zip(similarity, cards, strict=True) if other == card)
