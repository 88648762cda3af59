"""How a learnt deck decides by similarity: weights fitted by `companion train decision` on decks no network saw."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from functools import cache
from pathlib import Path

import numpy as np

from companion.vision.core.labels import Floats
from companion.vision.core.runtime import ModelFileError, model_folder
from companion.vision.detection.embedding import PART


@dataclass(frozen=True)
class Decision:
    """Weights for one kind of crops.

    share: share of the embedding in the similarity, beside the reader's features. sharpness: nats per unit of
    similarity between two learnt faces. slope, lead, offset: a crop shows one of the learnt faces with log-odds of
    slope * (greatest similarity) + lead * (its distance to the second face's) + offset.
    """

    share: float
    sharpness: float
    slope: float
    lead: float
    offset: float

    @property
    def even(self) -> float:
        """Similarity of two crops at which they are as likely to show one face as not."""
        return -self.offset / self.slope

    def centred(self, features: Floats, mean: Floats) -> Floats:
        """Return (..., D) features less their mean (D,), as vectors of length one (SimpleShot: Wang et al. 2019).

        D is twice PART where the reader's features are followed by the embedding's vector. Each is centred and of
        length one then, and the dot product of two results is the weighted mean of both cosines.
        """
        parts = unit((features - mean).reshape(*features.shape[:-1], -1, min(PART, features.shape[-1])))
        shares = np.sqrt(np.array([1 - self.share, self.share] if parts.shape[-2] == 2 else [1.0], np.float32))
        return np.asarray((parts * shares[:, None]).reshape(features.shape), np.float32)

    def odds(self, best: Floats, second: Floats) -> Floats:
        """Return the log-odds (N,) that crops show a learnt face, by the similarities to the two nearest faces."""
        return np.asarray(self.slope * best + self.lead * (best - second) + self.offset, np.float32)


@dataclass(frozen=True)
class Decisions:
    """The decisions of whole cards and of corners."""

    card: Decision
    corner: Decision

    @classmethod
    def load(cls, path: Path) -> Decisions:
        """Load from JSON; raises ModelFileError if the file is missing or malformed."""
        try:
            found = json.loads(path.read_text())
            card, corner = (Decision(*(float(found[kind][one.name]) for one in fields(Decision))) for kind in _KINDS)
        except (OSError, KeyError, TypeError, ValueError) as error:
            raise ModelFileError(path, "cannot be read") from error
        if not np.isfinite([*asdict(card).values(), *asdict(corner).values()]).all():
            raise ModelFileError(path, "holds no weights")
        return cls(card, corner)

    def save(self, path: Path) -> None:
        """Write as JSON."""
        rows = {
            kind: {name: round(value, 4) for name, value in asdict(one).items()}
            for kind, one in zip(_KINDS, (self.card, self.corner), strict=True)
        }
        path.write_text(json.dumps(rows, indent=1) + "\n")


_KINDS = ("card", "corner")


@cache
def shipped_decisions() -> Decisions:
    """Return the decisions shipped beside the networks; raises ModelFileError if the file is damaged."""
    return Decisions.load(model_folder() / "embedding.json")


def unit(features: Floats) -> Floats:
    """Return (..., D) features scaled to length one."""
    lengths = np.maximum(np.linalg.norm(features, axis=-1, keepdims=True), 1e-6)
    return np.asarray(features / lengths, np.float32)
