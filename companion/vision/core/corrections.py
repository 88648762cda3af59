"""Two corrections of open cards that the fitted fusion does not learn from drawn decks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from companion.cards import Card, Color, Face
from companion.vision.core.labels import card_classes, face_class
from companion.vision.core.sightings import UNCERTAIN_MOST, Sighting

# Greatest hue in degrees of a red card's ground: over 30 decks, under all lamps, of 4,100 correct confident readings
# almost no red card exceeded 28 and no yellow one was below 35.
_RED_AT_MOST = 31.0
# A "1" whose middle is a 7 with the first probability, and a 1 or 7 with the second, is a bold slanted 7. Of 346
# correctly read 1s none had more than a third of the first; nine such 7s had 0.35 and more. Picture cards stay below
# the second.
_SLANTED_SEVEN, _EITHER = 0.3, 0.9

_YELLOWS_REDS = [(Card(face, Color.YELLOW), Card(face, Color.RED)) for face in Face if not face.is_wild]
_ONES_SEVENS = [(Card(Face.ONE, color), Card(Face.SEVEN, color)) for color in Color]


def corrected(seen: Sighting, middle: NDArray[np.floating], hue: float) -> Sighting:
    """Return the sighting of an open card, unsure where it is corrected: an orange "yellow" becomes red, a 1 whose
    middle may be a 7 becomes a 7.

    middle: (57,) probabilities of the whole card without its corners. hue: of its ground in degrees.
    """
    if seen.card.color is Color.YELLOW and abs(hue) < _RED_AT_MOST:
        seen = _exchanged(seen, _YELLOWS_REDS)
    faces, _ = card_classes()
    one, seven = (float(middle[:-1][faces == face_class(face)].sum()) for face in (Face.ONE, Face.SEVEN))
    if seen.card.face is Face.ONE and seven >= _SLANTED_SEVEN and one + seven >= _EITHER:
        seen = _exchanged(seen, _ONES_SEVENS)
    return seen


def _exchanged(sighting: Sighting, pairs: Sequence[tuple[Card, Card]]) -> Sighting:
    """Return the sighting with the cards of each pair exchanged, capped below certainty."""
    swap = dict(pairs) | {other: one for one, other in pairs}
    return replace(sighting, cards=tuple(swap.get(card, card) for card in sighting.cards)).capped(UNCERTAIN_MOST)
