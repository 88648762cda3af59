"""Makes the readers' confidences mean what they say: temperature scaling (Guo et al., On Calibration of Modern Neural
Networks, 2017), one temperature for whole cards, one for corner indices and one for the pile."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from companion.vision.runtime import ModelFileError


@dataclass(frozen=True)
class Calibration:
    """Divisors of the log-likelihoods, above 1 where the networks are too sure of themselves.

    pile: a further one for whole cards on a pile. The others are fitted on fans, heaps and hidden cards too, beside
    which a card that lies open is read more surely than it seems.
    """

    card: float = 1.0
    index: float = 1.0
    pile: float = 1.0

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
