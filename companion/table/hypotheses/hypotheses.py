"""Hypotheses: joint explanations of several observations; the most probable ones are kept (beam search)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from heapq import nlargest

from companion.table.hypotheses.explanations import ways
from companion.table.hypotheses.finding import Hypothesis
from companion.table.state import thresholds
from companion.table.state.observations import Pending
from companion.table.state.situation import Mode, Situation

_MIN_OF_KEPT = 0.25
"""Ways less probable than this, relative to the kept ones, are dropped: few of one outcome add up."""


@dataclass(frozen=True, slots=True)
class Extended:
    """The most probable hypotheses, weights summing to 1, best first.

    likelihood: of the last observation under all of them, up to a factor of that observation.
    """

    hypotheses: tuple[Hypothesis, ...]
    likelihood: float


def hypotheses_of(base: Situation, pending: Sequence[Pending], mode: Mode) -> list[Hypothesis]:
    """Return the most probable hypotheses, weights summing to 1, best first."""
    return hypotheses_by(base, ((observation, mode) for observation in pending))


def hypotheses_by(base: Situation, seen: Iterable[tuple[Pending, Mode]]) -> list[Hypothesis]:
    """Return the same with an own mode of interpretation per observation."""
    hypotheses: tuple[Hypothesis, ...] = (Hypothesis(base),)
    for observation, mode in seen:
        hypotheses = extended(hypotheses, observation, mode).hypotheses
    return list(hypotheses)


def extended(
    hypotheses: Sequence[Hypothesis],
    observation: Pending,
    mode: Mode,
    *,
    equivalence: Callable[[Situation], Hashable] | None = None,
    keep: int = thresholds.MAX_HYPOTHESES,
) -> Extended:
    """Return the most probable continuations of hypotheses by one more observation, best first.

    equivalence: key of equivalent situations; equivalent hypotheses are merged and the best one represents them. By
    default only ways of one hypothesis with the same outcome are.
    """
    best: dict[Hashable, Hypothesis] = {}
    weights: dict[Hashable, float] = defaultdict(float)
    minimum = 0.0
    for place, hypothesis in enumerate(hypotheses):
        for way in ways(hypothesis.after, observation, replace(mode, least=minimum / hypothesis.weight)):
            key = (place, way.outcome) if equivalence is None else equivalence(way.after)
            weight = hypothesis.weight * way.weight
            weights[key] += weight
            if key not in best or best[key].weight < weight:
                best[key] = Hypothesis(way.after, (*hypothesis.ways, way), weight)
        kept = nlargest(keep, weights.values())
        minimum = max(_MIN_OF_KEPT * kept[-1] if len(kept) == keep else 0.0, thresholds.MIN_RELATIVE_WEIGHT * kept[0])
        for key in [key for key, weight in weights.items() if weight < minimum]:
            del best[key], weights[key]  # Saves tens of megabytes.
    likelihood = sum(weights.values()) / sum(hypothesis.weight for hypothesis in hypotheses)
    found = nlargest(keep, (replace(hypothesis, weight=weights[key]) for key, hypothesis in best.items()), key=_weight)
    likely = [
        hypothesis for hypothesis in found if hypothesis.weight >= thresholds.MIN_RELATIVE_WEIGHT * found[0].weight
    ]
    return Extended(tuple(normalized(likely)), likelihood)


def normalized(hypotheses: Sequence[Hypothesis]) -> list[Hypothesis]:
    """Return the hypotheses with weights that sum to 1."""
    total = sum(hypothesis.weight for hypothesis in hypotheses)
    return [replace(hypothesis, weight=hypothesis.weight / total) for hypothesis in hypotheses]


def _weight(hypothesis: Hypothesis) -> float:
    return hypothesis.weight
