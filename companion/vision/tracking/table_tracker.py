"""Tracks the whole table: changes of the discard pile, the arms that caused them, and visits to the draw pile."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from companion.vision.arms.arm_detector import ArmDetector
from companion.vision.arms.arm_tracks import Track
from companion.vision.arms.hand_visits import HandVisit, Spot, VisitTracker, arm_of, is_one_act, stayed_at, was_laying
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
from companion.vision.imaging.motion import ARM_PATIENCE, AT_REST, ONE_ACT, Zone
from companion.vision.imaging.stabilizer import Stabilizer
from companion.vision.pile.pile_state import Region
from companion.vision.pile.pile_tracker import PileTracker
from companion.vision.tracking import draw_inference, landing_attribution
from companion.vision.tracking.camera_advice import InView
from companion.vision.tracking.draw_inference import DrawEvidence, DrawModel, UsualChange, is_alone, visit_event
from companion.vision.tracking.draw_pile import ONE_BACK, DrawPile, square_at
from companion.vision.tracking.idle_snapshots import KEPT, Changed, IdleSnapshots, hidden_share
from companion.vision.tracking.landing_attribution import Landing, LandingModel, came_to
from companion.vision.tracking.repeat_landings import is_unlikely, reweighted_by_load, without_hand

FindBacks = Callable[[Image], list[Back]]
"""Finds possible face-down cards in a (H, W, 3) BGR uint8 picture."""

# Arms within this angle in degrees may be one player's, who rests a hand somewhere.
_ONE_PLAYER = 45.0
# Seconds arms that left are remembered until the draw pile is located; seconds after which a hand rests and is no
# evidence for a pile.
_REVISITED_SECONDS, _RESTS = 90.0, 4.0


@dataclass(frozen=True, eq=False)
class _Held:
    """A visit being held back: its event by the hand's movement, and what the draw pile will add."""

    event: PileReached
    reach: HandVisit
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
        self._steadier, self._busy = Stabilizer(), False
        self._arms = ArmDetector()
        self._finders: dict[int, VisitTracker] = {}
        self._recent: list[Track] = []
        self._laid: list[tuple[int, float]] = []
        self._held_back: list[_Held] = []
        self._at_discard: list[HandVisit] = []
        self._gone: list[Track] = []
        self._reported: set[tuple[int, float]] = set()
        self._known_spot: Spot | None = None
        self._drawn: list[float] = []
        self._quiet = IdleSnapshots()
        self._draws, self._landings = draws or draw_inference.shipped(), landings or landing_attribution.shipped()
        self._usual = UsualChange()
        self._shows_arms = False
        self._size, self._time = (0, 0), 0.0

    @property
    def draw_pile(self) -> Spot | None:
        """Assumed location of the draw pile, None while unknown."""
        zone = self.tracker.zone
        return None if zone is None else self._draw_pile.spot(zone)

    def draw_pile_view(self) -> InView | None:
        """Return the visible share of the draw pile, None while unknown."""
        zone = self.tracker.zone
        return None if zone is None else self._draw_pile.view(zone, self._size)

    def feed(self, frame: Frame) -> list[PileEvent]:
        """Process the next frame; returns the events, usually none, in approximate order of time.

        Raises what the tracker's detector raises.
        """
        frame = self._steadier.take(frame, self._busy)
        self._size, self._time = (frame.image.shape[1], frame.image.shape[0]), frame.time
        if self._steadier.moved:
            self._arms.reset()
        tracks = self._arms.feed(frame)
        if self._steadier.moved or self._arms.moved:
            self._restart()
        self._busy = any(not track.gone for track in tracks)
        self._quiet.see(frame.image, frame.time, self._arms.hidden, self._hidden(tracks))
        self.tracker.ignore(self._arms.ignored)
        events = self._take(self.tracker.feed(frame), tracks, frame.time)
        self._look_for_backs(frame, tracks)
        return events

    def _hidden(self, tracks: Sequence[Track]) -> float:
        """Return the share of the draw pile hidden by arms; 1 if there are arms and its location is unknown."""
        spot, hidden = self.draw_pile, self._arms.hidden
        if spot is None or hidden is None:
            return float(any(not track.gone for track in tracks))
        return hidden_share(hidden, spot.middle, spot.length, hidden.shape[1] / self._size[0])

    def _restart(self) -> None:
        """Drop the arms detected while the camera moved, and their visits; they were edges of the table."""
        self._quiet.forget()
        self._finders, self._recent, self._held_back = {}, [], []

    def finish(self) -> list[PileEvent]:
        """Return the remaining events at the end of the source."""
        tracks = self._arms.finish()
        events = self._take(self.tracker.finish(), tracks, self._time)
        left = [self._weighed(held) for held in self._held_back]
        self._held_back = []
        return sorted([*events, *left], key=lambda event: event.time)

    def _take(self, seen: list[PileEvent], tracks: list[Track], time: float) -> list[PileEvent]:
        known = {track.number for track in self._recent}
        self._recent = [track for track in self._recent if time - track.last.time <= ARM_PATIENCE]
        self._recent += [track for track in tracks if track.number not in known]
        zone = self.tracker.zone
        if zone is None:
            return seen
        events = [self._with_arm(event, zone) for event in seen]
        spots = self._spots(zone)
        self._arms.set_draw_pile(square_at(spots[1]) if len(spots) > 1 else None)
        for track in tracks:
            finder = self._finders.setdefault(track.number, VisitTracker(track))
            self._hold(finder.follow(spots), zone)
            if track.gone:
                self._visited(self._finders.pop(track.number), spots[0], zone)
        self._revisit_draw_pile(zone, time)
        return self._in_order(events, time)

    def _visited(self, finder: VisitTracker, discard: Spot, zone: Zone) -> None:
        """Record where an arm that left has been."""
        track = finder.track
        self._gone.append(track)
        place = finder.rested(discard)
        if place is not None and track.last.time - track.samples[0].time <= _RESTS:
            came = track.direction(discard.middle, -np.inf, np.inf)
            side = None if came is None else int(came[0] // _ONE_PLAYER)
            self._draw_pile.visit(place, zone, side, track.number)

    def _revisit_draw_pile(self, zone: Zone, time: float) -> None:
        """Hold back visits to the draw pile from before it was located."""
        draw = self._draw_pile.spot(zone)
        before, self._known_spot = self._known_spot, draw
        self._gone = [track for track in self._gone if time - track.last.time <= _REVISITED_SECONDS]
        if draw is None:
            return
        if before is not None and float(np.hypot(*(draw.middle - before.middle))) <= ONE_BACK * zone.length:
            return
        for track in self._gone:
            self._hold(VisitTracker(track).follow(self._spots(zone)), zone, of=PileKind.DRAW)

    def _hold(self, reaches: Sequence[HandVisit], zone: Zone, of: PileKind | None = None) -> None:
        """Hold back new visits. of: to which pile, both if None."""
        for reach in reaches:
            held = self._reached(reach, zone) if of in (None, reach.kind) else None
            if held is None:
                continue
            if reach.kind is PileKind.DRAW:
                if any(n == reach.track.number and reach.began <= ended for n, ended in self._reported):
                    continue
                self._reported.add((reach.track.number, reach.ended))
            else:
                recent = (other for other in self._at_discard if reach.ended - other.ended <= ARM_PATIENCE)
                self._at_discard = [*recent, reach]
            self._held_back.append(held)

    def _in_order(self, events: list[PileEvent], time: float) -> list[PileEvent]:
        """Return the events with the visits that are due, by time."""
        latest = max((event.time for event in events), default=0.0)
        due = [held for held in self._held_back if held.event.time <= max(latest, time - self._patience(held))]
        self._held_back = [held for held in self._held_back if held not in due]
        return sorted([*events, *map(self._weighed, due)], key=lambda event: event.time)

    def _patience(self, held: _Held) -> float:
        """Return for how many seconds a visit is held back, so that a card laid meanwhile is reported first.

        A change of the discard pile may be the hand's work, which takes longer to be recognised, as the draw pile's top
        takes to be visible.
        """
        waits = held.draw is not None and (self._went_on(held.reach) or self._changed(held, clearly=True) is None)
        return AT_REST if waits else ONE_ACT

    def _went_on(self, reach: HandVisit) -> bool:
        """Whether a hand at the draw pile was at the discard pile in the same action."""
        return any(other.track is reach.track and is_one_act(reach, other) for other in self._at_discard)

    def _changed(self, held: _Held, clearly: bool = False) -> Changed | None:
        """Return the change of the draw pile's top since before the visit; None while unknown.

        clearly: use only pictures without arms at the pile.
        """
        if held.draw is None:
            return None
        return self._quiet.changed(held.draw.middle, held.draw.length, held.reach.began, held.reach.ended, clearly)

    def _weighed(self, held: _Held) -> PileReached:
        """Return the event of a visit from all evidence available now."""
        if held.draw is None:
            return held.event
        change, table, alone = self._changed(held), self._arms.background, True
        back = None if table is None else table.within(square_at(held.draw))
        if change is not None:
            others = (other.reach for other in self._held_back if other.draw is not None)
            alone = is_alone(held.reach, others, self._drawn, change.since)
            if not held.reach.track.is_shadow:
                self._drawn = [*self._drawn, held.reach.ended][-KEPT:]
        share = None if change is None else change.share
        evidence = DrawEvidence(held.reach, held.draw, back, share, self._usual.log_share, alone)
        event = visit_event(held.reach, held.zone, held.draw, self._draws.probability(evidence))
        if share is not None:
            self._usual.note(share, self._draws.by_movement(evidence))
        return event

    def _spots(self, zone: Zone) -> list[Spot]:
        discard = Spot(PileKind.DISCARD, np.array([zone.x, zone.y]), zone.length)
        draw = self._draw_pile.spot(zone)
        return [discard] if draw is None else [discard, draw]

    def _with_arm(self, event: PileEvent, zone: Zone) -> PileEvent:
        match event:
            case CardLanded():
                if event.quad is not None:
                    self._arms.set_top_card(event.quad)
                landing = self._landing(event.time, event.quad, zone)
                arms = self._landings.attributed(landing)
                if not arms:
                    return without_hand(event) if self._shows_arms and is_unlikely(event) else event
                self._shows_arms = True
                (track, _), *others = arms
                weighed = reweighted_by_load(event, landing.load(track))
                self._note_work(track, event.time)
                rivals = tuple((_arm(other, landing, zone), share) for other, share in others)
                entered = track.samples[0].time
                return replace(weighed, arm=_arm(track, landing, zone), rivals=rivals, entered=entered)
            case CardTakenBack() | PileGone() | PileMoved():
                for track, _ in self._landings.attributed(self._landing(event.time, None, zone))[:1]:
                    # Who passes over the pile may only seem to have moved it.
                    since, spots = event.time - ONE_ACT, self._spots(zone)
                    if not isinstance(event, PileMoved) or stayed_at(PileKind.DISCARD, track, since, spots):
                        self._note_work(track, event.time)
            case CameraStatus(health=CameraHealth.KNOCKED):
                self._draw_pile.forget()
                self._gone, self._known_spot = [], None
        return event

    def _note_work(self, track: Track, time: float) -> None:
        """Record that an arm worked at the discard pile; its tip may have seemed to be at the draw pile."""
        self._laid = [*(one for one in self._laid if time - one[1] <= _REVISITED_SECONDS), (track.number, time)]
        self._draw_pile.worked(track.number)
        self._held_back = [held for held in self._held_back if not was_laying(held.reach, self._laid)]

    def _landing(self, landed: float, quad: Quad | None, zone: Zone) -> Landing:
        """Return a card that came to rest, and the arms that may have laid it.

        quad: the card's outline; the middle of the discard pile if None.
        """
        seen = self._arms.picture
        middle = np.array([zone.x, zone.y]) if quad is None else quad.mean(0).astype(np.float64)
        card = None if quad is None or seen is None else seen.within(quad)
        done = {number for number, _ in self._laid}
        return Landing(Spot(PileKind.DISCARD, middle, zone.length), self._recent, landed, done, card)

    def _reached(self, reach: HandVisit, zone: Zone) -> _Held | None:
        if not reach.stayed or was_laying(reach, self._laid):
            return None
        draw = self._draw_pile.spot(zone) if reach.kind is PileKind.DRAW else None
        drew = 0.0 if draw is None else self._draws.by_movement(DrawEvidence(reach, draw))
        return _Held(visit_event(reach, zone, draw, drew), reach, zone, draw)

    def _look_for_backs(self, frame: Frame, tracks: list[Track]) -> None:
        zone = self.tracker.zone
        if zone is None or self._find_backs is None:
            return
        if self._draw_pile.wants_look(frame.time, arms=any(not track.gone for track in tracks)):
            self._draw_pile.see_backs(self._find_backs(frame.image), zone, frame.time, self._size)


def _arm(track: Track, landing: Landing, zone: Zone) -> Arm:
    began = came_to(landing.spot, track, landing.landed - ONE_ACT, landing.landed)
    return arm_of(track, zone, began, landing.landed)
