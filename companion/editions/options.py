"""Options of a match: RULES.md section 7, the house rules, and the choices that an edition adds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import Enum
from types import MappingProxyType
from typing import Any


class StartAction(Enum):
    """What an action card does when it is turned up to start the pile (R5-R7)."""

    APPLY = "apply"
    REDRAW = "redraw"


class StartWildChooser(Enum):
    """Who chooses the colour of a wild turned up to start the pile (R9)."""

    FIRST_PLAYER = "first-player"
    DEALER = "dealer"


class TwoPlayerReverse(Enum):
    """What a reverse does with two players (R15)."""

    SKIP = "skip"
    TURN = "turn"


class Scoring(Enum):
    """How rounds are scored (R29, R30, R32)."""

    WINNER_TAKES_ALL = "winner-takes-all"
    LOW_TOTAL = "low-total"
    SINGLE_ROUND = "single-round"


class Stacking(Enum):
    """Which draw cards may be played on a debt (R34, R35, R53)."""

    OFF = "off"
    SAME = "same"
    ANY = "any"
    RISING = "rising"


class InvalidOptionError(ValueError):
    """`value` is not possible for the option of this name."""

    def __init__(self, option: str, value: object) -> None:
        super().__init__(f"the option {option} cannot be {value!r}")
        self.option = option
        self.value = value


def _number(default: int, least: int, most: int | None = None, *, house: bool = False) -> Any:
    return field(default=default, metadata={"least": least, "most": most, "house": house})


_HOUSE: Mapping[str, Any] = MappingProxyType({"house": True})


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a match. Raises InvalidOptionError if a number is out of range.

    choices: the values of the edition's own choices, as (ID, value) pairs in the edition's order.
    """

    start_action: StartAction = StartAction.APPLY
    start_wild_chooser: StartWildChooser = StartWildChooser.FIRST_PLAYER
    wild_counts_as_color: bool = True
    green_shell_self: bool = True
    two_player_reverse: TwoPlayerReverse = TwoPlayerReverse.SKIP
    scoring: Scoring = Scoring.WINNER_TAKES_ALL
    target: int = _number(500, 1)
    hand_size: int = _number(7, 1)
    stacking: Stacking = field(default=Stacking.OFF, metadata=_HOUSE)
    jump_in: bool = field(default=False, metadata=_HOUSE)
    seven_zero: bool = field(default=False, metadata=_HOUSE)
    draw_until_playable: bool = field(default=False, metadata=_HOUSE)
    challenge: bool = field(default=True, metadata=_HOUSE)
    uno_penalty: int = _number(2, 1, 7, house=True)
    uno_false_penalty: int = _number(0, 0, 7, house=True)
    must_play_drawn: bool = field(default=False, metadata=_HOUSE)
    doubles: bool = field(default=False, metadata=_HOUSE)
    choices: tuple[tuple[str, str | bool], ...] = ()

    def __post_init__(self) -> None:
        for name, least, most in _RANGES:
            value = getattr(self, name)
            if value < least or (most is not None and value > most):
                raise InvalidOptionError(name, value)

    def plain(self, name: str) -> str | bool | int:
        """Return the value of an option or choice as a transcript writes it. Raises KeyError for an unknown name."""
        if name not in OPTIONS:
            return dict(self.choices)[name]
        value = getattr(self, name)
        plain: str | bool | int = value.value if isinstance(value, Enum) else value
        return plain


_FIELDS = tuple(each for each in fields(Options) if each.name != "choices")
_RANGES = tuple(
    (each.name, each.metadata["least"], each.metadata["most"]) for each in _FIELDS if "least" in each.metadata
)


class OptionKind(Enum):
    """The kind of value that an option takes."""

    FLAG = "flag"
    CHOICE = "choice"
    NUMBER = "number"


@dataclass(frozen=True, slots=True)
class Option:
    """One option or choice, as pages, commands and checks need it.

    type: Python type of its value. values: the possible values as a transcript writes them, default first; empty for a
    number. least, most: range of a number, None if unbounded (the deck limits the cards dealt, see Header). house:
    whether it is a house rule, which is not in printed rules.
    """

    name: str
    kind: OptionKind
    type: type
    values: tuple[str | bool, ...]
    least: int | None = None
    most: int | None = None
    house: bool = False

    def read(self, value: object) -> Any:
        """Return a transcript's value as `Options` keeps it. Raises InvalidOptionError."""
        if issubclass(self.type, Enum):
            if isinstance(value, str) and value in self.values:
                return self.type(value)
        elif type(value) is self.type and (not self.values or value in self.values):
            return value
        raise InvalidOptionError(self.name, value)


def _option(
    name: str, default: object, least: int | None = None, most: int | None = None, house: bool = False
) -> Option:
    kind, values = OptionKind.NUMBER, tuple[str | bool, ...]()
    if isinstance(default, bool):
        kind, values = OptionKind.FLAG, (default, not default)
    elif isinstance(default, Enum):
        kind, values = OptionKind.CHOICE, tuple(member.value for member in type(default))
    return Option(name, kind, type(default), values, least, most, house)


OPTIONS: Mapping[str, Option] = MappingProxyType(
    {each.name: _option(each.name, each.default, **each.metadata) for each in _FIELDS}
)
"""The options of every edition, by name."""


def choice_option(name: str, values: tuple[str | bool, ...]) -> Option:
    """Return an edition's own choice as an option. The first value is the default."""
    flag = isinstance(values[0], bool)
    return Option(name, OptionKind.FLAG if flag else OptionKind.CHOICE, bool if flag else str, values)
