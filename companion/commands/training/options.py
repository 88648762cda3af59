"""Options shared by the steps of training, and the check for their libraries."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

_Command = TypeVar("_Command", bound=Callable[..., object])

_NEEDED = ("torch", "ultralytics", "onnx", "matplotlib")

work = click.option(
    "--work",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("runs"),
    show_default=True,
    help="Folder for scenes, checkpoints and results.",
)
device = click.option("--device", default="cpu", show_default=True, help="'cpu', or 'cuda:0' for a graphics card.")
seed = click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Seed of all randomness.")
backgrounds = click.option(
    "--backgrounds",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder of table pictures to use beside the drawn ones.",
)
cards = click.option(
    "--cards",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder of card photos of your own, named like 'red 7.jpg': they are laid on tables beside the drawn cards.",
)
fonts = click.option(
    "--fonts",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder of typefaces to use beside those of the computer.",
)
exported = click.option(
    "--models", "folder", type=click.Path(path_type=Path, file_okay=False), help="Default: WORK/export."
)
shipped = click.option(
    "--models",
    "folder",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder of exported networks to start from. Default: the shipped ones.",
)
start = click.option(
    "--start", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="Checkpoint to start from."
)
save = click.option("--save/--check", default=True, help="Store the fit, or only check the stored one.")


def minutes(default: float) -> Callable[[_Command], _Command]:
    """Return the option of how long a training takes."""
    return click.option(
        "--minutes",
        type=click.FloatRange(0, min_open=True),
        default=default,
        show_default=True,
        help="Minutes to train; drawing the first scenes or decks comes before.",
    )


def decks(least: int, default: int, text: str) -> Callable[[_Command], _Command]:
    """Return the option of how many decks are drawn to fit a model on; `text` is its help."""
    return click.option("--decks", type=click.IntRange(least), default=default, show_default=True, help=text)


def tables(least: int, default: int, rate: str) -> Callable[[_Command], _Command]:
    """Return the option of how many tables are drawn to fit a model on; `rate` says how many per second or minute."""
    return click.option(
        "--tables",
        type=click.IntRange(least),
        default=default,
        show_default=True,
        help=f"Number of tables to draw, about {rate}.",
    )


def need_extra() -> None:
    """Raise a `click.ClickException` if a library of the `train` extra is missing."""
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise click.ClickException(
            f"training needs {', '.join(missing)}: install it with  pip install 'uno-table-companion[train]'"
        )
