"""Settings: their sources, their precedence, and messages about invalid ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import BaseModel

from companion import settings as module
from companion.settings import LogLevel, Settings, SettingsError, load_settings


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


@pytest.fixture
def no_default_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "default_config_file", lambda: tmp_path / "none.toml")


@pytest.mark.usefixtures("no_default_file")
def test_without_a_file_everything_has_its_default() -> None:
    assert load_settings(environment={}) == Settings()


def test_a_file_sets_what_it_names(config: Path) -> None:
    config.write_text('[server]\nport = 9001\n[table]\nedition = "minecraft"\n[log]\nlevel = "info"\n')
    settings = load_settings(config, {})
    assert settings.server.port == 9001
    assert settings.table.edition == "minecraft"
    assert settings.log.level is LogLevel.INFO
    assert settings.server.browser is Settings().server.browser


def test_the_environment_wins_over_the_file(config: Path) -> None:
    config.write_text("[server]\nport = 9001\nlan = true\n")
    settings = load_settings(config, {"COMPANION_SERVER_PORT": "9002"})
    assert (settings.server.port, settings.server.lan) == (9002, True)


@pytest.mark.usefixtures("no_default_file")
def test_variables_of_no_section_are_ignored() -> None:
    assert load_settings(environment={"COMPANION_CONFIG": "x", "COMPANION_DATA": "y", "PORT": "1"}) == Settings()


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("[server]\nprot = 1\n", ["server.prot", "port"]),
        ("[sever]\n", ["sever", "server", "camera"]),
        ("server = 1\n", ["server is a section"]),
        ("[server]\nport = 70000\n", ["server.port"]),
        ('[table]\nedition = "mario-cart"\n', ["table.edition", "mean mario-kart"]),
        ("[server\n", ["no TOML", "line 1"]),
    ],
)
def test_what_does_not_hold_is_refused_in_one_line_with_file_and_key(config: Path, text: str, parts: list[str]) -> None:
    config.write_text(text)
    with pytest.raises(SettingsError) as caught:
        load_settings(config, {})
    message = str(caught.value)
    assert "\n" not in message
    assert all(part in message for part in [str(config), *parts]), message


@pytest.mark.usefixtures("no_default_file")
def test_an_empty_variable_sets_nothing() -> None:
    assert load_settings(environment={"COMPANION_READER_MODEL": "", "COMPANION_SERVER_PORT": ""}) == Settings()


def test_a_camera_may_be_a_number(config: Path) -> None:
    config.write_text("[camera]\nsource = 1\n")
    assert load_settings(config, {}).camera.source == "1"


def test_a_file_that_is_no_text_is_refused(config: Path) -> None:
    config.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SettingsError, match="is no TOML"):
        load_settings(config, {})


def test_a_named_file_must_exist(config: Path) -> None:
    with pytest.raises(SettingsError, match="does not exist"):
        load_settings(config, {})


def test_a_folder_is_no_configuration_file(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        load_settings(tmp_path, {})


@pytest.mark.usefixtures("no_default_file")
@pytest.mark.parametrize("variable", ["COMPANION_SERVER_PROT", "COMPANION_TABLE_EDITION"])
def test_a_variable_that_does_not_hold_is_named(variable: str) -> None:
    with pytest.raises(SettingsError, match=variable):
        load_settings(environment={variable: "flip"})


@pytest.mark.usefixtures("no_default_file")
def test_a_home_folder_is_resolved() -> None:
    folder = load_settings(environment={"COMPANION_DATA_FOLDER": "~/uno"}).data.folder
    assert folder == Path.home() / "uno"


def test_every_setting_is_described() -> None:
    for name, field in Settings.model_fields.items():
        section = field.annotation
        assert isinstance(section, type)
        assert issubclass(section, BaseModel)
        assert all(inner.description for inner in section.model_fields.values()), name
