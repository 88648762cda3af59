"""What the table takes in: sights, cards lifted, taps; and what people have said about one of them since.

What waits for a question to be settled is written down as JSON texts, so that it survives the process.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from companion.cards import Card
from companion.journal import Line, ReadBy
from companion.referee.moves import Entry, Move
from companion.referee.transcript import read_entry, read_move, write_entry
from companion.vision.core.events import Arm, Rivals

Probabilities = tuple[tuple[Card, float], ...]


@dataclass(frozen=True, slots=True)
class Sight:
    """A card was seen to land. time: seconds since the epoch; reading: the id of what is kept of it.

    first_look: whether the camera could not know what lay there before. early: whether that was before the match began.
    arm: the arm that laid it, None where none was seen. rivals: others that may have, each with the probability that it
    did.
    """

    time: float
    probabilities: Probabilities
    reading: str
    same_face: bool = False
    first_look: bool = False
    early: bool = False
    arm: Arm | None = None
    rivals: Rivals = ()

    @property
    def arms(self) -> Rivals:
        """Every arm that may have laid it, each with the probability that it did; none where none was seen."""
        if self.arm is None:
            return ()
        return ((self.arm, 1 - sum(share for _, share in self.rivals)), *self.rivals)


@dataclass(frozen=True, slots=True)
class Lift:
    """The top card was seen to be taken away; `probabilities` are of what lies there now. time: since the epoch (s)."""

    time: float
    probabilities: Probabilities
    reading: str


@dataclass(frozen=True, slots=True)
class Reach:
    """An arm was at the draw pile. time: seconds since the epoch, when it left.

    drawn: the probability of each number of cards taken, from 0 on. stay: for how long it was there, in seconds.
    passing: whether it came there from the discard pile, or went on to it, and laid nothing there. again: whether it
    had been told of there before and has not left the picture since.
    """

    time: float
    arm: Arm
    drawn: tuple[float, ...]
    stay: float = 0.0
    passing: bool = False
    again: bool = False


@dataclass(frozen=True, slots=True)
class Tap:
    """A move was tapped, or seen without any doubt. time: seconds since the epoch.

    reading: the id of the picture that it was read from, None where there is none.
    """

    time: float
    move: Move
    read_by: ReadBy = ReadBy.TAP
    reading: str | None = None

    @property
    def line(self) -> Line:
        """The journal's line of it."""
        return Line(self.move, self.read_by, self.time, self.reading)


Observation = Sight | Lift | Reach | Tap


@dataclass(frozen=True, slots=True)
class Pending:
    """An observation not ruled on yet. `card` is what people said that it was, `said` what they said that happened.

    at: when the camera saw it, seconds from its source's start; None where it did not.
    """

    what: Observation
    card: Card | None = None
    said: tuple[Entry, ...] | None = None
    at: float | None = None

    def long_ago(self) -> Pending:
        """Return it before whatever a camera sees from now on, whose clock may be another one's."""
        return replace(self, at=long_before(self.at))


_LONG = 1e9
"""Seconds that lie between what one camera saw and what the next one sees, as far as the table is concerned: more than
any camera looks, and little enough for what one saw to keep its order to the microsecond."""


def long_before(at: float | None) -> float | None:
    """Return a moment by a camera's clock, in seconds, as one by the next one's that starts at 0."""
    return None if at is None else at - _LONG


def in_order(pending: Sequence[Pending]) -> tuple[Pending, ...]:
    """Return what is pending with its last before what the camera saw after it, as of an arm that is told of late."""
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
        case Sight(_, probabilities, reading, same_face, first_look, early, arm, rivals):
            data |= {"sight": _plain(probabilities), "reading": reading}
            data |= {"same_face": same_face, "first_look": first_look, "early": early}
            if arm is not None:
                data["arm"] = _plain_arm(arm)
            if rivals:
                data["rivals"] = [[share, _plain_arm(rival)] for rival, share in rivals]
    if pending.at is not None:
        data["at"] = pending.at
    if pending.card is not None:
        data["card"] = pending.card.name
    if pending.said is not None:
        data["said"] = [write_entry(entry) for entry in pending.said]
    return json.dumps(data)


def load(text: str) -> Pending:
    """Return the pending observation that `dump` wrote."""
    data = json.loads(text)
    time = data["time"]
    what: Observation
    if "tap" in data:
        what = Tap(time, read_move(data["tap"]), ReadBy(data["read_by"]), data.get("reading"))
    elif "lift" in data:
        what = Lift(time, _probabilities(data["lift"]), data["reading"])
    elif "reach" in data:
        came = data.get("stay", 0.0), data.get("passing", False), data.get("again", False)
        what = Reach(time, Arm(*data["arm"]), tuple(data["reach"]), *came)
    else:
        flags = (data["same_face"], data["first_look"], data["early"])
        arm = Arm(*data["arm"]) if "arm" in data else None
        rivals = tuple((Arm(*rival), share) for share, rival in data.get("rivals", ()))
        what = Sight(time, _probabilities(data["sight"]), data["reading"], *flags, arm, rivals)
    return Pending(
        what,
        Card.parse(data["card"]) if "card" in data else None,
        tuple(map(read_entry, data["said"])) if "said" in data else None,
        data.get("at"),
    )


def _plain_arm(arm: Arm) -> list[float]:
    return [arm.direction, arm.spread, arm.track, *([] if arm.came is None else [arm.came])]


def _plain(probabilities: Probabilities) -> dict[str, float]:
    return {card.name: probability for card, probability in probabilities}


def _probabilities(data: dict[str, float]) -> Probabilities:
    return tuple((Card.parse(name), probability) for name, probability in data.items())
