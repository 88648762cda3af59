"""Draws without a detected hand: the draw pile's top has changed, and the nearest hand is assumed to have drawn.

A dark sleeve in dim light is mistaken for a shadow, and meeting hands hide each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from companion.vision.arms.arm_tracks import Track
from companion.vision.arms.hand_visits import HandVisit, Spot, distances
from companion.vision.core.events import PileEvent, PileKind, PileReached
from companion.vision.tracking.idle_snapshots import IdleSnapshots, Picture, difference

# Maximum difference between two pictures of an unchanged pile, and minimum difference after a draw (102 of 108 observed
# draws in 43 recorded matches).
_SAME, _TAKEN = 0.03, 0.08
# Maximum seconds without view of the pile; after more, other hands may have come and gone.
_OUT_OF_VIEW = 5.0
# Tolerance in seconds for simultaneous landings and pile movements, which also change the draw pile's surroundings, and
# for observed draws.
_ABOUT, _STAYS_ABOUT = 0.3, 0.2
# Maximum distance of the hand from the draw pile in card lengths; two that drew were seen at 0.3 and 0.9.
_NEAR = 1.5
# Number of remembered events.
_REMEMBERED = 20


@dataclass(frozen=True)
class TopChange:
    """A change of a share of the draw pile's top: not before `began`, and by `ended` (s)."""

    began: float
    ended: float
    share: float

    def hand(self, tracks: Iterable[Track], spots: Sequence[Spot]) -> HandVisit | None:
        """Return the visit of the hand nearest to the draw pile in that time; None if there was none."""
        found: list[HandVisit] = []
        for track in (track for track in tracks if not track.is_shadow):
            there = [number for number, sample in enumerate(track.samples) if self.began <= sample.time <= self.ended]
            if there:
                nearest = min(distances(track, number, list(spots))[PileKind.DRAW] for number in there)
                began, ended = track.samples[there[0]].time, track.samples[there[-1]].time
                found.append(HandVisit(track, PileKind.DRAW, began, ended, nearest, slowest=0.0))
        nearest_hand = min(found, key=lambda reach: reach.nearest, default=None)
        return None if nearest_hand is None or nearest_hand.nearest > _NEAR else nearest_hand


class DrawPileMonitor:
    """Monitors the draw pile's top. Pass every event, and call `look` after every frame."""

    def __init__(self) -> None:
        self._before: Picture | None = None
        self._after: Picture | None = None
        self._seen: Picture | None = None
        self._drawn: list[PileReached] = []
        self._touched: list[float] = []

    def note(self, events: Iterable[PileEvent]) -> None:
        """Record reported events."""
        for event in events:
            if not isinstance(event, PileReached):
                self._touched = [*self._touched, event.time][-_REMEMBERED:]
            elif _drew(event):
                self._drawn = [*self._drawn, event][-_REMEMBERED:]

    def forget(self) -> None:
        """Reset after the camera moved."""
        self._before = self._after = self._seen = None

    def look(self, quiet: IdleSnapshots, discard: Spot, draw: Spot, held: Iterable[PileReached]) -> TopChange | None:
        """Return an unexplained change of the top, once, after it has been visible in two pictures.

        held: visits not reported yet.
        """
        picture = quiet.latest
        if picture is None or picture is self._seen:
            return None
        self._seen, before, after = picture, self._before, self._after
        share = None if before is None else difference(before, picture, draw.middle, draw.length)
        if before is None or share is None or share < _SAME:
            self._before, self._after = picture, None
            return None
        since = None if after is None else difference(after, picture, draw.middle, draw.length)
        if after is None or since is None or since >= _SAME:
            self._after = picture
            return None
        self._before, self._after = picture, None
        # After a knock the discard pile differs as well, but a hand may cover it by now.
        beside = (difference(before, each, discard.middle, discard.length) for each in (after, picture))
        knocked = min((one for one in beside if one is not None), default=1.0) >= _SAME
        # A continuing picture starts again when it is renewed.
        ended = after.began if after.began > before.ended else after.ended
        change = TopChange(before.ended, ended, share)
        if share < _TAKEN or knocked or change.ended - change.began > _OUT_OF_VIEW:
            return None
        return None if self._is_reported(change, held, picture.ended) else change

    def _is_reported(self, change: TopChange, held: Iterable[PileReached], now: float) -> bool:
        drawn = (*self._drawn, *filter(_drew, held))
        began, ended = change.began - _STAYS_ABOUT, change.ended + _STAYS_ABOUT
        return any(change.began - _ABOUT < time <= now for time in self._touched) or any(
            event.began < ended and event.time > began for event in drawn
        )


def _drew(reached: PileReached) -> bool:
    """Whether a hand at the draw pile more probably took a card than not."""
    return reached.pile is PileKind.DRAW and reached.drawn[0] < 0.5
