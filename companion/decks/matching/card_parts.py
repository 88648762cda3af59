"""The visible part of a card in an outline, and the network that embeds it and corrects the outline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.core.geometry import (
    CARD_CROP,
    CARD_MARGIN,
    HALF_CROP,
    Image,
    Quad,
    cut,
    expand,
    framed,
    grid_in,
    homography,
    project,
    unit_square,
)
from companion.vision.core.labels import Floats
from companion.vision.core.runtime import Network, model_folder
from companion.vision.imaging.masks import outline_mask

_WIDTH, _HEIGHT = HALF_CROP
_EDGE = np.asarray(unit_square() * (_WIDTH, _HEIGHT), np.float32)
# The outline in its crop.
_OUTLINE = framed(_WIDTH, _HEIGHT, CARD_MARGIN)

VisibleMask = NDArray[np.bool_]
"""The pixels of a crop that nothing hides, (96, 64)."""
PartKey = tuple[bytes, bytes]
"""What identifies a part within a picture: its outline and what is visible of it."""


@dataclass(frozen=True, eq=False)
class CardPart:
    """The part of a card that is visible in an outline.

    quad: the outline (4, 2) in the picture. crop: (96, 64, 3) BGR uint8, with CARD_MARGIN around the outline. above:
    outlines (4, 2) of what hides it.
    """

    quad: Quad
    crop: Image
    visible: VisibleMask
    above: tuple[Quad, ...] = ()

    @classmethod
    def of(cls, image: Image, quad: Quad, above: Sequence[Quad] = ()) -> CardPart:
        """Return the part of a (H, W, 3) BGR uint8 picture in an outline. above: outlines (4, 2) of what hides it."""
        crop = cut(image, expand(quad, CARD_MARGIN), *CARD_CROP)
        half = np.asarray(cv2.resize(crop, (_WIDTH, _HEIGHT), interpolation=cv2.INTER_AREA), np.uint8)
        height, width = image.shape[:2]
        frame = _in_crop(quad, np.asarray(unit_square() * (width, height), np.float32))
        return cls(quad, half, frame).below(above)

    def below(self, above: Sequence[Quad]) -> CardPart:
        """Return the part that outlines (4, 2) of further things above it leave visible."""
        if not above:
            return self
        hidden = np.any([_in_crop(self.quad, other) for other in above], axis=0)
        return replace(self, visible=self.visible & ~hidden, above=(*self.above, *above))

    @property
    def share(self) -> float:
        """Share of the outline that is visible."""
        return float(self.visible[_INSIDE].mean())

    @property
    def key(self) -> PartKey:
        """Equal for equal parts of one picture."""
        return self.quad.tobytes(), self.visible.tobytes()

    def cells(self, columns: int, rows: int) -> NDArray[np.bool_]:
        """Return (rows, columns) the cells of the outline whose centre is visible."""
        x, y = grid_in(_OUTLINE, columns, rows).astype(int).T
        return np.asarray(self.visible[y, x].reshape(rows, columns))


def _inside(outline: Quad) -> VisibleMask:
    """Return (96, 64) the pixels of a crop inside an outline (4, 2) of it."""
    return outline_mask(outline, (_HEIGHT, _WIDTH), 1.0) > 0


_INSIDE = _inside(_OUTLINE)


def _in_crop(quad: Quad, other: Quad) -> VisibleMask:
    """Return (96, 64) the pixels of an outline's crop that another outline (4, 2) of the picture contains."""
    to = homography(expand(quad, CARD_MARGIN), _EDGE)
    # OpenCV draws in 16-bit coordinates; what lies farther off does not change what is inside.
    far = 8 * _HEIGHT
    return _inside(np.clip(project(to, other), -far, far))


@dataclass(frozen=True, eq=False)
class PartEmbedding:
    """The network that embeds visible parts of cards of any art. It is loaded at the first part."""

    path: Path
    threads: int = 0

    @classmethod
    def shipped(cls, threads: int = 0) -> PartEmbedding:
        """Return the shipped one."""
        return cls(model_folder() / "card-parts.onnx", threads)

    @cached_property
    def network(self) -> Network:
        """The loaded network. Raises ModelFileError if its file is missing or damaged."""
        return Network.shared(self.path, self.threads)

    def describe(self, parts: Sequence[CardPart]) -> tuple[Floats, Floats]:
        """Return (N, 128) vectors of length one, and (N, 4, 2) the corrections of the outlines' corners over the
        crop's sides. Raises ModelFileError.
        """
        crops = np.stack([np.dstack([part.crop[..., ::-1] / np.float32(255), np.ones_like(_INSIDE)]) for part in parts])
        shown = crops * np.stack([part.visible for part in parts])[..., None]
        vectors, corners = self.network.with_features(np.asarray(shown.transpose(0, 3, 1, 2), np.float32))
        return vectors, corners.reshape(-1, 4, 2)

    def describe_both_ways(self, parts: Sequence[CardPart]) -> tuple[Floats, Floats]:
        """Return (2, N, 128) vectors of parts as they are and upside down, and the mean corrections (N, 4, 2) of both,
        which averages out the network's errors. Raises ModelFileError.
        """
        vectors, corners = self.describe([*parts, *map(turned_about, parts)])
        upright, turned = corners.reshape(2, len(parts), 4, 2)
        # What lies right and down of a corner lies left and up of it in the part upside down.
        mean = np.asarray((upright - np.roll(turned, 2, axis=1)) / 2, np.float32)
        return vectors.reshape(2, len(parts), -1), mean

    def outlines(self, image: Image, quads: Sequence[Quad]) -> list[Quad]:
        """Return outlines (4, 2) in a (H, W, 3) BGR uint8 picture corrected by the network; raises ModelFileError."""
        _, corners = self.describe_both_ways([CardPart.of(image, quad) for quad in quads])
        return list(map(corrected, quads, corners))


def turned_about(part: CardPart) -> CardPart:
    """Return the same part upside down."""
    crop = np.asarray(part.crop[::-1, ::-1], np.uint8)
    return CardPart(np.roll(part.quad, 2, axis=0), crop, part.visible[::-1, ::-1])


def corrected(quad: Quad, corners: Floats) -> Quad:
    """Return an outline (4, 2) moved by corrections (4, 2) of its corners, see `PartEmbedding.describe`."""
    to_picture = homography(_EDGE, expand(quad, CARD_MARGIN))
    return project(to_picture, np.asarray(_OUTLINE + corners * (_WIDTH, _HEIGHT), np.float32))
