"""Locates the draw pile: by objects that look like card backs, and by where hands go without laying a card."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from companion.vision.arms.frame_border import Point
from companion.vision.arms.hand_visits import Spot
from companion.vision.core.events import PileKind
from companion.vision.core.geometry import CARD_MARGIN, CARD_RADIUS, CARD_SIDE, CARD_WIDTH, Quad, aspect, portrait
from companion.vision.core.sightings import Back
from companion.vision.imaging.motion import ARM_PATIENCE, ARRANGEMENT, HAND_PATIENCE, Zone, length_of
from companion.vision.pile.pile_state import REMEMBERED, Region
from companion.vision.tracking.camera_advice import InView

# Maximum length of a back relative to the discard pile's cards, and of these relative to a back, under perspective and
# with the pile's sides.
_MAX_LENGTH_RATIO = 1.5
ONE_BACK = CARD_WIDTH / 2
"""Distance in card lengths within which detected backs are one: boxes of one vary by a tenth, and a dark square of the
tablecloth boxed beside it is half a card away. Hands within it count fully, with less weight up to `CARD_RADIUS`.
"""
# Evidence from hands required for a place without a back: two from two sides, or three from one.
_MIN_EVIDENCE = 1.35
# Weight of looks relative to as many hands from one side: an object that always looks like a back is one, while hands
# rest anywhere.
_LOOK_WEIGHT = 2.0
# Number of searches (half a minute) that decide whether the draw pile is in view, and minimum share in which a back
# must be detected: a third or more in 23 of 24 simulated matches with known and unknown designs.
_DECISIVE_LOOKS, _MIN_SEEN_SHARE = 5, 0.25
# Evidence from hands required for a place without a back to count as in view (two from each of four sides): hands that
# go beyond the border end before it and reached 1.6 within 75 s.
_MIN_EVIDENCE_IN_VIEW = 4.0


class DrawPile:
    """Locates the draw pile. region: fixed location given by the user."""

    def __init__(self, region: Region | None = None) -> None:
        self._given = region
        self._backs: list[_Place] = []
        self._visits: list[_Visit] = []
        self._busy: set[int] = set()
        self._found: Point | None = None
        self._looks = 0
        self._next_look = 0.0
        self._pause = HAND_PATIENCE

    def spot(self, zone: Zone) -> Spot | None:
        """Return its location, None while unknown. zone: the discard pile's."""
        if self._given is not None:
            x, y, width, height = self._given
            return Spot(PileKind.DRAW, np.array([x + width / 2, y + height / 2]), zone.length)
        return None if self._found is None else Spot(PileKind.DRAW, self._found, zone.length)

    def view(self, zone: Zone, size: tuple[int, int]) -> InView | None:
        """Return its visible share, None while unknown. size: the picture's width and height.

        With a detected back, the visible part of it; otherwise only strong evidence from hands counts as in view.
        """
        spot = self.spot(zone)
        if self._given is None:
            back = self._back_at(zone)
            if back is not None and back.count >= _MIN_SEEN_SHARE * self._looks:
                return InView.of(back.quad, *size, (CARD_SIDE * zone.length) ** 2)
            if self._looks < _DECISIVE_LOOKS:
                return None
            if spot is None or self._hands(spot.middle, zone) < _MIN_EVIDENCE_IN_VIEW:
                return InView(0.0)
        assert spot is not None
        return InView.of(square_at(spot), *size)

    def wants_look(self, time: float, arms: bool = False) -> bool:
        """Whether to search for backs again. arms: whether arms are present, which postpones the search.

        It is not postponed for longer, as hands of cards held in view are always present.
        """
        return self._given is None and time >= self._next_look + ARM_PATIENCE * arms

    def see_backs(self, backs: Sequence[Back], zone: Zone, time: float, size: tuple[int, int] | None = None) -> None:
        """Process card-back candidates of the whole picture.

        size: the picture's width and height in pixels.
        """
        self._next_look, self._pause = time + self._pause, min(ARRANGEMENT, 2 * self._pause)
        self._looks += 1
        for back in sorted(backs, key=lambda back: -back.score):
            card = is_a_card(back.quad, zone.length)
            cut = size is not None and _is_cut(back.quad, zone.length, size)
            # An object cut by the border has no card shape, which is no evidence.
            # If the border cuts it, hands are seen only in front of it.
            middle = np.clip(back.quad.mean(0).astype(np.float64), 0, np.inf if size is None else size)
            away = float(np.hypot(*(middle - (zone.x, zone.y)))) / zone.length
            if (card or cut) and away >= CARD_RADIUS:
                place = _Place(back.quad, middle, away, self._looks, 1, back.score if card else 0.0)
                self._note(place, zone.length)
        self._choose(zone)

    def visit(self, place: Point, zone: Zone, side: int | None = None, track: int | None = None) -> None:
        """Record the place a hand has visited. side: where it came from, None for a separate one; track: the arm's
        number.
        """
        away = float(np.hypot(*(place - (zone.x, zone.y)))) / zone.length
        if away >= CARD_RADIUS:
            self._visits = [*self._visits[1 - REMEMBERED :], _Visit(place, side, track)]
            self._choose(zone)

    def worked(self, track: int) -> None:
        """Record that an arm worked at the discard pile: its other positions carry no evidence."""
        self._busy.add(track)

    def forget(self) -> None:
        """Reset after the camera moved."""
        self._backs, self._visits, self._found = [], [], None
        self._looks, self._next_look, self._pause = 0, 0.0, HAND_PATIENCE

    def _note(self, place: _Place, length: float) -> None:
        away = [float(np.hypot(*(known.middle - place.middle))) for known in self._backs]
        number = int(np.argmin(away)) if away else 0
        if not away or away[number] > ONE_BACK * length:
            self._backs.append(place)
            return
        known = self._backs[number]
        if known.look == place.look:
            return  # Duplicate box.
        self._backs[number] = replace(known, look=place.look, count=known.count + 1, clear=known.clear + place.clear)

    def _back_at(self, zone: Zone) -> _Place | None:
        """Return the back at the assumed draw pile, the most frequent one if there are several."""
        if self._found is None:
            return None
        near = [b for b in self._backs if float(np.hypot(*(b.middle - self._found))) <= CARD_RADIUS * zone.length]
        return max(near, key=lambda back: back.count, default=None)

    def _near(self, place: Point, zone: Zone) -> list[_Visit]:
        visits = (visit for visit in self._visits if visit.track not in self._busy)
        return [v for v in visits if float(np.hypot(*(v.place - place))) <= CARD_RADIUS * zone.length]

    def _hands(self, place: Point, zone: Zone, bare: bool = True) -> float:
        """Return the evidence of hands for a place.

        bare: whether no object is seen there. Otherwise hands count less with their distance from its middle.
        """
        sides: defaultdict[int, float] = defaultdict(float)
        for visit in self._near(place, zone):
            away = float(np.hypot(*(visit.place - place))) / zone.length
            near = min(1.0, (CARD_RADIUS - away) / (CARD_RADIUS - ONE_BACK))
            sides[id(visit) if visit.side is None else visit.side] += 1.0 if bare else near
        # One player's hand may rest at a place all evening; everybody goes to the draw pile.
        return sum(float(np.log1p(share)) for share in sides.values())

    def _looks_tell(self, place: _Place) -> float:
        """Return the evidence of looks for a back."""
        share = min(1.0, place.count / max(1, self._looks))
        return _LOOK_WEIGHT * float(np.log1p(place.count)) * share * place.clear / place.count

    def _choose(self, zone: Zone) -> None:
        """Choose the place with most evidence from hands, sides and looks, then the nearest."""

        def hands(place: Point) -> float:
            return self._hands(place, zone)

        places = [visit.place for visit in self._visits if visit.track not in self._busy]
        best = max(places, key=hands, default=None)
        scores = [
            (self._hands(back.middle, zone, bare=False) + self._looks_tell(back), -back.away, back.middle)
            for back in self._backs
        ]
        highest, _, self._found = max(scores, key=lambda score: score[:2], default=(0.0, 0.0, None))
        if best is not None and hands(best) >= max(highest, _MIN_EVIDENCE):
            self._found = np.asarray(np.median([v.place for v in self._near(best, zone)], axis=0), np.float64)


def square_at(spot: Spot) -> Quad:
    """Return the (4, 2) square with a card's area around a pile's middle."""
    half = spot.length * CARD_SIDE / 2
    return np.asarray(spot.middle + np.array([[-half, -half], [half, -half], [half, half], [-half, half]]), np.float32)


@dataclass(frozen=True, eq=False)
class _Place:
    """A possible back: first outline, distance in card lengths, number of looks that found it.

    look: number of the last one. clear: sum of its back probabilities.
    """

    quad: Quad
    middle: Point
    away: float
    look: int
    count: int
    clear: float


@dataclass(frozen=True, eq=False)
class _Visit:
    place: Point
    side: int | None
    track: int | None


def _is_cut(quad: Quad, length: float, size: tuple[int, int]) -> bool:
    """Whether the border cuts a possible card, so that its shape is unknown."""
    near = CARD_MARGIN * length  # Its outline ends there, as exactly as outlines are known.
    at_rim = (quad < near).any() or (quad[:, 0] > size[0] - near).any() or (quad[:, 1] > size[1] - near).any()
    return bool(at_rim and length / _MAX_LENGTH_RATIO / 2 <= length_of(quad) <= length * _MAX_LENGTH_RATIO)


def is_a_card(quad: Quad, length: float) -> bool:
    """Whether an outline may be a card of that length under any perspective."""
    has_length = length / _MAX_LENGTH_RATIO <= length_of(quad) <= length * _MAX_LENGTH_RATIO
    return has_length and aspect(portrait(quad)) >= CARD_WIDTH / _MAX_LENGTH_RATIO
