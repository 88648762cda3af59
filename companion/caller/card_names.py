"""Understands card names as people type them: full or short, in any of the languages, in either word order."""

from __future__ import annotations

import difflib
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from functools import cache

from companion.caller.language import LANGUAGES, Voice
from companion.caller.words import WORDS
from companion.cards import ALL_CARDS, Card, Color, Face, UnknownCardError
from companion.editions.edition import Edition

_SHORT_COLORS = {Color.RED: "r", Color.YELLOW: "y", Color.GREEN: "g", Color.BLUE: "b"}
_INFLECTED = {
    Color.RED: ("rote", "roter", "rotes", "roja"),
    Color.YELLOW: ("gelbe", "gelber", "gelbes", "amarilla"),
    Color.GREEN: ("grüne", "grüner", "grünes", "verte"),
    Color.BLUE: ("blaue", "blauer", "blaues", "bleue"),
}
"""How people inflect colours before a face, besides the catalogues' words."""

_SHORT_FACES = {
    Face.DRAW_TWO: ("+2", "d2", "draw 2", "zieh 2", "roba 2", "plus 2"),
    Face.SKIP: ("s", "stop"),
    Face.REVERSE: ("rev", "<>"),
    Face.WILD: ("w",),
    Face.WILD_DRAW_FOUR: ("+4", "d4", "w+4", "wd4", "w4", "draw 4", "draw four", "zieh 4", "roba 4", "plus 4"),
    Face.WILD_ITEM_BOX: ("item box", "itembox"),
    Face.WILD_CREEPER: ("creeper",),
}


def parse_card(text: str, edition: Edition | None = None) -> Card:
    """Return the card that a text names; raises UnknownCardError, whose message suggests a similar name.

    edition: whose cards count besides the printed ones, by their names in its file as well.
    """
    index = _index() if edition is None else _index() | _own_names(edition)
    name = _plain(text)
    found = index.get(name) or index.get(name.replace(" ", ""))
    if found is None:
        close = difflib.get_close_matches(name, index, 1, 0.75)
        raise UnknownCardError(text.strip(), suggestion=index[close[0]].name if close else None)
    return found


@cache
def _own_names(edition: Edition) -> dict[str, Card]:
    """Return every name of the edition's cards that the printed decks do not have."""
    named: dict[str, Card] = {}
    for card in edition.deck:
        faces = [card.face.value.removeprefix("wild "), *edition.face_rules(card.face).names.values()]
        if card.color is not None:
            colors = [card.color.value, *edition.colors[card.color].names.values()]
            faces = [f"{color} {face}" for color in colors for face in faces]
        if card not in ALL_CARDS:
            named |= {_plain(name): card for name in faces} | {card.name: card}
    return named


@cache
def _index() -> dict[str, Card]:
    """Return every spelling that names exactly one card. The project's own names come first."""
    named: dict[str, set[Card]] = defaultdict(set)
    for card in ALL_CARDS:
        for spelling in _spellings(card):
            named[_plain(spelling)].add(card)
    unique = {name: next(iter(cards)) for name, cards in named.items() if len(cards) == 1}
    return unique | {card.name: card for card in ALL_CARDS}


def _spellings(card: Card) -> Iterator[str]:
    voices = [Voice(language) for language in LANGUAGES]
    faces = [card.face.value, *(voice.word(card.face) for voice in voices if card.face in WORDS)]
    faces += _SHORT_FACES.get(card.face, ())
    if card.color is None:
        yield from faces
        return
    short = _SHORT_COLORS[card.color]
    for face in faces:
        yield short + face.replace(" ", "")
        for color in (short, *_INFLECTED[card.color], *(voice.word(card.color) for voice in voices)):
            yield f"{color} {face}"
            yield f"{face} {color}"


def _plain(text: str) -> str:
    """Return the text in lower case, without accents and surplus spaces."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return " ".join("".join(each for each in decomposed if not unicodedata.combining(each)).split())
