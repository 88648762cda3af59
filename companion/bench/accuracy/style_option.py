"""The option that selects style families of drawn decks."""

from __future__ import annotations

import click

from companion.dataset.artist.families import StyleFamily


def families_named(_: click.Context, __: click.Parameter, text: str | None) -> tuple[str, ...]:
    """Return the families named in an option's comma-separated text; raises click.BadParameter for an unknown one."""
    names = tuple(name.strip() for name in text.split(",")) if text else ()
    known = [family.value for family in StyleFamily]
    for name in names:
        if name not in known:
            raise click.BadParameter(f"{name!r} is none of {', '.join(known)}.")
    return names
