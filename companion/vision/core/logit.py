"""Logistic regressions over named features, stored together in one JSON file."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from companion.vision.core.runtime import ModelFileError

Values = NDArray[np.float64]
Odds = TypeVar("Odds", NDArray[np.float64], NDArray[np.float32])


def logistic(odds: Odds) -> Odds:
    """Return the (...) probabilities of log-odds (...); the odds are bounded, so that nothing overflows."""
    return np.asarray(1 / (1 + np.exp(-np.clip(odds, -50, 50))), odds.dtype)


def log_odds(probability: float) -> float:
    """Return the log-odds of a probability, bounded for 0 and 1."""
    sure = min(max(probability, 1e-9), 1 - 1e-9)
    return math.log(sure / (1 - sure))


@dataclass(frozen=True, eq=False)
class Logit:
    """A logistic regression. weights: (D,) of its features, in the order of their names; intercept: of none."""

    weights: Values
    intercept: float

    def log_odds(self, features: Values) -> Values:
        """Return the (...) log-odds for features (..., D)."""
        return np.asarray(features @ self.weights + self.intercept, np.float64)

    def probabilities(self, features: Values) -> Values:
        """Return the (...) probabilities for features (..., D)."""
        return np.asarray(logistic(self.log_odds(features)), np.float64)


def load_logits(path: Path, names: Mapping[str, Sequence[str]]) -> dict[str, Logit]:
    """Load regressions from JSON. names: their features' names by the regressions' names.

    Raises ModelFileError if the file is missing, malformed, or holds other regressions or features.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        logits = {
            name: Logit(np.array([found[name][feature] for feature in features]), float(found[name]["intercept"]))
            for name, features in names.items()
        }
        is_finite = all(np.isfinite([*logit.weights, logit.intercept]).all() for logit in logits.values())
        has_no_others = all(len(found[name]) == len(features) + 1 for name, features in names.items())
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise ModelFileError(path, "cannot be read") from error
    if not (is_finite and has_no_others):
        raise ModelFileError(path, "holds other features")
    return logits


def save_logits(path: Path, logits: Mapping[str, Logit], names: Mapping[str, Sequence[str]]) -> None:
    """Write regressions as JSON; raises OSError."""
    rows = {
        name: {"intercept": round(logit.intercept, 4)}
        | {feature: round(float(w), 4) for feature, w in zip(names[name], logit.weights, strict=True)}
        for name, logit in logits.items()
    }
    path.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
