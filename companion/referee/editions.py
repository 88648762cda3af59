"""What sets the editions apart and what a table may choose to play by: data for the engine (RULES.md, 1 and 7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
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


class Stacking(Enum):
    """What may be laid on a draw card instead of drawing for it (R34, R35)."""

    OFF = "off"
    SAME = "same"
    ANY = "any"


class InvalidOptionError(ValueError):
    """An option cannot have this value. `option` is its name, `value` the value."""

    def __init__(self, option: str, value: object) -> None:
        super().__init__(f"the option {option} cannot be {value!r}")
        self.option = option
        self.value = value


def _number(default: int, least: int, most: int | None = None) -> Any:
    return field(default=default, metadata={"least": least, "most": most})


@dataclass(frozen=True, slots=True)
class Options:
    """The choices of RULES.md, section 7. Raises InvalidOptionError where a number is out of its range."""

    start_action: StartAction = StartAction.APPLY
    start_wild_chooser: StartWildChooser = StartWildChooser.FIRST_PLAYER
    wild_counts_as_color: bool = True
    green_shell_self: bool = True
    two_player_reverse: TwoPlayerReverse = TwoPlayerReverse.SKIP
    scoring: Scoring = Scoring.WINNER_TAKES_ALL
    target: int = _number(500, 1)
    hand_size: int = _number(7, 1)
    stacking: Stacking = Stacking.OFF
    jump_in: bool = False
    seven_zero: bool = False
    draw_until_playable: bool = False
    challenge: bool = True
    uno_penalty: int = _number(2, 1, 7)

    def __post_init__(self) -> None:
        for name, least, most in _RANGES:
            value = getattr(self, name)
            if value < least or (most is not None and value > most):
                raise InvalidOptionError(name, value)


_RANGES = tuple((each.name, each.metadata["least"], each.metadata["most"]) for each in fields(Options) if each.metadata)


class OptionKind(Enum):
    """What sort of value an option takes."""

    FLAG = "flag"
    CHOICE = "choice"
    NUMBER = "number"


@dataclass(frozen=True, slots=True)
class Option:
    """One option as pages, commands and checks need to know it.

    values: what may be chosen, as a transcript spells it, the usual one first; empty for a number. least, most: the
    range of a number; None where it has no end of its own (how many cards can be dealt is the deck's business, see
    Header). house: whether it is a house rule, which no printed rules have.
    """

    name: str
    kind: OptionKind
    type: type
    values: tuple[str | bool, ...]
    least: int | None
    most: int | None
    house: bool

    def default(self, edition: EditionName) -> str | bool | int:
        """Return the value that the edition is played with by default, as a transcript spells it."""
        return self.plain(EDITIONS[edition].options)

    def plain(self, options: Options) -> str | bool | int:
        """Return the value among these options, as a transcript spells it."""
        value = getattr(options, self.name)
        plain: str | bool | int = value.value if isinstance(value, Enum) else value
        return plain


def _option(name: str, default: object, least: int | None = None, most: int | None = None) -> Option:
    kind, values = OptionKind.NUMBER, tuple[str | bool, ...]()
    if isinstance(default, bool):
        kind, values = OptionKind.FLAG, (default, not default)
    elif isinstance(default, Enum):
        kind, values = OptionKind.CHOICE, tuple(member.value for member in type(default))
    return Option(name, kind, type(default), values, least, most, name in _HOUSE_RULES)


# R34 to R47: what many tables play by and no printed rules say.
_HOUSE_RULES = frozenset({"stacking", "jump_in", "seven_zero", "draw_until_playable", "challenge", "uno_penalty"})

OPTIONS: Mapping[str, Option] = MappingProxyType(
    {each.name: _option(each.name, each.default, **each.metadata) for each in fields(Options)}
)


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
