"""Trains the embedding by metric learning on views of drawn faces."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
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
from companion.models.embedding.views import Photographer
from companion.models.learner import Learner
from companion.models.train_reader import half, share_of_rate

KINDS = ("card", "corner")
_log = logging.getLogger(__name__)
# Likenesses are multiplied by this before the softmax, and a crop's own face must lead by this much.
_SCALE, _MARGIN = 18.0, 0.1
_DECAY, _MOST = 0.02, 2.0
# How many decks a batch has faces of: those of one deck are the hard ones to tell apart.
_DECKS = 4
_SAVE_SECONDS, _CHECK_SECONDS = 120.0, 600.0
_CHECK_VIEWS, _CHECK_FACES = 2, 24


@dataclass(frozen=True)
class EmbeddingRun:
    """How to train: for `minutes` from the exported readers in `models`; state goes to `output`.

    faces: faces in a batch, each seen twice.
    """

    models: Path
    output: Path
    minutes: float = 60.0
    seed: int = 1
    device: str = "cpu"
    faces: int = 96
    rate: float = 1.5e-3


@dataclass(frozen=True, eq=False)
class _Batch:
    """Views (2 N, 3, H, W) RGB uint8: row i and row N + i are of the same face."""

    kind: str
    views: NDArray[np.uint8]


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


def rgb(views: list[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """Return (N, 3, H, W) RGB of BGR views (H, W, 3)."""
    return np.ascontiguousarray(np.stack(views)[..., ::-1].transpose(0, 3, 1, 2))


def _decks(gallery: Gallery, kind: str) -> list[NDArray[np.intp]]:
    """Return the faces of each deck that has some to tell apart."""
    return [faces for faces in gallery.classes(kind) if len(faces) > 3]


def batch(
    decks: list[NDArray[np.intp]], photographer: Photographer, kind: str, faces: int, rng: np.random.Generator
) -> _Batch:
    """Return two views of each of `faces` faces of a few decks."""
    chosen: list[int] = []
    while len(chosen) < faces:
        deck = decks[int(rng.integers(len(decks)))]
        some = rng.permutation(deck)[: -(-faces // _DECKS)]
        chosen += [int(face) for face in some if face not in chosen]
    take = photographer.card if kind == "card" else photographer.corner
    return _Batch(kind, rgb([take(face) for _ in range(2) for face in chosen[:faces]]))


def _batches(gallery: Gallery, run: EmbeddingRun, number: int) -> Iterator[_Batch]:
    """Yield batches of both kinds in turn without end, made in a thread ahead of use."""
    queue: Queue[_Batch | BaseException] = Queue(6)

    def fill() -> None:
        rng = np.random.default_rng([run.seed, number])
        photographer = Photographer(gallery, [run.seed, number, 1])
        decks = {kind: _decks(gallery, kind) for kind in KINDS}
        try:
            while True:
                for kind in KINDS:
                    queue.put(batch(decks[kind], photographer, kind, run.faces, rng))
        except BaseException as error:
            queue.put(error)

    threading.Thread(target=fill, daemon=True).start()
    while True:
        item = queue.get()
        if isinstance(item, BaseException):
            raise RuntimeError("views could not be drawn") from item
        yield item


Embed = Callable[[NDArray[np.uint8]], NDArray[np.float32]]


def check(gallery: Gallery, kind: str, embed: Embed, seed: int) -> Figures:
    """Return the figures, the mean over a gallery's decks: two views of each face are enrolled, two are asked for.

    embed: takes (N, 3, H, W) RGB uint8 crops to (N, D) vectors of length one.
    """
    rng = np.random.default_rng([seed, 2])
    photographer = Photographer(gallery, [seed, 3])
    take = photographer.card if kind == "card" else photographer.corner
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


def _learners(run: EmbeddingRun, gallery: Gallery) -> dict[str, Learner]:
    rng = np.random.default_rng([run.seed, 4])
    photographer = Photographer(gallery, [run.seed, 5])
    learners = {}
    for kind in KINDS:
        views = torch.from_numpy(batch(_decks(gallery, kind), photographer, kind, 96, rng).views)
        width, height = READER_SIZES[kind]
        crops = functional.interpolate(views.float(), (height, width), mode="bilinear").to(torch.uint8)
        network = from_reader(kind, run.models, crops)
        network.to(run.device, memory_format=torch.channels_last)
        learners[kind] = Learner(network, run.rate, _DECAY, _MOST)
    return learners


def train(run: EmbeddingRun, gallery: Gallery, held_out: Gallery, console: Console) -> None:
    """Train both networks, going on from `output`/last.pt where it is there.

    The learning rate rises and falls with the time that is spent (see `share_of_rate`). Every ten minutes the running
    means of the weights are measured on decks that are never trained on.
    """
    torch.set_num_threads(1)
    torch.manual_seed(run.seed)
    run.output.mkdir(parents=True, exist_ok=True)
    state_file = run.output / "last.pt"
    learners = _learners(run, gallery)
    spent, step = 0.0, 0
    if state_file.exists():
        state = torch.load(state_file, map_location=run.device)
        spent, step = state["spent"], state["step"]
        for kind, learner in learners.items():
            learner.restore(state[kind])
        _log.info("goes on from step %d after %.1f minutes", step, spent / 60)

    def save() -> None:
        state = {kind: learner.state() for kind, learner in learners.items()}
        torch.save({**state, "spent": spent, "step": step}, state_file.with_suffix(".tmp"))
        state_file.with_suffix(".tmp").replace(state_file)

    def report() -> None:
        for kind, learner in learners.items():
            mean = cast(Embedder, learner.mean)
            one = check(held_out, kind, embed_with(mean, run.device), 1)
            text = f"right {one.right:.4f} margin {one.margin:.3f} unknown {one.unknown:.4f}"
            console.print(f"{spent / 60:.1f} min, step {step}, {kind}: {text}")
            _log.info("%.1f min, step %d, %s: %s", spent / 60, step, kind, text)

    total = run.minutes * 60
    costs: dict[str, float] = {}
    saved = checked = spent
    columns = (BarColumn(), TextColumn("{task.description}"), TimeRemainingColumn())
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("embedding", total=total, completed=round(spent))
        start = time.monotonic()
        for item in _batches(gallery, run, step):
            learner = learners[item.kind]
            learner.model.train()
            with half(run.device):
                vectors = learner.model(_pixels(item.views, run.device))
            cost = contrast(vectors.float())
            learner.learn(cost, share_of_rate(round(spent), round(total)))
            costs[item.kind] = 0.98 * costs.get(item.kind, cost.item()) + 0.02 * cost.item()
            step += 1
            start, spent = time.monotonic(), spent + time.monotonic() - start
            shown = " ".join(f"{kind} {value:.3f}" for kind, value in costs.items())
            progress.update(task, completed=spent, description=f"step {step} {shown}")
            if step % 100 == 0:
                console.print(f"{spent / 60:.1f} min, step {step}: {shown}")
            if spent - saved > _SAVE_SECONDS:
                save()
                saved = spent
            if spent - checked > _CHECK_SECONDS:
                report()
                checked = spent
            if spent >= total:
                break
    save()
    report()
