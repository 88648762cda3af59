"""Training from random weights on a few tiny scenes: every step runs, resumes and exports."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from companion.dataset.scenes.generate import Recipe, generate

pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("ultralytics", reason="needs the train extra")
pytest.importorskip("onnx", reason="needs the train extra")

from companion.models.evaluation.pictures import labelled_scenes, read_all, table
from companion.models.networks.export import export_detector, export_readers, load_readers, write_manifest
from companion.models.training.detector import DetectorRun
from companion.models.training.detector import train as train_detector
from companion.models.training.readers import ReaderRun
from companion.models.training.readers import train as train_readers
from companion.models.training_data.crops import EASY, Limits, batches
from companion.vision.core.calibration import Calibration
from companion.vision.core.runtime import Network
from companion.vision.recognition.card_detector import CardDetector

pytestmark = [pytest.mark.slow, pytest.mark.train]


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with scenes and networks that were trained for a moment and exported."""
    folder = tmp_path_factory.mktemp("training")
    for split, count in (("train", 6), ("val", 4)):
        generate(folder / "scenes", Recipe(split, count, seed=1, size=256), workers=1)
    train_readers(ReaderRun(folder / "scenes", folder / "readers", epochs=1, easy_epochs=0, scenes=3))
    train_detector(DetectorRun(folder / "scenes", folder, epochs=1, size=128, batch=3, workers=0))
    export = folder / "export"
    export.mkdir()
    export_detector(folder / "detector" / "weights" / "last.pt", export)
    export_readers(folder / "readers" / "last.pt", export)
    write_manifest(export)
    Calibration().save(export / "calibration.json")
    return folder


def test_the_exported_networks_read_cards(work: Path) -> None:
    readings = list(read_all(CardDetector.shipped(folder=work / "export"), labelled_scenes(work / "scenes")))
    assert table(readings)["all"].pictures == 4


def test_exported_files_hold_no_absolute_paths(work: Path) -> None:
    for path in (work / "export").iterdir():
        assert str(work.parent).encode() not in path.read_bytes(), path.name


def test_exported_readers_match_pytorch(work: Path) -> None:
    import torch

    batch = next(batches(work / "scenes", "val", 4, 0, 0, Limits()))
    readers = load_readers(work / "readers" / "last.pt")
    for kind, images, _ in batch.parts():
        x = images.astype(np.float32) / np.float32(255)
        with torch.no_grad():
            expected = readers[kind](torch.from_numpy(x)).numpy()
            features = readers[kind].features(torch.from_numpy(x)).numpy()
        network = Network(work / "export" / f"{kind}-reader.onnx")
        assert np.allclose(network(x), expected, atol=1e-3)
        assert np.allclose(network.with_features(x)[1], features, atol=1e-3)


def test_evaluation_needs_the_networks(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from companion.cli import main

    result = CliRunner().invoke(main, ["train", "evaluate", "--models", str(tmp_path / "none")])
    assert result.exit_code == 1
    assert result.output.startswith(f"Error: there are no networks in {tmp_path / 'none'}")


def test_degraded_crops_are_trained_with_a_teacher(work: Path, tmp_path: Path) -> None:
    import torch

    batch = next(batches(work / "scenes", "train", 6, 0, 0, Limits(), hard=0.5))
    for kind, images, _ in batch.parts():
        spoilt = (images != batch.clear[kind]).any(axis=(1, 2, 3))
        assert 0.2 < spoilt.mean() < 0.8
    plain = next(batches(work / "scenes", "train", 6, 0, 0, Limits()))
    assert all(plain.clear[kind] is images for kind, images, _ in plain.parts())
    start = work / "readers" / "last.pt"
    train_readers(ReaderRun(work / "scenes", tmp_path, epochs=1, easy_epochs=0, scenes=3, start=start, hard=0.5))
    assert torch.load(tmp_path / "last.pt")["epoch"] == 0


def test_training_resumes_after_the_last_epoch(work: Path) -> None:
    import torch

    train_readers(ReaderRun(work / "scenes", work / "readers", epochs=2, easy_epochs=0, scenes=3))
    assert torch.load(work / "readers" / "last.pt")["epoch"] == 1


def test_the_detector_starts_from_a_checkpoint(work: Path, tmp_path: Path) -> None:
    from ultralytics import YOLO

    start = work / "detector" / "weights" / "last.pt"
    trained = train_detector(
        DetectorRun(work / "scenes", tmp_path, epochs=1, size=128, batch=3, workers=0, start=start, rate=1e-9)
    )
    before, after = (YOLO(str(path), task="obb").model.model[0].conv.weight for path in (start, trained))
    assert np.allclose(before.detach().float().numpy(), after.detach().float().numpy(), atol=1e-3)


def test_averaged_checkpoints_can_be_exported(work: Path, tmp_path: Path) -> None:
    import torch
    from click.testing import CliRunner

    from companion.cli import main

    first = work / "readers" / "last.pt"
    state = torch.load(first)
    for kind in ("card", "index"):
        state[kind] = {name: w + 1 if w.is_floating_point() else w for name, w in state[kind].items()}
    second, detector = tmp_path / "second.pt", work / "detector" / "weights" / "last.pt"
    torch.save(state, second)
    for pair, target in (((first, second), "readers.pt"), ((detector, detector), "boxes.pt")):
        arguments = ["train", "average", *map(str, pair), "--to", str(tmp_path / target)]
        result = CliRunner().invoke(main, arguments)
        assert result.exit_code == 0, result.output
    mean, before = load_readers(tmp_path / "readers.pt")["card"], load_readers(first)["card"]
    for after, old in zip(mean.parameters(), before.parameters(), strict=True):
        assert torch.allclose(after, old + 0.5, atol=1e-5)
    export_detector(tmp_path / "boxes.pt", tmp_path)
    scene = np.full((1, 3, 128, 128), 0.5, np.float32)
    same, expected = (Network(folder / "detector.onnx")(scene) for folder in (tmp_path, work / "export"))
    assert np.allclose(same, expected, atol=1e-3)
    result = CliRunner().invoke(main, ["train", "average", str(first), str(detector), "--to", str(tmp_path / "x.pt")])
    assert result.exit_code == 1
    assert result.output.startswith("Error: the checkpoints are of different networks: ")


def test_easy_crops_are_fewer(work: Path) -> None:
    every = next(batches(work / "scenes", "train", 6, 0, 0, Limits()))
    easy = next(batches(work / "scenes", "train", 6, 0, 0, EASY))
    assert len(easy.card_images) < len(every.card_images)
    assert every.card_images.shape[1:] == (3, 192, 128)
    assert every.index_images.shape[1:] == (3, 64, 64)


def test_mined_boxes_become_crops_of_no_card(work: Path) -> None:
    from click.testing import CliRunner

    from companion.cli import main
    from companion.models.training_data.hard_negatives import false_file
    from companion.vision.core.runtime import model_folder

    def crops_of_first_scenes() -> list[int]:
        # A scene's own crops come before those of its mined boxes, and other scenes' after them.
        firsts = (next(batches(work / "scenes", "train", 1, seed, 0, Limits())) for seed in range(40))
        return [len(batch.card_images) + len(batch.index_images) for batch in firsts]

    before = crops_of_first_scenes()
    arguments = ["train", "mine", "--work", str(work), "--models", str(model_folder()), "--limit", "6"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    mined = {
        len(json.loads(line)["boxes"]) for line in false_file(work / "scenes", "train").read_text().split("\n") if line
    }
    more = {after - first for first, after in zip(before, crops_of_first_scenes(), strict=True)}
    assert more - {0} == mined - {0}
