"""Options shared by the steps of training, and the check for their libraries."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import click

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
exported = click.option(
    "--models", "folder", type=click.Path(path_type=Path, file_okay=False), help="Default: WORK/export."
)
save = click.option("--save/--check", default=True, help="Store the fit, or only check the stored one.")


def need_extra() -> None:
    """Raise a `click.ClickException` if a library of the `train` extra is missing."""
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise click.ClickException(
            f"training needs {', '.join(missing)}: install it with  pip install 'uno-table-companion[train]'"
        )
