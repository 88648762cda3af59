"""Fine-tunes the detector on views of pictures that are kept in memory."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import torch
from torch.nn import functional

from companion.models.networks.detector import let_learn, load_checkpoint
from companion.models.training.learner import Learner
from companion.models.training.readers import half
from companion.models.training_data.feed import Tensors
from companion.models.training_data.ring_buffer import RingBuffer

RATE, DECAY, MAX_NORM = 0.0012, 0.0005, 10.0
"""Learning rate, weight decay, and maximum norm of the gradients."""
GREY = 114
"""Grey level, 0..255, of the padding outside a picture, as in ultralytics."""
# Maximum change of saturation and brightness, standard deviation of the logarithm of the white balance, share of the
# views with noise, and its maximum.
_SATURATION, _BRIGHTNESS, _BALANCE, _NOISY, _NOISE = 0.3, 0.3, 0.04, 0.3, 0.05
_CHUNK = 32


def cut(pictures: torch.Tensor, matrices: torch.Tensor, size: int) -> torch.Tensor:
    """Return views (N, 3, size, size) in 0..1 of (N, 3, S, S) uint8 pictures by (N, 2, 3) affine matrices.

    Each pixel is the mean of four samples, against aliasing.
    """
    grid = functional.affine_grid(matrices, [len(pictures), 3, 2 * size, 2 * size], align_corners=False)
    shown = functional.grid_sample(pictures.float() - GREY, grid, align_corners=False)
    return (functional.avg_pool2d(shown, 2) + GREY) / 255


def lit(views: torch.Tensor) -> torch.Tensor:
    """Return (N, 3, H, W) views in 0..1 with other colours and brightness, some with noise."""
    lots = (len(views), 1, 1, 1)

    def between(most: float) -> torch.Tensor:
        return 1 + most * (2 * torch.rand(lots, device=views.device) - 1)

    grey = views.mean(1, keepdim=True)
    views = (grey + (views - grey) * between(_SATURATION)) * between(_BRIGHTNESS)
    views = views * (torch.randn(len(views), 3, 1, 1, device=views.device) * _BALANCE).exp()
    noisy = torch.rand(lots, device=views.device) < _NOISY
    noise = noisy * torch.rand(lots, device=views.device) * _NOISE
    return (views + torch.randn_like(views) * noise).clamp(0, 1).contiguous(memory_format=torch.channels_last)


def exact(answers: Any) -> Any:
    """Return ultralytics' outputs in single precision: half precision rounds coordinates to whole pixels."""
    if isinstance(answers, dict):
        return {name: exact(value) for name, value in answers.items()}
    if isinstance(answers, list | tuple):
        return type(answers)(map(exact, answers))
    return answers.float() if torch.is_tensor(answers) else answers


class LearningDetector:
    """The detector of an ultralytics checkpoint while it is trained. Pictures may take `memory` bytes."""

    def __init__(self, checkpoint: Path, picture: int, size: int, batch: int, memory: float, device: str) -> None:
        from ultralytics.cfg import get_cfg

        self._size, self._batch, self._device = size, batch, device
        self._state, model = load_checkpoint(checkpoint)
        let_learn(model)
        model.to(device, memory_format=torch.channels_last)
        self._learner = Learner(model, RATE, DECAY, MAX_NORM)
        # Only the criterion needs the loss weights, and a stripped checkpoint lacks some of them.
        settings, model.args = model.args, get_cfg()
        self._criterion = model.init_criterion()
        model.args = settings
        model.train()
        self._ring = RingBuffer(max(1, int(memory / (3 * picture**2))), device)

    def add(self, shard: Tensors) -> None:
        """Add the pictures and views of a shard."""
        self._ring.add({"pictures": shard.pictures, "matrices": shard.matrices, "boxes": shard.boxes})

    def step(self, share: float) -> torch.Tensor:
        """Take one training step at this share of the learning rate and return the loss."""
        rows = self._ring.pick(self._batch)
        every = torch.arange(self._batch, device=self._device)
        lot = torch.randint(rows["matrices"].shape[1], (self._batch,), device=self._device)
        matrices, boxes = rows["matrices"][every, lot], rows["boxes"][every, lot]
        pieces = zip(rows["pictures"].split(_CHUNK), matrices.split(_CHUNK), strict=True)
        views = lit(torch.cat([cut(pictures, some, self._size) for pictures, some in pieces]))
        there = boxes[..., 0] >= 0
        targets = {"batch_idx": there.nonzero()[:, 0].float(), "cls": boxes[there][:, 0], "bboxes": boxes[there][:, 1:]}
        with half(self._device):
            answers = self._learner.model(views)
        costs, _ = self._criterion(exact(answers), targets)
        cost = costs.sum() / self._batch
        self._learner.learn(cost, share)
        return cost.detach()

    def save(self, checkpoint: Path) -> None:
        """Write the averaged weights as an ultralytics checkpoint, ready for `companion train export`."""
        checkpoint.parent.mkdir(parents=True, exist_ok=True)
        state = {**self._state, "model": deepcopy(self._learner.mean).cpu().half(), "ema": None}
        torch.save(state, checkpoint.with_suffix(".tmp"))
        checkpoint.with_suffix(".tmp").replace(checkpoint)
