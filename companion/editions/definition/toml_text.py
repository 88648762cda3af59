"""Writes a definition as TOML."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_TABLES = ("options", "choices", "profiles", "colors", "deck", "faces", "marks")


def to_toml(definition: Mapping[str, Any]) -> str:
    """Return the definition as TOML text: one table for each special card, mark, choice, profile and colour."""
    lines = [f"{_key(key)} = {_value(value)}" for key, value in definition.items() if key not in _TABLES]
    for name in _TABLES:
        if name in definition:
            lines += _table(name, definition[name])
    return "\n".join(lines) + "\n"


def _table(name: str, values: Mapping[str, Any]) -> Iterator[str]:
    if name in ("options", "deck", "colors"):
        yield ""
        yield f"[{name}]"
        yield from (f"{_key(key)} = {_value(value)}" for key, value in values.items())
        return
    for inner, each in values.items():
        yield ""
        yield f"[{name}.{_key(inner)}]"
        for key, value in each.items():
            if isinstance(value, list) and value and isinstance(value[0], dict) and len(_value(value)) > 90:
                yield f"{_key(key)} = ["
                yield from (f"  {_value(one)}," for one in value)
                yield "]"
            else:
                yield f"{_key(key)} = {_value(value)}"


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else json.dumps(key, ensure_ascii=False)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        inner = ", ".join(f"{_key(key)} = {_value(each)}" for key, each in value.items())
        return "{ " + inner + " }" if inner else "{}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return str(value) if isinstance(value, int) else json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
