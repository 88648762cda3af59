"""How outlines of a learnt deck's cards are judged: weights fitted by `companion train search`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from companion.vision.core.labels import Floats
from companion.vision.core.logit import Logit, load_logits, save_logits
from companion.vision.core.runtime import model_folder

OUTLINE_FEATURES = ("similarity", "lead", "share", "correction", "size")
"""Names of the features of an outline, see `Candidate.features`."""
CARD_FEATURES = (*OUTLINE_FEATURES, "shown", "informative", "explained", "fit", "fit lead", "fused lead", "agreed")
"""Names of the features of a verified card, see `VerifiedCard.features`."""
_FACE_FEATURES = ("similarity", "fit")
_NAMES = {"outline": OUTLINE_FEATURES, "card": CARD_FEATURES, "face": _FACE_FEATURES}


@dataclass(frozen=True, eq=False)
class SearchModel:
    """outline: log-odds that an outline holds a card of the most similar face, by OUTLINE_FEATURES. card: the same of
    a verified card, by CARD_FEATURES. face: log-likelihood of a face by its similarity and the mean fit of the visible
    cells, up to a constant.
    """

    outline: Logit
    card: Logit
    face: Logit

    @classmethod
    def load(cls, path: Path) -> SearchModel:
        """Load from JSON; raises ModelFileError if the file is missing or malformed."""
        return cls(**load_logits(path, _NAMES))

    def save(self, path: Path) -> None:
        """Write as JSON; raises OSError."""
        save_logits(path, {name: getattr(self, name) for name in _NAMES}, _NAMES)

    def face_logs(self, similarity: Floats, fits: Floats) -> Floats:
        """Return (F,) log-likelihoods of the faces, 0 for the best, by similarities (F,) and fits of cells (F,)."""
        logs = self.face.log_odds(np.stack([similarity, fits], 1).astype(np.float64))
        return np.asarray(logs - logs.max(), np.float32)


@cache
def shipped_search_model() -> SearchModel:
    """Return the weights shipped beside the networks; raises ModelFileError if the file is damaged."""
    return SearchModel.load(model_folder() / "search.json")
