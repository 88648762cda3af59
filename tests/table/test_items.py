"""Arms after an item box, and the colour of a wild that nobody named."""

from __future__ import annotations

import pytest

from companion.cards import Color
from companion.referee.moves import Catch, Challenge, ChooseColor, Count, Creeper, Flip, Judge, Target
from companion.storage.store import Store
from companion.table.presentation.view import QuestionKind
from companion.vision.core.events import CardLanded, CardTakenBack, PileGone

from .conftest import header, probabilities
from .test_arms import ArmsGame


@pytest.fixture
def boxed(store: Store) -> ArmsGame:
    """A match of Mario Kart with known seats; Ann has laid an item box."""
    game = ArmsGame(store)
    game.table.start_match(header("mario-kart"))
    game.lay(None, "red 1")
    for name in ("red 2", "red 3", "red 4", "red 5", "red 6", "red 7"):
        game.lay(("Ann", "Ben", "Cy")[len(game.view.history[1:]) % 3], name)
    game.lay("Ann", "wild item box")
    return game


def test_arm_going_on_from_the_draw_pile_turned_a_card_up(boxed: ArmsGame) -> None:
    boxed.reach("Ann")
    boxed.now -= 4.5  # the same arm, which has not left
    boxed.lay("Ann", "blue 3")
    assert isinstance(boxed.view.history[-1].move, Flip)
    assert boxed.moves[-2:] == ["Ann Play", "Ann Flip"]


def test_several_arms_take_cards_after_lightning(boxed: ArmsGame) -> None:
    boxed.lay("Ann", "blue 4")
    assert [seat.owed - seat.taken for seat in boxed.view.seats] == [0, 1, 1]
    count = len(boxed.moves)
    for who in ("Cy", "Ben"):
        boxed.reach(who)
    assert [seat.owed - seat.taken for seat in boxed.view.seats] == [0, 0, 0]
    assert len(boxed.moves) == count, "nobody has drawn on a turn"


@pytest.mark.parametrize(("took", "reminded"), [("Cy", 0), (None, 2)])
def test_hidden_players_are_not_reminded_after_lightning(boxed: ArmsGame, took: str | None, reminded: int) -> None:
    boxed.reach("Ann", 0.97, 0.03)  # so the draw pile is in view
    boxed.lay("Ann", "blue 4")
    if took is not None:
        boxed.reach(took)
    heard = boxed.table.subscribe()
    boxed.now += 26
    boxed.table.retry()
    sentences = [update.sentences for update in iter(lambda: heard.next(0), None) if update is not None]
    assert len(sentences) == reminded
    assert sum(seat.owed - seat.taken for seat in boxed.view.seats) == reminded


def test_next_arm_at_the_draw_pile_was_hit_by_the_shell(boxed: ArmsGame) -> None:
    boxed.lay("Ann", "green 1")
    boxed.reach("Cy")
    boxed.lay("Ben" if boxed.actor == "Ben" else "Ann", "green 5")
    hit = [line.move.player for line in boxed.view.history if isinstance(line.move, Target)]
    assert hit == ["Cy"]


@pytest.fixture
def wild(store: Store) -> ArmsGame:
    """A match with creepers and known seats, in which Ben drew and Ann laid a wild draw four."""
    game = ArmsGame(store)
    game.table.start_match(header("minecraft"))
    game.lay(None, "red 1")
    for name in ("red 2", "red 3", "red 4", "red 5", "red 6", "red 7"):
        game.lay(("Ann", "Ben", "Cy")[len(game.view.history[1:]) % 3], name)
    game.lay("Ann", "red 8")
    game.reach("Ben")
    game.lay("Cy", "red 9")
    game.lay("Ann", "wild draw four")
    return game


def test_showing_a_creeper_implies_taken_wild_draw_four(wild: ArmsGame) -> None:
    wild.table.tap(Creeper("Ben"))
    wild.lay("Cy", "blue 5")
    assert [name.split()[-1] for name in wild.moves[-5:]] == ["Play", "ChooseColor", "Accept", "Creeper", "Play"]


def test_creeper_shown_on_turn_implies_a_draw_reported_later(wild: ArmsGame) -> None:
    wild.reach("Ben", 0.02, 0.02, 0.02, 0.02, 0.92)
    wild.lay("Cy", "blue 5")
    wild.lay("Ann", "blue 6")
    count = len(wild.moves)
    wild.table.tap(Creeper("Ben"))
    wild.now -= 4
    wild.reach("Ben")
    assert wild.moves[count:] == ["Ben Draw", "Ben Creeper"]
    assert [seat.owed - seat.taken for seat in wild.view.seats][1] == 3
    wild.reach("Ben", 0.05, 0.05, 0.05, 0.85)
    wild.lay("Cy", "blue 8")
    assert wild.moves[count:] == ["Ben Draw", "Ben Creeper", "Ben Pass", "Cy Play"]


def test_creeper_among_owed_cards_is_no_draw_on_turn(store: Store) -> None:
    """With two players, the one who lays a skip is on turn again, and was caught without calling UNO."""
    game = ArmsGame(store)
    game.table.start_match(header("minecraft", "Ann Ben"))
    game.lay(None, "red 1")
    for name in ("red 2", "red 3", "red 4", "red 5"):
        game.lay(("Ann", "Ben")[len(game.view.history[1:]) % 2], name)
    game.table.tap(Count("Ann", 2))
    game.lay("Ann", "red skip")
    game.table.tap(Catch("Ann"))
    game.table.tap(Creeper("Ann"))
    assert [name.split()[-1] for name in game.moves[-3:]] == ["Play", "Catch", "Creeper"]


def test_color_covered_by_an_unsure_wild_is_not_asked_for(wild: ArmsGame) -> None:
    wild.table.tap(Challenge(by="Ben"))
    assert wild.question.kind is QuestionKind.COLOR
    wild.table.tap(Judge(guilty=True))
    wild.now += 5
    unsure = probabilities({"wild": 0.8, "wild creeper": 0.2})
    wild.table.see(CardLanded(wild.now, unsure, arm=wild.arm("Ben")))
    assert wild.question.kind is QuestionKind.CARD
    assert [name.split()[-1] for name in wild.moves[-3:]] == ["ChooseColor", "Challenge", "Judge"]


def test_top_card_seen_again_implies_no_color(wild: ArmsGame) -> None:
    count = len(wild.moves)
    wild.reach("Ben", 0.02, 0.02, 0.02, 0.02, 0.92)
    wild.table.see(PileGone(wild.now + 1))
    wild.lay("Ann", "wild draw four")
    assert len(wild.moves) == count
    wild.lay("Cy", "blue 5")
    assert ChooseColor(Color.BLUE) in [line.move for line in wild.view.history]


def test_color_is_inferred_again_after_its_card_is_taken_back(wild: ArmsGame) -> None:
    wild.reach("Ben", 0.02, 0.02, 0.02, 0.02, 0.92)
    wild.lay("Cy", "green 5")
    assert ChooseColor(Color.GREEN) in [line.move for line in wild.view.history]
    wild.table.see(CardTakenBack(wild.now + 2, probabilities("wild draw four")))
    assert wild.moves[-1] == "Ann Play", "green 5 may not have matched"
    wild.lay("Cy", "blue 8")
    assert [name.split()[-1] for name in wild.moves[-4:]] == ["Play", "ChooseColor", "Accept", "Play"]
    assert wild.view.history[-3].move == ChooseColor(Color.BLUE)
    assert [seat.owed for seat in wild.view.seats] == [0, 0, 0], "Ben has taken his four"


def test_color_named_by_people_stays_after_a_take_back(wild: ArmsGame) -> None:
    wild.table.tap(ChooseColor(Color.GREEN))
    wild.lay("Cy", "green 5")
    wild.table.see(CardTakenBack(wild.now + 2, probabilities("wild draw four")))
    assert ChooseColor(Color.GREEN) in [line.move for line in wild.view.history]


def test_color_is_inferred_again_after_take_back_and_draw(store: Store) -> None:
    game = ArmsGame(store)
    game.table.start_match(header("classic"))
    game.lay(None, "red 1")
    for name in ("red 2", "red 3", "red 4", "red 5", "red 6", "red 7", "wild"):
        game.lay(("Ann", "Ben", "Cy")[len(game.view.history[1:]) % 3], name)
    count = len(game.moves)
    game.reach("Ben")
    game.lay("Cy", "green 5")
    assert game.moves[count:] == ["Ann ChooseColor", "Ben Draw", "Ben Pass", "Cy Play"]
    game.table.see(CardTakenBack(game.now + 2, probabilities("wild")))
    assert game.moves[count:] == ["Ann ChooseColor", "Ben Draw", "Ben Pass"]
    game.lay("Cy", "yellow 8")
    assert game.view.questions == ()
    assert game.moves[count:] == ["Ann ChooseColor", "Ben Draw", "Ben Pass", "Cy Play"]
    assert [line.move for line in game.view.history][count:][0] == ChooseColor(Color.YELLOW)
