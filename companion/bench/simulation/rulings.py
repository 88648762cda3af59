"""What people note of a simulated match: how the table handled each landing, and its errors."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Ruling(Enum):
    """How the table handled a landing, or a card taken back; `NEEDLESS` is a question without an event."""

    RIGHT = "right"
    ASKED = "asked"
    WRONG = "wrong"
    MENDED = "wrong at first, mended by itself"
    MISSED = "missed"
    INVENTED = "invented"
    NEEDLESS = "needless question"
    CALLED = "illegal card called"
    UNCALLED = "illegal card not called"


class Draws(Enum):
    """What is counted about draws during a turn, by the table's rulings."""

    TRUE = "draws on a turn"
    RULED = "draws ruled on"
    INVENTED = "draws ruled on that were none"


@dataclass(frozen=True)
class Slip:
    """An error. time: in seconds. truth: what truly happened. said: what was reported."""

    time: float
    kind: str
    truth: str
    said: str
