"""Writes scenes to disk as an oriented-box data set of ultralytics, with full labels.

FOLDER/images/SPLIT/NNNNNN.jpg, FOLDER/labels/SPLIT/NNNNNN.txt (class and four corners, normalised), FOLDER/SPLIT.jsonl
(a line per picture: every face-up card with its outline, visible share and indices) and FOLDER/data.yaml.
"""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from rich.progress import Progress

from companion.dataset.artist.drawing.fonts import system_fonts
from companion.dataset.artist.families import TRAINING_WEIGHTS, StyleFamily
from companion.dataset.scenes.art_decks import gallery_decks
from companion.dataset.scenes.compose import Scene, SceneCard, SceneMaker
from companion.dataset.scenes.photos import load_card_photos
from companion.dataset.scenes.surfaces import SurfaceBank, list_pictures
from companion.vision.core.geometry import Quad

CLASSES = ("card", "index")
CARD_VISIBLE = 0.5
INDEX_VISIBLE = 0.85
CHUNK = 200
# Decks of any art in a chunk of scenes.
_ART_DECKS = 8
_MIN_CARD, _MIN_INDEX = 14.0, 6.0


@dataclass(frozen=True)
class Recipe:
    """What to generate: `count` scenes of `size` x `size` px from `seed`, of all or some style families.

    backgrounds: folder of table pictures; cards: folder of card photos (see dataset/scenes/photos.py); hard: share of
    the scenes with a hardship (see dataset/scenes/hardships.py); art: share of the chunks with decks of any art, which
    only the detector may be trained on (see dataset/gallery/).
    """

    split: str
    count: int
    seed: int
    size: int = 640
    families: tuple[StyleFamily, ...] | None = None
    backgrounds: Path | None = None
    cards: Path | None = None
    hard: float = 0.4
    art: float = 0.0

    def fonts(self) -> Sequence[str]:
        """Fonts of this split; those of 'val' are never trained on."""
        fonts = system_fonts()
        held_out = fonts[::8]
        return held_out if self.split == "val" else [font for font in fonts if font not in set(held_out)]


def maker(recipe: Recipe, chunk: int) -> SceneMaker:
    """Return the scene maker of one chunk; its scenes do not depend on the number of processes."""
    stream = (recipe.seed, {"train": 0, "val": 1}.get(recipe.split, 2), chunk)
    pictures = list_pictures(recipe.backgrounds) if recipe.backgrounds else []
    surfaces = SurfaceBank(np.random.default_rng((*stream, 1)), pictures=pictures)
    size = (recipe.size, recipe.size)
    photos = load_card_photos(recipe.cards) if recipe.cards else None
    families = recipe.families or TRAINING_WEIGHTS
    rng = np.random.default_rng((*stream, 2))
    is_art = rng.random() < recipe.art
    decks = gallery_decks(_ART_DECKS, recipe.fonts(), [*map(str, pictures)], rng) if is_art else []
    return SceneMaker(
        stream,
        size,
        families=families,
        fonts=recipe.fonts(),
        surfaces=surfaces,
        photos=photos,
        pictures=[*map(str, pictures)],
        hard=recipe.hard,
        decks=decks,
    )


def generate(folder: Path, recipe: Recipe, workers: int | None = None) -> None:
    """Write the recipe's scenes under `folder`; existing chunks are kept, so an interrupted run resumes."""
    for kind in ("images", "labels", "chunks"):
        (folder / kind / recipe.split).mkdir(parents=True, exist_ok=True)
    chunks = range(-(-recipe.count // CHUNK))
    missing = [(folder, recipe, c) for c in chunks if not _chunk_file(folder, recipe.split, c).exists()]
    with Progress() as progress, multiprocessing.get_context("spawn").Pool(workers) as pool:
        bar = progress.add_task(f"scenes ({recipe.split})", total=len(chunks), completed=len(chunks) - len(missing))
        for _ in pool.imap_unordered(_write_chunk, missing):
            progress.advance(bar)
    lines = "".join(_chunk_file(folder, recipe.split, c).read_text() for c in chunks)
    (folder / f"{recipe.split}.jsonl").write_text(lines)
    names = "".join(f"  {i}: {name}\n" for i, name in enumerate(CLASSES))
    (folder / "data.yaml").write_text(
        f"path: {folder.resolve()}\ntrain: images/train\nval: images/val\nnames:\n{names}"
    )


def _chunk_file(folder: Path, split: str, chunk: int) -> Path:
    return folder / "chunks" / split / f"{chunk:05d}.jsonl"


def _write_chunk(job: tuple[Path, Recipe, int]) -> None:
    folder, recipe, chunk = job
    cv2.setNumThreads(1)
    scenes = maker(recipe, chunk)
    lines = []
    for number in range(chunk * CHUNK, min((chunk + 1) * CHUNK, recipe.count)):
        scene = scenes.make()
        name = f"{number:06d}"
        cv2.imwrite(str(folder / "images" / recipe.split / f"{name}.jpg"), scene.image, [cv2.IMWRITE_JPEG_QUALITY, 92])
        (folder / "labels" / recipe.split / f"{name}.txt").write_text(yolo_labels(scene))
        lines.append(json.dumps({"image": name, "layout": scene.layout.value, **scene_row(scene)}))
    # Written last: it marks the chunk as complete.
    _chunk_file(folder, recipe.split, chunk).write_text("\n".join(lines) + "\n")


def scene_row(scene: Scene) -> dict[str, object]:
    """Return a scene's labels for its line of FOLDER/SPLIT.jsonl, without picture name and layout."""
    return {"cards": [*map(_card_row, scene.cards)], "backs": [*map(_rounded, scene.backs)]}


def _card_row(card: SceneCard) -> dict[str, object]:
    return {
        "card": card.card.name,
        "quad": _rounded(card.quad),
        "visible": round(card.visible, 3),
        "indices": [{"quad": _rounded(index.quad), "visible": round(index.visible, 3)} for index in card.indices],
    }


def _rounded(quad: Quad) -> list[list[float]]:
    return [[round(float(x), 2), round(float(y), 2)] for x, y in quad]


def yolo_labels(scene: Scene) -> str:
    """Return the lines of ultralytics' oriented-box format: the mostly visible cards and the visible indices."""
    height, width = scene.image.shape[:2]
    rows = []
    for kind, quad in _labelled(scene.cards):
        box = _framed_box(quad, width, height)
        if box is not None:
            rows.append(f"{kind} " + " ".join(f"{v:.5f}" for v in (box / (width, height)).clip(0, 1).ravel()))
    return "\n".join(rows) + "\n" if rows else ""


def _labelled(cards: Sequence[SceneCard]) -> Iterator[tuple[int, Quad]]:
    for card in cards:
        if card.visible >= CARD_VISIBLE and _shorter_side(card.quad) >= _MIN_CARD:
            yield 0, card.quad
        for index in card.indices:
            if index.visible >= INDEX_VISIBLE and _shorter_side(index.quad) >= _MIN_INDEX:
                yield 1, index.quad


def _shorter_side(quad: Quad) -> float:
    return float(min(np.hypot(*(quad[1] - quad[0])), np.hypot(*(quad[3] - quad[0]))))


def _framed_box(quad: Quad, width: int, height: int) -> Quad | None:
    """Return the outline's part inside the frame as four corners: the outline, or the part's bounding rectangle."""
    if (quad >= 0).all() and (quad <= (width, height)).all():
        return quad
    frame = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    area, part = cv2.intersectConvexConvex(quad, frame)
    if area < 16 or part is None:
        return None
    return np.asarray(cv2.boxPoints(cv2.minAreaRect(part)), np.float32)
