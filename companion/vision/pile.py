"""Follows a discard pile: frames in, events out.

Motion gates everything. While something moves at the pile nothing is read; once it is still and differs from what was
last accepted, the detector looks at the pile's surroundings a few times, and what the looks agree on becomes an event.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from companion.cards import Card
from companion.vision.comparison import Comparison
from companion.vision.events import (
    CameraHealth,
    CameraStatus,
    CardLanded,
    CardTakenBack,
    PileEvent,
    PileGone,
    PileMoved,
)
from companion.vision.frames import Frame
from companion.vision.geometry import Image, Quad
from companion.vision.motion import Background, Glance, Mask, Zone, difference, glance, length_of, reaches_in, tinted
from companion.vision.sightings import Sighting
from companion.vision.verdict import SAME_PLACE, Change, Lying, Verdict, carried_along, judge, overlap, where_seen

Detect = Callable[[Image], list[Sighting]]
"""Finds the face-up cards in a (H, W, 3) BGR uint8 picture; quads in its pixels."""

Region = tuple[int, int, int, int]
"""Left, top, width and height in pixels."""

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
# Looks that must agree, and the confidence that they need; after so many looks what there is is said as it is. One look
# is enough from this confidence on.
_AGREE, _SURE, _MOST_LOOKS = 2, 0.8, 5
_CERTAIN = 0.99
# A landing believed in less than this waits for other looks to tell more.
_DOUBTED = 0.5
# How long a bare place must be seen before the pile counts as gone: the networks miss a card now and then.
_GONE_SECONDS, _GONE_LOOKS = 0.6, 3
# A card that seems to land on its like so soon after it is that card, which the hand had not let go of: nobody plays in
# less than so many seconds.
_ONE_PLAY = 0.8
# A hand or arm that stays is waited for; what lies still longer, as a glass put down, has become part of the table.
_HAND_PATIENCE = 2.0
# Seconds between looks that find nothing new, and the longest that they are put off to.
_LOOK_PAUSE, _LONGEST_PAUSE = 0.03, 1.0
# How often a picture without news replaces the one that news are told from, to keep up with daylight.
_REFRESH_SECONDS = 1.0
# A first card must lie a little before its place is taken for the pile's.
_FINDING_SECONDS = 0.4
# Area, in squares of a card's length, from which something that lies across the zone's edge can be an arm.
_ARM = 0.03
_REMEMBERED = 40
# What lands on a pile comes to lie within this many lengths of one of its latest cards, middle to middle. The draw pile
# beside it, whose backs are taken for faces now and then, does not. Where the pile was carried off, another one begins
# as near its place.
_NEAR, _LATEST = 0.9, 5


class PileTracker:
    """Follows one pile. Feed it every frame there is; it is not to be shared between threads.

    detect: finds the cards in a picture. region: where the pile lies, found by itself where None. closely: finds them
    in a picture of the pile's surroundings, where they are big; `detect` does that too where None.
    """

    def __init__(self, detect: Detect, region: Region | None = None, closely: Detect | None = None) -> None:
        self._detect = detect
        self._closely = closely or detect
        self._region = region
        self._zone = None if region is None else _zone_of(region)
        self._pile: list[Lying] = []
        self._background = Background()
        self._known: Glance | None = None
        self._known_image: Image | None = None
        self._last: Glance | None = None
        self._still_since: float | None = None
        self._still_frames = 0
        self._stirred = False
        self._landed_at = -_ONE_PLAY
        self._looks: list[tuple[float, Verdict]] = []
        self._seen: list[Sighting] = []
        self._next_look = 0.0
        self._pause = _LOOK_PAUSE
        self._frame: Frame | None = None
        self.look_count = 0
        """How many times the detector was asked."""

    @property
    def zone(self) -> Zone | None:
        """Where the pile is taken to be, None while no card was found."""
        return self._zone

    @property
    def top(self) -> Card | None:
        """The card taken to be on top."""
        return self._pile[-1].card if self._pile else None

    def feed(self, frame: Frame) -> list[PileEvent]:
        """Take in the next frame; returns what has happened, mostly nothing. Raises what the detector raises."""
        picture = glance(frame.image, frame.time)
        sparse = self._last is not None and frame.time - self._last.time >= _SPARSE_SECONDS
        # The first picture of all could not know that it is to be taken by itself.
        late = self.finish() if sparse and self._known is None and not self._looks else []
        return late + self._follow_up(frame, picture)

    def _follow_up(self, frame: Frame, picture: Glance) -> list[PileEvent]:
        """Take in a frame with what is kept of it."""
        self._frame = frame
        last, self._last = self._last, picture
        if last is None or picture.is_dark or last.structure.shape != picture.structure.shape:
            self._wait_for_stillness()
            return []
        self._background.learn(picture)
        gap = frame.time - last.time
        moving = self._share(difference(last, picture)) > _MOTION
        if moving:
            self._stirred = True
            self._wait_for_stillness()
            if gap < _SPARSE_SECONDS:
                return []
        if self._still_since is None:
            self._still_since = last.time if not moving else frame.time
        self._still_frames += 1
        still_for = frame.time - self._still_since
        settled = self._still_frames >= _STILL_FRAMES or max(still_for, gap) >= _STILL_SECONDS
        return self._examine(frame, picture, still_for, settled, votes=1 if gap >= _SPARSE_SECONDS else _AGREE)

    def finish(self) -> list[PileEvent]:
        """Say what is left to be said when no frame will follow."""
        if self._frame is None or self._last is None or self._last.is_dark:
            return []
        return self._examine(self._frame, self._last, _HAND_PATIENCE, settled=True, votes=1)

    def _wait_for_stillness(self) -> None:
        self._still_since = None
        self._still_frames = 0
        self._looks.clear()
        self._next_look = 0.0
        self._pause = _LOOK_PAUSE

    def _examine(self, frame: Frame, picture: Glance, still_for: float, settled: bool, votes: int) -> list[PileEvent]:
        """Look whether the still picture shows anything new; it is said once the picture has settled."""
        known = self._known
        changed = np.ones(picture.structure.shape, np.uint8) if known is None else difference(known, picture)
        if known is not None:
            if self._share(changed) <= _NEWS and not self._stirred and not self._looks:
                if frame.time - known.time >= _REFRESH_SECONDS:
                    self._known, self._known_image = picture, frame.image
                return []
            if still_for < _HAND_PATIENCE and self._zone is not None and self._is_hand(picture, changed, self._zone):
                return []
        elif still_for < _FINDING_SECONDS and votes > 1:
            return []
        if frame.time < self._next_look:
            return []
        if not (settled and self._looks and self._is_certain(self._looks[-1][1])):
            news = changed
            if known is not None and not self._pile:
                # A plain face on a plain table shows in little but its colour.
                news = changed | tinted(known.colors, picture.colors, changed.shape)
            self._looks.append((frame.time, self._look(frame.image, news)))
            self._next_look = frame.time + (self._pause if settled else 0.0)
        return self._decide(frame, picture, changed, still_for, votes) if settled else []

    def _share(self, mask: Mask) -> float:
        """Return the part of the zone, or of the whole picture, that a mask covers."""
        if self._zone is None:
            return float(mask.mean())
        return float(mask[self._small(self._zone, mask).window(mask.shape[1], mask.shape[0])].mean())

    def _small(self, zone: Zone, mask: Mask) -> Zone:
        assert self._frame is not None
        scale = mask.shape[1] / self._frame.image.shape[1]
        return Zone(zone.x * scale, zone.y * scale, zone.length * scale)

    def _is_hand(self, picture: Glance, changed: Mask, zone: Zone) -> bool:
        """Whether something that is not part of the table lies across the zone's edge and touches what is new in it."""
        foreign = self._background.foreign(picture)
        if foreign.mean() > _EVERYWHERE:
            self._background.forget()
            return False
        small = self._small(zone, changed)
        window = small.window(changed.shape[1], changed.shape[0])
        if self._known is not None:
            # What the pile looked like when it was last known is not foreign, even if it is new to the table.
            fresh = changed | tinted(self._known.colors, picture.colors, changed.shape)
            foreign[window] &= fresh[window]
        return reaches_in(foreign, window, max(4, int(_ARM * small.length**2)))

    def _look(self, image: Image, changed: Mask) -> Verdict:
        """Ask the detector, about the pile's surroundings where they are known; quickly and thoroughly in turn."""
        self.look_count += 1
        height, width = image.shape[:2]
        if self._zone is None:
            sightings = self._detect(image)
        else:
            rows, columns = self._zone.window(width, height, Zone.VIEW)
            corner = np.array([columns.start, rows.start], np.float32)
            detect = self._detect if len(self._looks) % 2 else self._closely
            sightings = [replace(s, quad=s.quad + corner) for s in detect(image[rows, columns])]
        # In the first picture nothing tells what has come from what was there, such as the draw pile's back.
        least = _SURE if self._known is None else 0.0
        # Where the camera was knocked, outlines known from before say nothing.
        knocked = bool(changed.mean() > _EVERYWHERE)
        sightings = [s for s in sightings if self._is_near(s.quad, knocked) and s.confidence >= least]
        self._seen = sightings
        pictures = None if self._known_image is None else Comparison(self._known_image, image)
        return judge(self._pile, sightings, changed, changed.shape[1] / width, pictures)

    def _is_near(self, quad: Quad, knocked: bool) -> bool:
        """Whether an outline is where a card of the pile can lie."""
        zone = self._zone
        if zone is None:
            return True
        if self._region is not None and not zone.holds(quad):
            return False
        if knocked:
            return True
        latest = [lying.quad for lying in self._pile[-_LATEST:]]
        if not latest:
            return self._region is not None or _distance(quad.mean(0), (zone.x, zone.y)) <= _NEAR * zone.length
        return min(_distance(quad.mean(0), other.mean(0)) for other in latest) <= _NEAR * length_of(latest[-1])

    def _decide(self, frame: Frame, picture: Glance, changed: Mask, still_for: float, votes: int) -> list[PileEvent]:
        """Accept what the looks agree on."""
        latest = self._looks[-1][1]
        agreeing = [(time, verdict) for time, verdict in self._looks if _agree(verdict, latest)]
        looks = len(self._looks)
        landed = [verdict for _, verdict in self._looks if verdict.change is Change.LANDED]
        well_read = [v for v in landed if v.top is not None and v.belief * v.top.confidence >= _DOUBTED]
        # What is there in every other look is a card that one kind of look cannot see.
        often_landed, hidden = (3 * len(seen) >= looks for seen in (landed, well_read))
        match latest.change:
            case _ if self._is_certain(latest):
                done = True
            case Change.NONE if self._known and not self._pile and votes > 1 and still_for < _HAND_PATIENCE:
                # Where no pile is known a hand cannot be told, and may hold the first card.
                done = False
                self._pause = min(_LONGEST_PAUSE, 2 * self._pause)
            case Change.NONE:
                shown = not (often_landed if latest.top is None else hidden)
                done = shown and len(agreeing) >= min(votes, _AGREE)
            case Change.GONE:
                lasted = frame.time - agreeing[0][0]
                done = votes == 1 or (not hidden and lasted >= _GONE_SECONDS and len(agreeing) >= _GONE_LOOKS)
                self._pause = min(_LONGEST_PAUSE, _GONE_SECONDS / _GONE_LOOKS)
            case Change.UNCLEAR:
                # What keeps showing one new corner alone, or was seen to have landed in one look, is better asked about
                # than passed over.
                done = len(agreeing) >= _MOST_LOOKS and (latest.top is not None or bool(landed))
                if done and latest.top is None:
                    latest = replace(landed[-1], belief=landed[-1].belief / 2)
                    agreeing = [(frame.time, latest)]
                if looks > 2 * _MOST_LOOKS or all(verdict.top is None for _, verdict in self._looks):
                    self._pause = min(_LONGEST_PAUSE, 2 * self._pause)
            case Change.TAKEN_BACK if often_landed and latest.left < len(self._pile) - 1:
                # Several cards are seldom taken back at once.
                done = False
            case Change.LANDED if self._known is None and 3 * len(agreeing) <= 2 * looks:
                # A card that was there from the start is seen in almost every look, other than what is taken for one.
                done = False
            case Change.LANDED if latest.belief < _DOUBTED and looks < _MOST_LOOKS and votes > 1:
                # Another look may read the card that was taken for the old one.
                done = False
            case _:
                assert latest.top is not None
                sure = np.mean([v.top.confidence for _, v in agreeing if v.top is not None]) >= _SURE
                done = len(agreeing) >= votes and (bool(sure) or looks >= _MOST_LOOKS or votes == 1)
                done = done or (looks >= 2 * _MOST_LOOKS and len(agreeing) >= looks / 3)
        if not done:
            return []
        if votes > 1 and self._is_latest(latest, frame.time):
            latest = replace(latest, change=Change.MOVED, belief=1.0)
        # Where no pile was known, only now can be told where a hand would have to be.
        found = None if self._zone is not None or latest.top is None else _zone_about([latest.top.quad])
        if found is not None and votes > 1 and self._is_hand(picture, changed, found):
            return []
        return self._accept(latest, [verdict for _, verdict in agreeing], frame, picture, changed)

    def _is_certain(self, verdict: Verdict) -> bool:
        """Whether a look needs no other to agree with it.

        A card that was missed can make it seem as if nothing had happened, as if one were gone, or as if one that lies
        under it had come.
        """
        top = verdict.top
        if top is None or verdict.change in (Change.NONE, Change.TAKEN_BACK) or verdict.belief < 1:
            return False
        return top.confidence >= _CERTAIN and all(lying.card != top.card for lying in self._pile[:-1])

    def _is_latest(self, verdict: Verdict, time: float) -> bool:
        """Whether what is said to have landed must be the card that has just landed before."""
        if verdict.change is not Change.LANDED or verdict.top is None or time - self._landed_at >= _ONE_PLAY:
            return False
        return verdict.top.card == self.top

    def _accept(
        self, verdict: Verdict, agreeing: list[Verdict], frame: Frame, picture: Glance, changed: Mask
    ) -> list[PileEvent]:
        """Make a verdict known, and its picture the one from which news are told."""
        time = frame.time if self._still_since is None else self._still_since
        scale = changed.shape[1] / frame.image.shape[1]
        knocked = self._known is not None and changed.mean() > _EVERYWHERE and bool(self._pile)
        self._known, self._known_image = picture, frame.image
        self._looks.clear()
        self._stirred = False
        self._next_look, self._pause = 0.0, _LOOK_PAUSE
        events: list[PileEvent] = []
        top = verdict.top
        if knocked and verdict.change is Change.MOVED:
            detail = "The camera was moved; the pile has been found again."
            events = [CameraStatus(time, CameraHealth.KNOCKED, detail), CameraStatus(time, CameraHealth.OK)]
        match verdict.change:
            case Change.NONE if top is not None and self._pile:
                self._pile = carried_along(self._pile, top.quad, changed, scale)
            case Change.LANDED | Change.UNCLEAR:
                assert top is not None
                same = bool(self._pile) and self._pile[-1].card == top.card
                self._pile = [*self._pile[-_REMEMBERED:], Lying(top.card, top.quad)]
                self._landed_at = frame.time
                events.append(CardLanded(time, _mean(agreeing), top.quad, frame.image, same))
            case Change.TAKEN_BACK:
                assert top is not None
                self._pile = [*self._pile[: max(0, verdict.left - 1)], Lying(top.card, top.quad)]
                events.append(CardTakenBack(time, _mean(agreeing), frame.image))
            case Change.MOVED:
                assert top is not None
                self._pile = carried_along(self._pile, top.quad, changed, scale)
                events = events or [PileMoved(time)]
            case Change.GONE:
                single = len(self._pile) == 1
                self._pile = []
                events.append(CardTakenBack(time, (), frame.image) if single else PileGone(time))
        if self._pile:
            self._pile = where_seen(self._pile, self._seen)
        self._follow()
        return events

    def _follow(self) -> None:
        """Keep the zone about where the latest cards lie."""
        if self._region is not None or not self._pile:
            return
        self._zone = _zone_about([lying.quad for lying in self._pile[-_LATEST:]])


def _zone_about(quads: list[Quad]) -> Zone:
    x, y = np.mean([quad.mean(0) for quad in quads], axis=0)
    return Zone(float(x), float(y), float(np.median([length_of(quad) for quad in quads])))


def _zone_of(region: Region) -> Zone:
    x, y, width, height = region
    return Zone(x + width / 2, y + height / 2, max(width, height) / 2 / Zone.REACH)


def _distance(a: NDArray[np.floating], b: NDArray[np.floating] | tuple[float, float]) -> float:
    return float(np.hypot(*(np.asarray(a) - b)))


def _agree(a: Verdict, b: Verdict) -> bool:
    if a.change is not b.change:
        return False
    if a.top is None or b.top is None:
        return a.top is b.top
    return a.top.card == b.top.card and overlap(a.top.quad, b.top.quad) > SAME_PLACE


def _mean(verdicts: list[Verdict]) -> tuple[tuple[Card, float], ...]:
    """Return the mean of the looks' probabilities, likeliest card first.

    Of their beliefs it is the geometric mean: a look that speaks against a landing weighs more than one in its favour.
    """
    tops = [(verdict.top, verdict.belief) for verdict in verdicts if verdict.top is not None]
    belief = np.prod([belief for _, belief in tops]) ** (1 / max(1, len(tops)))
    total: dict[Card, float] = {}
    for top, _ in tops:
        for card, probability in zip(top.cards, top.probabilities, strict=True):
            total[card] = total.get(card, 0.0) + float(belief) * probability / len(tops)
    return tuple(sorted(total.items(), key=lambda item: -item[1]))
