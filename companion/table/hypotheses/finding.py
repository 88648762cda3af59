"""Results of weighing: hypotheses, candidates for one observation, the finding for all, and the log of rulings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from companion.storage.journal import Line
from companion.table.state.observations import Pending
from companion.table.state.situation import Mode, Situation, Way


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


@dataclass(frozen=True, slots=True)
class RevisionLog:
    """The latest observations that were ruled on.

    base: the situation before them. seen: the observations; modes: how each was interpreted; ruled: the accepted way of
    each; hypotheses: all joint explanations.
    """

    base: Situation
    seen: tuple[Pending, ...] = ()
    modes: tuple[Mode, ...] = ()
    ruled: tuple[Way, ...] = ()
    hypotheses: tuple[Hypothesis, ...] = ()

    @property
    def known(self) -> Situation:
        """Current situation."""
        return self.ruled[-1].after if self.ruled else self.base

    def before_camera_clock(self) -> RevisionLog:
        """Return the log placed before everything a camera sees from now on, as its clock may differ."""
        hypotheses = tuple(
            replace(
                hypothesis, after=hypothesis.after.before_camera_clock(), ways=tuple(map(_long_ago, hypothesis.ways))
            )
            for hypothesis in self.hypotheses
        )
        seen = tuple(observation.before_camera_clock() for observation in self.seen)
        return RevisionLog(
            self.base.before_camera_clock(), seen, self.modes, tuple(map(_long_ago, self.ruled)), hypotheses
        )

    def is_late(self, observation: Pending) -> bool:
        """Whether something the camera saw after this was already ruled on."""
        at = observation.at
        return at is not None and any(one.at is not None and one.at > at for one in self.seen)


def common_prefix(one: Sequence[Line], other: Sequence[Line]) -> int:
    """Return the number of equal lines at the start of both."""
    return next(
        (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a is not b and a != b),
        min(len(one), len(other)),
    )


def _long_ago(way: Way) -> Way:
    return replace(way, after=way.after.before_camera_clock())
