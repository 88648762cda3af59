"""Stories: the ways in which several observations can have come about together, the likeliest kept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from heapq import nlargest

from companion.table import thresholds
from companion.table.explain import ways
from companion.table.observations import Pending
from companion.table.situation import Mode, Situation, Way


@dataclass(frozen=True, slots=True)
class Story:
    """One way in which everything pending may have come about together."""

    ways: tuple[Way, ...]
    weight: float


def stories_of(base: Situation, pending: Sequence[Pending], mode: Mode) -> list[Story]:
    """Return the likeliest stories, their weights summing to 1, likeliest first."""
    stories: tuple[Story, ...] = (Story((), 1.0),)
    for observation in pending:
        stories = grown(stories, base, observation, mode)
    return list(stories)


def grown(stories: Iterable[Story], base: Situation, observation: Pending, mode: Mode) -> tuple[Story, ...]:
    """Return the likeliest stories that go on from these, which began at `base`, with one more observation."""
    # One after the other: all of them at once took tens of megabytes.
    found = (
        Story((*story.ways, way), story.weight * way.weight)
        for story in stories
        for way in merged(ways(story.ways[-1].after if story.ways else base, observation, mode))
    )
    best = normal(nlargest(thresholds.STORIES, found, key=lambda story: story.weight))
    return tuple(story for story in best if story.weight >= thresholds.HOPELESS * best[0].weight)


def normal(stories: Sequence[Story]) -> list[Story]:
    """Return the stories with weights that sum to 1."""
    total = sum(story.weight for story in stories)
    return [Story(story.ways, story.weight / total) for story in stories]


def merged(found: Iterable[Way]) -> list[Way]:
    """Return the ways with those of the same outcome made one."""
    best: dict[Hashable, Way] = {}
    weight: dict[Hashable, float] = defaultdict(float)
    for way in sorted(found, key=lambda way: -way.weight):
        best.setdefault(way.outcome, way)
        weight[way.outcome] += way.weight
    return [replace(way, weight=weight[outcome]) for outcome, way in best.items()]
