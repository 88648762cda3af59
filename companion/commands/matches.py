"""`companion matches`: manages stored matches."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import click

from companion.caller import Caller
from companion.commands.shared.parameters import editions_of
from companion.editions.library import Library
from companion.exports import EXPORTS, local_time, move_rows, recover
from companion.referee.errors import RefereeError
from companion.referee.match import Match
from companion.referee.state import Phase
from companion.referee.transcript import (
    TranscriptError,
    parse_line,
    read_entry,
    read_header,
)
from companion.storage.journal import Journal, Line, ReadBy
from companion.storage.records import Batch, DamagedMatch, NoSuchMatchError, Standing, StoredMatch, StoreError
from companion.storage.store import Store, new_match_id
from companion.text_files import utf8_lines

_RESCUE = "`companion matches export {id}` writes out what can be read of it."


@click.group()
def matches() -> None:
    """List, show, export, import and delete stored matches.

    They are kept in the data folder, see `companion --data`.
    """


@matches.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON Lines.")
@click.pass_context
def list_(ctx: click.Context, as_json: bool) -> None:
    """List all matches, newest first."""
    with _said_plainly():
        found = _store(ctx).survey()
    if not found and not as_json:
        click.echo("No match is kept yet.")
    for each in found:
        if isinstance(each, DamagedMatch):
            click.echo(f"{each.reason} {_RESCUE.format(id=each.id)}", err=True)
            continue
        players = list(each.header.players)
        if as_json:
            line = {
                "id": each.id,
                "edition": each.header.edition.id,
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
                f"{each.id}  {local_time(each.started)}  {each.header.edition.id}, {', '.join(players)}: "
                f"{each.moves} moves, {end}"
            )


@matches.command()
@click.argument("match_id", metavar="ID")
@click.pass_context
def show(ctx: click.Context, match_id: str) -> None:
    """Show the state of a match and its moves."""
    stored, journal = _load(ctx, match_id)
    caller = Caller()
    click.echo(f"{stored.id}, begun {local_time(stored.started)}, {stored.header.edition.id}")
    for row in move_rows(journal, caller):
        click.echo(" ".join(str(part) for part in (f"{row[0]:>4}", row[3], row[4], row[5], row[6], row[-1]) if part))
    for sentence in caller.describe(journal.match.state):
        click.echo(sentence)


@matches.command()
@click.argument("match_id", metavar="ID")
@click.option(
    "--format",
    "kind",
    type=click.Choice(list(EXPORTS)),
    default=next(iter(EXPORTS)),
    show_default=True,
    help="; ".join(f"{each.name}: {each.summary}" for each in EXPORTS.values()) + ".",
)
@click.option(
    "--output", "-o", type=click.Path(path_type=Path, dir_okay=False), help="File to write, instead of the terminal."
)
@click.pass_context
def export(ctx: click.Context, match_id: str, kind: str, output: Path | None) -> None:
    """Export a match; of a damaged one, what can be read, with exit status 1."""
    caller = Caller()
    with _said_plainly():
        stored, journal, fault = recover(_store(ctx).salvage(match_id), caller.refuse)
    text = EXPORTS[kind].write(stored, journal, caller)
    if output is None:
        click.echo(text, nl=False)
    else:
        try:
            output.write_bytes(text.encode())
        except OSError as error:
            raise click.ClickException(f"{output} cannot be written: {error.strerror}.") from error
    if fault is not None:
        raise click.ClickException(f"{fault} What comes before it was written out.")


@matches.command("import")
@click.argument("file", type=click.File("rb"))
@click.pass_context
def import_(ctx: click.Context, file: BinaryIO) -> None:
    """Import a match from a transcript, and print its id.

    FILE is the transcript, - for standard input. Nothing is imported if a line is unreadable or rejected.
    """
    now = time.time()
    journal, lines = _read(file, now, editions_of(ctx))
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
    """Delete matches with their pictures permanently."""
    store = _store(ctx)
    with _said_plainly():
        there = {each.id for each in store.survey()}
        for match_id in match_ids:
            if match_id not in there:
                raise NoSuchMatchError(match_id)
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
        stored, journal, fault = recover(_store(ctx).salvage(match_id), Caller().refuse)
    if fault is not None:
        click.echo(f"{fault} {_RESCUE.format(id=match_id)}", err=True)
    return stored, journal


def _lines(file: BinaryIO) -> Iterator[bytes]:
    try:
        yield from utf8_lines(file)
    except UnicodeDecodeError as error:
        raise click.ClickException("The transcript is not UTF-16 to its end.") from error


def _read(file: BinaryIO, now: float, editions: Library) -> tuple[Journal, tuple[Line, ...]]:
    journal: Journal | None = None
    lines: list[Line] = []
    for number, text in enumerate(_lines(file), 1):
        if not text.strip():
            continue
        try:
            value = parse_line(text)
            if journal is None:
                journal = Journal(Match(read_header(value, editions)))
                continue
            line = Line(read_entry(value, journal.match.header.edition), ReadBy.TAP, now)
            journal = journal.enter(line)
        except TranscriptError as error:
            raise click.ClickException(f"Line {number}: {error}") from error
        except RefereeError as error:
            raise click.ClickException(f"Line {number}: {Caller().refuse(error)}") from error
        lines.append(line)
    if journal is None:
        raise click.ClickException("The transcript is empty.")
    return journal, tuple(lines)
