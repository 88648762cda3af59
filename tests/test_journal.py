"""The journal: the line behind each current move, and what undo removed."""

from __future__ import annotations

from companion.cards import Card, EditionName
from companion.editions import EDITIONS, Options
from companion.referee import moves
from companion.referee.match import Match
from companion.referee.state import Header
from companion.storage.journal import Journal, Known, Line, ReadBy, replay, undone

HEADER = Header(EDITIONS[EditionName.CLASSIC], ("Ann", "Ben"), 1, Options())
START = moves.Start(Card.parse("red 7"))
DRAW, PASS, UNDO = moves.Draw(), moves.Pass(), moves.Undo()


def lines(*entries: moves.Entry) -> list[Line]:
    return [Line(entry, ReadBy.TAP, float(time), f"reading {time}") for time, entry in enumerate(entries)]


def back(*entries: moves.Entry) -> list[moves.Entry]:
    made = lines(*entries)
    replay(HEADER, made)
    return [line.entry for line in undone(made)]


def test_lines_stand_beside_the_moves_that_came_of_them() -> None:
    journal = replay(HEADER, lines(START, DRAW, UNDO, DRAW, moves.Amend(1, moves.Start(Card.parse("red 8")))))
    assert [line.entry for line in journal.lines] == list(journal.match.moves)
    assert [line.reading for line in journal.lines] == ["reading 0", "reading 3"]
    assert journal == replay(HEADER, lines(START, DRAW, UNDO, DRAW, moves.Amend(1, moves.Start(Card.parse("red 8")))))


def test_names_are_kept_as_the_header_spells_them() -> None:
    journal = replay(HEADER, lines(START, moves.Draw(by=" ann"), moves.Amend(2, moves.Draw(by="ANN"))))
    assert [line.entry for line in journal.lines] == [START, moves.Draw(by="Ann")]


def test_what_was_taken_back_can_be_entered_again_the_last_first() -> None:
    assert back(START, DRAW, PASS) == []
    assert back(START, DRAW, PASS, UNDO) == [PASS]
    assert back(START, DRAW, PASS, UNDO, UNDO) == [DRAW, PASS]
    assert back(START, DRAW, PASS, UNDO, UNDO, DRAW) == [PASS]
    assert back(START, DRAW, PASS, UNDO, UNDO, DRAW, PASS) == []
    assert back(START, DRAW, PASS, UNDO, UNDO, DRAW, PASS, UNDO) == [PASS]


def test_another_move_and_an_amendment_leave_nothing_to_enter_again() -> None:
    assert back(START, DRAW, PASS, UNDO, UNDO, moves.Play(Card.parse("red 1"))) == []
    assert back(START, DRAW, PASS, UNDO, moves.Amend(1, moves.Start(Card.parse("red 8")))) == []
    eight = moves.Start(Card.parse("red 8"))
    assert back(START, moves.Amend(1, eight), UNDO) == [eight]


def test_going_on_another_way_leaves_the_first_as_it_was() -> None:
    start = Journal(Match(HEADER)).enter(Line(START, ReadBy.TAP, 0))
    drawn = start.enter(Line(DRAW, ReadBy.TAP, 1))
    played = start.enter(Line(moves.Play(Card.parse("red 1")), ReadBy.TAP, 2))
    assert drawn.match.moves == (START, DRAW)
    assert played.match.moves == (START, moves.Play(Card.parse("red 1")))
    assert [line.time for line in drawn.lines] == [0, 1]
    assert [line.time for line in played.lines] == [0, 2]


def test_a_move_is_its_players_and_how_that_is_known_is_reported() -> None:
    header = Header(EDITIONS[EditionName.CLASSIC], ("Ann", "Ben", "Cy"), 2, Options(jump_in=True))
    jump = moves.Play(Card.parse("red 7"), by="Cy")
    journal = replay(header, lines(START, jump, DRAW, PASS, moves.Count("Cy", 3)))
    assert [journal.player(place) for place in range(5)] == [None, "Cy", "Ann", "Ann", "Cy"]
    camera, inferred = Line(DRAW, ReadBy.CAMERA, 0.0, None, 90.0), Line(DRAW, ReadBy.INFERRED, 0.0)
    assert [line.known for line in (journal.lines[1], camera, inferred)] == [Known.TAPPED, Known.SEEN, Known.INFERRED]
