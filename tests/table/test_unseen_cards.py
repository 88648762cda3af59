"""Counts of the draw pile, cards taken back, and hypotheses with equal outcomes."""

from __future__ import annotations

from collections import Counter

import pytest

from companion.referee.match import Match
from companion.referee.moves import Draw, Flip, Hand, Move, Pass, Play, Reshuffle, Start, Uno
from companion.storage.journal import Journal, Line, ReadBy
from companion.storage.store import Store
from companion.table.hypotheses.finding import Hypothesis
from companion.table.hypotheses.inference import candidates_at
from companion.table.presentation.updates import UpdateKind
from companion.table.presentation.view import QuestionKind
from companion.table.session.errors import NoSuchQuestionError
from companion.table.state.situation import Mode, Way, situation
from companion.table.state.unseen_cards import draw_pile_size, seen_cards

from .conftest import Game, card, header

_TEN = "Ann Ben Cy Dee Eli Flo Gus Hal Ida Jo"


def _after(match: Match, *moves: Move) -> Match:
    for move in moves:
        match = match.apply(move)
    return match


def test_draw_pile_is_deck_minus_hands_and_landed_cards() -> None:
    match = _after(Match(header("classic")), Start(card("red 7")), Play(card("red 3")), Play(card("red 3")))
    seen = seen_cards(match)
    assert seen == Counter({card("red 7"): 1, card("red 3"): 2})
    assert draw_pile_size(match, seen) == 108 - (6 + 6 + 7) - 3
    drawn = _after(match, Draw(), Pass())
    assert seen_cards(drawn) == seen
    assert draw_pile_size(drawn, seen) == 108 - (6 + 6 + 8) - 3


def test_after_a_shuffle_only_the_top_card_is_seen() -> None:
    match = _after(Match(header("classic")), Start(card("red 7")), Play(card("red 3")), Reshuffle())
    assert seen_cards(match) == Counter([card("red 3")])
    further = _after(match, Play(card("red 7")))
    assert seen_cards(further) == Counter([card("red 3"), card("red 7")])


def test_new_round_forgets_seen_cards() -> None:
    match = _after(
        Match(header("classic", "Ann Ben", hand_size=1)),
        Start(card("red 1")),
        Play(card("red 2")),
        Hand("Ben", (card("red 3"),)),
        Start(card("blue 4")),
    )
    assert seen_cards(match) == Counter([card("blue 4")])


def test_card_set_aside_has_not_landed() -> None:
    match = _after(Match(header("classic")), Start(card("wild draw four")), Start(card("red 1")))
    assert seen_cards(match) == Counter([card("red 1")])


@pytest.fixture
def ten(store: Store) -> Game:
    """Ten players with ten cards each: 7 are left to draw, and Jo, the dealer, has drawn none of them."""
    game = Game(store)
    game.table.start_match(header("classic", _TEN, hand_size=10))
    game.land("red 1")
    return game


def _draws(game: Game, count: int) -> None:
    for _ in range(count):
        game.table.tap(Draw())
        game.table.tap(Pass())


@pytest.mark.parametrize(("draws", "shuffled"), [(7, False), (8, True)])
def test_drawing_more_cards_than_left_implies_a_shuffle(ten: Game, draws: int, shuffled: bool) -> None:
    ten.land("red 2")
    _draws(ten, draws)
    ten.land("red 3")
    assert (ten.top, ten.view.questions) == ("red 3", ())
    assert (Reshuffle() in [line.move for line in ten.view.history]) is shuffled


@pytest.mark.parametrize(("left", "shuffled"), [(0, True), (1, False)])
def test_flip_from_an_empty_pile_implies_a_shuffle(store: Store, left: int, shuffled: bool) -> None:
    game = Game(store)
    game.table.start_match(header("mario-kart", _TEN, hand_size=10))
    game.land("red 1")
    state = game.view.state
    assert state is not None
    _draws(game, state.header.edition.size - 100 - 1 - left)
    game.land("wild item box")
    game.land("blue 4")
    moves = [line.move for line in game.view.history]
    assert (moves[-1], Reshuffle() in moves) == (Flip(card("blue 4")), shuffled)


@pytest.mark.parametrize(("draws", "asked"), [(0, False), (1, False)])
def test_third_copy_is_possible_with_few_cards_left(ten: Game, draws: int, asked: bool) -> None:
    ten.land("red 1", same_face=True)
    _draws(ten, draws)
    ten.land("red 5")
    ten.land("red 1")
    assert (bool(ten.view.questions), ten.top) == (asked, "red 1")
    assert Reshuffle() in [line.move for line in ten.view.history]


@pytest.mark.parametrize("between", [Reshuffle(), Uno("Ann")])
def test_card_is_taken_back_with_its_answers(store: Store, between: Move) -> None:
    game = Game(store)
    game.table.start_match(header("classic", hand_size=2))
    game.land("red 7")
    game.land("red 3")
    game.table.tap(between)
    game.lift("red 7")
    assert (game.view.questions, game.top, len(game.view.history)) == ((), "red 7", 1)


def test_taking_back_stops_at_the_round_boundary(store: Store) -> None:
    game = Game(store)
    game.table.start_match(header("classic", "Ann Ben", hand_size=1))
    for name in ("red 1", "red 2"):
        game.land(name)
    game.table.tap(Hand("Ben", (card("red 3"),)))
    before = game.view.history
    with pytest.raises(Exception, match="no card to take back"):
        game.table.take_back()
    assert game.view.history == before


def test_dropping_an_observation_rules_on_the_ones_behind_it(store: Store) -> None:
    game = Game(store)
    game.table.start_match(header("classic"))
    game.land("red 7")
    game.land({"red 3": 0.5, "red 8": 0.5})
    game.land("red 9")
    assert game.question.waiting == 1
    game.table.nothing_happened(game.question.id)
    assert (game.view.questions, game.top) == ((), "red 9")
    with pytest.raises(NoSuchQuestionError):
        game.table.nothing_happened(1)


def test_observations_behind_a_question_are_announced_in_order(store: Store) -> None:
    game = Game(store)
    game.table.start_match(header("classic"))
    game.land("red 7")
    game.land({"red 3": 0.5, "red 8": 0.5})
    heard = game.table.subscribe()
    game.land({"blue 3": 0.5, "blue 8": 0.5})
    update = heard.next(0)
    assert update is not None
    assert (update.kind, update.sentences, update.question) == (UpdateKind.QUESTION, (), game.question)
    assert game.question.waiting == 1


def test_last_of_several_pending_cards_is_taken_back(store: Store) -> None:
    game = Game(store)
    game.table.start_match(header("classic"))
    game.land("red 7")
    game.land({"red 3": 0.5, "red 8": 0.5})
    first = game.question
    game.land({"blue 3": 0.5, "blue 8": 0.5})
    assert game.question.waiting == 1
    game.table.take_back()
    assert (game.question.sentence, game.question.waiting, game.question.picture) == (first.sentence, 0, first.picture)
    game.table.take_back()
    assert (game.view.questions, game.top) == ((), "red 7")


def test_hypotheses_with_equal_first_ways_are_one_candidate() -> None:
    start = Way(situation(Journal(Match(header("classic")))))
    one, other = (start.then(Line(Start(card(name)), ReadBy.CAMERA, 0.0)) for name in ("red 1", "red 2"))
    weighed = ((one, 0.3), (other, 0.4), (one, 0.3))
    found = candidates_at([Hypothesis(way.after, (way,), weight) for way, weight in weighed], 0, Mode())
    assert [(candidate.way.entries, candidate.probability) for candidate in found] == [
        (one.entries, pytest.approx(0.6)),
        (other.entries, pytest.approx(0.4)),
    ]


def test_wild_is_one_candidate_for_any_color(store: Store) -> None:
    game = Game(store)
    game.table.start_match(header("classic"))
    game.land("red 7")
    game.land({"wild": 0.5, "red 8": 0.5})
    game.land("wild draw four")
    assert game.question.kind is QuestionKind.CARD
    shares = {choice.label: choice.probability for choice in game.question.choices}
    assert shares["wild"] > 0.5


def test_card_of_another_edition_is_not_read(store: Store) -> None:
    game = Game(store)
    game.table.start_match(header("classic"))
    game.land("red 7")
    game.land("wild item box")
    assert (game.top, game.view.questions) == ("red 7", ())
    game.land({"wild item box": 0.5, "red 3": 0.5})
    assert (game.top, game.view.questions) == ("red 3", ())
