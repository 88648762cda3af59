"""What a card face down looks like to the card reader, which reads it as no card: logistic regression on its features.

Fitted by `companion train backs` on drawn tables, with backs of many kinds against all else that may have a card's
shape there: a box, a phone, a note, a tile, another game's card, an open card.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from companion.vision.core.runtime import ModelFileError
from companion.vision.imaging.motion import Floats


@dataclass(frozen=True, eq=False)
class BackLooks:
    """The regression. weights: (D,) of the features, `bias` what is added to their sum."""

    weights: Floats
    bias: float

    def probabilities(self, features: Floats) -> Floats:
        """Return (N,) how likely what has these features (N, D), the mean of both ways up, is a card face down."""
        odds = features @ self.weights + self.bias
        return np.asarray(1 / (1 + np.exp(-np.clip(odds, -50, 50))), np.float32)

    @classmethod
    def load(cls, path: Path) -> BackLooks:
        """Return what `path` holds; raises ModelFileError where it is missing or not as written by `save`."""
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
