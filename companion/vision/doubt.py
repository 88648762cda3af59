"""What speaks against a whole card's reading, though the network is sure: its corners, and the light on it."""

from __future__ import annotations

from collections.abc import Sequence

from companion.cards import ALL_CARDS
from companion.vision.geometry import Image, sides
from companion.vision.light import is_color_doubtful
from companion.vision.reading import Reading
from companion.vision.sightings import NAMED_MOST

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
