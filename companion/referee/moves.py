"""What people do at the table, one class per move of TRANSCRIPT.md. A move is a value: it can be kept and replayed."""

from __future__ import annotations

from dataclasses import dataclass, field

from companion.cards import Card, Color


@dataclass(frozen=True, slots=True)
class ActorMove:
    """A move that belongs to the player to act. `by` may name that player, to be checked."""

    by: str | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class PlayerMove:
    """A move about a named player, whoever's turn it is."""

    player: str


@dataclass(frozen=True, slots=True)
class Start:
    """The card turned up to start the discard pile (R4)."""

    card: Card


@dataclass(frozen=True, slots=True)
class Play(ActorMove):
    """A card is played (R11). `force` lets a card stand that does not match."""

    card: Card
    force: bool = False


@dataclass(frozen=True, slots=True)
class Draw(ActorMove):
    """A card is drawn instead of played (R12)."""


@dataclass(frozen=True, slots=True)
class Pass(ActorMove):
    """The card just drawn is kept (R12)."""


@dataclass(frozen=True, slots=True)
class Flip(ActorMove):
    """The card that an item box turned up (R20)."""

    card: Card


@dataclass(frozen=True, slots=True)
class ChooseColor(ActorMove):
    """The colour chosen for a wild (R9, R17, R18, R26)."""

    color: Color


@dataclass(frozen=True, slots=True)
class Target(ActorMove):
    """Whom the green shell hits (R24)."""

    player: str


@dataclass(frozen=True, slots=True)
class Accept(ActorMove):
    """A wild draw four is borne (R18)."""


@dataclass(frozen=True, slots=True)
class Challenge(ActorMove):
    """A wild draw four is doubted (R19)."""


@dataclass(frozen=True, slots=True)
class Reveal:
    """The challenged hand, as it is after the wild draw four (R19)."""

    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Judge:
    """The table's own verdict on the challenged hand (R19)."""

    guilty: bool


@dataclass(frozen=True, slots=True)
class Uno(PlayerMove):
    """The player calls UNO (R27)."""


@dataclass(frozen=True, slots=True)
class Catch(PlayerMove):
    """The player is caught not having called UNO (R27)."""


@dataclass(frozen=True, slots=True)
class Creeper(PlayerMove):
    """The player shows a wild creeper among the cards just drawn (R31)."""


@dataclass(frozen=True, slots=True)
class Reshuffle:
    """The discard pile became the new draw pile (R13)."""


@dataclass(frozen=True, slots=True)
class Hand(PlayerMove):
    """The player's leftover hand at the end of the round (R28-R30)."""

    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Tally(PlayerMove):
    """What the player's leftover hand is worth, as the table itself has added it up (R1)."""

    points: int


@dataclass(frozen=True, slots=True)
class Count(PlayerMove):
    """The player in truth holds this many cards; none means having gone out (R28)."""

    cards: int


@dataclass(frozen=True, slots=True)
class Join(PlayerMove):
    """Somebody sits down between two rounds, to the left of the player `after` or else of the last one (R48, R49).

    score: what they begin with; None for what they left with, or nothing.
    """

    after: str | None = None
    score: int | None = None


@dataclass(frozen=True, slots=True)
class Leave(PlayerMove):
    """The player goes home between two rounds (R50, R51)."""


Move = (
    Start
    | Play
    | Draw
    | Pass
    | Flip
    | ChooseColor
    | Target
    | Accept
    | Challenge
    | Reveal
    | Judge
    | Uno
    | Catch
    | Creeper
    | Reshuffle
    | Hand
    | Tally
    | Count
    | Join
    | Leave
)


@dataclass(frozen=True, slots=True)
class Undo:
    """The last accepted move is taken back."""


@dataclass(frozen=True, slots=True)
class Amend:
    """Accepted move `n`, counted from 1, was another one."""

    n: int
    move: Move


Entry = Move | Undo | Amend
