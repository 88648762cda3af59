"""Whether the cards that were read are of the learnt deck at all: their pictures beside those it was learnt from."""

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

# Correlation under which a card is of another design: in other light on another table nine of ten cards of two designs
# had 0.88 and more with their own deck's pictures; of five other designs nine of ten had less than 0.79.
_LIKE = 0.82
# Of all cards in a picture that lie whole, that which is most like a picture of the deck had 0.74 and more in each of
# 86 pictures of four decks, and less than 0.63 in 171 of 172 pictures of other decks; the last one's was a like design.
# In a mirror no card of 164 pictures of other decks had more than 0.5.
_LIKE_ANY = 0.68
# What others may lie on, as it shares so much of its outline with theirs, is less like its picture: in 3 of 114 hands
# of eight decks the likest card had between this and the above, in 3 of 732 hands of other designs.
_HIDDEN, _LIKE_THOUGH_HIDDEN = 0.1, 0.6
# So many different whole cards must have been read for a judgement, which rests on the last so many.
_ENOUGH, _LAST = 3, 12


class Likes:
    """How like cards are to a deck's kept pictures."""

    def __init__(self, pictures: Sequence[Image]) -> None:
        self._known = np.stack([small(picture, outline()) for picture in pictures])

    def of(self, image: Image, card: Quad) -> Floats:
        """Return (P,) how like the card in an outline (4, 2) of a (H, W, 3) BGR uint8 picture is to each picture."""
        return np.asarray(both_ways(small(image, card)[None], self._known).max(0)[0], np.float32)

    def are_of_another(self, image: Image, cards: Sequence[Quad]) -> bool:
        """Whether of the cards that lie whole in a picture none is like any of the deck; not where there is none.

        The camera may mirror: a card that is like one of the deck in a mirror is of the deck.
        """
        if not cards:
            return False
        seen = np.stack([small(image, card) for card in cards])
        least = np.where(_may_be_hidden(cards), _LIKE_THOUGH_HIDDEN, _LIKE_ANY)
        ways = (seen, seen[:, :, ::-1])
        return all(bool((both_ways(one, self._known).max((0, 2)) < least).all()) for one in ways)


def _may_be_hidden(cards: Sequence[Quad]) -> NDArray[np.bool_]:
    """Return (N,) which of the outlines (4, 2) others overlap."""
    shares = [[intersection_over_smaller(a, b) for b in cards if b is not a] for a in cards]
    return np.array([max(row, default=0.0) >= _HIDDEN for row in shares], bool)


def agreement(pictures: Sequence[Image], cards: Sequence[int]) -> float:
    """Return how like kept pictures, of cards by number, are to the likest copy of theirs: the median, 1 without any.

    What was outlined otherwise each time, as a black card on others, is unlike itself.
    """
    seen = np.stack([small(picture, outline()) for picture in pictures])
    labels = np.asarray(cards)
    copies = (labels[:, None] == labels) & ~np.eye(len(labels), dtype=bool)
    alike = np.where(copies, both_ways(seen, seen).max(0), -1.0)
    return float(np.median(alike.max(1)[copies.any(1)])) if copies.any() else 1.0


class DeckFit:
    """Compares whole cards as they are read with the deck's pictures of them."""

    def __init__(self, deck: LearntDeck) -> None:
        self._likes, self._cards = Likes(deck.pictures), deck.cards
        self._likeness: dict[Card, float] = {}

    def see(self, image: Image, sightings: Sequence[Sighting]) -> None:
        """Take the cards read in a (H, W, 3) BGR uint8 picture, of those that lie on each other the likest."""
        whole = [sighting for sighting in sightings if sighting.whole and sighting.card in self._cards]
        similarity = [_to(self._likes.of(image, one.quad), self._cards, one.card) for one in whole]
        hidden = _may_be_hidden([one.quad for one in whole])
        shown = max(compress(similarity, hidden), default=0.0)
        for sighting, like, may_be_hidden in zip(whole, similarity, hidden, strict=True):
            if may_be_hidden and like < shown:
                continue
            # A card that lies there for long is one card.
            self._likeness.pop(sighting.card, None)
            self._likeness[sighting.card] = like
        for card in list(self._likeness)[:-_LAST]:
            del self._likeness[card]

    @property
    def is_another(self) -> bool:
        """Whether most of the cards seen so far are of another design."""
        return len(self._likeness) >= _ENOUGH and float(np.median(list(self._likeness.values()))) < _LIKE


def fits(deck: LearntDeck, picture: Image) -> bool:
    """Return whether a kept picture is like one of the deck's, as a face that was not laid is like others."""
    return float(Likes(deck.laid).of(picture, outline()).max()) >= _LIKE


def _to(similarity: Floats, cards: Sequence[Card], card: Card) -> float:
    return max(float(alike) for alike, other in zip(similarity, cards, strict=True) if other == card)
