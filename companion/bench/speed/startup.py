"""`companion bench startup`: duration of whole commands."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import click
import numpy as np
from rich.console import Console
from rich.table import Table

_TRANSCRIPT = '{"match": {"edition": "mario-kart", "players": ["Ada", "Ben"]}}\n{"do": "start", "card": "red 7"}\n'
_PROGRAM = "from companion.cli import main; main()"


def _seconds(arguments: Sequence[str]) -> float:
    """Return the command's duration; raises click.ClickException if it fails."""
    start = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", _PROGRAM, *arguments], capture_output=True, text=True)
    took = time.perf_counter() - start
    if done.returncode:
        raise click.ClickException(f"companion {' '.join(arguments)} failed: {done.stderr.strip()}")
    return took


def _commands(folder: Path) -> Mapping[str, Sequence[str]]:
    """Return the timed commands by name; their input files are written to the folder."""
    import cv2

    transcript, picture = folder / "match.jsonl", folder / "table.png"
    transcript.write_text(_TRANSCRIPT, "utf-8")
    cv2.imwrite(str(picture), np.full((720, 1280, 3), 90, np.uint8))
    return {
        "help": ["--help"],
        "referee of one move": ["referee", str(transcript)],
        "read an empty table": ["--config", os.devnull, "read", str(picture)],
    }


@click.command()
@click.option("--rounds", type=click.IntRange(1), default=5, show_default=True, help="Repetitions per command.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def startup(rounds: int, as_json: bool) -> None:
    """Time whole commands, each in a new process: the help, the referee, and reading one picture."""
    with tempfile.TemporaryDirectory() as folder:
        rows = {
            name: {"median ms": round(1000 * statistics.median(_seconds(arguments) for _ in range(rounds)), 1)}
            for name, arguments in _commands(Path(folder)).items()
        }
    if as_json:
        click.echo(json.dumps(rows))
        return
    table = Table("command", "median ms")
    for name, row in rows.items():
        table.add_row(name, f"{row['median ms']:.0f}")
    Console().print(table)
