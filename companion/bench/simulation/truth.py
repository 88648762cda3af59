"""The truth of a simulated match: the moves that stand, what people tap, and the illegal cards that land."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from companion.cards import Card, Color
from companion.dataset.simulated.actions import FLIP_SECONDS, Lay
from companion.dataset.simulated.script import Script
from companion.referee.legality import legal
from companion.referee.match import Match
from companion.referee.moves import (
    ActorMove,
    Amend,
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
"""Seconds for which a card may lie in place before the hand lets go."""

# What the camera sees; the rest is tapped.
_SEEN = (*LANDINGS, Reshuffle, Undo)


@dataclass(frozen=True)
class Standing:
    """The moves that truly stand from `time` on, without reshuffles, and the one that led there."""

    time: float
    moves: tuple[Move, ...]
    entry: Entry | None


@dataclass(frozen=True)
class Due:
    """A tap that is due at `time`. contested: the colour below a challenged wild draw four."""

    time: float
    move: Move
    contested: Color | None = None


def bare(moves: Iterable[Move]) -> tuple[Move, ...]:
    """Return moves without reshuffles, whose time the table may infer differently, and without `by`.

    A colour covered by another wild is left open: no camera can see it, and nothing depends on it.
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
    """Return the times and cards of landings that do not match and are taken back."""
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
    """Return the cards that land in a match of these moves and their players, None for the start card."""
    match, laid = Match(header), []
    for move in moves:
        if isinstance(move, LANDINGS):
            laid.append((move.card, None if isinstance(move, Start) else match.state.actor))
        match = match.apply(move)
    return laid


class Course:
    """The true match, and how far a table has followed it.

    truth: what truly stands from when on. at: the table's place in it. taps: what is to be tapped, and when. illegal:
    the illegal cards not reported yet, and when they land.
    """

    def __init__(self, script: Script) -> None:
        self.truth, self.taps = truth_of(script)
        self.illegal = illegal_lays(script, self.truth)
        self.at = 0

    @property
    def last_landing(self) -> int:
        """The place to which the last landing leads, 0 without one."""
        return max((n for n, standing in enumerate(self.truth) if isinstance(standing.entry, LANDINGS)), default=0)

    def place_of(self, stands: tuple[Move, ...], now: float) -> int | None:
        """Return the first place, between the present one and `now`, where these moves stand."""
        past = (n for n in range(self.at, len(self.truth)) if self._is_past(n, now))
        return next((n for n in past if stands in self._known_by_now(n)), None)

    def agreed(self, stands: tuple[Move, ...], now: float) -> int:
        """Return the last place up to `now` at which a prefix of these moves stood, 0 if there is none."""
        past = (n for n in range(self.at, len(self.truth)) if self._is_past(n, now))
        return max((n for n in past if stands[: len(self.truth[n].moves)] == self.truth[n].moves), default=0)

    def taken_back_by_hand(self, stands: tuple[Move, ...], since: float) -> bool:
        """Whether the last card of these moves does not match, landed after `since`, and so is taken back."""
        last = next((move.card for move in reversed(stands) if isinstance(move, LANDINGS)), None)
        return any(landed > since and card == last for landed, card in self.illegal[:1])

    def ahead(self, now: float) -> list[Standing]:
        """Return what stands by now and is unknown to the table."""
        return [standing for standing in self.truth[self.at + 1 :] if standing.time <= now + EARLY]

    def next_landing(self, now: float) -> Start | Play | Flip | None:
        """Return the first landing among those."""
        return next((s.entry for s in self.ahead(now) if isinstance(s.entry, LANDINGS)), None)

    def landed_last(self, by: float) -> float:
        """Return the time of the last landing up to `by` (s)."""
        return max((s.time for s in self.truth if isinstance(s.entry, LANDINGS) and s.time <= by + EARLY), default=by)

    def card_in_question(self, asked_at: float) -> Card | None:
        """Return the first card that had landed by then and is not ruled on, None if there is none."""
        true = next((s for s in self.ahead(asked_at) if isinstance(s.entry, LANDINGS)), None)
        if self.illegal and self.illegal[0][0] <= (asked_at if true is None else min(asked_at, true.time)):
            return self.illegal[0][1]
        return true.entry.card if true is not None and isinstance(true.entry, LANDINGS) else None

    def missed_below_top(self, by: float) -> list[Standing]:
        """Return the landings and lifts ahead before the card that lies on top then; none if it does not match."""
        if self.illegal and self.illegal[0][0] <= by:
            return []
        ahead = self.truth[self.at + 1 : self.place_of_top(by)]
        return [standing for standing in ahead if isinstance(standing.entry, (*LANDINGS, Undo))]

    def was_only_tapped(self, said: Sequence[Move], now: float) -> bool:
        """Whether people tapped these moves, in truth after changes of the pile that the table does not know of.

        Among them may be cards that did land, but were taken back since.
        """
        past = [n for n in range(1, len(self.truth)) if self._is_past(n, now)]
        lifted = [m for n in past if isinstance(self.truth[n].entry, Undo) for m in self.truth[n - 1].moves[-1:]]
        ahead = (standing.entry for standing in self.ahead(now))
        tapped = bare(entry for entry in ahead if entry is not None and not isinstance(entry, Undo | Amend))
        return not Counter(said) - Counter(m for m in tapped if not isinstance(m, LANDINGS)) - Counter(lifted)

    def place_of_top(self, by: float) -> int:
        """Return the place to which the latest of the landings ahead leads that happened by then, else the present."""
        landed = (n for n in range(self.at + 1, len(self.truth)) if isinstance(self.truth[n].entry, LANDINGS))
        return max((n for n in landed if self._is_past(n, by)), default=self.at)

    def place_before_next_landing(self, by: float, now: float) -> int:
        """Return the place that is reached by `now` without the cards that land after `by`."""
        place = self.place_of_top(by)
        while place + 1 < len(self.truth) and self._is_past(place + 1, now):
            if isinstance(self.truth[place + 1].entry, LANDINGS):
                break
            place += 1
        return place

    def _known_by_now(self, place: int) -> tuple[tuple[Move, ...], ...]:
        """Return the moves that stand at this place, and those without a colour that the next card will reveal.

        The latter also holds if the card that revealed it was taken back.
        """
        moves = self.truth[place].moves
        last, move = next(((n, m) for n, m in reversed([*enumerate(moves)]) if isinstance(m, LANDINGS)), (0, None))
        told_anew = isinstance(self.truth[place].entry, Undo) and move is not None and move.card.face.is_wild
        return (moves, moves[: last + 1]) if told_anew else (moves,)

    def _is_past(self, place: int, now: float) -> bool:
        return self.truth[place].time <= now + EARLY
