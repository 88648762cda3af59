"""The cards of an edition as vision needs them: what readings mean, and a number of ALL_CARDS for each learnt card."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache

import numpy as np

from companion.cards import ALL_CARDS, Card, Color, Face
from companion.editions import Edition
from companion.editions.edition import STANDARD
from companion.vision.core.deck_cards import DeckCards
from companion.vision.recognition.reader import Reader


def cards_meant(edition: Edition) -> Mapping[Card, tuple[Card, ...]]:
    """Return the edition's cards by the printed card that the networks may take for them (EDITIONS.md, `reads_as`).

    Cards without such a printed card may be read as any card of their kind that the deck does not have otherwise.
    """
    meant = {card: edition.cards_read_as(card) for card in ALL_CARDS}
    found = {card for cards in meant.values() for card in cards}
    unread = [card for card in edition.deck if card not in found]
    for card in [card for card, cards in meant.items() if not cards]:
        meant[card] = tuple(other for other in unread if _is_of_kind(edition, other, card))
    return meant


def deck_cards(edition: Edition) -> DeckCards:
    """Return what the networks' readings mean in an edition whose deck was not learnt."""
    return DeckCards.printed(edition.base) if edition.is_printed else DeckCards(cards_meant(edition))


def _is_of_kind(edition: Edition, card: Card, printed: Card) -> bool:
    """Return whether a card may be read as a printed one by its colour: both wild, or of one colour, or unknown."""
    if card.color is None or printed.color is None:
        return card.color is printed.color
    return edition.colors[card.color].reads_as in (printed.color, None)


class LearntCards:
    """A number of ALL_CARDS for each card of an edition, by which a learnt deck's pictures are named.

    Printed faces keep their own, special ones get those that the deck does not use. If there are too few, faces share
    a number: they are asked for when it is read.
    """

    def __init__(self, edition: Edition) -> None:
        self.edition = edition
        self._colors = _printed_colors(edition)
        self._numbers: dict[Card, int] = {}
        special = [card for card in edition.deck if not self._keeps(card)]
        for card in edition.deck:
            if self._keeps(card):
                self._numbers[card] = ALL_CARDS.index(Card(card.face, self._colors[card.color]))
        for face in dict.fromkeys(card.face for card in special):
            self._place([card for card in special if card.face is face])

    def _keeps(self, card: Card) -> bool:
        """Return whether a card is named by its own printed face."""
        own = card.face in STANDARD or card.face in self.edition.face_rules(card.face).reads_as
        return own and (card.color is None or self.edition.colors[card.color].reads_as is not None)

    def _place(self, cards: Sequence[Card]) -> None:
        """Number the cards of one face, all by one printed face if any is free for all of them."""
        used = set(self._numbers.values())
        likely = (cards[0].face, *self.edition.face_rules(cards[0].face).reads_as)
        faces = [face for face in (*likely, *Face) if face in Face and face.is_wild == cards[0].face.is_wild]
        numbers = [[ALL_CARDS.index(Card(face, self._colors[card.color])) for card in cards] for face in faces]
        free = (row for row in numbers if used.isdisjoint(row))
        self._numbers.update(zip(cards, next(free, numbers[0]), strict=True))

    @cached_property
    def cards(self) -> Mapping[int, tuple[Card, ...]]:
        """The edition's cards by number."""
        found: dict[int, tuple[Card, ...]] = {}
        for card, number in self._numbers.items():
            found[number] = (*found.get(number, ()), card)
        return found

    @cached_property
    def held(self) -> Counter[Card]:
        """How many copies the deck has of the cards of each number, by the printed card of that number."""
        copies: Counter[Card] = Counter()
        for card, number in self._numbers.items():
            copies[ALL_CARDS[number]] += self.edition.deck[card]
        return copies

    @property
    def alike(self) -> tuple[Card, ...]:
        """The cards that share a number, so that they are asked for."""
        return tuple(card for cards in self.cards.values() if len(cards) > 1 for card in cards)

    def number(self, card: Card) -> int:
        """Return a card's number; a printed card that the edition does not have keeps its own."""
        known = self._numbers.get(card)
        return ALL_CARDS.index(card) if known is None else known

    def card(self, number: int) -> Card:
        """Return the first card of a number, the printed one if the edition has none."""
        return self.cards.get(number, (ALL_CARDS[number],))[0]

    def reader(self, reader: Reader) -> Reader:
        """Return the reader whose numbers stand for the edition's cards."""
        return reader if self.edition.is_printed else reader.with_deck_cards(self.deck_cards())

    def deck_cards(self) -> DeckCards:
        """Return what the numbers mean, and how readings of printed cards are shared among them."""
        if self.edition.is_printed:
            return DeckCards.printed(self.edition.base)
        shares = np.zeros((len(ALL_CARDS), len(ALL_CARDS)), np.float32)
        for printed, cards in cards_meant(self.edition).items():
            numbers = {self._numbers[card] for card in cards}
            shares[ALL_CARDS.index(printed), list(numbers)] = 1 / max(1, len(numbers))
        return DeckCards({ALL_CARDS[number]: cards for number, cards in self.cards.items()}, shares)


@lru_cache(maxsize=16)
def learnt_cards(edition: Edition) -> LearntCards:
    """Return the numbers of an edition's cards."""
    return LearntCards(edition)


def _printed_colors(edition: Edition) -> Mapping[Color | None, Color | None]:
    """Return a printed colour for each colour of the edition: the one it is read as, else one that no other has."""
    reads_as = {color: rules.reads_as for color, rules in edition.colors.items()}
    free = [color for color in Color if color not in reads_as.values()]
    found: dict[Color | None, Color | None] = {None: None}
    for place, (color, printed) in enumerate(reads_as.items()):
        found[color] = printed or (free.pop(0) if free else list(Color)[place % len(Color)])
    return found
