"""`companion bench`: speed and accuracy of the parts."""

from __future__ import annotations

import click

from companion.commands.shared.lazy import LazyGroup

_BENCHES = {
    "all": "companion.bench.everything:everything",
    "dataset": "companion.bench.speed.dataset:dataset",
    "decks": "companion.bench.accuracy.decks:decks",
    "films": "companion.bench.accuracy.films:films",
    "matches": "companion.bench.accuracy.matches:matches",
    "reader": "companion.bench.speed.reader:reader",
    "referee": "companion.bench.speed.referee:referee",
    "soak": "companion.bench.speed.soak:soak",
    "startup": "companion.bench.speed.startup:startup",
    "watch": "companion.bench.speed.watch:watch",
}


@click.command(cls=LazyGroup, lazy=_BENCHES)
def bench() -> None:
    """Measure the speed or accuracy of a part of the companion."""
