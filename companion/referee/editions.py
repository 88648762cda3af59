"""What sets the editions apart and what a table may choose to play by: data for the engine (RULES.md, 1 and 7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from types import MappingProxyType
from typing import Any

from companion.cards import Card, EditionName, Face, deck


class StartAction(Enum):
    """What an action card does when it is turned up to start the pile (R5-R7)."""

    APPLY = "apply"
    REDRAW = "redraw"


class StartWildChooser(Enum):
    """Who names the colour of a wild turned up to start the pile (R9)."""

    FIRST_PLAYER = "first-player"
    DEALER = "dealer"


class TwoPlayerReverse(Enum):
    """What a reverse means where two play (R15)."""

    SKIP = "skip"
    TURN = "turn"


class Scoring(Enum):
    """How rounds make a match (R29, R30, R32)."""

    WINNER_TAKES_ALL = "winner-takes-all"
    LOW_TOTAL = "low-total"
    SINGLE_ROUND = "single-round"


class InvalidOptionError(ValueError):
    """An option cannot have this value. `option` is its name, `value` the value."""

    def __init__(self, option: str, value: object) -> None:
        super().__init__(f"the option {option} cannot be {value!r}")
        self.option = option
        self.value = value


@dataclass(frozen=True, slots=True)
class Options:
    """The choices of RULES.md, section 7. Raises InvalidOptionError where a number is not positive."""

    start_action: StartAction = StartAction.APPLY
    start_wild_chooser: StartWildChooser = StartWildChooser.FIRST_PLAYER
    wild_counts_as_color: bool = True
    green_shell_self: bool = True
    two_player_reverse: TwoPlayerReverse = TwoPlayerReverse.SKIP
    scoring: Scoring = Scoring.WINNER_TAKES_ALL
    target: int = 500
    hand_size: int = 7

    def __post_init__(self) -> None:
        for option in ("target", "hand_size"):
            if getattr(self, option) < 1:
                raise InvalidOptionError(option, getattr(self, option))


@dataclass(frozen=True)
class Edition:
    """One edition: its name, the options it is played with by default, whether an opening wild is set aside (R10)."""

    name: EditionName
    options: Options
    sets_aside_opening_wilds: bool = False

    @cached_property
    def deck(self) -> Mapping[Card, int]:
        """How many of each card there are."""
        return MappingProxyType(deck(self.name))

    @cached_property
    def size(self) -> int:
        """How many cards there are in all."""
        return sum(self.deck.values())

    @cached_property
    def has_creepers(self) -> bool:
        """Whether wild creepers lurk in the draw pile (R31)."""
        return Card(Face.WILD_CREEPER) in self.deck


EDITIONS: Mapping[EditionName, Edition] = MappingProxyType(
    {
        edition.name: edition
        for edition in (
            Edition(EditionName.MARIO_KART, Options()),
            Edition(
                EditionName.MINECRAFT,
                Options(start_action=StartAction.REDRAW),
                sets_aside_opening_wilds=True,
            ),
            Edition(EditionName.CLASSIC, Options(wild_counts_as_color=False)),
        )
    }
)

# What each ready profile changes in an edition's own options.
PROFILES: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "official": MappingProxyType({}),
        "geekyhobbies": MappingProxyType({"start_action": StartAction.REDRAW, "scoring": Scoring.SINGLE_ROUND}),
        "blog": MappingProxyType({"start_wild_chooser": StartWildChooser.DEALER, "green_shell_self": False}),
    }
)
