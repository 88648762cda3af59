"""The hall of fame: what each person did over all matches that came to an end, and the records."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from companion.journal import Journal, replay
from companion.records import MatchSummary, NoSuchMatchError, StoreError
from companion.referee.editions import Scoring
from companion.referee.effects import Drawn, ItemUsed, Why
from companion.referee.errors import RefereeError
from companion.referee.match import Match
from companion.results import rounds
from companion.server.awards import HITS, Found, oddities
from companion.server.people import People
from companion.server.routes.payloads import Answer
from companion.store import Store

_MOST = frozenset({"best_round"})
"""The figures of which the most counts, not the sum."""
_SMALL_HOURS = 5
"""The hour up to which a match belongs to the evening before: by then the last guests have gone."""


class Fame(Answer):
    """What one person did over all matches that came to an end.

    `points` and `best_round` (the most of one round) are of matches in which points are wanted; `hits_*` are those of
    items. A figure named here is counted, sent and, with words of its own, shown.
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
    """The most of something in one match: whose it is, how many or how many seconds, and the match's id."""

    kind: str
    players: list[str]
    amount: int
    match: str


class Evening(Answer):
    """What one evening brought, by name, for those who played. day: in ISO 8601, of the evening's beginning."""

    day: str
    won: dict[str, int]
    points: dict[str, int]


class HallOfFame(Answer):
    """The hall of fame: people, who won most first; records; evenings, the first one first."""

    people: dict[str, Fame]
    records: list[Record]
    evenings: list[Evening]


@dataclass(frozen=True)
class _Counted:
    """What is kept of a match that was counted."""

    fame: dict[str, Fame]
    odd: tuple[Found, ...]


class Hall:
    """Counts every match once, for as long as nothing is written to it. May be used from any thread."""

    def __init__(self, store: Store, people: People) -> None:
        self._store = store
        self._people = people
        self._lock = threading.Lock()
        self._known: dict[tuple[str, float], _Counted] = {}

    def clear(self) -> None:
        """Count all matches anew, whose names have changed."""
        with self._lock:
            self._known.clear()

    def show(self) -> HallOfFame:
        """Return everybody's fame, the records and the evenings; raises StoreError.

        Only people who are known count, each from when on their matches are theirs.
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
                # Of equals the match that began first keeps the record; the last one comes first here.
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
        """Return what a match adds, None where not all of it can be read."""
        try:
            stored = self._store.load(match_id)
            journal = replay(stored.header, stored.lines)
        except (NoSuchMatchError, StoreError, RefereeError):
            return None
        tally = _tally(journal)
        fame = {
            player: Fame(**{figure: tally[player, figure] for figure in Fame.model_fields})
            for player in journal.match.everyone
        }
        return _Counted(fame, tuple(oddities(journal)))


def _tally(journal: Journal) -> Counter[tuple[str, str]]:
    """Return what each player did in a match, by player and by what `Fame` calls it."""
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
    """Count who hit and was hit by items, and who forgot UNO."""
    thrower = ""
    for step in match.history:
        for effect in step.effects:
            match effect:
                case ItemUsed(_, player):
                    thrower = player  # whom it hits may be said by the move after
                case Drawn(player, _, why) if why in HITS:
                    tally[player, "hits_taken"] += 1
                    if thrower and thrower != player:
                        tally[thrower, "hits_given"] += 1
                case Drawn(player, _, Why.UNO):
                    tally[player, "uno_forgotten"] += 1


def _together(matches: list[Fame]) -> Fame:
    """Return the sum of it all; of what is the most of one match, the most."""
    figures = [each.model_dump() for each in matches]
    return Fame(**{name: (max if name in _MOST else sum)(each[name] for each in figures) for name in Fame.model_fields})


def _day(started: float) -> str:
    """Return the day of an evening, of which the small hours are part."""
    return time.strftime("%Y-%m-%d", time.localtime(started - _SMALL_HOURS * 3600))
