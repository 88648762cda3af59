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
# If more than `_SPOILT` of the other open cards have a confidence below `_HARDLY_READ`, the whole picture is considered
# degraded and no card in it is reported as certain. On 6,982 cards in hard photographs: 24 of 892 such readings were
# wrong, against 9 of 6,090 without degraded neighbours.
_SPOILT, _HARDLY_READ = 0.05, 0.8
# From this number of cards in view, each one is "among others".
_AMONG = 3


class Kind(Enum):
    """Kind of evidence behind a reading. Each kind is calibrated separately."""

    ALONE = "alone"
    """An open card with at most one other card beside it."""
    AMONG = "among"
    """An open card among several others."""
    CORNER = "corner"
    """A single corner index of a coloured card."""
    FANNED = "fanned"
    """A corner index of a coloured card in a fan."""
    WILD = "wild"
    """A corner index of a wild. Only the middle of the card distinguishes the wilds reliably."""
    PILE = "pile"
    """An open card on the discard pile."""


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

    card, index: temperatures of the two readers. pile, fanned: second temperatures for whole cards on a pile and for
    corners in a fan, fitted on cards that include hidden ones. curves: one per kind, applied below `RUNNER_UP_BELOW`; a
    kind without a curve is left unchanged.
    """

    card: float = 1.0
    index: float = 1.0
    pile: float = 1.0
    fanned: float = 1.0
    curves: Mapping[Kind, Curve] = field(default_factory=dict)

    @staticmethod
    def is_fan(found: Sequence[Sighting]) -> bool:
        """Whether a picture has enough corner-only cards to be a fan."""
        return sum(not sighting.whole for sighting in found) >= _FAN

    @classmethod
    def kinds(cls, found: Sequence[Sighting]) -> list[Kind]:
        """Return the kind of each card found in a picture that does not show a pile."""
        whole = Kind.AMONG if len(found) >= _AMONG else Kind.ALONE
        corner = Kind.FANNED if cls.is_fan(found) else Kind.CORNER
        return [whole if s.whole else Kind.WILD if s.card.color is None else corner for s in found]

    def in_picture(self, found: Sequence[Sighting]) -> list[Sighting]:
        """Return the sightings of a picture with calibrated confidences."""
        kinds = self.kinds(found)
        calibrated = [self.calibrated(sighting, kind) for sighting, kind in zip(found, kinds, strict=True)]
        doubtful = sum(one.whole and one.confidence < _HARDLY_READ for one in calibrated)
        # Confident sightings never count as degraded themselves.
        spoilt = doubtful > _SPOILT * max(1, sum(one.whole for one in calibrated) - 1)
        return [
            one.capped(UNCERTAIN_MOST) if spoilt and kind is Kind.AMONG else one
            for one, kind in zip(calibrated, kinds, strict=True)
        ]

    def on_pile(self, found: Sequence[Sighting]) -> list[Sighting]:
        """Return the sightings on a pile with calibrated confidences.

        There is no cap for a single picture: several looks must agree before a card is reported.
        """
        return [self.calibrated(replace(card, most=1.0), Kind.PILE) if card.whole else card for card in found]

    def calibrated(self, sighting: Sighting, kind: Kind) -> Sighting:
        """Return a sighting with the calibrated confidence of its kind.

        The curve is fitted on low-confidence readings too, so its results stay below certainty.
        """
        temperature = {Kind.PILE: self.pile, Kind.FANNED: self.fanned}.get(kind, 1.0)
        tempered = sighting if temperature == 1.0 else sighting.tempered(temperature)
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
