"""The hall of fame: statistics per person over all finished matches, and records."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from companion.editions import Scoring
from companion.referee.effects import Drawn, ItemUsed, Why
from companion.referee.errors import RefereeError
from companion.referee.match import Match
from companion.results import rounds
from companion.server.archive.awards import Found, awards, is_hit
from companion.server.archive.people import People
from companion.server.schema.answers import Answer
from companion.storage.journal import Journal, replay, with_final_names
from companion.storage.records import MatchSummary, NoSuchMatchError, StoreError
from companion.storage.store import Store

_MOST = frozenset({"best_round"})
"""Figures of which the maximum counts instead of the sum."""
_SMALL_HOURS = 5
"""Hour until which a match belongs to the evening before."""


class Fame(Answer):
    """One person's statistics over all finished matches.

    `points` and `best_round` count only matches played for points; `hits_*` are hits by items. Every field is computed,
    sent and, given a text, shown.
    """

    matches: int
    won: int
    rounds_won: int
    points: int
    best_round: int
    hits_given: int
    hits_taken: int
    uno_forgotten: int


class Record(Answer):
    """A record of one match: who holds it, the amount or seconds, and the match's id."""

    kind: str
    players: list[str]
    amount: int
    match: str


class Evening(Answer):
    """Wins and points of one evening, by name. day: ISO 8601 date on which the evening began."""

    day: str
    won: dict[str, int]
    points: dict[str, int]


class HallOfFame(Answer):
    """The hall of fame: people by wins, records, and evenings in order."""

    people: dict[str, Fame]
    records: list[Record]
    evenings: list[Evening]


@dataclass(frozen=True)
class _Counted:
    """The cached statistics of one match."""

    fame: dict[str, Fame]
    odd: tuple[Found, ...]


class Hall:
    """Computes statistics per match, cached until the match changes. Thread-safe."""

    def __init__(self, store: Store, people: People) -> None:
        self._store = store
        self._people = people
        self._lock = threading.Lock()
        self._known: dict[tuple[str, float], _Counted] = {}

    def clear(self) -> None:
        """Drop the cache; call after a rename."""
        with self._lock:
            self._known.clear()

    def show(self) -> HallOfFame:
        """Return everybody's statistics, the records and the evenings; raises StoreError.

        Counts only known people, each from the time since which their name is theirs.
        """
        since = self._people.since
        tallies: dict[str, list[Fame]] = {}
        records: dict[str, Record] = {}
        evenings: dict[str, Evening] = {}
        for summary, counted in self._matches():
            own = {name for name in counted.fame if name in since and since[name] <= summary.started}
            for name in own:
                tallies.setdefault(name, []).append(counted.fame[name])
            if own:
                day = _day(summary.started)
                evening = evenings.setdefault(day, Evening(day=day, won={}, points={}))
                for name in own:
                    evening.won[name] = evening.won.get(name, 0) + counted.fame[name].won
                    evening.points[name] = evening.points.get(name, 0) + counted.fame[name].points
            for found in counted.odd:
                kind, holders = found.kind.value, [name for name in found.players if name in own]
                best = records.get(kind)
                # On a tie the earlier match keeps the record; the latest match comes first here.
                if holders and (best is None or found.amount >= best.amount):
                    records[kind] = Record(kind=kind, players=holders, amount=found.amount, match=summary.id)
        fame = {name: _together(each) for name, each in tallies.items()}
        order = sorted(fame, key=lambda name: (-fame[name].won, -fame[name].points, name))
        return HallOfFame(
            people={name: fame[name] for name in order},
            records=list(records.values()),
            evenings=[evenings[day] for day in sorted(evenings)],
        )

    def _matches(self) -> Iterator[tuple[MatchSummary, _Counted]]:
        with self._lock:
            known, self._known = self._known, {}
            for summary in self._store.matches():
                if not summary.over:
                    continue
                key = summary.id, summary.touched
                counted = known.get(key) or self._count(summary.id)
                if counted is not None:
                    self._known[key] = counted
                    yield summary, counted

    def _count(self, match_id: str) -> _Counted | None:
        """Return a match's statistics, None if it cannot be read completely."""
        try:
            stored = self._store.load(match_id)
            journal = with_final_names(replay(stored.header, stored.lines))
        except (NoSuchMatchError, StoreError, RefereeError):
            return None
        tally = _tally(journal)
        fame = {
            player: Fame(**{figure: tally[player, figure] for figure in Fame.model_fields})
            for player in journal.match.everyone
        }
        return _Counted(fame, tuple(awards(journal)))


def _tally(journal: Journal) -> Counter[tuple[str, str]]:
    """Return the statistics of a match, by player and field of `Fame`."""
    match = journal.match
    tally: Counter[tuple[str, str]] = Counter((player, "matches") for player in match.everyone)
    tally.update((match.state.players[seat], "won") for seat in match.state.winners)
    scored = match.header.options.scoring is Scoring.WINNER_TAKES_ALL
    for each in rounds(journal):
        tally[each.winner, "rounds_won"] += 1
        for player, points in each.points.items() if scored else ():
            tally[player, "best_round"] = max(tally[player, "best_round"], points)
    for player, points in match.state.standings.items() if scored else ():
        tally[player, "points"] = points
    _count_hits(match, tally)
    return tally


def _count_hits(match: Match, tally: Counter[tuple[str, str]]) -> None:
    """Count item hits and forgotten UNO calls."""
    thrower = ""
    for step in match.history:
        for effect in step.effects:
            match effect:
                case ItemUsed(_, player):
                    thrower = player  # the next move may name the target
                case Drawn(player, _, why) if is_hit(why, step.state.header.edition):
                    tally[player, "hits_taken"] += 1
                    if thrower and thrower != player:
                        tally[thrower, "hits_given"] += 1
                case Drawn(player, _, Why.UNO):
                    tally[player, "uno_forgotten"] += 1


def _together(matches: list[Fame]) -> Fame:
    """Return the sum of several statistics, or the maximum for the fields in `_MOST`."""
    figures = [each.model_dump() for each in matches]
    return Fame(**{name: (max if name in _MOST else sum)(each[name] for each in figures) for name in Fame.model_fields})


def _day(started: float) -> str:
    """Return the date of an evening, which includes the small hours."""
    return time.strftime("%Y-%m-%d", time.localtime(started - _SMALL_HOURS * 3600))
