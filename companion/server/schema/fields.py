"""Validated field types shared by several requests."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError

from companion.cards import ALL_CARDS, Card
from companion.editions import OPTIONS, PROFILES
from companion.exports import EXPORTS
from companion.referee.transcript import MOVE_NAMES
from companion.server.core.errors import Rule


class Body(BaseModel):
    """Base of all request bodies: unknown fields are rejected."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def shown_name(text: str) -> str:
    """Return a name without surplus spaces; raises PydanticCustomError if it is empty or not printable."""
    plain = " ".join(text.split())
    if not plain:
        raise PydanticCustomError(Rule.NO_NAME.value, "a name is needed")
    if any(unicodedata.category(letter) in ("Cc", "Cf", "Co", "Cs", "Cn") for letter in plain):
        raise PydanticCustomError(Rule.HIDDEN_LETTERS.value, "a name has letters that cannot be shown")
    return plain


PlayerName = Annotated[str, Field(min_length=1, max_length=24), AfterValidator(shown_name)]
"""A player's name: short, visible, without spaces around it."""

KnownName = Annotated[str, Field(min_length=1, max_length=24)]
"""The name of a player at the table."""

_NAMES: list[Any] = [card.name for card in ALL_CARDS]
CardName = Annotated[str, Field(json_schema_extra={"enum": _NAMES}), AfterValidator(lambda name: Card.parse(name).name)]
"""A card's name."""


TableCardName = Annotated[str, Field(min_length=1, max_length=61)]
"""A card's name in the edition that is played."""

ColorName = Annotated[str, Field(pattern=r"^[a-z]{1,20}$")]
"""A colour's ID in the edition that is played."""

EditionId = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")]
"""An edition's ID."""


def _one_of(known: list[Any]) -> Callable[[str], str]:
    def check(name: str) -> str:
        if name not in known:
            raise PydanticCustomError(Rule.UNKNOWN.value, "one of {known} is needed", {"known": ", ".join(known)})
        return name

    return check


_PROFILES: list[Any] = list(PROFILES)
ProfileName = Annotated[str, Field(json_schema_extra={"enum": _PROFILES}), AfterValidator(_one_of(_PROFILES))]
"""A rules profile's name."""

_OPTIONS: list[Any] = list(OPTIONS)
OptionName = Annotated[str, Field(json_schema_extra={"enum": _OPTIONS}), AfterValidator(_one_of(_OPTIONS))]
"""A rule option's name."""

_MOVES: list[Any] = list(MOVE_NAMES)
MoveName = Annotated[str, Field(json_schema_extra={"enum": _MOVES}), AfterValidator(_one_of(_MOVES))]
"""The name of a move in a transcript."""

_EXPORTS: list[Any] = list(EXPORTS)
ExportName = Annotated[str, Field(json_schema_extra={"enum": _EXPORTS}), AfterValidator(_one_of(_EXPORTS))]
"""An export format's name."""

Cards = Annotated[list[TableCardName], Field(max_length=300)]
"""The cards of a hand, by name."""
