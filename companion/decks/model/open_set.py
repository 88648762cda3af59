"""Open-set recognition: the odds that a crop shows one of the learnt faces, and not another face or thing.

An unknown face is similar to some learnt face, but less so than a copy of it, and a reader that knows the design names
it. The weight of each kind of evidence is fitted by leaving out each face in turn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from companion.vision.core.labels import Floats
from companion.vision.core.logit import log_odds

OUTLIER_SHARE = 0.02
_MAX_ODDS = -log_odds(OUTLIER_SHARE)
"""Share of cards that may be unreadable through blur or light, and the bound on any evidence that follows (nats)."""
MAX_NATS = 9.0
"""Bound on evidence against a card (nats): on unknown designs the reader is confidently wrong."""


@dataclass(frozen=True)
class OpenSetModel:
    """Linear model that separates learnt faces from others.

    slope: nats per unit of similarity. trust: weight of the reader's nats. offset: bias in nats.
    """

    slope: float
    trust: float
    offset: float

    @classmethod
    def of(cls, copies: Floats, others: Floats) -> OpenSetModel:
        """Fit the model to copies of learnt faces, (N, 2), and to other faces, (M, 2).

        Columns: similarity to the nearest learnt face, and the reader's nats for such a face. Linear discriminant
        analysis with balanced classes (Fisher 1936). Evidence of the wrong sign is left out.
        """
        groups = [np.clip(rows.astype(np.float64), -MAX_NATS, MAX_NATS) for rows in (copies, others)]
        high, low = (rows.mean(0) for rows in groups)
        within = np.mean([np.cov(rows.T, ddof=0) for rows in groups], axis=0) + 1e-6 * np.eye(2)
        weights = np.linalg.solve(within, high - low)
        if (weights < 0).any():
            weights = np.maximum(high - low, 0) / np.diag(within) * (weights >= 0)
        slope, trust = weights.tolist()
        return cls(slope, trust, float(-weights @ (high + low) / 2))

    def odds(self, similarity: Floats, reader_nats: Floats) -> Floats:
        """Return the odds (nats, (N,)) of a learnt face from a similarity (N,) and the reader's evidence (N,)."""
        nats = self.slope * similarity + self.trust * np.clip(reader_nats, -MAX_NATS, MAX_NATS) + self.offset
        return np.asarray(np.clip(nats, -_MAX_ODDS, _MAX_ODDS), np.float32)
