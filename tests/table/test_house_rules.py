"""Observations under house rules: stacking, jumping in, drawing until playable, swapped hands."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from companion.caller import Caller
from companion.cards import Color
from companion.referee.moves import Accept, ChooseColor, Draw, Leave, Play, Rename, Start, Target
from companion.referee.state import Phase
from companion.storage.store import Store
from companion.table.presentation.view import QuestionKind, Turns

from .conftest import Game, card, header
from .test_arms import ArmsGame

House = Callable[..., ArmsGame]


@pytest.fixture
def house(store: Store) -> House:
    """Return a function that starts a match with house rules in which all seats are known; Ann is to act on a red 9."""

    def begin(**options: object) -> ArmsGame:
        game = ArmsGame(store)
        game.table.start_match(header("classic", hand_size=20, **options))
        game.lay(None, "red 1")
        for count, face in enumerate((2, 3, 4, 5, 6, 8, 1, 2, 9)):
            game.lay(("Ann", "Ben", "Cy")[count % 3], f"red {face}")
        assert (game.actor, game.top) == ("Ann", "red 9")
        return game

    return begin


def test_second_draw_two_on_an_open_debt_is_stacked(house: House) -> None:
    game = house(stacking="same")
    game.lay("Ann", "red draw two")
    game.lay("Ben", "blue draw two")
    state = game.view.state
    assert state is not None
    assert (game.view.questions, state.phase, state.debt, state.actor) == ((), Phase.DEBT, 4, "Cy")
    assert game.moves[-2:] == ["Ann Play", "Ben Play"]
    held = state.hands[2]
    game.reach("Cy", 0.0, 0.0, 0.05, 0.05, 0.9)
    after = game.view.state
    assert after is not None
    assert (after.hands[2], after.actor, game.view.history[-1].move) == (held + 4, "Ann", Accept())
    assert (game.view.seats[2].owed, game.view.questions) == (0, ())


@pytest.mark.parametrize("tapped", [False, True])
def test_second_draw_two_is_stacked_without_visible_arms(store: Store, tapped: bool) -> None:
    game = Game(store)
    game.table.start_match(header("classic", stacking="same"), turns=Turns.TAPPED if tapped else Turns.CAMERA)
    for name in ("red 1", "red draw two", "red draw two"):
        game.land(name, same_face=len(game.view.history) == 2)
    state = game.view.state
    assert state is not None
    assert (game.view.questions, state.phase, state.debt, state.actor) == ((), Phase.DEBT, 4, "Cy")


def test_other_card_implies_taken_debt_without_visible_arms(store: Store) -> None:
    game = Game(store)
    game.table.start_match(header("classic", stacking="same"))
    for name in ("red 1", "red draw two", "red 3"):
        game.land(name)
    assert [line.move for line in game.view.history][2:] == [Accept(), Play(card("red 3"))]
    assert game.view.questions == ()


def test_second_wild_draw_four_is_stacked(store: Store) -> None:
    game = Game(store)
    game.table.start_match(header("classic", stacking="same"))
    game.land("red 1")
    game.land("wild draw four")
    game.table.tap(ChooseColor(Color.RED))
    game.land("wild draw four", same_face=True)
    state = game.view.state
    assert state is not None
    assert (game.view.questions, state.debt, state.phase) == ((), 8, Phase.COLOR)


def test_other_card_on_an_open_debt_implies_it_was_taken(house: House) -> None:
    game = house(stacking="same")
    game.lay("Ann", "red draw two")
    game.lay("Cy", "red 3")
    state = game.view.state
    assert state is not None
    assert (game.view.questions, state.debt, state.actor) == ((), 0, "Ann")
    assert game.moves[-3:] == ["Ann Play", "Ben Accept", "Cy Play"]


def test_non_stacking_card_on_an_open_debt_cannot_stand(store: Store) -> None:
    """Nobody answered the question, and the same card is seen to land again."""
    game = ArmsGame(store)
    game.table.start_match(header("mario-kart", stacking="any", jump_in=True, seven_zero=True), turns=Turns.RELAXED)
    for who, name in (("Ben", "red 9"), ("Ann", "blue 9")):
        game.lay(who, name)
    if game.view.questions:
        game.answer(0)
    for who, name in ((None, "wild draw four"), ("Ann", "blue 0"), ("Ann", "blue 0")):
        game.lay(who, name)
    assert [type(line.move) for line in game.view.history].count(Start) == 1


def test_taking_before_the_next_landing_is_asked_about(house: House) -> None:
    game = house(stacking="same")
    game.lay("Ann", "red draw two")
    game.lay(None, "blue draw two")
    assert (game.question.kind, game.question.sentence) == (QuestionKind.TURN, "Did Ben take the cards?")
    assert sorted(game.labels) == ["No", "Yes"]
    game.answer(game.labels.index("No"))
    state = game.view.state
    assert state is not None
    assert (game.view.questions, state.debt, state.actor) == ((), 4, "Cy")


def test_identical_card_out_of_turn_is_a_jump_in(house: House) -> None:
    game = house(jump_in=True)
    before = game.view.state
    assert before is not None
    game.lay("Cy", "red 9")
    state = game.view.state
    assert state is not None
    assert (game.view.questions, state.actor) == ((), "Ann")
    assert game.view.history[-1].move == Play(card("red 9"), by="Cy")
    assert (game.view.history[-1].player, len(game.view.history)) == ("Cy", 11)
    assert state.hands == (before.hands[0], before.hands[1], before.hands[2] - 1)


def test_play_continues_after_the_player_who_jumped_in(house: House) -> None:
    game = house(jump_in=True)
    game.lay("Ben", "red 9")
    assert (game.view.questions, game.actor, game.view.history[-1].player) == ((), "Cy", "Ben")
    game.lay("Cy", "red 3")
    assert (game.view.questions, game.actor) == ((), "Ann")


def test_second_like_card_of_the_same_player_is_a_double(house: House) -> None:
    """R60: Cy laid the red 9 and lays another one; nobody else may."""
    game = house(doubles=True)
    before = game.view.state
    assert before is not None
    game.lay("Cy", "red 9")
    state = game.view.state
    assert state is not None
    assert (game.view.questions, state.actor) == ((), "Ann")
    assert game.view.history[-1].move == Play(card("red 9"), by="Cy")
    assert state.hands == (before.hands[0], before.hands[1], before.hands[2] - 1)
    game = house(doubles=True)
    game.lay("Ben", "red 9")
    assert game.question.kind is QuestionKind.TURN


def test_who_leaves_in_a_round_takes_neither_places_nor_debts_of_others(house: House) -> None:
    """R55: Ben still has to take the two cards of a draw two when Ann leaves; arms keep their owners."""
    game = house()
    game.lay("Ann", "red draw two")
    assert [seat.owed for seat in game.view.seats] == [0, 2, 0]
    places = [seat.direction for seat in game.view.seats]
    game.table.tap(Leave("Ann"))
    assert [(seat.player, seat.owed) for seat in game.view.seats] == [("Ben", 2), ("Cy", 0)]
    assert [seat.direction for seat in game.view.seats] == places[1:]
    game.reach("Ben", 0.0, 0.0, 0.9, 0.1)
    assert [seat.owed for seat in game.view.seats] == [0, 0]
    game.lay("Cy", "red 3")
    assert (game.view.questions, game.actor) == ((), "Ben")
    game.table.tap(Rename("Cy", "Cyril"))
    assert [seat.direction for seat in game.view.seats] == places[1:]


def test_identical_card_is_out_of_turn_without_the_rule(house: House) -> None:
    game = house()
    game.lay("Ben", "red 9")
    assert (game.question.kind, game.question.sentence) == (QuestionKind.TURN, "Ben played, but it is Ann’s turn.")


def test_drawing_until_playable_takes_several_cards(house: House) -> None:
    game = house(draw_until_playable=True)
    before = game.view.state
    assert before is not None
    for _ in range(3):
        game.reach("Ann")
    assert (game.moves[-3:], game.actor) == (["Ann Draw"] * 3, "Ann")
    game.lay("Ann", "red 3")
    state = game.view.state
    assert state is not None
    assert (game.view.questions, state.actor, state.hands[0]) == ((), "Ben", before.hands[0] + 2)


def test_draw_tapped_three_times_counts_three_times(house: House) -> None:
    game = house(draw_until_playable=True)
    for _ in range(3):
        game.table.tap(Draw())
    assert game.moves[-3:] == ["Ann Draw"] * 3


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "With whom were hands exchanged?"),
        ("de", "Mit wem wurden die Handkarten getauscht?"),
        ("es", "¿Con quién se cambió la mano?"),
        ("fr", "Avec qui la main a-t-elle été échangée ?"),
    ],
)
def test_seven_asks_whose_hand_was_swapped(store: Store, language: str, question: str) -> None:
    game = Game(store)
    game.table.set_caller(Caller(language))
    game.table.start_match(header("classic", seven_zero=True))
    for name in ("red 1", "red 7", "red 3"):
        game.land(name)
    assert (game.question.kind, game.question.sentence) == (QuestionKind.TARGET, question)
    assert sorted(game.labels) == ["Ben", "Cy"]
    game.answer(game.labels.index("Cy"))
    assert [line.move for line in game.view.history][2:] == [Target("Cy"), Play(card("red 3"))]


def test_unentered_swap_is_announced_once(store: Store) -> None:
    game = Game(store)
    game.table.start_match(header("classic", seven_zero=True))
    heard = game.table.subscribe()
    for name in ("red 1", "red 7", "red 3", "red 4", "red 5", "red 6"):
        game.land(name)
    said: list[str] = []
    while update := heard.next(0):
        said += update.sentences
    assert any(each.startswith("Hands are taken to have been exchanged with ") for each in said)
    assert not any("shell" in each for each in said)
