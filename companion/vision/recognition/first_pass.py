"""First pass over rough outlines; cards of a searched deck may be identified by their pictures here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from companion.vision.core.geometry import Image, Quad, portrait, turned
from companion.vision.core.reading import Reading, Scale
from companion.vision.detection.crops import Crops, Pass, mean_of, together
from companion.vision.detection.deck_protocol import Deck, with_pictures

SURELY = 0.95
"""Minimum membership for a reading to be accepted as a card of the learnt deck."""
SETTLED = 0.95
"""Probability from which no further crop is read.

If the first two crops (rotated by half a turn) agree and the second has this probability, a third is not needed: it
changed none of 705 such cards.
"""
# Minimum membership of the first crop to match pictures, and maximum number of attempts.
_ALIKE, _LAID = 0.5, 2
# Without a match, a crop is compared with a second one from this probability on.
_NEARLY = 0.9


@dataclass(frozen=True, eq=False)
class FirstPass:
    """Results of the first pass.

    seen: result of one crop per outline. placed: readings where a picture of a searched deck matches and agrees with
    the networks, by outline number. plain: readings that need no further crops.
    """

    seen: Sequence[Pass]
    placed: Mapping[int, Pass]
    plain: Mapping[int, Reading]


def first_pass(crops: Crops, scale: Scale, image: Image, quads: Sequence[Quad], deck: Deck | None) -> FirstPass:
    """Return the first-pass results for rough outlines (4, 2) in a (H, W, 3) BGR uint8 picture.

    Cards similar to a searched deck are read again upside down where a picture matches, and once more from there if the
    result is still uncertain. scale: calibration of the crops' confidences.
    """
    seen = crops.cards(image, [portrait(quad) for quad in quads])
    told, plain = dict[int, Pass](), dict[int, Reading]()
    if deck is None or not deck.seeks:
        return FirstPass(seen, told, plain)
    last = {i: one for i, one in enumerate(seen) if one.membership >= _ALIKE}
    for _ in range(_LAID):
        laid = {i: deck.place_card(image, one.outline) for i, one in last.items()}
        # A missing face may look very similar to one that the deck has.
        whole = {i: there for i, there in laid.items() if there is None or not len(there.unseen)}
        placed = {i: there for i, there in whole.items() if there is not None and there.membership >= SURELY}
        plain |= _clear(crops, scale, image, {i: last[i] for i in whole if i not in placed})
        views = crops.cards(image, [_other_way_up(there.quad, last[i].outline) for i, there in placed.items()])
        looks = {i: (last[i], view) for i, view in zip(placed, views, strict=True) if view.membership >= SURELY}
        last = {}
        for i, pair in looks.items():
            read = mean_of([look.logs for look in pair])
            told[i] = Pass(placed[i].quad, with_pictures(read, placed[i]), 1.0)
            if _say_the_same(told[i], *pair) and scale.surest(told[i].logs) >= SETTLED:
                plain[i] = Reading(told[i].outline, told[i].logs, scale, membership=1.0)
                continue
            last[i] = pair[1]
            if told[i].likeliest != int(read[:-1].argmax()):
                del told[i]
    return FirstPass(seen, told, plain)


def _clear(crops: Crops, scale: Scale, image: Image, seen: Mapping[int, Pass]) -> dict[int, Reading]:
    """Return the readings confirmed by an upside-down crop although no picture matches."""
    surely = {i: one for i, one in seen.items() if one.membership >= SURELY and scale.surest(one.logs) >= _NEARLY}
    clear = {}
    for i, view in zip(surely, crops.cards_turned(image, [one.outline for one in surely.values()]), strict=True):
        both = together(surely[i], view)
        if _say_the_same(surely[i], view) and view.membership >= SURELY and scale.surest(both.logs) >= SETTLED:
            clear[i] = Reading(both.outline, both.logs, scale, membership=1.0)
    return clear


def _say_the_same(*looks: Pass) -> bool:
    return len({look.likeliest for look in looks}) == 1


def _other_way_up(quad: Quad, outline: Quad) -> Quad:
    """Return the quad rotated so that its top is at the bottom of an outline at the same place."""
    near, far = (float(np.hypot(*(quad[corner] - outline[0]))) for corner in (0, 2))
    return turned(quad, 2) if near < far else quad
