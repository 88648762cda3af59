"""Recognises face-down cards: logistic regression on the card reader's features.

Fitted by `companion train backs` on drawn tables, with many kinds of backs against other card-shaped objects: boxes,
phones, notes, tiles, cards of other games, open cards.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from companion.vision.core.logit import logistic
from companion.vision.core.runtime import ModelFileError
from companion.vision.imaging.masks import Floats


@dataclass(frozen=True, eq=False)
class BackModel:
    """The regression. weights: (D,) for the features; `bias` is the intercept."""

    weights: Floats
    bias: float

    def probabilities(self, features: Floats) -> Floats:
        """Return (N,) probabilities of a face-down card for features (N, D), averaged over both orientations."""
        odds = features @ self.weights + self.bias
        return np.asarray(logistic(odds), np.float32)

    @classmethod
    def load(cls, path: Path) -> BackModel:
        """Load from JSON; raises ModelFileError if the file is missing or malformed."""
        try:
            found = json.loads(path.read_text())
            weights, bias = np.array(found["weights"], np.float32), float(found["bias"])
        except (OSError, KeyError, TypeError, ValueError) as error:
            raise ModelFileError(path, "cannot be read") from error
        if weights.ndim != 1 or not np.isfinite([*weights, bias]).all():
            raise ModelFileError(path, "holds no weights")
        return cls(weights, bias)

    def save(self, path: Path) -> None:
        """Write as JSON."""
        weights = [round(float(weight), 5) for weight in self.weights]
        path.write_text(json.dumps({"bias": round(self.bias, 5), "weights": weights}) + "\n")
