"""The command line: one group whose commands are imported only when they are asked for, so that each starts fast."""

from __future__ import annotations

import importlib

import click

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


class LazyGroup(click.Group):
    """A click group that imports a command's module when the command is looked up."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module, _, attribute = _COMMANDS[cmd_name].partition(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command


@click.command(cls=LazyGroup)
@click.version_option(package_name="uno-table-companion")
def main() -> None:
    """Referee UNO Mario Kart, UNO Minecraft and classic UNO on a real table."""
