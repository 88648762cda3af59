"""How outlines of a learnt deck's cards are judged: weights fitted by `companion train search`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from companion.vision.core.labels import Floats
from companion.vision.core.runtime import ModelFileError, model_folder

OUTLINE_FACTS = ("similarity", "lead", "share", "correction", "size")
"""Names of the facts about an outline, see `Candidate.facts`."""
CARD_FACTS = (*OUTLINE_FACTS, "shown", "informative", "explained", "fit", "fit lead", "fused lead", "agreed")
"""Names of the facts about a verified card, see `VerifiedCard.facts`."""


@dataclass(frozen=True)
class LogOdds:
    """A logistic regression: the log-odds are the weighted sum of facts plus an offset."""

    weights: tuple[float, ...]
    offset: float

    def __call__(self, facts: Sequence[float] | Floats) -> float:
        """Return the log-odds of facts (D,)."""
        return float(np.dot(self.weights, facts) + self.offset)


@dataclass(frozen=True)
class SearchModel:
    """outline: log-odds that an outline holds a card of the most similar face, by OUTLINE_FACTS. card: the same of a
    verified card, by CARD_FACTS. sharpness: nats per unit of similarity between two faces. cells: nats per unit of
    the mean fit of the visible cells.
    """

    outline: LogOdds
    card: LogOdds
    sharpness: float
    cells: float

    @classmethod
    def load(cls, path: Path) -> SearchModel:
        """Load from JSON; raises ModelFileError if the file is missing or malformed."""
        try:
            found = json.loads(path.read_text())
            outline, card = _loaded(found["outline"], OUTLINE_FACTS), _loaded(found["card"], CARD_FACTS)
            model = cls(outline, card, float(found["sharpness"]), float(found["cells"]))
        except (OSError, KeyError, TypeError, ValueError) as error:
            raise ModelFileError(path, "cannot be read") from error
        if not np.isfinite([*outline.weights, *card.weights, *list(asdict(model).values())[2:]]).all():
            raise ModelFileError(path, "holds no weights")
        return model

    def save(self, path: Path) -> None:
        """Write as JSON."""
        rows = {
            "outline": _named(self.outline, OUTLINE_FACTS),
            "card": _named(self.card, CARD_FACTS),
            "sharpness": round(self.sharpness, 4),
            "cells": round(self.cells, 4),
        }
        path.write_text(json.dumps(rows, indent=1) + "\n")

    def face_logs(self, similarity: Floats, fits: Floats) -> Floats:
        """Return (F,) log-likelihoods of the faces, 0 for the best, by similarities (F,) and fits of cells (F,)."""
        logs = self.sharpness * similarity + self.cells * fits
        return np.asarray(logs - logs.max(), np.float32)


def _loaded(found: dict[str, Any], names: Sequence[str]) -> LogOdds:
    return LogOdds(tuple(float(found[name]) for name in names), float(found["offset"]))


def _named(odds: LogOdds, names: Sequence[str]) -> dict[str, float]:
    weights = dict(zip(names, odds.weights, strict=True))
    return {name: round(weight, 4) for name, weight in {**weights, "offset": odds.offset}.items()}


@cache
def shipped_search_model() -> SearchModel:
    """Return the weights shipped beside the networks; raises ModelFileError if the file is damaged."""
    return SearchModel.load(model_folder() / "search.json")
