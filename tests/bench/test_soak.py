"""Tests of the soak: a server under load is sampled and plotted, and its growth is reported."""

from __future__ import annotations

import json
from mmap import mmap
from pathlib import Path

import pytest
from click.testing import CliRunner

from companion.bench.speed.soak import Sample, growth, soak, take_sample

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


def test_a_short_soak_is_played_and_plotted(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    result = CliRunner().invoke(soak, ["--minutes", "0.1", "--every", "1", "--json", "--plot", str(tmp_path)])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)["soak"]
    assert {"memory", "threads", "files", "moves", "most memory", "growth ratio", "speed"} == set(found)
    assert (
        "open files" in (tmp_path / "bench-soak.svg").read_text("utf-8") or (tmp_path / "bench-soak.svg").stat().st_size
    )
