"""Whether there is anything to look at: the pile lies still, differs from what was known, and no hand is in the way."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from companion.vision.capture.frames import Frame
from companion.vision.core.geometry import Quad
from companion.vision.imaging.motion import (
    Background,
    Glance,
    Mask,
    Zone,
    difference,
    filled,
    glance,
    least_of_arm,
    reaches_in,
    share,
    tinted,
)
from companion.vision.pile.pile_change import UNCHANGED
from companion.vision.pile.pile_state import ONE_PLAY

# A hand that lets go is never still for two frames on end at 30 frames per second; slower sources are held to time. The
# first still frame is looked at, and what was seen in it counts if the next one is still too.
_STILL_FRAMES = 2
_STILL_SECONDS = 0.1
# Frames this far apart show no motion: each is taken by itself, once.
_SPARSE_SECONDS = 0.5
# Part of the zone that may differ from frame to frame while the pile is still: noise, compression, a flickering lamp.
# In simulated footage it is under 0.001 then, and 0.005 to 0.08 while an arm leaves.
MOTION = 0.006
# Part of the zone from which it is worth looking whether something has become of the pile. After something has moved
# there it always is: where faces are almost bare, one that was laid on another shows in little more than its corners.
# Twice what noise may be, as it adds up over two pictures that lie apart.
_NEWS = 2 * MOTION
# Part of the whole picture from which the camera itself must have moved: in simulated matches a landing or a push
# changed 0.09 of it at most.
_EVERYWHERE = 0.4
# A hand or arm that stays is waited for, ten times as long as one that lays a card mostly stays; what lies still
# longer, as a glass put down, has become part of the table.
HAND_PATIENCE = 2.0
# How often a picture without news replaces the one that news are told from: daylight hardly changes in a second.
_REFRESH_SECONDS = 1.0
# A first card must lie a little before its place is taken for the pile's: twice as long as a hand mostly stays.
_FINDING_SECONDS = 0.4
# Half the side, in lengths of a card, of the pile's middle: while an arm leaves the zone nothing moves there any more.
# In 75 simulated landings it fell still a frame after the card lay open in the median, five frames before the zone.
_MIDDLE = 0.45
# Part of the middle that must differ from what was known for a look past the arm to be worth it: so much did in 71 of
# those landings.
_CAME = 0.1
# How far from its middle, in lengths of a card, what moves is the pile's or a hand's at it.
_AT_PILE = 0.8


@dataclass(frozen=True, eq=False)
class View:
    """A frame, and what is kept of it to compare it with others."""

    frame: Frame
    glance: Glance

    @property
    def time(self) -> float:
        """The frame's, in seconds."""
        return self.frame.time

    @property
    def scale(self) -> float:
        """The width of small pictures over the frame's."""
        return float(self.glance.structure.shape[1] / self.frame.image.shape[1])

    def share(self, mask: Mask, zone: Zone | None, reach: float = Zone.REACH) -> float:
        """Return the part of the zone, or of the whole picture, that a small mask covers."""
        return float(np.mean(mask if zone is None else mask[self.window(zone, reach)]))

    def window(self, zone: Zone, reach: float = Zone.REACH) -> tuple[slice, slice]:
        """Return a zone's rows and columns in the small picture."""
        height, width = self.glance.structure.shape
        return _scaled(zone, self.scale).window(width, height, reach)

    def shows_as(self, other: View, quad: Quad, tolerance: float = MOTION) -> bool:
        """Whether at most so much of an outline, in pixels of the frame, differs from another picture; noise may."""
        if other.frame.image.shape != self.frame.image.shape:
            return False
        changed = difference(other.glance, self.glance)
        return share(changed, filled(quad, changed.shape, self.scale))[0] <= tolerance


def view(frame: Frame) -> View:
    """Return a frame with what is kept of it."""
    return View(frame, glance(frame.image, frame.time))


@dataclass(frozen=True, eq=False)
class Still:
    """A picture in which the pile lies still.

    since: the time of the first such picture; lasted: seconds since then; frames: how many there have been. settled:
    whether that is enough for what is seen to be told. alone: whether no other picture will bear it out, as frames come
    far apart or this is the last one. moved: whether it differs from the one before all the same, as with frames far
    apart.
    """

    view: View
    since: float
    lasted: float
    frames: int
    settled: bool
    alone: bool
    moved: bool

    @property
    def is_waited_out(self) -> bool:
        """Whether what has lain still so long can no longer be a hand."""
        return self.lasted >= HAND_PATIENCE


class Stillness:
    """Tells when the pile lies still and differs from the reference, the picture in which it was last known."""

    def __init__(self) -> None:
        self.reference: View | None = None
        """The picture in which the pile was last known, None before the first."""
        self._last: View | None = None
        self._still: Still | None = None
        self._stirred = False
        self.moving: Mask | None = None
        """Where the last picture differs from the one before, None where that cannot be told."""
        self._told: Quad | None = None
        self._told_at = 0.0
        self._background = Background()
        self.restless: Mask | None = None
        """Where something moves all the time, 1 in a picture of any size: it tells nothing of the pile."""

    @property
    def stirred(self) -> bool:
        """Whether anything has moved at the pile since it was last known."""
        return self._stirred

    def is_late_for(self, view: View) -> bool:
        """Whether the picture before this one, the very first, should have been taken by itself."""
        return self.reference is None and self._last is not None and view.time - self._last.time >= _SPARSE_SECONDS

    def take(self, view: View, zone: Zone | None) -> Still | None:
        """Take in the next picture; returns None while something moves at the pile, or nothing can be told."""
        last, self._last = self._last, view
        before, self._still = self._still, None
        self.moving = None
        if last is None or view.glance.is_dark or last.glance.structure.shape != view.glance.structure.shape:
            return None
        self._background.learn(view.glance)
        gap = view.time - last.time
        alone = gap >= _SPARSE_SECONDS
        self.moving = difference(last.glance, view.glance)
        moved = view.share(self._calm(self.moving, view, zone), zone) > MOTION
        if moved:
            self._stirred = True
            if not alone:
                return None
            before = None
        frames = 1 if before is None else before.frames + 1
        since = before.since if before is not None else view.time if moved else last.time
        lasted = view.time - since
        settled = frames >= _STILL_FRAMES or max(lasted, gap) >= _STILL_SECONDS
        self._still = Still(view, since, lasted, frames, settled, alone, moved)
        return self._still

    def last(self) -> Still | None:
        """Return the last picture as one that none will follow, None where there is none to be told anything from."""
        last, still = self._last, self._still
        if last is None or last.glance.is_dark:
            return None
        since, frames = (last.time, 0) if still is None else (still.since, still.frames)
        return Still(last, since, HAND_PATIENCE, frames, settled=True, alone=True, moved=False)

    def news(self, still: Still, zone: Zone | None, looking: bool) -> Mask | None:
        """Return where a still picture differs from the reference, None where it need not be looked at, or not yet.

        The mask is small, and all 1 where there is no reference. looking: whether looks have been taken since then.
        """
        picture, reference = still.view.glance, self.reference
        if reference is None:
            early = still.lasted < _FINDING_SECONDS and not still.alone
            return None if early else np.ones(picture.structure.shape, np.uint8)
        changed = self._calm(difference(reference.glance, picture), still.view, zone)
        if still.view.share(changed, zone) <= _NEWS and not self._stirred and not looking:
            if still.view.time - reference.time >= _REFRESH_SECONDS:
                self.reference = still.view
            return None
        if not still.is_waited_out and zone is not None and self.has_hand(still.view, changed, zone):
            return None
        if self._lies_as_told(still.view, reference):
            # What changes beside it is the arm that laid it.
            self.reference, self._stirred = still.view, False
            return None
        return changed

    def leaving(self, view: View, zone: Zone | None) -> Mask | None:
        """Return where the last picture taken differs from the reference while something leaves a pile that it changed.

        None where that is not so: where nothing moves, or something does in the pile's middle, or that is as it was.
        """
        moving, reference = self.moving, self.reference
        if zone is None or moving is None or reference is None or self._still is not None:
            return None
        if view.share(moving, zone, _MIDDLE) > MOTION:
            return None
        changed = self._calm(difference(reference.glance, view.glance), view, zone)
        news = view.share(changed, zone, _MIDDLE) >= _CAME and not self._lies_as_told(view, reference)
        return changed if news else None

    def _calm(self, changed: Mask, view: View, zone: Zone | None) -> Mask:
        """Return a mask without what is restless, but for the pile's middle."""
        if self.restless is None:
            return changed
        height, width = changed.shape
        calm = np.asarray(1 - cv2.resize(self.restless, (width, height), interpolation=cv2.INTER_NEAREST), np.uint8)
        if zone is not None:
            calm[view.window(zone, _AT_PILE)] = 1
        return np.asarray(changed & calm, np.uint8)

    def _lies_as_told(self, view: View, reference: View) -> bool:
        """Whether a card that has just been told past an arm lies as it did then."""
        if self._told is None or view.time - self._told_at >= ONE_PLAY:
            return False
        return view.shows_as(reference, self._told, UNCHANGED)

    def has_hand(self, view: View, changed: Mask, zone: Zone) -> bool:
        """Whether something that is not part of the table lies across the zone's edge and touches what is new in it."""
        foreign = self._background.foreign(view.glance)
        if is_everywhere(foreign):
            self._background.forget()
            return False
        window = view.window(zone)
        if self.reference is not None:
            # What the pile looked like when it was last known is not foreign, even if it is new to the table.
            fresh = changed | tinted(self.reference.glance.colors, view.glance.colors, changed.shape)
            foreign[window] &= fresh[window]
        length = zone.length * view.scale
        if self.restless is not None:
            # What does not come out of it is no arm.
            _, labels = cv2.connectedComponents(foreign, connectivity=8)
            sizes = np.bincount(labels[self._calm(foreign, view, zone) > 0], minlength=int(labels.max()) + 1)
            foreign &= (sizes >= least_of_arm(length))[labels].astype(np.uint8)
        return reaches_in(foreign, window, length)

    def refer_to(self, view: View, told: Quad | None = None) -> None:
        """Make this the picture in which the pile is known; only this outline in it, where an arm still leaves it."""
        self.reference = view
        self._told, self._told_at = told, view.time
        self._stirred = told is not None


def is_everywhere(changed: Mask) -> bool:
    """Whether so much of the picture has changed that the camera itself must have moved."""
    return bool(changed.mean() > _EVERYWHERE)


def _scaled(zone: Zone, scale: float) -> Zone:
    return Zone(zone.x * scale, zone.y * scale, zone.length * scale)
