"""Imports between modules point one way, and modules stay small."""

from __future__ import annotations

import ast
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
# Folder in the checkout -> package that it is installed as.
_PACKAGES = {"companion": "companion", "dataset": "companion.dataset", "models": "companion.models"}
_MOST_LINES = 500
_MOST_LINES_OF_A_SCRIPT = 400

_ARCHIVE = {"results", "exports"}
_BELOW_SERVER = {
    "cards",
    "decks",
    "editions",
    "laboratory",
    "languages",
    "referee",
    "caller",
    "vision",
    "table",
    "settings",
    "log",
    "backup",
    "storage",
    *_ARCHIVE,
}
_MAY_IMPORT = {
    "cards": set(),
    "editions": {"cards"},
    "languages": set(),
    "referee": {"cards", "editions"},
    "caller": {"cards", "editions", "languages", "referee"},
    "vision": {"cards"},
    "decks": {"cards", "editions", "vision", "zip_files"},
    # The simulated table is a source of pictures as vision asks for.
    "dataset": {"cards", "editions", "referee", "vision"},
    "models": {"cards", "dataset", "decks", "vision"},
    "storage": {"cards", "editions", "referee"},
    "laboratory": {"cards", "editions", "referee"},
    "results": {"cards", "editions", "referee", "storage"},
    "exports": {"cards", "editions", "referee", "caller", "results", "storage"},
    "table": {"cards", "editions", "referee", "caller", "vision", "storage"},
    "server": _BELOW_SERVER | {"dataset"},
    # It is at the table as a device is: by way of the API alone.
    "rehearsal": {"cards", "editions", "referee", "models", "vision"},
    "settings": {"editions", "languages", "text_files"},
    "backup": {"cards", "decks", "referee", "storage", "zip_files"},
    "log": set(),
    "text_files": set(),
    "zip_files": set(),
}
"""What each part may import besides itself; `cli`, `commands`, `bench` and `doctor` stand on top and see everything."""

_ON_TOP = {"", "cli", "commands", "bench", "doctor"}

_LAYERS = {
    "vision": ("core", "capture", "imaging", "detection", "recognition", "arms", "pile", "tracking"),
    "decks": ("model", "storage", "capture", "labels", "matching", "service"),
    "server": (
        "core",
        "schema",
        "access",
        "network",
        "capture",
        "archive",
        "services",
        "api",
        "routes",
        "management",
        "app",
    ),
    "referee": (
        "model",
        "phase",
        "moves",
        "effects",
        "errors",
        "state",
        "draft",
        "legality",
        "actions",
        "engine",
        "match",
        "transcript",
        "random_player",
    ),
    "editions": ("options", "program", "edition", "definition", "library"),
    "table": ("state", "hypotheses", "presentation", "session"),
    "bench": ("simulation", "accuracy", "speed", "everything"),
    "dataset": ("artist", "gallery", "scenes", "others", "simulated"),
    "models": ("networks", "training_data", "training", "evaluation", "fitting", "embedding"),
}
"""The sub-packages and modules of each package, lowest first: each imports only itself and those before it."""

_MOST_MODULES = 12
"""Number of modules in one folder, `__init__` not counted."""

_LONGEST_CHAIN = 8
"""Number of modules in the longest chain of imports within one part."""
_LONGER_CHAINS = {"dataset": 15}
"""Parts that exceed it; these numbers may only fall."""


def _modules() -> Iterator[tuple[Path, str]]:
    for folder, package in _PACKAGES.items():
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield path, ".".join([package, *path.relative_to(ROOT / folder).with_suffix("").parts])


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            assert node.module is not None
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _part(module: str) -> str:
    """Return the part that a module of ours belongs to: `companion.referee.state` -> `referee`."""
    names = module.split(".")
    return "" if len(names) == 1 or names[1] == "__init__" else names[1]


def _arrows() -> Iterator[tuple[Path, str, str]]:
    for path, module in _modules():
        for name in _imported(path):
            if name.split(".")[0] == "companion" and _part(name) != _part(module):
                yield path, _part(module), _part(name)


def test_arrows_point_one_way() -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {target}"
        for path, part, target in _arrows()
        if part not in _ON_TOP and target not in _MAY_IMPORT[part]
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("part", _LAYERS)
def test_sub_packages_import_only_downwards(part: str) -> None:
    layers = _LAYERS[part]
    prefix = f"companion.{part}."
    wrong = []
    for path, module in _modules():
        if not module.startswith(prefix) or module == f"{prefix}__init__":
            continue
        own = module.removeprefix(prefix).split(".")[0]
        assert own in layers, f"{path.relative_to(ROOT)} is in no sub-package"
        targets = {name.removeprefix(prefix).split(".")[0] for name in _imported(path) if name.startswith(prefix)}
        above = [target for target in targets if layers.index(target) > layers.index(own)]
        wrong += [f"{path.relative_to(ROOT)} imports {target}" for target in above]
    assert not wrong, "\n".join(wrong)


def test_folders_stay_small() -> None:
    counts = Counter(path.parent.relative_to(ROOT) for path, _ in _modules() if path.name != "__init__.py")
    assert not {str(folder): count for folder, count in counts.items() if count > _MOST_MODULES}


def _longest_chain(part: str) -> list[str]:
    """Return the longest chain of imports within a part, its top first. Imports form no circle."""
    known = {module for _, module in _modules() if module.startswith(f"companion.{part}.")}
    imported = {
        module: {each for name in _imported(path) for each in (name, name.rpartition(".")[0]) if each in known}
        for path, module in _modules()
        if module in known
    }

    @cache
    def chain(module: str) -> list[str]:
        return [module, *max(map(chain, imported[module] - {module}), key=len, default=[])]

    return max(map(chain, sorted(known)), key=len)


@pytest.mark.parametrize("part", ["caller", "commands", *_LAYERS, "rehearsal"])
def test_import_chains_stay_short(part: str) -> None:
    chain = _longest_chain(part)
    assert len(chain) <= _LONGER_CHAINS.get(part, _LONGEST_CHAIN), "\n".join(chain)


def test_every_part_has_its_place() -> None:
    known = {*_MAY_IMPORT, *_ON_TOP}
    assert {_part(module) for _, module in _modules()} <= known


def test_nothing_imports_the_command_line() -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {target}"
        for path, part, target in _arrows()
        if target in _ON_TOP - {""} and part not in _ON_TOP
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("part", ["cards", "editions", "referee", "caller"])
def test_the_rules_need_only_the_standard_library(part: str) -> None:
    for path, module in _modules():
        if _part(module) == part:
            foreign = {name.split(".")[0] for name in _imported(path)} - {"companion"} - set(sys.stdlib_module_names)
            assert not foreign, path


def test_no_module_is_longer_than_five_hundred_lines() -> None:
    assert not _longer([path for path, _ in _modules()], _MOST_LINES)


def test_no_script_of_the_pages_is_longer_than_four_hundred_lines() -> None:
    scripts = [path for path in (ROOT / "web").rglob("*.js") if "vendor" not in path.parts]
    assert not _longer(scripts, _MOST_LINES_OF_A_SCRIPT)


def _longer(paths: list[Path], most: int) -> dict[str, int]:
    """Return the files with more than `most` lines, with their number of lines."""
    counts = {str(path.relative_to(ROOT)): len(path.read_text("utf-8").splitlines()) for path in paths}
    return {name: count for name, count in counts.items() if count > most}


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Imports for types count as well: what two modules need of each other belongs in a third."""
    known = {module for _, module in _modules()}
    imported = {
        module: {each for name in _imported(path) for each in (name, name.rpartition(".")[0]) if each in known}
        for path, module in _modules()
    }
    while leaves := [module for module, names in imported.items() if not names & imported.keys()]:
        for module in leaves:
            del imported[module]
    assert not imported


def test_every_test_file_has_a_name_of_its_own() -> None:
    # Of two files of one name, in folders that are no packages, pytest collects the first alone.
    loose = (path.name for path in (ROOT / "tests").rglob("test_*.py") if not (path.parent / "__init__.py").exists())
    assert [name for name, count in Counter(loose).items() if count > 1] == []


def test_every_package_is_installed() -> None:
    setuptools = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
    # `web` holds pages only; it is a package so that they are found once installed.
    found = {"companion.web", *(module.removesuffix(".__init__") for _, module in _modules() if "__init__" in module)}
    assert set(setuptools["packages"]) == found


def test_tests_import_public_names_only() -> None:
    """Access to private attributes is refused by ruff (SLF001)."""
    private = [
        f"{path.relative_to(ROOT)} imports {alias.name} of {node.module}"
        for path in sorted((ROOT / "tests").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("companion")
        for alias in node.names
        if alias.name.startswith("_")
    ]
    assert not private, "\n".join(private)


def test_tests_replace_public_names_only() -> None:
    """The names are strings in calls of monkeypatch, which ruff does not see."""
    private = [
        f"{path.relative_to(ROOT)}:{node.lineno} replaces {name.value}"
        for path in sorted((ROOT / "tests").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "setattr"
        for name in node.args[:2]
        if isinstance(name, ast.Constant) and "._" in f".{name.value}"
    ]
    assert not private, "\n".join(private)
