"""Selects the candidates that explain a picture together: topmost cards first, each hides what lies below it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

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


def select(
    candidates: Sequence[Candidate], comparer: Comparer, verify: Callable[[Candidate], Quad | None]
) -> list[Candidate]:
    """Return the cards among candidates, topmost first.

    Greedy: the likeliest one is verified; the others are compared again without what it hides of them. verify: returns
    the outline (4, 2) of what a candidate shows, None if there is nothing that hides others.
    """
    left, found = [_Choice(one, one, one.part) for one in candidates], list[Candidate]()
    while left:
        best = max(left, key=lambda one: one.seen.odds)
        if best.is_current and best.seen.odds >= _MIN_HIDING_ODDS:
            quad = verify(best.seen)
            left = _others(left, best.whole.quad)
            if quad is not None:
                found.append(best.whole)
                left = _below(_others(left, quad), quad)
        elif all(one.is_current for one in left):
            break
        else:
            left = _compared(left, comparer)
    return found


def below(candidates: Sequence[Candidate], cards: Sequence[Candidate], comparer: Comparer) -> list[Candidate]:
    """Return the candidates that are other cards than these, by the parts that those of them on top leave visible.

    A candidate on top of such cards must have more log-odds than it takes from theirs: else it is a part of them.
    """
    others = [one for one in candidates if not any(_is_same(one, card) for card in cards)]
    pairs = _ordered([(one, card) for one in others for card in cards], comparer)
    gains = [[pair.gain for pair in pairs if pair.top is one] for one in others]
    seen = zip(comparer.compare(_parts_below(others, pairs)), gains, strict=True)
    return [one for one, gained in seen if one and (not gained or one.odds + sum(gained) > 0)]


def _others(choices: Sequence[_Choice], quad: Quad) -> list[_Choice]:
    """Return the choices without those in an outline (4, 2)."""
    return [one for one in choices if intersection_over_union(one.whole.quad, quad) < SAME_ON_PILE]


def _below(choices: Sequence[_Choice], top: Quad) -> list[_Choice]:
    """Return the choices with a card on top of them."""
    parts = [one.part.below([top]) for one in choices]
    return [
        one if (part.visible == one.part.visible).all() else replace(one, part=part)
        for one, part in zip(choices, parts, strict=True)
    ]


def _compared(choices: Sequence[_Choice], comparer: Comparer) -> list[_Choice]:
    """Return the choices of which enough is visible, all of them compared by what is visible now."""
    again = iter(comparer.compare([one.part for one in choices if not one.is_current]))
    seen = [one.seen if one.is_current else next(again) for one in choices]
    return [replace(one, seen=now) for one, now in zip(choices, seen, strict=True) if now is not None]


def in_order(found: Sequence[Candidate], comparer: Comparer) -> list[Candidate]:
    """Return cards by the parts that the others leave visible, without those of which too little is."""
    parts = _parts_below(found, _ordered(list(combinations(found, 2)), comparer))
    return [one for one in comparer.compare(parts) if one]


@dataclass(frozen=True, eq=False)
class _Pair:
    """A candidate on top of another one.

    gain: by how much this raises the lower one's log-odds. misfit: how badly that one's print fits where it is hidden.
    """

    low: Candidate
    top: Candidate
    gain: float
    misfit: float


def _ordered(pairs: Sequence[tuple[Candidate, Candidate]], comparer: Comparer) -> list[_Pair]:
    """Return the pairs that overlap, each in its likelier order; the first below if each hides the other.

    Gain and misfit count alike: of 181 pairs in fans either alone orders 93 % rightly, their sum 97 %.
    """
    touching = [pair for pair in pairs if intersection_over_union(pair[0].quad, pair[1].quad) > 0]
    both = [order for pair in touching for order in (pair, pair[::-1])]
    left = [low.part.below([top.quad]) for low, top in both]
    orders = [
        _Pair(low, top, one.odds - low.odds if one else -np.inf, comparer.misfit(low, part))
        for (low, top), part, one in zip(both, left, comparer.compare(left), strict=True)
    ]
    return [max(some, key=lambda pair: pair.gain + pair.misfit) for some in zip(orders[::2], orders[1::2], strict=True)]


def _parts_below(candidates: Sequence[Candidate], pairs: Sequence[_Pair]) -> list[CardPart]:
    """Return the part of each candidate that those on top of it leave visible."""
    return [one.part.below([pair.top.quad for pair in pairs if pair.low is one]) for one in candidates]


def _is_same(one: Candidate, other: Candidate) -> bool:
    """Return whether two outlines, as they are or corrected, are those of one card."""
    outlines = product((one.quad, one.corrected), (other.quad, other.corrected))
    return any(intersection_over_union(*pair) >= SAME_ON_PILE for pair in outlines)
