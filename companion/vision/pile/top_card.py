"""Probability of each card in a picture to lie on top of the pile, from what covers what in that picture alone.

The card on top has an unbroken outline; those of the cards below end where it begins. A conditional logit model
(McFadden, 1974) over the outlines, with "none of these" as a further choice, turns measures of that into probabilities.
`companion train top` fits it on drawn piles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations
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
# Samples along a side; half the width in pixels of the edge filter; greatest offset of an edge from the outline.
_SAMPLES, _FILTER, _SLACK = 24, 2, 5
_MARGIN = _FILTER + _SLACK
# Noise of a colour difference in Lab levels.
_NOISE = 4.0


@dataclass(frozen=True, eq=False)
class _Outline:
    """A sighting with samples of its outline.

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
    cards = [_sampled(image, sighting) for sighting in sightings]
    if not cards:
        return np.zeros((0, len(FEATURES)))
    areas = np.array([abs(float(cv2.contourArea(s.quad))) + 1.0 for s in sightings])
    middles = np.array([s.quad.mean(0) for s in sightings])
    away = np.hypot(*(middles - np.median(middles, axis=0)).T) / np.sqrt(np.median(areas))
    size = np.abs(np.log(areas / np.median(areas)))
    overlaps, edges, breaks = _compared(cards)
    rows = []
    for number, card in enumerate(cards):
        touching = np.flatnonzero(overlaps[number] > 0)
        edge, border = (edges[number] - edges[:, number])[touching], (breaks[:, number] - breaks[number])[touching]
        if not len(touching):
            edge = border = np.zeros(1)
        strength, side_breaks = _strength(card.edges), _side_breaks(card)
        rows.append(
            (
                log_odds(min(max(card.sighting.confidence, 0.01), 0.999)),
                float(card.sighting.whole),
                -side_breaks.mean(),
                -side_breaks.max(),
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


def _sampled(image: Image, sighting: Sighting) -> _Outline:
    size = np.array((_WIDTH, _HEIGHT), np.float32)
    outer = unit_square() * (size + 2 * _MARGIN) - np.float32(_MARGIN)
    to_picture = homography(unit_square() * size, sighting.quad)
    patch = cut(image, project(to_picture, outer), _WIDTH + 2 * _MARGIN, _HEIGHT + 2 * _MARGIN)
    lab = cv2.cvtColor(patch, cv2.COLOR_BGR2Lab).astype(np.float64)
    sides, inward = _side_points()
    offsets = np.arange(-_SLACK, _SLACK + 1).reshape(-1, 1, 1, 1)
    inner, outside = (_colors_at(lab, sides + (offsets + step) * inward) for step in (_FILTER, -_FILTER))
    depths = np.arange(_FILTER, _SLACK).reshape(-1, 1, 1, 1)
    border = _colors_at(lab, sides + depths * inward).mean(0)
    points = project(to_picture, sides.reshape(-1, 2)).reshape(sides.shape)
    return _Outline(sighting, points.astype(np.float64), np.linalg.norm(inner - outside, axis=-1), border)


@cache
def _side_points() -> tuple[Values, Values]:
    """Return (4, S, 2) points along the sides of a warped card, without its rounded corners, and inward normals."""
    corners = unit_square().astype(np.float64) * (_WIDTH, _HEIGHT)
    ways = np.roll(corners, -1, axis=0) - corners
    inward = np.array([[0, 1], [-1, 0], [0, -1], [1, 0]], np.float64)[:, None]
    return corners[:, None] + np.linspace(0.1, 0.9, _SAMPLES)[:, None] * ways[:, None] + 0.5 * inward, inward


def _colors_at(patch: Values, points: Values) -> Values:
    """Return the colours at (..., 2) points of a warped card with its margin."""
    columns, rows = np.moveaxis(np.floor(points + _MARGIN).astype(int), -1, 0)
    return np.asarray(patch[rows.clip(0, patch.shape[0] - 1), columns.clip(0, patch.shape[1] - 1)], np.float64)


def _strength(edges: Values) -> Values:
    """Return the strength (...) of edges in (O, ..., S) colour steps: the best offset's median along each side."""
    return np.asarray(np.log1p(np.median(edges, axis=-1).max(0) / _NOISE), np.float64)


def _side_breaks(card: _Outline) -> Values:
    """Return (4,) how much the border's colour along each side departs from that of the whole border."""
    usual = np.median(card.border.reshape(-1, 3), axis=0)
    return np.asarray(np.log1p(np.linalg.norm(card.border - usual, axis=-1).mean(1) / _NOISE), np.float64)


def _inside(card: _Outline, other: _Outline) -> NDArray[np.bool_]:
    """Return (4, S) whether a card's outline runs inside another one."""
    quad: Quad = expand(other.sighting.quad, -_SLACK / _WIDTH)
    points = project(homography(quad, unit_square()), card.points.reshape(-1, 2))
    return np.asarray(((points > 0) & (points < 1)).all(1).reshape(card.points.shape[:2]))


def _compared(cards: Sequence[_Outline]) -> tuple[Values, Values, Values]:
    """Return (N, N) IoU of the outlines, and how strong the edge and the break of each are inside each other one."""
    overlaps, edges, breaks = np.zeros((3, len(cards), len(cards)))
    for (a, card), (b, other) in permutations(enumerate(cards), 2):
        overlaps[a, b] = intersection_over_union(card.sighting.quad, other.sighting.quad)
        if overlaps[a, b] > 0:
            inside = _inside(card, other)
            edges[a, b], breaks[a, b] = _edge_at(card, inside), _break_at(card, inside)
    return overlaps, edges, breaks


def _edge_at(card: _Outline, inside: NDArray[np.bool_]) -> float:
    """Return the strength of a card's edge where it runs inside another (4, S), 0 where it does not."""
    counts = inside.sum(1)
    total = sum(counts[side] * _strength(card.edges[:, side, inside[side]]) for side in range(4) if counts[side])
    return float(total / max(1, counts.sum()))


def _break_at(card: _Outline, inside: NDArray[np.bool_]) -> float:
    """Return how much a card's border inside another (4, S) departs from the rest of it, 0 where either is missing."""
    if not inside.any() or inside.all():
        return 0.0
    usual = np.median(card.border[~inside], axis=0)
    return float(np.log1p(np.linalg.norm(card.border[inside] - usual, axis=-1).mean() / _NOISE))
