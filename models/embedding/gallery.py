"""The faces that the embedding is trained on, drawn once and kept on disk as arrays."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track

from companion.dataset.artist.drawing.chance import chance
from companion.dataset.gallery.decks import ArtDeck, Boxes, Sources, art_deck, distinct, edge_deck, printed_deck
from companion.dataset.scenes.surfaces import draw_surface
from companion.vision.core.geometry import INDEX_SPOT, INDEX_SPOT_SIDE, Image

FACE_HEIGHT = 288
"""Height in pixels at which faces are kept."""
_log = logging.getLogger(__name__)
# Levels by which two faces of a deck, or their corners, must differ to count as two, see `distinct`.
_CARDS_DIFFER, _CORNERS_DIFFER = 3.0, 9.0
_PRINTED_SHARE = 0.45
_TILES, _TILE = 400, 224


@dataclass(frozen=True, eq=False)
class Gallery:
    """Faces of many decks.

    faces: (N, H, W, 3) BGR uint8. decks: (N,) number of each face's deck, rising. corners: (N, 4) boxes of the upright
    index in pixels, NaN where there is none. same_card, same_corner: (N,) number of the first face of the deck that has
    the same picture, or the same upper left corner. tiles: (M, S, S, 3) BGR uint8 table tops.
    """

    faces: NDArray[np.uint8]
    decks: NDArray[np.intp]
    corners: Boxes
    same_card: NDArray[np.intp]
    same_corner: NDArray[np.intp]
    tiles: NDArray[np.uint8]

    def classes(self, kind: str) -> list[NDArray[np.intp]]:
        """Return for each deck the faces that differ as whole cards ('card') or at the corner ('corner')."""
        same = self.same_card if kind == "card" else self.same_corner
        firsts = np.flatnonzero(same == np.arange(len(same)))
        if kind == "corner":
            # A corner like another card's, beside corners that differ, is no class: it can show anything.
            firsts = firsts[self.same_card[firsts] == firsts]
        return [firsts[self.decks[firsts] == deck] for deck in np.unique(self.decks)]

    def halved(self) -> Gallery:
        """Return the gallery with whole faces of half the size, in memory, from which small views are drawn faster."""
        height, width = self.faces.shape[1:3]
        size = (width // 2, height // 2)
        faces = np.stack([cv2.resize(face, size, interpolation=cv2.INTER_AREA) for face in self.faces])
        return replace(self, faces=np.asarray(faces, np.uint8), corners=self.corners * np.float32(0.5))


def load(folder: Path) -> Gallery:
    """Return a gallery that was built in a folder, the faces read from disk as they are used."""
    info = np.load(folder / "info.npz")
    return Gallery(
        np.load(folder / "faces.npy", mmap_mode="r"),
        info["decks"],
        info["corners"],
        info["same_card"],
        info["same_corner"],
        np.load(folder / "tiles.npy"),
    )


def build(
    folder: Path, sources: Sources, count: int, seed: int, console: Console | None = None, edges: float = 0.0
) -> Gallery:
    """Draw `count` decks into a folder, or load what is there.

    edges: share of decks with pictures from edge to edge.
    """
    if (folder / "info.npz").exists():
        return load(folder)
    folder.mkdir(parents=True, exist_ok=True)
    decks = [_deck(sources, seed, number, edges) for number in track(range(count), "decks", console=console)]
    faces = np.concatenate([deck.faces for deck in decks])
    corners = np.concatenate([deck.corners for deck in decks])
    sizes = [len(deck.faces) for deck in decks]
    starts = np.cumsum([0, *sizes[:-1]])
    same_card = [distinct(deck.faces, _CARDS_DIFFER) + start for deck, start in zip(decks, starts, strict=True)]
    same_corner = [
        distinct([corner_of(face) for face in deck.faces], _CORNERS_DIFFER) + start
        for deck, start in zip(decks, starts, strict=True)
    ]
    rng = np.random.default_rng([seed, 1])
    tiles = np.stack([_tile(sources.pictures, rng) for _ in range(_TILES)])
    np.save(folder / "faces.npy", faces)
    np.save(folder / "tiles.npy", tiles)
    np.savez(
        folder / "info.npz",
        decks=np.repeat(np.arange(count), sizes),
        corners=corners,
        same_card=np.concatenate(same_card),
        same_corner=np.concatenate(same_corner),
    )
    _log.info("drew %d faces of %d decks into %s", len(faces), count, folder)
    return load(folder)


def _deck(sources: Sources, seed: int, number: int, edges: float) -> ArtDeck:
    rng = np.random.default_rng([seed, 0, number])
    if edges and chance(rng, edges):
        return edge_deck(sources, FACE_HEIGHT, rng)
    draw = printed_deck if chance(rng, _PRINTED_SHARE) else art_deck
    return draw(sources, FACE_HEIGHT, rng)


def corner_of(face: Image) -> Image:
    """Return the part of an upright face from which its upper left corner is read."""
    height, width = face.shape[:2]
    half = INDEX_SPOT_SIDE * width / 2
    x, y = INDEX_SPOT[0] * width, INDEX_SPOT[1] * height
    return face[max(0, round(y - half)) : round(y + half), max(0, round(x - half)) : round(x + half)]


def _tile(pictures: Sequence[str], rng: np.random.Generator) -> Image:
    """Return a (S, S, 3) part of a table top, drawn or from a picture."""
    picture = cv2.imread(str(rng.choice(list(pictures)))) if pictures and chance(rng, 0.6) else None
    if picture is None:
        picture = draw_surface(rng, 512)
    scale = max(_TILE / min(picture.shape[:2]), float(rng.uniform(0.3, 1.0)))
    small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    small = cv2.resize(small, (max(_TILE, small.shape[1]), max(_TILE, small.shape[0])))
    y, x = (int(rng.integers(0, size - _TILE + 1)) for size in small.shape[:2])
    return np.asarray(small[y : y + _TILE, x : x + _TILE], np.uint8)
