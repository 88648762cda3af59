"""What options of several commands may be: each list is taken from the one place where it is kept."""

from __future__ import annotations

import click

from companion.cards import EditionName
from companion.languages import Language

EDITIONS = click.Choice([edition.value for edition in EditionName])
LANGUAGES = click.Choice([language.value for language in Language])
