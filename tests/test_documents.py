"""The documents of the rules and the transcript agree with the code."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest

from companion.cards import EditionName, Face
from companion.editions import EDITIONS, OPTIONS, PROFILES, Options
from companion.referee import effects, errors, transcript
from companion.referee.state import Header, Phase, opening

ROOT = Path(__file__).resolve().parents[1]
RULES = (ROOT / "companion" / "referee" / "RULES.md").read_text("utf-8")
TRANSCRIPT = (ROOT / "companion" / "referee" / "TRANSCRIPT.md").read_text("utf-8")
_DEFINED = re.findall(r"^- \*\*R(\d+)\*\*", RULES, re.MULTILINE)
_SECTIONS = re.findall(r"^## (\d+)\.", RULES, re.MULTILINE)


def _texts() -> dict[str, str]:
    found = {}
    for folder in ("companion", "dataset", "models", "tests"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in {".py", ".md", ".txt"} and path != Path(__file__):
                found[str(path.relative_to(ROOT))] = path.read_text("utf-8")
    return {**found, "README.md": (ROOT / "README.md").read_text("utf-8")}


TEXTS = _texts()


def test_every_rule_stands_there_once_and_none_is_left_out() -> None:
    assert Counter(map(int, _DEFINED)) == Counter(range(1, len(_DEFINED) + 1))


@pytest.mark.parametrize("pattern", [r"\bR(\d{1,2})\b", r"\b(?:section|sections) (\d)\b"])
def test_every_citation_of_the_rules_resolves(pattern: str) -> None:
    there = set(_DEFINED if "R(" in pattern else _SECTIONS)
    cited = {
        (path, number)
        for path, text in TEXTS.items()
        for line in text.splitlines()
        if "R(" in pattern or "RULES.md" in line or "of the rules" in line
        for number in re.findall(pattern, line)
    }
    assert cited
    assert not {(path, number) for path, number in cited if number not in there}


def test_documents_that_are_cited_are_there() -> None:
    cited = {name for text in TEXTS.values() for name in re.findall(r"\b[A-Z]{4,}\.md\b", text)}
    there = {path.name for path in ROOT.rglob("*.md") if ".venv" not in path.parts}
    assert cited
    assert cited <= there


@pytest.mark.parametrize("name", list(EditionName))
def test_the_decks_are_as_the_rules_say(name: EditionName) -> None:
    row = re.search(rf"^\| `{name.value}` \| (\d+) \| (.+) \|$", RULES, re.MULTILINE)
    assert row
    assert EDITIONS[name].size == int(row[1])
    wilds = {card.face: count for card, count in EDITIONS[name].deck.items() if card.face.is_wild}
    assert {Face(face): int(count) for count, face in re.findall(r"(\d+) `([^`]+)`", row[2])} == wilds


def test_every_option_and_profile_is_described() -> None:
    table = RULES[RULES.index("## 7.") :]
    described = re.findall(r"^\| `(\w+)` \| ([^|]+) \|", table, re.MULTILINE)
    assert [name for name, _ in described] == list(OPTIONS)
    for name, values in described:
        default = getattr(Options(), name)
        shown = default.value if hasattr(default, "value") else json.dumps(default)
        first = re.search(r"`([^`]+)`", values)
        assert first
        assert first[1] == shown, name
    assert all(f"`{profile}`" in table for profile in PROFILES)


def test_every_move_effect_reason_error_and_phase_is_described() -> None:
    named = {
        *transcript.MOVE_NAMES,
        "undo",
        "amend",
        *(effect.name for effect in get_args(effects.Effect)),
        *(why.value for why in effects.Why),
        *(phase.value for phase in Phase),
        *(error.code for error in errors.RefereeError.__subclasses__()),
    }
    assert named <= set(re.findall(r"`([^`\n]+)`", TRANSCRIPT))


def test_every_field_of_an_effect_and_of_the_state_is_described() -> None:
    rows = dict(re.findall(r"^\| `([\w ]+)` \|(.*)\|$", TRANSCRIPT[TRANSCRIPT.index("### Effects") :], re.MULTILINE))
    for effect in get_args(effects.Effect):
        assert {f"`{transcript.field_name(field)}`" for field in fields(effect)} <= set(
            re.findall(r"`\w+`", rows[effect.name])
        ), effect.name
    state = TRANSCRIPT[TRANSCRIPT.index("### The state") :]
    header = Header(EDITIONS[EditionName.CLASSIC], ("Ann", "Ben"), 0, Options())
    assert all(f"`{name}`" in state for name in transcript.write_state(opening(header)))


def test_the_architecture_names_paths_that_are_there() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    named = set(re.findall(r"`((?:companion|dataset|models|web|tests)/[\w/.-]*)`", text))
    assert len(named) > 30
    assert not [path for path in sorted(named) if not (ROOT / path).exists()]


def test_the_architecture_has_every_folder_of_the_code() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    folders = {path.parent.relative_to(ROOT) for path in (ROOT / "companion").glob("*/__init__.py")}
    # The folders beside companion/ stand there as links.
    own = {folder for folder in folders if not (ROOT / folder).is_symlink()}
    assert not [str(folder) for folder in sorted(own) if f"`{folder.as_posix()}/" not in text]
