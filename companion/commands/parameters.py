"""What options of several commands may be: each list is taken from the one place where it is kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from companion.cards import EditionName
from companion.languages import Language

if TYPE_CHECKING:
    from companion.decks.library import DeckLibrary
    from companion.vision.detector import CardDetector

EDITIONS = click.Choice([edition.value for edition in EditionName])
LANGUAGES = click.Choice([language.value for language in Language])
DECK = click.option("--deck", metavar="NAME", help="Read with this learnt deck; see `companion decks list`.")


def decks_of(ctx: click.Context) -> DeckLibrary:
    """Return the learnt decks in the data folder that the command is to use."""
    from companion.decks.library import DeckLibrary
    from companion.settings import Settings, default_data_folder

    folder = ctx.obj.data.folder if isinstance(ctx.obj, Settings) else default_data_folder()
    return DeckLibrary(folder / "decks")


def load_detector(edition: EditionName | None, model: Path | None, deck: str | None = None) -> CardDetector:
    """Return what finds cards, with the networks of this folder and this learnt deck; what is missing ends the command.

    Where no edition is given, a deck's own is taken.
    """
    from companion.decks.deckfile import DeckFileError
    from companion.decks.reading import deck_detector
    from companion.vision.detector import CardDetector
    from companion.vision.runtime import ModelFileError

    try:
        if deck is None:
            return CardDetector.shipped(edition, model)
        return deck_detector(decks_of(click.get_current_context()), deck, edition, model)
    except (ModelFileError, DeckFileError) as error:
        raise click.ClickException(str(error)) from error
