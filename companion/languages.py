"""The languages that the companion speaks."""

from __future__ import annotations

from enum import StrEnum


class Language(StrEnum):
    """A language: its value is the code used by catalogues and pages, `own_name` is its own name."""

    own_name: str

    ENGLISH = "en", "English"
    GERMAN = "de", "Deutsch"
    FRENCH = "fr", "Français"
    SPANISH = "es", "Español"

    def __new__(cls, code: str, own_name: str) -> Language:
        member = str.__new__(cls, code)
        member._value_ = code
        member.own_name = own_name
        return member
