"""Our detector's weights run by ultralytics itself, the baseline of the speed benchmarks."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


def predictor(folder: Path, threads: int | None = None) -> Callable[[NDArray[np.uint8]], object] | None:
    """Return a function that predicts boxes in a (H, W, 3) BGR picture; None without ultralytics or the weights.

    folder: of the networks. threads: for torch, its default if None. Output of ultralytics goes to stderr: on a new
    machine it reports on import that it has written its settings.
    """
    weights = folder / "detector.pt"
    if importlib.util.find_spec("ultralytics") is None or not weights.is_file():
        return None
    with redirect_stdout(sys.stderr):  # its logger keeps the stream present at import
        import torch
        from ultralytics import YOLO
    if threads is not None:
        torch.set_num_threads(threads)
    model = YOLO(str(weights), task="obb")
    return lambda image: model.predict(image, imgsz=640, device="cpu", verbose=False)
