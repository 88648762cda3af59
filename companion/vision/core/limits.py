"""Thresholds on scores and probabilities that depend on the networks' weights.

They are stored in `limits.json` beside the weights they were chosen for, and were chosen on generated validation
scenes.
"""

from __future__ import annotations

from dataclasses import dataclass

from companion.vision.core.runtime import StoredNumbers


@dataclass(frozen=True)
class ReadingLimits(StoredNumbers):
    """Scores of boxes and calibrated probabilities of readings, each from 0 to 1."""

    box: float
    """Minimum score of a box, except for indices in a picture of several cards."""
    faint_box: float
    """Minimum score of an index box in a fan that hides the rest of the card ..."""
    faint: float
    """... and the minimum probability of its reading; wilds are excluded."""
    no_card: float
    """Above this probability of "no card", an outline is rejected."""
    index_no_card: float
    """Above this probability of "no card", an index box is rejected."""
    sure_index: float
    """Above this probability, an index reading of another face overrules the reading of the whole card."""
    whole: float
    """Minimum probability of a whole card's reading. Below it, most readings are wrong."""
    index: float
    """The same for indices, also of a covered card."""
    confident_box: float
    """Box score from which a whole card is certain to be present ..."""
    confident_box_no_card: float
    """... and the reader's maximum probability of "no card" for it ..."""
    ill_read: float
    """... so that it is listed as unsure from this probability on."""
    misread: float
    """Minimum combined probability of a learnt deck's match and the readings on it."""
    alike: float
    """Minimum agreement of two index readings to be corners of one card."""
