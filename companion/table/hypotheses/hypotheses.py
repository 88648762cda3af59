"""Stories: the ways in which several observations can have come about together, the likeliest kept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from heapq import nlargest

from companion.table.hypotheses.explanations import ways
from companion.table.state import thresholds
from companion.table.state.observations import Pending
from companion.table.state.situation import Mode, Situation, Way

_ADD_UP = 0.25
"""A way so much less likely than all that are kept is not followed: no more than a few of one outcome add up."""


@dataclass(frozen=True, slots=True)
class Story:
    """One way in which everything pending may have come about together. after: where that leads."""

    after: Situation
    ways: tuple[Way, ...] = ()
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Grown:
    """The likeliest stories, their weights summing to 1, likeliest first.

    likelihood: of the observation that they were grown with, by all of them, up to a factor that depends on it alone.
    """

    stories: tuple[Story, ...]
    likelihood: float


def stories_of(base: Situation, pending: Sequence[Pending], mode: Mode) -> list[Story]:
    """Return the likeliest stories, their weights summing to 1, likeliest first."""
    return stories_by(base, ((observation, mode) for observation in pending))


def stories_by(base: Situation, seen: Iterable[tuple[Pending, Mode]]) -> list[Story]:
    """Return the same where each observation is to be understood in a way of its own."""
    stories: tuple[Story, ...] = (Story(base),)
    for observation, mode in seen:
        stories = grown(stories, observation, mode).stories
    return list(stories)


def grown(
    stories: Sequence[Story],
    observation: Pending,
    mode: Mode,
    *,
    alike: Callable[[Situation], Hashable] | None = None,
    keep: int = thresholds.STORIES,
) -> Grown:
    """Return the likeliest stories that go on from these, likeliest first, with one more observation.

    alike: what tells where stories lead; those that lead to the same are made one, in which the likeliest stands. By
    default it is only ways of one and the same story, and of the same outcome.
    """
    best: dict[Hashable, Story] = {}
    weights: dict[Hashable, float] = defaultdict(float)
    least = 0.0
    for place, story in enumerate(stories):
        for way in ways(story.after, observation, replace(mode, least=least / story.weight)):
            key = (place, way.outcome) if alike is None else alike(way.after)
            weight = story.weight * way.weight
            weights[key] += weight
            if key not in best or best[key].weight < weight:
                best[key] = Story(way.after, (*story.ways, way), weight)
        kept = nlargest(keep, weights.values())
        least = max(_ADD_UP * kept[-1] if len(kept) == keep else 0.0, thresholds.HOPELESS * kept[0])
        for key in [key for key, weight in weights.items() if weight < least]:
            del best[key], weights[key]  # all of them at once took tens of megabytes
    likelihood = sum(weights.values()) / sum(story.weight for story in stories)
    found = nlargest(keep, (replace(story, weight=weights[key]) for key, story in best.items()), key=_weight)
    likely = [story for story in found if story.weight >= thresholds.HOPELESS * found[0].weight]
    return Grown(tuple(normal(likely)), likelihood)


def normal(stories: Sequence[Story]) -> list[Story]:
    """Return the stories with weights that sum to 1."""
    total = sum(story.weight for story in stories)
    return [replace(story, weight=story.weight / total) for story in stories]


def _weight(story: Story) -> float:
    return story.weight
