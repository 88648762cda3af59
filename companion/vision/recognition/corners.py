"""How corner indices and cards belong together: which card an index is on, where the card of a read index lies."""

from __future__ import annotations

import math
from collections.abc import Sequence, Set
from dataclasses import replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.core.geometry import INDEX_REACH, INDEX_SPOT, Quad, homography, project, sides, unit_square
from companion.vision.core.reading import Reading
from companion.vision.core.sightings import Handedness

USUAL_SHARE = 0.135
"""Length of an index' longer side over the card's width: the mean over the drawn decks."""
# How far from its usual spot a card's own index may lie, in the card's unit square: decks and outlines differ.
_SPOT_REACH = 0.14
_LOOSE_SPOT_REACH = 0.3
# The same for print in the corners without an index, across and down: outlines told from an index are long or short.
_FREE_REACH = (0.15, 0.2)
# Two indices of one card are at opposite corners. Two near one corner are of two cards, if they are of about one size,
# and so many sides of an index' frame apart.
_LIKE_SIZED, _TWO_CARDS = 0.7, 0.63
# How far from where one index expects the other that one may lie, over the card's height: perspective shortens.
_OPPOSITE_REACH = 0.45
# Area of an outline told from one index, over that of a card beside it: indices differ in size from deck to deck.
_SIZE_RANGE = (0.2, 5.0)
# The same among cards that overlap, which are of one deck.
_COMPANY_RANGE = 4.0
# Degrees by which two outlines of one card are hardly ever turned to each other.
_CLEARLY_TURNED = 15.0
# An index whose frame is this large a share of the card it lies in is the card's middle symbol.
_MIDDLE_SHARE, _CENTERED_SHARE = 0.15, 0.055
# Up to which ratio of its sides an outline surely is of a card that stands upright: it is 0.64 seen from above.
_UPRIGHT = 0.85
# How far from an outline's edges an index lies well inside it: outlines are off by less.
_WELL_INSIDE = 0.03


class CardIndices:
    """The indices found in a picture, as they lie to one card: (4, 2) outlines in pixels, indices told by number.

    card: the card's outline, from its own top left. indices: the frames of all indices.
    """

    def __init__(self, card: Quad, indices: Sequence[Quad]) -> None:
        self._card = card
        self._indices = indices
        self._matrix = homography(card, unit_square())
        # Where the indices' centres (N, 2) lie in the card's unit square.
        centers = np.stack(indices).mean(1) if len(indices) else np.empty((0, 2), np.float32)
        self._positions = project(self._matrix, centers)

    def own(self) -> set[int]:
        """Return which are the card's own: the nearest one at each of its spots, and its middle symbol.

        An index between the spots belongs to another card that lies on this one, or sticks out from under it.
        """
        return self.middles() | self.at_spots()

    def middles(self) -> set[int]:
        """Return which are the card's middle symbol: large, the less so the nearer to its centre they are."""
        area = max(abs(cv2.contourArea(self._card)), 1.0)
        off = np.abs(self._positions - 0.5).max(1)
        shares = [abs(cv2.contourArea(index)) / area for index in self._indices]
        # A real index of another card is much smaller than a middle symbol that was taken for one.
        return {
            i
            for i, share in enumerate(shares)
            if (off[i] < 0.3 and share > _MIDDLE_SHARE) or (off[i] < 0.1 and share > _CENTERED_SHARE)
        }

    def at_spots(self) -> set[int]:
        """Return those nearest to the card's two index spots, where they are near enough: its own, surely."""
        return self._nearest_to_spots(_SPOT_REACH)

    def about_spots(self) -> set[int]:
        """Return the same with more room, for outlines that are off."""
        return self._nearest_to_spots(_LOOSE_SPOT_REACH)

    def near_spots(self) -> set[int]:
        """Return those of them that stand as the card's own would."""
        # At the top left an index stands upright, at the bottom right upside down.
        return {i for i in self.about_spots() if self._pointing(self._indices[i]) * (0.5 - self._positions[i][1]) > 0}

    def _pointing(self, index: Quad) -> float:
        """Return how far an index' top edge runs to the card's right, in the card's unit square."""
        start, end = project(self._matrix, index[:2])
        return float(end[0] - start[0])

    def _nearest_to_spots(self, reach: float) -> set[int]:
        if not len(self._indices):
            return set()
        off = self._off_spots
        return {int(off[:, k].argmin()) for k in range(2) if off[:, k].min() < reach}

    @cached_property
    def _off_spots(self) -> NDArray[np.float32]:
        """How far each index (N) lies from each of the card's two spots, (N, 2) in the card's unit square."""
        spots = np.array([INDEX_SPOT, (1 - INDEX_SPOT[0], 1 - INDEX_SPOT[1])], np.float32)
        return np.asarray(np.abs(self._positions[:, None] - spots[None]).max(2), np.float32)

    def inside(self, margin: float = 0.0) -> set[int]:
        """Return those whose centres lie on the card, so far from its edges."""
        least, most = margin, 1 - margin
        return {i for i, (x, y) in enumerate(self._positions) if least < x < most and least < y < most}

    def surplus(self, own: Set[int], surely: Set[int]) -> set[int]:
        """Return those of its seeming own indices that must be of a like card lying across it.

        Of several near one corner the card keeps one: of those that are `surely` its own, else of all, the one nearest
        to its spot.
        """
        off = self._off_spots
        widths = [sides(index)[0] for index in self._indices]
        left: set[int] = set()
        for spot in range(2):
            near = sorted((i for i in own if off[i].argmin() == spot), key=lambda i: (i not in surely, off[i, spot]))
            for i in near[1:]:
                kept = near[0]
                distance = float(np.hypot(*(self._indices[i].mean(0) - self._indices[kept].mean(0))))
                if _LIKE_SIZED < widths[i] / widths[kept] < 1 / _LIKE_SIZED and distance > _TWO_CARDS * widths[kept]:
                    left.add(i)
        return left

    def in_free_corners(self) -> set[int]:
        """Return those that lie where the card would have its own if it were mirrored."""
        spots = np.array([(INDEX_SPOT[0], 1 - INDEX_SPOT[1]), (1 - INDEX_SPOT[0], INDEX_SPOT[1])], np.float32)
        off = np.abs(self._positions[:, None] - spots[None])
        return set(np.flatnonzero((off < _FREE_REACH).all(2).any(1)).tolist())

    def handedness(self) -> Handedness:
        """Return which way round the card is seen, by the corners that its indices are in.

        A mirrored card's outline is often told lying down, with its indices where they belong, and a card seen from low
        may look so: then neither is told.
        """
        own, free = self.at_spots(), self.in_free_corners()
        width, height = sides(self._card)
        if bool(own) == bool(free) or width >= _UPRIGHT * height:
            return Handedness.UNTOLD
        return Handedness.PRINTED if own else Handedness.MIRRORED

    def strangers(self) -> int:
        """Return how many lie well inside the outline that are not the card's own."""
        return len(self.inside(_WELL_INSIDE) - self.own())


def lies_across(card: Reading, other: Reading, indices: Sequence[Reading]) -> bool:
    """Whether a card is another one than that with which its outline shares most of its area, as on a pile.

    An index at either end then reads as it does, and not as the other one; where it lies clearly turned to the other,
    one index is enough.
    """
    ends = [indices[i] for i in CardIndices(card.quad, [index.quad for index in indices]).at_spots()]
    likeliest = {index.card for index in ends}
    enough = 1 if _turn_between(card.quad, other.quad) > _CLEARLY_TURNED else 2
    return len(ends) >= enough and likeliest == {card.card} != {other.card}


def _turn_between(a: Quad, b: Quad) -> float:
    """Return by how many degrees (0 to 90) the long sides of two upright cards are turned to each other."""
    first, second = (complex(*(quad[3] - quad[0])) for quad in (a, b))
    turn = abs(np.degrees(np.angle(first * second.conjugate())))
    return float(min(turn, 180 - turn))


def index_share(cards: Sequence[Quad], indices: Sequence[Quad]) -> float:
    """Return how long an index of this deck is over a card's width, told from these cards and the indices on them.

    It is the usual share where none of the cards has an index.
    """
    shares = [
        sides(indices[i])[0] / INDEX_REACH / max(sides(card)[0], 1.0)
        for card in cards
        for i in CardIndices(card, indices).at_spots()
    ]
    return float(np.median(shares)) if shares else USUAL_SHARE


def outline_from_index(reading: Reading, share: float = USUAL_SHARE) -> Quad:
    """Return about where the card lies whose top-left index was read, from the index' size and direction.

    share: how long an index is over the card's width.
    """
    frame = reading.quad
    scale = 1 / (INDEX_REACH * share)
    along, down = (frame[1] - frame[0]) * scale, (frame[3] - frame[0]) * scale * 87 / 56
    start = frame.mean(0) - INDEX_SPOT[0] * along - INDEX_SPOT[1] * down
    return np.asarray([start, start + along, start + along + down, start + down], np.float32)


def outline_from_pair(a: Reading, b: Reading) -> Quad:
    """Return the upright rectangle of a card's proportions whose two indices lie where these two were found."""
    first, second = a.quad.mean(0), b.quad.mean(0)
    # The diagonal between the spots, in card widths, and its angle to the card's top edge.
    across, down = 1 - 2 * INDEX_SPOT[0], (1 - 2 * INDEX_SPOT[1]) * 87 / 56
    diagonal = complex(*(second - first))
    along = diagonal / complex(across, down)
    x, y = np.array([along.real, along.imag]), np.array([-along.imag, along.real]) * 87 / 56
    start = first - INDEX_SPOT[0] * x - INDEX_SPOT[1] * y
    return np.asarray([start, start + x, start + x + y, start + y], np.float32)


def are_opposite(a: Reading, b: Reading, share: float = USUAL_SHARE) -> bool:
    """Whether two indices can be the two of one card: of one size, half a turn apart, about a diagonal away."""
    right_a, right_b = a.quad[1] - a.quad[0], b.quad[1] - b.quad[0]
    side_a, side_b = float(np.hypot(*right_a)), float(np.hypot(*right_b))
    if not 0.5 < side_a / max(side_b, 1e-6) < 2.0 or float(right_a @ right_b) > -0.7 * side_a * side_b:
        return False
    outline = outline_from_index(a, share)
    expected = project(homography(unit_square(), outline), 1 - np.array([INDEX_SPOT]))[0]
    reach = float(np.hypot(*(outline[3] - outline[0])))
    return bool(np.hypot(*(expected - b.quad.mean(0))) < _OPPOSITE_REACH * reach)


def opposite_pairs(readings: Sequence[Reading]) -> list[tuple[Reading, Reading]]:
    """Return all pairs that can be the two indices of one card."""
    return [
        (a, b) for i, a in enumerate(readings) for b in readings[i + 1 :] if are_opposite(a, b) or are_opposite(b, a)
    ]


def _reach(frame: Quad) -> float:
    """Return how far in pixels an index' frame may be off the centre of the ink that it is about."""
    return 0.6 * sides(frame)[0] / INDEX_REACH


def beside(frames: Sequence[Quad], indices: Sequence[Reading]) -> list[Quad]:
    """Return those frames that are about another index than those that were read: what `apart` would add to them."""
    read = [index.center for index in indices]
    return [
        frame
        for frame, center, reach in ((frame, tuple(frame.mean(0).tolist()), _reach(frame)) for frame in frames)
        if not any(math.dist(center, other) < reach for other in read)
    ]


def apart(readings: Sequence[Reading]) -> list[Reading]:
    """Return one reading per index: of those centred on the ink of an earlier one, the mean is taken in its place.

    A frame in which nothing looks like the learnt deck's is a worse one than those in which something does.
    """
    groups: list[list[Reading]] = []
    for reading in readings:
        group = next((group for group in groups if _is_same_index(reading, group[0])), None)
        if group is None:
            groups.append([reading])
        else:
            group.append(reading)
    framed = [[member for member in group if not member.is_unlike] or group for group in groups]
    return [
        replace(group[0], logs=np.mean([member.logs for member in group], axis=0)) if len(group) > 1 else group[0]
        for group in framed
    ]


def _is_same_index(one: Reading, earlier: Reading) -> bool:
    """Whether a reading is centred on the ink of an earlier one, read alike if that is far larger."""
    reach = max(_reach(one.quad), _reach(earlier.quad)) if one.card == earlier.card else _reach(one.quad)
    return math.dist(one.center, earlier.center) < reach


def one_per_card(readings: Sequence[Reading], share: float = USUAL_SHARE) -> list[Reading]:
    """Return one reading per card, with the card's outline: two opposite corners that read alike are one card.

    share: how long an index is over a card's width.
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


def is_size_of_others(card: Quad, others: Sequence[Quad]) -> bool:
    """Whether an outline told from an index is about as large as the nearest other card; true where there is none."""
    if not others:
        return True
    nearest = min(others, key=lambda other: float(np.hypot(*(other.mean(0) - card.mean(0)))))
    ratio = abs(cv2.contourArea(card)) / max(abs(cv2.contourArea(nearest)), 1.0)
    return _SIZE_RANGE[0] < ratio < _SIZE_RANGE[1]


def is_in_company(card: Quad, others: Sequence[Quad]) -> bool:
    """Whether a card of about the same size lies on, under or right beside the outline told from an index."""
    reach = float(np.hypot(*(card[2] - card[0])))
    area = max(abs(cv2.contourArea(card)), 1.0)
    return any(
        np.hypot(*(other.mean(0) - card.mean(0))) < reach
        and 1 / _COMPANY_RANGE < abs(cv2.contourArea(other)) / area < _COMPANY_RANGE
        for other in others
    )
