"""Finds which card of a known order each picture shows, although cards were missed or pictures show no card.

The pictures keep the order, so they are aligned with it like two sequences (Needleman and Wunsch, 1970). A picture
left out costs as much as a reading that contradicts the order, as networks may misread a design; a card left out costs
half of that.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from companion.vision.core.labels import Floats


def aligned(readings: Floats, order: Sequence[int], places: Sequence[int]) -> list[int | None]:
    """Return for each of N pictures its index in the order, increasing, None for a picture of no card of the order.

    readings: (N, C) probabilities of the classes. order: classes of the cards laid. places: (N,) numbers of cards laid
    before each picture as far as known, increasing. Steps of index and place agree unless cards or pictures are left
    out; cards after the last picture cost nothing.
    """
    count, classes = readings.shape
    cost = float(np.log(classes)) / 2
    fits = np.log(readings[:, list(order)].astype(np.float64) + 1 / classes)
    indices = np.arange(len(order))
    best = np.full((count, len(order)), -np.inf)
    previous = np.full((count, len(order)), -1, np.intp)
    total, end = -np.inf, (-1, -1)
    for i in range(count):
        # The first picture of the alignment, with all before it left out.
        best[i] = fits[i] - cost * (2 * i + np.abs(indices - places[i]))
        for k in range(i):
            steps = np.abs(indices[:, None] - indices - (places[i] - places[k]))
            after = np.where(indices[:, None] > indices, best[k] - cost * (steps + 2 * (i - k - 1)), -np.inf)
            value = fits[i] + after.max(1)
            better = value > best[i]
            best[i] = np.where(better, value, best[i])
            previous[i] = np.where(better, k * len(order) + after.argmax(1), previous[i])
        value = best[i].max() - 2 * cost * (count - 1 - i)
        if value > total:
            total, end = value, (i, int(best[i].argmax()))
    return _path(previous, end, count)


def _path(previous: NDArray[np.intp], end: tuple[int, int], count: int) -> list[int | None]:
    found: list[int | None] = [None] * count
    i, j = end
    while i >= 0:
        found[i] = j
        back = int(previous[i, j])
        i, j = divmod(back, previous.shape[1]) if back >= 0 else (-1, -1)
    return found
