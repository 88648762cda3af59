"""Selects the candidates that explain a picture together: topmost cards first, each hides what lies below it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from companion.decks.matching.candidates import Candidate, Comparer
from companion.decks.matching.card_parts import CardPart
from companion.vision.core.geometry import Quad, intersection_over_union
from companion.vision.detection.box_detector import SAME_ON_PILE

# Minimum log-odds of a card that hides what lies below it. Cards that nothing verifies afterwards are left out then.
_MIN_HIDING_ODDS = -2.0


@dataclass(frozen=True, eq=False)
class _Choice:
    """A candidate as a whole, and by its visible part as it was last compared. part: what is visible of it now."""

    whole: Candidate
    seen: Candidate
    part: CardPart

    @property
    def is_current(self) -> bool:
        return self.part is self.seen.part


def select(candidates: Sequence[Candidate], comparer: Comparer) -> list[Candidate]:
    """Return the cards among candidates, each by the part that the others leave visible of it.

    Greedy: the likeliest one is taken; the others are compared again without what it hides of them.
    """
    left, found = [_Choice(one, one, one.part) for one in candidates], list[Candidate]()
    while left:
        best = max(left, key=lambda one: one.seen.odds)
        if best.is_current and best.seen.odds >= _MIN_HIDING_ODDS:
            found.append(best.whole)
            left = _below(left, best.whole.quad)
        elif all(one.is_current for one in left):
            break
        else:
            left = _compared(left, comparer)
    return _in_order(found, comparer)


def below(candidates: Sequence[Candidate], tops: Sequence[Quad], comparer: Comparer) -> list[Candidate]:
    """Return the candidates that are other cards than those in outlines (4, 2), without what these hide of them."""
    left = [_Choice(one, one, one.part) for one in candidates]
    for top in tops:
        left = _below(left, top)
    return [one.seen for one in _compared(left, comparer)]


def _below(choices: Sequence[_Choice], top: Quad) -> list[_Choice]:
    """Return the choices with a card on top of them, without those that are that card."""
    others = [one for one in choices if intersection_over_union(one.whole.quad, top) < SAME_ON_PILE]
    parts = [one.part.below([top]) for one in others]
    return [
        one if (part.visible == one.part.visible).all() else replace(one, part=part)
        for one, part in zip(others, parts, strict=True)
    ]


def _compared(choices: Sequence[_Choice], comparer: Comparer) -> list[_Choice]:
    """Return the choices of which enough is visible, all of them compared by what is visible now."""
    again = iter(comparer.compare([one.part for one in choices if not one.is_current]))
    seen = [one.seen if one.is_current else next(again) for one in choices]
    return [replace(one, seen=now) for one, now in zip(choices, seen, strict=True) if now is not None]


def _in_order(found: Sequence[Candidate], comparer: Comparer) -> list[Candidate]:
    """Return cards by the parts that the others leave visible: of two that overlap, the likelier order counts."""
    pairs = [pair for pair in combinations(found, 2) if intersection_over_union(pair[0].quad, pair[1].quad) > 0]
    hidden = comparer.compare([low.part.below([top.quad]) for pair in pairs for low, top in (pair, pair[::-1])])
    odds = [-np.inf if one is None else one.odds for one in hidden]
    above: dict[int, list[Quad]] = {id(one): [] for one in found}
    for (one, other), below, on_top in zip(pairs, odds[::2], odds[1::2], strict=True):
        low, top = (one, other) if below + other.odds > on_top + one.odds else (other, one)
        above[id(low)].append(top.quad)
    parts = [one.part.below(above[id(one)]) for one in found]
    return [one for one in comparer.compare(parts) if one is not None]
