"""A match as the list of its accepted moves: going on, going back, and changing what lies behind."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from companion.referee.effects import Effect
from companion.referee.engine import apply
from companion.referee.errors import (
    AmendBreaksLaterMoveError,
    NoSuchMoveError,
    NothingToUndoError,
    RefereeError,
)
from companion.referee.moves import Move
from companion.referee.state import Header, State, opening


@dataclass(frozen=True, slots=True)
class Step:
    """An accepted move, what followed from it, and the state it led to."""

    move: Move
    effects: tuple[Effect, ...]
    state: State


@dataclass(frozen=True, slots=True)
class Match:
    """A match so far. It is a value: each way of going on returns another match and leaves this one as it is."""

    header: Header
    history: tuple[Step, ...] = ()

    @property
    def state(self) -> State:
        """How the match stands."""
        return self.history[-1].state if self.history else opening(self.header)

    @property
    def moves(self) -> tuple[Move, ...]:
        """The accepted moves."""
        return tuple(step.move for step in self.history)

    def apply(self, move: Move) -> Match:
        """Return the match with one more move; raises RefereeError where it is refused."""
        return Match(self.header, (*self.history, _step(self.state, move)))

    def undo(self) -> Match:
        """Return the match without its last move, over round borders too; raises NothingToUndoError."""
        if not self.history:
            raise NothingToUndoError
        return Match(self.header, self.history[:-1])

    def amend(self, n: int, move: Move) -> Match:
        """Return the match with another move in place of its `n`th, counted from 1, and all after it worked out anew.

        Raises NoSuchMoveError; RefereeError where the move is refused in its place; AmendBreaksLaterMoveError where
        a later move no longer stands.
        """
        if not 1 <= n <= len(self.history):
            raise NoSuchMoveError(n, len(self.history))
        kept = Match(self.header, self.history[: n - 1])
        steps = [_step(kept.state, move)]
        for later, step in enumerate(self.history[n:], n + 1):
            try:
                steps.append(_step(steps[-1].state, step.move))
            except RefereeError as cause:
                raise AmendBreaksLaterMoveError(later, cause) from cause
        return Match(self.header, (*kept.history, *steps))


def replay(header: Header, moves: Iterable[Move]) -> Match:
    """Return the match that these moves make; raises RefereeError at the first that is refused."""
    steps: list[Step] = []
    state = opening(header)
    for move in moves:
        steps.append(_step(state, move))
        state = steps[-1].state
    return Match(header, tuple(steps))


def _step(state: State, move: Move) -> Step:
    after, effects = apply(state, move)
    return Step(move, effects, after)
