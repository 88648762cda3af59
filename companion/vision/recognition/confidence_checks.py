"""What speaks against a whole card's reading, though the network is sure: its corners, and the light on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from companion.cards import ALL_CARDS, Card, Color, Face
from companion.vision.core.geometry import Image, sides
from companion.vision.core.labels import Floats
from companion.vision.core.reading import Reading
from companion.vision.core.sightings import NAMED_MOST, Sighting
from companion.vision.imaging.lighting import is_color_doubtful, is_orange

# Where both corners are read so surely as one other card than the middle, somebody may have spelled a word there or
# the middle's light may be odd: then the reading is unsure, which is below `UNSURE_BELOW`, for all that looks at a
# picture. How often such are right the calibration tells at last: 98 of 110 in photographs, printed and drawn decks.
_SURE_CORNER, _DISPUTED = 0.9, 0.74
# A middle that tells another card with less than this tells hardly anything: of 20 cards read as their corners say, all
# seven were misread of which the middle told another one with more, and three of the 13 others, none of them surely.
_TOLD = 0.5
# What was told of a card so wide by its middle alone, none of whose corners says that with the second probability, and
# what was told in odd light, are below `NAMED_BELOW`: of five sure mistakes in 282 drawn pictures four were such.
_CORNERS_WIDTH, _SAID = 50.0, 0.1

# A 1 whose middle is a 7 with the first probability, and one of them with the second, is a 7, bold and slanted. Of 346
# cards read rightly as a 1 none had more than a third of the first, nine such sevens 0.35 and more; on cards that are
# one picture both have less than the second.
_SLANTED_SEVEN, _EITHER = 0.3, 0.9
# A corner in a fan that is a 1, or a 7 with the first probability of what both have, both together at least the second,
# is such a 7 too: all eight in fans of one printed deck and one of two of drawn decks had 0.27 and more, while of 278
# rightly read 1s of drawn, photographed and printed decks four had 0.21 to 0.49, of which both together 0.75 at most
# but one, 0.24. Of seven others of that printed deck, seen afterwards, one had as much: this helps, it does not mend.
_SLANTED_CORNER, _EITHER_CORNER = 0.26, 0.8
_YELLOWS_REDS = [(Card(face, Color.YELLOW), Card(face, Color.RED)) for face in Face if not face.is_wild]
_ONES_SEVENS = [(Card(Face.ONE, color), Card(Face.SEVEN, color)) for color in Color]


def most_sure(image: Image, card: Reading, corners: Sequence[Reading], together: Reading) -> float:
    """Return how sure a reading may be at most, 1 where nothing speaks against it.

    card: what was read of the whole in the (H, W, 3) BGR picture. corners: what its two corners show. together: the
    reading that is made of them.
    """
    if _disputed(card, corners):
        return _DISPUTED
    if _is_told_by_middle_alone(card, corners) or _is_oddly_lit(image, together):
        return NAMED_MOST
    return 1.0


def as_middle_allows(card: Reading) -> Reading:
    """Return a whole card's reading, unsure where its corners tell another card than its middle does.

    So a heavy slanted 7 was surely a 1.
    """
    if card.middle is None or card.known:
        return card
    middle = card.scale.probabilities(card.middle)[:-1]
    told = int(middle.argmax())
    return card.at_most(_DISPUTED) if middle[told] >= _TOLD and ALL_CARDS[told] != card.card else card


def as_told(image: Image, card: Reading) -> Sighting:
    """Return what was read of a whole card in the (H, W, 3) BGR picture as it is told at last, unsure of what is put
    right here: a yellow that is orange is red, a 1 whose middle may well be a 7 is one.

    The corners must not say so before: they would be another card's then.
    """
    told = card.sighting(whole=True)
    if card.known:
        return told
    # Where corners dispute the middle its ground may be a picture.
    if told.card.color is Color.YELLOW and card.most > _DISPUTED and is_orange(image, card.quad):
        told = _exchanged(told, _YELLOWS_REDS)
    if told.card.face is Face.ONE and _may_be_seven(card):
        told = _exchanged(told, _ONES_SEVENS)
    return told


def corner_as_told(index: Reading) -> Sighting:
    """Return what was read of a card of which a corner alone shows, a 1 that may well be a 7 as one."""
    told = index.sighting(whole=False)
    if index.known or told.card.face is not Face.ONE:
        return told
    one, seven = _one_and_seven(index.scale.probabilities(index.logs))
    is_either = one + seven >= _EITHER_CORNER
    return _exchanged(told, _ONES_SEVENS) if is_either and seven >= _SLANTED_CORNER * (one + seven) else told


def _may_be_seven(card: Reading) -> bool:
    """Whether a card's middle leaves open which of the two it is, but that it is one of them."""
    one, seven = _one_and_seven(card.scale.probabilities(card.logs if card.middle is None else card.middle))
    return seven >= _SLANTED_SEVEN and one + seven >= _EITHER


def _one_and_seven(chances: Floats) -> tuple[float, float]:
    """Return what 1s and what 7s have of (57,) probabilities."""
    one, seven = (
        sum(float(chances[i]) for i, kind in enumerate(ALL_CARDS) if kind.face is face)
        for face in (Face.ONE, Face.SEVEN)
    )
    return one, seven


def _exchanged(sighting: Sighting, pairs: Sequence[tuple[Card, Card]]) -> Sighting:
    """Return the sighting with the cards of each pair taken for each other, not beyond doubt."""
    swap = dict(pairs) | {other: one for one, other in pairs}
    return replace(sighting, cards=tuple(swap.get(card, card) for card in sighting.cards)).at_most(NAMED_MOST)


def _disputed(card: Reading, corners: Sequence[Reading]) -> bool:
    """Whether both corners surely say another card than the whole does."""
    first, second = corners
    return (
        first.card == second.card != card.card
        and min(first.confidence, second.confidence) >= _SURE_CORNER
        and card.confidence > _DISPUTED
    )


def _is_told_by_middle_alone(card: Reading, corners: Sequence[Reading]) -> bool:
    """Whether a card is large enough for its corners to be made out, and neither shows what the whole does."""
    said = ALL_CARDS.index(card.card)
    return sides(card.quad)[0] >= _CORNERS_WIDTH and all(corner.probabilities[said] < _SAID for corner in corners)


def _is_oddly_lit(image: Image, card: Reading) -> bool:
    return card.card.color is not None and is_color_doubtful(image, card.quad, card.card.color)
