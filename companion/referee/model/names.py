"""Comparison and validation of players' names."""

from __future__ import annotations

import unicodedata


def key(name: str) -> str:
    """Return the key by which names are compared: NFC normalised, stripped and case-folded."""
    return unicodedata.normalize("NFC", name).strip().casefold()


def fault(name: str) -> str | None:
    """Return what is wrong with the name as one clause, or None if it is valid.

    A name may not contain control characters (Unicode category Cc) and needs a visible character (not Z* or Cf).
    """
    kinds = [unicodedata.category(character) for character in name]
    if "Cc" in kinds:
        return f"a name has a control character: {name!r}"
    if all(kind[0] == "Z" or kind == "Cf" for kind in kinds):
        return "a player has no name"
    return None
