"""Verifies a candidate by aligning the picture of its face with the visible part and comparing both cell by cell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from companion.decks.matching.alignment import aligned
from companion.decks.matching.candidates import Candidate, Faces
from companion.decks.matching.cell_matching import ACROSS, DOWN, CellMask, CellMatcher
from companion.decks.matching.search_model import SearchModel
from companion.vision.core.geometry import Image, Quad
from companion.vision.core.labels import Floats


@dataclass(frozen=True, eq=False)
class VerifiedCard:
    """A candidate beside the picture of its most similar face.

    quad: its outline (4, 2), aligned with the picture. shown: visible cells that show the picture. fits: (F,) mean fit
    of the visible cells to each face, at most 0. cells: shares of the visible cells that show the picture and that
    show print of it, and share of the variance that the picture explains.
    """

    candidate: Candidate
    quad: Quad
    shown: CellMask
    fits: Floats
    cells: tuple[float, float, float]

    def logs(self, model: SearchModel) -> Floats:
        """Return (F,) log-likelihoods of the faces, 0 for the best."""
        return model.face_logs(self.candidate.similarities, self.fits)

    def facts(self, model: SearchModel) -> tuple[float, ...]:
        """Return what tells whether it is such a card, see CARD_FACTS.

        Those of the outline and of the cells come first. Then: the fit of the face and its lead over the second one,
        the lead of the best face in `logs`, and whether it has the best fit too.
        """
        face, logs = self.candidate.face, self.logs(model)
        best = int(logs.argmax())
        fused = (float(self.fits[face]), _lead(self.fits, face), _lead(logs, best), float(self.fits.argmax() == best))
        return (*self.candidate.facts, *self.cells, *fused)


def verify(image: Image, one: Candidate, faces: Faces, matcher: CellMatcher) -> VerifiedCard:
    """Return a candidate of a (H, W, 3) BGR uint8 picture after aligning it."""
    free = one.part.cells(ACROSS, DOWN)
    count = max(1, int(free.sum()))
    quad, picture = _best_fit(image, one, faces, matcher, free)
    compared = matcher.compare(image, quad, np.arange(len(matcher.cards)), free)
    fits = np.asarray(matcher.scores_of_cards(compared.scores)[faces.numbers] / count, np.float32)
    shown, informative = compared.shown(picture), compared.informative(picture)
    cells = (float(shown.sum()) / count, float(informative.sum()) / count, max(-1.0, compared.explained(picture)))
    return VerifiedCard(one, quad, shown, fits, cells)


def _best_fit(image: Image, one: Candidate, faces: Faces, matcher: CellMatcher, free: CellMask) -> tuple[Quad, int]:
    """Return the outline, aligned if that improves the fit, and the picture of its face that fits best."""
    own = np.flatnonzero(matcher.cards == faces.numbers[one.face])
    as_found = matcher.compare(image, one.quad, own, free)
    picture, shown = as_found.best, as_found.shown(as_found.best)
    moved = aligned(image, one.quad, matcher.pictures[own[picture]], shown)
    if moved is None:
        return one.quad, int(own[picture])
    after = matcher.compare(image, moved, own, free)
    if after.scores.max() <= as_found.scores.max():
        return one.quad, int(own[picture])
    return moved, int(own[after.best])


def _lead(values: Floats, best: int) -> float:
    """Return by how much one of (F,) values exceeds the greatest other one."""
    return float(values[best] - np.delete(values, best).max(initial=values.min()))
