"""Draws that no hand was seen to make: the draw pile's top is another, and whose hand was about has taken it.

A dark sleeve in dim light is taken for a shadow, of which a wrist is left; and hands that meet hide each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from companion.vision.arms.arm_tracks import Track
from companion.vision.arms.hand_visits import Reach, Spot, distances
from companion.vision.core.events import PileEvent, PileKind, PileReached
from companion.vision.tracking.idle_snapshots import Picture, QuietPictures, difference

# The share of a pile that differs between two pictures of it as it was; and the least that does where a card was taken,
# as of 102 of 108 that were seen to be in 43 recorded matches.
_SAME, _TAKEN = 0.03, 0.08
# Seconds for which the pile may have been out of view: in more, others may have come and gone.
_OUT_OF_VIEW = 5.0
# How far (s) about that time a card was laid or a pile was moved, which changes what lies beside the draw pile as well,
# or a hand was seen to draw.
_ABOUT, _STAYS_ABOUT = 0.3, 0.2
# How near the draw pile a hand was about, in lengths of a card: two that had drawn were seen at 0.3 and 0.9.
_NEAR = 1.5
# Of so many events it is remembered when they were.
_REMEMBERED = 20


@dataclass(frozen=True)
class TopChange:
    """A share of the draw pile's top is otherwise since: it was as before until `began`, and so by `ended` (s)."""

    began: float
    ended: float
    share: float

    def hand(self, tracks: Iterable[Track], spots: Sequence[Spot]) -> Reach | None:
        """Return the stay of the hand that was nearest to the draw pile meanwhile; None where none was about."""
        found: list[Reach] = []
        for track in (track for track in tracks if not track.is_shadow):
            there = [number for number, sample in enumerate(track.samples) if self.began <= sample.time <= self.ended]
            if there:
                nearest = min(distances(track, number, list(spots))[PileKind.DRAW] for number in there)
                began, ended = track.samples[there[0]].time, track.samples[there[-1]].time
                found.append(Reach(track, PileKind.DRAW, began, ended, nearest, slowest=0.0))
        nearest_hand = min(found, key=lambda reach: reach.nearest, default=None)
        return None if nearest_hand is None or nearest_hand.nearest > _NEAR else nearest_hand


class PileTop:
    """Watches the draw pile's top. Give it every event, and look after every frame."""

    def __init__(self) -> None:
        self._before: Picture | None = None
        self._after: Picture | None = None
        self._seen: Picture | None = None
        self._drawn: list[PileReached] = []
        self._touched: list[float] = []

    def note(self, events: Iterable[PileEvent]) -> None:
        """Take in what is told of."""
        for event in events:
            if not isinstance(event, PileReached):
                self._touched = [*self._touched, event.time][-_REMEMBERED:]
            elif _drew(event):
                self._drawn = [*self._drawn, event][-_REMEMBERED:]

    def forget(self) -> None:
        """Begin anew, as after the camera was moved."""
        self._before = self._after = self._seen = None

    def look(self, quiet: QuietPictures, discard: Spot, draw: Spot, held: Iterable[PileReached]) -> TopChange | None:
        """Return what became of the top if nothing accounts for it, once, when it has been so for two pictures.

        held: of hands that are yet to be told of.
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
        # After a knock the discard pile differs as well; but a hand may be there by now.
        beside = (difference(before, each, discard.middle, discard.length) for each in (after, picture))
        knocked = min((one for one in beside if one is not None), default=1.0) >= _SAME
        # One that goes on since before began anew when it was renewed.
        ended = after.began if after.began > before.ended else after.ended
        change = TopChange(before.ended, ended, share)
        if share < _TAKEN or knocked or change.ended - change.began > _OUT_OF_VIEW:
            return None
        return None if self._is_told(change, held, picture.ended) else change

    def _is_told(self, change: TopChange, held: Iterable[PileReached], now: float) -> bool:
        drawn = (*self._drawn, *filter(_drew, held))
        began, ended = change.began - _STAYS_ABOUT, change.ended + _STAYS_ABOUT
        return any(change.began - _ABOUT < time <= now for time in self._touched) or any(
            event.began < ended and event.time > began for event in drawn
        )


def _drew(reached: PileReached) -> bool:
    """Whether a hand was at the draw pile and likelier took a card than not."""
    return reached.pile is PileKind.DRAW and reached.drawn[0] < 0.5
