"""Corrections of readings that the fitted fusion does not learn from drawn decks: orange reds, and slanted 7s."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from companion.cards import Card, Color, Face
from companion.vision.core.labels import card_classes, face_class
from companion.vision.core.sightings import CERTAIN, EVEN, NEARLY, Sighting

# Greatest hue in degrees of a red card's ground: over 30 decks, under all lamps, of 4,100 correct confident readings
# almost no red card exceeded 28 and no yellow one was below 35.
_RED_AT_MOST = 31.0
# A "1" that is a 7 with this probability, if it is either, is a bold slanted 7. An open card is nearly certainly either
# by its middle, unlike picture cards: of 346 correctly read 1s none had more than 0.1, nine such 7s had 0.35 and more.
# A corner in a fan is fairly certainly either: eight of eight such 7s of a printed deck and one of two of drawn decks
# had at least 0.27; of 278 correctly read 1s four had 0.21 to 0.49, with a sum of at most 0.75 except one (0.24).
_SLANTED_SEVEN = 0.26

_YELLOWS_REDS = [(Card(face, Color.YELLOW), Card(face, Color.RED)) for face in Face if not face.is_wild]
_ONES_SEVENS = [(Card(Face.ONE, color), Card(Face.SEVEN, color)) for color in Color]


def corrected(sighting: Sighting, middle: NDArray[np.floating], hue: float, ground: float) -> Sighting:
    """Return the sighting of an open card, unsure where it is corrected: an orange "yellow" becomes red, a 1 whose
    middle may be a 7 becomes a 7.

    middle: (57,) probabilities of the whole card without its corners. hue: of its ground in degrees. ground: share of
    the card of that hue.
    """
    # A card in a fan shows its neighbours' grounds.
    if sighting.card.color is Color.YELLOW and abs(hue) < _RED_AT_MOST and ground > EVEN:
        sighting = _exchanged(sighting, _YELLOWS_REDS)
    return corrected_seven(sighting, middle, NEARLY)


def corrected_seven(sighting: Sighting, probabilities: NDArray[np.floating], either: float) -> Sighting:
    """Return the sighting, unsure where a 1 that may be a 7 becomes a 7.

    probabilities: (57,) by the visible part of the card. either: minimum probability of a 1 or a 7.
    """
    faces, _ = card_classes()
    one, seven = (float(probabilities[:-1][faces == face_class(face)].sum()) for face in (Face.ONE, Face.SEVEN))
    is_slanted = one + seven >= either and seven >= _SLANTED_SEVEN * (one + seven)
    return _exchanged(sighting, _ONES_SEVENS) if sighting.card.face is Face.ONE and is_slanted else sighting


def _exchanged(sighting: Sighting, pairs: Sequence[tuple[Card, Card]]) -> Sighting:
    """Return the sighting with the cards of each pair exchanged, capped below certainty."""
    swap = dict(pairs) | {other: one for one, other in pairs}
    return replace(sighting, cards=tuple(swap.get(card, card) for card in sighting.cards)).capped(CERTAIN)
