"""The house-rule laboratory: random rounds of an edition, and what they show about its cards and options."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from random import Random
from statistics import mean, median, quantiles

from companion.cards import Face
from companion.editions.edition import Edition
from companion.editions.options import Options, Scoring
from companion.referee.effects import Drawn, Effect, Eliminated, RoundWon, UnoCalled, Why
from companion.referee.engine import apply
from companion.referee.moves import Draw, Move, Play
from companion.referee.phase import Phase
from companion.referee.random_player import RandomTable, random_match
from companion.referee.state import Header, State, opening

LONGEST_ROUND = 2000
"""Moves after which a round is broken off: random players may never end one."""

_LONGEST_EXAMPLE = 20


@dataclass(frozen=True, slots=True)
class RoundRecord:
    """One random round. turns: plays and draws on a turn. beginner: whether who began won. drawn: cards by reason.

    leader_lost: whether a player other than the first to hold one card won; None if nobody held one before the end.
    """

    turns: int
    beginner: bool
    drawn: dict[str, int]
    leader_lost: bool | None
    uno_calls: int
    missed_calls: int
    eliminated: int
    winner: int
    finished: bool


@dataclass(frozen=True, slots=True)
class Report:
    """What random rounds of an edition show.

    turns: of each finished round. beginner_wins, leader_caught: shares of rounds. drawn: cards per round by reason.
    wins: rounds won by seat. unfinished: rounds broken off after `LONGEST_ROUND` moves.
    """

    rounds: int
    players: int
    turns: tuple[int, ...]
    beginner_wins: float
    leader_caught: float
    drawn: dict[str, float]
    wins: tuple[int, ...]
    eliminated: float
    unfinished: int

    @property
    def turns_mean(self) -> float:
        """Mean turns of a finished round, 0 without any."""
        return mean(self.turns) if self.turns else 0.0

    @property
    def turns_spread(self) -> tuple[float, float, float]:
        """The tenth, fiftieth and ninetieth percentile of the turns of a finished round."""
        if len(self.turns) < 2:
            value = float(self.turns[0]) if self.turns else 0.0
            return value, value, value
        tenths = quantiles(self.turns, n=10)
        return tenths[0], float(median(self.turns)), tenths[-1]


def run_rounds(edition: Edition, options: Options, players: int, rounds: int, seed: int) -> Iterator[RoundRecord]:
    """Yield so many random rounds. The same seed plays the same rounds."""
    names = tuple(f"Player {seat + 1}" for seat in range(players))
    single = replace(options, scoring=Scoring.SINGLE_ROUND)
    random = Random(seed)
    for number in range(rounds):
        yield _round(Header(edition, names, number % players, single), random)


def _round(header: Header, random: Random) -> RoundRecord:
    turns = calls = missed = out = 0
    drawn: Counter[str] = Counter()
    leader = winner = None
    for moves, (move, state, effects) in enumerate(random_match(header, random), 1):
        turns += isinstance(move, Play | Draw)
        for effect in effects:
            match effect:
                case Drawn(_, count, why):
                    drawn[why] += count
                    missed += why == Why.UNO
                case UnoCalled():
                    calls += 1
                case Eliminated():
                    out += 1
                case RoundWon(name):
                    winner = header.seat(name)
        if leader is None and 1 in state.hands:
            leader = state.hands.index(1)
        if moves >= LONGEST_ROUND:
            break
    first = (header.dealer + 1) % len(header.players)
    return RoundRecord(
        turns=turns,
        beginner=winner == first,
        drawn=dict(drawn),
        leader_lost=None if leader is None or winner is None else leader != winner,
        uno_calls=calls,
        missed_calls=missed,
        eliminated=out,
        winner=-1 if winner is None else winner,
        finished=winner is not None,
    )


def report(edition: Edition, options: Options, players: int = 4, rounds: int = 1000, seed: int = 1) -> Report:
    """Return what so many random rounds show."""
    return summarise(list(run_rounds(edition, options, players, rounds, seed)), players)


def summarise(records: list[RoundRecord], players: int) -> Report:
    """Return the report on these rounds."""
    finished = [record for record in records if record.finished]
    led = [record.leader_lost for record in finished if record.leader_lost is not None]
    drawn: Counter[str] = Counter()
    for record in records:
        drawn.update(record.drawn)
    wins = Counter(record.winner for record in finished)
    return Report(
        rounds=len(records),
        players=players,
        turns=tuple(record.turns for record in finished),
        beginner_wins=mean(record.beginner for record in finished) if finished else 0.0,
        leader_caught=mean(led) if led else 0.0,
        drawn={why: count / len(records) for why, count in drawn.most_common()},
        wins=tuple(wins[seat] for seat in range(players)),
        eliminated=mean(record.eliminated for record in records),
        unfinished=len(records) - len(finished),
    )


@dataclass(frozen=True, slots=True)
class Turn:
    """One move of a random match, with the states before and after it."""

    before: State
    move: Move
    effects: tuple[Effect, ...]
    after: State


def sample_turns(header: Header, moves: int, seed: int) -> Iterator[Turn]:
    """Yield the first moves of a random match."""
    before = opening(header)
    for move, state, effects in islice(random_match(header, Random(seed)), moves):
        yield Turn(before, move, effects, state)
        before = state


def example_of(header: Header, face: Face, seed: int) -> Iterator[Turn]:
    """Yield the moves from the play of a card with this face until its program has ended."""
    table = RandomTable(header, Random(seed))
    state = opening(header)
    while state.phase is not Phase.TURN:
        turn = _next(table, state, table.next_move(state))
        state = turn.after
    assert state.turn is not None
    card = next(card for card in header.edition.deck if card.face is face)
    table.put_in_hand(state.turn, card)
    turn = _next(table, state, table.play(state.turn, card))
    yield turn
    for _ in range(_LONGEST_EXAMPLE):
        if turn.after.phase in (Phase.TURN, Phase.SCORING, Phase.OVER):
            return
        turn = _next(table, turn.after, table.next_move(turn.after))
        yield turn


def _next(table: RandomTable, state: State, move: Move) -> Turn:
    after, effects = apply(state, move)
    table.follow(effects)
    return Turn(state, move, effects, after)
