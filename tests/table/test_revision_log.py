"""Recent rulings are revised when later observations contradict them, or when an observation arrives late."""

from __future__ import annotations

import gc
from dataclasses import replace

import pytest

from companion.referee.moves import Undo
from companion.storage.journal import ReadBy
from companion.storage.store import Store
from companion.table.hypotheses.finding import Hypothesis
from companion.table.presentation.updates import UpdateKind
from companion.table.session.table import Table
from companion.table.state.situation import Situation, Way
from companion.vision.core.events import CardLanded, PileKind, PileReached

from .conftest import header, probabilities
from .test_arms import ArmsGame, arms

__all__ = ["arms"]


@pytest.fixture
def mistaken(store: Store) -> ArmsGame:
    """Only Cy's seat is known: Ann drew and passed unseen, and Ben was taken for her."""
    game = ArmsGame(store)
    game.table.start_match(header("classic"))
    game.lay("Cy", "red 1")
    game.lay("Ben", "red 2", off=-60)
    assert game.moves == ["Start", "Ann Play"]
    return game


def test_next_card_corrects_a_misattributed_player(mistaken: ArmsGame) -> None:
    for who, name in (("Cy", "red 3"), ("Ann", "red 4"), ("Ben", "red 5")):
        mistaken.lay(who, name, off=-60 if who == "Ben" else 0)
    assert mistaken.view.questions == ()
    assert mistaken.moves == ["Start", "Ann Draw", "Ann Pass", "Ben Play", "Cy Play", "Ann Play", "Ben Play"]


def test_correction_is_announced_once_and_stored(mistaken: ArmsGame, store: Store) -> None:
    updates = mistaken.table.subscribe()
    for who, name in (("Cy", "red 3"), ("Ann", "red 4"), ("Ben", "red 5")):
        mistaken.lay(who, name, off=-60 if who == "Ben" else 0)
    result = list(iter(lambda: updates.next(0), None))
    assert sum(update.kind is UpdateKind.CORRECTED for update in result) == 1
    match_id = mistaken.table.match_id
    assert match_id is not None
    undone = [line for line in store.load(match_id).lines if isinstance(line.entry, Undo)]
    assert {line.read_by for line in undone} == {ReadBy.INFERRED}
    again = Table(store)
    again.resume(match_id)
    assert [line.move for line in again.view().history] == [line.move for line in mistaken.view.history]


def late_draw(arms: ArmsGame) -> PileReached:
    """Return the report that Ann goes to the draw pile a second from now."""
    drew = arms.now + 1
    return PileReached(drew, drew - 0.5, replace(arms.arm("Ann"), track=0), PileKind.DRAW, (0.05, 0.9, 0.05))


def test_late_draw_is_inserted_at_its_time(arms: ArmsGame) -> None:
    late = late_draw(arms)
    arms.lay("Ann", "red 3")
    arms.table.see(late)
    assert arms.moves[-2:] == ["Ann Draw", "Ann Play"]
    assert arms.top == "red 3"


def test_events_of_another_camera_are_not_late(arms: ArmsGame) -> None:
    arms.table.camera_changed()
    arms.now -= 40
    arms.reach("Ann")
    assert arms.moves[-1] == "Ann Draw"


def test_rulings_can_be_revised_after_a_restart(mistaken: ArmsGame, store: Store) -> None:
    mistaken.table = Table(store, clock=lambda: mistaken.now)
    mistaken.table.resume()
    for who, name in (("Cy", "red 3"), ("Ann", "red 4"), ("Ben", "red 5")):
        mistaken.lay(who, name, off=-60 if who == "Ben" else 0)
    assert mistaken.moves == ["Start", "Ann Draw", "Ann Pass", "Ben Play", "Cy Play", "Ann Play", "Ben Play"]


def test_wild_draw_four_is_not_asked_about_if_play_continues(arms: ArmsGame) -> None:
    arms.lay("Ann", "wild draw four")
    arms.lay("Cy", "blue 3")
    assert arms.view.questions == ()
    assert arms.moves[-4:] == ["Ann Play", "Ann ChooseColor", "Ben Accept", "Cy Play"]


def test_named_card_is_not_asked_about_again(arms: ArmsGame) -> None:
    arms.now += 5
    arms.table.see(CardLanded(arms.now, probabilities({"red 3": 0.6, "red 8": 0.35}), arm=arms.arm("Ben")))
    arms.answer("red 8")
    assert arms.view.questions == ()
    assert arms.top == "red 8"


def test_peoples_statements_are_not_revised(arms: ArmsGame) -> None:
    late = late_draw(arms)
    arms.lay("Ann", "red 3")
    arms.table.say_who(len(arms.view.history), "Ann")
    before = arms.moves
    arms.table.see(late)
    assert arms.moves == before


def held(kind: type) -> int:
    """Return the number of live objects of a type."""
    gc.collect()
    return sum(isinstance(one, kind) for one in gc.get_objects())


@pytest.mark.slow
def test_stored_state_does_not_grow_with_the_match(arms: ArmsGame) -> None:
    counts = []
    for turn in range(24):
        who = ("Ann", "Ben", "Cy")[turn % 3]
        arms.reach(who)
        arms.lay(who, f"red {2 + turn % 8}")
        if turn in (7, 23):
            counts.append([held(kind) for kind in (Situation, Way, Hypothesis)])
    assert all(late <= 2 * early for early, late in zip(*counts, strict=True)), counts
