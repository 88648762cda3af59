"""Awards for the podium: who drew most, held most, thought longest. They do not affect the score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from companion.editions import Edition
from companion.referee.effects import Drawn, ItemUsed, Why
from companion.referee.state import Phase
from companion.storage.journal import Journal


class Award(Enum):
    """The kinds of award."""

    BANANAS = "bananas"  # banana peels turned up
    HITS = "hits"  # times hit by another one's item
    DRAWN = "drawn"  # cards drawn
    HAND = "hand"  # cards held at once
    LATE = "late"  # UNO forgotten and caught
    THINKER = "thinker"  # seconds of the longest turn


@dataclass(frozen=True)
class Found:
    """One award: its kind, who gets it (several on a tie) and the amount."""

    kind: Award
    players: tuple[str, ...]
    amount: int


# A longer turn (s) counts as a break, not as thinking.
_BREAK_SECONDS = 300


def is_hit(why: str, edition: Edition) -> bool:
    """Return whether a draw for this reason counts as being hit by an item."""
    return why in edition.marks


def awards(journal: Journal) -> list[Found]:
    """Return a match's awards, in the order of `Award`. A kind that nobody has, or everybody alike, is left out."""
    tallies: dict[Award, Counter[str]] = {kind: Counter() for kind in Award}
    for kind, player, amount in _events(journal):
        tallies[kind][player] += amount
    for kind, player, amount in _peaks(journal):
        tallies[kind][player] = max(tallies[kind][player], amount)
    found = []
    everyone = journal.match.everyone
    for kind, tally in tallies.items():
        most = max(tally.values(), default=0)
        if most > 0:
            players = tuple(player for player in everyone if tally[player] == most)
            # An amount that everybody shares is no award.
            if len(players) < len(everyone):
                found.append(Found(kind, players, most))
    return found


def _events(journal: Journal) -> Iterator[tuple[Award, str, int]]:
    """Yield amounts that are summed per player."""
    for step in journal.match.history:
        for effect in step.effects:
            match effect:
                case ItemUsed("banana peel", player):
                    yield Award.BANANAS, player, 1
                case Drawn(player, count, why):
                    yield Award.DRAWN, player, count
                    if is_hit(why, step.state.header.edition):
                        yield Award.HITS, player, 1
                    if why == Why.UNO:
                        yield Award.LATE, player, 1


def _peaks(journal: Journal) -> Iterator[tuple[Award, str, int]]:
    """Yield amounts of which the largest per player counts."""
    begun: tuple[str, float] | None = None
    for line, step in zip(journal.lines, journal.match.history, strict=True):
        for player, cards in zip(step.state.players, step.state.hands, strict=True):
            yield Award.HAND, player, cards
        actor = step.state.actor if step.state.phase is Phase.TURN else None
        if begun is not None and actor != begun[0]:
            seconds = line.time - begun[1]
            if 0 < seconds < _BREAK_SECONDS:
                yield Award.THINKER, begun[0], round(seconds)
            begun = None
        if actor is not None and begun is None:
            begun = actor, line.time
