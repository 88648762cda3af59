"""`companion doctor`: checks this machine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import click

from companion.doctor import Check, State, check_picture, examine
from companion.settings import Settings

_MARKS = {State.OK: ("✓", "green"), State.WARNING: ("!", "yellow"), State.MISSING: ("✗", "red")}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per check.")
@click.option(
    "--picture",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="Report only what prevents reading the cards in this picture of the table.",
)
@click.pass_obj
def doctor(settings: Settings, as_json: bool, picture: Path | None) -> None:
    """Check Python, libraries, networks, camera, port, network, browser, certificate and disk.

    Prints each result with what to do about it. The exit status is 1 if something essential is missing.
    """
    worst = 0
    checks: Iterator[Check] = iter([check_picture(picture, settings)]) if picture else examine(settings)
    for check in checks:
        worst |= check.state is State.MISSING
        if as_json:
            row = {"check": check.name, "state": check.state.value, "found": check.found, "advice": check.advice}
            click.echo(json.dumps(row))
            continue
        mark, color = _MARKS[check.state]
        click.echo(f"{click.style(mark, fg=color)} {check.name:12} {check.found}")
        if check.advice:
            click.echo(f"  {'':12} {check.advice}")
    raise SystemExit(worst)
