"""Runs exported networks: ONNX Runtime, or OpenVINO where it is installed."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


class ModelFileError(Exception):
    """A model file that is missing or that cannot be loaded. `path` is the file."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"the model file {path} {reason}; reinstall the companion or name another folder with --model")
        self.path = path


# What the readers' heads judge by, as torch names it where it is no output of the file.
_NECK = b"/neck/neck.3/Mul_output_0"


def _model(path: Path) -> bytes:
    """Return a network's file, with the features as second output where a reader was exported without.

    Protocol buffers that follow one another are merged: a model (field 7: graph, its field 12: output, its field 1:
    name) that holds nothing but this output is put behind.
    """
    data = path.read_bytes()
    if _NECK not in data:
        return data
    output = b"\x0a" + bytes([len(_NECK)]) + _NECK
    graph = b"\x62" + bytes([len(output)]) + output
    return data + b"\x3a" + bytes([len(graph)]) + graph


class Network:
    """A network with one input and one or two outputs. Calls may come from several threads."""

    def __init__(self, path: Path, threads: int = 0) -> None:
        if not path.is_file():
            raise ModelFileError(path, "is missing")
        self.path = path
        threads = threads or min(4, os.cpu_count() or 1)
        try:
            self._run = (
                _openvino(path, threads) if importlib.util.find_spec("openvino") else _onnxruntime(path, threads)
            )
        except Exception as error:  # both libraries raise many types of their own for a damaged file
            raise ModelFileError(path, f"cannot be loaded ({type(error).__name__})") from error

    def __call__(self, x: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the (first) output for an input of the shape that the network was exported with (float32)."""
        return np.asarray(self._run(x)[0], np.float32)

    def with_features(self, x: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return both outputs, the second one being what the first was judged by.

        Raises ModelFileError where the network was exported without it.
        """
        outputs = self._run(x)
        if len(outputs) < 2:
            raise ModelFileError(self.path, "was exported without features")
        return np.asarray(outputs[0], np.float32), np.asarray(outputs[1], np.float32)


def _onnxruntime(path: Path, threads: int) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Spinning threads would keep a core busy between pictures.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(_model(path), options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return lambda x: session.run(None, {name: x})


def _openvino(path: Path, threads: int) -> Any:
    import openvino

    # Left to itself it calculates in half precision where the processor can, and confidences differ.
    options = {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32", "PERFORMANCE_HINT": "LATENCY"}
    core = openvino.Core()
    model = core.compile_model(core.read_model(_model(path)), "CPU", options)

    def run(x: NDArray[np.float32]) -> list[Any]:
        answer = model.create_infer_request().infer([x])
        return [answer[output] for output in model.outputs]

    return run
