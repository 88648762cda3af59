"""Timing of arms: what is possible in so short a time, and how many cards a visit's duration suggests."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

import pytest

from companion.storage.store import Store
from companion.table.presentation.view import QuestionKind
from companion.table.session.table import Table
from companion.table.state.draw_pile_stays import VisitHistory
from companion.table.state.observations import Pending, Reach, Sight, dump, load
from companion.vision.core.events import Arm, CardLanded, PileGone, PileKind, PileReached

from .conftest import Game, header, probabilities

_SEATS = {"Ann": 20.0, "Ben": 140.0, "Cy": 260.0}
_LIKELY = (0.1, 0.9)
"""Probabilities of a reach that probably took cards, without evidence for their number."""


class TimedGame(Game):
    """A game with visible arms and explicit times in seconds from the start; `now` is the time of the report."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._tracks = count(1)

    def lay(self, who: str | None, name: dict[str, float] | str, at: float, track: int | None = None) -> None:
        self.now = max(self.now, at)
        arm = None if who is None else self._arm(who, track)
        self.table.see(CardLanded(at, probabilities(name), arm=arm))

    def stay(
        self,
        who: str,
        began: float,
        ended: float,
        track: int | None = None,
        pile: PileKind = PileKind.DRAW,
        drawn: tuple[float, ...] = _LIKELY,
    ) -> None:
        self.now = max(self.now, ended)
        self.table.see(PileReached(ended, began, self._arm(who, track), pile, drawn if pile is PileKind.DRAW else ()))

    def _arm(self, who: str, track: int | None) -> Arm:
        return Arm(_SEATS[who], 4.0, next(self._tracks) if track is None else 1000 + track)

    @property
    def moves(self) -> list[str]:
        return [f"{line.player or ''} {type(line.move).__name__}".strip() for line in self.view.history]

    def owed(self, who: str) -> int:
        return next(seat.owed - seat.taken for seat in self.view.seats if seat.player == who)


@pytest.fixture
def game(store: Store) -> TimedGame:
    """Nine cards have taught the seats, the last at 90 s; Ann is to act on a red 1."""
    game = TimedGame(store)
    game.table.start_match(header("classic"))
    game.lay(None, "red 1", 1.0)
    for place, name in enumerate(("red 2", "red 3", "red 4", "red 5", "red 6", "red 7", "red 8", "red 9", "red 1")):
        game.lay(("Ann", "Ben", "Cy")[place % 3], name, 10.0 * (place + 1))
    assert game.actor == "Ann"
    return game


@pytest.mark.parametrize(("later", "drew"), [(0.4, False), (1.2, True)])
def test_card_laid_at_once_was_not_drawn_first(game: TimedGame, later: float, drew: bool) -> None:
    game.stay("Ann", 92.0, 92.6)
    game.lay("Ann", "red 3", 92.6 + later)
    assert game.moves[-2:] == [("Ann Draw" if drew else "Cy Play"), "Ann Play"]


@pytest.mark.parametrize(("later", "drew"), [(1.2, True), (4.0, False)])
def test_card_laid_soon_after_a_doubtful_visit_was_drawn(game: TimedGame, later: float, drew: bool) -> None:
    game.stay("Ann", 92.0, 92.6, drawn=(0.7, 0.3))
    game.lay("Ann", "red 3", 92.6 + later)
    assert game.moves[-2:] == [("Ann Draw" if drew else "Cy Play"), "Ann Play"]


@pytest.mark.parametrize(("began", "drew"), [(89.5, False), (90.2, False), (91.2, True)])
def test_arm_at_the_pile_during_a_landing_did_not_react_to_it(game: TimedGame, began: float, drew: bool) -> None:
    game.stay("Ann", began, 91.8)
    game.lay("Ann", "red 3", 95.0)
    assert game.moves[-2:] == [("Ann Draw" if drew else "Cy Play"), "Ann Play"]


@pytest.mark.parametrize(("later", "left"), [(-0.2, 1), (0.2, 1), (0.7, 0)])
def test_arm_without_time_to_leave_draws_once(game: TimedGame, later: float, left: int) -> None:
    game.lay("Ann", "red draw two", 92.0)
    game.stay("Ben", 94.0, 94.5)
    game.stay("Ben", 94.5 + later, 95.0 + later)
    game.lay("Cy", "red 5", 98.0)
    assert game.owed("Ben") == left


def test_next_player_does_not_draw_at_once_after_a_draw(game: TimedGame) -> None:
    game.stay("Ann", 92.0, 92.6)
    game.stay("Ben", 92.8, 93.4)
    game.lay("Ann", "red 3", 95.0)
    assert game.moves[-2:] == ["Ann Draw", "Ann Play"]


@pytest.mark.parametrize("late", [False, True])
def test_arm_coming_from_the_discard_pile_passes_by(game: TimedGame, late: bool) -> None:
    doubtful = (0.3, 0.7)
    for draws in (late, not late):
        if draws:
            game.stay("Ann", 92.9, 93.5, track=1, drawn=doubtful)
        else:
            game.stay("Ann", 92.0, 93.0, track=1, pile=PileKind.DISCARD)
    game.lay("Ann", "red 3", 96.0)
    assert game.moves[-2:] == ["Cy Play", "Ann Play"]
    game.stay("Ben", 98.0, 98.7, drawn=doubtful)
    game.lay("Ben", "red 4", 101.0)
    assert game.moves[-2:] == ["Ben Draw", "Ben Play"]


@pytest.mark.parametrize(("began", "ended", "drew"), [(92.2, 93.0, False), (92.8, 93.0, True), (92.8, 93.4, False)])
def test_arm_returning_past_the_discard_pile_has_drawn(game: TimedGame, began: float, ended: float, drew: bool) -> None:
    doubtful = (0.15, 0.85)
    game.stay("Ann", 92.0, 93.0, track=1, drawn=doubtful)
    game.stay("Ann", began, ended, track=1, pile=PileKind.DISCARD)
    game.lay("Ann", "red 3", 97.0)
    assert ("Ann Draw" in game.moves) is drew


@pytest.mark.parametrize("lays", [False, True])
def test_arm_going_on_to_the_discard_pile_drew_only_if_it_lays(game: TimedGame, lays: bool) -> None:
    doubtful = (0.15, 0.85)
    game.stay("Ann", 92.0, 92.6, track=1, drawn=doubtful)
    if lays:
        game.lay("Ann", "red 3", 93.4, track=1)
    game.stay("Ann", 92.7, 93.6, track=1, pile=PileKind.DISCARD)
    if not lays:
        game.lay("Ann", "red 3", 97.0)
    assert ("Ann Draw" in game.moves) is lays


def test_arm_going_on_after_its_landing_passes_nothing() -> None:
    arm = Arm(20.0, 4.0, 1)
    at_pile, at_draw_pile = (PileReached(93.5, 92.0, arm, pile, ()) for pile in (PileKind.DISCARD, PileKind.DRAW))
    for events, passing in (([], False), ([at_pile], True), ([CardLanded(93.0, (), arm=arm), at_pile], False)):
        visits = VisitHistory()
        for event in (*events, at_draw_pile):
            visits.note(event)
        assert visits.reach(replace(at_draw_pile, began=93.4), 0.0).passing is passing


@pytest.mark.parametrize(("before", "passing"), [(0.2, False), (0.4, True)])
def test_arm_crossing_the_discard_pile_does_not_come_from_it(before: float, passing: bool) -> None:
    arm, visits = Arm(20.0, 4.0, 1), VisitHistory()
    stays = [
        PileReached(93.1, 92.5 - before, arm, PileKind.DISCARD),
        PileReached(93.0, 92.5, arm, PileKind.DRAW, _LIKELY),
    ]
    for stay in stays:
        visits.note(stay)
    assert visits.reach(stays[-1], 0.0).passing is passing


@pytest.mark.parametrize(("nothing", "seconds"), [(0.5, 1.4), (0.9, 0.6)])
def test_resting_arm_that_moves_comes_for_a_card(nothing: float, seconds: float) -> None:
    arm, visits = Arm(20.0, 4.0, 1), VisitHistory()
    drawn = (nothing, 1 - nothing)
    stays = [PileReached(92.6, 92.0, arm, PileKind.DRAW, drawn), PileReached(93.4, 92.8, arm, PileKind.DRAW, _LIKELY)]
    for stay in stays:
        visits.note(stay)
    reach = visits.reach(stays[-1], 0.0)
    assert reach.stay == pytest.approx(seconds)
    assert reach.again


@pytest.mark.parametrize(("gone", "drew"), [(92.8, False), (97.0, True)])
def test_carrying_the_pile_away_is_no_draw(game: TimedGame, gone: float, drew: bool) -> None:
    game.stay("Ann", 92.0, 92.6)
    game.table.see(PileGone(gone))
    game.lay("Ann", "red 3", 102.0)
    assert ("Ann Draw" in game.moves) is drew


@pytest.mark.parametrize(("seconds", "left"), [(0.5, 3), (1.4, 0)])
def test_duration_of_a_visit_indicates_the_number_of_cards(game: TimedGame, seconds: float, left: int) -> None:
    game.lay("Ann", "wild draw four", 92.0)
    game.stay("Ben", 94.0, 94.0 + seconds)
    game.lay("Cy", "red 3", 98.0)
    assert game.owed("Ben") == left


def test_card_named_by_people_leaves_earlier_rulings(game: TimedGame) -> None:
    game.lay("Ann", "wild draw four", 92.0)
    game.stay("Ben", 94.0, 95.4)
    game.lay("Cy", "blue 3", 98.0)
    before = game.moves
    assert before[-3:] == ["Ann ChooseColor", "Ben Accept", "Cy Play"]
    game.lay("Ann", {"yellow 2": 0.93, "blue 2": 0.05}, 102.0)
    game.answer("yellow 2")
    assert game.moves == before
    assert game.question.kind is QuestionKind.ILLEGAL


def test_visit_details_and_rival_arms_are_stored(game: TimedGame, store: Store) -> None:
    reach = Pending(Reach(5.0, Arm(20.0, 4.0, 7, entered_as=6), _LIKELY, 0.75, passing=True, again=True))
    rivals = ((Arm(140.0, 9.0, 8), 0.3), (Arm(260.0, 9.0, 9, entered_as=5), 0.1))
    sight = Pending(Sight(5.0, probabilities("red 3"), "reading", arm=Arm(20.0, 4.0, 7), rivals=rivals), at=4.0)
    for pending in (reach, sight):
        assert load(dump(pending), game.view.header.edition) == pending
    game.lay("Ann", "wild draw four", 92.0)
    game.stay("Ben", 94.0, 95.4)
    game.lay("Cy", "blue 3", 98.0)
    other = Table(store)
    other.resume()
    assert [seat.owed for seat in other.view().seats] == [seat.owed for seat in game.view.seats]


def test_repeated_reports_of_a_resting_arm_are_no_draw(game: TimedGame) -> None:
    game.stay("Ann", 92.0, 92.5, 7, drawn=(0.76, 0.16, 0.08))
    for began in (93.0, 93.6, 94.2, 94.8):
        game.stay("Ann", began, began + 0.2, 7, drawn=(0.94, 0.05, 0.01))
    game.lay("Ann", "red 3", 97.0)
    assert game.moves[-2:] == ["Cy Play", "Ann Play"]
