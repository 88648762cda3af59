"""Both libraries that can run the networks."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from companion.vision.detector import model_folder
from companion.vision.runtime import Network, _onnxruntime, _openvino


@pytest.mark.skipif(importlib.util.find_spec("openvino") is None, reason="OpenVINO is not installed")
@pytest.mark.parametrize(
    ("name", "shape"), [("detector", (3, 320, 320)), ("card-reader", (3, 192, 128)), ("index-reader", (3, 64, 64))]
)
def test_openvino_gives_what_onnxruntime_gives(name: str, shape: tuple[int, ...]) -> None:
    path = model_folder() / f"{name}.onnx"
    x = np.random.default_rng(0).random((1, *shape), np.float32)
    expected = _onnxruntime(path, 1)(x)[0]
    assert np.abs(_openvino(path, 1)(x)[0] - expected).max() < 1e-3 * max(1.0, float(np.abs(expected).max()))
    assert Network(path)(x).shape == expected.shape
