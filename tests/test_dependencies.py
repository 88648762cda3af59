"""Imported packages are declared, and versions with known vulnerabilities are excluded."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from companion.bench.everything import PROGRAM

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

# What is used only where it is found, and looked for first: a faster library, and a program beside the rules' text.
_LOOKED_FOR = {"openvino", "run_scenarios"}

# Distribution -> the first version without holes known today. The last two stand here as they are imported directly.
_FLOORS = {"cryptography": (44, 0, 1), "werkzeug": (3, 0, 6), "itsdangerous": (2, 0)}


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", re.split(r"[ <>=!~\[;]", name, maxsplit=1)[0]).lower()


BASE = {_plain(each) for each in PROJECT["dependencies"]}
EXTRAS = {name: {_plain(each) for each in extra} for name, extra in PROJECT["optional-dependencies"].items()}


def _imports(*folders: str) -> Iterator[tuple[str, str]]:
    """Yield file and top-level name of every import that is neither the standard library's nor ours."""
    for folder in folders:
        files = [path for path in (ROOT / folder).rglob("*.py") if not any(part.is_symlink() for part in path.parents)]
        ours = {path.stem for path in files} | {"companion"}
        for path in files:
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom) and node.module:
                    names = [node.module]
                for name in {name.split(".")[0] for name in names} - ours - set(sys.stdlib_module_names):
                    yield str(path.relative_to(ROOT)), name


def _undeclared(found: Iterator[tuple[str, str]], declared: set[str]) -> list[str]:
    there = packages_distributions()
    return [
        f"{path} imports {name}"
        for path, name in found
        if name not in _LOOKED_FOR and not {_plain(each) for each in there.get(name, [name])} & declared
    ]


def test_what_playing_imports_is_declared() -> None:
    training = EXTRAS["train"]
    assert _undeclared(_imports("companion", "dataset", "models"), BASE | training) == []
    # The parts that play do without the extra.
    playing = ((path, name) for path, name in _imports("companion", "dataset") if "bench" not in path)
    assert _undeclared(playing, BASE) == []


def test_what_the_tests_import_is_declared() -> None:
    # Tests of training are passed over without the train extra.
    assert _undeclared(_imports("tests"), BASE | EXTRAS["test"] | EXTRAS["train"]) == []


def _needs_train(node: ast.stmt) -> bool:
    """Return whether a statement skips tests where a package of the train extra is missing."""
    return any(
        isinstance(call, ast.Call)
        and ast.unparse(call.func).endswith(("importorskip", "find_spec"))
        and isinstance(call.args[0], ast.Constant)
        and call.args[0].value in EXTRAS["train"]
        for call in ast.walk(node)
    )


def test_tests_that_need_the_train_extra_are_marked() -> None:
    """`.ci/run` runs only these with the extra, in the folders of models and benchmarks."""
    needing = []
    for path in (ROOT / "tests").rglob("test_*.py"):
        module = ast.parse(path.read_text("utf-8"))
        of_module = [ast.unparse(node) for node in module.body if isinstance(node, ast.Assign)]
        for node in filter(_needs_train, module.body):
            marks = [ast.unparse(each) for each in getattr(node, "decorator_list", ())]
            marked = any("pytest.mark.train" in mark for mark in [*of_module, *marks])
            needing.append((path.parent.name in ("models", "bench") and marked, f"{path.name}:{node.lineno}"))
    assert len(needing) > 5
    assert [place for marked, place in needing if not marked] == []


def test_every_dependency_is_imported_somewhere() -> None:
    there = packages_distributions()
    used = {_plain(dist) for _, name in _imports("companion", "dataset", "models") for dist in there.get(name, [name])}
    assert used >= BASE


@pytest.mark.parametrize("name", _FLOORS)
def test_versions_with_known_holes_are_not_allowed(name: str) -> None:
    (declared,) = [each for each in PROJECT["dependencies"] if _plain(each) == name]
    floor = re.search(r">=([\d.]+)", declared)
    assert floor
    assert tuple(map(int, floor[1].split("."))) >= _FLOORS[name]


@pytest.mark.parametrize("bench", ["dataset", "reader", "soak"])
def test_benchmarks_start_from_the_folder_of_the_readme(bench: str) -> None:
    command = [sys.executable, "-c", PROGRAM, "bench", bench, "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout[:6]) == (0, "Usage:"), done.stderr
