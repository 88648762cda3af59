"""What truly stands in a simulated match, what people tap of it, and which cards land that do not match."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from companion.cards import Card, Color
from companion.dataset.simulated.actions import FLIP_SECONDS, Lay
from companion.dataset.simulated.script import Script
from companion.referee.legality import legal
from companion.referee.match import Match
from companion.referee.moves import (
    ActorMove,
    ChooseColor,
    Entry,
    Flip,
    Move,
    Play,
    Reshuffle,
    Start,
    Undo,
)
from companion.referee.state import Header

LANDINGS = (Start, Play, Flip)
"""The moves that land a card."""
# What the camera sees; the rest is tapped.
_SEEN = (*LANDINGS, Reshuffle, Undo)


@dataclass(frozen=True)
class Standing:
    """The moves that truly stand from a moment on, without reshuffles, and the one that led there."""

    time: float
    moves: tuple[Move, ...]
    entry: Entry | None


@dataclass(frozen=True)
class Due:
    """Something to be tapped, and when."""

    time: float
    move: Move


def bare(moves: Iterable[Move]) -> tuple[Move, ...]:
    """Return moves without reshuffles, which the table may have worked out at another moment, and without `by`.

    A colour over which another wild came to lie is left open: no camera can tell it, and nothing hangs on it.
    """
    found: list[Move] = []
    covered = False
    for move in reversed([move for move in moves if not isinstance(move, Reshuffle)]):
        if isinstance(move, LANDINGS):
            covered = move.card.face.is_wild
        elif isinstance(move, ChooseColor) and covered:
            move = replace(move, color=Color.RED)
        found.append(replace(move, by=None) if isinstance(move, ActorMove) else move)
    return tuple(reversed(found))


def named(entry: Entry | None) -> str:
    if entry is None:
        return "nothing"
    card = getattr(entry, "card", None)
    return f"{type(entry).__name__.lower()}{f' {card}' if card else ''}"


def truth_of(script: Script) -> tuple[list[Standing], list[Due]]:
    """Return what truly stands from when on, and what is to be tapped, each by the player to act."""
    match = Match(script.header)
    truth = [Standing(0.0, (), None)]
    taps = []
    for timed in script.moves:
        actor = match.state.actor
        if isinstance(timed.entry, Undo):
            match = match.undo()
        else:
            match = match.apply(timed.entry)
            if not isinstance(timed.entry, _SEEN):
                move = replace(timed.entry, by=actor) if isinstance(timed.entry, ActorMove) else timed.entry
                taps.append(Due(timed.time, move))
        if not isinstance(timed.entry, Reshuffle):
            truth.append(Standing(timed.time, bare(match.moves), timed.entry))
    return truth, taps


def illegal_lays(script: Script, truth: Sequence[Standing]) -> list[tuple[float, Card]]:
    """Return when which cards land that do not match, and are taken back."""
    noted = {round(s.time, 6) for s in truth if isinstance(s.entry, LANDINGS)}
    match, lays = Match(script.header), []
    moves = list(script.moves)
    for step in script.steps:
        if not isinstance(step.action, Lay):
            continue
        lay = step.action
        landed = step.time + lay.pace.contact + FLIP_SECONDS * lay.from_draw_pile
        while moves and moves[0].time < landed - 1e-6:
            entry = moves.pop(0).entry
            match = match.undo() if isinstance(entry, Undo) else match.apply(entry)
        if round(landed, 6) not in noted and lay.card not in (*legal(match.state).cards, match.state.top):
            lays.append((landed, lay.card))
    return lays


def laid_by(header: Header, moves: Iterable[Move]) -> list[tuple[Card, str | None]]:
    """Return the cards that land in a match of these moves and whose they are, None for the one turned up to start."""
    match, laid = Match(header), []
    for move in moves:
        if isinstance(move, LANDINGS):
            laid.append((move.card, None if isinstance(move, Start) else match.state.actor))
        match = match.apply(move)
    return laid
