"""Runs exported networks: ONNX Runtime, or OpenVINO where it is installed."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, ClassVar
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray


class ModelFileError(Exception):
    """A model file that is missing or that cannot be loaded. `path` is the file."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"the model file {path} {reason}; reinstall the companion or name another folder with --model")
        self.path = path


# What the readers' heads judge by, as torch names it where it is no output of the file.
_NECK = b"/neck/neck.3/Mul_output_0"

_AT_ONCE = 8
"""How many inputs a network is given at once. The memory that it works in grows with them and is kept for the next
time: 40 cards at once left 120 MB behind, in eights 15 MB, and take no longer."""

_WORKING_MEMORY = 64 * 2**20
"""Bytes that the networks may work in before they ask for more: in simulated play 32 MB were once too few, and 64 more
came then. What is never written to takes no memory."""


def _model(path: Path) -> str | bytes:
    """Return the path of a network's file, or what it holds with the features as second output where a reader was
    exported without.

    Protocol buffers that follow one another are merged: a model (field 7: graph, its field 12: output, its field 1:
    name) that holds nothing but this output is put behind.
    """
    data = path.read_bytes()
    if _NECK not in data:
        return str(path)  # ONNX Runtime would keep the bytes
    output = b"\x0a" + bytes([len(_NECK)]) + _NECK
    graph = b"\x62" + bytes([len(output)]) + output
    return data + b"\x3a" + bytes([len(graph)]) + graph


class Network:
    """A network with one input and one or two outputs. Calls may come from several threads."""

    _shared: ClassVar[WeakValueDictionary[tuple[Path, int, int], Network]] = WeakValueDictionary()

    @classmethod
    def shared(cls, path: Path, threads: int = 0) -> Network:
        """Return the network of this file that is in use already, else a new one: each takes tens of megabytes.

        Raises ModelFileError.
        """
        written = path.stat().st_mtime_ns if path.is_file() else 0
        network = cls._shared.get((path, written, threads)) or cls(path, threads)
        return cls._shared.setdefault((path, written, threads), network)

    def __init__(self, path: Path, threads: int = 0) -> None:
        if not path.is_file():
            raise ModelFileError(path, "is missing")
        self.path = path
        threads = threads or min(4, os.cpu_count() or 1)
        try:
            self._run: _Run = (
                _openvino(path, threads) if importlib.util.find_spec("openvino") else _onnxruntime(path, threads)
            )
        except Exception as error:  # both libraries raise many types of their own for a damaged file
            raise ModelFileError(path, f"cannot be loaded ({type(error).__name__})") from error

    def __call__(self, x: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the (first) output for an input of the shape that the network was exported with (float32)."""
        return self._outputs(x)[0]

    def with_features(self, x: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return both outputs, the second one being what the first was judged by.

        Raises ModelFileError where the network was exported without it.
        """
        outputs = self._outputs(x)
        if len(outputs) < 2:
            raise ModelFileError(self.path, "was exported without features")
        return outputs[0], outputs[1]

    def _outputs(self, x: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        """Return what the network makes of (N, ...) inputs: its outputs, (N, ...) each."""
        parts = [self._run(x[start : start + _AT_ONCE]) for start in range(0, len(x), _AT_ONCE)]
        return [np.concatenate(output, dtype=np.float32) for output in zip(*parts, strict=True)]


_Run = Callable[[NDArray[np.float32]], list[Any]]


@cache
def _share_working_memory() -> None:
    """Let all networks of ONNX Runtime work in the same memory, as they run one after the other.

    Each would keep its own else: 70 MB for the three together, now 30 MB. It is had in one piece, of which the system
    gives what is written to: pieces that double, as they do else, came to 15 MB more, 32 of them at some time in play.
    """
    import onnxruntime as ort

    kind = ort.OrtMemoryInfo("Cpu", ort.OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, ort.OrtMemType.DEFAULT)
    ort.create_and_register_allocator(kind, ort.OrtArenaCfg({"initial_chunk_size_bytes": _WORKING_MEMORY}))


def _onnxruntime(path: Path, threads: int) -> _Run:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Spinning threads would keep a core busy between pictures.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    _share_working_memory()
    options.add_session_config_entry("session.use_env_allocators", "1")
    session = onnxruntime.InferenceSession(_model(path), options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return lambda x: session.run(None, {name: x})


def _openvino(path: Path, threads: int) -> _Run:
    import openvino

    # Left to itself it calculates in half precision where the processor can, and confidences differ.
    options = {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32", "PERFORMANCE_HINT": "LATENCY"}
    core = openvino.Core()
    model = core.compile_model(core.read_model(_model(path)), "CPU", options)

    def run(x: NDArray[np.float32]) -> list[Any]:
        answer = model.create_infer_request().infer([x])
        return [answer[output] for output in model.outputs]

    return run
