"""Groups pictures of one card: average linkage (Sokal and Michener, 1958) within the deck's number of copies."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from companion.cards import Card
from companion.decks.model.decision import shipped_decisions


def copies(
    similarity: NDArray[np.float64], held: Mapping[Card, int], share_laid: float, known: Mapping[int, int]
) -> list[list[int]]:
    """Return N pictures as groups of copies.

    similarity: (N, N) similarities. held: number of copies of each card in the deck. share_laid: share of the deck that
    was laid. known: named pictures, which are not grouped with others. Groups grow by the deck's numbers of copies, the
    smallest first; each size is reached as often as the deck allows, so that two similar faces do not become a wild.
    """
    linkage = _Linkage(similarity, known)
    for size in sorted(set(held.values())):
        groups = sum(math.ceil(number / size) for number in held.values())
        full = sum(number // size for number in held.values())
        linkage.join(share_laid * groups, size, math.ceil(max(1.0, share_laid) * full))
    return linkage.groups


class _Linkage:
    def __init__(self, similarity: NDArray[np.float64], known: Mapping[int, int]) -> None:
        count = len(similarity)
        self._similarity = similarity.copy()
        np.fill_diagonal(self._similarity, -np.inf)
        self._members = [[i] for i in range(count)]
        self._names: list[int | None] = [known.get(i) for i in range(count)]
        self._alive = np.ones(count, bool)

    @property
    def groups(self) -> list[list[int]]:
        return [group for group, alive in zip(self._members, self._alive, strict=True) if alive]

    def join(self, expected: float, most: int, many: int) -> None:
        """Join the most similar groups until `expected` are left, with at most `most` members.

        many: how many groups may become larger than the largest one before.
        """
        before = max(len(group) for group in self.groups)
        left, least = self._similarity.copy(), shipped_decisions().card.even
        while self._alive.sum() > expected:
            i, j = (int(k) for k in np.unravel_index(int(left.argmax()), left.shape))
            if not left[i, j] >= least:
                break
            size = len(self._members[i]) + len(self._members[j])
            large = sum(
                len(group) > before for k, group in enumerate(self._members) if self._alive[k] and k not in (i, j)
            )
            other = None not in (self._names[i], self._names[j]) and self._names[i] != self._names[j]
            if size > most or other or (size > before and large >= many):
                left[i, j] = left[j, i] = -np.inf
                continue
            self._join(i, j, left)

    def _join(self, i: int, j: int, left: NDArray[np.float64]) -> None:
        share = len(self._members[i]) / (len(self._members[i]) + len(self._members[j]))
        for table in (self._similarity, left):
            row = share * table[i] + (1 - share) * table[j]
            table[i], table[:, i] = row, row
            table[i, i] = -np.inf
            table[j], table[:, j] = -np.inf, -np.inf
        self._members[i] += self._members[j]
        self._names[i] = self._names[i] if self._names[i] is not None else self._names[j]
        self._alive[j] = False
