"""Results of weighing: hypotheses, candidates for one observation, and the finding for all pending ones."""

from __future__ import annotations

from dataclasses import dataclass

from companion.table.state.situation import Situation, Way


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One joint explanation of all pending observations. after: the resulting situation."""

    after: Situation
    ways: tuple[Way, ...] = ()
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A way an observation may have come about, with its posterior probability given all pending observations.

    hypotheses: the hypotheses that contain it, best first.
    """

    way: Way
    probability: float
    hypotheses: tuple[Hypothesis, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """Result for all pending observations.

    settled: one way for each of the first observations; assumed: for each, whether it is only the most probable. open:
    ways of the next observation, best first; empty if nothing is left, or only cards laid off by a player who may go
    on. illegal: whether that is clear and is a card that does not match; idle: number of latest observations that were
    of nothing. last: the last observation's way in the best hypothesis.
    """

    settled: tuple[Way, ...]
    assumed: tuple[bool, ...]
    open: tuple[Candidate, ...]
    illegal: bool
    idle: int
    last: Way | None
