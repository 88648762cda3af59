"""Moves: one frozen dataclass per move of TRANSCRIPT.md."""

from __future__ import annotations

from dataclasses import dataclass, field

from companion.cards import Card, Color


@dataclass(frozen=True, slots=True)
class ActorMove:
    """A move of the player to act. `by` may name that player; the engine checks it."""

    by: str | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class PlayerMove:
    """A move that names a player, independent of the turn."""

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
    """The card just drawn is kept (R12). card: which one, if it was shown (R59)."""

    card: Card | None = None


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
    """The player named for a card (R24, R42, R52)."""

    player: str


@dataclass(frozen=True, slots=True)
class Accept(ActorMove):
    """The player accepts the penalty (R18, R34)."""


@dataclass(frozen=True, slots=True)
class Challenge(ActorMove):
    """The player challenges a wild draw four (R19)."""


@dataclass(frozen=True, slots=True)
class Reveal:
    """The challenged hand, as it is after the wild draw four (R19)."""

    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Judge:
    """The verdict on the challenged hand, as the players judged it (R19)."""

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
class Show(PlayerMove):
    """The player shows a card just drawn that does something when drawn (R31)."""

    card: Card


@dataclass(frozen=True, slots=True)
class Took(ActorMove):
    """How many cards were drawn, as the table says (R52)."""

    cards: int


@dataclass(frozen=True, slots=True)
class Shed(ActorMove):
    """The cards that the player lays off, or only how many (R52)."""

    cards: tuple[Card, ...] | int

    @property
    def count(self) -> int:
        """How many cards they are."""
        return self.cards if isinstance(self.cards, int) else len(self.cards)


@dataclass(frozen=True, slots=True)
class Outcome(ActorMove):
    """Whether the player asked holds such a card, or does what the card says (R52)."""

    yes: bool


@dataclass(frozen=True, slots=True)
class Reshuffle:
    """The discard pile became the new draw pile (R13)."""


@dataclass(frozen=True, slots=True)
class Hand(PlayerMove):
    """The player's remaining hand at the end of the round (R28-R30)."""

    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Tally(PlayerMove):
    """The points of the player's remaining hand, added up by the players (R1)."""

    points: int


@dataclass(frozen=True, slots=True)
class Count(PlayerMove):
    """The player's actual number of cards; 0 means that the player went out (R28)."""

    cards: int


@dataclass(frozen=True, slots=True)
class Join(PlayerMove):
    """A player joins between rounds, to the left of `after`, by default of the last seat (R48, R49).

    score: starting points; None for the points they left with, or 0.
    """

    after: str | None = None
    score: int | None = None


@dataclass(frozen=True, slots=True)
class Leave(PlayerMove):
    """The player leaves, between rounds or in one (R50, R51, R55)."""


@dataclass(frozen=True, slots=True)
class Rename(PlayerMove):
    """The player is called `name` from now on (R56)."""

    name: str


@dataclass(frozen=True, slots=True)
class Retarget:
    """The match ends at `points` from now on (R57)."""

    points: int


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
    | Show
    | Took
    | Shed
    | Outcome
    | Reshuffle
    | Hand
    | Tally
    | Count
    | Join
    | Leave
    | Rename
    | Retarget
)


@dataclass(frozen=True, slots=True)
class Undo:
    """Take back the last accepted move."""


@dataclass(frozen=True, slots=True)
class Amend:
    """Replace accepted move `n`, counted from 1."""

    n: int
    move: Move


Entry = Move | Undo | Amend
