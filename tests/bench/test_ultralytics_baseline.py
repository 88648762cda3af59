"""Messages that ultralytics prints on a new machine do not mix with a benchmark's output."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.train]

pytest.importorskip("ultralytics", reason="needs the train extra")

_PROGRAM = """
from companion.bench.speed.ultralytics_baseline import predictor
from companion.vision.core.runtime import model_folder
import numpy as np
predictor(model_folder(), 1)(np.zeros((64, 64, 3), np.uint8))
print("{}")
"""


def test_output_is_only_json_despite_ultralytics_messages(tmp_path: Path) -> None:
    env = {**os.environ, "YOLO_CONFIG_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", _PROGRAM], env=env, capture_output=True, text=True, check=True)
    assert done.stdout == "{}\n"
    assert "Settings" in done.stderr
