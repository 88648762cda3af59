"""The readers' networks: a small convolutional trunk with one linear head per question. Needs the `train` extra."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import nn

from companion.vision.core.labels import COLOR_COUNT, FACE_COUNT

CARD_HEADS = {"face": FACE_COUNT, "color": COLOR_COUNT, "corners": 8}
INDEX_HEADS = {"face": FACE_COUNT, "color": COLOR_COUNT, "turn": 4}

_NECK = 128


def block(inputs: int, outputs: int, stride: int) -> nn.Sequential:
    """Return a 3 x 3 convolution with batch normalisation and SiLU."""
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.SiLU(inplace=True)
    )


class Residual(nn.Module):
    """Two 3 x 3 convolutions with a skip connection (He et al. 2016), initialised to the identity (Goyal et al. 2017).

    A trained network can be given one more without changing its output.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        last = block(channels, channels, 1)
        nn.init.zeros_(last[1].weight)
        self.body = nn.Sequential(block(channels, channels, 1), last)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return (N, C, H, W) features for as many."""
        features: torch.Tensor = self.body(x)
        return x + features


def trunk(width: int, height: int, stages: Sequence[tuple[int, int]], channels: int = 3) -> tuple[nn.Sequential, int]:
    """Return the stages' blocks for crops of width x height pixels, and the size of their flattened feature map."""
    blocks: list[nn.Module] = []
    inputs = channels
    for outputs, residuals in stages:
        blocks.append(nn.Sequential(block(inputs, outputs, 2), *(Residual(outputs) for _ in range(residuals))))
        inputs = outputs
    shrink = 2 ** len(stages)
    return nn.Sequential(*blocks), inputs * -(-width // shrink) * -(-height // shrink)


class Reader(nn.Module):
    """Maps crops (N, 3, height, width), RGB in 0..1, to logits (N, sum of head sizes), heads in the order given.

    Each stage (channels, residuals) halves the feature map and has this many residual blocks. The last feature map is
    flattened instead of averaged, because the position of a symbol matters.
    """

    def __init__(self, width: int, height: int, heads: Mapping[str, int], stages: Sequence[tuple[int, int]]) -> None:
        super().__init__()
        self.trunk, features = trunk(width, height, stages)
        self.neck = nn.Sequential(nn.Flatten(), nn.Dropout(0.1), nn.Linear(features, _NECK), nn.SiLU(inplace=True))
        self.heads = nn.ModuleList(nn.Linear(_NECK, size) for size in heads.values())
        self.sizes = dict(heads)

    def features(self, x: torch.Tensor) -> torch.Tensor:
        """Return the (N, 128) features of the penultimate layer."""
        features: torch.Tensor = self.neck(self.trunk(x))
        return features

    def answers(self, features: torch.Tensor) -> torch.Tensor:
        """Return the heads' raw outputs side by side."""
        return torch.cat([head(features) for head in self.heads], 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the heads' raw outputs side by side."""
        return self.answers(self.features(x))


class WithFeatures(nn.Module):
    """A reader as it is exported: the logits, then the features by which learnt decks are matched."""

    def __init__(self, reader: Reader) -> None:
        super().__init__()
        self.reader = reader

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the heads' logits side by side, and the (N, 128) features."""
        features = self.reader.features(x)
        return self.reader.answers(features), features


def card_reader() -> Reader:
    """Return an untrained reader of whole cards."""
    from companion.vision.core.geometry import CARD_CROP

    return Reader(*CARD_CROP, CARD_HEADS, ((24, 0), (40, 1), (72, 2), (128, 3), (192, 2)))


def index_reader() -> Reader:
    """Return an untrained reader of corner indices."""
    from companion.vision.core.geometry import INDEX_CROP

    return Reader(INDEX_CROP, INDEX_CROP, INDEX_HEADS, ((32, 1), (56, 1), (96, 2), (144, 2)))
