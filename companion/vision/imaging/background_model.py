"""What the table looks like with nobody at it, and what in a picture differs from that.

Pictures are compared small, as logarithms of their colours: a lamp or a camera's exposure control multiplies all of
them alike and is taken off again, and a shadow darkens a place without changing its hue. Nothing is learnt of what a
hand looks like. Whatever lies still becomes part of the table after a while; what was there before is kept beneath it,
so that a hand that rests and then goes leaves no ghost (two layers of Stauffer and Grimson, Adaptive background mixture
models for real-time tracking, 1999).
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.core.geometry import Image
from companion.vision.imaging.motion import Floats, Mask, disc

# Added to colours before their logarithm is taken, which keeps the noise of dark places small.
_OFFSET = 5.0
_LOGARITHMS = np.log(np.arange(256, dtype=np.float32) + _OFFSET).astype(np.float32)
# Difference of logarithms from which a place is not the table's, and of their hue from which light alone is no reason.
_DIFFERENT, _OTHER_HUE = 0.13, 0.11
# Brightness that neither a shadow (down to a third of the light) nor a lit spot explains.
_DARKER, _BRIGHTER = -1.1, 0.3
# How much more the hue may differ per unit of darkening; how uneven, and over how many pixels, the light under a hand
# is at least, as a standard deviation of logarithms.
_SHADE_HUE, _UNEVEN, _PATCH = 0.15, 0.12, 5
# How much less at most a dark colour is held to change with the light than a bright one: what is all but black changes
# by its noise.
_LEAST_RESPONSE = 0.3
# All of these are raised to so many times the noise between two frames.
_NOISES = 6.0
# Small pixels between places whose noise has nothing in common: that is smoothed over three.
_APART = 3
# How near something must move, in small pixels, for a tip to have moved.
_ABOUT = 3
# Difference of logarithms from one frame to the next from which something moved.
_MOVED = 0.07
# Grey levels by which noise changes small pictures: a colour that is all but dark, as red is on a blue table, changes
# by a fifth with that, and a third of such a table seemed to move with every hand.
_GRAIN = 2
# Grey levels between two pictures, and the share of pixels that may differ by more, under which nothing has happened.
_SAME, _SAME_SHARE = 9, 0.0015
# Seconds in which the table is learnt where nothing lies on it; after which what lies still becomes part of it; and the
# same for what hangs together with the rim, as an arm that waits, but for the first seconds, when it may be the ghost
# of one that was there when the camera was switched on.
_LEARN, _LAID_DOWN, _ARM_WAITS = 2.0, 0.8, 6.0
_BEGINNING = 5.0
# Edges at an outline so many times stronger in the table than in the picture: what had it has left.
_GHOST = 1.5
# Fewest small pixels that are more than a shadow whose outline tells by itself: a finger end has so many.
_FIRM = 14
# Share of the picture from which it is the camera or the light that changed, once it lasts for so long.
_EVERYWHERE, _CHANGED_FOR = 0.5, 0.4
# Share of it that is more than shade then: where somebody steps before the lamp less is, and the table stays.
_NO_SHADE = 0.15
# By how much the light may differ from what it just was to be the same, and the share of the picture that must show it:
# what a shadow over most of the table leaves lit would else seem to have grown brighter, as no shadow does.
_SAME_LIGHT, _SHOWS_LIGHT = 0.1, 0.2
# Share of the picture that moves at once, and of each of its parts (so many by so many), as the camera is pushed: .36
# to .91 then in four films, and in others .37 at most where three arms moved, never in all parts.
_PUSHED, _PUSHED_PART, _PARTS = 0.35, 0.03, 4
# Share of what moves as the camera is pushed that changes its hue, or otherwise than what lies within so many small
# pixels of it, by so much of what moving takes: .57 to .95 in six matches, and .11 where a shadow went over the table.
_SHAKEN, _BESIDE, _LESS = 0.33, 9, 0.7
# Of these parts so many, and of those that do not touch the rim so many, move while the camera does: so it was, or half
# a second before, whenever four arms seemed to come at once as a camera was knocked or set up in eight films; with
# hands of cards held all about the table so many moved in 3 of 60 such pictures.
_WIDE_PARTS, _WIDE_INNER = 12, 2
# A table that lies a little elsewhere, once the camera has come to rest for so many seconds, is foreign by its edges in
# so many of its parts, and more than shaded in so many: it was in 15 and 10 of the 16, arms that did not move in 12 and
# 10 at most in seven matches, for a tenth of a second.
_COME_TO_REST, _RESTS_FOR, _FOREIGN_PARTS, _SOLID_PARTS = 0.05, 0.3, 14, 8
# What is solid so many small pixels across, and hangs together in no more parts, is a hand that is near; edges that do
# are all over the picture.
_HAND, _HAND_PARTS = disc(7), 10


@dataclass(frozen=True, eq=False)
class Difference:
    """What of a picture is not the table, each (h, w) uint8 of 0 and 1.

    foreign: what differs. solid: where it is more than a shadow or a lit spot. moved: what moved since the last look.
    picture and table: (h, w, 3) float32 logarithms of BGR, of the picture in the table's light and of the table;
    not to be kept.
    """

    time: float
    foreign: Mask
    solid: Mask
    moved: Mask
    picture: Floats
    table: Floats

    @property
    def moved_widely(self) -> bool:
        """Whether so much of the picture moved, at its middle too, as people's hands do not: the camera."""
        parts = _by_parts(self.moved) > _PUSHED_PART
        return int(np.count_nonzero(parts)) >= _WIDE_PARTS and int(np.count_nonzero(parts[1:-1, 1:-1])) >= _WIDE_INNER

    def moves_at(self, place: NDArray[np.float64]) -> bool:
        """Return whether something moves about a place (x, y)."""
        x, y = place.astype(int)
        return bool(self.moved[max(0, y - _ABOUT) : y + _ABOUT + 1, max(0, x - _ABOUT) : x + _ABOUT + 1].any())

    def was_here(self, place: Mask) -> bool:
        """Whether the outline of a place is one that the table has and the picture has not: something has left.

        That holds for what of it is more than a shadow, too: else a hand would have that a shadow passes.
        """
        if self._fades(place) <= _GHOST:
            return False
        firm = place & self.solid
        return int(np.count_nonzero(firm)) < _FIRM or self._fades(firm) > _GHOST

    def _fades(self, place: Mask) -> float:
        """Return how much stronger the edges at the outline of a place are in the table than in the picture."""
        outline = (cv2.dilate(place, _DISC) - cv2.erode(place, _DISC)) > 0
        if not outline.any():
            return 0.0  # it is the whole picture
        now, before = (float(_edges(colors)[outline].mean()) for colors in (self.picture, self.table))
        return before / max(1e-6, now)


class Backdrop:
    """The table as it is without hands. Show it every frame; it is not to be shared between threads."""

    def __init__(self) -> None:
        self._shown: Image | None = None
        self._last: Floats | None = None
        self._light = np.zeros(3, np.float32)
        self._began = 0.0
        self._time = 0.0
        self._wide_since: float | None = None
        self._busy = False
        self._noise = 0.0
        self._shifted_since = 0.0
        self.pushed = False
        """Whether the last picture showed the camera being pushed; the table was then begun anew."""
        self.shifted = False
        """Whether the last picture showed the table lying elsewhere; it was then begun anew."""

    @property
    def seen(self) -> Floats | None:
        """The last picture in which something happened, (h, w, 3) logarithms of BGR in the table's light."""
        return self._last

    @property
    def table(self) -> Floats | None:
        """The table without hands, (h, w, 3) logarithms of BGR; None before a picture was seen."""
        return None if self._last is None else self._table

    def _begin(self, picture: Floats, time: float) -> None:
        self._table = picture.copy()
        self._beneath = picture.copy()
        self._still = np.zeros(picture.shape[:2], np.float32)
        self._foreign = np.zeros(picture.shape[:2], np.uint8)
        self._wide_since = None
        self._began = self._time = self._shifted_since = time

    def look(self, small: Image, time: float, restless: Mask | None = None) -> Difference | None:
        """Return what differs in a small (h, w, 3) BGR uint8 picture; None where nothing has happened since the last.

        Noise is taken off it first. restless: (h, w) uint8, 1 where it differs all the time, which tells nothing of the
        camera.
        """
        self.pushed = self.shifted = False
        small = np.asarray(cv2.blur(small, (3, 3)), np.uint8)
        if self._shown is not None and small.shape == self._shown.shape and not self._busy:
            changed = int(np.count_nonzero(cv2.absdiff(small, self._shown) > _SAME))
            if changed <= _SAME_SHARE * small.size and time - self._time < _LEARN:
                return None
        picture = np.asarray(cv2.LUT(small, _LOGARITHMS), np.float32)
        if self._last is None or self._shown is None or small.shape != self._shown.shape:
            self._shown, self._last, self._light = small, picture, np.zeros(3, np.float32)
            self._begin(picture, time)
            return None
        light = self._light = _light(picture - self._table, self._light)
        picture = picture - light
        moved = self._moved(picture, np.asarray(cv2.absdiff(small, self._shown), np.uint8), time)
        self.pushed = _is_push(moved) and self._is_more_than_light(picture, moved)
        foreign, solid = self._compare(picture)
        self._shown, self._last, self._foreign = small, picture, foreign
        self._elapsed, self._time = min(1.0, time - self._time), time
        self._busy = bool(foreign.any())
        self.shifted = not self.pushed and self._is_shifted(foreign, solid, moved, time, restless)
        if self.pushed or self.shifted or self._is_elsewhere(foreign, solid, moved, time):
            self._begin(picture, time)
            self._last = picture
            return None
        return Difference(time, foreign, solid, moved, picture, self._table)

    def learn(self, arms: Mask) -> None:
        """Take what was looked at last into the table, but for what moves and for what is foreign.

        arms: (h, w) uint8, 1 where something hangs together with the rim and so may be an arm that waits.
        """
        assert self._last is not None
        picture, foreign = self._last, self._foreign
        rate = 1 - np.exp(-self._elapsed / _LEARN)
        cv2.accumulateWeighted(picture, self._table, float(rate), mask=(foreign == 0).astype(np.uint8))
        early = self._time - self._began < _BEGINNING
        if not self._busy:
            return
        settled = (foreign > 0) & (self._still > _LAID_DOWN)
        if not early:
            settled &= (arms == 0) | (self._still > _ARM_WAITS)
        if settled.any():
            self._beneath[settled] = self._table[settled]
            self._table[settled] = picture[settled]
            self._still[settled] = 0

    def forget(self, ghost: NDArray[np.bool_]) -> None:
        """Take a place as it looks now for the table: what was taken for it has gone from there."""
        assert self._last is not None
        self._beneath[ghost] = self._table[ghost] = self._last[ghost]

    def _moved(self, picture: Floats, levels: Image, time: float) -> Mask:
        """Return where something moved since the last look. levels: (h, w, 3) uint8 by which colours differ."""
        assert self._last is not None
        changes = np.asarray(cv2.absdiff(picture, self._last), np.float32)
        noise = _noise(picture, self._last)
        self._noise += 0.1 * (min(noise, 0.1) - self._noise)
        changes[levels <= _GRAIN] = 0
        change = _most(changes)
        moved = change > max(_MOVED, _NOISES * self._noise)
        self._still += np.float32(min(1.0, time - self._time))
        self._still[moved] = 0
        return moved.astype(np.uint8)

    def _is_more_than_light(self, picture: Floats, moved: Mask) -> bool:
        """Whether much of what moved since the last look did otherwise than what is beside it, or changed its hue."""
        assert self._last is not None
        change = np.asarray(cv2.subtract(picture, self._last), np.float32)
        light = _mean(change)
        hue = _beyond(change, light)
        beside = np.asarray(cv2.absdiff(light, cv2.blur(light, (_BESIDE, _BESIDE))), np.float32)
        least = max(_MOVED, _NOISES * self._noise)
        shaken = ((hue > least) | (beside > _LESS * least)) & (moved > 0)
        return int(np.count_nonzero(shaken)) > _SHAKEN * int(np.count_nonzero(moved))

    def _compare(self, picture: Floats) -> tuple[Mask, Mask]:
        least = max(_DIFFERENT, _NOISES * self._noise)
        change = np.asarray(cv2.subtract(picture, self._table), np.float32)
        beneath = _most(np.asarray(cv2.absdiff(picture, self._beneath), np.float32)) > least
        foreign = ((_most(np.asarray(cv2.absdiff(picture, self._table), np.float32)) > least) & beneath).astype(
            np.uint8
        )
        foreign = np.asarray(cv2.medianBlur(foreign, 3), np.uint8)
        if not foreign.any():
            return foreign, foreign
        light = _mean(change)
        # Noise may be all the change that a dark colour shows.
        alike = _beyond(change, light)
        hue = np.minimum(alike, _most(np.asarray(cv2.absdiff(change, self._as_lit(light)), np.float32)))
        # In shade the hue may shift a little, towards that of the sky.
        other_hue = np.maximum(_OTHER_HUE, _NOISES * self._noise) + np.maximum(-light, 0) * _SHADE_HUE
        solid = ((hue > other_hue) | (light > _BRIGHTER) | (light < _DARKER)).astype(np.uint8)
        return foreign, foreign & (solid | self._uneven(light, foreign))

    def _as_lit(self, light: Floats) -> Floats:
        """Return how the table's colours would change by light alone, (h, w, 3); light: (h, w) the mean of that.

        What is added to colours before their logarithm is taken makes dark ones change less than others.
        """
        dark = np.asarray(cv2.exp(-self._table), np.float32)
        responds = np.maximum(1 - np.float32(_OFFSET) * dark, _LEAST_RESPONSE)
        share = np.asarray(cv2.divide(light, _mean(responds)), np.float32)
        return np.asarray(cv2.multiply(responds, cv2.merge([share, share, share])), np.float32)

    def _uneven(self, light: Floats, foreign: Mask) -> Mask:
        """Return where the light has not changed evenly: a shadow leaves the table's texture as it was."""
        size = (_PATCH, _PATCH)
        mean = cv2.boxFilter(light, -1, size)
        spread = np.asarray(cv2.sqrBoxFilter(light, -1, size) - mean * mean, np.float32)
        uneven = (spread > max(_UNEVEN, 3 * self._noise) ** 2).astype(np.uint8)
        # The edge of a shadow is uneven as well.
        inner = cv2.erode(foreign, np.ones(size, np.uint8), borderType=cv2.BORDER_CONSTANT, borderValue=0)
        uneven &= np.asarray(inner, np.uint8)
        return uneven

    def _is_shifted(self, foreign: Mask, solid: Mask, moved: Mask, time: float, restless: Mask | None) -> bool:
        """Whether what is foreign is the table itself, which lies elsewhere since the camera was knocked."""
        if restless is not None:
            foreign, solid = foreign & (1 - restless), solid & (1 - restless)
        rests = moved.mean() <= _COME_TO_REST and _parts_of(foreign) >= _FOREIGN_PARTS
        edges = rests and _parts_of(solid) >= _SOLID_PARTS
        if not edges or _parts_of(solid & (1 - _near_hand(solid))) < _SOLID_PARTS:
            self._shifted_since = time
        return time - self._shifted_since >= _RESTS_FOR

    def _is_elsewhere(self, foreign: Mask, solid: Mask, moved: Mask, time: float) -> bool:
        """Whether the camera now looks elsewhere, or so much has changed that the table must be learnt anew."""
        # Five hands that come for the draw pile at once hide half the table, but not a part of it everywhere.
        somewhere = _by_parts(foreign).min() <= _PUSHED_PART
        if somewhere or foreign.mean() < _EVERYWHERE or solid.mean() < _NO_SHADE:
            self._wide_since = None
            return False
        if self._wide_since is None or moved.mean() > 0.1:
            self._wide_since = time if self._wide_since is None else self._wide_since
            return False
        return time - self._wide_since >= _CHANGED_FOR


def _is_push(moved: Mask) -> bool:
    if moved.mean() < _PUSHED:
        return False
    return bool(_by_parts(moved).min() > _PUSHED_PART)


def _near_hand(solid: Mask) -> Mask:
    """Return where the largest thing lies that is solid all over, nowhere where that is more than a hand can be."""
    count, labels, about, _ = cv2.connectedComponentsWithStats(cv2.morphologyEx(solid, cv2.MORPH_OPEN, _HAND))
    if count < 2:
        return np.zeros_like(solid)
    hand = (labels == 1 + int(about[1:, cv2.CC_STAT_AREA].argmax())).astype(np.uint8)
    if _parts_of(hand) > _HAND_PARTS:
        return np.zeros_like(solid)
    return np.asarray(cv2.dilate(hand, _HAND), np.uint8)


def _parts_of(mask: Mask) -> int:
    """Return in how many parts of the picture a mask covers anything worth mentioning."""
    return int(np.count_nonzero(_by_parts(mask) > _PUSHED_PART))


def _by_parts(mask: Mask) -> Floats:
    """Return which share of each part of the picture a mask covers."""
    return np.asarray(cv2.resize(mask.astype(np.float32), (_PARTS, _PARTS), interpolation=cv2.INTER_AREA), np.float32)


def _light(change: Floats, before: Floats) -> Floats:
    """Return (3,) by how much the light has changed: the median over the picture, for hands cover less than half.

    before: the same a moment ago, which stays as long as some of the picture shows it: a shadow covers more than half.
    """
    sample = change[::4, ::4].reshape(-1, 3)
    same = np.abs(sample - before).max(axis=1) <= _SAME_LIGHT
    if np.count_nonzero(same) >= _SHOWS_LIGHT * len(sample):
        sample = sample[same]
    return np.asarray(np.median(sample, axis=0), np.float32)


def _noise(picture: Floats, last: Floats) -> float:
    """Return the median change from picture to picture that places have not in common with those beside them.

    A shadow that passes or a lamp that dims changes neighbours alike; was that noise, a hand in it would be as well.
    """
    change = picture[::_APART, ::_APART] - last[::_APART, ::_APART]
    return float(np.median(_most(np.abs(np.diff(change, axis=1)))) / np.sqrt(2))


def _most(colors: Floats) -> Floats:
    """Return the greatest of each pixel's three channels; numpy takes ten times as long."""
    blue, green, red = cv2.split(colors)
    return np.asarray(cv2.max(cv2.max(blue, green), red), np.float32)


def _beyond(change: Floats, light: Floats) -> Floats:
    """Return by how much colours changed, (h, w, 3), at most otherwise than by a change of light, (h, w), alone."""
    return _most(np.asarray(cv2.absdiff(change, cv2.merge([light, light, light])), np.float32))


def _mean(colors: Floats) -> Floats:
    return np.asarray(cv2.transform(colors, np.full((1, 3), 1 / 3, np.float32)), np.float32)


def _edges(colors: Floats) -> Floats:
    gray = _mean(colors)
    dx, dy = cv2.Sobel(gray, cv2.CV_32F, 1, 0), cv2.Sobel(gray, cv2.CV_32F, 0, 1)
    return np.asarray(cv2.magnitude(dx, dy), np.float32)


_DISC = disc(3)
