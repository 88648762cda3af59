"""How surely what was seen is one of the faces that were laid, where only a part of a deck was.

A face that was not laid looks most like some other one that was, but less than a copy of it does: how much less, each
face tells that is taken for one that was not laid.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from companion.vision.labels import Floats

# The share of cards that may be lost altogether, by blur or lamp: nothing says more than it leaves (nats).
_LOST = 0.05
_MOST = float(np.log((1 - _LOST) / _LOST))
# What holds the slope down where likenesses do not overlap: a penalty on its square, small beside what speaks for it
# where the deviation is one. And the steps of its finding: half of them are enough.
_HELD, _STEPS = 0.01, 30


@dataclass(frozen=True)
class Apart:
    """What tells faces that were laid from others: nats for a likeness of one, and the likeness that says neither."""

    slope: float
    middle: float

    @classmethod
    def of(cls, copies: Floats, others: Floats) -> Apart:
        """Return what tells the likeness of copies to their face, of any shape, from that of others to the nearest.

        That is a logistic regression in which both count the same (Cox 1958), by Newton's steps.
        """
        both = np.concatenate([copies.ravel(), others.ravel()]).astype(np.float64)
        truth = np.arange(len(both)) < copies.size
        weights = np.where(truth, 0.5 / copies.size, 0.5 / others.size)
        spread, center = max(float(both.std()), 1e-6), float(both.mean())
        rows = np.stack([(both - center) / spread, np.ones(len(both))], 1)
        found = np.zeros(2)
        for _ in range(_STEPS):
            chance = 1 / (1 + np.exp(-rows @ found))
            slopes = rows.T @ (weights * (truth - chance)) - [_HELD * found[0], 0]
            curves = (rows * (weights * chance * (1 - chance))[:, None]).T @ rows + np.diag([_HELD, 1e-9])
            found += np.linalg.solve(curves, slopes)
        if found[0] <= 0:
            return cls(0.0, center)
        return cls(float(found[0] / spread), float(center - spread * found[1] / found[0]))

    def odds(self, likeness: Floats) -> Floats:
        """Return by how many nats (N,) a likeness (N,) speaks for a face that was laid."""
        return np.asarray(np.clip(self.slope * (likeness - self.middle), -_MOST, _MOST), np.float32)
