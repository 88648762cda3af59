"""Only what lies on this table now touches a match: the camera waits during lessons, after restarts and for films."""

from __future__ import annotations

import ast
from pathlib import Path

import companion
from companion.referee.moves import Draw
from companion.store import Store
from companion.table import CameraPause, Table
from companion.vision.core.events import CameraHealth, CameraStatus, CardLanded, PileGone

from .conftest import Game, header, probabilities
from .test_arms import ArmsGame
from .test_arms import arms as arms

_ROOT = Path(companion.__file__).parent


def test_paused_camera_does_not_touch_the_match(game: Game) -> None:
    before = (game.view.history, game.view.state)
    game.table.pause_camera(CameraPause.LESSON)
    for name in ("red 3", "blue 3", "red 3"):
        game.land(name)
    game.lift("red 7")
    game.table.see(PileGone(0.0))
    assert (game.view.history, game.view.state) == before
    assert (game.view.questions, game.view.camera_pause) == ((), CameraPause.LESSON)


def test_paused_camera_reports_its_health(game: Game) -> None:
    game.table.pause_camera(CameraPause.LESSON)
    game.table.see(CameraStatus(0.0, CameraHealth.GONE, "The camera is gone."))
    assert game.view.camera.health is CameraHealth.GONE


def test_taps_count_while_the_camera_is_paused(game: Game) -> None:
    game.table.pause_camera(CameraPause.LESSON)
    game.table.tap(Draw())
    assert len(game.view.history) == 2


def test_camera_counts_again_after_one_tap_and_asks_first(game: Game) -> None:
    game.table.pause_camera(CameraPause.LESSON)
    game.land("blue 9")
    game.table.go_on(CameraPause.LESSON)
    assert game.view.camera_pause is None
    game.land("red 7")
    assert (game.view.questions, len(game.view.history)) == ((), 1)
    game.table.pause_camera(CameraPause.LESSON)
    game.table.go_on(CameraPause.LESSON)
    game.land("red 3")
    assert len(game.view.history) == 1
    assert game.question.sentence == "On the table lies a red 3. Is that so?"


def test_resumed_match_can_wait_for_a_tap(game: Game) -> None:
    other = Table(game.store)
    assert other.resume(wait=True) == game.table.match_id
    assert other.view().camera_pause is CameraPause.RESUMED
    other.see(CardLanded(0.0, probabilities("red 3")))
    assert len(other.view().history) == 1
    other.go_on(CameraPause.RESUMED)
    other.see(CardLanded(1.0, probabilities("red 7")))
    other.see(CardLanded(2.0, probabilities("red 3")))
    assert len(other.view().history) == 2


def test_other_source_can_wait_for_a_tap(game: Game) -> None:
    game.table.camera_changed(wait=True)
    assert game.view.camera_pause is CameraPause.CHANGED
    game.land("red 3")
    assert (len(game.view.history), game.view.questions) == (1, ())


def test_without_a_match_nothing_waits(store: Store) -> None:
    table = Table(store)
    table.camera_changed(wait=True)
    assert table.resume(wait=True) is None
    assert table.view().camera_pause is None


def test_new_match_starts_with_the_camera(game: Game) -> None:
    game.table.pause_camera(CameraPause.CHANGED)
    game.table.start_match(header())
    assert game.view.camera_pause is None
    game.land("red 4")
    assert game.top == "red 4"


def test_card_of_a_lesson_is_no_start_card(store: Store) -> None:
    table = Table(store)
    table.pause_camera(CameraPause.LESSON)
    table.see(CardLanded(0.0, probabilities("red 7")))
    table.go_on(CameraPause.LESSON)
    table.start_match(header())
    assert table.view().questions == ()


def test_end_of_a_lesson_keeps_another_pause(game: Game) -> None:
    game.table.camera_changed(wait=True)
    game.table.pause_camera(CameraPause.LESSON)
    game.table.go_on(CameraPause.LESSON)
    assert game.view.camera_pause is CameraPause.CHANGED


def test_arms_during_a_pause_are_forgotten(arms: ArmsGame) -> None:
    arms.table.pause_camera(CameraPause.LESSON)
    arms.reach("Ann")
    arms.table.go_on(CameraPause.LESSON)
    arms.lay("Ann", "red 3")
    assert arms.moves[-1] == "Ann Play"
    assert "Ann Draw" not in arms.moves[-2:]


def test_every_path_of_a_sight_to_the_table_is_listed() -> None:
    found = set()
    for path in _ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            called = node.func if isinstance(node, ast.Call) else None
            if isinstance(called, ast.Attribute) and called.attr == "see" and "table" in ast.unparse(called.value):
                found.add(path.relative_to(_ROOT).as_posix())
    assert found == {"server/services/services.py", "bench/simulation/match_run.py"}
