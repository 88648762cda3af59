"""Cards of UNO and its siblings: what is printed on them, what they are worth, which deck holds how many.

Everything else builds on this module; it imports nothing of ours. Names, points and compositions are those of
RULES.md, section 1.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import Enum
from functools import cache, cached_property


class QuickHash:
    """An enum's members are singletons: their identity will do, where Enum's own hash takes a call of Python each time.

    It took a tenth of the referee's time, which looks rules and cards up with every move.
    """

    __hash__ = object.__hash__


class Color(QuickHash, Enum):
    """A colour that a card can have, or that can be chosen for a wild."""

    __hash__ = object.__hash__  # members are one of a kind; Enum's own hashes the name, slowly, a million times a match

    RED = "red"
    YELLOW = "yellow"
    GREEN = "green"
    BLUE = "blue"


class Face(QuickHash, Enum):
    """What a card shows, leaving its colour out. The value is the face's name."""

    __hash__ = object.__hash__  # members are one of a kind; Enum's own hashes the name, slowly, a million times a match

    ZERO = "0"
    ONE = "1"
    TWO = "2"
    THREE = "3"
    FOUR = "4"
    FIVE = "5"
    SIX = "6"
    SEVEN = "7"
    EIGHT = "8"
    NINE = "9"
    DRAW_TWO = "draw two"
    REVERSE = "reverse"
    SKIP = "skip"
    WILD = "wild"
    WILD_DRAW_FOUR = "wild draw four"
    WILD_ITEM_BOX = "wild item box"
    WILD_CREEPER = "wild creeper"

    @property
    def is_number(self) -> bool:
        """Whether the face is a digit."""
        return self.value.isdigit()

    @property
    def is_wild(self) -> bool:
        """Whether cards with this face have no colour of their own."""
        return self.value.startswith("wild")

    @property
    def points(self) -> int:
        """Points of a card left in a hand (R1)."""
        if self.is_number:
            return int(self.value)
        return 50 if self.is_wild else 20


class Item(Enum):
    """The item in the corner of a UNO Mario Kart card."""

    MUSHROOM = "mushroom"
    BANANA_PEEL = "banana peel"
    GREEN_SHELL = "green shell"
    LIGHTNING = "lightning"
    BOB_OMB = "bob-omb"


_ITEM_OF_COLOR = {
    Color.RED: Item.MUSHROOM,
    Color.YELLOW: Item.BANANA_PEEL,
    Color.GREEN: Item.GREEN_SHELL,
    Color.BLUE: Item.LIGHTNING,
}


class UnknownCardError(ValueError):
    """A text that names no card. `name` is the text. suggestion: a card with a similar name."""

    def __init__(self, name: str, suggestion: str | None = None) -> None:
        super().__init__(f"no card is called {name!r}{f'; did you mean {suggestion}?' if suggestion else ''}")
        self.name = name


@dataclass(frozen=True)
class Card:
    """One kind of card: a face, and a colour unless the face is wild.

    Raises ValueError where a wild face is given a colour, or another face none.
    """

    face: Face
    color: Color | None = None

    def __post_init__(self) -> None:
        if self.face.is_wild != (self.color is None):
            raise ValueError(f"{self.face.value!r} cannot have the colour {self.color}")

    @cached_property
    def name(self) -> str:
        """The card's name as files, the API and the screen use it, such as 'red 7' or 'wild draw four'."""
        return self.face.value if self.color is None else f"{self.color.value} {self.face.value}"

    @property
    def points(self) -> int:
        """Points of the card left in a hand (R1)."""
        return self.face.points

    @property
    def item(self) -> Item:
        """The item that the card carries in UNO Mario Kart, which follows from its colour (RULES.md, section 1)."""
        return Item.BOB_OMB if self.color is None else _ITEM_OF_COLOR[self.color]

    @classmethod
    def parse(cls, name: str) -> Card:
        """Return the card with this name; raises UnknownCardError."""
        card = _cards_by_name().get(name)
        if card is None:
            raise UnknownCardError(name)
        return card

    def __str__(self) -> str:
        return self.name


COLORED_FACES = tuple(face for face in Face if not face.is_wild)
WILD_FACES = tuple(face for face in Face if face.is_wild)

ALL_CARDS: tuple[Card, ...] = (
    *(Card(face, color) for color in Color for face in COLORED_FACES),
    *(Card(face) for face in WILD_FACES),
)


@cache
def _cards_by_name() -> dict[str, Card]:
    return {card.name: card for card in ALL_CARDS}


class EditionName(Enum):
    """The editions whose decks are known."""

    MARIO_KART = "mario-kart"
    MINECRAFT = "minecraft"
    CLASSIC = "classic"


_WILDS_OF_EDITION = {
    EditionName.MARIO_KART: {Face.WILD_DRAW_FOUR: 4, Face.WILD_ITEM_BOX: 8},
    EditionName.MINECRAFT: {Face.WILD: 4, Face.WILD_DRAW_FOUR: 4, Face.WILD_CREEPER: 4},
    EditionName.CLASSIC: {Face.WILD: 4, Face.WILD_DRAW_FOUR: 4},
}


@cache
def deck(edition: EditionName) -> Counter[Card]:
    """Return how many of each card the edition's deck holds (RULES.md, section 1). Treat the answer as read-only."""
    cards = Counter({Card(face, color): 1 if face is Face.ZERO else 2 for color in Color for face in COLORED_FACES})
    cards.update({Card(face): count for face, count in _WILDS_OF_EDITION[edition].items()})
    return cards
