"""Arms: what reaches into the picture from its rim, found in each frame and followed from one to the next.

An arm is told by its difference from the table alone, so that skins, sleeves and gloves of any look are arms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.arms.arm_geometry import (
    CROSS,
    LEAST_AREA,
    Shape,
    body_of,
    divided,
    farthest,
    from_way,
    single,
    widest,
)
from companion.vision.arms.arm_tracks import RIM_JUMP, Sample, Track, entry
from companion.vision.arms.frame_border import Point, Rim, longest_run, rim_of
from companion.vision.arms.hand_color import Tints, colors_at
from companion.vision.arms.ignore_mask import IgnoreMask
from companion.vision.arms.mask_bridging import Bridges
from companion.vision.arms.shadows import is_shady, without_shade
from companion.vision.capture.frames import SMALL, Frame
from companion.vision.core.geometry import Quad
from companion.vision.imaging.background_model import BackgroundModel, Difference
from companion.vision.imaging.motion import Mask, disc, filled, length_of

__all__ = ["ArmWatcher"]

# In how many frames an arm must have been seen by itself to be told from what is another's, as where its fingers leave
# the picture; and two to be told apart when they meet, as hands do that come for the draw pile at once.
_APART_FRAMES, _MEET_FRAMES = 3, 2
# Share of a component that must move for it to be more than something that was laid down.
_MOVES = 0.02
# Share of its area that a hand still has from one frame to the next: what is left of it is a card that it let go of.
_SAME_HAND = 0.6
# Small pixels of the rim that are more than a shadow's for a crossing to be one.
_LEAST_CROSSING = 3
# For how long (s) after a shadow wider than an arm's shreds of it may be seen.
_SHADE_PASSES = 1.0
# How far beside a card its edge and its shadow are seen, in its lengths; the share of a component that must lie there
# for the card to be all of it.
_BESIDE_CARD, _NOTHING_ELSE = 0.15, 0.95
# How far about its tip what a hand carries is seen, in lengths of a card.
_AT_TIP_CARD = 0.5
# Seconds between looks: every other frame at 30 a second is enough, at 25 each is looked at.
_OFTEN = 0.036
# How long (s) a hand without a rim may lie as still as what an arm let go of.
_KEEPS_STILL = 0.15
# How far in small pixels an arm must come out from behind what is restless: a hand of cards sways by half of that.
_OUT_OF_IT = 12.0
# So many times as far as it crosses the rim it hangs together with what is restless, if it comes from behind that: who
# comes in beside it does twice at most, in all but a few frames.
_BEHIND = 3
# So many arms do not come in between two frames: the camera moves, or is being set up, and whatever has an edge differs
# from the table; so many do not in the seconds after it, while it swings out and no new arm counts. In films of people
# two came at most.
_AT_ONCE, _STILL_SWINGS, _SWINGS_OUT = 4, 2, 1.5
# How long before (s) the picture must have moved widely for that: hands of cards that sway about the table also begin
# to differ from it four at a time, with the camera at rest.
_MOVED_WIDELY = 0.5
# After how many seconds unseen an arm has left.
_LEFT_AFTER = 0.25


class ArmWatcher:
    """Follows the arms on a table. Feed it every frame; it is not to be shared between threads."""

    def __init__(self) -> None:
        self._backdrop, self._restless, self._bridges = BackgroundModel(), IgnoreMask(), Bridges()
        self._tracks: list[Track] = []
        self._count = 0
        self._shape: tuple[int, int] | None = None
        self._looked = -np.inf
        self._shaken = self._swung = -np.inf
        self._laid: Quad | None = None
        self._pile: Quad | None = None
        self._shaded = -np.inf
        self.moved = False
        """Whether with the last frame all arms were forgotten, as the camera had been knocked."""
        self.hidden: Mask | None = None
        """Where arms hide or shade the table in the last frame, (h, SMALL) uint8 of 0 and 1; None where none does."""

    @property
    def restless(self) -> Mask | None:
        """Where something at the rim moves all the time, (h, SMALL) uint8 of 0 and 1; None where nothing does."""
        return self._restless.mask

    def feed(self, frame: Frame) -> list[Track]:
        """Take in the next frame; returns the arms that are there, and once each that has just left."""
        self.moved = False
        time = frame.time
        if 0 <= time - self._looked < _OFTEN:
            return list(self._tracks)
        self._looked = time
        if self._shape != frame.image.shape[:2]:
            self._shape = (frame.image.shape[0], frame.image.shape[1])
            self._backdrop, self._restless = BackgroundModel(), IgnoreMask()
        difference = self._backdrop.look(frame.small, time, self._restless.mask)
        if self._backdrop.pushed:
            self._shaken, self._laid, self._restless = time, None, IgnoreMask()
            return self.finish()
        if self._backdrop.shifted:
            self.begin_anew()
            self._shaken, self.moved = time, True
            return []
        samples: list[Sample] = []
        self.hidden = None
        if difference is not None:
            self._swung = time if difference.moved_widely else self._swung
            samples, waits, self.hidden = self._find(difference)
            self._backdrop.learn(waits)
        return self._match(samples, time, seen=difference is not None)

    def lies(self, quad: Quad) -> None:
        """Take in that a card lies at a (4, 2) outline from now on, which may touch the rim as an arm does."""
        self._laid = quad

    @property
    def seen(self) -> Tints | None:
        """What was seen last; None before anything was. Not to be kept."""
        return None if self._backdrop.seen is None else Tints(self._backdrop.seen, 1 / self._scale)

    @property
    def table(self) -> Tints | None:
        """The table as it is without hands, piles and all; None before anything was seen. Not to be kept."""
        return None if self._backdrop.table is None else Tints(self._backdrop.table, 1 / self._scale)

    def pile_at(self, quad: Quad | None) -> None:
        """Take in where a pile lies, (4, 2), None where that is not known: nobody holds what moves there."""
        self._pile = quad

    def begin_anew(self) -> None:
        """Take in that the camera stands elsewhere from now on: what there was of arms is none."""
        self._backdrop, self._restless = BackgroundModel(), IgnoreMask()
        self._tracks, self._laid = [], None

    def finish(self) -> list[Track]:
        """Return the arms that are still there when no frame will follow: they count as gone."""
        left, self._tracks = self._tracks, []
        for track in left:
            track.gone = True
        return left

    def _find(self, difference: Difference) -> tuple[list[Sample], Mask, Mask | None]:
        """Return the arms of one picture, where something waits that is not the table's, and where arms are."""
        attached = np.zeros_like(difference.foreign)
        held, pile = difference.foreign, self._pile
        if pile is not None:
            held = held & (1 - filled(pile, held.shape, 1 / self._scale, 0.0))
        self._restless.learn(held, difference.time)
        restless = self._restless.mask
        if int(np.count_nonzero(difference.foreign)) < LEAST_AREA:
            return [], attached, None
        closed = np.asarray(cv2.morphologyEx(difference.foreign, cv2.MORPH_CLOSE, _DISC), np.uint8)
        wide = widest(closed.shape[1], self._card)
        if is_shady(closed, difference.solid, wide):
            self._shaded = difference.time
            solid = cv2.morphologyEx(difference.solid, cv2.MORPH_OPEN, CROSS)
            closed &= without_shade(
                closed, np.asarray(cv2.morphologyEx(solid, cv2.MORPH_CLOSE, _DISC), np.uint8), self._card
            )
        passes = difference.time - self._shaded < _SHADE_PASSES
        shade = difference.foreign & (1 - difference.solid) if passes else np.zeros_like(attached)
        edge = np.zeros(closed.shape, np.bool_)
        if restless is not None:
            attached |= closed & restless
            closed &= 1 - restless
            edge |= cv2.dilate(restless, _SQUARE) > 0
        closed = self._bridges.build(closed, difference.moved, None if pile is None else pile / self._scale)
        count, labels, stats, _ = cv2.connectedComponentsWithStats(closed, connectivity=8)
        rim = rim_of(closed.shape[0], closed.shape[1])
        # Threads along the edge of a shadow are none of an arm.
        firm = np.asarray(cv2.morphologyEx(difference.solid, cv2.MORPH_OPEN, CROSS), np.uint8)
        laid = None if self._laid is None else filled(self._laid, closed.shape, 1 / self._scale, -_BESIDE_CARD) > 0
        shapes: list[Shape] = []
        hands = np.zeros_like(attached)
        for number in range(1, count):
            if stats[number, cv2.CC_STAT_AREA] < LEAST_AREA:
                continue
            part = labels == number
            if laid is not None and np.count_nonzero(part & laid) >= _NOTHING_ELSE * stats[number, cv2.CC_STAT_AREA]:
                self._backdrop.forget(part)
                continue
            runs = rim.runs(part)
            behind = restless is not None and bool((part & edge).any())
            out = part & edge & (firm > 0)
            if behind and _BEHIND * longest_run(rim.runs(part & (firm > 0))) < np.count_nonzero(out):
                runs = []  # of the rim it crosses what its shadow does
            if not runs and not behind:
                # What an arm let go of lies still; what moves on is its hand, whose sleeve looks like the table.
                arm = self._without_rim(part, bool(difference.moved[part].mean() > _MOVES))
                shapes += [] if arm is None else [arm]
                hands[part] = arm is not None
                continue
            if runs and difference.moved[part].mean() <= _MOVES and difference.was_here(part.astype(np.uint8)):
                self._backdrop.forget(part)
                continue
            # What touches held cards alone and lies still is a card laid beside them, or soon as good as one.
            (attached if runs else hands)[part] = 1
            if runs:
                found = self._arms_of(part, body_of(part, firm), runs, rim, difference)
            else:
                places = out if np.count_nonzero(out) >= _LEAST_CROSSING else part & edge
                found = single(body_of(part, firm), np.argwhere(places)[:, ::-1])
            share = float(firm[part].mean())
            for arm in (arm for arm in found if not behind or arm.reach >= _OUT_OF_IT):
                lit = arm.single and not passes  # In a shadow's border colours are what they are in no light.
                colors = colors_at(difference.picture, part, arm.tip, _AT_TIP_CARD * self._card) if lit else None
                shapes.append(replace(arm, firm=share, colors=colors))
        return [self._sample(difference.time, arm) for arm in shapes], attached | shade, attached | hands

    def _arms_of(
        self,
        part: NDArray[np.bool_],
        body: Point,
        runs: list[NDArray[np.intp]],
        rim: Rim,
        difference: Difference,
    ) -> list[Shape]:
        """Return the arms of a component, with this body, that touches the rim in these stretches."""
        firm = [run for run in rim.runs(part & (difference.solid > 0)) if len(run) >= _LEAST_CROSSING]
        # The shadow of an arm crosses the rim beside it; but a dark sleeve may look like one.
        dark = [run for run in runs if not any(np.isin(run, own).any() for own in firm)]
        runs = firm + [run for run in dark if not firm or self._is_entry(run, rim)]
        wide = widest(part.shape[1], self._card)
        if len(runs) == 1 and len(runs[0]) <= wide:
            return single(body, rim.points[runs[0]])
        if len(runs) > 1:
            runs = self._entered(runs, rim, wide)
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
                # What lies nearer to another arm is that one's, or a tip would creep along it.
                own = way <= ways.min(0)
                near = body[own & (away <= (_NEAR_TIP if difference.moves_at(tip) else _STAYS))]
                if len(near):
                    arms.append(Shape(farthest(near, places.mean(0)), places.mean(0), float(len(places)), len(near)))
            return arms
        return divided(part, body, runs, rim, wide)

    def _entered(self, runs: list[NDArray[np.intp]], rim: Rim, wide: float) -> list[NDArray[np.intp]]:
        """Return the stretches without those where finger ends or a thumb leave the picture.

        wide: how wide an arm is at most.
        """
        left = list(runs)
        for track in self._tracks:
            came = entry(track.samples)
            if came is None or len(track.samples) < _APART_FRAMES:
                continue
            tip, came = track.last.tip / self._scale, came / self._scale
            own = [run for run in left if np.hypot(*(rim.points[run] - came).T).min() <= RIM_JUMP]
            out = [run for run in left if np.hypot(*(rim.points[run] - tip).T).min() <= _OUT]
            claimed = [run for run in out if not any(run is one for one in own) and not self._is_entry(run, rim, track)]
            if own:
                left = [run for run in left if not any(run is one for one in claimed)]
        return [run for run in left if not self._is_thumb(run, left, rim, wide)]

    def _is_thumb(self, run: NDArray[np.intp], runs: list[NDArray[np.intp]], rim: Rim, wide: float) -> bool:
        """Whether a stretch is where the thumb of an arm leaves the picture that comes in at another one of these."""
        if self._is_entry(run, rim, least=0):
            return False
        for track in self._tracks:
            own = next((one for one in runs if track.last.crosses_at(rim.points[one], self._scale)), None)
            if own is not None and len(own) <= wide and len(run) < _AS_WIDE * len(own):
                away = np.hypot(*(rim.points[run].mean(0) - track.last.tip / self._scale))
                if away <= _THUMB * len(own):
                    return True
        return False

    def _is_entry(self, run: NDArray[np.intp], rim: Rim, but: Track | None = None, least: int = _APART_FRAMES) -> bool:
        """Whether an arm that is known, another one than `but`, comes in at a stretch."""
        others = (track for track in self._tracks if track is not but)
        known = (track for track in others if track.alone >= (least if track.is_shadow else min(least, 1)))
        return any(track.last.crosses_at(rim.points[run], self._scale) for track in known)

    def _known(self, runs: list[NDArray[np.intp]], rim: Rim) -> dict[int, Point]:
        """Return the tips of those arms that were seen by themselves before they met, by their stretch of the rim."""
        known: dict[int, Point] = {}
        middles = [rim.points[run].mean(0) for run in runs]
        for track in self._tracks:
            # Shreds of a shadow are seen by themselves for a frame or two.
            least = _APART_FRAMES if track.is_shadow else _MEET_FRAMES
            if track.alone < least or track.last.rim is None:
                continue
            away = [float(np.hypot(*(middle - track.last.rim / self._scale))) for middle in middles]
            nearest = int(np.argmin(away))
            if away[nearest] <= RIM_JUMP and nearest not in known:
                known[nearest] = track.last.tip / self._scale
        return known

    def _without_rim(self, part: NDArray[np.bool_], moves: bool) -> Shape | None:
        """Return the arm, seen before at the rim, of which a component that does not touch it is the hand."""
        ys, xs = np.nonzero(part)
        points = np.column_stack([xs, ys]).astype(np.float64)
        for track in self._tracks:
            last = track.last
            known = [sample.rim for sample in track.samples if sample.rim is not None]
            near = np.hypot(*(points - last.tip / self._scale).T).min() <= _NEAR_TIP
            same = last.rim is None and len(points) * self._scale**2 > _SAME_HAND * last.area
            if near and known and (moves or (same and not self._keeps_still(track))):
                return Shape(farthest(points, known[-1] / self._scale), None, 0.0, len(points))
        return None

    def _keeps_still(self, track: Track) -> bool:
        """Whether what is left of an arm has lain in one place too long to be a hand."""
        last = track.last
        rest = [sample for sample in track.samples if sample.time >= last.time - _KEEPS_STILL]
        if track.samples[0].time > last.time - _KEEPS_STILL or any(sample.rim is not None for sample in rest):
            return False
        return all(float(np.hypot(*(sample.tip - last.tip))) <= self._scale for sample in rest)

    @property
    def _scale(self) -> float:
        assert self._shape is not None
        return self._shape[1] / SMALL

    @property
    def _card(self) -> float:
        """A card's length in small pixels, 0 while that is not known."""
        return 0.0 if self._laid is None else length_of(self._laid) / self._scale

    def _sample(self, time: float, arm: Shape) -> Sample:
        scale = self._scale
        tip, *ends = ((place + 0.5) * scale for place in (arm.tip, *arm.ends))
        rim = None if arm.rim is None else (arm.rim + 0.5) * scale
        width, area = arm.width * scale, arm.area * scale**2
        return Sample(time, tip, rim, width, area, arm.single, arm.firm, tuple(ends), arm.colors)

    def _match(self, samples: Sequence[Sample], time: float, seen: bool) -> list[Track]:
        """Give each sample to the track that it goes on, or a new one."""
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
                self._tracks[i].alone += left[j].single
        new = [sample for j, sample in enumerate(left) if j not in taken and sample.rim is not None]
        swings = time - self._shaken < _SWINGS_OUT
        shady = time - self._shaded < _SHADE_PASSES
        if shady and len(new) >= _AT_ONCE:
            new = []  # shreds of a shadow
        swung = time - self._swung <= _MOVED_WIDELY
        if swung and not shady and len(new) >= (_STILL_SWINGS if swings else _AT_ONCE):
            self._shaken = time
            self._backdrop, self._restless = BackgroundModel(), IgnoreMask()
            return self.finish()
        for sample in () if swings else new:
            self._count += 1
            self._tracks.append(Track(self._count, [sample], int(sample.single)))
        self._part(time)
        for track in self._tracks:
            unseen = time - track.last.time
            track.gone |= (seen or unseen > 1.0) and unseen > _LEFT_AFTER
        tracks = self._tracks
        self._tracks = [track for track in tracks if not track.gone]
        return tracks

    def _part(self, time: float) -> None:
        """Begin new tracks for those who were at home and reach in again: they come for something else."""
        for track in list(self._tracks):
            home = track.reaches_in_anew() if track.last.time == time else None
            if home is not None:
                track.gone = True
                self._count += 1
                samples = track.samples[home:]
                track.until = samples[0].time
                came = track.number if track.came is None else track.came
                self._tracks.append(Track(self._count, samples, sum(sample.single for sample in samples), came=came))


_SQUARE = np.ones((3, 3), np.uint8)
_DISC = disc(3)
_NEAR_TIP = 10
# How near the place where its tip was last an arm may leave the picture again: it moves on so far in a frame or two.
_OUT = 28
# Share of an arm's width that another one has where it comes in, and a thumb has not; and how far from the tip that may
# leave the picture, in the arm's widths.
_AS_WIDE, _THUMB = 0.5, 1.3
# How near a tip that has not moved is where it was.
_STAYS = 3.0
