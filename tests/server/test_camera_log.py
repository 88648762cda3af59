"""What the terminal says about a camera that gives no pictures, and about a film that has ended."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from flask.testing import FlaskClient

from companion.vision.capture import grabber

PATIENCE = 30.0


def wait_for(condition: Callable[[], bool]) -> bool:
    """Return whether the condition came true in time."""
    deadline = time.monotonic() + PATIENCE
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return condition()


@pytest.fixture
def film(tmp_path: Path) -> Path:
    path = tmp_path / "short.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10, (160, 120))
    for _ in range(5):
        writer.write(np.full((120, 160, 3), (60, 120, 180), np.uint8))
    writer.release()
    return path


def test_a_film_that_has_ended_is_said_so(host: FlaskClient, film: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert host.post("/api/camera", json={"source": str(film)}).status_code == 200
        assert wait_for(lambda: "short.avi has ended" in caplog.text), caplog.text


def test_a_camera_that_cannot_be_opened_is_said_so(
    host: FlaskClient, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grabber, "CONNECT_PATIENCE", 0.2)
    with caplog.at_level(logging.WARNING):
        host.post("/api/camera", json={"source": "63"})
        assert wait_for(lambda: "is gone" in caplog.text), caplog.text
