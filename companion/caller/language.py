"""Translation of templates into one language."""

from __future__ import annotations

import gettext
from enum import Enum
from pathlib import Path

from companion.caller.words import NUMBERS, WORDS
from companion.cards import Card
from companion.languages import Language

LANGUAGES = tuple(language.value for language in Language)
DOMAIN = "companion"
CATALOGUES = Path(__file__).parents[1] / "locale"


class UnknownLanguageError(ValueError):
    """There is no catalogue for `language`."""

    def __init__(self, language: str) -> None:
        super().__init__(f"there is no catalogue for {language!r}, only for {', '.join(LANGUAGES)}")
        self.language = language


class Voice:
    """Translates templates into one language. Raises UnknownLanguageError if there is no catalogue for it."""

    def __init__(self, language: str = "en") -> None:
        if language not in LANGUAGES:
            raise UnknownLanguageError(language)
        self.language = language
        self._catalogue = gettext.translation(DOMAIN, CATALOGUES, [language], fallback=True)

    def card(self, card: Card) -> str:
        """Return the card's name."""
        face = card.face.value if card.face.is_number else self._word(card.face)
        return face if card.color is None else self._text("{color} {face}", color=self._word(card.color), face=face)

    def word(self, value: Enum) -> str:
        """Return the word for a colour, face or item."""
        return self._word(value)

    def _text(self, template: str, **values: object) -> str:
        return self._catalogue.gettext(template).format(**values)

    def _plural(self, one: str, many: str, count: int, **values: object) -> str:
        return self._catalogue.ngettext(one, many, count).format(count=self._number(count), **values)

    def _word(self, value: Enum) -> str:
        return self._text(WORDS[value])

    def _number(self, number: int) -> str:
        return self._text(NUMBERS[number]) if number in NUMBERS else str(number)
