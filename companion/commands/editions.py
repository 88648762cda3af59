"""`companion editions`: list, show, check, make, import, export and remove editions."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from companion.caller import Caller
from companion.commands.shared.parameters import LANGUAGES, editions_of
from companion.editions.definition.faults import InvalidEditionError
from companion.editions.definition.files import read_edition
from companion.editions.definition.parsing import MOST_BYTES
from companion.editions.edition import Edition
from companion.editions.library import EditionExistsError, NoSuchEditionError, printed
from companion.referee.state import Header

_FAULTY = 2

_TEMPLATE = """format = 1
id = "{id}"
based_on = "{base}"
checked = "own"
name = {{ en = "{title}" }}

[deck]
"wild surprise" = 4

[faces."wild surprise"]
name = {{ en = "Surprise" }}
reads_as = ["wild"]
when_played = [{{ target = "others" }}, {{ draw = 1, who = "chosen" }}, {{ color = "choose" }}]
"""


@click.group()
def editions() -> None:
    """List, show, check, make and exchange editions: decks with special cards, one TOML file each."""


@editions.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per edition.")
@click.pass_context
def list_(ctx: click.Context, as_json: bool) -> None:
    """List the editions that ship and your own."""
    library = editions_of(ctx)
    for edition in library.values():
        row = _row(edition, own=library.is_own(edition.id))
        if as_json:
            click.echo(json.dumps(row, ensure_ascii=False))
        else:
            click.echo(f"{edition.id:20}  {edition.size:3} cards  {row['checked']:9}  {row['title']}")
    for fault in library.faults:
        click.echo(fault, err=True)


def _row(edition: Edition, *, own: bool) -> dict[str, object]:
    return {
        "id": edition.id,
        "title": Caller().edition_title(edition),
        "cards": edition.size,
        "checked": edition.checked.value,
        "sources": list(edition.sources),
        "own": own,
    }


@editions.command()
@click.argument("edition_id", metavar="ID")
@click.option("--language", type=LANGUAGES, default="en", show_default=True, help="Language of the rules.")
@click.pass_context
def show(ctx: click.Context, edition_id: str, language: str) -> None:
    """Show an edition's deck, its special cards and their rules."""
    edition = _known(ctx, edition_id)
    caller = Caller(language)
    click.echo(f"{caller.edition_title(edition)}: {edition.size} cards, {edition.checked.value}")
    for source in edition.sources:
        click.echo(f"  {source}")
    for entry in caller.rules_sheet(Header(edition, ("Ann", "Ben", "Cy"), 0, edition.options)):
        click.echo(f"{entry.title}: {entry.text}")


@editions.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
def check(file: Path) -> None:
    """Check an edition file: print every fault with its line and key, or the deck's size.

    Exit status: 0 if the file is fine, 2 if not.
    """
    try:
        edition = read_edition(_bytes(file), str(file), printed())
    except InvalidEditionError as error:
        _print_faults(error)
        sys.exit(_FAULTY)
    click.echo(f"{file}: {edition.id}, {edition.size} cards")


@editions.command()
@click.argument("edition_id", metavar="ID")
@click.option("--based-on", type=click.Choice(list(printed())), default="classic", show_default=True, help="The base.")
@click.option("--name", "title", help="The edition's name; by default its ID.")
def new(edition_id: str, based_on: str, title: str | None) -> None:
    """Write a file ID.toml with one special card, to be changed."""
    text = _TEMPLATE.format(id=edition_id, base=based_on, title=(title or edition_id).replace('"', ""))
    path = Path(f"{edition_id}.toml")
    try:
        read_edition(text.encode(), path.name, printed())
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except InvalidEditionError as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        raise click.ClickException(f"{path} cannot be written: {error.strerror}.") from error
    click.echo(f"{path}: change it, then run `companion editions import {path}`.")


@editions.command("import")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--replace", is_flag=True, help="Replace an edition with the same ID.")
@click.pass_context
def import_(ctx: click.Context, file: Path, replace: bool) -> None:
    """Check an edition file and keep it in the data folder."""
    library = editions_of(ctx)
    try:
        edition = library.add(_bytes(file), str(file), replace=replace)
    except InvalidEditionError as error:
        _print_faults(error)
        sys.exit(_FAULTY)
    except EditionExistsError as error:
        raise click.ClickException(f"{error}: --replace puts this one in its place.") from error
    except OSError as error:
        raise click.ClickException(f"The edition cannot be kept: {error.strerror}.") from error
    click.echo(edition.id)


@editions.command()
@click.argument("edition_id", metavar="ID")
@click.pass_context
def export(ctx: click.Context, edition_id: str) -> None:
    """Print an edition's file."""
    _known(ctx, edition_id)
    click.echo(editions_of(ctx).export(edition_id), nl=False)


@editions.command()
@click.argument("edition_id", metavar="ID")
@click.pass_context
def remove(ctx: click.Context, edition_id: str) -> None:
    """Delete one of your own editions. Matches keep the edition they were played with."""
    try:
        editions_of(ctx).remove(edition_id)
    except NoSuchEditionError as error:
        raise click.ClickException(f"You have no edition {edition_id} of your own.") from error
    except OSError as error:
        raise click.ClickException(f"The edition cannot be removed: {error.strerror}.") from error


def _known(ctx: click.Context, edition_id: str) -> Edition:
    try:
        return editions_of(ctx)[edition_id]
    except NoSuchEditionError as error:
        raise click.ClickException(f"{error}; `companion editions list` lists them.") from error


def _bytes(file: Path) -> bytes:
    """Return a file's bytes, no more of them than show that it is too large."""
    try:
        with file.open("rb") as stream:
            return stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise click.ClickException(f"{file} cannot be read: {error.strerror}.") from error


def _print_faults(error: InvalidEditionError) -> None:
    for line in error.lines():
        click.echo(line, err=True)
