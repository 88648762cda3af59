"""What became of the pile between two still pictures: the judgement on which the tracker's events rest.

A pure function of the evidence. Two kinds are weighed: what the detector reads now, and where the picture has changed
since the pile was last known. Where the picture has not changed, the cards have not either, whatever the detector says.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

import cv2

from companion.vision.core.geometry import homography, intersection_over_union, project
from companion.vision.core.sightings import Sighting
from companion.vision.pile.features import Evidence, Lying, Outline, Part


class Change(Enum):
    """What can have become of the pile."""

    NONE = "none"
    LANDED = "landed"
    TAKEN_BACK = "taken back"
    MOVED = "moved"
    GONE = "gone"
    UNCLEAR = "unclear"


@dataclass(frozen=True, eq=False)
class Judgement:
    """What became of the pile. `top` is the card now on top; `left` how many of the cards known before still lie.

    belief: how likely it is that a card has landed at all, where one is said to have. Where it is unclear, `top` is
    what can be read of a card that may have.
    """

    change: Change
    top: Sighting | None
    left: int
    belief: float = 1.0


class _Face(Enum):
    """What shows where the old top card's face is read."""

    OLD = "that card"
    LIKE = "perhaps one like it that was laid on it"
    OTHER = "something that does not look like it"


# Limits were set on drawn tables, and held against 288 looks at 9 simulated matches in styles that no network was
# trained on: 91 looks at a top card that nobody had touched, 79 at one that had landed on an unlike one, and 13 at one
# that was pushed. These looks are meant where no others are named.

# Overlap (intersection over union) from which two outlines are one card in one place. Untouched cards were over it in
# 99 of 100 looks (and over 0.95 in 95), cards laid on others under it in 97 of 100.
SAME_PLACE = 0.75
# Overlap that is enough where cards were bent by hands, or are read anew in another light: the worst outline of an
# untouched card had 0.65.
_ROUGHLY_SAME_PLACE = 0.6
# Overlap under which what reads as a known card is another one elsewhere; above it, that card was pushed: all 13 were.
PUSHED = 0.4
# Overlap that one untouched card has with itself, 95 times of 100, and another one of its kind hardly ever, even on a
# tidy pile: no card laid on another had over 0.78.
_SAME_CARD = 0.9
# Overlap from which a card that reads the same is the same: of 76 like cards that were laid on their like, over 0.6 of
# it, none had over 0.89; of a card left alone noise in dim light may look like another one's print.
_JUST_THERE = 0.96
# Overlap and changed share from which a hand has been at a card that reads the same where it lay, whatever its edges
# show, if less has changed about it: it laid its like there, or brushed it. In 30 simulated matches in which many a
# card was laid on its like, most within 2 mm, 32 of 47 that were missed without this were so, no card of 175 that were
# left alone, and 2 of 29 that were pushed.
_AS_LAID, _STIRRED = 0.88, 0.1
# Overlap from which two cards cannot both lie open: of the one beneath less than a third is seen, and no such card is
# read as whole. The better read one lies on top.
_BURIED = 0.5
# Least overlap with the old top card of one that is to have been laid on it unnoticed: 98 of 100 had more.
_TOUCHING = 0.2
# Part of a card's area that must have changed for the card to have come, or gone: at least 0.33 did where one landed,
# and nothing where one was left alone; noise and shadows come between. On 60 drawn tables at most 0.04 of the lower
# cards' changed where a card was laid, at least 0.22 where the pile was pushed or straightened.
CHANGED = 0.22
# Part under which a piece of the picture is as it was: of what a landed card left in view of the old one 0.03 had
# changed at most in 95 of 100 looks, 0.16 in the worst.
UNCHANGED = 0.12
# How likely it is that a card has landed of which only a corner is read, on one that seems to lie there still: even
# odds, so that it is asked about.
_HALF_SEEN = 0.5
# Likeness of pictures under which what is read as the old top card in another place is no such card: pushed ones had at
# least 0.86, untouched ones 0.69 in 99 of 100 looks, half of the cards laid on others less than 0.5. And how likely it
# is then that it is one all the same, one in twenty, so that it is asked about.
_ONE_CARD, _MISREAD = 0.5, 0.05
# Likeness that a face has with itself where outlines fit: 0.9 and more in 95 of 100 looks. Of white faces little but
# the digits differs. And how likely it is at most, where outlines do not fit, that what an edge seems to show is true;
# as likely as with an edge that shows half (see `edges`).
_ONE_FACE, _ILL_OUTLINED = 0.75, 0.3
# How likely it is that one was laid where edges tell nothing, but something has changed: a hand pushes more often.
_BRUSHED = 0.3
# What a card must be read with at least that is to be a new one although the small picture has hardly changed: with
# more than even odds. And what surely, so that it need not look as unlike the old one; cards that landed had 0.998 and
# more. And what beyond doubt, and how like the old one it may look then: a white 5 laid just where an 8 lay had 0.78.
_WELL_READ, _SURELY_READ, _PLAINLY_READ, _ANOTHER_FACE = 0.5, 0.95, 0.995, 0.85
# Change of hue from which a place shows another colour; that of cards left alone stayed under 0.12 in a dim picture,
# and under 0.08 in those looks.
_RECOLORED = 0.2


def judge(look: Evidence) -> Judgement:
    """Return what became of the known pile, given one look at it."""
    known = look.known
    if not known:
        # What lay there all along, as the draw pile's back taken for a face, is no card that has landed.
        fresh = [s for s in look.whole if s.change >= CHANGED]
        return Judgement(Change.LANDED, _largest(fresh).sighting, 0) if fresh else _nothing(look, None)
    kept = next((s for s in look.whole if s.is_at(look.top, SAME_PLACE)), None)
    others = [s for s in look.whole if s is not kept]
    if kept is None:
        revealed = _revealed(look, others)
        if revealed is not None:
            return revealed
    moved = next((s for s in others if s.card == look.top.card and not _top_shows_beside(s)), None)
    pushed = moved if kept is None else kept if kept.overlap_with_top < _SAME_CARD else None
    if pushed is not None:
        others = _not_carried_along(look, pushed, others)
    arrived = [s for s in others if _has_come(s, kept)]
    if arrived:
        return Judgement(Change.LANDED, max(arrived, key=lambda s: s.change).sighting, len(known))
    if kept is not None:
        return _where_top_is_read(kept, pushed)
    if moved is None and look.pictures is not None:
        strangers = [s for s in others if _is_stranger(s)]
        if strangers:
            return Judgement(Change.LANDED, max(strangers, key=lambda s: s.confidence).sighting, len(known))
    if look.top_change < UNCHANGED or _is_covered(look, others):
        return Judgement(Change.NONE, None, len(known))
    if moved is not None:
        face, belief = _face(moved)
        if face is _Face.OLD:
            return Judgement(Change.MOVED, moved.sighting, len(known))
        return Judgement(Change.LANDED, moved.sighting, len(known), belief)
    return _topless(look) or _nothing(look, _half_seen(look))


def _where_top_is_read(kept: Outline, pushed: Outline | None) -> Judgement:
    """Judge what nothing speaks for but what is read in the old top card's place, as that card."""
    look = kept.look
    face, belief = _face(kept)
    # What no longer looks like the old card is covered, however its corners beside the new one are read.
    if face is _Face.OTHER or (face is _Face.OLD and pushed is None):
        half_seen = _half_seen(look)
        if half_seen is not None:
            return Judgement(Change.LANDED, half_seen.sighting, len(look.known), _HALF_SEEN)
    if face is _Face.OLD:
        return Judgement(Change.NONE, kept.sighting, len(look.known))
    return Judgement(Change.LANDED, kept.sighting, len(look.known), belief)


def _revealed(look: Evidence, others: Sequence[Outline]) -> Judgement | None:
    """Return that the top card was taken back where the one under it is seen, untouched, and nothing else is new.

    That a like card is laid in the very same place is far less likely.
    """
    known = look.known
    if len(known) < 2:
        return None
    below = next((s for s in others if s.is_at(known[-2], _SAME_CARD)), None)
    if below is None or _top_shows_beside(below) or _is_buried(below, others):
        return None
    # A pile may be pushed so that the top card comes to lie where its like under it lay.
    if known[-2].card == known[-1].card and _has_changed(below.beside_top, 2):
        return None
    strangers = [s for s in others if not any(s.is_at(lying, SAME_PLACE) for lying in known[:-1])]
    if any(_has_come(s, None) for s in strangers):
        return None
    return Judgement(Change.TAKEN_BACK, below.sighting, len(known) - 1)


def _has_come(card: Outline, kept: Outline | None) -> bool:
    """Whether a card was not there before. `kept` is what is read of the old top card in its place.

    What a new card covers beside the old top one has changed, and what the old one shows beside it has not; for a card
    that came to light it is the other way round.
    """
    if card.change < CHANGED or _lies_under_top(card):
        return False
    known = card.look.known
    below = next((lying for lying in reversed(known[:-1]) if card.is_at(lying, SAME_PLACE)), None)
    coming, tells = card.beside_top.share, card.beside_top.tells(2)
    if kept is not None:
        # What lies where a card did is that card, from which a hand was taken away; the more so where the top one on it
        # lies untouched.
        untouched = kept.overlap_with_top >= _SAME_CARD
        uncovered = below is not None and (untouched or card.is_at(below, _SAME_CARD))
        # Whoever laid the top one may have pushed what lies under it; what covers that has changed more of it.
        under = card.on_top.tells(2) and card.on_top.share < CHANGED
        pushed = untouched and under and any(card.is_at(lying, PUSHED) for lying in known[:-1])
        return not uncovered and not pushed and (not tells or coming > CHANGED)
    if _top_shows_beside(card):
        return True
    leaving = card.top_beside.share if card.top_beside.tells() else None
    if tells and coming < CHANGED:
        return below is None and leaving is None
    if below is None:
        return True
    if leaving is not None:
        return leaving < (coming if tells else CHANGED)
    return tells or below is not known[-2] or not card.is_at(below, _SAME_CARD)


def _is_buried(card: Outline, others: Iterable[Outline]) -> bool:
    """Whether another card is read better where a card seems to lie open."""
    above = (s for s in others if s is not card and s.confidence > card.confidence)
    return any(intersection_over_union(s.quad, card.quad) > _BURIED for s in above)


def _is_as_it_was(part: Part, times: int) -> bool:
    return part.tells(times) and part.share < UNCHANGED


def _has_changed(part: Part, times: int = 1) -> bool:
    return part.tells(times) and part.share > CHANGED


def _top_shows_beside(card: Outline) -> bool:
    """Whether the old top card shows beside this one as it did."""
    return _is_as_it_was(card.top_beside, 2)


def _lies_under_top(card: Outline) -> bool:
    """Whether the picture is as it was where a card overlaps the old top one, which lies on it, then."""
    return _is_as_it_was(card.on_top, 2)


def _is_covered(look: Evidence, others: Iterable[Outline]) -> bool:
    """Whether a card is read in its place under the top one, which itself is missed."""
    return any(s.is_at(lying, SAME_PLACE) and _lies_under_top(s) for s in others for lying in look.known[:-1])


def _face(card: Outline) -> tuple[_Face, float]:
    """Return what shows where the old top card's face is read, and how likely it is then that a card has landed."""
    if card.look.pictures is None:
        return _Face.OLD, 0.0
    if card.likeness_to_top < _ONE_CARD:
        return _Face.OTHER, _MISREAD
    # Further off, enough of the old card would show to be told by that; who lays one leaves the rest alone.
    if card.overlap_with_top <= _ROUGHLY_SAME_PLACE or _has_changed(card.rest_beside):
        return _Face.OLD, 0.0
    belief = min(_by_edges(card), 1.0 if card.likeness_to_top >= _ONE_FACE else _ILL_OUTLINED)
    return (_Face.LIKE if belief else _Face.OLD), belief


def _by_edges(card: Outline) -> float:
    """Return how likely a card that reads as the old top one, about where that lay, was laid on it."""
    rim = card.rim if card.overlap_with_top < _JUST_THERE else 0.0
    stirred = card.overlap_with_top > _AS_LAID and card.change > _STIRRED
    return max(rim, _BRUSHED if stirred and card.about.share < card.change / 2 else 0.0)


def _is_stranger(card: Outline) -> bool:
    """Whether a card that is none of the known ones is read on the top one, where the picture was unlike it before.

    Where faces are almost bare, one may take another's place with hardly a change in the small picture, and so may the
    same face in another colour.
    """
    look = card.look
    if card.confidence < _WELL_READ or any(card.is_at(lying, _ROUGHLY_SAME_PLACE) for lying in look.known):
        return False
    pushed = len(look.known) > 1 and card.is_at(look.known[-2], PUSHED)
    if pushed or card.overlap_with_top <= _TOUCHING:
        return False
    surely = card.confidence >= _SURELY_READ
    if surely and card.card.color is not look.top.card.color and card.tint > _RECOLORED:
        return True
    if card.confidence >= _PLAINLY_READ:
        return card.likeness_in_place < _ANOTHER_FACE
    return card.likeness_in_place < (_ONE_FACE if surely else _ONE_CARD)


def _half_seen(look: Evidence) -> Outline | None:
    """Return a new card of which only a corner could be read, while what was read in the old one's place is doubtful.

    The picture has changed there, so the old card hardly lies open as it did.
    """
    if look.top_change <= CHANGED:
        return None
    old = {lying.card for lying in look.known}
    news = [s for s in look.corners if s.confidence >= _WELL_READ and s.card not in old and s.change >= CHANGED]
    return max(news, key=lambda s: s.confidence, default=None)


def _not_carried_along(look: Evidence, moved: Outline, others: Iterable[Outline]) -> list[Outline]:
    """Return the cards that are neither ones that stayed in place nor ones that moved as the top one did.

    Where the top card shows beside one as it did, it was not pushed but is half covered and ill outlined.
    """
    move = homography(look.top.quad, moved.quad)
    places = [Lying(lying.card, quad) for lying in look.known for quad in (lying.quad, project(move, lying.quad))]
    return [s for s in others if _top_shows_beside(s) or not any(s.is_at(place, PUSHED) for place in places)]


def _topless(look: Evidence) -> Judgement | None:
    """The top card is gone: judge where a card is seen that lay under it."""
    known = look.known
    for left in range(len(known) - 1, 0, -1):
        # Several cards are seldom taken back at once, and a deep pile holds many a card like the one that was laid. But
        # the one under the top may have been pushed as that was laid or taken.
        overlap = PUSHED if left == len(known) - 1 else _SAME_CARD
        for card in look.whole:
            if card.is_at(known[left - 1], overlap):
                return Judgement(Change.TAKEN_BACK, card.sighting, left)
    there = [s for s in look.whole if s.overlap_with_top > 0]
    if not there:
        return None
    # Under the lowest known card may lie what nobody saw land, if that card was taken from beside it; under another one
    # no stranger can.
    seen = _largest(there)
    if len(known) == 1 and _has_changed(seen.top_beside):
        return Judgement(Change.TAKEN_BACK, seen.sighting, 0)
    return Judgement(Change.LANDED, seen.sighting, len(known))


def _nothing(look: Evidence, half_seen: Outline | None) -> Judgement:
    """No whole card is seen: a corner that can be read means that the pile is there but lies ill."""
    if look.corners:
        top = None if half_seen is None else half_seen.sighting
        return Judgement(Change.UNCLEAR, top, len(look.known), _HALF_SEEN)
    return Judgement(Change.GONE if look.known else Change.NONE, None, 0)


def _largest(cards: Sequence[Outline]) -> Outline:
    return max(cards, key=lambda s: abs(float(cv2.contourArea(s.quad))))


def agree(a: Judgement, b: Judgement) -> bool:
    """Whether two looks tell the same: the same change, and the same card on top in the same place."""
    if a.change is not b.change:
        return False
    if a.top is None or b.top is None:
        return a.top is b.top
    return a.top.card == b.top.card and intersection_over_union(a.top.quad, b.top.quad) > SAME_PLACE
