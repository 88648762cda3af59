"""Scripts: a random match as timed actions of hands, light and camera.

The referee's random table plays the match; timing and disturbances are sampled here. Lengths are millimetres of the
table plane, angles radians clockwise, times seconds from the start.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random

import numpy as np

from companion.cards import Card, EditionName, Face
from companion.dataset.scenes.layouts import Placement
from companion.dataset.simulated.actions import (
    FLIP_SECONDS,
    KNOCK_SECONDS,
    LIGHT_SECONDS,
    Action,
    CarryOff,
    Fetch,
    Knock,
    Lay,
    Nudge,
    Pace,
    Reach,
    Rest,
    Shade,
    Step,
    Straighten,
    SwitchLight,
    TakeTop,
)
from companion.dataset.simulated.seating import Chair, draw_chairs
from companion.editions import EDITIONS, Edition, Options, Scoring
from companion.referee.effects import Dealt, Drawn, Effect, SetAside
from companion.referee.engine import apply
from companion.referee.legality import matches
from companion.referee.moves import Flip, Move, Play, Reshuffle, Start, Undo
from companion.referee.random_player import RandomTable
from companion.referee.state import Header, Phase, State, opening

BESIDE_PILE = (95.0, 0.0)
"""Usual position of the draw pile, in mm from the discard pile."""


@dataclass(frozen=True)
class TimedMove:
    """A move of the match, or its withdrawal, and its time; for a card, when the hand releases it."""

    time: float
    entry: Move | Undo


@dataclass(frozen=True)
class Script:
    """A whole match: actions in order of time, and the moves that they show.

    Only hands that are `beside`, rest or fetch overlap with others. chairs: where the players sit; None: evenly around
    the table, with uniform movements. draw_pile: its position in mm from the pile.
    """

    header: Header
    steps: tuple[Step, ...]
    moves: tuple[TimedMove, ...]
    duration: float
    chairs: tuple[Chair, ...] = ()
    draw_pile: tuple[float, float] = BESIDE_PILE


@dataclass(frozen=True)
class Nuisances:
    """Probabilities of disturbances per move."""

    take_back: float = 0.05
    illegal: float = 0.02
    nudge: float = 0.05
    straighten: float = 0.04
    hand_passes: float = 0.08
    light: float = 0.03
    knock: float = 0.015
    reshuffle: float = 0.0
    """Probability that the piles are reshuffled before the draw pile is used up."""
    rest: float = 0.0
    cup: float = 0.0
    shade: float = 0.0
    idle: float = 0.0
    """Probability of another, passive arm over the table while a card is laid."""


CALM = Nuisances(0, 0, 0, 0, 0, 0, 0)
"""No disturbances."""


@dataclass
class Writer:
    """Builds a script step by step. `seats`: number of players; cards land within `scatter` mm."""

    rng: np.random.Generator
    seats: int
    scatter: float
    tidy: float
    draw_pile: tuple[float, float]
    lively: bool = False
    """Whether people draw freely: card by card or several at once, several people at a time."""
    now: float = 1.0
    steps: list[Step] = field(default_factory=list)
    moves: list[TimedMove] = field(default_factory=list)
    height: int = 0

    def wait(self, shortest: float, longest: float) -> None:
        """Advance the time."""
        self.now += float(self.rng.uniform(shortest, longest))

    def note(self, entry: Move | Undo, time: float | None = None) -> None:
        """Record a move, made now or at `time`."""
        self.moves.append(TimedMove(self.now if time is None else time, entry))

    def act(self, action: Action, duration: float) -> float:
        """Start an action now and advance the time by its duration; return its start."""
        began = self.now
        self.steps.append(Step(began, action))
        self.now += duration
        return began

    def pace(self, hold: float = 0.2) -> Pace:
        """Return a hurried or a relaxed pace."""
        approach, leave = self.rng.uniform(0.35, 0.7), self.rng.uniform(0.3, 0.6)
        return Pace(float(approach), float(hold * self.rng.uniform(0.7, 1.6)), float(leave))

    def lay(self, seat: int, card: Card, from_draw_pile: bool = False) -> float:
        """Lay a card; return when it has landed."""
        spread = self.scatter
        angle = self.rng.uniform(-np.pi, np.pi) if self.rng.random() > self.tidy else self.rng.normal(0, 0.25)
        x, y = self.rng.normal(0, spread, 2).clip(-2 * spread, 2 * spread)
        pace = self.pace()
        placement = Placement(float(x), float(y), float(angle))
        began = self.act(Lay(seat, pace, card, placement, from_draw_pile), pace.total + FLIP_SECONDS * from_draw_pile)
        self.height += 1
        return began + pace.contact + FLIP_SECONDS * from_draw_pile

    def take_top(self, seat: int) -> float:
        """Take the top card away; return when it has left the pile."""
        pace = self.pace()
        self.height -= 1
        return self.act(TakeTop(seat, pace), pace.total) + pace.contact

    def carry_off(self, seat: int) -> None:
        """Carry the pile away."""
        pace = self.pace(0.5)
        self.act(CarryOff(seat, pace), pace.total)
        self.height = 0

    def draw(self, seat: int, count: int = 1) -> None:
        """Draw cards: at once, or if `lively` also one after the other."""
        if self.lively and count > 1 and self.rng.random() < 0.5:
            for _ in range(count):
                self.draw(seat)
                self.wait(0.05, 0.4)
            return
        pace = self.pace(0.2 if count == 1 else 0.6)
        self.act(Reach(seat, pace, *self.draw_pile, draws=True, count=count), pace.total)

    def draw_together(self, owing: Sequence[tuple[int, int]]) -> None:
        """Let several people draw at about the same time: their seats and numbers of cards."""
        last = self.now
        for seat, count in owing:
            pace = self.pace(0.6)
            began = self.now + float(self.rng.uniform(0, 0.7))
            self.steps.append(Step(began, Reach(seat, pace, *self.draw_pile, True, count, beside=True)))
            last = max(last, began + pace.total)
        self.now = last

    def beside(self, action: Rest | Fetch | Reach | Shade) -> None:
        """Start an action now without advancing the time."""
        self.steps.append(Step(self.now, action))

    def any_seat(self) -> int:
        """Return a random seat."""
        return int(self.rng.integers(self.seats))

    def disturb(self, nuisances: Nuisances) -> None:
        """Add zero or more disturbances."""
        rng, seat = self.rng, self.any_seat()
        if self.height and rng.random() < nuisances.nudge:
            self.nudge(seat)
        if self.height > 1 and rng.random() < nuisances.straighten:
            self.straighten(seat)
        if rng.random() < nuisances.hand_passes:
            self.pass_hand(seat)
        if rng.random() < nuisances.light:
            self.switch_light()
        if rng.random() < nuisances.knock:
            self.knock()
        if self.lively:
            self.go_on_beside(nuisances)

    def go_on_beside(self, nuisances: Nuisances) -> None:
        """Add actions that are unrelated to the game and overlap with it."""
        rng = self.rng
        if rng.random() < nuisances.rest:
            self.beside(Rest(self.any_seat(), self.pace(float(rng.uniform(3, 15)))))
        if rng.random() < nuisances.cup:
            x, y = rng.normal(0, 110, 2)
            self.beside(Fetch(self.any_seat(), self.pace(0.3), float(x), float(y)))
            self.wait(0.6, 1.8)
        if rng.random() < nuisances.shade:
            seconds, dark = rng.uniform(1.5, 5), rng.uniform(0.15, 0.45)
            self.beside(Shade(float(rng.uniform(0, 2 * np.pi)), float(seconds), float(dark)))
        if rng.random() < nuisances.idle:
            x, y = rng.normal(0, 150, 2)
            self.beside(Reach(self.any_seat(), self.pace(0.5), float(x), float(y), beside=True))

    def nudge(self, seat: int) -> None:
        """Push the pile, or its top card, by up to some centimetres."""
        pace = self.pace(0.4)
        dx, dy = self.rng.normal(0, 12, 2).clip(-30, 30)
        count = 1 if self.rng.random() < 0.5 else None
        self.act(Nudge(seat, pace, float(dx), float(dy), float(self.rng.normal(0, 0.25)), count), pace.total)
        self.wait(0.6, 1.4)

    def straighten(self, seat: int) -> None:
        """Straighten the pile."""
        pace = self.pace(0.7)
        self.act(Straighten(seat, pace, float(self.rng.uniform(0.5, 3))), pace.total)
        self.wait(0.6, 1.4)

    def pass_hand(self, seat: int) -> None:
        """Let a hand reach near the pile and leave without touching it."""
        pace = self.pace(float(self.rng.choice([0.1, 0.8])))
        x, y = self.rng.normal(0, 40, 2)
        self.act(Reach(seat, pace, float(x), float(y)), pace.total)
        self.wait(0.2, 0.8)

    def switch_light(self) -> None:
        """Make the light brighter, darker, warmer or colder, or restore it."""
        level, warmth = self.rng.choice([0.5, 0.7, 1.0, 1.25]), self.rng.choice([0.0, 0.12])
        gains = (float(level * (1 - warmth)), float(level), float(level * (1 + warmth)))
        self.act(SwitchLight(gains), LIGHT_SECONDS)
        self.wait(0.6, 1.4)

    def knock(self) -> None:
        """Knock the camera."""
        dx, dy, turn = self.rng.normal(0, 0.02, 3)
        self.act(Knock(float(dx), float(dy), float(turn), float(np.exp(self.rng.normal(0, 0.02)))), KNOCK_SECONDS)
        self.wait(0.8, 1.6)


LIVELY = Nuisances(reshuffle=0.02, rest=0.08, cup=0.06, shade=0.06, idle=0.1)
"""Disturbances of matches with lively people."""


def write_script(
    seed: int,
    edition: Edition | EditionName = EditionName.MARIO_KART,
    players: Sequence[str] = ("Ann", "Ben", "Cy"),
    nuisances: Nuisances | None = None,
    longest: int | None = 60,
    draw_pile: tuple[float, float] = BESIDE_PILE,
    header: Header | None = None,
    lively: bool = False,
) -> Script:
    """Return the script of one random match, deterministic for its arguments.

    `longest`: maximum number of moves, None for the whole match. `draw_pile`: its position in mm from the pile.
    `header`: the match's set-up if it is more than edition and players. `lively`: people sit freely, the draw pile is
    on either side, and people draw card by card or several at once.
    """
    rng = np.random.default_rng([seed, 1])
    random = Random(seed)
    if header is None:
        played = EDITIONS[edition] if isinstance(edition, EditionName) else edition
        scoring = Scoring.SINGLE_ROUND if longest is None else played.options.scoring
        options = Options(scoring=scoring) if played.is_printed else replace(played.options, scoring=scoring)
        header = Header(played, tuple(players), len(players) - 1, options)
    scatter, tidy = float(rng.choice([4.0, 9.0, 15.0])), float(rng.choice([0.2, 0.9]))
    chairs: tuple[Chair, ...] = ()
    if lively:
        seating = np.random.default_rng([seed, 8])
        chairs = draw_chairs(seating, len(header.players))
        turn, far = seating.uniform(-0.3, 0.3) + np.pi * seating.integers(2), seating.uniform(80, 130)
        draw_pile = float(far * np.cos(turn)), float(far * np.sin(turn))
    writer = Writer(rng, len(header.players), scatter, tidy, draw_pile, lively)
    nuisances = nuisances or (LIVELY if lively else Nuisances())
    match = _play(header, random, np.random.default_rng([seed, 6]), nuisances.reshuffle)
    for count, (table, before, move, state, effects) in enumerate(match):
        if longest is not None and count >= longest:
            break
        _tell(writer, table, before, move, state, effects, nuisances)
    writer.wait(1.5, 1.6)
    steps = sorted(writer.steps, key=lambda step: step.time)
    return Script(header, tuple(steps), tuple(writer.moves), writer.now, chairs, draw_pile)


def _play(
    header: Header, random: Random, rng: np.random.Generator, reshuffle: float
) -> Iterator[tuple[RandomTable, State, Move, State, tuple[Effect, ...]]]:
    """Yield a random match: each move with the states before and after it, before its effects are carried out.

    reshuffle: probability, by `rng`, of reshuffling before a player's turn.
    """
    table = RandomTable(header, random)
    state = opening(header)
    while state.phase is not Phase.OVER:
        early = state.phase is Phase.TURN and len(table.discard_pile) > 1 and rng.random() < reshuffle
        if early:
            table.draw_pile += table.discard_pile[:-1]
            random.shuffle(table.draw_pile)
            table.discard_pile = table.discard_pile[-1:]
        move = Reshuffle() if early else table.next_move(state)
        after, effects = apply(state, move)
        yield table, state, move, after, effects
        table.follow(effects)
        state = after


def _tell(
    writer: Writer,
    table: RandomTable,
    before: State,
    move: Move,
    state: State,
    effects: tuple[Effect, ...],
    nuisances: Nuisances,
) -> None:
    """Add the actions of one move."""
    seat = before.dealer if before.turn is None else before.turn
    match move:
        case Start(card):
            writer.note(move, writer.lay(seat, card, from_draw_pile=True))
            if any(isinstance(effect, SetAside) for effect in effects):
                writer.wait(0.8, 1.5)
                writer.take_top(seat)
        case Play(card):
            _hesitate(writer, table, before, move, nuisances)
            writer.note(move, writer.lay(seat, card))
        case Flip(card):
            writer.note(move, writer.lay(seat, card, from_draw_pile=True))
        case Reshuffle():
            writer.carry_off(seat)
            writer.note(move)
            writer.wait(0.9, 1.8)
            assert state.top is not None
            writer.lay(seat, state.top)
        case _:
            writer.note(move)
    writer.wait(0.8, 2.0)
    owing = [(state.header.seat(e.player), e.count) for e in effects if isinstance(e, Drawn) and e.count]
    if writer.lively and len(owing) > 1:
        writer.draw_together(owing)
        owing = []
    for effect in effects:
        if isinstance(effect, Drawn) and effect.count and owing:
            writer.draw(state.header.seat(effect.player), effect.count if writer.lively else 1)
        elif isinstance(effect, Dealt):
            writer.carry_off(effect.round % writer.seats)
            writer.wait(1.0, 2.0)
    writer.disturb(nuisances)


def _hesitate(writer: Writer, table: RandomTable, before: State, move: Play, nuisances: Nuisances) -> None:
    """Sometimes let the player lay another card first and take it back: a legal or an illegal one."""
    assert before.turn is not None
    assert before.top is not None
    assert before.color is not None
    chance = writer.rng.random()
    legal = chance < nuisances.take_back
    if before.phase is not Phase.TURN or chance > nuisances.take_back + nuisances.illegal:
        return
    # The last two cards are never taken back: they involve a call and the end of the round.
    hand = [card for card in table.hands[before.turn] if matches(card, before.top, before.color) is legal]
    hand = [card for card in hand if card != move.card and card.face is not Face.WILD_ITEM_BOX]
    if not hand or before.hands[before.turn] < 3:
        return
    card = hand[int(writer.rng.integers(len(hand)))]
    landed = writer.lay(before.turn, card)
    if legal:
        writer.note(Play(card), landed)
    writer.wait(0.8, 1.6)
    taken = writer.take_top(before.turn)
    if legal:
        writer.note(Undo(), taken)
    writer.wait(0.6, 1.2)
