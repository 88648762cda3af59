"""Any order of observations and taps, from any number of threads: the table agrees with the referee."""

from __future__ import annotations

import contextlib
import threading
from itertools import islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from companion.cards import ALL_CARDS, Card, Color, EditionName
from companion.referee.errors import RefereeError
from companion.referee.match import replay
from companion.referee.moves import (
    Accept,
    Catch,
    Challenge,
    ChooseColor,
    Count,
    Creeper,
    Draw,
    Flip,
    Hand,
    Judge,
    Move,
    Pass,
    Play,
    Reshuffle,
    Reveal,
    Start,
    Target,
    Uno,
)
from companion.referee.random_player import random_match
from companion.storage.store import Store
from companion.table.presentation.view import QuestionKind, Turns
from companion.table.session.errors import TableError
from companion.table.session.table import Table
from companion.vision.core.events import (
    Arm,
    CameraHealth,
    CameraStatus,
    CardLanded,
    CardTakenBack,
    PileGone,
    PileKind,
    PileMoved,
    PileReached,
    Probabilities,
)

from .conftest import header
from .restarts import started_again, unlike

PLAYERS = ("Ann", "Ben", "Cy")
cards = st.sampled_from(ALL_CARDS)
names = st.sampled_from((*PLAYERS, "Nobody"))
agos = st.sampled_from([0.0, 0.0, 0.4, 2.0])
by = st.sampled_from((None, *PLAYERS))
moves: st.SearchStrategy[Move] = st.one_of(
    st.builds(Start, cards),
    st.builds(Play, cards, st.booleans(), by=by),
    st.builds(Draw, by=by),
    st.builds(Pass, by=by),
    st.builds(Flip, cards, by=by),
    st.builds(ChooseColor, st.sampled_from(Color), by=by),
    st.builds(Target, names, by=by),
    st.builds(Accept, by=by),
    st.builds(Challenge, by=by),
    st.builds(Reveal, st.lists(cards, max_size=3).map(tuple)),
    st.builds(Judge, st.booleans()),
    st.builds(Uno, names),
    st.builds(Catch, names),
    st.builds(Creeper, names),
    st.builds(Reshuffle),
    st.builds(Hand, names, st.lists(cards, max_size=3).map(tuple)),
    st.builds(Count, names, st.integers(0, 9)),
)


@st.composite
def readings(draw: st.DrawFn) -> Probabilities:
    """Return certain readings, uncertain ones, and readings without a card."""
    chosen = draw(st.lists(cards, max_size=3, unique=True))
    shares = {0: (), 1: (0.9999,), 2: draw(st.sampled_from([(0.6, 0.4), (0.999, 0.001)])), 3: (0.5, 0.3, 0.1)}
    return tuple(zip(chosen, shares[len(chosen)], strict=True))


_SEATS = {"Ann": 20.0, "Ben": 140.0, "Cy": 260.0}


@st.composite
def arms(draw: st.DrawFn) -> Arm | None:
    """Return arms of each player, some detected twice, arms of unknown people, and none."""
    direction = draw(st.sampled_from((*_SEATS.values(), 80.0, None)))
    return None if direction is None else Arm(direction, draw(st.sampled_from([4.0, 20.0])), draw(st.integers(1, 6)))


class AnyOrder(RuleBasedStateMachine):
    """Observations, taps, answers and corrections in any order; a restart after each preserves the state."""

    @initialize(
        edition=st.sampled_from(EditionName),
        relaxed=st.booleans(),
        hand=st.sampled_from([1, 2, 7]),
        house=st.booleans(),
    )
    def begin(self, edition: EditionName, relaxed: bool, hand: int, house: bool) -> None:
        self.now = 0.0
        self.folder = TemporaryDirectory()
        self.store = Store(Path(self.folder.name))
        self.table = Table(self.store, clock=lambda: self.now, steady=lambda: self.now)
        rules = {"stacking": "any", "jump_in": True, "seven_zero": True} if house else {}
        self.set_up = header(edition.value, " ".join(PLAYERS), hand_size=hand, **rules)
        self.table.start_match(self.set_up, turns=Turns.RELAXED if relaxed else Turns.CAMERA)

    def teardown(self) -> None:
        self.store.close()
        self.folder.cleanup()

    @rule(reading=readings(), same=st.booleans(), gap=st.sampled_from([0.0, 1.0, 60.0]), arm=arms(), ago=agos)
    def land(self, reading: Probabilities, same: bool, gap: float, arm: Arm | None, ago: float) -> None:
        self.now += gap
        rivals = () if arm is None or arm.spread < 10 else ((Arm(_SEATS["Cy"], 4.0, 9), 0.3),)
        self.table.see(CardLanded(self.now - ago, reading, same_face=same, arm=arm, rivals=rivals))

    @rule(
        who=st.sampled_from(PLAYERS), drew=st.sampled_from([0.05, 0.5, 0.95]), gap=st.sampled_from([0.0, 5.0]), ago=agos
    )
    def reach(self, who: str, drew: float, gap: float, ago: float) -> None:
        self.now += gap
        arm, left = Arm(_SEATS[who], 4.0, int(self.now)), self.now - ago
        self.table.see(PileReached(left, left - 0.5, arm, PileKind.DRAW, (1 - drew, drew)))

    @rule(who=st.sampled_from(PLAYERS), ago=agos)
    def pass_by(self, who: str, ago: float) -> None:
        arm, left = Arm(_SEATS[who], 4.0, int(self.now)), self.now - ago
        self.table.see(PileReached(left, left - 0.5, arm, PileKind.DISCARD, ()))

    @rule(data=st.data())
    def land_fitting(self, data: st.DataObject) -> None:
        legal = self.table.view().legal
        assert legal is not None
        if legal.cards:
            card = data.draw(st.sampled_from(sorted(legal.cards, key=lambda card: card.name)))
            self.land(((card, 0.9999),), False, 60.0, data.draw(arms()), 0.0)

    @rule(reading=readings(), ago=agos)
    def lift(self, reading: Probabilities, ago: float) -> None:
        self.table.see(CardTakenBack(self.now - ago, reading))

    @rule()
    def change_camera(self) -> None:
        self.table.camera_changed()

    @rule(
        event=st.sampled_from(
            [
                PileGone(0.0),
                PileMoved(0.0),
                CameraStatus(0.0, CameraHealth.FROZEN, "Frozen."),
                CameraStatus(0.0, CameraHealth.KNOCKED, "Knocked."),
            ]
        )
    )
    def other_event(self, event: PileGone | PileMoved | CameraStatus) -> None:
        self.table.see(event)

    @rule(move=moves)
    def tap(self, move: Move) -> None:
        before = self.table.view()
        try:
            self.table.tap(move)
        except RefereeError:
            assert self.table.view() == before

    @rule(move=st.sampled_from([Draw(), Pass(), Reshuffle()]))
    def tap_what_no_camera_sees(self, move: Move) -> None:
        self.tap(move)

    @precondition(lambda self: self.table.view().questions)
    @rule(data=st.data())
    def answer(self, data: st.DataObject) -> None:
        (question,) = self.table.view().questions
        self.table.answer(question.id, data.draw(st.integers(0, len(question.choices) - 1)))

    @precondition(lambda self: self.table.view().questions)
    @rule(card=cards)
    def name(self, card: Card) -> None:
        with contextlib.suppress(RefereeError, TableError):
            self.table.answer(self.table.view().questions[0].id, card)

    @precondition(lambda self: self.table.view().questions)
    @rule()
    def let_stand(self) -> None:
        (question,) = self.table.view().questions
        if question.kind is QuestionKind.ILLEGAL:
            history = len(self.table.view().history)
            self.table.let_stand(question.id)
            assert len(self.table.view().history) > history

    @precondition(lambda self: self.table.view().questions)
    @rule()
    def nothing_happened(self) -> None:
        (question,) = self.table.view().questions
        self.table.nothing_happened(question.id)
        assert question.id not in [asked.id for asked in self.table.view().questions]

    @rule()
    def take_back(self) -> None:
        try:
            self.table.take_back()
        except TableError:
            assert not self.table.view().questions

    @rule()
    def undo(self) -> None:
        try:
            self.table.undo(scored=True)
        except RefereeError:
            assert not self.table.view().history

    @rule()
    def redo(self) -> None:
        with contextlib.suppress(TableError):
            self.table.redo()

    @rule(n=st.integers(1, 12), who=st.sampled_from(PLAYERS), how=st.sampled_from(["who", "drew", "missed", "drop"]))
    def mend(self, n: int, who: str, how: str) -> None:
        with contextlib.suppress(RefereeError, TableError):
            match how:
                case "who":
                    self.table.say_who(n, who)
                case "drew":
                    self.table.say_drew(n)
                case "missed":
                    self.table.say_missed(n, Card.parse("red 4"))
                case _:
                    self.table.drop(n)

    @rule()
    def remind(self) -> None:
        self.now += 20
        self.table.retry()

    @rule(n=st.integers(1, 12), move=moves)
    def amend(self, n: int, move: Move) -> None:
        before = self.table.view()
        try:
            self.table.amend(n, move)
        except RefereeError:
            assert self.table.view() == before

    @rule(relaxed=st.booleans())
    def relax(self, relaxed: bool) -> None:
        self.table.set_turns(Turns.RELAXED if relaxed else Turns.CAMERA)

    @invariant()
    def keeps_to_the_referee(self) -> None:
        view = self.table.view()
        assert replay(self.set_up, [line.move for line in view.history]).state == view.state
        assert len(view.questions) <= 1
        for question in view.questions:
            assert question.choices
            assert question.sentence

    @invariant()
    def stands_after_a_restart_as_it_does_now(self) -> None:
        assert unlike(self.table, started_again(self.table, self.store, self.now)) == []

    @rule(seed=st.integers(0, 99), length=st.integers(0, 12))
    def bring_to_any_true_state(self, seed: int, length: int) -> None:
        while self.table.view().history or self.table.view().questions:
            self.table.undo(scored=True)
        match = list(islice(random_match(self.set_up, Random(seed)), length))
        for move, state, _ in match:
            self.table.tap(move)
            assert self.table.view().state == state


TestAnyOrder = AnyOrder.TestCase
TestAnyOrder.settings = settings(
    max_examples=40,
    stateful_step_count=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)


def test_concurrent_calls_do_not_deadlock(store: Store) -> None:
    table = Table(store)
    table.start_match(header())
    table.tap(Start(Card.parse("red 7")))
    stop = threading.Event()
    failed: list[BaseException] = []

    def hammer(seed: int) -> None:
        random = Random(seed)
        actions = (
            lambda: table.see(CardLanded(0.0, ((random.choice(ALL_CARDS), 0.6), (random.choice(ALL_CARDS), 0.4)))),
            lambda: table.tap(random.choice([Draw(), Pass(), Reshuffle()])),
            lambda: table.answer(table.view().questions[0].id, 0),
            lambda: table.undo(),
            lambda: table.take_back(),
            lambda: table.view(),
        )
        try:
            while not stop.is_set():
                with contextlib.suppress(RefereeError, TableError, IndexError):
                    random.choice(actions)()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=hammer, args=(seed,), daemon=True) for seed in range(4)]
    idle = table.subscribe()
    for thread in threads:
        thread.start()
    stop.wait(1.5)
    stop.set()
    for thread in threads:
        thread.join(20)
        assert not thread.is_alive(), "locked"
    assert not failed
    view = table.view()
    assert view.header is not None
    assert replay(view.header, [line.move for line in view.history]).state == view.state
    other = Table(store)
    other.resume()
    assert unlike(table, other) == []
    assert idle.next(timeout=0) is not None
