"""The documentation covers every command, option, page and setting, and what it links to exists."""

from __future__ import annotations

import ast
import importlib
import json
import re
import runpy
import tomllib
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from companion.cli import main
from companion.editions import OPTIONS
from companion.server.api.openapi import document
from companion.server.app import APIS
from companion.settings import Settings

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs" / "pages"
README = (ROOT / "README.md").read_text("utf-8")
CONTEXT = click.Context(main)
_MOST_LINES = 150


def _page(name: str) -> str:
    return (PAGES / f"{name}.md").read_text("utf-8")


def _tree(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    yield name, command
    if isinstance(command, click.Group):
        for inner in command.list_commands(CONTEXT):
            found = command.get_command(CONTEXT, inner)
            assert found is not None
            yield from _tree(f"{name} {inner}", found)


COMMANDS = dict(_tree("companion", main))


@pytest.mark.parametrize("path", COMMANDS)
def test_every_command_and_option_has_a_help_text(path: str) -> None:
    """The command line page is generated from these texts."""
    command = COMMANDS[path]
    assert (command.help or "").strip() or command.short_help, path
    silent = [
        parameter.opts[0]
        for parameter in command.params
        if isinstance(parameter, click.Option) and not parameter.hidden and not parameter.help
    ]
    assert not silent, f"{path}: {silent}"


@pytest.mark.parametrize("group", ["decks", "matches"])
def test_the_main_help_names_what_a_group_can_do(group: str) -> None:
    shown = CliRunner().invoke(main, ["--help"], terminal_width=160).output
    line = next(line for line in shown.splitlines() if line.split()[:1] == [group]).lower()
    inner = [path.split()[-1] for path in COMMANDS if path.startswith(f"companion {group} ")]
    assert [name for name in inner if name not in line] == []


def test_the_command_line_page_is_generated_from_the_commands() -> None:
    assert "::: mkdocs-click" in _page("commands")
    assert ":module: companion.cli" in _page("commands")


def test_no_option_is_mentioned_that_does_not_exist() -> None:
    there = {"--help"} | {
        name
        for command in COMMANDS.values()
        for parameter in command.params
        for name in (*parameter.opts, *parameter.secondary_opts)
    }
    for path in [ROOT / "README.md", *PAGES.glob("*.md")]:
        for line in path.read_text("utf-8").splitlines():
            mentioned = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", line))
            if not re.search(r"\b(pip|systemctl|journalctl|docker|python|apt-get)\b|compose\.py", line):
                assert mentioned <= there, f"{path.name}: {line}"


def test_every_page_is_mentioned(tmp_path: Path) -> None:
    from companion.server.app import create_app
    from companion.server.core.config import ServerConfig

    missing = [
        rule.rule
        for rule in create_app(ServerConfig(data=tmp_path)).url_map.iter_rules()
        if not rule.rule.startswith("/api/")
        and not re.search(r"[<.]", rule.rule)
        and f"`{rule.rule}`" not in _page("playing")
    ]
    assert not missing


def test_the_configuration_shown_holds_every_setting_with_its_default() -> None:
    found = re.search(r"```toml\n(.*?)```", _page("configuration"), re.DOTALL)
    assert found
    defaults = Settings.model_validate(tomllib.loads(found[1])).model_dump()
    assert defaults == Settings().model_dump()
    # Settings without a default are shown as comments.
    shown = tomllib.loads(re.sub(r"^# (?=\w+ = )", "", found[1], flags=re.MULTILINE))
    assert {name: set(section) for name, section in shown.items()} == {
        name: set(section) for name, section in defaults.items()
    }
    Settings.model_validate(shown)


@pytest.mark.parametrize("path", ["README.md", *(f"docs/pages/{page.name}" for page in sorted(PAGES.glob("*.md")))])
def test_linked_files_exist(path: str) -> None:
    text = (ROOT / path).read_text("utf-8")
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text)
    assert [link for link in links if not ((ROOT / path).parent / link).exists()] == []


def test_labels_of_the_pages_are_quoted_as_shown() -> None:
    """Labels stand between single asterisks."""
    labels = set(json.loads((ROOT / "web" / "i18n" / "en.json").read_text("utf-8")).values())
    quoted = {
        (path.name, label)
        for path in PAGES.glob("*.md")
        for label in re.findall(r"(?<!\*)\*([A-Z][^*\n]*)\*(?!\*)", path.read_text("utf-8"))
    }
    assert quoted
    assert not [(page, label) for page, label in sorted(quoted) if label not in labels]


def test_every_page_of_the_documentation_is_in_its_menu() -> None:
    menu = (ROOT / "docs" / "mkdocs.yml").read_text("utf-8")
    assert [page.name for page in sorted(PAGES.glob("*.md")) if f" {page.name}\n" not in menu] == []


def test_the_readme_fits_one_screen() -> None:
    assert len(README.splitlines()) <= _MOST_LINES


def test_the_list_of_modules_is_current() -> None:
    script = runpy.run_path(str(ROOT / "docs" / "modules.py"))
    listed = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    assert listed.endswith(script["module_list"]()), "run `python docs/modules.py`"


def test_every_module_script_and_style_says_what_it_does() -> None:
    listed = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    assert re.findall(r"^- `[^`]+`:\s*$", listed, re.MULTILINE) == []


def test_generated_tables_hold_every_operation_and_option() -> None:
    hooks = runpy.run_path(str(ROOT / "docs" / "hooks.py"))
    operations = hooks["api_tables"]()
    described = re.findall(r"^\| `([A-Z]+ /api/\S+)` \|", operations, re.MULTILINE)
    served = {
        f"{method.upper()} {path}"
        for path, methods in document(chain(*APIS), "0")["paths"].items()
        for method in methods
    }
    assert sorted(described) == sorted(served)
    options = hooks["options_table"]()
    assert [name for name in OPTIONS if f"`{name}`" not in options] == []


def test_every_generated_table_has_its_page() -> None:
    hooks = runpy.run_path(str(ROOT / "docs" / "hooks.py"))
    marked = {
        marker for page in PAGES.glob("*.md") for marker in re.findall("<!-- generated: .* -->", page.read_text())
    }
    assert marked == set(hooks["GENERATED"])


@pytest.mark.parametrize("script", sorted(path.name for path in (ROOT / "docs").glob("*.py")))
def test_the_scripts_of_the_documentation_import_what_is_there(script: str) -> None:
    """They are run by hand only, so a renamed module would go unnoticed."""
    tree = ast.parse((ROOT / "docs" / script).read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("companion"):
            module = importlib.import_module(node.module or "")
            assert [alias.name for alias in node.names if not hasattr(module, alias.name)] == [], node.module


def test_pictures_of_the_readme_are_small() -> None:
    sizes = {path.name: path.stat().st_size for path in (PAGES / "pictures").iterdir()}
    assert max(sizes.values()) <= 3 * 2**20
    assert sum(sizes.values()) <= 5 * 2**20


def _rows_of_changes() -> list[str]:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    table = text[text.index("## Where do I change") : text.index("## Modules")]
    return [line for line in table.splitlines() if line.startswith("| ")][1:]


@pytest.mark.parametrize("row", _rows_of_changes(), ids=lambda row: row.split("|")[1].strip())
def test_the_places_of_a_change_exist(row: str) -> None:
    named = [name for name in re.findall(r"`([^`\s]+)`", row) if "." in name or "/" in name]
    named = [name for name in named if "*" not in name]
    paths = [ROOT / name for name in named if (ROOT / name).exists()]
    beside = {folder for path in paths for folder in (path, path.parent)}
    missing = [name for name in named if not any((folder / name).exists() for folder in (ROOT, *beside))]
    assert not missing
