"""Tracks a discard pile: frames in, events out.

While something moves at the pile nothing is read; once it is still and differs from the last accepted state, the
detector looks at its surroundings a few times, and the change the looks agree on becomes an event. An open card read
with certainty is reported before the arm that laid it has left.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from companion.cards import Card
from companion.vision.capture.frames import Frame
from companion.vision.core.events import (
    CameraHealth,
    CameraStatus,
    CardLanded,
    CardTakenBack,
    PileEvent,
    PileGone,
    PileMoved,
    Probabilities,
)
from companion.vision.core.geometry import Image
from companion.vision.core.sightings import FAIRLY, Sighting
from companion.vision.imaging.displacement import is_displaced
from companion.vision.imaging.durations import INSTANT
from companion.vision.imaging.masks import NO_ARMS, ArmMasks, Mask
from companion.vision.imaging.motion import color_difference, is_colorless
from companion.vision.imaging.zone import Zone
from companion.vision.pile.consensus import Look, PileConsensus, is_new_for_certain, mean_probabilities
from companion.vision.pile.features import Evidence
from companion.vision.pile.motion_gate import MotionGate, Still, View
from companion.vision.pile.outline_comparison import Comparison
from companion.vision.pile.pile_change import Change, Judgement, judge
from companion.vision.pile.pile_relocation import PileRelocator, is_held
from companion.vision.pile.pile_state import KnownPile, Region, in_region, zone_about
from companion.vision.pile.top_card import shipped

# Maximum number of looks past a leaving arm, an `INSTANT` apart: the first one is too early for one landing of five.
_MAX_EARLY_LOOKS = 2
# Sizes of the region shown to the networks in turn (see `Zone.VIEW`), a quick and a thorough look each: in another crop
# of a still picture the networks do not repeat their errors.
_VIEWS = (Zone.VIEW, 1.4, 1.8)
# Number of landings that confirm the pile's location; somebody sorting a hand may seem to lay one or two.
_CONFIRMED = 3

Detect = Callable[[Image], list[Sighting]]
"""Finds the face-up cards in a (H, W, 3) BGR uint8 picture; quads in its pixels."""


class PileTracker:
    """Tracks one pile. Call it for every frame; not thread-safe.

    detect: finds the cards in a picture. region: location of the pile, found automatically if None. detect_closeup:
    finds the cards in a picture of the pile's surroundings, where they are large; `detect` if None.
    """

    def __init__(self, detect: Detect, region: Region | None = None, detect_closeup: Detect | None = None) -> None:
        self._detect = self._in_color(detect)
        self._detect_closeup = self._in_color(detect_closeup or detect)
        self._gate = MotionGate()
        self._consensus = PileConsensus()
        self._pile = in_region(region)
        # Times of looks past an arm since a reference picture, and a certain card that the next picture must confirm.
        self._early_looks: tuple[View | None, list[float]] = None, []
        self._unconfirmed: tuple[Look, View] | None = None
        self._relocator = PileRelocator(self._detect) if region is None else None
        self._landing_count = 0
        self._top_model = shipped()
        self._colorless = self._reported_colorless = self._dark = False
        self.look_count = 0
        """Number of detector calls."""

    @property
    def zone(self) -> Zone | None:
        """Assumed location of the pile, None before the first card."""
        return self._pile.zone

    @property
    def top(self) -> Card | None:
        """The card assumed to be on top."""
        return self._pile.top

    def feed(self, frame: Frame, arms: ArmMasks = NO_ARMS) -> list[PileEvent]:
        """Process the next frame; returns the events, usually none. Raises what the detector raises.

        arms: where arms are in it, as far as that is known.
        """
        picture = View(frame, arms)
        self._dark |= picture.descriptor.is_dark and self.zone is not None
        return [*self._feed(picture), *self._health(frame.time)]

    def _feed(self, picture: View) -> list[PileEvent]:
        events: list[PileEvent] = []
        if self._gate.was_first_isolated(picture) and not self._consensus:
            events += self.finish()
        still = self._gate.take(picture, self.zone)
        if still is None or still.moved:
            self._consensus.clear()
        certain = self._relocate(picture) or self._confirm_early_look(picture)
        if certain:
            return events + certain
        if still is not None:
            return events + self._examine(still)
        self._look_past_arm(picture)
        return events

    def finish(self) -> list[PileEvent]:
        """Return the remaining events at the end of the source."""
        still = self._gate.last()
        return [] if still is None else [*self._examine(still), *self._health(still.view.time)]

    def _in_color(self, detect: Detect) -> Detect:
        """Return a detector that finds nothing in grey pictures, and notes whether cards are seen in colour."""

        def detect_in_color(image: Image) -> list[Sighting]:
            sightings = detect(image)
            if sightings:
                self._colorless = is_colorless(image)
            return [] if self._colorless else sightings

        return detect_in_color

    def _health(self, time: float) -> list[PileEvent]:
        """Report that the camera has lost colour, or has it again."""
        if self._colorless == self._reported_colorless:
            return []
        self._reported_colorless = self._colorless
        if not self._colorless:
            return [CameraStatus(time, CameraHealth.OK)]
        detail = "The picture has no colours, so no card is ruled on. Switch night mode off, or a light on."
        return [CameraStatus(time, CameraHealth.COLORLESS, detail)]

    def _relocate(self, picture: View) -> list[PileEvent]:
        """Move the pile to where the first card is laid, if another object was mistaken for it."""
        laid = None if self._relocator is None else self._relocator.search(picture, self._gate.moving)
        if laid is None:
            return []
        top, since = laid
        image = picture.frame.image
        taken_back = [CardTakenBack(since, ((below.card, 1.0),), image) for below in self._pile.cards[-2::-1]]
        if self._pile.cards:
            taken_back.append(CardTakenBack(since, (), image))
        begun = not self._pile.cards and self.zone is None
        self._relocator = PileRelocator(self._detect, picture, (top,), top.quad) if begun else None
        self._unconfirmed, self._landing_count = None, 0
        self._consensus.clear()
        self._gate.set_reference(picture)
        self._pile = KnownPile().landed(top, picture.time).with_readings([top])
        probabilities = tuple(zip(top.cards, top.probabilities, strict=True))
        return [*taken_back, self._landed(since, probabilities, top, image, KnownPile())]

    def _look_past_arm(self, picture: View) -> None:
        """Look at a card that may be open already while the arm that laid it leaves."""
        if self._early_looks[0] is not self._gate.reference:
            self._early_looks = self._gate.reference, []
        times = self._early_looks[1]
        if len(times) >= _MAX_EARLY_LOOKS or (times and picture.time - times[-1] < INSTANT):
            return
        changed = self._gate.changed_past_arm(picture, self.zone)
        if changed is not None:
            times.append(picture.time)
            look = self._look(picture, changed)
            self._unconfirmed = (look, picture) if is_new_for_certain(look, self._pile) else None

    def _confirm_early_look(self, picture: View) -> list[PileEvent]:
        """Report a card seen past an arm if the next picture shows it unchanged."""
        if self._unconfirmed is None:
            return []
        (look, earlier), self._unconfirmed = self._unconfirmed, None
        top, before = look.judgement.top, self._pile
        assert top is not None
        if not picture.shows_as(earlier, top.quad) or before.has_just_landed(top.card, picture.time):
            return []
        self._consensus.clear()
        self._gate.set_reference(picture, reported_quad=top.quad)
        self._pile = before.landed(top, picture.time).with_readings(look.sightings)
        probabilities = mean_probabilities([look.judgement])
        return [self._landed(earlier.time, probabilities, top, picture.frame.image, before)]

    def _examine(self, still: Still) -> list[PileEvent]:
        """Look at a still picture that has changed; the change is reported once the picture has settled."""
        changed = self._gate.changed_since_reference(still, self.zone, bool(self._consensus))
        if changed is None or not self._consensus.is_due(still.view.time):
            return []
        if self._consensus.needs_another(still, self._pile):
            self._consensus.add(self._look(still.view, changed, isolated=still.isolated), still.settled)
        if not still.settled:
            return []
        agreed = self._consensus.agreed(still, self._pile, self._gate.reference is None)
        return self._report(agreed, still, changed) if agreed else []

    def _look(self, picture: View, changed: Mask, *, isolated: bool = False) -> Look:
        """Run the detector on the pile's surroundings, quickly and thoroughly in turn. isolated: the only picture."""
        self.look_count += 1
        reference, image = self._gate.reference, picture.frame.image
        if reference is not None and not self._pile.cards:
            # A plain face on a plain table differs only in colour.
            changed = changed | color_difference(reference.descriptor, picture.descriptor)
        # Without a reference, a new card cannot be distinguished from previous objects such as the draw pile's back.
        least = FAIRLY if reference is None else 0.0
        displaced, pile = is_displaced(changed), self._pile
        sightings = [s for s in self._read(image) if s.confidence >= least and pile.can_hold(s.quad, displaced)]
        if self._colorless:
            return Look(picture.time, Judgement(Change.UNCLEAR, None), [])
        if self.zone is None and not isolated:
            sightings = [s for s in sightings if not is_held(s.quad, picture, reference)]
        pictures = None if reference is None else Comparison(reference.frame.image, image)
        tops = self._top_model.probabilities(image, sightings)
        judgement = judge(Evidence(pile.cards, sightings, changed, picture.scale, pictures, tops, pile.last_read))
        return Look(picture.time, judgement, sightings, displaced)

    def _read(self, image: Image) -> list[Sighting]:
        if self.zone is None:
            return self._detect(image)
        height, width = image.shape[:2]
        turn, thorough = divmod(len(self._consensus), 2)
        rows, columns = self.zone.window(width, height, _VIEWS[turn % len(_VIEWS)])
        corner = np.array([columns.start, rows.start], np.float32)
        detect = self._detect if thorough else self._detect_closeup
        return [replace(s, quad=s.quad + corner) for s in detect(image[rows, columns])]

    def _report(self, agreed: list[Judgement], still: Still, changed: Mask) -> list[PileEvent]:
        """Accept and report the change the looks agree on, unless a hand caused it."""
        judgement, picture = agreed[-1], still.view
        top = judgement.top
        if top is not None and not still.isolated:
            if judgement.change is Change.LANDED and self._pile.has_just_landed(top.card, picture.time):
                judgement = replace(judgement, change=Change.MOVED, landing_probability=1.0)
            # Without a known pile, the hand's possible place is only known now.
            if self.zone is None and self._gate.has_hand(picture, changed, zone_about([top.quad])):
                return []
        look, placeless = self._consensus.latest, self.zone is None
        first, has_moved = self._gate.reference is None, self._gate.has_moved
        self._gate.set_reference(picture)
        self._consensus.clear()
        events = self._apply(judgement, mean_probabilities(agreed), still, changed, look.displaced)
        self._pile = self._pile.with_readings(look.sightings)
        if first and self._pile.region is None:
            self._relocator = PileRelocator(self._detect, picture, look.sightings, None if top is None else top.quad)
        elif placeless and self.zone is not None:
            self._relocator = None
        elif has_moved and judgement.change is Change.LANDED:
            self._landing_count += 1
            self._relocator = None if self._landing_count >= _CONFIRMED else self._relocator
        return events

    def _apply(
        self, judgement: Judgement, probabilities: Probabilities, still: Still, changed: Mask, displaced: bool
    ) -> list[PileEvent]:
        """Apply the agreed change to the pile. probabilities: of the card on top. displaced: by a moved camera."""
        pile, picture, time = self._pile, still.view, still.since
        top, image = judgement.top, picture.frame.image
        if judgement.change is Change.GONE:
            self._pile = replace(pile, cards=(), last_read=())
            return [CardTakenBack(time, (), image) if len(pile.cards) == 1 else PileGone(time)]
        if top is None:
            return []
        match judgement.change:
            case Change.NONE if pile.cards:
                self._pile = pile.moved(top.quad, changed, picture.scale)
            case Change.LANDED | Change.UNCLEAR:
                self._pile = pile.landed(top, picture.time)
                return [self._landed(time, probabilities, top, image, pile)]
            case Change.TAKEN_BACK:
                self._pile = pile.uncovered(top, judgement.remaining)
                return [CardTakenBack(time, probabilities, image)]
            case Change.MOVED:
                self._pile = pile.moved(top.quad, changed, picture.scale)
                if not displaced:
                    # Motion of a card reported while its hand was present is the hand letting go.
                    return [] if pile.has_just_landed(top.card, time) else [PileMoved(time)]
                detail = "The camera was moved; the pile has been found again."
                return [CameraStatus(time, CameraHealth.KNOCKED, detail), CameraStatus(time, CameraHealth.OK)]
        return []

    def _landed(
        self, time: float, probabilities: Probabilities, top: Sighting, image: Image, pile: KnownPile
    ) -> CardLanded:
        """Return a landing on a pile; after a dark picture, under a covered lens, play may have gone on before it."""
        after_dark, self._dark = self._dark, False
        same_face = top.card == pile.top
        return CardLanded(time, probabilities, top.quad, image, same_face=same_face, after_dark=after_dark)
