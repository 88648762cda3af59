"""`companion read` and `companion score` on pictures."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from companion.cards import Card
from companion.cli import main
from companion.dataset.artist.families import StyleFamily
from companion.dataset.scenes.compose import SceneMaker
from companion.dataset.scenes.layouts import Layout
from companion.vision.core.sightings import RUNNER_UP_BELOW


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a drawn cascade of three cards and an empty table."""
    folder = tmp_path_factory.mktemp("pictures")
    table = np.full((600, 800, 3), (70, 95, 120), np.uint8)
    cv2.imwrite(str(folder / "empty.png"), table)
    scenes = SceneMaker(4, (640, 640), families=[StyleFamily.CLASSIC_OVAL], fonts=(), deck_count=1)
    cv2.imwrite(str(folder / "hand.jpg"), scenes.make(Layout.SINGLE).image)
    return folder


def run(*arguments: object) -> tuple[int, str, str]:
    """Return exit status, standard output and standard error of a command."""
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


def test_json_has_a_line_per_picture_as_promised(pictures: Path) -> None:
    status, out, _ = run("read", pictures, "--json", "--edition", "classic")
    rows = [json.loads(line) for line in out.splitlines()]
    assert status == 0
    assert [Path(row["image"]).name for row in rows] == ["empty.png", "hand.jpg"]
    assert rows[0]["cards"] == []
    assert rows[0]["points"] == 0
    for row in rows:
        assert set(row) == {"image", "cards", "points"}
        assert row["points"] == sum(Card.parse(card["card"]).points for card in row["cards"])
        for card in row["cards"]:
            assert {"card", "confidence", "quad"} <= set(card) <= {"card", "confidence", "quad", "or"}
            assert 0 <= card["confidence"] <= 1
            assert np.array(card["quad"]).shape == (4, 2)


def test_a_terminal_shows_a_table_with_short_names(pictures: Path) -> None:
    pty = pytest.importorskip("pty")
    shown = bytearray()

    def read(descriptor: int) -> bytes:
        data = os.read(descriptor, 1024)
        shown.extend(data)
        return data

    program = f"from companion.cli import main; main(['read', {str(pictures)!r}])"
    assert os.waitstatus_to_exitcode(pty.spawn([sys.executable, "-c", program], read)) == 0
    text = shown.decode()
    assert "hand.jpg" in text
    assert "points" in text
    assert str(pictures) not in text


def test_too_many_cards_are_not_taken_for_hidden_ones(pictures: Path) -> None:
    for options in ([], ["--one-hand"]):
        _, _, fewer = run("score", pictures / "hand.jpg", "--edition", "classic", "--expect", "3", *options)
        _, _, more = run("score", pictures / "hand.jpg", "--edition", "classic", "--expect", "0", *options)
        assert "3 cards expected, 1 found: is one hidden?" in fewer
        assert "0 cards expected, 1 found: do other cards lie in the picture?" in more


def test_cards_without_colors_are_not_named(pictures: Path, tmp_path: Path) -> None:
    """Also where a lamp tints the grey picture; points are not added up, and the exit status says so."""
    grey = cv2.cvtColor(cv2.imread(str(pictures / "hand.jpg")), cv2.COLOR_BGR2GRAY)[..., None]
    assert run("read", pictures / "hand.jpg")[0] == 0
    for name, light in (("night", (1, 1, 1)), ("lamp", (0.7, 0.9, 1))):
        cv2.imwrite(str(tmp_path / f"{name}.jpg"), (grey * np.array(light)).astype(np.uint8))
        status, out, said = run("read", "--json", tmp_path / f"{name}.jpg")
        assert (status, json.loads(out)["cards"]) == (1, [])
        assert "the picture has no colours" in said
        for command in (["score"], ["score", "--one-hand"]):
            status, out, said = run(*command, tmp_path / f"{name}.jpg")
            assert (status, "no colours" in said) == (1, True)
            assert "together" not in out


def test_every_reading_that_is_not_beyond_doubt_names_its_runner_up(tmp_path: Path) -> None:
    scenes = SceneMaker(5, (800, 600), families=[StyleFamily.CLASSIC_OVAL], fonts=(), deck_count=1)
    clear = scenes.make(Layout.CASCADE).image
    cv2.imwrite(str(tmp_path / "blurred.png"), cv2.GaussianBlur(clear, (0, 0), 7))
    cv2.imwrite(str(tmp_path / "clear.png"), clear)
    _, out, _ = run("read", tmp_path / "blurred.png", tmp_path / "clear.png", "--json")
    cards = [card for line in out.splitlines() for card in json.loads(line)["cards"]]
    doubted = [card for card in cards if card["confidence"] < RUNNER_UP_BELOW]
    assert 0 < len(doubted) < len(cards)
    assert [card for card in cards if "or" in card] == doubted
    assert all(Card.parse(card["or"]) != Card.parse(card["card"]) for card in doubted)


def test_patterns_and_missing_files(pictures: Path) -> None:
    status, out, err = run("read", pictures / "*.png", pictures / "gone.jpg", "--json")
    assert status == 1
    assert len(out.splitlines()) == 1
    assert "gone.jpg" in err
    assert "Traceback" not in err


def test_a_folder_or_a_pattern_without_a_picture_is_said_to_hold_none(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no picture")
    status, out, err = run("read", tmp_path, tmp_path / "*.jpg", "--json")
    assert (status, out) == (1, "")
    assert "holds no picture (.avif" in err
    assert "*.jpg: cannot be opened" in err


def test_unreadable_files_are_named_and_skipped(pictures: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.jpg"
    broken.write_bytes(b"not a picture")
    status, out, err = run("read", broken, pictures / "empty.png")
    assert status == 1
    assert "broken.jpg" in err
    assert "no card" in out


def test_a_picture_with_too_many_pixels_is_refused(pictures: Path, tmp_path: Path) -> None:
    huge = tmp_path / "huge.png"
    cv2.imwrite(str(huge), np.zeros((9000, 9000), np.uint8))
    status, _, err = run("read", huge)
    assert status == 1
    assert "9000 x 9000" in err


def test_drawing(pictures: Path, tmp_path: Path) -> None:
    assert run("read", pictures / "hand.jpg", "--draw", tmp_path / "out.jpg")[0] == 0
    assert cv2.imread(str(tmp_path / "out.jpg")).shape == (640, 640, 3)
    assert run("read", pictures, "--draw", tmp_path / "folder")[0] == 0
    assert sorted(path.name for path in (tmp_path / "folder").iterdir()) == ["empty.jpg", "hand.jpg"]


def test_score_sums_up(pictures: Path) -> None:
    status, out, err = run("score", pictures / "empty.png", "--expect", "2")
    assert status == 0
    assert "together 0 points" in out
    assert "2 cards expected, 0 found" in err


def test_a_missing_model_is_one_clear_sentence(pictures: Path, tmp_path: Path) -> None:
    status, _, err = run("read", pictures / "empty.png", "--model", tmp_path)
    assert status == 1
    assert "detector.onnx is missing" in err
