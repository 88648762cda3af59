"""Detects and tracks arms, whatever they look like: foreground that reaches in from the picture's border."""

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
from companion.vision.imaging.masks import NEIGHBOURS, SQUARE, ArmMasks, Mask, outline_mask
from companion.vision.imaging.zone import length_of

# Seconds between analysed frames: every second frame at 30 per second, every frame at 25.
_OFTEN = 0.036
# An arm from behind the ignored region touches it along this multiple of its crossing of the picture's border; one that
# enters beside that region, along at most twice its crossing.
_MIN_CONNECTION = 3


class ArmDetector:
    """Tracks the arms at a table. Call it for every frame; not thread-safe.

    top_card: outline (4, 2) of the card that landed last, which may touch the border as an arm does. draw_pile: outline
    (4, 2) of the draw pile, None while unknown.
    """

    def __init__(self) -> None:
        self._numbers = count(1)
        self._shape: tuple[int, ...] | None = None
        self._scale = 1.0  # Frame pixels per small pixel.
        self._last_time = -np.inf
        self.draw_pile: Quad | None = None
        self._hidden: Mask | None = None
        self.reset()
        self.moved = False
        """Whether all arms were dropped with the last frame because the camera had been knocked or switched."""

    @property
    def masks(self) -> ArmMasks:
        """Where arms were in the last frame that was analysed, as masks of SMALL_WIDTH."""
        return ArmMasks(self._hidden, self._ignore_mask.mask)

    def feed(self, frame: Frame) -> list[Track]:
        """Process the next frame; returns the visible arms, and once each arm that has just left."""
        self.moved = False
        time = frame.time
        if 0 <= time - self._last_time < _OFTEN:
            return list(self._tracks)
        self._last_time = time
        if self._shape not in (None, frame.image.shape):
            self.reset()
            self.moved = True
        self._shape, self._scale = frame.image.shape, frame.image.shape[1] / SMALL_WIDTH
        foreground = self._model.segment(frame.small, time, self._ignore_mask.mask)
        if self._model.displaced:
            self.reset()
            self.moved = True
            return []
        samples: list[Sample] = []
        self._hidden = None
        if foreground is not None:
            samples, attached, self._hidden = self._find_arms(foreground)
            self._model.update(attached)
        return self._assign(samples, time, seen=foreground is not None)

    @property
    def picture(self) -> ColorPicture | None:
        """The last picture, None before the first one. Do not keep references."""
        return None if self._model.picture is None else ColorPicture(self._model.picture, 1 / self._scale)

    @property
    def background(self) -> ColorPicture | None:
        """The background with piles but without hands; None before the first picture. Do not keep references."""
        return None if self._model.background is None else ColorPicture(self._model.background, 1 / self._scale)

    def reset(self) -> None:
        """Reset after the camera moved."""
        self._model, self._ignore_mask, self._bridges = BackgroundModel(), IgnoreMask(), Bridges()
        self._tracks: list[Track] = []
        self._hidden = None
        self.top_card: Quad | None = None

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
        if np.count_nonzero(foreground.mask) < LEAST_AREA:
            return [], attached, None
        # Thin lines along the edge of a shadow do not belong to an arm.
        solid = np.asarray(cv2.morphologyEx(foreground.solid, cv2.MORPH_OPEN, NEIGHBOURS), np.uint8)
        mask = _closed(foreground.mask)
        has_shadow = has_wide_shadow(mask, foreground.solid, max_arm_width(mask.shape[1], self._card_length))
        if has_shadow:
            mask &= without_wide_shadows(mask, _closed(solid), self._card_length)
        ignored = np.zeros_like(mask) if self._ignore_mask.mask is None else self._ignore_mask.mask
        attached |= mask & ignored
        draw_pile = None if self.draw_pile is None else self.draw_pile / self._scale
        mask = self._bridges.join(mask & (1 - ignored), foreground.moved, draw_pile)
        beside_ignored = cv2.dilate(ignored, SQUARE) > 0
        top_card = np.zeros_like(mask)
        if self.top_card is not None:
            top_card = outline_mask(self.top_card, mask.shape, 1 / self._scale, -EDGE)
        arms: list[ArmShape] = []
        count, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
        for number in range(1, count):
            component, area = labels == number, stats[number, cv2.CC_STAT_AREA]
            if area < LEAST_AREA:
                continue
            entry = component & beside_ignored
            crossings = _crossings(component, entry, solid)
            moves = foreground.moves(component)
            if top_card[component].mean() >= NEARLY_ALL or (not moves and foreground.has_vanished(component)):
                self._model.absorb(component)
            elif not crossings and not entry.any():
                arm = self._without_crossing(component, moves)
                arms += [] if arm is None else [arm]
                # A still one may be the card that the hand let go.
                hands[component] = arm is not None and moves
            else:
                # A still object that touches only held cards is a card laid beside them.
                (attached if crossings else hands)[component] = 1
                shapes = self._arms_of(component, crossings, entry, solid, foreground)
                # Colours in a shadow's border are unreliable.
                arms += shapes if has_shadow else [self._with_colors(arm, component, foreground) for arm in shapes]
        hidden = attached | hands
        if has_shadow:
            attached |= foreground.mask & (1 - foreground.solid)
        return [self._sample(foreground.time, arm) for arm in arms], attached, hidden

    def _learn_ignored(self, foreground: Foreground) -> None:
        """Learn what is in constant motion at the border. At the draw pile that is nobody's held cards."""
        mask = foreground.mask
        if self.draw_pile is not None:
            mask = mask & (1 - outline_mask(self.draw_pile, mask.shape, 1 / self._scale))
        self._ignore_mask.update(mask, foreground.time)

    def _arms_of(
        self,
        component: NDArray[np.bool_],
        crossings: list[Crossing],
        entry: NDArray[np.bool_],
        solid: Mask,
        foreground: Foreground,
    ) -> list[ArmShape]:
        """Return the arms of a component that crosses the border, or touches the ignored region at `entry`."""
        pixels = solid_pixels(component, solid)
        if crossings:
            arms = self._arms_at(crossings, component, pixels, foreground)
        else:
            solid_entry = entry & (solid > 0)
            arms = single_arm(pixels, np.argwhere(solid_entry if solid_entry.any() else entry)[:, ::-1])
        # Out of the ignored region an arm reaches by more than a hand of cards sways.
        least_reach = FINGER_LENGTH if entry.any() else 0.0
        solid_share = float(solid[component].mean())
        return [replace(arm, solid_share=solid_share) for arm in arms if arm.reach >= least_reach]

    def _with_colors(self, arm: ArmShape, component: NDArray[np.bool_], foreground: Foreground) -> ArmShape:
        """Return an arm with the colours at its tip, unless it is joined with another one."""
        if not arm.separate:
            return arm
        return replace(arm, colors=colors_at(foreground.picture, component, arm.tip, CARD_RADIUS * self._card_length))

    def _arms_at(
        self, crossings: list[Crossing], component: NDArray[np.bool_], pixels: Point, foreground: Foreground
    ) -> list[ArmShape]:
        """Return the arms of a component with these border crossings. pixels: (N, 2) its pixels without shadow."""
        border = border_of(*component.shape)
        solid = border.crossings(component & (foreground.solid > 0))
        # An arm's shadow crosses the border beside it; a dark sleeve may look like one.
        dark = [crossing for crossing in crossings if not any(np.isin(crossing, own).any() for own in solid)]
        crossings = solid + [crossing for crossing in dark if not solid or self._known_tips([crossing], border)]
        max_width = max_arm_width(component.shape[1], self._card_length)
        if len(crossings) == 1 and len(crossings[0]) <= max_width:
            return single_arm(pixels, border.points[crossings[0]])
        tips = self._known_tips(crossings, border) if len(crossings) > 1 else {}
        if len(tips) < 2:
            return split_arms(component, pixels, crossings, border, max_width)
        starts = [border.points[crossings[number]].mean(0) for number in tips]
        paths = list(zip(starts, tips.values(), strict=True))
        distances = np.stack([distances_from_path(pixels, start, tip) for start, tip in paths])
        arms = []
        for number, (start, tip), distance in zip(tips, paths, distances, strict=True):
            # Pixels nearer to another arm belong to that one; otherwise a tip would move along it.
            own = (distance <= distances.min(0)) & (np.hypot(*(pixels - tip).T) <= MAX_GAP)
            if own.any():
                near = pixels[own]
                arms.append(ArmShape(farthest(near, start), start, float(len(crossings[number])), len(near)))
        return arms

    def _known_tips(self, crossings: list[Crossing], border: FrameBorder) -> dict[int, Point]:
        """Return the tips of arms that were seen separately before they met, by crossing."""
        tips: dict[int, Point] = {}
        middles = [border.points[crossing].mean(0) for crossing in crossings]
        for track in self._tracks:
            if track.last.crossing is None or not any(sample.separate for sample in track.samples):
                continue
            away = [float(np.hypot(*(middle - track.last.crossing / self._scale))) for middle in middles]
            nearest = int(np.argmin(away))
            if away[nearest] <= MAX_CROSSING_STEP and nearest not in tips:
                tips[nearest] = track.last.tip / self._scale
        return tips

    def _without_crossing(self, component: NDArray[np.bool_], moves: bool) -> ArmShape | None:
        """Return the tracked arm whose hand is a component without border contact: it moves, or still is as large."""
        points = np.argwhere(component)[:, ::-1].astype(np.float64)
        for track in self._tracks:
            last = track.last
            crossing = next((s.crossing for s in reversed(track.samples) if s.crossing is not None), None)
            near = np.hypot(*(points - last.tip / self._scale).T).min() <= MAX_GAP
            same = last.crossing is None and len(points) * self._scale**2 > MIN_KEPT_SHARE * last.area
            if near and crossing is not None and (same or moves):
                return ArmShape(farthest(points, crossing / self._scale), None, 0.0, len(points))
        return None

    @property
    def _card_length(self) -> float:
        """Length of a card in small pixels, 0 while unknown."""
        return 0.0 if self.top_card is None else length_of(self.top_card) / self._scale

    def _sample(self, time: float, arm: ArmShape) -> Sample:
        scale = self._scale
        tip, *ends = ((place + 0.5) * scale for place in (arm.tip, *arm.fingertips))
        crossing = None if arm.crossing is None else (arm.crossing + 0.5) * scale
        width, area = arm.width * scale, arm.area * scale**2
        return Sample(tip, crossing, width, area, arm.separate, arm.solid_share, tuple(ends), arm.colors, time=time)

    def _assign(self, samples: Sequence[Sample], time: float, seen: bool) -> list[Track]:
        """Assign each sample to the track it continues, or to a new one."""
        pairs = sorted(
            (cost, i, j)
            for i, track in enumerate(self._tracks)
            for j, sample in enumerate(samples)
            if (cost := track.cost(sample, self._scale)) is not None
        )
        waiting, new = set(range(len(self._tracks))), dict(enumerate(samples))
        for _, i, j in pairs:
            if i in waiting and j in new:
                waiting.remove(i)
                self._tracks[i].samples.append(new.pop(j))
        self._tracks += [Track(next(self._numbers), [s]) for s in new.values() if s.crossing is not None]
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
                self._tracks.append(Track(next(self._numbers), samples, entered_as=track.entered_as or track.number))


def _crossings(component: NDArray[np.bool_], entry: NDArray[np.bool_], solid: Mask) -> list[Crossing]:
    """Return where a component crosses the border, unless it emerges at `entry` and only its shadow crosses."""
    border, solid_entry = border_of(*component.shape), entry & (solid > 0)
    if entry.any():
        longest = longest_crossing(border.crossings(component & (solid > 0)))
        if _MIN_CONNECTION * longest < np.count_nonzero(solid_entry):
            return []
    return border.crossings(component)


def _closed(mask: Mask) -> Mask:
    return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, NEIGHBOURS), np.uint8)
