"""Fixtures: a table with three players, a store in its own folder, and a clock that only tests advance."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from companion.cards import Card
from companion.referee.state import Header
from companion.referee.transcript import read_header
from companion.storage.journal import ReadBy
from companion.storage.store import Store
from companion.table.presentation.view import Outcome, Question, Turns, View
from companion.table.session.table import Table
from companion.vision.core.events import CardLanded, CardTakenBack, Picture, Probabilities


def header(edition: str = "mario-kart", players: str = "Ann Ben Cy", **options: object) -> Header:
    """Return the header of a match."""
    return read_header({"match": {"edition": edition, "players": players.split(), "options": options}})


def card(name: str) -> Card:
    """Return the card of this name."""
    return Card.parse(name)


def probabilities(reading: dict[str, float] | str) -> Probabilities:
    """Return a reading; a card's name stands for a certain one."""
    if isinstance(reading, str):
        reading = {reading: 0.9999}
    return tuple((Card.parse(name), probability) for name, probability in reading.items())


class Game:
    """A running table with shorthands for tests."""

    def __init__(self, store: Store | None) -> None:
        self.now = 1000.0
        self.store = store
        self.table = Table(store, clock=lambda: self.now, steady=lambda: self.now)

    def land(self, reading: dict[str, float] | str, *, same_face: bool = False, picture: Picture = None) -> None:
        """Let a card land some time after the previous event."""
        self.now += 60
        self.table.see(CardLanded(0.0, probabilities(reading), same_face=same_face, picture=picture))

    def lift(self, reading: dict[str, float] | str) -> None:
        """Remove the top card; the reading is of the card below."""
        self.now += 60
        self.table.see(CardTakenBack(0.0, probabilities(reading) if reading else ()))

    def answer(self, given: str | int) -> Outcome:
        """Answer the open question by a card or by a choice's index."""
        return self.table.answer(self.question.id, Card.parse(given) if isinstance(given, str) else given)

    @property
    def view(self) -> View:
        """The table's view."""
        return self.table.view()

    @property
    def question(self) -> Question:
        """The open question."""
        (question,) = self.view.questions
        return question

    @property
    def labels(self) -> list[str]:
        """The labels of the choices."""
        return [choice.label for choice in self.question.choices]

    @property
    def top(self) -> str | None:
        """The name of the top card by the rulings."""
        state = self.view.state
        assert state is not None
        return state.top and state.top.name

    @property
    def actor(self) -> str | None:
        """The player to act."""
        state = self.view.state
        assert state is not None
        return state.actor

    @property
    def read_by(self) -> list[ReadBy]:
        """The sources of the accepted moves."""
        return [line.read_by for line in self.view.history]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(tmp_path / "data")
    yield store
    store.close()


@pytest.fixture
def begin(store: Store) -> Callable[..., Game]:
    """Return a function that starts a match and turns up the start card."""

    def begin(start: str | None = "red 7", *, relaxed: bool = False, **set_up: str) -> Game:
        game = Game(store)
        game.table.start_match(header(**set_up), turns=Turns.RELAXED if relaxed else Turns.CAMERA)
        if start is not None:
            game.land(start)
        return game

    return begin


@pytest.fixture
def game(begin: Callable[..., Game]) -> Game:
    """A match of three with a red 7 as start card; Ann is to act."""
    return begin()
