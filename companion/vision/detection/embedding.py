"""Descriptors of whole cards for learnt decks: the reader's features beside the embedding's vector."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import cv2
import numpy as np

from companion.vision.core.geometry import CARD_CROP
from companion.vision.core.labels import Floats
from companion.vision.core.runtime import ModelFileError, Network, model_folder

PART = 128
"""Length of each part of a descriptor."""


@dataclass(frozen=True, eq=False)
class Embedding:
    """The network that turns crops of whole cards of any art into vectors of length one.

    It is loaded at the first descriptor, as only learnt decks need it.

    Corners have none: beside the index reader's features it identified .61 of the corners of 22 unknown decks instead
    of .59, and recognised missing faces no better.
    """

    path: Path
    threads: int = 0

    @classmethod
    def shipped(cls, threads: int = 0) -> Embedding:
        """Return the shipped one. Raises ModelFileError if its file is missing."""
        path = model_folder() / "card-embedding.onnx"
        if not path.is_file():
            raise ModelFileError(path, "is missing")
        return cls(path, threads)

    @cached_property
    def network(self) -> Network:
        """The loaded network. Raises ModelFileError if its file is damaged."""
        return Network.shared(self.path, self.threads)

    def descriptors(self, crops: Floats, features: Floats) -> Floats:
        """Return (N, 256) descriptors: the card reader's (N, 128) features of crops, then the embedding's vectors.

        crops: (N, 3, 192, 128), RGB in 0..1. The embedding sees them at half their size. Raises ModelFileError.
        """
        width, height = CARD_CROP
        planes = crops.reshape(-1, height, width)
        halves = [cv2.resize(one, (width // 2, height // 2), interpolation=cv2.INTER_AREA) for one in planes]
        half = np.asarray(np.stack(halves).reshape(len(crops), 3, height // 2, width // 2), np.float32)
        return np.concatenate([features, self.network(half)], axis=1)
