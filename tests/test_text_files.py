"""Text files of Windows, Excel and people: byte order marks, UTF-16, backslashes, short card names."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from companion.caller.card_names import parse_card
from companion.caller.language import LANGUAGES, Voice
from companion.cards import ALL_CARDS, Card, UnknownCardError
from companion.cli import main
from companion.settings import SettingsError, load_settings
from companion.text_files import decode, utf8_lines

TRANSCRIPT = "\n".join(
    json.dumps(line, ensure_ascii=False)
    for line in (
        {"match": {"edition": "classic", "players": ["Jörg", "Ben"], "dealer": "Ben"}},
        {"do": "start", "card": "red 5"},
        {"do": "play", "card": "red 7"},
    )
)
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16"]


def run(data: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["--data", str(data), *arguments])


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_transcripts_of_any_shell_are_read(encoding: str, tmp_path: Path) -> None:
    file = tmp_path / "match.jsonl"
    file.write_bytes(TRANSCRIPT.replace("\n", "\r\n").encode(encoding))
    assert run(tmp_path, "referee", str(file)).exit_code == 0
    taken = run(tmp_path, "matches", "import", str(file))
    assert taken.exit_code == 0, taken.output
    assert "Jörg" in run(tmp_path, "matches", "list").output


def test_a_transcript_cut_in_the_middle_of_a_letter_is_refused_in_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "match.jsonl"
    file.write_bytes(TRANSCRIPT.encode("utf-16")[:-1])
    for command in (("referee",), ("matches", "import")):
        refused = run(tmp_path, *command, str(file))
        assert refused.exit_code != 0
        assert "UTF-16" in refused.output


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_settings_of_any_editor_are_read(encoding: str, tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_bytes("[server]\nport = 9002\n".encode(encoding))
    assert load_settings(file, {}).server.port == 9002


@pytest.mark.parametrize("path", ["C:\\Users\\Ann", "C:\\Data\\uno", "C:\\Program Files\\x"])
def test_a_windows_path_in_double_quotes_is_explained(path: str, tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(f'[data]\nfolder = "{path}"\n')
    with pytest.raises(SettingsError, match="single quotes"):
        load_settings(file, {})
    file.write_text(f"[data]\nfolder = '{path}'\n")
    assert str(load_settings(file, {}).data.folder) == path


def test_tables_open_in_excel_with_their_umlauts(tmp_path: Path) -> None:
    file = tmp_path / "match.jsonl"
    file.write_text(TRANSCRIPT, "utf-8")
    match_id = run(tmp_path, "matches", "import", str(file)).output.strip()
    for kind in ("moves-csv", "rounds-csv"):
        out = tmp_path / f"{kind}.csv"
        assert run(tmp_path, "matches", "export", match_id, "--format", kind, "-o", str(out)).exit_code == 0
        assert out.read_bytes().startswith(b"\xef\xbb\xbf")
        assert any("Jörg" in cell for row in csv.reader(io.StringIO(decode(out.read_bytes()))) for cell in row)


_NO_LINE_ENDS = st.characters(codec="utf-8", exclude_categories=["Cc", "Cf", "Cs", "Zl", "Zp"])


@given(st.text(_NO_LINE_ENDS, max_size=50))
def test_lines_are_the_same_in_every_encoding(text: str) -> None:
    lines = [list(utf8_lines(io.BytesIO(f"a{text}\nb".encode(each)))) for each in ("utf-8", "utf-16")]
    assert lines[0] == lines[1]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("R7", "red 7"),
        ("b 0", "blue 0"),
        ("+4", "wild draw four"),
        ("Red Draw 2", "red draw two"),
        ("y+2", "yellow draw two"),
        ("g skip", "green skip"),
        ("W", "wild"),
        ("rot  zieh zwei", "red draw two"),
        ("GRÜN 7", "green 7"),
        ("rote 7", "red 7"),
        ("grüner stop", "green skip"),
        ("7 roja", "red 7"),
        ("verte 3", "green 3"),
        ("gruen 7", None),
        ("7 amarillo", "yellow 7"),
        ("Joker plus quatre", "wild draw four"),
        ("passe ton tour bleu", "blue skip"),
        ("comodin", "wild"),
    ],
)
def test_card_names_may_be_short_and_in_any_language(text: str, name: str | None) -> None:
    if name is None:
        with pytest.raises(UnknownCardError, match="did you mean green 7"):
            parse_card(text)
    else:
        assert parse_card(text).name == name


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_name_that_is_shown_is_understood(language: str) -> None:
    voice = Voice(language)
    assert [parse_card(voice.card(card)) for card in ALL_CARDS] == list(ALL_CARDS)
    assert [parse_card(card.name) for card in ALL_CARDS] == list(ALL_CARDS)


def test_a_hand_is_added_up_by_short_names(tmp_path: Path) -> None:
    summed = run(tmp_path, "score-hand", "R7, +4, Red Draw 2")
    assert summed.exit_code == 0
    assert summed.output.split()[-1] == "77"
    refused = run(tmp_path, "score-hand", "red 7, blu skipp")
    assert "did you mean blue skip" in refused.output
    assert isinstance(parse_card("R7"), Card)
