"""Detects and tracks arms that reach into the picture from its border.

An arm is defined only by its difference from the background, so skin, sleeves and gloves of any look are arms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.arms.arm_geometry import (
    FINGER,
    MOVES,
    SAME_HAND,
    Shape,
    body_of,
    divided,
    farthest,
    from_way,
    single,
    widest,
)
from companion.vision.arms.arm_tracks import RIM_JUMP, UNSEEN, Sample, Track
from companion.vision.arms.frame_border import FrameBorder, Point, longest_run, rim_of
from companion.vision.arms.hand_color import EDGE, LEAST_AREA, ColorPicture, colors_at
from companion.vision.arms.ignore_mask import IgnoreMask
from companion.vision.arms.mask_bridging import GAP, Bridges
from companion.vision.arms.shadows import is_shady, without_shade
from companion.vision.capture.frames import SMALL, Frame
from companion.vision.core.geometry import CARD_RADIUS, NEARLY_ALL, Quad
from companion.vision.imaging.background_model import BackgroundModel, Difference
from companion.vision.imaging.motion import NEIGHBOURS, SQUARE, Mask, filled, length_of

__all__ = ["ArmDetector"]

# Seconds between analysed frames: every second frame at 30 per second, every frame at 25.
_OFTEN = 0.036
# An arm from behind the ignored region is connected to it over this multiple of its border crossing; one that enters
# beside it over at most twice, except in a few frames.
_MIN_CONNECTION = 3


class ArmDetector:
    """Tracks the arms at a table. Call it for every frame; not thread-safe."""

    def __init__(self) -> None:
        self._backdrop, self._restless, self._bridges = BackgroundModel(), IgnoreMask(), Bridges()
        self._tracks: list[Track] = []
        self._numbers = count(1)
        self._shape: tuple[int, int] | None = None
        self._looked = -np.inf
        self._laid: Quad | None = None
        self._pile: Quad | None = None
        self.moved = False
        """Whether all arms were dropped with the last frame because the camera had been knocked."""
        self.hidden: Mask | None = None
        """Mask of the table hidden or shaded by arms in the last frame, (h, SMALL) uint8 of 0 and 1; None if there is
        none.
        """

    @property
    def restless(self) -> Mask | None:
        """Mask of constant motion at the border, (h, SMALL) uint8 of 0 and 1; None if there is none."""
        return self._restless.mask

    def feed(self, frame: Frame) -> list[Track]:
        """Process the next frame; returns the visible arms, and once each arm that has just left."""
        self.moved = False
        time = frame.time
        if 0 <= time - self._looked < _OFTEN:
            return list(self._tracks)
        self._looked = time
        if self._shape != frame.image.shape[:2]:
            self._shape = (frame.image.shape[0], frame.image.shape[1])
            self._backdrop, self._restless = BackgroundModel(), IgnoreMask()
        difference = self._backdrop.look(frame.small, time, self._restless.mask)
        if self._backdrop.shifted:
            self.reset()
            self.moved = True
            return []
        samples: list[Sample] = []
        self.hidden = None
        if difference is not None:
            samples, waits, self.hidden = self._find(difference)
            self._backdrop.learn(waits)
        return self._match(samples, time, seen=difference is not None)

    def lies(self, quad: Quad) -> None:
        """Register a card lying at a (4, 2) outline, which may touch the border as an arm does."""
        self._laid = quad

    @property
    def seen(self) -> ColorPicture | None:
        """The last picture, None before the first one. Do not keep references."""
        return None if self._backdrop.seen is None else ColorPicture(self._backdrop.seen, 1 / self._scale)

    @property
    def table(self) -> ColorPicture | None:
        """The background with piles but without hands; None before the first picture. Do not keep references."""
        return None if self._backdrop.table is None else ColorPicture(self._backdrop.table, 1 / self._scale)

    def pile_at(self, quad: Quad | None) -> None:
        """Set the location of a pile, (4, 2), or None if unknown: motion there is nobody's held cards."""
        self._pile = quad

    def reset(self) -> None:
        """Reset after the camera moved."""
        self._backdrop, self._restless = BackgroundModel(), IgnoreMask()
        self._tracks, self._laid = [], None

    def finish(self) -> list[Track]:
        """Return the arms still present at the end of the source; they count as gone."""
        left, self._tracks = self._tracks, []
        for track in left:
            track.gone = True
        return left

    def _find(self, difference: Difference) -> tuple[list[Sample], Mask, Mask | None]:
        """Return the arms of one picture, the mask of waiting foreground objects, and the mask of arms."""
        attached = np.zeros_like(difference.foreign)
        held, pile = difference.foreign, self._pile
        if pile is not None:
            held = held & (1 - filled(pile, held.shape, 1 / self._scale, 0.0))
        self._restless.learn(held, difference.time)
        restless = self._restless.mask
        if int(np.count_nonzero(difference.foreign)) < LEAST_AREA:
            return [], attached, None
        closed = np.asarray(cv2.morphologyEx(difference.foreign, cv2.MORPH_CLOSE, NEIGHBOURS), np.uint8)
        wide = widest(closed.shape[1], self._card)
        passes = is_shady(closed, difference.solid, wide)
        if passes:
            solid = cv2.morphologyEx(difference.solid, cv2.MORPH_OPEN, NEIGHBOURS)
            closed &= without_shade(
                closed, np.asarray(cv2.morphologyEx(solid, cv2.MORPH_CLOSE, NEIGHBOURS), np.uint8), self._card
            )
        shade = difference.foreign & (1 - difference.solid) if passes else np.zeros_like(attached)
        edge = np.zeros(closed.shape, np.bool_)
        if restless is not None:
            attached |= closed & restless
            closed &= 1 - restless
            edge |= cv2.dilate(restless, SQUARE) > 0
        closed = self._bridges.build(closed, difference.moved, None if pile is None else pile / self._scale)
        components, labels, stats, _ = cv2.connectedComponentsWithStats(closed, connectivity=8)
        rim = rim_of(closed.shape[0], closed.shape[1])
        # Thin lines along the edge of a shadow do not belong to an arm.
        firm = np.asarray(cv2.morphologyEx(difference.solid, cv2.MORPH_OPEN, NEIGHBOURS), np.uint8)
        laid = None if self._laid is None else filled(self._laid, closed.shape, 1 / self._scale, -EDGE) > 0
        shapes: list[Shape] = []
        hands = np.zeros_like(attached)
        for number in range(1, components):
            if stats[number, cv2.CC_STAT_AREA] < LEAST_AREA:
                continue
            part = labels == number
            if laid is not None and np.count_nonzero(part & laid) >= NEARLY_ALL * stats[number, cv2.CC_STAT_AREA]:
                self._backdrop.forget(part)
                continue
            runs = rim.runs(part)
            behind = restless is not None and bool((part & edge).any())
            out = part & edge & (firm > 0)
            if behind and _MIN_CONNECTION * longest_run(rim.runs(part & (firm > 0))) < np.count_nonzero(out):
                runs = []  # It crosses the border where its shadow does.
            if not runs and not behind:
                # An object released by an arm lies still; a moving one is a hand whose sleeve has the table's colour.
                arm = self._without_rim(part, bool(difference.moved[part].mean() > MOVES))
                shapes += [] if arm is None else [arm]
                hands[part] = arm is not None
                continue
            if runs and difference.moved[part].mean() <= MOVES and difference.was_here(part.astype(np.uint8)):
                self._backdrop.forget(part)
                continue
            # A still object that touches only held cards is a card laid beside them.
            (attached if runs else hands)[part] = 1
            if runs:
                found = self._arms_of(part, body_of(part, firm), runs, rim, difference)
            else:
                found = single(body_of(part, firm), np.argwhere(out if out.any() else part & edge)[:, ::-1])
            share = float(firm[part].mean())
            # Out of the ignored region an arm reaches by more than a hand of cards sways.
            for arm in (arm for arm in found if not behind or arm.reach >= FINGER):
                lit = arm.single and not passes  # Colours in a shadow's border are unreliable.
                colors = colors_at(difference.picture, part, arm.tip, CARD_RADIUS * self._card) if lit else None
                shapes.append(replace(arm, firm=share, colors=colors))
        return [self._sample(difference.time, arm) for arm in shapes], attached | shade, attached | hands

    def _arms_of(
        self,
        part: NDArray[np.bool_],
        body: Point,
        runs: list[NDArray[np.intp]],
        rim: FrameBorder,
        difference: Difference,
    ) -> list[Shape]:
        """Return the arms of a component with this body and these border crossings."""
        firm = rim.runs(part & (difference.solid > 0))
        # An arm's shadow crosses the border beside it; a dark sleeve may look like one.
        dark = [run for run in runs if not any(np.isin(run, own).any() for own in firm)]
        runs = firm + [run for run in dark if not firm or self._known([run], rim)]
        wide = widest(part.shape[1], self._card)
        if len(runs) == 1 and len(runs[0]) <= wide:
            return single(body, rim.points[runs[0]])
        known = self._known(runs, rim) if len(runs) > 1 else {}
        if len(known) > 1:
            arms = []
            middles = [rim.points[runs[number]].mean(0) for number in known]
            ways = np.stack([from_way(body, *way) for way in zip(middles, known.values(), strict=True)])
            for (number, tip), way in zip(known.items(), ways, strict=True):
                places = rim.points[runs[number]]
                away = np.hypot(*(body - tip).T)
                # Pixels nearer to another arm belong to that one; otherwise a tip would move along it.
                own = way <= ways.min(0)
                near = body[own & (away <= GAP)]
                if len(near):
                    arms.append(Shape(farthest(near, places.mean(0)), places.mean(0), float(len(places)), len(near)))
            return arms
        return divided(part, body, runs, rim, wide)

    def _known(self, runs: list[NDArray[np.intp]], rim: FrameBorder) -> dict[int, Point]:
        """Return the tips of arms that were seen separately before they met, by crossing."""
        known: dict[int, Point] = {}
        middles = [rim.points[run].mean(0) for run in runs]
        for track in self._tracks:
            if track.last.rim is None or not track.was_alone:
                continue
            away = [float(np.hypot(*(middle - track.last.rim / self._scale))) for middle in middles]
            nearest = int(np.argmin(away))
            if away[nearest] <= RIM_JUMP and nearest not in known:
                known[nearest] = track.last.tip / self._scale
        return known

    def _without_rim(self, part: NDArray[np.bool_], moves: bool) -> Shape | None:
        """Return the previously tracked arm whose hand is a component without border contact."""
        ys, xs = np.nonzero(part)
        points = np.column_stack([xs, ys]).astype(np.float64)
        for track in self._tracks:
            last = track.last
            known = [sample.rim for sample in track.samples if sample.rim is not None]
            near = np.hypot(*(points - last.tip / self._scale).T).min() <= GAP
            same = last.rim is None and len(points) * self._scale**2 > SAME_HAND * last.area
            if near and known and (moves or same):
                return Shape(farthest(points, known[-1] / self._scale), None, 0.0, len(points))
        return None

    @property
    def _scale(self) -> float:
        assert self._shape is not None
        return self._shape[1] / SMALL

    @property
    def _card(self) -> float:
        """Length of a card in small pixels, 0 while unknown."""
        return 0.0 if self._laid is None else length_of(self._laid) / self._scale

    def _sample(self, time: float, arm: Shape) -> Sample:
        scale = self._scale
        tip, *ends = ((place + 0.5) * scale for place in (arm.tip, *arm.ends))
        rim = None if arm.rim is None else (arm.rim + 0.5) * scale
        width, area = arm.width * scale, arm.area * scale**2
        return Sample(tip, rim, width, area, arm.single, arm.firm, tuple(ends), arm.colors, time=time)

    def _match(self, samples: Sequence[Sample], time: float, seen: bool) -> list[Track]:
        """Assign each sample to the track it continues, or to a new one."""
        left = list(samples)
        pairs = sorted(
            (cost, i, j)
            for i, track in enumerate(self._tracks)
            for j, sample in enumerate(left)
            if (cost := track.cost(sample, self._scale)) is not None
        )
        given: set[int] = set()
        taken: set[int] = set()
        for _, i, j in pairs:
            if i not in given and j not in taken:
                given.add(i)
                taken.add(j)
                self._tracks[i].samples.append(left[j])
        new = [sample for j, sample in enumerate(left) if j not in taken and sample.rim is not None]
        self._tracks += [Track(next(self._numbers), [sample]) for sample in new]
        self._part(time)
        for track in self._tracks:
            unseen = time - track.last.time
            track.gone |= (seen or unseen > 1.0) and unseen > UNSEEN
        tracks = self._tracks
        self._tracks = [track for track in tracks if not track.gone]
        return tracks

    def _part(self, time: float) -> None:
        """Start new tracks for arms that had drawn back and reach in again."""
        for track in list(self._tracks):
            home = track.reaches_in_anew() if track.last.time == time else None
            if home is not None:
                track.gone = True
                samples = track.samples[home:]
                track.until = samples[0].time
                came = track.number if track.came is None else track.came
                self._tracks.append(Track(next(self._numbers), samples, came=came))
