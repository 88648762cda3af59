"""State of a match besides its moves: seats, debts, how turns are followed.

Stored as one JSON text with each batch, so that a restart loses nothing.
"""

from __future__ import annotations

import json
from dataclasses import astuple, dataclass
from typing import Any

from companion.referee.transcript import write_entry
from companion.storage.journal import Line
from companion.table.hypotheses.finding import RevisionLog, common_prefix
from companion.table.session.running import Session
from companion.table.state.observations import dump
from companion.table.state.situation import Situation
from companion.table.state.watch import Watch


@dataclass(frozen=True, slots=True)
class Memory:
    """State of a match besides its moves.

    revisions: the latest rulings up to the known situation. undone: number of last undone lines that can be redone;
    None if unknown.
    """

    watch: Watch
    known: Situation
    revisions: RevisionLog
    undone: int | None = None


def memory_of(session: Session) -> str:
    """Return the state to store besides the journal and the pending observations, as one line of JSON."""
    revisions = session.revisions or RevisionLog(session.known)
    return dump_memory(Memory(session.watch, session.known, revisions, len(session.undone)))


def dump_memory(memory: Memory) -> str:
    """Return the state as one line of JSON."""
    watch, known, revisions = memory.watch, memory.known, memory.revisions
    data: dict[str, Any] = {
        "turns": watch.turns.value,
        "landings": watch.landings,
        "reaches": watch.reaches,
        "undone": memory.undone,
        **_plain(known),
    }
    if revisions.seen and revisions.known is known:
        lines = revisions.base.journal.lines
        same = common_prefix(lines, known.journal.lines)
        data["trail"] = {
            "lines": same,
            "gone": [_plain_line(line) for line in lines[same:]],
            **_plain(revisions.base),
            "seen": [json.loads(dump(seen)) for seen in revisions.seen],
            "modes": [(mode.turns.value, mode.unseen_draw) for mode in revisions.modes],
        }
    return json.dumps(data)


def _plain(known: Situation) -> dict[str, Any]:
    return {
        "outlaw": None if known.illegal_card is None else known.illegal_card.name,
        "seats": [seat.arms for seat in known.ring.seats],
        "about": [seat.bunch.about for seat in known.ring.seats],
        "turned": known.ring.turned,
        "debts": [astuple(debt) for debt in known.debts.seats],
        "noted": known.noted,
        "hands": [astuple(hand) for hand in known.hands],
        "landed": known.landed,
        "dropped": known.dropped,
        "misled": None if known.wrong_color is None else known.wrong_color.value,
        "shed": [card.name for card in known.shed],
    }


def _plain_line(line: Line) -> dict[str, Any]:
    return {
        "entry": write_entry(line.entry),
        "read_by": line.read_by.value,
        "time": line.time,
        "reading": line.reading,
        "direction": line.direction,
    }
