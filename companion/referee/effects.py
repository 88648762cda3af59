"""Effects of moves: one frozen dataclass per effect of TRANSCRIPT.md."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from companion.cards import Color
from companion.editions.edition import Answer
from companion.referee.phase import Direction


class Why(StrEnum):
    """Reasons for a draw that are no card. Otherwise the reason is the ID of a face or mark."""

    TURN = "turn"
    CHALLENGE = "challenge"
    UNO = "uno"
    FALSE_UNO = "false uno"
    DEBT = "debt"


@dataclass(frozen=True, slots=True)
class Drawn:
    """A player draws cards. `count` is what the piles gave, possibly 0 (R33)."""

    name: ClassVar[str] = "draw"
    player: str
    count: int
    why: str


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
class LaidSecond:
    """A player lays a second copy on the own card (R60)."""

    name: ClassVar[str] = "double"
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
    """A card was turned up that bears a mark with a program. item: the mark's ID. player: whose program it is."""

    name: ClassVar[str] = "item"
    item: str
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
class Renamed:
    """A player has another name (R56). `player` is the former one. A transcript writes `new` as `name`."""

    name: ClassVar[str] = "rename"
    player: str
    new: str


@dataclass(frozen=True, slots=True)
class TargetChanged:
    """The match ends at another score (R57)."""

    name: ClassVar[str] = "retarget"
    points: int


@dataclass(frozen=True, slots=True)
class CardsShed:
    """A player laid off cards."""

    name: ClassVar[str] = "shed"
    player: str
    count: int


@dataclass(frozen=True, slots=True)
class Answered:
    """A player was asked and answered (`reveal`, `dare`)."""

    name: ClassVar[str] = "outcome"
    player: str
    yes: bool


@dataclass(frozen=True, slots=True)
class DebtAnswered:
    """A player answered a draw card (R53). how: `cancel` or `reflect`."""

    name: ClassVar[str] = "answer"
    player: str
    how: Answer


@dataclass(frozen=True, slots=True)
class HandsPooled:
    """These players' hands were mixed and dealt out again, from the first of them on."""

    name: ClassVar[str] = "pool"
    players: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HandRefreshed:
    """A player put the hand under the draw pile and drew as many cards."""

    name: ClassVar[str] = "refresh"
    player: str
    count: int


@dataclass(frozen=True, slots=True)
class CardsTaken:
    """A player took cards from the discard pile."""

    name: ClassVar[str] = "take"
    player: str
    count: int


@dataclass(frozen=True, slots=True)
class HandSeen:
    """A player looks at the hand of `of`."""

    name: ClassVar[str] = "peek"
    player: str
    of: str


@dataclass(frozen=True, slots=True)
class RuleRead:
    """The text of a face or mark is read out. rule: its ID. player: whose program it is."""

    name: ClassVar[str] = "rule"
    player: str
    rule: str


@dataclass(frozen=True, slots=True)
class Eliminated:
    """A player holds too many cards and is out of the round (R54)."""

    name: ClassVar[str] = "out"
    player: str


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
    | LaidSecond
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
    | Renamed
    | TargetChanged
    | MatchWon
    | CardsShed
    | Answered
    | DebtAnswered
    | HandsPooled
    | HandRefreshed
    | CardsTaken
    | HandSeen
    | RuleRead
    | Eliminated
)
