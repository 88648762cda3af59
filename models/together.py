"""Trains all three networks on from exported ones for some minutes, on scenes that are drawn meanwhile.

A fast graphics card learns quicker than a few processes draw, and more of new scenes than of old ones: nothing is drawn
beforehand, and the learning rate follows the clock.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from rich.console import Console
from rich.progress import Progress

from companion.dataset.scenes.generate import Recipe
from companion.models.boxing import LearningDetector
from companion.models.export import NAMES
from companion.models.feed import Feed, Tensors
from companion.models.reading import LearningReader
from companion.models.stream import Drawing
from companion.models.train_reader import share_of_rate

FILES = ("detector.onnx", "detector.pt", *(f"{name}.onnx" for name in NAMES.values()))
"""What is gone on from."""

# Steps of the readers for one of the detector, and crops for each of its views: a card's takes six times an index's.
_READER_STEPS = 2
_CROPS = {"card": 10, "index": 20}
# Shares of the free memory that pictures and crops may take; networks and batches take the rest.
_PICTURES, _HELD = 0.4, {"card": 0.1, "index": 0.045}
# Bytes that count as free without a graphics card.
_WITHOUT_CARD = 2e9
# Seconds.
_SAVED_EVERY, _TOLD_EVERY = 60.0, 1.0


@dataclass(frozen=True)
class TogetherRun:
    """How to train on from the networks of `models`: for so many minutes, once `first` scenes are drawn.

    `output` gets detector/weights/best.pt and readers/last.pt. batch: views of `size` px of a step of the detector; the
    readers' steps follow it. workers: processes that draw, one for every core but one by default. backgrounds, picture
    (its `size`), hard, cards: as for `Recipe`.
    """

    models: Path
    output: Path
    minutes: float = 10
    seed: int = 1
    device: str = "cpu"
    workers: int | None = None
    backgrounds: Path | None = None
    cards: Path | None = None
    batch: int = 64
    size: int = 512
    picture: int = 640
    hard: float = 0.35
    first: int = 3000

    def drawing(self) -> Drawing:
        """Return what is drawn for it."""
        recipe = Recipe(
            "train", 0, self.seed, self.picture, backgrounds=self.backgrounds, cards=self.cards, hard=self.hard
        )
        return Drawing(recipe, self.models / "detector.onnx", self.size)


def _memory(device: str) -> float:
    return torch.cuda.mem_get_info(device)[0] if device.startswith("cuda") else _WITHOUT_CARD


def _save(run: TogetherRun, detector: LearningDetector, readers: Mapping[str, LearningReader]) -> None:
    detector.save(run.output / "detector" / "weights" / "best.pt")
    path = run.output / "readers" / "last.pt"
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save({kind: reader.weights() for kind, reader in readers.items()}, path.with_suffix(".tmp"))
    path.with_suffix(".tmp").replace(path)


def train(run: TogetherRun, console: Console | None = None) -> None:
    """Train for the run's minutes; write what can be exported each minute and at the end, where alone it is ripe.

    Raises ValueError where the readers' files are of other networks, RuntimeError where no more scenes can be drawn.
    """
    torch.manual_seed(run.seed)
    memory = _memory(run.device)
    detector = LearningDetector(
        run.models / "detector.pt", run.picture, run.size, run.batch, memory * _PICTURES, run.device
    )
    readers = {
        kind: LearningReader(
            run.models / f"{name}.onnx", kind, run.batch * _CROPS[kind], memory * _HELD[kind], run.device
        )
        for kind, name in NAMES.items()
    }
    drawn = 0

    def take(shard: Tensors) -> None:
        nonlocal drawn
        drawn += len(shard.pictures)
        detector.add(shard)
        for reader in readers.values():
            reader.add(shard)

    workers = run.workers or max(1, (os.cpu_count() or 1) - 1)
    with Progress(console=console) as progress, Feed(run.drawing(), workers) as feed:
        bar = progress.add_task("first scenes", total=run.first)
        while drawn < run.first:
            for shard in feed.ready(wait=True):
                take(shard)
            progress.update(bar, completed=drawn)
        for reader in readers.values():
            reader.begin()
        bar = progress.add_task("training", total=run.minutes * 60)
        start = told = saved = time.monotonic()
        while (gone := time.monotonic() - start) < run.minutes * 60:
            for shard in feed.ready():
                take(shard)
            share = share_of_rate(int(1000 * gone / (run.minutes * 60)), 1000)
            costs = {"boxes": detector.step(share)}
            for _ in range(_READER_STEPS):
                costs |= {kind: reader.step(share) for kind, reader in readers.items()}
            now = time.monotonic()
            if now - told > _TOLD_EVERY:
                told = now
                figures = ", ".join(f"{name} {cost.item():.3f}" for name, cost in costs.items())
                progress.update(bar, completed=now - start, description=f"{drawn} scenes, costs: {figures}")
            if now - saved > _SAVED_EVERY:
                saved = now
                _save(run, detector, readers)
        progress.update(bar, completed=run.minutes * 60)
    _save(run, detector, readers)
