"""Translation of templates into one language."""

from __future__ import annotations

import gettext
from collections.abc import Sequence
from enum import Enum
from pathlib import Path

from companion.caller.words import MARK_WORDS, WORDS
from companion.caller.words import NUMBERS as NUMBER_WORDS
from companion.cards import Card, Color, Face
from companion.editions.edition import NUMBERS, STANDARD, Edition, shown_text
from companion.editions.program import Filter
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

    def card(self, card: Card, edition: Edition | None = None) -> str:
        """Return the card's name. edition: whose names are used for its own faces and colours."""
        face = self.face(card.face, edition)
        return (
            face
            if card.color is None
            else self._text("{color} {face}", color=self.color(card.color, edition), face=face)
        )

    def face(self, face: Face, edition: Edition | None = None) -> str:
        """Return the face's name: the edition's own, except for the special faces of the printed editions."""
        names = {} if edition is None else edition.face_rules(face).names
        if face in WORDS and (face not in STANDARD or not names):
            return self._word(face)
        return shown_text(names, self.language, face.value)

    def color(self, color: Color, edition: Edition | None = None) -> str:
        """Return the colour's name."""
        names = edition.colors[color].names if edition is not None and color in edition.colors else {}
        return self._word(color) if color in WORDS and not names else shown_text(names, self.language, color.value)

    def term(self, term: str, edition: Edition | None = None) -> str:
        """Return the name of a face or mark by its ID."""
        if edition is not None and term in edition.marks:
            names = edition.marks[term].names
            return self._mark(term, edition).strip("¡! \u202f") if not names else shown_text(names, self.language, term)
        return self.face(Face.named(term), edition)

    def _mark(self, mark: str, edition: Edition | None = None) -> str:
        """Return the mark as an exclamation."""
        names = edition.marks[mark].names if edition is not None and mark in edition.marks else {}
        if mark in MARK_WORDS and not names:
            return self._text(MARK_WORDS[mark])
        return self._exclaimed(shown_text(names, self.language, mark))

    def _exclaimed(self, name: str) -> str:
        return self._text("{name}!", name=name[:1].upper() + name[1:])

    def _rule_text(self, term: str, edition: Edition) -> str:
        """Return the text of a face or mark, its name if it has none."""
        rules = edition.marks[term] if term in edition.marks else edition.face_rules(Face.named(term))
        return shown_text(rules.text, self.language, self.term(term, edition))

    def filter_words(self, condition: Filter, edition: Edition, color: Color | None = None) -> str:
        """Return a filter in words. color: the colour in force, if it is known."""
        parts = []
        if condition.in_force:
            parts.append(self._text("the colour in force") if color is None else self.color(color, edition))
        if condition.colors is not None:
            parts.append(
                self._either([self.color(each, edition) for each in edition.colors if each in condition.colors])
            )
        if condition.numbers is not None:
            every = len(condition.numbers) == len(NUMBERS)
            digits = [face.value for face in NUMBERS if face in condition.numbers]
            parts.append(self._text("a number") if every else self._either(digits))
        if condition.faces is not None:
            parts.append(self._either(sorted(self.face(face, edition) for face in condition.faces)))
        if condition.mark is not None:
            parts.append(self.term(condition.mark.id, edition))
        if condition.wild:
            parts.append(self._word(Face.WILD))
        return self._text("a card ({properties})", properties=", ".join(parts)) if parts else self._text("a card")

    def _either(self, words: Sequence[str]) -> str:
        if len(words) == 1:
            return words[0]
        return self._text("{words} or {word}", words=", ".join(words[:-1]), word=words[-1])

    def _yes_or_no(self, *, yes: bool) -> str:
        return self._text("yes") if yes else self._text("no")

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
        return self._text(NUMBER_WORDS[number]) if number in NUMBER_WORDS else str(number)
