"""The first look of a camera at a running match: it agrees with the known top card or asks, and rules nothing."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

import companion
from companion.cards import Card
from companion.referee.moves import Draw, Pass, Play
from companion.storage.journal import ReadBy
from companion.storage.store import Store
from companion.table.presentation.view import QuestionKind, Turns
from companion.vision.core.events import CameraHealth, CameraStatus, CardLanded

from .conftest import Game, header, probabilities
from .restarts import started_again, unlike
from .test_arms import ArmsGame
from .test_arms import arms as arms


def _switched_on(game: Game) -> None:
    game.table.camera_changed()


def _restarted(game: Game) -> None:
    assert game.store is not None
    game.table = started_again(game.table, game.store, game.now)


def _covered(game: Game) -> None:
    game.table.see(CameraStatus(0.0, CameraHealth.GONE, "The camera is gone."))
    game.table.see(CameraStatus(0.0, CameraHealth.OK))


@pytest.fixture(params=[_switched_on, _restarted, _covered])
def gap(request: pytest.FixtureRequest) -> Callable[[Game], None]:
    """Return a function that interrupts the camera's view of the table."""
    interrupt: Callable[[Game], None] = request.param
    return interrupt


def _cards(game: Game) -> list[str]:
    return [line.move.card.name for line in game.view.history if isinstance(line.move, Play)]


def test_known_top_card_is_neither_asked_about_nor_played(game: Game, gap: Callable[[Game], None]) -> None:
    gap(game)
    game.land("red 7")
    assert (game.view.questions, len(game.view.history)) == ((), 1)
    game.land("red 3")
    assert _cards(game) == ["red 3"]


def test_certain_other_card_is_asked_about_once(game: Game, gap: Callable[[Game], None]) -> None:
    gap(game)
    game.land("red 3")
    assert (game.top, _cards(game)) == ("red 7", [])
    assert game.question.kind is QuestionKind.CARD
    assert game.question.sentence == "On the table lies a red 3. Is that so?"
    game.answer("red 3")
    assert (game.view.questions, _cards(game), game.read_by[-1]) == ((), ["red 3"], ReadBy.CAMERA)


def test_answer_no_leaves_the_match_unchanged(game: Game, gap: Callable[[Game], None]) -> None:
    gap(game)
    game.land("red 3")
    game.answer(game.labels.index("No card"))
    assert (game.view.questions, game.top, _cards(game)) == ((), "red 7", [])


def test_next_cards_do_not_rule_on_a_first_look(game: Game, gap: Callable[[Game], None]) -> None:
    gap(game)
    game.land("red 3")
    game.land("red 5")
    assert _cards(game) == []
    assert len(game.view.questions) == 1
    game.answer("red 3")
    assert _cards(game) == ["red 3", "red 5"]


def test_card_that_does_not_match_offers_missed_cards(game: Game, gap: Callable[[Game], None]) -> None:
    gap(game)
    game.land("blue 5")
    assert game.question.kind is QuestionKind.CARD, "what was missed is no illegal play"
    choice = game.labels.index("Yes, after a red 5 that was missed")
    assert "Yes, after a blue 7 that was missed" in game.labels
    assert _cards(game) == []
    reading = game.question.picture
    game.answer(choice)
    assert (_cards(game), game.view.questions) == (["red 5", "blue 5"], ())
    assert [line.picture for line in game.view.history[-2:]] == [None, reading]
    assert game.actor == "Cy"


def test_question_survives_a_restart(game: Game, gap: Callable[[Game], None]) -> None:
    gap(game)
    game.land("blue 5")
    assert game.store is not None
    assert unlike(game.table, started_again(game.table, game.store, game.now)) == []


def test_card_seen_landing_from_an_arm_is_ruled_on(arms: ArmsGame, store: Store) -> None:
    arms.table = started_again(arms.table, store, arms.now)
    arms.lay("Ann", "red 3")
    assert (arms.top, arms.view.questions) == ("red 3", ())


def test_question_about_missed_cards_names_existing_cards(game: Game) -> None:
    _switched_on(game)
    game.land("blue 5")
    assert game.view.state is not None
    deck = game.view.state.header.edition.deck
    assert all(choice.card is None or choice.card in deck for choice in game.question.choices)
    assert all(
        isinstance(entry.card, Card) for c in game.question.choices for entry in c.entries if isinstance(entry, Play)
    )


# Calls of `see` that have nothing to do with a match: whether cards fit a deck, and what arms and piles look like.
_NO_TABLE = {"self._fit", "fits", "fit", "self._quiet", "self._hindsight"}


def _leads_to_a_match(call: ast.Call) -> bool:
    """Whether a call hands on what a camera saw, or a picture with a tap."""
    if not isinstance(call.func, ast.Attribute):
        return False
    receiver, arguments = ast.unparse(call.func.value), len(call.args) + len(call.keywords)
    if call.func.attr == "tap":
        return receiver.endswith("table") and arguments > 1
    return call.func.attr == "camera_saw" or (call.func.attr == "see" and receiver not in _NO_TABLE)


def test_every_path_of_a_sight_to_the_table_is_listed() -> None:
    root, found = Path(companion.__file__).parent, set()
    for path in root.rglob("*.py"):
        for function in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(function, ast.FunctionDef):
                calls = (node for node in ast.walk(function) if isinstance(node, ast.Call) and _leads_to_a_match(node))
                found |= {(path.relative_to(root).as_posix(), function.name, ast.unparse(one.func)) for one in calls}
    assert found == {
        # The camera that is watched, unless it is held; a lesson holds it (tests/server/test_holding.py).
        ("server/capture/camera.py", "_watch", "listener.camera_saw"),
        ("server/capture/camera.py", "_turns", "self._camera.listener.camera_saw"),
        ("server/services/services.py", "camera_saw", "self.table.see"),
        # Taps with a picture: a scanned hand.
        ("server/routes/play.py", "tap", "services().table.tap"),
        ("server/services/selfplay.py", "_agree", "self._services.table.tap"),
        # Films that are written down, without a table.
        ("commands/follow.py", "_as_it_goes", "transcriber.see"),
        ("table/hypotheses/transcriber.py", "transcribe", "reading.transcriber.see"),
        ("bench/simulation/match_run.py", "play", "table.see"),
    }


def test_a_card_that_lies_there_after_the_dark_is_asked_about(game: Game) -> None:
    """A covered lens is noticed by the tracker alone, without a status of the camera."""
    game.now += 1
    game.table.see(CardLanded(0.0, probabilities("red 3"), after_dark=True))
    assert (game.top, _cards(game)) == ("red 7", [])
    assert game.question.sentence == "On the table lies a red 3. Is that so?"


def test_a_tap_out_of_turn_is_not_confirmed_by_the_same_players_next_tap(store: Store) -> None:
    """Ann played while the camera saw nothing; Ben taps that he drew and passes. Whether Ann passed stays open."""
    game = Game(store)
    game.table.start_match(header("classic"), turns=Turns.CAMERA)
    game.land("red 7")
    for move in (Draw(by="Ben"), Pass(by="Ben")):
        game.table.tap(move)
        assert game.question.kind is QuestionKind.TURN
    assert (len(game.view.history), game.actor) == (1, "Ann")


def test_a_card_found_after_a_gap_precedes_a_tap_that_seemed_out_of_turn(store: Store) -> None:
    """Ann played while the camera saw nothing; Ben taps that he drew before the camera reports her card."""
    game = Game(store)
    game.table.start_match(header("classic"), turns=Turns.CAMERA)
    game.land("red 7")
    _covered(game)
    game.table.tap(Draw(by="Ben"))
    assert game.question.kind is QuestionKind.TURN
    game.land("red 3")
    assert game.question.sentence == "On the table lies a red 3. Is that so?"
    game.table.tap(Pass(by="Ben"))
    assert _cards(game) == []
    game.answer("red 3")
    assert [(type(line.move), line.player) for line in game.view.history[1:]] == [
        (Play, "Ann"),
        (Draw, "Ben"),
        (Pass, "Ben"),
    ]


def test_the_card_below_the_known_one_may_be_seen_again_after_a_gap(game: Game, gap: Callable[[Game], None]) -> None:
    game.land("red 3")
    gap(game)
    game.land("red 7")
    assert (game.top, _cards(game)) == ("red 3", ["red 3"])
    assert game.question.sentence == "On the table lies a red 7. Is that so?"
    game.answer(game.labels.index("red 7 is on top again"))
    assert (game.top, _cards(game), game.actor) == ("red 7", [], "Ann")


def test_who_names_a_card_that_does_not_match_names_no_missed_one(game: Game, gap: Callable[[Game], None]) -> None:
    gap(game)
    game.land("blue 5")
    game.answer("blue 5")
    assert (game.question.kind, _cards(game)) == (QuestionKind.ILLEGAL, [])
