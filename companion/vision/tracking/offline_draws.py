"""Locates the draw pile and its visitors in a film that has ended, from all arms at once.

During a match the draw pile is assumed where it first appears; a film can be evaluated as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from companion.vision.arms.arm_tracks import Track
from companion.vision.arms.frame_border import Point
from companion.vision.arms.hand_color import ColorPicture
from companion.vision.arms.hand_visits import HandVisit, Spot, VisitTracker, turning_places, was_laying
from companion.vision.core.events import PileKind, PileReached
from companion.vision.core.sightings import Back
from companion.vision.imaging.motion import Zone
from companion.vision.tracking.draw_inference import DrawEvidence, DrawModel, UsualChange, shipped, visit_event
from companion.vision.tracking.draw_pile import (
    A_BACK,
    FARTHEST,
    NEAREST,
    SAME_PLACE,
    is_a_card,
    looks_evidence,
    square_at,
)
from companion.vision.tracking.idle_snapshots import IdleSnapshots

ONE_PLAYER = 45.0
"""Arms within this angle in degrees may be one player's, who rests a hand somewhere."""
# Minimum number of arms that stayed at a place to be the draw pile, and of sides without a back there.
_FEWEST_ARMS, _FEWEST_SIDES = 2, 2
# Maximum distance in card lengths of the draw pile's back from the middle of hand positions, which is accurate to 0.2.
# A back detected in the second share of all looks is the pile even farther away: resting hands bias the middle towards
# the players.
_CONFIRMED, _MOSTLY = 0.4, 0.5
# Back probability from which a back detected in that share of the looks is the pile even with few hands.
_CERTAIN_BACK = 0.8
# Minimum seconds between two visits for a picture to show the pile in between.
_MEANWHILE = 1.0
# Maximum number of visited places evaluated, evenly sampled: an evening has ten times as many.
_MOST_PLACES = 3000


@dataclass(eq=False)
class _Stretch:
    """Observations from a period with a still camera."""

    tracks: list[Track] = field(default_factory=list)
    zones: list[Zone] = field(default_factory=list)
    backs: list[Back] = field(default_factory=list)
    looks: int = 0
    table: ColorPicture | None = None
    """The table without hands at the last search for backs."""

    @property
    def zone(self) -> Zone:
        """Median location of the discard pile."""
        x, y, length = np.median([(zone.x, zone.y, zone.length) for zone in self.zones], axis=0)
        return Zone(float(x), float(y), float(length))


class OfflineDraws:
    """Collects the actions of arms for evaluation at the end of a film."""

    def __init__(self, draws: DrawModel | None = None) -> None:
        self._model = draws or shipped()
        self._stretches = [_Stretch()]
        self._laid: list[tuple[int, float]] = []

    def see(self, gone: Sequence[Track], zone: Zone | None) -> None:
        """Add arms that left, and the location of the discard pile."""
        stretch = self._stretches[-1]
        stretch.tracks += gone
        if zone is not None and (gone or not stretch.zones):
            stretch.zones.append(zone)

    def see_backs(self, backs: Sequence[Back], table: ColorPicture | None = None) -> None:
        """Add card-back candidates of the whole picture, and the table without hands."""
        self._stretches[-1].looks += 1
        self._stretches[-1].table = None if table is None else replace(table, picture=table.picture.copy())
        self._stretches[-1].backs += [back for back in backs if back.score >= A_BACK]

    def see_work(self, track: Track, time: float) -> None:
        """Record that an arm worked at the discard pile."""
        self._laid.append((track.number, time))

    def knocked(self) -> None:
        """Start a new period after the camera moved."""
        self._stretches.append(_Stretch())

    def draws(self, quiet: IdleSnapshots | None = None) -> list[PileReached]:
        """Return the visits to the draw pile; empty if it is not found. quiet: snapshots of its top."""
        known = [stretch for stretch in self._stretches if stretch.zones]
        offset = self._draw_pile(known)
        if offset is None:
            return []
        stays: list[tuple[Zone, DrawEvidence]] = []
        usual = UsualChange()
        for stretch in known:
            zone = stretch.zone
            middle = np.array([zone.x, zone.y])
            draw = Spot(PileKind.DRAW, middle + offset * zone.length, zone.length)
            spots = [Spot(PileKind.DISCARD, middle, zone.length), draw]
            back = None if stretch.table is None else stretch.table.within(square_at(draw))
            for reach in (reach for track in stretch.tracks for reach in VisitTracker(track).follow(spots)):
                if reach.kind is not PileKind.DRAW or not reach.stayed or was_laying(reach, self._laid):
                    continue
                change = None if quiet is None else quiet.changed(draw.middle, draw.length, reach.began, reach.ended)
                evidence = DrawEvidence(reach, draw, back, None if change is None else change.share)
                stays.append((zone, evidence))
                if evidence.share is not None:
                    usual.note(evidence.share, self._model.by_movement(evidence))
        reaches = [evidence.reach for _, evidence in stays]
        found = []
        for zone, evidence in stays:
            weighed = replace(evidence, usual=usual.log_share, alone=_alone(evidence.reach, reaches))
            found.append(visit_event(evidence.reach, zone, evidence.draw, self._model.probability(weighed)))
        return sorted(found, key=lambda event: event.time)

    def _draw_pile(self, stretches: Sequence[_Stretch]) -> Point | None:
        """Return where most hands stayed, from most sides, in card lengths from the discard pile's middle."""
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
            is_confident = looks > 0 and looks >= _MOSTLY * looked and clearly >= _CERTAIN_BACK
            if not is_confident and (len(arms) < _FEWEST_ARMS or (not looks and len(counts) < _FEWEST_SIDES)):
                return 0.0
            # One player's hand may rest at a place all evening; everybody goes to the draw pile.
            return float(np.log1p(counts).sum()) + looks_evidence(looks, looked, float(np.hypot(*place)), clearly)

        away = np.hypot(*backs.T)
        is_confident = backs[(clear >= _CERTAIN_BACK) & (away >= NEAREST) & (away <= FARTHEST)]
        found = [*places[:: 1 + len(places) // _MOST_PLACES], *is_confident[:: 1 + len(is_confident) // _MOST_PLACES]]
        best = max(found, key=score, default=None)
        if best is None or not score(best):
            return None
        middle = _middle(best, places, sides)
        away = np.hypot(*(backs - middle).T)
        mostly = int(np.count_nonzero(away <= SAME_PLACE)) >= _MOSTLY * looked
        looks = backs[away <= (SAME_PLACE if mostly else _CONFIRMED)]
        return np.asarray(np.median(looks, axis=0), np.float64) if len(looks) else middle

    def _places(self, stretches: Sequence[_Stretch]) -> tuple[NDArray[np.float64], NDArray[np.intp], NDArray[np.intp]]:
        """Return where hands stayed beside the discard pile: (n, 2) in card lengths from it, arm numbers, sides.

        Sides are counted clockwise from up.
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
    """Return the middles (n, 2) of back candidates, in the same units, and their probabilities (n,)."""
    middles: list[Point] = []
    clear: list[float] = []
    for stretch in stretches:
        zone = stretch.zone
        for back in stretch.backs:
            middles.append((back.quad.mean(0) - (zone.x, zone.y)) / zone.length)
            clear.append(back.score if is_a_card(back.quad, zone.length) else 0.0)
    return np.array(middles, np.float64).reshape(-1, 2), np.array(clear)


def _middle(start: Point, places: NDArray[np.float64], sides: NDArray[np.intp]) -> Point:
    """Return the middle of the places near one: hands from each side stop short or go too far equally."""
    middle = start
    for _ in range(2):
        near = np.hypot(*(places - middle).T) <= SAME_PLACE
        if not near.any():
            break
        found = [np.median(places[near & (sides == side)], axis=0) for side in np.unique(sides[near])]
        middle = np.asarray(np.mean(found, axis=0), np.float64)
    return middle


def _alone(reach: HandVisit, stays: Sequence[HandVisit]) -> bool:
    """Whether no other arm was at the draw pile so close in time that no picture lies in between."""
    others = (stay for stay in stays if stay.track is not reach.track)
    return not any(o.began - _MEANWHILE < reach.ended and reach.began < o.ended + _MEANWHILE for o in others)
