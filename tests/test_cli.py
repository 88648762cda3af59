"""Common options, messages about missing libraries, and the few imports of quick commands."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from companion import cli
from companion.commands.shared.defaults import OPTIONS, option_defaults
from companion.doctor import missing_library
from companion.log import set_up_logging, verbose_level
from companion.settings import ServerSettings, Settings


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    root, ours = logging.getLogger(), logging.getLogger("companion")
    before = root.handlers[:], root.level, ours.level
    yield
    root.handlers[:] = before[0]
    root.setLevel(before[1])
    ours.setLevel(before[2])


@pytest.fixture
def probe(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Any]:
    """Put a command in `doctor`'s place that notes the settings it is given."""
    seen: list[Any] = []

    @click.command()
    @click.option("--port", type=int, default=1)
    @click.pass_obj
    def doctor(settings: Settings, port: int) -> None:
        seen.extend([settings, port])

    monkeypatch.setattr(sys.modules[__name__], "probed", doctor, raising=False)
    monkeypatch.setitem(cli.main.lazy, "doctor", f"{__name__}:probed")  # type: ignore[attr-defined]
    monkeypatch.setattr("companion.commands.shared.defaults.OPTIONS", {"server.port": ("doctor.port",)})
    monkeypatch.setattr("companion.settings.default_config_file", lambda: tmp_path / "none.toml")
    for name in ("COMPANION_CONFIG", "COMPANION_SERVER_PORT"):
        monkeypatch.delenv(name, raising=False)
    return seen


def _run(*arguments: str, **options: Any) -> Result:
    return CliRunner().invoke(cli.main, arguments, **options)


def test_a_setting_is_the_default_of_an_option(probe: list[Any], tmp_path: Path) -> None:
    config = tmp_path / "c.toml"
    config.write_text("[server]\nport = 2\n")
    for arguments, environment, port in (
        (["doctor"], {}, Settings().server.port),
        (["--config", str(config), "doctor"], {}, 2),
        (["doctor"], {"COMPANION_CONFIG": str(config)}, 2),
        (["doctor"], {"COMPANION_CONFIG": str(config), "COMPANION_SERVER_PORT": "3"}, 3),
        (["--config", str(config), "doctor", "--port", "4"], {"COMPANION_SERVER_PORT": "3"}, 4),
    ):
        probe.clear()
        result = _run(*arguments, env=environment)
        assert result.exit_code == 0, result.output
        assert probe[1] == port


def test_the_data_folder_is_the_options(probe: list[Any], tmp_path: Path) -> None:
    assert _run("--data", str(tmp_path), "doctor").exit_code == 0
    assert probe[0].data.folder == tmp_path


def test_the_shared_options_may_follow_the_command(probe: list[Any], tmp_path: Path) -> None:
    for arguments in (
        ["doctor", "--data", str(tmp_path), "--port", "5"],
        ["doctor", "--port", "5", f"--data={tmp_path}", "-v"],
        ["-v", "doctor", "--verbose", "--data", str(tmp_path), "--port", "5"],
    ):
        probe.clear()
        result = _run(*arguments)
        assert result.exit_code == 0, result.output
        assert (probe[0].data.folder, probe[1]) == (tmp_path, 5)


def test_what_follows_two_dashes_is_no_option(tmp_path: Path) -> None:
    result = _run("score-hand", "--", "--data")
    assert "Did you mean" not in result.output
    assert result.exit_code != 0
    assert "--data" in result.output


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["raed", "x.jpg"], "'read'"),
        (["Doctor"], "'doctor'"),
        (["matches", "shwo"], "'show'"),
        (["read", "--edition", "clasic", "x.jpg"], "'classic'"),
        (["play", "--edtion", "classic"], None),
    ],
)
def test_a_misspelt_word_is_answered_by_a_similar_one(arguments: list[str], meant: str | None, tmp_path: Path) -> None:
    result = _run("--data", str(tmp_path), *arguments)
    assert result.exit_code == 2
    assert f"Did you mean {meant}?" in result.output if meant else "No such option" in result.output


@pytest.mark.usefixtures("probe")
def test_settings_that_do_not_hold_end_the_command_in_one_line(tmp_path: Path) -> None:
    config = tmp_path / "c.toml"
    config.write_text("[server]\nprot = 2\n")
    result = _run("--config", str(config), "doctor")
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
    assert "server.prot" in result.stderr


@pytest.mark.usefixtures("probe")
def test_a_log_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    result = _run("doctor", env={"COMPANION_LOG_FILE": str(tmp_path)})
    assert result.exit_code == 1
    assert str(tmp_path) in result.stderr


@pytest.mark.usefixtures("probe")
def test_verbose_logs_to_the_log_file(tmp_path: Path) -> None:
    log = tmp_path / "new" / "log.txt"
    assert _run("--verbose", "doctor", env={"COMPANION_LOG_FILE": str(log)}).exit_code == 0
    logging.getLogger("companion.test").info("landed")
    logging.getLogger("werkzeug").info("noise")
    assert "landed" in log.read_text("utf-8")
    assert "noise" not in log.read_text("utf-8")


def test_verbose_twice_is_all() -> None:
    assert [verbose_level(n) for n in range(4)] == [logging.WARNING, logging.INFO, logging.DEBUG, logging.DEBUG]
    set_up_logging(logging.DEBUG)
    assert logging.getLogger("companion.x").isEnabledFor(logging.DEBUG)


def test_every_setting_mapped_exists_and_so_does_every_option() -> None:
    context = click.Context(cli.main)
    for setting, parameters in OPTIONS.items():
        section, _, key = setting.partition(".")
        assert hasattr(getattr(Settings(), section), key), setting
        for parameter in parameters:
            name, _, option = parameter.partition(".")
            command = cli.main.get_command(context, name)
            assert command is not None, name
            assert option in {each.name for each in command.params}, parameter


def test_defaults_are_grouped_by_command() -> None:
    defaults = option_defaults(Settings(server=ServerSettings(port=5)))
    assert defaults["play"]["port"] == 5
    assert "source" not in defaults["play"]


def test_the_groups_help_names_every_command_and_imports_none() -> None:
    result = _run("--help")
    assert result.exit_code == 0
    assert all(f"  {name} " in result.output for name in cli.main.list_commands(click.Context(cli.main)))


def test_every_command_can_be_imported_and_has_help() -> None:
    context = click.Context(cli.main)
    for name in cli.main.list_commands(context):
        command = cli.main.get_command(context, name)
        assert command is not None
        assert command.help, name


@pytest.mark.parametrize("arguments", [["referee", "--help"], ["score-hand", "red 7"], ["--help"], ["--version"]])
def test_quick_commands_import_nothing_heavy(arguments: list[str]) -> None:
    program = f"""
import sys
from companion.cli import main
try:
    main({arguments!r})
except SystemExit:
    pass
heavy = {{"cv2", "numpy", "flask", "pydantic", "onnxruntime", "cryptography", "rich"}} & set(sys.modules)
sys.exit(f"imported {{sorted(heavy)}}" if heavy else 0)
"""
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, timeout=60)


def test_a_missing_system_library_is_one_clear_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> None:
        raise ImportError("libGL.so.1: cannot open shared object file: No such file or directory")

    monkeypatch.setattr("companion.commands.shared.lazy.importlib.import_module", fail)
    result = _run("score-hand", "red 7")
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
    assert "libGL.so.1" in result.stderr
    assert "apt-get install libgl1" in result.stderr


def test_a_missing_python_library_is_named_and_our_own_faults_are_not_hidden() -> None:
    assert "flask" in (missing_library(ModuleNotFoundError("No module named 'flask'", name="flask.app")) or "")
    assert missing_library(ModuleNotFoundError("gone", name="companion.nowhere")) is None
    assert missing_library(ImportError("cannot import name 'x' from 'companion'")) is None


def test_what_nobody_foresaw_is_one_sentence_and_with_verbose_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> None:
        raise RuntimeError("odd")

    monkeypatch.setattr("companion.commands.shared.lazy.importlib.import_module", fail)
    result = _run("score-hand", "red 7")
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
    assert "RuntimeError: odd" in result.stderr
    assert isinstance(_run("--verbose", "score-hand", "red 7").exception, RuntimeError)


def test_what_an_encoding_lacks_ends_no_command() -> None:
    program = "from companion.cli import main; main(['score-hand', 'red 7'], standalone_mode=False); print('\\u2713')"
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().endswith(b"?")


@pytest.mark.parametrize("command", ["play", "demo"])
def test_a_data_folder_that_cannot_be_written_is_one_sentence(command: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    folder = str(tmp_path / "file" / "data")
    result = _run("--config", os.devnull, "--data", folder, command, "--no-browser", "--port", "0")
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
    assert f"The data folder {folder}" in result.stderr
    assert "--data" in result.stderr
