"""Tracks the whole table: changes of the discard pile, the arms that caused them, and visits to the draw pile."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from companion.vision.arms.arm_detector import ArmDetector
from companion.vision.arms.arm_tracks import Track
from companion.vision.arms.hand_visits import (
    HandVisit,
    Spot,
    VisitTracker,
    arm_of,
    stayed_at_discard_pile,
    was_laying,
)
from companion.vision.capture.frames import Frame
from companion.vision.core.events import (
    Arm,
    CameraHealth,
    CameraStatus,
    CardLanded,
    CardTakenBack,
    PileEvent,
    PileGone,
    PileKind,
    PileMoved,
    PileReached,
)
from companion.vision.core.geometry import Image, Quad
from companion.vision.core.sightings import Back
from companion.vision.imaging.durations import ARM_PATIENCE, AT_REST, ONE_ACT
from companion.vision.imaging.stabilizer import Stabilizer
from companion.vision.imaging.zone import Zone
from companion.vision.pile.pile_state import Region
from companion.vision.pile.pile_tracker import PileTracker
from companion.vision.tracking import draw_inference, landing_attribution
from companion.vision.tracking.camera_advice import Visibility
from companion.vision.tracking.draw_inference import DrawEvidence, DrawModel, UsualChange, is_only_hand, visit_event
from companion.vision.tracking.draw_pile import SAME_BACK_DISTANCE, DrawPile, square_at
from companion.vision.tracking.idle_snapshots import MAX_KEPT, IdleSnapshots, TopChange, hidden_share
from companion.vision.tracking.landing_attribution import Landing, LandingModel, arrival_time
from companion.vision.tracking.repeat_landings import doubted_without_arm, is_unlikely, reweighted_by_carried

FindBacks = Callable[[Image], list[Back]]
"""Finds possible face-down cards in a (H, W, 3) BGR uint8 picture."""

# Arms within this angle in degrees may be one player's, who rests a hand somewhere.
_ONE_PLAYER = 45.0
# Seconds arms that left are remembered until the draw pile is located; seconds after which a hand is not at work.
_REVISITED_SECONDS, _RESTS = 90.0, 4.0


@dataclass(frozen=True, eq=False)
class _PendingVisit:
    """A visit that is not reported yet: its event by the hand's movement, and what the draw pile will add."""

    event: PileReached
    visit: HandVisit
    zone: Zone
    draw: Spot | None


class TableTracker:
    """Tracks a discard pile and the arms around it. Call it for every frame; not thread-safe.

    tracker: tracks the pile. find_backs: finds face-down cards, one of which is the draw pile; without it, hands alone
    locate it. draw_pile: its location, found automatically if None.
    """

    def __init__(
        self,
        tracker: PileTracker,
        find_backs: FindBacks | None = None,
        draw_pile: Region | None = None,
        draws: DrawModel | None = None,
        landings: LandingModel | None = None,
    ) -> None:
        self.tracker = tracker
        self._find_backs = find_backs
        self._draw_pile = DrawPile(draw_pile)
        self._stabilizer, self._hands_present = Stabilizer(), False
        self._arms = ArmDetector()
        self._visit_trackers: dict[int, VisitTracker] = {}
        self._recent_tracks: list[Track] = []
        self._work_times: list[tuple[int, float]] = []
        self._pending: list[_PendingVisit] = []
        self._discard_visits: list[HandVisit] = []
        self._departed: list[Track] = []
        self._reported: set[tuple[int, float]] = set()
        self._last_draw_spot: Spot | None = None
        self._draw_times: list[float] = []
        self._snapshots = IdleSnapshots()
        self._draw_model = draws or draw_inference.shipped()
        self._landing_model = landings or landing_attribution.shipped()
        self._usual_change = UsualChange()
        self._shows_arms = False
        self._size, self._time = (0, 0), 0.0

    @property
    def draw_pile(self) -> Spot | None:
        """Assumed location of the draw pile, None while unknown."""
        zone = self.tracker.zone
        return None if zone is None else self._draw_pile.spot(zone)

    def draw_pile_view(self) -> Visibility | None:
        """Return the visible share of the draw pile, None while unknown."""
        zone = self.tracker.zone
        return None if zone is None else self._draw_pile.visibility(zone, self._size)

    def feed(self, frame: Frame) -> list[PileEvent]:
        """Process the next frame; returns the events, usually none, by time. Raises what the detectors raise."""
        frame = self._stabilizer.stabilized(frame, self._hands_present)
        self._size, self._time = (frame.image.shape[1], frame.image.shape[0]), frame.time
        if self._stabilizer.moved:
            self._arms.reset()
        tracks = self._arms.feed(frame)
        if self._stabilizer.moved or self._arms.moved:
            # The arms detected while the camera moved were edges of the table.
            self._snapshots.reset()
            self._visit_trackers, self._recent_tracks, self._pending = {}, [], []
        self._hands_present = any(not track.gone for track in tracks)
        self._snapshots.feed(frame.image, frame.time, self._arms.masks.hidden, self._hidden_share(tracks))
        events = self._process(self.tracker.feed(frame, self._arms.masks), tracks, frame.time)
        self._search_backs(frame, tracks)
        return events

    def _hidden_share(self, tracks: Sequence[Track]) -> float:
        """Return the share of the draw pile hidden by arms; 1 if there are arms and its location is unknown."""
        spot, hidden = self.draw_pile, self._arms.masks.hidden
        if spot is None or hidden is None:
            return float(any(not track.gone for track in tracks))
        return hidden_share(hidden, spot.middle, spot.length, hidden.shape[1] / self._size[0])

    def finish(self) -> list[PileEvent]:
        """Return the remaining events at the end of the source."""
        tracks = self._arms.finish()
        events = self._process(self.tracker.finish(), tracks, self._time)
        left = [self._final_event(pending) for pending in self._pending]
        self._pending = []
        return sorted([*events, *left], key=lambda event: event.time)

    def _process(self, seen: list[PileEvent], tracks: list[Track], time: float) -> list[PileEvent]:
        new = [track for track in tracks if track not in self._recent_tracks]
        self._recent_tracks = [t for t in self._recent_tracks if time - t.last.time <= ARM_PATIENCE] + new
        zone = self.tracker.zone
        if zone is None:
            return seen
        events = [self._with_arm(event, zone) for event in seen]
        spots = self._spots(zone)
        self._arms.draw_pile = square_at(spots[1]) if len(spots) > 1 else None
        for track in tracks:
            visit_tracker = self._visit_trackers.setdefault(track.number, VisitTracker(track))
            self._add_pending(visit_tracker.follow(spots), zone)
            if track.gone:
                self._add_resting_place(self._visit_trackers.pop(track.number), spots[0], zone)
        self._recheck_departed(zone, time)
        return self._in_order(events, time)

    def _add_resting_place(self, visit_tracker: VisitTracker, discard: Spot, zone: Zone) -> None:
        """Record where an arm that left has been."""
        track = visit_tracker.track
        self._departed.append(track)
        place = visit_tracker.rested(discard)
        if place is not None and track.last.time - track.samples[0].time <= _RESTS:
            direction = track.direction(discard.middle, -np.inf, np.inf)
            side = None if direction is None else int(direction[0] // _ONE_PLAYER)
            self._draw_pile.add_visit(place, zone, side, track.number)

    def _recheck_departed(self, zone: Zone, time: float) -> None:
        """Hold back visits to the draw pile from before it was located."""
        draw = self._draw_pile.spot(zone)
        before, self._last_draw_spot = self._last_draw_spot, draw
        self._departed = [track for track in self._departed if time - track.last.time <= _REVISITED_SECONDS]
        if draw is None:
            return
        if before is not None and float(np.hypot(*(draw.middle - before.middle))) <= SAME_BACK_DISTANCE * zone.length:
            return
        for track in self._departed:
            visits = VisitTracker(track).follow(self._spots(zone))
            self._add_pending([visit for visit in visits if visit.kind is PileKind.DRAW], zone)

    def _add_pending(self, visits: Sequence[HandVisit], zone: Zone) -> None:
        """Hold back new visits."""
        for visit in visits:
            pending = self._pending_visit(visit, zone)
            if pending is None:
                continue
            if visit.kind is PileKind.DRAW:
                if any(n == visit.track.number and visit.began <= ended for n, ended in self._reported):
                    continue
                self._reported.add((visit.track.number, visit.ended))
            else:
                recent = (other for other in self._discard_visits if visit.ended - other.ended <= ARM_PATIENCE)
                self._discard_visits = [*recent, visit]
            self._pending.append(pending)

    def _in_order(self, events: list[PileEvent], time: float) -> list[PileEvent]:
        """Return the events with the visits that are due, by time."""
        latest = max((event.time for event in events), default=0.0)
        due = [
            pending for pending in self._pending if pending.event.time <= max(latest, time - self._patience(pending))
        ]
        self._pending = [pending for pending in self._pending if pending not in due]
        return sorted([*events, *map(self._final_event, due)], key=lambda event: event.time)

    def _patience(self, pending: _PendingVisit) -> float:
        """Return for how many seconds a visit is held back, because what the hand did may be recognised later."""
        if pending.draw is None:
            return ONE_ACT
        began, ended = pending.visit.began - ONE_ACT, pending.visit.ended + ONE_ACT
        own = (other for other in self._discard_visits if other.track is pending.visit.track)
        visited_both = any(began <= other.ended and other.began <= ended for other in own)
        return AT_REST if visited_both or self._top_change(pending, clear=True) is None else ONE_ACT

    def _top_change(self, pending: _PendingVisit, clear: bool = False) -> TopChange | None:
        """Return the change of the draw pile's top by a visit, None while unknown. clear: with no arm at the pile."""
        draw, visit = pending.draw, pending.visit
        if draw is None:
            return None
        return self._snapshots.change(draw.middle, draw.length, visit.began, visit.ended, clear)

    def _final_event(self, pending: _PendingVisit) -> PileReached:
        """Return the event of a visit from all evidence available now."""
        visit, draw = pending.visit, pending.draw
        if draw is None:
            return pending.event
        change, table, only_hand = self._top_change(pending), self._arms.background, True
        back = None if table is None else table.within(square_at(draw))
        if change is not None:
            others = (other.visit for other in self._pending if other.draw is not None)
            only_hand = is_only_hand(visit, others, self._draw_times, change.since)
            if not visit.track.is_shadow:
                self._draw_times = [*self._draw_times, visit.ended][-MAX_KEPT:]
        share = None if change is None else change.share
        evidence = DrawEvidence(visit, draw, back, share, self._usual_change.log_share, only_hand)
        event = visit_event(visit, pending.zone, draw, self._draw_model.probability(evidence))
        if share is not None:
            self._usual_change.add(share, self._draw_model.by_movement(evidence))
        return event

    def _spots(self, zone: Zone) -> list[Spot]:
        discard = Spot(PileKind.DISCARD, np.array([zone.x, zone.y]), zone.length)
        draw = self._draw_pile.spot(zone)
        return [discard] if draw is None else [discard, draw]

    def _with_arm(self, event: PileEvent, zone: Zone) -> PileEvent:
        match event:
            case CardLanded():
                if event.quad is not None:
                    self._arms.top_card = event.quad
                landing = self._landing(event.time, event.quad, zone)
                arms = self._landing_model.attributed(landing)
                if not arms:
                    return doubted_without_arm(event) if self._shows_arms and is_unlikely(event) else event
                self._shows_arms = True
                (track, _), *others = arms
                reweighted = reweighted_by_carried(event, landing.carried_similarity(track))
                self._note_work(track, event.time)
                rivals = tuple((_arm(other, landing, zone), share) for other, share in others)
                entered = track.samples[0].time
                return replace(reweighted, arm=_arm(track, landing, zone), rivals=rivals, entered=entered)
            case CardTakenBack() | PileGone() | PileMoved():
                for track, _ in self._landing_model.attributed(self._landing(event.time, None, zone))[:1]:
                    # Who passes over the pile may only seem to have moved it.
                    since, spots = event.time - ONE_ACT, self._spots(zone)
                    if not isinstance(event, PileMoved) or stayed_at_discard_pile(track, since, spots):
                        self._note_work(track, event.time)
            case CameraStatus(health=CameraHealth.KNOCKED):
                self._draw_pile.reset()
                self._departed, self._last_draw_spot = [], None
        return event

    def _note_work(self, track: Track, time: float) -> None:
        """Record that an arm worked at the discard pile; its tip may have seemed to be at the draw pile."""
        recent = (work for work in self._work_times if time - work[1] <= _REVISITED_SECONDS)
        self._work_times = [*recent, (track.number, time)]
        self._draw_pile.exclude(track.number)
        self._pending = [pending for pending in self._pending if not was_laying(pending.visit, self._work_times)]

    def _landing(self, landed: float, quad: Quad | None, zone: Zone) -> Landing:
        """Return a card that came to rest, at the middle of the pile without an outline, and the possible arms."""
        seen = self._arms.picture
        middle = np.array([zone.x, zone.y]) if quad is None else quad.mean(0).astype(np.float64)
        card = None if quad is None or seen is None else seen.within(quad)
        already_laid = {number for number, _ in self._work_times}
        return Landing(Spot(PileKind.DISCARD, middle, zone.length), self._recent_tracks, landed, already_laid, card)

    def _pending_visit(self, visit: HandVisit, zone: Zone) -> _PendingVisit | None:
        # The draw pile may have been lost during the visit, when the camera was moved.
        spot = next((spot for spot in self._spots(zone) if spot.kind is visit.kind), None)
        if spot is None or not visit.stayed or was_laying(visit, self._work_times):
            return None
        draw = spot if visit.kind is PileKind.DRAW else None
        draw_probability = 0.0 if draw is None else self._draw_model.by_movement(DrawEvidence(visit, draw))
        return _PendingVisit(visit_event(visit, zone, draw, draw_probability), visit, zone, draw)

    def _search_backs(self, frame: Frame, tracks: list[Track]) -> None:
        zone = self.tracker.zone
        if zone is None or self._find_backs is None:
            return
        if self._draw_pile.is_search_due(frame.time, arms=any(not track.gone for track in tracks)):
            self._draw_pile.add_backs(self._find_backs(frame.image), zone, frame.time, self._size)


def _arm(track: Track, landing: Landing, zone: Zone) -> Arm:
    began = arrival_time(landing.spot, track, landing.landed - ONE_ACT, landing.landed)
    return arm_of(track, zone, began, landing.landed)
