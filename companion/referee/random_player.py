"""A table that plays by itself: knows every card, and at random makes the moves that people would make.

It exists for benchmarks, tests and the simulated table. All its chance comes from the random.Random it is given, so
that the same seed plays the same match.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import ClassVar

from companion.cards import Card, Color, Face
from companion.referee import moves
from companion.referee.effects import Dealt, Drawn, Effect, HandsRotated, HandsSwapped, SetAside, Why
from companion.referee.engine import apply
from companion.referee.legality import (
    SHOWING,
    matches,
    may_be_caught,
    may_jump_in,
    may_seat_another,
    may_stack,
    may_target,
    must_draw_on,
    stacks,
)
from companion.referee.phase import Direction, Phase
from companion.referee.state import Header, State, opening

_COLORS = tuple(Color)
_CREEPER = Card(Face.WILD_CREEPER)

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


class RandomTable:
    """The true cards of a match: `hands` by seat, the `draw_pile` and the `discard_pile`, their last cards on top.

    cards: those that are dealt from, the edition's whole deck where None. guests: who may join between rounds; without
    any, nobody joins or leaves. `next_move` says what the table does next,
    which is always legal; `follow` moves the cards as the referee's effects ask for. Call them in turns, as
    `random_match` does.
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
        self._announcements: deque[moves.Move] = deque()
        self._drawn: Card | None = None
        self._deal()

    def next_move(self, state: State) -> moves.Move:
        """Return a random move that the rules allow in this state, which must not be over."""
        while self._announcements:
            move = self._announcements.popleft()
            if state.phase in SHOWING:
                return move
        if state.header is not self.header:  # somebody joined or left, before anything was played
            self.header = state.header
            self._deal()
        return self._interjection(state) or self._MAKERS[state.phase](self, state)

    def follow(self, effects: Iterable[Effect]) -> None:
        """Deal and draw as the effects say."""
        for effect in effects:
            if isinstance(effect, Drawn):
                self._draw(effect)
            elif isinstance(effect, SetAside):
                self.draw_pile.insert(0, self.discard_pile.pop())
            elif isinstance(effect, HandsSwapped):
                one, other = map(self.header.players.index, (effect.player, effect.partner))
                self.hands[one], self.hands[other] = self.hands[other], self.hands[one]
            elif isinstance(effect, HandsRotated):
                step = 1 if effect.direction is Direction.CLOCKWISE else -1
                self.hands = self.hands[-step:] + self.hands[:-step]
            elif isinstance(effect, Dealt):
                self._deal()

    def _deal(self) -> None:
        self._announcements.clear()
        cards = self._deck.copy()
        self.random.shuffle(cards)
        size = self.header.options.hand_size
        self.hands = [cards[seat * size : (seat + 1) * size] for seat in range(len(self.header.players))]
        self.draw_pile = cards[len(self.hands) * size :]
        self.discard_pile = []

    def _draw(self, effect: Drawn) -> None:
        drawn = [self._take() for _ in range(effect.count)]
        self.hands[self.header.players.index(effect.player)] += drawn
        if effect.why is Why.TURN:
            self._drawn = drawn[0] if drawn else None
        if self.header.edition.has_creepers and effect.why is not Why.WILD_CREEPER:
            self._announcements.extend(moves.Creeper(effect.player) for _ in range(drawn.count(_CREEPER)))

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
        return self._jump_in(state) if state.jump_open else None

    def _jump_in(self, state: State) -> moves.Move | None:
        """R39."""
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
            name = self.random.choice(state.players)
            self._guests.append(name)
            return moves.Leave(name)
        return None

    def _turn(self, state: State) -> moves.Move:
        seat, top, color = state.turn, state.top, state.color
        assert seat is not None
        assert top is not None
        assert color is not None
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
        assert color is not None
        if card is None or not matches(card, top, color) or self.random.random() < _KEEPS_PLAYABLE:
            return self._keep(state)
        return self._put(seat, card)

    def _keep(self, state: State) -> moves.Move:
        """R12, R45."""
        return moves.Draw() if must_draw_on(state) else moves.Pass()

    def _owe(self, state: State) -> moves.Move:
        """R34: stack, or take the debt."""
        seat, top, color = state.turn, state.top, state.color
        assert seat is not None
        assert top is not None
        assert color is not None
        hand = self.hands[seat]
        if len(hand) == 2 and seat not in state.called and self.random.random() < _CALLS_EARLY:
            return moves.Uno(state.players[seat])
        stacking = state.header.options.stacking
        stackable = [card for card in hand if stacks(card, top, stacking) and matches(card, top, color)]
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
        return moves.ChooseColor(self.random.choice(_COLORS))

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
        if self.random.random() < _IS_JUDGED:
            return moves.Judge(self.random.random() < 0.5)
        return moves.Reveal(tuple(self.hands[state.turn]))

    def _hand(self, state: State) -> moves.Move:
        seat = self.random.choice([seat for seat, hand in enumerate(state.leftover) if hand is None])
        return moves.Hand(state.players[seat], tuple(self.hands[seat]))

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
