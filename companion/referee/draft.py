"""A state being worked on: the steps that the rules are made of, taken one by one and frozen into the next state.

Only the engine uses it, within one call of `apply`; nobody else ever sees a state that changes.
"""

from __future__ import annotations

from collections.abc import Mapping

from companion.cards import Card, Face
from companion.referee.editions import Scoring
from companion.referee.effects import (
    Dealt,
    DebtOwed,
    Drawn,
    Effect,
    MatchWon,
    Reversed,
    RoundWon,
    Scored,
    Skipped,
    Why,
)
from companion.referee.phase import Direction, Phase, Purpose
from companion.referee.scoring import match_winners, round_points
from companion.referee.state import State

_NOBODY: frozenset[int] = frozenset()


class Draft:
    """A mutable copy of a state, and the effects so far."""

    __slots__ = (
        "called",
        "catchable",
        "color",
        "contested",
        "dealer",
        "debt",
        "direction",
        "effects",
        "fresh",
        "hands",
        "header",
        "jump_open",
        "laid_by",
        "left",
        "leftover",
        "phase",
        "purpose",
        "round",
        "round_winner",
        "scores",
        "shown",
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
        self.purpose = state.purpose
        self.contested = state.contested
        self.debt = state.debt
        self.laid_by = state.laid_by
        self.jump_open = state.jump_open
        self.called = state.called
        self.catchable = state.catchable
        self.fresh = state.fresh
        self.shown = state.shown
        self.leftover = state.leftover
        self.round_winner = state.round_winner
        self.left = state.left

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
            self.purpose,
            self.contested,
            self.debt,
            self.laid_by,
            self.jump_open,
            self.called,
            self.catchable,
            self.fresh,
            self.shown,
            self.leftover,
            self.round_winner,
            self.left,
        )

    @property
    def actor(self) -> int:
        """The seat to act."""
        assert self.turn is not None
        return self.turn

    @property
    def drawable(self) -> int:
        """How many cards there are to draw (R13, R33)."""
        return max(0, self.header.edition.size - sum(self.hands) - 1)

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
        """Put the card on the discard pile; a wild's colour is yet to be chosen (R11), and a 0 has no copy (R39)."""
        self.top = card
        self.color = card.color
        self.jump_open = self.header.options.jump_in and card.color is not None and card.face is not Face.ZERO

    def set_count(self, seat: int, count: int) -> None:
        """Let the player hold `count` cards; a call, or the chance to catch, ends with the last card but one (R27)."""
        hands = self.hands
        if hands[seat] == 1 and count != 1 and self.catchable == seat:
            self.catchable = None
        self.hands = (*hands[:seat], count, *hands[seat + 1 :])
        if count != 1 and seat in self.called:
            self.called -= {seat}

    def set_fresh(self, seat: int, count: int, shown: int = 0) -> None:
        """Let `count` cards of the player's latest draw be ones that may yet be shown to be creepers, beside `shown`
        that have been (R31).
        """
        fresh = self.fresh
        if fresh[seat] != count:
            self.fresh = (*fresh[:seat], count, *fresh[seat + 1 :])
        if self.shown[seat] != shown:
            self.shown = (*self.shown[:seat], shown, *self.shown[seat + 1 :])

    def lapse_calls(self) -> None:
        """Let calls of UNO made with two cards end, as a turn begins (R27)."""
        self.called = frozenset(seat for seat in self.called if self.hands[seat] == 1)

    def move_hands(self, givers: Mapping[int, int]) -> None:
        """Let each of these seats take over the hand of its giver, with nothing that was said or drawn before (R44)."""
        hands = self.hands
        self.hands = tuple(hands[givers.get(seat, seat)] for seat in range(len(hands)))
        self.called = self.called.difference(givers)
        if self.catchable in givers:
            self.catchable = None
        for seat in givers:
            self.set_fresh(seat, 0)

    def draw(self, seat: int, count: int, why: Why) -> None:
        """Let the player draw, as many as there are (R33)."""
        count = min(count, self.drawable)
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
        """Let the player begin a turn, with nothing left to be settled."""
        self.phase = Phase.TURN
        self.turn = seat
        self.purpose = None
        self.contested = None
        self.debt = 0
        self.laid_by = None
        if self.called:
            self.lapse_calls()

    def owe(self, seat: int, count: int, laid_by: int | None) -> None:
        """Let the player owe so many cards more, for a card that this seat laid (R34); nobody's at the start (R38)."""
        self.phase = Phase.DEBT
        self.turn = seat
        self.purpose = None
        self.contested = None
        self.lapse_calls()
        self.debt += count
        self.laid_by = laid_by
        self.effects.append(DebtOwed(self.name(seat), self.debt))

    def choose(self, seat: int, phase: Phase, purpose: Purpose) -> None:
        """Let the player choose a colour or a player."""
        self.phase = phase
        self.turn = seat
        self.purpose = purpose

    def end_round(self, winner: int) -> None:
        """Let the player have gone out (R28), which is all of a single round (R32)."""
        self.effects.append(RoundWon(self.name(winner)))
        self.phase = Phase.SCORING
        self.turn = None
        self.purpose = None
        self.contested = None
        self.debt = 0
        self.laid_by = None
        self.jump_open = False
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
        points = round_points(options.scoring, self.round_winner, [hand or 0 for hand in self.leftover])
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
        self.phase = Phase.START
        self.round += 1
        self.direction = Direction.CLOCKWISE
        self.dealer = self.after(self.dealer)
        self.top = None
        self.color = None
        self.deal_hands(len(self.hands))
        self.round_winner = None
        self.effects.append(Dealt(self.name(self.dealer), self.round))

    def deal_hands(self, players: int) -> None:
        """Let so many players have a new hand each."""
        self.hands = (self.header.options.hand_size,) * players
        self.fresh = self.shown = (0,) * players
        self.leftover = (None,) * players
