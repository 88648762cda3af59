"""Decides whether a picture is worth looking at: the pile is still, has changed, and no hand is in the way."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from companion.vision.capture.frames import Frame
from companion.vision.core.geometry import Quad
from companion.vision.imaging.durations import HAND_PATIENCE, INSTANT, ONE_ACT, ONE_PLAY, SPARSE
from companion.vision.imaging.masks import NO_ARMS, ArmMasks, Mask, covered_share, outline_mask
from companion.vision.imaging.motion import Descriptor, color_difference, describe, difference
from companion.vision.imaging.zone import Zone
from companion.vision.pile.thresholds import UNCHANGED

# Share of the zone that may differ between frames of a still pile by noise, compression and flicker.
MOTION = 0.006
# Minimum changed share of the zone to look without prior motion. After motion always look: an almost bare card on
# another one differs only in its corners.
_NEWS = 2 * MOTION
LIES = 0.4
"""Seconds the first card must lie before its place becomes the pile's, or a picture may move before it is searched."""
# Half side of the pile's middle in card lengths, which is still while an arm leaves the zone (in 75 simulated landings
# five frames before the zone), and its minimum changed share for a look past the arm.
_MIDDLE, _CAME = 0.45, 0.1
# Distance from the middle in card lengths within which motion belongs to the pile or a hand at it.
_AT_PILE = 0.8
# Minimum area that an arm hides at the pile, in squares of a card's length: two fingertips.
_ARM = 0.03


@dataclass(frozen=True, eq=False)
class View:
    """A frame, its reduced representation, and where arms are in it."""

    frame: Frame
    _arms: ArmMasks = NO_ARMS

    @cached_property
    def descriptor(self) -> Descriptor:
        """The reduced representation."""
        return describe(self.frame.image, self.frame.time)

    @cached_property
    def arms(self) -> ArmMasks:
        """Where arms are, in the size of medium pictures."""
        return self._arms.resized(self.descriptor.shape)

    @property
    def time(self) -> float:
        """The frame's time in seconds."""
        return self.frame.time

    @property
    def scale(self) -> float:
        """Width of medium pictures divided by the frame's."""
        return float(self.descriptor.shape[1] / self.frame.image.shape[1])

    def zone_share(self, mask: Mask, zone: Zone | None, reach: float = Zone.REACH) -> float:
        """Return the share of the zone, or of the whole picture, that a medium mask covers."""
        return float(np.mean(mask if zone is None else mask[self.window(zone, reach)]))

    def window(self, zone: Zone, reach: float = Zone.REACH) -> tuple[slice, slice]:
        """Return a zone's rows and columns in the medium picture."""
        height, width = self.descriptor.shape
        scale = self.scale
        return Zone(zone.x * scale, zone.y * scale, zone.length * scale).window(width, height, reach)

    def shows_as(self, other: View, quad: Quad, tolerance: float = MOTION) -> bool:
        """Whether an outline in frame pixels differs from another picture by at most a share."""
        if other.frame.image.shape != self.frame.image.shape:
            return False
        changed = difference(other.descriptor, self.descriptor)
        return covered_share(changed, outline_mask(quad, changed.shape, self.scale)) <= tolerance


@dataclass(frozen=True, eq=False)
class Still:
    """A picture in which the pile is still.

    since: time of the first such picture; lasted: seconds since then. settled: whether this suffices for a report.
    isolated: whether frames are so far apart, or it is the last one, that no further picture can confirm it; moved:
    whether such a one differs from the previous frame.
    """

    view: View
    since: float
    lasted: float
    settled: bool
    isolated: bool
    moved: bool

    @property
    def is_past_patience(self) -> bool:
        """Whether the object has been still too long to be a hand."""
        return self.lasted >= HAND_PATIENCE


class MotionGate:
    """Detects still pictures that differ from the reference, the picture in which the pile was last known."""

    def __init__(self) -> None:
        self.reference: View | None = None
        """The picture in which the pile was last known, None before the first."""
        self._last: View | None = None
        self._still: Still | None = None
        self.has_moved = False
        """Whether anything moved at the pile since it was last known."""
        self.moving: Mask | None = None
        """Mask of changes since the previous picture, None if undefined."""
        self._reported_quad: Quad | None = None
        self._reported_at = 0.0

    def was_first_isolated(self, view: View) -> bool:
        """Whether the previous picture, the very first, should have been treated as a single picture."""
        return self.reference is None and self._last is not None and view.time - self._last.time >= SPARSE

    def take(self, view: View, zone: Zone | None) -> Still | None:
        """Process the next picture; returns None while something moves at the pile."""
        last, self._last = self._last, view
        before, self._still = self._still, None
        self.moving = None
        if last is None or view.descriptor.is_dark or last.descriptor.shape != view.descriptor.shape:
            return None
        gap = view.time - last.time
        isolated = gap >= SPARSE
        self.moving = difference(last.descriptor, view.descriptor)
        moved = view.zone_share(self._without_ignored(self.moving, view, zone), zone) > MOTION
        if moved:
            self.has_moved = True
            if not isolated:
                return None
            before = None
        since = before.since if before is not None else view.time if moved else last.time
        lasted = view.time - since
        # At 30 frames per second a releasing hand is never still for two; slower sources are gated by time.
        settled = before is not None or max(lasted, gap) >= INSTANT
        self._still = Still(view, since, lasted, settled, isolated, moved)
        return self._still

    def last(self) -> Still | None:
        """Return the last picture as one without successor, None if there is nothing to report."""
        last, still = self._last, self._still
        if last is None or last.descriptor.is_dark:
            return None
        since = last.time if still is None else still.since
        return Still(last, since, HAND_PATIENCE, settled=True, isolated=True, moved=False)

    def changed_since_reference(self, still: Still, zone: Zone | None, looking: bool) -> Mask | None:
        """Return the changes of a still picture from the reference, all 1 without one; None if no look is due."""
        picture, reference = still.view.descriptor, self.reference
        if reference is None:
            early = still.lasted < LIES and not still.isolated
            return None if early else np.ones(picture.shape, np.uint8)
        changed = self._without_ignored(difference(reference.descriptor, picture), still.view, zone)
        if still.view.zone_share(changed, zone) <= _NEWS and not self.has_moved and not looking:
            if still.view.time - reference.time >= ONE_ACT:  # Daylight changes little in a second.
                self.reference = still.view
            return None
        if not still.is_past_patience and zone is not None and self.has_hand(still.view, changed, zone):
            return None
        if self._lies_as_reported(still.view, reference):
            # Changes beside it are the arm that laid it.
            self.reference, self.has_moved = still.view, False
            return None
        return changed

    def changed_past_arm(self, view: View, zone: Zone | None) -> Mask | None:
        """Return the changes from the reference while something leaves a pile whose middle is still and changed."""
        moving, reference = self.moving, self.reference
        if zone is None or moving is None or reference is None or self._still is not None:
            return None
        if view.zone_share(moving, zone, _MIDDLE) > MOTION:
            return None
        changed = self._without_ignored(difference(reference.descriptor, view.descriptor), view, zone)
        came = view.zone_share(changed, zone, _MIDDLE) >= _CAME and not self._lies_as_reported(view, reference)
        return changed if came else None

    def _without_ignored(self, changed: Mask, view: View, zone: Zone | None) -> Mask:
        """Return a mask without constant motion, except in the pile's middle."""
        if view.arms.ignored is None:
            return changed
        kept = 1 - view.arms.ignored
        if zone is not None:
            kept[view.window(zone, _AT_PILE)] = 1
        return np.asarray(changed & kept, np.uint8)

    def _lies_as_reported(self, view: View, reference: View) -> bool:
        """Whether a card just reported past an arm still lies as it did."""
        if self._reported_quad is None or view.time - self._reported_at >= ONE_PLAY:
            return False
        return view.shows_as(reference, self._reported_quad, UNCHANGED)

    def has_hand(self, view: View, changed: Mask, zone: Zone) -> bool:
        """Whether arms hide changes at the pile."""
        hidden, ignored = view.arms.hidden, view.arms.ignored
        if hidden is None:
            return False
        if ignored is not None:
            hidden = hidden & (1 - ignored)
        if self.reference is not None:
            # Where the pile looks as it was last known, the arm is beside it or was there before.
            hidden = hidden & (changed | color_difference(self.reference.descriptor, view.descriptor))
        return bool(hidden[view.window(zone, _AT_PILE)].sum() >= _ARM * (zone.length * view.scale) ** 2)

    def set_reference(self, view: View, reported_quad: Quad | None = None) -> None:
        """Make this the reference picture; only inside `reported_quad` if an arm is still leaving."""
        self.reference = view
        self._reported_quad, self._reported_at = reported_quad, view.time
        self.has_moved = reported_quad is not None
