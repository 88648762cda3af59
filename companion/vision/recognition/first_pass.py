"""First looks at rough outlines, after which cards of a deck that is sought may be told by their pictures already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from companion.vision.core.geometry import Image, Quad, portrait, turned
from companion.vision.core.reading import Reading, Scale
from companion.vision.detection.crops import Crops, Pass, mean_of, together
from companion.vision.detection.deck_protocol import Deck, with_pictures

SURELY = 0.95
"""How surely what is seen must be of the learnt deck to be taken for one of its cards."""
SETTLED = 0.95
"""The probability of a card from which on nothing more is looked at.

What the first two looks, which are turned to each other by half, both take for the same card, the second with this
probability, needs no third: that told none of 705 such cards otherwise.
"""
# A card is looked for by its picture after a first look that shows one of the deck so surely, at most so many times.
_ALIKE, _LAID = 0.5, 2
# Where none fits, a look is held against another one if it tells a card with this probability.
_NEARLY = 0.9


@dataclass(frozen=True, eq=False)
class FirstLooks:
    """What the first looks at rough outlines show.

    seen: what one look at each does. placed: what is read where a picture of a deck that is sought fits, and says the
    same as the networks, by the outline's number. plain: the readings of those that need no more looks.
    """

    seen: Sequence[Pass]
    placed: Mapping[int, Pass]
    plain: Mapping[int, Reading]


def first_looks(crops: Crops, scale: Scale, image: Image, quads: Sequence[Quad], deck: Deck | None) -> FirstLooks:
    """Return what the first looks at rough outlines (4, 2) in a (H, W, 3) BGR uint8 picture show.

    What looks like a card of a deck that is sought is looked at once more, the other way up, where its picture fits,
    and from there again where that does not tell it plainly. scale: what the looks' confidences mean.
    """
    seen = crops.cards(image, [portrait(quad) for quad in quads])
    told, plain = dict[int, Pass](), dict[int, Reading]()
    if deck is None or not deck.seeks:
        return FirstLooks(seen, told, plain)
    last = {i: one for i, one in enumerate(seen) if one.belonging >= _ALIKE}
    for _ in range(_LAID):
        laid = {i: deck.place_card(image, one.outline) for i, one in last.items()}
        # A face that was not laid may be very like one that was.
        whole = {i: there for i, there in laid.items() if there is None or not len(there.unseen)}
        placed = {i: there for i, there in whole.items() if there is not None and there.belonging >= SURELY}
        plain |= _clear(crops, scale, image, {i: last[i] for i in whole if i not in placed})
        views = crops.cards(image, [_other_way_up(there.quad, last[i].outline) for i, there in placed.items()])
        looks = {i: (last[i], view) for i, view in zip(placed, views, strict=True) if view.belonging >= SURELY}
        last = {}
        for i, pair in looks.items():
            read = mean_of([look.logs for look in pair])
            told[i] = Pass(placed[i].quad, with_pictures(read, placed[i]), 1.0)
            if _say_the_same(told[i], *pair) and scale.surest(told[i].logs) >= SETTLED:
                plain[i] = Reading(told[i].outline, told[i].logs, scale, belonging=1.0)
                continue
            last[i] = pair[1]
            if told[i].likeliest != int(read[:-1].argmax()):
                del told[i]
    return FirstLooks(seen, told, plain)


def _clear(crops: Crops, scale: Scale, image: Image, seen: Mapping[int, Pass]) -> dict[int, Reading]:
    """Return the readings of looks that another one the other way up bears out, though no picture surely fits there."""
    surely = {i: one for i, one in seen.items() if one.belonging >= SURELY and scale.surest(one.logs) >= _NEARLY}
    clear = {}
    for i, view in zip(surely, crops.cards_turned(image, [one.outline for one in surely.values()]), strict=True):
        both = together(surely[i], view)
        if _say_the_same(surely[i], view) and view.belonging >= SURELY and scale.surest(both.logs) >= SETTLED:
            clear[i] = Reading(both.outline, both.logs, scale, belonging=1.0)
    return clear


def _say_the_same(*looks: Pass) -> bool:
    return len({look.likeliest for look in looks}) == 1


def _other_way_up(quad: Quad, outline: Quad) -> Quad:
    """Return the quad turned so that its top is where the bottom of an outline is that lies about there."""
    near, far = (float(np.hypot(*(quad[corner] - outline[0]))) for corner in (0, 2))
    return turned(quad, 2) if near < far else quad
