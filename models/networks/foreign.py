"""A small network on the card reader's last two feature maps: whether another maker's card or another thing lies there.

The reader itself stays as it is. The small network becomes part of the reader's file: one more column of its scores.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import helper, numpy_helper
from torch import nn
from torch.nn import functional

from companion.models.networks.readers import Reader

_HIDDEN = 32
_NAME = "foreign"
_KEPT = 0.7


class Foreign(nn.Module):
    """Maps the card reader's last two feature maps, (N, D), to (N,) log-odds of no card of the deck.

    mean, deviation: (D,) of the features in training, by which they are normalised.
    """

    def __init__(self, mean: torch.Tensor, deviation: torch.Tensor) -> None:
        super().__init__()
        self.register_buffer("mean", mean)
        self.register_buffer("deviation", deviation)
        self.hidden = nn.Linear(len(mean), _HIDDEN)
        self.last = nn.Linear(_HIDDEN, 1)
        nn.init.zeros_(self.last.weight)
        nn.init.zeros_(self.last.bias)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return (N,) log-odds."""
        x = functional.dropout((x - self.mean) / self.deviation, 1 - _KEPT, self.training)
        x = functional.dropout(functional.silu(self.hidden(x)), 1 - _KEPT, self.training)
        found: torch.Tensor = self.last(x)[:, 0]
        return found

    def folded(self) -> list[torch.Tensor]:
        """Return weight (D, H), bias (H,), weight (H, 1) and bias (1,) with the normalisation in the first two."""
        weight = self.hidden.weight / self.deviation
        return [weight.T, self.hidden.bias - weight @ self.mean, self.last.weight.T, self.last.bias]


def feature_maps(reader: Reader, crops: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return (N, D) the last two feature maps of crops (N, 3, H, W), the first of them at half size, and the scores."""
    before = reader.trunk[:-1](crops)
    last = reader.trunk[-1](before)
    maps = torch.cat([last.flatten(1), functional.avg_pool2d(before, 2).flatten(1)], 1)
    return maps, reader.answers(reader.neck(last))


def add_to(path: Path, network: Foreign) -> None:
    """Make the small network's output the last column of the scores of an exported card reader, in place of an earlier
    one. Raises OSError.
    """
    model = onnx.load(path)
    graph = model.graph
    for kept in (graph.node, graph.initializer):
        for one in [one for one in kept if one.name.startswith(_NAME)]:
            kept.remove(one)
    scores = next(node for node in graph.node if "scores" in node.output)
    heads = [name for name in scores.input if not name.startswith(_NAME)]
    graph.node.remove(scores)
    flat = next(node for node in graph.node if node.op_type == "Flatten")
    stage = flat.input[0].removeprefix("/trunk/").partition("/")[0]
    first = next(node for node in graph.node if f"/trunk/{stage}/" in node.output[0] and node.op_type == "Conv")
    for name, values in zip("abcd", network.folded(), strict=True):
        stored = values.detach().numpy().astype(np.float16)
        graph.initializer.append(numpy_helper.from_array(stored, f"{_NAME} {name} (half)"))
        graph.node.append(_node("Cast", [f"{_NAME} {name} (half)"], f"{_NAME} {name}", to=onnx.TensorProto.FLOAT))
    graph.node.extend(
        [
            _node("AveragePool", [first.input[0]], f"{_NAME} pooled", kernel_shape=[2, 2], strides=[2, 2]),
            _node("Flatten", [f"{_NAME} pooled"], f"{_NAME} flat"),
            _node("Concat", [flat.output[0], f"{_NAME} flat"], f"{_NAME} maps", axis=1),
            _node("MatMul", [f"{_NAME} maps", f"{_NAME} a"], f"{_NAME} product"),
            _node("Add", [f"{_NAME} product", f"{_NAME} b"], f"{_NAME} sum"),
            _node("Sigmoid", [f"{_NAME} sum"], f"{_NAME} gate"),
            _node("Mul", [f"{_NAME} sum", f"{_NAME} gate"], f"{_NAME} hidden"),
            _node("MatMul", [f"{_NAME} hidden", f"{_NAME} c"], f"{_NAME} last"),
            _node("Add", [f"{_NAME} last", f"{_NAME} d"], f"{_NAME} odds"),
            helper.make_node("Concat", [*heads, f"{_NAME} odds"], ["scores"], axis=1, name="scores"),
        ]
    )
    output = next(one for one in graph.output if one.name == "scores")
    output.type.tensor_type.shape.dim[1].dim_param = "scores"
    onnx.checker.check_model(model)
    onnx.save(model, path)


def _node(kind: str, inputs: list[str], output: str, **settings: object) -> onnx.NodeProto:
    return helper.make_node(kind, inputs, [output], name=output, **settings)
