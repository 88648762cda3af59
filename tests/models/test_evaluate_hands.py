"""Measuring on laid-out hands, with the shipped networks."""

from __future__ import annotations

import json
import re
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from companion.cards import Card, EditionName
from companion.cli import main
from companion.dataset.scenes.compose import SceneCard, SceneIndex
from companion.models.evaluation.hands import cut_out_cards, drawn_decks, is_readable, measure_hands
from companion.vision.core.runtime import model_folder
from companion.vision.recognition.card_detector import CardDetector


@pytest.mark.slow
def test_figures_of_easy_hands() -> None:
    figures = measure_hands(CardDetector.shipped(EditionName.CLASSIC), drawn_decks(EditionName.CLASSIC, 1), 2, 1)
    assert figures.hands == 2
    assert 0.3 < figures.recall <= 1
    assert 0.5 < figures.precision <= 1


@pytest.mark.parametrize(
    ("ground", "print_", "corner", "readable"),
    [(90, 250, 1.0, True), (90, 250, 0.5, False), (255, 253, 1.0, False), (1, 6, 1.0, False)],
)
def test_hidden_overexposed_and_dark_corners_are_unreadable(
    ground: int, print_: int, corner: float, readable: bool
) -> None:
    image = np.full((300, 300, 3), ground, np.uint8)
    cv2.putText(image, "7", (52, 78), cv2.FONT_HERSHEY_SIMPLEX, 1.0, (print_, print_, print_), 2)
    index = SceneIndex(np.array([[50, 50], [74, 50], [74, 82], [50, 82]], np.float32), corner)
    outline = np.array([[40, 40], [200, 40], [200, 288], [40, 288]], np.float32)
    assert is_readable(SceneCard(Card.parse("red 7"), outline, 0.4, (index,)), image) is readable


@pytest.mark.slow
def test_the_command_prints_the_figures() -> None:
    arguments = ["train", "hands", "--models", str(model_folder()), "--hands", "1", "--family", "classic_oval"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    assert re.search(r"1 hands: found and read [01]\.\d+, precision .* from three [01]\.\d+", result.output)


def test_missing_networks_are_named_in_one_sentence(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["train", "hands", "--models", str(tmp_path / "none")])
    assert result.exit_code == 1
    assert str(tmp_path / "none") in result.output
    assert "unforeseen" not in result.output


def test_photographed_cards_are_grouped_by_source(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    picture = np.full((400, 900, 3), 90, np.uint8)
    names = [f"red {i}" for i in range(8)]
    boxes = []
    for i, name in enumerate(names):
        x = 10 + i * 100
        boxes.append({"card": name, "quad": [[x, 50], [x + 80, 50], [x + 80, 174], [x, 174]]})
        picture[50:174, x : x + 80] = (20 * i, 0, 200)
    cv2.imwrite(str(tmp_path / "images" / "a.png"), picture)
    row = {"file": "a.png", "source": "ours", "boxes_complete": True, "flags": [], "boxes": boxes}
    few = {**row, "source": "few", "boxes": boxes[:3]}
    blurred = {**row, "source": "blurred", "flags": ["lowres"]}
    (tmp_path / "labels.json").write_text(json.dumps([row, few, blurred]))
    decks = cut_out_cards(tmp_path)
    assert set(decks) == {"ours"}
    assert set(decks["ours"]) == {Card.parse(name) for name in names}
    middle = decks["ours"][Card.parse("red 5")][0].image[170, 110, :3]
    assert middle == pytest.approx((100, 0, 200), abs=4)
