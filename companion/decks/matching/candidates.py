"""Candidates for a deck's cards: outlines whose visible parts are compared with the deck's faces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.decks.matching.card_parts import CardPart, PartEmbedding, PartKey, corrected
from companion.decks.matching.cell_matching import ACROSS, DOWN, CellMatcher, Comparison
from companion.decks.model.card_views import outline
from companion.decks.model.decision import unit
from companion.vision.core.geometry import Image, Quad
from companion.vision.core.labels import Floats
from companion.vision.core.logit import Logit

# Minimum visible share of a card's outline.
_MIN_SHARE = 0.125


@dataclass(frozen=True, eq=False)
class Faces:
    """The deck's faces as vectors.

    numbers: (F,) ascending numbers of ALL_CARDS or UNNAMED. vectors: (V, 128) of stored pictures, either way up, less
    their mean and of length one. owners: (V,) ascending, the face of each.
    """

    numbers: NDArray[np.intp]
    mean: Floats
    vectors: Floats
    owners: NDArray[np.intp]

    @classmethod
    def of(cls, pictures: Sequence[Image], cards: Sequence[int], embedding: PartEmbedding) -> Faces:
        """Return the faces of stored pictures with these cards. Raises ModelFileError."""
        parts = [CardPart.of(picture, outline()) for picture in pictures]
        vectors = np.concatenate(embedding.describe_both_ways(parts)[0])
        numbers, owners = np.unique([*cards, *cards], return_inverse=True)
        order, mean = np.argsort(owners, kind="stable"), vectors.mean(0)
        return cls(numbers, mean, unit(vectors - mean)[order], owners[order])

    def similarities(self, vectors: Floats) -> Floats:
        """Return (N, F) the greatest similarity of (N, 128) vectors to the pictures of each face."""
        starts = np.searchsorted(self.owners, np.arange(len(self.numbers)))
        return np.asarray(np.maximum.reduceat(unit(vectors - self.mean) @ self.vectors.T, starts, axis=1), np.float32)


@dataclass(frozen=True, eq=False)
class Candidate:
    """An outline with its visible part, compared with the deck.

    similarities: (F,) to each face. corners: (4, 2) corrections of the outline, see `PartEmbedding.describe`. features:
    greatest similarity, its lead over the second face, visible share of the outline, mean correction of its corners,
    and difference of its area to the usual one (logarithm). odds: log-odds of a card of the most similar face.
    """

    part: CardPart
    similarities: Floats
    corners: Floats
    features: tuple[float, ...]
    odds: float

    @property
    def quad(self) -> Quad:
        """The outline (4, 2)."""
        return self.part.quad

    @property
    def face(self) -> int:
        """Index of the most similar face."""
        return int(self.similarities.argmax())

    @cached_property
    def corrected(self) -> Quad:
        """The outline (4, 2) that the network finds."""
        return corrected(self.quad, self.corners)


@dataclass(frozen=True, eq=False)
class Comparer:
    """Compares visible parts of one picture's outlines with a deck.

    image: the (H, W, 3) BGR uint8 picture. usual_size: logarithm of the median area of the likelier outlines.
    """

    image: Image
    faces: Faces
    matcher: CellMatcher
    embedding: PartEmbedding
    odds: Logit
    usual_size: float
    _compared: dict[PartKey, Candidate] = field(default_factory=dict)
    _face_comparisons: dict[tuple[int, PartKey], Comparison] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        image: Image,
        faces: Faces,
        matcher: CellMatcher,
        embedding: PartEmbedding,
        odds: Logit,
        quads: Sequence[Quad],
    ) -> Comparer:
        """Return what compares outlines (4, 2), the likeliest first, of a (H, W, 3) BGR uint8 picture.

        The less likely half of them may be of any size.
        """
        likelier = quads[: (len(quads) + 1) // 2]
        usual = float(np.median([_size(quad) for quad in likelier])) if quads else 0.0
        return cls(image, faces, matcher, embedding, odds, usual)

    def compare(self, parts: Sequence[CardPart]) -> list[Candidate | None]:
        """Return the candidate of each part, None if too little of it is visible. Raises ModelFileError.

        What was compared before is not compared again.
        """
        new = {part.key: part for part in parts if part.key not in self._compared and part.share >= _MIN_SHARE}
        if new:
            self._compared.update(zip(new, self._candidates(list(new.values())), strict=True))
        known = [self._compared.get(part.key) for part in parts]
        return [one and replace(one, part=part) for one, part in zip(known, parts, strict=True)]

    def improved(self, one: Candidate) -> Candidate:
        """Return a candidate with its outline corrected as long as that raises its log-odds. Raises ModelFileError."""
        better = self.compare([CardPart.of(self.image, one.corrected, one.part.above)])[0]
        return one if better is None or better.odds <= one.odds else self.improved(better)

    def compare_with_face(self, one: Candidate) -> Comparison:
        """Return a candidate's visible part compared with the pictures of its face; this is done once."""
        key = one.face, one.part.key
        if key not in self._face_comparisons:
            own = self.matcher.pictures_of(int(self.faces.numbers[one.face]))
            self._face_comparisons[key] = self.matcher.compare(self.image, one.quad, own, one.part.cells(ACROSS, DOWN))
        return self._face_comparisons[key]

    def misfit(self, one: Candidate, left: CardPart) -> float:
        """Return how badly the print of a candidate's face fits where something hides it: mean error of cells in
        variances, 0 if nothing is hidden. left: the part of it that remains visible.
        """
        hidden = one.part.cells(ACROSS, DOWN) & ~left.cells(ACROSS, DOWN)
        return float((self.compare_with_face(one).misfits * hidden).sum() / max(1, np.count_nonzero(hidden)))

    def _candidates(self, parts: Sequence[CardPart]) -> Iterator[Candidate]:
        """Yield the candidate of each part, which is also compared upside down."""
        vectors, corners = self.embedding.describe_both_ways(parts)
        similarities = np.mean([self.faces.similarities(way) for way in vectors], axis=0)
        return map(self._candidate, parts, similarities, corners)

    def _candidate(self, part: CardPart, similarities: Floats, corners: Floats) -> Candidate:
        second, best = np.partition(similarities, -2)[-2:] if len(similarities) > 1 else (-1.0, similarities[0])
        size = abs(_size(part.quad) - self.usual_size)
        features = (float(best), float(best - second), part.share, float(np.abs(corners).mean()), size)
        return Candidate(part, similarities, corners, features, float(self.odds.log_odds(np.array(features))))


def _size(quad: Quad) -> float:
    return float(np.log(max(1.0, abs(cv2.contourArea(quad)))))
