"""Ridge regressions, and how well fitted models decide.

Logistic regression: Cox, The Regression Analysis of Binary Sequences, 1958. Conditional logit: McFadden, 1974.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.vision.core.sightings import RUNNER_UP_BELOW

# Newton's method ends when no weight moves by more than this, or after so many steps; it usually takes ten.
_STEPS, _TOLERANCE = 60, 1e-6
_BINS = 10
# Bound of log-odds, so that nothing overflows.
_HIGHEST = 50.0

Values = NDArray[np.float64]


class OneSidedCasesError(ValueError):
    """There are no cases to fit on, or all of them have the same outcome."""


def need_both(truth: Values | NDArray[np.bool_]) -> None:
    """Raise a `OneSidedCasesError` unless (N,) truths (0 or 1) hold both outcomes."""
    if len(np.unique(truth)) < 2:
        raise OneSidedCasesError(f"{len(truth)} cases do not show both outcomes")


def ridge_logistic(features: Values, truth: Values | NDArray[np.bool_], ridge: float) -> tuple[Values, float]:
    """Return the weights (D,) and the intercept of a regression of (N,) truths (0 or 1) on (N, D) features.

    ridge: penalty on the weights of the standardised features; the intercept has none.
    Raises `OneSidedCasesError` if the truths do not hold both outcomes.
    """
    need_both(truth)
    mean, spread = features.mean(0), features.std(0) + 1e-6
    rows = np.column_stack([(features - mean) / spread, np.ones(len(features))])
    penalty = np.diag([*np.full(features.shape[1], ridge), 0.0])
    beta = np.zeros(rows.shape[1])
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-rows @ beta))
        slope = rows.T @ (chance - truth) + penalty @ beta
        curve = (rows.T * np.maximum(chance * (1 - chance), 1e-9)) @ rows + penalty
        step = np.linalg.solve(curve, slope)
        beta -= step
        if np.abs(step).max() < _TOLERANCE:
            break
    weights = beta[:-1] / spread
    return weights, float(beta[-1] - weights @ mean)


def conditional_logit(
    groups: Sequence[Values], right: Sequence[NDArray[np.bool_]], ridge: float
) -> tuple[Values, float]:
    """Return the weights (D,) and the intercept of a choice among candidates against "none of them", of log-odds 0.

    groups: (N, D) features of the candidates of each choice; N may differ, and be 0. right: (N,) which of them are
    right; "none" is if no candidate is. ridge: penalty on the weights of the features divided by their spread.
    Raises `OneSidedCasesError` if no candidate is right, or each is.
    """
    truth = np.concatenate([np.zeros(0), *right])
    need_both(truth)
    rows = np.concatenate([*groups])
    spread = rows.std(0) + 1e-6
    rows = np.column_stack([rows / spread, np.ones(len(rows))])
    owner = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    penalty = np.diag([*np.full(len(spread), ridge), 0.0])
    any_right = np.bincount(owner, truth, len(groups)) > 0

    def shares(odds: Values, none: float | NDArray[np.bool_]) -> Values:
        total = np.bincount(owner, odds, len(groups)) + none
        return np.asarray(odds / np.maximum(total, 1e-300)[owner], np.float64)

    beta = np.zeros(rows.shape[1])
    for _ in range(_STEPS):
        odds = np.exp(np.clip(rows @ beta, -_HIGHEST, _HIGHEST))
        chance, wanted = shares(odds, 1.0), shares(odds * truth, ~any_right)
        slope = rows.T @ (chance - wanted) + penalty @ beta
        means = np.column_stack([np.bincount(owner, column, len(groups)) for column in (rows * chance[:, None]).T])
        curve = (rows.T * chance) @ rows - means.T @ means + penalty
        step = np.linalg.solve(curve + 1e-9 * np.eye(len(beta)), slope)
        beta -= step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < _TOLERANCE:
            break
    return beta[:-1] / spread, float(beta[-1])


def calibration_error(chances: Values, right: NDArray[np.bool_]) -> float:
    """Return the expected calibration error of (N,) probabilities over ten equal bins (Naeini et al., 2015)."""
    bins = np.minimum((chances * _BINS).astype(int), _BINS - 1)
    off = (abs(chances[bins == b].sum() - right[bins == b].sum()) for b in range(_BINS))
    return float(sum(off) / max(1, len(chances)))


@dataclass(frozen=True)
class Checked:
    """Decisions, the right ones, the same at .97 and more, and the expected calibration error. what: was decided."""

    what: str
    cases: int
    right: int
    sure: int
    sure_right: int
    calibration_error: float

    @classmethod
    def of(cls, what: str, said: Values, right: NDArray[np.bool_], error: float) -> Checked:
        """Return the figures of (N,) decisions with probabilities `said`."""
        sure = said >= RUNNER_UP_BELOW
        return cls(what, len(said), int(right.sum()), int(sure.sum()), int(right[sure].sum()), error)

    def __str__(self) -> str:
        return (
            f"{self.right} of {self.cases} {self.what}; {self.sure_right} of {self.sure} at .97 and more; "
            f"expected calibration error {self.calibration_error:.3f}"
        )


def roc_area(high: Values, low: Values) -> float:
    """Return how likely one of `high` is greater than one of `low` (Mann and Whitney 1947), ties counting half."""
    ordered = np.sort(low)
    below = np.searchsorted(ordered, high, "left") + np.searchsorted(ordered, high, "right")
    return float(below.mean() / (2 * len(low)))
