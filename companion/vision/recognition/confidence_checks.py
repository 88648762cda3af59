"""Caps on a confident whole-card reading: disagreement of its corners, and ambiguous light."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from companion.cards import ALL_CARDS, Card, Color, Face
from companion.vision.core.geometry import Image, sides
from companion.vision.core.labels import Floats
from companion.vision.core.reading import Reading
from companion.vision.core.sightings import UNCERTAIN_MOST, Sighting
from companion.vision.imaging.lighting import is_color_doubtful, is_orange

# If both corners read as one other card with this probability, the reading is unsure (below `UNSURE_BELOW`): the middle
# may be a spelled word or oddly lit. 98 of 110 such readings were right in photographs, printed and drawn decks; the
# calibration uses that.
_SURE_CORNER, _DISPUTED = 0.9, 0.74
# Below this probability a deviating middle is ignored. Of 20 cards read by their corners, 7 were misread and all had a
# deviating middle above it; 3 of the 13 others did, none with certainty.
_TOLD = 0.5
# Readings of a card at least this wide that only its middle supports (no corner has that card with the second
# probability), and readings in ambiguous light, stay below `RUNNER_UP_BELOW`: 4 of 5 confident errors in 282 drawn
# pictures were of these kinds.
_CORNERS_WIDTH, _SAID = 50.0, 0.1

# A "1" whose middle is a 7 with the first probability, and a 1 or 7 with the second, is a bold slanted 7. Of 346
# correctly read 1s none had more than a third of the first; nine such 7s had 0.35 and more. Picture cards stay below
# the second.
_SLANTED_SEVEN, _EITHER = 0.3, 0.9
# The same for a corner in a fan: eight of eight such 7s in fans of a printed deck and one of two of drawn decks had at
# least 0.27; of 278 correctly read 1s four had 0.21 to 0.49, with a sum of at most 0.75 except one (0.24). Of seven
# later cards of that deck only one was corrected.
_SLANTED_CORNER, _EITHER_CORNER = 0.26, 0.8
_YELLOWS_REDS = [(Card(face, Color.YELLOW), Card(face, Color.RED)) for face in Face if not face.is_wild]
_ONES_SEVENS = [(Card(Face.ONE, color), Card(Face.SEVEN, color)) for color in Color]


def confidence_cap(image: Image, card: Reading, corners: Sequence[Reading], together: Reading) -> float:
    """Return the maximum confidence of a reading, 1 if nothing speaks against it.

    card: reading of the whole card in the (H, W, 3) BGR picture. corners: readings of its two corners. together: the
    combined reading.
    """
    if _disputed(card, corners):
        return _DISPUTED
    if _is_told_by_middle_alone(card, corners) or _is_oddly_lit(image, together):
        return UNCERTAIN_MOST
    return 1.0


def limited_by_middle(card: Reading) -> Reading:
    """Return a whole card's reading, unsure if its corners and its middle disagree.

    Without this, a heavy slanted 7 was read as a certain 1.
    """
    if card.middle is None or card.known:
        return card
    middle = card.scale.probabilities(card.middle)[:-1]
    told = int(middle.argmax())
    return card.capped(_DISPUTED) if middle[told] >= _TOLD and ALL_CARDS[told] != card.card else card


def final_sighting(image: Image, card: Reading) -> Sighting:
    """Return a whole card of the (H, W, 3) BGR picture as the final sighting, unsure where it is corrected here: an
    orange "yellow" becomes red, a 1 whose middle may be a 7 becomes a 7.

    Corrections come last; corrected earlier, the card would no longer match its own corners.
    """
    told = card.sighting(whole=True)
    if card.known:
        return told
    # If the corners dispute the middle, the ground may be a picture.
    if told.card.color is Color.YELLOW and card.most > _DISPUTED and is_orange(image, card.quad):
        told = _exchanged(told, _YELLOWS_REDS)
    if told.card.face is Face.ONE and _may_be_seven(card):
        told = _exchanged(told, _ONES_SEVENS)
    return told


def final_corner_sighting(index: Reading) -> Sighting:
    """Return a corner-only card as the final sighting; a 1 that may be a 7 becomes a 7."""
    told = index.sighting(whole=False)
    if index.known or told.card.face is not Face.ONE:
        return told
    one, seven = _one_and_seven(index.scale.probabilities(index.logs))
    is_either = one + seven >= _EITHER_CORNER
    return _exchanged(told, _ONES_SEVENS) if is_either and seven >= _SLANTED_CORNER * (one + seven) else told


def _may_be_seven(card: Reading) -> bool:
    """Whether a card's middle is a 1 or a 7 without deciding which."""
    one, seven = _one_and_seven(card.scale.probabilities(card.logs if card.middle is None else card.middle))
    return seven >= _SLANTED_SEVEN and one + seven >= _EITHER


def _one_and_seven(chances: Floats) -> tuple[float, float]:
    """Return the total probability of 1s and of 7s, from (57,) probabilities."""
    one, seven = (
        sum(float(chances[i]) for i, kind in enumerate(ALL_CARDS) if kind.face is face)
        for face in (Face.ONE, Face.SEVEN)
    )
    return one, seven


def _exchanged(sighting: Sighting, pairs: Sequence[tuple[Card, Card]]) -> Sighting:
    """Return the sighting with the cards of each pair exchanged, capped below certainty."""
    swap = dict(pairs) | {other: one for one, other in pairs}
    return replace(sighting, cards=tuple(swap.get(card, card) for card in sighting.cards)).capped(UNCERTAIN_MOST)


def _disputed(card: Reading, corners: Sequence[Reading]) -> bool:
    """Whether both corners confidently show another card than the whole."""
    first, second = corners
    return (
        first.card == second.card != card.card
        and min(first.confidence, second.confidence) >= _SURE_CORNER
        and card.confidence > _DISPUTED
    )


def _is_told_by_middle_alone(card: Reading, corners: Sequence[Reading]) -> bool:
    """Whether a card's corners are large enough to be legible and neither supports the whole card's reading."""
    said = ALL_CARDS.index(card.card)
    return sides(card.quad)[0] >= _CORNERS_WIDTH and all(corner.probabilities[said] < _SAID for corner in corners)


def _is_oddly_lit(image: Image, card: Reading) -> bool:
    return card.card.color is not None and is_color_doubtful(image, card.quad, card.card.color)
