"""Trains the embedding by metric learning on views of drawn faces."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from queue import Queue
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from torch.nn import functional

from companion.models.embedding.gallery import Gallery
from companion.models.embedding.measure import Figures, figures, mean_figures
from companion.models.embedding.network import READER_SIZES, Embedder, from_reader
from companion.models.embedding.views import Photographer, rgb
from companion.models.training.learner import Learner
from companion.models.training.readers import half, share_of_rate
from companion.vision.core.geometry import Image

_log = logging.getLogger(__name__)
# Likenesses are multiplied by this before the softmax, and a crop's own face must lead by this much.
_SCALE, _MARGIN = 18.0, 0.1
_DECAY, _MOST = 0.02, 2.0
# How many decks a batch has faces of: those of one deck are the hard ones to tell apart.
_DECKS = 4
_SAVE_SECONDS, _CHECK_SECONDS = 120.0, 1200.0
_CHECK_VIEWS, _CHECK_FACES = 2, 12
# Learning rates: the corners' network starts as a trained reader.
_RATES = {"card": 1.5e-3, "corner": 8e-4}


@dataclass(frozen=True)
class EmbeddingRun:
    """How to train the network of 'card' or 'corner' crops: for `minutes` from the exported readers in `models`.

    The checkpoint is `kind`.pt in `output`. faces: faces in a batch, each seen twice.
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


def contrast(vectors: torch.Tensor) -> torch.Tensor:
    """Return the loss of (2 N, D) vectors of length one, rows i and N + i being of the same face.

    Cross entropy over the likeness to all others in the batch (NT-Xent: Chen et al., SimCLR, 2020), with an additive
    margin on the pair's own likeness (CosFace: Wang et al. 2018).
    """
    count = len(vectors)
    alike = vectors @ vectors.T
    own = torch.arange(count, device=vectors.device).roll(count // 2)
    alike = alike - _MARGIN * functional.one_hot(own, count)
    alike = alike - 4.0 * torch.eye(count, device=vectors.device)
    return functional.cross_entropy(alike * _SCALE, own)


def _decks(gallery: Gallery, kind: str) -> list[NDArray[np.intp]]:
    """Return the faces of each deck that has some to tell apart."""
    return [faces for faces in gallery.classes(kind) if len(faces) > 3]


def batch(
    decks: list[NDArray[np.intp]], take: Callable[[int], Image], faces: int, rng: np.random.Generator
) -> NDArray[np.uint8]:
    """Return (2 N, 3, H, W) RGB views of `faces` faces of a few decks: rows i and N + i are of the same face.

    take: takes a view of a face.
    """
    chosen: list[int] = []
    while len(chosen) < faces:
        deck = decks[int(rng.integers(len(decks)))]
        some = rng.permutation(deck)[: -(-faces // _DECKS)]
        chosen += [int(face) for face in some if face not in chosen]
    return rgb([take(face) for _ in range(2) for face in chosen[:faces]])


def _batches(gallery: Gallery, run: EmbeddingRun, number: int) -> Iterator[NDArray[np.uint8]]:
    """Yield batches without end, made in a thread ahead of use."""
    queue: Queue[NDArray[np.uint8] | BaseException] = Queue(6)

    def fill() -> None:
        rng = np.random.default_rng([run.seed, number])
        take = _taker(gallery, run.kind, [run.seed, number, 1])
        decks = _decks(gallery, run.kind)
        try:
            while True:
                queue.put(batch(decks, take, run.faces, rng))
        except BaseException as error:
            queue.put(error)

    threading.Thread(target=fill, daemon=True).start()
    while True:
        item = queue.get()
        if isinstance(item, BaseException):
            raise RuntimeError("views could not be drawn") from item
        yield item


def _taker(gallery: Gallery, kind: str, seed: Sequence[int]) -> Callable[[int], Image]:
    photographer = Photographer(gallery, seed)
    return photographer.card if kind == "card" else photographer.corner


Embed = Callable[[NDArray[np.uint8]], NDArray[np.float32]]


def check(gallery: Gallery, kind: str, embed: Embed, seed: int) -> Figures:
    """Return the figures, the mean over a gallery's decks: two views of each face are enrolled, two are asked for.

    embed: takes (N, 3, H, W) RGB uint8 crops to (N, D) vectors of length one.
    """
    rng = np.random.default_rng([seed, 2])
    take = _taker(gallery, kind, [seed, 3])
    each = []
    for deck in gallery.classes(kind):
        if len(deck) < 8:
            continue
        faces = rng.permutation(deck)[:_CHECK_FACES]
        names = np.repeat(np.arange(len(faces)), _CHECK_VIEWS)
        enrolled, queries = (embed(rgb([take(int(faces[name])) for name in names])) for _ in range(2))
        each.append(figures(enrolled, names, queries, names))
    return mean_figures(each)


def embed_with(network: Embedder, device: str) -> Embed:
    """Return what embeds crops with a network."""

    @torch.no_grad()
    def embed(views: NDArray[np.uint8]) -> NDArray[np.float32]:
        network.eval()
        vectors = [network(_pixels(part, device)).cpu().numpy() for part in np.array_split(views, -(-len(views) // 64))]
        return np.concatenate(vectors)

    return embed


def _pixels(views: NDArray[np.uint8], device: str) -> torch.Tensor:
    x = torch.from_numpy(views).to(device).float() / 255
    return x.contiguous(memory_format=torch.channels_last)


def _learner(run: EmbeddingRun, gallery: Gallery) -> Learner:
    rng = np.random.default_rng([run.seed, 4])
    take = _taker(gallery, run.kind, [run.seed, 5])
    views = torch.from_numpy(batch(_decks(gallery, run.kind), take, run.faces, rng))
    width, height = READER_SIZES[run.kind]
    crops = functional.interpolate(views.float(), (height, width), mode="bilinear").to(torch.uint8)
    network = from_reader(run.kind, run.models, crops)
    network.to(run.device, memory_format=torch.channels_last)
    return Learner(network, _RATES[run.kind], _DECAY, _MOST)


def train(run: EmbeddingRun, gallery: Gallery, held_out: Gallery, console: Console) -> None:
    """Train a network, resuming from its checkpoint if there is one.

    The learning rate follows the time that is spent (see `share_of_rate`). Every twenty minutes and at the end the
    averaged weights are measured on decks that are never trained on.
    """
    torch.manual_seed(run.seed)
    run.output.mkdir(parents=True, exist_ok=True)
    learner = _learner(run, gallery)
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
        one = check(held_out, run.kind, embed_with(cast(Embedder, learner.mean), run.device), 1)
        text = f"right {one.right:.4f} margin {one.margin:.3f} unknown {one.unknown:.4f}"
        console.print(f"{spent / 60:.1f} min, step {step}: {text}")
        _log.info("%.1f min, step %d: %s", spent / 60, step, text)

    total = run.minutes * 60
    saved = checked = spent
    mean_cost: float | None = None
    columns = (BarColumn(), TextColumn("{task.description}"), TimeRemainingColumn())
    with Progress(*columns, console=console) as progress:
        task = progress.add_task(run.kind, total=total, completed=round(spent))
        start = time.monotonic()
        for views in _batches(gallery, run, step):
            learner.model.train()
            with half(run.device):
                vectors = learner.model(_pixels(views, run.device))
            cost = contrast(vectors.float())
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
