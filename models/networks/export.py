"""Exports trained networks to ONNX, with a manifest of classes and checksums beside them."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path

import numpy as np
import onnx
import torch

from companion.dataset.scenes.generate import CLASSES
from companion.models.networks.readers import Reader, WithFeatures, card_reader, index_reader
from companion.vision.core.geometry import CARD_CROP, INDEX_CROP
from companion.vision.core.labels import COLORS, FACES

NAMES = {"card": "card-reader", "index": "index-reader"}
# Logits are clipped here so that their exponential does not overflow in single precision; real ones stay below 30.
_MOST_LOGIT = 80.0


HALVED = " (half)"
"""Ending of the name of a weight that is stored in half precision."""


def load_readers(checkpoint: Path) -> dict[str, Reader]:
    """Return the trained card and index readers of a checkpoint of `models.training.readers`, in evaluation mode."""
    state = torch.load(checkpoint, map_location="cpu")
    readers = {"card": card_reader(), "index": index_reader()}
    for kind, reader in readers.items():
        reader.load_state_dict(state[kind])
        reader.eval()
    return readers


def export_readers(checkpoint: Path, folder: Path) -> None:
    """Write card-reader.onnx and index-reader.onnx with weights in half precision.

    Each takes any number of crops and has two outputs: the scores, and the features that learnt decks are matched by.
    """
    for kind, reader in load_readers(checkpoint).items():
        path = folder / f"{NAMES[kind]}.onnx"
        width, height = CARD_CROP if kind == "card" else (INDEX_CROP, INDEX_CROP)
        torch.onnx.export(
            WithFeatures(reader),
            (torch.zeros(2, 3, height, width),),
            str(path),
            input_names=["crops"],
            output_names=["scores", "features"],
            dynamic_axes={name: {0: "count"} for name in ("crops", "scores", "features")},
            opset_version=17,
            dynamo=False,
        )
        halve_weights(path)


def halve_weights(path: Path) -> None:
    """Store a network's weights in half precision. They are cast to single precision once, when the file is loaded."""
    model = onnx.load(path)
    for weight in list(model.graph.initializer):
        values = onnx.numpy_helper.to_array(weight)
        if values.dtype != np.float32:
            continue
        stored = f"{weight.name}{HALVED}"
        cast = onnx.helper.make_node("Cast", [stored], [weight.name], to=onnx.TensorProto.FLOAT)
        model.graph.node.insert(0, cast)
        weight.CopyFrom(onnx.numpy_helper.from_array(values.astype(np.float16), stored))
    onnx.save(model, path)


class Expectation(torch.nn.Module):
    """The DFL layer of ultralytics (Li et al. 2020, arXiv 2006.04388): the expected bin of each side's distribution.

    Both sums of the softmax are one matrix product here, without transposing: 5 % less time for the detector.
    """

    bins: torch.Tensor

    def __init__(self, count: int) -> None:
        super().__init__()
        places = torch.arange(count, dtype=torch.float32)
        self.register_buffer("bins", torch.stack([places, torch.ones_like(places)]))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return (N, 4, A) expected bins in 0..count - 1 of (N, 4 * count, A) logits."""
        shares = x.view(x.shape[0], 4, self.bins.shape[1], -1).clamp(-_MOST_LOGIT, _MOST_LOGIT).exp()
        sums = self.bins @ shares
        return sums[:, :, 0] / sums[:, :, 1]


def export_detector(checkpoint: Path, folder: Path) -> None:
    """Write detector.onnx for any picture size, weights in half precision, and detector.pt without training state."""
    os.environ.setdefault("YOLO_AUTOINSTALL", "False")
    from ultralytics import YOLO
    from ultralytics.utils.torch_utils import strip_optimizer

    target = folder / "detector.pt"
    shutil.copyfile(checkpoint, target)
    strip_optimizer(str(target))
    _forget_folders(target)
    detector = YOLO(str(target), task="obb")
    head = detector.model.model[-1]
    head.dfl = Expectation(head.reg_max)
    exported = detector.export(format="onnx", dynamic=True, simplify=False, opset=17)
    Path(exported).replace(folder / "detector.onnx")
    halve_weights(folder / "detector.onnx")


def _forget_folders(path: Path) -> None:
    """Remove absolute paths of the training machine from a checkpoint; file names stay."""

    state = torch.load(path, map_location="cpu", weights_only=False)
    state.pop("git", None)
    for settings in (state["train_args"], state["model"].args, vars(state["model"])):
        for key, value in settings.items():
            if isinstance(value, str) and Path(value).is_absolute():
                settings[key] = Path(value).name
    torch.save(state, path)


def write_manifest(folder: Path) -> None:
    """Write manifest.json: the networks' classes and the SHA-256 and size of every ONNX file."""
    files = {
        path.name: {"sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "bytes": path.stat().st_size}
        for path in sorted(folder.glob("*.onnx"))
    }
    manifest = {
        "detector classes": list(CLASSES),
        "reader faces": [face.value for face in FACES] + ["no card"],
        "reader colors": [color.value for color in COLORS] + ["wild"],
        "files": files,
    }
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")
