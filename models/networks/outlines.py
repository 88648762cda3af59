"""The second neck and head of the detector, and their export as a continuation of detector.onnx.

Concatenated protocol buffers are merged: appended to detector.onnx, the file adds an output and changes nothing else.
The layers that both share are computed once.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import onnx
import torch
from torch import nn

from companion.models.networks.detector import let_learn, load_checkpoint
from companion.models.networks.export import Expectation, halve_weights
from companion.models.networks.onnx_import import make_identity, stored_weights

SHARED = 11
"""Number of the detector's layers that both necks share."""
OUTPUT = "outlines"
"""Name of the further output (N, 6, A): x, y, width, height, score, angle of whole outlines, as `decode` takes it."""

_SHARED = ("/model.4/cv2/act/Mul_output_0", "/model.6/cv2/act/Mul_output_0", "/model.10/cv2/act/Mul_output_0")


def shared_features(layers: Sequence[Any], x: torch.Tensor) -> list[torch.Tensor]:
    """Return the outputs of layers 4, 6 and 10 (strides 8, 16, 32) for (N, 3, H, W) pictures."""
    kept = []
    for layer in layers[:SHARED]:
        x = layer(x)
        if layer.i in (4, 6, 10):
            kept.append(x)
    return kept


class Branch(nn.Module):
    """Layers 11 to 23 of a detector with one class, starting from its weights; named as `v8OBBLoss` expects."""

    def __init__(self, detector: Any) -> None:
        super().__init__()
        from ultralytics.cfg import get_cfg

        self.model = copy.deepcopy(nn.ModuleList(detector.model[SHARED:]))
        self.args = get_cfg()
        head = self.model[-1]
        for score in head.cv3:
            both = score[-1]
            score[-1] = nn.Conv2d(both.in_channels, 1, 1)
            score[-1].weight.data.copy_(both.weight.data[:1])
            score[-1].bias.data.copy_(both.bias.data[:1])
        head.nc, head.no = 1, 1 + 4 * head.reg_max
        let_learn(self)

    def forward(self, features: list[torch.Tensor]) -> Any:
        """Return what ultralytics' OBB head does, of the features of layers 4, 6 and 10."""
        kept = dict(zip((4, 6, 10), features, strict=True))
        x: Any = features[-1]
        for layer in self.model:
            if layer.f != -1:
                x = [x if j == -1 else kept[j] for j in layer.f]
            x = layer(x)
            kept[layer.i] = x
        return x


def restore(branch: Branch, path: Path) -> None:
    """Give a branch the weights of its exported file, with identity normalisation.

    Raises ValueError if the file is of another network.
    """
    weights = stored_weights(onnx.load(path).graph)
    stored = {name.removeprefix(f"{OUTPUT} _branch."): value for name, value in weights.items()}
    try:
        for name, layer in branch.named_modules():
            if isinstance(layer, nn.BatchNorm2d):
                make_identity(layer, stored[f"{name.removesuffix('bn')}conv.bias"])
            elif isinstance(layer, nn.Conv2d) and f"{name}.weight" in stored:
                layer.weight.data.copy_(stored[f"{name}.weight"])
                if layer.bias is not None:
                    layer.bias.data.copy_(stored[f"{name}.bias"])
    except (KeyError, RuntimeError) as error:
        raise ValueError(f"{path} is of another network") from error


def load_detector(checkpoint: Path) -> Any:
    """Return the detector of an ultralytics checkpoint in evaluation mode, without gradients."""
    _, model = load_checkpoint(checkpoint)
    return model.eval().requires_grad_(False)


class _Exported(nn.Module):
    def __init__(self, branch: Branch) -> None:
        super().__init__()
        self._branch = branch

    def forward(self, fine: torch.Tensor, middle: torch.Tensor, coarse: torch.Tensor) -> Any:
        return self._branch([fine, middle, coarse])


def exported_branch(detector: Path, weights: Path) -> Branch:
    """Return the branch with these weights, its normalisations folded into the convolutions, ready for export."""
    from ultralytics.nn.modules import Conv
    from ultralytics.utils.torch_utils import fuse_conv_and_bn

    branch = Branch(load_detector(detector))
    branch.load_state_dict(torch.load(weights, map_location="cpu"))
    branch.eval().requires_grad_(False)
    for layer in branch.modules():
        if isinstance(layer, Conv):
            layer.conv = fuse_conv_and_bn(layer.conv, layer.bn)
            del layer.bn
            layer.forward = layer.forward_fuse
    head = branch.model[-1]
    head.dfl = Expectation(head.reg_max)
    head.export, head.dynamic, head.format = True, True, "onnx"
    return branch


def export_outlines(checkpoint: Path, weights: Path, path: Path) -> None:
    """Write the branch as a continuation of detector.onnx: a model without inputs, to be appended to that file.

    checkpoint: the detector that the branch was trained with. weights: of `models.training.print_head`.
    """
    features = shared_features(load_detector(checkpoint).model, torch.zeros(1, 3, 128, 160))
    names = ["fine", "middle", "coarse"]
    sizes = {name: {0: "batch", 2: f"{name} height", 3: f"{name} width"} for name in names}
    torch.onnx.export(
        _Exported(exported_branch(checkpoint, weights)),
        tuple(features),
        str(path),
        input_names=names,
        output_names=[OUTPUT],
        dynamic_axes={**sizes, OUTPUT: {0: "batch", 2: "anchors"}},
        opset_version=17,
        dynamo=False,
    )
    halve_weights(path)
    graph = onnx.load(path).graph
    taken = dict(zip(names, _SHARED, strict=True))
    for node in graph.node:
        # Nodes without a name, such as the casts of half precision, may stay so.
        node.name = node.name and f"{OUTPUT} {node.name}"
        for values in (node.input, node.output):
            values[:] = [taken.get(name) or (name if name in ("", OUTPUT) else f"{OUTPUT} {name}") for name in values]
    for weight in graph.initializer:
        weight.name = f"{OUTPUT} {weight.name}"
    further = onnx.GraphProto(node=graph.node, initializer=graph.initializer, output=graph.output)
    path.write_bytes(onnx.ModelProto(graph=further).SerializeToString())
