"""A state being worked on: the steps that the rules are made of, taken one by one and frozen into the next state.

Only the engine uses it, within one call of `apply`; nobody else ever sees a state that changes.
"""

from __future__ import annotations

from companion.cards import Card
from companion.referee.editions import Scoring
from companion.referee.effects import (
    Dealt,
    Drawn,
    Effect,
    MatchWon,
    Reversed,
    RoundWon,
    Scored,
    Skipped,
    Why,
)
from companion.referee.scoring import match_winners, round_points
from companion.referee.state import Choice, Direction, Phase, State

_NOBODY: frozenset[int] = frozenset()


class Draft:
    """A mutable copy of a state, and the effects so far."""

    __slots__ = (
        "called",
        "catchable",
        "choice",
        "color",
        "contested",
        "dealer",
        "direction",
        "effects",
        "fresh",
        "hands",
        "header",
        "leftover",
        "phase",
        "round",
        "round_winner",
        "scores",
        "top",
        "turn",
        "winners",
    )

    def __init__(self, state: State) -> None:
        self.effects: list[Effect] = []
        self.header = state.header
        self.phase = state.phase
        self.round = state.round
        self.dealer = state.dealer
        self.turn = state.turn
        self.direction = state.direction
        self.top = state.top
        self.color = state.color
        self.hands = state.hands
        self.scores = state.scores
        self.winners = state.winners
        self.choice = state.choice
        self.contested = state.contested
        self.called = state.called
        self.catchable = state.catchable
        self.fresh = state.fresh
        self.leftover = state.leftover
        self.round_winner = state.round_winner

    def freeze(self) -> State:
        """Return the state that the draft has come to."""
        return State(
            self.header,
            self.phase,
            self.round,
            self.dealer,
            self.turn,
            self.direction,
            self.top,
            self.color,
            self.hands,
            self.scores,
            self.winners,
            self.choice,
            self.contested,
            self.called,
            self.catchable,
            self.fresh,
            self.leftover,
            self.round_winner,
        )

    @property
    def actor(self) -> int:
        """The seat to act."""
        assert self.turn is not None
        return self.turn

    def name(self, seat: int) -> str:
        """Return the name of the player in this seat."""
        return self.header.players[seat]

    def after(self, seat: int) -> int:
        """Return the next seat in the direction of play."""
        return (seat + self.direction.step) % len(self.hands)

    def before(self, seat: int) -> int:
        """Return the previous seat in the direction of play."""
        return (seat - self.direction.step) % len(self.hands)

    def land(self, card: Card) -> None:
        """Put the card on the discard pile; a wild's colour is yet to be chosen (R11)."""
        self.top = card
        self.color = card.color

    def set_count(self, seat: int, count: int) -> None:
        """Let the player hold `count` cards; a call, or the chance to catch, ends with the last card but one (R27)."""
        hands = self.hands
        if hands[seat] == 1 and count != 1 and self.catchable == seat:
            self.catchable = None
        self.hands = (*hands[:seat], count, *hands[seat + 1 :])
        if count != 1 and seat in self.called:
            self.called -= {seat}

    def set_fresh(self, seat: int, count: int) -> None:
        """Let `count` of the player's cards be ones that may be shown to be creepers (R31)."""
        fresh = self.fresh
        if fresh[seat] != count:
            self.fresh = (*fresh[:seat], count, *fresh[seat + 1 :])

    def draw(self, seat: int, count: int, why: Why) -> None:
        """Let the player draw, as many as there are (R33)."""
        count = max(0, min(count, self.header.edition.size - sum(self.hands) - 1))
        if count:
            self.set_count(seat, self.hands[seat] + count)
        if why is not Why.WILD_CREEPER:
            self.set_fresh(seat, count)
        self.effects.append(Drawn(self.header.players[seat], count, why))

    def skip(self, seat: int) -> None:
        """Let the player lose the turn."""
        self.effects.append(Skipped(self.header.players[seat]))

    def reverse(self) -> None:
        """Turn the direction of play round (R7, R15)."""
        self.direction = self.direction.opposite
        self.effects.append(Reversed(self.direction))

    def turn_to(self, seat: int) -> None:
        """Let the player begin a turn."""
        self.phase = Phase.TURN
        self.turn = seat
        self.choice = None
        self.contested = None

    def choose_color(self, seat: int, choice: Choice) -> None:
        """Let the player choose a colour."""
        self.phase = Phase.COLOR
        self.turn = seat
        self.choice = choice

    def end_round(self, winner: int) -> None:
        """Let the player have gone out (R28), which is all of a single round (R32)."""
        self.effects.append(RoundWon(self.name(winner)))
        self.phase = Phase.SCORING
        self.turn = None
        self.choice = None
        self.contested = None
        self.called = _NOBODY
        self.catchable = None
        self.round_winner = winner
        self.set_fresh(winner, 0)
        self.leftover = tuple(() if seat == winner else None for seat in range(len(self.hands)))
        if self.header.options.scoring is Scoring.SINGLE_ROUND:
            self.end_match((winner,))

    def score_round(self) -> None:
        """Score the hands, all of them being in, and end the match or deal again (R29, R30)."""
        options = self.header.options
        assert self.round_winner is not None
        points = round_points(options.scoring, self.round_winner, [hand or () for hand in self.leftover])
        self.effects.extend(Scored(self.name(seat), gain) for seat, gain in points.items())
        self.scores = tuple(score + points.get(seat, 0) for seat, score in enumerate(self.scores))
        winners = match_winners(options.scoring, options.target, self.scores)
        if winners:
            self.end_match(winners)
        else:
            self.deal()

    def end_match(self, winners: tuple[int, ...]) -> None:
        """Let these players have won the match."""
        self.phase = Phase.OVER
        self.winners = winners
        self.effects.append(MatchWon(tuple(map(self.name, winners))))

    def deal(self) -> None:
        """Begin the next round, dealt by the player to the last dealer's left (R2, R3)."""
        seats = len(self.hands)
        self.phase = Phase.START
        self.round += 1
        self.direction = Direction.CLOCKWISE
        self.dealer = self.after(self.dealer)
        self.top = None
        self.color = None
        self.hands = (self.header.options.hand_size,) * seats
        self.fresh = (0,) * seats
        self.leftover = (None,) * seats
        self.round_winner = None
        self.effects.append(Dealt(self.name(self.dealer), self.round))
