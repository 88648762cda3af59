"""Whether there is anything to look at: the pile lies still, differs from what was known, and no hand is in the way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from companion.vision.frames import Frame
from companion.vision.motion import Background, Glance, Mask, Zone, difference, glance, reaches_in, tinted

# A hand that lets go is never still for two frames on end at 30 frames per second; slower sources are held to time. The
# first still frame is looked at, and what was seen in it counts if the next one is still too.
_STILL_FRAMES = 2
_STILL_SECONDS = 0.1
# Frames this far apart show no motion: each is taken by itself, once.
_SPARSE_SECONDS = 0.5
# Part of the zone that may differ from frame to frame while the pile is still: noise, compression, a flickering lamp.
_MOTION = 0.006
# Part of the zone from which it is worth looking whether something has become of the pile. After something has moved
# there it always is: where faces are almost bare, one that was laid on another shows in little more than its corners.
_NEWS = 0.012
# Part of the whole picture from which the camera itself must have moved.
_EVERYWHERE = 0.4
# A hand or arm that stays is waited for; what lies still longer, as a glass put down, has become part of the table.
HAND_PATIENCE = 2.0
# How often a picture without news replaces the one that news are told from, to keep up with daylight.
_REFRESH_SECONDS = 1.0
# A first card must lie a little before its place is taken for the pile's.
_FINDING_SECONDS = 0.4
# Area, in squares of a card's length, from which something that lies across the zone's edge can be an arm; and in small
# pixels, where cards are seen very small.
_ARM, _LEAST_ARM = 0.03, 4


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

    def share(self, mask: Mask, zone: Zone | None) -> float:
        """Return the part of the zone, or of the whole picture, that a small mask covers."""
        return float(np.mean(mask if zone is None else mask[self.window(zone)]))

    def window(self, zone: Zone) -> tuple[slice, slice]:
        """Return a zone's rows and columns in the small picture."""
        height, width = self.glance.structure.shape
        return _scaled(zone, self.scale).window(width, height)


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
        self._background = Background()

    def is_late_for(self, view: View) -> bool:
        """Whether the picture before this one, the very first, should have been taken by itself."""
        return self.reference is None and self._last is not None and view.time - self._last.time >= _SPARSE_SECONDS

    def take(self, view: View, zone: Zone | None) -> Still | None:
        """Take in the next picture; returns None while something moves at the pile, or nothing can be told."""
        last, self._last = self._last, view
        before, self._still = self._still, None
        if last is None or view.glance.is_dark or last.glance.structure.shape != view.glance.structure.shape:
            return None
        self._background.learn(view.glance)
        gap = view.time - last.time
        alone = gap >= _SPARSE_SECONDS
        moved = view.share(difference(last.glance, view.glance), zone) > _MOTION
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
        changed = difference(reference.glance, picture)
        if still.view.share(changed, zone) <= _NEWS and not self._stirred and not looking:
            if still.view.time - reference.time >= _REFRESH_SECONDS:
                self.reference = still.view
            return None
        if not still.is_waited_out and zone is not None and self.has_hand(still.view, changed, zone):
            return None
        return changed

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
        return reaches_in(foreign, window, max(_LEAST_ARM, int(_ARM * length**2)))

    def refer_to(self, view: View) -> None:
        """Make this the picture in which the pile is known."""
        self.reference = view
        self._stirred = False


def is_everywhere(changed: Mask) -> bool:
    """Whether so much of the picture has changed that the camera itself must have moved."""
    return bool(changed.mean() > _EVERYWHERE)


def _scaled(zone: Zone, scale: float) -> Zone:
    return Zone(zone.x * scale, zone.y * scale, zone.length * scale)
