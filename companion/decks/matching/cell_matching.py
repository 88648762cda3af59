"""Compares a deck's pictures with an outline cell by cell, ignoring hidden cells.

Light, a gain for each colour, is fitted to the agreeing cells first (iteratively reweighted least squares: Holland and
Welsch, 1977). Each cell may be shifted by a pixel, as outlines are inexact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.decks.matching.alignment import aligned
from companion.decks.model.card_views import outline
from companion.decks.model.prototypes import CLASSES
from companion.decks.model.thumbnails import SAME_DESIGN, correlations, thumbnail
from companion.vision.core.geometry import Image, Quad, cut
from companion.vision.core.labels import Floats

ACROSS, DOWN = 8, 12
"""Number of cells per card."""
_CELL = 12
SIZE = (ACROSS * _CELL, DOWN * _CELL)
"""Width and height (px) of the comparison: the size of cards in a hand."""

CellMask = NDArray[np.bool_]
"""Mask of visible cells, (12, 8)."""

# Allowed shifts of a cell in pixels, none first.
_SHIFTS = tuple(product((0, -1, 1), repeat=2))
# Blur (px): print is sharper than its photographs.
_BLUR = 0.8
# Noise in grey levels of a cell; factor for the difference between copies and share of the print's gradient for
# misplaced edges, added as variances.
_NOISE, _COPY_FACTOR, _GRADIENT_SHARE = 10.0, 2.0, 0.25
# Bound on a cell's error in variances: it shows something else.
_MAX_ERROR = 8.0
# Maximum error in variances of a cell that shows the print.
_MAX_MATCHING_ERROR = 3.0
# Range of the gain common to the colours, and the largest factor between it and a colour's own gain. Lamps tint less;
# without a limit a plain card would match any plain surface.
_GAIN_RANGE, _MAX_CAST = (0.25, 2.5), 1.3
# Correlation of aligned pictures from which copies are merged into one picture.
_SAME_PRINT_CORRELATION = 0.985


@dataclass(frozen=True, eq=False)
class CellStatistics:
    """Statistics of O shifts beside K pictures.

    both: (cells, 3, O, K) mean products. square: (cells, O) mean squares, summed over colours. own: (cells, 3, K) mean
    squares of the pictures.
    """

    both: Floats
    square: Floats
    own: Floats

    def light(self, weights: Floats) -> Floats:
        """Return the gains (3, K) of the colours that map pictures to the image.

        weights: (cells, K). Uses the unshifted image.
        """
        both = np.einsum("ck,cik->ik", weights, self.both[:, :, 0])
        own = np.einsum("ck,cik->ik", weights, self.own) + 1e-3
        common = np.clip(both.sum(0) / own.sum(0), *_GAIN_RANGE)
        return np.asarray(np.clip(both / own, common / _MAX_CAST, common * _MAX_CAST), np.float32)

    def unshifted_differences(self, gain: Floats) -> Floats:
        """Return (cells, K) mean squared differences of the unshifted image to the pictures under a light."""
        return self._differences(gain, slice(1))[:, 0]

    def best_differences(self, gain: Floats) -> Floats:
        """The same with the best shift per cell."""
        return np.asarray(self._differences(gain, slice(None)).min(1), np.float32)

    def _differences(self, gain: Floats, places: slice) -> Floats:
        """Return (cells, O, K) mean squared differences."""
        off = -2 * np.einsum("ciok,ik->cok", self.both[:, :, places], gain)
        off += (gain**2 * self.own).sum(1)[:, None]
        off += self.square[:, places, None]
        return np.asarray(off / 3, np.float32)


class _Prints:
    """The deck's pictures (P, H, W, 3) in cells. variance: of noise and copies (cells,)."""

    def __init__(self, pictures: Floats, variance: Floats) -> None:
        self.cells = _in_cells(pictures)
        self.mean, self.square = self.cells.mean(-1), (self.cells**2).mean(-1)
        gradient = np.diff(pictures, axis=2, append=pictures[:, :, -1:]) ** 2
        gradient += np.diff(pictures, axis=1, append=pictures[:, -1:]) ** 2
        typical = _in_cells(gradient.mean(0)).mean(-1).reshape(-1, 3).mean(1)
        self.variance = np.asarray(variance + _GRADIENT_SHARE * typical, np.float32)
        spread = np.maximum(self.square - self.mean**2, 0)
        self.spread = spread.reshape(DOWN * ACROSS, 3, -1).mean(1)

    def statistics(self, shifted: Floats, chosen: NDArray[np.intp]) -> CellStatistics:
        """Return the statistics of an image with its shifts, (O, H, W, 3), beside chosen pictures."""
        cells = _in_cells(shifted)
        count = DOWN * ACROSS
        both = np.matmul(cells, self.cells[:, chosen].transpose(0, 2, 1)) / cells.shape[-1]
        square = (cells**2).mean(-1).reshape(count, 3, -1).sum(1)
        own = self.square[:, chosen].reshape(count, 3, -1)
        return CellStatistics(both.reshape(count, 3, *both.shape[1:]), square, own)

    def errors(self, seen: CellStatistics, free: CellMask) -> Floats:
        """Return (cells, K) errors of the pictures in variances.

        Each cell uses its best shift.
        """
        open_cells = free.reshape(-1, 1).astype(np.float32)
        gain = seen.light(np.repeat(open_cells, seen.own.shape[2], 1))
        off = seen.unshifted_differences(gain) / self._noise(gain)
        gain = seen.light(np.asarray(open_cells / (1 + (off / 2) ** 2), np.float32))
        return np.asarray(seen.best_differences(gain) / self._noise(gain), np.float32)

    def _noise(self, gain: Floats) -> Floats:
        """Return (cells, K) the variances in an image under a light."""
        return np.asarray((gain**2).mean(0) * self.variance[:, None], np.float32)


@dataclass(frozen=True, eq=False)
class Comparison:
    """Errors (cells, K) of K pictures in variances. chosen: (K,) the pictures' indices."""

    errors: Floats
    free: CellMask
    prints: _Prints
    chosen: NDArray[np.intp]

    @property
    def scores(self) -> Floats:
        """(K,) scores, at most 0."""
        return np.asarray(-(np.minimum(self.errors, _MAX_ERROR) * self.free.reshape(-1, 1)).sum(0), np.float32)

    @property
    def misfits(self) -> Floats:
        """(12, 8) errors of the cells beside the best picture, bounded."""
        return np.minimum(self.errors[:, self.best], _MAX_ERROR).reshape(DOWN, ACROSS)

    @property
    def best(self) -> int:
        """Which of the chosen pictures has the highest score."""
        return int(self.scores.argmax())

    def shown(self, one: int) -> CellMask:
        """Return the free cells that show a picture, given by its place among the chosen ones."""
        return np.asarray((self.errors[:, one].reshape(DOWN, ACROSS) < _MAX_MATCHING_ERROR) & self.free)

    def informative(self, one: int) -> CellMask:
        """Return the cells with own print that is found in the image; plain cells match anything."""
        spread = self.prints.spread[:, self.chosen[one]]
        # The picture explains more of such a cell's variance than it leaves.
        left = self.errors[:, one] * self.prints.variance
        found = left < spread - left
        return np.asarray(found.reshape(DOWN, ACROSS) & self.shown(one))

    def explained(self, one: int) -> float:
        """Return the share of variance in the visible cells explained by a picture."""
        shown, picture = self.shown(one).ravel(), self.chosen[one]
        if not shown.any():
            return 0.0
        mean = self.prints.mean[:, picture].reshape(-1, 3)[shown]
        square = self.prints.square[:, picture].reshape(-1, 3)[shown]
        variance = float((square - mean.mean(0) ** 2).mean())
        return 1 - float((self.errors[:, one] * self.prints.variance)[shown].mean()) / max(variance, 1.0)


class CellMatcher:
    """A deck's pictures, one per face in both orientations.

    faces: (F, 144, 96, 3) BGR levels. numbers: (F,) numbers of ALL_CARDS or UNNAMED. differ: (cells,) variance of
    copies.
    """

    def __init__(self, faces: Floats, numbers: NDArray[np.intp], differ: Floats) -> None:
        self.faces, self.numbers, self.differ = faces, numbers, differ
        self.pictures = np.concatenate([faces, faces[:, ::-1, ::-1]])
        self.cards = np.concatenate([numbers, numbers])
        variance = np.asarray(_NOISE**2 + _COPY_FACTOR * differ, np.float32)
        self._prints = _Prints(self.pictures, variance)

    @classmethod
    def of(cls, pictures: Sequence[Image], cards: Sequence[int]) -> CellMatcher:
        """Return the prints of stored pictures with these cards, numbers of ALL_CARDS or UNNAMED."""
        return cls(*_one_per_face(pictures, cards))

    def pictures_of(self, card: int) -> NDArray[np.intp]:
        """Return the indices of a card's pictures."""
        return np.flatnonzero(self.cards == card)

    def compare(self, image: Image, quad: Quad, chosen: NDArray[np.intp], free: CellMask) -> Comparison:
        """Return the comparison of chosen pictures with an outline (4, 2) in a (H, W, 3) BGR uint8 picture.

        free: cells that other cards do not cover.
        """
        seen = self._prints.statistics(_shifted(_blurred(cut(image, quad, *SIZE))), chosen)
        return Comparison(self._prints.errors(seen, free), free, self._prints, chosen)

    def scores_of_cards(self, scores: Floats) -> Floats:
        """Return (58,) the best score per card, the worst of all for cards without pictures.

        The last one is that of pictures without a name. scores: of all pictures.
        """
        best = np.full(CLASSES + 1, scores.min(), np.float32)
        np.maximum.at(best, self.cards, scores)
        return best


def _blurred(picture: Image) -> Floats:
    return cv2.GaussianBlur(picture, (0, 0), _BLUR).astype(np.float32)


def _shifted(picture: Floats) -> Floats:
    """Return (O, H, W, 3) a picture and its shifts by one pixel."""
    return np.stack([np.roll(picture, (down, across), (0, 1)) for across, down in _SHIFTS])


def _in_cells(pictures: Floats) -> Floats:
    """Return pictures (..., H, W, 3) as (cells and colours, ..., pixels)."""
    count = pictures.ndim - 3
    width, height = pictures.shape[-2] // ACROSS, pictures.shape[-3] // DOWN
    parts = pictures.reshape(*pictures.shape[:count], DOWN, height, ACROSS, width, 3)
    order = (count, count + 2, count + 4, *range(count), count + 1, count + 3)
    return np.ascontiguousarray(parts.transpose(order)).reshape(-1, *pictures.shape[:count], width * height)


def _one_per_face(kept: Sequence[Image], cards: Sequence[int]) -> tuple[Floats, NDArray[np.intp], Floats]:
    """Return one picture per face (or more, if copies differ), their cards, and the variance of copies.

    The variance (cells,) is the median over faces. Copies are aligned before averaging.
    """
    pictures = [_blurred(cut(picture, outline(), *SIZE)) for picture in kept]
    thumbnails = np.stack([thumbnail(picture, outline()) for picture in kept])
    upright, turned = correlations(thumbnails, thumbnails)
    faces, numbers, differ = [], [], []
    for card in dict.fromkeys(cards):
        left = [i for i, other in enumerate(cards) if other == card]
        while left:
            first, *others = left
            group = [pictures[first]]
            for i in others:
                if max(upright[first, i], turned[first, i]) > SAME_DESIGN:
                    card_there = np.roll(outline(), 0 if upright[first, i] >= turned[first, i] else 2, axis=0)
                    copy = _warped_onto(pictures[first], kept[i], card_there)
                    if _correlation(pictures[first], copy) > _SAME_PRINT_CORRELATION:
                        group.append(copy)
                        left.remove(i)
            left.remove(first)
            mean = np.mean(group, axis=0)
            faces.append(mean)
            numbers.append(card)
            if len(group) > 1:
                cells = _in_cells((np.stack(group) - mean) ** 2).mean(-1).sum(1) / (len(group) - 1)
                differ.append(cells.reshape(-1, 3).mean(1))
    middle = np.median(differ, axis=0) if differ else np.zeros(DOWN * ACROSS)
    return np.stack(faces), np.asarray(numbers, np.intp), np.asarray((middle + middle[::-1]) / 2, np.float32)


def _correlation(picture: Floats, other: Floats) -> float:
    first, second = (values - values.mean() for values in (picture, other))
    return float((first * second).sum() / max(float(np.linalg.norm(first) * np.linalg.norm(second)), 1e-3))


def _warped_onto(picture: Floats, kept: Image, quad: Quad) -> Floats:
    """Return the card in an outline of a stored picture, warped onto a (H, W, 3) picture of the same card."""
    moved = aligned(kept, quad, picture, np.ones((DOWN, ACROSS), bool))
    return _blurred(cut(kept, quad if moved is None else moved, *SIZE))
