"""Fine-tuning all three networks together: the training data, and the exported results."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("ultralytics", reason="needs the train extra")
pytest.importorskip("onnx", reason="needs the train extra")

import torch
from click.testing import CliRunner

from companion.cli import main
from companion.models.networks.export import NAMES
from companion.models.networks.onnx_import import measure_norms, unfolded
from companion.models.networks.readers import index_reader
from companion.models.training.detector_tuning import cut
from companion.models.training.joint import TogetherRun, train
from companion.models.training.readers import loss
from companion.models.training_data.crops import IGNORE
from companion.models.training_data.feed import Feed
from companion.models.training_data.ring_buffer import RingBuffer, moved, moved_corners, turned_cards, turned_indices
from companion.vision.core.calibration import Calibration
from companion.vision.core.geometry import CARD_CROP, INDEX_CROP
from companion.vision.core.labels import NO_CARD
from companion.vision.core.runtime import Network, model_folder
from companion.vision.recognition.card_detector import CardDetector

pytestmark = [pytest.mark.slow, pytest.mark.train]


@pytest.mark.parametrize("kind", NAMES)
def test_an_unfolded_reader_has_the_same_output_as_its_file(kind: str) -> None:
    width, height = CARD_CROP if kind == "card" else (INDEX_CROP, INDEX_CROP)
    torch.manual_seed(3)
    coarse = torch.rand(24, 3, 8, 8)
    crops = (torch.nn.functional.interpolate(coarse, (height, width), mode="bilinear") * 255).to(torch.uint8)
    file = model_folder() / f"{NAMES[kind]}.onnx"
    expected = Network(file)(crops.numpy().astype(np.float32) / np.float32(255))
    reader = unfolded(file, kind)
    with torch.no_grad():
        own = reader(crops.float() / 255).numpy()
        # The card reader's file has one more column: other makers' cards.
        assert expected.shape[1] - own.shape[1] == (kind == "card")
        expected = expected[:, : own.shape[1]]
        assert np.allclose(own, expected, atol=1e-3)
        measure_norms(reader, crops)
        assert np.allclose(reader(crops.float() / 255).numpy(), expected, atol=1e-3)
        # A batch of the same crops has the measured statistics, so training changes nothing at first.
        reader.train()
        reader.neck.eval()
        assert np.allclose(reader(crops.float() / 255).numpy(), expected, atol=0.05)


def test_a_file_of_another_network_is_refused() -> None:
    with pytest.raises(ValueError, match="of another network"):
        unfolded(model_folder() / "card-reader.onnx", "index")


def test_the_newest_rows_are_kept() -> None:
    ring = RingBuffer(5, "cpu")
    for first in (0, 3, 6):
        rows = torch.arange(first, first + 3)
        ring.add({"number": rows, "twice": 2 * rows})
    assert ring.count == 5
    picked = ring.pick(200)
    assert set(picked["number"].tolist()) == {4, 5, 6, 7, 8}
    assert torch.equal(picked["twice"], 2 * picked["number"])


def test_corners_are_where_a_moved_crop_has_them() -> None:
    torch.manual_seed(5)
    images = torch.zeros(40, 3, 192, 128)
    images[:, :, 50:54, 30:34] = 255
    shown = moved(images)
    places = torch.tensor([32 / 128, 52 / 192]).expand(40, 4, 2)
    predicted = moved_corners(places, shown.matrices)[:, 0] * torch.tensor([128.0, 192.0]) - 0.5
    mass = shown.images[:, 0].clamp(min=0) * (shown.images[:, 0] > 140)
    rows, columns = torch.arange(192.0)[:, None], torch.arange(128.0)
    seen = torch.stack([(mass * columns).sum((1, 2)), (mass * rows).sum((1, 2))], 1) / mass.sum((1, 2))[:, None]
    assert (predicted - seen).abs().max() < 1
    assert (predicted - torch.tensor([31.5, 51.5])).abs().max() > 3


def test_cards_are_turned_with_their_corners() -> None:
    images = torch.zeros(2, 3, 192, 128)
    images[:, :, 0, 0] = 1
    corners = torch.tensor([[0.1, 0.1, 0.9, 0.1, 0.9, 0.8, 0.1, 0.8]]).repeat(2, 1)
    turned, places, over = turned_cards(images, corners)
    assert over.tolist() == [False, True]
    assert turned[0, 0, 0, 0] == turned[1, 0, -1, -1] == 1
    assert torch.equal(places[0], corners[0])
    assert torch.allclose(places[1], torch.tensor([0.1, 0.2, 0.9, 0.2, 0.9, 0.9, 0.1, 0.9]))


def test_indices_are_turned_clockwise_by_their_label() -> None:
    images = torch.zeros(8, 3, 64, 64)
    images[:, :, 0, 0] = 1  # what is at the top left goes to the right, down and to the left
    turned, turns = turned_indices(images, torch.tensor([0, IGNORE] * 4))
    assert turns.tolist() == [0, IGNORE, 1, IGNORE, 2, IGNORE, 3, IGNORE]
    where = [tuple(torch.nonzero(image[0])[0].tolist()) for image in turned[::2]]
    assert where == [(0, 0), (0, 63), (63, 63), (63, 0)]


def test_a_view_as_large_as_its_picture_is_the_picture() -> None:
    picture = torch.randint(0, 256, (1, 3, 32, 32), dtype=torch.uint8)
    same = cut(picture, torch.eye(3)[None, :2], 32)
    assert same.shape == (1, 3, 32, 32)
    # Each pixel is blurred by a quarter of a pixel.
    assert (same[..., 1:-1, 1:-1] - picture[..., 1:-1, 1:-1] / 255).abs().mean() < 0.2
    far = cut(picture, 3 * torch.eye(3)[None, :2], 32)
    assert far[0, 0, 0, 0] == pytest.approx(114 / 255)


def test_the_teacher_is_not_used_for_crops_without_a_card() -> None:
    reader = index_reader()
    targets = {"face": torch.tensor([NO_CARD]), "color": torch.tensor([IGNORE]), "turn": torch.tensor([IGNORE])}
    answers, said = torch.randn(1, sum(reader.sizes.values())), torch.randn(1, sum(reader.sizes.values()))
    assert loss(reader, answers, targets, said) == loss(reader, answers, targets)
    targets = {name: torch.zeros(1, dtype=torch.int64) for name in targets}
    assert loss(reader, answers, targets, said) != loss(reader, answers, targets)


def test_errors_of_a_worker_are_reported(tmp_path: Path) -> None:
    run = TogetherRun(tmp_path, tmp_path)  # no detector there
    with Feed(run.drawing(), 1) as feed, pytest.raises(RuntimeError, match="ModelFileError"):
        list(chain.from_iterable(feed.ready(wait=True) for _ in range(300)))


def test_fine_tuning_needs_the_networks(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["train", "together", "--models", str(tmp_path)])
    assert result.exit_code == 1
    assert result.output.startswith("Error: there is no detector.onnx and no detector.pt and no card-reader.onnx")


def test_networks_trained_together_can_be_exported(tmp_path: Path) -> None:
    train(TogetherRun(model_folder(), tmp_path, 0.05, workers=1, batch=2, size=128, picture=256, first=8))
    result = CliRunner().invoke(main, ["train", "export", "--work", str(tmp_path)])
    assert result.exit_code == 0, result.output
    export = tmp_path / "export"
    Calibration().save(export / "calibration.json")
    detector = CardDetector.shipped(folder=export)
    assert detector.detect(np.full((240, 320, 3), 90, np.uint8)) == []
    # A few steps at a small rate change little.
    crops = np.random.default_rng(1).random((4, 3, 64, 64), np.float32)
    before, after = (Network(folder / "index-reader.onnx")(crops) for folder in (model_folder(), export))
    assert not np.array_equal(before, after)
    assert np.corrcoef(before.ravel(), after.ravel())[0, 1] > 0.8
