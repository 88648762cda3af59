"""Where the draw pile lay in a film that has ended, and who went there: all arms count together, the first as the last.

While a match goes on the draw pile must be taken to lie where it first seems to; a film can be weighed as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from companion.vision.arms.arm_tracks import Track
from companion.vision.arms.frame_border import Point
from companion.vision.arms.hand_color import Tints
from companion.vision.arms.hand_visits import Reach, ReachFinder, Spot, turning_places, was_laying
from companion.vision.core.events import PileKind, PileReached
from companion.vision.core.sightings import Back
from companion.vision.imaging.motion import Floats, Zone
from companion.vision.tracking.draw_inference import Changes, is_sure, told
from companion.vision.tracking.draw_pile import (
    A_BACK,
    FARTHEST,
    NEAREST,
    SAME_PLACE,
    is_a_card,
    square_at,
    told_by_looks,
)
from companion.vision.tracking.idle_snapshots import QuietPictures

ONE_PLAYER = 45.0
"""Arms that come from within so many degrees of each other may be one player's, who rests a hand somewhere."""
# Fewest arms that must have stayed at a place for it to be the draw pile, and from how many sides if no back is there.
_FEWEST_ARMS, _FEWEST_SIDES = 2, 2
# How near the middle of where hands went, in lengths of a card, a back lies that is the draw pile's: hands tell it to
# 0.2, and other things look like backs now and then. What does so in this share of the looks is the pile farther away,
# too: hands that rest between the players and the pile draw the middle of where they went to themselves.
_BORNE_OUT, _MOSTLY = 0.4, 0.5
# What looks so clearly like a back in that share of the looks is the pile though hardly a hand went there.
_SURELY = 0.8
# Seconds between two stays within which no picture shows the pile between them.
_MEANWHILE = 1.0
# Of places where hands stayed so many at most are weighed, evenly chosen: an evening has ten times as many.
_MOST_PLACES = 3000


@dataclass(eq=False)
class _Stretch:
    """What was seen while the camera stood still."""

    tracks: list[Track] = field(default_factory=list)
    zones: list[Zone] = field(default_factory=list)
    backs: list[Back] = field(default_factory=list)
    looks: int = 0
    table: Tints | None = None
    """What the table looked like without hands, when backs were looked for last."""

    @property
    def zone(self) -> Zone:
        """Where the discard pile lay in the median."""
        x, y, length = np.median([(zone.x, zone.y, zone.length) for zone in self.zones], axis=0)
        return Zone(float(x), float(y), float(length))


class Hindsight:
    """Keeps what arms did, to be asked once nothing will follow."""

    def __init__(self) -> None:
        self._stretches = [_Stretch()]
        self._laid: list[tuple[int, float]] = []

    def see(self, gone: Sequence[Track], zone: Zone | None) -> None:
        """Take in arms that have left, and where the discard pile lies."""
        stretch = self._stretches[-1]
        stretch.tracks += gone
        if zone is not None and (gone or not stretch.zones):
            stretch.zones.append(zone)

    def see_backs(self, backs: Sequence[Back], table: Tints | None = None) -> None:
        """Take in what looks like cards face down in the whole picture, and the table without hands."""
        self._stretches[-1].looks += 1
        self._stretches[-1].table = None if table is None else replace(table, picture=table.picture.copy())
        self._stretches[-1].backs += [back for back in backs if back.score >= A_BACK]

    def see_work(self, track: Track, time: float) -> None:
        """Take in that an arm was busy at the discard pile."""
        self._laid.append((track.number, time))

    def knocked(self) -> None:
        """Take in that the camera stands elsewhere from now on."""
        self._stretches.append(_Stretch())

    def draws(self, quiet: QuietPictures | None = None) -> list[PileReached]:
        """Return who went to the draw pile and when; nothing where it is not found. quiet: what its top looked like."""
        known = [stretch for stretch in self._stretches if stretch.zones]
        offset = self._draw_pile(known)
        if offset is None:
            return []
        stays: list[tuple[Reach, Zone, Spot, Floats | None, float | None]] = []
        changes = Changes()
        for stretch in known:
            zone = stretch.zone
            middle = np.array([zone.x, zone.y])
            draw = Spot(PileKind.DRAW, middle + offset * zone.length, zone.length)
            spots = [Spot(PileKind.DISCARD, middle, zone.length), draw]
            back = None if stretch.table is None else stretch.table.within(square_at(draw))
            for reach in (reach for track in stretch.tracks for reach in ReachFinder(track).follow(spots)):
                if reach.kind is not PileKind.DRAW or not reach.stayed or was_laying(reach, self._laid):
                    continue
                share = None
                if quiet is not None:
                    change = quiet.changed(draw.middle, draw.length, reach.began, reach.ended)
                    share = None if change is None else change.share
                stays.append((reach, zone, draw, back, share))
                if share is not None and is_sure(reach, draw):
                    changes.note(share, 1 - told(reach, zone, draw, changes.odds(share)).drawn[0])
        reaches = [reach for reach, *_ in stays]
        found = [
            told(reach, zone, draw, 1.0 if share is None else changes.odds(share, _alone(reach, reaches)), back)
            for reach, zone, draw, back, share in stays
        ]
        return sorted(found, key=lambda event: event.time)

    def _draw_pile(self, stretches: Sequence[_Stretch]) -> Point | None:
        """Return where most hands stayed, from most sides, in lengths of a card from the discard pile's middle."""
        places, tracks, sides = self._places(stretches)
        backs, clear = _backs(stretches)
        looked = sum(stretch.looks for stretch in stretches)

        def score(place: Point) -> float:
            near = np.hypot(*(places - place).T) <= SAME_PLACE
            arms = dict(zip(tracks[near], sides[near], strict=True))
            there = np.hypot(*(backs - place).T) <= SAME_PLACE
            looks = int(np.count_nonzero(there))
            _, counts = np.unique(list(arms.values()), return_counts=True)
            clearly = float(clear[there].mean()) if looks else 0.0
            surely = looks > 0 and looks >= _MOSTLY * looked and clearly >= _SURELY
            if not surely and (len(arms) < _FEWEST_ARMS or (not looks and len(counts) < _FEWEST_SIDES)):
                return 0.0
            # One player's hand may rest at a place all evening; to the draw pile everybody goes.
            return float(np.log1p(counts).sum()) + told_by_looks(looks, looked, float(np.hypot(*place)), clearly)

        away = np.hypot(*backs.T)
        surely = backs[(clear >= _SURELY) & (away >= NEAREST) & (away <= FARTHEST)]
        found = [*places[:: 1 + len(places) // _MOST_PLACES], *surely[:: 1 + len(surely) // _MOST_PLACES]]
        best = max(found, key=score, default=None)
        if best is None or not score(best):
            return None
        middle = _middle(best, places, sides)
        away = np.hypot(*(backs - middle).T)
        mostly = int(np.count_nonzero(away <= SAME_PLACE)) >= _MOSTLY * looked
        looks = backs[away <= (SAME_PLACE if mostly else _BORNE_OUT)]
        return np.asarray(np.median(looks, axis=0), np.float64) if len(looks) else middle

    def _places(self, stretches: Sequence[_Stretch]) -> tuple[NDArray[np.float64], NDArray[np.intp], NDArray[np.intp]]:
        """Return where hands stayed beside the discard pile: (n, 2) lengths of a card from it, whose, from which side.

        Arms are told by their numbers, sides are counted clockwise from up.
        """
        places: list[Point] = []
        tracks: list[int] = []
        sides: list[int] = []
        busy = {number for number, _ in self._laid}
        for stretch in stretches:
            zone = stretch.zone
            middle = np.array([zone.x, zone.y])
            for track in stretch.tracks:
                direction = track.direction(middle, -np.inf, np.inf)
                if direction is None or track.number in busy:
                    continue
                for tip in turning_places(track, zone.length):
                    place = (tip - middle) / zone.length
                    if not NEAREST <= float(np.hypot(*place)) <= FARTHEST:
                        continue
                    places.append(place)
                    tracks.append(track.number)
                    sides.append(int(direction[0] // ONE_PLAYER))
        return np.array(places).reshape(-1, 2), np.array(tracks, np.intp), np.array(sides, np.intp)


def _backs(stretches: Sequence[_Stretch]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the middles (n, 2) of what looks like a back, as `_places` does, and how clearly it does, (n,) 0 to 1."""
    middles: list[Point] = []
    clear: list[float] = []
    for stretch in stretches:
        zone = stretch.zone
        for back in stretch.backs:
            middles.append((back.quad.mean(0) - (zone.x, zone.y)) / zone.length)
            clear.append(back.score if is_a_card(back.quad, zone.length) else 0.0)
    return np.array(middles, np.float64).reshape(-1, 2), np.array(clear)


def _middle(start: Point, places: NDArray[np.float64], sides: NDArray[np.intp]) -> Point:
    """Return the middle of the places near one: hands from each side stop short of it, or go too far, alike."""
    middle = start
    for _ in range(2):
        near = np.hypot(*(places - middle).T) <= SAME_PLACE
        if not near.any():
            break
        found = [np.median(places[near & (sides == side)], axis=0) for side in np.unique(sides[near])]
        middle = np.asarray(np.mean(found, axis=0), np.float64)
    return middle


def _alone(reach: Reach, stays: Sequence[Reach]) -> bool:
    """Whether no other arm was at the draw pile so near in time that no picture lies between."""
    others = (stay for stay in stays if stay.track is not reach.track)
    return not any(o.began - _MEANWHILE < reach.ended and reach.began < o.ended + _MEANWHILE for o in others)
