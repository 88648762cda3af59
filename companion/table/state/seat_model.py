"""Learns where the players sit from the directions their arms come from: a ring with unknown rotation and gaps.

The players' order is known, clockwise seen from above, and so is the order of directions in the picture. Each arm
attributed to a player updates that seat; no single arm can rotate the ring, because a seat is the densest cluster of
its arms. A player who was never seen is expected between the neighbours.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

_UNSEEN_SHARE = 0.7
"""Share of an unseen seat's density around the midpoint between its neighbours; the rest is uniform."""

_UNSEEN_GAPS = 0.5
"""Standard deviation of an unseen seat around that midpoint, in gaps between neighbours: few tables are round."""

_MIN_SPREAD, _MAX_SPREAD = 5.0, 22.0
"""Range in degrees for the spread of one person's arms, left and right hand: less would overrate a few similar ones,
more would merge neighbours.
"""

_USUAL_SPREAD, _USUAL_WEIGHT = 11.0, 8.0
"""Expected spread in degrees before any arm was seen, and its weight in arms."""

_NEAR = 27.0
"""Radius of a cluster in degrees, two and a half times the usual spread: arms farther away were another person's, a
reach across the table, or the player has moved.
"""

_MEMORY = 14.0
"""Number of arms a seat remembers: chairs and cameras move gradually."""

_FORGOTTEN = 0.15
"""Weight below which an old arm is dropped."""

_STRAY_SHARE = 0.03
"""Share of arms from any direction: reaching across, standing up, errands."""

_UNSURE_ARM = 0.1
"""Prior number of arms from any direction per seat: the first one may have been another person's."""

_PLACED = 6.0
"""Weight in arms of a seat set by people."""

_WEIGHT_AFTER_KNOCK = 0.5
"""Weight in arms of a seat after the camera was knocked: the next arm outweighs it."""

_MIN_ARMS = 3.0
"""Number of arms per seat from which directions may be reported as unhelpful."""

_MIN_LEARNT_WEIGHT = 0.3
"""Minimum weight of a stray arm: it may be the first one from a new place."""

_STATED_WEIGHT = 3.0
"""Weight in arms of people's statement whose an arm was, if it is not another seen player's."""

_OTHERS_ARM = 0.05
"""Probability that the reported arm belonged to another player, resting or on an errand: 3 to 9 of 100 landings in
simulated matches.
"""


@dataclass(frozen=True, slots=True)
class ArmCluster:
    """A cluster of arms from about one direction.

    middle: its centre in degrees. weight: its weight. scatter: variance times weight. about: the arm with all others
    within the radius.
    """

    middle: float = 0.0
    weight: float = 0.0
    scatter: float = 0.0
    about: float = 0.0


@dataclass(frozen=True, slots=True)
class Seat:
    """The remembered arms of one player, and their densest cluster.

    arms: oldest first, pairs of direction (degrees) and weight. weight: their total weight.
    """

    arms: tuple[tuple[float, float], ...] = ()
    weight: float = 0.0
    bunch: ArmCluster = ArmCluster()

    def density(self, direction: float, own: float) -> float:
        """Return the probability density per degree of an arm of this player. own: spread of the arms in degrees."""
        found, bunch = _UNSURE_ARM / 360, self.bunch
        if bunch.weight:
            off = between(bunch.middle, direction)
            found += bunch.weight * _normal(off, own * math.sqrt(1 + 1 / bunch.weight))
        if self.weight > bunch.weight + 1e-6:
            for arm, weight in self.arms:
                if between(arm, bunch.about) > _NEAR:
                    found += weight * _normal(between(arm, direction), own * math.sqrt(2))
        return (1 - _STRAY_SHARE) * found / (_UNSURE_ARM + self.weight) + _STRAY_SHARE / 360

    def plus(self, direction: float, weight: float) -> Seat:
        """Return the seat with arms added."""
        fade = min(1.0, _MEMORY / (self.weight + weight))
        kept = [(arm, old * fade) for arm, old in self.arms if old * fade >= _FORGOTTEN]
        # The cluster stays the densest, or the new arm's is: no other has grown.
        return _remembering([*kept, (direction % 360, weight)], (direction % 360, self.bunch.about))

    def times(self, share: float) -> Seat:
        """Return the seat with the weights of its arms scaled."""
        return seat_of([(arm, weight * share) for arm, weight in self.arms])

    def minus(self, direction: float) -> Seat:
        """Return the seat without the arm nearest to this direction."""
        nearest = min(self.arms, key=lambda arm: between(arm[0], direction), default=None)
        return seat_of([arm for arm in self.arms if arm is not nearest])


def seat_of(arms: Sequence[tuple[float, float]], about: float | None = None) -> Seat:
    """Return the seat with these arms, oldest first: pairs of direction (degrees) and weight.

    about: the arm known to be in the densest cluster, in degrees; None if unknown.
    """
    return _remembering(arms, [direction for direction, _ in reversed(arms)] if about is None else [about])


def _remembering(arms: Sequence[tuple[float, float]], middles: Iterable[float]) -> Seat:
    """Return the seat of these arms with the densest cluster around one of these directions; the first one on a tie."""
    height, thickest = 0.0, ArmCluster()
    for middle in middles:
        near = [(off, weight) for arm, weight in arms if abs(off := (arm - middle + 180) % 360 - 180) <= _NEAR]
        # Nearer arms count more, so that the cluster is centred on its middle.
        found = sum(weight * (1 - 0.5 * abs(off) / _NEAR) for off, weight in near)
        if found > height + 1e-9:
            weight = sum(weight for _, weight in near)
            mean = sum(off * weight for off, weight in near) / weight
            scatter = sum(weight * (off - mean) ** 2 for off, weight in near)
            height, thickest = found, ArmCluster((middle + mean) % 360, weight, scatter, middle)
    return Seat(tuple(arms), sum(weight for _, weight in arms), thickest)


@dataclass(frozen=True)
class SeatRing:
    """Knowledge about all seats. `turned` counts how often it was discarded and relearned."""

    seats: tuple[Seat, ...]
    turned: int = 0

    @property
    def seen(self) -> bool:
        """Whether any arm has been learnt from."""
        return any(seat.arms for seat in self.seats)

    @cached_property
    def spread(self) -> float:
        """Standard deviation of one person's arms in degrees."""
        scatter = sum(seat.bunch.scatter for seat in self.seats)
        degrees = sum(max(0.0, seat.bunch.weight - 1) for seat in self.seats)
        variance = (_USUAL_WEIGHT * _USUAL_SPREAD**2 + scatter) / (_USUAL_WEIGHT + degrees)
        return min(_MAX_SPREAD, max(_MIN_SPREAD, math.sqrt(variance)))

    def density(self, place: int, direction: float, spread: float) -> float:
        """Return the probability density per degree of an arm of the player in this seat.

        spread: of the measurement, in degrees.
        """
        seat = self.seats[place]
        return seat.density(direction, math.hypot(self.spread, spread)) if seat.arms else self._unseen(place, direction)

    def densities(self, direction: float, spread: float) -> tuple[float, ...]:
        """Return the densities of all seats."""
        return tuple(self.density(place, direction, spread) for place in range(len(self.seats)))

    def is_stray(self, density: float) -> bool:
        """Return whether an arm with this density is probably not from its player's place."""
        return self.seen and density < 4 * _STRAY_SHARE / 360

    def shares(self, direction: float, spread: float = 0.0) -> tuple[float, ...]:
        """Return per seat the probability that the arm is its player's, without other evidence."""
        found = self.densities(direction, spread)
        return tuple(each / sum(found) for each in found)

    def direction(self, place: int) -> float | None:
        """Return the direction of a player's arms, degrees clockwise from up; None if never seen."""
        seat = self.seats[place]
        return seat.bunch.middle if seat.arms else None

    def certainty(self, place: int) -> float:
        """Return the probability that an arm from this seat's centre is attributed to its player."""
        direction = self.direction(place)
        return 0.0 if direction is None else self.shares(direction)[place]

    @property
    def is_informative(self) -> bool:
        """Whether directions distinguish players: not before arms were seen, or if all sit on one side."""
        known = [place for place, seat in enumerate(self.seats) if seat.weight >= 1]
        return len(known) > 1 and sum(map(self.certainty, known)) / len(known) >= _MIN_CERTAINTY

    @property
    def is_uninformative(self) -> bool:
        """Whether enough arms were seen to conclude that directions do not distinguish players."""
        return sum(seat.weight >= _MIN_ARMS for seat in self.seats) > 1 and not self.is_informative

    def learn(self, place: int, direction: float, weight: float = 1.0) -> SeatRing:
        """Return the ring updated by an arm of the player in this seat."""
        return self._with(place, self.seats[place].plus(direction, weight))

    def teach(self, place: int, direction: float, spread: float) -> SeatRing:
        """Return the ring updated by an arm attributed to this player, with less weight the more likely it is a stray
        one.
        """
        density = self.density(place, direction, spread)
        stray = (_STRAY_SHARE if self.seats[place].arms else 1 - _UNSEEN_SHARE) / 360
        return self.learn(place, direction, max(_MIN_LEARNT_WEIGHT, 1 - stray / density))

    def corrected_by_players(self, place: int, direction: float, spread: float) -> SeatRing:
        """Return the ring updated by people's statement that this player did what this arm was reported for.

        The player may have moved; or the arm belonged to another player known to sit there.
        """
        own = (1 - _OTHERS_ARM) * (self.density(place, direction, spread) - _STRAY_SHARE / 360)
        others = [each for seat, each in enumerate(self.densities(direction, spread)) if seat != place]
        others_share = _OTHERS_ARM * sum(others) / len(others)
        return self.learn(place, direction, _STATED_WEIGHT * own / (own + others_share))

    def unlearn(self, place: int, direction: float) -> SeatRing:
        """Return the ring without an arm wrongly attributed to this player."""
        return self._with(place, self.seats[place].minus(direction))

    def put(self, place: int, direction: float) -> SeatRing:
        """Return the ring with this player placed by hand."""
        return self._with(place, Seat().plus(direction, _PLACED))

    def seated(self, before: Sequence[str], after: Sequence[str]) -> SeatRing:
        """Return the ring of the people `after`, each where they sat among `before`; new people are unseen."""
        known = dict(zip(before, self.seats, strict=True))
        return replace(self, seats=tuple(known.get(player, Seat()) for player in after))

    def less_certain(self) -> SeatRing:
        """Return the ring with reduced weights: it holds until arms from elsewhere arrive."""
        return replace(
            self,
            seats=tuple(seat.times(_WEIGHT_AFTER_KNOCK / max(_WEIGHT_AFTER_KNOCK, seat.weight)) for seat in self.seats),
        )

    def reset(self) -> SeatRing:
        """Return a ring without knowledge: people changed places, or the camera was turned."""
        return SeatRing((Seat(),) * len(self.seats), self.turned + 1)

    def _with(self, place: int, seat: Seat) -> SeatRing:
        return replace(self, seats=(*self.seats[:place], seat, *self.seats[place + 1 :]))

    def _unseen(self, place: int, direction: float) -> float:
        count = len(self.seats)
        steps = range(1, count + 1)
        before = next((step for step in steps if self.seats[(place - step) % count].arms), None)
        after = next((step for step in steps if self.seats[(place + step) % count].arms), None)
        if before is None or after is None:
            return 1 / 360
        first = self.seats[(place - before) % count].bunch.middle
        arc = (self.seats[(place + after) % count].bunch.middle - first) % 360 or 360.0
        gap = arc / (before + after)
        strays = max(_USUAL_SPREAD, _UNSEEN_GAPS * gap * math.sqrt(min(before, after)))
        near = _normal(between(first + before * gap, direction), strays)
        return _UNSEEN_SHARE * near + (1 - _UNSEEN_SHARE) / 360


_MIN_CERTAINTY = 0.6
"""Mean certainty below which directions are unhelpful: with three players on one side it is slightly over a third."""


def unknown(players: int) -> SeatRing:
    """Return the ring of this many players before anybody was seen."""
    return SeatRing((Seat(),) * players)


def between(one: float, other: float) -> float:
    """Return the angle between two directions in degrees."""
    return abs((one - other + 180) % 360 - 180)


def _normal(distance: float, spread: float) -> float:
    return math.exp(-0.5 * (distance / spread) ** 2) / (spread * math.sqrt(2 * math.pi))
