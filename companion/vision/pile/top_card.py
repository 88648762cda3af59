"""Probability of each card in a picture to lie on top of the pile, from what covers what in that picture alone.

The card on top has a whole outline and an unbroken border; the outlines of the cards below end where it begins. A
conditional logit model (McFadden, 1974) over the outlines of a picture, with "none of these" as a further choice,
turns these measures into calibrated probabilities. `companion train top` fits it on drawn piles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.core.geometry import (
    HALF_CROP,
    Image,
    Quad,
    cut,
    expand,
    homography,
    intersection_over_union,
    project,
    unit_square,
)
from companion.vision.core.logit import Logit, Values, load_logits, log_odds, save_logits
from companion.vision.core.runtime import model_folder
from companion.vision.core.sightings import Sighting

FEATURES = (
    "confidence",
    "whole",
    "border",
    "worst border",
    "edge",
    "worst edge",
    "edge against others",
    "edge against the worst",
    "border against others",
    "border against the worst",
    "neighbours",
    "size",
    "distance",
    "duplicate",
)
"""Names of the features of a candidate, in the order of the model's weights."""

_WIDTH, _HEIGHT = HALF_CROP
# Samples along a side; half the width in pixels of the edge filter; greatest offset of an edge from the outline. The
# border strip lies between both inside the outline; the margin is as far as both together reach outside it.
_SAMPLES, _FILTER, _SLACK = 24, 2, 5
_MARGIN = _FILTER + _SLACK
# Noise of a colour difference in Lab levels, below which differences mean little.
_NOISE = 4.0


@dataclass(frozen=True, eq=False)
class _Candidate:
    """An outline with its border samples.

    points: (4, S, 2) picture pixels along its sides. edges: (O, 4, S) colour steps across the outline at each offset.
    border: (4, S, 3) Lab colours just inside it.
    """

    sighting: Sighting
    points: Values
    edges: Values
    border: Values


@dataclass(frozen=True, eq=False)
class TopModel:
    """Log-odds that an outline is the top card's, against "none of these"."""

    outline: Logit

    def probabilities(self, image: Image, sightings: Sequence[Sighting]) -> Values:
        """Return (N,) probabilities of the sightings to be on top in a (H, W, 3) BGR uint8 picture; sum at most 1."""
        return self.of_features(features(image, sightings))

    def of_features(self, values: Values) -> Values:
        """Return (N,) probabilities for features (N, len(FEATURES)) of one picture."""
        scores = np.append(self.outline.log_odds(values), 0.0)
        odds = np.exp(scores - scores.max())
        return np.asarray(odds[:-1] / odds.sum(), np.float64)

    @classmethod
    def load(cls, path: Path) -> TopModel:
        """Load from JSON; raises ModelFileError if the file is missing or malformed."""
        return cls(**load_logits(path, {"outline": FEATURES}))

    def save(self, path: Path) -> None:
        """Write as JSON; raises OSError."""
        save_logits(path, {"outline": self.outline}, {"outline": FEATURES})


@cache
def shipped() -> TopModel:
    """Return the shipped model; raises ModelFileError."""
    return TopModel.load(model_folder() / "top.json")


def features(image: Image, sightings: Sequence[Sighting]) -> Values:
    """Return (N, len(FEATURES)) features of the sightings of a (H, W, 3) BGR uint8 picture."""
    cards = [_candidate(image, sighting) for sighting in sightings]
    if not cards:
        return np.zeros((0, len(FEATURES)))
    areas = np.array([abs(float(cv2.contourArea(s.quad))) + 1.0 for s in sightings])
    middles = np.array([s.quad.mean(0) for s in sightings])
    away = np.hypot(*(middles - np.median(middles, axis=0)).T) / np.sqrt(np.median(areas))
    size = np.abs(np.log(areas / np.median(areas)))
    overlaps, edges, breaks = _pairs(cards)
    rows = []
    for number, card in enumerate(cards):
        touching = np.flatnonzero(overlaps[number] > 0)
        edge, border = (edges[number] - edges[:, number])[touching], (breaks[:, number] - breaks[number])[touching]
        if not len(touching):
            edge = border = np.zeros(1)
        strength, evenness = _strength(card.edges), _side_breaks(card)
        confidence = min(max(card.sighting.confidence, 0.01), 0.999)
        rows.append(
            (
                log_odds(confidence),
                float(card.sighting.whole),
                -evenness.mean(),
                -evenness.max(),
                strength.mean(),
                strength.min(),
                edge.mean(),
                edge.min(),
                border.mean(),
                border.min(),
                float(np.log1p(len(touching))),
                size[number],
                away[number],
                overlaps[number].max(),
            )
        )
    return np.array(rows, np.float64)


def _candidate(image: Image, sighting: Sighting) -> _Candidate:
    size = np.array((_WIDTH, _HEIGHT), np.float32)
    outer = unit_square() * (size + 2 * _MARGIN) - np.float32(_MARGIN)
    to_picture = homography(unit_square() * size, sighting.quad)
    patch = cut(image, project(to_picture, outer), _WIDTH + 2 * _MARGIN, _HEIGHT + 2 * _MARGIN)
    lab = cv2.cvtColor(patch, cv2.COLOR_BGR2Lab).astype(np.float64)
    starts, inward = _along()
    edges = np.stack(
        [
            np.linalg.norm(
                _at(lab, starts + (at + _FILTER) * inward) - _at(lab, starts + (at - _FILTER) * inward), axis=-1
            )
            for at in range(-_SLACK, _SLACK + 1)
        ]
    )
    border = np.mean([_at(lab, starts + depth * inward) for depth in range(_FILTER, _SLACK)], axis=0)
    points = project(to_picture, starts.reshape(-1, 2)).reshape(starts.shape)
    return _Candidate(sighting, np.asarray(points, np.float64), edges, np.asarray(border, np.float64))


@cache
def _along() -> tuple[Values, Values]:
    """Return (4, S, 2) points along the sides of a warped card, without its rounded corners, and inward normals."""
    share = np.linspace(0.1, 0.9, _SAMPLES)
    across, down, first = share * _WIDTH, share * _HEIGHT, np.full(_SAMPLES, 0.5)
    points = np.stack(
        [
            np.column_stack([across, first]),
            np.column_stack([_WIDTH - first, down]),
            np.column_stack([across, _HEIGHT - first]),
            np.column_stack([first, down]),
        ]
    )
    inward = np.array([[0, 1], [-1, 0], [0, -1], [1, 0]], np.float64)[:, None, :]
    return points, inward


def _at(patch: Values, points: Values) -> Values:
    """Return the colours at (..., 2) points of a warped card with its margin."""
    columns, rows = np.floor(points + _MARGIN).astype(int).transpose(2, 0, 1)
    return np.asarray(patch[rows.clip(0, patch.shape[0] - 1), columns.clip(0, patch.shape[1] - 1)], np.float64)


def _strength(edges: Values) -> Values:
    """Return the strength (...) of edges in (O, ..., S) colour steps: the best offset's median along each side."""
    return np.asarray(np.log1p(np.median(edges, axis=-1).max(0) / _NOISE), np.float64)


def _side_breaks(card: _Candidate) -> Values:
    """Return (4,) how much the border's colour along each side departs from that of the whole border."""
    usual = np.median(card.border.reshape(-1, 3), axis=0)
    return np.asarray(np.log1p(np.linalg.norm(card.border - usual, axis=-1).mean(1) / _NOISE), np.float64)


def _inside(card: _Candidate, other: _Candidate) -> NDArray[np.bool_]:
    """Return (4, S) whether a card's outline runs inside another one."""
    quad: Quad = expand(other.sighting.quad, -_SLACK / _WIDTH)
    points = project(homography(quad, unit_square()), card.points.reshape(-1, 2))
    return np.asarray(((points > 0) & (points < 1)).all(1).reshape(card.points.shape[:2]))


def _pairs(cards: Sequence[_Candidate]) -> tuple[Values, Values, Values]:
    """Return (N, N) IoU of the outlines, and how strong the edge and the break of each are inside each other one."""
    overlaps, edges, breaks = np.zeros((3, len(cards), len(cards)))
    for a, b in combinations(range(len(cards)), 2):
        overlaps[a, b] = overlaps[b, a] = intersection_over_union(cards[a].sighting.quad, cards[b].sighting.quad)
        if overlaps[a, b] > 0:
            for one, other in ((a, b), (b, a)):
                inside = _inside(cards[one], cards[other])
                edges[one, other], breaks[one, other] = _edge_at(cards[one], inside), _break_at(cards[one], inside)
    return overlaps, edges, breaks


def _edge_at(card: _Candidate, inside: NDArray[np.bool_]) -> float:
    """Return the strength of a card's edge where it runs inside another (4, S), 0 where it does not."""
    counts = inside.sum(1)
    total = sum(counts[side] * _strength(card.edges[:, side, inside[side]]) for side in range(4) if counts[side])
    return float(total / max(1, counts.sum()))


def _break_at(card: _Candidate, inside: NDArray[np.bool_]) -> float:
    """Return how much a card's border inside another (4, S) departs from the rest of it, 0 where either is missing."""
    if not inside.any() or inside.all():
        return 0.0
    usual = np.median(card.border[~inside], axis=0)
    return float(np.log1p(np.linalg.norm(card.border[inside] - usual, axis=-1).mean() / _NOISE))
