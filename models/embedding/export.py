"""Exports an embedding to ONNX."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import nn

from companion.models.embedding.network import SIZE, Embedder, PartEmbedder
from companion.models.networks.export import halve_weights

NAMES = {"card": "card-embedding", "part": "card-parts"}
_AVERAGED = "module."


def load_embedder(folder: Path, kind: str) -> nn.Module:
    """Return the averaged network of the checkpoint `kind`.pt of `train`, in evaluation mode."""
    mean = torch.load(folder / f"{kind}.pt", map_location="cpu")["mean"]
    network = Embedder() if kind == "card" else PartEmbedder()
    network.load_state_dict({name.removeprefix(_AVERAGED): mean[name] for name in mean if _AVERAGED in name})
    return network.eval()


def export_embedder(folder: Path, kind: str) -> Path:
    """Write the network of a checkpoint beside it, with weights in half precision; return the file.

    It takes any number of crops (N, C, H, W), RGB in 0..1, and returns (N, 128) vectors of length one. For parts the
    fourth channel is the mask, and (N, 8) corners are a second output, see `PartEmbedder`.
    """
    path = folder / f"{NAMES[kind]}.onnx"
    width, height = SIZE
    channels, outputs = (3, ["vectors"]) if kind == "card" else (4, ["vectors", "corners"])
    torch.onnx.export(
        load_embedder(folder, kind),
        (torch.zeros(2, channels, height, width),),
        str(path),
        input_names=["crops"],
        output_names=outputs,
        dynamic_axes={name: {0: "count"} for name in ("crops", *outputs)},
        opset_version=17,
        dynamo=False,
    )
    halve_weights(path)
    return path
