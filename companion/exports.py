"""Export formats of a match: one registry for the command line and the server."""

from __future__ import annotations

import csv
import io
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any

from companion.caller import Caller
from companion.referee.errors import RefereeError
from companion.referee.match import Match, Step
from companion.referee.moves import PlayerMove
from companion.referee.state import State
from companion.referee.transcript import write_effect, write_entry, write_header, write_state
from companion.results import deeds, rounds, totals
from companion.storage.journal import Journal, Line, with_final_names
from companion.storage.records import Salvage, StoredMatch

MOVE_COLUMNS = ("n", "time", "round", "player", "move", "card", "details", "read by", "known", "said")

Write = Callable[[StoredMatch, Journal, Caller], str]
"""Returns a match as text, in the caller's language."""


@dataclass(frozen=True, slots=True)
class Export:
    """One export format. suffix: file name suffix with the dot. summary: for `--help`."""

    name: str
    suffix: str
    media_type: str
    summary: str
    write: Write


def recover(found: Salvage, said: Callable[[RefereeError], str]) -> tuple[StoredMatch, Journal, str | None]:
    """Return a match, its journal, and what is wrong with the rest, None if nothing.

    Everything after the first unreadable or rejected line is left out. said: words a rejection.
    """
    journal, fault = Journal(Match(found.match.header)), found.fault
    for number, line in enumerate(found.match.lines, 1):
        try:
            journal = journal.enter(line)
        except RefereeError as error:
            fault = f"Line {number} of the match {found.match.id} does not keep to the rules: {said(error)}"
            break
    return found.match, journal, fault


def move_rows(journal: Journal, caller: Caller) -> Iterator[tuple[object, ...]]:
    """Yield a row of MOVE_COLUMNS per standing move."""
    for n, (line, before, step) in enumerate(_steps(journal), 1):
        fields = write_entry(step.move)
        do, card = fields.pop("do"), fields.pop("card", "")
        player = journal.player(n - 1)
        if isinstance(step.move, PlayerMove):
            del fields["player"]
        fields.pop("by", None)
        details = ", ".join(" + ".join(value) if isinstance(value, list) else f"{value}" for value in fields.values())
        known = line.known.value if player else ""
        said = " ".join(caller.say(step.effects, before, step.state))
        yield n, local_time(line.time), before.round, player or "", do, card, details, line.read_by.value, known, said


def local_time(seconds: float) -> str:
    """Format a time (seconds since the epoch) for people."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def _transcript(stored: StoredMatch, _: Journal, __: Caller) -> str:
    lines = [write_header(stored.header), *(write_entry(line.entry) for line in stored.lines)]
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def _moves_csv(_: StoredMatch, journal: Journal, caller: Caller) -> str:
    return _csv([MOVE_COLUMNS, *move_rows(journal, caller)])


def _moves_json(stored: StoredMatch, journal: Journal, caller: Caller) -> str:
    steps: list[dict[str, Any]] = [
        {
            "n": n,
            "time": line.time,
            "read_by": line.read_by.value,
            "player": journal.player(n - 1),
            "known": line.known.value if journal.player(n - 1) else None,
            "move": write_entry(step.move),
            "effects": [write_effect(effect) for effect in step.effects],
            "say": caller.say(step.effects, before, step.state),
        }
        for n, (line, before, step) in enumerate(_steps(journal), 1)
    ]
    begun = {"id": stored.id, "started": stored.started, **write_header(stored.header)}
    return _json({**begun, "moves": steps, "state": write_state(journal.match.state)})


def _rounds_csv(_: StoredMatch, journal: Journal, __: Caller) -> str:
    """One row per round and one column per player, the totals last."""
    journal = with_final_names(journal)
    players, standings = journal.match.everyone, journal.match.state.standings
    rows = [
        [each.number, each.winner, *(each.points.get(player, 0) if each.points else "" for player in players)]
        for each in rounds(journal)
    ]
    return _csv([["round", "winner", *players], *rows, ["total", "", *(standings[player] for player in players)]])


def _rounds_json(stored: StoredMatch, journal: Journal, _: Caller) -> str:
    """Rounds, totals and statistics."""
    journal = with_final_names(journal)
    state = journal.match.state
    return _json(
        {
            "id": stored.id,
            "started": stored.started,
            **write_header(stored.header),
            "rounds": [asdict(each) for each in rounds(journal)],
            "totals": totals(journal),
            "deeds": {player: asdict(done) for player, done in deeds(journal.match).items()},
            "scores": {player: state.standings[player] for player in journal.match.everyone},
            "left": [player for player, _ in state.left],
            "winners": [state.players[seat] for seat in state.winners],
        }
    )


EXPORTS: Mapping[str, Export] = MappingProxyType(
    {
        each.name: each
        for each in (
            Export("transcript", ".jsonl", "application/x-ndjson", "JSON Lines with undos, for `import`", _transcript),
            Export("moves-csv", ".csv", "text/csv", "the moves that stand, as a table", _moves_csv),
            Export("moves-json", ".json", "application/json", "the moves that stand with their effects", _moves_json),
            Export("rounds-csv", ".csv", "text/csv", "the points of each round, as a table", _rounds_csv),
            Export("rounds-json", ".json", "application/json", "rounds, totals and what everybody did", _rounds_json),
        )
    }
)
"""Formats by name; the first is the default."""


def _steps(journal: Journal) -> Iterator[tuple[Line, State, Step]]:
    before = Match(journal.match.header).state
    for line, step in zip(journal.lines, journal.match.history, strict=True):
        yield line, before, step
        before = step.state


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


# Lets spreadsheets detect UTF-8.
_BYTE_ORDER_MARK = "\ufeff"


def _csv(rows: Iterable[Iterable[object]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerows([_harmless(cell) for cell in row] for row in rows)
    return _BYTE_ORDER_MARK + out.getvalue()


def _harmless(cell: object) -> object:
    """Return a cell that no spreadsheet interprets as a formula."""
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in {"=", "+", "-", "@", "\t", "\r"} else cell
