"""`companion matches` lists, shows, exports, imports and deletes stored matches."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from companion.cli import main

TRANSCRIPT = """\
{"match": {"edition": "mario-kart", "players": ["Ann", "Ben", "Cy"], "dealer": "Cy", "options": {}}}
{"do": "start", "card": "red 7"}
{"do": "play", "card": "red 8"}
{"do": "undo"}
{"do": "play", "card": "red skip"}
{"do": "amend", "n": 2, "move": {"do": "play", "card": "red draw two"}}
{"do": "play", "card": "wild item box"}
{"do": "flip", "card": "green 4"}
{"do": "target", "player": "Ann"}
"""


class Companion:
    """The command line, with a data folder of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __call__(self, *arguments: str, given: str = "") -> Result:
        return CliRunner().invoke(main, ["--data", str(self._folder), "matches", *arguments], input=given)


@pytest.fixture
def companion(tmp_path: Path) -> Companion:
    return Companion(tmp_path / "data")


@pytest.fixture
def match_id(companion: Companion) -> str:
    result = companion("import", "-", given=TRANSCRIPT)
    assert result.exit_code == 0, result.output
    return result.stdout.strip()


def test_a_transcript_comes_out_as_it_went_in(companion: Companion, match_id: str) -> None:
    assert companion("export", match_id).stdout == TRANSCRIPT


def test_the_table_holds_the_moves_that_stand(companion: Companion, match_id: str, tmp_path: Path) -> None:
    file = tmp_path / "match.csv"
    assert companion("export", match_id, "--format", "moves-csv", "--output", str(file)).exit_code == 0
    rows = list(csv.DictReader(io.StringIO(file.read_text("utf-8"))))
    assert [(row["player"], row["move"], row["card"]) for row in rows] == [
        ("", "start", "red 7"),
        ("Ann", "play", "red draw two"),
        ("Cy", "play", "wild item box"),
        ("Cy", "flip", "green 4"),
        ("Cy", "target", ""),
    ]
    assert rows[1]["said"] == "Ben draws two and is skipped."
    assert rows[4]["details"] == "Ann"
    assert [row["known"] for row in rows] == ["", *["tapped"] * 4]


def test_json_shows_moves_effects_and_state(companion: Companion, match_id: str) -> None:
    match = json.loads(companion("export", match_id, "--format", "moves-json").stdout)
    assert [move["move"]["do"] for move in match["moves"]] == ["start", "play", "play", "flip", "target"]
    assert match["moves"][1]["effects"][0] == {"effect": "draw", "player": "Ben", "count": 2, "why": "draw two"}
    assert match["state"]["turn"] == "Ann"
    assert [move["player"] for move in match["moves"]] == [None, "Ann", "Cy", "Cy", "Cy"]
    assert [move["known"] for move in match["moves"]] == [None, *["tapped"] * 4]


def test_listing_and_showing(companion: Companion, match_id: str) -> None:
    assert f"{match_id}  " in companion("list").stdout
    line = json.loads(companion("list", "--json").stdout)
    assert (line["id"], line["moves"], line["over"]) == (match_id, 5, False)
    shown = companion("show", match_id).stdout
    assert "Ann play red draw two Ben draws two and is skipped." in shown
    assert "It is Ann’s turn." in shown


def test_deleting_asks_first(companion: Companion, match_id: str) -> None:
    assert companion("delete", match_id, given="n\n").exit_code == 1
    assert companion("list", "--json").stdout
    assert companion("delete", match_id, "--yes").exit_code == 0
    assert companion("list").stdout == "No match is kept yet.\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "The transcript is empty."),
        ("{}\n", "Line 1: match is missing"),
        (TRANSCRIPT + '{"do": "pass"}\n', "Line 10: That is not possible now"),
        (TRANSCRIPT + "nonsense\n", "Line 10: not JSON"),
    ],
)
def test_a_bad_transcript_is_refused_whole(companion: Companion, text: str, said: str) -> None:
    result = companion("import", "-", given=text)
    assert result.exit_code == 1
    assert said in result.stderr
    assert companion("list").stdout == "No match is kept yet.\n"


def test_what_is_not_there_is_named(companion: Companion) -> None:
    for command in (["show", "x"], ["export", "x"], ["delete", "x", "--yes"]):
        result = companion(*command)
        assert (result.exit_code, result.stderr) == (1, "Error: There is no match 'x'.\n")
