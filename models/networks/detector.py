"""The detector's checkpoint, for training and export. Import it before ultralytics, which then installs nothing."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import torch
from torch import nn

# Ultralytics reads it when it is imported.
os.environ.setdefault("YOLO_AUTOINSTALL", "False")


def load_checkpoint(path: Path) -> tuple[dict[str, Any], Any]:
    """Return the state of an ultralytics checkpoint and its network in single precision, averaged if it was."""
    state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=False)
    return state, (state.get("ema") or state["model"]).float()


def let_learn(network: nn.Module) -> None:
    """Make all weights learn except the bins of the box distribution (DFL), which are constants."""
    for name, weights in network.named_parameters():
        weights.requires_grad_(".dfl" not in name)
