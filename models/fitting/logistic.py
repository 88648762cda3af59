"""Ridge logistic regression (Cox, The Regression Analysis of Binary Sequences, 1958), and calibration error."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Newton's method ends when no weight moves by more than this, or after so many steps; it usually takes ten.
_STEPS, _TOLERANCE = 60, 1e-6
_BINS = 10

Values = NDArray[np.float64]


def ridge_logistic(features: Values, truth: Values | NDArray[np.bool_], ridge: float) -> tuple[Values, float]:
    """Return the weights (D,) and the intercept of a regression of (N,) truths (0 or 1) on (N, D) features.

    ridge: penalty on the weights of the standardised features; the intercept has none.
    """
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


def calibration_error(chances: Values, right: NDArray[np.bool_]) -> float:
    """Return the expected calibration error of (N,) probabilities over ten equal bins (Naeini et al., 2015)."""
    bins = np.minimum((chances * _BINS).astype(int), _BINS - 1)
    off = (abs(chances[bins == b].sum() - right[bins == b].sum()) for b in range(_BINS))
    return float(sum(off) / max(1, len(chances)))
