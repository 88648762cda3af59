"""The command line: one group, its common options, and the location of each command."""

from __future__ import annotations

import io
import itertools
import re
import sys
from pathlib import Path
from typing import Any

import click

from companion.commands.shared.lazy import LazyGroup
from companion.log import set_up_logging, verbose_level

_COMMANDS = {
    "backup": ("companion.commands.backup:backup", "Write everything worth keeping to one file."),
    "bench": ("companion.commands.bench:bench", "Measure the speed or the accuracy of a part."),
    "decks": ("companion.commands.learn:decks", "List, rename, export, import and delete decks; allow corrections."),
    "demo": ("companion.commands.play:demo", "Run everything on a table that plays by itself."),
    "doctor": ("companion.commands.doctor:doctor", "Check that everything is in place."),
    "lab": ("companion.commands.lab:lab", "Try an edition and its house rules in thousands of random rounds."),
    "learn": ("companion.commands.learn:learn", "Learn a deck from its cards laid on a pile."),
    "editions": ("companion.commands.editions:editions", "List, show, check, make and exchange editions."),
    "edition": ("companion.commands.editions:editions", "The same as editions."),
    "follow": ("companion.commands.follow:follow", "Write down a match that was filmed, with who played and who drew."),
    "link": ("companion.commands.play:link", "Print a fresh link that makes a browser the host."),
    "matches": ("companion.commands.matches:matches", "List, show, export, import and delete stored matches."),
    "play": ("companion.commands.play:play", "Start the companion for a real table."),
    "read": ("companion.commands.read:read", "Name the cards in pictures."),
    "referee": ("companion.commands.referee:referee", "Rule on a match transcript."),
    "restore": ("companion.commands.backup:restore", "Add what a backup holds."),
    "score": ("companion.commands.read:score", "Add up the points of hands in pictures."),
    "score-hand": ("companion.commands.referee:score_hand", "Add up the points of a hand by its cards' names."),
    "train": ("companion.commands.training.train:train", "Train, evaluate and export the networks."),
    "watch": ("companion.commands.watch:watch", "Follow a discard pile and name each new top card."),
}

# These commands use no settings and start faster without them.
_WITHOUT_SETTINGS = frozenset({"bench", "referee", "score-hand", "train"})


class _Companion(LazyGroup):
    """The outermost group: its options may follow the command, and every unexpected error becomes one sentence.

    With `--verbose` an unexpected error becomes a traceback.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, _shared_first(args))

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.Abort, click.exceptions.Exit, BrokenPipeError):
            raise
        except Exception as error:
            if ctx.params.get("verbose"):
                raise
            raise click.ClickException(_sentence(error)) from error


def _shared_first(args: list[str]) -> list[str]:
    """Return the arguments with the options that all commands share moved to the front.

    No command has an option of the same name. What follows `--` stays.
    """
    shared, others = [], []
    rest = iter(args)
    for arg in rest:
        name, equals, _ = arg.partition("=")
        if arg == "--":
            others += [arg, *rest]
        elif name in ("--config", "--data"):
            shared += [arg] if equals else [arg, *itertools.islice(rest, 1)]
        elif re.fullmatch("--verbose|-v+", arg):
            shared.append(arg)
        else:
            others.append(arg)
    return [*shared, *others]


def _sentence(error: Exception) -> str:
    """Return the message for an unexpected error."""
    if isinstance(error, ImportError):
        from companion.doctor import missing_library

        if message := missing_library(error):
            return message
    return (
        f"Something unforeseen went wrong ({type(error).__name__}: {error}). "
        "`companion --verbose` and the same command shows where: please report it."
    )


@click.command(
    cls=_Companion,
    lazy={name: where for name, (where, _) in _COMMANDS.items()},
    summaries={name: summary for name, (_, summary) in _COMMANDS.items()},
)
@click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False),
    envvar="COMPANION_CONFIG",
    help="Configuration file, instead of the one in your configuration folder.",
)
@click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for matches and the certificate, instead of the configured one.",
)
@click.option("--verbose", "-v", count=True, help="Log what happens; twice for every step.")
@click.version_option(package_name="uno-table-companion")
@click.pass_context
def main(ctx: click.Context, config: Path | None, data: Path | None, verbose: int) -> None:
    """Referee UNO Mario Kart, UNO Minecraft and classic UNO on a real table."""
    _replace_unencodable()
    if ctx.invoked_subcommand in _WITHOUT_SETTINGS:
        set_up_logging(verbose_level(verbose))
        return
    _apply_settings(ctx, config, data, verbose)


def _replace_unencodable() -> None:
    """Replace characters that the terminal's encoding lacks; on Windows, pipes are not UTF-8."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _apply_settings(ctx: click.Context, config: Path | None, data: Path | None, verbose: int) -> None:
    """Set up logging, and store the settings as the context's object and the options' defaults."""
    from companion.commands.shared.defaults import option_defaults
    from companion.settings import DataSettings, SettingsError, load_settings

    try:
        settings = load_settings(config)
    except SettingsError as error:
        raise click.ClickException(str(error)) from error
    if data is not None:
        settings = settings.model_copy(update={"data": DataSettings(folder=data)})
    level = verbose_level(verbose) if verbose else settings.log.level.number
    try:
        set_up_logging(level, settings.log.file)
    except OSError as error:
        raise click.ClickException(f"The log file {settings.log.file} cannot be written: {error.strerror}.") from error
    ctx.obj = settings
    ctx.default_map = option_defaults(settings)
