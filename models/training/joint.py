"""Fine-tunes all three networks together on scenes that worker processes draw meanwhile.

A fast GPU trains faster than the workers draw, and new scenes teach more than repeated ones. The learning rate follows
the clock.
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
from companion.models.networks.export import NAMES
from companion.models.training.detector_tuning import LearningDetector
from companion.models.training.reader_tuning import LearningReader
from companion.models.training.readers import share_of_rate
from companion.models.training_data.feed import Feed, Tensors
from companion.models.training_data.stream import Drawing

FILES = ("detector.onnx", "detector.pt", *(f"{name}.onnx" for name in NAMES.values()))
"""The files that training starts from."""

# Reader steps per detector step, and crops per detector view: a card crop costs six times an index crop.
_READER_STEPS = 2
_CROPS = {"card": 10, "index": 20}
# Shares of the free memory for pictures and crops; the rest is for networks and batches.
_PICTURES, _HELD = 0.4, {"card": 0.1, "index": 0.045}
# Bytes to use without a GPU.
_CPU_MEMORY = 2e9
# Seconds.
_SAVE_SECONDS, _REPORT_SECONDS = 60.0, 1.0


@dataclass(frozen=True)
class TogetherRun:
    """How to fine-tune the networks of `models`: for `minutes` once `first` scenes are drawn.

    `output` gets detector/weights/best.pt and readers/last.pt. batch: detector views of `size` px per step; the
    readers' batches follow from it. workers: drawing processes, by default one per core but one. backgrounds, picture
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
        """Return what to draw."""
        recipe = Recipe(
            "train", 0, self.seed, self.picture, backgrounds=self.backgrounds, cards=self.cards, hard=self.hard
        )
        return Drawing(recipe, self.models / "detector.onnx", self.size)


def _memory(device: str) -> float:
    return torch.cuda.mem_get_info(device)[0] if device.startswith("cuda") else _CPU_MEMORY


def _save(run: TogetherRun, detector: LearningDetector, readers: Mapping[str, LearningReader]) -> None:
    detector.save(run.output / "detector" / "weights" / "best.pt")
    path = run.output / "readers" / "last.pt"
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save({kind: reader.weights() for kind, reader in readers.items()}, path.with_suffix(".tmp"))
    path.with_suffix(".tmp").replace(path)


def train(run: TogetherRun, console: Console | None = None) -> None:
    """Train for the run's minutes; write checkpoints each minute and at the end. Only the final weights are fully
    annealed.

    Raises ValueError if the readers' files are of other networks, RuntimeError if a worker fails.
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
        start = reported = saved = time.monotonic()
        while (elapsed := time.monotonic() - start) < run.minutes * 60:
            for shard in feed.ready():
                take(shard)
            share = share_of_rate(int(1000 * elapsed / (run.minutes * 60)), 1000)
            costs = {"boxes": detector.step(share)}
            for _ in range(_READER_STEPS):
                costs |= {kind: reader.step(share) for kind, reader in readers.items()}
            now = time.monotonic()
            if now - reported > _REPORT_SECONDS:
                reported = now
                figures = ", ".join(f"{name} {cost.item():.3f}" for name, cost in costs.items())
                progress.update(bar, completed=now - start, description=f"{drawn} scenes, costs: {figures}")
            if now - saved > _SAVE_SECONDS:
                saved = now
                _save(run, detector, readers)
        progress.update(bar, completed=run.minutes * 60)
    _save(run, detector, readers)
