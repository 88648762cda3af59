"""Averages the weights of checkpoints of one network, each fine-tuned from another.

The mean keeps the skills of the earlier network and most of what fine-tuning added (Wortsman et al., Robust fine-tuning
of zero-shot models, 2022).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from companion.models.networks.export import NAMES

Weights = dict[str, torch.Tensor]


def _mean(weights: Sequence[Weights]) -> Weights:
    if any(other.keys() != weights[0].keys() for other in weights):
        raise ValueError("the checkpoints are of different networks")
    return {
        # Integer buffers, such as the number of batches seen, come from the last checkpoint.
        name: torch.stack([w[name].float() for w in weights]).mean(0) if last.is_floating_point() else last
        for name, last in weights[-1].items()
    }


def average(checkpoints: Sequence[Path], target: Path) -> None:
    """Write the mean of reader or detector checkpoints to `target`, ready for export or further training.

    Raises ValueError if the checkpoints are of different networks.
    """
    states: list[dict[str, Any]] = [torch.load(path, map_location="cpu", weights_only=False) for path in checkpoints]
    result = states[-1]
    if all("model" in state for state in states):
        models = [(state.get("ema") or state["model"]).float() for state in states]
        models[-1].load_state_dict(_mean([model.state_dict() for model in models]))
        result["model"], result["ema"] = models[-1].half(), None
    elif all(kind in state for state in states for kind in NAMES):
        result = {kind: _mean([state[kind] for state in states]) for kind in NAMES}
    else:
        raise ValueError("the checkpoints are of different networks")
    torch.save(result, target)
