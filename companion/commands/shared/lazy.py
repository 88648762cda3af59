"""A command group that imports its commands on demand, so that each starts fast."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterable, Mapping
from typing import Any

import click


def suggestion(text: str, known: Iterable[str]) -> str:
    """Return " Did you mean X?" for the known word that is most similar to a text, empty if none is."""
    close = difflib.get_close_matches(text.lower(), list(known), 1)
    return f" Did you mean {close[0]!r}?" if close else ""


class LazyGroup(click.Group):
    """A click group with commands given as `module:attribute`, imported when looked up.

    lazy: the commands by name. summaries: help line of each command; a command without one is imported for it.
    """

    def __init__(
        self, *args: Any, lazy: Mapping[str, str], summaries: Mapping[str, str] | None = None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.lazy = lazy
        self._summaries = summaries or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(self.lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.lazy:
            return None
        module, _, attribute = self.lazy[cmd_name].partition(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; raises UsageError, which suggests a command with a similar name."""
        name = args[0]
        if name not in self.lazy and not name.startswith("-") and (similar := suggestion(name, self.lazy)):
            ctx.fail(f"No such command {name!r}.{similar}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [(name, self._summaries.get(name) or self._short_help(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def _short_help(self, ctx: click.Context, name: str) -> str:
        command = self.get_command(ctx, name)
        return command.get_short_help_str() if command else ""
