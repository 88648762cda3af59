"""Verifies a candidate by comparing its visible part with the picture of its face, cell by cell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from companion.decks.matching.alignment import aligned
from companion.decks.matching.candidates import Candidate, Comparer
from companion.decks.matching.cell_matching import ACROSS, DOWN, CellMask
from companion.decks.matching.search_model import SearchModel
from companion.vision.core.geometry import Quad
from companion.vision.core.labels import Floats


@dataclass(frozen=True, eq=False)
class VerifiedCard:
    """A candidate beside the picture of its most similar face.

    shown: visible cells that show the picture. fits: (F,) mean fit of the visible cells to each face, at most 0.
    cells: shares of the visible cells that show the picture and that show print of it, and share of the variance that
    the picture explains.
    """

    candidate: Candidate
    shown: CellMask
    fits: Floats
    cells: tuple[float, float, float]

    @property
    def quad(self) -> Quad:
        """The outline (4, 2)."""
        return self.candidate.quad

    def logs(self, model: SearchModel) -> Floats:
        """Return (F,) log-likelihoods of the faces, 0 for the best."""
        return model.face_logs(self.candidate.similarities, self.fits)

    def odds(self, model: SearchModel) -> float:
        """Return the log-odds that it is a card of the best face in `logs`."""
        return float(model.card.log_odds(np.array(self.features(model))))

    def features(self, model: SearchModel) -> tuple[float, ...]:
        """Return the features that tell whether it is such a card, see CARD_FEATURES.

        Those of the outline and of the cells come first. Then: the fit of the face and its lead over the second one,
        the lead of the best face in `logs`, and whether it has the best fit too.
        """
        face, logs = self.candidate.face, self.logs(model)
        best = int(logs.argmax())
        fused = (float(self.fits[face]), _lead(self.fits, face), _lead(logs, best), float(self.fits.argmax() == best))
        return (*self.candidate.features, *self.cells, *fused)


def verify(one: Candidate, comparer: Comparer) -> VerifiedCard:
    """Return a candidate of the comparer's picture, compared with all pictures of the deck."""
    faces, matcher, free = comparer.faces, comparer.matcher, one.part.cells(ACROSS, DOWN)
    count = max(1, int(free.sum()))
    compared = matcher.compare(comparer.image, one.quad, np.arange(len(matcher.cards)), free)
    own = matcher.pictures_of(int(faces.numbers[one.face]))
    picture = int(own[compared.scores[own].argmax()])
    fits = np.asarray(matcher.scores_of_cards(compared.scores)[faces.numbers] / count, np.float32)
    shown, informative = compared.shown(picture), compared.informative(picture)
    cells = (float(shown.sum()) / count, float(informative.sum()) / count, max(-1.0, compared.explained(picture)))
    return VerifiedCard(one, shown, fits, cells)


def realigned(one: Candidate, comparer: Comparer) -> Quad | None:
    """Return the outline (4, 2) after alignment with the picture of a candidate's face, None if that fails."""
    compared = comparer.compare_with_face(one)
    picture = comparer.matcher.pictures[compared.chosen[compared.best]]
    return aligned(comparer.image, one.quad, picture, compared.free)


def _lead(values: Floats, best: int) -> float:
    """Return by how much one of (F,) values exceeds the greatest other one."""
    return float(values[best] - np.delete(values, best).max(initial=values.min()))
