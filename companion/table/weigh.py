"""Weighs all that is pending together: what is clear enough to be ruled on, and what must be asked.

Everything is worked out from the last ruling on, so that the same observations always lead to the same finding,
before and after a restart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from companion.table import thresholds
from companion.table.explain import Situation, Way, ways
from companion.table.observations import Pending, Sight


@dataclass(frozen=True, slots=True)
class Candidate:
    """A way in which an observation may have come about, with its probability in the light of all that is pending."""

    way: Way
    probability: float


@dataclass(frozen=True, slots=True)
class Finding:
    """What all that is pending comes to.

    settled: what the first observations were, one way each; assumed: for each, whether it is merely the likeliest.
    open: what the next one may have been, likeliest first; empty where nothing is left. illegal: whether that is clear,
    and is a card that does not match; idle: how many of the latest observations since then were of nothing at all.
    last: what became of the last observation in the likeliest story.
    """

    settled: tuple[Way, ...]
    assumed: tuple[bool, ...]
    open: tuple[Candidate, ...]
    illegal: bool
    idle: int
    last: Way | None


@dataclass(frozen=True, slots=True)
class _Story:
    """One way in which everything pending may have come about together."""

    ways: tuple[Way, ...]
    weight: float


def weigh(base: Situation, pending: Sequence[Pending], *, relaxed: bool) -> Finding:
    """Return what the pending observations come to, beginning from the last situation that is certain."""
    stories = _stories(base, pending, relaxed=relaxed)
    likeliest = stories[0].ways[-1] if pending else None
    stories = _where_it_leads(stories)
    settled: list[Way] = []
    assumed: list[bool] = []
    candidates: list[Candidate] = []
    for place in range(len(pending)):
        candidates = _candidates(stories, place)
        later = len(pending) - 1 - place
        best = candidates[0]
        clear = _is_clear(best, later)
        sights = sum(isinstance(waiting.what, Sight) for waiting in pending[place + 1 :])
        if not clear and sights < thresholds.PATIENCE:
            break
        settled.append(best.way)
        assumed.append(not clear)
        stories = [story for story in stories if story.ways[place].outcome == best.way.outcome]
    first = len(settled)
    while first and settled[first - 1].after.outlaw is not None:
        first -= 1  # a card that does not match waits for what people make of it, and so does what came after it
    idle = 0
    while first + idle < len(settled) and _is_nothing(settled[-1 - idle]):
        idle += 1
    illegal = first < len(settled)
    if illegal:
        candidates = _candidates(stories, first)
        del settled[first:], assumed[first:]
    still_open = tuple(candidates) if len(settled) < len(pending) else ()
    return Finding(tuple(settled), tuple(assumed), still_open, illegal, idle, likeliest)


def _is_nothing(way: Way) -> bool:
    return not way.lines and way.card is None


def _is_clear(best: Candidate, later: int) -> bool:
    if later:
        return best.probability >= thresholds.LATER_CLEAR
    return best.probability >= thresholds.CLEAR and not best.way.doubtful


def _stories(base: Situation, pending: Sequence[Pending], *, relaxed: bool) -> list[_Story]:
    """Return the likeliest stories, their weights summing to 1, likeliest first."""
    stories = [_Story((), 1.0)]
    for observation in pending:
        grown = [
            _Story((*story.ways, way), story.weight * way.weight)
            for story in stories
            for way in _merged(ways(story.ways[-1].after if story.ways else base, observation, relaxed=relaxed))
        ]
        stories = _normal(sorted(grown, key=lambda story: -story.weight)[: thresholds.STORIES])
    return stories


def _normal(stories: list[_Story]) -> list[_Story]:
    total = sum(story.weight for story in stories)
    return [_Story(story.ways, story.weight / total) for story in stories]


def _merged(found: Iterable[Way]) -> list[Way]:
    """Return the ways with those of the same outcome made one."""
    best: dict[Hashable, Way] = {}
    weight: dict[Hashable, float] = defaultdict(float)
    for way in sorted(found, key=lambda way: -way.weight):
        best.setdefault(way.outcome, way)
        weight[way.outcome] += way.weight
    return [_weighing(way, weight[outcome]) for outcome, way in best.items()]


def _weighing(way: Way, weight: float) -> Way:
    return Way(way.after, way.lines, weight, way.card, way.doubtful, way.used_up, way.refusal)


def _where_it_leads(stories: list[_Story]) -> list[_Story]:
    """Return the likeliest story alone if all clearly lead to the same table, as when an unsure card is taken back."""
    if not stories[0].ways:
        return stories
    groups: dict[Hashable, list[_Story]] = defaultdict(list)
    for story in stories:
        after = story.ways[-1].after
        groups[after.journal.match.moves, after.outlaw].append(story)
    best = max(groups.values(), key=lambda group: sum(story.weight for story in group))
    lone = len(best) > 1 and sum(story.weight for story in best) >= thresholds.CLEAR and not best[0].ways[-1].doubtful
    return [_Story(best[0].ways, 1.0)] if lone else stories


def _candidates(stories: Iterable[_Story], place: int) -> list[Candidate]:
    """Return what the observation at this place may have been, likeliest first."""
    best: dict[Hashable, Way] = {}
    weight: dict[Hashable, float] = defaultdict(float)
    for story in stories:
        way = story.ways[place]
        best.setdefault(way.outcome, way)
        weight[way.outcome] += story.weight
    total = sum(weight.values())
    found = [Candidate(way, weight[outcome] / total) for outcome, way in best.items()]
    return sorted(found, key=lambda candidate: -candidate.probability)
