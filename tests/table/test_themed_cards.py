"""Themed cards as the camera sees them: answers to draw cards (EDITIONS.md, section 8)."""

from __future__ import annotations

import pytest

from companion.referee.moves import Accept, Play
from companion.referee.phase import Phase
from companion.referee.state import State
from companion.store import Store
from companion.table import Turns
from companion.vision.core.events import CardLanded

from .conftest import header
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
