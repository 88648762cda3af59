"""Turns from arms: seats are learnt, draws detected, debts settled, close calls asked about."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.caller import Caller
from companion.cards import Color, EditionName
from companion.editions import EDITIONS
from companion.languages import Language
from companion.referee.match import Match
from companion.referee.moves import (
    Accept,
    Challenge,
    ChooseColor,
    Count,
    Draw,
    Judge,
    Pass,
    Play,
    Start,
)
from companion.storage.journal import Journal, Line, ReadBy
from companion.storage.store import Store
from companion.table.hypotheses.draw_pile_acts import reach_ways
from companion.table.hypotheses.finding import Candidate, Finding
from companion.table.presentation.questions import ask
from companion.table.presentation.sentences import Sentences
from companion.table.presentation.updates import UpdateKind
from companion.table.presentation.view import Known, NoticeKind, QuestionKind, Turns
from companion.table.session.errors import NobodysMoveError, NothingToRedoError, RoundScoredError
from companion.table.session.table import Table
from companion.table.state import thresholds
from companion.table.state.observations import Pending, Reach, Sight
from companion.table.state.situation import Way, situation
from companion.vision.core.events import (
    IDLE_SHARE,
    Arm,
    CameraHealth,
    CameraStatus,
    CardLanded,
    CardTakenBack,
    PileKind,
    PileReached,
)

from .conftest import Game, card, header, probabilities
from .restarts import started_again, unlike

SEATS = {"Ann": 20.0, "Ben": 140.0, "Cy": 260.0}


class ArmsGame(Game):
    """A game with visible arms: three players a third of a circle apart."""

    def arm(self, who: str, off: float = 0.0) -> Arm:
        return Arm((SEATS[who] + off) % 360, 4.0, int(self.now))

    def lay(self, who: str | None, name: dict[str, float] | str, off: float = 0.0) -> None:
        self.now += 5
        arm = None if who is None else self.arm(who, off)
        self.table.see(CardLanded(self.now, probabilities(name), arm=arm))

    def reach(self, who: str, *drawn: float, off: float = 0.0) -> None:
        self.now += 5
        self.table.see(
            PileReached(self.now, self.now - 1, self.arm(who, off), PileKind.DRAW, drawn or (0.05, 0.9, 0.05))
        )

    @property
    def moves(self) -> list[str]:
        return [f"{line.player or ''} {type(line.move).__name__}".strip() for line in self.view.history]


@pytest.fixture
def arms(store: Store) -> ArmsGame:
    """A game in which three laps have taught the seats; Ann is to act on a red 9."""
    game = ArmsGame(store)
    game.table.start_match(header("classic"))
    game.lay(None, "red 1")
    for name in ("red 2", "red 3", "red 4", "red 5", "red 6", "red 7", "red 8", "red 9", "red 1"):
        game.lay(("Ann", "Ben", "Cy")[len(game.view.history[1:]) % 3], name)
    assert game.actor == "Ann"
    return game


def test_seats_are_learnt_from_landings(arms: ArmsGame) -> None:
    for seat in arms.view.seats:
        assert seat.direction == pytest.approx(SEATS[seat.player], abs=1)
        assert seat.certainty > 0.95
    assert {line.known for line in arms.view.history[1:]} == {Known.SEEN}


def test_next_card_shows_who_drew_and_passed(arms: ArmsGame) -> None:
    arms.reach("Ann")
    assert (arms.moves[-1], arms.view.history[-1].known) == ("Ann Draw", Known.SEEN)
    arms.lay("Ben", "red 3")
    assert arms.moves[-2:] == ["Ann Pass", "Ben Play"]
    assert arms.view.questions == ()


@pytest.mark.parametrize("rival", [0.0, 0.4])
def test_of_two_possible_arms_the_player_on_turn_is_chosen(arms: ArmsGame, rival: float) -> None:
    arms.now += 5
    rivals = ((arms.arm("Ann"), rival),) if rival else ()
    arms.table.see(CardLanded(arms.now, probabilities("red 3"), arm=replace(arms.arm("Ben"), track=77), rivals=rivals))
    assert bool(arms.view.questions) is not bool(rival)
    if rival:
        assert arms.moves[-1] == "Ann Play"
        assert arms.view.seats[0].direction == pytest.approx(SEATS["Ann"], abs=1)
        arms.lay("Ben", "red 4")
        assert (arms.moves[-1], arms.view.questions) == ("Ben Play", ())


def test_drawn_card_may_be_played_at_once(arms: ArmsGame) -> None:
    arms.reach("Ann")
    arms.lay("Ann", "red 3")
    assert arms.moves[-2:] == ["Ann Draw", "Ann Play"]


def test_arm_in_view_since_the_draw_plays_the_drawn_card(arms: ArmsGame) -> None:
    """The arm comes from between two players, of whom the other may have played after a pass."""
    arms.reach("Ann")
    drew = int(arms.now)
    arms.now += 5
    arms.table.see(CardLanded(arms.now, probabilities("red 3"), arm=Arm(80.0, 20.0, 99, entered_as=drew)))
    assert arms.moves[-2:] == ["Ann Draw", "Ann Play"]
    arms.table.undo()
    arms.now += 5
    arms.table.see(CardLanded(arms.now, probabilities("red 3"), arm=Arm(80.0, 20.0, 99)))
    assert arms.moves[-1] != "Ann Play" or arms.view.questions


@pytest.mark.parametrize(("hands", "drew"), [(2, True), (1, False)])
def test_one_draw_seen_as_two_arms_counts_once(arms: ArmsGame, hands: int, drew: bool) -> None:
    """Each arm is less likely than not to have drawn, and it is as unlikely that neither has."""
    arms.now += 5
    for track in range(hands):
        arms.now += 0.1
        arm = Arm(SEATS["Ann"] - 3 * track, 4.0, 1001 + track)
        arms.table.see(PileReached(arms.now, arms.now - 0.3, arm, PileKind.DRAW, (0.81, 0.19)))
    arms.now += 0.8
    arms.table.see(CardLanded(arms.now, probabilities("red 3"), arm=Arm(SEATS["Ann"], 4.0, 1003, entered_as=1001)))
    assert arms.moves[-2:] == ["Ann Draw" if drew else "Cy Play", "Ann Play"]


def test_arm_that_takes_nothing_is_no_draw(arms: ArmsGame) -> None:
    arms.reach("Cy", 0.97, 0.03)
    assert arms.moves[-1] == "Cy Play"
    assert arms.actor == "Ann"


def test_color_may_be_tapped_while_next_player_draws(arms: ArmsGame) -> None:
    arms.lay("Ann", "wild")
    arms.reach("Ben", 0.4, 0.55, 0.05)
    arms.table.tap(ChooseColor(Color.BLUE))
    arms.lay("Cy", "blue 3")
    assert arms.moves[-5:] == ["Ann Play", "Ann ChooseColor", "Ben Draw", "Ben Pass", "Cy Play"]


def test_color_may_be_tapped_before_a_pending_card(arms: ArmsGame) -> None:
    arms.lay("Ann", "wild")
    arms.lay("Ben", {"green reverse": 0.9, "green 0": 0.1})
    assert arms.moves[-1] == "Ann Play", "what Ben laid is in doubt"
    arms.table.tap(ChooseColor(Color.GREEN))
    assert arms.moves[-1] == "Ann ChooseColor"
    arms.answer("green reverse")
    assert (arms.moves[-2:], arms.top) == (["Ann ChooseColor", "Ben Play"], "green reverse")


def test_color_may_be_tapped_before_two_pending_cards(arms: ArmsGame) -> None:
    arms.lay("Ann", "wild")
    for who in ("Ben", "Cy"):
        arms.lay(who, {"green 3": 0.5, "green 8": 0.5})
    assert arms.moves[-1] == "Ann Play", "what Ben and Cy laid is in doubt"
    arms.table.tap(ChooseColor(Color.GREEN))
    assert arms.moves[-1] == "Ann ChooseColor"


def test_pass_may_be_tapped_before_a_card_of_unclear_player(arms: ArmsGame, store: Store) -> None:
    arms.reach("Ann")
    arms.lay(None, "red 3")
    assert (arms.moves[-1], arms.view.questions) == ("Ann Draw", ())
    arms.table.tap(Pass())
    assert arms.moves[-3:] == ["Ann Draw", "Ann Pass", "Ben Play"]
    assert unlike(arms.table, started_again(arms.table, store, arms.now)) == []


def test_arm_between_two_seats_asks_who_played(store: Store) -> None:
    game = ArmsGame(store)
    rules = replace(header("classic"), options=replace(EDITIONS[EditionName.CLASSIC].options, jump_in=True))
    game.table.start_match(rules)
    game.lay(None, "red 1")
    for place in range(9):
        game.lay(("Ann", "Ben", "Cy")[place % 3], f"red {place % 8 + 2}")
    arm = Arm(200.0, 30.0, 99)  # half-way between Ben and Cy; Ann, who is on turn, sits opposite
    game.now += 5
    game.table.see(CardLanded(game.now, probabilities("red 2"), arm=arm, same_face=True))
    assert game.question.kind is QuestionKind.PLAYER
    assert set(game.labels[:2]) == {"Ben", "Cy"}
    assert game.question.sentence.startswith("Who played the red 2: ")
    game.answer(game.labels.index("Cy"))
    assert game.view.history[-1].player == "Cy"
    assert game.view.questions == ()


def test_taking_owed_cards_is_no_draw(arms: ArmsGame) -> None:
    arms.lay("Ann", "red draw two")
    before = len(arms.view.history)
    arms.reach("Ben")
    seat = arms.view.seats[1]
    assert (seat.owed, seat.taken) == (2, 1)
    arms.reach("Ben")
    assert arms.view.seats[1].owed == 0
    assert len(arms.view.history) == before
    assert arms.actor == "Cy"


def test_owed_cards_are_taken_before_play_continues(store: Store) -> None:
    game = ArmsGame(store)
    game.table.start_match(header("classic"))
    game.lay("Cy", "red draw two")
    game.reach("Ann", 0.31, 0.48, 0.08, 0.06, 0.07, off=109)
    game.lay("Ben", "red 3", off=97)  # close to Cy
    assert "Ben Draw" not in game.moves
    game.lay("Cy", "red 4", off=22)
    assert game.moves == ["Start", "Ben Play", "Cy Play"]


def test_taking_is_not_asked_about_if_stacking_is_impossible() -> None:
    owing = Way(situation(Journal(Match(header("classic")))))
    for move in (Start(card("red 1")), Play(card("wild draw four")), ChooseColor(Color.RED)):
        owing = owing.then(Line(move, ReadBy.CAMERA, 0.0))
    start = Way(owing.after)
    sight = Pending(Sight(9.0, probabilities("red 3"), "reading"))
    ways = []
    for answers in ((Accept(),), (Challenge(), Judge(guilty=True))):
        way = start
        for move in (*answers, Play(card("red 3"))):
            way = way.then(Line(move, ReadBy.INFERRED, 9.0))
        ways.append(replace(way, card=card("red 3")))
    found = tuple(Candidate(way, share) for way, share in zip(ways, (0.6, 0.4), strict=True))
    finding = Finding((), (), found, illegal=False, idle=0, last=None)
    assert ask(finding, sight, start.after.state, Sentences(Caller())) is None


def test_each_color_is_offered_once(arms: ArmsGame) -> None:
    arms.table.set_turns(Turns.RELAXED)
    arms.lay("Ann", "wild draw four")
    arms.table.tap(Draw(by="Cy"))
    assert sorted(arms.labels) == ["blue", "green", "red", "yellow"]


def test_card_taken_back_may_have_implied_a_wrong_color(arms: ArmsGame) -> None:
    arms.lay("Ann", "wild")
    arms.lay("Ben", "yellow 6")
    assert arms.moves[-2:] == ["Ann ChooseColor", "Ben Play"]
    arms.now += 3
    arms.table.see(CardTakenBack(arms.now, probabilities("wild")))
    arms.lay("Ben", "green 5")
    assert arms.view.questions == ()
    assert (arms.moves[-2:], arms.top) == (["Ann ChooseColor", "Ben Play"], "green 5")


def test_card_taken_back_by_tap_and_by_hand_is_removed_once(arms: ArmsGame, store: Store) -> None:
    arms.now += 5
    arms.table.see(CardLanded(arms.now, probabilities("red 1"), arm=arms.arm("Ann"), same_face=True))
    arms.lay("Ben", "red 3")
    count = len(arms.moves)
    arms.table.take_back()
    arms.table = Table(store, clock=lambda: arms.now)
    arms.table.resume()
    arms.table.see(CardTakenBack(arms.now + 2, probabilities("red 1")))
    assert len(arms.moves) == count - 1
    arms.now += 5
    arms.table.see(CardTakenBack(arms.now, probabilities("red 1")))
    assert len(arms.moves) == count - 2, "another one"


def test_untaken_debt_is_mentioned_once(arms: ArmsGame) -> None:
    arms.reach("Cy", 0.97, 0.03)  # so the draw pile is in view
    arms.lay("Ann", "red draw two")
    heard = arms.table.subscribe()
    for _ in range(3):
        arms.now += 20
        arms.table.retry()
    update = heard.next(0)
    assert update is not None
    assert update.sentences == ("Ben, 2 cards are still to be drawn.",)
    assert heard.next(0) is None


def test_partial_taking_followed_by_a_pause_counts_as_all(arms: ArmsGame) -> None:
    arms.lay("Ann", "red draw two")
    arms.reach("Ben")
    assert (arms.view.seats[1].owed, arms.view.seats[1].taken) == (2, 1)
    heard = arms.table.subscribe()
    arms.now += 30
    arms.table.retry()
    assert heard.next(0) is None
    assert arms.view.seats[1].owed == 0


def test_out_of_turn_card_is_asked_with_its_explanations(arms: ArmsGame) -> None:
    arms.lay("Ben", "red 3")
    assert (arms.question.kind, arms.question.sentence) == (QuestionKind.TURN, "Ben played, but it is Ann’s turn.")
    assert arms.labels[:3] == ["Ann drew and passed", "Let it stand", "Take it back"]
    hands = arms.view.state
    assert hands is not None
    arms.answer(1)
    after = arms.view.state
    assert after is not None
    assert (after.hands[0], after.actor) == (hands.hands[0], "Cy")
    assert isinstance(arms.view.history[-2].move, Count)


def test_play_continues_during_an_out_of_turn_question(arms: ArmsGame) -> None:
    arms.lay("Ben", "red 3")
    arms.lay("Cy", "red 4")
    assert arms.view.questions == ()
    assert arms.moves[-4:] == ["Ann Draw", "Ann Pass", "Ben Play", "Cy Play"]


def test_ambiguous_reach_is_decided_by_the_prior(arms: ArmsGame) -> None:
    session = arms.table.session
    assert session is not None
    known = session.known
    arms.now += 5  # another arm
    drawn = (IDLE_SHARE, 1 - IDLE_SHARE)
    reach = Reach(arms.now, arms.arm("Ann"), drawn)
    ways = reach_ways(known, reach, session.watch.mode(known.ring))
    densities = known.ring.densities(reach.arm.direction, reach.arm.spread)
    even = sum(densities) / len(densities)
    assert min(abs(way.weight / even - thresholds.IDLE_REACH) for way in ways if not way.lines) < 1e-9
    most = max(way.weight / densities[0] for way in ways if way.lines)
    assert most == pytest.approx(1 - thresholds.IDLE_REACH, rel=thresholds.TOO_MANY)


@pytest.mark.parametrize(("nothing", "drew"), [(0.55, False), (0.05, True)])
def test_first_arm_at_the_draw_pile_may_take_nothing(store: Store, nothing: float, drew: bool) -> None:
    """No seat is known yet, so a landing from that direction by the player on turn is evidence for neither."""
    game = ArmsGame(store)
    game.table.start_match(header("classic", "Ann Ben"))
    game.lay(None, "red 1")
    game.reach("Ann", nothing, 1 - nothing)
    game.lay("Ann", "red 2")
    assert game.moves[1:] == [*["Ann Draw"] * drew, "Ann Play"]


def test_tapped_draw_seen_later_counts_once(arms: ArmsGame) -> None:
    arms.table.tap(Draw())
    arms.reach("Ann")
    arms.table.tap(Draw()) if arms.actor != "Ann" else None
    assert arms.moves[-1] == "Ann Draw"
    assert arms.moves.count("Ann Draw") == 1
    arms.lay("Ben", "red 3")
    arms.reach("Cy")
    arms.table.tap(Draw(by="Cy"))
    assert arms.moves.count("Cy Draw") == 1


def test_one_tap_changes_the_player_of_a_move(arms: ArmsGame) -> None:
    n = len(arms.view.history) + 1
    arms.lay(None, "red 3")
    arms.lay("Cy", "red 4")
    arms.table.say_who(n, "Ben")
    assert arms.moves[n - 1 :] == ["Ann Draw", "Ann Pass", "Ben Play", "Cy Play"]
    with pytest.raises(NobodysMoveError):
        arms.table.say_who(1, "Ben")


def test_restart_keeps_seats_and_debts(arms: ArmsGame, store: Store) -> None:
    arms.lay("Ann", "red draw two")
    arms.reach("Ben")
    arms.table.set_turns(Turns.CAMERA)
    other = Table(store)
    other.resume()
    assert other.view().seats == arms.view.seats
    assert [line.known for line in other.view().history] == [line.known for line in arms.view.history]


def test_manually_placed_players_are_known_at_once(store: Store) -> None:
    game = ArmsGame(store)
    game.table.start_match(header("classic"))
    for player, direction in SEATS.items():
        game.table.place(player, direction)
    game.lay(None, "red 1")
    game.lay("Ben", "red 3")
    assert game.question.sentence == "Ben played, but it is Ann’s turn."


def test_turns_are_tapped_if_directions_are_uninformative(store: Store) -> None:
    game = ArmsGame(store)
    game.table.start_match(header("classic"))
    game.lay(None, "red 1")
    heard = game.table.subscribe()
    for count in range(12):
        game.lay("Ann", f"red {count % 8 + 2}", off=count % 3)
    assert (game.view.turns, game.view.turns_in_force) == (Turns.CAMERA, Turns.TAPPED)
    (notice,) = game.view.notices
    assert (notice.kind, notice.sentence) == (
        NoticeKind.TURNS, "The camera cannot tell your arms apart: tap who draws and passes.",
    )  # fmt: skip
    result = []
    while update := heard.next(0):
        result += [update.notice] if update.kind is UpdateKind.NOTICE else []
    assert result == [notice], "it is reported once"
    game.table.set_caller(Caller(Language.GERMAN))
    (notice,) = game.view.notices
    assert notice.sentence == "Die Kamera kann eure Arme nicht unterscheiden: Tippt an, wer zieht und passt."
    game.table.set_turns(Turns.TAPPED)
    assert game.view.notices == ()


def test_draw_pile_out_of_view_is_announced(arms: ArmsGame) -> None:
    assert arms.view.notices == ()
    for count in range(9):
        arms.lay(("Ann", "Ben", "Cy")[count % 3], f"red {count % 8 + 2}")
    assert [notice.kind for notice in arms.view.notices] == [NoticeKind.TURNS]
    assert "draw pile" in arms.view.notices[0].sentence
    arms.reach("Ann")
    assert arms.view.notices == ()


def test_seats_are_relearnt_after_the_camera_is_turned(arms: ArmsGame) -> None:
    for count in range(8):
        arms.lay(("Ann", "Ben", "Cy")[count % 3], f"red {count + 2}", off=75)
    assert arms.view.seats[0].direction == pytest.approx(95, abs=8)


def test_knocked_camera_makes_seats_less_certain(arms: ArmsGame) -> None:
    arms.table.see(CameraStatus(arms.now, CameraHealth.KNOCKED))
    assert arms.view.seats[0].direction == pytest.approx(20, abs=1)
    for count in range(3):
        arms.lay(("Ann", "Ben", "Cy")[count], f"red {count + 2}", off=45)
    assert arms.view.questions == ()
    assert [round(seat.direction or 0) for seat in arms.view.seats] == [65, 185, 305]


def test_later_move_that_breaks_is_named_and_dropped_on_request(arms: ArmsGame) -> None:
    count = len(arms.view.history)
    found = arms.table.preview_amend(count - 1, Play(card("wild")))
    assert found.dropped == (count,)
    assert found.why is not None
    assert found.state.actor == "Ben"
    assert len(arms.view.history) == count, "a preview changes nothing"
    arms.table.amend(count - 1, Play(card("wild")), drop=True)
    assert (len(arms.view.history), arms.top, arms.actor) == (count - 1, "wild", "Ben")


def test_undone_moves_can_be_redone(arms: ArmsGame) -> None:
    before = arms.view.state
    arms.table.undo()
    arms.table.undo()
    arms.table.redo()
    arms.table.redo()
    assert arms.view.state == before
    with pytest.raises(NothingToRedoError):
        arms.table.redo()


def test_scored_round_is_not_reopened_by_accident(store: Store) -> None:
    from companion.referee.moves import Hand

    game = Game(store)
    game.table.start_match(header("classic", players="Ann Ben", hand_size=1))
    game.land("red 1")
    game.land("red 2")
    game.table.tap(Hand("Ben", (card("red 3"),)))
    with pytest.raises(RoundScoredError):
        game.table.undo()
    game.table.undo(scored=True)
    assert game.view.legal is not None
    assert game.view.legal.hand == ("Ben",)
