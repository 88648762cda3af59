"""Tests of the soak: a server under load is sampled and plotted, and its growth is reported."""

from __future__ import annotations

import json
import threading
from mmap import mmap
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from companion.bench.speed.soak import PacedFilm, Sample, Showing, growth, soak, take_sample
from companion.cards import EditionName
from companion.editions import EDITIONS
from companion.server.app import create_app, services_of
from companion.server.core.config import ServerConfig

pytestmark = pytest.mark.slow


def sample(seconds: float, memory: float) -> Sample:
    return Sample(seconds, memory, 1, 1, 0, seconds)


def test_growth_leaves_out_what_is_loaded_at_first() -> None:
    samples = [sample(10.0 * i, 100 + min(i, 12) * 10) for i in range(60)]
    assert growth(samples) == 0
    assert growth([sample(10.0 * i, 200 + i) for i in range(60)]) == pytest.approx(0.19, abs=0.01)
    slow = [Sample(10.0 * i, 100 + min(i, 24) * 10, 1, 1, 0, 5.0 * i) for i in range(60)]
    assert growth(slow) == 0


def test_a_sample_shows_of_this_process() -> None:
    before = take_sample(0, 0, 0)
    # Pages of its own: what this process has freed before would do for an object of any size.
    with mmap(-1, 50 << 20) as pages, Path("/dev/null").open():
        pages.write(b"x" * len(pages))
        after = take_sample(1, 0, 0)
    assert before.files == 0 or (after.memory - before.memory > 20 and after.files == before.files + 1)


@pytest.fixture
def film(tmp_path: Path) -> Path:
    path = tmp_path / "film.mp4"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), 30, (320, 180))
    for level in range(6):
        writer.write(np.full((180, 320, 3), 40 * level, np.uint8))
    writer.release()
    return path


def test_film_is_over_after_its_last_frame(film: Path) -> None:
    paced = PacedFilm(film)
    frames = paced.frames()
    assert next(frames).number == 0
    assert not paced.is_over
    assert [frame.number for frame in frames] == [1, 2, 3, 4, 5]
    assert paced.is_over


def test_film_is_watched_with_a_match_of_its_own(tmp_path: Path, film: Path) -> None:
    services = services_of(create_app(ServerConfig(data=tmp_path / "data", port=0)))
    try:
        has_ended = Showing(film=film).begin(services, 1)
        assert services.camera.state.source == str(film)
        assert services.table.state is not None
        edition = services.table.state.header.edition
        assert edition == EDITIONS[list(EditionName)[1]]
        waiting = threading.Event()
        assert any(has_ended() or waiting.wait(0.2) for _ in range(300))
    finally:
        services.close()


def test_missing_film_is_refused(tmp_path: Path) -> None:
    result = CliRunner().invoke(soak, ["--film", str(tmp_path / "none.mp4")])
    assert result.exit_code == 2
    assert "does not exist" in result.stderr


@pytest.mark.train
def test_a_short_soak_is_played_and_plotted(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    result = CliRunner().invoke(soak, ["--minutes", "0.1", "--every", "1", "--json", "--plot", str(tmp_path)])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)["soak"]
    assert {"memory", "threads", "files", "moves", "most memory", "growth ratio", "speed"} == set(found)
    assert (
        "open files" in (tmp_path / "bench-soak.svg").read_text("utf-8") or (tmp_path / "bench-soak.svg").stat().st_size
    )
