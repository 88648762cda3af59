"""Choices have one source: a further edition, option or language is offered everywhere."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import companion
from companion.caller import Caller
from companion.editions import EDITIONS, PROFILES

_WITH_ONE_MORE = """
import json, pathlib, tempfile

import one_more

import click
from companion.cli import main

def parameters(name, command, context):
    yield from ((name, one.name, list(one.type.choices)) for one in command.params if hasattr(one.type, "choices"))
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            yield from parameters(f"{name} {inner}", command.get_command(context, inner), context)

from companion.server.access.guests import Role
from companion.server.app import create_app, services_of
from companion.server.core.config import ServerConfig
from companion.settings import Settings

with tempfile.TemporaryDirectory() as folder:
    app = create_app(ServerConfig(data=pathlib.Path(folder)), lambda image: [])
    device = app.test_client()
    device.post("/api/join", json={"token": services_of(app).pairing.invite(Role.HOST)})
    body = {"edition": "zoo", "players": ["Ann", "Ben"], "options": {"last_lap": True}}
    started = device.post("/api/match", json=body)
    print(json.dumps({
        "parameters": list(parameters("companion", main, click.Context(main))),
        "choices": device.get("/api/choices").json,
        "document": device.get("/api/openapi.json").json,
        "settings": Settings.model_json_schema(),
        "started": [started.status_code, started.json],
        "exported": device.get(f"/api/matches/{started.json.get('id')}/export").text,
    }))
    services_of(app).close()
"""


@pytest.fixture(scope="module")
def found() -> Any:
    """What every command and route lists where there is an edition, an option and a language more."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    done = subprocess.run(
        [sys.executable, "-c", _WITH_ONE_MORE], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def _enumerations(value: Any) -> Iterator[list[str]]:
    """Yield all lists of names that a JSON schema holds."""
    if isinstance(value, dict):
        if isinstance(value.get("enum"), list):
            yield value["enum"]
        for part in value.values():
            yield from _enumerations(part)
    if isinstance(value, list):
        for part in value:
            yield from _enumerations(part)


@pytest.mark.parametrize(
    ("known", "added", "least"), [("minecraft", "zoo", 4), ("fr", "la", 3)], ids=["edition", "language"]
)
def test_every_command_that_lists_them_offers_one_more(found: Any, known: str, added: str, least: int) -> None:
    listing = [(command, values) for command, _, values in found["parameters"] if known in values]
    # The families of drawn cards are designs, some of which go by an edition's name.
    listing = [(command, values) for command, values in listing if not command.startswith("companion train")]
    assert len(listing) >= least
    assert [command for command, values in listing if added not in values] == []


@pytest.mark.parametrize(("known", "added"), [("fr", "la"), ("hand_size", "last_lap")])
def test_every_route_and_setting_that_lists_them_takes_one_more(found: Any, known: str, added: str) -> None:
    schemas = [found["document"], found["settings"]]
    listing = [names for schema in schemas for names in _enumerations(schema) if known in names]
    assert listing
    assert all(added in names for names in listing)


def test_the_choices_hold_one_more(found: Any) -> None:
    choices = found["choices"]
    zoo = next(edition for edition in choices["editions"] if edition["name"] == "zoo")
    assert zoo["title"] == "Zoo"
    assert zoo["defaults"]["last_lap"] is False
    assert [card["card"] for card in zoo["deck"] if card["wild"]] == ["wild"]
    lap = next(option for option in choices["options"] if option["name"] == "last_lap")
    assert (lap["kind"], lap["title"]) == ("flag", "Last lap")
    assert {"code": "la", "title": "Latine"} in choices["languages"]


def test_a_match_is_played_with_one_more(found: Any) -> None:
    assert found["started"][0] == 200
    assert json.loads(found["exported"].splitlines()[0])["match"]["options"] == {"last_lap": True}


def test_all_that_there_is_has_words() -> None:
    caller = Caller("de")
    assert "Klassisches UNO" in [caller.edition_title(edition) for edition in EDITIONS.values()]
    assert "Offizielle Anleitung" in [caller.profile_title(name) for name in PROFILES]


def test_the_list_of_languages_is_kept_once() -> None:
    root = Path(str(companion.__file__)).parent
    listing = {
        path.name for path in root.rglob("*.py") if re.search(r"""["']de["'],.*["']fr["']""", path.read_text("utf-8"))
    }
    assert listing == set()
