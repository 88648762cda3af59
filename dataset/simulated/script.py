"""What happens at a simulated table, and when: a random match told as gestures of hands, light and camera.

The match is played by the referee's random table; everything else, timing and nuisances, is drawn here. Lengths are
millimetres of the table plane, angles radians clockwise as seen, times seconds from the start.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

import numpy as np

from companion.cards import Card, EditionName, Face
from companion.dataset.scenes.layouts import Placement
from companion.referee.editions import EDITIONS, Options, Scoring
from companion.referee.effects import Dealt, Drawn, Effect, SetAside
from companion.referee.engine import apply
from companion.referee.legality import matches
from companion.referee.moves import Flip, Move, Play, Reshuffle, Start, Undo
from companion.referee.random_player import RandomTable
from companion.referee.state import Header, Phase, State, opening


@dataclass(frozen=True)
class Pace:
    """How long a hand needs to come (s), stays, and needs to leave again."""

    approach: float
    hold: float
    leave: float

    @property
    def contact(self) -> float:
        """Seconds from the start until the hand has let go of what it brought, or has taken what it came for."""
        return self.approach + self.hold / 2

    @property
    def total(self) -> float:
        """Seconds from the start until the hand is gone."""
        return self.approach + self.hold + self.leave


@dataclass(frozen=True)
class Lay:
    """A hand lays a card on the pile, from its seat or from the draw pile."""

    seat: int
    pace: Pace
    card: Card
    placement: Placement
    from_draw_pile: bool = False


@dataclass(frozen=True)
class TakeTop:
    """A hand takes the top card away."""

    seat: int
    pace: Pace


@dataclass(frozen=True)
class CarryOff:
    """A hand carries the whole pile away."""

    seat: int
    pace: Pace


@dataclass(frozen=True)
class Nudge:
    """A hand shifts and turns the topmost `count` cards, all of them where None."""

    seat: int
    pace: Pace
    dx: float
    dy: float
    turn: float
    count: int | None = None


@dataclass(frozen=True)
class Straighten:
    """A hand pushes the pile together; `wobble` (mm, and hundredths of a radian) is how untidy it stays."""

    seat: int
    pace: Pace
    wobble: float


@dataclass(frozen=True)
class Reach:
    """A hand comes to a place of the table and leaves, with the top card of the draw pile where `draws`."""

    seat: int
    pace: Pace
    x: float
    y: float
    draws: bool = False


@dataclass(frozen=True)
class SwitchLight:
    """The light changes within a fifth of a second: the gains of blue, green and red."""

    gains: tuple[float, float, float]


@dataclass(frozen=True)
class Knock:
    """The camera is knocked: it shakes, and then looks elsewhere by a share of the frame, turned and scaled."""

    dx: float
    dy: float
    turn: float
    scale: float


HandAction = Lay | TakeTop | CarryOff | Nudge | Straighten | Reach
Action = HandAction | SwitchLight | Knock

KNOCK_SECONDS = 0.6
LIGHT_SECONDS = 0.2


@dataclass(frozen=True)
class Step:
    """An action and when it begins."""

    time: float
    action: Action


@dataclass(frozen=True)
class TimedMove:
    """A move of the match, or the taking back of one, and when it is made: for a card, when the hand lets go of it."""

    time: float
    entry: Move | Undo


@dataclass(frozen=True)
class Script:
    """A whole match as it is shown: gestures in order of time, no two hands at once, and the moves they amount to."""

    header: Header
    steps: tuple[Step, ...]
    moves: tuple[TimedMove, ...]
    duration: float


@dataclass(frozen=True)
class Nuisances:
    """Chances, per move of the match, that something besides the game happens."""

    take_back: float = 0.05
    illegal: float = 0.02
    nudge: float = 0.05
    straighten: float = 0.04
    hand_passes: float = 0.08
    light: float = 0.03
    knock: float = 0.015
    reshuffle: float = 0.0
    """How often the piles are reshuffled before the draw pile is used up."""


CALM = Nuisances(0, 0, 0, 0, 0, 0, 0)
"""No nuisance at all."""


@dataclass
class Writer:
    """Writes a script step by step. `seats` hands may come; cards land untidily within `scatter` mm."""

    rng: np.random.Generator
    seats: int
    scatter: float
    tidy: float
    draw_pile: tuple[float, float]
    now: float = 1.0
    steps: list[Step] = field(default_factory=list)
    moves: list[TimedMove] = field(default_factory=list)
    height: int = 0

    def wait(self, shortest: float, longest: float) -> None:
        """Let some time pass."""
        self.now += float(self.rng.uniform(shortest, longest))

    def note(self, entry: Move | Undo, time: float | None = None) -> None:
        """Write down a move, made now or at `time`."""
        self.moves.append(TimedMove(self.now if time is None else time, entry))

    def act(self, action: Action, duration: float) -> float:
        """Let an action begin now and let its time pass; returns when it began."""
        began = self.now
        self.steps.append(Step(began, action))
        self.now += duration
        return began

    def pace(self, hold: float = 0.2) -> Pace:
        """Return a hurried or an easy pace."""
        approach, leave = self.rng.uniform(0.35, 0.7), self.rng.uniform(0.3, 0.6)
        return Pace(float(approach), float(hold * self.rng.uniform(0.7, 1.6)), float(leave))

    def lay(self, seat: int, card: Card, from_draw_pile: bool = False) -> float:
        """Let a card be laid; returns when it has landed."""
        spread = self.scatter
        angle = self.rng.uniform(-np.pi, np.pi) if self.rng.random() > self.tidy else self.rng.normal(0, 0.25)
        x, y = self.rng.normal(0, spread, 2).clip(-2 * spread, 2 * spread)
        pace = self.pace()
        placement = Placement(float(x), float(y), float(angle))
        began = self.act(Lay(seat, pace, card, placement, from_draw_pile), pace.total + FLIP_SECONDS * from_draw_pile)
        self.height += 1
        return began + pace.contact + FLIP_SECONDS * from_draw_pile

    def take_top(self, seat: int) -> float:
        """Let the top card be taken away; returns when it has left the pile."""
        pace = self.pace()
        self.height -= 1
        return self.act(TakeTop(seat, pace), pace.total) + pace.contact

    def carry_off(self, seat: int) -> None:
        """Let the pile be carried away."""
        pace = self.pace(0.5)
        self.act(CarryOff(seat, pace), pace.total)
        self.height = 0

    def draw(self, seat: int) -> None:
        """Let a card be drawn."""
        pace = self.pace()
        self.act(Reach(seat, pace, *self.draw_pile, draws=True), pace.total)

    def any_seat(self) -> int:
        """Return a random seat."""
        return int(self.rng.integers(self.seats))

    def disturb(self, nuisances: Nuisances) -> None:
        """Let nothing, one or several nuisances happen."""
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

    def nudge(self, seat: int) -> None:
        """Let the pile, or its top card alone, be pushed by up to some centimetres."""
        pace = self.pace(0.4)
        dx, dy = self.rng.normal(0, 12, 2).clip(-30, 30)
        count = 1 if self.rng.random() < 0.5 else None
        self.act(Nudge(seat, pace, float(dx), float(dy), float(self.rng.normal(0, 0.25)), count), pace.total)
        self.wait(0.6, 1.4)

    def straighten(self, seat: int) -> None:
        """Let the pile be pushed together."""
        pace = self.pace(0.7)
        self.act(Straighten(seat, pace, float(self.rng.uniform(0.5, 3))), pace.total)
        self.wait(0.6, 1.4)

    def pass_hand(self, seat: int) -> None:
        """Let a hand reach over or near the pile and leave without touching anything."""
        pace = self.pace(float(self.rng.choice([0.1, 0.8])))
        x, y = self.rng.normal(0, 40, 2)
        self.act(Reach(seat, pace, float(x), float(y)), pace.total)
        self.wait(0.2, 0.8)

    def switch_light(self) -> None:
        """Let the light become brighter, darker, warmer or colder, or as it was."""
        level, warmth = self.rng.choice([0.5, 0.7, 1.0, 1.25]), self.rng.choice([0.0, 0.12])
        gains = (float(level * (1 - warmth)), float(level), float(level * (1 + warmth)))
        self.act(SwitchLight(gains), LIGHT_SECONDS)
        self.wait(0.6, 1.4)

    def knock(self) -> None:
        """Let the camera be knocked."""
        dx, dy, turn = self.rng.normal(0, 0.02, 3)
        self.act(Knock(float(dx), float(dy), float(turn), float(np.exp(self.rng.normal(0, 0.02)))), KNOCK_SECONDS)
        self.wait(0.8, 1.6)


FLIP_SECONDS = 0.5
"""How much longer a card takes that is fetched from the draw pile."""


def write_script(
    seed: int,
    edition: EditionName = EditionName.MARIO_KART,
    players: Sequence[str] = ("Ann", "Ben", "Cy"),
    nuisances: Nuisances | None = None,
    longest: int | None = 60,
    draw_pile: tuple[float, float] = (95.0, 0.0),
    header: Header | None = None,
) -> Script:
    """Return the script of one random match, the same for the same arguments.

    `longest` ends the show after so many moves, None plays the match to its end. `draw_pile` is where the draw pile
    lies (mm from the pile). `header` is how the match is set up, where edition and players alone do not say it.
    """
    rng = np.random.default_rng([seed, 1])
    random = Random(seed)
    if header is None:
        scoring = Scoring.SINGLE_ROUND if longest is None else EDITIONS[edition].options.scoring
        header = Header(EDITIONS[edition], tuple(players), len(players) - 1, Options(scoring=scoring))
    scatter, tidy = float(rng.choice([4.0, 9.0, 15.0])), float(rng.choice([0.2, 0.9]))
    writer = Writer(rng, len(header.players), scatter, tidy, draw_pile)
    nuisances = nuisances or Nuisances()
    match = _play(header, random, np.random.default_rng([seed, 6]), nuisances.reshuffle)
    for count, (table, before, move, state, effects) in enumerate(match):
        if longest is not None and count >= longest:
            break
        _tell(writer, table, before, move, state, effects, nuisances)
    writer.wait(1.5, 1.6)
    return Script(header, tuple(writer.steps), tuple(writer.moves), writer.now)


def _play(
    header: Header, random: Random, rng: np.random.Generator, reshuffle: float
) -> Iterator[tuple[RandomTable, State, Move, State, tuple[Effect, ...]]]:
    """Yield a random match: before each move's effects are carried out, with the state before it and after it.

    reshuffle: the chance, by `rng`, that the piles are reshuffled before a player's turn.
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
    """Show one move as gestures."""
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
    for effect in effects:
        if isinstance(effect, Drawn) and effect.count:
            writer.draw(state.header.seat(effect.player))
        elif isinstance(effect, Dealt):
            writer.carry_off(effect.round % writer.seats)
            writer.wait(1.0, 2.0)
    writer.disturb(nuisances)


def _hesitate(writer: Writer, table: RandomTable, before: State, move: Play, nuisances: Nuisances) -> None:
    """Let the player lay another card first now and then, and take it back: a legal one, or one that does not match."""
    assert before.turn is not None
    assert before.top is not None
    assert before.color is not None
    chance = writer.rng.random()
    legal = chance < nuisances.take_back
    if before.phase is not Phase.TURN or chance > nuisances.take_back + nuisances.illegal:
        return
    # The last card but one asks for a call, the last one ends the round: nobody takes those back.
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
