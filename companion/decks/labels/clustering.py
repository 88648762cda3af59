"""Groups pictures of one card: average linkage (Sokal and Michener, 1958) within the deck's number of copies."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from companion.cards import Card
from companion.decks.model.decision import shipped_decisions


def group_copies(
    similarity: NDArray[np.float64], held: Mapping[Card, int], share_laid: float, known: Mapping[int, int]
) -> NDArray[np.intp]:
    """Return (N,) the group of copies that each picture is in, as numbers from 0.

    similarity: (N, N) similarities. held: number of copies of each card in the deck. share_laid: share of the deck that
    was laid. known: named pictures, which are not grouped with others. Groups grow by the deck's numbers of copies, the
    smallest first; each size is reached as often as the deck allows, so that two similar faces do not become a wild.
    """
    linkage = similarity.copy()
    np.fill_diagonal(linkage, -np.inf)
    groups = {i: [i] for i in range(len(similarity))}
    for size in sorted(set(held.values())):
        expected = share_laid * sum(math.ceil(number / size) for number in held.values())
        full = math.ceil(max(1.0, share_laid) * sum(number // size for number in held.values()))
        before = max(map(len, groups.values()))
        # Pairs that must not be joined at this size are left out of it.
        left = linkage.copy()
        while len(groups) > expected:
            i, j = divmod(int(left.argmax()), len(left))
            if not left[i, j] >= shipped_decisions().card.even:
                break
            joined = groups[i] + groups[j]
            names = {known[picture] for picture in joined if picture in known}
            larger = sum(len(group) > before for k, group in groups.items() if k not in (i, j))
            if len(joined) > size or len(names) > 1 or (len(joined) > before and larger >= full):
                left[i, j] = left[j, i] = -np.inf
                continue
            share = len(groups[i]) / len(joined)
            for table in (linkage, left):
                table[i] = table[:, i] = share * table[i] + (1 - share) * table[j]
                table[i, i] = table[j] = table[:, j] = -np.inf
            groups[i] = joined
            del groups[j]
    group_of = np.empty(len(similarity), np.intp)
    for g, members in enumerate(groups.values()):
        group_of[members] = g
    return group_of
