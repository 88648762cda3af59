"""A leftover hand from one or several pictures of it: a card hidden in one picture counts when another shows it.

Each picture is read by itself; the hands read are then merged as multisets of cards. A card seen n times in one picture
is there at least n times, so the merged count of a card is its highest count in any picture, weighed by how sure the
readings are: two pictures that call one card red 7 and red 1 must not make two cards of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from companion.cards import Card, EditionName, deck
from companion.vision.sightings import UNSURE_BELOW, Sighting


@dataclass(frozen=True)
class HandCard:
    """One card of a hand: its best reading's picture number and sighting."""

    picture: int
    sighting: Sighting

    @property
    def card(self) -> Card:
        """What the card is taken to be."""
        return self.sighting.card


@dataclass(frozen=True)
class HandReading:
    """The cards of one hand, with what is doubtful about it.

    expected: the count kept by the referee, None where there is none. impossible: cards of which more were read than
    the deck holds.
    """

    cards: tuple[HandCard, ...]
    expected: int | None
    impossible: tuple[Card, ...]

    @property
    def points(self) -> int:
        """Points of the cards (R1)."""
        return sum(card.card.points for card in self.cards)

    @property
    def missing(self) -> int:
        """How many cards fewer than expected were found; negative where there are more, 0 where none were expected."""
        return 0 if self.expected is None else self.expected - len(self.cards)


def read_hand(
    pictures: Sequence[Sequence[Sighting]], expected: int | None = None, edition: EditionName | None = None
) -> HandReading:
    """Return the hand that the sightings of one or several pictures of it show.

    The picture that fits best (the most cards; nearest to `expected` where that is given) is the base. Cards that other
    pictures show surely and more often than the merged hand holds are added; where `expected` is given, only as many.
    """
    counted = [(i, list(sightings)) for i, sightings in enumerate(pictures)]
    if not counted:
        return HandReading((), expected, ())
    base, sightings = max(counted, key=lambda item: _fit(item[1], expected))
    hand = [HandCard(base, sighting) for sighting in sightings]
    for i, others in counted:
        if i != base:
            hand = _merged(hand, i, others, expected)
    return HandReading(tuple(hand), expected, _impossible(hand, edition))


def _fit(sightings: Sequence[Sighting], expected: int | None) -> tuple[float, float]:
    count = len(sightings)
    sure = float(np.sum([s.confidence for s in sightings]))
    return (float(count), sure) if expected is None else (-abs(count - expected), sure)


def _merged(hand: list[HandCard], picture: int, sightings: Sequence[Sighting], expected: int | None) -> list[HandCard]:
    """Return the hand bettered by one more picture: doubtful cards settled by sure ones, hidden cards added."""
    hand = list(hand)
    unmatched = list(sightings)
    doubtful: list[int] = []
    for i, held in enumerate(hand):
        twin = next((s for s in unmatched if s.card == held.card), None)
        if twin is None:
            doubtful.append(i)
            continue
        unmatched.remove(twin)
        if twin.confidence > held.sighting.confidence:
            hand[i] = HandCard(picture, twin)
    for sighting in sorted(unmatched, key=lambda s: -s.confidence):
        # A reading that a doubtful card's own candidates allow for is that card, read better here.
        rival = max(doubtful, key=lambda i: hand[i].sighting.probability(sighting.card), default=None)
        if rival is not None and (
            hand[rival].sighting.probability(sighting.card) > 0.02 or sighting.probability(hand[rival].card) > 0.02
        ):
            doubtful.remove(rival)
            if sighting.confidence > hand[rival].sighting.confidence:
                hand[rival] = HandCard(picture, sighting)
        elif sighting.confidence >= UNSURE_BELOW and (expected is None or len(hand) < expected):
            hand.append(HandCard(picture, sighting))
    return hand


def _impossible(hand: Sequence[HandCard], edition: EditionName | None) -> tuple[Card, ...]:
    if edition is None:
        return ()
    held = Counter(card.card for card in hand)
    return tuple(card for card, count in held.items() if count > deck(edition)[card])
