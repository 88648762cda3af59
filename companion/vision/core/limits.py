"""Limits that depend on the networks' weights: from which score or probability on a box or a reading counts.

They lie in `limits.json` beside the weights that they were chosen for, on generated validation scenes.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from companion.vision.core.runtime import ModelFileError


@dataclass(frozen=True)
class ReadingLimits:
    """Scores of boxes and calibrated probabilities of readings, each from 0 to 1."""

    box: float
    """A box with less than this score is none, but for indices in a picture of several cards."""
    faint_box: float
    """Where a fan hides all else of a card, an index box with this score is worth reading ..."""
    faint: float
    """... and counts if it is read with this probability, as no wild."""
    no_card: float
    """An outline is no card where 'no card' is likelier than this."""
    index_no_card: float
    """A box is no index where 'no card' is likelier than this."""
    sure_index: float
    """An index read with more than this probability is believed against what was read of a whole card ..."""
    sure_color: float
    """... and where they differ in colour only, with more than this."""
    whole: float
    """Readings of whole cards less likely than this are more often wrong than worth a question."""
    index: float
    """The same for indices."""
    surely_boxed: float
    """Where a whole card surely is, by the box' score ..."""
    surely_not_none: float
    """... and the reader's probability of none ..."""
    ill_read: float
    """... it is listed as unsure from this probability on."""
    clearly_another: float
    """Of two like indices at one corner of a card, one is another card's if it is read with this probability."""
    neighbour: float
    """An index right beside other cards, read so likely, is one more of a fan."""
    dark_neighbour: float
    """The same without colour: it may be any dark print."""
    company: float
    """An index read with this probability is company for another one."""
    surely_card: float
    """Where 'no card' is less likely than this to the card reader, an index is likelier ill read than mere print ..."""
    misread: float
    """... and counts from this probability on."""
    bare: float
    """An index is other print where its card's place shows no card with more than this probability ..."""
    neighbour_bare: float
    """... and beside other cards, which may cover it, with more than this."""
    clear_index: float
    """An index read with this probability is a card's, whatever else is about it."""
    alike: float
    """Two indices whose readings agree with at least this probability can be of one card."""

    @classmethod
    def load(cls, path: Path) -> ReadingLimits:
        """Return what `path` holds; raises ModelFileError where it is missing or not as written by `save`."""
        try:
            return cls(**{name: float(value) for name, value in json.loads(path.read_text()).items()})
        except (OSError, AttributeError, TypeError, ValueError) as error:
            raise ModelFileError(path, "cannot be read") from error

    def save(self, path: Path) -> None:
        """Write as JSON."""
        path.write_text(json.dumps(asdict(self), indent=1) + "\n")
