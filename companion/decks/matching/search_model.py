"""How outlines of a learnt deck's cards are judged: weights fitted by `companion train search`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from companion.vision.core.labels import Floats
from companion.vision.core.logit import Logit, load_logits, save_logits
from companion.vision.core.runtime import model_folder

OUTLINE_FACTS = ("similarity", "lead", "share", "correction", "size")
"""Names of the facts about an outline, see `Candidate.facts`."""
CARD_FACTS = (*OUTLINE_FACTS, "shown", "informative", "explained", "fit", "fit lead", "fused lead", "agreed")
"""Names of the facts about a verified card, see `VerifiedCard.facts`."""
_FACE_FACTS = ("similarity", "fit")
_NAMES = {"outline": OUTLINE_FACTS, "card": CARD_FACTS, "face": _FACE_FACTS}


@dataclass(frozen=True, eq=False)
class SearchModel:
    """outline: log-odds that an outline holds a card of the most similar face, by OUTLINE_FACTS. card: the same of a
    verified card, by CARD_FACTS. face: log-likelihood of a face by its similarity and the mean fit of the visible
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
