"""Makes the readers' confidences mean what they say: temperature scaling (Guo et al., On Calibration of Modern Neural
Networks, 2017), and of what is not beyond doubt a curve for each kind of reading (Platt, Probabilistic Outputs for
Support Vector Machines, 1999)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import Enum
from math import exp, log
from pathlib import Path

from companion.vision.core.runtime import ModelFileError
from companion.vision.core.sightings import NAMED_BELOW, NAMED_MOST, Sighting

# So many cards that show a corner alone are a fan: others are bits of a heap or of clutter.
_FAN = 3
# Where more than such a share of a card's fellows that lie open is read with less than that, something spoils the
# picture for all of them, and none is beyond doubt: of 892 cards in hard photographs that would have been told so 24
# were wrong, with no such fellows 9 of 6,090.
_SPOILT, _HARDLY_READ = 0.05, 0.8
# So many cards in view make each of them one among others.
_AMONG = 3


class Kind(Enum):
    """What a reading was made of: how sure it may be differs from kind to kind."""

    ALONE = "alone"
    """A card that lies open, at most one other beside it."""
    AMONG = "among"
    """A card that lies open among others."""
    CORNER = "corner"
    """A corner alone, with a colour."""
    FANNED = "fanned"
    """A corner in a fan, with a colour."""
    WILD = "wild"
    """A wild's corner: its middle tells best which wild it is."""
    PILE = "pile"
    """A card that lies open on a pile."""


@dataclass(frozen=True)
class Curve:
    """The log-odds of being right over those that were told, a straight line."""

    slope: float = 1.0
    offset: float = 0.0

    def __call__(self, confidence: float) -> float:
        """Return how often readings of this confidence, above 0 and below 1, are right."""
        odds = self.slope * log(confidence / (1 - confidence)) + self.offset
        return 1 / (1 + exp(-odds))


@dataclass(frozen=True)
class Calibration:
    """Divisors of the log-likelihoods, above 1 where the networks are too sure of themselves, and curves.

    card, index: what the readers' answers are divided by. The others divide what is told at last, once more: they are
    fitted on cards hidden in heaps too, beside which others are read more surely than it seems. pile: for whole cards
    on a pile. fanned: for corners in a fan. curves: of each kind, for readings told with less than `NAMED_BELOW` after
    all that; those of a kind that is left out mean what they say.
    """

    card: float = 1.0
    index: float = 1.0
    pile: float = 1.0
    fanned: float = 1.0
    curves: Mapping[Kind, Curve] = field(default_factory=dict)

    @staticmethod
    def is_fan(found: Sequence[Sighting]) -> bool:
        """Whether so many cards of a picture show a corner alone that they are a fan."""
        return sum(not sighting.whole for sighting in found) >= _FAN

    @classmethod
    def kinds(cls, found: Sequence[Sighting]) -> list[Kind]:
        """Return of which kind each of the cards is that were found in a picture of no pile."""
        whole = Kind.AMONG if len(found) >= _AMONG else Kind.ALONE
        corner = Kind.FANNED if cls.is_fan(found) else Kind.CORNER
        return [whole if s.whole else Kind.WILD if s.card.color is None else corner for s in found]

    def in_picture(self, found: Sequence[Sighting]) -> list[Sighting]:
        """Return what was found in a picture with the confidence that it deserves."""
        kinds = self.kinds(found)
        told = [self.deserved(sighting, kind) for sighting, kind in zip(found, kinds, strict=True)]
        doubtful = sum(one.whole and one.confidence < _HARDLY_READ for one in told)
        # None of those that are read surely is one of the doubtful.
        spoilt = doubtful > _SPOILT * max(1, sum(one.whole for one in told) - 1)
        return [
            one.at_most(NAMED_MOST) if spoilt and kind is Kind.AMONG else one
            for one, kind in zip(told, kinds, strict=True)
        ]

    def on_pile(self, found: Sequence[Sighting]) -> list[Sighting]:
        """Return what was found on a pile with the confidence that it deserves.

        How sure one picture may be at most is no bound here: several looks at a card must agree before it is told.
        """
        return [self.deserved(replace(card, most=1.0), Kind.PILE) if card.whole else card for card in found]

    def deserved(self, sighting: Sighting, kind: Kind) -> Sighting:
        """Return what was found with the confidence that readings of its kind deserve.

        A curve tells how often readings are right that were held back, too: they are never told beyond doubt.
        """
        temperature = {Kind.PILE: self.pile, Kind.FANNED: self.fanned}.get(kind, 1.0)
        tempered = sighting if temperature == 1.0 else sighting.tempered(temperature)
        if kind is Kind.WILD:
            # On decks never seen 3 of 7 lone corners said beyond doubt to be one wild were another's.
            tempered = tempered.at_most(NAMED_MOST)
        curve = self.curves.get(kind)
        if curve is None or tempered.confidence >= NAMED_BELOW:
            return tempered
        return replace(tempered, most=NAMED_MOST).said(curve(tempered.confidence))

    @classmethod
    def load(cls, path: Path) -> Calibration:
        """Return what `path` holds; raises ModelFileError where it is missing or not as written by `save`."""
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
