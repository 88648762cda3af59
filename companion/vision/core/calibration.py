"""Confidence calibration of card readings.

Temperature scaling (Guo et al., On Calibration of Modern Neural Networks, 2017), followed by one logistic curve per
kind of reading (Platt, Probabilistic Outputs for Support Vector Machines, 1999) for readings that are not certain.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import Enum
from math import exp, log
from pathlib import Path

from companion.vision.core.runtime import ModelFileError
from companion.vision.core.sightings import RUNNER_UP_BELOW, UNCERTAIN_MOST, Sighting

# Minimum number of corner-only cards that form a fan. Fewer are part of a heap or clutter.
_FAN = 3


class Kind(Enum):
    """Kind of evidence behind a reading. Each kind is calibrated separately."""

    OPEN = "open"
    """An open card. `recognition.fusion` calibrates it, unless a learnt deck reads it."""
    CORNER = "corner"
    """A single corner index of a coloured card."""
    FANNED = "fanned"
    """A corner index of a coloured card in a fan."""
    WILD = "wild"
    """A corner index of a wild. Only the middle of the card distinguishes the wilds reliably."""


@dataclass(frozen=True)
class Curve:
    """Maps log-odds of the confidence to log-odds of being right, as a straight line."""

    slope: float = 1.0
    offset: float = 0.0

    def __call__(self, confidence: float) -> float:
        """Return the calibrated probability for a confidence in (0, 1)."""
        odds = self.slope * log(confidence / (1 - confidence)) + self.offset
        return 1 / (1 + exp(-odds))


@dataclass(frozen=True)
class Calibration:
    """Temperatures (divisors of log-likelihoods, above 1 for overconfident networks) and calibration curves.

    card, index: temperatures of the two readers. fanned: second temperature for corners in a fan, fitted on cards that
    include hidden ones. curves: one per kind, applied below `RUNNER_UP_BELOW`; a kind without a curve is left
    unchanged.
    """

    card: float = 1.0
    index: float = 1.0
    fanned: float = 1.0
    curves: Mapping[Kind, Curve] = field(default_factory=dict)

    @staticmethod
    def is_fan(found: Sequence[Sighting]) -> bool:
        """Whether a picture has enough corner-only cards to be a fan."""
        return sum(not sighting.whole for sighting in found) >= _FAN

    @classmethod
    def kinds(cls, found: Sequence[Sighting]) -> list[Kind]:
        """Return the kind of each card found in a picture."""
        corner = Kind.FANNED if cls.is_fan(found) else Kind.CORNER
        return [Kind.OPEN if s.whole else Kind.WILD if s.card.color is None else corner for s in found]

    def in_picture(self, found: Sequence[Sighting]) -> list[Sighting]:
        """Return the sightings of a picture with calibrated confidences."""
        return [self.calibrated(one, kind) for one, kind in zip(found, self.kinds(found), strict=True)]

    def calibrated(self, sighting: Sighting, kind: Kind) -> Sighting:
        """Return a sighting with the calibrated confidence of its kind.

        The curve is fitted on low-confidence readings too, so its results stay below certainty.
        """
        tempered = sighting.tempered(self.fanned) if kind is Kind.FANNED else sighting
        if kind is Kind.WILD:
            # On unseen decks 3 of 7 certain corner readings of wilds named the wrong wild.
            tempered = tempered.capped(UNCERTAIN_MOST)
        curve = self.curves.get(kind)
        if curve is None or tempered.confidence >= RUNNER_UP_BELOW:
            return tempered
        return replace(tempered, most=UNCERTAIN_MOST).said(curve(tempered.confidence))

    @classmethod
    def load(cls, path: Path) -> Calibration:
        """Load from JSON; raises ModelFileError if the file is missing or malformed."""
        try:
            held = json.loads(path.read_text())
            curves = {Kind(kind): Curve(*line) for kind, line in held.pop("curves", {}).items()}
            return cls(**held, curves=curves)
        except (OSError, AttributeError, TypeError, ValueError) as error:
            raise ModelFileError(path, "cannot be read") from error

    def save(self, path: Path) -> None:
        """Write as JSON."""
        curves = {kind.value: [curve.slope, curve.offset] for kind, curve in self.curves.items()}
        path.write_text(json.dumps({**asdict(replace(self, curves={})), "curves": curves}) + "\n")
