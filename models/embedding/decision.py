"""Fits how a learnt deck decides by similarity, on decks that no network is trained on.

Of the views of each face two are learnt and two are asked for. Every face is left out once: its views then show a face
that the deck does not have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from companion.decks.model.decision import Decision
from companion.models.embedding.gallery import Gallery
from companion.models.embedding.measure import Labels
from companion.models.embedding.views import Photographer, rgb
from companion.models.fitting.logistic import ridge_logistic, roc_area
from companion.vision.core.geometry import CARD_CROP, Image
from companion.vision.core.labels import Floats, log_softmax
from companion.vision.core.runtime import Network
from companion.vision.detection.embedding import Embedding

Describe = Callable[[Floats], Floats]
"""Returns (N, D) descriptors of (N, 3, H, W) crops, RGB in 0..1."""

_SHARES = np.linspace(0, 1, 11)
_SHARPNESSES = np.geomspace(2, 60, 30)
# Ridge penalty on the weights of standardised features, per query.
_RIDGE = 1e-3


@dataclass(frozen=True, eq=False)
class DeckViews:
    """Views of one deck's faces: (N, D) descriptors of learnt views, (M, D) of queries, and their faces' numbers."""

    learnt: Floats
    names: Labels
    queries: Floats
    truth: Labels

    def similarities(self, decision: Decision) -> Floats:
        """Return (M, F) similarities of the queries to each face."""
        mean = self.learnt.mean(0)
        pairwise = decision.centred(self.queries, mean) @ decision.centred(self.learnt, mean).T
        return np.stack([pairwise[:, self.names == name].max(1) for name in np.unique(self.names)], 1)


@dataclass(frozen=True)
class Check:
    """How well decisions hold on decks that they were not fitted on.

    right: share of queries whose most similar face is theirs. unknown: area under the ROC curve for telling faces that
    the deck has from those it does not have. error: expected calibration error of that probability.
    """

    right: float
    unknown: float
    error: float


def describers(folder: Path) -> dict[str, Describe]:
    """Return what describes crops of each kind by the readers of a folder and the shipped embedding."""
    embedding = Embedding.shipped()
    card, index = (Network.shared(folder / f"{kind}-reader.onnx") for kind in ("card", "index"))
    return {
        "card": lambda crops: embedding.descriptors(crops, card.with_features(crops)[1]),
        "corner": lambda crops: index.with_features(crops)[1],
    }


def views_of(gallery: Gallery, kind: str, describe: Describe, seed: int, faces: int = 40) -> list[DeckViews]:
    """Return views of up to `faces` faces of each deck. kind: 'card' or 'corner'."""
    rng = np.random.default_rng([seed, 1])
    photographer = Photographer(gallery, [seed, 2], CARD_CROP)
    take = photographer.card if kind == "card" else photographer.corner
    decks = []
    for deck in gallery.classes(kind):
        if len(deck) < 8:
            continue
        chosen = rng.permutation(deck)[:faces]
        names = np.repeat(np.arange(len(chosen)), 2)
        learnt, queries = (_described([take(int(chosen[name])) for name in names], describe) for _ in range(2))
        decks.append(DeckViews(learnt, names, queries, names))
    return decks


def _described(views: list[Image], describe: Describe) -> Floats:
    return describe(rgb(views).astype(np.float32) / np.float32(255))


def fitted(decks: Sequence[DeckViews]) -> Decision:
    """Return the decision under which the views' faces are most likely."""
    blank = Decision(0.0, 1.0, 0.0, 0.0, 0.0)

    def rated(share: float) -> Iterator[tuple[float, Decision]]:
        """Yield each sharpness of a share with the mean log-likelihood of the true faces."""
        decision = replace(blank, share=share)
        alike = [deck.similarities(decision) for deck in decks]
        for nats in _SHARPNESSES.tolist():
            logs = (log_softmax(nats * some) for some in alike)
            right = [rows[np.arange(len(rows)), deck.truth].mean() for rows, deck in zip(logs, decks, strict=True)]
            yield float(np.mean(right)), replace(decision, sharpness=nats)

    _, best = max((one for share in _SHARES.tolist() for one in rated(share)), key=lambda one: one[0])
    rows, known = _evidence(decks, best)
    weights, offset = ridge_logistic(rows, known, _RIDGE * len(rows))
    slope, lead = weights.tolist()
    return replace(best, slope=slope, lead=lead, offset=offset)


def check(decks: Sequence[DeckViews], decision: Decision) -> Check:
    """Return the figures on decks."""
    right = np.mean([(deck.similarities(decision).argmax(1) == deck.truth).mean() for deck in decks])
    rows, known = _evidence(decks, decision)
    odds = rows @ np.array([decision.slope, decision.lead]) + decision.offset
    return Check(float(right), roc_area(odds[known], odds[~known]), _calibration_error(odds, known))


def _evidence(decks: Sequence[DeckViews], decision: Decision) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return (N, 2) greatest similarity and distance to the second face, and (N,) whether the face is learnt."""
    rows, known = [], []
    for deck in decks:
        alike = deck.similarities(decision)
        without = alike.copy()
        without[np.arange(len(alike)), deck.truth] = -1.0
        for some, has in ((alike, True), (without, False)):
            second, best = np.sort(some, axis=1)[:, -2:].T
            rows.append(np.stack([best, best - second], 1))
            known.append(np.full(len(best), has))
    return np.concatenate(rows).astype(np.float64), np.concatenate(known)


def _calibration_error(odds: NDArray[np.float64], known: NDArray[np.bool_]) -> float:
    """Return the expected calibration error over ten equally filled bins."""
    chance = 1 / (1 + np.exp(-odds))
    bins = np.array_split(np.argsort(chance), 10)
    return float(sum(len(one) * abs(chance[one].mean() - known[one].mean()) for one in bins) / len(chance))
