"""A table that plays by itself: it knows every card and makes random moves as people would.

For benchmarks, tests, the laboratory and the simulated table. All randomness comes from the given random.Random, so the
same seed plays the same match.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from random import Random
from typing import ClassVar

from companion.cards import Card
from companion.editions.program import DrawUntil, Filter, Reveal, Shed
from companion.referee import moves
from companion.referee.effects import (
    CardsShed,
    CardsTaken,
    Dealt,
    Drawn,
    Effect,
    Eliminated,
    HandRefreshed,
    HandsPooled,
    HandsRotated,
    HandsSwapped,
    Left,
    Renamed,
    SetAside,
    Why,
)
from companion.referee.engine import apply
from companion.referee.legality import (
    CREEPER,
    IN_ROUND,
    SHOWING,
    matches,
    may_be_caught,
    may_jump_in,
    may_lay,
    may_seat_another,
    may_stack,
    may_target,
    most_to_shed,
    must_draw_on,
    took_limits,
)
from companion.referee.phase import Phase
from companion.referee.state import MIN_PLAYERS, Header, State, opening

_DRAWS_ANYWAY = 0.05
_KEEPS_PLAYABLE = 0.2
_PLAYS_WRONGLY = 0.003
_CALLS_EARLY = 0.4
_CALLS_LATE = 0.5
_IS_CAUGHT = 0.4
_CHALLENGES = 0.4
_IS_JUDGED = 0.2
_JUMPS_IN = 0.5
_STACKS = 0.7
_COMES = 0.1
_GOES = 0.1
_HITS_THEMSELVES = 0.05
_SAYS_YES = 0.5
_BEARS_MARK = 0.25  # a mark that only the players know is on about every fourth card
_LAUNCHES_MOST = 4


class RandomTable:
    """The true cards of a match: `hands` by seat, the `draw_pile` and the `discard_pile`, their last cards on top.

    cards: those that are dealt from, the edition's whole deck where None. guests: who may join between rounds; without
    any, nobody joins or leaves. `next_move` returns the table's next move, which is always legal; `follow` moves the
    cards as the referee's effects say. Call them in turns, as `random_match` does.
    """

    def __init__(
        self,
        header: Header,
        random: Random,
        cards: Iterable[Card] | None = None,
        guests: Iterable[str] = (),
    ) -> None:
        self.header = header
        self.random = random
        self.hands: list[list[Card]] = []
        self.draw_pile: list[Card] = []
        self.discard_pile: list[Card] = []
        self._guests = list(guests)
        deck = (card for card, copies in header.edition.deck.items() for _ in range(copies))
        self._deck = list(deck if cards is None else cards)
        self._colors = tuple(header.edition.colors)
        self._shown_faces = {face.value for face in header.rules.drawn}
        self._announcements: deque[moves.Move] = deque()
        self._drawn: Card | None = None
        self._shed: list[Card] | None = None
        self._out: set[int] = set()
        self._deal()

    def next_move(self, state: State) -> moves.Move:
        """Return a random move that the rules allow in this state, which must not be over."""
        while self._announcements:
            move = self._announcements.popleft()
            if state.phase in SHOWING:
                return move
        if state.header is not self.header:
            self.header = state.header
            if state.phase is Phase.START:  # somebody joined or left, before anything was played
                self._deal()
        return self._interjection(state) or self._MAKERS[state.phase](self, state)

    def put_in_hand(self, seat: int, card: Card) -> None:
        """Swap a card that is somewhere on the table for one of this hand, so that the player holds it."""
        hand = self.hands[seat]
        if card in hand:
            return
        for place in (self.draw_pile, *(other for other in self.hands if other is not hand)):
            if card in place:
                place[place.index(card)], hand[0] = hand[0], card
                return

    def play(self, seat: int, card: Card) -> moves.Move:
        """Return the play of a card that the player holds, whether it matches or not."""
        return self._put(seat, card, force=True)

    def follow(self, effects: Iterable[Effect]) -> None:
        """Deal and draw as the effects say."""
        for effect in effects:
            seat = self.header.players.index
            match effect:
                case Drawn():
                    self._draw(effect)
                case SetAside():
                    self.draw_pile.insert(0, self.discard_pile.pop())
                case HandsSwapped(player, partner):
                    one, other = seat(player), seat(partner)
                    self.hands[one], self.hands[other] = self.hands[other], self.hands[one]
                case HandsRotated(direction):
                    self._rotate(direction.step)
                case Dealt():
                    self._deal()
                case Left(player):
                    self._vacate(player)
                case Renamed(player, new):
                    self._sit(tuple(new if name == player else name for name in self.header.players))
                case CardsShed(player, count):
                    self._shed_cards(self.hands[seat(player)], count)
                case HandsPooled(players):
                    self._pool([self.hands[seat(player)] for player in players])
                case HandRefreshed(player, count):
                    hand = self.hands[seat(player)]
                    self.draw_pile[:0] = hand
                    hand[:] = [self._take() for _ in range(count)]
                    self._announce(player, hand)
                case CardsTaken(player, count):
                    self.hands[seat(player)] += [self._take_discard() for _ in range(count)]
                case Eliminated(player):
                    self.draw_pile[:0] = self.hands[seat(player)]
                    self.hands[seat(player)] = []
                    self._out.add(seat(player))

    def _vacate(self, player: str) -> None:
        """Put the hand of a player who leaves under the draw pile (R55)."""
        seat = self.header.players.index(player)
        self.draw_pile[:0] = self.hands[seat]
        self.hands[seat] = []
        self._announcements = deque(
            move for move in self._announcements if not isinstance(move, moves.PlayerMove) or move.player != player
        )
        if len(self.hands) > MIN_PLAYERS:
            self.hands.pop(seat)
            self._out = {other - (other > seat) for other in self._out if other != seat}
            self._sit(tuple(name for name in self.header.players if name != player))

    def _sit(self, players: tuple[str, ...]) -> None:
        self.header = replace(self.header, players=players, dealer=0)

    def _rotate(self, step: int) -> None:
        """R42, players who are out passed over."""
        seats = [seat for seat in range(len(self.hands)) if seat not in self._out]
        hands = [self.hands[seat] for seat in seats]
        for place, seat in enumerate(seats):
            self.hands[seat] = hands[(place - step) % len(hands)]

    def _shed_cards(self, hand: list[Card], count: int) -> None:
        """Lay off the cards that the table chose, or any where only a number is asked for."""
        chosen = self.random.sample(hand, count) if self._shed is None else self._shed
        self._shed = None
        for card in chosen:
            hand.remove(card)
        self.discard_pile[-1:-1] = chosen

    def _pool(self, hands: list[list[Card]]) -> None:
        cards = [card for hand in hands for card in hand]
        self.random.shuffle(cards)
        for place, hand in enumerate(hands):
            hand[:] = cards[place :: len(hands)]

    def _take_discard(self) -> Card:
        if len(self.discard_pile) > 1:
            return self.discard_pile.pop(self.random.randrange(len(self.discard_pile) - 1))
        return self.draw_pile.pop(0)  # the piles together hold enough (R33)

    def _deal(self) -> None:
        self._announcements.clear()
        cards = self._deck.copy()
        self.random.shuffle(cards)
        size = self.header.options.hand_size
        self.hands = [cards[seat * size : (seat + 1) * size] for seat in range(len(self.header.players))]
        self.draw_pile = cards[len(self.hands) * size :]
        self.discard_pile = []
        self._out = set()

    def _draw(self, effect: Drawn) -> None:
        drawn = [self._take() for _ in range(effect.count)]
        self.hands[self.header.players.index(effect.player)] += drawn
        if effect.why is Why.TURN:
            self._drawn = drawn[0] if drawn else None
        if self.header.rules.drawn and effect.why not in self._shown_faces:
            self._announce(effect.player, drawn)

    def _announce(self, player: str, drawn: list[Card]) -> None:
        """Let the player show the cards just drawn that do something when drawn (R31)."""
        for card in drawn:
            if card.face in self.header.rules.drawn:
                self._announcements.append(moves.Creeper(player) if card == CREEPER else moves.Show(player, card))

    def _take(self) -> Card:
        if not self.draw_pile:
            self._reshuffle()
        return self.draw_pile.pop()

    def _reshuffle(self) -> None:
        """R13."""
        self.draw_pile = self.discard_pile[:-1]
        self.discard_pile = self.discard_pile[-1:]
        self.random.shuffle(self.draw_pile)
        self._announcements.append(moves.Reshuffle())

    def _turn_up(self) -> Card:
        card = self._take()
        self.discard_pile.append(card)
        return card

    def _interjection(self, state: State) -> moves.Move | None:
        seat = state.catchable
        if seat is not None and may_be_caught(state, seat):
            if self.random.random() < _CALLS_LATE:
                return moves.Uno(state.players[seat])
            if self.random.random() < _IS_CAUGHT:
                return moves.Catch(state.players[seat])
        if self._guests and state.phase in IN_ROUND and self.random.random() < _GOES / sum(state.hands):
            return self._leave(state)
        return self._jump_in(state) if state.jump_open or state.doubler is not None else None

    def _jump_in(self, state: State) -> moves.Move | None:
        """R39, R60."""
        top = state.top
        assert top is not None
        for seat, hand in enumerate(self.hands):
            if top in hand and may_jump_in(state, seat, top) and self.random.random() < _JUMPS_IN:
                return self._put(seat, top, by=state.players[seat])
        return None

    def _start(self, state: State) -> moves.Move:
        return self._change_seats(state) or moves.Start(self._turn_up())

    def _change_seats(self, state: State) -> moves.Move | None:
        """R48, R50."""
        if not self._guests:
            return None
        chance = self.random.random()
        if chance < _COMES and may_seat_another(state):
            name = self._guests.pop(0)
            after = self.random.choice((None, *state.players))
            score = self.random.choice((None, int(self.random.random() * state.header.options.target)))
            return moves.Join(name, after, score)
        if chance > 1 - _GOES:
            return self._leave(state)
        return None

    def _leave(self, state: State) -> moves.Move:
        """R50, R55."""
        name = self.random.choice(state.players)
        self._guests.append(name)
        return moves.Leave(name)

    def _turn(self, state: State) -> moves.Move:
        seat, top, color = state.turn, state.top, state.color
        assert seat is not None
        assert top is not None
        hand = self.hands[seat]
        chance = self.random.random()
        if len(hand) == 2 and seat not in state.called and chance < _CALLS_EARLY:
            return moves.Uno(state.players[seat])
        playable = [card for card in hand if matches(card, top, color)]
        if not playable or chance > 1 - _DRAWS_ANYWAY:
            return self._put(seat, self._any(hand), force=True) if chance < _PLAYS_WRONGLY else moves.Draw()
        return self._put(seat, self._any(playable))

    def _after_drawing(self, state: State) -> moves.Move:
        card, seat, top, color = self._drawn, state.turn, state.top, state.color
        assert seat is not None
        assert top is not None
        if card is None or not matches(card, top, color):
            return self._keep(state)
        if not state.header.options.must_play_drawn and self.random.random() < _KEEPS_PLAYABLE:  # R59
            return self._keep(state)
        return self._put(seat, card)

    def _keep(self, state: State) -> moves.Move:
        """R12, R45."""
        return moves.Draw() if must_draw_on(state) else moves.Pass()

    def _owe(self, state: State) -> moves.Move:
        """R34, R53: lay a card on the debt, or take it."""
        seat, top, color = state.turn, state.top, state.color
        assert seat is not None
        assert top is not None
        hand = self.hands[seat]
        if len(hand) == 2 and seat not in state.called and self.random.random() < _CALLS_EARLY:
            return moves.Uno(state.players[seat])
        stackable = [card for card in hand if may_lay(card, top, color, state.header, state.demand)]
        if stackable and self.random.random() < _STACKS:
            return self._put(seat, self._any(stackable))
        return moves.Accept()

    def _put(self, seat: int, card: Card, *, force: bool = False, by: str | None = None) -> moves.Move:
        self.hands[seat].remove(card)
        self.discard_pile.append(card)
        return moves.Play(card, force, by=by)

    def _any(self, cards: list[Card]) -> Card:
        return cards[int(self.random.random() * len(cards))]

    def _flip(self, _: State) -> moves.Move:
        if self.draw_pile:
            return moves.Flip(self._turn_up())
        self._reshuffle()
        return self._announcements.popleft()

    def _choose_color(self, _: State) -> moves.Move:
        return moves.ChooseColor(self.random.choice(self._colors))

    def _target(self, state: State) -> moves.Move:
        seats = [seat for seat in range(len(state.hands)) if may_target(state, seat)]
        others = [seat for seat in seats if seat != state.turn]
        if others and self.random.random() >= _HITS_THEMSELVES:
            seats = others
        return moves.Target(state.players[self.random.choice(seats)])

    def _answer(self, state: State) -> moves.Move:
        if self.random.random() < _CHALLENGES:
            return moves.Challenge()
        return self._owe(state) if may_stack(state) else moves.Accept()

    def _reveal(self, state: State) -> moves.Move:
        assert state.turn is not None
        judged = self.random.random() < _IS_JUDGED
        if judged or state.drawn_since:  # cards drawn since may decide, so the table judges
            return moves.Judge(self.random.random() < 0.5)
        return moves.Reveal(tuple(self.hands[state.turn]))

    def _hand(self, state: State) -> moves.Move:
        seat = self.random.choice([seat for seat, hand in enumerate(state.leftover) if hand is None])
        return moves.Hand(state.players[seat], tuple(self.hands[seat]))

    def _took(self, state: State) -> moves.Move:
        """Say how many cards were drawn: a launcher's number, or up to the first card that fits."""
        limits, running = took_limits(state), state.running
        assert limits is not None
        assert running is not None
        least, most = limits
        step = running.step
        if not isinstance(step, DrawUntil):
            return moves.Took(self.random.randint(least, min(most, _LAUNCHES_MOST)))
        for count, card in enumerate(reversed(self.draw_pile), 1):
            if self._fits(step.filter, card, state):
                return moves.Took(count)
        return moves.Took(max(least, len(self.draw_pile)))

    def _fits(self, condition: Filter, card: Card, state: State) -> bool:
        """Return whether the card fits; whether it bears a mark that only the players know is left to chance."""
        if not condition.fits(card, state.color):
            return False
        mark = condition.mark
        return mark is None or mark.bears is not None or self.random.random() < _BEARS_MARK

    def _lay_off(self, state: State) -> moves.Move:
        most, running = most_to_shed(state), state.running
        assert most is not None
        assert running is not None
        assert state.turn is not None
        assert isinstance(running.step, Shed)
        fitting = [card for card in self.hands[state.turn] if self._fits(running.step.filter, card, state)]
        self._shed = fitting[:most]
        return moves.Shed(tuple(self._shed))

    def _outcome(self, state: State) -> moves.Move:
        running = state.running
        assert running is not None
        assert state.turn is not None
        step = running.step
        if isinstance(step, Reveal) and (step.filter.mark is None or step.filter.mark.bears is not None):
            return moves.Outcome(any(step.filter.fits(card, state.color) for card in self.hands[state.turn]))
        return moves.Outcome(self.random.random() < _SAYS_YES)

    _MAKERS: ClassVar[dict[Phase, Callable[[RandomTable, State], moves.Move]]] = {
        Phase.START: _start,
        Phase.TURN: _turn,
        Phase.DRAWN: _after_drawing,
        Phase.DEBT: _owe,
        Phase.FLIP: _flip,
        Phase.COLOR: _choose_color,
        Phase.TARGET: _target,
        Phase.CHALLENGE: _answer,
        Phase.REVEAL: _reveal,
        Phase.SCORING: _hand,
        Phase.TOOK: _took,
        Phase.SHED: _lay_off,
        Phase.OUTCOME: _outcome,
    }


def random_match(header: Header, random: Random) -> Iterator[tuple[moves.Move, State, tuple[Effect, ...]]]:
    """Yield the moves of a random match to its end, each with the state it led to and what followed from it."""
    table = RandomTable(header, random)
    state = opening(header)
    while state.phase is not Phase.OVER:
        move = table.next_move(state)
        state, effects = apply(state, move)
        table.follow(effects)
        yield move, state, effects
