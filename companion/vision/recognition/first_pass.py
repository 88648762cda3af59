"""First pass over rough outlines; clear cards of a searched deck are identified here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from companion.vision.core.geometry import Image, Quad, portrait
from companion.vision.core.reading import Reading, Scale
from companion.vision.core.sightings import CERTAIN, NEARLY
from companion.vision.detection.crops import Crops, Pass, together
from companion.vision.detection.deck_protocol import Deck


@dataclass(frozen=True, eq=False)
class FirstPass:
    """Results of the first pass. seen: result of one crop per outline. plain: readings that need no further crops."""

    seen: Sequence[Pass]
    plain: Mapping[int, Reading]


def first_pass(crops: Crops, scale: Scale, image: Image, quads: Sequence[Quad], deck: Deck | None) -> FirstPass:
    """Return the first-pass results for rough outlines (4, 2) in a (H, W, 3) BGR uint8 picture.

    Cards that are clearly a searched deck's are read again upside down. scale: calibration of the crops' confidences.
    """
    seen = crops.cards(image, [portrait(quad) for quad in quads])
    return FirstPass(seen, _clear(crops, scale, image, seen) if deck is not None and deck.seeks else {})


def _clear(crops: Crops, scale: Scale, image: Image, seen: Sequence[Pass]) -> dict[int, Reading]:
    """Return the readings that are clear, and confirmed by an upside-down crop, by the outline's number."""
    confident = {
        i: one for i, one in enumerate(seen) if one.membership >= CERTAIN and scale.top_probability(one.logs) >= NEARLY
    }
    clear = {}
    for i, view in zip(confident, crops.cards_turned(image, [one.outline for one in confident.values()]), strict=True):
        both = together(confident[i], view)
        alike = confident[i].top == view.top
        if alike and view.membership >= CERTAIN and scale.top_probability(both.logs) >= CERTAIN:
            clear[i] = Reading(both.outline, both.logs, scale, membership=1.0)
    return clear
