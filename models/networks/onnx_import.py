"""Turns an exported network back into a trainable one.

Export folds batch normalisation (Ioffe and Szegedy 2015) into the convolutions. It is restored in two steps: first as
the identity plus the folded bias, then with statistics measured on training crops. The output stays the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from pathlib import Path
from typing import Any, TypeVar

import onnx
import torch
from torch import nn

from companion.models.networks.export import HALVED
from companion.models.networks.readers import Reader, card_reader, index_reader

# Batch size while the statistics are measured.
_CHUNK = 256


_Network = TypeVar("_Network", bound=nn.Module)


def unfolded(path: Path, kind: str) -> Reader:
    """Return the 'card' or 'index' reader of an exported file in evaluation mode, with identity normalisation.

    The small network for other makers' cards is left out: `companion train foreign` fits it again after an export.
    Raises ValueError if the file is of another network.
    """
    return restored({"card": card_reader, "index": index_reader}[kind](), path)


def restored(network: _Network, path: Path) -> _Network:
    """Return a network with the weights of its exported file, in evaluation mode, with identity normalisation.

    Raises ValueError if the file is of another network.
    """
    layers = [layer for layer in network.modules() if isinstance(layer, nn.Conv2d | nn.Linear)]
    graph = onnx.load(path).graph
    arrays = stored_weights(graph)
    found = list(_exported(graph, arrays, {_operator(layer) for layer in layers}))
    if [tuple(layer.weight.shape) for layer in layers] != [tuple(weight.shape) for weight, _ in found]:
        raise ValueError(f"{path} is of another network")
    norms = iter(_norms(network))
    for layer, (weight, bias) in zip(layers, found, strict=True):
        layer.weight.data.copy_(weight)
        if isinstance(layer, nn.Conv2d):
            make_identity(next(norms), bias)
        elif bias is not None:
            layer.bias.data.copy_(bias)
    # What is not folded keeps its name.
    for name, buffer in network.named_buffers():
        if name in arrays:
            buffer.copy_(arrays[name])
    return network.eval()


def stored_weights(graph: onnx.GraphProto) -> dict[str, torch.Tensor]:
    """Return the float32 weights of an exported network by their names before the export."""
    return {
        weight.name.removesuffix(HALVED): torch.tensor(onnx.numpy_helper.to_array(weight)).float()
        for weight in graph.initializer
    }


def make_identity(norm: Any, bias: Any) -> None:
    """Let a batch normalisation only add the bias that was folded into its convolution."""
    norm.running_mean.fill_(0)
    norm.running_var.fill_(1 - norm.eps)
    norm.weight.data.fill_(1)
    norm.bias.data.copy_(bias)


def _operator(layer: nn.Conv2d | nn.Linear) -> str:
    """Return the ONNX operator that a layer is exported as."""
    if isinstance(layer, nn.Conv2d):
        return "Conv"
    return "MatMul" if layer.bias is None else "Gemm"


def _norms(network: nn.Module) -> list[Any]:
    return [module for module in network.modules() if isinstance(module, nn.BatchNorm2d)]


def _exported(
    graph: onnx.GraphProto, arrays: Mapping[str, torch.Tensor], operators: Set[str]
) -> Iterator[tuple[torch.Tensor, torch.Tensor | None]]:
    """Yield weight and bias, float32, of each convolution and linear layer in execution order."""
    for node in graph.node:
        if node.op_type not in operators:
            continue
        if node.op_type == "MatMul":
            yield arrays[node.input[1]].T, None
        else:
            yield arrays[node.input[1]], arrays[node.input[2]]


@torch.no_grad()
def measure_norms(network: nn.Module, crops: torch.Tensor) -> None:
    """Set the normalisation statistics of an unfolded network from (N, 3, H, W) uint8 RGB crops; its output stays.

    Afterwards it can be trained, with batch statistics close to the stored ones from the start.
    """
    norms = _norms(network)
    sums = {norm: torch.zeros(2, norm.num_features, device=crops.device) for norm in norms}

    def note(norm: Any, inputs: tuple[torch.Tensor]) -> None:
        x = inputs[0]
        sums[norm] += torch.stack([x.mean((0, 2, 3)), (x * x).mean((0, 2, 3))]) * len(x) / len(crops)

    hooks = [norm.register_forward_pre_hook(note) for norm in norms]
    was_training = network.training
    network.eval()
    for some in crops.split(_CHUNK):
        network(some.float() / 255)
    network.train(was_training)
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
