"""Geometry of corner indices and cards: which card an index is on, and the outline a read index implies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from companion.vision.core.geometry import INDEX_REACH, INDEX_SPOT, Quad, homography, project, sides, unit_square
from companion.vision.core.reading import Reading
from companion.vision.core.sightings import Handedness

USUAL_SHARE = 0.135
"""Length of an index' longer side over the card's width: mean over the drawn decks."""
# Maximum distance of a card's own index from its nominal position, in the card's unit square: decks and outlines vary.
_SPOT_REACH = 0.14
# The same for print in the two corners without an index, horizontally and vertically: outlines derived from an index
# are inexact.
_FREE_REACH = (0.15, 0.2)
# Maximum distance between the expected and the actual opposite index, over the card's height: perspective shortens.
_OPPOSITE_REACH = 0.45
# Maximum log-odds of "no card" of an index; the fusion is fitted with it.
_MOST_ODDS = 10.0
# Distance from an outline's edges from which an index is well inside; outline errors are smaller.
_WELL_INSIDE = 0.03
# Maximum aspect ratio of an outline that is certainly an upright card; it is 0.64 seen from above.
_UPRIGHT = 0.85


class CardIndices:
    """The indices of a picture relative to one card. Outlines are (4, 2) in pixels; indices are identified by number.

    card: the card's outline, from its own top left. indices: the frames of all indices.
    """

    def __init__(self, card: Quad, indices: Sequence[Quad]) -> None:
        self._card = card
        self._indices = indices
        self._matrix = homography(card, unit_square())
        # Centres of the indices (N, 2) in the card's unit square.
        centers = np.stack(indices).mean(1) if len(indices) else np.empty((0, 2), np.float32)
        self._positions = project(self._matrix, centers)

    def at_spots(self) -> set[int]:
        """Return the indices close to the card's two index spots, which are certainly its own."""
        return {own for own in self.by_spot() if own is not None}

    def by_spot(self) -> tuple[int | None, int | None]:
        """Return the index closest to the top-left and to the bottom-right spot, None where none is close."""
        off = self._off_spots
        first, second = (int(off[:, k].argmin()) if (off[:, k] < _SPOT_REACH).any() else None for k in range(2))
        return first, second

    @cached_property
    def _off_spots(self) -> NDArray[np.float32]:
        """Distance of each index (N) from the card's two spots, (N, 2) in the card's unit square."""
        spots = np.array([INDEX_SPOT, (1 - INDEX_SPOT[0], 1 - INDEX_SPOT[1])], np.float32)
        return np.asarray(np.abs(self._positions[:, None] - spots[None]).max(2), np.float32)

    def inside(self, margin: float = 0.0) -> set[int]:
        """Return the indices whose centres lie on the card, at least `margin` from its edges."""
        least, most = margin, 1 - margin
        return {i for i, (x, y) in enumerate(self._positions) if least < x < most and least < y < most}

    def in_free_corners(self) -> set[int]:
        """Return the indices where a mirrored card would have its own."""
        spots = np.array([(INDEX_SPOT[0], 1 - INDEX_SPOT[1]), (1 - INDEX_SPOT[0], INDEX_SPOT[1])], np.float32)
        off = np.abs(self._positions[:, None] - spots[None])
        return set(np.flatnonzero((off < _FREE_REACH).all(2).any(1)).tolist())

    def handedness(self) -> Handedness:
        """Return the card's handedness from the corners that contain indices.

        The outline of a mirrored card is often found lying on its side, and so may that of a card seen at a low angle;
        then the result is undecided.
        """
        own, free = self.at_spots(), self.in_free_corners()
        width, height = sides(self._card)
        if bool(own) == bool(free) or width >= _UPRIGHT * height:
            return Handedness.UNKNOWN
        return Handedness.PRINTED if own else Handedness.MIRRORED

    def strangers(self) -> int:
        """Return the number of indices well inside the outline that are not the card's own."""
        return len(self.inside(_WELL_INSIDE) - self.at_spots())


def no_card_elsewhere(card: Quad, indices: Sequence[Reading]) -> tuple[float, float]:
    """Return the sum of the log-odds of "no card" of the picture's boxed indices that are not on a card, and their
    number.
    """
    on_card = CardIndices(card, [index.quad for index in indices]).inside()
    logs = np.array([index.logs for i, index in enumerate(indices) if i not in on_card], np.float64)
    if not len(logs):
        return 0.0, 0.0
    odds = (logs[:, -1] - np.logaddexp.reduce(logs[:, :-1], axis=1)).clip(-_MOST_ODDS, _MOST_ODDS)
    return float(odds.sum()), float(len(odds))


def is_another_card(card: Reading, other: Reading, indices: Sequence[Reading]) -> bool:
    """Whether a card is another one than that whose outline overlaps strongly with its own, as on a pile.

    The indices in both of its corners must then read as this card and not as the other.
    """
    corners = [indices[i] for i in CardIndices(card.quad, [index.quad for index in indices]).at_spots()]
    named = {index.card for index in corners}
    return len(corners) == 2 and named == {card.card} != {other.card}


def index_share(cards: Sequence[Quad], indices: Sequence[Quad]) -> float:
    """Return the ratio of an index' length to a card's width for this deck, from cards and the indices on them.

    The usual ratio if no card has an index.
    """
    shares = [
        sides(indices[i])[0] / INDEX_REACH / max(sides(card)[0], 1.0)
        for card in cards
        for i in CardIndices(card, indices).at_spots()
    ]
    return float(np.median(shares)) if shares else USUAL_SHARE


def outline_from_index(reading: Reading, share: float = USUAL_SHARE) -> Quad:
    """Return the approximate outline of the card whose top-left index was read, from the index' size and direction.

    share: index length over card width.
    """
    frame = reading.quad
    scale = 1 / (INDEX_REACH * share)
    along, down = (frame[1] - frame[0]) * scale, (frame[3] - frame[0]) * scale * 87 / 56
    start = frame.mean(0) - INDEX_SPOT[0] * along - INDEX_SPOT[1] * down
    return np.asarray([start, start + along, start + along + down, start + down], np.float32)


def outline_from_pair(a: Reading, b: Reading) -> Quad:
    """Return the upright card-shaped rectangle that has its two indices where these two were found."""
    first, second = a.quad.mean(0), b.quad.mean(0)
    # Diagonal between the index spots in card widths, and its angle to the card's top edge.
    across, down = 1 - 2 * INDEX_SPOT[0], (1 - 2 * INDEX_SPOT[1]) * 87 / 56
    diagonal = complex(*(second - first))
    along = diagonal / complex(across, down)
    x, y = np.array([along.real, along.imag]), np.array([-along.imag, along.real]) * 87 / 56
    start = first - INDEX_SPOT[0] * x - INDEX_SPOT[1] * y
    return np.asarray([start, start + x, start + x + y, start + y], np.float32)


def are_opposite(a: Reading, b: Reading, share: float = USUAL_SHARE) -> bool:
    """Whether two indices can belong to one card: of one size, rotated by half a turn, about a diagonal apart."""
    right_a, right_b = a.quad[1] - a.quad[0], b.quad[1] - b.quad[0]
    side_a, side_b = math.hypot(*right_a), math.hypot(*right_b)
    if not 0.5 < side_a / max(side_b, 1e-6) < 2.0 or float(right_a @ right_b) > -0.7 * side_a * side_b:
        return False
    outline = outline_from_index(a, share)
    expected = outline[2] + outline[0] - a.center
    return math.dist(expected, b.center) < _OPPOSITE_REACH * sides(outline)[1]


def opposite_pairs(readings: Sequence[Reading]) -> list[tuple[Reading, Reading]]:
    """Return all pairs of indices that can belong to one card."""
    return [
        (a, b) for i, a in enumerate(readings) for b in readings[i + 1 :] if are_opposite(a, b) or are_opposite(b, a)
    ]


def _reach(frame: Quad) -> float:
    """Return the tolerance in pixels of an index frame around the centre of its print."""
    return 0.6 * sides(frame)[0] / INDEX_REACH


def unread_frames(frames: Sequence[Quad], indices: Sequence[Reading]) -> list[Quad]:
    """Return the frames that contain an index not among those read: the ones `merge_duplicates` would add."""
    read = [index.center for index in indices]
    return [
        frame
        for frame, center, reach in ((frame, tuple(frame.mean(0).tolist()), _reach(frame)) for frame in frames)
        if not any(math.dist(center, other) < reach for other in read)
    ]


def merge_duplicates(readings: Sequence[Reading]) -> list[Reading]:
    """Return one reading per index; duplicates centred on the same print are averaged.

    A frame that matches nothing of the learnt deck is worse than one that does.
    """
    groups: list[list[Reading]] = []
    for reading in readings:
        group = next((group for group in groups if _is_same_index(reading, group[0])), None)
        if group is None:
            groups.append([reading])
        else:
            group.append(reading)
    of_deck = [[member for member in group if not member.is_out_of_deck] or group for group in groups]
    return [
        replace(group[0], logs=np.mean([member.logs for member in group], axis=0)) if len(group) > 1 else group[0]
        for group in of_deck
    ]


def _is_same_index(one: Reading, earlier: Reading) -> bool:
    """Whether a reading is centred on an earlier one's print and, if that is much larger, reads the same."""
    reach = max(_reach(one.quad), _reach(earlier.quad)) if one.card == earlier.card else _reach(one.quad)
    return math.dist(one.center, earlier.center) < reach


def one_per_card(readings: Sequence[Reading], share: float = USUAL_SHARE) -> list[Reading]:
    """Return one reading per card with the card's outline: two opposite corners with the same reading are one card.

    share: index length over card width.
    """
    left = sorted(readings, key=lambda reading: -float(reading.logs[:-1].max()))
    cards: list[Reading] = []
    while left:
        first = left.pop(0)
        partner = next((b for b in left if b.card == first.card and are_opposite(first, b, share)), None)
        if partner is None:
            cards.append(replace(first, quad=outline_from_index(first, share)))
        else:
            left = [reading for reading in left if reading is not partner]
            cards.append(replace(first, quad=outline_from_pair(first, partner), logs=first.logs + partner.logs))
    return cards
