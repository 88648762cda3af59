"""The referee's command line: its output, its exit status, and robustness against any input."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st
from known_answers import cases

from companion.cards import EditionName
from companion.cli import main

HEADER = {"match": {"edition": "mario-kart", "players": ["Ann", "Ben", "Cy"]}}
SCENARIOS = Path(__file__).parents[2].parent / "shared" / "rules"


def referee(text: str | bytes, *options: str) -> Result:
    return CliRunner().invoke(main, ["referee", *options, "-"], input=text)


def lines(*entries: Any) -> str:
    return "".join(json.dumps(entry) + "\n" for entry in entries)


def printed(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_accepted_moves_are_printed_with_what_follows() -> None:
    result = referee(lines(HEADER, {"do": "start", "card": "red skip"}))
    assert result.exit_code == 0
    assert printed(result) == [
        {
            "n": 1,
            "ok": True,
            "effects": [{"effect": "skip", "player": "Ann"}],
            "say": ["Ann is skipped.", "Ben begins."],
            "state": {
                "phase": "turn",
                "round": 1,
                "dealer": "Cy",
                "turn": "Ben",
                "direction": "clockwise",
                "top": "red skip",
                "color": "red",
                "debt": 0,
                "hands": {"Ann": 7, "Ben": 7, "Cy": 7},
                "scores": {"Ann": 0, "Ben": 0, "Cy": 0},
                "winners": [],
            },
        }
    ]


def test_refused_moves_leave_the_state_and_set_the_exit_status() -> None:
    result = referee(
        lines(
            HEADER, {"do": "draw"}, {"do": "start", "card": "red 1"}, {"do": "play", "card": "blue 2"}, {"do": "draw"}
        )
    )
    first, start, play, drawn = printed(result)
    assert result.exit_code == 1
    assert first == {
        "ok": False,
        "error": "wrong-phase",
        "message": "That is not possible now: the table is waiting for a card to start the pile.",
        "state": first["state"],
    }
    assert first["state"]["phase"] == "start"
    assert play["error"] == "does-not-match"
    assert play["message"] == "The blue 2 does not match the red 1, with red in force."
    assert play["state"] == start["state"]
    assert (start["n"], drawn["n"]) == (1, 2)


def test_undo_and_amend_say_what_changed_and_keep_the_count() -> None:
    result = referee(
        lines(
            HEADER,
            {"do": "start", "card": "red 1"},
            {"do": "play", "card": "red skip"},
            {"do": "amend", "n": 2, "move": {"do": "play", "card": "red 2"}},
            {"do": "amend", "n": 2, "move": {"do": "play", "card": "red 2"}},
            {"do": "undo"},
        )
    )
    assert result.exit_code == 0
    assert [(line["n"], line["effects"], line["say"]) for line in printed(result)[2:]] == [
        (2, [], ["On top: red 2.", "It is Ben’s turn."]),
        (2, [], ["That changes nothing."]),
        (1, [], ["On top: red 1.", "Ann holds seven cards.", "It is Ann’s turn."]),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: the header is missing"),
        ("\n\n", "line 3: the header is missing"),
        ("{\n", "line 1: not JSON: Expecting property name enclosed in double quotes at column 2"),
        (lines(3), "line 1: header should be an object, not 3"),
        (lines(HEADER) + "\n" + lines({"do": "fly"}), 'line 3: there is no move "fly" here'),
        (lines(HEADER, HEADER), "line 2: do is missing"),
        (lines(HEADER, {"do": "start", "card": "mauve 7"}), 'line 2: no card is called "mauve 7"'),
        (lines(HEADER) + "{},\n", "line 2: not JSON: Extra data at column 3"),
    ],
)
def test_an_unreadable_line_is_named(text: str, message: str) -> None:
    result = referee(text)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"companion referee: {message}\n")


def test_what_comes_before_an_unreadable_line_is_printed() -> None:
    result = referee(lines(HEADER, {"do": "draw"}, {"do": "start", "card": "red 1"}) + "[1,")
    assert result.exit_code == 2
    assert [line["ok"] for line in printed(result)] == [False, True]
    assert result.stderr.startswith("companion referee: line 4: ")


def test_a_header_alone_is_a_match_without_moves() -> None:
    result = referee(lines(HEADER))
    assert (result.exit_code, result.output) == (0, "")


def test_blank_lines_windows_lines_and_a_byte_order_mark_are_borne() -> None:
    text = "\ufeff" + lines(HEADER) + "\r\n   \n" + lines({"do": "start", "card": "red 1"})
    assert [line["n"] for line in printed(referee(text.replace("\n", "\r\n")))] == [1]


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    path.write_text(lines(HEADER, {"do": "start", "card": "red 1"}))
    assert printed(CliRunner().invoke(main, ["referee", str(path)]))[0]["ok"]


@pytest.mark.parametrize("name", ["", "nowhere"])
def test_a_file_that_cannot_be_opened_is_named(tmp_path: Path, name: str) -> None:
    result = CliRunner().invoke(main, ["referee", str(tmp_path / name)])
    assert result.exit_code == 2
    assert str(tmp_path / name).rstrip("/") in result.stderr
    assert "Traceback" not in result.output


def test_text_is_for_people() -> None:
    result = referee(lines(HEADER, {"do": "start", "card": "red 1"}, {"do": "draw", "by": "Ben"}), "--text")
    assert result.exit_code == 1
    assert result.stdout == (
        '   1  {"do": "start", "card": "red 1"}\n'
        "      “Ann begins.”\n"
        "      It is Ann’s turn.\n"
        "      On top: red 1. The colour is red. Play goes clockwise.\n"
        "      Cards: Ann 7, Ben 7, Cy 7.\n"
        "      Points: Ann 0, Ben 0, Cy 0.\n"
        '   ✗  {"do": "draw", "by": "Ben"}\n'
        "      It is not Ben’s turn but Ann’s.\n"
        "      It is Ann’s turn.\n"
        "      On top: red 1. The colour is red. Play goes clockwise.\n"
        "      Cards: Ann 7, Ben 7, Cy 7.\n"
        "      Points: Ann 0, Ben 0, Cy 0.\n"
    )


def test_language() -> None:
    result = referee(lines(HEADER, {"do": "start", "card": "red 1"}, {"do": "pass"}), "--language", "de")
    assert printed(result)[0]["say"] == ["Ann beginnt."]
    assert printed(result)[1]["message"] == "Das geht jetzt nicht: Der Tisch wartet auf einen Zug."
    assert referee(lines(HEADER), "--language", "la").exit_code == 2


@pytest.mark.parametrize("options", [[], ["--text"]])
def test_odd_names_are_printed(options: list[str]) -> None:
    names = ["Ann\ud800", "{0}", "Zoë\u2028", "🃏"]
    header = {"match": {"edition": "classic", "players": names}}
    result = referee(lines(header, {"do": "start", "card": "red skip"}, {"do": "catch", "player": "{x}"}), *options)
    assert result.exit_code == 1
    assert result.exception is None or isinstance(result.exception, SystemExit)


def test_scenarios() -> None:
    if not SCENARIOS.is_dir():
        pytest.skip("the scenarios that the rules come with are not beside this checkout")
    sys.path.insert(0, str(SCENARIOS))
    try:
        from run_scenarios import differences
    finally:
        sys.path.remove(str(SCENARIOS))
    for path in sorted([*(SCENARIOS / "scenarios").glob("*.jsonl"), *(SCENARIOS / "house").glob("*.jsonl")]):
        entries = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
        expected = [entry.pop("expect", None) for entry in entries]
        out = printed(referee(lines(*entries)))
        assert len(out) == len(entries) - 1
        wrong = [
            (path.name, number, what)
            for number, (expect, got) in enumerate(zip(expected[1:], out, strict=True), 1)
            for what in differences(expect or {}, got)
            if expect
        ]
        assert wrong == []


def test_the_known_answers_hold_on_the_command_line() -> None:
    for case in cases():
        result = referee(lines(case.header, *(line.move for line in case.lines)))
        assert result.exit_code == (1 if any(line.error for line in case.lines) else 0)
        for line, got in zip(case.lines, printed(result), strict=True):
            assert got.get("error") == line.error
            assert not got.get("effects") or all(got["say"])


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)
FIELDS = {
    "do": st.sampled_from(
        ["start", "play", "draw", "flip", "color", "reveal", "hand", "count", "uno", "undo", "amend"]
    ),
    "card": st.sampled_from(["red 7", "wild item box", "wild draw four", "green 3"]),
    "cards": st.lists(st.sampled_from(["red 7", "wild"]), max_size=3) | st.integers(-1, 5),
    "player": st.sampled_from(["Ann", "Ben", "Zed"]),
    "n": st.integers(-1, 5),
    "color": st.sampled_from(["red", "mauve"]),
    "move": st.fixed_dictionaries({"do": st.sampled_from(["draw", "undo"])}),
}
nearly_moves = st.fixed_dictionaries({}, optional={name: value | json_values for name, value in FIELDS.items()})
broken_lines = st.one_of(
    st.binary(max_size=30),
    st.builds(lambda value: json.dumps(value).encode(), json_values | nearly_moves),
    st.sampled_from([b"[" * 3000, b"NaN", b"1e999", b"-0", b'{"do":' * 500, b'{"do": "\\ud800"}', b"\x00"]),
)
headers = st.just(HEADER) | st.builds(
    lambda name, value: {"match": {**HEADER["match"], name: value}},
    st.sampled_from(["edition", "players", "dealer", "options", "profile"]),
    json_values,
)


@given(headers, st.lists(broken_lines, max_size=4), st.booleans())
@settings(max_examples=100, deadline=None)
def test_nothing_makes_it_stumble(header: Any, broken: list[bytes], text: bool) -> None:
    start = lines(header, {"do": "start", "card": "green 1"}).encode()
    result = referee(start + b"\n".join(broken), *(["--text"] if text else []))
    assert result.exit_code in (0, 1, 2)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert (result.exit_code == 2) == bool(result.stderr)
    assert result.stderr.count("\n") <= 1


def companion(*arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", "from companion.cli import main; main()", *arguments],
        input=given,
        capture_output=True,
        timeout=60,
        check=False,
        env={"PYTHONIOENCODING": "ascii", "PATH": ""},
    )


@pytest.mark.parametrize("options", [[], ["--text"]])
def test_a_terminal_that_knows_ascii_alone_is_borne(options: list[str]) -> None:
    done = companion("referee", *options, "-", given=lines(HEADER, {"do": "start", "card": "red 1"}).encode())
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"Ann begins." in done.stdout


@pytest.mark.parametrize("given", [b"", b"\xff", b"[" * 200_000, b"x" * 1_000_000, lines(HEADER).encode() + b"{"])
def test_a_process_of_its_own_never_shows_a_traceback(given: bytes) -> None:
    done = companion("referee", "-", given=given)
    assert done.returncode == 2
    assert done.stderr.startswith(b"companion referee: line ")
    assert done.stderr.count(b"\n") == 1
    assert len(done.stderr) < 200


def test_nothing_heavy_is_imported() -> None:
    code = (
        "import sys; from companion.cli import main\n"
        "try: main(['referee', '--language', 'fr', '-'])\n"
        "except SystemExit: print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=lines(HEADER, {"do": "start", "card": "red 1"}),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    modules = set(done.stdout.splitlines()[-1].split())
    assert "companion.referee.engine" in modules
    heavy = {"numpy", "cv2", "onnxruntime", "flask", "cheroot", "pydantic", "rich", "babel", "sqlite3", "cryptography"}
    assert not heavy & modules
    ours = {name for name in modules if name.startswith("companion.")}
    assert not {name for name in ours if name.split(".")[1] in {"vision", "server", "dataset", "models", "table"}}


def test_score_hand() -> None:
    result = CliRunner().invoke(main, ["score-hand", "red 7, blue  skip,wild item box,"])
    assert result.exit_code == 0
    assert result.stdout == "red 7             7\nblue skip        20\nwild item box    50\ntotal            77\n"
    assert CliRunner().invoke(main, ["score-hand", ""]).stdout == "total     0\n"


def test_score_hand_knows_the_cards_and_points_of_an_edition(tmp_path: Path) -> None:
    own = tmp_path / "editions"
    own.mkdir()
    points = 'format = 1\nid = "ours"\nbased_on = "classic"\nname = { en = "Ours" }\ndeck = { "wild lion" = 4 }\n'
    face = '[faces."wild lion"]\nname = { en = "Lion", de = "Löwe" }\npoints = 75\n'
    (own / "ours.toml").write_text(points + face, "utf-8")
    command = ["--data", str(tmp_path), "score-hand", "--edition", "ours", "red 7, Löwe"]
    result = CliRunner().invoke(main, command)
    assert result.stdout == "red 7         7\nwild lion    75\ntotal        82\n", result.output
    unknown = CliRunner().invoke(main, ["--data", str(tmp_path), "score-hand", "--edition", "our", "red 7"])
    assert "There is no edition our. Did you mean 'ours'?" in unknown.stderr


def test_score_hand_names_what_is_no_card() -> None:
    result = CliRunner().invoke(main, ["score-hand", "red 7, mauve 3"])
    assert result.exit_code == 2
    assert "no card is called 'mauve 3'" in result.stderr


def test_bench() -> None:
    result = CliRunner().invoke(main, ["bench", "referee", "--seconds", "0"])
    assert result.exit_code == 0
    editions = [edition.value for edition in EditionName]
    assert [line.split()[0] for line in result.stdout.splitlines()] == [*editions, "500"]
    assert "referee" in CliRunner().invoke(main, ["bench", "--help"]).stdout
    assert CliRunner().invoke(main, ["bench", "nothing"]).exit_code == 2
