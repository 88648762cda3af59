"""What a screen is told may be done, and what a camera may expect to see."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.cards import Card, Color, EditionName
from companion.referee import moves
from companion.referee.editions import EDITIONS, Options, Scoring
from companion.referee.engine import Legal, legal
from companion.referee.errors import AmendBreaksLaterMoveError, DoesNotMatchError, NoSuchMoveError, NothingToUndoError
from companion.referee.match import Match, replay
from companion.referee.phase import Direction, Phase
from companion.referee.scoring import match_winners, round_points
from companion.referee.state import Header, opening

NOTHING = Legal(
    phase=Phase.TURN,
    actor="Ann",
    cards=frozenset(),
    jump=None,
    jumpers=(),
    draw=False,
    can_pass=False,
    color=False,
    debt=0,
    answer=False,
    take=False,
    reveal=False,
    targets=(),
    uno=(),
    catch=(),
    creeper=(),
    hand=(),
    in_round=True,
    reshuffle=True,
)


def card(name: str) -> Card:
    return Card.parse(name)


def game(edition: EditionName, *made: moves.Move, **options: object) -> Match:
    options = {"hand_size": 3, **options}
    return replay(Header(EDITIONS[edition], ("Ann", "Ben", "Cy"), 2, Options(**options)), made)  # type: ignore[arg-type]


def kart(*made: moves.Move, **options: object) -> Legal:
    return legal(game(EditionName.MARIO_KART, *made, **options).state)


START = moves.Start(card("red 7"))
WHOLE_DECK = frozenset(EDITIONS[EditionName.MARIO_KART].deck)
RED_SEVENS = frozenset(kind for kind in WHOLE_DECK if kind.name.startswith(("red", "wild")) or kind.name.endswith("7"))


def test_before_the_first_card() -> None:
    expected = replace(NOTHING, phase=Phase.START, actor=None, cards=WHOLE_DECK, in_round=False, reshuffle=False)
    assert kart() == expected
    assert len(WHOLE_DECK) == 54


def test_on_a_turn() -> None:
    assert kart(START) == replace(NOTHING, cards=RED_SEVENS, draw=True)
    assert kart(START, moves.Draw()) == replace(NOTHING, phase=Phase.DRAWN, cards=RED_SEVENS, can_pass=True)
    assert len(RED_SEVENS) == 13 + 3 + 2


def test_the_colour_chosen_counts() -> None:
    now = kart(START, moves.Play(card("wild draw four")), moves.ChooseColor(Color.BLUE), moves.Accept())
    assert {kind.color for kind in now.cards} == {Color.BLUE, None}
    assert now.actor == "Cy"


def test_an_item_box() -> None:
    box = (START, moves.Play(card("wild item box")))
    assert kart(*box) == replace(NOTHING, phase=Phase.FLIP, cards=WHOLE_DECK)
    shell = (*box, moves.Flip(card("green 1")))
    everyone = replace(NOTHING, phase=Phase.TARGET, targets=("Ann", "Ben", "Cy"))
    assert kart(*shell) == everyone
    assert kart(*shell, green_shell_self=False) == replace(everyone, targets=("Ben", "Cy"))


def test_a_wild_draw_four() -> None:
    wild = [START, moves.Play(card("wild draw four"))]
    assert kart(*wild, hand_size=5) == replace(NOTHING, phase=Phase.COLOR, color=True)
    wild.append(moves.ChooseColor(Color.RED))
    assert kart(*wild, hand_size=5) == replace(NOTHING, phase=Phase.CHALLENGE, actor="Ben", answer=True)
    wild.append(moves.Challenge())
    assert kart(*wild, hand_size=5) == replace(NOTHING, phase=Phase.REVEAL, reveal=True)


def test_uno() -> None:
    two = (START, moves.Count("Ann", 2), moves.Count("Ben", 2))
    assert kart(*two).uno == ("Ann",)
    played = (*two, moves.Play(card("red 1")))
    assert kart(*played).uno == ("Ann", "Ben")
    assert kart(*played).catch == ("Ann",)
    assert kart(*played, moves.Uno("Ann")).catch == ()


def test_creepers() -> None:
    drawn = game(EditionName.MINECRAFT, START, moves.Draw())
    assert legal(drawn.state).creeper == ("Ann",)
    assert legal(drawn.apply(moves.Creeper("Ann")).state).creeper == ()
    assert legal(game(EditionName.CLASSIC, START, moves.Draw()).state).creeper == ()
    scoring = legal(drawn.apply(moves.Count("Ben", 0)).state)
    assert scoring == replace(
        NOTHING, phase=Phase.SCORING, actor=None, creeper=("Ann",), hand=("Ann", "Cy"), in_round=False
    )


def test_after_the_last_round() -> None:
    over = kart(START, moves.Count("Ben", 0), scoring=Scoring.SINGLE_ROUND)
    assert over == replace(NOTHING, phase=Phase.OVER, actor=None, in_round=False, reshuffle=False)


def test_a_match_is_a_value() -> None:
    empty = game(EditionName.CLASSIC)
    one = empty.apply(START)
    assert (empty.history, empty.state) == ((), opening(empty.header))
    assert one.moves == (START,)
    assert one.history[0].effects == ()
    assert one.undo() == empty
    with pytest.raises(NothingToUndoError):
        empty.undo()
    two = one.apply(moves.Play(card("red skip")))
    assert two.history[0] == one.history[0]
    assert two.amend(2, moves.Play(card("red 2"))).moves == (START, moves.Play(card("red 2")))
    assert two.amend(1, START) == two
    for n in (0, 3):
        with pytest.raises(NoSuchMoveError) as missing:
            two.amend(n, START)
        assert (missing.value.n, missing.value.moves) == (n, 2)
    with pytest.raises(AmendBreaksLaterMoveError) as broken:
        two.amend(1, moves.Start(card("blue 1")))
    assert broken.value.n == 2
    assert isinstance(broken.value.cause, DoesNotMatchError)
    assert broken.value.__cause__ is broken.value.cause


def test_amending_names_the_first_move_that_breaks() -> None:
    made = game(EditionName.CLASSIC, START, moves.Draw(), moves.Pass(), moves.Play(card("red 1")), moves.Draw())
    with pytest.raises(AmendBreaksLaterMoveError) as broken:
        made.amend(1, moves.Start(card("blue 2")))
    assert broken.value.n == 4
    assert made.amend(2, moves.Draw(by="Ann")).history[2:] == made.history[2:]


def test_seats_and_cards_that_are_left() -> None:
    state = game(EditionName.CLASSIC, START).state
    assert (state.actor, state.players) == ("Ann", ("Ann", "Ben", "Cy"))
    assert [state.seat_after(seat) for seat in range(3)] == [1, 2, 0]
    assert [state.seat_before(seat) for seat in range(3)] == [2, 0, 1]
    back = replace(state, direction=Direction.COUNTERCLOCKWISE)
    assert [back.seat_after(seat) for seat in range(3)] == [2, 0, 1]
    assert [back.seat_before(seat) for seat in range(3)] == [1, 2, 0]
    assert state.drawable == 108 - 9 - 1
    assert replace(state, hands=(50, 50, 50)).drawable == 0


def test_points_of_rounds_and_matches() -> None:
    hands = [[card("red 3")], [], [card("wild"), card("red 1")]]
    assert round_points(Scoring.WINNER_TAKES_ALL, 1, hands) == {1: 54}
    assert list(round_points(Scoring.LOW_TOTAL, 1, hands).items()) == [(0, 3), (1, 0), (2, 51)]
    for scoring in Scoring:
        assert match_winners(scoring, 10, (9, 0, 9)) == ()
    assert match_winners(Scoring.WINNER_TAKES_ALL, 10, (9, 10, 3)) == (1,)
    assert match_winners(Scoring.LOW_TOTAL, 10, (3, 11, 3)) == (0, 2)
