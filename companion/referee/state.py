"""The header of a match and its state. Both are frozen; players are seats."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field

from companion.cards import Card, Color, Face
from companion.editions.edition import Edition
from companion.editions.options import InvalidOptionError, Options
from companion.referee.errors import NoSuchPlayerError
from companion.referee.model.names import fault, key
from companion.referee.model.rules import Rules, rules_of
from companion.referee.model.running import Demanded, Running
from companion.referee.phase import Direction, Phase, Purpose

__all__ = ["Direction", "Header", "InvalidHeaderError", "Options", "Phase", "Purpose", "State", "beside", "opening"]

MIN_PLAYERS, MAX_PLAYERS = 2, 10


class InvalidHeaderError(ValueError):
    """The set-up is not possible. `value` is what is wrong."""

    def __init__(self, message: str, value: object) -> None:
        super().__init__(message)
        self.value = value


@dataclass(frozen=True, slots=True)
class Header:
    """The set-up of a match: `players` in seat order, clockwise; `dealer` is the first dealer's seat (R2, R3).

    rules: what the edition's cards do with these options. Raises InvalidHeaderError for impossible players or dealer,
    InvalidOptionError if the hands are too big for the deck or for the edition's `out_at`.
    """

    edition: Edition
    players: tuple[str, ...]
    dealer: int
    options: Options
    rules: Rules = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not MIN_PLAYERS <= len(self.players) <= MAX_PLAYERS:
            raise InvalidHeaderError(
                f"{MIN_PLAYERS} to {MAX_PLAYERS} players can play, not {len(self.players)}", len(self.players)
            )
        taken: set[str] = set()
        for player in self.players:
            wrong = fault(player)
            if wrong is not None:
                raise InvalidHeaderError(wrong, player)
            if key(player) in taken:
                raise InvalidHeaderError(f"two players are called {player!r}", player)
            taken.add(key(player))
        if self.dealer not in range(len(self.players)):
            raise InvalidHeaderError(f"there is no seat {self.dealer} for the dealer", self.dealer)
        if len(self.players) * self.options.hand_size >= self.edition.size:
            raise InvalidOptionError("hand_size", self.options.hand_size)
        if 0 < self.edition.out_at <= self.options.hand_size:
            raise InvalidOptionError("hand_size", self.options.hand_size)
        object.__setattr__(self, "rules", rules_of(self.edition, self.options))

    def seat(self, player: str) -> int:
        """Return the seat of the player of this name, however it is spelled; raises NoSuchPlayerError."""
        if player in self.players:
            return self.players.index(player)
        wanted = key(player)
        for seat, name in enumerate(self.players):
            if key(name) == wanted:
                return seat
        raise NoSuchPlayerError(player)

    def spelling(self, player: str) -> str:
        """Return the name as the header spells it, or as it is where nobody of this name plays."""
        try:
            return self.players[self.seat(player)]
        except NoSuchPlayerError:
            return player


@dataclass(frozen=True, slots=True)
class State:
    """The state of a match. Values per player are tuples in seat order."""

    header: Header
    phase: Phase
    round: int
    dealer: int
    turn: int | None
    """The seat to act."""
    direction: Direction
    top: Card | None
    color: Color | None
    """The colour in force (R11); none until a wild's is chosen."""
    hands: tuple[int, ...]
    """The believed card counts."""
    scores: tuple[int, ...]
    winners: tuple[int, ...]
    """Who won the match, as seats."""
    purpose: Purpose | None
    """What a colour or a player is being chosen for."""
    contested: Color | None
    """The colour in force before the wild draw four that may be challenged (R18, R36)."""
    debt: int
    """How many cards the player to act owes (R34); a wild draw four counts before its colour is chosen."""
    laid_by: int | None
    """The seat that laid the draw card on top which nobody has drawn for yet; none for one turned up at the start."""
    jump_open: bool
    """Whether the card on top can be jumped in on, in the phases that allow it (R40)."""
    called: frozenset[int]
    """The seats whose UNO call holds (R27)."""
    catchable: int | None
    """The seat that played last and, unless its call holds, can be caught at one card (R27)."""
    fresh: tuple[int, ...]
    """How many cards of the latest draw may still be shown (R31)."""
    shown: tuple[tuple[Face, ...], ...]
    """Which faces of that draw have been shown (R31)."""
    leftover: tuple[tuple[Card, ...] | int | None, ...]
    """The hands shown for scoring, or their points if only those were entered; the round's winner's is empty."""
    round_winner: int | None
    left: tuple[tuple[str, int], ...] = ()
    """Who left the match, with the points that they have; who came back is not among them (R50)."""
    running: Running | None = None
    """The program that waits for a move (R52)."""
    demand: Demanded | None = None
    """The demand that the player to act has to meet, whose price is the debt (R53)."""
    out: frozenset[int] = frozenset()
    """Who is out of the round (R54)."""
    drawn_since: int = 0
    """How many cards the player of a contested wild draw four has drawn since playing it (R18)."""
    doubler: int | None = None
    """The seat that played the card on top and may lay a second copy on it, in the phases that allow it (R60)."""

    @property
    def standings(self) -> dict[str, int]:
        """The points of everybody who has any, by name: those at the table in seat order, then those who left."""
        return {**dict(zip(self.players, self.scores, strict=True)), **dict(self.left)}

    @property
    def players(self) -> tuple[str, ...]:
        """The players' names in seat order."""
        return self.header.players

    @property
    def actor(self) -> str | None:
        """The name of the player to act."""
        return None if self.turn is None else self.header.players[self.turn]

    @property
    def challenger(self) -> str | None:
        """The name of the player who challenged a wild draw four, while the hand is to be shown (R19), else None."""
        if self.phase is not Phase.REVEAL:
            return None
        assert self.turn is not None
        return self.players[self.seat_after(self.turn)]

    @property
    def drawable(self) -> int:
        """How many cards draw pile and discard pile hold between them, the top card apart (R13, R33)."""
        return max(0, self.header.edition.size - sum(self.hands) - 1)

    def seat_after(self, seat: int) -> int:
        """Return the next seat in the direction of play, those out passed over."""
        return beside(seat, self.direction.step, len(self.hands), self.out)


def beside(seat: int, step: int, players: int, out: Container[int]) -> int:
    """Return the next seat in steps of 1 or -1 around the table, those `out` of the round passed over (R54)."""
    seat = (seat + step) % players
    while seat in out:
        seat = (seat + step) % players
    return seat


def opening(header: Header) -> State:
    """Return the state before the first card is turned up."""
    nobody = (0,) * len(header.players)
    return State(
        header=header,
        phase=Phase.START,
        round=1,
        dealer=header.dealer,
        turn=None,
        direction=Direction.CLOCKWISE,
        top=None,
        color=None,
        hands=(header.options.hand_size,) * len(header.players),
        scores=nobody,
        winners=(),
        purpose=None,
        contested=None,
        debt=0,
        laid_by=None,
        jump_open=False,
        called=frozenset(),
        catchable=None,
        fresh=nobody,
        shown=((),) * len(header.players),
        leftover=(None,) * len(header.players),
        round_winner=None,
    )
