"""Fits "not a card of this deck" for the fusion of a card's evidence, and for corners of covered cards.

The pictures show drawn decks, and other things in the same light, some of them from low, rectified or from far away.
Every fourth deck, with other things of every kind, is for the check, the others for the fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, cycle

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.cards import EditionName
from companion.dataset.artist.families import TRAINING_WEIGHTS, StyleFamily
from companion.dataset.others.scenes import Kind, other_scenes
from companion.dataset.scenes.compose import Scene
from companion.dataset.scenes.layouts import Layout
from companion.dataset.scenes.viewpoints import otherwise
from companion.dataset.simulated.simulation import SimulatedTable
from companion.models.fitting.calibration import pictures
from companion.models.fitting.fusion import TrueCard
from companion.models.fitting.logistic import ridge_logistic
from companion.vision.core.geometry import Image, Quad, intersection_over_union
from companion.vision.recognition.card_detector import CardDetector
from companion.vision.recognition.fusion import (
    CONFIDENCE_FEATURES,
    CornerEvidence,
    Evidence,
    EvidenceArrays,
    FusionModel,
    corner_features,
    features,
    other_features,
)

Values = NDArray[np.float64]
Point = tuple[float, float]
PICTURES: Mapping[Layout, int] = {
    Layout.SINGLE: 3,
    Layout.SPREAD: 1,
    Layout.GRID: 1,
    Layout.FAN: 2,
    Layout.CASCADE: 1,
    Layout.PILE: 1,
}
"""Number of pictures of a deck per layout, each as drawn and degraded."""
OTHERS = tuple(Kind)
"""Kinds of other things, one picture each per lot."""
# Greatest IoU of an outline with a card's to be no card; greatest distance in px of an index from its print.
_NO_CARD, _NEAR = 0.3, 3.0
_IS_IT = 0.6
# Pictures per second of a simulated table.
_RATE = 0.1
# Number of decks per lot of pictures, and families beside the printed ones: designs that the fit does not know must not
# be taken for other makers' cards, so those that resemble them, on white or without indices, are frequent.
DECKS, FAMILIES = 9, {**TRAINING_WEIGHTS, StyleFamily.NEUTRAL: 2.5}
# Ridge penalty; shares of other things among clear outlines, and among corners without an open card, on a table.
_PENALTY, _OTHER_SHARES = 1.0, (0.05, 0.2)


@dataclass(frozen=True, eq=False)
class Outline:
    """The evidence about an outline, and whether a card of the deck lies there."""

    evidence: Evidence
    is_card: bool


@dataclass(frozen=True, eq=False)
class Sign:
    """The evidence about a boxed index on no open card, and whether it is one."""

    evidence: CornerEvidence
    is_index: bool


@dataclass(frozen=True)
class Share:
    """Candidates of one kind, and those of them with the other result."""

    count: int
    wrong: int

    def __str__(self) -> str:
        return f"{self.wrong} of {self.count}"


@dataclass(frozen=True)
class Checked:
    """Cards and indices taken for none, other outlines and signs taken for one."""

    cards: Share
    others: Share
    indices: Share
    other_signs: Share

    def __str__(self) -> str:
        return (
            f"taken for no card: {self.cards} cards, {self.indices} indices; "
            f"taken for a card: {self.others} other things, {self.other_signs} other signs"
        )


def drawn(detector: CardDetector, decks: Iterable[int], seed: int) -> Iterator[Outline | Sign]:
    """Yield the candidates in pictures of drawn decks, given by number, and of as many lots of other things.

    Outlines and signs that are partly on a card are left out.
    """
    for deck in decks:
        of_decks = (pictures([deck], seed, PICTURES, 0.3, 1, DECKS, families) for families in (None, FAMILIES))
        of_others: Iterator[tuple[Scene, Image]] = (
            (scene, scene.image) for scene in other_scenes([deck], seed, OTHERS)
        )
        rng = np.random.default_rng((seed, deck))
        for number, (plain, image) in enumerate(chain(*of_decks, of_others)):
            views = [replace(plain, image=image)]
            if number // 2 % 2:
                # From low and from far away a card shows less.
                views.append(otherwise(views[0], rng))
            for scene in views:
                outlines, signs = detector.evidence(scene.image, scene.layout is Layout.PILE)
                yield from _outlines(outlines, scene.cards)
                yield from _signs(signs, scene)
        edition = list(EditionName)[deck % len(EditionName)]
        for frame in SimulatedTable(seed + deck, edition=edition, rate=_RATE).frames():
            if frame.pile.cards and not frame.covered:
                yield from _outlines(detector.evidence(frame.image, on_pile=True)[0], frame.cards)


def _outlines(found: Iterable[Evidence], cards: Sequence[TrueCard]) -> Iterator[Outline]:
    for one in found:
        share = max((intersection_over_union(card.quad, one.quad) for card in cards), default=0.0)
        if share > _IS_IT or share < _NO_CARD:
            yield Outline(one, share > _IS_IT)


def _signs(found: Iterable[tuple[Point, CornerEvidence]], scene: Scene) -> Iterator[Sign]:
    own = [index.quad for card in scene.cards for index in card.indices]
    for center, evidence in found:
        is_index = _is_on(center, own)
        if is_index or not _is_on(center, [card.quad for card in scene.cards]):
            yield Sign(evidence, is_index)


def _is_on(center: Point, quads: Sequence[Quad]) -> bool:
    return any(cv2.pointPolygonTest(quad, center, True) > -_NEAR for quad in quads)


def fitted(found: Sequence[Outline | Sign], model: FusionModel) -> FusionModel:
    """Return the model with regressions fitted by Newton's method on these candidates, alone and on mixed tables."""
    weights = []
    for (rows, is_none), share in zip(_rows([*found, *_mixed(found)], model), _OTHER_SHARES, strict=True):
        slopes, intercept = ridge_logistic(rows, is_none, _PENALTY)
        # The pictures hold more other things than tables do: correct the prior (Saerens et al. 2002).
        drawn_odds = (1 + is_none.sum()) / (1 + (~is_none).sum())
        weights.append(np.append(slopes, intercept + np.log(share / (1 - share) / drawn_odds)))
    return replace(model, other=weights[0], other_corner=weights[1])


def _mixed(found: Sequence[Outline | Sign]) -> Iterator[Outline | Sign]:
    """Yield each candidate on a table with cards of the deck and other things: what lies around one of the other kind
    lies around it too.
    """
    of_deck = [one.is_card if isinstance(one, Outline) else one.is_index for one in found]
    around = {
        kind: cycle([one.evidence.elsewhere for one, its in zip(found, of_deck, strict=True) if its is not kind])
        for kind in (True, False)
    }
    for one, kind in zip(found, of_deck, strict=True):
        (none, count), (more_none, more) = one.evidence.elsewhere, next(around[kind])
        both = (none + more_none, count + more)
        if isinstance(one, Outline):
            yield replace(one, evidence=replace(one.evidence, elsewhere=both))
        else:
            yield replace(one, evidence=replace(one.evidence, elsewhere=both))


def _rows(found: Sequence[Outline | Sign], model: FusionModel) -> list[tuple[Values, NDArray[np.bool_]]]:
    """Return the features of outlines and of signs, and which of them are no card.

    Outlines whose face is unclear are left out: they are unsure anyway.
    """
    outlines = [one for one in found if isinstance(one, Outline)]
    signs = [one for one in found if isinstance(one, Sign)]
    arrays = EvidenceArrays.of([one.evidence for one in outlines])
    rows = features(arrays, model.log_probabilities(arrays))
    clear = rows[:, CONFIDENCE_FEATURES.index("odds")] > 0
    no_card = np.array([not one.is_card for one in outlines])
    no_sign = np.array([not one.is_index for one in signs])
    return [
        (other_features(arrays, rows)[clear], no_card[clear]),
        (corner_features([one.evidence for one in signs]), no_sign),
    ]


def checked(found: Sequence[Outline | Sign], model: FusionModel) -> Checked:
    """Return how well the model tells these candidates."""
    shares = []
    for (rows, is_none), weights in zip(_rows(found, model), (model.other, model.other_corner), strict=True):
        taken = rows @ weights[:-1] + weights[-1] > 0
        for count, wrong in ((~is_none, taken & ~is_none), (is_none, ~taken & is_none)):
            shares.append(Share(int(count.sum()), int(wrong.sum())))
    return Checked(*shares)
