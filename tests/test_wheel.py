"""The wheel carries everything and works where there is no checkout."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import cv2
import pytest

from companion.dataset.scenes.compose import SceneMaker
from companion.dataset.scenes.layouts import Layout
from companion.rehearsal.device import Device

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
_FOLDERS = {
    "companion": "companion",
    "dataset": "companion/dataset",
    "models": "companion/models",
    "web": "companion/web",
}
# Of `web/` everything is to be in the wheel, of the others these, and of `companion/` the documents of the referee.
_CARRIED = {".py", ".typed", ".mo", ".onnx", ".json"}
_LEFT_OUT = {"__pycache__"}
# What the pages' scripts are checked with is for those who change them.
_OF_CHECKS = (".d.ts", "jsconfig.json")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from a copy of the sources, so that nothing is left in the checkout."""
    source = tmp_path_factory.mktemp("source")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    for folder in _FOLDERS:
        shutil.copytree(ROOT / folder, source / folder, ignore=shutil.ignore_patterns("__pycache__"))
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(source)]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    return next(out.glob("*.whl"))


@pytest.fixture(scope="module")
def site(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel without its dependencies into an empty folder."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder), str(wheel)]
    subprocess.run(command, check=True, timeout=120)
    return folder


def _run(site: Path, *arguments: str, given: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run the installed command outside the checkout."""
    program = site / "bin" / ("companion.exe" if sys.platform == "win32" else "companion")
    environment = {**os.environ, "PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [str(program), *arguments]
    return subprocess.run(
        command, cwd=site.parent, env=environment, input=given, capture_output=True, text=True, timeout=60
    )


def test_every_file_is_in_the_wheel(wheel: Path) -> None:
    carried = set(zipfile.ZipFile(wheel).namelist())
    expected = {
        f"{package}/{path.relative_to(ROOT / folder).as_posix()}"
        for folder, package in _FOLDERS.items()
        for path in (ROOT / folder).rglob("*")
        if path.is_file()
        and (folder == "web" or path.suffix in _CARRIED or path.parent.name == "referee")
        and not _LEFT_OUT & {*path.parts}
        and not path.name.endswith(_OF_CHECKS)
    }
    assert not expected - carried
    assert not {name.split("/")[0] for name in carried if ".dist-info" not in name} - {"companion"}


def test_the_networks_are_in_the_wheel_and_small(wheel: Path) -> None:
    names = json.loads((ROOT / "models" / "manifest.json").read_text("utf-8"))["files"]
    with zipfile.ZipFile(wheel) as archive:
        sizes = {info.filename: info.file_size for info in archive.infolist()}
    assert {f"companion/models/{name}" for name in names} <= sizes.keys()
    assert not any(name.endswith(".pt") for name in sizes), "weights to train on are for a checkout"
    assert sum(size for name, size in sizes.items() if name.endswith(".onnx")) < 25 * 2**20


def test_the_installed_package_is_the_one_run(site: Path) -> None:
    program = "import companion.models, companion.web; print(companion.models.__file__, companion.web.__file__)"
    environment = {**os.environ, "PYTHONPATH": str(site)}
    found = subprocess.run(
        [sys.executable, "-c", program], cwd=site, env=environment, capture_output=True, text=True, check=True
    ).stdout.split()
    assert all(Path(path).is_relative_to(site) for path in found)


def test_the_installed_referee_rules_in_every_language(site: Path) -> None:
    header = {"match": {"edition": "mario-kart", "players": ["Ada", "Ben", "Cy"]}}
    text = json.dumps(header) + "\n" + json.dumps({"do": "start", "card": "blue skip"}) + "\n"
    said = {}
    for language in ("en", "de", "es", "fr"):
        result = _run(site, "referee", "--language", language, "-", given=text)
        assert result.returncode == 0, result.stderr
        said[language] = json.loads(result.stdout)["say"]
    assert len({str(sentences) for sentences in said.values()}) == 4


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C cannot be sent to a process there")
def test_the_installed_demo_rules_on_what_it_sees(site: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [str(site / "bin" / "companion"), "--data", str(tmp_path / "data"), "demo", "--no-browser", "--port", "0"]
    process = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        invitations = (re.search(r"(http://[\d.:]+)/join#t=([^&\s]+)", line) for line in process.stdout)
        address, token = next(found for found in invitations if found).groups()
        device = Device(address, token)
        deadline = time.monotonic() + 120
        seen: list[str] = []
        while "camera" not in seen and time.monotonic() < deadline:
            time.sleep(0.2)
            seen = [line["read_by"] for line in device.get("/api/history")["lines"]]
        assert "camera" in seen
        assert (tmp_path / "data" / "demo").is_dir()
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode == 0


def test_the_installed_reader_reads(site: Path, tmp_path: Path) -> None:
    picture = tmp_path / "hand.png"
    scene = SceneMaker(3, (1280, 720), deck_count=1, fonts=()).make(Layout.SINGLE)
    cv2.imwrite(str(picture), scene.image)
    result = _run(site, "read", "--json", str(picture))
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["image"] == str(picture)
