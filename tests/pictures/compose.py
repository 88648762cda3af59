"""Draws the pictures of this folder and their labels: `python tests/pictures/compose.py`.

Every picture is drawn by code and may be shipped. For each entry of the plan, seeds are tried in order, and the first
scene is kept whose cards are shown well enough to be named by people. Whether the networks read it plays no part.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

import cv2

from companion.cards import EditionName, deck
from companion.dataset.artist.families import StyleFamily
from companion.dataset.scenes.compose import Scene, SceneMaker
from companion.dataset.scenes.layouts import Layout

FOLDER = Path(__file__).parent
SIZE = (1120, 840)
QUALITY = 85
PLAN = (
    (StyleFamily.CLASSIC_OVAL, Layout.SINGLE, "classic"),
    (StyleFamily.WHITE_OVAL, Layout.SINGLE, "classic"),
    (StyleFamily.WHITE_DISC_RAYS, Layout.SINGLE, "classic"),
    (StyleFamily.THEMED, Layout.SINGLE, "classic"),
    (StyleFamily.MARIO_KART, Layout.SINGLE, "mario-kart"),
    (StyleFamily.MINECRAFT, Layout.SINGLE, "minecraft"),
    (StyleFamily.MINIMAL, Layout.SINGLE, "classic"),
    (StyleFamily.HOLLOW, Layout.SINGLE, "classic"),
    (StyleFamily.CLASSIC_OVAL, Layout.PILE, "classic"),
    (StyleFamily.MARIO_KART, Layout.PILE, "mario-kart"),
    (StyleFamily.CLASSIC_OVAL, Layout.GRID, "classic"),
    (StyleFamily.WHITE_OVAL, Layout.GRID, "classic"),
    (StyleFamily.MARIO_KART, Layout.GRID, "mario-kart"),
    (StyleFamily.BANNER, Layout.GRID, "classic"),
    (StyleFamily.FACETED, Layout.GRID, "classic"),
    (StyleFamily.CLASSIC_OVAL, Layout.FAN, "classic"),
    (StyleFamily.MARIO_KART, Layout.FAN, "mario-kart"),
    (StyleFamily.WHITE_OVAL, Layout.FAN, "classic"),
    (StyleFamily.MINECRAFT, Layout.FAN, "minecraft"),
    (StyleFamily.CLASSIC_OVAL, Layout.EMPTY, "classic"),
)
"""Style family, arrangement and edition of each picture."""
# A card is in view if this share of it or of one of its indices is visible; others are hidden, and the rest is unclear.
_SEEN, _INDEX_SEEN, _HIDDEN = 0.6, 0.97, 0.03
_FAN, _MOST = 6, 9
_LEAST = {Layout.SINGLE: 1, Layout.PILE: 1, Layout.GRID: 4, Layout.FAN: _FAN, Layout.EMPTY: 0}
"""Number of cards in a fan and at most; and at least, by arrangement."""


def in_view(scene: Scene) -> list[str] | None:
    """Return the names of the cards that can be read, None if a card is neither readable nor hidden."""
    names = []
    for card in scene.cards:
        index = max(index.visible for index in card.indices)
        if card.visible >= _SEEN or index >= _INDEX_SEEN:
            names.append(card.card.name)
        elif card.visible > _HIDDEN:
            return None
    return sorted(names)


def scenes(family: StyleFamily, layout: Layout, edition: EditionName, first: int) -> Iterator[tuple[int, Scene]]:
    """Yield seeds and scenes of one plan entry with cards of the edition alone."""
    cards = sorted(deck(edition), key=str)
    for seed in range(first, first + 100):
        maker = SceneMaker(seed, SIZE, families=[family], deck_count=1)
        hand = Random(seed).sample(cards, _FAN) if layout is Layout.FAN else None
        scene = maker.make(layout, hand)
        if all(card.card in deck(edition) for card in scene.cards):
            yield seed, scene


def main() -> None:
    """Write the pictures and `labels.json`."""
    labels = []
    for number, (family, layout, edition) in enumerate(PLAN, 1):
        for seed, scene in scenes(family, layout, EditionName(edition), 100 * number):
            names = in_view(scene)
            if names is None or not _LEAST[layout] <= len(names) <= _MOST:
                continue
            file = f"{number:02}.jpg"
            cv2.imwrite(str(FOLDER / file), scene.image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
            entry = {"file": file, "family": family.value, "layout": layout.value, "edition": edition, "seed": seed}
            labels.append({**entry, "cards": names})
            break
    text = ",\n ".join(json.dumps(label) for label in labels)
    (FOLDER / "labels.json").write_text(f"[{text}]\n", "utf-8")


if __name__ == "__main__":
    main()
