"""Trains an embedding by metric learning on views of drawn faces."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from queue import Queue

import numpy as np
import torch
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from torch import nn

from companion.models.embedding.gallery import Gallery
from companion.models.embedding.lessons import Answer, Batch, CardLessons, Lessons, PartLessons, Views
from companion.models.embedding.measure import Floats
from companion.models.training.learner import Learner
from companion.models.training.readers import half, share_of_rate

_log = logging.getLogger(__name__)
_DECAY, _MOST = 0.02, 2.0
_SAVE_SECONDS, _CHECK_SECONDS = 120.0, 1200.0


@dataclass(frozen=True)
class EmbeddingRun:
    """How to train the network of whole cards ('card') or of parts ('part'): for `minutes` from networks in `models`.

    The checkpoint is `kind`.pt in `output`. faces: faces in a batch of whole cards, each seen twice; a batch of parts
    has as many views.
    """

    kind: str
    models: Path
    output: Path
    minutes: float = 60.0
    seed: int = 1
    device: str = "cpu"
    faces: int = 96

    @property
    def checkpoint(self) -> Path:
        """The file that training resumes from."""
        return self.output / f"{self.kind}.pt"


def _batches(lessons: Lessons, run: EmbeddingRun, number: int) -> Iterator[Batch]:
    """Yield batches without end, made in a thread ahead of use."""
    queue: Queue[Batch | BaseException] = Queue(6)

    def fill() -> None:
        try:
            for batch in lessons.batches(run.faces, [run.seed, number]):
                queue.put(batch)
        except BaseException as error:
            queue.put(error)

    threading.Thread(target=fill, daemon=True).start()
    while True:
        item = queue.get()
        if isinstance(item, BaseException):
            raise RuntimeError("views could not be drawn") from item
        yield item


def answer_with(network: nn.Module, device: str) -> Answer:
    """Return what runs a network on crops."""

    @torch.no_grad()
    def answer(views: Views) -> list[Floats]:
        network.eval()
        outputs = [network(_pixels(part, device)) for part in np.array_split(views, -(-len(views) // 64))]
        rows = [one if isinstance(one, tuple) else (one,) for one in outputs]
        return [torch.cat(one).cpu().numpy() for one in zip(*rows, strict=True)]

    return answer


def _pixels(views: Views, device: str) -> torch.Tensor:
    x = torch.from_numpy(views).to(device).float() / 255
    return x.contiguous(memory_format=torch.channels_last)


def train(run: EmbeddingRun, gallery: Gallery, held_out: Gallery, console: Console) -> None:
    """Train a network, resuming from its checkpoint if there is one.

    The learning rate follows the time that is spent (see `share_of_rate`). Every twenty minutes and at the end the
    averaged weights are measured on decks that are never trained on.
    """
    torch.manual_seed(run.seed)
    run.output.mkdir(parents=True, exist_ok=True)
    lessons: Lessons = (CardLessons if run.kind == "card" else PartLessons)(gallery, held_out)
    network = lessons.network(run.models, run.faces, run.seed).to(run.device, memory_format=torch.channels_last)
    learner = Learner(network, lessons.rate, _DECAY, _MOST)
    spent, step = 0.0, 0
    if run.checkpoint.exists():
        state = torch.load(run.checkpoint, map_location=run.device)
        spent, step = state.pop("spent"), state.pop("step")
        learner.restore(state)
        _log.info("resuming from step %d after %.1f minutes", step, spent / 60)

    def save() -> None:
        temporary = run.checkpoint.with_suffix(".tmp")
        torch.save({**learner.state(), "spent": spent, "step": step}, temporary)
        temporary.replace(run.checkpoint)

    def report() -> None:
        text = lessons.check(answer_with(learner.mean, run.device))
        console.print(f"{spent / 60:.1f} min, step {step}: {text}")
        _log.info("%.1f min, step %d: %s", spent / 60, step, text)

    total = run.minutes * 60
    saved = checked = spent
    mean_cost: float | None = None
    columns = (BarColumn(), TextColumn("{task.description}"), TimeRemainingColumn())
    with Progress(*columns, console=console) as progress:
        task = progress.add_task(run.kind, total=total, completed=round(spent))
        start = time.monotonic()
        for batch in _batches(lessons, run, step):
            learner.model.train()
            with half(run.device):
                output = learner.model(_pixels(batch.views, run.device))
            cost = lessons.loss(output, torch.from_numpy(batch.corners).to(run.device))
            learner.learn(cost, share_of_rate(round(spent), round(total)))
            mean_cost = cost.item() if mean_cost is None else 0.98 * mean_cost + 0.02 * cost.item()
            step += 1
            start, spent = time.monotonic(), spent + time.monotonic() - start
            progress.update(task, completed=spent, description=f"{run.kind}: step {step}, loss {mean_cost:.3f}")
            if step % 100 == 0:
                console.print(f"{spent / 60:.1f} min, step {step}: loss {mean_cost:.3f}")
            if spent - saved > _SAVE_SECONDS:
                save()
                saved = spent
            if spent - checked > _CHECK_SECONDS:
                report()
                start, checked = time.monotonic(), spent
            if spent >= total:
                break
    save()
    report()
