"""Enumerations of the game state: phases, directions of play, and purposes of a choice."""

from __future__ import annotations

from enum import Enum

from companion.cards import QuickHash


class Phase(QuickHash, Enum):
    """What kind of move the game waits for."""

    START = "start"
    TURN = "turn"
    DRAWN = "drawn"
    DEBT = "debt"
    FLIP = "flip"
    COLOR = "color"
    TARGET = "target"
    CHALLENGE = "challenge"
    REVEAL = "reveal"
    TOOK = "took"
    SHED = "shed"
    OUTCOME = "outcome"
    SCORING = "scoring"
    OVER = "over"


class Direction(Enum):
    """The direction of play. `step` is the offset to the next seat."""

    step: int

    CLOCKWISE = "clockwise", 1
    COUNTERCLOCKWISE = "counterclockwise", -1

    def __new__(cls, value: str, step: int) -> Direction:
        member = object.__new__(cls)
        member._value_ = value
        member.step = step
        return member

    @property
    def opposite(self) -> Direction:
        """The other direction."""
        return Direction.CLOCKWISE if self is Direction.COUNTERCLOCKWISE else Direction.COUNTERCLOCKWISE


class Purpose(Enum):
    """What a colour or a player is being chosen for, which decides what comes after it."""

    OPENING = "opening"  # a colour, R9
    WILD = "wild"  # a colour, R17, R26
    WILD_DRAW_FOUR = "wild draw four"  # a colour, R18
    SEVEN = "seven"  # a player, R42
    PROGRAM = "program"  # a colour or a player, for a step of a program, R52
    RESUME = "resume"  # a colour, by a player who then begins a turn, R54
