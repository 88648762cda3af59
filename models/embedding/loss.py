"""The loss of metric learning: views of a face come together, all else goes apart."""

from __future__ import annotations

import torch
from torch.nn import functional

# Likenesses are multiplied by this before the softmax, and a crop's own face must lead by this much.
_SCALE, _MARGIN = 18.0, 0.1


def contrast(vectors: torch.Tensor, strangers: torch.Tensor | None = None) -> torch.Tensor:
    """Return the loss of (2 N, D) vectors of length one, rows i and N + i being of the same face.

    Cross entropy over the likeness to all others in the batch (NT-Xent: Chen et al., SimCLR, 2020), with an additive
    margin on the pair's own likeness (CosFace: Wang et al. 2018). strangers: (M, D) vectors of crops without a face,
    which every face's must be unlike by the margin once more.
    """
    count = len(vectors)
    own = torch.arange(count, device=vectors.device).roll(count // 2)
    alike = vectors @ vectors.T
    alike = alike - _MARGIN * functional.one_hot(own, count)
    alike = alike - 4.0 * torch.eye(count, device=vectors.device)
    if strangers is not None:
        alike = torch.cat([alike, vectors @ strangers.T + _MARGIN], 1)
    return functional.cross_entropy(alike * _SCALE, own)
