"""`companion bench`: speed and accuracy of the parts."""

from __future__ import annotations

import click

from companion.commands.lazy import LazyGroup

_BENCHES = {
    "all": "companion.bench.everything:everything",
    "dataset": "companion.bench.dataset:dataset",
    "decks": "companion.bench.decks:decks",
    "films": "companion.bench.films:films",
    "matches": "companion.bench.matches:matches",
    "reader": "companion.bench.reader:reader",
    "referee": "companion.bench.referee:referee",
    "soak": "companion.bench.soak:soak",
    "startup": "companion.bench.startup:startup",
    "watch": "companion.bench.watch:watch",
}


@click.command(cls=LazyGroup, lazy=_BENCHES)
def bench() -> None:
    """Measure the speed or accuracy of a part of the companion."""
