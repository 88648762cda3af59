"""Exports the embedding to ONNX."""

from __future__ import annotations

from pathlib import Path

import torch

from companion.models.embedding.network import SIZES, Embedder, embedder
from companion.models.export import halve_weights

NAMES = {"card": "card-embedding", "corner": "corner-embedding"}
_AVERAGED = "module."


def load_embedders(checkpoint: Path) -> dict[str, Embedder]:
    """Return the averaged networks of a checkpoint of `train`, in evaluation mode."""
    state = torch.load(checkpoint, map_location="cpu")
    networks = {kind: embedder(kind) for kind in SIZES}
    for kind, network in networks.items():
        mean = state[kind]["mean"]
        network.load_state_dict({name.removeprefix(_AVERAGED): mean[name] for name in mean if _AVERAGED in name})
        network.eval()
    return networks


def export_embedders(checkpoint: Path, folder: Path) -> None:
    """Write card-embedding.onnx and corner-embedding.onnx, with weights in half precision.

    Each takes any number of crops (N, 3, H, W), RGB in 0..1, and returns (N, 128) vectors of length one.
    """
    for kind, network in load_embedders(checkpoint).items():
        path = folder / f"{NAMES[kind]}.onnx"
        width, height = SIZES[kind]
        torch.onnx.export(
            network,
            (torch.zeros(2, 3, height, width),),
            str(path),
            input_names=["crops"],
            output_names=["vectors"],
            dynamic_axes={name: {0: "count"} for name in ("crops", "vectors")},
            opset_version=17,
            dynamo=False,
        )
        halve_weights(path)
