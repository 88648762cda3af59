"""Where the players sit, learnt from the directions that their arms come from: a ring with unknown turn and gaps.

The players' order is known, clockwise as seen from above, and so is the order of their directions in the picture. Each
arm whose owner is certain teaches its seat. A seat that was never seen is looked for between its neighbours.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

_UNSEEN_SHARE = 0.7
"""How much of an unseen seat's density lies about the even place between its neighbours; the rest lies anywhere."""

_UNSEEN_GAPS = 0.5
"""How far an unseen seat strays from there (standard deviation), in gaps between neighbours: few tables are round."""

_LEAST_SPREAD, _MOST_SPREAD = 5.0, 22.0
"""Degrees within which one person's arms stray, left hand and right: less would trust a few like ones too much, more
would hold two neighbours for one person."""

_USUAL_SPREAD, _USUAL_WEIGHT = 11.0, 8.0
"""The spread expected before any was seen, in degrees, and how many arms that counts for."""

_MEMORY = 14.0
"""How many arms a seat remembers: chairs and cameras move little by little."""

_STRAY = 0.03
"""How often an arm comes from anywhere: a reach across the table, somebody standing up, another's errand."""

_PLACED = 6.0
"""How many arms it counts for when people say where somebody sits."""

_ENOUGH = 3.0
"""How many arms a seat has to be known by before directions may be said to be no help."""

_LEAST_TAUGHT = 0.1
"""What even a stray arm teaches: it may be the first from a new place."""

TAUGHT_BY_HAND = 3.0
"""How many arms it counts for when people say whose an arm was."""


_NEIGHBOURS = 25.0
"""Degrees that the nearest neighbours are taken to sit apart at least, of the 40 that are to be told apart."""

_SUGGESTED = 3.0
"""How many arms it counts for where a whole film's arms suggest that somebody sits somewhere."""


@dataclass(frozen=True, slots=True)
class Seat:
    """The arms of one player, as a sum of unit vectors: their number, and how far they reach right and up."""

    weight: float = 0.0
    right: float = 0.0
    up: float = 0.0

    @property
    def direction(self) -> float:
        """The mean direction, degrees clockwise from up; meaningless where the weight is 0."""
        return math.degrees(math.atan2(self.right, self.up)) % 360

    @property
    def scatter(self) -> float:
        """The variance about it, in square degrees, times the weight."""
        if self.weight <= 0:
            return 0.0
        length = min(1.0, max(1e-6, math.hypot(self.right, self.up) / self.weight))
        return -2 * math.log(length) * math.degrees(1) ** 2 * self.weight

    def plus(self, direction: float, weight: float) -> Seat:
        """Return the seat with arms added, or taken away where the weight is negative."""
        angle = math.radians(direction)
        total = self.weight + weight
        if total <= 1e-6:
            return Seat()
        right, up = self.right + weight * math.sin(angle), self.up + weight * math.cos(angle)
        fade = min(1.0, _MEMORY / total)
        return Seat(total * fade, right * fade, up * fade)


@dataclass(frozen=True, slots=True)
class Ring:
    """What is known of where everybody sits. `turned` counts how often all of it was given up and learnt anew."""

    seats: tuple[Seat, ...]
    turned: int = 0

    @property
    def seen(self) -> bool:
        """Whether any arm has been learnt from."""
        return any(seat.weight for seat in self.seats)

    @property
    def spread(self) -> float:
        """The standard deviation of one person's arms, in degrees."""
        scatter = sum(seat.scatter for seat in self.seats)
        degrees = sum(max(0.0, seat.weight - 1) for seat in self.seats)
        variance = (_USUAL_WEIGHT * _USUAL_SPREAD**2 + scatter) / (_USUAL_WEIGHT + degrees)
        return min(_MOST_SPREAD, max(_LEAST_SPREAD, math.sqrt(variance)))

    def densities(self, direction: float, spread: float) -> tuple[float, ...]:
        """Return per seat how likely its player's arm comes from there, per degree. spread: of the measurement."""
        own = self.spread**2 + spread**2
        found = []
        for place, seat in enumerate(self.seats):
            if seat.weight:
                near = _normal(_between(seat.direction, direction), math.sqrt(own * (1 + 1 / seat.weight)))
                found.append((1 - _STRAY) * near + _STRAY / 360)
            else:
                found.append(self._unseen(place, direction))
        return tuple(found)

    def is_stray(self, density: float) -> bool:
        """Return whether an arm of this density is likelier one from anywhere than one from its player's place."""
        return self.seen and density < 2 * _STRAY / 360

    def shares(self, direction: float, spread: float = 0.0) -> tuple[float, ...]:
        """Return per seat how likely the arm is its player's, nothing else being known."""
        found = self.densities(direction, spread)
        return tuple(each / sum(found) for each in found)

    def direction(self, place: int) -> float | None:
        """Return where a player's arms come from, degrees clockwise from up; None where they were never seen."""
        seat = self.seats[place]
        return seat.direction if seat.weight else None

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
        seats = list(self.seats)
        seats[place] = seats[place].plus(direction, weight)
        return replace(self, seats=tuple(seats))

    def teach(self, place: int, direction: float, spread: float) -> Ring:
        """Return the ring taught by an arm held to be this player's, the less the more it may be a stray one."""
        density = self.densities(direction, spread)[place]
        stray = (_STRAY if self.seats[place].weight else 1 - _UNSEEN_SHARE) / 360
        return self.learn(place, direction, max(_LEAST_TAUGHT, 1 - stray / density))

    def unlearn(self, place: int, direction: float) -> Ring:
        """Return the ring without an arm that was wrongly taken for this player's."""
        return self.learn(place, direction, -1.0) if self.seats[place].weight else self

    def put(self, place: int, direction: float) -> Ring:
        """Return the ring with this player placed there by hand."""
        seats = list(self.seats)
        seats[place] = Seat().plus(direction, _PLACED)
        return replace(self, seats=tuple(seats))

    def seated(self, before: Sequence[str], after: Sequence[str]) -> Ring:
        """Return the ring of the people `after`, each where they sat among those `before`; who is new, unseen."""
        known = dict(zip(before, self.seats, strict=True))
        return replace(self, seats=tuple(known.get(player, Seat()) for player in after))

    def anew(self) -> Ring:
        """Return a ring of which nothing is known: people have changed places, or the camera was turned."""
        return Ring((Seat(),) * len(self.seats), self.turned + 1)

    def _unseen(self, place: int, direction: float) -> float:
        count = len(self.seats)
        steps = range(1, count + 1)
        before = next((step for step in steps if self.seats[(place - step) % count].weight), None)
        after = next((step for step in steps if self.seats[(place + step) % count].weight), None)
        if before is None or after is None:
            return 1 / 360
        first = self.seats[(place - before) % count].direction
        arc = (self.seats[(place + after) % count].direction - first) % 360 or 360.0
        gap = arc / (before + after)
        strays = max(_USUAL_SPREAD, _UNSEEN_GAPS * gap * math.sqrt(min(before, after)))
        near = _normal(_between(first + before * gap, direction), strays)
        return _UNSEEN_SHARE * near + (1 - _UNSEEN_SHARE) / 360


_TELLING = 0.6
"""The mean certainty below which directions are no help: with three players on one side it is little over a third."""


def unknown(players: int) -> Ring:
    """Return the ring of so many players before anybody was seen."""
    return Ring((Seat(),) * players)


def seatings(players: int, directions: Sequence[float]) -> Iterator[Ring]:
    """Yield each turn of the ring that these arms of all players suggest; none where they tell no seats.

    The seats are the highest peaks of the directions' density (a kernel estimate as wide as one person's arms stray),
    no two nearer than neighbours sit. directions: degrees clockwise from up.
    """
    density = [sum(_normal(_between(arm, place), _USUAL_SPREAD) for arm in directions) for place in range(360)]
    peaks: list[float] = []
    for place in sorted(range(360), key=lambda place: -density[place]):
        if len(peaks) < players and all(abs(_between(place, peak)) >= _NEIGHBOURS for peak in peaks):
            peaks.append(float(place))
    # A place that fewer arms came from than one is nobody's.
    if len(peaks) < players or density[int(peaks[-1])] < _normal(0.0, _USUAL_SPREAD):
        return
    around = sorted(peaks)
    for turn in range(players):
        yield Ring(tuple(Seat().plus(around[(place + turn) % players], _SUGGESTED) for place in range(players)))


def _between(one: float, other: float) -> float:
    """Return the angle between two directions, in degrees."""
    return abs((one - other + 180) % 360 - 180)


def _normal(distance: float, spread: float) -> float:
    return math.exp(-0.5 * (distance / spread) ** 2) / (spread * math.sqrt(2 * math.pi))
