"""Takes a person's name out of what is kept of a match: its set-up, its journal, what is pending, who won.

All of it is JSON whose fields say where names stand. What cannot be read as such is searched as text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from companion.referee.names import key

_NAMES = frozenset({"player", "by", "after", "dealer"})
"""The fields of a transcript's lines that hold a name (TRANSCRIPT.md)."""
_LISTS = frozenset({"players", "winners"})
"""Those that hold several."""


def names_in(texts: Iterable[str]) -> list[str]:
    """Return all names that these lines hold, in the order in which they first come."""
    return list(dict.fromkeys(name for text in texts for name in _names(_read(text))))


def stand_in(name: str, names: list[str], taken: Iterable[str], template: str) -> str:
    """Return what to call somebody instead, unlike all other names: by their own place among them, or a later one.

    template: with {number} in it.
    """
    keys = {key(other) for other in (*names, *taken)}
    number = 1 + next(place for place, other in enumerate(names) if key(other) == key(name))
    while key(template.format(number=number)) in keys:
        number += 1
    return template.format(number=number)


def without(text: str, name: str, instead: str) -> str:
    """Return the line, or the list of names, with another name in place of this one, however it is spelled."""
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
