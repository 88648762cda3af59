"""Follows a discard pile: frames in, events out.

Motion gates everything. While something moves at the pile nothing is read; once it is still and differs from what was
last accepted, the detector looks at the pile's surroundings a few times, and what the looks agree on becomes an event.
A card that lies open and is read beyond doubt need not wait for the arm that laid it to be gone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

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
)
from companion.vision.core.geometry import Image
from companion.vision.core.sightings import Sighting
from companion.vision.imaging.motion import Mask, Zone, tinted
from companion.vision.pile.consensus import SURE, Agreement, Look, Looks, is_new_for_certain
from companion.vision.pile.features import Evidence
from companion.vision.pile.motion_gate import Still, Stillness, View, is_everywhere, view
from companion.vision.pile.outline_comparison import Comparison
from companion.vision.pile.pile_change import Change, judge
from companion.vision.pile.pile_relocation import Elsewhere, is_held
from companion.vision.pile.pile_state import KnownPile, Region, in_region, zone_about

__all__ = ["Detect", "PileTracker", "Region"]

# Least seconds between looks past an arm that leaves, which is further away then, and the most looks at one: in 75
# simulated landings the first came before the card lay open in one of five, and three frames later it always did.
_ARM_LEAVES, _MOST_GLIMPSES = 0.1, 2

# How much of the pile's surroundings the networks are shown by turns (see `Zone.VIEW`), a quick and a thorough look
# each: a still picture shows them the same again, and what they miss or take for another card in it they miss again,
# where an eighth less or more of it hardly matters to them otherwise.
_VIEWS = (Zone.VIEW, 1.4, 1.8)

# How many cards must be laid where the pile was found for it to be there: somebody who sorts a hand that was taken for
# it may seem to lay one or two, while the first that is laid on the pile itself tells where that is.
_BORNE_OUT = 3

Detect = Callable[[Image], list[Sighting]]
"""Finds the face-up cards in a (H, W, 3) BGR uint8 picture; quads in its pixels."""


@dataclass(frozen=True, eq=False)
class Glimpse:
    """A look past an arm that is leaving, and the picture that was looked at.

    waits: whether it showed a card beyond doubt, which the next picture must bear out. reference: the picture in which
    the pile was known then. count: how many looks past an arm there have been since that.
    """

    look: Look
    picture: View
    reference: View | None
    waits: bool
    count: int


class PileTracker:
    """Follows one pile. Feed it every frame there is; it is not to be shared between threads.

    detect: finds the cards in a picture. region: location of the pile, found automatically if None. detect_closeup:
    finds the cards in a picture of the pile's surroundings, where they are large; `detect` if None.
    """

    def __init__(self, detect: Detect, region: Region | None = None, detect_closeup: Detect | None = None) -> None:
        self._detect = detect
        self._closely = detect_closeup or detect
        self._stillness = Stillness()
        self._looks = Looks()
        self._pile = in_region(region)
        self._glimpse: Glimpse | None = None
        self._elsewhere = Elsewhere(detect) if region is None else None
        self._laid = 0
        self.look_count = 0
        """How many times the detector was asked."""

    @property
    def zone(self) -> Zone | None:
        """Where the pile is taken to be, None while no card was found."""
        return self._pile.zone

    @property
    def top(self) -> Card | None:
        """The card taken to be on top."""
        return self._pile.top

    def ignore(self, restless: Mask | None) -> None:
        """Let what moves in a part of the picture tell nothing, 1 in a mask of any size; all counts where None."""
        self._stillness.restless = restless

    def feed(self, frame: Frame) -> list[PileEvent]:
        """Take in the next frame; returns what has happened, mostly nothing. Raises what the detector raises."""
        picture = view(frame)
        events: list[PileEvent] = []
        if self._stillness.is_late_for(picture) and not self._looks:
            events += self.finish()
        still = self._stillness.take(picture, self.zone)
        if still is None or still.moved:
            self._looks.clear()
        told = self._look_elsewhere(picture) or self._bear_out(picture)
        if told:
            return events + told
        if still is not None:
            # One look at a picture that has not settled is enough.
            seen = self._counts_glimpse(still) and not still.settled
            return events if seen else events + self._examine(still)
        self._look_past_arm(picture)
        return events

    def finish(self) -> list[PileEvent]:
        """Say what is left to be said when no frame will follow."""
        still = self._stillness.last()
        return [] if still is None else self._examine(still)

    def _look_elsewhere(self, picture: View) -> list[PileEvent]:
        """Let the pile be where the first card is laid, if that is not where something else was taken for it."""
        laid = None if self._elsewhere is None else self._elsewhere.look(picture, self._stillness.moving)
        if laid is None:
            return []
        top, since = laid
        image = picture.frame.image
        taken_back = [CardTakenBack(since, ((below.card, 1.0),), image) for below in self._pile.cards[-2::-1]]
        if self._pile.cards:
            taken_back.append(CardTakenBack(since, (), image))
        begun = not self._pile.cards and self.zone is None
        self._elsewhere = Elsewhere(self._detect, picture, (top,), top.quad) if begun else None
        self._glimpse, self._laid = None, 0
        self._looks.clear()
        self._stillness.refer_to(picture)
        self._pile = KnownPile().landed(top, picture.time).seen([top])
        chances = tuple(zip(top.cards, top.probabilities, strict=True))
        return [*taken_back, CardLanded(since, chances, top.quad, image)]

    def _look_past_arm(self, picture: View) -> None:
        """Look at a card that may lie open already while the arm that laid it leaves."""
        last, reference = self._glimpse, self._stillness.reference
        count = 0 if last is None or last.reference is not reference else last.count
        if last is not None and count and picture.time - last.picture.time < _ARM_LEAVES:
            return
        changed = self._stillness.leaving(picture, self.zone) if count < _MOST_GLIMPSES else None
        if changed is not None:
            look = self._look(picture, changed)
            waits = is_new_for_certain(look, self._pile)
            self._glimpse = Glimpse(look, picture, reference, waits, count + 1)

    def _counts_glimpse(self, still: Still) -> bool:
        """Let what was seen past an arm, if anything, count as the first look at a picture that still shows it."""
        glimpse = self._glimpse
        if glimpse is None or still.frames > 1 or self._looks or glimpse.reference is not self._stillness.reference:
            return False
        top = glimpse.look.judgement.top
        if top is None or glimpse.look.judgement.change is not Change.LANDED:
            return False
        if not still.view.shows_as(glimpse.picture, top.quad):
            return False
        self._looks.add(glimpse.look, settled=False)
        return True

    def _bear_out(self, picture: View) -> list[PileEvent]:
        """Tell a card that was seen past an arm if it lies in this picture, the next, as it did in that."""
        glimpse = self._glimpse
        if glimpse is None or not glimpse.waits:
            return []
        self._glimpse = replace(glimpse, waits=False)
        judgement = glimpse.look.judgement
        top = judgement.top
        if top is None or not picture.shows_as(glimpse.picture, top.quad):
            return []
        if self._pile.has_just_taken(top.card, picture.time):
            return []
        self._looks.clear()
        self._stillness.refer_to(picture, told=top.quad)
        before, self._pile = self._pile, self._pile.landed(top, picture.time).seen(glimpse.look.sightings)
        probabilities, like = Agreement(judgement, (judgement,)).probabilities, before.top == top.card
        return [CardLanded(glimpse.picture.time, probabilities, top.quad, picture.frame.image, same_face=like)]

    def _examine(self, still: Still) -> list[PileEvent]:
        """Look whether a still picture shows anything new; it is said once the picture has settled."""
        changed = self._stillness.news(still, self.zone, bool(self._looks))
        if changed is None or not self._looks.is_due(still.view.time):
            return []
        if self._looks.needs_another(still, self._pile):
            self._looks.add(self._look(still.view, changed, alone=still.alone), still.settled)
        if not still.settled:
            return []
        agreement = self._looks.agreed(still, self._pile, self._stillness.reference is None)
        return [] if agreement is None else self._tell(agreement, still, changed)

    def _look(self, picture: View, changed: Mask, *, alone: bool = False) -> Look:
        """Ask the detector, about the pile's surroundings where they are known; quickly and thoroughly in turn.

        alone: whether the picture is all that there is to tell from.
        """
        self.look_count += 1
        reference, image = self._stillness.reference, picture.frame.image
        if reference is not None and not self._pile.cards:
            # A plain face on a plain table shows in little but its colour.
            changed = changed | tinted(reference.glance.colors, picture.glance.colors, changed.shape)
        # In the first picture nothing tells what has come from what was there, such as the draw pile's back.
        least = SURE if reference is None else 0.0
        # Where the camera was knocked, outlines known from before say nothing.
        knocked = is_everywhere(changed)
        sightings = [
            s for s in self._read(image) if s.confidence >= least and self._pile.can_hold(s.quad, knocked=knocked)
        ]
        if self.zone is None and not alone:
            sightings = [s for s in sightings if not is_held(s.quad, picture)]
        pictures = None if reference is None else Comparison(reference.frame.image, image)
        judgement = judge(Evidence(self._pile.cards, sightings, changed, picture.scale, pictures))
        return Look(picture.time, judgement, sightings)

    def _read(self, image: Image) -> list[Sighting]:
        if self.zone is None:
            return self._detect(image)
        height, width = image.shape[:2]
        turn, thorough = divmod(len(self._looks), 2)
        rows, columns = self.zone.window(width, height, _VIEWS[turn % len(_VIEWS)])
        corner = np.array([columns.start, rows.start], np.float32)
        detect = self._detect if thorough else self._closely
        return [replace(s, quad=s.quad + corner) for s in detect(image[rows, columns])]

    def _tell(self, agreement: Agreement, still: Still, changed: Mask) -> list[PileEvent]:
        """Make what the looks agree on known, and say so, unless it is a hand's doing."""
        judgement, picture = agreement.judgement, still.view
        top = judgement.top
        if top is not None and not still.alone:
            if judgement.change is Change.LANDED and self._pile.has_just_taken(top.card, picture.time):
                judgement = replace(judgement, change=Change.MOVED, belief=1.0)
            # Where no pile was known, only now can be told where a hand would have to be.
            if self.zone is None and self._stillness.has_hand(picture, changed, zone_about([top.quad])):
                return []
        sightings = self._looks.latest.sightings
        placeless = self.zone is None
        first, stirred = self._stillness.reference is None, self._stillness.stirred
        knocked = not first and is_everywhere(changed) and bool(self._pile.cards)
        self._stillness.refer_to(picture)
        self._looks.clear()
        events = self._accept(replace(agreement, judgement=judgement), still, changed, knocked)
        self._pile = self._pile.seen(sightings)
        if first and self._pile.region is None:
            self._elsewhere = Elsewhere(self._detect, picture, sightings, None if top is None else top.quad)
        elif placeless and self.zone is not None:
            self._elsewhere = None
        elif stirred and judgement.change is Change.LANDED:
            self._laid += 1
            self._elsewhere = None if self._laid >= _BORNE_OUT else self._elsewhere
        return events

    def _accept(self, agreement: Agreement, still: Still, changed: Mask, knocked: bool) -> list[PileEvent]:
        """Let what the looks agree on have happened to the pile."""
        judgement, pile, picture, time = agreement.judgement, self._pile, still.view, still.since
        top, image = judgement.top, picture.frame.image
        match judgement.change:
            case Change.NONE if top is not None and pile.cards:
                self._pile = pile.moved(top.quad, changed, picture.scale)
            case Change.LANDED | Change.UNCLEAR:
                assert top is not None
                self._pile = pile.landed(top, picture.time)
                return [CardLanded(time, agreement.probabilities, top.quad, image, same_face=pile.top == top.card)]
            case Change.TAKEN_BACK:
                assert top is not None
                self._pile = pile.uncovered(top, judgement.left)
                return [CardTakenBack(time, agreement.probabilities, image)]
            case Change.MOVED:
                assert top is not None
                self._pile = pile.moved(top.quad, changed, picture.scale)
                if not knocked:
                    # What stirs a card that was told while its hand was still about is that hand letting go.
                    return [] if pile.has_just_taken(top.card, time) else [PileMoved(time)]
                detail = "The camera was moved; the pile has been found again."
                return [CameraStatus(time, CameraHealth.KNOCKED, detail), CameraStatus(time, CameraHealth.OK)]
            case Change.GONE:
                self._pile = pile.gone()
                return [CardTakenBack(time, (), image) if len(pile.cards) == 1 else PileGone(time)]
        return []
