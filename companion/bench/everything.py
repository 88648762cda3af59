"""`companion bench all`: runs every benchmark and combines their results, also as plots."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

PROGRAM = "from companion.cli import main; main()"
# The unit at the end of a measure's name: "ms", "scenes per second".
_UNIT = re.compile(r"(\w+ per )?\w+$")

# Units that are not plotted: bars show ratios better, and the others measure accuracy, not speed.
_NOT_DRAWN = frozenset({"ratio", "events", "rulings", "share"})

Rows = Mapping[str, Mapping[str, float]]
"""Figures by row and measure: {"hand of ten": {"companion ms": 90.1, "ratio": 0.8}}."""


def as_rows(name: str, result: Mapping[str, Any]) -> Rows:
    """Return a benchmark's result as rows; single figures form one row named after the benchmark."""
    rows = {key: _numbers(value) for key, value in result.items() if isinstance(value, Mapping)}
    alone = _numbers(result)
    return {**rows, name: alone} if alone else rows


def _numbers(values: Mapping[str, Any]) -> dict[str, float]:
    return {key: float(value) for key, value in values.items() if isinstance(value, int | float) and value is not True}


def by_unit(rows: Rows) -> dict[str, Rows]:
    """Group the figures by unit, such as "ms" or "scenes per second", so that each group can share one axis."""
    parts: dict[str, dict[str, dict[str, float]]] = {}
    for row, measures in rows.items():
        for measure, value in measures.items():
            unit = _UNIT.search(measure)
            parts.setdefault(unit[0] if unit else measure, {}).setdefault(row, {})[measure] = value
    return {**parts}


def draw(name: str, rows: Rows, folder: Path) -> Path | None:
    """Draw a benchmark's bars as an SVG file with one axis per unit and return its path; None if there is nothing to
    draw.

    Ratios are left out because the bars show them. Raises OSError if the folder cannot be written.
    """
    import matplotlib
    from matplotlib.figure import Figure

    parts = {unit: part for unit, part in by_unit(rows).items() if unit not in _NOT_DRAWN}
    if not parts:
        return None
    measures = {unit: list(dict.fromkeys(m for row in part.values() for m in row)) for unit, part in parts.items()}
    heights = [0.5 + 0.26 * len(part) * len(measures[unit]) for unit, part in parts.items()]
    figure = Figure(figsize=(7, 0.9 + sum(heights)), layout="constrained")
    figure.suptitle(f"companion bench {name}")
    for axes, (unit, part) in zip(
        figure.subplots(len(parts), squeeze=False, height_ratios=heights)[:, 0], parts.items(), strict=True
    ):
        height = 0.8 / len(measures[unit])
        for i, measure in enumerate(measures[unit]):
            places = [place + i * height for place, row in enumerate(part.values()) if measure in row]
            values = [row[measure] for row in part.values() if measure in row]
            bars = axes.barh(places, values, height, color=f"C{i}", label=measure.removesuffix(unit).strip())
            axes.bar_label(bars, [_figure(value) for value in values], padding=3)
        axes.set_yticks([place + 0.4 - height / 2 for place in range(len(part))], list(part))
        axes.invert_yaxis()
        axes.margins(x=0.2)
        axes.set_xlabel(unit if len(measures[unit]) > 1 else measures[unit][0])
        if len(measures[unit]) > 1:
            axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"bench-{name}.svg"
    # A fixed salt and text as text: equal figures give equal files.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": name}):
        figure.savefig(path, metadata={"Date": None})
    return path


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


@click.command(name="all")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--plot", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="Folder for bar plots.")
@click.pass_context
def everything(ctx: click.Context, names: tuple[str, ...], as_json: bool, plot: Path | None) -> None:
    """Run every benchmark, or those named, with default options, each in its own process."""
    if plot and importlib.util.find_spec("matplotlib") is None:
        raise click.ClickException("plots need matplotlib: install it with  pip install matplotlib")
    results: dict[str, Rows] = {}
    there = _names(ctx)
    if unknown := [name for name in names if name not in there]:
        raise click.BadParameter(f"there is no benchmark {unknown[0]}; there are {', '.join(there)}")
    for name in names or there:
        click.echo(f"{name} ...", err=True)
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, "bench", name, "--json"], stdout=subprocess.PIPE, text=True
        )
        if done.returncode:
            raise click.ClickException(f"companion bench {name} failed")
        results[name] = as_rows(name, json.loads(done.stdout))
    if as_json:
        click.echo(json.dumps(results))
    else:
        for name, rows in results.items():
            click.echo(f"\n{name}")
            for row, measures in rows.items():
                click.echo(f"  {row}: " + ", ".join(f"{measure} {value:g}" for measure, value in measures.items()))
    if plot is None:
        return
    for name, rows in results.items():
        try:
            if (path := draw(name, rows, plot)) is not None:
                click.echo(str(path), err=True)
        except OSError as error:
            raise click.ClickException(f"{plot} cannot be written: {error.strerror}") from error


def _names(ctx: click.Context) -> list[str]:
    """Return the other benchmarks that can print JSON, and report those that cannot."""
    group = ctx.parent.command if ctx.parent else None
    assert isinstance(group, click.Group)
    names = []
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        if command is None or name == ctx.info_name:
            continue
        if any("--json" in parameter.opts for parameter in command.params):
            names.append(name)
        else:
            click.echo(f"{name} prints no JSON and is left out", err=True)
    return names
