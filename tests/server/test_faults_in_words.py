"""Request errors: a rule for programs and pages, and a message in every language."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from devices import MATCH
from flask.testing import FlaskClient

import companion
from companion.languages import Language
from companion.server.core.errors import Rule

WORDS = Path(companion.__file__).parent / "web" / "i18n"


@pytest.mark.parametrize(
    ("changed", "field", "rule", "limit"),
    [
        ({"players": ["Ann", "B" * 25]}, "players.1", Rule.TOO_LONG, 24),
        ({"players": ["Ann", ""]}, "players.1", Rule.NO_NAME, 1),
        ({"players": ["Ann", "  "]}, "players.1", Rule.NO_NAME, None),
        ({"players": ["Ann", "B\u200bn"]}, "players.1", Rule.HIDDEN_LETTERS, None),
        ({"players": ["Ann"]}, "players", Rule.TOO_FEW, 2),
        ({"players": list("ABCDEFGHIJK")}, "players", Rule.TOO_MANY, 10),
        ({"players": ["Ann", "ann"]}, "players", Rule.OTHER, None),
        ({"edition": "galaxy"}, "edition", Rule.UNKNOWN, None),
        ({"profile": "ours"}, "profile", Rule.UNKNOWN, None),
        ({"options": {"hand_size": 60}}, "options.hand_size", Rule.OPTION, None),
        ({"players": None}, "players", Rule.OTHER, None),
    ],
)
def test_a_faulty_value_is_reported_by_place_and_rule(
    host: FlaskClient, changed: dict[str, object], field: str, rule: Rule, limit: int | None
) -> None:
    answer = host.post("/api/match", json={**MATCH, **changed})
    assert answer.status_code == 422
    found = {name: answer.json.get(name) for name in ("error", "field", "rule", "limit")}
    assert found == {"error": "invalid", "field": field, "rule": rule.value, "limit": limit}


def test_numbers_and_what_is_missing(playing: FlaskClient) -> None:
    for sent, rule, limit in (
        ({"n": 0, "move": {"do": "draw"}}, Rule.TOO_SMALL, 1),
        ({"n": 10**7, "move": {"do": "draw"}}, Rule.TOO_LARGE, 10**6),
        ({"n": "x", "move": {"do": "draw"}}, Rule.NO_NUMBER, None),
        ({"n": 1}, Rule.MISSING, None),
    ):
        answer = playing.post("/api/amend", json=sent).json
        assert (answer["rule"], answer.get("limit")) == (rule.value, limit), sent
    refused = playing.post("/api/moves", json={"do": "join", "player": " Dan"}).json
    assert refused["rule"] == Rule.SPACES.value


@pytest.mark.parametrize("language", Language)
def test_there_are_words_for_every_rule(language: Language) -> None:
    words = json.loads((WORDS / f"{language.value}.json").read_text("utf-8"))
    limited = {Rule.TOO_LONG, Rule.TOO_SMALL, Rule.TOO_LARGE, Rule.TOO_MANY, Rule.TOO_FEW}
    for rule in Rule:
        assert ("{limit}" in words[f"invalid.{rule.value}"]) == (rule in limited)
