"""The shipped networks: complete, unchanged, small, and the same as their PyTorch originals."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pytest

from companion.dataset.scenes.compose import SceneMaker
from companion.dataset.scenes.layouts import Layout
from companion.vision.core.calibration import Calibration
from companion.vision.core.labels import COLORS, FACES
from companion.vision.core.runtime import ModelFileError, Network, model_folder
from companion.vision.detection.box_detector import BoxFinder, BoxKind, letterbox

pytestmark = pytest.mark.slow

FOLDER = model_folder()
MANIFEST = json.loads((FOLDER / "manifest.json").read_text())


@pytest.mark.parametrize("name", MANIFEST["files"])
def test_files_are_those_of_the_manifest(name: str) -> None:
    data = (FOLDER / name).read_bytes()
    assert hashlib.sha256(data).hexdigest() == MANIFEST["files"][name]["sha256"]


def test_classes_are_those_of_the_code() -> None:
    assert MANIFEST["reader faces"] == [*(face.value for face in FACES), "no card"]
    assert MANIFEST["reader colors"] == [*(color.value for color in COLORS), "wild"]
    assert MANIFEST["detector classes"] == [kind.name.lower() for kind in BoxKind]


def test_the_exported_networks_are_at_most_25_megabytes() -> None:
    assert sum(path.stat().st_size for path in FOLDER.glob("*.onnx")) <= 25_000_000


def test_calibration_is_sane() -> None:
    calibration = Calibration.load(FOLDER / "calibration.json")
    assert all(0.2 < t < 5 for t in (calibration.card, calibration.index, calibration.fanned))


def test_a_damaged_network_is_named(tmp_path) -> None:
    (tmp_path / "detector.onnx").write_bytes(b"damaged")
    with pytest.raises(ModelFileError, match=r"detector\.onnx"):
        Network(tmp_path / "detector.onnx")


@pytest.mark.train
def test_ultralytics_sees_what_the_exported_detector_sees() -> None:
    ultralytics = pytest.importorskip("ultralytics", reason="needs the train extra")
    model = ultralytics.YOLO(str(FOLDER / "detector.pt"), task="obb")
    finder = BoxFinder(Network(FOLDER / "detector.onnx"), scales=(640,), min_score=0.4)
    scenes = SceneMaker(21, (640, 480), fonts=(), deck_count=1)
    compared = 0
    for layout in (Layout.SINGLE, Layout.GRID, Layout.FAN):
        image = scenes.make(layout).image
        x, _, _ = letterbox(image, 640)
        assert x.shape == (1, 3, 480, 640)
        theirs = model.predict(image, imgsz=(480, 640), conf=0.4, iou=0.5, device="cpu", verbose=False)[0].obb
        for box in finder.find(image):
            if box.score < 0.5:
                continue
            same = theirs.cls.numpy() == box.kind.number
            centers = theirs.xywhr.numpy()[same][:, :2]
            off = np.hypot(*(centers - box.quad.mean(0)).T)
            nearest = int(off.argmin())
            assert off[nearest] < 2
            assert theirs.conf.numpy()[same][nearest] == pytest.approx(box.score, abs=0.02)
            compared += 1
    assert compared > 5
