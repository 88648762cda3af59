"""Themed cards as the camera sees them: answers to draw cards (EDITIONS.md, section 8)."""

from __future__ import annotations

import pytest

from companion.cards import Color
from companion.referee.moves import Accept, ChooseColor, Outcome, Play, Shed, Target, Took
from companion.referee.phase import Phase
from companion.referee.state import State
from companion.storage.store import Store
from companion.table.presentation.view import QuestionKind, Turns
from companion.vision.core.events import CardLanded, CardTakenBack

from .conftest import header
from .restarts import started_again
from .test_arms import ArmsGame


class ThemedGame(ArmsGame):
    """A match of a themed edition, whose cards the camera reads for certain; Ann is to act on a red 9."""

    def __init__(self, store: Store, edition: str, *, turns: Turns = Turns.CAMERA) -> None:
        super().__init__(store)
        self.edition = header(edition).edition
        self.table.start_match(header(edition, hand_size=20), turns=turns)
        self.see(None, "red 1")
        for count, face in enumerate((2, 3, 4, 5, 6, 8, 1, 2, 9)):
            self.see(("Ann", "Ben", "Cy")[count % 3], f"red {face}")
        assert (self.actor, self.top) == ("Ann", "red 9")

    @property
    def state(self) -> State:
        state = self.view.state
        assert state is not None
        return state

    def see(self, who: str | None, name: str) -> None:
        """Let a card of the edition land."""
        self.now += 5
        arm = None if who is None else self.arm(who)
        self.table.see(CardLanded(self.now, ((self.edition.card(name), 0.9999),), arm=arm))

    def uncover(self, name: str) -> None:
        """Let the top card be gone; a card of the edition lies there."""
        self.now += 5
        self.table.see(CardTakenBack(self.now, ((self.edition.card(name), 0.9999),)))


@pytest.mark.parametrize("turns", [Turns.CAMERA, Turns.TAPPED])
@pytest.mark.parametrize("who", ["Ben", None])
@pytest.mark.parametrize(
    ("edition", "answer", "ann_draws"), [("nintendo", "wild power", 0), ("super-mario", "wild super star", 2)]
)
def test_answer_that_lands_in_a_debt_is_ruled_as_the_answer(
    store: Store, edition: str, answer: str, ann_draws: int, who: str | None, turns: Turns
) -> None:
    """R53: the debt is cancelled, or hits whoever laid the draw card; nobody took cards in between."""
    game = ThemedGame(store, edition, turns=turns)
    game.see("Ann", "red draw two")
    before = game.state
    assert (before.phase, before.debt, before.actor) == (Phase.DEBT, 2, "Ben")
    game.see(who, answer)
    state = game.state
    assert (game.view.questions, game.view.history[-1].move) == ((), Play(game.edition.card(answer)))
    assert (state.phase, state.debt, state.actor) == (Phase.COLOR, 0, "Ben")
    assert state.hands == (before.hands[0] + ann_draws, before.hands[1] - 1, before.hands[2])


def test_card_without_an_answer_on_a_debt_implies_it_was_taken(store: Store) -> None:
    game = ThemedGame(store, "nintendo")
    game.see("Ann", "red draw two")
    game.see("Cy", "red 3")
    assert [line.move for line in game.view.history[-2:]] == [Accept(), Play(game.edition.card("red 3"))]
    assert (game.view.questions, game.actor) == ((), "Ann")


def test_cards_laid_off_are_one_move_once_the_played_card_is_on_top_again(store: Store) -> None:
    """They are no plays: the top card, its colour and the turn stay until then."""
    game = ThemedGame(store, "no-mercy")
    held = game.state.hands
    game.see("Ann", "red discard all")
    for name in ("red 3", "red skip"):
        game.see("Ann", name)
        assert (game.state.phase, game.actor, game.top) == (Phase.SHED, "Ann", "red discard all")
        assert (game.view.questions, game.moves[-1]) == ((), "Ann Play")
    game.see("Ann", "red discard all")
    assert game.view.history[-1].move == Shed((game.edition.card("red 3"), game.edition.card("red skip")))
    assert (game.view.questions, game.actor, game.top) == ((), "Ben", "red discard all")
    assert game.state.hands == (held[0] - 3, *held[1:])
    game.see("Ben", "red 5")
    assert (game.view.questions, game.actor, game.moves[-1]) == ((), "Cy", "Ben Play")


def test_tapped_number_names_the_cards_that_were_seen(store: Store) -> None:
    game = ThemedGame(store, "no-mercy")
    for name in ("red discard all", "red 3", "red skip"):
        game.see("Ann", name)
    game.table.tap(Shed(2))
    assert game.view.history[-1].move == Shed((game.edition.card("red 3"), game.edition.card("red skip")))
    assert (game.view.questions, game.actor, game.top) == ((), "Ben", "red discard all")


def test_tapped_number_counts_where_it_differs_from_what_was_seen(store: Store) -> None:
    game = ThemedGame(store, "no-mercy")
    held = game.state.hands[0]
    for name in ("red discard all", "red 3"):
        game.see("Ann", name)
    game.table.tap(Shed(4))
    assert (game.view.history[-1].move, game.state.hands[0], game.actor) == (Shed(4), held - 5, "Ben")
    game.see("Ben", "red 5")
    assert (game.view.questions, game.actor, game.moves[-1]) == ((), "Cy", "Ben Play")


@pytest.mark.parametrize("turns", [Turns.CAMERA, Turns.TAPPED])
@pytest.mark.parametrize("who", ["Ben", None])
def test_card_that_does_not_fit_is_the_next_play(store: Store, who: str | None, turns: Turns) -> None:
    game = ThemedGame(store, "no-mercy", turns=turns)
    for name in ("red discard all", "red 3"):
        game.see("Ann", name)
    game.see(who, "blue discard all")
    shed, play = [line.move for line in game.view.history[-2:]]
    assert (shed, play) == (Shed((game.edition.card("red 3"),)), Play(game.edition.card("blue discard all")))
    assert (game.view.questions, game.state.phase, game.actor) == ((), Phase.SHED, "Ben")


def test_fitting_card_of_the_next_player_is_a_play(store: Store) -> None:
    game = ThemedGame(store, "no-mercy")
    for name in ("red discard all", "red 3"):
        game.see("Ann", name)
    game.see("Ben", "red 5")
    assert game.moves[-2:] == ["Ann Shed", "Ben Play"]
    assert (game.view.questions, game.actor) == ((), "Cy")


def test_lift_takes_the_last_card_laid_off_back_or_shows_the_played_card(store: Store) -> None:
    game = ThemedGame(store, "no-mercy")
    for name in ("red discard all", "red 3", "red skip"):
        game.see("Ann", name)
    game.uncover("red 3")
    assert (game.view.questions, game.state.phase, game.moves[-1]) == ((), Phase.SHED, "Ann Play")
    game.uncover("red discard all")
    assert game.view.history[-1].move == Shed((game.edition.card("red 3"),))
    assert (game.view.questions, game.actor, game.top) == ((), "Ben", "red discard all")


def test_last_card_laid_off_is_taken_back_by_a_tap(store: Store) -> None:
    game = ThemedGame(store, "no-mercy")
    for name in ("red discard all", "red 3", "red skip"):
        game.see("Ann", name)
    game.table.take_back()
    game.see("Ann", "red discard all")
    assert game.view.history[-1].move == Shed((game.edition.card("red 3"),))


def test_each_player_lays_off_on_their_own(store: Store) -> None:
    """Everybody but Ann may lay off one card of the colour chosen; Cy's card is no second one of Ben."""
    game = ThemedGame(store, "charlie-brown")
    game.see("Ann", "wild happy holidays")
    game.table.tap(ChooseColor(Color.RED))
    game.see("Ben", "red 3")
    game.see("Cy", "red 5")
    game.see("Cy", "wild happy holidays")
    laid_off = [Shed((game.edition.card(name),)) for name in ("red 3", "red 5")]
    assert [line.move for line in game.view.history[-2:]] == laid_off
    assert (game.view.questions, game.actor, game.top) == ((), "Ben", "wild happy holidays")


def test_cards_laid_off_are_still_known_after_a_restart(store: Store) -> None:
    game = ThemedGame(store, "no-mercy")
    for name in ("red discard all", "red discard all", "red 3"):
        game.see("Ann", name)
    game.table = started_again(game.table, store, game.now)
    game.see("Ann", "red discard all")
    assert game.view.history[-1].move == Shed((game.edition.card("red discard all"), game.edition.card("red 3")))


def test_visits_to_the_draw_pile_while_cards_are_laid_off(store: Store) -> None:
    game = ThemedGame(store, "no-mercy")
    for name in ("red discard all", "red 3"):
        game.see("Ann", name)
    game.reach("Ann", 0.97, 0.03)
    game.reach("Ben")
    game.see("Ann", "red discard all")
    assert game.moves[-1] == "Ann Shed"


def test_unclear_card_that_is_laid_off_is_asked_about(store: Store) -> None:
    game = ThemedGame(store, "no-mercy")
    for name in ("red discard all", "red 3"):
        game.see("Ann", name)
    game.lay("Ann", {"red 6": 0.5, "red 8": 0.49})
    assert game.question.kind is QuestionKind.CARD
    game.answer("red 8")
    assert (game.view.questions, game.moves[-1]) == ((), "Ann Play")
    game.table = started_again(game.table, store, game.now)
    game.see("Ann", "red discard all")
    assert game.view.history[-1].move == Shed((game.edition.card("red 3"), game.edition.card("red 8")))
    assert (game.view.questions, game.actor) == ((), "Ben")


def test_cards_laid_off_are_used_up(store: Store) -> None:
    """One red 0 is in the deck; a second one is doubtful."""
    game = ThemedGame(store, "charlie-brown")
    game.see("Ann", "wild happy holidays")
    game.table.tap(ChooseColor(Color.RED))
    for move in (Shed((game.edition.card("red 0"),)), Shed(0)):
        game.table.tap(move)
    game.see("Ben", "red 0")
    assert game.view.questions


@pytest.mark.parametrize("below", ["red 9", "red 5", "blue 7"])
@pytest.mark.parametrize("who", ["Ann", None])
def test_pile_lifted_to_take_a_card_out_of_it_is_no_take_back(store: Store, below: str, who: str | None) -> None:
    """The top card is gone and back within seconds: neither taken back nor a new card."""
    game = ThemedGame(store, "rick-and-morty")
    game.see("Ann", "wild meeseeks")
    before = game.state
    assert before.phase is Phase.COLOR
    game.uncover(below)
    assert (game.view.questions, game.state) == ((), before)
    game.see(who, "wild meeseeks")
    assert (game.view.questions, game.state) == ((), before)
    game.table.tap(ChooseColor(Color.BLUE))
    game.see("Ben", "blue 3")
    assert (game.view.questions, game.actor, game.moves[-1]) == ((), "Cy", "Ben Play")


def test_card_lifted_long_after_one_was_taken_from_the_pile_is_taken_back(store: Store) -> None:
    game = ThemedGame(store, "rick-and-morty")
    game.see("Ann", "wild meeseeks")
    game.now += 60
    game.uncover("red 9")
    assert (game.view.questions, game.actor, game.top) == ((), "Ann", "red 9")


def test_card_laid_on_a_pile_from_which_one_was_taken_is_taken_back_as_ever(store: Store) -> None:
    game = ThemedGame(store, "rick-and-morty")
    game.see("Ann", "wild meeseeks")
    game.table.tap(ChooseColor(Color.BLUE))
    game.see("Ben", "blue 3")
    game.uncover("wild meeseeks")
    assert (game.view.questions, game.actor, game.top) == ((), "Ben", "wild meeseeks")


@pytest.mark.parametrize("who", ["Cy", None])
def test_cards_that_land_before_a_number_is_tapped_are_played_after_it(store: Store, who: str | None) -> None:
    """Ben draws from a launcher and loses the turn; people tap how many it were once play has continued."""
    game = ThemedGame(store, "attack")
    held = game.state.hands
    game.see("Ann", "red hit two")
    game.see(who, "red 3")
    game.reach("Ann", 0.97, 0.03)
    game.see(who and "Ann", "red 4")
    assert (game.view.questions, game.state.phase, game.moves[-1]) == ((), Phase.TOOK, "Ann Play")
    game.table.tap(Took(3))
    plays = [Play(game.edition.card(name)) for name in ("red 3", "red 4")]
    assert [line.move for line in game.view.history[-3:]] == [Took(3), *plays]
    assert (game.view.questions, game.actor) == ((), "Ben")
    assert game.state.hands == (held[0] - 2, held[1] + 3, held[2] - 1)


def test_card_that_lands_before_an_answer_is_tapped_is_played_after_it(store: Store) -> None:
    game = ThemedGame(store, "star-wars")
    game.see("Ann", "wild force")
    for move in (ChooseColor(Color.RED), Target("Cy")):
        game.table.tap(move)
    game.see("Ben", "red 3")
    assert (game.view.questions, game.state.phase) == ((), Phase.OUTCOME)
    game.table.tap(Outcome(yes=True))
    assert game.moves[-2:] == ["Cy Outcome", "Ben Play"]
    assert (game.view.questions, game.actor) == ((), "Cy")
