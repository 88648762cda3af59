"""A match's set-up as it is requested, remembered and restored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, StrictBool, StrictInt, StrictStr, ValidationError

from companion.languages import Language
from companion.referee.state import MAX_PLAYERS, MIN_PLAYERS
from companion.server.schema.fields import Body, EditionId, OptionName, PlayerName, ProfileName
from companion.table.presentation.view import Turns

_MOST = 1_000_000
"""Upper bound for any number in a match."""

OptionValue = StrictBool | Annotated[StrictInt, Field(ge=0, le=_MOST)] | Annotated[StrictStr, Field(max_length=40)]


class MatchBody(Body):
    """A match's set-up. `options` lists those that differ from the profile; see `/api/choices`.

    choices: values of the edition's own options. ours: save these as the family's own rules. turns: how the table
    learns who played and who drew.
    """

    edition: EditionId
    profile: ProfileName = "official"
    players: list[PlayerName] = Field(min_length=MIN_PLAYERS, max_length=MAX_PLAYERS)
    dealer: PlayerName | None = None
    options: dict[OptionName, OptionValue] = Field(default_factory=dict)
    choices: dict[Annotated[str, Field(max_length=40)], OptionValue] = Field(default_factory=dict, max_length=8)
    language: Language | None = None
    turns: Turns = Turns.CAMERA
    ours: bool = False


class LastMatch(MatchBody):
    """The last set-up, the default of the next one. our_rules: the family's own rules, null if there are none."""

    our_rules: dict[OptionName, OptionValue] | None = None


def last_match(choices: Mapping[str, object] | None) -> dict[str, Any] | None:
    """Return the set-up in the choices of a backup as JSON, None if there is none or it is invalid.

    Its camera is another computer's and is left out.
    """
    try:
        match = LastMatch.model_validate({name: value for name, value in (choices or {}).items() if name != "camera"})
    except ValidationError:
        return None
    return match.model_dump(mode="json")
