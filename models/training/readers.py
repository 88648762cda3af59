"""Trains the two readers, of whole cards and of corner indices, on the crops of labelled scenes."""

from __future__ import annotations

import contextlib
import math
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from queue import Queue
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from rich.console import Console
from torch import nn
from torch.nn import functional
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from companion.models.networks.readers import Reader, card_reader, index_reader
from companion.models.training_data.crops import EASY, IGNORE, CropBatch, Limits, batches
from companion.vision.core.labels import NO_CARD

_CORNER_WEIGHT = 12.0
_AVERAGE_DECAY = 0.998
# Share of the teacher's output in the target: training on degraded crops alone loses small and rare symbols.
_TEACHER_SHARE = 0.35


@dataclass(frozen=True)
class ReaderRun:
    """How to train: `epochs` over the scenes of `data`, `scenes` of them per step; checkpoints go to `output`.

    easy_epochs: first epochs with large, unoccluded cards only (curriculum learning: Bengio et al. 2009). start:
    checkpoint to fine-tune, None for random weights. hard: share of the crops that are degraded; with a start, its
    network is the teacher on the clean crops (Hinton, Vinyals and Dean, Distilling the Knowledge in a Neural Network,
    2015).
    """

    data: Path
    output: Path
    epochs: int = 8
    easy_epochs: int = 2
    scenes: int = 24
    rate: float = 1.5e-3
    seed: int = 0
    device: str = "cpu"
    start: Path | None = None
    hard: float = 0.0


def _ahead(items: Iterator[CropBatch], depth: int = 4) -> Iterator[CropBatch]:
    """Yield the items, prefetched by a thread."""
    queue: Queue[CropBatch | None] = Queue(depth)

    def fill() -> None:
        for item in items:
            queue.put(item)
        queue.put(None)

    threading.Thread(target=fill, daemon=True).start()
    while (item := queue.get()) is not None:
        yield item


def share_of_rate(step: int, steps: int) -> float:
    """Return the share of the learning rate: linear warm-up over a tenth of the steps, then a half cosine to zero."""
    warm = max(1, steps // 10)
    fall = max(0.0, (step - warm) / max(1, steps - warm))
    return min(1.0, (step + 1) / warm) * 0.5 * (1 + math.cos(math.pi * min(1.0, fall)))


def parts(model: Reader, output: torch.Tensor) -> dict[str, torch.Tensor]:
    """Return a reader's logits by head."""
    return dict(zip(model.sizes, output.split(list(model.sizes.values()), 1), strict=True))


def loss(
    model: Reader, output: torch.Tensor, targets: dict[str, torch.Tensor], teacher_output: torch.Tensor | None = None
) -> torch.Tensor:
    """Return the loss of a batch's logits (N, sum of head sizes), float32.

    targets: by head, IGNORE where a crop has no label; corners (N, 8). teacher_output: logits of the teacher on the
    clean crops, used for faces and colours of cards. It is not used for crops without a card, because mined boxes are
    its own mistakes.
    """
    total = output.new_zeros(())
    soft = {} if teacher_output is None else parts(model, teacher_output)
    card = targets["face"] != NO_CARD
    for name, logits in parts(model, output).items():
        if name == "corners":
            off = functional.smooth_l1_loss(logits, targets["corners"], beta=0.03, reduction="none").mean(1)
            total = total + _CORNER_WEIGHT * _mean(off, card)
            continue
        each = functional.cross_entropy(
            logits, targets[name], ignore_index=IGNORE, label_smoothing=0.02, reduction="none"
        )
        if name in soft and name != "turn":
            probabilities, logs = functional.softmax(soft[name], 1), functional.log_softmax(logits, 1)
            divergence = functional.kl_div(logs, probabilities, reduction="none").sum(1)
            each = torch.where(card, (1 - _TEACHER_SHARE) * each + _TEACHER_SHARE * divergence, each)
        total = total + (1.0 if name == "face" else 0.5) * _mean(each, targets[name] != IGNORE)
    return total


def _mean(values: torch.Tensor, of: torch.Tensor) -> torch.Tensor:
    """Return the mean of the selected (N,) values, 0 if none are; without synchronising a GPU."""
    return (values * of).sum() / of.sum().clamp(min=1)


def _tensors(
    images: NDArray[np.uint8], targets: dict[str, NDArray[np.generic]], device: str
) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    x = torch.from_numpy(images).to(device).float().div_(255)
    return x.contiguous(memory_format=torch.channels_last), {
        name: torch.from_numpy(values).to(device) for name, values in targets.items()
    }


def half(device: str) -> contextlib.AbstractContextManager[object]:
    """Return autocast to bfloat16: twice as fast on CPUs with AMX, and exact enough for training."""
    return torch.autocast(device.split(":")[0], dtype=torch.bfloat16)


@torch.no_grad()
def validate(models: dict[str, Reader], data: Path, device: str) -> dict[str, float]:
    """Return the accuracy of faces, colours and both, and the mean corner error, of each reader on split 'val'."""
    sums: dict[str, list[float]] = {}
    for model in models.values():
        model.eval()
    for batch in batches(data, "val", 24, 1, 0, Limits()):
        for kind, images, raw in batch.parts():
            x, targets = _tensors(images, raw, device)
            model = models[kind]
            said = parts(model, model(x))
            there = targets["face"] != NO_CARD
            face = said["face"].argmax(1) == targets["face"]
            color = said["color"].argmax(1) == targets["color"]
            sums.setdefault(f"{kind} face", []).extend(face[there].float().tolist())
            sums.setdefault(f"{kind} color", []).extend(color[there].float().tolist())
            sums.setdefault(f"{kind} exact", []).extend((face & color)[there].float().tolist())
            sums.setdefault(f"{kind} none", []).extend(face[~there].float().tolist())
            if "corners" in said:
                off = (said["corners"] - targets["corners"]).abs().mean(1)
                sums.setdefault(f"{kind} corner error", []).extend(off[there].tolist())
            else:
                turned = said["turn"].argmax(1) == targets["turn"]
                sums.setdefault(f"{kind} turn", []).extend(turned[there].float().tolist())
    return {name: float(np.mean(values)) for name, values in sums.items()}


def running_mean(model: Reader) -> AveragedModel:
    """Return the running mean of the weights over some hundred steps, which is better than the latest weights."""
    return AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(_AVERAGE_DECAY), use_buffers=True)


def _batches(run: ReaderRun, epoch: int, limits: Limits) -> Iterator[CropBatch]:
    return batches(run.data, "train", run.scenes, run.seed, epoch, limits, run.hard)


def _load_teachers(start: Path, device: str) -> dict[str, Reader]:
    """Return the networks of a checkpoint as teachers."""
    state = torch.load(start, map_location=device)
    teachers = {"card": card_reader(), "index": index_reader()}
    for kind, teacher in teachers.items():
        teacher.load_state_dict(state[kind], strict=False)
        teacher.to(device, memory_format=torch.channels_last).eval()
    return teachers


@torch.no_grad()
def _teacher_output(teacher: Reader, images: NDArray[np.uint8], device: str) -> torch.Tensor:
    """Return a teacher's logits of (N, 3, H, W) RGB uint8 crops."""
    said: torch.Tensor = teacher(_tensors(images, {}, device)[0]).float()
    return said


def train(run: ReaderRun, console: Console | None = None) -> None:
    """Train both readers, resuming from `output`/last.pt, which is written after every epoch.

    AdamW with warm-up and a half cosine (Loshchilov and Hutter 2017). Validation and export use running means of the
    weights (Polyak and Juditsky 1992). `console` gets a line of figures per epoch.
    """
    console = console or Console()
    run.output.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(run.seed)
    models = {"card": card_reader(), "index": index_reader()}
    per_epoch = math.ceil(sum(1 for _ in (run.data / "train.jsonl").open()) / run.scenes)
    for model in models.values():
        model.to(run.device, memory_format=torch.channels_last)
    optimizers = {
        kind: torch.optim.AdamW(model.parameters(), lr=run.rate, weight_decay=0.02) for kind, model in models.items()
    }
    first = 0
    state_file = run.output / "last.pt"
    if run.start is not None and not state_file.exists():
        state = torch.load(run.start, map_location=run.device)
        for kind in models:
            # Residual blocks that the checkpoint lacks start as the identity.
            unknown = models[kind].load_state_dict(state[kind], strict=False).unexpected_keys
            if unknown:
                raise ValueError(f"{run.start} is of another network: {unknown[0]}")
    teachers = _load_teachers(run.start, run.device) if run.hard and run.start is not None else {}
    averages = {kind: running_mean(model) for kind, model in models.items()}
    if state_file.exists():
        state = torch.load(state_file, map_location=run.device)
        first = state["epoch"] + 1
        for kind in models:
            averages[kind].module.load_state_dict(state[kind])
            models[kind].load_state_dict(state[f"{kind} latest"])
            averages[kind].n_averaged += 1  # or the next update would restart the mean
            optimizers[kind].load_state_dict(state[f"{kind} optimizer"])
    for epoch in range(first, run.epochs):
        recent: dict[str, float] = {}
        for model in models.values():
            model.train()
        limits = EASY if epoch < run.easy_epochs else Limits()
        for step, batch in enumerate(_ahead(_batches(run, epoch, limits))):
            for kind, images, raw in batch.parts():
                if len(images) < 2:
                    continue
                for group in optimizers[kind].param_groups:
                    group["lr"] = run.rate * share_of_rate(epoch * per_epoch + step, run.epochs * per_epoch)
                x, targets = _tensors(images, raw, run.device)
                with half(run.device):
                    teacher_output = (
                        _teacher_output(teachers[kind], batch.clear[kind], run.device) if kind in teachers else None
                    )
                    output = models[kind](x)
                cost = loss(models[kind], output.float(), targets, teacher_output)
                optimizers[kind].zero_grad(set_to_none=True)
                cost.backward()
                nn.utils.clip_grad_norm_(models[kind].parameters(), 2.0)
                optimizers[kind].step()
                averages[kind].update_parameters(models[kind])
                recent[kind] = 0.98 * recent.get(kind, cost.item()) + 0.02 * cost.item()
            if step % 50 == 0:
                console.print(f"epoch {epoch} step {step} " + " ".join(f"{k} {v:.3f}" for k, v in recent.items()))
        means = {kind: cast(Reader, average.module) for kind, average in averages.items()}
        figures = validate(means, run.data, run.device)
        console.print(f"epoch {epoch}: " + ", ".join(f"{name} {value:.4f}" for name, value in figures.items()))
        state = {"epoch": epoch, "figures": figures}
        for kind in models:
            state[kind] = means[kind].state_dict()
            state[f"{kind} latest"] = models[kind].state_dict()
            state[f"{kind} optimizer"] = optimizers[kind].state_dict()
        torch.save(state, state_file.with_suffix(".tmp"))
        state_file.with_suffix(".tmp").replace(state_file)
