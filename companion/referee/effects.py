"""Effects of moves: one frozen dataclass per effect of TRANSCRIPT.md."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import ClassVar

from companion.cards import Color, Item
from companion.referee.phase import Direction


class Why(Enum):
    """The reason for a draw."""

    TURN = "turn"
    DRAW_TWO = "draw two"
    WILD_DRAW_FOUR = "wild draw four"
    CHALLENGE = "challenge"
    BANANA_PEEL = "banana peel"
    GREEN_SHELL = "green shell"
    LIGHTNING = "lightning"
    BOB_OMB = "bob-omb"
    UNO = "uno"
    WILD_CREEPER = "wild creeper"
    DEBT = "debt"


@dataclass(frozen=True, slots=True)
class Drawn:
    """A player draws cards. `count` is what the piles gave, possibly 0 (R33)."""

    name: ClassVar[str] = "draw"
    player: str
    count: int
    why: Why


@dataclass(frozen=True, slots=True)
class Skipped:
    """A player loses the turn."""

    name: ClassVar[str] = "skip"
    player: str


@dataclass(frozen=True, slots=True)
class Reversed:
    """The direction of play changes; `direction` is the new one."""

    name: ClassVar[str] = "reverse"
    direction: Direction


@dataclass(frozen=True, slots=True)
class DebtOwed:
    """A player owes `count` cards in all (R34)."""

    name: ClassVar[str] = "debt"
    player: str
    count: int


@dataclass(frozen=True, slots=True)
class JumpedIn:
    """A player plays out of turn (R39)."""

    name: ClassVar[str] = "jump"
    player: str


@dataclass(frozen=True, slots=True)
class HandsSwapped:
    """Two players swap hands (R42). `player` played the card. A transcript writes `partner` as `with`."""

    name: ClassVar[str] = "swap"
    player: str
    partner: str


@dataclass(frozen=True, slots=True)
class HandsRotated:
    """All hands pass to the next player in this direction (R42)."""

    name: ClassVar[str] = "rotate"
    direction: Direction


@dataclass(frozen=True, slots=True)
class ItemUsed:
    """An item box turned up an item; `player` played the box."""

    name: ClassVar[str] = "item"
    item: Item
    player: str


@dataclass(frozen=True, slots=True)
class GoesAgain:
    """A player takes another turn."""

    name: ClassVar[str] = "again"
    player: str


@dataclass(frozen=True, slots=True)
class ColorChosen:
    """The colour now in force, after a choice."""

    name: ClassVar[str] = "color"
    color: Color


@dataclass(frozen=True, slots=True)
class UnoCalled:
    """A player called UNO."""

    name: ClassVar[str] = "uno"
    player: str


@dataclass(frozen=True, slots=True)
class ChallengeSettled:
    """A challenge is settled: `by` challenged `player`."""

    name: ClassVar[str] = "challenge"
    player: str
    by: str
    guilty: bool


@dataclass(frozen=True, slots=True)
class SetAside:
    """The card turned up cannot start the pile. Another card is turned up."""

    name: ClassVar[str] = "redraw"


@dataclass(frozen=True, slots=True)
class Reshuffled:
    """The discard pile became the draw pile."""

    name: ClassVar[str] = "reshuffle"


@dataclass(frozen=True, slots=True)
class CountCorrected:
    """A hand holds another number of cards than the referee counted."""

    name: ClassVar[str] = "count"
    player: str
    believed: int
    actual: int


@dataclass(frozen=True, slots=True)
class RoundWon:
    """A player went out."""

    name: ClassVar[str] = "round"
    winner: str


@dataclass(frozen=True, slots=True)
class Scored:
    """A player scores points for the round."""

    name: ClassVar[str] = "score"
    player: str
    points: int


@dataclass(frozen=True, slots=True)
class Dealt:
    """A new round begins."""

    name: ClassVar[str] = "deal"
    dealer: str
    round: int


@dataclass(frozen=True, slots=True)
class Joined:
    """A player joins the table with these points (R48)."""

    name: ClassVar[str] = "join"
    player: str
    points: int


@dataclass(frozen=True, slots=True)
class Left:
    """A player leaves and keeps these points (R50)."""

    name: ClassVar[str] = "leave"
    player: str
    points: int


@dataclass(frozen=True, slots=True)
class MatchWon:
    """The match is over."""

    name: ClassVar[str] = "match"
    winners: tuple[str, ...]


Effect = (
    Drawn
    | Skipped
    | Reversed
    | DebtOwed
    | JumpedIn
    | HandsSwapped
    | HandsRotated
    | ItemUsed
    | GoesAgain
    | ColorChosen
    | UnoCalled
    | ChallengeSettled
    | SetAside
    | Reshuffled
    | CountCorrected
    | RoundWon
    | Scored
    | Dealt
    | Joined
    | Left
    | MatchWon
)
