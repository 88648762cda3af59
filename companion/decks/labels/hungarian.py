"""Assignment of rows to columns with minimum cost, and of groups of pictures to the cards of a deck."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from companion.decks.labels.design import STATEMENT_NATS
from companion.decks.model.prototypes import UNNAMED
from companion.vision.core.labels import Floats


def assign(costs: NDArray[np.floating]) -> NDArray[np.intp]:
    """Return (N,) the distinct columns of the rows with minimum total cost. costs: (N, M) finite, N <= M.

    It is found by shortest augmenting paths (Jonker and Volgenant 1987).
    """
    rows, columns = costs.shape
    if rows > columns:
        raise ValueError(f"{rows} rows for {columns} columns")
    of_row, of_column = np.zeros(rows), np.zeros(columns)
    owner = np.full(columns, -1)
    for row in range(rows):
        least = np.full(columns, np.inf)
        before = np.full(columns, -1)
        done = np.zeros(columns, bool)
        current, column, low = row, -1, 0.0
        while True:
            reduced = low + costs[current] - of_row[current] - of_column
            shorter = ~done & (reduced < least)
            least[shorter] = reduced[shorter]
            before[shorter] = column
            column = int(np.where(done, np.inf, least).argmin())
            low = float(least[column])
            done[column] = True
            if owner[column] < 0:
                break
            current = int(owner[column])
        of_row[row] += low
        seen = done & (owner >= 0)
        of_row[owner[seen]] += low - least[seen]
        of_column[done] -= low - least[done]
        while column >= 0:
            previous = int(before[column])
            owner[column] = row if previous < 0 else owner[previous]
            column = previous
    answer = np.empty(rows, np.intp)
    taken = np.flatnonzero(owner >= 0)
    answer[owner[taken]] = taken
    return answer


def group_names(evidence: Floats, group_of: NDArray[np.intp], held: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return (G,) the card of each group with the best total evidence (G, 56), within the deck's numbers of copies.

    group_of: (N,) each picture's group; a picture shows one copy. held: (56,) copies of each card. Some cards may be
    laid twice, and a wrong name leaves another card's place free: a copy more than the deck has costs as much as one
    statement. A group has the name of most of its pictures, one without pictures is UNNAMED.
    """
    slots = np.repeat(np.arange(evidence.shape[1]), held)
    copies = np.arange(max(2, -(-len(group_of) // len(slots)) + 1))
    costs = STATEMENT_NATS * np.repeat(copies, len(slots)) - np.tile(
        evidence[group_of][:, slots].astype(np.float64), len(copies)
    )
    cards = np.tile(slots, len(copies))[assign(costs)]
    names = np.full(len(evidence), UNNAMED)
    for g in np.unique(group_of):
        own, counts = np.unique(cards[group_of == g], return_counts=True)
        names[g] = max(zip(counts, evidence[g, own], own, strict=True))[2]
    return names
