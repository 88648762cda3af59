"""One network that learns: its optimizer, and the running mean of its weights, which is what is kept."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from companion.models.train_reader import running_mean


class Learner:
    """Trains a network by AdamW (Loshchilov and Hutter 2019), of whose weights only those of matrices decay.

    most: the norm to which gradients are clipped.
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
        """The network with the running mean of the weights."""
        return self._mean.module

    def learn(self, cost: torch.Tensor, share: float) -> None:
        """Take a step down the gradient of a batch's cost, at this share of the rate; none where it is not finite."""
        for group in self._optimizer.param_groups:
            group["lr"] = self._rate * share
        self._optimizer.zero_grad(set_to_none=True)
        cost.backward()
        if nn.utils.clip_grad_norm_(self.model.parameters(), self._most).isfinite():
            self._optimizer.step()
            self._mean.update_parameters(self.model)
