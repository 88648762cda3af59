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
EARLY = 0.25
"""For how long (s) a card may lie in its place while the hand has not let go of it."""

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
    """Something to be tapped, and when. contested: the colour that lies under a wild draw four that is challenged."""

    time: float
    move: Move
    contested: Color | None = None


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
        actor, contested = match.state.actor, match.state.contested
        if isinstance(timed.entry, Undo):
            match = match.undo()
        else:
            match = match.apply(timed.entry)
            if not isinstance(timed.entry, _SEEN):
                move = replace(timed.entry, by=actor) if isinstance(timed.entry, ActorMove) else timed.entry
                taps.append(Due(timed.time, move, contested))
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


class Course:
    """The true match, and how far a table has come in it.

    truth: what truly stands from when on. at: the place in it where the table stands. taps: what is to be tapped, and
    when. illegal: the cards that do not match and of which nothing was heard yet, and when they land.
    """

    def __init__(self, script: Script) -> None:
        self.truth, self.taps = truth_of(script)
        self.illegal = illegal_lays(script, self.truth)
        self.at = 0

    @property
    def last_landing(self) -> int:
        """The place to which the last card leads that lands, 0 where none does."""
        return max((n for n, standing in enumerate(self.truth) if isinstance(standing.entry, LANDINGS)), default=0)

    def place_of(self, stands: tuple[Move, ...], now: float) -> int | None:
        """Return the first place, not before the present one and not ahead of now, where these moves stand."""
        past = (n for n in range(self.at, len(self.truth)) if self._is_past(n, now))
        return next((n for n in past if stands in self._told_by_now(n)), None)

    def agreed(self, stands: tuple[Move, ...], now: float) -> int:
        """Return the last place up to now at which the first of these moves stood, 0 where there is none."""
        past = (n for n in range(self.at, len(self.truth)) if self._is_past(n, now))
        return max((n for n in past if stands[: len(self.truth[n].moves)] == self.truth[n].moves), default=0)

    def taken_back_by_hand(self, stands: tuple[Move, ...], since: float) -> bool:
        """Return whether the last card of these moves does not match, landed after that (s), and so is taken back."""
        last = next((move.card for move in reversed(stands) if isinstance(move, LANDINGS)), None)
        return any(landed > since and card == last for landed, card in self.illegal[:1])

    def ahead(self, now: float) -> list[Standing]:
        """Return what has come to stand by now and the table does not know of."""
        return [standing for standing in self.truth[self.at + 1 :] if standing.time <= now + EARLY]

    def next_landing(self, now: float) -> Start | Play | Flip | None:
        """Return the first card of those that has landed."""
        return next((s.entry for s in self.ahead(now) if isinstance(s.entry, LANDINGS)), None)

    def landed_last(self, by: float) -> float:
        """Return when the last card landed by then (s)."""
        return max((s.time for s in self.truth if isinstance(s.entry, LANDINGS) and s.time <= by + EARLY), default=by)

    def card_in_question(self, asked_at: float) -> Card | None:
        """Return the first card that had landed by then and is not ruled on, None where none had."""
        true = next((s for s in self.ahead(asked_at) if isinstance(s.entry, LANDINGS)), None)
        if self.illegal and self.illegal[0][0] <= (asked_at if true is None else min(asked_at, true.time)):
            return self.illegal[0][1]
        return true.entry.card if true is not None and isinstance(true.entry, LANDINGS) else None

    def _told_by_now(self, place: int) -> tuple[tuple[Move, ...], ...]:
        """Return the moves that stand at this place, and those without a colour that is to be told by the next card.

        That is so again where the card was taken back that told it.
        """
        moves = self.truth[place].moves
        last, move = next(((n, m) for n, m in reversed([*enumerate(moves)]) if isinstance(m, LANDINGS)), (0, None))
        told_anew = isinstance(self.truth[place].entry, Undo) and move is not None and move.card.face.is_wild
        return (moves, moves[: last + 1]) if told_anew else (moves,)

    def _is_past(self, place: int, now: float) -> bool:
        return self.truth[place].time <= now + EARLY
