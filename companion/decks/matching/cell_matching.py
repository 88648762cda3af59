"""Compares a deck's pictures with an outline cell by cell, ignoring hidden cells.

Light (gain and offset per card) is fitted to the agreeing cells first (iteratively reweighted least squares: Holland
and Welsch, 1977). Each cell may be shifted by a pixel, as outlines are inexact.
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
from companion.decks.model.thumbnails import both_ways, small
from companion.vision.core.geometry import Image, Quad, cut
from companion.vision.core.labels import Floats

ACROSS, DOWN = 8, 12
"""Number of cells per card."""
SIZE = (96, 144)
"""Width and height (px) of the comparison: the size of cards in a hand, 12 px per cell."""

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
# Ranges of gains and offsets (levels), of ratios between channel gains, and regularisation of these ratios (squared
# levels).
_GAIN_RANGE, _MAX_OFFSET, _TINT_RANGE, _TINT_REGULARISATION = (0.25, 2.5), 12.0, (0.85, 1.18), 800.0
# Correlation of thumbnails, and of aligned pictures, from which copies are merged into one picture.
_COPY_CORRELATION, _SAME_PRINT_CORRELATION = 0.85, 0.985
# Number of pictures compared at full size.
_COMPARED_CLOSELY = 24
# Minimum deviation (levels) of an informative cell's print, and share of it that must be found.
_MIN_PRINT_DEVIATION, _MIN_FOUND_SHARE = 8.0, 0.5


@dataclass(frozen=True, eq=False)
class CellStatistics:
    """Statistics of O shifts beside K pictures: both (cells, 3, O, K) mean products, mean (cells, 3, O), square (cells,
    O) mean squares over colours; own, own_square (cells, 3, K) of the pictures.

    Sums over colours are written out for speed.
    """

    both: Floats
    mean: Floats
    square: Floats
    own: Floats
    own_square: Floats

    def light(self, weights: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the gains (3, K) and offsets (3, K) that map pictures to the image, and common gains (K,).

        weights: (cells, K). Uses the unshifted image.
        """
        count = weights.sum(0) + 1e-3
        squares, products, sums = (
            np.einsum("ck,cik->ik", weights, part) for part in (self.own_square, self.both[:, :, 0], self.own)
        )
        seen = np.einsum("ck,ci->ik", weights, self.mean[..., 0])
        level = np.clip(products.sum(0) / (squares.sum(0) + 1e-3), *_GAIN_RANGE)
        held = _TINT_REGULARISATION * count
        low, high = (share * level for share in _TINT_RANGE)
        gain = np.clip((products + held * level) / (squares + held), low, high)
        offset = np.clip((seen - gain * sums) / count, -_MAX_OFFSET, _MAX_OFFSET)
        gain = np.clip((products - offset * sums + held * level) / (squares + held), low, high)
        return gain, offset, level

    def unshifted_differences(self, gain: Floats, offset: Floats) -> Floats:
        """Return (cells, K) mean squared differences of the unshifted image to the pictures under a light."""
        return self._differences(gain, offset, slice(1))[:, 0]

    def best_differences(self, gain: Floats, offset: Floats) -> Floats:
        """The same with the best shift per cell."""
        return np.asarray(self._differences(gain, offset, slice(None)).min(1), np.float32)

    def _differences(self, gain: Floats, offset: Floats, places: slice) -> Floats:
        """Return (cells, O, K) mean squared differences."""
        alone = np.einsum("ik,cik->ck", gain**2, self.own_square) + (offset**2).sum(0)
        alone += np.einsum("ik,cik->ck", 2 * gain * offset, self.own)
        off = np.einsum("ik,cijk->cjk", -2 * gain, self.both[:, :, places])
        off += np.matmul(self.mean[:, :, places].transpose(0, 2, 1), -2 * offset)
        off += alone[:, None]
        off += self.square[:, places, None]
        return np.asarray(off / 3, np.float32)


class _PyramidLevel:
    """The deck's pictures (P, H, W, 3) at one size, in cells. variance: of noise and copies (cells,)."""

    def __init__(self, pictures: Floats, variance: Floats) -> None:
        self.cells = _in_cells(pictures)
        self.mean, self.square = self.cells.mean(-1), (self.cells**2).mean(-1)
        gradient = np.diff(pictures, axis=2, append=pictures[:, :, -1:]) ** 2
        gradient += np.diff(pictures, axis=1, append=pictures[:, -1:]) ** 2
        typical = _in_cells(gradient.mean(0)).mean(-1).reshape(-1, 3).mean(1)
        self.variance = np.asarray(variance + _GRADIENT_SHARE * typical, np.float32)
        spread = np.maximum(self.square - self.mean**2, 0)
        self.spread = spread.reshape(DOWN * ACROSS, 3, -1).mean(1)

    def statistics(self, shifted: Floats, chosen: NDArray[np.intp] | slice) -> CellStatistics:
        """Return the statistics of an image with its shifts, (O, H, W, 3), beside chosen pictures."""
        cells = _in_cells(shifted)
        count = DOWN * ACROSS
        both = np.matmul(cells, self.cells[:, chosen].transpose(0, 2, 1)) / cells.shape[-1]
        both = both.reshape(count, 3, *both.shape[1:])
        mean, square = (part.reshape(count, 3, -1) for part in (cells.mean(-1), (cells**2).mean(-1)))
        own, own_square = (part[:, chosen].reshape(count, 3, -1) for part in (self.mean, self.square))
        return CellStatistics(both, mean, square.sum(1), own, own_square)

    def errors(self, seen: CellStatistics, free: CellMask) -> Floats:
        """Return (cells, K) errors of the pictures in variances.

        Each cell uses its best shift.
        """
        open_cells = free.reshape(-1, 1).astype(np.float32)
        gain, offset, level = seen.light(np.repeat(open_cells, seen.own.shape[2], 1))
        off = seen.unshifted_differences(gain, offset) / (level**2 * self.variance[:, None])
        gain, offset, level = seen.light(np.asarray(open_cells / (1 + (off / 2) ** 2), np.float32))
        return np.asarray(seen.best_differences(gain, offset) / (level**2 * self.variance[:, None]), np.float32)


@dataclass(frozen=True, eq=False)
class Comparison:
    """Errors (cells, pictures) of each of the deck's pictures in both orientations, in variances."""

    errors: Floats
    free: CellMask
    level: _PyramidLevel

    @property
    def scores(self) -> Floats:
        """(pictures,) scores, at most 0."""
        return np.asarray(-(np.minimum(self.errors, _MAX_ERROR) * self.free.reshape(-1, 1)).sum(0), np.float32)

    def shown(self, picture: int) -> CellMask:
        """Return the free cells that show a picture."""
        return np.asarray((self.errors[:, picture].reshape(DOWN, ACROSS) < _MAX_MATCHING_ERROR) & self.free)

    def informative(self, picture: int) -> CellMask:
        """Return the cells with own print that is found in the image; plain cells match anything."""
        spread = self.level.spread[:, picture]
        found = self.errors[:, picture] * self.level.variance < _MIN_FOUND_SHARE * spread
        return np.asarray(((spread > _MIN_PRINT_DEVIATION**2) & found).reshape(DOWN, ACROSS) & self.shown(picture))

    def explained(self, picture: int) -> float:
        """Return the share of variance in the visible cells explained by a picture."""
        shown = self.shown(picture).ravel()
        if not shown.any():
            return 0.0
        mean = self.level.mean[:, picture].reshape(-1, 3)[shown]
        square = self.level.square[:, picture].reshape(-1, 3)[shown]
        variance = float((square - mean.mean(0) ** 2).mean())
        return 1 - float((self.errors[:, picture] * self.level.variance)[shown].mean()) / max(variance, 1.0)


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
        self._clear = _PyramidLevel(self.pictures, variance)
        self._coarse = _PyramidLevel(_halved(self.pictures), variance)

    @classmethod
    def of(cls, pictures: Sequence[Image], cards: Sequence[int]) -> CellMatcher:
        """Return the prints of stored pictures with these cards, numbers of ALL_CARDS or UNNAMED."""
        return cls(*_one_per_face(pictures, cards))

    def coarse_statistics(self, image: Image, quad: Quad) -> CellStatistics:
        """Return the statistics at half size of an outline (4, 2) in a (H, W, 3) BGR uint8 picture."""
        return self._coarse.statistics(_halved(_blurred(cut(image, quad, *SIZE))[None]), slice(None))

    def compare(self, seen: CellStatistics, free: CellMask) -> Comparison:
        """Return the comparison with an outline at half size. free: cells not covered by other cards."""
        return Comparison(self._coarse.errors(seen, free), free, self._coarse)

    def compare_closely(self, image: Image, quad: Quad, free: CellMask) -> Comparison:
        """Return the comparison at full size for the best pictures at half size; the others get the maximum error.

        image: (H, W, 3) BGR uint8. Cells may be shifted by a pixel.
        """
        crop = _blurred(cut(image, quad, *SIZE))
        coarse = self.compare(self._coarse.statistics(_halved(crop[None]), slice(None)), free)
        best = np.argsort(-coarse.scores)[:_COMPARED_CLOSELY]
        errors = np.full_like(coarse.errors, _MAX_ERROR)
        errors[:, best] = self._clear.errors(self._clear.statistics(_shifted(crop), best), free)
        return Comparison(errors, free, self._clear)

    def shown(self, image: Image, quad: Quad, card: int) -> CellMask:
        """Return the cells of an outline (4, 2) that show a card, a number of ALL_CARDS; none for one without a
        picture.
        """
        chosen = np.flatnonzero(self.cards == card)
        whole = np.ones((DOWN, ACROSS), bool)
        if not len(chosen):
            return ~whole
        compared = self._compare_pictures(image, quad, chosen, whole)
        return compared.shown(int(compared.scores.argmax()))

    def fit(self, image: Image, quad: Quad, picture: int, free: CellMask) -> float:
        """Return the score of one picture in an outline at full size, at most 0."""
        return float(self._compare_pictures(image, quad, np.array([picture]), free).scores[0])

    def _compare_pictures(self, image: Image, quad: Quad, chosen: NDArray[np.intp], free: CellMask) -> Comparison:
        seen = self._clear.statistics(_shifted(_blurred(cut(image, quad, *SIZE))), chosen)
        return Comparison(self._clear.errors(seen, free), free, self._clear)

    def scores_of_cards(self, scores: Floats) -> Floats:
        """Return (58,) the best score per card, the worst of all for cards without pictures.

        The last one is that of pictures without a name.
        """
        best = np.full(CLASSES + 1, scores.min(), np.float32)
        np.maximum.at(best, self.cards, scores)
        return best


def _blurred(picture: Image) -> Floats:
    return cv2.GaussianBlur(picture, (0, 0), _BLUR).astype(np.float32)


def _shifted(picture: Floats) -> Floats:
    """Return (O, H, W, 3) a picture and its shifts by one pixel."""
    return np.stack([np.roll(picture, (down, across), (0, 1)) for across, down in _SHIFTS])


def _halved(pictures: Floats) -> Floats:
    """Return pictures (N, H, W, 3) at half size."""
    rows = pictures[:, ::2] + pictures[:, 1::2]
    return np.asarray((rows[:, :, ::2] + rows[:, :, 1::2]) / 4, np.float32)


def _in_cells(pictures: Floats) -> Floats:
    """Return pictures (..., H, W, 3) as (cells and colours, ..., pixels)."""
    count = pictures.ndim - 3
    width, height = pictures.shape[-2] // ACROSS, pictures.shape[-3] // DOWN
    parts = pictures.reshape(*pictures.shape[:count], DOWN, height, ACROSS, width, 3)
    order = (count, count + 2, count + 4, *range(count), count + 1, count + 3)
    return np.ascontiguousarray(parts.transpose(order)).reshape(-1, *pictures.shape[:count], width * height)


def _filled(pictures: Sequence[Image]) -> Floats:
    """Return (N, H, W, 3) blurred pictures; parts outside the camera's view are filled from the other cards."""
    blurred = np.stack([_blurred(picture) for picture in pictures])
    seen = ~np.stack([_outside(picture) for picture in pictures])[..., None]
    both = np.concatenate([blurred * seen, (blurred * seen)[:, ::-1, ::-1]]).sum(0)
    counts = np.concatenate([seen, seen[:, ::-1, ::-1]]).sum(0)
    return np.asarray(np.where(seen, blurred, both / np.maximum(counts, 1)), np.float32)


def _outside(picture: Image) -> NDArray[np.bool_]:
    """Return (H, W) the mask of pixels outside the source picture: uniform grey at the edge."""
    grey = (np.abs(picture.astype(np.int16) - 127).max(2) < 5).astype(np.uint8)
    _, spots, boxes, _ = cv2.connectedComponentsWithStats(cv2.dilate(grey, np.ones((3, 3), np.uint8)))
    height, width = grey.shape
    left, top, across, down, area = boxes.T
    at_edge = (left == 0) | (top == 0) | (left + across == width) | (top + down == height)
    chosen = at_edge & (area > 3 * ACROSS)
    chosen[0] = False
    return np.asarray(cv2.dilate(chosen[spots].astype(np.uint8), np.ones((5, 5), np.uint8)) > 0)


def _one_per_face(kept: Sequence[Image], cards: Sequence[int]) -> tuple[Floats, NDArray[np.intp], Floats]:
    """Return one picture per face (or more, if copies differ), their cards, and the variance of copies.

    The variance (cells,) is the median over faces. Copies are aligned before averaging.
    """
    pictures = _filled([cut(picture, outline(), *SIZE) for picture in kept])
    seen = np.stack([small(picture, outline()) for picture in kept])
    upright, turned = both_ways(seen, seen)
    faces, numbers, differ = [], [], []
    for card in dict.fromkeys(cards):
        left = [i for i, other in enumerate(cards) if other == card]
        while left:
            first, *others = left
            group = [pictures[first]]
            for i in others:
                if max(upright[first, i], turned[first, i]) > _COPY_CORRELATION:
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
    crop = cut(kept, quad if moved is None else moved, *SIZE)
    return np.asarray(np.where(_outside(crop)[..., None], picture, _blurred(crop)), np.float32)
