"""Resumes a stored match, with the state besides its moves as far as it can be read."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from companion.editions import Edition
from companion.referee.errors import RefereeError
from companion.referee.transcript import TranscriptError, read_entry
from companion.storage.journal import Journal, Line, ReadBy, replay
from companion.storage.journal import undone as undone_by
from companion.storage.records import StoreDamagedError, StoredMatch
from companion.table.hypotheses.finding import RevisionLog
from companion.table.hypotheses.revision_log import replayed_log
from companion.table.session.match_memory import Memory
from companion.table.session.running import Session
from companion.table.state.debts import Debt, Debts
from companion.table.state.observations import Pending, load
from companion.table.state.seat_model import Seat, SeatRing, seat_of
from companion.table.state.situation import Hand, Mode, Situation, Turns, situation
from companion.table.state.watch import Watch

_log = logging.getLogger(__name__)


def resumed_session(stored: StoredMatch, path: Path) -> tuple[Session, tuple[Pending, ...]]:
    """Return the session of a stored match, and its pending observations.

    path: of the store. Raises StoreDamagedError if the match is inconsistent.
    """
    try:
        journal = replay(stored.header, stored.lines)
        pending = tuple(load(text, stored.header.edition) for text in stored.pending)
        turns = Turns.RELAXED if stored.relaxed else Turns.CAMERA
    except (RefereeError, TranscriptError, ValueError, KeyError, TypeError) as error:
        raise StoreDamagedError(f"The match {stored.id} cannot be taken up again: {error}", path) from error
    memory, redoable = recall(stored.memory, journal, turns), undone_by(stored.lines)
    redoable = redoable if memory.undone is None else redoable[: memory.undone]
    return Session(stored.id, memory.known, (), memory.watch, redoable[::-1], memory.revisions), pending


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
