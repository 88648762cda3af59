"""Checked kinds of fields that several requests share."""

from __future__ import annotations

import unicodedata
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from companion.cards import ALL_CARDS, Card


class Body(BaseModel):
    """The common way of all requests: unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def _name(text: str) -> str:
    plain = " ".join(text.split())
    if not plain:
        raise ValueError("a name is needed")
    if any(unicodedata.category(letter) in ("Cc", "Cf", "Co", "Cs", "Cn") for letter in plain):
        raise ValueError("a name has letters that cannot be shown")
    return plain


PlayerName = Annotated[str, Field(min_length=1, max_length=24), AfterValidator(_name)]
"""A player's name: short, visible, without spaces around it."""

KnownName = Annotated[str, Field(min_length=1, max_length=24)]
"""A player's name that must be one of those at the table."""

_NAMES: list[Any] = [card.name for card in ALL_CARDS]
CardName = Annotated[str, Field(json_schema_extra={"enum": _NAMES}), AfterValidator(lambda name: Card.parse(name).name)]
"""A card's name."""

Cards = Annotated[list[CardName], Field(max_length=108)]
"""The cards of a hand, by name."""
