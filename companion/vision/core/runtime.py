"""Runs exported networks: ONNX Runtime, or OpenVINO where it is installed."""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar, Self
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray


class ModelFileError(Exception):
    """A model file that is missing or that cannot be loaded. `path` is the file."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"the model file {path} {reason}; reinstall the companion or name another folder with --model")
        self.path = path


@dataclass(frozen=True)
class StoredNumbers:
    """Numbers by their names, stored beside the networks that they belong to."""

    _OBSOLETE: ClassVar[frozenset[str]] = frozenset()
    """Names of an earlier version, which are ignored."""

    @classmethod
    def load(cls, path: Path) -> Self:
        """Load from JSON; raises ModelFileError if the file is missing or malformed."""
        try:
            held = json.loads(path.read_text())
            return cls(**{name: float(value) for name, value in held.items() if name not in cls._OBSOLETE})
        except (OSError, AttributeError, TypeError, ValueError) as error:
            raise ModelFileError(path, "cannot be read") from error

    def save(self, path: Path) -> None:
        """Write as JSON."""
        path.write_text(json.dumps(asdict(self), indent=1) + "\n")


_BATCH_SIZE = 4
"""Batch size. Working memory grows with it and stays allocated: 40 cards at once left 120 MB, batches of 8 leave 13 MB,
batches of 4 less than 1 MB; none takes longer.
"""

_COMMON_SIDE = 640
"""Longer side in pixels of the largest input that is common. What a larger one needs is given back after it: a picture
at 1280 px needs 70 MB more than one at 640 px.
"""


def model_folder() -> Path:
    """Return the folder of the shipped networks: beside the package in a checkout, inside it when installed."""
    package = Path(str(files("companion")))
    inside = package / "models"
    return inside if inside.is_dir() else package.parent / "models"


def _model(path: Path, extension: Path | None) -> str | bytes:
    """Return the path of a network file, or its bytes followed by those of its extension: concatenated protocol
    buffers are one. ONNX Runtime would keep the bytes in memory.
    """
    return str(path) if extension is None else path.read_bytes() + extension.read_bytes()


class Network:
    """A network with one input and one or two outputs. Thread-safe.

    extension: a file that continues that of `path` and adds the second output.
    """

    _shared: ClassVar[WeakValueDictionary[tuple[Path, int, int, Path | None], Network]] = WeakValueDictionary()

    @classmethod
    def shared(cls, path: Path, threads: int = 0, extension: Path | None = None) -> Network:
        """Return the network of this file that is already loaded, else load it: each takes tens of megabytes.

        Raises ModelFileError.
        """
        written = path.stat().st_mtime_ns if path.is_file() else 0
        key = (path, written, threads, extension)
        return cls._shared.setdefault(key, cls._shared.get(key) or cls(path, threads, extension))

    def __init__(self, path: Path, threads: int = 0, extension: Path | None = None) -> None:
        for file in filter(None, (path, extension)):
            if not file.is_file():
                raise ModelFileError(file, "is missing")
        self.path, self.threads = path, threads
        threads = threads or min(4, os.cpu_count() or 1)
        try:
            self._run: _Run = (
                run_openvino(path, threads, extension)
                if importlib.util.find_spec("openvino")
                else run_onnxruntime(path, threads, extension)
            )
        except Exception as error:  # Both libraries raise many exception types for a damaged file.
            raise ModelFileError(path, f"cannot be loaded ({type(error).__name__})") from error

    def __call__(self, x: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the first output (float32) for an input (float32) of the exported shape."""
        return self._outputs(x)[0]

    def with_features(self, x: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return both outputs; the second one holds the features before the heads, or what the extension adds.

        Raises ModelFileError if the network has one output only.
        """
        outputs = self._outputs(x)
        if len(outputs) < 2:
            raise ModelFileError(self.path, "was exported without features")
        return outputs[0], outputs[1]

    def _outputs(self, x: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        """Return the network's outputs for (N, ...) inputs, each (N, ...)."""
        parts = [self._run(x[start : start + _BATCH_SIZE]) for start in range(0, len(x), _BATCH_SIZE)]
        return [np.concatenate(output, dtype=np.float32) for output in zip(*parts, strict=True)]


_Run = Callable[[NDArray[np.float32]], list[Any]]


@cache
def _share_working_memory() -> None:
    """Share one working memory between all ONNX Runtime networks, since they run one after another.

    Separate memories take 70 MB for the three networks, a shared one 30 MB. It grows by what is requested: growing by
    doubling, the default, took 75 MB more after one picture at 1280 px.
    """
    import onnxruntime as ort

    kind = ort.OrtMemoryInfo("Cpu", ort.OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, ort.OrtMemType.DEFAULT)
    as_requested = 1
    ort.create_and_register_allocator(kind, ort.OrtArenaCfg({"arena_extend_strategy": as_requested}))


def run_onnxruntime(path: Path, threads: int, extension: Path | None = None) -> _Run:
    """Return a function that runs a network file by ONNX Runtime on this many threads: input to outputs."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Threads that wait for the next operator spin shortly instead of sleeping: a tenth faster on idle cores, and no
    # slower on busy ones. They never spin between pictures.
    options.add_session_config_entry("session.intra_op.spin_duration_us", "30")
    options.add_session_config_entry("session.force_spinning_stop", "1")
    _share_working_memory()
    options.add_session_config_entry("session.use_env_allocators", "1")
    # A plan of the memory for each size of input keeps a block for it.
    options.enable_mem_pattern = False
    session = onnxruntime.InferenceSession(_model(path, extension), options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    shrinking = onnxruntime.RunOptions()
    shrinking.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")

    def run(x: NDArray[np.float32]) -> list[Any]:
        options = (shrinking,) if max(x.shape[2:]) > _COMMON_SIDE else ()
        return list(session.run(None, {name: x}, *options))

    return run


def run_openvino(path: Path, threads: int, extension: Path | None = None) -> _Run:
    """Return a function that runs a network file by OpenVINO on this many threads: input to outputs."""
    import openvino

    # The default is half precision where the processor supports it, which changes confidences.
    options = {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32", "PERFORMANCE_HINT": "LATENCY"}
    core = openvino.Core()
    model = core.compile_model(core.read_model(_model(path, extension)), "CPU", options)

    def run(x: NDArray[np.float32]) -> list[Any]:
        answer = model.create_infer_request().infer([x])
        return [answer[output] for output in model.outputs]

    return run
