"""What arms do about an item box: who turns a card up has not drawn; whom an item hits takes cards."""

from __future__ import annotations

import pytest

from companion.referee.moves import Flip, Target
from companion.store import Store

from .conftest import header
from .test_arms import ArmsGame


@pytest.fixture
def boxed(store: Store) -> ArmsGame:
    """A match of Mario Kart in which people's places are known; Ann has laid an item box."""
    game = ArmsGame(store)
    game.table.start_match(header("mario-kart"))
    game.lay(None, "red 1")
    for name in ("red 2", "red 3", "red 4", "red 5", "red 6", "red 7"):
        game.lay(("Ann", "Ben", "Cy")[len(game.view.history[1:]) % 3], name)
    game.lay("Ann", "wild item box")
    return game


def test_the_arm_that_goes_on_from_the_draw_pile_has_turned_a_card_up(boxed: ArmsGame) -> None:
    boxed.reach("Ann")
    boxed.now -= 4.5  # the same arm, that has not left
    boxed.lay("Ann", "blue 3")
    assert isinstance(boxed.view.history[-1].move, Flip)
    assert boxed.moves[-2:] == ["Ann Play", "Ann Flip"]


def test_after_lightning_several_arms_take_a_card_each(boxed: ArmsGame) -> None:
    boxed.lay("Ann", "blue 4")
    assert [seat.owed - seat.taken for seat in boxed.view.seats] == [0, 1, 1]
    count = len(boxed.moves)
    for who in ("Cy", "Ben"):
        boxed.reach(who)
    assert [seat.owed - seat.taken for seat in boxed.view.seats] == [0, 0, 0]
    assert len(boxed.moves) == count, "nobody has drawn on a turn"


def test_whoever_comes_after_a_shell_was_hit(boxed: ArmsGame) -> None:
    boxed.lay("Ann", "green 1")
    boxed.reach("Cy")
    boxed.lay("Ben" if boxed.actor == "Ben" else "Ann", "green 5")
    hit = [line.move.player for line in boxed.view.history if isinstance(line.move, Target)]
    assert hit == ["Cy"]
