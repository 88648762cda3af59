"""`companion learn` and `companion decks`: learns a deck from its cards, and manages learnt decks."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from companion.caller.card_names import parse_card
from companion.cards import Card
from companion.commands.shared.parameters import EDITIONS, decks_of
from companion.decks.capture.keyframes import keyframes, read_ahead
from companion.decks.model.edition_cards import learnt_cards
from companion.decks.service.deck_detector import HARD_TO_SEE, model_of_deck, reading_parts
from companion.decks.service.enrollment import Lesson
from companion.decks.storage.deck_file import MAX_BYTES, DeckFileError
from companion.editions import Edition
from companion.text_files import decode
from companion.vision.capture.frames import FrameSource, SourceError
from companion.vision.capture.image_files import pictures_in
from companion.vision.capture.sources import PictureFolder, open_source
from companion.vision.core.runtime import ModelFileError


@click.command()
@click.argument("source")
@click.option("--name", required=True, help="Name of the deck.")
@click.option(
    "--edition",
    type=EDITIONS,
    default="classic",
    show_default=True,
    help="Edition of the deck.",
)
@click.option(
    "--order",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="File with the cards in the order laid, one per line.",
)
@click.option("--sorted", "by_color", is_flag=True, help="The deck was sorted by colour before it was laid.")
@click.option("--json", "as_json", is_flag=True, help="Ask no questions and print one JSON object.")
@click.option(
    "--model",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the networks, instead of the shipped ones.",
)
@click.pass_context
def learn(
    ctx: click.Context,
    source: str,
    name: str,
    edition: Edition,
    order: Path | None,
    by_color: bool,
    as_json: bool,
    model: Path | None,
) -> None:
    """Learn a deck from its cards, laid one after the other on a pile in front of a fixed camera.

    SOURCE is a camera number, a video file, a stream address, or a folder with one picture per card, in name order.
    """
    began = time.monotonic()
    broken: SourceError | None = None
    library = decks_of(ctx)
    try:
        library.path(name)
        frames = open_source(source, 1.0)
        each = isinstance(frames, PictureFolder)
        cards = _cards_in(order, edition) if order else ()
        reader, boxes = reading_parts(model)
        lesson = Lesson(reader, boxes, edition, cards, by_color, each)
        try:
            for _ in _shown(lesson, frames):
                if not as_json:
                    click.echo(f"\r{len(lesson)} cards", nl=False, err=True)
        except SourceError as error:
            if not len(lesson):
                raise
            broken = error
        if not len(lesson):
            raise click.ClickException(f"No card was laid in {source}.")
        lesson.drop_unordered()
        missed = _missed_in(lesson, source if each else None)
        if broken is None:
            _refuse_few(lesson, max(len(cards), len(lesson) + len(lesson.without_card)))
        asked = 0 if as_json else _ask(lesson)
        naming = lesson.naming()
        learnt = lesson.finish(name)
        looks = model_of_deck(library, learnt, reader, model)
        if looks.hard_to_see:
            raise click.ClickException(f"{HARD_TO_SEE} The deck was not saved.")
        library.save(learnt)
    except (DeckFileError, SourceError, ModelFileError) as error:
        raise click.ClickException(str(error)) from error
    seconds = time.monotonic() - began
    if as_json:
        questions = [
            {"pictures": list(question.pictures), "options": [card.name for card in question.options]}
            for question in naming.questions
        ]
        click.echo(
            json.dumps(
                {
                    "name": name,
                    "cards": len(learnt.cards),
                    "faces": learnt.faces,
                    "asked": len(questions),
                    "questions": questions,
                    "names": [card.name for card in naming.cards],
                    "unnamed": [number for number, sure in enumerate(naming.sure) if not sure],
                    "missed": [{"card": card and card.name, "picture": picture} for card, picture in missed],
                    "hard_to_see": looks.hard_to_see,
                    "mostly_nameless": looks.mostly_nameless,
                    "seconds": round(seconds, 1),
                }
            )
        )
    else:
        click.echo(f"\nLearnt: {len(learnt.cards)} of {edition.size} cards, {asked} asked, {seconds:.0f} seconds.")
        if alike := learnt_cards(edition).alike:
            click.echo(f"These are asked for when one of them is read: {', '.join(card.name for card in alike)}.")
        if naming.set_aside:
            click.echo("The answers do not fit the cards and were left out; lay them once more in a known order.")
        if learnt.unnamed:
            click.echo(f"{len(learnt.unnamed)} more are kept without a name, as theirs is in doubt.")
        if looks.mostly_nameless:
            click.echo("Those are most, so cards are read as without the deck; lay it once more in a known order.")
        if pictures := [picture for card, picture in missed if card is None]:
            click.echo(f"No card was found in {len(pictures)} pictures: {', '.join(map(str, pictures))}.")
    if broken is not None:
        raise click.ClickException(str(broken))
    if named := [f"{card.name} ({picture})" if picture else card.name for card, picture in missed if card is not None]:
        were = "A card of the order was" if len(named) == 1 else f"{len(named)} cards of the order were"
        raise click.ClickException(f"{were} not found: {', '.join(named)}.")


def _shown(lesson: Lesson, frames: FrameSource) -> Iterator[None]:
    """Show the pictures of a source to a lesson; a picture of a folder that cannot be read keeps its place."""
    if not isinstance(frames, PictureFolder):
        for picture in read_ahead(keyframes(frame.image for frame in frames.frames())):
            lesson.show(picture)
            yield
        return
    place = 0
    for frame in frames.frames():
        while place < round(frame.time):
            lesson.pass_over()
            place += 1
        lesson.show(frame.image)
        place += 1
        yield


def _missed_in(lesson: Lesson, folder: str | None) -> list[tuple[Card | None, str | None]]:
    """Return the cards of the order that were not found, and the pictures without a card, each with its picture."""
    path = None if folder is None else Path(folder)
    names = [] if path is None else [file.name for file in (pictures_in(path) if path.is_dir() else [path])]
    missed: list[tuple[Card | None, int | None]] = [*lesson.missed]
    known = {place for _, place in missed}
    missed += [(None, place) for place in lesson.without_card if place not in known]
    return [(card, names[at] if at is not None and at < len(names) else None) for card, at in missed]


def _refuse_few(lesson: Lesson, expected: int) -> None:
    """Raise ClickException if fewer than half of the expected cards were found."""
    if 2 * len(lesson) < expected:
        raise click.ClickException(
            f"Only {len(lesson)} of {expected} cards were found, so the deck was not saved. "
            "Lay one card per picture in front of a fixed camera, in even light, on a cloth of another colour."
        )


def _text(path: Path) -> str:
    try:
        return decode(path.read_bytes())
    except OSError as error:
        raise click.ClickException(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise click.ClickException(f"{path} is neither UTF-8 nor UTF-16.") from error


def _cards_in(path: Path, edition: Edition) -> list[Card]:
    cards = []
    for number, line in enumerate(_text(path).splitlines(), 1):
        if line.strip():
            try:
                cards.append(parse_card(line, edition))
            except ValueError as error:
                raise click.ClickException(f"{path}, line {number}: {error}") from error
    return cards


def _ask(lesson: Lesson) -> int:
    """Ask the open questions, the most informative first; return how many were asked.

    If too much is uncertain nothing is asked, since wrong answers could then not be detected.
    """
    asked = 0
    done: set[int] = set()
    while True:
        naming = lesson.naming()
        if naming.prompted_is_better:
            click.echo("\nToo much is in doubt to ask: lay the deck in a known order, given by --order FILE.", err=True)
            return asked
        open_ones = [question for question in naming.questions if not done & set(question.pictures)]
        if not open_ones:
            return asked
        question = open_ones[0]
        done |= set(question.pictures)
        numbers = ", ".join(str(i + 1) for i in question.pictures)
        names = "/".join(card.name for card in question.options)
        said = click.prompt(f"\nCard {numbers} of the pile: {names}? (Enter: leave it)", default="", show_default=False)
        asked += 1
        if said.strip():
            try:
                lesson.answer(question.pictures[0], parse_card(said, lesson.edition))
            except ValueError as error:
                click.echo(str(error), err=True)
                done -= set(question.pictures)


@click.group()
def decks() -> None:
    """List, rename, delete, export and import learnt decks.

    They are kept in the data folder, see `companion --data`.
    """


@contextmanager
def _said_plainly() -> Iterator[None]:
    try:
        yield
    except DeckFileError as error:
        raise click.ClickException(str(error)) from error


@decks.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per deck.")
@click.pass_context
def list_(ctx: click.Context, as_json: bool) -> None:
    """List the decks by name."""
    found = decks_of(ctx).list()
    if not found and not as_json:
        click.echo("No deck was learnt yet; `companion learn` does it.")
    for each in found:
        if as_json:
            row = {"name": each.name, "edition": each.edition.id, "cards": each.cards, "faces": each.faces}
            row |= {"learns": each.learns, "further": each.further}
            click.echo(json.dumps(row, ensure_ascii=False))
        else:
            click.echo(f"{each.name}: {each.edition.id}, {each.cards} cards, {each.faces} different ones")


@decks.command()
@click.argument("name")
@click.argument("new")
@click.pass_context
def rename(ctx: click.Context, name: str, new: str) -> None:
    """Rename a deck."""
    with _said_plainly():
        decks_of(ctx).rename(name, new)


@decks.command()
@click.argument("name")
@click.argument("learns", type=click.Choice(["on", "off"]))
@click.pass_context
def corrections(ctx: click.Context, name: str, learns: str) -> None:
    """Set whether corrections in a match are added to a deck; off at first."""
    with _said_plainly():
        decks_of(ctx).let_learn(name, learns == "on")


@decks.command()
@click.argument("name")
@click.pass_context
def delete(ctx: click.Context, name: str) -> None:
    """Delete a deck."""
    with _said_plainly():
        decks_of(ctx).delete(name)


@decks.command("export")
@click.argument("name")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.pass_context
def export_(ctx: click.Context, name: str, file: Path) -> None:
    """Write a deck to a file for other people."""
    with _said_plainly():
        data = decks_of(ctx).export(name)
    try:
        file.write_bytes(data)
    except OSError as error:
        raise click.ClickException(f"{file} cannot be written: {error.strerror}.") from error


@decks.command("import")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--name", help="New name of the deck.")
@click.pass_context
def import_(ctx: click.Context, file: Path, name: str | None) -> None:
    """Import a deck that somebody exported."""
    try:
        if file.stat().st_size > MAX_BYTES:
            raise click.ClickException(f"{file} is larger than a deck's file can be.")
        data = file.read_bytes()
    except OSError as error:
        raise click.ClickException(f"{file} cannot be read: {error.strerror}.") from error
    with _said_plainly():
        click.echo(f"Taken in: {decks_of(ctx).add(data, name).name}")
