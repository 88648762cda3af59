"""A match as the list of its accepted moves, with undo and amend."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from companion.referee.effects import Dealt, Effect, Joined, MatchWon, Renamed
from companion.referee.engine import apply
from companion.referee.errors import (
    AmendBreaksLaterMoveError,
    NoSuchMoveError,
    NothingToUndoError,
    RefereeError,
)
from companion.referee.model.history import History
from companion.referee.moves import ActorMove, Amend, Entry, Join, Move, PlayerMove, Target, Undo
from companion.referee.state import Header, State, opening


@dataclass(frozen=True, slots=True)
class Step:
    """An accepted move, its effects and the state after it."""

    move: Move
    effects: tuple[Effect, ...]
    state: State


@dataclass(frozen=True, slots=True)
class Amendment:
    """The result of replacing a move.

    match: the match with the move replaced, up to the first later move that is now refused. dropped: that move and all
    after it; empty if none is refused. broken: why that move is refused. entries: the transcript lines that lead from
    the original match to `match`.
    """

    match: Match
    dropped: tuple[Move, ...]
    broken: AmendBreaksLaterMoveError | None
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Match:
    """A match so far, as an immutable value: every change returns a new match."""

    header: Header
    history: History[Step] = field(default_factory=History)

    @property
    def state(self) -> State:
        """The current state."""
        return self.history[-1].state if self.history else opening(self.header)

    @property
    def moves(self) -> tuple[Move, ...]:
        """The accepted moves."""
        return tuple(step.move for step in self.history)

    @property
    def everyone(self) -> tuple[str, ...]:
        """Everybody who plays or has played: the first players in seat order, then those who joined, in order."""
        joined = (effect.player for step in self.history for effect in step.effects if isinstance(effect, Joined))
        return tuple(dict.fromkeys((*self.header.players, *joined)))

    def name_now(self, player: str) -> str:
        """Return the name of a player at the table by this or an earlier name; other names as they are (R56)."""
        if player in self.state.players:
            return player
        for step in self.history:
            for effect in step.effects:
                if isinstance(effect, Renamed) and effect.player == player:
                    player = effect.new
        return player

    @property
    def reopens(self) -> int | None:
        """The number of the scored round that an undo would reopen, or None."""
        if not self.history or not any(isinstance(effect, Dealt | MatchWon) for effect in self.history[-1].effects):
            return None
        return self.history[-2].state.round if len(self.history) > 1 else 1

    def apply(self, move: Move) -> Match:
        """Return the match with one more move. Raises RefereeError if the move is refused."""
        return Match(self.header, self.history.grown(_step(self.state, move)))

    def undo(self) -> Match:
        """Return the match without its last move, also across rounds. Raises NothingToUndoError."""
        if not self.history:
            raise NothingToUndoError
        return Match(self.header, self.history.cut(len(self.history) - 1))

    def amend(self, n: int, move: Move) -> Match:
        """Return the match with its `n`th move, counted from 1, replaced and all later moves replayed.

        Raises NoSuchMoveError; RefereeError if the new move is refused; AmendBreaksLaterMoveError if a later move is.
        """
        amendment = self.amended(n, move)
        if amendment.broken is not None:
            raise amendment.broken from amendment.broken.cause
        return amendment.match

    def amended(self, n: int, move: Move) -> Amendment:
        """Return the result of replacing the `n`th move, even if later moves are then refused.

        Raises NoSuchMoveError; RefereeError if the new move itself is refused.
        """
        if not 1 <= n <= len(self.history):
            raise NoSuchMoveError(n, len(self.history))
        steps = list(self.history[: n - 1])
        steps.append(_step(steps[-1].state if steps else opening(self.header), move))
        later = self.history[n:]
        broken = None
        for place, step in enumerate(later, n + 1):
            try:
                steps.append(_step(steps[-1].state, step.move))
            except RefereeError as cause:
                broken = AmendBreaksLaterMoveError(place, cause)
                break
        dropped = tuple(step.move for step in self.history[len(steps) :])
        entries: tuple[Entry, ...] = (*(Undo() for _ in dropped), Amend(n, move))
        return Amendment(Match(self.header, History(steps)), dropped, broken, entries)


def replay(header: Header, moves: Iterable[Move]) -> Match:
    """Return the match made of these moves. Raises RefereeError at the first one refused."""
    steps: list[Step] = []
    state = opening(header)
    for move in moves:
        steps.append(_step(state, move))
        state = steps[-1].state
    return Match(header, History(steps))


def spelled(header: Header, entry: Entry) -> Entry:
    """Return the entry with players' names as the header spells them. Unknown names stay as they are."""
    if isinstance(entry, Undo):
        return entry
    if isinstance(entry, Amend):
        return replace(entry, move=spelled_move(header, entry.move))
    return spelled_move(header, entry)


def spelled_move(header: Header, move: Move) -> Move:
    """Return the move with players' names as the header spells them. Unknown names stay as they are."""
    return with_names(move, lambda name: name if name in header.players else header.spelling(name))


def with_names(move: Move, spelling: Callable[[str], str]) -> Move:
    """Return the move with the names of its players as `spelling` gives them."""
    if isinstance(move, ActorMove) and move.by is not None:
        move = replace(move, by=spelling(move.by))
    if isinstance(move, PlayerMove | Target):
        move = replace(move, player=spelling(move.player))
    if isinstance(move, Join) and move.after is not None:
        move = replace(move, after=spelling(move.after))
    return move


def _step(state: State, move: Move) -> Step:
    after, effects = apply(state, move)
    return Step(spelled_move(state.header, move), effects, after)
