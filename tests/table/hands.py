"""Simulated camera events of a match played hands-free, with the true moves.

A random match, seen through the noisy but calibrated reader of `simulated`, with arms from the players' seats.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from random import Random

from companion.cards import ALL_CARDS, Card
from companion.referee.effects import Drawn, Why
from companion.referee.engine import apply
from companion.referee.moves import (
    Accept,
    ActorMove,
    Catch,
    Challenge,
    Creeper,
    Draw,
    Flip,
    Hand,
    Judge,
    Move,
    Play,
    Reshuffle,
    Reveal,
    Start,
    Uno,
)
from companion.referee.random_player import RandomTable
from companion.referee.state import Header, Phase, opening
from companion.vision.core.events import Arm, CardLanded, PileEvent, PileKind, PileReached

from .simulated import Noise, read

TOLD_LATE = 0.4


@dataclass(frozen=True)
class People:
    """How people move and how well arms are detected. Angles in degrees, the rest probabilities.

    jitter: of one person's arms. spread: of the measurement. stray: an arm from a random direction. missed_draw,
    missed_arm: not detected. idle: per move, an arm at the draw pile that takes nothing. draws: whether the draw pile
    is in
    view.
    """

    jitter: float = 8.0
    spread: float = 4.0
    stray: float = 0.01
    missed_draw: float = 0.015
    missed_arm: float = 0.01
    idle: float = 0.02
    miscounted: float = 0.08
    draws: bool = True
    challenges: bool = False


@dataclass(frozen=True)
class Truth:
    """A true move: when, what, and by whom."""

    time: float
    move: Move
    by: str | None


@dataclass(frozen=True)
class Film:
    """Camera events in order of time, and the true moves."""

    events: tuple[PileEvent, ...]
    truth: tuple[Truth, ...]


def around(players: int, random: Random, least: float = 40.0) -> tuple[float, ...]:
    """Return directions of players seated clockwise, neighbours at least `least` degrees apart."""
    spare = 360 - least * players
    cuts = sorted(random.uniform(0, spare) for _ in range(players - 1))
    turn = random.uniform(0, 360)
    starts = [0.0, *cuts]
    return tuple((turn + cut + least * place) % 360 for place, cut in enumerate(starts))


class Filming:
    """Plays a random round hands-free and records the camera's events."""

    def __init__(self, header: Header, random: Random, seats: Sequence[float], people: People) -> None:
        self._header, self._random, self._seats, self._people = header, random, list(seats), people
        self._noise = Noise(unsure=0.02)
        self._deck = [card for card in ALL_CARDS if card in header.edition.deck]
        self._tracks = count(1)
        self._now = 2.0
        self._events: list[PileEvent] = []
        self._truth: list[Truth] = []

    def sit(self, seats: Sequence[float]) -> None:
        """Let people change places, or turn the camera."""
        self._seats = list(seats)

    def play(self, most: int = 200) -> Film:
        """Return the round, at most `most` moves."""
        table, state = RandomTable(self._header, self._random), opening(self._header)
        while state.phase not in (Phase.SCORING, Phase.OVER) and len(self._truth) < most:
            move = table.next_move(state)
            if isinstance(move, Play) and move.force:
                table.hands[state.turn or 0].append(table.discard_pile.pop())
                move = Draw() if state.phase is Phase.TURN else move
            if not self._people.challenges:
                if isinstance(move, Catch | Uno | Creeper):
                    move = Uno(move.player) if isinstance(move, Catch) else move
                if isinstance(move, Challenge):
                    move = Accept()
            before = state
            state, effects = apply(state, move)
            table.follow(effects)
            self._now += self._random.uniform(0.8, 4.0)
            self._truth.append(Truth(self._now, move, before.actor if isinstance(move, ActorMove) else None))
            self._show(move, before.turn, before.top, drawn=[e for e in effects if isinstance(e, Drawn)])
            if self._random.random() < self._people.idle:
                self._now += 0.5
                self._reach(self._random.randrange(len(self._seats)), 0)
        self._events.sort(key=lambda event: event.time)
        return Film(tuple(self._events), tuple(self._truth))

    def _show(self, move: Move, seat: int | None, top: Card | None, drawn: list[Drawn]) -> None:
        if isinstance(move, Start | Play | Flip):
            if isinstance(move, Flip) and seat is not None:
                arm = self._reach(seat, 1)
                self._now += 0.6
            else:
                arm = None if seat is None else self._arm(seat)
            if self._random.random() < self._people.missed_arm:
                arm = None
            reading = read(move.card, self._deck, self._noise, self._random)
            self._events.append(CardLanded(self._now, reading, same_face=move.card == top, arm=arm))
        for effect in drawn:
            self._take(self._header.seat(effect.player), effect.count)
        if isinstance(move, Reshuffle | Hand | Reveal | Judge):
            pass

    def _take(self, seat: int, cards: int) -> None:
        grabs = [cards] if self._random.random() < 0.6 else [1] * cards
        for grab in grabs:
            if grab:
                self._now += self._random.uniform(1.1, 1.9)
                if self._random.random() >= self._people.missed_draw:
                    self._reach(seat, grab)

    def _reach(self, seat: int, cards: int) -> Arm:
        arm = self._arm(seat)
        if self._people.draws:
            shown = (
                cards
                if self._random.random() >= self._people.miscounted
                else max(0, cards + self._random.choice((-1, 1)))
            )
            drawn = [0.02] * (max(cards, shown) + 2)
            drawn[shown] = 1 - 0.02 * (len(drawn) - 1)
            self._events.append(PileReached(self._now, self._now - 0.5, arm, PileKind.DRAW, tuple(drawn)))
        return arm

    def _arm(self, seat: int) -> Arm:
        people, random = self._people, self._random
        stray = random.random() < people.stray
        direction = random.uniform(0, 360) if stray else random.gauss(self._seats[seat], people.jitter)
        return Arm(random.gauss(direction, people.spread) % 360, people.spread, next(self._tracks))


__all__ = ["Film", "Filming", "People", "Truth", "Why", "around"]
