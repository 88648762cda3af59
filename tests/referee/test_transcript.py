"""The transcript format: what is accepted, and how the rest is refused."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import pytest

from companion.cards import Card, Color, EditionName
from companion.editions import EDITIONS, OPTIONS, InvalidOptionError, Options, Scoring, StartAction
from companion.referee import moves
from companion.referee.effects import HandsSwapped, MatchWon
from companion.referee.errors import RefereeError
from companion.referee.match import Match
from companion.referee.state import Header, InvalidHeaderError
from companion.referee.transcript import (
    TranscriptError,
    parse_line,
    read_entry,
    read_header,
    read_move,
    write_effect,
    write_entry,
    write_header,
    write_state,
)

SEVEN = Card.parse("red 7")

LINES: list[tuple[dict[str, Any], moves.Entry]] = [
    ({"do": "start", "card": "red 7"}, moves.Start(SEVEN)),
    ({"do": "play", "card": "red 7"}, moves.Play(SEVEN)),
    ({"do": "play", "card": "red 7", "force": True, "by": "Ann"}, moves.Play(SEVEN, True, by="Ann")),
    ({"do": "draw"}, moves.Draw()),
    ({"do": "draw", "by": "Ann"}, moves.Draw(by="Ann")),
    ({"do": "pass", "by": "Ann"}, moves.Pass(by="Ann")),
    ({"do": "flip", "card": "red 7", "by": "Ann"}, moves.Flip(SEVEN, by="Ann")),
    ({"do": "color", "color": "red", "by": "Ann"}, moves.ChooseColor(Color.RED, by="Ann")),
    ({"do": "target", "player": "Ben", "by": "Ann"}, moves.Target("Ben", by="Ann")),
    ({"do": "accept", "by": "Ann"}, moves.Accept(by="Ann")),
    ({"do": "challenge", "by": "Ann"}, moves.Challenge(by="Ann")),
    ({"do": "reveal", "cards": ["red 7", "red 7"]}, moves.Reveal((SEVEN, SEVEN))),
    ({"do": "reveal", "cards": []}, moves.Reveal(())),
    ({"do": "reveal", "guilty": True}, moves.Judge(True)),
    ({"do": "reveal", "guilty": False}, moves.Judge(False)),
    ({"do": "uno", "player": "Ann"}, moves.Uno("Ann")),
    ({"do": "catch", "player": "Ann"}, moves.Catch("Ann")),
    ({"do": "creeper", "player": "Ann"}, moves.Creeper("Ann")),
    ({"do": "reshuffle"}, moves.Reshuffle()),
    ({"do": "hand", "player": "Ann", "cards": ["red 7"]}, moves.Hand("Ann", (SEVEN,))),
    ({"do": "hand", "player": "Ann", "points": 37}, moves.Tally("Ann", 37)),
    ({"do": "count", "player": "Ann", "cards": 0}, moves.Count("Ann", 0)),
    ({"do": "undo"}, moves.Undo()),
    ({"do": "amend", "n": 3, "move": {"do": "draw", "by": "Ann"}}, moves.Amend(3, moves.Draw(by="Ann"))),
]


@pytest.mark.parametrize(("line", "entry"), LINES)
def test_entries_are_read_and_written(line: dict[str, Any], entry: moves.Entry) -> None:
    assert read_entry(line) == entry
    assert write_entry(entry) == line


def test_force_may_be_said_to_be_off() -> None:
    assert read_entry({"do": "play", "card": "red 7", "force": False}) == moves.Play(SEVEN)


@pytest.mark.parametrize("t", [0, 0.0, 12, 3.25])
def test_the_time_of_a_move_is_passed_over(t: float) -> None:
    assert read_entry({"do": "draw", "t": t}) == moves.Draw()
    assert read_entry({"do": "undo", "t": t}) == moves.Undo()
    amended = {"do": "amend", "n": 1, "move": {"do": "draw", "t": t}, "t": t}
    assert read_entry(amended) == moves.Amend(1, moves.Draw())


UNKNOWN = [
    ({"do": "draw", "card": "red 1"}, 'the move draw has no field "card"', "card"),
    ({"do": "draw", "force": True}, 'the move draw has no field "force"', "force"),
    ({"do": "play", "crad": "red 1"}, 'the move play has no field "crad"', "crad"),
    ({"do": "uno", "player": "Ann", "by": "Ann"}, 'the move uno has no field "by"', "by"),
    ({"do": "start", "card": "red 1", "by": "Ann"}, 'the move start has no field "by"', "by"),
    ({"do": "reveal", "guilty": True, "by": "Ann"}, 'the move reveal has no field "by"', "by"),
    ({"do": "undo", "n": 1}, 'the move undo has no field "n"', "n"),
    ({"do": "reshuffle", "player": "Ann"}, 'the move reshuffle has no field "player"', "player"),
    ({"do": "amend", "n": 1, "move": {"do": "draw"}, "why": ""}, 'the move amend has no field "why"', "why"),
    ({"do": "amend", "n": 1, "move": {"do": "pass", "why": ""}}, 'the move pass has no field "why"', "why"),
    ({"do": "draw", "expect": {}}, 'the move draw has no field "expect"', "expect"),
    ({"do": "draw", "T": 1}, 'the move draw has no field "T"', "T"),
    ({"do": "draw", "t": -1}, "t should be a number of seconds, not -1", -1),
    ({"do": "draw", "t": True}, "t should be a number of seconds, not true", True),
    ({"do": "draw", "t": "1"}, 't should be a number of seconds, not "1"', "1"),
    ({"do": "draw", "t": None}, "t should be a number of seconds, not null", None),
    ({"do": "hand", "player": "Ann", "points": -1}, "points should be a number of points, not -1", -1),
    ({"do": "draw", "by": ""}, "by: a player has no name", ""),
    ({"do": "uno", "player": "A\x07"}, "player: a name has a control character: 'A\\x07'", "A\x07"),
]


@pytest.mark.parametrize(("line", "message", "value"), UNKNOWN)
def test_what_the_format_does_not_know_is_refused(line: Any, message: str, value: object) -> None:
    with pytest.raises(TranscriptError) as refused:
        read_entry(line)
    assert str(refused.value) == message
    assert refused.value.value == value


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"match": {"edition": "classic", "players": ["A", "B"]}, "note": 1}, 'the header has no field "note"'),
        ({"matches": {}}, 'the header has no field "matches"'),
        ({"match": {"edition": "classic", "players": ["A", "B"], "option": {}}}, 'the match has no field "option"'),
        ({"match": {"edition": "classic", "players": ["A", "B"], "t": 1}}, 'the match has no field "t"'),
    ],
)
def test_what_no_header_knows_is_refused(line: Any, message: str) -> None:
    with pytest.raises(TranscriptError) as refused:
        read_header(line)
    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"do": "play", "card": "red 1", "card": "red 1"}', '"card" is given twice'),
        (
            b'{"match": {"edition": "classic", "options": {"jump_in": true, "jump_in": true}}}',
            '"jump_in" is given twice',
        ),
        (b'{"do": "amend", "n": 1, "move": {"do": "draw", "do": "pass"}}', '"do" is given twice'),
        (b'{"do": "draw", "t": NaN}', "not JSON: NaN is no number"),
        (b'{"do": "draw", "t": Infinity}', "not JSON: Infinity is no number"),
    ],
)
def test_what_python_would_let_pass_is_refused(line: bytes, message: str) -> None:
    with pytest.raises(TranscriptError) as refused:
        parse_line(line)
    assert str(refused.value) == message
    assert refused.value.value == line


ALIKE = [
    ("Ann", "ANN"),
    ("Ann", " Ann"),
    ("Ann", "Ann\u2003"),
    ("Zoë", "Zoe\u0308"),
    ("Straße", "STRASSE"),
    ("\u1e9e", "ss"),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_names_that_look_alike_are_one_name(one: str, other: str) -> None:
    with pytest.raises(TranscriptError) as refused:
        read_header(header(players=["Ben", one, other]))
    assert str(refused.value) == f"two players are called {other!r}"
    found = read_header(header(players=["Ben", one], dealer=other))
    assert found.dealer == 1
    assert write_header(found)["match"]["dealer"] == one  # type: ignore[index]
    match = Match(found).apply(moves.Start(Card.parse("red 7"))).apply(moves.Draw(by="BEN"))
    match = match.apply(moves.Pass()).apply(moves.Count(other, 1)).apply(moves.Uno(other))
    assert [write_effect(effect) for effect in match.history[-1].effects] == [{"effect": "uno", "player": one}]
    assert [write_entry(move) for move in match.moves[1:]] == [
        {"do": "draw", "by": "Ben"},
        {"do": "pass"},
        {"do": "count", "player": one, "cards": 1},
        {"do": "uno", "player": one},
    ]
    with pytest.raises(RefereeError) as wrong:
        match.apply(moves.Draw(by="ben"))
    assert wrong.value.values == {"player": "Ben", "actor": one}


@pytest.mark.parametrize("name", ["", " ", "\u200b", "\u00a0\u2003", "\u200b\u200d\ufeff\u2060", "\u2028"])
def test_a_name_shows_something(name: str) -> None:
    with pytest.raises(TranscriptError) as refused:
        read_header(header(players=["Ann", name]))
    assert str(refused.value) == "a player has no name"
    assert refused.value.value == name


@pytest.mark.parametrize("name", ["Ann\n", "\tAnn", "An\x00n", "An\x7fn", "An\x85n"])
def test_a_name_has_no_control_characters(name: str) -> None:
    for line in (header(players=["Ben", name]), header(dealer=name)):
        with pytest.raises(TranscriptError) as refused:
            read_header(line)
        assert "a name has a control character" in str(refused.value)
        assert name not in str(refused.value)


def test_names_that_only_differ_in_what_counts_are_two() -> None:
    names = ["Ann", "Anne", "Änn", "A nn", "An\u200bn", "\u0399", "I", "\u0131"]
    assert read_header(header(players=names[:8])).players == tuple(names[:8])


BAD_ENTRIES: list[tuple[Any, str]] = [
    (None, "move should be an object, not null"),
    (3, "move should be an object, not 3"),
    ([], "move should be an object, not []"),
    ({}, "do is missing"),
    ({"do": 3}, "do should be a move's name, not 3"),
    ({"do": None}, "do should be a move's name, not null"),
    ({"do": "fly"}, 'there is no move "fly" here'),
    ({"do": "start"}, "card is missing"),
    ({"do": "play"}, "card is missing"),
    ({"do": "play", "card": 7}, "card should be a card's name, not 7"),
    ({"do": "play", "card": "red 10"}, 'no card is called "red 10"'),
    ({"do": "play", "card": "Red 7"}, 'no card is called "Red 7"'),
    ({"do": "play", "card": "red 7", "force": 1}, "force should be true or false, not 1"),
    ({"do": "play", "card": "red 7", "by": 1}, "by should be a player's name, not 1"),
    ({"do": "draw", "by": None}, "by should be a player's name, not null"),
    ({"do": "pass", "by": ["Ann"]}, 'by should be a player\'s name, not ["Ann"]'),
    ({"do": "flip"}, "card is missing"),
    ({"do": "color"}, "color is missing"),
    ({"do": "color", "color": "purple"}, 'color should be one of red, yellow, green, blue, not "purple"'),
    ({"do": "color", "color": 1}, "color should be a name, not 1"),
    ({"do": "target"}, "player is missing"),
    ({"do": "target", "player": 1}, "player should be a player's name, not 1"),
    ({"do": "accept", "by": False}, "by should be a player's name, not false"),
    ({"do": "challenge", "by": {}}, "by should be a player's name, not {}"),
    ({"do": "reveal"}, "a reveal has either cards or guilty"),
    ({"do": "reveal", "cards": [], "guilty": True}, "a reveal has either cards or guilty"),
    ({"do": "hand", "player": "Ann", "cards": [], "points": 3}, "a hand has either cards or points"),
    ({"do": "reveal", "guilty": "yes"}, 'guilty should be true or false, not "yes"'),
    ({"do": "reveal", "cards": "red 7"}, 'cards should be a list of cards, not "red 7"'),
    ({"do": "reveal", "cards": [7]}, "a card should be its name, not 7"),
    ({"do": "uno"}, "player is missing"),
    ({"do": "catch"}, "player is missing"),
    ({"do": "creeper"}, "player is missing"),
    ({"do": "hand", "player": "Ann"}, "cards is missing"),
    ({"do": "hand", "player": "Ann", "cards": [None]}, "a card should be its name, not null"),
    ({"do": "hand", "player": "Ann", "cards": ["red"]}, 'no card is called "red"'),
    ({"do": "count", "player": "Ann"}, "cards is missing"),
    ({"do": "count", "player": "Ann", "cards": -1}, "cards should be a number of cards, not -1"),
    ({"do": "count", "player": "Ann", "cards": True}, "cards should be a whole number, not true"),
    ({"do": "count", "player": "Ann", "cards": 2.0}, "cards should be a whole number, not 2.0"),
    ({"do": "amend"}, "n is missing"),
    ({"do": "amend", "n": "1", "move": {"do": "draw"}}, 'n should be a whole number, not "1"'),
    ({"do": "amend", "n": 1}, "move is missing"),
    ({"do": "amend", "n": 1, "move": "draw"}, 'move should be a move, not "draw"'),
    ({"do": "amend", "n": 1, "move": {"do": "undo"}}, 'there is no move "undo" here'),
    ({"do": "amend", "n": 1, "move": {"do": "amend", "n": 1, "move": {}}}, 'there is no move "amend" here'),
]


@pytest.mark.parametrize(("line", "message"), BAD_ENTRIES)
def test_bad_entries_are_refused_in_one_sentence(line: Any, message: str) -> None:
    with pytest.raises(TranscriptError) as refused:
        read_entry(line)
    assert str(refused.value) == message


def test_the_offending_value_is_carried_along_and_cut_short_in_the_message() -> None:
    for size, shown in ((38, '"' + 38 * "x" + '"'), (39, '"' + 36 * "x" + "...")):
        with pytest.raises(TranscriptError) as refused:
            read_entry({"do": "play", "card": size * "x"})
        assert refused.value.value == size * "x"
        assert str(refused.value) == f"no card is called {shown}"


def header(**match: Any) -> dict[str, Any]:
    return {"match": {"edition": "classic", "players": ["Ann", "Ben"], **match}}


BAD_HEADERS: list[tuple[Any, str]] = [
    (None, "header should be an object, not null"),
    ([], "header should be an object, not []"),
    ({}, "match is missing"),
    ({"match": 1}, "match should be an object, not 1"),
    ({"match": {}}, "edition is missing"),
    (header(edition=1), "edition should be a name, not 1"),
    (header(edition="uno"), 'edition should be the ID of an edition that is there, not "uno"'),
    ({"match": {"edition": "classic"}}, "players is missing"),
    (header(players="Ann"), 'players should be a list of names, not "Ann"'),
    (header(players=["Ann", 1]), "a player's name should be text, not 1"),
    (header(players=[]), "2 to 10 players can play, not 0"),
    (header(players=["Ann"]), "2 to 10 players can play, not 1"),
    (header(players=[str(n) for n in range(11)]), "2 to 10 players can play, not 11"),
    (header(players=["Ann", "Ann"]), "two players are called 'Ann'"),
    (header(players=["Ann", " "]), "a player has no name"),
    (header(dealer="Cy"), 'the dealer "Cy" is not among the players'),
    (header(dealer=None), "dealer should be a player's name, not null"),
    (header(profile="house"), 'there is no profile "house"'),
    (header(profile=1), "profile should be a profile's name, not 1"),
    (header(options=[]), "options should be an object, not []"),
    (header(options={"stack": True}), 'there is no option "stack"'),
    (header(options={"stacking": True}), "option stacking should be one of off, same, any, rising, not true"),
    (header(options={"stacking": "on"}), 'option stacking should be one of off, same, any, rising, not "on"'),
    (header(options={"jump_in": "yes"}), 'option jump_in should be true or false, not "yes"'),
    (header(options={"challenge": 1}), "option challenge should be true or false, not 1"),
    (header(options={"uno_penalty": 0}), "the option uno_penalty cannot be 0"),
    (header(options={"uno_penalty": 8}), "the option uno_penalty cannot be 8"),
    (header(options={"uno_penalty": 2.0}), "option uno_penalty should be a whole number, not 2.0"),
    (header(options={"start_action": "ignore"}), 'option start_action should be one of apply, redraw, not "ignore"'),
    (header(options={"start_action": ["apply"]}), 'option start_action should be one of apply, redraw, not ["apply"]'),
    (header(options={"green_shell_self": 1}), "option green_shell_self should be true or false, not 1"),
    (header(options={"target": True}), "option target should be a whole number, not true"),
    (header(options={"target": "500"}), 'option target should be a whole number, not "500"'),
    (header(options={"target": 0}), "the option target cannot be 0"),
    (header(options={"hand_size": 0}), "the option hand_size cannot be 0"),
    (header(options={"hand_size": 1.5}), "option hand_size should be a whole number, not 1.5"),
    (header(options={"hand_size": 54}), "the option hand_size cannot be 54"),
]


@pytest.mark.parametrize(("line", "message"), BAD_HEADERS)
def test_bad_headers_are_refused_in_one_sentence(line: Any, message: str) -> None:
    with pytest.raises(TranscriptError) as refused:
        read_header(line)
    assert str(refused.value) == message


def test_the_biggest_hands_leave_one_card_to_turn_up() -> None:
    assert read_header(header(options={"hand_size": 53})).options.hand_size == 53


def test_headers_are_read_and_written() -> None:
    line = header(dealer="Ann", options={"scoring": "low-total", "target": 200, "wild_counts_as_color": True})
    read = read_header(line)
    edition = EDITIONS[EditionName.CLASSIC]
    assert read == Header(
        edition, ("Ann", "Ben"), 0, Options(scoring=Scoring.LOW_TOTAL, target=200, wild_counts_as_color=True)
    )
    assert write_header(read) == line


def test_ten_players_may_play() -> None:
    assert len(read_header(header(players=[str(n) for n in range(10)])).players) == 10


def test_an_option_overrides_a_profile_and_a_profile_an_edition() -> None:
    read = read_header(
        {
            "match": {
                "edition": "minecraft",
                "players": ["Ann", "Ben"],
                "profile": "geekyhobbies",
                "options": {"scoring": "low-total"},
            }
        }
    )
    assert read.options.scoring is Scoring.LOW_TOTAL
    assert read.options.start_action is StartAction.REDRAW
    plain = read_header({"match": {"edition": "minecraft", "players": ["Ann", "Ben"], "profile": "official"}})
    assert plain.options == EDITIONS[EditionName.MINECRAFT].options


def test_a_header_made_by_hand_is_checked_too() -> None:
    edition = EDITIONS[EditionName.CLASSIC]
    for dealer in (-1, 2):
        with pytest.raises(InvalidHeaderError) as refused:
            Header(edition, ("Ann", "Ben"), dealer, edition.options)
        assert refused.value.value == dealer
        assert str(refused.value) == f"there is no seat {dealer} for the dealer"
    with pytest.raises(InvalidOptionError) as option:
        Options(target=-5)
    assert (option.value.option, option.value.value) == ("target", -5)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{", "not JSON: Expecting property name enclosed in double quotes at column 2"),
        (b"\xff\xfe{", "the text is not UTF-8"),
        (b'"\xff"', "the text is not UTF-8"),
        (b"9" * 5000, "not JSON that can be read: a number is too long"),
        (b"[" * 100_000, "not JSON that can be read: it is nested too deeply"),
    ],
)
def test_lines_that_are_not_json(line: bytes, message: str) -> None:
    with pytest.raises(TranscriptError) as refused:
        parse_line(line)
    assert str(refused.value) == message
    assert refused.value.value == line


def test_json_is_parsed() -> None:
    assert parse_line(json.dumps({"do": "draw"}).encode()) == {"do": "draw"}


@pytest.mark.parametrize(
    ("line", "value"),
    [
        (header(edition="uno"), "uno"),
        (header(players="Ann"), "Ann"),
        (header(players=["Ann", 1]), 1),
        (header(players=["Ann", "Ann"]), "Ann"),
        (header(players=["Ann", " "]), " "),
        (header(players=["Ann"]), 1),
        (header(dealer="Cy"), "Cy"),
        (header(profile="house"), "house"),
        (header(options={"stack": True}), "stack"),
        (header(options={"target": 0}), 0),
        (header(options={"target": "many"}), "many"),
        (header(options={"hand_size": 54}), 54),
        (header(options={"scoring": "none"}), "none"),
    ],
)
def test_what_is_wrong_with_a_header_is_carried_along(line: Any, value: object) -> None:
    with pytest.raises(TranscriptError) as refused:
        read_header(line)
    assert refused.value.value == value


@pytest.mark.parametrize(
    ("line", "value", "message"),
    [
        (None, None, "move should be an object, not null"),
        ({"do": 3}, 3, "do should be a move's name, not 3"),
        ({"do": "undo"}, "undo", 'there is no move "undo" here'),
        ({"do": "uno"}, None, "player is missing"),
        ({"do": "color", "color": "mauve"}, "mauve", 'color should be one of red, yellow, green, blue, not "mauve"'),
        ({"do": "count", "player": "Ann", "cards": -2}, -2, "cards should be a number of cards, not -2"),
    ],
)
def test_what_is_wrong_with_a_move_is_carried_along(line: Any, value: object, message: str) -> None:
    with pytest.raises(TranscriptError) as refused:
        read_move(line)
    assert refused.value.value == value
    assert str(refused.value) == message


def test_effects_and_states_are_written() -> None:
    match = Match(read_header(header())).apply(moves.Start(Card.parse("red reverse")))
    assert [write_effect(effect) for effect in match.history[0].effects] == [
        {"effect": "reverse", "direction": "counterclockwise"}
    ]
    assert write_effect(HandsSwapped("Ann", "Ben")) == {"effect": "swap", "player": "Ann", "with": "Ben"}
    assert write_effect(MatchWon(("Ann", "Ben"))) == {"effect": "match", "winners": ["Ann", "Ben"]}
    assert write_state(match.state) == {
        "phase": "turn",
        "round": 1,
        "dealer": "Ben",
        "turn": "Ben",
        "direction": "counterclockwise",
        "top": "red reverse",
        "color": "red",
        "debt": 0,
        "hands": {"Ann": 7, "Ben": 7},
        "scores": {"Ann": 0, "Ben": 0},
        "winners": [],
    }


def test_every_option_is_reported_once_and_to_everyone_alike() -> None:
    assert list(OPTIONS) == [field.name for field in fields(Options) if field.name != "choices"]
    kinds = {name: (each.kind.value, each.values, each.least, each.most, each.house) for name, each in OPTIONS.items()}
    assert kinds["stacking"] == ("choice", ("off", "same", "any", "rising"), None, None, True)
    assert kinds["challenge"] == ("flag", (True, False), None, None, True)
    assert kinds["jump_in"] == ("flag", (False, True), None, None, True)
    assert kinds["uno_penalty"] == ("number", (), 1, 7, True)
    assert kinds["target"] == ("number", (), 1, None, False)
    assert EDITIONS[EditionName.MINECRAFT].options.plain("start_action") == "redraw"
    assert EDITIONS[EditionName.CLASSIC].options.plain("wild_counts_as_color") is False
    assert EDITIONS[EditionName.MARIO_KART].options.plain("uno_penalty") == 2
    for each in OPTIONS.values():
        for value in (*each.values, *(number for number in (each.least, each.most) if number is not None)):
            assert read_header(header(options={each.name: value})).options.plain(each.name) == value
