"""A themed deck is learnt in one flip by the real commands, and read with its own special faces."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from companion.cli import main
from companion.decks.service.deck_detector import reading_parts
from companion.decks.service.enrollment import Lesson
from companion.editions.library import shipped
from companion.vision.core.geometry import Image
from companion.vision.core.runtime import model_folder

from .laid import bare_table, with_card

pytestmark = pytest.mark.skipif(not (model_folder() / "detector.onnx").is_file(), reason="no networks")

ZELDA = shipped()["zelda"]
FLIP = ("red 7", "wild triforce", "blue 3", "wild", "wild triforce", "green 5", "wild")


def _flip(rng: np.random.Generator) -> Iterator[Image]:
    """Yield a picture of the pile for each card laid."""
    pile = bare_table(rng)
    for i, name in enumerate(FLIP):
        pile, _ = with_card(pile, ZELDA.card(name), (320 + 5 * (i % 3), 240 - 4 * (i % 2)), 15 * i - 40)
        yield pile


def _run(tmp_path: Path, *arguments: str) -> dict[str, list[dict[str, object]]]:
    done = CliRunner().invoke(main, ["--data", str(tmp_path / "data"), *arguments])
    assert done.exit_code == 0, done.output
    found: dict[str, list[dict[str, object]]] = json.loads(done.stdout)
    return found


@pytest.mark.slow
def test_special_faces_are_learnt_in_one_flip_and_read(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    folder = tmp_path / "flip"
    folder.mkdir()
    for i, pile in enumerate(_flip(rng)):
        cv2.imwrite(str(folder / f"{i}.png"), pile)
    (tmp_path / "order.txt").write_text("\n".join(FLIP).replace("wild triforce", "Triforce"), "utf-8")
    order = str(tmp_path / "order.txt")
    learnt = _run(tmp_path, "learn", str(folder), "--name", "Ours", "--edition", "zelda", "--json", "--order", order)
    assert learnt["names"] == [*FLIP]
    for name in ("wild triforce", "wild", "red 7"):
        shown, _ = with_card(bare_table(rng), ZELDA.card(name), (250, 240), 65)
        cv2.imwrite(str(tmp_path / "one.png"), shown)
        read = _run(tmp_path, "read", "--deck", "Ours", "--json", str(tmp_path / "one.png"))
        assert [card["card"] for card in read["cards"]] == [name]


def test_one_name_teaches_all_copies_of_a_special_face() -> None:
    lesson = Lesson(*reading_parts(), ZELDA, each=True)
    for pile in _flip(np.random.default_rng(4)):
        lesson.show(pile)
    question = lesson.naming().questions[0]
    assert question.options[:2] == (ZELDA.card("wild"), ZELDA.card("wild triforce"))
    lesson.answer(question.pictures[0], ZELDA.card("wild"))
    lesson.answer(1, ZELDA.card("wild triforce"))
    assert [card.name for card in lesson.naming().cards] == [*FLIP]
