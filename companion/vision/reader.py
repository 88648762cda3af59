"""Reads crops: what card a whole card or a corner index is, and where exactly a card's outline runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.vision.geometry import (
    CARD_CROP,
    CARD_MARGIN,
    INDEX_CROP,
    Image,
    Quad,
    corner_frames,
    cut,
    expand,
    homography,
    portrait,
    project,
    unit_square,
)
from companion.vision.labels import COLOR_COUNT, FACE_COUNT, Floats, card_log_likelihoods, log_softmax
from companion.vision.runtime import Network

# By how much the frames in which an index is read are larger than its own: what boxes are off by evens out.
_INDEX_VIEWS = (-0.1, 0.0, 0.12)


@dataclass(frozen=True, eq=False)
class CardReading:
    """A whole card: its refined outline (4, 2) and the (57,) log-likelihoods of ALL_CARDS and, last, of no card."""

    quad: Quad
    logs: Floats


@dataclass(frozen=True, eq=False)
class IndexReading:
    """A corner index: its (57,) log-likelihoods and its outline (4, 2), clockwise from its own top left."""

    quad: Quad
    logs: Floats


def _input(crops: Sequence[Image]) -> NDArray[np.float32]:
    stack = np.stack(crops)[..., ::-1].transpose(0, 3, 1, 2)
    return np.ascontiguousarray(stack).astype(np.float32) / np.float32(255)


class Reader:
    """Reads cards and indices with the two exported networks."""

    def __init__(self, card_network: Network, index_network: Network, index_weight: float = 0.5) -> None:
        self._cards = card_network
        self._indices = index_network
        self._index_weight = index_weight

    def read_cards(self, image: Image, quads: Sequence[Quad]) -> list[CardReading]:
        """Return a reading for each rough outline (4, 2) in the (H, W, 3) BGR uint8 picture.

        Two passes: the first finds the outline within the rough one, the second reads the card in it; then the corners
        are read by themselves at the picture's full resolution, which tells more where the middle shows no number.
        """
        if not quads:
            return []
        rough = [portrait(quad) for quad in quads]
        refined = [portrait(quad) for quad, _ in self._pass(image, rough)]
        final = self._pass(image, refined)
        outlines = [portrait(quad) for quad, _ in final]
        logs = np.stack([scores for _, scores in final])
        corners = [frame for outline in outlines for frame in corner_frames(outline)]
        corner_logs, _ = self._index_scores(image, corners)
        # A corner that is hidden or cut reads as 'none' or at random: bound what it can say against the whole card.
        bounded = np.maximum(corner_logs, -4.0).reshape(len(quads), 2, -1).sum(1)
        return [CardReading(quad, row) for quad, row in zip(outlines, logs + self._index_weight * bounded, strict=True)]

    def _pass(self, image: Image, quads: Sequence[Quad]) -> list[tuple[Quad, Floats]]:
        edges = [expand(quad, CARD_MARGIN) for quad in quads]
        output = self._cards(_input([cut(image, edge, *CARD_CROP) for edge in edges]))
        logs = card_log_likelihoods(output[:, :FACE_COUNT], output[:, FACE_COUNT : FACE_COUNT + COLOR_COUNT])
        found = output[:, FACE_COUNT + COLOR_COUNT :].reshape(-1, 4, 2)
        outlines = [
            project(homography(unit_square(), edge), corners) for edge, corners in zip(edges, found, strict=True)
        ]
        return list(zip(outlines, logs, strict=True))

    def no_card_probabilities(self, image: Image, quads: Sequence[Quad]) -> Floats:
        """Return (N,) how likely the card reader finds no card in each rough outline, be it a covered one."""
        if not quads:
            return np.zeros(0, np.float32)
        return np.asarray([np.exp(logs[-1]) for _, logs in self._pass(image, quads)], np.float32)

    def read_indices(self, image: Image, frames: Sequence[Quad]) -> list[IndexReading]:
        """Return a reading for each square (4, 2) about an index that may stand in any of four directions."""
        if not frames:
            return []
        views = [self._index_scores(image, [expand(frame, by) for frame in frames]) for by in _INDEX_VIEWS]
        logs = np.mean([logs for logs, _ in views], axis=0)
        turns = np.mean([turns for _, turns in views], axis=0)
        return [
            IndexReading(np.roll(frame, -int(turn), axis=0), row)
            for frame, turn, row in zip(frames, turns.argmax(1), logs, strict=True)
        ]

    def _index_scores(self, image: Image, frames: Sequence[Quad]) -> tuple[Floats, Floats]:
        output = self._indices(_input([cut(image, frame, INDEX_CROP, INDEX_CROP) for frame in frames]))
        logs = card_log_likelihoods(output[:, :FACE_COUNT], output[:, FACE_COUNT : FACE_COUNT + COLOR_COUNT])
        return logs, log_softmax(output[:, FACE_COUNT + COLOR_COUNT :])
