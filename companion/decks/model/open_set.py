"""How surely what was seen is one of the faces that were laid, where only a part of a deck was.

A face that was not laid looks most like some other one that was, but less than a copy of it does, and a reader that
knows the design says which it is. How much each of the two tells, every face says that is taken for one that was not
laid.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.vision.core.labels import Floats

# The share of cards that may be lost altogether, by blur or lamp: nothing says more than it leaves (nats).
_LOST = 0.02
_MOST = float(np.log((1 - _LOST) / _LOST))
# What holds the slopes down where nothing overlaps: a penalty on their squares, small beside what speaks for them where
# the deviation is one. And the steps of their finding: half of them are enough.
_HELD, _STEPS = 0.01, 30
# A reader that does not know a design is wrong with great certainty: what it says counts up to so much (nats).
_SAID = 9.0


@dataclass(frozen=True)
class Apart:
    """What tells faces that were laid from others.

    slope: nats for a likeness of one. trust: what the reader's nats count. offset: nats for neither.
    """

    slope: float
    trust: float
    offset: float

    @classmethod
    def of(cls, copies: Floats, others: Floats) -> Apart:
        """Return what tells copies of faces that were laid, (N, 2), from other faces, (M, 2).

        Of both the likeness to the nearest face that was laid, and the nats by which the reader is for such a face.
        That is a logistic regression in which both sides count the same (Cox 1958), by Newton's steps. What speaks for
        the wrong side tells nothing.
        """
        values = np.concatenate([copies, others]).astype(np.float64)
        values[:, 1] = np.clip(values[:, 1], -_SAID, _SAID)
        truth = np.arange(len(values)) < len(copies)
        weights = np.where(truth, 0.5 / len(copies), 0.5 / len(others))
        spread, center = np.maximum(values.std(0), 1e-6), values.mean(0)
        rows = np.concatenate([(values - center) / spread, np.ones((len(values), 1))], 1)
        found = _regression(rows, truth, weights)
        while (found[:2] < 0).any():
            rows[:, int(found[:2].argmin())] = 0
            found = _regression(rows, truth, weights)
        slope, trust = found[:2] / spread
        return cls(float(slope), float(trust), float(found[2] - (slope, trust) @ center))

    def odds(self, similarity: Floats, said: Floats) -> Floats:
        """Return by how many nats (N,) a likeness (N,) and what the reader said (N,) speak for a face that was laid."""
        nats = self.slope * similarity + self.trust * np.clip(said, -_SAID, _SAID) + self.offset
        return np.asarray(np.clip(nats, -_MOST, _MOST), np.float32)


def _regression(
    rows: NDArray[np.float64], truth: NDArray[np.bool_], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the slopes of a logistic regression on rows (N, K), the last of which is no slope but the offset."""
    found = np.zeros(rows.shape[1])
    held = np.append(np.full(rows.shape[1] - 1, _HELD), 0.0)
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-rows @ found))
        slopes = rows.T @ (weights * (truth - chance)) - held * found
        curves = (rows * (weights * chance * (1 - chance))[:, None]).T @ rows + np.diag(np.maximum(held, 1e-9))
        found += np.linalg.solve(curves, slopes)
    return found
