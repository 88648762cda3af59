"""Where the draw pile lies: told by what looks like a back, and by where hands go and no card comes to lie."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from companion.vision.arms.frame_border import Point
from companion.vision.arms.hand_visits import Spot
from companion.vision.core.events import PileKind
from companion.vision.core.geometry import Quad
from companion.vision.core.sightings import Back
from companion.vision.imaging.motion import Zone, length_of
from companion.vision.pile.pile_tracker import Region
from companion.vision.tracking.camera_advice import InView

# A back is about as long as the cards of the discard pile, seen from a slant or with the pile's sides at most so much
# shorter or longer.
_SHORTEST, _LONGEST = 0.65, 1.5
# It lies beside the discard pile, neither on it nor at the far end of the table.
NEAREST, FARTHEST = 0.75, 6.0
"""How near it lies to the discard pile and how far from it, lengths of a card, middle to middle."""
# The same for what looks like a back: those of two cards that touch are a card's width apart, .65 of its length, which
# is told within a tenth.
_TOUCHING = 0.58
SAME_PLACE = 0.6
"""Two places nearer than this are the same one, in lengths of a card: fingers end here and there on a pile."""
ONE_BACK = 0.3
"""The same for what looks like a back: boxes of one stray by a tenth, and a dark square of the tablecloth that is boxed
beside it is half a card away. Hands within this tell all of it for a place, and less and less up to the other."""
# A back that was seen more often than this is no surer.
_OFTEN = 4
# What hands must tell of a place where no back is made out for it to be the draw pile: two from two sides do, or three
# from one; and one from a third side besides, where a back is made out elsewhere.
_TOLD, _TOLD_BESIDES = 1.35, 2.0
# How much more looks tell than as many hands from one side: what has looked like a back each time it was looked for is
# one, and hands rest anywhere.
_LOOKS_TELL = 2.0
# The piles lie side by side: what looks like a back farther away, in lengths of a card, tells so much of that.
_FAR, _IF_FAR = 2.2, 0.4
# What has a card's size and shape and looks like no back, as backs of decks never seen do, tells so much less; and what
# lies where no hand has gone, once so many hands have gone where another such thing lies, or from several sides to a
# bare place.
_SHAPE_TELLS, _NOBODY_TELLS, _GO_ELSEWHERE = 0.4, 0.5, 4
# What the rim cuts has no card's shape and tells what a bare shape does.
A_BACK = 0.15
"""What is less likely a card face down than this has a card's shape at most: of 191 draw piles outlined on 200 drawn
tables that the odds were not fitted on, half of them with other makers' backs, 96 in 100 had more, and of 969 other
things there 14 in 100."""
# What is so likely a back, and as large as the cards are, makes bare shapes needless: half of those draw piles were so,
# and none of the other things.
_SURELY_A_BACK = 0.95
# Sides of a card seen from above are as 1 to 1.55, from a slant anything about that.
_SLIMMEST, _SQUAREST = 2.3, 1.05
# Of a back of the table's own colour what is printed on it may be boxed alone, so much of a card's length long: that
# tells where the back lies, and no more than a bare shape does.
_PRINT = (0.3, 0.6)
# The same for what is known by its shape alone, as a card's, which many things have about as well: at a table seen from
# a slant cards looked as squat as 1 to 1.2.
_SHORTER, _LONGER, _SLIMMER, _SQUARER = 0.85, 1.2, 2.0, 1.15
# A hand that leaves with something has drawn: it tells so many times as much. By so many squares of a card's length it
# then hides more of the picture than on its way there, as 62 of 113 did that drew and 1 of 20 others.
_TAKES_TELLS, _TAKES = 2.0, 0.1
# Of hands that went somewhere so many are remembered.
_REMEMBERED = 60
# How near the picture's rim, in lengths of a card, what it cuts off ends.
_AT_RIM = 0.1
# Seconds between looks for backs: at first, and the longest that they are put off to.
_FIRST_PAUSE, _LONGEST_PAUSE = 2.0, 20.0
# How long (s) a look is put off while arms are there: where hands of cards are held in view they always are.
_PATIENCE = 6.0
# So many looks for backs, half a minute of them, tell whether the draw pile is in view: a back is made out in so many
# of them at least. In 23 of 24 simulated matches, of designs known and unknown, it was in a third and more.
_IN_VAIN, _SEEN_IN = 5, 0.25
# What hands must tell of a place where no back is made out for the draw pile to be in view, as two from each of four
# sides do: hands that go to one beyond the rim end before it too, and told 1.6 of a bare place within 75 s.
_SURELY_TOLD = 4.0
# Side of a square of a card's area, in lengths of a card.
_SIDE = 0.8


class DrawPile:
    """Finds the draw pile. region: where it was said to lie, which then is where it lies."""

    def __init__(self, region: Region | None = None) -> None:
        self._given = region
        self._backs: list[_Place] = []
        self._visits: list[_Visit] = []
        self._busy: set[int] = set()
        self._found: Point | None = None
        self._looks = 0
        self._next_look = 0.0
        self._pause = _FIRST_PAUSE

    def spot(self, zone: Zone) -> Spot | None:
        """Return where it lies, None while that is not known. zone: the discard pile's."""
        if self._given is not None:
            x, y, width, height = self._given
            return Spot(PileKind.DRAW, np.array([x + width / 2, y + height / 2]), zone.length)
        return None if self._found is None else Spot(PileKind.DRAW, self._found, zone.length)

    def view(self, zone: Zone, size: tuple[int, int]) -> InView | None:
        """Return how much of it is in a picture, None while that is not known. size: the picture's width and height.

        Where a back is made out that is what is seen of it; where none is, only what hands surely tell is in view: a
        bare place beside the pile is none.
        """
        spot = self.spot(zone)
        if self._given is None:
            back = self._back_at(zone)
            if back is not None and back.read >= _SEEN_IN * self._looks:
                return InView.of(back.quad, *size, (_SIDE * zone.length) ** 2)
            if self._looks < _IN_VAIN:
                return None
            if spot is None or self._hands(spot.middle, zone) < _SURELY_TOLD:
                return InView(0.0)
        assert spot is not None
        return InView.of(square_at(spot), *size)

    def wants_look(self, time: float, arms: bool = False) -> bool:
        """Whether backs should be looked for again. arms: whether there are any, which a look waits for a while."""
        return self._given is None and time >= self._next_look + _PATIENCE * arms

    def see_backs(self, backs: Sequence[Back], zone: Zone, time: float, size: tuple[int, int] | None = None) -> None:
        """Take in what looks like card backs in the whole picture, and what has about a card's shape and may be one.

        size: the picture's width and height, pixels.
        """
        self._next_look, self._pause = time + self._pause, min(_LONGEST_PAUSE, 2 * self._pause)
        self._looks += 1
        likely = sorted((back for back in backs if back.score >= A_BACK), key=lambda back: -back.score)
        for back in likely:
            card = is_a_card(back.quad, zone.length)
            cut = size is not None and _is_cut(back.quad, zone.length, size)
            place = _Place.at(back.quad, zone, size, self._looks, back.score if card else 0.0)
            if (card or cut) and _TOUCHING <= place.away <= FARTHEST:
                self._note(place, zone.length)
        prints = [back.quad for back in likely if _PRINT[0] <= length_of(back.quad) / zone.length <= _PRINT[1]]
        alike = [back for back in backs if is_like_the_cards(back.quad, zone.length)]
        known = any(back.score >= _SURELY_A_BACK for back in alike)
        for quad in (*prints, *(back.quad for back in alike if back.score < A_BACK and not known)):
            place = _Place.at(quad, zone, size, self._looks)
            if NEAREST <= place.away <= _FAR:
                self._note(place, zone.length)
        self._choose(zone)

    def visit(
        self, place: Point, zone: Zone, side: int | None = None, track: int | None = None, took: float | None = None
    ) -> None:
        """Take in where a hand has been. side: from which it came, None for one of its own; track: the arm's number.

        took: by how much more of the picture it hid when it left, in squares of a card's length; None where not known.
        """
        away = float(np.hypot(*(place - (zone.x, zone.y)))) / zone.length
        if NEAREST <= away <= FARTHEST:
            self._visits = [
                *self._visits[1 - _REMEMBERED :],
                _Visit(place, side, track, took is not None and took > _TAKES),
            ]
            self._choose(zone)

    def worked(self, track: int) -> None:
        """Take in that an arm was busy at the discard pile: where its hand was besides tells nothing."""
        self._busy.add(track)

    def forget(self) -> None:
        """Begin anew, as after the camera was moved."""
        self._backs, self._visits, self._found = [], [], None
        self._looks, self._next_look, self._pause = 0, 0.0, _FIRST_PAUSE

    def _note(self, place: _Place, length: float) -> None:
        away = [float(np.hypot(*(known.middle - place.middle))) for known in self._backs]
        number = int(np.argmin(away)) if away else 0
        if not away or away[number] > ONE_BACK * length:
            self._backs.append(place)
            return
        known = self._backs[number]
        if known.look == place.look:
            return  # boxed twice
        best = place if place.read >= known.read else known
        counts = known.count + 1, known.read + place.read, known.clear + place.clear
        self._backs[number] = replace(best, look=place.look, count=counts[0], read=counts[1], clear=counts[2])

    def _back_at(self, zone: Zone) -> _Place | None:
        """Return what looks like a back where the draw pile is taken to lie, what did most often if several things."""
        if self._found is None:
            return None
        backs = (back for back in self._backs if back.read)
        near = [b for b in backs if float(np.hypot(*(b.middle - self._found))) <= SAME_PLACE * zone.length]
        return max(near, key=lambda back: back.read, default=None)

    def _near(self, place: Point, zone: Zone) -> list[_Visit]:
        visits = (visit for visit in self._visits if visit.track not in self._busy)
        return [v for v in visits if float(np.hypot(*(v.place - place))) <= SAME_PLACE * zone.length]

    def _hands(self, place: Point, zone: Zone, bare: bool = True) -> float:
        """Return how much hands tell for a place.

        bare: whether nothing is seen there. Else they tell less, the farther from its middle they were, and more, if
        they left with something.
        """
        sides: defaultdict[int, float] = defaultdict(float)
        for visit in self._near(place, zone):
            away = float(np.hypot(*(visit.place - place))) / zone.length
            near = min(1.0, (SAME_PLACE - away) / (SAME_PLACE - ONE_BACK))
            share = 1.0 if bare else near * (_TAKES_TELLS if visit.took else 1.0)
            sides[id(visit) if visit.side is None else visit.side] += share
        # One player's hand may rest at a place all evening; to the draw pile everybody goes.
        return sum(float(np.log1p(share)) for share in sides.values())

    def _looks_tell(self, place: _Place) -> float:
        """Return how much looks tell for what looks like a back, or has a card's shape at least."""
        return told_by_looks(place.count, self._looks, place.away, place.clear / place.count)

    def _choose(self, zone: Zone) -> None:
        """Take the place that most hands from most sides and most looks tell of, then the nearest one."""

        def hands(place: Point) -> float:
            return self._hands(place, zone)

        went = [len(self._near(back.middle, zone)) for back in self._backs]
        places = [visit.place for visit in self._visits if visit.track not in self._busy]
        best = max(places, key=hands, default=None)
        there = [] if best is None else self._near(best, zone)
        bare = len(there) if len({visit.side for visit in there}) > 1 else 0
        elsewhere = max([bare, *went]) >= _GO_ELSEWHERE
        tells = [_NOBODY_TELLS if elsewhere and not came else 1.0 for came in went]
        scores = [
            (self._hands(back.middle, zone, bare=False) + share * self._looks_tell(back), -back.away, back.middle)
            for back, share in zip(self._backs, tells, strict=True)
        ]
        likeliest, _, self._found = max(scores, key=lambda score: score[:2], default=(0.0, 0.0, None))
        least = max(likeliest, _TOLD_BESIDES if likeliest >= _TOLD else _TOLD)
        if best is not None and hands(best) >= least:
            self._found = np.asarray(np.median([v.place for v in self._near(best, zone)], axis=0), np.float64)


def square_at(spot: Spot) -> Quad:
    """Return the (4, 2) outline of a square as large as a card about a pile's middle."""
    half = spot.length * _SIDE / 2
    return np.asarray(spot.middle + np.array([[-half, -half], [half, -half], [half, half], [-half, half]]), np.float32)


def told_by_looks(count: int, looks: int, away: float, clear: float) -> float:
    """Return how much looks for backs tell for a place, of which so many found one there, as `DrawPile` weighs it.

    away: how far it is from the discard pile, in lengths of a card. clear: how clearly it looked like one in the mean.
    """
    share = min(1.0, count / max(1, looks)) * (_IF_FAR if away > _FAR else 1.0)
    return _LOOKS_TELL * float(np.log1p(min(_OFTEN, count))) * share * (clear + (1 - clear) * _SHAPE_TELLS)


@dataclass(frozen=True, eq=False)
class _Place:
    """What may be a back: its outline when last seen, how far it is (lengths of a card), in how many looks it was seen.

    look: the number of the last one. read: in how many of them it looked like one, and did not merely have a card's
    shape. clear: how clearly, all of them together.
    """

    quad: Quad
    middle: Point
    away: float
    look: int
    count: int
    read: int
    clear: float

    @classmethod
    def at(cls, quad: Quad, zone: Zone, size: tuple[int, int] | None, look: int, clear: float | None = None) -> _Place:
        """Return what was seen in the look of this number in a picture of this width and height.

        clear: how clearly it looks like a back, None of what has a card's shape alone.
        """
        middle = quad.mean(0).astype(np.float64)
        if size is not None:
            # Of one that the rim cuts hands are seen before it alone.
            middle = np.clip(middle, 0, size)
        away = float(np.hypot(*(middle - (zone.x, zone.y)))) / zone.length
        return cls(quad, middle, away, look, 1, int(clear is not None), clear or 0.0)


@dataclass(frozen=True, eq=False)
class _Visit:
    place: Point
    side: int | None
    track: int | None
    took: bool


def _is_cut(quad: Quad, length: float, size: tuple[int, int]) -> bool:
    """Whether the picture's rim cuts off a part of what may be a card, so that its shape tells nothing."""
    near = _AT_RIM * length
    at_rim = (quad < near).any() or (quad[:, 0] > size[0] - near).any() or (quad[:, 1] > size[1] - near).any()
    return bool(at_rim and _SHORTEST / 2 <= length_of(quad) / length <= _LONGEST)


def is_like_the_cards(quad: Quad, length: float) -> bool:
    """Whether an outline is about as long as the discard pile's cards, and as slim as a card."""
    return bool(_SHORTER <= length_of(quad) / length <= _LONGER and _SQUARER <= _slimness(quad) <= _SLIMMER)


def is_a_card(quad: Quad, length: float) -> bool:
    """Whether an outline may be that of a card as long as the discard pile's cards, seen from anywhere."""
    return bool(_SHORTEST <= length_of(quad) / length <= _LONGEST and _SQUAREST <= _slimness(quad) <= _SLIMMEST)


def _slimness(quad: Quad) -> float:
    sides = np.hypot(*(quad - np.roll(quad, 1, axis=0)).T)
    along, across = sides[0] + sides[2], sides[1] + sides[3]
    return float(max(along, across) / max(1e-6, float(min(along, across))))
