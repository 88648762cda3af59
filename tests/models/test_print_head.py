"""The second head of the detector: its training views, and the exported file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("ultralytics", reason="needs the train extra")
pytest.importorskip("onnx", reason="needs the train extra")

import torch

from companion.dataset.gallery.decks import Sources
from companion.models.networks.outlines import Branch, export_outlines, load_detector, restore, shared_features
from companion.models.training.print_head import PrintHeadRun, train, view
from companion.models.training_data import print_scenes
from companion.models.training_data.print_scenes import PrintScene
from companion.vision.core.geometry import Image
from companion.vision.core.runtime import Network, model_folder

pytestmark = [pytest.mark.slow, pytest.mark.train]


def test_a_view_shows_the_card_in_its_box() -> None:
    picture = np.full((512, 512, 3), 40, np.uint8)
    quad = np.array([[200, 150], [290, 150], [290, 290], [200, 290]], np.float32)
    cv2.fillConvexPoly(picture, quad.astype(np.int32), (255, 255, 255))
    jpeg = np.asarray(cv2.imencode(".jpg", picture)[1], np.uint8)
    rng = np.random.default_rng(1)
    for _ in range(20):
        shown, boxes = view(PrintScene(jpeg, quad[None], np.ones(1, np.float32)), 416, rng)
        if not len(boxes):
            continue
        x, y, width, height, angle = boxes[0]
        outline = cv2.boxPoints(((x * 416, y * 416), (width * 416, height * 416), float(np.degrees(angle))))
        boxed = cv2.fillConvexPoly(np.zeros((416, 416), np.uint8), np.round(outline).astype(np.int32), 1) > 0
        white = shown.min(2) > 200
        assert (white & boxed).sum() > 0.9 * (white | boxed).sum()


@pytest.mark.parametrize("top", [print_scenes.painted_top, print_scenes.strewn_top])
def test_table_tops_follow_from_their_generator(top: Callable[[np.random.Generator], Image]) -> None:
    tops = [top(np.random.default_rng(seed)) for seed in (1, 1, 2)]
    assert {one.shape for one in tops} == {(768, 768, 3)}
    assert np.array_equal(tops[0], tops[1])
    assert not np.array_equal(tops[0], tops[2])


def test_the_exported_file_adds_an_output_and_changes_nothing(tmp_path: Path) -> None:
    models = model_folder()
    branch = Branch(load_detector(models / "detector.pt"))
    torch.save(branch.state_dict(), tmp_path / "untrained.pt")
    export_outlines(models / "detector.pt", tmp_path / "untrained.pt", tmp_path / "outlines.onnx")
    x = cv2.GaussianBlur(np.random.default_rng(2).random((192, 320, 3), np.float32), (0, 0), 4).transpose(2, 0, 1)[None]
    expected = Network(models / "detector.onnx")(x)
    boxes, outlines = Network(models / "detector.onnx", extension=tmp_path / "outlines.onnx").with_features(x)
    assert np.array_equal(boxes, expected)
    # It starts as the detector of whole cards.
    assert np.allclose(outlines, np.delete(boxes, 5, axis=1), atol=0.5)


def test_the_head_is_trained_on_drawn_scenes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(print_scenes, "CHUNK", 4)
    print_scenes.draw(tmp_path / "scenes", Sources(), seed=3, chunks=2)
    detector = model_folder() / "detector.pt"
    train(PrintHeadRun(detector, tmp_path / "scenes", tmp_path / "head.pt", minutes=0.05, size=128, batch=2))
    start = Branch(load_detector(detector)).state_dict()
    trained = torch.load(tmp_path / "head.pt")
    assert trained.keys() == start.keys()
    assert any(not torch.equal(trained[name], start[name]) for name in start)


def test_an_exported_head_is_restored_for_further_training() -> None:
    models = model_folder()
    detector = load_detector(models / "detector.pt")
    branch = Branch(detector)
    restore(branch, models / "outlines.onnx")
    x = cv2.GaussianBlur(np.random.default_rng(2).random((192, 320, 3), np.float32), (0, 0), 4).transpose(2, 0, 1)[None]
    exported = Network(models / "detector.onnx", extension=models / "outlines.onnx").with_features(x)[1]
    restored = branch.eval()(shared_features(detector.model, torch.from_numpy(x)))[0].detach().numpy()
    assert np.allclose(restored, exported, atol=0.5)
    with pytest.raises(ValueError, match="another network"):
        restore(branch, models / "card-reader.onnx")


def test_the_training_of_an_exported_head_is_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(print_scenes, "CHUNK", 4)
    print_scenes.draw(tmp_path / "scenes", Sources(), seed=3, chunks=1)
    models = model_folder()
    head = tmp_path / "head.pt"
    train(
        PrintHeadRun(
            models / "detector.pt",
            tmp_path / "scenes",
            head,
            minutes=0.02,
            size=128,
            batch=2,
            exported=models / "outlines.onnx",
        )
    )
    trained, start = torch.load(head), Branch(load_detector(models / "detector.pt"))
    restore(start, models / "outlines.onnx")
    weights = "model.2.cv1.conv.weight"
    moved = trained[weights] - start.state_dict()[weights]
    assert 0 < moved.abs().max() < 0.05
