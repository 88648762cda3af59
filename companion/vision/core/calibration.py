"""Confidence calibration of card readings.

Temperature scaling (Guo et al., On Calibration of Modern Neural Networks, 2017), with a second temperature for corners
in a fan.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar

from companion.vision.core.runtime import StoredNumbers
from companion.vision.core.sightings import CERTAIN, Sighting

# Minimum number of corner-only cards that form a fan. Fewer are part of a heap or clutter.
_FAN = 3


class Kind(Enum):
    """Kind of evidence behind a reading. Each kind is calibrated separately."""

    OPEN = "open"
    """An open card, calibrated by `recognition.fusion`."""
    CORNER = "corner"
    """A single corner index of a coloured card."""
    FANNED = "fanned"
    """A corner index of a coloured card in a fan."""
    WILD = "wild"
    """A corner index of a wild. Only the middle of the card distinguishes the wilds reliably."""


@dataclass(frozen=True)
class Calibration(StoredNumbers):
    """Temperatures: divisors of log-likelihoods, above 1 for overconfident networks.

    card, index: temperatures of the two readers. fanned: second temperature for corners in a fan, fitted on cards that
    include hidden ones.
    """

    _OBSOLETE: ClassVar[frozenset[str]] = frozenset({"curves"})

    card: float = 1.0
    index: float = 1.0
    fanned: float = 1.0

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

        It is fitted on cards of the deck, so the probability that something else lies there stays as it is.
        """
        if sighting.other:
            return self.calibrated(sighting.given_card, kind).with_other(sighting.other)
        tempered = sighting.tempered(self.fanned) if kind is Kind.FANNED else sighting
        # On unseen decks 3 of 7 certain corner readings of wilds named the wrong wild.
        return tempered.capped(CERTAIN) if kind is Kind.WILD else tempered
