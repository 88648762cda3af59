"""Each check when healthy and when failing, and the command's exit status."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import socket
import webbrowser
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from companion import doctor
from companion.cli import main
from companion.doctor import Check, State
from companion.server.access.certificates import ensure_certificates
from companion.server.network import addresses
from companion.settings import Settings


def _broken(name: str) -> object:
    if name == "cv2":
        raise ImportError("libGL.so.1: cannot open shared object file: No such file or directory")
    return None


def _models(folder: Path, content: bytes = b"weights") -> Path:
    entry = {"sha256": hashlib.sha256(b"weights").hexdigest(), "bytes": 7}
    (folder / "manifest.json").write_text(json.dumps({"files": {"detector.onnx": entry}}))
    (folder / "detector.onnx").write_bytes(content)
    return folder


def test_an_old_python_is_refused() -> None:
    assert doctor.check_python((3, 10, 9)).state is State.MISSING
    assert doctor.check_python((3, 11, 0)) == Check("Python", State.OK, "3.11.0")


def test_missing_system_library_is_reported_with_the_install_command() -> None:
    assert doctor.check_libraries().state is State.OK
    check = doctor.check_libraries(_broken)
    assert check.state is State.MISSING
    assert "opencv-python" in check.found
    assert "libGL.so.1" in check.advice
    assert "apt-get" in check.advice


def test_model_files_are_held_against_their_sums(tmp_path: Path) -> None:
    assert doctor.check_model(_models(tmp_path)).state is State.OK
    damaged = doctor.check_model(_models(tmp_path, b"other"))
    assert damaged.state is State.MISSING
    assert "detector.onnx" in damaged.found
    (tmp_path / "detector.onnx").unlink()
    assert "missing" in doctor.check_model(tmp_path).found


@pytest.mark.parametrize("manifest", [None, "{", "[]", '{"files": 1}', '{"files": {"a": {}}}'])
def test_a_manifest_that_is_no_good_is_reported(tmp_path: Path, manifest: str | None) -> None:
    if manifest is not None:
        (tmp_path / "manifest.json").write_text(manifest)
    assert doctor.check_model(tmp_path).state is State.MISSING


def test_a_picture_of_the_table_is_judged(tmp_path: Path) -> None:
    file = tmp_path / "table.png"
    cv2.imwrite(str(file), np.full((300, 400, 3), (60, 90, 120), np.uint8))
    answer = CliRunner().invoke(main, ["doctor", "--picture", str(file), "--json"])
    assert answer.exit_code == 0
    row = json.loads(answer.output)
    assert row["check"] == "picture"
    assert "discard pile" in row["advice"]
    file.write_bytes(b"no picture")
    assert CliRunner().invoke(main, ["doctor", "--picture", str(file)]).exit_code == 1


def test_a_camera_gives_a_picture_or_advice(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "table.png"), np.zeros((48, 64, 3), np.uint8))
    assert "64 x 48" in doctor.check_camera(str(tmp_path)).found
    missing = doctor.check_camera(str(tmp_path / "none"))
    assert missing.state is State.WARNING
    assert "companion demo" in missing.advice


def test_a_camera_that_is_not_there_is_a_warning() -> None:
    assert doctor.check_camera("97").state is State.WARNING


def test_a_port_in_use_is_reported() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert doctor.check_port(port).state is State.WARNING
    assert doctor.check_port(0).state is State.OK


def lan(address: str) -> addresses.Interface:
    return addresses.Interface("eth0", address, addresses.Kind.LAN)


def test_the_network_address_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "interfaces", lambda: [lan("127.0.0.1")])
    assert doctor.check_network().state is State.OK
    monkeypatch.setattr(addresses, "interfaces", list)
    assert doctor.check_network().state is State.WARNING
    monkeypatch.setattr(addresses, "interfaces", lambda: [lan("192.0.2.1")])
    assert "192.0.2.1" in doctor.check_network().found


def test_without_a_browser_another_device_is_advised(monkeypatch: pytest.MonkeyPatch) -> None:
    def none_there() -> None:
        raise webbrowser.Error("none")

    monkeypatch.setattr(webbrowser, "get", none_there)
    assert doctor.check_browser().state is State.WARNING
    monkeypatch.setattr(webbrowser, "get", lambda: webbrowser.GenericBrowser("firefox"))
    assert doctor.check_browser() == Check("browser", State.OK, "firefox")


def test_the_authority_is_good_until_its_end(tmp_path: Path) -> None:
    assert "none yet" in doctor.check_certificate(tmp_path).found
    authority = ensure_certificates(tmp_path / "tls", ["127.0.0.1"]).authority
    assert "valid until" in doctor.check_certificate(tmp_path).found
    assert "expired" in doctor.check_certificate(tmp_path, datetime.now(UTC) + timedelta(days=36500)).found
    authority.write_text("nonsense")
    assert doctor.check_certificate(tmp_path).state is State.WARNING


def test_the_data_folder_is_made_and_written(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    assert doctor.check_disk(folder).name == "disk"
    assert list(folder.iterdir()) == []
    assert doctor.check_disk(folder, enough=1).state is State.OK
    assert doctor.check_disk(folder, enough=2**80).state is State.WARNING
    (tmp_path / "file").touch()
    assert doctor.check_disk(tmp_path / "file").state is State.MISSING


def test_a_full_disk_is_distinguished_from_a_folder_that_may_not_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(number: int) -> None:
        def fail(**_: object) -> None:
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr("tempfile.TemporaryFile", fail)

    refuse(errno.ENOSPC)
    assert "Make room" in doctor.check_disk(tmp_path).advice
    refuse(errno.EROFS)
    check = doctor.check_disk(tmp_path)
    assert check.state is State.MISSING
    assert "--data" in check.advice
    assert "Make room" not in check.advice


@pytest.mark.parametrize("system", ["darwin", "win32", "linux", "freebsd14"])
def test_who_has_to_let_us_use_the_camera_is_named(monkeypatch: pytest.MonkeyPatch, system: str) -> None:
    monkeypatch.setattr(doctor.sys, "platform", system)
    advice = doctor.check_camera("no such folder").advice
    assert advice.startswith("Plug a webcam in")
    assert ("must" in advice) is (system != "freebsd14")


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> list[Check]:
    found: list[Check] = [Check("a", State.OK, "fine"), Check("b", State.WARNING, "poor", "Mend it.")]

    def examine(settings: Settings) -> Iterator[Check]:
        yield from found

    monkeypatch.setattr("companion.commands.doctor.examine", examine)
    return found


def test_the_command_fails_only_for_what_is_essential(checks: list[Check]) -> None:
    result = CliRunner().invoke(main, ["--config", os.devnull, "doctor"])
    assert result.exit_code == 0, result.output
    assert "Mend it." in result.output
    checks.append(Check("c", State.MISSING, "gone", "Get it."))
    assert CliRunner().invoke(main, ["--config", os.devnull, "doctor"]).exit_code == 1


@pytest.mark.usefixtures("checks")
def test_the_command_prints_one_object_per_check() -> None:
    output = CliRunner().invoke(main, ["--config", os.devnull, "doctor", "--json"]).output
    rows = [json.loads(line) for line in output.splitlines()]
    assert [row["check"] for row in rows] == ["a", "b"]
    assert rows[1] == {"check": "b", "state": "warning", "found": "poor", "advice": "Mend it."}
