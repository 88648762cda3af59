"""Decides what happened to the pile between two still pictures: a pure function of the features.

It combines what the detector reads now, where the picture has changed, and which card covers the others. Where the
picture is unchanged, so are the cards, whatever the detector reports.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

import cv2

from companion.vision.core.geometry import NEARLY_ALL, homography, intersection_over_union, project
from companion.vision.core.sightings import CERTAIN, EVEN, Sighting
from companion.vision.imaging.motion import OTHER_COLOR
from companion.vision.pile.features import Candidate, Evidence, KnownCard
from companion.vision.pile.outline_comparison import PERHAPS
from companion.vision.pile.thresholds import CHANGED, PUSHED, SAME_PLACE, UNCHANGED


class Change(Enum):
    """Possible changes of the pile."""

    NONE = "none"
    LANDED = "landed"
    TAKEN_BACK = "taken back"
    MOVED = "moved"
    GONE = "gone"
    UNCLEAR = "unclear"


@dataclass(frozen=True, eq=False)
class Judgement:
    """The change of the pile. top: the card now on top; if that is unclear, the best reading of a possible new card.

    landing_probability: that a card has landed, if reported. remaining: number of cards left after some were taken
    back, with the one that came to light, also if it was never seen before.
    """

    change: Change
    top: Sighting | None
    landing_probability: float = 1.0
    remaining: int = 0


# `SAME_PLACE` for bent cards or changed light.
_ROUGHLY_SAME_PLACE = 0.6
# Overlap of an untouched card with itself; identical cards reached at most 0.78, even on a tidy pile.
_SAME_CARD = 0.9
# Similarity below which an equal reading elsewhere is not the same card, and below which a place shows another face
# under exact outlines; white faces differ only in their digits.
_SAME_FACE_FAR, _ANOTHER_FACE = 0.5, 0.85


def judge(evidence: Evidence) -> Judgement:
    """Return the change of the known pile, given one look."""
    return _judge_first(evidence) if not evidence.known else _corrected_by_cover(evidence, _judge_by_change(evidence))


def _judge_first(evidence: Evidence) -> Judgement:
    """Return the card on top of a pile of which nothing was known."""
    # A card that was there before, such as a draw pile's back misread as a face, has not landed.
    fresh = [c for c in evidence.whole if c.change >= CHANGED]
    if not fresh:
        return _judge_without_card(evidence, None)
    top = max(fresh, key=lambda c: c.top_probability)
    # After a look at the bare table the card is one of those that came.
    total = 1.0 if evidence.pictures is None else sum(c.top_probability for c in fresh)
    return Judgement(Change.LANDED, top.sighting, top.top_probability / max(total, top.top_probability))


def _corrected_by_cover(evidence: Evidence, judgement: Judgement) -> Judgement:
    """Return a change, corrected by which card lies on top in the picture.

    Something has changed, so the card on top came or was uncovered, unless it is the previous top card in its place.
    """
    own = next((c for c in evidence.whole if c.sighting is judgement.top), None)
    if own is None or judgement.change not in (Change.LANDED, Change.TAKEN_BACK):
        return judgement
    best = max(evidence.whole, key=lambda c: c.top_probability)
    if best.top_probability <= own.top_probability:
        return judgement
    odds = best.top_probability / (best.top_probability + own.top_probability)
    if best.is_at(evidence.top, SAME_PLACE):
        return replace(judgement, landing_probability=judgement.landing_probability * (1 - odds))
    if best.change < UNCHANGED:
        return judgement
    if best.card == evidence.top.card and not best.top_beside.is_unchanged and not _laid_on_probability(best):
        # Pushed, it uncovered what seems to have come.
        return Judgement(Change.MOVED, best.sighting)
    return Judgement(Change.LANDED, best.sighting, odds)


def _judge_by_change(evidence: Evidence) -> Judgement:
    """Return the change that the readings and the changed parts of the picture show."""
    kept = next((c for c in evidence.whole if c.is_at(evidence.top, SAME_PLACE) and not _is_uncovered_twin(c)), None)
    others = [c for c in evidence.whole if c is not kept]
    if kept is None:
        revealed = _judge_uncovered(evidence, others)
        if revealed is not None:
            return revealed
    # One like it may lie open below.
    like = [c for c in others if c.card == evidence.top.card and not c.top_beside.is_unchanged]
    moved = max(like, key=lambda c: c.top_probability, default=None)
    pushed = moved if kept is None else kept if kept.overlap_with_top < _SAME_CARD else None
    if pushed is not None:
        others = _not_carried_along(evidence, pushed, others)
    arrived = [c for c in others if _has_arrived(c, kept)]
    if arrived:
        return Judgement(Change.LANDED, max(arrived, key=lambda c: c.change).sighting)
    if kept is not None:
        return _judge_kept(kept, pushed)
    strangers = [c for c in others if moved is None and _is_unknown_card(c)]
    if strangers:
        return Judgement(Change.LANDED, max(strangers, key=lambda c: c.confidence).sighting)
    if evidence.top_change < UNCHANGED:
        return Judgement(Change.NONE, None)
    if moved is not None:
        landing_probability = _laid_on_probability(moved)
        change = Change.LANDED if landing_probability else Change.MOVED
        return Judgement(change, moved.sighting, landing_probability or 1.0)
    return _judge_without_top(evidence) or _judge_without_card(evidence, _new_corner(evidence))


def _judge_kept(kept: Candidate, pushed: Candidate | None) -> Judgement:
    """Decide if the only evidence is a reading of the previous top card in its place."""
    landing_probability = _laid_on_probability(kept)
    # If it no longer looks like the old card, that card is covered, whatever its visible corners read.
    if landing_probability < PERHAPS and (landing_probability or pushed is None):
        corner = _new_corner(kept.evidence)
        if corner is not None:
            return Judgement(Change.LANDED, corner.sighting, EVEN)
    change = Change.LANDED if landing_probability else Change.NONE
    return Judgement(change, kept.sighting, landing_probability or 1.0)


def _judge_uncovered(evidence: Evidence, others: Sequence[Candidate]) -> Judgement | None:
    """Return that the top card was taken back if the one below is visible, unchanged, and nothing else is new."""
    known = evidence.known
    below = next((c for c in others if _lies_below_top(c, _SAME_CARD)), None)
    if below is None or below.top_beside.is_unchanged or _is_buried(below, others):
        return None
    # A pushed top card may come to lie where an identical card below it was, but rarely in its exact place.
    exact = _lies_below_top(below, NEARLY_ALL)
    if known[-2].card == known[-1].card and not exact and below.beside_top.has_changed(2):
        return None
    strangers = [c for c in others if not any(c.is_at(old, SAME_PLACE) for old in known[:-1])]
    if any(_has_arrived(c, None) for c in strangers):
        return None
    return Judgement(Change.TAKEN_BACK, below.sighting, remaining=len(known) - 1)


def _is_uncovered_twin(card: Candidate) -> bool:
    """Whether it is an identical card below the top one, which has not moved, and not that one in its place."""
    return _lies_below_top(card, NEARLY_ALL) and card.overlap_with_top <= _SAME_CARD


def _lies_below_top(card: Candidate, overlap: float) -> bool:
    """Whether it has the face of the card below the top one, and overlaps its place by more than `overlap`."""
    return any(card.is_at(old, overlap) for old in card.evidence.known[-2:-1])


def _has_arrived(card: Candidate, kept: Candidate | None) -> bool:
    """Whether a card was not there before. `kept` is the reading at the previous top card's place.

    A new card changes what it covers and leaves the rest of the old one unchanged; an uncovered one does the reverse.
    """
    if card.change < CHANGED or card.on_top.is_unchanged:
        return False
    known = card.evidence.known
    below = next((old for old in reversed(known[:-1]) if card.is_at(old, SAME_PLACE)), None)
    coming, tells = card.beside_top.share, card.beside_top.is_significant(2)
    if kept is not None:
        # In a known card's place is that card after a hand has left, especially if the top card is untouched.
        untouched = kept.overlap_with_top >= _SAME_CARD
        uncovered = below is not None and (untouched or card.is_at(below, _SAME_CARD))
        # Laying a card may push the one below; the part that covers it has then changed more.
        under = card.on_top.is_significant(2) and card.on_top.share < CHANGED
        pushed = untouched and under and any(card.is_at(old, PUSHED) for old in known[:-1])
        return not uncovered and not pushed and (not tells or coming > CHANGED)
    if card.top_beside.is_unchanged:
        return True
    leaving = card.top_beside.share if card.top_beside.is_significant() else None
    if tells and coming < CHANGED:
        return below is None and leaving is None
    if below is None:
        return True
    if leaving is not None:
        return leaving < (coming if tells else CHANGED)
    return tells or below is not known[-2] or not card.is_at(below, _SAME_CARD)


def _is_buried(card: Candidate, others: Iterable[Candidate]) -> bool:
    """Whether another card is read more confidently where a card seems open."""
    above = (c for c in others if c.confidence > card.confidence)
    return any(intersection_over_union(c.quad, card.quad) > PUSHED for c in above)


def _laid_on_probability(card: Candidate) -> float:
    """Return the probability that a card with the previous top's reading was laid on that one; 0 if it is that one.

    At least `PERHAPS` for one that looks like it, less for something that does not.
    """
    pictures, old = card.evidence.pictures, card.evidence.top.quad
    if pictures is None:
        return 0.0
    if pictures.similarity(old, card.quad) < _SAME_FACE_FAR:
        return 1 - CERTAIN
    # Farther away, the visible part of the old card decides; laying a card leaves the rest unchanged.
    if card.overlap_with_top <= _ROUGHLY_SAME_PLACE or card.lower_beside.has_changed():
        return 0.0
    # Nearly in its place, noise in dim light can change how an untouched card looks.
    rim = pictures.laid_on_like(old, card.quad) if card.overlap_with_top < NEARLY_ALL else 0.0
    # If edges tell nothing but the card changed more than its surroundings, a hand laid an identical card or brushed
    # it. In 30 simulated matches that held for 32 of 47 otherwise missed landings and 2 of 204 other cards.
    has_moved = card.overlap_with_top > _SAME_CARD and card.change > UNCHANGED
    return max(rim, PERHAPS if has_moved and card.surroundings.share < card.change / 2 else 0.0)


def _is_unknown_card(card: Candidate) -> bool:
    """Whether an unknown card is read on the top one with a dissimilar picture; bare faces change little beside."""
    evidence, pictures = card.evidence, card.evidence.pictures
    if pictures is None or card.confidence < EVEN:
        return False
    if any(card.is_at(old, _ROUGHLY_SAME_PLACE) for old in evidence.known):
        return False
    pushed = len(evidence.known) > 1 and card.is_at(evidence.known[-2], PUSHED)
    if pushed or not card.overlap_with_top or card.top_beside.has_changed():
        return False
    is_confident = card.confidence >= CERTAIN
    if is_confident and card.card.color is not evidence.top.card.color and pictures.tint(card.quad) > OTHER_COLOR:
        return True
    return pictures.similarity(card.quad, card.quad) < (_ANOTHER_FACE if is_confident else _SAME_FACE_FAR)


def _new_corner(evidence: Evidence) -> Candidate | None:
    """Return a new card of which only a corner is read, if the top card's place has changed: it is probably covered."""
    if evidence.top_change <= CHANGED:
        return None
    known = {old.card for old in evidence.known}
    news = [c for c in evidence.corners if c.confidence >= EVEN and c.card not in known and c.change >= CHANGED]
    return max(news, key=lambda c: c.confidence, default=None)


def _not_carried_along(evidence: Evidence, moved: Candidate, others: Iterable[Candidate]) -> list[Candidate]:
    """Return the cards that neither stayed nor were carried along below the top card."""
    move = homography(evidence.top.quad, moved.quad)
    before = (*evidence.known, *evidence.last_read)
    places = [*before, *(KnownCard(old.card, project(move, old.quad)) for old in before)]
    return [
        c
        for c in others
        if c.top_beside.is_unchanged
        or c.top_probability > moved.top_probability
        or not any(c.is_at(place, PUSHED) for place in places)
    ]


def _judge_without_top(evidence: Evidence) -> Judgement | None:
    """The top card is gone: decide if a card below it is visible."""
    known = evidence.known
    for remaining in range(len(known) - 1, 0, -1):
        # Several cards are rarely taken back at once, and a deep pile holds many identical cards; but the one below the
        # top may have been pushed.
        overlap = PUSHED if remaining == len(known) - 1 else _SAME_CARD
        for card in evidence.whole:
            if card.is_at(known[remaining - 1], overlap):
                return Judgement(Change.TAKEN_BACK, card.sighting, remaining=remaining)
    there = [c for c in evidence.whole if c.overlap_with_top > 0]
    if not there:
        return None
    # Below the top may lie a card that was never seen, if the top was taken from beside it.
    largest = max(there, key=lambda c: abs(float(cv2.contourArea(c.quad))))
    change = Change.TAKEN_BACK if largest.top_beside.has_changed() else Change.LANDED
    return Judgement(change, largest.sighting, remaining=len(known))


def _judge_without_card(evidence: Evidence, corner: Candidate | None) -> Judgement:
    """No whole card is visible: a legible corner means that the pile is there but lies badly."""
    if evidence.corners:
        return Judgement(Change.UNCLEAR, None if corner is None else corner.sighting, EVEN)
    return Judgement(Change.GONE if evidence.known else Change.NONE, None)


def agree(a: Judgement, b: Judgement) -> bool:
    """Whether two looks agree: the same change, and the same top card in the same place."""
    if a.change is not b.change:
        return False
    if a.top is None or b.top is None:
        return a.top is b.top
    return a.top.card == b.top.card and intersection_over_union(a.top.quad, b.top.quad) > SAME_PLACE
