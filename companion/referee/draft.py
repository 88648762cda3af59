"""A mutable copy of a state, with the operations that rules are made of.

Only the engine uses it, within one call of `apply`.
"""

from __future__ import annotations

from collections.abc import Mapping

from companion.cards import Card, Face
from companion.editions.options import Scoring
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
)
from companion.referee.model.scoring import hand_points, match_winners, round_points
from companion.referee.phase import Direction, Phase, Purpose
from companion.referee.state import State, beside

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
        "demand",
        "direction",
        "doubler",
        "drawn_since",
        "effects",
        "fresh",
        "hands",
        "header",
        "jump_open",
        "laid_by",
        "left",
        "leftover",
        "out",
        "phase",
        "purpose",
        "round",
        "round_winner",
        "running",
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
        self.running = state.running
        self.demand = state.demand
        self.out = state.out
        self.drawn_since = state.drawn_since
        self.doubler = state.doubler

    def freeze(self) -> State:
        """Return the draft as a state."""
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
            self.running,
            self.demand,
            self.out,
            self.drawn_since,
            self.doubler,
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
        return beside(seat, self.direction.step, len(self.hands), self.out)

    def before(self, seat: int) -> int:
        """Return the previous seat in the direction of play."""
        return beside(seat, -self.direction.step, len(self.hands), self.out)

    @property
    def present(self) -> int:
        """How many players are in the round (R54)."""
        return len(self.hands) - len(self.out)

    def others(self, seat: int) -> tuple[int, ...]:
        """Return the other players in the round, in turn order from the next one."""
        size, step = len(self.hands), self.direction.step
        order = ((seat + step * distance) % size for distance in range(1, size))
        return tuple(other for other in order if other not in self.out)

    def land(self, card: Card) -> None:
        """Put the card on the discard pile. A wild's colour is still open (R11); a single card has no copy (R39)."""
        self.top = card
        self.color = card.color
        self.jump_open = self.header.options.jump_in and self._has_copy(card)
        self.doubler = None

    def _has_copy(self, card: Card) -> bool:
        return card.color is not None and card not in self.header.rules.single

    def land_played(self, card: Card, seat: int) -> None:
        """Put a card that this player played on the discard pile. The player may lay a second copy on it (R60)."""
        self.land(card)
        if self.header.options.doubles and self._has_copy(card):
            self.doubler = seat

    def shut_copies(self) -> None:
        """End the chance to lay a copy on the card on top, and a call of UNO made for it (R27, R40, R60)."""
        self.jump_open = False
        if self.doubler is not None and self.hands[self.doubler] != 1:
            self.called -= {self.doubler}
        self.doubler = None

    def set_count(self, seat: int, count: int) -> None:
        """Set a hand's count. A call and the chance to catch end when the count is no longer one (R27)."""
        hands = self.hands
        if hands[seat] == 1 and count != 1 and self.catchable == seat:
            self.catchable = None
        self.hands = (*hands[:seat], count, *hands[seat + 1 :])
        if count != 1 and seat in self.called:
            self.called -= {seat}

    def set_fresh(self, seat: int, count: int, shown: tuple[Face, ...] = ()) -> None:
        """Set how many cards of the player's latest draw may still be shown, beside the faces `shown` so far (R31)."""
        self.fresh = (*self.fresh[:seat], count, *self.fresh[seat + 1 :])
        self.shown = (*self.shown[:seat], shown, *self.shown[seat + 1 :])

    def lapse_calls(self) -> None:
        """End calls of UNO made with two cards, as a turn begins (R27)."""
        self.called = frozenset(seat for seat in self.called if self.hands[seat] == 1)

    def move_hands(self, givers: Mapping[int, int]) -> None:
        """Give each of these seats the hand of its giver."""
        self.deal_out({seat: self.hands[giver] for seat, giver in givers.items()})

    def deal_out(self, counts: Mapping[int, int]) -> None:
        """Give these seats other hands of so many cards. Calls, catching and cards to show lapse (R44)."""
        hands = self.hands
        self.hands = tuple(counts.get(seat, hands[seat]) for seat in range(len(hands)))
        self.called = self.called.difference(counts)
        if self.catchable in counts:
            self.catchable = None
        if self.doubler in counts:
            self.doubler = None
        for seat in counts:
            self.set_fresh(seat, 0)

    def draw(self, seat: int, count: int, why: str, *, shows: bool = True) -> None:
        """Let the player draw up to `count` cards (R33). shows: what is drawn may be shown (R31)."""
        count = min(count, self.drawable)
        if count:
            self.set_count(seat, self.hands[seat] + count)
        if shows:
            self.set_fresh(seat, count)
        if seat == self.laid_by and self.contested is not None:
            self.drawn_since += count
        self.effects.append(Drawn(self.header.players[seat], count, why))

    def skip(self, seat: int) -> None:
        """Skip the player's turn."""
        self.effects.append(Skipped(self.header.players[seat]))

    def reverse(self) -> None:
        """Change the direction of play (R7, R15)."""
        self.direction = self.direction.opposite
        self.effects.append(Reversed(self.direction))

    def turn_to(self, seat: int) -> None:
        """Begin the player's turn, with nothing left to settle."""
        self.phase = Phase.TURN
        self._wait_for(seat)
        self.lapse_calls()

    def _wait_for(self, seat: int | None) -> None:
        """Let this player act next, or nobody; whatever waited before lapses."""
        self.turn = seat
        self.purpose = None
        self.contested = None
        self.debt = 0
        self.laid_by = None
        self.running = None
        self.demand = None

    def owe(self, seat: int, count: int, laid_by: int | None) -> None:
        """Add to the player's debt for a card that `laid_by` played (R34), None if turned up at the start (R38)."""
        self.phase = Phase.DEBT
        self.turn = seat
        self.purpose = None
        self.contested = None
        self.running = None
        self.lapse_calls()
        self.debt += count
        self.laid_by = laid_by
        self.effects.append(DebtOwed(self.name(seat), self.debt))

    def choose(self, seat: int, phase: Phase, purpose: Purpose) -> None:
        """Wait for the player to choose a colour or a player."""
        self.phase = phase
        self.turn = seat
        self.purpose = purpose

    def begin_turn(self, seat: int) -> None:
        """Let the player begin a turn; what waited lapses, and an open colour is chosen first."""
        self.turn_to(seat)
        if self.color is None and self.header.edition.has_colors:
            self.choose(seat, Phase.COLOR, Purpose.RESUME)

    def close_round(self) -> None:
        """End what the round waits for: nobody is to act any more."""
        self._wait_for(None)
        self.shut_copies()
        self.called = _NOBODY
        self.catchable = None

    def end_round(self, winner: int) -> None:
        """End the round, won by this player (R28), and with `single-round` the match (R32)."""
        self.effects.append(RoundWon(self.name(winner)))
        self.close_round()
        self.phase = Phase.SCORING
        self.round_winner = winner
        self.set_fresh(winner, 0)
        gone = self.header.edition.out_points
        self.leftover = tuple(
            () if seat == winner else gone if seat in self.out else None for seat in range(len(self.hands))
        )
        if self.header.options.scoring is Scoring.SINGLE_ROUND:
            self.end_match((winner,))
        elif None not in self.leftover:
            self.score_round()

    def end_if_alone(self) -> bool:
        """End the round if one player alone is still in it, who wins (R54, R55). Returns whether it ended."""
        if self.present != 1:
            return False
        self.end_round(next(seat for seat in range(len(self.hands)) if seat not in self.out))
        return True

    def score_round(self) -> None:
        """Score all hands, then end the match or deal again (R29, R30)."""
        options = self.header.options
        assert self.round_winner is not None
        hands = [hand_points(hand or 0, self.header.edition) for hand in self.leftover]
        points = round_points(options.scoring, self.round_winner, hands)
        self.effects.extend(Scored(self.name(seat), gain) for seat, gain in points.items())
        self.scores = tuple(score + points.get(seat, 0) for seat, score in enumerate(self.scores))
        winners = match_winners(options.scoring, options.target, self.scores)
        if winners:
            self.end_match(winners)
        else:
            self.deal()

    def end_match(self, winners: tuple[int, ...]) -> None:
        """End the match, won by these players."""
        self.phase = Phase.OVER
        self.winners = winners
        self.effects.append(MatchWon(tuple(map(self.name, winners))))

    def deal(self) -> None:
        """Begin the next round. The player to the last dealer's left deals (R2, R3)."""
        self.phase = Phase.START
        self.round += 1
        self.direction = Direction.CLOCKWISE
        self.out = _NOBODY
        self.dealer = self.after(self.dealer)
        self.top = None
        self.color = None
        self.deal_hands(len(self.hands))
        self.round_winner = None
        self.effects.append(Dealt(self.name(self.dealer), self.round))

    def deal_hands(self, players: int) -> None:
        """Deal a new hand to each of so many players."""
        self.hands = (self.header.options.hand_size,) * players
        self.fresh = (0,) * players
        self.shown = ((),) * players
        self.leftover = (None,) * players
