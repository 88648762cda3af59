"""`companion bench watch`: latency and cost of tracking the pile, compared with the model on every frame."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from time import perf_counter, process_time

import click
import cv2
import numpy as np

from companion.bench.simulation.pile_scoring import ExactSightings, Outcome, Score, grade
from companion.bench.speed.ultralytics_baseline import predictor
from companion.commands.shared.parameters import EDITIONS
from companion.dataset.simulated.script import write_script
from companion.dataset.simulated.simulation import PileChange, SimulatedFrame, SimulatedTable
from companion.decks.model.edition_cards import deck_cards
from companion.editions import Edition
from companion.vision.capture.capture_loop import FrameConsumer
from companion.vision.capture.frames import Frame
from companion.vision.core.events import PileEvent
from companion.vision.core.geometry import Image
from companion.vision.core.runtime import ModelFileError, model_folder
from companion.vision.pile.pile_tracker import PileTracker
from companion.vision.recognition.card_detector import CardDetector
from companion.vision.tracking.table_tracker import TableTracker

_RATE = 30.0
# Frames are rendered in batches beforehand, so that no figure includes rendering.
_FRAMES_AT_ONCE = 150


@dataclass
class _Cost:
    """Time for tracking some footage, in seconds."""

    cpu: float = 0.0
    wall: float = 0.0
    footage: float = 0.0

    def measure(self, work: Callable[[], None], footage: float) -> float:
        """Run some work and add its time; returns the smaller of wall and processor time.

        On a busy machine one thread takes longer by the wall clock, on an idle one several threads by processor time.
        """
        cpu, wall = process_time(), perf_counter()
        work()
        spent, took = process_time() - cpu, perf_counter() - wall
        self.cpu += spent
        self.wall += took
        self.footage += footage
        return min(spent, took)

    def figures(self) -> dict[str, float]:
        """Return the processor time per second of footage, and the frames per second of wall time."""
        return {
            "CPU seconds per second": round(self.cpu / self.footage, 3),
            "frames per second": round(self.footage * _RATE / self.wall, 1),
        }

    def __str__(self) -> str:
        figures = self.figures()
        return (
            f"{figures['CPU seconds per second']:6.3f} CPU s per second of footage, "
            f"{figures['frames per second']:7.1f} frames per second"
        )


@click.command()
@click.option("--seed", default=1, show_default=True, help="Random seed.")
@click.option("--matches", default=1, show_default=True, type=click.IntRange(1), help="Number of matches to track.")
@click.option("--moves", default=12, show_default=True, type=click.IntRange(1), help="Number of moves per match.")
@click.option("--edition", default="mario-kart", type=EDITIONS, show_default=True, help="Edition to play.")
@click.option("--exact", is_flag=True, help="Track exact sightings instead of the networks' readings.")
@click.option("--threads", default=1, show_default=True, type=click.IntRange(1), help="Threads of the networks.")
@click.option("--model", type=click.Path(path_type=Path, file_okay=False), help="Folder of the networks.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def watch(
    seed: int,
    matches: int,
    moves: int,
    edition: Edition,
    exact: bool,
    threads: int,
    model: Path | None,
    as_json: bool,
) -> None:
    """Track simulated matches, pile and arms, at 1280 x 720 and 30 frames per second: events, latency, CPU time.

    Latency runs from the first frame in which a card lies open to its event: footage that the tracker waits for plus
    computing time, in which frames are dropped. If ultralytics is installed, it also processes the same frames one by
    one.
    """
    cv2.setNumThreads(threads)
    try:
        reader = None if exact else CardDetector.shipped(deck_cards(edition), model, threads=threads)
    except ModelFileError as error:
        raise click.ClickException(str(error)) from error
    score, ours, plain = Score(), _Cost(), _Cost()
    every_frame = None if exact else _every_frame(model or model_folder())
    for number in range(seed, seed + matches):
        script = write_script(number, edition, longest=moves)
        table = SimulatedTable(number, script, edition)
        detect = ExactSightings(number) if reader is None else reader.detect_pile
        tracker = PileTracker(detect, detect_closeup=None if reader is None else reader.detect_closeup)
        live = _Live(TableTracker(tracker, None if reader is None else reader.backs), ours)
        for chunk in _chunks(table):
            for frame in chunk:
                if isinstance(detect, ExactSightings):
                    detect.show(frame)
                live.show(frame)
            if every_frame is not None:
                images = [frame.image for frame in chunk]
                plain.measure(lambda images=images: every_frame(images), len(chunk) / _RATE)  # type: ignore[misc]
        grade(score, number, table.events, live.said)
        score.looks += tracker.look_count
    score.frames = round(ours.footage * _RATE)
    if as_json:
        click.echo(json.dumps(_rows(score, ours, plain)))
        return
    click.echo(score.table())
    for mistake in score.mistakes:
        click.echo(f"  {mistake}")
    click.echo(f"this tracker               {ours}")
    if every_frame is not None:
        click.echo(f"ultralytics, every frame   {plain}")
        click.echo(f"CPU time saved: {plain.cpu / ours.cpu:.1f} times less")


def _rows(score: Score, ours: _Cost, plain: _Cost) -> dict[str, dict[str, float]]:
    """Return the figures by row and measure; a measure's name ends with its unit."""
    rows = {"companion": ours.figures()}
    if score.latencies:
        median, late = np.percentile(score.latencies, [50, 95])
        rows["companion"] |= {"median latency ms": round(1000 * median), "p95 latency ms": round(1000 * late)}
    if plain.footage:
        rows["ultralytics, every frame"] = plain.figures()
        rows["companion"]["ratio"] = round(ours.cpu / plain.cpu, 3)
    for change in PileChange:
        counts = {f"{outcome.value} events": score.counts[change, outcome] for outcome in Outcome}
        rows[f"pile: {change.value}"] = dict(counts)
    rows["pile: nothing happened"] = {"invented events": score.counts[None, Outcome.INVENTED]}
    return rows


class _Live:
    """Shows a tracker frames as a camera would: frames that arrive while it computes are dropped."""

    def __init__(self, tracker: FrameConsumer, cost: _Cost) -> None:
        self.said: list[tuple[float, PileEvent]] = []
        self._tracker = tracker
        self._cost = cost
        self._free_at = 0.0

    def show(self, frame: SimulatedFrame) -> None:
        """Show the tracker a frame unless it is dropped; its events count from when they are computed."""
        if frame.time + 1 / _RATE <= self._free_at:
            self._cost.footage += 1 / _RATE
            return
        events: list[PileEvent] = []
        seen = Frame(frame.image, frame.time, frame.number)
        took = self._cost.measure(lambda: events.extend(self._tracker.feed(seen)), 1 / _RATE)
        self._free_at = max(self._free_at, frame.time) + took
        self.said += [(self._free_at, event) for event in events]


def _chunks(table: SimulatedTable) -> Iterator[list[SimulatedFrame]]:
    frames = table.frames()
    while chunk := list(islice(frames, _FRAMES_AT_ONCE)):
        yield chunk


def _every_frame(folder: Path) -> Callable[[Sequence[Image]], None] | None:
    """Return a function that runs the detector through ultralytics on pictures, None if it is not installed."""
    predict = predictor(folder)
    if predict is None:
        return None
    logging.getLogger("ultralytics").setLevel(logging.ERROR)
    predict(np.zeros((720, 1280, 3), np.uint8))

    def run(images: Sequence[Image]) -> None:
        for image in images:
            predict(image)

    return run
