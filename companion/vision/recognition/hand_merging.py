"""Merges the cards of a leftover hand read from one or several pictures; a card hidden in one picture may be visible in
another.

Each picture is read by itself. The hands are then merged as multisets weighted by confidence: two pictures that read
one card as red 7 and red 1 must not make two cards of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from companion.cards import Card
from companion.vision.core.logit import log_odds
from companion.vision.core.sightings import Sighting

# Bounds of one picture's evidence in log-odds: against a card it does not show (the card may be hidden), and for a card
# it shows.
_UNSEEN, _SEEN = 1.0, 4.5


@dataclass(frozen=True)
class HandCard:
    """One card of a hand: its best sighting and the number of the picture it is from."""

    picture: int
    sighting: Sighting

    @property
    def card(self) -> Card:
        """The most probable card."""
        return self.sighting.card


@dataclass(frozen=True)
class HandReading:
    """The cards of one hand and its inconsistencies.

    expected: the count kept by the referee, None if unknown. impossible: cards read more often than the deck holds
    them.
    """

    cards: tuple[HandCard, ...]
    expected: int | None
    impossible: tuple[Card, ...]

    @property
    def missing(self) -> int:
        """Number of cards missing from the expected count; negative if there are too many, 0 if none was given."""
        return 0 if self.expected is None else self.expected - len(self.cards)


def read_hand(
    pictures: Sequence[Sequence[Sighting]], expected: int | None = None, deck: Mapping[Card, int] | None = None
) -> HandReading:
    """Return the hand shown by the sightings of one or several pictures.

    deck: how many of each card there are, None if unknown. A single picture is used as read. With several, each adds
    log-odds for and against every card that any of them shows; the hand is the `expected` most probable cards, or all
    probable ones if that is None.
    """
    if len(pictures) == 1:
        hand = [HandCard(0, sighting) for sighting in pictures[0]]
    else:
        copies = sorted(_copies(pictures), key=lambda copy: -copy.evidence)
        likely = [copy for copy in copies if copy.evidence > 0] if expected is None else copies[:expected]
        hand = [copy.best for copy in likely]
    return HandReading(tuple(hand), expected, _impossible(hand, deck))


@dataclass(frozen=True)
class _Copy:
    """The first, second, ... copy of a card in a hand: its log-odds and its best sighting."""

    evidence: float
    best: HandCard


def _copies(pictures: Sequence[Sequence[Sighting]]) -> Iterator[_Copy]:
    counts = [Counter(sighting.card for sighting in sightings) for sightings in pictures]
    most: Counter[Card] = Counter()
    for count in counts:
        most |= count
    for card, number in most.items():
        # A picture's n-th most probable sighting of a card is evidence for the n-th copy.
        ranked = [sorted((s.probability(card) for s in sightings), reverse=True) for sightings in pictures]
        shown = [HandCard(i, s) for i, sightings in enumerate(pictures) for s in sightings if s.card == card]
        full = [held for held in shown if counts[held.picture][card] == number]
        # Copies are distinct cards, so their sightings come from one picture; a single copy uses the most confident
        # one.
        source = max(full, key=lambda held: held.sighting.confidence).picture
        own = sorted((held for held in shown if held.picture == source), key=lambda held: -held.sighting.confidence)
        for n in range(number):
            yield _Copy(sum(_bounded_odds(ps[n] if n < len(ps) else 0.0) for ps in ranked), own[n])


def _bounded_odds(probability: float) -> float:
    return max(-_UNSEEN, min(_SEEN, log_odds(probability)))


def _impossible(hand: Sequence[HandCard], deck: Mapping[Card, int] | None) -> tuple[Card, ...]:
    if deck is None:
        return ()
    held = Counter(card.card for card in hand)
    return tuple(card for card, count in held.items() if count > deck.get(card, 0))
