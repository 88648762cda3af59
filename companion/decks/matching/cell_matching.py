"""How well each of a deck's pictures is what lies in an outline, cell by cell: what is hidden does not count.

Cells are compared after the light, a gain and an offset for all of the card, is fitted to those that agree (iteratively
reweighted least squares: Holland and Welsch, 1977). Each may lie off by a pixel, as outlines are never exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
"""Cells of a card."""
SIZE = (96, 144)
"""Width and height (px) at which a card is compared: as large as cards in a hand are seen, 12 px a cell."""

Shown = NDArray[np.bool_]
"""Which cells of a card show, (12, 8)."""

# By which pixels a cell may lie off.
_OFF = ((0, 0), (-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (1, 1), (-1, 1), (1, -1))
# Blur (px): print is sharper than any picture of it.
_BLUR = 0.8
# Grey levels by which a cell may differ from its like by noise and other light; what copies differ by, and a part of
# how steep the print is, for edges that lie off by half a pixel, come on top (variances).
_NOISE, _COPIES, _STEEP = 10.0, 2.0, 0.25
# An error of so many variances counts as any larger one: the cell shows something else.
_MOST = 8.0
# A cell shows the print where its error has less variances.
_LIKE = 3.0
# Gains and offsets (levels) of the light, how far colours' gains may be apart, and how many squared levels hold them
# together.
_GAINS, _OFFSET, _TINT, _HELD = (0.25, 2.5), 12.0, (0.85, 1.18), 800.0
# Copies whose small pictures correlate so well, and that do when laid over one another, are made one picture.
_COPY, _SAME_PRINT = 0.85, 0.985
# So many pictures are compared closely.
_CHOSEN = 24
# A cell tells something where its print has such a deviation (levels), and most of that is found again.
_PRINT, _FOUND = 8.0, 0.5


@dataclass(frozen=True, eq=False)
class Beside:
    """What is seen in O places, beside K pictures: both (cells, 3, O, K) the mean products, mean (cells, 3, O), square
    (cells, O) the mean squares of all colours; own, own_square (cells, 3, K) the pictures' means and mean squares.

    Sums over colours are written out, as these are the innermost numbers of all that is sought.
    """

    both: Floats
    mean: Floats
    square: Floats
    own: Floats
    own_square: Floats

    def light(self, weights: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the gains (3, K) and offsets (3, K) that make pictures what is seen, and the gains in all (K,).

        weights: (cells, K). What is seen is taken as it is, not shifted.
        """
        count = weights.sum(0) + 1e-3
        squares, products, sums = (
            np.einsum("ck,cik->ik", weights, part) for part in (self.own_square, self.both[:, :, 0], self.own)
        )
        seen = np.einsum("ck,ci->ik", weights, self.mean[..., 0])
        level = np.clip(products.sum(0) / (squares.sum(0) + 1e-3), *_GAINS)
        held = _HELD * count
        low, high = (share * level for share in _TINT)
        gain = np.clip((products + held * level) / (squares + held), low, high)
        offset = np.clip((seen - gain * sums) / count, -_OFFSET, _OFFSET)
        gain = np.clip((products - offset * sums + held * level) / (squares + held), low, high)
        return gain, offset, level

    def at_once(self, gain: Floats, offset: Floats) -> Floats:
        """Return (cells, K) the mean squares by which what is seen, not shifted, differs from pictures in a light."""
        return self._differing(gain, offset, slice(1))[:, 0]

    def at_best(self, gain: Floats, offset: Floats) -> Floats:
        """Return the same where each cell lies off as it fits best."""
        return np.asarray(self._differing(gain, offset, slice(None)).min(1), np.float32)

    def _differing(self, gain: Floats, offset: Floats, places: slice) -> Floats:
        """Return (cells, O, K) the mean squares of what differs."""
        alone = np.einsum("ik,cik->ck", gain**2, self.own_square) + (offset**2).sum(0)
        alone += np.einsum("ik,cik->ck", 2 * gain * offset, self.own)
        off = np.einsum("ik,cijk->cjk", -2 * gain, self.both[:, :, places])
        off += np.matmul(self.mean[:, :, places].transpose(0, 2, 1), -2 * offset)
        off += alone[:, None]
        off += self.square[:, places, None]
        return np.asarray(off / 3, np.float32)


class _Level:
    """The deck's pictures (P, H, W, 3) at one size, in cells. variance: of noise and copies (cells,)."""

    def __init__(self, pictures: Floats, variance: Floats) -> None:
        self.cells = _in_cells(pictures)
        self.mean, self.square = self.cells.mean(-1), (self.cells**2).mean(-1)
        steep = np.diff(pictures, axis=2, append=pictures[:, :, -1:]) ** 2
        steep += np.diff(pictures, axis=1, append=pictures[:, -1:]) ** 2
        typical = _in_cells(steep.mean(0)).mean(-1).reshape(-1, 3).mean(1)
        self.variance = np.asarray(variance + _STEEP * typical, np.float32)
        spread = np.maximum(self.square - self.mean**2, 0)
        self.spread = spread.reshape(DOWN * ACROSS, 3, -1).mean(1)

    def beside(self, offs: Floats, chosen: NDArray[np.intp] | slice) -> Beside:
        """Return what is seen, (O, H, W, 3) shifted by some pixels, beside chosen pictures."""
        cells = _in_cells(offs)
        count = DOWN * ACROSS
        both = np.matmul(cells, self.cells[:, chosen].transpose(0, 2, 1)) / cells.shape[-1]
        both = both.reshape(count, 3, *both.shape[1:])
        mean, square = (part.reshape(count, 3, -1) for part in (cells.mean(-1), (cells**2).mean(-1)))
        own, own_square = (part[:, chosen].reshape(count, 3, -1) for part in (self.mean, self.square))
        return Beside(both, mean, square.sum(1), own, own_square)

    def errors(self, seen: Beside, free: Shown) -> Floats:
        """Return (cells, K) errors of the pictures beside what is seen, in their variances.

        Each cell may lie off by any of the shifts.
        """
        open_cells = free.reshape(-1, 1).astype(np.float32)
        gain, offset, level = seen.light(np.repeat(open_cells, seen.own.shape[2], 1))
        off = seen.at_once(gain, offset) / (level**2 * self.variance[:, None])
        gain, offset, level = seen.light(np.asarray(open_cells / (1 + (off / 2) ** 2), np.float32))
        return np.asarray(seen.at_best(gain, offset) / (level**2 * self.variance[:, None]), np.float32)


@dataclass(frozen=True, eq=False)
class Compared:
    """Errors (cells, pictures) of each of the deck's pictures, upright and upside down, in their own variances."""

    errors: Floats
    free: Shown
    level: _Level

    @property
    def scores(self) -> Floats:
        """(pictures,) how well each fits, at most 0."""
        return np.asarray(-(np.minimum(self.errors, _MOST) * self.free.reshape(-1, 1)).sum(0), np.float32)

    def shown(self, picture: int) -> Shown:
        """Return which of the free cells show a picture."""
        return np.asarray((self.errors[:, picture].reshape(DOWN, ACROSS) < _LIKE) & self.free)

    def telling(self, picture: int) -> Shown:
        """Return which cells have print of their own that is found again: plain ones could be anything."""
        spread = self.level.spread[:, picture]
        found = self.errors[:, picture] * self.level.variance < _FOUND * spread
        return np.asarray(((spread > _PRINT**2) & found).reshape(DOWN, ACROSS) & self.shown(picture))

    def explained(self, picture: int) -> float:
        """Return which share of the variance of the cells that show a picture is the picture's."""
        shown = self.shown(picture).ravel()
        if not shown.any():
            return 0.0
        mean = self.level.mean[:, picture].reshape(-1, 3)[shown]
        square = self.level.square[:, picture].reshape(-1, 3)[shown]
        variance = float((square - mean.mean(0) ** 2).mean())
        return 1 - float((self.errors[:, picture] * self.level.variance)[shown].mean()) / max(variance, 1.0)


class Prints:
    """The pictures of a deck, one of each face as it is seen upright and upside down.

    faces: (F, 144, 96, 3) BGR levels. numbers: (F,) their cards, numbers of ALL_CARDS or UNNAMED. differ: (cells,)
    variance of copies.
    """

    def __init__(self, faces: Floats, numbers: NDArray[np.intp], differ: Floats) -> None:
        self.faces, self.numbers, self.differ = faces, numbers, differ
        self.pictures = np.concatenate([faces, faces[:, ::-1, ::-1]])
        self.cards = np.concatenate([numbers, numbers])
        variance = np.asarray(_NOISE**2 + _COPIES * differ, np.float32)
        self._clear = _Level(self.pictures, variance)
        self._coarse = _Level(_halved(self.pictures), variance)

    @classmethod
    def of(cls, pictures: Sequence[Image], cards: Sequence[int]) -> Prints:
        """Return the prints of kept pictures of these cards, numbers of ALL_CARDS or UNNAMED."""
        return cls(*_one_each(pictures, cards))

    def at_a_glance(self, image: Image, quad: Quad) -> Beside:
        """Return what an outline (4, 2) in a (H, W, 3) BGR uint8 picture shows beside the deck's, at half the size."""
        return self._coarse.beside(_halved(_soft(cut(image, quad, *SIZE))[None]), slice(None))

    def compare(self, seen: Beside, free: Shown) -> Compared:
        """Return how the pictures fit what was seen at a glance. free: what may show there."""
        return Compared(self._coarse.errors(seen, free), free, self._coarse)

    def compare_closely(self, image: Image, quad: Quad, free: Shown) -> Compared:
        """Return how the pictures fit an outline (4, 2) that fit best at a glance; the others count as unlike.

        image: (H, W, 3) BGR uint8. Cells may lie off by a pixel.
        """
        crop = _soft(cut(image, quad, *SIZE))
        coarse = self.compare(self._coarse.beside(_halved(crop[None]), slice(None)), free)
        best = np.argsort(-coarse.scores)[:_CHOSEN]
        errors = np.full_like(coarse.errors, _MOST)
        errors[:, best] = self._clear.errors(self._clear.beside(_shifted(crop), best), free)
        return Compared(errors, free, self._clear)

    def shown(self, image: Image, quad: Quad, card: int) -> Shown:
        """Return which cells of an outline (4, 2) show a card, a number of ALL_CARDS: none of one without a picture."""
        chosen = np.flatnonzero(self.cards == card)
        whole = np.ones((DOWN, ACROSS), bool)
        if not len(chosen):
            return ~whole
        compared = self._closely(image, quad, chosen, whole)
        return compared.shown(int(compared.scores.argmax()))

    def fit(self, image: Image, quad: Quad, picture: int, free: Shown) -> float:
        """Return how well one of the pictures fits an outline, compared detect_closeup: at most 0."""
        return float(self._closely(image, quad, np.array([picture]), free).scores[0])

    def _closely(self, image: Image, quad: Quad, chosen: NDArray[np.intp], free: Shown) -> Compared:
        seen = self._clear.beside(_shifted(_soft(cut(image, quad, *SIZE))), chosen)
        return Compared(self._clear.errors(seen, free), free, self._clear)

    def scores_of_cards(self, scores: Floats) -> Floats:
        """Return (58,) the best score of each card's pictures, the worst of all for cards without any.

        The last is that of pictures without a name.
        """
        best = np.full(CLASSES + 1, scores.min(), np.float32)
        np.maximum.at(best, self.cards, scores)
        return best


def _soft(picture: Image) -> Floats:
    return cv2.GaussianBlur(picture, (0, 0), _BLUR).astype(np.float32)


def _shifted(picture: Floats) -> Floats:
    """Return (O, H, W, 3) a picture as it is and off by a pixel each way."""
    return np.stack([np.roll(picture, (down, across), (0, 1)) for across, down in _OFF])


def _halved(pictures: Floats) -> Floats:
    """Return pictures (N, H, W, 3) at half their size."""
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
    """Return (N, H, W, 3) soft pictures, with what the camera did not see of a card as the other cards have it."""
    soft = np.stack([_soft(picture) for picture in pictures])
    seen = ~np.stack([_outside(picture) for picture in pictures])[..., None]
    both = np.concatenate([soft * seen, (soft * seen)[:, ::-1, ::-1]]).sum(0)
    counts = np.concatenate([seen, seen[:, ::-1, ::-1]]).sum(0)
    return np.asarray(np.where(seen, soft, both / np.maximum(counts, 1)), np.float32)


def _outside(picture: Image) -> NDArray[np.bool_]:
    """Return (H, W) which pixels a crop has from beyond the picture that it was taken from: even grey at its edge."""
    grey = (np.abs(picture.astype(np.int16) - 127).max(2) < 5).astype(np.uint8)
    _, spots, boxes, _ = cv2.connectedComponentsWithStats(cv2.dilate(grey, np.ones((3, 3), np.uint8)))
    height, width = grey.shape
    left, top, across, down, area = boxes.T
    at_edge = (left == 0) | (top == 0) | (left + across == width) | (top + down == height)
    chosen = at_edge & (area > 3 * ACROSS)
    chosen[0] = False
    return np.asarray(cv2.dilate(chosen[spots].astype(np.uint8), np.ones((5, 5), np.uint8)) > 0)


def _one_each(kept: Sequence[Image], cards: Sequence[int]) -> tuple[Floats, NDArray[np.intp], Floats]:
    """Return one picture for each face (or more, where copies are unlike), their cards, and the copies' variance.

    That is (cells,), the median over the faces. Copies are laid over one another before their mean is taken.
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
                if max(upright[first, i], turned[first, i]) > _COPY:
                    card_there = np.roll(outline(), 0 if upright[first, i] >= turned[first, i] else 2, axis=0)
                    copy = _laid_over(pictures[first], kept[i], card_there)
                    if _alike(pictures[first], copy) > _SAME_PRINT:
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


def _alike(picture: Floats, other: Floats) -> float:
    first, second = (values - values.mean() for values in (picture, other))
    return float((first * second).sum() / max(float(np.linalg.norm(first) * np.linalg.norm(second)), 1e-3))


def _laid_over(picture: Floats, kept: Image, quad: Quad) -> Floats:
    """Return the card in an outline of a kept picture as it lies over a (H, W, 3) picture of its like."""
    moved = aligned(kept, quad, picture, np.ones((DOWN, ACROSS), bool))
    crop = cut(kept, quad if moved is None else moved, *SIZE)
    return np.asarray(np.where(_outside(crop)[..., None], picture, _soft(crop)), np.float32)
