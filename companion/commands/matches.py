"""`companion matches`: what is kept of the matches played, and how it is written out, taken in and deleted."""

from __future__ import annotations

import csv
import io
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import click

from companion.caller import Caller
from companion.journal import Journal, Line, ReadBy, replay
from companion.records import Batch, NoSuchMatchError, Standing, StoredMatch, StoreError
from companion.referee.errors import RefereeError
from companion.referee.match import Match, Step
from companion.referee.state import Phase, State
from companion.referee.transcript import (
    TranscriptError,
    parse_line,
    read_entry,
    read_header,
    write_effect,
    write_entry,
    write_header,
    write_state,
)
from companion.store import Store, new_match_id

_BY_THE_ACTOR = frozenset({"play", "draw", "pass", "flip", "color", "target", "accept", "challenge", "reveal"})
_COLUMNS = ("n", "time", "round", "player", "move", "card", "details", "read by", "said")


@click.group()
def matches() -> None:
    """List, show, export, import and delete the matches that are kept.

    They lie in the data folder, see `companion --data`.
    """


@matches.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON Lines.")
@click.pass_context
def list_(ctx: click.Context, as_json: bool) -> None:
    """List all matches, the latest first."""
    with _said_plainly():
        found = _store(ctx).matches()
    if not found and not as_json:
        click.echo("No match is kept yet.")
    for each in found:
        players = list(each.header.players)
        if as_json:
            line = {
                "id": each.id,
                "edition": each.header.edition.name.value,
                "players": players,
                "started": each.started,
                "touched": each.touched,
                "moves": each.moves,
                "over": each.over,
                "winners": list(each.winners),
            }
            click.echo(json.dumps(line, ensure_ascii=False))
        else:
            end = f"won by {', '.join(each.winners)}" if each.winners else "over" if each.over else "not over"
            click.echo(
                f"{each.id}  {_local(each.started)}  {each.header.edition.name.value}, {', '.join(players)}: "
                f"{each.moves} moves, {end}"
            )


@matches.command()
@click.argument("match_id", metavar="ID")
@click.pass_context
def show(ctx: click.Context, match_id: str) -> None:
    """Show how a match stands and what led to it."""
    stored, journal = _load(ctx, match_id)
    caller = Caller()
    click.echo(f"{stored.id}, begun {_local(stored.started)}, {stored.header.edition.name.value}")
    for row in _rows(journal, caller):
        click.echo(" ".join(str(part) for part in (f"{row[0]:>4}", row[3], row[4], row[5], row[6], row[8]) if part))
    for sentence in caller.describe(journal.match.state):
        click.echo(sentence)


@matches.command()
@click.argument("match_id", metavar="ID")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["transcript", "csv", "json"]),
    default="transcript",
    show_default=True,
    help="Transcript: JSON Lines with undos and corrections, for `import` and `companion referee`. CSV and JSON: the "
    "moves that stand.",
)
@click.option(
    "--output", "-o", type=click.Path(path_type=Path, dir_okay=False), help="File to write, instead of the terminal."
)
@click.pass_context
def export(ctx: click.Context, match_id: str, kind: str, output: Path | None) -> None:
    """Write a match out."""
    text = _WRITERS[kind](*_load(ctx, match_id))
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        output.write_bytes(text.encode())
    except OSError as error:
        raise click.ClickException(f"{output} cannot be written: {error.strerror}.") from error


@matches.command("import")
@click.argument("file", type=click.File("rb"))
@click.pass_context
def import_(ctx: click.Context, file: BinaryIO) -> None:
    """Take a match in from a transcript, and print its id.

    FILE is the transcript, - standard input. Nothing is taken in where a line cannot be read or is refused.
    """
    now = time.time()
    journal, lines = _read(file, now)
    state = journal.match.state
    match_id = new_match_id(now)
    standing = Standing(
        len(journal.lines), state.phase is Phase.OVER, tuple(state.players[seat] for seat in state.winners)
    )
    with _said_plainly():
        _store(ctx).write(
            Batch(match_id, now, header=journal.match.header, relaxed=False, lines=lines, standing=standing)
        )
    click.echo(match_id)


@matches.command()
@click.argument("match_ids", metavar="ID...", nargs=-1, required=True)
@click.option("--yes", is_flag=True, help="Delete without asking.")
@click.pass_context
def delete(ctx: click.Context, match_ids: tuple[str, ...], yes: bool) -> None:
    """Delete matches for good, with their pictures."""
    store = _store(ctx)
    with _said_plainly():
        for match_id in match_ids:
            store.load(match_id)
    if not yes:
        click.confirm(f"Delete {', '.join(match_ids)} for good?", abort=True)
    with _said_plainly():
        for match_id in match_ids:
            store.delete(match_id)


@contextmanager
def _said_plainly() -> Iterator[None]:
    try:
        yield
    except (StoreError, NoSuchMatchError) as error:
        raise click.ClickException(str(error)) from error


def _store(ctx: click.Context) -> Store:
    from companion.settings import Settings

    return Store(ctx.obj.data.folder if isinstance(ctx.obj, Settings) else None)


def _load(ctx: click.Context, match_id: str) -> tuple[StoredMatch, Journal]:
    with _said_plainly():
        stored = _store(ctx).load(match_id)
    try:
        return stored, replay(stored.header, stored.lines)
    except RefereeError as error:
        raise click.ClickException(f"The match {match_id} does not keep to the rules: {error}") from error


def _read(file: BinaryIO, now: float) -> tuple[Journal, tuple[Line, ...]]:
    journal: Journal | None = None
    lines: list[Line] = []
    for number, text in enumerate(file, 1):
        if not text.strip():
            continue
        try:
            value = parse_line(text)
            if journal is None:
                journal = Journal(Match(read_header(value)))
                continue
            line = Line(read_entry(value), ReadBy.TAP, now)
            journal = journal.enter(line)
        except TranscriptError as error:
            raise click.ClickException(f"Line {number}: {error}") from error
        except RefereeError as error:
            raise click.ClickException(f"Line {number}: {Caller().refuse(error)}") from error
        lines.append(line)
    if journal is None:
        raise click.ClickException("The transcript is empty.")
    return journal, tuple(lines)


def _transcript(stored: StoredMatch, _: Journal) -> str:
    lines = [write_header(stored.header), *(write_entry(line.entry) for line in stored.lines)]
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def _csv(_: StoredMatch, journal: Journal) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_COLUMNS)
    writer.writerows(_rows(journal, Caller()))
    return out.getvalue()


def _json(stored: StoredMatch, journal: Journal) -> str:
    caller = Caller()
    steps: list[dict[str, Any]] = []
    for line, before, step in _steps(journal):
        said = caller.say(step.effects, before, step.state)
        steps.append(
            {
                "n": len(steps) + 1,
                "time": line.time,
                "read_by": line.read_by.value,
                "move": write_entry(step.move),
                "effects": [write_effect(effect) for effect in step.effects],
                "say": said,
            }
        )
    match = {
        "id": stored.id,
        "started": stored.started,
        **write_header(stored.header),
        "moves": steps,
        "state": write_state(journal.match.state),
    }
    return json.dumps(match, ensure_ascii=False, indent=2) + "\n"


_WRITERS: dict[str, Callable[[StoredMatch, Journal], str]] = {"transcript": _transcript, "csv": _csv, "json": _json}


def _steps(journal: Journal) -> Iterator[tuple[Line, State, Step]]:
    before = Match(journal.match.header).state
    for line, step in zip(journal.lines, journal.match.history, strict=True):
        yield line, before, step
        before = step.state


def _rows(journal: Journal, caller: Caller) -> Iterator[tuple[object, ...]]:
    """Yield a row of `_COLUMNS` for each standing move."""
    for n, (line, before, step) in enumerate(_steps(journal), 1):
        fields = write_entry(step.move)
        do, card = fields.pop("do"), fields.pop("card", "")
        player = before.actor if before.actor and do in _BY_THE_ACTOR else fields.pop("player", "")
        details = ", ".join(" + ".join(value) if isinstance(value, list) else f"{value}" for value in fields.values())
        said = " ".join(caller.say(step.effects, before, step.state))
        yield n, _local(line.time), before.round, player, do, card, details, line.read_by.value, said


def _local(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))
