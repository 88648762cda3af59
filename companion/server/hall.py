"""The hall of fame: what each person did over all matches that came to an end, and the records."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from companion.journal import replay
from companion.records import MatchSummary, NoSuchMatchError, StoreError
from companion.referee.editions import Scoring
from companion.referee.effects import Drawn, ItemUsed, Why
from companion.referee.errors import RefereeError
from companion.referee.match import Match
from companion.results import rounds
from companion.server.oddities import HITS, Found, oddities
from companion.server.people import People
from companion.store import Store


@dataclass(frozen=True)
class Fame:
    """What one person did. points: of matches in which they are wanted; best_round: the most of one round."""

    matches: int
    won: int
    rounds_won: int
    points: int
    best_round: int
    hits_given: int
    hits_taken: int
    uno_forgotten: int


@dataclass(frozen=True)
class Record:
    """The most of something in one match: whose it is, and the id of the match."""

    found: Found
    match: str


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

    def show(self) -> tuple[dict[str, Fame], list[Record]]:
        """Return everybody's fame, who won most first, and the records; raises StoreError.

        Only people who are known count, each from when on their matches are theirs.
        """
        since = self._people.since
        tallies: dict[str, list[Fame]] = {}
        records: dict[str, Record] = {}
        for summary, counted in self._matches():
            own = {name for name in counted.fame if name in since and since[name] <= summary.started}
            for name in own:
                tallies.setdefault(name, []).append(counted.fame[name])
            for found in counted.odd:
                holders = tuple(name for name in found.players if name in own)
                best = records.get(found.kind.value)
                # Of equals the match that began first keeps the record; the last one comes first here.
                if holders and (best is None or found.amount >= best.found.amount):
                    records[found.kind.value] = Record(Found(found.kind, holders, found.amount), summary.id)
        fame = {name: _together(each) for name, each in tallies.items()}
        order = sorted(fame, key=lambda name: (-fame[name].won, -fame[name].points, name))
        return {name: fame[name] for name in order}, list(records.values())

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
        match = journal.match
        tally = _hits(match)
        best: Counter[str] = Counter()
        for each in rounds(journal):
            tally[each.winner, "rounds_won"] += 1
            for player, points in each.points.items():
                best[player] = max(best[player], points)
        winners = {match.state.players[seat] for seat in match.state.winners}
        counts = match.header.options.scoring is Scoring.WINNER_TAKES_ALL
        fame = {
            player: Fame(
                matches=1,
                won=int(player in winners),
                rounds_won=tally[player, "rounds_won"],
                points=match.state.standings[player] if counts else 0,
                best_round=best[player] if counts else 0,
                hits_given=tally[player, "hits_given"],
                hits_taken=tally[player, "hits_taken"],
                uno_forgotten=tally[player, "uno_forgotten"],
            )
            for player in match.everyone
        }
        return _Counted(fame, tuple(oddities(journal)))


def _hits(match: Match) -> Counter[tuple[str, str]]:
    """Return who hit and was hit by items, and who forgot UNO, as the fields of `Fame` call it."""
    tally: Counter[tuple[str, str]] = Counter()
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
    return tally


def _together(matches: list[Fame]) -> Fame:
    return Fame(
        matches=len(matches),
        won=sum(each.won for each in matches),
        rounds_won=sum(each.rounds_won for each in matches),
        points=sum(each.points for each in matches),
        best_round=max(each.best_round for each in matches),
        hits_given=sum(each.hits_given for each in matches),
        hits_taken=sum(each.hits_taken for each in matches),
        uno_forgotten=sum(each.uno_forgotten for each in matches),
    )
