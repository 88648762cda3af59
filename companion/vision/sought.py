"""Cards that the networks made out and cards of a learnt deck that its pictures told: one for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from companion.cards import ALL_CARDS
from companion.vision.geometry import corner_frames, homography, project, unit_square
from companion.vision.labels import Floats
from companion.vision.learnt import Sought
from companion.vision.reading import Reading
from companion.vision.sightings import Sighting

# Share of a card's places on which cards told by their pictures show, from which on it is one of them.
_SAME = 0.4
# The most (nats) that such a sighting says against a card.
_BOUND = -2.0
# Places looked at in each direction.
_PLACES = 6


def with_sought(sightings: Sequence[Sighting], sought: Sequence[tuple[Reading, Sought]]) -> list[Sighting]:
    """Return what was sought and found, and of what was made out otherwise what lies elsewhere."""
    others, cards = [], [reading for reading, _ in sought]
    for sighting in sightings:
        places = _places(sighting)
        shares = [float(one.shows(places).mean()) for _, one in sought]
        if sum(shares) < _SAME:
            others.append(sighting)
        elif max(shares) >= _SAME and not sighting.whole:
            # A corner that was boxed by itself is better framed than where its card's outline has it.
            at = int(np.argmax(shares))
            cards[at] = replace(cards[at], logs=cards[at].logs + _says(sighting))
    told = zip(cards, sought, strict=True)
    return [*others, *(reading.sighting(whole=one.open) for reading, (_, one) in told)]


def _says(sighting: Sighting) -> Floats:
    """Return (57,) what a sighting says of each card, within bounds."""
    chances = np.zeros(len(ALL_CARDS) + 1, np.float32)
    chances[[ALL_CARDS.index(card) for card in sighting.cards]] = sighting.probabilities
    return np.asarray(np.maximum(np.log(np.maximum(chances, 1e-9)), _BOUND), np.float32)


def _places(sighting: Sighting) -> Floats:
    """Return (N, 2) places in the picture at which a card was seen: all over it, or in the corner that shows."""
    steps = (np.arange(_PLACES) + 0.5) / _PLACES
    grid = np.stack(np.meshgrid(steps, steps), 2).reshape(-1, 2)
    quad = sighting.quad if sighting.whole else corner_frames(sighting.quad)[0]
    return project(homography(unit_square(), quad), grid)
