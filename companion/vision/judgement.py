"""What became of the pile between two still pictures: the judgement on which the tracker's events rest.

Two kinds of evidence are weighed: what the detector reads now, and where the picture has changed since the pile was
last known. Where the picture has not changed, the cards have not either, whatever the detector says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import cv2
import numpy as np

from companion.cards import Card
from companion.vision.comparison import Comparison
from companion.vision.geometry import Quad, homography, project
from companion.vision.motion import Mask, filled, share
from companion.vision.sightings import Sighting


class Change(Enum):
    """What can have become of the pile."""

    NONE = "none"
    LANDED = "landed"
    TAKEN_BACK = "taken back"
    MOVED = "moved"
    GONE = "gone"
    UNCLEAR = "unclear"


@dataclass(frozen=True, eq=False)
class Lying:
    """A card known to lie on the pile, and its outline (4, 2) in pixels of the picture."""

    card: Card
    quad: Quad


@dataclass(frozen=True, eq=False)
class Verdict:
    """What became of the pile. `top` is the card now on top; `left` how many of the cards known before still lie.

    belief: how likely it is that a card has landed at all, where one is said to have. Where it is unclear, `top` is
    what can be read of a card that may have.
    """

    change: Change
    top: Sighting | None
    left: int
    belief: float = 1.0


# Overlap (intersection over union) from which two outlines are one card in one place: reading jitter stays above it,
# a card laid by hand on another, turned as hands turn them, mostly below.
SAME_PLACE = 0.75
# Overlap that is enough where cards were bent by hands, or are read anew in another light.
_ROUGHLY_SAME_PLACE = 0.6
# Overlap under which what reads as a known card is another one elsewhere; above it, that card was pushed.
_PUSHED = 0.4
# Overlap that one untouched card has with itself, and another one of its kind hardly ever, even on a tidy pile.
_SAME_CARD = 0.9
# Overlap from which a card that reads the same is the same: of 76 like cards that were laid on their like, over 0.6 of
# it, none had over 0.89; of a card left alone noise in dim light may look like another one's print.
_JUST_THERE = 0.96
# Part of a card's area that must have changed for the card to have come, or gone; noise and shadows change less.
_CHANGED = 0.22
# Part under which a piece of the picture is as it was.
_UNCHANGED = 0.12
# How likely it is that a card has landed of which only a corner is read, on one that seems to lie there still.
_HALF_SEEN = 0.5
# Likeness of pictures under which what is read as the old top card in another place is no such card, and how likely it
# is then that it is one all the same.
_ONE_CARD, _MISREAD = 0.5, 0.05
# Likeness that a face has with itself where outlines fit, and how likely it is at most, where they do not, that what an
# edge seems to show is true.
_SURELY_ONE_FACE, _ILL_OUTLINED = 0.75, 0.3
# What a card must be read with at least that is to be a new one although the small picture has hardly changed, and its
# least overlap with the old one.
_WELL_READ, _TOUCHING = 0.5, 0.2
# What it is read with surely, and the likeness that is low enough then: of white faces little but the digits differs.
_SURELY_READ, _HARDLY_ALIKE = 0.95, 0.75
# Change of hue from which a place shows another colour; that of cards left alone stayed under 0.12 in a dim picture.
_RECOLORED = 0.2
# What a corner of a new card must be read with at least.
_CORNER_CONFIDENCE = 0.5
# Area in small pixels, over that of a card, from which a strip of a card tells anything.
_TELLING = 0.03


def overlap(a: Quad, b: Quad) -> float:
    """Return the intersection over union of two convex outlines."""
    if (a.max(0) < b.min(0)).any() or (b.max(0) < a.min(0)).any():
        return 0.0
    common = float(cv2.intersectConvexConvex(a, b)[0])
    union = abs(cv2.contourArea(a)) + abs(cv2.contourArea(b)) - common
    return common / union if union > 0 else 0.0


def judge(
    known: Sequence[Lying],
    sightings: Sequence[Sighting],
    changed: Mask,
    scale: float,
    pictures: Comparison | None = None,
) -> Verdict:
    """Return what became of a pile of `known` cards, bottom first, given what is read now.

    sightings: cards on and about the pile. changed: mask of where the picture differs from the one in which the top
    card of `known` was accepted, small; `scale` takes the picture's pixels to its own. pictures: then and now, asked
    about a card with the top one's face, and about one that hardly shows in the mask.
    """
    whole = [s for s in sightings if s.whole]
    if not known:
        # What lay there all along, as the draw pile's back taken for a face, is no card that has landed.
        fresh = [s for s in whole if share(changed, filled(s.quad, changed.shape, scale, 0.08))[0] >= _CHANGED]
        return Verdict(Change.LANDED, _largest(fresh), 0) if fresh else _nothing(sightings, 0)
    evidence = _Evidence(known, changed, scale)
    kept = next((s for s in whole if _is(s, known[-1])), None)
    others = [s for s in whole if s is not kept]
    if kept is None:
        revealed = _revealed(known, others, evidence)
        if revealed is not None:
            return revealed
    moved = next((s for s in others if s.card == known[-1].card and not evidence.top_shows_beside(s.quad)), None)
    pushed = moved if kept is None else kept if overlap(kept.quad, known[-1].quad) < _SAME_CARD else None
    if pushed is not None:
        others = _not_carried_along(known, pushed, others, evidence)
    arrived = [s for s in others if evidence.has_come(s, kept)]
    if arrived:
        return Verdict(Change.LANDED, max(arrived, key=lambda s: evidence.newness(s.quad)), len(known))
    if kept is not None:
        belief = _belief_in_landing(known[-1].quad, kept.quad, evidence, pictures)
        # What no longer looks like the old card is covered, however its corners beside the new one are read.
        covered = belief == _MISREAD
        half_seen = _half_seen(known, sightings, evidence) if covered or (not belief and pushed is None) else None
        if half_seen is not None:
            return Verdict(Change.LANDED, half_seen, len(known), _HALF_SEEN)
        if belief:
            return Verdict(Change.LANDED, kept, len(known), belief)
    if kept is None and moved is None and pictures is not None:
        strangers = [s for s in others if _is_stranger(s, known, pictures)]
        if strangers:
            return Verdict(Change.LANDED, max(strangers, key=lambda s: s.confidence), len(known))
    if kept is not None or evidence.top_is_unchanged() or _covered(known, others, evidence):
        return Verdict(Change.NONE, kept, len(known))
    if moved is not None:
        belief = _belief_in_landing(known[-1].quad, moved.quad, evidence, pictures)
        return Verdict(Change.LANDED if belief else Change.MOVED, moved, len(known), belief or 1.0)
    return _topless(known, whole, evidence) or _nothing(sightings, len(known), _half_seen(known, sightings, evidence))


def _revealed(known: Sequence[Lying], others: Sequence[Sighting], evidence: _Evidence) -> Verdict | None:
    """Return that the top card was taken back where the one under it is seen, untouched, and nothing else is new.

    That a like card is laid in the very same place is far less likely.
    """
    if len(known) < 2:
        return None
    below = next((s for s in others if _is(s, known[-2], _SAME_CARD)), None)
    if below is None or evidence.top_shows_beside(below.quad):
        return None
    # A pile may be pushed so that the top card comes to lie where its like under it lay.
    if known[-2].card == known[-1].card and evidence.has_changed_beside_top(below.quad):
        return None
    strangers = [s for s in others if not any(_is(s, lying) for lying in known[:-1])]
    if any(evidence.has_come(s, None) for s in strangers):
        return None
    return Verdict(Change.TAKEN_BACK, below, len(known) - 1)


def _covered(known: Sequence[Lying], others: Sequence[Sighting], evidence: _Evidence) -> bool:
    """Whether a card is read in its place under the top one, which itself is missed."""
    return any(_is(s, lying) and evidence.lies_under_top(s.quad) for s in others for lying in known[:-1])


def _belief_in_landing(old: Quad, new: Quad, evidence: _Evidence, pictures: Comparison | None) -> float:
    """Return how likely it is that a card has landed at `new`, read as what lay at `old`: one like it, or misread."""
    if pictures is None:
        return 0.0
    likeness = pictures.likeness(old, new)
    if likeness < _ONE_CARD:
        return _MISREAD
    # Further off, enough of the old card would show to be told by that; nobody lays one just where the other lies, and
    # who lays one leaves the rest alone.
    if not _ROUGHLY_SAME_PLACE < overlap(old, new) < _JUST_THERE or evidence.rest_has_changed(new):
        return 0.0
    return min(pictures.laid_on_like(old, new), 1.0 if likeness >= _SURELY_ONE_FACE else _ILL_OUTLINED)


def _is_stranger(sighting: Sighting, known: Sequence[Lying], pictures: Comparison) -> bool:
    """Whether a card that is none of the known ones is read on the top one, where the picture was unlike it before.

    Where faces are almost bare, one may take another's place with hardly a change in the small picture, and so may the
    same face in another colour.
    """
    if sighting.confidence < _WELL_READ or any(_is(sighting, lying, _ROUGHLY_SAME_PLACE) for lying in known):
        return False
    pushed = len(known) > 1 and _is(sighting, known[-2], _PUSHED)
    if pushed or overlap(sighting.quad, known[-1].quad) <= _TOUCHING:
        return False
    surely = sighting.confidence >= _SURELY_READ
    if surely and sighting.card.color is not known[-1].card.color and pictures.tint(sighting.quad) > _RECOLORED:
        return True
    return pictures.likeness(sighting.quad, sighting.quad) < (_HARDLY_ALIKE if surely else _ONE_CARD)


def _half_seen(known: Sequence[Lying], sightings: Sequence[Sighting], evidence: _Evidence) -> Sighting | None:
    """Return a new card of which only a corner could be read, while what was read in the old one's place is doubtful.

    The picture has changed there, so the old card hardly lies open as it did.
    """
    if not evidence.top_has_changed():
        return None
    old = {lying.card for lying in known}
    corners = [s for s in sightings if not s.whole and s.confidence >= _CORNER_CONFIDENCE and s.card not in old]
    news = [s for s in corners if evidence.newness(s.quad) >= _CHANGED]
    return max(news, key=lambda s: s.confidence, default=None)


def _is(sighting: Sighting, lying: Lying, overlapping: float = SAME_PLACE) -> bool:
    return sighting.card == lying.card and overlap(sighting.quad, lying.quad) > overlapping


def _not_carried_along(
    known: Sequence[Lying], moved: Sighting, others: Sequence[Sighting], evidence: _Evidence
) -> list[Sighting]:
    """Return the sightings that are neither cards that stayed in place nor cards that moved as the top one did.

    Where the top card shows beside a sighting as it did, it was not pushed but is half covered and ill outlined.
    """
    move = homography(known[-1].quad, moved.quad)
    places = [Lying(lying.card, quad) for lying in known for quad in (lying.quad, project(move, lying.quad))]
    return [
        s for s in others if evidence.top_shows_beside(s.quad) or not any(_is(s, place, _PUSHED) for place in places)
    ]


def _topless(known: Sequence[Lying], whole: Sequence[Sighting], evidence: _Evidence) -> Verdict | None:
    """The top card is gone: return the verdict where a card is seen that lay under it."""
    for left in range(len(known) - 1, 0, -1):
        # Several cards are seldom taken back at once, and a deep pile holds many a card like the one that was laid. But
        # the one under the top may have been pushed as that was laid or taken.
        overlapping = _PUSHED if left == len(known) - 1 else _SAME_CARD
        for sighting in whole:
            if _is(sighting, known[left - 1], overlapping):
                return Verdict(Change.TAKEN_BACK, sighting, left)
    there = [s for s in whole if overlap(s.quad, known[-1].quad) > 0]
    if not there:
        return None
    # Under the lowest known card may lie what nobody saw land, if that card was taken from beside it; under another one
    # no stranger can.
    seen = _largest(there)
    if len(known) == 1 and evidence.top_has_left_beside(seen.quad):
        return Verdict(Change.TAKEN_BACK, seen, 0)
    return Verdict(Change.LANDED, seen, len(known))


def _nothing(sightings: Sequence[Sighting], left: int, half_seen: Sighting | None = None) -> Verdict:
    """No whole card is seen: a corner that can be read means that the pile is there but lies ill."""
    if any(not s.whole for s in sightings):
        return Verdict(Change.UNCLEAR, half_seen, left, _HALF_SEEN)
    return Verdict(Change.GONE if left else Change.NONE, None, 0)


def _largest(sightings: Sequence[Sighting]) -> Sighting:
    return max(sightings, key=lambda s: abs(float(cv2.contourArea(s.quad))))


class _Evidence:
    """Where the picture has changed, asked by outlines."""

    def __init__(self, known: Sequence[Lying], changed: Mask, scale: float) -> None:
        self._known = known
        self._changed = changed
        self._scale = scale
        self._old = self._mask(known[-1].quad)
        self._telling = max(6.0, _TELLING * float(self._old.sum()))

    def newness(self, quad: Quad) -> float:
        """Return the part of an outline in which the picture has changed."""
        return share(self._changed, self._mask(quad))[0]

    def has_come(self, sighting: Sighting, kept: Sighting | None) -> bool:
        """Whether a card was not there before. `kept` is what is read of the old top card in its place.

        What a new card covers beside the old top one has changed, and what the old one shows beside it has not; for a
        card that came to light it is the other way round.
        """
        if self.newness(sighting.quad) < _CHANGED or self.lies_under_top(sighting.quad):
            return False
        below = next((lying for lying in reversed(self._known[:-1]) if _is(sighting, lying)), None)
        coming, tells = self._coming(sighting.quad)
        if kept is not None:
            # What lies where a card did is that card, from which a hand was taken away; the more so where the top one
            # on it lies untouched.
            untouched = overlap(kept.quad, self._known[-1].quad) >= _SAME_CARD
            uncovered = below is not None and (untouched or _is(sighting, below, _SAME_CARD))
            return not uncovered and (not tells or coming > _CHANGED)
        leaving = self._leaving(sighting.quad)
        if self.top_shows_beside(sighting.quad):
            return True
        if tells and coming < _CHANGED:
            return below is None and leaving is None
        if below is None:
            return True
        if leaving is not None:
            return leaving < (coming if tells else _CHANGED)
        return tells or below is not self._known[-2] or not _is(sighting, below, _SAME_CARD)

    def lies_under_top(self, quad: Quad) -> bool:
        """Whether the picture is as it was where an outline overlaps the old top card, which lies on it, then."""
        part, area = share(self._changed, self._mask(quad) & self._old)
        return area > 2 * self._telling and part < _UNCHANGED

    def has_changed_beside_top(self, quad: Quad) -> bool:
        """Whether the picture has changed in an outline beside the old top card: not so where that was taken back."""
        coming, tells = self._coming(quad)
        return tells and coming > _CHANGED

    def rest_has_changed(self, quad: Quad) -> bool:
        """Whether the picture has changed where the pile's lower cards show beside the old top card and an outline.

        On 60 drawn tables at most 0.04 of it changed where a card was laid, at least 0.22 where the pile was pushed or
        straightened.
        """
        below = np.zeros_like(self._old)
        for lying in self._known[:-1]:
            below |= self._mask(lying.quad)
        for top in (self._known[-1].quad, quad):
            below &= 1 - self._mask(top, grow=True)
        part, area = share(self._changed, below)
        return area > self._telling and part >= _CHANGED

    def _coming(self, quad: Quad) -> tuple[float, bool]:
        """Return how much has changed in an outline beside the old top card, and whether that tells anything."""
        part, area = share(self._changed, self._mask(quad) & (1 - self._old))
        return part, area > 2 * self._telling

    def top_shows_beside(self, quad: Quad) -> bool:
        """Whether the old top card shows beside this outline as it did."""
        leaving = self._leaving(quad, 2)
        return leaving is not None and leaving < _UNCHANGED

    def top_has_left_beside(self, quad: Quad) -> bool:
        """Whether the picture has changed where the old top card would show beside this outline."""
        leaving = self._leaving(quad)
        return leaving is not None and leaving > _CHANGED

    def _leaving(self, quad: Quad, least: int = 1) -> float | None:
        """Return how much has changed where the old top card shows beside an outline, None where that tells nothing.

        least: how many times the area that tells anything it must be.
        """
        beside = self._mask(self._known[-1].quad) & (1 - self._mask(quad, grow=True))
        part, area = share(self._changed, beside)
        return part if area >= least * self._telling else None

    def top_is_unchanged(self) -> bool:
        """Whether the picture is as it was where the old top card lies."""
        return share(self._changed, self._old)[0] < _UNCHANGED

    def top_has_changed(self) -> bool:
        """Whether the picture has changed where the old top card lies."""
        return share(self._changed, self._old)[0] > _CHANGED

    def _mask(self, quad: Quad, grow: bool = False) -> Mask:
        return filled(quad, self._changed.shape, self._scale, shrink=-0.12 if grow else 0.08)


def carried_along(known: Sequence[Lying], top: Quad, changed: Mask, scale: float) -> list[Lying]:
    """Return the known cards after their top card came to lie at `top`.

    Those under it are taken to have moved with it where the picture has changed beside it.
    """
    before = known[-1].quad
    move = homography(before, top)
    hidden = filled(before, changed.shape, scale, -0.1) | filled(top, changed.shape, scale, -0.1)
    moved = []
    for lying in known[:-1]:
        part, area = share(changed, filled(lying.quad, changed.shape, scale) & (1 - hidden))
        rigid = area > 0 and part > _CHANGED
        moved.append(Lying(lying.card, project(move, lying.quad) if rigid else lying.quad))
    return [*moved, Lying(known[-1].card, top)]


def where_seen(known: Sequence[Lying], sightings: Sequence[Sighting]) -> list[Lying]:
    """Return the known cards, those under the top one where they are read now, should they have been pushed.

    A hand that lays a card often pushes the others. Where a card hardly moved, the outline that it had while it lay
    open is the better one.
    """
    top = known[-1]
    seen = [s for s in sightings if s.whole and not _is(s, top)]

    def found(lying: Lying) -> Lying:
        alike = [s.quad for s in seen if s.card == lying.card]
        quad = max(alike, key=lambda quad: overlap(quad, lying.quad), default=lying.quad)
        return Lying(lying.card, quad) if _PUSHED < overlap(quad, lying.quad) < SAME_PLACE else lying

    return [*map(found, known[:-1]), top]
