"""Which drawn decks a benchmark is to measure, as its option names them."""

from __future__ import annotations

import click

from companion.dataset.artist.families import StyleFamily


def families_named(_: click.Context, __: click.Parameter, text: str | None) -> tuple[str, ...]:
    """Return the families' names in an option's text, parted by commas; ends the command where there is no such one."""
    names = tuple(name.strip() for name in text.split(",")) if text else ()
    known = [family.value for family in StyleFamily]
    for name in names:
        if name not in known:
            raise click.BadParameter(f"{name!r} is none of {', '.join(known)}.")
    return names
