"""Both libraries that can run the networks."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

from companion.vision.core import runtime
from companion.vision.core.runtime import ModelFileError, Network, model_folder, run_onnxruntime, run_openvino
from companion.vision.detection.embedding import Embedding

_LOADED = """
import gc
from companion.vision.core.runtime import Network
from companion.vision.recognition.card_detector import CardDetector

detector = CardDetector.shipped()
print(*sorted(one.path.stem for one in gc.get_objects() if isinstance(one, Network)))
"""


@pytest.mark.skipif(importlib.util.find_spec("openvino") is None, reason="OpenVINO is not installed")
@pytest.mark.parametrize(
    ("name", "shape"), [("detector", (3, 320, 320)), ("card-reader", (3, 192, 128)), ("index-reader", (3, 64, 64))]
)
def test_openvino_gives_what_onnxruntime_gives(name: str, shape: tuple[int, ...]) -> None:
    path = model_folder() / f"{name}.onnx"
    x = np.random.default_rng(0).random((1, *shape), np.float32)
    expected = run_onnxruntime(path, 1)(x)[0]
    assert np.abs(run_openvino(path, 1)(x)[0] - expected).max() < 1e-3 * max(1.0, float(np.abs(expected).max()))
    assert Network(path)(x).shape == expected.shape


def test_a_network_in_use_is_shared() -> None:
    path = model_folder() / "index-reader.onnx"
    network = Network.shared(path)
    assert Network.shared(path) is network
    assert Network.shared(path) is not Network.shared(path, threads=1)


def test_a_network_that_was_exported_again_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "index-reader.onnx"
    shutil.copy(model_folder() / path.name, path)
    network = Network.shared(path)
    os.utime(path, (1, 1))
    assert Network.shared(path) is not network
    path.unlink()
    with pytest.raises(ModelFileError, match="is missing"):
        Network.shared(path)


def test_many_inputs_are_given_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[int] = []
    run = onnxruntime.InferenceSession.run

    def counted(session: onnxruntime.InferenceSession, outputs: None, inputs: dict[str, np.ndarray]) -> list[Any]:
        given.append(len(next(iter(inputs.values()))))
        return run(session, outputs, inputs)

    monkeypatch.setattr(onnxruntime.InferenceSession, "run", counted)
    monkeypatch.setattr(runtime, "run_openvino", run_onnxruntime)
    network = Network(model_folder() / "index-reader.onnx")
    x = np.random.default_rng(0).random((19, 3, 64, 64), np.float32)
    many = network(x)
    assert (sum(given), max(given)) == (19, 4)
    assert np.allclose(many, np.concatenate([network(x[i : i + 1]) for i in range(19)]), atol=1e-4)


def test_a_detector_without_a_learnt_deck_loads_no_embedding() -> None:
    loaded = subprocess.run([sys.executable, "-c", _LOADED], capture_output=True, text=True, check=True)
    assert loaded.stdout.split() == ["card-reader", "detector", "index-reader"]


def test_a_damaged_embedding_is_reported_when_it_is_used(tmp_path: Path) -> None:
    path = tmp_path / "card-embedding.onnx"
    path.write_bytes(b"damaged")
    embedding = Embedding(path)
    with pytest.raises(ModelFileError, match="cannot be loaded"):
        embedding.descriptors(np.zeros((1, 3, 192, 128), np.float32), np.zeros((1, 128), np.float32))


_AFTER_LARGE = """
import sys
import numpy as np
from pathlib import Path
from companion.server.core.malloc_trim import give_back_memory
from companion.vision.core.runtime import Network, model_folder

def memory():
    return int(Path("/proc/self/statm").read_text().split()[1]) / 256

give_back_memory()
network = Network(model_folder() / "detector.onnx", 1)
usual = np.zeros((1, 3, 640, 640), np.float32)
network(usual)
before = memory()
network(np.zeros((1, 3, 1280, 1280), np.float32))
network(usual)
print(memory() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="measured by Linux's /proc")
def test_memory_for_a_large_picture_is_given_back() -> None:
    grown = subprocess.run([sys.executable, "-c", _AFTER_LARGE], capture_output=True, text=True, check=True)
    assert float(grown.stdout) < 25
