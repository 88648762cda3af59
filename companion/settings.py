"""The settings: one validated model per section, from a TOML file and the environment.

Precedence: a command's option, options before the command, an environment variable `COMPANION_<SECTION>_<KEY>`, the
file, the default. The file is `--config FILE`, else COMPANION_CONFIG, else `config.toml` in the user's configuration
folder, which need not exist.
"""

from __future__ import annotations

import logging
import os
import tomllib
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import platformdirs
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from companion.editions.library import FOLDER_NAME, Library, NoSuchEditionError
from companion.languages import Language
from companion.text_files import decode

APP_NAME = "uno-table-companion"
ENVIRONMENT_PREFIX = "COMPANION_"


class SettingsError(Exception):
    """Settings are unreadable or invalid; the message is one sentence that names the place and the key."""


class LogLevel(Enum):
    """Log level."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
    DEBUG = "debug"

    @property
    def number(self) -> int:
        """The level as a number of the logging module."""
        return logging.getLevelNamesMapping()[self.name]


def default_config_file() -> Path:
    """Return the configuration file that is read by default."""
    return platformdirs.user_config_path(APP_NAME, appauthor=False) / "config.toml"


def default_data_folder() -> Path:
    """Return the default folder for matches and certificates."""
    return platformdirs.user_data_path(APP_NAME, appauthor=False)


_Folder = Annotated[Path, AfterValidator(Path.expanduser)]


def _split(value: object) -> object:
    return [part.strip() for part in value.split(",")] if isinstance(value, str) else value


# A list; in an environment variable, separated by commas.
_Texts = Annotated[tuple[str, ...], BeforeValidator(_split)]


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ServerSettings(_Section):
    """Where the pages are served."""

    port: int = Field(default=8000, ge=0, le=65535, description="Port of the pages; 0 takes any free one.")
    lan: bool = Field(default=False, description="Let other devices on the network connect.")
    tls: bool = Field(default=True, description="With lan: serve HTTPS too, which phones' cameras need.")
    browser: bool = Field(default=True, description="Open the page in the browser at the start.")
    addresses: _Texts = Field(default=(), description="With lan: serve these addresses of this computer alone.")
    allowed_hosts: _Texts = Field(default=(), description="Names by which browsers may call this computer, as uno.lan.")


class TableSettings(_Section):
    """What is played and how it is said."""

    edition: str | None = Field(default=None, description="Edition whose cards alone are considered.")
    language: Language = Field(default=Language.ENGLISH, description="Language of the spoken sentences.")


class CameraSettings(_Section):
    """Where pictures come from."""

    model_config = ConfigDict(coerce_numbers_to_str=True)  # a camera's number may be written without quotes

    source: str | None = Field(default=None, description="Camera number, file, folder, stream address or 'simulated'.")


class ReaderSettings(_Section):
    """The networks that read the cards."""

    model: _Folder | None = Field(default=None, description="Folder of the networks, instead of the shipped ones.")


class DataSettings(_Section):
    """What is kept."""

    folder: _Folder = Field(default_factory=default_data_folder, description="Where matches are kept.")


class LogSettings(_Section):
    """What is logged."""

    level: LogLevel = Field(default=LogLevel.WARNING, description="How much is logged.")
    file: _Folder | None = Field(default=None, description="File to log to, instead of the terminal.")


class Settings(_Section):
    """All settings, one attribute per section."""

    server: ServerSettings = ServerSettings()
    table: TableSettings = TableSettings()
    camera: CameraSettings = CameraSettings()
    reader: ReaderSettings = ReaderSettings()
    data: DataSettings = Field(default_factory=DataSettings)
    log: LogSettings = LogSettings()


def load_settings(file: Path | None = None, environment: Mapping[str, str] = os.environ) -> Settings:
    """Return the settings of a file, by default the user's, overridden by the environment.

    Raises SettingsError if a named file cannot be read or is not TOML, or a key or value is invalid.
    """
    path = file or default_config_file()
    from_file = _read(path, required=file is not None)
    _validated(from_file, str(path), "")
    merged = {name: dict(section) for name, section in from_file.items()}
    for name, section in _from_environment(environment).items():
        merged.setdefault(name, {}).update(section)
    settings = _validated(merged, "the environment", ENVIRONMENT_PREFIX)
    if settings.table.edition is not None:
        _check_edition(settings, None if settings.table.edition != from_file.get("table", {}).get("edition") else path)
    return settings


def _check_edition(settings: Settings, file: Path | None) -> None:
    """Raise SettingsError if there is no such edition. file: the one that names it, None for the environment."""
    try:
        Library(lambda: settings.data.folder / FOLDER_NAME)[settings.table.edition or ""]
    except NoSuchEditionError as error:
        place, key = (
            ("the environment", f"{ENVIRONMENT_PREFIX}TABLE_EDITION") if file is None else (file, "table.edition")
        )
        raise SettingsError(f"{place}: {key} does not hold: {error}.") from error


def _read(path: Path, required: bool) -> dict[str, Any]:
    try:
        return tomllib.loads(decode(path.read_bytes()))
    except FileNotFoundError:
        if required:
            raise SettingsError(f"The configuration file {path} does not exist.") from None
        return {}
    except OSError as error:
        raise SettingsError(f"The configuration file {path} cannot be read: {error.strerror}.") from error
    except ValueError as error:  # a UnicodeDecodeError or a TOMLDecodeError
        # TOML reads a backslash in double quotes as the start of an escape.
        quoted = "hex value" in str(error) or "escape" in str(error) or "unescaped" in str(error).lower()
        hint = " Write paths with backslashes in single quotes: 'C:\\Users'." if quoted else ""
        raise SettingsError(f"The configuration file {path} is no TOML: {error}.{hint}") from error


def _from_environment(environment: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return the environment's settings by section, ignoring empty values and unknown sections."""
    found: dict[str, dict[str, str]] = {}
    for variable, value in environment.items():
        name = variable.removeprefix(ENVIRONMENT_PREFIX)
        section, _, key = name.lower().partition("_")
        if name != variable and key and value and section in Settings.model_fields:
            found.setdefault(section, {})[key] = value
    return found


def _validated(values: dict[str, Any], place: str, prefix: str) -> Settings:
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        raise SettingsError(_sentence(error.errors()[0], place, prefix)) from error


def _sentence(fault: ErrorDetails, place: str, prefix: str) -> str:
    names = [str(part) for part in fault["loc"]]
    key = prefix + "_".join(names).upper() if prefix else ".".join(names)
    if fault["type"] == "extra_forbidden":
        section = Settings.model_fields[names[0]].annotation if len(names) > 1 else Settings
        assert isinstance(section, type)
        assert issubclass(section, BaseModel)
        return f"{place}: there is no setting {key}; there are {', '.join(section.model_fields)}."
    if len(names) == 1:
        return f"{place}: {key} is a section: write [{key}] and its settings below."
    return f"{place}: {key} does not hold: {fault['msg']}."
