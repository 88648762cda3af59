"""Decides what happened to the pile between two still pictures: the most probable change of the fitted model."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from companion.vision.core.geometry import intersection_over_union
from companion.vision.core.sightings import Sighting
from companion.vision.pile.change_model import ChangeModel, Hypothesis, Way, hypotheses
from companion.vision.pile.features import Evidence
from companion.vision.pile.thresholds import CHANGED, SAME_PLACE


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
    """The change of the pile. `top` is the card now on top; `left` the number of previous cards still there.

    belief: probability that the card of this reading has landed, if reported. If it is unclear, `top` is the best
    reading of a possible new card.
    """

    change: Change
    top: Sighting | None
    left: int
    belief: float = 1.0


def judge(look: Evidence, model: ChangeModel) -> Judgement:
    """Return the most probable change of the pile, given one look."""
    if not look.known:
        return _first(look)
    ways = hypotheses(look)
    chances = model.probabilities(look, ways)
    best = int(chances.argmax())
    return _judgement(look, ways[best], float(chances[best]))


def _judgement(look: Evidence, found: Hypothesis, chance: float) -> Judgement:
    count, outline = len(look.known), found.outline
    top = None if outline is None else outline.sighting
    match found.way:
        case Way.LANDED:
            return Judgement(Change.LANDED, top, count, chance)
        case Way.MISREAD:
            return Judgement(Change.LANDED, top, count, 1 - chance)
        case Way.TOP:
            assert outline is not None
            stayed = outline.overlap_with_top > SAME_PLACE
            return Judgement(Change.NONE if stayed else Change.MOVED, top, count)
        case Way.REVEALED:
            assert outline is not None
            return Judgement(Change.TAKEN_BACK, top, outline.below[1])
        case Way.CORNER:
            return Judgement(Change.UNCLEAR, top, count, chance)
        case Way.HIDDEN:
            return Judgement(Change.UNCLEAR, None, count)
        case Way.UNCHANGED:
            return Judgement(Change.NONE, None, count)
        case Way.GONE:
            return Judgement(Change.GONE, None, 0)


def _first(look: Evidence) -> Judgement:
    """Return the card on top of a pile of which nothing was known."""
    # A card that was there before, such as a draw pile's back misread as a face, has not landed.
    fresh = [s for s in look.whole if s.change >= CHANGED]
    if not fresh:
        return Judgement(Change.UNCLEAR if look.corners else Change.NONE, None, 0)
    top = max(fresh, key=lambda s: s.top_probability)
    # After a look at the bare table the card is one of those that came.
    total = 1.0 if look.pictures is None else sum(s.top_probability for s in fresh)
    return Judgement(Change.LANDED, top.sighting, 0, top.top_probability / max(total, top.top_probability))


def agree(a: Judgement, b: Judgement) -> bool:
    """Whether two looks agree: the same change, and the same top card in the same place."""
    if a.change is not b.change:
        return False
    if a.top is None or b.top is None:
        return a.top is b.top
    return a.top.card == b.top.card and intersection_over_union(a.top.quad, b.top.quad) > SAME_PLACE
