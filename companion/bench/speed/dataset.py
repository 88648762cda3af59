"""`companion bench dataset`: labelled scenes drawn per second on one core."""

from __future__ import annotations

import json
import time

import click
import cv2

from companion.dataset.scenes.generate import Recipe, maker, yolo_labels


@click.command()
@click.option(
    "--scenes", "count", type=click.IntRange(1), default=200, show_default=True, help="Number of scenes to draw."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def dataset(count: int, as_json: bool) -> None:
    """Time drawing 640 px scenes with their labels on one core; decks and table tops are made beforehand."""
    cv2.setNumThreads(1)
    scenes = maker(Recipe("train", count, seed=0), 0)
    start = time.process_time()
    for _ in range(count):
        yolo_labels(scenes.make())
    rate = count / (time.process_time() - start)
    click.echo(json.dumps({"scenes per second": round(rate, 1)}) if as_json else f"{rate:.1f} scenes per second")
