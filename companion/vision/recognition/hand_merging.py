"""A leftover hand from one or several pictures of it: a card hidden in one picture counts when another shows it.

Each picture is read by itself; the hands read are then merged as multisets of cards, weighed by how sure the readings
are: two pictures that call one card red 7 and red 1 must not make two cards of it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from companion.cards import Card, EditionName, deck
from companion.vision.core.sightings import Sighting

# Bounds of what one picture tells, in log-odds: against a card that it does not show, for it may be hidden there, and
# for one that it shows.
_UNSEEN, _SEEN = 1.0, 4.5


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

    One picture is taken at its word. Of several, each tells for and against every card that one of them shows, by the
    log-odds of its own reading of it; the likeliest `expected` cards are the hand, all likely ones where that is None.
    """
    if len(pictures) == 1:
        hand = [HandCard(0, sighting) for sighting in pictures[0]]
    else:
        copies = sorted(_copies(pictures), key=lambda copy: -copy.evidence)
        likely = [copy for copy in copies if copy.evidence > 0] if expected is None else copies[:expected]
        hand = [copy.best for copy in likely]
    return HandReading(tuple(hand), expected, _impossible(hand, edition))


@dataclass(frozen=True)
class _Copy:
    """The first, second ... card of a kind that a hand may hold: how surely it is there, and its best sighting."""

    evidence: float
    best: HandCard


def _copies(pictures: Sequence[Sequence[Sighting]]) -> Iterator[_Copy]:
    counts = [Counter(sighting.card for sighting in sightings) for sightings in pictures]
    most: Counter[Card] = Counter()
    for count in counts:
        most |= count
    for card, number in most.items():
        # A picture's n-th likeliest sighting of a card tells about the n-th copy, whatever it takes itself for.
        ranked = [sorted((s.probability(card) for s in sightings), reverse=True) for sightings in pictures]
        shown = [HandCard(i, s) for i, sightings in enumerate(pictures) for s in sightings if s.card == card]
        full = [held for held in shown if counts[held.picture][card] == number]
        # The copies are distinct cards, so their sightings come from one picture; a lone one is the surest of all.
        source = max(full, key=lambda held: held.sighting.confidence).picture
        own = sorted((held for held in shown if held.picture == source), key=lambda held: -held.sighting.confidence)
        for n in range(number):
            yield _Copy(sum(_log_odds(ps[n] if n < len(ps) else 0.0) for ps in ranked), own[n])


def _log_odds(probability: float) -> float:
    odds = math.log((probability + 1e-9) / (1 - probability + 1e-9))
    return max(-_UNSEEN, min(_SEEN, odds))


def _impossible(hand: Sequence[HandCard], edition: EditionName | None) -> tuple[Card, ...]:
    if edition is None:
        return ()
    held = Counter(card.card for card in hand)
    return tuple(card for card, count in held.items() if count > deck(edition)[card])
