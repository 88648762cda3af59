"""A program that waits for a move, and a demand that somebody has to meet."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from companion.editions.program import Filter, Program, Step

_NOBODY: frozenset[int] = frozenset()


class Origin(Enum):
    """How the card came to lie on the pile."""

    START = "start"
    PLAY = "play"
    FLIP = "flip"


@dataclass(frozen=True, slots=True)
class Running:
    """A program that is being run. Players are seats.

    why: the ID of its face or mark. seat: `self`. steps: what remains, the current step first. author: who laid the
    draw card that an answering card was laid on. asked: who is asked, inside `yes` and `no`. skipped: who loses a turn.
    queue: whom the current step is still about, None if it has not begun. picked: players named so far by the current
    step. outer: the program that goes on after this one.
    """

    why: str
    seat: int
    steps: Program
    origin: Origin
    chosen: int | None = None
    author: int | None = None
    asked: int | None = None
    skipped: frozenset[int] = _NOBODY
    queue: tuple[int, ...] | None = None
    picked: tuple[int, ...] = ()
    outer: Running | None = None

    @property
    def step(self) -> Step | None:
        """The current step, None at the end."""
        return self.steps[0] if self.steps else None

    def advanced(self) -> Running:
        """Return the program at its next step."""
        # Three times as fast as dataclasses.replace, and run for every step.
        return Running(
            self.why,
            self.seat,
            self.steps[1:],
            self.origin,
            self.chosen,
            self.author,
            self.asked,
            self.skipped,
            outer=self.outer,
        )


def step_of(running: Running | None) -> Step | None:
    """Return the step at which the program waits, None without one."""
    return None if running is None else running.step


@dataclass(frozen=True, slots=True)
class Demanded:
    """A demand that is open: a card that fits, or the debt is drawn. why: the face or mark that demands."""

    filter: Filter
    why: str
