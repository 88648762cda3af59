"""The README mentions every command, option, page and setting, and what it points to is there."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from companion.cli import main
from companion.settings import Settings

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text("utf-8")
CONTEXT = click.Context(main)
COMMANDS = main.list_commands(CONTEXT)


def _section(title: str) -> str:
    """Return what stands under a heading of the second level."""
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", README, re.MULTILINE | re.DOTALL)
    assert found, f"the section {title!r} is missing"
    return found[1]


def _block(command: str) -> str:
    """Return what the section on commands says of one: from the paragraph that begins with it to the next such."""
    start = rf"^`companion {re.escape(command)}\b(?!-)"
    found = re.search(rf"{start}(.*?)(?=^`companion |\Z)", _section("Commands"), re.MULTILINE | re.DOTALL)
    assert found, f"no paragraph begins with `companion {command}`"
    return found[0]


def _tree(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    yield name, command
    if isinstance(command, click.Group):
        for inner in command.list_commands(CONTEXT):
            found = command.get_command(CONTEXT, inner)
            assert found is not None
            yield from _tree(f"{name} {inner}", found)


def _long_options(command: click.Command) -> Iterator[str]:
    for parameter in command.params:
        if isinstance(parameter, click.Option) and not parameter.hidden:
            yield from (name for name in (*parameter.opts, *parameter.secondary_opts) if name.startswith("--"))


def _mentions(text: str, option: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", text) is not None


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_is_mentioned(name: str) -> None:
    command = main.get_command(CONTEXT, name)
    assert command is not None
    text = _block(name)
    for path, each in _tree(name, command):
        assert f"`companion {path}" in README, path
        missing = [option for option in _long_options(each) if not _mentions(text, option)]
        assert not missing, f"companion {path}: {missing}"


def test_the_table_lists_every_command_and_no_other() -> None:
    assert sorted(re.findall(r"^\| `companion ([\w-]+)` \|", README, re.MULTILINE)) == COMMANDS


def test_the_common_options_are_mentioned() -> None:
    assert [option for option in _long_options(main) if not _mentions(_section("Commands"), option)] == []


def test_no_option_is_mentioned_that_does_not_exist() -> None:
    there = {"--help", *_long_options(main)}
    for name in COMMANDS:
        command = main.get_command(CONTEXT, name)
        assert command is not None
        there |= {option for _, each in _tree(name, command) for option in _long_options(each)}
    mentioned = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", _section("Commands")))
    assert mentioned <= there


def test_every_page_is_mentioned(tmp_path: Path) -> None:
    from companion.server.app import create_app
    from companion.server.core.config import ServerConfig

    missing = [
        rule.rule
        for rule in create_app(ServerConfig(data=tmp_path)).url_map.iter_rules()
        if not rule.rule.startswith("/api/") and not re.search(r"[<.]", rule.rule) and f"`{rule.rule}`" not in README
    ]
    assert not missing


def test_the_configuration_shown_holds_every_setting_with_its_default() -> None:
    found = re.search(r"```toml\n(.*?)```", _section("Configuration"), re.DOTALL)
    assert found
    defaults = Settings.model_validate(tomllib.loads(found[1])).model_dump()
    assert defaults == Settings().model_dump()
    # Those without a default stand there as comments.
    shown = tomllib.loads(re.sub(r"^# (?=\w+ = )", "", found[1], flags=re.MULTILINE))
    assert {name: set(section) for name, section in shown.items()} == {
        name: set(section) for name, section in defaults.items()
    }
    Settings.model_validate(shown)


def test_files_pointed_to_are_there() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_headings_pointed_to_are_there() -> None:
    anchors = {
        re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in re.findall(r"^#+ (.+)$", README, re.M)
    }
    assert set(re.findall(r"\]\(#([^)]+)\)", README)) <= anchors
