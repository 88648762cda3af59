"""Reads values of tables with their types and limits checked. What is wrong is collected, not raised."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from enum import Enum
from typing import Any, TypeVar

from companion.editions.definition.faults import Faults, Path

_E = TypeVar("_E", bound=Enum)

_LANGUAGE = re.compile(r"[a-z]{2,3}(-[a-z0-9]{2,8})*")
_OVERRIDES = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
LONGEST_NAME, LONGEST_TEXT = 40, 200


class Table:
    """A table of the file. A key that is missing or wrong reads as its default; a wrong one is noted."""

    def __init__(self, values: Mapping[str, Any], path: Path, faults: Faults) -> None:
        self.values = values
        self.path = path
        self.faults = faults

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def fault(self, key: str | None, message: str) -> None:
        """Note what is wrong with the key, or with the table itself."""
        self.faults.add(self.path if key is None else (*self.path, key), message)

    def only(self, known: Collection[str]) -> None:
        """Refuse all other keys."""
        for key in self.values:
            if key not in known:
                self.fault(key, "unknown key")

    def _of(self, key: str, kind: type, what: str) -> Any:
        value = self.values.get(key)
        if value is not None and type(value) is not kind:
            self.fault(key, f"must be {what}")
            return None
        return value

    def text(self, key: str) -> str | None:
        """Return a string."""
        value: str | None = self._of(key, str, "text")
        return value

    def flag(self, key: str) -> bool:
        """Return a boolean, False if missing."""
        return bool(self._of(key, bool, "true or false"))

    def whole(self, key: str, least: int, most: int, default: int) -> int:
        """Return a whole number within the limits."""
        value = self._of(key, int, "a whole number")
        if value is None:
            return default
        if not least <= value <= most:
            self.fault(key, f"must be {least} to {most}")
            return default
        return int(value)

    def one_of(self, key: str, kind: type[_E], allowed: Collection[_E] | None = None) -> _E | None:
        """Return a member of an enum, given by its value."""
        value = self.text(key)
        members = list(kind) if allowed is None else list(allowed)
        for member in members:
            if member.value == value:
                return member
        if value is not None:
            self.fault(key, "must be one of " + ", ".join(str(member.value) for member in members))
        return None

    def list_of(self, key: str, kind: type, what: str, most: int) -> list[Any]:
        """Return a list of at most so many values of one type."""
        values = self._of(key, list, f"a list of {what}")
        if values is None:
            return []
        if len(values) > most:
            self.fault(key, f"has more than {most} entries")
            return []
        for place, value in enumerate(values):
            if type(value) is not kind:
                self.faults.add((*self.path, key, place), f"must be {what}")
                return []
        return list(values)

    def table(self, key: str) -> Table:
        """Return a table, an empty one if missing."""
        value = self._of(key, dict, "a table")
        return Table(value or {}, (*self.path, key), self.faults)

    def tables(self, key: str, most: int) -> Iterator[tuple[str, Table]]:
        """Yield the tables in this table, with their IDs."""
        outer = self.table(key)
        if len(outer.values) > most:
            outer.fault(None, f"has more than {most} entries")
            return
        for name in outer.values:
            yield name, outer.table(name)

    def texts(self, key: str, longest: int, *, required: bool = False) -> dict[str, str]:
        """Return a text by language."""
        table = self.table(key)
        if required and not table.values:
            self.fault(key, "needs a text in at least one language")
        found = {}
        for language in table.values:
            value = table.text(language)
            if not _LANGUAGE.fullmatch(language) or len(language) > 20:
                table.fault(language, "is not a language such as en or pt-br")
            elif value is not None:
                wrong = text_fault(value, longest)
                if wrong is None:
                    found[language] = value
                else:
                    table.fault(language, wrong)
        return found


def text_fault(text: str, longest: int) -> str | None:
    """Return what is wrong with a text that people read, None if nothing."""
    if len(text) > longest:
        return f"is longer than {longest} characters"
    kinds = [unicodedata.category(character) for character in text]
    if "Cc" in kinds or "Cs" in kinds or "Zl" in kinds or "Zp" in kinds:
        return "has a control character"
    if _OVERRIDES.intersection(text):
        return "has a direction override"
    if all(kind[0] == "Z" or kind == "Cf" for kind in kinds):
        return "is blank"
    return None


def value_fault(value: object, path: Path, faults: Faults, deepest: int) -> None:
    """Note values of a type that no file may have, and tables nested deeper than `deepest`."""
    pending: list[tuple[object, Path, int]] = [(value, path, 0)]
    while pending:
        each, where, depth = pending.pop()
        if isinstance(each, dict | list):
            if depth > deepest:
                faults.add(where[: deepest + 1], f"is nested deeper than {deepest}")
                return
            inner = each.items() if isinstance(each, dict) else enumerate(each)
            pending += [(one, (*where, key), depth + 1) for key, one in inner]
        elif type(each) not in (str, int, bool):
            faults.add(where, "must be text, a whole number, true or false, a list or a table")
