"""Where the players sit, learnt from the directions that their arms come from: a ring with unknown turn and gaps.

The players' order is known, clockwise as seen from above, and so is the order of their directions in the picture. Each
arm held to be a player's teaches that seat, and no single one may turn it: a seat is where its arms are thickest. One
that was never seen is looked for between its neighbours.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

_UNSEEN_SHARE = 0.7
"""How much of an unseen seat's density lies about the even place between its neighbours; the rest lies anywhere."""

_UNSEEN_GAPS = 0.5
"""How far an unseen seat strays from there (standard deviation), in gaps between neighbours: few tables are round."""

_LEAST_SPREAD, _MOST_SPREAD = 5.0, 22.0
"""Degrees within which one person's arms stray, left hand and right: less would trust a few like ones too much, more
would hold two neighbours for one person."""

_USUAL_SPREAD, _USUAL_WEIGHT = 11.0, 8.0
"""The spread expected before any was seen, in degrees, and how many arms that counts for."""

_NEAR = 27.0
"""Degrees from a seat's middle within which its arms are of one bunch, two and a half times the usual spread: what lies
further off was another's hand, a reach across the table, or is where the player sits by now."""

_MEMORY = 14.0
"""How many arms a seat remembers: chairs and cameras move little by little."""

_FORGOTTEN = 0.15
"""The weight under which an old arm is dropped."""

_STRAY = 0.03
"""How often an arm comes from anywhere: a reach across the table, somebody standing up, another's errand."""

_UNSURE = 0.1
"""How many arms from anywhere each seat is held to have been seen by: the first may well have been another's hand."""

_PLACED = 6.0
"""How many arms it counts for when people say where somebody sits."""

_SHAKEN = 0.5
"""For how many arms a seat counts after a knock at the camera: the next arm outweighs it."""

_ENOUGH = 3.0
"""How many arms a seat has to be known by before directions may be said to be no help."""

_LEAST_TAUGHT = 0.3
"""What even a stray arm teaches: it may be the first from a new place."""

_SAID = 3.0
"""How many arms it counts for when people say whose an arm was, as far as it was no other's that was seen there."""

_ANOTHERS = 0.05
"""How often the arm that is told of was another's, who rested a hand there or came for something else: three to nine of
a hundred landings in simulated matches."""


@dataclass(frozen=True, slots=True)
class Bunch:
    """Arms that come from about one place.

    middle: of them, degrees. weight: theirs. scatter: their variance times that. about: the one near which all are.
    """

    middle: float = 0.0
    weight: float = 0.0
    scatter: float = 0.0
    about: float = 0.0


@dataclass(frozen=True, slots=True)
class Seat:
    """The arms of one player as they are remembered, and the thickest bunch of them.

    arms: the oldest first, pairs of direction (degrees) and weight. weight: how many they count for.
    """

    arms: tuple[tuple[float, float], ...] = ()
    weight: float = 0.0
    bunch: Bunch = Bunch()

    def density(self, direction: float, own: float) -> float:
        """Return how likely its player's arm comes from there, per degree. own: the spread of such arms, in degrees."""
        found, bunch = _UNSURE / 360, self.bunch
        if bunch.weight:
            off = between(bunch.middle, direction)
            found += bunch.weight * _normal(off, own * math.sqrt(1 + 1 / bunch.weight))
        if self.weight > bunch.weight + 1e-6:
            for arm, weight in self.arms:
                if between(arm, bunch.about) > _NEAR:
                    found += weight * _normal(between(arm, direction), own * math.sqrt(2))
        return (1 - _STRAY) * found / (_UNSURE + self.weight) + _STRAY / 360

    def plus(self, direction: float, weight: float) -> Seat:
        """Return the seat with arms added."""
        fade = min(1.0, _MEMORY / (self.weight + weight))
        kept = [(arm, old * fade) for arm, old in self.arms if old * fade >= _FORGOTTEN]
        # The bunch stays the thickest, or the newcomer's is: no other has grown.
        return _remembering([*kept, (direction % 360, weight)], (direction % 360, self.bunch.about))

    def times(self, share: float) -> Seat:
        """Return the seat whose arms count so much less."""
        return seat_of([(arm, weight * share) for arm, weight in self.arms])

    def minus(self, direction: float) -> Seat:
        """Return the seat without the arm that is nearest to this direction."""
        nearest = min(self.arms, key=lambda arm: between(arm[0], direction), default=None)
        return seat_of([arm for arm in self.arms if arm is not nearest])


def seat_of(arms: Sequence[tuple[float, float]], about: float | None = None) -> Seat:
    """Return the seat that remembers these arms, the oldest first: pairs of direction (degrees) and weight.

    about: the arm of them that is known to have the thickest bunch near it, in degrees; None where none is known to.
    """
    return _remembering(arms, [direction for direction, _ in reversed(arms)] if about is None else [about])


def _remembering(arms: Sequence[tuple[float, float]], middles: Iterable[float]) -> Seat:
    """Return the seat of these arms, whose thickest bunch lies about one of these directions, the first of equals."""
    height, thickest = 0.0, Bunch()
    for middle in middles:
        near = [(off, weight) for arm, weight in arms if abs(off := (arm - middle + 180) % 360 - 180) <= _NEAR]
        # Nearer ones count more, so that the bunch is taken about its middle and not at its rim.
        found = sum(weight * (1 - 0.5 * abs(off) / _NEAR) for off, weight in near)
        if found > height + 1e-9:
            weight = sum(weight for _, weight in near)
            mean = sum(off * weight for off, weight in near) / weight
            scatter = sum(weight * (off - mean) ** 2 for off, weight in near)
            height, thickest = found, Bunch((middle + mean) % 360, weight, scatter, middle)
    return Seat(tuple(arms), sum(weight for _, weight in arms), thickest)


@dataclass(frozen=True)
class Ring:
    """What is known of where everybody sits. `turned` counts how often all of it was given up and learnt anew."""

    seats: tuple[Seat, ...]
    turned: int = 0

    @property
    def seen(self) -> bool:
        """Whether any arm has been learnt from."""
        return any(seat.arms for seat in self.seats)

    @cached_property
    def spread(self) -> float:
        """The standard deviation of one person's arms, in degrees."""
        scatter = sum(seat.bunch.scatter for seat in self.seats)
        degrees = sum(max(0.0, seat.bunch.weight - 1) for seat in self.seats)
        variance = (_USUAL_WEIGHT * _USUAL_SPREAD**2 + scatter) / (_USUAL_WEIGHT + degrees)
        return min(_MOST_SPREAD, max(_LEAST_SPREAD, math.sqrt(variance)))

    def density(self, place: int, direction: float, spread: float) -> float:
        """Return how likely an arm of the player in this seat comes from there, per degree.

        spread: of the measurement, in degrees.
        """
        seat = self.seats[place]
        return seat.density(direction, math.hypot(self.spread, spread)) if seat.arms else self._unseen(place, direction)

    def densities(self, direction: float, spread: float) -> tuple[float, ...]:
        """Return that of every seat."""
        return tuple(self.density(place, direction, spread) for place in range(len(self.seats)))

    def is_stray(self, density: float) -> bool:
        """Return whether an arm of this density is hardly one from its player's place: it may be from anywhere."""
        return self.seen and density < 4 * _STRAY / 360

    def shares(self, direction: float, spread: float = 0.0) -> tuple[float, ...]:
        """Return per seat how likely the arm is its player's, nothing else being known."""
        found = self.densities(direction, spread)
        return tuple(each / sum(found) for each in found)

    def direction(self, place: int) -> float | None:
        """Return where a player's arms come from, degrees clockwise from up; None where they were never seen."""
        seat = self.seats[place]
        return seat.bunch.middle if seat.arms else None

    def certainty(self, place: int) -> float:
        """Return how surely an arm from this seat's middle is told to be its player's, 0 to 1."""
        direction = self.direction(place)
        return 0.0 if direction is None else self.shares(direction)[place]

    @property
    def tells(self) -> bool:
        """Whether directions tell players apart at all: not where nobody was seen, or all sit on one side."""
        known = [place for place, seat in enumerate(self.seats) if seat.weight >= 1]
        return len(known) > 1 and sum(map(self.certainty, known)) / len(known) >= _TELLING

    @property
    def tells_nothing(self) -> bool:
        """Whether enough was seen to say that directions do not tell players apart."""
        return sum(seat.weight >= _ENOUGH for seat in self.seats) > 1 and not self.tells

    def learn(self, place: int, direction: float, weight: float = 1.0) -> Ring:
        """Return the ring taught by an arm of the player in this seat."""
        return self._with(place, self.seats[place].plus(direction, weight))

    def teach(self, place: int, direction: float, spread: float) -> Ring:
        """Return the ring taught by an arm held to be this player's, the less the more it may be a stray one."""
        density = self.density(place, direction, spread)
        stray = (_STRAY if self.seats[place].arms else 1 - _UNSEEN_SHARE) / 360
        return self.learn(place, direction, max(_LEAST_TAUGHT, 1 - stray / density))

    def taught_by_hand(self, place: int, direction: float, spread: float) -> Ring:
        """Return the ring taught by what people said this player did, which this arm was told of.

        It may be that player's from a new place; or one from where another is known to sit was that other's.
        """
        own = (1 - _ANOTHERS) * (self.density(place, direction, spread) - _STRAY / 360)
        others = [each for seat, each in enumerate(self.densities(direction, spread)) if seat != place]
        anothers = _ANOTHERS * sum(others) / len(others)
        return self.learn(place, direction, _SAID * own / (own + anothers))

    def unlearn(self, place: int, direction: float) -> Ring:
        """Return the ring without an arm that was wrongly taken for this player's."""
        return self._with(place, self.seats[place].minus(direction))

    def put(self, place: int, direction: float) -> Ring:
        """Return the ring with this player placed there by hand."""
        return self._with(place, Seat().plus(direction, _PLACED))

    def seated(self, before: Sequence[str], after: Sequence[str]) -> Ring:
        """Return the ring of the people `after`, each where they sat among those `before`; who is new, unseen."""
        known = dict(zip(before, self.seats, strict=True))
        return replace(self, seats=tuple(known.get(player, Seat()) for player in after))

    def loosened(self) -> Ring:
        """Return the ring with what is remembered counting for little: it holds until arms from elsewhere come."""
        return replace(self, seats=tuple(seat.times(_SHAKEN / max(_SHAKEN, seat.weight)) for seat in self.seats))

    def anew(self) -> Ring:
        """Return a ring of which nothing is known: people have changed places, or the camera was turned."""
        return Ring((Seat(),) * len(self.seats), self.turned + 1)

    def _with(self, place: int, seat: Seat) -> Ring:
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


_TELLING = 0.6
"""The mean certainty below which directions are no help: with three players on one side it is little over a third."""


def unknown(players: int) -> Ring:
    """Return the ring of so many players before anybody was seen."""
    return Ring((Seat(),) * players)


def between(one: float, other: float) -> float:
    """Return the angle between two directions, in degrees."""
    return abs((one - other + 180) % 360 - 180)


def _normal(distance: float, spread: float) -> float:
    return math.exp(-0.5 * (distance / spread) ** 2) / (spread * math.sqrt(2 * math.pi))
