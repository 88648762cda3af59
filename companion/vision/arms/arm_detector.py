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
    FINGER_LENGTH,
    MIN_KEPT_SHARE,
    MIN_MOVING_SHARE,
    ArmShape,
    distances_from_path,
    farthest,
    max_arm_width,
    single_arm,
    solid_pixels,
    split_arms,
)
from companion.vision.arms.arm_tracks import MAX_CROSSING_STEP, UNSEEN_SECONDS, Sample, Track
from companion.vision.arms.frame_border import Crossing, FrameBorder, Point, border_of, longest_crossing
from companion.vision.arms.hand_color import EDGE, LEAST_AREA, ColorPicture, colors_at
from companion.vision.arms.ignore_mask import IgnoreMask
from companion.vision.arms.mask_bridging import MAX_GAP, Bridges
from companion.vision.arms.shadows import has_wide_shadow, without_wide_shadows
from companion.vision.capture.frames import SMALL_WIDTH, Frame
from companion.vision.core.geometry import CARD_RADIUS, NEARLY_ALL, Quad
from companion.vision.imaging.background_model import BackgroundModel, Foreground
from companion.vision.imaging.masks import NEIGHBOURS, SQUARE, Mask, filled
from companion.vision.imaging.zone import length_of

__all__ = ["ArmDetector"]

# Seconds between analysed frames: every second frame at 30 per second, every frame at 25.
_OFTEN = 0.036
# An arm from behind the ignored region is connected to it over this multiple of its border crossing; one that enters
# beside it over at most twice, except in a few frames.
_MIN_CONNECTION = 3


class ArmDetector:
    """Tracks the arms at a table. Call it for every frame; not thread-safe."""

    def __init__(self) -> None:
        self._model, self._ignore_mask, self._bridges = BackgroundModel(), IgnoreMask(), Bridges()
        self._tracks: list[Track] = []
        self._numbers = count(1)
        self._shape: tuple[int, int] | None = None
        self._last_time = -np.inf
        self._top_card: Quad | None = None
        self._draw_pile: Quad | None = None
        self.moved = False
        """Whether all arms were dropped with the last frame because the camera had been knocked."""
        self.hidden: Mask | None = None
        """Mask of what arms hid or shaded in the last frame, (h, SMALL_WIDTH) uint8 of 0 and 1; None without any."""

    @property
    def ignored(self) -> Mask | None:
        """Mask of constant motion at the border, (h, SMALL_WIDTH) uint8 of 0 and 1; None if there is none."""
        return self._ignore_mask.mask

    def feed(self, frame: Frame) -> list[Track]:
        """Process the next frame; returns the visible arms, and once each arm that has just left."""
        self.moved = False
        time = frame.time
        if 0 <= time - self._last_time < _OFTEN:
            return list(self._tracks)
        self._last_time = time
        if self._shape != frame.image.shape[:2]:
            self._shape = (frame.image.shape[0], frame.image.shape[1])
            self._model, self._ignore_mask = BackgroundModel(), IgnoreMask()
        foreground = self._model.segment(frame.small, time, self._ignore_mask.mask)
        if self._model.displaced:
            self.reset()
            self.moved = True
            return []
        samples: list[Sample] = []
        self.hidden = None
        if foreground is not None:
            samples, attached, self.hidden = self._find_arms(foreground)
            self._model.update(attached)
        return self._assign(samples, time, seen=foreground is not None)

    def set_top_card(self, quad: Quad) -> None:
        """Set the outline (4, 2) of the card that landed last; it may touch the border as an arm does."""
        self._top_card = quad

    @property
    def picture(self) -> ColorPicture | None:
        """The last picture, None before the first one. Do not keep references."""
        return None if self._model.picture is None else ColorPicture(self._model.picture, 1 / self._scale)

    @property
    def background(self) -> ColorPicture | None:
        """The background with piles but without hands; None before the first picture. Do not keep references."""
        return None if self._model.background is None else ColorPicture(self._model.background, 1 / self._scale)

    def set_draw_pile(self, quad: Quad | None) -> None:
        """Set the outline (4, 2) of the draw pile, None while unknown."""
        self._draw_pile = quad

    def reset(self) -> None:
        """Reset after the camera moved."""
        self._model, self._ignore_mask = BackgroundModel(), IgnoreMask()
        self._tracks, self._top_card = [], None

    def finish(self) -> list[Track]:
        """Return the arms still present at the end of the source; they count as gone."""
        left, self._tracks = self._tracks, []
        for track in left:
            track.gone = True
        return left

    def _find_arms(self, foreground: Foreground) -> tuple[list[Sample], Mask, Mask | None]:
        """Return the arms of one picture, the mask of foreground attached to the border, and the mask of arms."""
        self._learn_ignored(foreground)
        attached, hands = np.zeros_like(foreground.mask), np.zeros_like(foreground.mask)
        if int(np.count_nonzero(foreground.mask)) < LEAST_AREA:
            return [], attached, None
        closed = _closed(foreground.mask)
        # Thin lines along the edge of a shadow do not belong to an arm.
        solid = np.asarray(cv2.morphologyEx(foreground.solid, cv2.MORPH_OPEN, NEIGHBOURS), np.uint8)
        has_shadow = has_wide_shadow(closed, foreground.solid, max_arm_width(closed.shape[1], self._card_length))
        shade = foreground.mask & (1 - foreground.solid) if has_shadow else np.zeros_like(attached)
        if has_shadow:
            closed &= without_wide_shadows(closed, _closed(solid), self._card_length)
        ignored_edge = np.zeros(closed.shape, np.bool_)
        if self.ignored is not None:
            attached |= closed & self.ignored
            closed &= 1 - self.ignored
            ignored_edge |= cv2.dilate(self.ignored, SQUARE) > 0
        draw_pile = None if self._draw_pile is None else self._draw_pile / self._scale
        closed = self._bridges.join(closed, foreground.moved, draw_pile)
        components, labels, stats, _ = cv2.connectedComponentsWithStats(closed, connectivity=8)
        border = border_of(*closed.shape)
        top_card = None if self._top_card is None else filled(self._top_card, closed.shape, 1 / self._scale, -EDGE) > 0
        shapes: list[ArmShape] = []
        for number in range(1, components):
            component, area = labels == number, stats[number, cv2.CC_STAT_AREA]
            if area < LEAST_AREA:
                continue
            if top_card is not None and np.count_nonzero(component & top_card) >= NEARLY_ALL * area:
                self._model.absorb(component)
                continue
            crossings, moves = border.crossings(component), foreground.moved[component].mean() > MIN_MOVING_SHARE
            beside_ignored = component & ignored_edge
            entry, emerges = beside_ignored & (solid > 0), bool(beside_ignored.any())
            solid_crossings = border.crossings(component & (solid > 0)) if emerges else []
            if _MIN_CONNECTION * longest_crossing(solid_crossings) < np.count_nonzero(entry):
                crossings = []  # It crosses the border where its shadow does.
            if not crossings and not emerges:
                # An object released by an arm lies still; a moving one is a hand whose sleeve has the table's colour.
                arm = self._without_crossing(component, bool(moves))
                shapes += [] if arm is None else [arm]
                hands[component] = arm is not None
                continue
            if crossings and not moves and foreground.has_vanished(component.astype(np.uint8)):
                self._model.absorb(component)
                continue
            # A still object that touches only held cards is a card laid beside them.
            (attached if crossings else hands)[component] = 1
            pixels = solid_pixels(component, solid)
            if crossings:
                arms = self._arms_at(crossings, component, pixels, foreground)
            else:
                arms = single_arm(pixels, np.argwhere(entry if entry.any() else beside_ignored)[:, ::-1])
            solid_share = float(solid[component].mean())
            # Out of the ignored region an arm reaches by more than a hand of cards sways.
            for arm in (arm for arm in arms if not emerges or arm.reach >= FINGER_LENGTH):
                lit = arm.separate and not has_shadow  # Colours in a shadow's border are unreliable.
                radius = CARD_RADIUS * self._card_length
                colors = colors_at(foreground.picture, component, arm.tip, radius) if lit else None
                shapes.append(replace(arm, solid_share=solid_share, colors=colors))
        return [self._sample(foreground.time, arm) for arm in shapes], attached | shade, attached | hands

    def _learn_ignored(self, foreground: Foreground) -> None:
        """Learn what is in constant motion at the border. At the draw pile that is nobody's held cards."""
        mask = foreground.mask
        if self._draw_pile is not None:
            mask = mask & (1 - filled(self._draw_pile, mask.shape, 1 / self._scale))
        self._ignore_mask.update(mask, foreground.time)

    def _arms_at(
        self, crossings: list[Crossing], component: NDArray[np.bool_], pixels: Point, foreground: Foreground
    ) -> list[ArmShape]:
        """Return the arms of a component with these border crossings. pixels: (N, 2) its pixels without shadow."""
        border = border_of(*foreground.mask.shape)
        solid = border.crossings(component & (foreground.solid > 0))
        # An arm's shadow crosses the border beside it; a dark sleeve may look like one.
        dark = [crossing for crossing in crossings if not any(np.isin(crossing, own).any() for own in solid)]
        crossings = solid + [crossing for crossing in dark if not solid or self._known_tips([crossing], border)]
        max_width = max_arm_width(component.shape[1], self._card_length)
        if len(crossings) == 1 and len(crossings[0]) <= max_width:
            return single_arm(pixels, border.points[crossings[0]])
        tips = self._known_tips(crossings, border) if len(crossings) > 1 else {}
        if len(tips) > 1:
            arms = []
            ends = [(border.points[crossings[number]].mean(0), tip) for number, tip in tips.items()]
            distances = np.stack([distances_from_path(pixels, start, tip) for start, tip in ends])
            for number, (start, tip), distance in zip(tips, ends, distances, strict=True):
                # Pixels nearer to another arm belong to that one; otherwise a tip would move along it.
                own = distance <= distances.min(0)
                near = pixels[own & (np.hypot(*(pixels - tip).T) <= MAX_GAP)]
                if len(near):
                    width = float(len(crossings[number]))
                    arms.append(ArmShape(farthest(near, start), start, width, len(near)))
            return arms
        return split_arms(component, pixels, crossings, border, max_width)

    def _known_tips(self, crossings: list[Crossing], border: FrameBorder) -> dict[int, Point]:
        """Return the tips of arms that were seen separately before they met, by crossing."""
        tips: dict[int, Point] = {}
        middles = [border.points[crossing].mean(0) for crossing in crossings]
        for track in self._tracks:
            if track.last.crossing is None or not track.was_separate:
                continue
            away = [float(np.hypot(*(middle - track.last.crossing / self._scale))) for middle in middles]
            nearest = int(np.argmin(away))
            if away[nearest] <= MAX_CROSSING_STEP and nearest not in tips:
                tips[nearest] = track.last.tip / self._scale
        return tips

    def _without_crossing(self, component: NDArray[np.bool_], moves: bool) -> ArmShape | None:
        """Return the previously tracked arm whose hand is a component without border contact."""
        ys, xs = np.nonzero(component)
        points = np.column_stack([xs, ys]).astype(np.float64)
        for track in self._tracks:
            last = track.last
            known = [sample.crossing for sample in track.samples if sample.crossing is not None]
            near = np.hypot(*(points - last.tip / self._scale).T).min() <= MAX_GAP
            same = last.crossing is None and len(points) * self._scale**2 > MIN_KEPT_SHARE * last.area
            if near and known and (moves or same):
                return ArmShape(farthest(points, known[-1] / self._scale), None, 0.0, len(points))
        return None

    @property
    def _scale(self) -> float:
        assert self._shape is not None
        return self._shape[1] / SMALL_WIDTH

    @property
    def _card_length(self) -> float:
        """Length of a card in small pixels, 0 while unknown."""
        return 0.0 if self._top_card is None else length_of(self._top_card) / self._scale

    def _sample(self, time: float, arm: ArmShape) -> Sample:
        scale = self._scale
        tip, *ends = ((place + 0.5) * scale for place in (arm.tip, *arm.fingertips))
        crossing = None if arm.crossing is None else (arm.crossing + 0.5) * scale
        width, area = arm.width * scale, arm.area * scale**2
        return Sample(tip, crossing, width, area, arm.separate, arm.solid_share, tuple(ends), arm.colors, time=time)

    def _assign(self, samples: Sequence[Sample], time: float, seen: bool) -> list[Track]:
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
        new = [sample for j, sample in enumerate(left) if j not in taken and sample.crossing is not None]
        self._tracks += [Track(next(self._numbers), [sample]) for sample in new]
        self._split_tracks(time)
        for track in self._tracks:
            unseen = time - track.last.time
            track.gone |= (seen or unseen > 1.0) and unseen > UNSEEN_SECONDS
        tracks = self._tracks
        self._tracks = [track for track in tracks if not track.gone]
        return tracks

    def _split_tracks(self, time: float) -> None:
        """Start new tracks for arms that had withdrawn and reach in again."""
        for track in list(self._tracks):
            start = track.last_withdrawal() if track.last.time == time else None
            if start is not None:
                track.gone = True
                samples = track.samples[start:]
                track.split_at = samples[0].time
                came = track.number if track.came is None else track.came
                self._tracks.append(Track(next(self._numbers), samples, came=came))


def _closed(mask: Mask) -> Mask:
    return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, NEIGHBOURS), np.uint8)
