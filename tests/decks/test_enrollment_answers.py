"""Wrong answers during enrollment: the deck is named as if they had not been given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from companion.bench.accuracy.decks import answer_wrongly
from companion.cards import ALL_CARDS, Card, EditionName, Face, deck
from companion.cli import main
from companion.decks.labels.naming import Naming, Question, accepted_answers
from companion.decks.service.deck_detector import reading_parts
from companion.decks.service.enrollment import EnrolledCard, Lesson
from companion.editions import EDITIONS

pytestmark = pytest.mark.slow

# The reader cannot distinguish these faces in any colour.
DOUBTFUL = (Face.SKIP, Face.REVERSE, Face.DRAW_TWO, Face.FIVE, Face.SIX)


def laid(lesson: Lesson, doubt: float, *, unreadable: bool = False) -> list[Card]:
    """Lay a deck with consistent colours and faces; return its cards in the order laid."""
    laid = enrolled(doubt, unreadable=unreadable)
    for _, one in laid:
        lesson.add([one])
    return [card for card, _ in laid]


def enrolled(doubt: float, *, unreadable: bool = False) -> list[tuple[Card, EnrolledCard]]:
    """Return the cards of a deck with consistent colours and faces, as a lesson takes them.

    doubt: advantage of the right face over the other doubtful faces of its colour in nats. unreadable: whether the
    reader cannot distinguish any cards.
    """
    rng = np.random.default_rng(2)
    cards = sorted(deck(EditionName.CLASSIC).elements(), key=lambda _: rng.random())
    parts = {key: rng.normal(size=24) for card in ALL_CARDS for key in (card.face, card.color)}
    blank, outline = np.zeros((480, 320, 3), np.uint8), 50 * np.array([[2, 2], [4, 2], [4, 5], [2, 5]], np.float32)
    found = []
    for place, card in enumerate(cards):
        looks = (parts[card.face] + parts[card.color] + rng.normal(0, 0.15, (2, 24))).astype(np.float32)
        logs = rng.normal(-7, 0.5, (1, 57)).astype(np.float32)
        logs[0, ALL_CARDS.index(card)] = -0.2
        for other in DOUBTFUL if card.face in DOUBTFUL else ():
            if other is not card.face:
                logs[0, ALL_CARDS.index(Card(other, card.color))] = -0.2 - doubt
        logs = np.zeros_like(logs) if unreadable else logs
        found.append((card, EnrolledCard(blank, outline, looks, logs, place)))
    return found


@pytest.fixture
def lesson() -> Lesson:
    return Lesson(*reading_parts(), EDITIONS[EditionName.CLASSIC], each=True)


def answered(lesson: Lesson, says: Callable[[int, Question], Card]) -> int:
    """Answer at most as many questions as allowed; return the number of answers."""
    for given in range(6):
        questions = lesson.naming().questions
        if not questions:
            return given
        picture = questions[0].pictures[0]
        lesson.answer(picture, says(picture, questions[0]))
    return 6


def test_wrong_answers_are_set_aside(lesson: Lesson) -> None:
    cards = laid(lesson, 2.0)
    before = lesson.naming()
    assert before.cards == tuple(cards)
    assert 0 < sum(before.sure) < len(cards)
    assert answered(lesson, lambda picture, _: cards[picture]) > 1
    assert lesson.naming().cards == tuple(cards)
    assert all(lesson.naming().sure)
    assert not lesson.naming().set_aside

    lied_to, rng = Lesson(*reading_parts(), EDITIONS[EditionName.CLASSIC], each=True), Random(1)
    assert laid(lied_to, 2.0) == cards
    wrong = answered(lied_to, lambda i, question: rng.choice([card for card in question.options if card != cards[i]]))
    assert wrong > 1
    after = lied_to.naming()
    assert after.set_aside
    assert (after.cards, after.confidences) == (before.cards, before.confidences)


def test_answers_fit_if_they_cost_little() -> None:
    without = Naming((), (), (Question((1,), ()),), fit=-300.0, prompted_is_better=False)
    answers = Naming((), (), (Question((2,), ()),), fit=-319.0, prompted_is_better=True)
    # A single right answer may refute the reader's evidence for whole faces.
    assert accepted_answers(without, answers) == replace(answers, prompted_is_better=False)
    far = replace(answers, fit=-321.0)
    assert accepted_answers(without, far).set_aside
    assert accepted_answers(without, far).questions == answers.questions
    # Doubt that existed before the answers remains: wrong answers may fit the cards.
    assert accepted_answers(replace(without, prompted_is_better=True), answers).prompted_is_better


def test_volunteered_names_are_kept_although_they_do_not_fit(lesson: Lesson) -> None:
    cards = laid(lesson, 2.0)
    asked = {i for question in lesson.naming().questions for i in question.pictures}
    picture = next(i for i, card in enumerate(cards) if card == Card.parse("red 7") and i not in asked)
    lesson.answer(picture, Card.parse("blue 1"))
    naming = lesson.naming()
    assert naming.cards[picture] == Card.parse("blue 1")
    assert not naming.set_aside


def test_card_of_a_discarded_answer_is_requested_by_name(lesson: Lesson) -> None:
    cards, rng = laid(lesson, 2.0), Random(1)
    named = set[Card]()

    def wrongly(picture: int, question: Question) -> Card:
        named.add(card := rng.choice([card for card in question.options if card != cards[picture]]))
        return card

    answered(lesson, wrongly)
    lesson.prompt()
    asked_for = []
    while (wanted := lesson.wanted) is not None:
        asked_for.append(wanted)
        lesson.skip(wanted)
    assert lesson.naming().set_aside
    assert named <= set(asked_for)


def test_bench_asks_nothing_if_prompting_is_better(lesson: Lesson) -> None:
    cards = laid(lesson, 2.0)
    assert answer_wrongly(lesson, cards, 1, Random(1)) == 1
    unnamed = Lesson(*reading_parts(), EDITIONS[EditionName.CLASSIC], each=True)
    laid(unnamed, 0.0, unreadable=True)
    assert unnamed.naming().questions
    assert answer_wrongly(unnamed, cards, 1, Random(1)) == 0


def _blots(folder: Path) -> str:
    """Write pictures of a pile on which two cards without any number appear."""
    rng = np.random.default_rng(9)
    pile = np.full((480, 640, 3), 110, np.uint8)
    folder.mkdir()
    for number in range(3):
        cv2.imwrite(str(folder / f"{number}.png"), pile)
        left, top = 266 + 5 * number, 156 + 4 * number
        blots = cv2.resize(rng.uniform(0, 255, (5, 4, 3)).astype(np.uint8), (108, 168), interpolation=cv2.INTER_CUBIC)
        pile[top : top + 168, left : left + 108] = blots
    return str(folder)


def test_learn_asks_nothing_if_much_is_doubtful(tmp_path: Path) -> None:
    arguments = ["--data", str(tmp_path / "data"), "learn", _blots(tmp_path / "blots"), "--name", "Blots"]
    said = CliRunner().invoke(main, arguments, input="red 7\n")
    assert said.exit_code == 0, said.output
    assert "Too much is in doubt to ask: lay the deck in a known order" in said.output
    assert "0 asked" in said.output


@pytest.mark.parametrize("fit", [True, False])
def test_learn_reports_discarded_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fit: bool) -> None:
    naming = Lesson.naming
    monkeypatch.setattr(Lesson, "naming", lambda lesson: replace(naming(lesson), set_aside=not fit))
    arguments = ["--data", str(tmp_path / "data"), "learn", _blots(tmp_path / "blots"), "--name", "Blots"]
    said = CliRunner().invoke(main, arguments)
    assert said.exit_code == 0, said.output
    assert ("The answers do not fit the cards and were left out" in said.output) is not fit


def test_a_picture_of_no_card_is_left_out_and_later_names_stay(lesson: Lesson) -> None:
    cards = laid(lesson, doubt=9.0)
    named = lesson.naming().cards
    lesson.answer(50, named[50])
    lesson.drop(40)
    lesson.drop(3)
    left = [i for i in range(len(cards)) if i not in (3, 40)]
    assert lesson.places == tuple(left)
    assert lesson.naming().cards[48] == named[50]
    assert [lesson.naming().cards[i] == named[place] for i, place in enumerate(left)].count(False) == 0
    assert (lesson.revised, lesson.asked) == (2, 3)


def test_a_laid_card_does_not_wait_for_names_and_an_answer_counts_at_once(lesson: Lesson) -> None:
    cards, looks = zip(*enrolled(doubt=9.0), strict=True)
    lesson.add(looks[:-1])
    shown = lesson.shown()
    assert len(shown.cards) == len(cards) - 1
    lesson.add(looks[-1:])
    assert lesson.shown() is shown
    assert len(lesson.naming().cards) == len(cards)
    lesson.answer(0, cards[1])
    assert lesson.shown().cards[0] == cards[1]
    assert len(lesson.shown().cards) == len(cards)
