"""When two names are one, and what cannot be a name."""

from __future__ import annotations

import unicodedata


def key(name: str) -> str:
    """Return what two spellings of one name have in common: composed (NFC), trimmed, and without capitals."""
    return unicodedata.normalize("NFC", name).strip().casefold()


def fault(name: str) -> str | None:
    """Return what is wrong with the name as one clause, None where it can be read.

    A control character (Unicode's Cc) would garble a line; white space and format characters (Z*, Cf) show nothing.
    """
    kinds = [unicodedata.category(character) for character in name]
    if "Cc" in kinds:
        return f"a name has a control character: {name!r}"
    if all(kind[0] == "Z" or kind == "Cf" for kind in kinds):
        return "a player has no name"
    return None
