"""Hypotheses: joint explanations of several observations; the most probable ones are kept (beam search)."""

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
"""Ways less probable than this, relative to the kept ones, are dropped: few of one outcome add up."""


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One joint explanation of all pending observations. after: the resulting situation."""

    after: Situation
    ways: tuple[Way, ...] = ()
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Grown:
    """The most probable hypotheses, weights summing to 1, best first.

    likelihood: of the last observation under all of them, up to a factor of that observation.
    """

    stories: tuple[Hypothesis, ...]
    likelihood: float


def hypotheses_of(base: Situation, pending: Sequence[Pending], mode: Mode) -> list[Hypothesis]:
    """Return the most probable hypotheses, weights summing to 1, best first."""
    return hypotheses_by(base, ((observation, mode) for observation in pending))


def hypotheses_by(base: Situation, seen: Iterable[tuple[Pending, Mode]]) -> list[Hypothesis]:
    """Return the same with an own mode of interpretation per observation."""
    stories: tuple[Hypothesis, ...] = (Hypothesis(base),)
    for observation, mode in seen:
        stories = grown(stories, observation, mode).stories
    return list(stories)


def grown(
    stories: Sequence[Hypothesis],
    observation: Pending,
    mode: Mode,
    *,
    alike: Callable[[Situation], Hashable] | None = None,
    keep: int = thresholds.STORIES,
) -> Grown:
    """Return the most probable continuations of hypotheses by one more observation, best first.

    alike: key of equivalent situations; equivalent hypotheses are merged and the best one represents them. By default
    only ways of one hypothesis with the same outcome are.
    """
    best: dict[Hashable, Hypothesis] = {}
    weights: dict[Hashable, float] = defaultdict(float)
    least = 0.0
    for place, story in enumerate(stories):
        for way in ways(story.after, observation, replace(mode, least=least / story.weight)):
            key = (place, way.outcome) if alike is None else alike(way.after)
            weight = story.weight * way.weight
            weights[key] += weight
            if key not in best or best[key].weight < weight:
                best[key] = Hypothesis(way.after, (*story.ways, way), weight)
        kept = nlargest(keep, weights.values())
        least = max(_ADD_UP * kept[-1] if len(kept) == keep else 0.0, thresholds.HOPELESS * kept[0])
        for key in [key for key, weight in weights.items() if weight < least]:
            del best[key], weights[key]  # Saves tens of megabytes.
    likelihood = sum(weights.values()) / sum(story.weight for story in stories)
    found = nlargest(keep, (replace(story, weight=weights[key]) for key, story in best.items()), key=_weight)
    likely = [story for story in found if story.weight >= thresholds.HOPELESS * found[0].weight]
    return Grown(tuple(normal(likely)), likelihood)


def normal(stories: Sequence[Hypothesis]) -> list[Hypothesis]:
    """Return the hypotheses with weights that sum to 1."""
    total = sum(story.weight for story in stories)
    return [replace(story, weight=story.weight / total) for story in stories]


def _weight(story: Hypothesis) -> float:
    return story.weight
