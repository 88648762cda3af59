"""Exports trained networks to ONNX, with a manifest of classes and checksums beside them."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path

import torch

from companion.dataset.generate import CLASSES
from companion.models.network import Reader, card_reader, index_reader
from companion.vision.geometry import CARD_CROP, INDEX_CROP
from companion.vision.labels import COLORS, FACES

NAMES = {"card": "card-reader", "index": "index-reader"}


def load_readers(checkpoint: Path) -> dict[str, Reader]:
    """Return the trained card and index readers of a checkpoint that `train_reader` wrote, ready to be run."""
    state = torch.load(checkpoint, map_location="cpu")
    readers = {"card": card_reader(), "index": index_reader()}
    for kind, reader in readers.items():
        reader.load_state_dict(state[kind])
        reader.eval()
    return readers


def export_readers(checkpoint: Path, folder: Path) -> None:
    """Write card-reader.onnx and index-reader.onnx; each takes any number of crops at once."""
    for kind, reader in load_readers(checkpoint).items():
        width, height = CARD_CROP if kind == "card" else (INDEX_CROP, INDEX_CROP)
        torch.onnx.export(
            reader,
            (torch.zeros(2, 3, height, width),),
            str(folder / f"{NAMES[kind]}.onnx"),
            input_names=["crops"],
            output_names=["scores"],
            dynamic_axes={"crops": {0: "count"}, "scores": {0: "count"}},
            opset_version=17,
            dynamo=False,
        )


def export_detector(checkpoint: Path, folder: Path) -> None:
    """Write detector.onnx for any picture size, and the checkpoint itself as detector.pt without training state."""
    os.environ.setdefault("YOLO_AUTOINSTALL", "False")
    from ultralytics import YOLO
    from ultralytics.utils.torch_utils import strip_optimizer

    target = folder / "detector.pt"
    shutil.copyfile(checkpoint, target)
    strip_optimizer(str(target))
    exported = YOLO(str(target), task="obb").export(format="onnx", dynamic=True, simplify=False, opset=17)
    Path(exported).replace(folder / "detector.onnx")


def write_manifest(folder: Path) -> None:
    """Write manifest.json: the networks' classes and the SHA-256 and size of every model file."""
    files = {
        path.name: {"sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "bytes": path.stat().st_size}
        for path in sorted([*folder.glob("*.onnx"), *folder.glob("*.pt")])
    }
    manifest = {
        "detector classes": list(CLASSES),
        "reader faces": [face.value for face in FACES] + ["no card"],
        "reader colors": [color.value for color in COLORS] + ["wild"],
        "files": files,
    }
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")
