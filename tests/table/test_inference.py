"""From observations and taps to rulings where they are clear, and questions elsewhere; no reading is bent."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from companion.cards import Color
from companion.referee.errors import (
    DoesNotMatchError,
    NothingToUndoError,
    NotInThisEditionError,
    NotYourTurnError,
    WrongPhaseError,
)
from companion.referee.match import Match
from companion.referee.moves import (
    Accept,
    Challenge,
    ChooseColor,
    Draw,
    Flip,
    Pass,
    Play,
    Reshuffle,
    Start,
    Target,
)
from companion.referee.state import Phase
from companion.storage.journal import Journal, Line, ReadBy
from companion.table.hypotheses.hypotheses import ways
from companion.table.presentation.updates import UpdateKind
from companion.table.presentation.view import QuestionKind, Turns
from companion.table.session.errors import NoMatchError, NoSuchQuestionError, NothingToTakeBackError
from companion.table.session.table import Table
from companion.table.state.observations import Pending, Tap
from companion.table.state.situation import Mode, situation
from companion.vision.core.events import CameraHealth, CameraStatus, CardLanded, PileGone, PileMoved

from .conftest import Game, card, header, probabilities

Begin = Callable[..., Game]


def test_clear_card_is_ruled_on_at_once(game: Game) -> None:
    subscription = game.table.subscribe(0)
    game.land("red skip")
    assert (game.top, game.actor) == ("red skip", "Cy")
    assert game.read_by == [ReadBy.CAMERA, ReadBy.CAMERA]
    said = []
    while update := subscription.next(timeout=0):
        said += update.sentences
    assert said == ["Ann begins.", "Ben is skipped."]


def test_card_from_before_the_match_is_timed_at_its_start() -> None:
    game = Game(None)
    game.land("red 7")
    game.now += 3600
    game.table.start_match(header())
    game.answer(0)
    assert [line.time for line in game.view.history] == [game.now]


def test_rules_decide_between_similar_cards(game: Game) -> None:
    game.land({"red 3": 0.6, "blue 3": 0.4})
    assert game.top == "red 3"


def test_close_call_is_asked_while_play_continues(game: Game) -> None:
    game.land({"red 3": 0.6, "red 8": 0.4})
    assert (game.question.kind, game.labels, game.top) == (QuestionKind.CARD, ["red 3", "red 8"], "red 7")
    game.land("blue 8")
    assert (game.top, game.view.questions) == ("blue 8", ())
    assert [line.move for line in game.view.history][1:] == [Play(card("red 8")), Play(card("blue 8"))]


@pytest.mark.parametrize("given", ["red 8", "red 1", 0, 1])
def test_answer_settles_the_question(game: Game, given: str | int) -> None:
    game.land({"red 3": 0.6, "red 8": 0.4})
    expected = given if isinstance(given, str) else game.labels[given]
    outcome = game.answer(given)
    assert game.top == expected
    assert outcome.rulings[0].entries == (Play(card(expected)),)


def test_typed_card_settles_the_question(game: Game) -> None:
    game.land({"red 3": 0.6, "red 8": 0.4})
    game.table.tap(Play(card("red 8")))
    assert (game.top, game.view.questions, len(game.view.history)) == ("red 8", (), 2)


def test_tap_by_the_next_player_settles_the_question(begin: Begin) -> None:
    game = begin("green 5")
    game.land({"green 9": 0.5, "green skip": 0.5})
    game.table.tap(Draw(by="Cy"))
    assert (game.top, game.actor) == ("green skip", "Cy")


def test_clear_illegal_card_is_announced_as_illegal(game: Game) -> None:
    subscription = game.table.subscribe()
    game.land({"blue 3": 0.9999, "red 3": 0.000001})
    assert game.question.kind is QuestionKind.ILLEGAL
    assert "The blue 3 does not match the red 7" in game.question.sentence
    assert (game.top, game.actor) == ("red 7", "Ann")
    update = subscription.next(timeout=0)
    assert update is not None
    assert update.kind is UpdateKind.ILLEGAL


def test_likely_illegal_card_is_asked_about(game: Game) -> None:
    game.land({"blue 3": 0.93, "red 3": 0.07})
    assert set(game.labels) == {"red 3", "blue 3"}
    game.answer("blue 3")
    assert game.question.kind is QuestionKind.ILLEGAL


@pytest.mark.parametrize(("sureness", "asked"), [(0.955, False), (0.945, True)])
def test_probable_card_is_ruled_on_and_less_probable_asked_about(game: Game, sureness: float, asked: bool) -> None:
    game.land({"red 3": sureness, "red 8": 1 - sureness})
    assert (game.top, bool(game.view.questions)) == (("red 7", True) if asked else ("red 3", False))


def test_illegal_card_may_stand(game: Game) -> None:
    game.land("blue 3")
    game.table.let_stand(game.question.id)
    assert (game.top, game.actor) == ("blue 3", "Ben")
    assert game.view.history[-1].move == Play(card("blue 3"), force=True)


def test_illegal_card_may_be_taken_back_by_tap_or_by_hand(game: Game) -> None:
    game.land("blue 3")
    game.table.take_back()
    assert (game.top, game.view.questions) == ("red 7", ())
    game.lift("red 7")
    assert (game.top, game.view.questions) == ("red 7", ())
    game.land("blue 3")
    game.lift("red 7")
    assert (game.top, game.view.questions, len(game.view.history)) == ("red 7", (), 1)
    game.land("red 3")
    assert (game.top, game.actor) == ("red 3", "Ben")


def test_continued_play_settles_an_illegal_card(game: Game) -> None:
    game.land("blue 3")
    game.land("blue 9")
    assert [line.move for line in game.view.history][1:] == [Play(card("blue 3"), force=True), Play(card("blue 9"))]
    game.land("green 1")
    game.land("blue 2")
    assert (game.top, len(game.view.history)) == ("blue 2", 4)


def test_observations_after_an_illegal_card_are_kept(game: Game) -> None:
    game.land("blue 3")
    game.land({"red 1": 0.0001})
    assert (game.question.kind, game.question.waiting) == (QuestionKind.ILLEGAL, 0)
    game.table.take_back()
    assert (game.top, game.view.questions) == ("red 7", ())


def test_typed_illegal_card_is_refused(game: Game) -> None:
    with pytest.raises(DoesNotMatchError):
        game.table.tap(Play(card("blue 3")))
    game.land("blue 3")
    with pytest.raises(DoesNotMatchError):
        game.table.tap(Play(card("blue 3")))
    game.table.tap(Play(card("blue 3"), force=True))
    assert (game.top, game.actor) == ("blue 3", "Ben")


def test_third_copy_is_doubted(game: Game) -> None:
    game.land("red 7", same_face=True)
    game.land("red 1")
    game.land("red 7")
    assert (game.question.kind, game.top) == (QuestionKind.DOUBT, "red 1")
    assert "Another red 7?" in game.question.sentence
    game.answer("red 7")
    assert game.top == "red 7"
    assert Reshuffle() in [line.move for line in game.view.history]
    game.land("red 1")
    assert game.top == "red 1"


def test_copies_are_not_doubted_after_a_reshuffle(game: Game) -> None:
    game.land("red 7", same_face=True)
    game.land("red 1")
    game.table.see(PileGone(0.0))
    assert game.view.history[-1].move == Reshuffle()
    game.land("red 1")
    assert game.view.history[-1].move == Reshuffle(), "the top card laid down again is no play"
    game.land("red 7")
    assert game.top == "red 7"


def test_item_box_is_followed_by_its_flip(game: Game) -> None:
    game.land("wild item box")
    game.land({"blue 4": 0.999})
    assert game.view.history[-1].move == Flip(card("blue 4"))
    assert game.actor == "Ann"
    assert game.view.history[-1].sentences[0] == "Lightning!"


def test_card_taken_back_undoes_its_play_and_answers(begin: Begin) -> None:
    game = begin()
    game.land("wild draw four")
    game.table.tap(ChooseColor(Color.BLUE))
    game.lift("red 7")
    assert (game.top, game.actor, len(game.view.history)) == ("red 7", "Ann", 1)


def test_taking_back_is_asked_about_if_others_have_acted(game: Game) -> None:
    game.land("red 3")
    game.table.tap(Draw(by="Ben"))
    game.lift("red 7")
    assert game.question.kind is QuestionKind.TAKE_BACK
    game.answer(game.labels.index("red 7 is on top again"))
    assert (game.top, game.actor) == ("red 7", "Ann")


def test_unsure_card_taken_back_leaves_nothing(game: Game) -> None:
    game.land({"red 3": 0.6, "red 8": 0.4})
    game.lift("red 7")
    assert (game.top, game.actor, game.view.questions) == ("red 7", "Ann", ())


def test_nudged_or_reread_pile_changes_nothing(game: Game) -> None:
    before = game.view.state
    game.table.see(PileMoved(0.0))
    game.lift("red 7")
    game.table.see(CameraStatus(0.0, CameraHealth.GONE, "The camera is gone."))
    assert (game.view.camera.health, game.view.camera.detail) == (CameraHealth.GONE, "The camera is gone.")
    game.table.see(CameraStatus(0.0, CameraHealth.OK))
    game.land("red 7")
    assert (game.view.state, game.view.questions) == (before, ())
    game.land("red 7", same_face=True)
    assert game.actor == "Ben"


def test_typed_card_is_expected_to_be_seen(game: Game) -> None:
    game.table.tap(Play(card("red 3")))
    game.now += 3
    game.table.see(CardLanded(0.0, probabilities("red 3")))
    assert (game.actor, len(game.view.history)) == ("Ben", 2)


def test_card_named_against_the_camera_may_be_reread(game: Game) -> None:
    game.land({"wild": 0.6, "red 8": 0.1})
    game.answer("red 3")
    assert (game.top, game.read_by[-1], len(game.view.history)) == ("red 3", ReadBy.CORRECTED, 2)
    game.table.see(CardLanded(0.0, probabilities("red 3")))
    assert (game.top, len(game.view.history), game.view.questions) == ("red 3", 2, ())


def test_card_named_as_read_is_not_expected_again(game: Game) -> None:
    game.land({"red 3": 0.6, "red 8": 0.4})
    game.answer("red 3")
    assert game.read_by[-1] is ReadBy.CAMERA
    game.land("red 3", same_face=True)
    assert len(game.view.history) == 3


def test_unentered_color_is_inferred_from_the_next_card(game: Game) -> None:
    game.land("wild draw four")
    game.land("green 5")
    moves = [line.move for line in game.view.history][2:]
    assert moves == [ChooseColor(Color.GREEN), Accept(), Play(card("green 5"))]
    assert game.read_by[2:] == [ReadBy.INFERRED, ReadBy.INFERRED, ReadBy.CAMERA]
    assert game.view.ruling is not None
    assert "Nobody named the colour: it is taken to be green." in game.view.ruling.sentences


def test_color_covered_by_another_wild_is_not_asked_for(begin: Begin) -> None:
    game = begin(edition="classic")
    game.land("wild")
    game.land("wild")
    assert game.view.questions == ()
    assert [type(line.move) for line in game.view.history][1:] == [Play, ChooseColor, Play]
    assert game.view.ruling is not None
    assert not any("colour is" in sentence or "taken to be" in sentence for sentence in game.view.ruling.sentences)


def test_color_is_asked_for_without_evidence(begin: Begin) -> None:
    game = begin(edition="classic")
    game.table.set_turns(Turns.TAPPED)
    game.land("wild")
    game.land("wild")
    assert (game.question.kind, len(game.labels)) == (QuestionKind.COLOR, 4)
    game.answer(game.labels.index("blue"))
    assert [line.move for line in game.view.history][2:] == [ChooseColor(Color.BLUE), Play(card("wild"))]


def test_color_is_inferred_across_draws(begin: Begin) -> None:
    game = begin(edition="classic")
    game.land("wild")
    game.table.tap(Draw())
    game.table.tap(Pass())
    game.land("yellow 2")
    assert [line.move for line in game.view.history][2:] == [
        ChooseColor(Color.YELLOW),
        Draw(),
        Pass(),
        Play(card("yellow 2")),
    ]
    assert game.view.questions == ()


def test_unentered_target_is_asked_for(game: Game) -> None:
    game.land("wild item box")
    game.land("green 4")
    game.land("green 6")
    assert (game.question.kind, sorted(game.labels)) == (QuestionKind.TARGET, ["Ann", "Ben", "Cy"])
    game.answer(game.labels.index("Cy"))
    assert [line.move for line in game.view.history][3:] == [Target("Cy"), Play(card("green 6"))]


def test_with_two_players_the_other_is_the_shells_target(begin: Begin) -> None:
    game = begin(edition="mario-kart", players="Ann Ben")
    game.land("wild item box")
    game.land("green 4")
    actor = game.actor
    game.land("green 6")
    assert game.view.questions == ()
    hit = [line.move.player for line in game.view.history if isinstance(line.move, Target)]
    assert hit == [player for player in ("Ann", "Ben") if player != actor]


def test_unsettled_challenge_is_asked_for(game: Game) -> None:
    game.land("wild draw four")
    game.table.tap(ChooseColor(Color.RED))
    game.table.tap(Challenge())
    game.land("red 5")
    assert game.question.kind is QuestionKind.CHALLENGE
    game.answer(game.labels.index("Yes"))
    state = game.view.state
    assert state is not None
    assert state.hands == (10, 6, 7)


def test_relaxed_turns_assume_draws_and_passes_between(begin: Begin) -> None:
    game = begin(relaxed=True)
    game.table.tap(Play(card("red 3"), by="Cy"))
    assert (game.top, game.actor) == ("red 3", "Ann")
    state = game.view.state
    assert state is not None
    assert state.hands == (8, 8, 6)
    assert "Ben is taken to have drawn and passed." in ((game.view.ruling and game.view.ruling.sentences) or ())


def test_passed_over_players_are_asked_about_without_relaxed_turns(game: Game) -> None:
    game.table.tap(Play(card("red 3"), by="Cy"))
    assert (game.question.kind, game.top) == (QuestionKind.TURN, "red 7")
    game.answer(game.labels.index("No"))
    assert (game.top, game.actor, game.view.questions) == ("red 7", "Ann", ())
    game.table.tap(Draw(by="Cy"))
    game.answer(game.labels.index("Yes"))
    state = game.view.state
    assert state is not None
    assert (state.hands, state.phase, state.actor) == ((8, 8, 8), Phase.DRAWN, "Cy")


def test_relaxing_turns_settles_the_question(game: Game) -> None:
    game.table.tap(Draw(by="Ben"))
    game.table.set_turns(Turns.RELAXED)
    assert (game.actor, game.view.questions, game.view.turns) == ("Ben", (), Turns.RELAXED)


def test_refusal_keeps_no_intermediate_data() -> None:
    began = Journal(Match(header())).enter(Line(Start(card("red 7")), ReadBy.CAMERA, 0.0))
    (way,) = ways(situation(began), Pending(Tap(1.0, Pass())), Mode())
    assert isinstance(way.refusal, WrongPhaseError)
    assert way.refusal.__traceback__ is None


def test_refused_taps_change_nothing(game: Game) -> None:
    before = game.view
    for move, error in (
        (Pass(), WrongPhaseError),
        (Play(card("red 3"), by="Dora"), NotYourTurnError),
        (Start(card("red 1")), WrongPhaseError),
        (Play(card("wild creeper")), NotInThisEditionError),
    ):
        with pytest.raises(error if move != Play(card("red 3"), by="Dora") else Exception):
            game.table.tap(move)
    assert game.view == before


def test_unanswered_question_is_assumed_and_announced(game: Game) -> None:
    subscription = game.table.subscribe()
    game.land({"red 3": 0.6, "red 8": 0.4})
    for name in ("red 1", "red 2", "red 4"):
        game.land(name)
    assert (game.top, game.view.questions) == ("red 4", ())
    assert game.view.history[1].move == Play(card("red 3"))
    said = []
    while update := subscription.next(timeout=0):
        said += update.sentences
    assert "That is taken to be the red 3." in said


def test_event_without_a_card_rules_nothing(game: Game) -> None:
    game.land({"red 3": 0.0001})
    assert game.top == "red 7"


def test_undo_drops_the_open_question_first(game: Game) -> None:
    game.land({"red 3": 0.6, "red 8": 0.4})
    game.table.undo()
    assert (game.view.questions, len(game.view.history)) == ((), 1)
    game.table.undo()
    with pytest.raises(NothingToUndoError):
        game.table.undo()
    with pytest.raises(NothingToTakeBackError):
        game.table.take_back()


def test_amendment_recomputes_and_stores_a_correction(game: Game) -> None:
    jpeg = _jpeg()
    game.land("red 3", picture=jpeg)
    game.land("red 5")
    game.table.amend(2, Play(card("red skip")))
    assert (game.actor, game.read_by[1]) == ("Ann", ReadBy.CORRECTED)
    assert game.view.history[1].picture is not None
    assert game.table.picture(game.view.history[1].picture) == jpeg
    assert game.store is not None
    read, corrected = game.view.history[1].picture, list(game.store.training_samples())
    assert corrected == [], "without an outline there is nothing to learn from"
    assert game.view.match_id is not None
    kept = game.store.reading(game.view.match_id, read)
    assert kept is not None
    assert kept.probabilities[0][0] == card("red 3"), "what was read stays as it was"


def test_card_from_before_the_match_is_asked_about() -> None:
    table = Table()
    table.see(CardLanded(0.0, probabilities("red 7")))
    table.start_match(header())
    (question,) = table.view().questions
    table.answer(question.id, card("red 7"))
    state = table.view().state
    assert state is not None
    assert state.top == card("red 7")


def test_without_a_match_or_a_question_there_is_one_sentence(game: Game) -> None:
    with pytest.raises(NoMatchError, match="No match is running"):
        Table().tap(Draw())
    with pytest.raises(NoSuchQuestionError) as caught:
        game.table.answer(7, 0)
    assert caught.value.question == 7
    game.land({"red 3": 0.6, "red 8": 0.4})
    with pytest.raises(NoSuchQuestionError):
        game.answer(5)
    with pytest.raises(NoSuchQuestionError):
        game.table.let_stand(game.question.id)
    with pytest.raises(NotInThisEditionError):
        game.answer("wild creeper")


def test_last_card_may_be_taken_back_or_collected(begin: Begin) -> None:
    game = begin(scoring="single-round", hand_size=1)
    game.land("red 3")
    assert game.view.state is not None
    assert game.view.state.phase is Phase.OVER
    game.lift("red 7")
    assert game.question.kind is QuestionKind.TAKE_BACK


def _jpeg() -> bytes:
    import cv2
    import numpy as np

    return bytes(cv2.imencode(".jpg", np.full((60, 80, 3), 90, np.uint8))[1])
