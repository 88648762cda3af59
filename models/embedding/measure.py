"""Measures embeddings as a learnt deck uses them: nearest vector, margin, and faces that the deck does not have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.models.fitting.logistic import roc_area

Floats = NDArray[np.float32]
Labels = NDArray[np.intp]


@dataclass(frozen=True)
class Figures:
    """How well vectors tell the faces of a deck apart.

    right: share of queries whose nearest enrolled vector is of their face. margin: mean likeness to the own face less
    that to the nearest other. unknown: area under the ROC curve between queries of enrolled faces and queries of
    faces that were left out, by their greatest likeness.
    """

    right: float
    margin: float
    unknown: float


def figures(enrolled: Floats, names: Labels, queries: Floats, truth: Labels, folds: int = 4) -> Figures:
    """Return the figures of (N, D) enrolled vectors and (M, D) queries of length one with their labels.

    For `unknown` each fold of the faces is left out in turn.
    """
    alike = queries @ enrolled.T
    known = np.unique(names)
    best = np.stack([alike[:, names == name].max(1) for name in known], 1)
    own = known[None] == truth[:, None]
    right = best.argmax(1) == own.argmax(1)
    other = np.where(own, -2.0, best).max(1)
    margin = best[own] - other
    there, gone = [], []
    for fold in range(folds):
        left_out = known % folds == fold
        rest = best[:, ~left_out].max(1)
        is_gone = np.isin(truth, known[left_out])
        there.append(rest[~is_gone])
        gone.append(rest[is_gone])
    return Figures(float(right.mean()), float(margin.mean()), roc_area(np.concatenate(there), np.concatenate(gone)))


def mean_figures(each: Sequence[Figures]) -> Figures:
    """Return the mean over decks."""
    rows = np.array([(one.right, one.margin, one.unknown) for one in each])
    right, margin, unknown = rows.mean(0)
    return Figures(float(right), float(margin), float(unknown))


def centred(vectors: Floats, mean: Floats) -> Floats:
    """Return (N, D) vectors less a deck's mean, of length one (SimpleShot: Wang et al. 2019)."""
    moved = vectors - mean
    return np.asarray(moved / np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), 1e-6), np.float32)
