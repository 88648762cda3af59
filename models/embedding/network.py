"""The embedding's network: the first stages of a reader, a linear layer, and vectors of length one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional

from companion.models.networks.onnx_import import measure_norms, unfolded
from companion.models.networks.readers import trunk
from companion.vision.core.geometry import CARD_CROP, INDEX_CROP

LENGTH = 128
"""Floats in a vector."""
SIZES = {"card": (CARD_CROP[0] // 2, CARD_CROP[1] // 2), "corner": (INDEX_CROP, INDEX_CROP)}
"""Width and height in pixels of the crops of each kind: the card reader's crop at half its size, the index reader's."""
READER_SIZES = {"card": CARD_CROP, "corner": (INDEX_CROP, INDEX_CROP)}
"""The same of the readers that training begins from."""
_STAGES = {
    "card": ((24, 0), (40, 1), (72, 2), (128, 1)),
    "corner": ((32, 1), (56, 1), (96, 2), (144, 2)),
}
_READERS = {"card": ("card-reader.onnx", "card"), "corner": ("index-reader.onnx", "index")}


class Embedder(nn.Module):
    """Turns crops (N, 3, height, width), RGB in 0..1, into (N, 128) vectors of length one.

    The last feature map is flattened and not averaged: where a mark stands matters. The vectors are centred by batch
    normalisation before their length is taken.
    """

    def __init__(self, width: int, height: int, stages: Sequence[tuple[int, int]]) -> None:
        super().__init__()
        self.trunk, features = trunk(width, height, stages)
        self.neck = nn.Sequential(nn.Flatten(), nn.Linear(features, LENGTH, bias=False))
        self.norm = nn.BatchNorm1d(LENGTH, affine=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return (N, 128) vectors of length one."""
        return functional.normalize(self.norm(self.neck(self.trunk(x)).float()))


def embedder(kind: str) -> Embedder:
    """Return an untrained network for 'card' or 'corner' crops."""
    return Embedder(*SIZES[kind], _STAGES[kind])


def from_reader(kind: str, models: Path, crops: torch.Tensor) -> Embedder:
    """Return a network that starts with the exported reader's weights, as far as the shapes are the same.

    For corners that is the whole reader up to its features; whole cards are seen at half the reader's resolution.

    crops: (N, 3, H, W) uint8 RGB of the reader's size, on which batch normalisation is measured. Raises ValueError if
    the file is of another network.
    """
    name, reader_kind = _READERS[kind]
    reader = unfolded(models / name, reader_kind)
    measure_norms(reader, crops)
    network = embedder(kind)
    own = network.state_dict()
    given = reader.state_dict()
    given["neck.1.weight"] = given["neck.2.weight"]
    shared = {name: weight for name, weight in given.items() if name in own and own[name].shape == weight.shape}
    network.load_state_dict(shared, strict=False)
    return network
