"""One network in training: its optimizer, and the running mean of its weights, which is kept."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from companion.models.training.readers import running_mean


class Learner:
    """Trains a network with AdamW (Loshchilov and Hutter 2019); only weight matrices decay.

    most: maximum norm of the gradients.
    """

    def __init__(self, model: Any, rate: float, decay: float, most: float) -> None:
        self.model = model
        self._mean = running_mean(model)
        self._rate, self._most = rate, most
        learning = [weights for weights in model.parameters() if weights.requires_grad]
        self._optimizer = torch.optim.AdamW(
            [
                {"params": [weights for weights in learning if weights.ndim > 1], "weight_decay": decay},
                {"params": [weights for weights in learning if weights.ndim <= 1], "weight_decay": 0.0},
            ],
            lr=rate,
        )

    @property
    def mean(self) -> Any:
        """The network with the averaged weights."""
        return self._mean.module

    def learn(self, cost: torch.Tensor, share: float) -> None:
        """Take an optimizer step for a batch's loss at this share of the learning rate; skip it if the gradient is not
        finite.
        """
        for group in self._optimizer.param_groups:
            group["lr"] = self._rate * share
        self._optimizer.zero_grad(set_to_none=True)
        cost.backward()
        if nn.utils.clip_grad_norm_(self.model.parameters(), self._most).isfinite():
            self._optimizer.step()
            self._mean.update_parameters(self.model)

    def state(self) -> dict[str, Any]:
        """Return the state for a checkpoint: weights, their running mean and the optimizer."""
        return {
            "latest": self.model.state_dict(),
            "mean": self._mean.state_dict(),
            "optimizer": self._optimizer.state_dict(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Restore the state of a checkpoint."""
        self.model.load_state_dict(state["latest"])
        self._mean.load_state_dict(state["mean"])
        self._optimizer.load_state_dict(state["optimizer"])
