"""The embeddings' networks: the first stages of a reader, a linear layer, and vectors of length one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional

from companion.models.networks.onnx_import import measure_norms, restored, unfolded
from companion.models.networks.readers import trunk
from companion.vision.core.geometry import CARD_CROP

LENGTH = 128
"""Floats in a vector."""
SIZE = (CARD_CROP[0] // 2, CARD_CROP[1] // 2)
"""Width and height in pixels of the crops: the card reader's crop at half its size."""
_STAGES = ((24, 0), (40, 1), (72, 2), (128, 1))
_PART_STAGES = (*_STAGES[:-1], (128, 2))
# Corners are this times the last layer's output, so that a step of the optimizer moves them little.
_CORNER_UNIT = 0.1


class Embedder(nn.Module):
    """Turns crops (N, channels, 96, 64), RGB in 0..1 first, into (N, 128) vectors of length one.

    The last feature map is flattened and not averaged: where a mark stands matters. The vectors are centred by batch
    normalisation before their length is taken.
    """

    def __init__(self, stages: Sequence[tuple[int, int]] = _STAGES, channels: int = 3) -> None:
        super().__init__()
        self.trunk, self.width = trunk(*SIZE, stages, channels)
        self.neck = nn.Linear(self.width, LENGTH, bias=False)
        self.norm = nn.BatchNorm1d(LENGTH, affine=False)

    def features(self, x: torch.Tensor) -> torch.Tensor:
        """Return the (N, width) flattened feature map."""
        features: torch.Tensor = self.trunk(x).flatten(1)
        return features

    def vectors(self, features: torch.Tensor) -> torch.Tensor:
        """Return (N, 128) vectors of length one of the features."""
        return functional.normalize(self.norm(self.neck(features).float()))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return (N, 128) vectors of length one."""
        return self.vectors(self.features(x))


class PartEmbedder(nn.Module):
    """Turns crops (N, 4, 96, 64) of cards that others may cover into vectors and corners.

    The fourth channel is 1 where the card can be seen and 0 where outlines of other cards hide it; there all are 0.
    """

    def __init__(self) -> None:
        super().__init__()
        self.embedder = Embedder(_PART_STAGES, channels=4)
        self.outline = nn.Linear(self.embedder.width, 8)
        nn.init.zeros_(self.outline.weight)
        nn.init.zeros_(self.outline.bias)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return (N, 128) vectors of length one, and (N, 8) corners.

        Corners are those of the card's outline less those of the outline that was cut out, (x, y) by (x, y), as shares
        of the crop's width and height (box regression: Girshick et al., R-CNN, 2014).
        """
        features = self.embedder.features(x)
        return self.embedder.vectors(features), self.outline(features).float() * _CORNER_UNIT


def from_reader(models: Path, crops: torch.Tensor) -> Embedder:
    """Return a network that starts with the exported card reader's weights, as far as the shapes are the same.

    crops: (N, 3, H, W) uint8 RGB of the reader's size, on which batch normalisation is measured. Raises ValueError if
    the file is of another network.
    """
    reader = unfolded(models / "card-reader.onnx", "card")
    measure_norms(reader, crops)
    network = Embedder()
    own = network.state_dict()
    given = reader.state_dict()
    shared = {name: weight for name, weight in given.items() if name in own and own[name].shape == weight.shape}
    network.load_state_dict(shared, strict=False)
    return network


def from_card(models: Path, crops: torch.Tensor) -> PartEmbedder:
    """Return a network whose vectors are those of the exported embedding of whole cards, whatever the mask.

    crops: (N, 3, 96, 64) uint8 RGB, on which batch normalisation is measured. Raises ValueError if the file is of
    another network.
    """
    card = restored(Embedder(), models / "card-embedding.onnx")
    measure_norms(card, crops)
    given = card.state_dict()
    first = "trunk.0.0.0.weight"
    given[first] = functional.pad(given[first], (0, 0, 0, 0, 0, 1))
    network = PartEmbedder()
    # What is missing is the last residual block, which starts as the identity.
    network.embedder.load_state_dict(given, strict=False)
    return network
