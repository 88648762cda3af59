"""Draws scenes of decks of any art, mostly in fans, rows and heaps, to train the second head of the detector on."""

from __future__ import annotations

import pickle
import time
from dataclasses import dataclass
from itertools import pairwise, product
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.dataset.artist.drawing import paintings, scenery
from companion.dataset.artist.drawing.chance import chance
from companion.dataset.artist.drawing.palette import hsv, sample_paper
from companion.dataset.artist.press import width_of
from companion.dataset.gallery.decks import ArtDeck, Sources, art_deck
from companion.dataset.scenes.art_decks import GalleryDeck
from companion.dataset.scenes.compose import FACE_HEIGHT, SceneMaker
from companion.dataset.scenes.layouts import Layout
from companion.dataset.scenes.surfaces import SurfaceBank, draw_surface
from companion.vision.core.geometry import Image

LAYOUTS = {
    Layout.FAN: 0.27,
    Layout.CASCADE: 0.17,
    Layout.HEAP: 0.17,
    Layout.SPREAD: 0.11,
    Layout.SINGLE: 0.09,
    Layout.PILE: 0.08,
    Layout.GRID: 0.04,
    Layout.SEATS: 0.04,
    Layout.EMPTY: 0.03,
}
"""Shares of the arrangements."""
CHUNK = 60
"""Number of scenes that share their decks and table tops."""

# Share of the chunks with decks of any art, number of their decks and of those of printed ones, and of table tops.
_ART, _ART_DECKS, _PRINTED_DECKS, _TOPS = 0.7, 6, 4, 8
# Number of further table tops that are painted like cards, and their size (px): nothing but its outline tells a card.
_PAINTED_TOPS, _TOP_SIZE = 4, 768
# Of these, share with pieces of pictures on plain ground: their number, and their reach over the table top's size.
_STREWN, _PIECES, _REACH = 0.5, (60, 500), (0.004, 0.04)
# Number of faces of a deck of pictures, of their inks, share of paintings among these decks, of those with a border.
_FACES, _INKS, _PAINTED, _BORDERED = 20, 4, 0.55, 0.3
# Size of the pictures (px), share of hard ones, quality of their JPEG coding.
_SIZE, _HARD, _QUALITY = 512, 0.3, 93
# Seconds.
_WAIT = 1.0


@dataclass(frozen=True, eq=False)
class PrintScene:
    """A scene: a square picture as JPEG bytes, and its cards: outlines (N, 4, 2) in pixels and visible shares (N,)."""

    jpeg: NDArray[np.uint8]
    quads: NDArray[np.float32]
    visible: NDArray[np.float32]

    def picture(self) -> Image:
        """Return the (S, S, 3) BGR uint8 picture."""
        return np.asarray(cv2.imdecode(self.jpeg, cv2.IMREAD_COLOR), np.uint8)


def pictures_deck(rng: np.random.Generator) -> ArtDeck:
    """Return a deck whose faces are paintings or landscapes, mostly up to the edge."""
    height, width = FACE_HEIGHT, width_of(FACE_HEIGHT)
    painted = chance(rng, _PAINTED)
    border = round(float(rng.uniform(0.015, 0.06)) * height) if chance(rng, _BORDERED) else 0
    paper = sample_paper(rng)
    inks = [hsv(float(rng.uniform(0, 360)), *map(float, rng.uniform(0.25, 1, 2))) for _ in range(_INKS)]
    faces = np.empty((_FACES, height, width, 3), np.uint8)
    faces[:] = paper
    for i, own in enumerate(rng.spawn(_FACES)):
        inner: Image = np.zeros((height - 2 * border, width - 2 * border, 3), np.uint8)
        if painted:
            paintings.paint(inner, own, ())
        else:
            scenery.draw_scenery(inner, inks[i % _INKS], own)
        faces[i, border : height - border, border : width - border] = inner
    return ArtDeck(faces, np.full((_FACES, 4), np.nan, np.float32))


def painted_top(rng: np.random.Generator) -> Image:
    """Return a square BGR table top with paintings and scenes like those of cards, at another scale."""
    top: Image = np.zeros((_TOP_SIZE, _TOP_SIZE, 3), np.uint8)
    parts = int(rng.integers(1, 4))
    edges = np.linspace(0, _TOP_SIZE, parts + 1).astype(int)
    for (above, below), (left, right) in product(pairwise(edges), repeat=2):
        part = np.zeros((below - above, right - left, 3), np.uint8)
        if chance(rng, _PAINTED):
            paintings.paint(part, rng, ())
        else:
            scenery.draw_scenery(part, hsv(float(rng.uniform(0, 360)), *map(float, rng.uniform(0.25, 1, 2))), rng)
        top[above:below, left:right] = part
    return top


def strewn_top(rng: np.random.Generator) -> Image:
    """Return a square BGR table top with pieces of such pictures strewn on it, most of them smaller than cards."""
    pieces = np.zeros((_TOP_SIZE, _TOP_SIZE), np.uint8)
    reach = rng.uniform(*_REACH) * _TOP_SIZE
    for _ in range(int(rng.integers(*_PIECES))):
        points = rng.uniform(0, _TOP_SIZE, 2) + rng.normal(0, reach * rng.uniform(0.5, 1), (int(rng.integers(3, 8)), 2))
        cv2.fillConvexPoly(pieces, cv2.convexHull(points.astype(np.int32)), 1)
    return np.where(pieces[..., None] > 0, painted_top(rng), draw_surface(rng, _TOP_SIZE))


def chunk_of_scenes(sources: Sources, seed: int, number: int) -> list[PrintScene]:
    """Return the scenes of one chunk of a seed: all with printed decks, or all with decks of any art."""
    rng = np.random.default_rng((seed, number))
    painted = [strewn_top(one) if chance(one, _STREWN) else painted_top(one) for one in rng.spawn(_PAINTED_TOPS)]
    tops = SurfaceBank(rng, _TOPS, [Path(name) for name in sources.pictures], further=painted)
    decks = []
    if chance(rng, _ART):
        drawn = [pictures_deck(rng) if i % 2 else art_deck(sources, FACE_HEIGHT, rng) for i in range(_ART_DECKS)]
        decks = [GalleryDeck(deck, rng) for deck in drawn]
    maker = SceneMaker(
        (seed, number, 1),
        (_SIZE, _SIZE),
        families=dict(sources.families),
        fonts=sources.fonts,
        surfaces=tops,
        hard=_HARD,
        decks=decks,
        deck_count=_PRINTED_DECKS,
    )
    layouts, shares = list(LAYOUTS), list(LAYOUTS.values())
    scenes = []
    for _ in range(CHUNK):
        scene = maker.make(layouts[int(rng.choice(len(layouts), p=shares))])
        jpeg = cv2.imencode(".jpg", scene.image, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])[1]
        quads = np.array([card.quad for card in scene.cards], np.float32).reshape(-1, 4, 2)
        shown = np.array([card.visible for card in scene.cards], np.float32)
        scenes.append(PrintScene(np.asarray(jpeg, np.uint8), quads, shown))
    return scenes


def draw(folder: Path, sources: Sources, seed: int, chunks: int) -> None:
    """Write chunks of scenes into a folder; those that are there are kept."""
    cv2.setNumThreads(1)
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(chunks):
        path = folder / f"{number:04d}.pkl"
        if not path.exists():
            part = path.with_suffix(".part")
            part.write_bytes(pickle.dumps(chunk_of_scenes(sources, seed, number)))
            part.replace(path)


class Scenes:
    """The scenes of a folder, which may be drawn meanwhile."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: set[Path] = set()
        self.every: list[PrintScene] = []
        while not self.every:
            time.sleep(_WAIT)
            self.refresh()

    def refresh(self) -> None:
        """Read the new chunks."""
        for path in sorted(set(self._folder.glob("*.pkl")) - self._read):
            self._read.add(path)
            self.every += pickle.loads(path.read_bytes())
