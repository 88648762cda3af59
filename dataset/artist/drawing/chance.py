"""Random choices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

_T = TypeVar("_T")


def chance(rng: np.random.Generator, share: float) -> bool:
    """Return True with this probability."""
    return bool(rng.random() < share)


def pick(rng: np.random.Generator, options: Sequence[tuple[_T, float]]) -> _T:
    """Return one of the (option, weight) pairs' options at random."""
    weights = np.array([weight for _, weight in options])
    return options[int(rng.choice(len(options), p=weights / weights.sum()))][0]
