"""Removes a person's name from a stored match: set-up, journal, pending observations, winners.

All of it is JSON whose fields say where names stand. Text that cannot be parsed is searched as text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from companion.referee.model.names import key

_NAMES = frozenset({"player", "by", "after", "dealer"})
"""Fields of transcript lines that hold a name (TRANSCRIPT.md)."""
_LISTS = frozenset({"players", "winners"})
"""Fields that hold several."""


def names_in(texts: Iterable[str]) -> list[str]:
    """Return all names in these lines, in order of first appearance."""
    return list(dict.fromkeys(name for text in texts for name in _names(_read(text))))


def stand_in(name: str, names: list[str], taken: Iterable[str], template: str) -> str:
    """Return a replacement name that differs from all others, numbered by the person's place among them or higher.

    template: with {number} in it.
    """
    keys = {key(other) for other in (*names, *taken)}
    number = 1 + next(place for place, other in enumerate(names) if key(other) == key(name))
    while key(template.format(number=number)) in keys:
        number += 1
    return template.format(number=number)


def without(text: str, name: str, instead: str) -> str:
    """Return the line, or list of names, with one name replaced by another, in any JSON spelling."""
    value = _read(text)
    if isinstance(value, list):
        return json.dumps(_changed({"winners": value}, key(name), instead)["winners"])
    if value is None:
        return text.replace(json.dumps(name)[1:-1], instead).replace(name, instead)
    changed = _changed(value, key(name), instead)
    return text if changed == value else json.dumps(changed)


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _names(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for each in value:
            yield from _names(each)
    elif isinstance(value, dict):
        for field, inner in value.items():
            if field in _NAMES and isinstance(inner, str):
                yield inner
            elif field in _LISTS and isinstance(inner, list):
                yield from (each for each in inner if isinstance(each, str))
            else:
                yield from _names(inner)


def _changed(value: Any, wanted: str, instead: str) -> Any:
    def other(name: Any) -> Any:
        return instead if isinstance(name, str) and key(name) == wanted else name

    if isinstance(value, list):
        return [_changed(each, wanted, instead) for each in value]
    if not isinstance(value, dict):
        return value
    found = {}
    for field, inner in value.items():
        if field in _NAMES:
            found[field] = other(inner)
        elif field in _LISTS and isinstance(inner, list):
            found[field] = [other(each) for each in inner]
        else:
            found[field] = _changed(inner, wanted, instead)
    return found
