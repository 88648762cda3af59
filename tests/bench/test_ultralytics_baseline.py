"""What ultralytics says on a new machine, beside what a benchmark prints."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

pytest.importorskip("ultralytics", reason="needs the train extra")

_PROGRAM = """
from companion.bench.speed.ultralytics_baseline import predictor
from companion.vision.recognition.card_detector import model_folder
import numpy as np
predictor(model_folder(), 1)(np.zeros((64, 64, 3), np.uint8))
print("{}")
"""


def test_nothing_but_json_is_printed_where_ultralytics_writes_its_settings_first(tmp_path: Path) -> None:
    env = {**os.environ, "YOLO_CONFIG_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", _PROGRAM], env=env, capture_output=True, text=True, check=True)
    assert done.stdout == "{}\n"
    assert "Settings" in done.stderr
