"""Exports the embedding to ONNX."""

from __future__ import annotations

from pathlib import Path

import torch

from companion.models.embedding.network import SIZES, Embedder, embedder
from companion.models.networks.export import halve_weights

NAMES = {"card": "card-embedding", "corner": "corner-embedding"}
_AVERAGED = "module."


def load_embedder(folder: Path, kind: str) -> Embedder:
    """Return the averaged network of the checkpoint `kind`.pt of `train`, in evaluation mode."""
    mean = torch.load(folder / f"{kind}.pt", map_location="cpu")["mean"]
    network = embedder(kind)
    network.load_state_dict({name.removeprefix(_AVERAGED): mean[name] for name in mean if _AVERAGED in name})
    return network.eval()


def export_embedder(folder: Path, kind: str) -> Path:
    """Write the network of a checkpoint beside it, with weights in half precision; return the file.

    It takes any number of crops (N, 3, H, W), RGB in 0..1, and returns (N, 128) vectors of length one.
    """
    path = folder / f"{NAMES[kind]}.onnx"
    width, height = SIZES[kind]
    torch.onnx.export(
        load_embedder(folder, kind),
        (torch.zeros(2, 3, height, width),),
        str(path),
        input_names=["crops"],
        output_names=["vectors"],
        dynamic_axes={name: {0: "count"} for name in ("crops", "vectors")},
        opset_version=17,
        dynamo=False,
    )
    halve_weights(path)
    return path
