"""Cards: colours, faces and names, and the printed decks that the networks are trained on.

Everything else builds on this module; it imports nothing of ours. Names, points and compositions are those of
RULES.md, section 1. Editions with cards of their own are in `companion.editions`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import Enum
from functools import cache, cached_property
from typing import Any, Self
from weakref import WeakValueDictionary


class QuickHash:
    """Hashes enum members by identity, as they are singletons. Enum's own hash took a tenth of the referee's time."""

    __hash__ = object.__hash__


class OpenEnum(QuickHash, Enum):
    """An enum of IDs: its members are the printed ones, `named` makes those that only some editions have."""

    __hash__ = object.__hash__  # a subclass of Enum would get Enum's hash back

    @classmethod
    def named(cls, value: str) -> Self:
        """Return the member with this value, or the same unlisted one for each call with another value.

        Unlisted ones compare and hash by identity as members do, but `list(cls)` has only the printed ones.
        """
        known: Any = cls._value2member_map_.get(value) or _UNLISTED.get((cls, value))
        if known is None:
            known = object.__new__(cls)
            known._name_, known._value_ = value.upper(), value
            known = _UNLISTED.setdefault((cls, value), known)
        member: Self = known
        return member

    def __reduce_ex__(self, _: Any) -> Any:
        return type(self).named, (self._value_,)


_UNLISTED: WeakValueDictionary[tuple[type, str], OpenEnum] = WeakValueDictionary()


class Color(OpenEnum):
    """A colour of cards; it can be chosen for a wild."""

    __hash__ = object.__hash__

    RED = "red"
    YELLOW = "yellow"
    GREEN = "green"
    BLUE = "blue"


class Face(OpenEnum):
    """What a card shows apart from its colour. The value is the face's name."""

    __hash__ = object.__hash__

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
        return self.value.partition(" ")[0] == "wild"

    @property
    def points(self) -> int:
        """Points of a card left in a hand (R1), unless the edition gives others."""
        if self.is_number:
            return int(self.value)
        return 50 if self.is_wild else 20


_KINDS: WeakValueDictionary[tuple[Face, Color | None], Card] = WeakValueDictionary()


class UnknownCardError(ValueError):
    """A text that names no card. `name` is the text. suggestion: a card with a similar name."""

    def __init__(self, name: str, suggestion: str | None = None) -> None:
        super().__init__(f"no card is called {name!r}{f'; did you mean {suggestion}?' if suggestion else ''}")
        self.name = name


@dataclass(frozen=True, eq=False)
class Card:
    """One kind of card: a face, and a colour unless the face is wild.

    There is one object for each kind, so cards compare and hash by identity. Raises ValueError if a wild face has a
    colour, or another face has none.
    """

    face: Face
    color: Color | None = None

    def __new__(cls, face: Face, color: Color | None = None) -> Self:
        known: Any = _KINDS.get((face, color))
        if known is None:
            known = _KINDS.setdefault((face, color), super().__new__(cls))
        card: Self = known
        return card

    def __reduce__(self) -> Any:
        return Card, (self.face, self.color)

    def __post_init__(self) -> None:
        if self.face.is_wild != (self.color is None):
            raise ValueError(f"{self.face.value!r} cannot have the colour {self.color}")

    @cached_property
    def name(self) -> str:
        """The card's name as files, the API and the screen use it, such as 'red 7' or 'wild draw four'."""
        return self.face.value if self.color is None else f"{self.color.value} {self.face.value}"

    @property
    def points(self) -> int:
        """Points of the card left in a hand (R1), unless the edition gives others."""
        return self.face.points

    @classmethod
    def parse(cls, name: str) -> Card:
        """Return the printed card with this name; raises UnknownCardError."""
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
"""The printed cards that the networks read. Decks are data of the editions."""


@cache
def _cards_by_name() -> dict[str, Card]:
    return {card.name: card for card in ALL_CARDS}


class EditionName(Enum):
    """The printed editions, which other editions may be based on and whose decks the networks read."""

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
