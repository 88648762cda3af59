"""A ring buffer of training data, and augmentation on the training device.

Crops are shifted, scaled, rotated and relit each time they are sampled, so that no two are the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch.nn import functional

from companion.models.training_data.crops import IGNORE

# Grey level, 0..255, of the padding around a transformed crop.
_GREY = 127
# Share of the crops that are transformed, and standard deviations: rotation in radians, logarithms of both scales,
# shift as a share of half the crop.
_MOVED, _TURN, _SCALE, _SHIFT = 0.7, 0.03, 0.035, 0.03
# Standard deviations of the logarithms of the colour gains and of the exposure; maximum noise in levels of 255.
_TINT, _EXPOSURE, _NOISE = 0.05, 0.1, 7


class RingBuffer:
    """A ring buffer of tensors with a common first dimension: beyond `room` rows, new ones replace the oldest."""

    def __init__(self, room: int, device: str) -> None:
        self.room, self.device = room, device
        self.count = 0
        self._next = 0
        self._tensors: dict[str, torch.Tensor] = {}

    def add(self, rows: Mapping[str, torch.Tensor]) -> None:
        """Add rows with the same names, types and shapes as before; of more than fit, the last ones."""
        for name, values in rows.items():
            if name not in self._tensors:
                self._tensors[name] = torch.empty(
                    (self.room, *values.shape[1:]), dtype=values.dtype, device=self.device
                )
        new = min(self.room, min(map(len, rows.values())))
        at = (self._next + torch.arange(new, device=self.device)) % self.room
        for name, values in rows.items():
            self._tensors[name][at] = values[len(values) - new :].to(self.device)
        self._next = (self._next + new) % self.room
        self.count = min(self.room, self.count + new)

    def pick(self, size: int) -> dict[str, torch.Tensor]:
        """Return `size` rows sampled with replacement."""
        i = torch.randint(self.count, (size,), device=self.device)
        return {name: values[i] for name, values in self._tensors.items()}


@dataclass(frozen=True, eq=False)
class Transformed:
    """Transformed crops (N, 3, H, W) float32, and the (N, 2, 3) float32 matrices that were applied.

    A matrix maps positions in the result to positions in the source, -1..1 from edge to edge, x first.
    """

    images: torch.Tensor
    matrices: torch.Tensor


def moved(images: torch.Tensor) -> Transformed:
    """Return (N, 3, H, W) float32 crops, randomly transformed as if boxed slightly differently."""
    count, _, height, width = images.shape
    on = (torch.rand(count, device=images.device) < _MOVED).float()

    def lots(spread: float) -> torch.Tensor:
        return torch.randn(count, device=images.device) * spread * on

    angle, aspect = lots(_TURN), height / width
    along, across = lots(_SCALE).exp(), lots(_SCALE).exp()
    cos, sin = angle.cos(), angle.sin()
    # The rotation is in pixels, therefore the aspect.
    x = torch.stack([cos * along, -sin * aspect * across, lots(_SHIFT)], 1)
    y = torch.stack([sin / aspect * along, cos * across, lots(_SHIFT)], 1)
    matrices = torch.stack([x, y], 1)
    grid = functional.affine_grid(matrices, list(images.shape), align_corners=False)
    return Transformed(functional.grid_sample(images - _GREY, grid, align_corners=False) + _GREY, matrices)


def moved_corners(corners: torch.Tensor, matrices: torch.Tensor) -> torch.Tensor:
    """Return (N, 4, 2) points, as shares of a crop, in the crop that `moved` made with these matrices."""
    offset = corners * 2 - 1 - matrices[:, None, :, 2]
    return (torch.linalg.solve(matrices[:, :, :2], offset.mT).mT + 1) / 2


def lit(images: torch.Tensor) -> torch.Tensor:
    """Return (N, 3, H, W) float32 crops of 0..255 relit and with noise, in 0..1."""
    lots = (len(images), 1, 1, 1)
    device = images.device
    gains = torch.randn(len(images), 3, 1, 1, device=device) * _TINT + torch.randn(lots, device=device) * _EXPOSURE
    noise = torch.randn_like(images) * torch.rand(lots, device=device) ** 2 * _NOISE
    return ((images * gains.exp() + noise).clamp(0, 255) / 255).contiguous(memory_format=torch.channels_last)


def turned_cards(images: torch.Tensor, corners: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return crops of cards, every second one upside down, their corners (N, 8), and which ones are turned (N,)."""
    over = torch.arange(len(images), device=images.device) % 2 == 1
    images = torch.where(over[:, None, None, None], images.flip((2, 3)), images)
    corners = corners.view(-1, 4, 2)
    corners = torch.where(over[:, None, None], 1 - corners.roll(-2, 1), corners)
    return images, corners.reshape(-1, 8), over


def turned_indices(images: torch.Tensor, turn: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return crops of indices, a quarter of them turned by each number of clockwise quarters, and the turns (N,)."""
    groups = zip(images.tensor_split(4), turn.tensor_split(4), strict=True)
    turned = [
        (torch.rot90(some, -k, (2, 3)), torch.where(turns == IGNORE, turns, (turns + k) % 4))
        for k, (some, turns) in enumerate(groups)
    ]
    return torch.cat([some for some, _ in turned]), torch.cat([turns for _, turns in turned])
