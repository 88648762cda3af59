"""Fine-tunes an exported reader on crops in memory, with distillation from its initial state."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path

import torch

from companion.models.networks.onnx_import import measure_norms, unfolded
from companion.models.training.learner import Learner
from companion.models.training.readers import half, loss
from companion.models.training_data.feed import Tensors
from companion.models.training_data.ring_buffer import (
    RingBuffer,
    lit,
    moved,
    moved_corners,
    turned_cards,
    turned_indices,
)
from companion.vision.core.geometry import CARD_CROP, INDEX_CROP
from companion.vision.core.labels import NO_CARD

_RATE, _DECAY, _MAX_NORM = 0.0008, 0.02, 2.0
# Weight of the loss that keeps the card reader's features, because learnt decks are matched by them.
_FEATURE_WEIGHT = 0.1
# Number of crops to measure batch normalisation on, and the batch size of inference.
_MEASURED, _CHUNK = 2000, 256


class LearningReader:
    """An exported reader while it is fine-tuned, with its initial state as teacher.

    Distillation: Hinton, Vinyals and Dean 2015, as in models/training/readers.py. Crops may take `memory` bytes.
    """

    def __init__(self, file: Path, kind: str, batch: int, memory: float, device: str) -> None:
        self._kind, self._batch, self._device = kind, batch, device
        reader = unfolded(file, kind).to(device, memory_format=torch.channels_last)
        self._teacher, self._reader = deepcopy(reader), reader
        self._learner: Learner | None = None
        width, height = CARD_CROP if kind == "card" else (INDEX_CROP, INDEX_CROP)
        self._ring = RingBuffer(max(1, int(memory / (3 * width * height))), device)

    @torch.no_grad()
    def add(self, shard: Tensors) -> None:
        """Add the crops of a shard."""
        known = []
        with half(self._device):
            for crops in shard.clear[self._kind].to(self._device).split(_CHUNK):
                images = (crops.float() / 255).contiguous(memory_format=torch.channels_last)
                known.append(self._teacher.features(images))
            features = torch.cat(known)
            scores = self._teacher.answers(features)
        images = shard.shown[self._kind]
        self._ring.add({"images": images, **shard.targets[self._kind], "scores": scores, "features": features})

    def begin(self) -> None:
        """Measure batch normalisation on the crops that are there, and start training."""
        measure_norms(self._reader, self._ring.pick(min(_MEASURED, self._ring.count))["images"])
        self._learner = Learner(self._reader.train(), _RATE, _DECAY, _MAX_NORM)

    def step(self, share: float) -> torch.Tensor:
        """Take one training step at this share of the learning rate and return the loss."""
        assert self._learner is not None
        rows = self._ring.pick(self._batch)
        images = rows.pop("images").float()
        if self._kind == "card":
            images, rows["corners"], over = turned_cards(images, rows["corners"])
        else:
            images, rows["turn"] = turned_indices(images, rows["turn"])
        shown = moved(images)
        if self._kind == "card":
            rows["corners"] = moved_corners(rows["corners"].view(-1, 4, 2), shown.matrices).view(-1, 8)
        model = self._learner.model
        with half(self._device):
            features = model.features(lit(shown.images))
            answers = model.answers(features)
        cost = loss(model, answers.float(), rows, rows["scores"].float())
        if self._kind == "card":
            known = rows["features"].float()
            distance = ((features.float() - known) ** 2).mean(1) / (known**2).mean()
            same = (rows["face"] != NO_CARD) & ~over
            cost = cost + _FEATURE_WEIGHT * (distance * same).sum() / same.sum().clamp(min=1)
        self._learner.learn(cost, share)
        return cost.detach()

    def weights(self) -> dict[str, torch.Tensor]:
        """Return the averaged weights."""
        assert self._learner is not None
        return {name: values.cpu() for name, values in self._learner.mean.state_dict().items()}
