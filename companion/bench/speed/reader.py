"""`companion bench reader`: time to read a picture, compared with the bare detector run by ultralytics."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable
from functools import partial

import click
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from companion.bench.speed.ultralytics_baseline import predictor
from companion.cards import ALL_CARDS
from companion.dataset.scenes.compose import SceneMaker
from companion.dataset.scenes.layouts import Layout
from companion.vision.core.runtime import model_folder
from companion.vision.recognition.card_detector import CardDetector


def _median_ms(work: Callable[[], object], rounds: int) -> float:
    """Return the median time of one call in milliseconds, after two warm-up calls."""
    times = []
    for i in range(rounds + 2):
        start = time.perf_counter()
        work()
        if i >= 2:
            times.append(time.perf_counter() - start)
    return 1000 * statistics.median(times)


def _pictures() -> dict[str, NDArray[np.uint8]]:
    scenes = SceneMaker(0, (1280, 720), deck_count=1)
    ten = list(ALL_CARDS[:10])
    return {
        "one card": scenes.make(Layout.SINGLE).image,
        "hand of ten": scenes.make(Layout.CASCADE, ten).image,
    }


@click.command()
@click.option("--rounds", type=click.IntRange(1), default=20, show_default=True, help="Repetitions per picture.")
@click.option("--threads", type=click.IntRange(1), default=2, show_default=True, help="Threads of the networks.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def reader(rounds: int, threads: int, as_json: bool) -> None:
    """Time reading 1280 x 720 pictures (boxes, outlines, cards), compared with ultralytics' predict of boxes alone."""
    detector = CardDetector.shipped(threads=threads)
    predict = predictor(model_folder(), threads)
    rows: dict[str, dict[str, float]] = {}
    for name, image in _pictures().items():
        row = {"companion ms": _median_ms(partial(detector.detect, image), rounds)}
        if predict is not None:
            row["ultralytics ms"] = _median_ms(partial(predict, image), rounds)
            row["ratio"] = row["companion ms"] / row["ultralytics ms"]
        rows[name] = {key: round(value, 2) for key, value in row.items()}
    if as_json:
        click.echo(json.dumps(rows))
        return
    table = Table("picture", *next(iter(rows.values())))
    for name, row in rows.items():
        table.add_row(name, *(f"{value:.2f}" for value in row.values()))
    Console().print(table)
    if predict is None:
        click.echo("install the train extra to compare with ultralytics")
