"""Locates the draw pile: by objects that look like card backs, and by where hands go without laying a card."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from companion.vision.arms.frame_border import Point
from companion.vision.arms.hand_visits import Spot
from companion.vision.core.events import PileKind
from companion.vision.core.geometry import CARD_MARGIN, CARD_RADIUS, CARD_SIDE, CARD_WIDTH, Quad, aspect, portrait
from companion.vision.core.sightings import Back
from companion.vision.imaging.durations import ARM_PATIENCE, ARRANGEMENT, HAND_PATIENCE
from companion.vision.imaging.zone import Zone, length_of
from companion.vision.pile.pile_state import REMEMBERED, Region
from companion.vision.tracking.camera_advice import Visibility

# Maximum length of a back relative to the discard pile's cards, and of these relative to a back.
_MAX_LENGTH_RATIO = 1.5
SAME_BACK_DISTANCE = CARD_WIDTH / 2
"""Distance in card lengths within which detected backs are one. Hands within it count fully, others less."""
# Evidence from hands required for a place without a back: two from two sides, or three from one; and for it to count as
# in view, two from each of four sides, as hands that go beyond the border seem to end before it.
_MIN_EVIDENCE, _MIN_EVIDENCE_IN_VIEW = 1.35, 4.0
# Weight of searches relative to as many hands from one side, as hands rest anywhere.
_SEARCH_WEIGHT = 2.0
# Number of searches that decide whether the draw pile is in view, and minimum share in which a back must be detected.
_DECISIVE_SEARCHES, _MIN_SEEN_SHARE = 5, 0.25


class DrawPile:
    """Locates the draw pile. region: fixed location given by the user."""

    def __init__(self, region: Region | None = None) -> None:
        self._region = region
        self._backs: list[_BackCandidate] = []
        self._visits: list[_Visit] = []
        self._excluded: set[int] = set()
        self._found: Point | None = None
        self._searches = 0
        self._next_search = 0.0
        self._pause = HAND_PATIENCE

    def spot(self, zone: Zone) -> Spot | None:
        """Return its location, None while unknown. zone: the discard pile's."""
        if self._region is not None:
            x, y, width, height = self._region
            return Spot(PileKind.DRAW, np.array([x + width / 2, y + height / 2]), zone.length)
        return None if self._found is None else Spot(PileKind.DRAW, self._found, zone.length)

    def visibility(self, zone: Zone, size: tuple[int, int]) -> Visibility | None:
        """Return the visible share of its back or of where hands surely go, None while unknown. size: width, height."""
        spot = self.spot(zone)
        if self._region is None:
            back = self._chosen_back(zone)
            if back is not None and back.count >= _MIN_SEEN_SHARE * self._searches:
                return Visibility.of(back.quad, *size, (CARD_SIDE * zone.length) ** 2)
            if self._searches < _DECISIVE_SEARCHES:
                return None
            if spot is None or self._hand_evidence(spot.middle, zone) < _MIN_EVIDENCE_IN_VIEW:
                return Visibility(0.0)
        assert spot is not None
        return Visibility.of(square_at(spot), *size)

    def is_search_due(self, time: float, arms: bool = False) -> bool:
        """Whether to search for backs again. arms: whether arms are present, which postpones the search for a while."""
        return self._region is None and time >= self._next_search + ARM_PATIENCE * arms

    def add_backs(self, backs: Sequence[Back], zone: Zone, time: float, size: tuple[int, int] | None = None) -> None:
        """Process the card backs that a search of the whole picture found. size: its width and height."""
        self._next_search, self._pause = time + self._pause, min(ARRANGEMENT, 2 * self._pause)
        self._searches += 1
        for back in sorted(backs, key=lambda back: -back.score):
            card = has_card_size(back.quad, zone.length)
            cut = size is not None and _is_cut(back.quad, zone.length, size)
            # An object cut by the border has no card shape, and hands are seen only in front of it.
            middle = np.clip(back.quad.mean(0).astype(np.float64), 0, np.inf if size is None else size)
            distance = float(np.hypot(*(middle - (zone.x, zone.y)))) / zone.length
            if (card or cut) and distance >= CARD_RADIUS:
                place = _BackCandidate(back.quad, middle, distance, self._searches, 1, back.score if card else 0.0)
                self._merge(place, zone.length)
        self._choose(zone)

    def add_visit(self, place: Point, zone: Zone, side: int | None = None, track: int | None = None) -> None:
        """Record a place visited by the hand of a track. side: where it came from, None for one of its own."""
        distance = float(np.hypot(*(place - (zone.x, zone.y)))) / zone.length
        if distance >= CARD_RADIUS:
            self._visits = [*self._visits[1 - REMEMBERED :], _Visit(place, side, track)]
            self._choose(zone)

    def exclude(self, track: int) -> None:
        """Record that an arm worked at the discard pile: its other positions carry no evidence."""
        self._excluded.add(track)

    def reset(self) -> None:
        """Reset after the camera moved."""
        self._backs, self._visits, self._found = [], [], None
        self._searches, self._next_search, self._pause = 0, 0.0, HAND_PATIENCE

    def _merge(self, place: _BackCandidate, length: float) -> None:
        """Add a back that a search has found, to a known one if that is near."""
        distances = [float(np.hypot(*(known.middle - place.middle))) for known in self._backs]
        if min(distances, default=np.inf) > SAME_BACK_DISTANCE * length:
            self._backs.append(place)
            return
        known = self._backs[int(np.argmin(distances))]
        if known.last_search < place.last_search:  # Otherwise it is a duplicate box.
            known.last_search = place.last_search
            known.count += 1
            known.score += place.score

    def _chosen_back(self, zone: Zone) -> _BackCandidate | None:
        """Return the back at the assumed draw pile, the most frequent one if there are several."""
        if self._found is None:
            return None
        near = [b for b in self._backs if float(np.hypot(*(b.middle - self._found))) <= CARD_RADIUS * zone.length]
        return max(near, key=lambda back: back.count, default=None)

    def _visits_near(self, place: Point, zone: Zone) -> list[_Visit]:
        visits = (visit for visit in self._visits if visit.track not in self._excluded)
        return [v for v in visits if float(np.hypot(*(v.place - place))) <= CARD_RADIUS * zone.length]

    def _hand_evidence(self, place: Point, zone: Zone, bare: bool = True) -> float:
        """Return the evidence of hands for a place. At one that is not bare, distant hands count less."""
        sides: defaultdict[int, float] = defaultdict(float)
        for visit in self._visits_near(place, zone):
            distance = float(np.hypot(*(visit.place - place))) / zone.length
            near = min(1.0, (CARD_RADIUS - distance) / (CARD_RADIUS - SAME_BACK_DISTANCE))
            sides[id(visit) if visit.side is None else visit.side] += 1.0 if bare else near
        # One player's hand may rest at a place all evening; everybody goes to the draw pile.
        return sum(float(np.log1p(share)) for share in sides.values())

    def _search_evidence(self, place: _BackCandidate) -> float:
        """Return the evidence of searches for a back."""
        share = min(1.0, place.count / max(1, self._searches))
        return _SEARCH_WEIGHT * float(np.log1p(place.count)) * share * place.score / place.count

    def _choose(self, zone: Zone) -> None:
        """Choose the place with most evidence from hands, sides and searches, then the nearest."""

        def hands(place: Point) -> float:
            return self._hand_evidence(place, zone)

        def total(back: _BackCandidate) -> float:
            return self._hand_evidence(back.middle, zone, bare=False) + self._search_evidence(back)

        places = [visit.place for visit in self._visits if visit.track not in self._excluded]
        best = max(places, key=hands, default=None)
        back = max(self._backs, key=lambda back: (total(back), -back.distance), default=None)
        highest, self._found = (0.0, None) if back is None else (total(back), back.middle)
        if best is not None and hands(best) >= max(highest, _MIN_EVIDENCE):
            self._found = np.asarray(np.median([v.place for v in self._visits_near(best, zone)], axis=0), np.float64)


def square_at(spot: Spot) -> Quad:
    """Return the (4, 2) square with a card's area around a pile's middle."""
    half = spot.length * CARD_SIDE / 2
    return np.asarray(spot.middle + np.array([[-half, -half], [half, -half], [half, half], [-half, half]]), np.float32)


@dataclass(eq=False)
class _BackCandidate:
    """A possible back: first outline, distance in card lengths, searches that found it, sum of its scores."""

    quad: Quad
    middle: Point
    distance: float
    last_search: int
    count: int
    score: float


@dataclass(frozen=True, eq=False)
class _Visit:
    place: Point
    side: int | None
    track: int | None


def _is_cut(quad: Quad, length: float, size: tuple[int, int]) -> bool:
    """Whether the border cuts a possible card, so that its shape is unknown."""
    near = CARD_MARGIN * length  # Its outline ends there, as exactly as outlines are known.
    at_border = (quad < near).any() or (quad[:, 0] > size[0] - near).any() or (quad[:, 1] > size[1] - near).any()
    return bool(at_border and length / _MAX_LENGTH_RATIO / 2 <= length_of(quad) <= length * _MAX_LENGTH_RATIO)


def has_card_size(quad: Quad, length: float) -> bool:
    """Whether an outline may be a card of that length under any perspective."""
    has_length = length / _MAX_LENGTH_RATIO <= length_of(quad) <= length * _MAX_LENGTH_RATIO
    return has_length and aspect(portrait(quad)) >= CARD_WIDTH / _MAX_LENGTH_RATIO
