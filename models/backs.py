"""Fits what cards face down look like to the card reader, and checks it: on drawn tables, every other one with a draw
pile whose backs are as other makers print them, two of three for the fit and the third for the check.
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
from companion.vision.core.geometry import Image, Quad, clipped, intersection_over_union
from companion.vision.detection.card_backs import BackLooks
from companion.vision.imaging.motion import Floats
from companion.vision.recognition.card_detector import CardDetector

# From which IoU with the draw pile's top card an outline is its; and under which one, and farther from its middle than
# so much of a card's length, it is another thing. What lies between tells the fit nothing.
_IS_IT, _IS_NOT, _APART = 0.5, 0.3, 0.3
# The ridge that weights are held to, their features having a variance of 1: between 10 and 300 little changes, and more
# holds backs that were not fitted on for less of a back.
_RIDGE = 30.0
# The share of tables that are seen with the picture's rim across the draw pile.
_CUT = 0.2
# Newton's steps until nothing changes by more than this.
_STEPS, _SETTLED = 60, 1e-6


@dataclass(frozen=True, eq=False)
class Candidates:
    """What may be a card face down on one table. other: whether its backs are as other makers print them.

    features: (N, D) as `CardDetector.described_for_backs` returns them; (N,) bool each, is_pile: whether it is the draw
    pile, is_not: whether it is something else.
    """

    other: bool
    features: Floats
    is_pile: NDArray[np.bool_]
    is_not: NDArray[np.bool_]


@dataclass(frozen=True)
class Found:
    """Of so many tables: where the draw pile is outlined at all, and where nothing else there is likelier a back."""

    tables: int
    outlined: int
    likeliest: int


def drawn(detector: CardDetector, numbers: Iterable[int], seed: int) -> Iterator[Candidates]:
    """Yield what is outlined on drawn tables, those with odd numbers having other makers' backs."""
    for number in numbers:
        rng = np.random.default_rng([seed, number])
        other = bool(number % 2)
        top, table = _table(rng, number, other)
        card = ALL_CARDS[int(rng.integers(len(ALL_CARDS)))]
        top.lay(top.new_card(card, Placement(0.0, 0.0, float(rng.uniform(0, 360)))))
        picture, pile, length = top.picture, top.draw_pile_outline(), top.card_length()
        if rng.random() < _CUT:
            picture, pile = _cut(picture, pile, float(top.point(0.0, 0.0)[0]), float(rng.uniform(-0.4, 0.4)))
        quads, features = detector.described_for_backs(table.new_sensor().develop(picture, 0.0, 0))
        if quads:
            shared = np.array([intersection_over_union(quad, pile) for quad in quads])
            away = np.array([float(np.hypot(*(quad.mean(0) - pile.mean(0)))) for quad in quads]) / length
            yield Candidates(other, features, shared > _IS_IT, (shared < _IS_NOT) & (away > _APART))


def fitted(tables: Sequence[Candidates]) -> BackLooks:
    """Return the ridge regression that tells draw piles from all else there, by Newton's method."""
    features = np.concatenate([table.features[table.is_pile | table.is_not] for table in tables]).astype(np.float64)
    truth = np.concatenate([table.is_pile[table.is_pile | table.is_not] for table in tables]).astype(np.float64)
    mean, spread = features.mean(0), features.std(0) + 1e-6
    x = np.column_stack([(features - mean) / spread, np.ones(len(features))])
    ridge = np.diag([*np.full(features.shape[1], _RIDGE), 0.0])
    beta = np.zeros(x.shape[1])
    for _ in range(_STEPS):
        told = 1 / (1 + np.exp(-x @ beta))
        slope = x.T @ (told - truth) + ridge @ beta
        step = np.linalg.solve((x.T * np.maximum(told * (1 - told), 1e-9)) @ x + ridge, slope)
        beta -= step
        if np.abs(step).max() < _SETTLED:
            break
    weights = beta[:-1] / spread
    return BackLooks(weights.astype(np.float32), float(beta[-1] - weights @ mean))


def found(tables: Iterable[Candidates], looks: BackLooks) -> dict[bool, Found]:
    """Return how well draw piles are told, of usual backs (False) and of other makers' (True)."""
    rows = {False: Found(0, 0, 0), True: Found(0, 0, 0)}
    for table in tables:
        best = int(looks.probabilities(table.features).argmax())
        row, there = rows[table.other], bool(table.is_pile.any())
        rows[table.other] = Found(row.tables + 1, row.outlined + there, row.likeliest + bool(table.is_pile[best]))
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
    """Return a picture up to a line across the draw pile, and what of its outline is left, at its place there.

    discard: where the discard pile lies, x in pixels, on the side that is kept. share: how far from the draw pile's
    middle the line is, of its width.
    """
    left, right = float(pile[:, 0].min()), float(pile[:, 0].max())
    at = round((left + right) / 2 + share * (right - left))
    kept = picture[:, :at] if discard < at else picture[:, at:]
    moved = pile - np.array([0 if discard < at else at, 0], np.float32)
    return np.ascontiguousarray(kept), clipped(moved, kept.shape[1], kept.shape[0])
