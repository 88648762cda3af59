"""Open-set recognition for incomplete decks: the odds that a crop shows one of the learnt faces.

An unknown face is similar to some learnt face, but less so than a copy of it, and a reader that knows the design names
it. The weight of each kind of evidence is fitted by leaving out each face in turn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.vision.core.labels import Floats

OUTLIER_SHARE = 0.02
_MAX_ODDS = float(np.log((1 - OUTLIER_SHARE) / OUTLIER_SHARE))
"""Share of cards that may be unreadable through blur or light, and the bound on any evidence that follows (nats)."""
# Ridge penalty on the slopes for separable data, relative to unit deviation; number of Newton steps, half of which
# suffice.
_REGULARISATION, _STEPS = 0.01, 30
MAX_NATS = 9.0
"""Bound on evidence against a card (nats): on unknown designs the reader is confidently wrong."""


@dataclass(frozen=True)
class OpenSetModel:
    """Logistic model that separates learnt faces from others.

    slope: nats per unit of similarity. trust: weight of the reader's nats. offset: bias in nats.
    """

    slope: float
    trust: float
    offset: float

    @classmethod
    def of(cls, copies: Floats, others: Floats) -> OpenSetModel:
        """Fit the model to copies of learnt faces, (N, 2), and to other faces, (M, 2).

        Columns: similarity to the nearest learnt face, and the reader's nats for such a face. Logistic regression with
        balanced classes (Cox 1958), by Newton's method. A slope of the wrong sign is set to zero.
        """
        values = np.concatenate([copies, others]).astype(np.float64)
        values[:, 1] = np.clip(values[:, 1], -MAX_NATS, MAX_NATS)
        is_copy = np.arange(len(values)) < len(copies)
        weights = np.where(is_copy, 0.5 / len(copies), 0.5 / len(others))
        spread, center = np.maximum(values.std(0), 1e-6), values.mean(0)
        rows = np.concatenate([(values - center) / spread, np.ones((len(values), 1))], 1)
        found = _regression(rows, is_copy, weights)
        while (found[:2] < 0).any():
            rows[:, int(found[:2].argmin())] = 0
            found = _regression(rows, is_copy, weights)
        slope, trust = found[:2] / spread
        return cls(float(slope), float(trust), float(found[2] - (slope, trust) @ center))

    def odds(self, similarity: Floats, reader_nats: Floats) -> Floats:
        """Return the odds (nats, (N,)) of a learnt face from a similarity (N,) and the reader's evidence (N,)."""
        nats = self.slope * similarity + self.trust * np.clip(reader_nats, -MAX_NATS, MAX_NATS) + self.offset
        return np.asarray(np.clip(nats, -_MAX_ODDS, _MAX_ODDS), np.float32)


def _regression(
    rows: NDArray[np.float64], is_copy: NDArray[np.bool_], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the coefficients of a logistic regression on rows (N, K); the last column is the bias."""
    found = np.zeros(rows.shape[1])
    held = np.append(np.full(rows.shape[1] - 1, _REGULARISATION), 0.0)
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-rows @ found))
        slopes = rows.T @ (weights * (is_copy - chance)) - held * found
        curves = (rows * (weights * chance * (1 - chance))[:, None]).T @ rows + np.diag(np.maximum(held, 1e-9))
        found += np.linalg.solve(curves, slopes)
    return found
