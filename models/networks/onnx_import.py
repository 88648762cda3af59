"""Turns an exported reader back into a trainable one.

Export folds batch normalisation (Ioffe and Szegedy 2015) into the convolutions. It is restored in two steps: first as
the identity plus the folded bias, then with statistics measured on training crops. The output stays the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import onnx
import torch
from torch import nn

from companion.models.networks.readers import Reader, card_reader, index_reader

_HALVED = " (half)"
# Batch size while the statistics are measured.
_CHUNK = 256


def unfolded(path: Path, kind: str) -> Reader:
    """Return the 'card' or 'index' reader of an exported file in evaluation mode, with identity normalisation.

    The small network for other makers' cards is left out: `companion train foreign` fits it again after an export.
    Raises ValueError if the file is of another network.
    """
    reader = {"card": card_reader, "index": index_reader}[kind]()
    layers = [layer for layer in reader.modules() if isinstance(layer, nn.Conv2d | nn.Linear)]
    found = list(_exported(path))
    if [tuple(layer.weight.shape) for layer in layers] != [tuple(weight.shape) for weight, _ in found]:
        raise ValueError(f"{path} is of another network")
    norms = iter(_norms(reader))
    for layer, (weight, bias) in zip(layers, found, strict=True):
        layer.weight.data.copy_(weight)
        if isinstance(layer, nn.Linear):
            layer.bias.data.copy_(bias)
            continue
        norm = next(norms)
        norm.running_var.fill_(1 - norm.eps)
        norm.weight.data.fill_(1)
        norm.bias.data.copy_(bias)
    return reader.eval()


def _norms(reader: Reader) -> list[Any]:
    return [module for module in reader.modules() if isinstance(module, nn.BatchNorm2d)]


def _exported(path: Path) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Yield weight and bias, float32, of each convolution and linear layer in execution order."""
    graph = onnx.load(path).graph
    arrays = {weight.name.removesuffix(_HALVED): weight for weight in graph.initializer}
    for node in graph.node:
        if node.op_type in ("Conv", "Gemm"):
            weight, bias = (torch.tensor(onnx.numpy_helper.to_array(arrays[name])).float() for name in node.input[1:])
            yield weight, bias


@torch.no_grad()
def measure_norms(reader: Reader, crops: torch.Tensor) -> None:
    """Set the normalisation statistics of an unfolded reader from (N, 3, H, W) uint8 RGB crops; its output stays.

    Afterwards it can be trained, with batch statistics close to the stored ones from the start.
    """
    norms = _norms(reader)
    sums = {norm: torch.zeros(2, norm.num_features, device=crops.device) for norm in norms}

    def note(norm: Any, inputs: tuple[torch.Tensor]) -> None:
        x = inputs[0]
        sums[norm] += torch.stack([x.mean((0, 2, 3)), (x * x).mean((0, 2, 3))]) * len(x) / len(crops)

    hooks = [norm.register_forward_pre_hook(note) for norm in norms]
    was_training = reader.training
    reader.eval()
    for some in crops.split(_CHUNK):
        reader(some.float() / 255)
    reader.train(was_training)
    for hook in hooks:
        hook.remove()
    for norm in norms:
        mean, square = sums[norm]
        var = (square - mean * mean).clamp(min=1e-6)
        scale = (var + norm.eps).sqrt()
        # As before: norm(x) = x + bias of the exported convolution.
        norm.bias.data.add_(mean - norm.running_mean)
        norm.weight.data.copy_(scale)
        norm.running_mean.copy_(mean)
        norm.running_var.copy_(var)
