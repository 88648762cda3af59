"""The command line: one group, and where each of its commands is found."""

from __future__ import annotations

import click

from companion.commands.lazy import LazyGroup

_COMMANDS = {
    "bench": "companion.commands.bench:bench",
    "demo": "companion.commands.play:demo",
    "doctor": "companion.commands.doctor:doctor",
    "matches": "companion.commands.matches:matches",
    "play": "companion.commands.play:play",
    "read": "companion.commands.read:read",
    "referee": "companion.commands.referee:referee",
    "score": "companion.commands.read:score",
    "score-hand": "companion.commands.referee:score_hand",
    "train": "companion.commands.train:train",
    "watch": "companion.commands.watch:watch",
}


@click.command(cls=LazyGroup, lazy=_COMMANDS)
@click.version_option(package_name="uno-table-companion")
def main() -> None:
    """Referee UNO Mario Kart, UNO Minecraft and classic UNO on a real table."""
