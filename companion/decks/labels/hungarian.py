"""Minimum-cost assignment of rows to columns: shortest augmenting paths (Jonker and Volgenant 1987)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def assign(costs: NDArray[np.floating]) -> NDArray[np.intp]:
    """Return (N,) the distinct columns of the rows with minimum total cost. costs: (N, M) finite, N <= M."""
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
