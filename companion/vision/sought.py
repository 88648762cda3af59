"""Cards that the networks made out and cards of a learnt deck that its pictures told: one for each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from companion.vision.geometry import corner_frames, homography, project, unit_square
from companion.vision.labels import Floats
from companion.vision.learnt import Sought
from companion.vision.reading import Reading
from companion.vision.sightings import Sighting

# Share of a card's places on which cards told by their pictures show, from which on it is one of them.
_SAME = 0.4
# Places looked at in each direction.
_PLACES = 6


def with_sought(sightings: Sequence[Sighting], sought: Sequence[tuple[Reading, Sought]]) -> list[Sighting]:
    """Return what was sought and found, and of what was made out otherwise what lies elsewhere."""
    others = [
        sighting
        for sighting in sightings
        if not sought or np.any([one.shows(_places(sighting)) for _, one in sought], axis=0).mean() < _SAME
    ]
    return [*others, *(reading.sighting(whole=one.open) for reading, one in sought)]


def _places(sighting: Sighting) -> Floats:
    """Return (N, 2) places in the picture at which a card was seen: all over it, or in the corner that shows."""
    steps = (np.arange(_PLACES) + 0.5) / _PLACES
    grid = np.stack(np.meshgrid(steps, steps), 2).reshape(-1, 2)
    quad = sighting.quad if sighting.whole else corner_frames(sighting.quad)[0]
    return project(homography(unit_square(), quad), grid)
