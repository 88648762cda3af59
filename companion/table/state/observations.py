"""Inputs of the table: cards seen landing, cards lifted, draws, taps; and what people said about them.

Observations that wait for a question are stored as JSON, so that they survive a restart.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from companion.cards import Card
from companion.editions import Edition
from companion.referee.moves import Entry, Move
from companion.referee.transcript import read_entry, read_move, write_entry
from companion.storage.journal import Line, ReadBy
from companion.vision.core.events import Arm, Rivals

Probabilities = tuple[tuple[Card, float], ...]


@dataclass(frozen=True, slots=True)
class Sight:
    """A card was seen landing. time: seconds since the epoch; reading: identifier of its picture.

    first_look: whether the camera could not know the previous state. after_gap: whether it was blind or absent before,
    so that people may have played on. early: whether the card landed before the match began. arm: the arm that laid it,
    None if none was seen. rivals: other possible arms with their probabilities.
    """

    time: float
    probabilities: Probabilities
    reading: str
    same_face: bool = False
    first_look: bool = False
    early: bool = False
    arm: Arm | None = None
    rivals: Rivals = ()
    after_gap: bool = False

    @property
    def arms(self) -> Rivals:
        """All arms that may have laid it, with probabilities; empty if none was seen."""
        if self.arm is None:
            return ()
        return ((self.arm, 1 - sum(share for _, share in self.rivals)), *self.rivals)

    @property
    def landed_unseen(self) -> bool:
        """Whether the camera found the card lying there: it may have landed, like cards below it, out of view."""
        return self.after_gap and self.arm is None


@dataclass(frozen=True, slots=True)
class Lift:
    """The top card was seen being taken away. `probabilities`: of the card there now. time: since the epoch (s)."""

    time: float
    probabilities: Probabilities
    reading: str


@dataclass(frozen=True, slots=True)
class Reach:
    """An arm was at the draw pile. time: seconds since the epoch, when it left.

    drawn: probability of 0, 1, ... cards taken. stay: duration in seconds. passing: whether it came from the discard
    pile or went on to it without laying a card. again: whether a visit was reported before and it has not left the
    picture since.
    """

    time: float
    arm: Arm
    drawn: tuple[float, ...]
    stay: float = 0.0
    passing: bool = False
    again: bool = False


@dataclass(frozen=True, slots=True)
class Tap:
    """A tapped move, or one seen with certainty. time: seconds since the epoch.

    reading: identifier of the picture it was read from, None without one.
    """

    time: float
    move: Move
    read_by: ReadBy = ReadBy.TAP
    reading: str | None = None

    @property
    def line(self) -> Line:
        """Its line in the journal."""
        return Line(self.move, self.read_by, self.time, self.reading)


Observation = Sight | Lift | Reach | Tap


@dataclass(frozen=True, slots=True)
class Pending:
    """An observation without a ruling. `card`: the card people named, `said`: what they said happened.

    at: when the camera saw it, seconds from the start of its source; None if it did not.
    """

    what: Observation
    card: Card | None = None
    said: tuple[Entry, ...] | None = None
    at: float | None = None

    def before_camera_clock(self) -> Pending:
        """Return the observation placed before everything a camera sees from now on, as its clock may differ."""
        return replace(self, at=long_before(self.at))


_LONG = 1e9
"""Offset in seconds between two cameras' clocks for the table: longer than any camera runs, small enough to keep
microsecond order.
"""


def long_before(at: float | None) -> float | None:
    """Return a moment by a camera's clock, in seconds, as one before the next camera's start at 0."""
    return None if at is None else at - _LONG


def by_camera_time(pending: Sequence[Pending]) -> tuple[Pending, ...]:
    """Return the pending observations with the last one moved before what the camera saw after it."""
    if not pending:
        return ()
    *before, last = pending
    place = len(before)
    while place and _is_after(before[place - 1], last):
        place -= 1
    return (*before[:place], last, *before[place:])


def _is_after(one: Pending, other: Pending) -> bool:
    return one.at is not None and other.at is not None and one.at > other.at


def dump(pending: Pending) -> str:
    """Return the pending observation as one line of JSON."""
    what = pending.what
    data: dict[str, Any] = {"time": what.time}
    match what:
        case Tap(_, move, read_by, read_from):
            data |= {"tap": write_entry(move), "read_by": read_by.value}
            if read_from is not None:
                data["reading"] = read_from
        case Lift(_, probabilities, reading):
            data |= {"lift": _plain(probabilities), "reading": reading}
        case Reach(_, arm, drawn, stay, passing, again):
            data |= {"reach": list(drawn), "arm": _plain_arm(arm), "stay": stay}
            data |= {"passing": passing, "again": again}
        case Sight(_, probabilities, reading, same_face, first_look, early, arm, rivals, after_gap):
            data |= {"sight": _plain(probabilities), "reading": reading}
            data |= {"same_face": same_face, "first_look": first_look, "early": early}
            if arm is not None:
                data["arm"] = _plain_arm(arm)
            if rivals:
                data["rivals"] = [[share, _plain_arm(rival)] for rival, share in rivals]
            if after_gap:
                data["after_gap"] = True
    if pending.at is not None:
        data["at"] = pending.at
    if pending.card is not None:
        data["card"] = pending.card.name
    if pending.said is not None:
        data["said"] = [write_entry(entry) for entry in pending.said]
    return json.dumps(data)


def load(text: str, edition: Edition) -> Pending:
    """Return the pending observation written by `dump`, in a match of this edition."""
    data = json.loads(text)
    time = data["time"]
    what: Observation
    if "tap" in data:
        what = Tap(time, read_move(data["tap"], edition), ReadBy(data["read_by"]), data.get("reading"))
    elif "lift" in data:
        what = Lift(time, _probabilities(data["lift"], edition), data["reading"])
    elif "reach" in data:
        came = data.get("stay", 0.0), data.get("passing", False), data.get("again", False)
        what = Reach(time, Arm(*data["arm"]), tuple(data["reach"]), *came)
    else:
        flags = (data["same_face"], data["first_look"], data["early"])
        arm = Arm(*data["arm"]) if "arm" in data else None
        rivals = tuple((Arm(*rival), share) for share, rival in data.get("rivals", ()))
        what = Sight(
            time,
            _probabilities(data["sight"], edition),
            data["reading"],
            *flags,
            arm,
            rivals,
            bool(data.get("after_gap")),
        )
    return Pending(
        what,
        edition.card(data["card"]) if "card" in data else None,
        tuple(read_entry(said, edition) for said in data["said"]) if "said" in data else None,
        data.get("at"),
    )


def _plain_arm(arm: Arm) -> list[float]:
    return [arm.direction, arm.spread, arm.track, *([] if arm.entered_as is None else [arm.entered_as])]


def _plain(probabilities: Probabilities) -> dict[str, float]:
    return {card.name: probability for card, probability in probabilities}


def _probabilities(data: dict[str, float], edition: Edition) -> Probabilities:
    return tuple((edition.card(name), probability) for name, probability in data.items())
