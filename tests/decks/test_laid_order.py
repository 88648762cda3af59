"""Cards laid in a known order: missed ones, pictures without a card, and pictures that cannot be read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner, Result

from companion.cards import ALL_CARDS, Card, EditionName
from companion.cli import main
from companion.decks.labels.laid_order import aligned
from companion.decks.service.deck_detector import reading_parts
from companion.decks.service.enrollment import Lesson
from companion.editions import EDITIONS
from companion.vision.core.geometry import Image

from .laid import bare_table, with_card

ORDER = [Card.parse(name) for name in ("red 7", "blue 3", "green skip", "wild", "yellow 9", "green 1")]
CLASSES = len(ALL_CARDS) + 1


def _readings(shown: Sequence[int | None], probability: float = 0.9) -> np.ndarray:
    """Return (N, 57) readings of the classes shown, uniform for None."""
    rows = np.full((len(shown), CLASSES), 1 / CLASSES)
    for row, number in zip(rows, shown, strict=True):
        if number is not None:
            row[:] = (1 - probability) / (CLASSES - 1)
            row[number] = probability
    return rows


@pytest.mark.parametrize(
    ("shown", "indices"),
    [
        ([4, 9, 4, 7], [0, 1, 2, 3]),
        ([4, 9, 7], [0, 1, 3]),
        ([9, 4, 7], [1, 2, 3]),
        ([4, 9], [0, 1]),
        ([None, 4, 9, 4, 7], [None, 0, 1, 2, 3]),
        ([4, 9, None, 4, 7], [0, 1, None, 2, 3]),
        ([4, 30, 4, 7], [0, 1, 2, 3]),
        ([None, None, None], [0, 1, 2]),
    ],
)
def test_pictures_are_aligned_with_the_order(shown: list[int | None], indices: list[int | None]) -> None:
    assert aligned(_readings(shown), [4, 9, 4, 7], range(len(shown))) == indices


def test_place_of_a_missed_picture_is_kept_without_any_reading() -> None:
    assert aligned(_readings([None] * 3), [4, 9, 4, 7], [0, 2, 3]) == [0, 2, 3]


@cache
def _flip() -> tuple[Image, list[Image]]:
    """Return the bare table, and a picture for each card of ORDER laid on one pile."""
    rng = np.random.default_rng(3)
    table = bare_table(rng)
    pile, pictures = table, []
    for card in ORDER:
        center = (320 + float(rng.normal(0, 6)), 240 + float(rng.normal(0, 6)))
        pile, _ = with_card(pile, card, center, float(rng.normal(10, 12)))
        pictures.append(np.clip(pile + rng.normal(0, 2, pile.shape), 0, 255).astype(np.uint8))
    return table, pictures


def _with_hand(picture: Image) -> Image:
    shown = picture.copy()
    cv2.ellipse(shown, (260, 300), (90, 40), 50, 0, 360, (120, 150, 200), -1)
    cv2.line(shown, (230, 330), (60, 479), (120, 150, 200), 60)
    return shown


def _learnt(pictures: Sequence[Image]) -> Lesson:
    lesson = Lesson(*reading_parts(), EDITIONS[EditionName.CLASSIC], ORDER, each=True)
    for picture in pictures:
        lesson.show(picture)
    lesson.drop_unordered()
    return lesson


def _names(lesson: Lesson) -> list[Card]:
    return [
        card for _, card in sorted(zip(lesson.places, lesson.naming().cards, strict=True), key=lambda pair: pair[0])
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("place", "kind"), [(0, "table"), (3, "table"), (3, "hand"), (3, "again")])
def test_picture_without_a_further_card_does_not_shift_names(place: int, kind: str) -> None:
    table, pictures = _flip()
    under = pictures[max(0, place - 1)]
    extra = {"table": table, "hand": _with_hand(under), "again": under}[kind]
    lesson = _learnt([*pictures[:place], extra, *pictures[place:]])
    assert _names(lesson) == ORDER
    assert lesson.without_card == (place,)
    assert lesson.missed == ()


@pytest.mark.slow
def test_card_without_a_picture_is_missed() -> None:
    _, pictures = _flip()
    lesson = _learnt([*pictures[:2], *pictures[3:]])
    assert _names(lesson) == [*ORDER[:2], *ORDER[3:]]
    assert lesson.missed == ((ORDER[2], None),)


def _learn(tmp_path: Path, pictures: Sequence[Image], damaged: int | None = None) -> Result:
    folder = tmp_path / "flip"
    folder.mkdir()
    for number, picture in enumerate(pictures):
        file = folder / f"{number}.png"
        cv2.imwrite(str(file), picture)
        if number == damaged:
            file.write_bytes(file.read_bytes()[:50])
    (tmp_path / "order.txt").write_text("\n".join(card.name for card in ORDER))
    arguments = ["--data", str(tmp_path / "data"), "learn", str(folder), "--name", "Ours", "--json"]
    return CliRunner().invoke(main, [*arguments, "--order", str(tmp_path / "order.txt")])


@pytest.mark.slow
def test_missed_card_is_named_with_its_picture(tmp_path: Path) -> None:
    said = _learn(tmp_path, _flip()[1], damaged=2)
    assert said.exit_code == 1
    found = json.loads(said.stdout)
    assert found["names"] == [card.name for card in ORDER if card is not ORDER[2]]
    assert found["missed"] == [{"card": "green skip", "picture": "2.png"}]
    assert "A card of the order was not found: green skip (2.png)." in said.stderr


@pytest.mark.slow
def test_lesson_that_finds_few_cards_is_not_saved(tmp_path: Path) -> None:
    table, pictures = _flip()
    said = _learn(tmp_path, [*pictures[:2], *[table] * 6])
    assert said.exit_code == 1
    assert said.stdout == ""
    assert said.stderr.startswith("Error: Only 3 of 8 cards were found, so the deck was not saved.")
    assert not list((tmp_path / "data").rglob("*.deck"))
