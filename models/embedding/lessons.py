"""What each kind of embedding is trained on: the network it starts as, its batches, its loss and its check."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from companion.models.embedding.gallery import Gallery
from companion.models.embedding.loss import contrast
from companion.models.embedding.measure import Figures, Floats, figures, mean_figures
from companion.models.embedding.network import from_card, from_reader
from companion.models.embedding.part_views import PartPhotographer, packed
from companion.models.embedding.views import Photographer, rgb
from companion.vision.core.geometry import CARD_CROP

Views = NDArray[np.uint8]
Answer = Callable[[Views], list[Floats]]
"""Returns a network's outputs for (N, C, H, W) crops, RGB uint8 first."""

# How many decks a batch has faces of: those of one deck are the hard ones to tell apart.
_DECKS = 4
_CHECK_VIEWS, _CHECK_FACES = 2, 12
# Corners weigh this much beside the contrast. Their loss is smooth L1 (Girshick, Fast R-CNN, 2015), linear from this
# error on, a share of the view's sides.
_CORNER_WEIGHT, _CORNER_LINEAR = 60.0, 0.03


@dataclass(frozen=True, eq=False)
class Batch:
    """Crops to learn from.

    views: (2 N + M, C, H, W) uint8, rows i and N + i being of the same face, the last M of none. corners: (2 N, 8) of
    the first rows as `PartEmbedder` returns them; none for whole cards.
    """

    views: Views
    corners: Floats


class Lessons(Protocol):
    """What one kind of embedding is trained on. faces: faces in a batch."""

    rate: float
    """Learning rate."""

    def network(self, models: Path, faces: int, seed: int) -> nn.Module:
        """Return the network that training begins with, made of exported ones."""

    def batches(self, faces: int, seed: Sequence[int]) -> Iterator[Batch]:
        """Yield batches without end."""

    def loss(self, output: Any, corners: torch.Tensor) -> torch.Tensor:
        """Return the loss of the network's output for a batch."""

    def check(self, answer: Answer) -> str:
        """Return figures on decks that are not trained on."""


class CardLessons:
    """Two views each of whole cards."""

    rate = 1.5e-3

    def __init__(self, gallery: Gallery, held_out: Gallery) -> None:
        self._gallery, self._held_out = gallery, held_out
        self._decks = _decks(gallery)

    def network(self, models: Path, faces: int, seed: int) -> nn.Module:
        """Return a network that starts as the card reader."""
        take = Photographer(self._gallery, [seed, 5]).card
        chosen = _chosen(self._decks, faces, np.random.default_rng([seed, 4]))
        views = torch.from_numpy(rgb([take(face) for _ in range(2) for face in chosen]))
        width, height = CARD_CROP
        crops = functional.interpolate(views.float(), (height, width), mode="bilinear").to(torch.uint8)
        return from_reader(models, crops)

    def batches(self, faces: int, seed: Sequence[int]) -> Iterator[Batch]:
        """Yield batches without end."""
        rng = np.random.default_rng(seed)
        take = Photographer(self._gallery, [*seed, 1]).card
        while True:
            chosen = _chosen(self._decks, faces, rng)
            yield Batch(rgb([take(face) for _ in range(2) for face in chosen]), np.empty((0, 8), np.float32))

    def loss(self, output: Any, corners: torch.Tensor) -> torch.Tensor:
        """Return the loss of the network's output for a batch."""
        return contrast(output.float())

    def check(self, answer: Answer) -> str:
        """Return figures on decks that are not trained on: two views of each face are enrolled, two are asked for."""
        take = Photographer(self._held_out, [1, 3]).card

        def embed(faces: list[int]) -> Floats:
            return answer(rgb([take(face) for face in faces]))[0]

        return _text(_measured(self._held_out, embed, embed))


class PartLessons:
    """Views of whole and of covered cards, and of outlines without one."""

    rate = 1e-3

    def __init__(self, gallery: Gallery, held_out: Gallery) -> None:
        self._gallery, self._held_out = gallery.halved(), held_out
        self._decks = _decks(gallery)

    def network(self, models: Path, faces: int, seed: int) -> nn.Module:
        """Return a network that starts as the embedding of whole cards."""
        take = Photographer(self._gallery, [seed, 5]).card
        chosen = _chosen(self._decks, faces, np.random.default_rng([seed, 4]))
        return from_card(models, torch.from_numpy(rgb([take(face) for _ in range(2) for face in chosen])))

    def batches(self, faces: int, seed: Sequence[int]) -> Iterator[Batch]:
        """Yield batches without end. A quarter of the views are of no face, three quarters of them of no card.

        There are as many views as of whole cards. Of the pairs 25 % are of whole cards, 15 % of covered ones, and 60 %
        of one each.
        """
        rng = np.random.default_rng(seed)
        camera = PartPhotographer(self._gallery, [*seed, 1])
        pairs, strangers = faces * 3 // 4, faces // 2
        while True:
            chosen = _chosen(self._decks, pairs, rng)
            covered = rng.choice(3, pairs, p=[0.25, 0.6, 0.15])
            takes = [camera.covered if count > view else camera.whole for view in (1, 0) for count in covered]
            views = [take(face) for take, face in zip(takes, chosen * 2, strict=True)]
            corners = np.stack([view.corners.reshape(8) for view in views])
            others = (camera.beside, camera.nothing, camera.nothing, camera.nothing)
            views += [others[i % 4](int(face)) for i, face in enumerate(rng.permutation(chosen)[:strangers])]
            yield Batch(packed(views), corners)

    def loss(self, output: Any, corners: torch.Tensor) -> torch.Tensor:
        """Return the loss of the network's output for a batch."""
        vectors, found = output
        count = len(corners)
        off = functional.smooth_l1_loss(found[:count], corners, beta=_CORNER_LINEAR)
        return contrast(vectors[:count], vectors[count:]) + _CORNER_WEIGHT * off

    def check(self, answer: Answer) -> str:
        """Return figures on decks that are not trained on: two views of each whole face are enrolled, two of the
        covered one are asked for.
        """
        camera = PartPhotographer(self._held_out, [1, 3])
        before: list[Floats] = []
        after: list[Floats] = []

        def enrol(faces: list[int]) -> Floats:
            return answer(packed([camera.whole(face) for face in faces]))[0]

        def ask(faces: list[int]) -> Floats:
            views = [camera.covered(face) for face in faces]
            vectors, found = answer(packed(views))
            before.append(np.stack([view.corners.reshape(8) for view in views]))
            after.append(before[-1] - found)
            return vectors

        text = _text(_measured(self._held_out, enrol, ask))
        first, then = (100 * np.abs(np.concatenate(off)).mean() for off in (before, after))
        return f"{text} corners off {first:.2f} -> {then:.2f} %"


def _decks(gallery: Gallery) -> list[NDArray[np.intp]]:
    """Return the faces of each deck that has some to tell apart."""
    return [faces for faces in gallery.classes("card") if len(faces) > 3]


def _chosen(decks: list[NDArray[np.intp]], count: int, rng: np.random.Generator) -> list[int]:
    """Return as many faces of a few decks."""
    chosen: list[int] = []
    while len(chosen) < count:
        deck = decks[int(rng.integers(len(decks)))]
        some = rng.permutation(deck)[: -(-count // _DECKS)]
        chosen += [int(face) for face in some if face not in chosen]
    return chosen[:count]


Embed = Callable[[list[int]], Floats]


def _measured(gallery: Gallery, enrol: Embed, ask: Embed) -> Figures:
    """Return the mean figures over a gallery's decks. enrol, ask: take views of faces and return their vectors."""
    rng = np.random.default_rng([1, 2])
    each = []
    for deck in gallery.classes("card"):
        if len(deck) < 8:
            continue
        faces = rng.permutation(deck)[:_CHECK_FACES]
        names = np.repeat(np.arange(len(faces)), _CHECK_VIEWS)
        shown = [int(faces[name]) for name in names]
        each.append(figures(enrol(shown), names, ask(shown), names))
    return mean_figures(each)


def _text(found: Figures) -> str:
    return f"right {found.right:.4f} margin {found.margin:.3f} unknown {found.unknown:.4f}"
