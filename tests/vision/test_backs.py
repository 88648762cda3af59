"""Face-down cards classified by the card reader's outputs: the file with the classifier, and the result without it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from companion.dataset.simulated.simulation import SimulatedTable
from companion.vision.core.calibration import Calibration
from companion.vision.core.limits import ReadingLimits
from companion.vision.core.runtime import ModelFileError, Network, model_folder
from companion.vision.detection.box_detector import BoxFinder
from companion.vision.detection.card_backs import BackModel
from companion.vision.recognition.card_detector import CardDetector
from companion.vision.recognition.reader import Reader


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    looks = BackModel(np.array([1.5, -0.25], np.float32), 0.5)
    looks.save(tmp_path / "backs.json")
    again = BackModel.load(tmp_path / "backs.json")
    features = np.array([[0.0, 0.0], [-1.0, 2.0], [1e6, 0.0]], np.float32)
    assert again.probabilities(features) == pytest.approx([0.6225, 0.1824, 1.0], abs=1e-4)


@pytest.mark.parametrize(
    "text", ["", "[]", '{"bias": 0}', '{"bias": 0, "weights": [[1]]}', '{"bias": NaN, "weights": [1]}']
)
def test_a_damaged_file_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "backs.json").write_text(text)
    with pytest.raises(ModelFileError, match=r"backs\.json"):
        BackModel.load(tmp_path / "backs.json")


def test_without_the_file_anything_of_a_cards_shape_may_be_a_back() -> None:
    folder = model_folder()
    reader = Reader(Network.shared(folder / "card-reader.onnx"), Network.shared(folder / "index-reader.onnx"))
    boxes = BoxFinder(Network.shared(folder / "detector.onnx"), (640,), 0.35)
    limits = ReadingLimits.load(folder / "limits.json")
    picture = next(SimulatedTable(4202, size=(960, 540)).frames()).image
    plain = CardDetector(boxes, reader, limits, Calibration()).backs(picture)
    assert plain
    assert {back.score for back in plain} == {0.5}
    reported = CardDetector(boxes, reader, limits, Calibration(), None, BackModel.load(folder / "backs.json")).backs(
        picture
    )
    assert [replace(back, score=0.5).quad.tolist() for back in reported] == [back.quad.tolist() for back in plain]
    assert max(back.score for back in reported) > 0.9
