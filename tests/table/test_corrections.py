"""One tap corrects one ruling: taken back as a whole, removed, drawn first, or reported late."""

from __future__ import annotations

import pytest

from companion.cards import Color
from companion.referee.errors import DoesNotMatchError, RefereeError
from companion.referee.moves import ChooseColor, Draw, Pass, Play
from companion.storage.journal import ReadBy
from companion.storage.store import Store
from companion.table.presentation.view import Known, QuestionKind
from companion.table.session.errors import NobodysMoveError
from companion.table.session.table import Table
from companion.vision.core.events import PileKind, PileReached

from .conftest import Game, card, header
from .restarts import started_again, unlike
from .test_arms import ArmsGame
from .test_arms import arms as arms  # the fixture


def test_undo_reverts_everything_one_ruling_wrote(arms: ArmsGame, store: Store) -> None:
    before = arms.moves
    arms.lay("Ben", "red 3")
    arms.table.answer(arms.question.id, 0)  # Ann drew and passed
    arms.lay("Cy", "wild")
    arms.lay("Ann", "blue 4")
    assert arms.moves[-3:] == ["Cy Play", "Cy ChooseColor", "Ann Play"]
    ruled = arms.view.state
    arms.table.undo()
    assert arms.moves[-1:] == ["Cy Play"], "the colour was inferred from the card"
    other = Table(store)
    other.resume()
    other.redo()
    assert other.view().state == ruled, "one tap makes all of it again, after a restart too"
    arms.table.redo()
    assert arms.view.state == ruled
    while len(arms.moves) > len(before):
        arms.table.undo()
    assert arms.moves == before


def test_tapped_moves_are_undone_one_by_one(arms: ArmsGame) -> None:
    count = len(arms.moves)
    arms.table.tap(Draw())
    arms.table.tap(Pass())
    arms.table.undo()
    assert len(arms.moves) == count + 1


def test_two_moves_of_one_tap_are_undone_and_redone_together(arms: ArmsGame) -> None:
    count = len(arms.moves)
    arms.table.tap(Draw(), then=Pass())
    arms.table.tap(Play(card("wild")), then=ChooseColor(Color.BLUE))
    ruled = arms.view.state
    arms.table.undo()
    assert arms.moves[count:] == ["Ann Draw", "Ann Pass"]
    arms.table.redo()
    assert arms.view.state == ruled
    arms.table.undo()
    arms.table.undo()
    assert len(arms.moves) == count


def test_a_second_move_of_a_tap_that_is_not_legal_is_left_out(arms: ArmsGame) -> None:
    count = len(arms.moves)
    arms.table.tap(Play(card("red 3")), then=ChooseColor(Color.BLUE))
    assert arms.moves[count:] == ["Ann Play"]


def test_the_caption_of_an_amendment_says_what_it_changed(arms: ArmsGame) -> None:
    arms.lay("Ann", "red 3")
    n = len(arms.moves)
    arms.lay("Ben", "red 4")
    (ruling,) = arms.table.amend(n, Play(card("red 6"))).rulings
    assert ruling.sentences[0] == "Ann: red 6 instead of red 3."


def test_one_tap_states_that_a_card_was_drawn_first(arms: ArmsGame) -> None:
    arms.lay("Ann", "red 3")
    n = len(arms.moves)
    arms.lay("Ben", "red 4")
    state = arms.view.state
    assert state is not None
    arms.table.say_drew(n)
    assert arms.moves[n - 1 :] == ["Ann Draw", "Ann Play", "Ben Play"]
    after = arms.view
    assert after.state is not None
    assert after.state.hands[0] == state.hands[0] + 1
    assert (after.state.actor, after.history[n - 1].known) == ("Cy", Known.TAPPED)
    with pytest.raises(NobodysMoveError):
        arms.table.say_drew(n + 1)  # it was drawn first already
    with pytest.raises(NobodysMoveError):
        arms.table.say_drew(1)


def test_missed_card_is_inserted_before_a_move(arms: ArmsGame) -> None:
    count = len(arms.moves)
    arms.lay("Ann", "red 3")
    arms.lay("Cy", "red 4")  # Ben's red 5 was missed
    arms.table.answer(arms.question.id, 0)
    arms.lay("Ann", "red 6")
    assert arms.moves[count:] == ["Ann Play", "Ben Draw", "Ben Pass", "Cy Play", "Ann Play"]
    arms.table.say_missed(count + 2, card("red 5"))
    assert arms.moves[count:] == ["Ann Play", "Ben Play", "Cy Play", "Ann Play"]
    assert arms.view.history[count + 1].move == Play(card("red 5"))
    with pytest.raises(DoesNotMatchError):
        arms.table.say_missed(count + 2, card("blue 9"))
    with pytest.raises(NobodysMoveError):
        arms.table.say_missed(1, card("red 5"))


def test_removed_move_recomputes_later_ones(arms: ArmsGame) -> None:
    arms.reach("Ann")
    arms.lay("Ann", "red 3")
    n = arms.moves.index("Ann Draw", len(arms.moves) - 2) + 1
    arms.lay("Ben", "red 4")
    arms.table.drop(n)
    assert arms.moves[n - 1 :] == ["Ann Play", "Ben Play"]
    assert [line.read_by for line in arms.view.history[n - 1 :]] == [ReadBy.CAMERA] * 2
    with pytest.raises(NobodysMoveError):
        arms.table.drop(1)


def test_removing_a_card_shows_who_had_drawn(arms: ArmsGame) -> None:
    arms.lay(None, "red 3")  # a shadow, taken for Ann's card
    n = len(arms.moves)
    arms.lay("Ben", "red 4")
    arms.table.drop(n)
    assert arms.moves[n - 1 :] == ["Ann Draw", "Ann Pass", "Ben Play"]


def test_late_draw_is_evaluated_at_its_time(arms: ArmsGame) -> None:
    drawn = arms.now + 3
    arm = arms.arm("Ann")
    arms.lay("Ben", "red 3")
    assert arms.question.kind is QuestionKind.TURN
    arms.table.see(PileReached(drawn, drawn - 1, arm, PileKind.DRAW, (0.02, 0.98)))
    assert not arms.view.questions
    assert arms.moves[-3:] == ["Ann Draw", "Ann Pass", "Ben Play"]
    assert arms.view.history[-3].known is Known.SEEN


def test_color_below_a_wild_draw_four_is_not_asked_for(arms: ArmsGame) -> None:
    arms.lay("Ann", "wild")
    arms.lay("Ben", "wild draw four")
    assert not arms.view.questions
    assert (arms.top, arms.actor) == ("wild draw four", "Ben")


def test_typed_card_implies_the_color_named_before(store: Store) -> None:
    game = Game(store)
    game.table.start_match(header("classic"))
    game.land("red 1")
    game.land("wild")
    game.table.tap(Play(card("blue 4")))
    colors = [line.move.color for line in game.view.history if isinstance(line.move, ChooseColor)]
    assert colors == [Color.BLUE]
    assert game.top == "blue 4"


def test_pass_tapped_during_a_question_precedes_the_cards(game: Game, store: Store) -> None:
    game.table.tap(Draw())
    game.land({"red 3": 0.6, "red 8": 0.4})
    game.land({"red 5": 0.6, "red 6": 0.4})
    game.table.tap(Pass())
    assert [line.move for line in game.view.history[1:]] == [Draw(), Pass()]
    assert game.actor == "Ben"
    assert unlike(game.table, started_again(game.table, store, game.now)) == []
    game.answer("red 3")
    game.answer("red 5")
    assert [line.player for line in game.view.history[1:]] == ["Ann", "Ann", "Ben", "Cy"]


def test_draw_tapped_during_a_question_precedes_the_card(store: Store) -> None:
    game = Game(store)
    game.table.start_match(header("classic", hand_size=1))
    game.land("red 7")
    game.land({"red 3": 0.6, "red 8": 0.4})
    game.table.tap(Draw())
    assert game.view.history[-1].move == Draw()
    assert unlike(game.table, started_again(game.table, store, game.now)) == []
    game.answer("red 3")
    assert [line.player for line in game.view.history[1:]] == ["Ann", "Ann"]


def test_pass_that_fits_nowhere_among_pending_cards_is_refused(game: Game) -> None:
    game.land({"red 3": 0.6, "red 8": 0.4})
    before = game.view
    with pytest.raises(RefereeError):
        game.table.tap(Pass())
    assert game.view == before
