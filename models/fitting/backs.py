"""Fits and checks the classifier of face-down cards on drawn tables.

Half of the tables have backs as other makers print them. Two of three tables are for the fit, the third for the check.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.cards import ALL_CARDS, EditionName
from companion.dataset.artist.styles import sample_style
from companion.dataset.scenes.compose import Deck
from companion.dataset.scenes.layouts import Placement
from companion.dataset.simulated.script import LIVELY, write_script
from companion.dataset.simulated.simulation import SimulatedTable
from companion.dataset.simulated.tabletop import Tabletop
from companion.models.fitting.logistic import ridge_logistic
from companion.vision.core.geometry import Image, Quad, clipped, intersection_over_union
from companion.vision.detection.card_backs import BackModel
from companion.vision.imaging.masks import Floats
from companion.vision.recognition.card_detector import CardDetector

# An outline is the draw pile if its IoU with the pile's top card is above `_IS_IT`. It is something else if the IoU is
# below `_IS_NOT` and its centre is more than `_APART` card lengths away. Outlines in between are not used.
_IS_IT, _IS_NOT, _APART = 0.5, 0.3, 0.3
# Ridge penalty on the weights of standardised features. Results change little between 10 and 300; more makes the
# classifier miss backs that were not in the fit.
_RIDGE = 30.0
# Share of tables where the picture's edge cuts the draw pile.
_CUT = 0.2


@dataclass(frozen=True, eq=False)
class Candidates:
    """Candidates for a face-down card on one table.

    other: whether the backs are as other makers print them. features: (N, D) as `CardDetector.back_features`
    returns them. is_pile, is_not: (N,) bool, whether a candidate is the draw pile, or is something else.
    """

    other: bool
    features: Floats
    is_pile: NDArray[np.bool_]
    is_not: NDArray[np.bool_]


@dataclass(frozen=True)
class Found:
    """Number of tables, of those where the draw pile is outlined, and of those where it is the most likely back."""

    tables: int
    outlined: int
    best_on_pile: int


def drawn(detector: CardDetector, numbers: Iterable[int], seed: int) -> Iterator[Candidates]:
    """Yield the candidates on drawn tables; tables with odd numbers have other makers' backs."""
    for number in numbers:
        rng = np.random.default_rng([seed, number])
        other = bool(number % 2)
        top, table = _table(rng, number, other)
        card = ALL_CARDS[int(rng.integers(len(ALL_CARDS)))]
        top.lay(top.new_card(card, Placement(0.0, 0.0, float(rng.uniform(0, 360)))))
        picture, pile, length = top.picture, top.draw_pile_outline(), top.card_length()
        if rng.random() < _CUT:
            picture, pile = _cut(picture, pile, float(top.point(0.0, 0.0)[0]), float(rng.uniform(-0.4, 0.4)))
        quads, features = detector.back_features(table.new_sensor().develop(picture, 0.0, 0))
        if quads:
            shared = np.array([intersection_over_union(quad, pile) for quad in quads])
            away = np.array([float(np.hypot(*(quad.mean(0) - pile.mean(0)))) for quad in quads]) / length
            yield Candidates(other, features, shared > _IS_IT, (shared < _IS_NOT) & (away > _APART))


def fitted(tables: Sequence[Candidates]) -> BackModel:
    """Return the ridge logistic regression of draw piles against everything else, fitted by Newton's method."""
    features = np.concatenate([table.features[table.is_pile | table.is_not] for table in tables]).astype(np.float64)
    truth = np.concatenate([table.is_pile[table.is_pile | table.is_not] for table in tables]).astype(np.float64)
    weights, intercept = ridge_logistic(features, truth, _RIDGE)
    return BackModel(weights.astype(np.float32), intercept)


def found(tables: Iterable[Candidates], looks: BackModel) -> dict[bool, Found]:
    """Return how often draw piles are found, for usual backs (False) and for other makers' (True)."""
    rows = {False: Found(0, 0, 0), True: Found(0, 0, 0)}
    for table in tables:
        best = int(looks.probabilities(table.features).argmax())
        row, there = rows[table.other], bool(table.is_pile.any())
        rows[table.other] = Found(row.tables + 1, row.outlined + there, row.best_on_pile + bool(table.is_pile[best]))
    return rows


def _table(rng: np.random.Generator, number: int, other: bool) -> tuple[Tabletop, SimulatedTable]:
    edition = list(EditionName)[number % len(EditionName)]
    players = [f"Player {seat}" for seat in range(2 + number % 5)]
    seed = int(rng.integers(2**31))
    script = write_script(seed, edition, players, LIVELY, 1, lively=True)
    deck = Deck(sample_style(rng), rng, other_back=other)
    table = SimulatedTable(seed, script, edition)
    return Tabletop(rng, deck, table.size, script.draw_pile, both_piles=True), table


def _cut(picture: Image, pile: Quad, discard: float, share: float) -> tuple[Image, Quad]:
    """Return a picture cropped at a vertical line across the draw pile, and the rest of the pile's outline.

    discard: x in pixels of the discard pile, whose side is kept. share: distance of the line from the draw pile's
    centre, over its width.
    """
    left, right = float(pile[:, 0].min()), float(pile[:, 0].max())
    at = round((left + right) / 2 + share * (right - left))
    kept = picture[:, :at] if discard < at else picture[:, at:]
    moved = pile - np.array([0 if discard < at else at, 0], np.float32)
    return np.ascontiguousarray(kept), clipped(moved, kept.shape[1], kept.shape[0])
