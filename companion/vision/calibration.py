"""Makes the readers' confidences mean what they say: temperature scaling (Guo et al., On Calibration of Modern Neural
Networks, 2017), a temperature for each kind of reading."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from companion.vision.runtime import ModelFileError
from companion.vision.sightings import Sighting

# So many cards that show a corner alone are a fan: others are bits of a heap or of clutter.
_FAN = 3


@dataclass(frozen=True)
class Calibration:
    """Divisors of the log-likelihoods, above 1 where the networks are too sure of themselves.

    card, index: what the readers' answers are divided by. The others divide what is told at last, once more: they are
    fitted on cards hidden in heaps too, beside which others are read more surely than it seems. pile: for whole cards
    on a pile. fanned: for corners in a fan.
    """

    card: float = 1.0
    index: float = 1.0
    pile: float = 1.0
    fanned: float = 1.0

    @staticmethod
    def is_fan(found: Sequence[Sighting]) -> bool:
        """Whether so many cards of a picture show a corner alone that they are a fan."""
        return sum(not sighting.whole for sighting in found) >= _FAN

    def in_picture(self, found: Sequence[Sighting]) -> list[Sighting]:
        """Return what was found in a picture with the confidence that it deserves."""
        if not self.is_fan(found):
            return list(found)
        return [sighting if sighting.whole else sighting.tempered(self.fanned) for sighting in found]

    def on_pile(self, found: Sequence[Sighting]) -> list[Sighting]:
        """Return what was found on a pile with the confidence that it deserves.

        How sure one picture may be at most is no bound here: several looks at a card must agree before it is told.
        """
        return [replace(card, most=1.0).tempered(self.pile) if card.whole else card for card in found]

    def temperature(self, whole: bool) -> float:
        """Return the divisor for whole cards or for corner indices."""
        return self.card if whole else self.index

    @classmethod
    def load(cls, path: Path) -> Calibration:
        """Return what `path` holds; raises ModelFileError where it is missing or not as written by `save`."""
        try:
            return cls(**json.loads(path.read_text()))
        except (OSError, TypeError, ValueError) as error:
            raise ModelFileError(path, "cannot be read") from error

    def save(self, path: Path) -> None:
        """Write as JSON."""
        path.write_text(json.dumps(asdict(self)) + "\n")
