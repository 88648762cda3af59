"""Tests of the combined benchmark: rows, units, plots, and the message if one part fails."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from companion.bench import everything
from companion.commands.bench import bench

pytestmark = pytest.mark.slow

_RESULTS = {
    "reader": {"one card": {"companion ms": 9.5, "ratio": 0.5}, "hand of ten": {"companion ms": 20, "ratio": 0.4}},
    "dataset": {"scenes per second": 20.5},
}


@pytest.fixture
def results(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a program in the place of ours that prints known results, and fails for any other benchmark."""
    program = f"import sys, json; print(json.dumps({_RESULTS!r}[sys.argv[2]]))"
    monkeypatch.setattr(everything, "PROGRAM", program)


def test_figures_that_stand_alone_become_a_row() -> None:
    assert everything.as_rows("dataset", {"scenes per second": 2, "note": "x"}) == {"dataset": {"scenes per second": 2}}
    assert everything.as_rows("reader", {"a": {"ms": 1}}) == {"a": {"ms": 1}}


def test_measures_of_one_unit_go_together() -> None:
    rows = {"a": {"our ms": 1.0, "their ms": 2.0, "ratio": 0.5}, "b": {"steps per second": 3.0}}
    assert everything.by_unit(rows) == {
        "ms": {"a": {"our ms": 1.0, "their ms": 2.0}},
        "ratio": {"a": {"ratio": 0.5}},
        "steps per second": {"b": {"steps per second": 3.0}},
    }


@pytest.mark.usefixtures("results")
def test_the_result_is_one_json_object() -> None:
    result = CliRunner().invoke(bench, ["all", *_RESULTS, "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout) == {**_RESULTS, "dataset": {"dataset": {"scenes per second": 20.5}}}


@pytest.mark.usefixtures("results")
@pytest.mark.train
def test_every_benchmark_is_plotted(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    result = CliRunner().invoke(bench, ["all", *_RESULTS, "--plot", str(tmp_path / "plots")])
    assert result.exit_code == 0, result.output
    drawn = {path.name for path in (tmp_path / "plots").iterdir()}
    assert drawn == {"bench-reader.svg", "bench-dataset.svg"}
    reader = (tmp_path / "plots" / "bench-reader.svg").read_text("utf-8")
    assert all(text in reader for text in ("hand of ten", ">companion ms<", ">9.5<"))
    assert "ratio" not in reader
    assert "one card: companion ms 9.5" in result.stdout


@pytest.mark.usefixtures("results")
def test_a_benchmark_that_fails_is_named() -> None:
    result = CliRunner().invoke(bench, ["all", "startup"])
    assert result.exit_code == 1
    assert "companion bench startup failed" in result.stderr


def test_all_leaves_itself_out() -> None:
    refused = CliRunner().invoke(bench, ["all", "nonsense"])
    names = refused.stderr.partition("there are ")[2].strip().split(", ")
    assert "all" not in names
    assert {"referee", "startup"} <= set(names)


@pytest.mark.usefixtures("results")
def test_those_named_alone_are_run() -> None:
    result = CliRunner().invoke(bench, ["all", "reader", "--json"])
    assert list(json.loads(result.stdout)) == ["reader"]
    unknown = CliRunner().invoke(bench, ["all", "raeder"])
    assert unknown.exit_code == 2
    assert "there is no benchmark raeder; there are dataset, " in unknown.stderr
