"""State of a match besides its moves: seats, debts, how turns are followed.

Stored as one JSON text with each batch, so that a restart loses nothing.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Any

from companion.editions import Edition
from companion.journal import Journal, Line, ReadBy, replay
from companion.referee.errors import RefereeError
from companion.referee.transcript import read_entry, write_entry
from companion.table.hypotheses.revision_log import RevisionLog, common_prefix, replayed_log
from companion.table.state.debts import Debt, Debts
from companion.table.state.observations import dump, load
from companion.table.state.seat_model import Seat, SeatRing, seat_of
from companion.table.state.situation import Hand, Mode, Situation, Turns, situation
from companion.table.state.watch import Watch

_log = logging.getLogger(__name__)


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


def load_memory(text: str, journal: Journal) -> Memory:
    """Return the state written by `dump_memory`, for its journal.

    Raises ValueError, KeyError, TypeError, RecursionError or RefereeError for invalid text.
    """
    data = json.loads(text)
    watch = Watch(Turns(data["turns"]), *_numbers((data["landings"], data["reaches"])))
    known, undone = _situation(data, journal), data.get("undone")
    recent = data.get("trail")
    if recent is None:
        return Memory(watch, known, RevisionLog(known), undone)
    lines = (
        *journal.lines[: recent["lines"]],
        *(_line(line, journal.match.header.edition) for line in recent.get("gone", ())),
    )
    base = _situation(recent, replay(journal.match.header, lines))
    edition = journal.match.header.edition
    seen = tuple(load(one if isinstance(one, str) else json.dumps(one), edition) for one in recent["seen"])
    modes = [Mode(Turns(turns), *_numbers((share,))) for turns, share in recent.get("modes", ())]
    revisions = replayed_log(base, seen, tuple(modes) or (watch.mode(known.ring),) * len(seen), known)
    return Memory(watch, revisions.known, revisions, undone)


def recall(text: str | None, journal: Journal, turns: Turns) -> Memory:
    """Return the stored state, or the one implied by the moves if it is lost or damaged.

    turns: how turns are followed then.
    """
    if text:
        try:
            return load_memory(text, journal)
        except (ValueError, KeyError, TypeError, RecursionError, RefereeError) as error:
            _log.warning("where people sit and what they owe is not known any more: %s", error)
    known = situation(journal)
    return Memory(Watch(turns), known, RevisionLog(known))


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


def _line(data: Any, edition: Edition) -> Line:
    where = data["time"], data["reading"], data["direction"]
    return Line(read_entry(data["entry"], edition), ReadBy(data["read_by"]), *where)


def _situation(data: Any, journal: Journal) -> Situation:
    """Return the situation of plain data; raises ValueError, KeyError or TypeError if invalid."""
    players = len(journal.match.state.players)
    edition = journal.match.header.edition
    noted = data["noted"]
    if noted is not None and not 0 <= noted < players:
        raise ValueError("there is no such seat")
    about = _rows(data.get("about", [None] * players), players)
    seats = tuple(map(_seat, _rows(data["seats"], players), about))
    debts = Debts(tuple(Debt(*debt) for debt in map(_numbers, _rows(data["debts"], players))))
    illegal_card, wrong_color = data.get("outlaw"), data.get("misled")
    return Situation(
        journal,
        None if illegal_card is None else edition.card(illegal_card),
        SeatRing(seats, *_numbers((data["turned"],))),
        debts,
        noted,
        tuple(Hand(*hand) for hand in data.get("hands", ())),
        _moment(data.get("landed")),
        _moment(data.get("dropped")),
        None if wrong_color is None else edition.color(wrong_color),
        tuple(map(edition.card, data.get("shed", ()))),
    )


def _moment(value: Any) -> float | None:
    return None if value is None else float(_numbers((value,))[0])


def _rows(rows: Any, players: int) -> Sequence[Any]:
    """Return the rows, one per player; raises ValueError or TypeError if invalid."""
    if len(rows) != players:
        raise ValueError(f"there are {players} players")
    return list(rows)


def _seat(arms: Any, about: float | None) -> Seat:
    """Return the seat with these arms; raises ValueError or TypeError unless they are pairs of non-negative numbers."""
    pairs = [(direction % 360, weight) for direction, weight in map(_numbers, arms)]
    if not all(weight > 0 for _, weight in pairs):
        raise ValueError("an arm that counts for nothing")
    return seat_of(pairs, about)


def _numbers(values: Sequence[Any]) -> Sequence[Any]:
    """Return the values; raises ValueError or TypeError unless all are finite numbers."""
    if not all(math.isfinite(value) for value in values):
        raise ValueError("a number is missing")
    return values
