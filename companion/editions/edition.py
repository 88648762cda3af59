"""An edition: deck, colours, special cards and their programs, options and profiles. Without I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from types import MappingProxyType
from typing import Any

from companion.cards import Card, Color, EditionName, Face, UnknownCardError
from companion.editions.options import OPTIONS, Option, Options
from companion.editions.program import Filter, Mark, Program

Texts = Mapping[str, str]
"""A text by language, such as `{"en": "Gift", "de": "Geschenk"}`."""

NUMBERS = tuple(face for face in Face if face.is_number)
STANDARD = frozenset({*NUMBERS, Face.DRAW_TWO, Face.REVERSE, Face.SKIP, Face.WILD, Face.WILD_DRAW_FOUR})
"""Faces whose rules are RULES.md's and cannot be changed."""


class Checked(Enum):
    """How far the file was compared with printed rules."""

    UNCHECKED = "unchecked"
    RETOLD = "retold"
    SHEET = "sheet"
    OWN = "own"


class Start(Enum):
    """What a face does when it is turned up to start the pile (R4, R9)."""

    PLAIN = "plain"
    APPLY = "apply"
    REDRAW = "redraw"
    COLOR = "color"


class Answer(Enum):
    """How a card answers a draw card (R53)."""

    CANCEL = "cancel"
    REFLECT = "reflect"


@dataclass(frozen=True, slots=True)
class ColorRules:
    """A colour of the edition. reads_as: the printed colour that the networks take it for."""

    color: Color
    hex: str
    names: Texts
    reads_as: Color | None


@dataclass(frozen=True, slots=True)
class FaceRules:
    """A face of the edition: a special one, or what a file says of a standard one.

    colors: those in which it is printed, None for all. reads_as: the printed faces that the networks may take it for.
    """

    face: Face
    names: Texts = field(default_factory=dict)
    text: Texts = field(default_factory=dict)
    points: int | None = None
    colors: tuple[Color, ...] | None = None
    reads_as: tuple[Face, ...] = ()
    start: Start | None = None
    when_played: Program = ()
    when_drawn: Program | None = None
    answers: Answer | None = None


@dataclass(frozen=True, slots=True)
class MarkRules:
    """A mark of the edition. when_turned_up: its program for `turn_up`."""

    mark: Mark
    names: Texts = field(default_factory=dict)
    text: Texts = field(default_factory=dict)
    when_turned_up: Program = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """An option of the edition's own."""

    option: Option
    text: Texts


@dataclass(frozen=True, eq=False)
class Edition:
    """An edition. Two are equal if their IDs and definitions are.

    base: the printed edition that it is based on, directly or not. definition: the whole file as plain values. digest:
    the SHA-256 of the definition as canonical JSON. deck: how many of each card there are, in the deck's order. faces:
    special faces, and standard ones of which the file says something. options: its defaults.
    """

    id: str
    base: EditionName
    definition: Mapping[str, Any]
    digest: str
    names: Texts
    checked: Checked
    sources: tuple[str, ...]
    colors: Mapping[Color, ColorRules]
    deck: Mapping[Card, int]
    faces: Mapping[Face, FaceRules]
    marks: Mapping[str, MarkRules]
    options: Options
    choices: Mapping[str, Choice]
    profiles: Mapping[str, Mapping[str, Any]]
    out_at: int
    out_points: int

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Edition) and (self.id, self.digest) == (other.id, other.digest))

    def __hash__(self) -> int:
        return hash(self.digest)

    @property
    def is_printed(self) -> bool:
        """Whether it is one of the three printed editions, which a match log does not embed."""
        return self.id == self.base.value

    @cached_property
    def size(self) -> int:
        """How many cards there are in all."""
        return sum(self.deck.values())

    @cached_property
    def has_colors(self) -> bool:
        """Whether any card of the deck has a colour."""
        return any(card.color is not None for card in self.deck)

    @cached_property
    def offered(self) -> Mapping[str, Option]:
        """The options and the edition's own choices, by name."""
        return MappingProxyType({**OPTIONS, **{name: choice.option for name, choice in self.choices.items()}})

    @cached_property
    def shown_when_drawn(self) -> tuple[Face, ...]:
        """The faces that are shown when drawn (R31)."""
        return tuple(face for face, rules in self.faces.items() if rules.when_drawn is not None)

    @cached_property
    def copies(self) -> Mapping[Face, int]:
        """How many cards of each face there are."""
        found: dict[Face, int] = {}
        for card, count in self.deck.items():
            found[card.face] = found.get(card.face, 0) + count
        return MappingProxyType(found)

    @cached_property
    def _cards(self) -> Mapping[str, Card]:
        return {card.name: card for card in self.deck}

    def card(self, name: str) -> Card:
        """Return the edition's card of this name, or a printed one of another edition. Raises UnknownCardError."""
        return self._cards.get(name) or Card.parse(name)

    def color(self, name: str) -> Color | None:
        """Return the edition's colour of this name, None if there is none."""
        return next((color for color in self.colors if color.value == name), None)

    def points(self, card: Card) -> int:
        """Return the points of a card left in a hand (R1)."""
        rules = self.faces.get(card.face)
        return card.points if rules is None or rules.points is None else rules.points

    def face_rules(self, face: Face) -> FaceRules:
        """Return what the edition says of the face, the defaults if nothing."""
        return self.faces.get(face) or FaceRules(face)

    @cached_property
    def _read_as(self) -> Mapping[Card, tuple[Card, ...]]:
        """The edition's cards by the printed card that the networks may take them for."""
        found: dict[Card, list[Card]] = {}
        for card in self.deck:
            color = None
            if card.color is not None:
                color = self.colors[card.color].reads_as
                if color is None:
                    continue
            printed = (card.face,) if card.face in STANDARD else self.face_rules(card.face).reads_as
            for face in printed:
                found.setdefault(Card(face, color), []).append(card)
        return {printed: tuple(cards) for printed, cards in found.items()}

    def cards_read_as(self, printed: Card) -> tuple[Card, ...]:
        """Return the edition's cards that the networks may take for this printed card: several or none need asking."""
        return self._read_as.get(printed, ())

    def marks_of(self, card: Card) -> tuple[MarkRules, ...]:
        """Return the marks that the card is known to bear."""
        return tuple(rules for rules in self.marks.values() if rules.mark.bears is not None and rules.mark.is_on(card))

    def has_filtered(self, condition: Filter, color: Color | None = None) -> bool:
        """Return whether any card of the deck fits the filter."""
        return any(condition.fits(card, color) for card in self.deck)


def shown_text(texts: Texts, language: str, otherwise: str) -> str:
    """Return the text in the language, else in English, else in the first language, else `otherwise`."""
    for known in (language, "en", *texts):
        if known in texts:
            return texts[known]
    return otherwise


__all__ = [
    "NUMBERS",
    "STANDARD",
    "Answer",
    "Checked",
    "Choice",
    "ColorRules",
    "Edition",
    "FaceRules",
    "MarkRules",
    "Start",
    "Texts",
    "UnknownCardError",
    "shown_text",
]
