"""Options shared by several commands; each list of values comes from its one source."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from companion.commands.shared.lazy import suggestion
from companion.editions import PROFILES, Edition
from companion.editions.library import FOLDER_NAME, Library, NoSuchEditionError
from companion.languages import Language
from companion.referee.state import Header
from companion.referee.transcript import TranscriptError, read_header

if TYPE_CHECKING:
    from companion.decks.storage.library import DeckLibrary
    from companion.vision.recognition.card_detector import CardDetector


class EditionParameter(click.ParamType[Edition]):
    """The ID of an edition that ships or of one in the command's data folder; its value is the edition."""

    name = "edition"

    @property
    def choices(self) -> list[str]:
        """The IDs of the editions that ship."""
        return list(Library())

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Edition:
        """Return the edition; fails with a similar ID for an unknown one."""
        if isinstance(value, Edition):
            return value
        library = Library() if ctx is None else editions_of(ctx)
        try:
            return library[value]
        except NoSuchEditionError:
            self.fail(f"There is no edition {value}.{suggestion(value, library)}", param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Complete the IDs of all editions."""
        return [CompletionItem(each) for each in editions_of(ctx) if each.startswith(incomplete)]


EDITIONS = EditionParameter()
LANGUAGES = click.Choice([language.value for language in Language])
DECK = click.option("--deck", metavar="NAME", help="Read with this learnt deck; see `companion decks list`.")

RULES = click.option(
    "--rules", type=click.Choice(list(PROFILES)), default="official", show_default=True, help="Profile of the rules."
)
OPTIONS = click.option(
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    help="Rule that differs from the profile, as NAME=VALUE; repeatable.",
)


def header_of(
    players: Sequence[str], dealer: str | None, edition: Edition, rules: str, options: Sequence[str]
) -> Header:
    """Return the match header described by a command's options; exits with a message if they are invalid."""
    match: dict[str, object] = {
        "edition": edition.id,
        "players": [name.strip() for name in players],
        "profile": rules,
        "options": dict(map(_option, options)),
    }
    if dealer is not None:
        match["dealer"] = dealer
    try:
        ctx = click.get_current_context(silent=True)
        return read_header({"match": match}, Library() if ctx is None else editions_of(ctx))
    except TranscriptError as error:
        raise click.UsageError(f"{error}.") from error


def _option(text: str) -> tuple[str, object]:
    name, equals, value = text.partition("=")
    if not equals:
        raise click.UsageError(f"{text!r} is no option with its value: NAME=VALUE.")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def data_folder(ctx: click.Context) -> Path:
    """Return the command's data folder."""
    from companion.settings import Settings, default_data_folder

    if isinstance(ctx.obj, Settings):
        return ctx.obj.data.folder
    return Path(ctx.find_root().params.get("data") or default_data_folder())  # of commands that use no settings


def editions_of(ctx: click.Context) -> Library:
    """Return the editions that ship and those in the command's data folder."""
    return Library(lambda: data_folder(ctx) / FOLDER_NAME)


def decks_of(ctx: click.Context) -> DeckLibrary:
    """Return the learnt decks in the command's data folder."""
    from companion.decks.storage.library import DeckLibrary

    return DeckLibrary(data_folder(ctx) / "decks")


def load_detector(edition: Edition | None, model: Path | None, deck: str | None = None) -> CardDetector:
    """Return a detector with the networks of this folder and this learnt deck; exits with a message if one is missing.

    The default edition is the deck's own.
    """
    from companion.decks.model.edition_cards import deck_cards
    from companion.decks.service.deck_detector import deck_detector
    from companion.decks.storage.deck_file import DeckFileError
    from companion.vision.core.runtime import ModelFileError
    from companion.vision.recognition.card_detector import CardDetector

    try:
        if deck is None:
            return CardDetector.shipped(None if edition is None else deck_cards(edition), model)
        return deck_detector(decks_of(click.get_current_context()), deck, edition, model)
    except (ModelFileError, DeckFileError) as error:
        raise click.ClickException(str(error)) from error
