"""UNO called by the player about to act, before the table can know that the previous player has acted."""

from __future__ import annotations

import pytest

from companion.cards import Color
from companion.referee.errors import NotAtUnoError
from companion.referee.moves import ChooseColor, Count, Pass, Uno

from .test_arms import ArmsGame, arms

__all__ = ["arms"]


@pytest.fixture
def two_left(arms: ArmsGame) -> ArmsGame:
    """Ann is to act, and next Ben, who holds two cards."""
    arms.table.tap(Count("Ben", 2))
    return arms


def test_call_after_another_players_draw_implies_a_pass(two_left: ArmsGame) -> None:
    two_left.reach("Ann")
    two_left.table.tap(Uno("Ben"))
    assert two_left.moves[-3:] == ["Ann Draw", "Ann Pass", "Ben Uno"]
    two_left.lay("Ben", "red 3")
    assert two_left.moves[-1] == "Ben Play"
    assert two_left.view.questions == ()


def test_call_counts_although_no_color_was_named(two_left: ArmsGame) -> None:
    two_left.lay("Ann", "wild")
    two_left.table.tap(Uno("Ben"))
    two_left.lay("Ben", "green 4")
    assert two_left.moves[-3:] == ["Ann ChooseColor", "Ben Uno", "Ben Play"]
    assert two_left.view.history[-3].move == ChooseColor(Color.GREEN)


def test_call_waits_for_a_draw_reported_later(two_left: ArmsGame) -> None:
    two_left.table.tap(Uno("Ben"))
    assert two_left.question.sentence == "Did everyone before Ben draw and pass?"
    two_left.now -= 5  # reported a moment late
    two_left.reach("Ann")
    two_left.lay("Ben", "red 3")
    assert two_left.moves[-4:] == ["Ann Draw", "Ann Pass", "Ben Uno", "Ben Play"]


def test_call_by_a_player_not_next_is_refused(two_left: ArmsGame) -> None:
    two_left.table.tap(Count("Cy", 2))
    with pytest.raises(NotAtUnoError):
        two_left.table.tap(Uno("Cy"))
    two_left.table.tap(Count("Ben", 3))
    two_left.reach("Ann")
    with pytest.raises(NotAtUnoError):
        two_left.table.tap(Uno("Ben"))
    assert Pass() not in [line.move for line in two_left.view.history]
