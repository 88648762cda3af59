"""A restart at any moment loses nothing: the complete state is restored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from companion.referee.match import Match
from companion.referee.moves import Amend, Draw, Pass, Play, Start, Undo
from companion.storage.journal import Journal, Line, ReadBy, replay, undone
from companion.storage.store import Store
from companion.table.hypotheses.finding import Hypothesis, RevisionLog
from companion.table.hypotheses.hypotheses import hypotheses_by
from companion.table.hypotheses.revision_log import correction_lines, replayed_log
from companion.table.presentation.view import Turns
from companion.table.session.errors import NothingToRedoError
from companion.table.session.match_memory import Memory, dump_memory
from companion.table.session.resume import load_memory
from companion.table.state.observations import Pending, Sight
from companion.table.state.situation import Hand, Mode, situation
from companion.table.state.thresholds import MAX_REVISABLE, REVISABLE
from companion.table.state.watch import Watch
from companion.vision.core.events import Arm, CameraHealth, CameraStatus, CardLanded, PileKind, PileReached

from .conftest import Game, card, header, probabilities
from .restarts import started_again, unlike
from .test_arms import ArmsGame, arms
from .test_timing import TimedGame

__all__ = ["arms"]


def lost(game: Game) -> list[str]:
    """Return the parts of the state that a restart now would change."""
    assert game.store is not None
    return unlike(game.table, started_again(game.table, game.store, game.now))


def test_reading_with_a_repeated_card_is_stored_and_used_alike(game: Game) -> None:
    twice = card("green draw two")
    game.now += 60
    game.table.see(CardLanded(0.0, ((card("red 3"), 0.2), (twice, 0.45), (twice, 0.35))))
    assert lost(game) == []
    assert game.table.session is not None
    (pending,) = game.table.session.pending
    assert isinstance(pending.what, Sight)
    assert dict(pending.what.probabilities) == {twice: pytest.approx(0.8), card("red 3"): 0.2}
    assert pending.what.probabilities[0][0] == twice


def test_only_moves_undone_by_people_can_be_redone(game: Game) -> None:
    game.land("red 3")
    game.land("red 5")
    game.table.undo()
    assert lost(game) == []
    game.table.take_back()
    assert lost(game) == []
    assert game.store is not None
    with pytest.raises(NothingToRedoError):
        started_again(game.table, game.store, game.now).redo()


def test_tapping_the_undone_move_clears_the_redo_list(game: Game) -> None:
    game.table.tap(Draw())
    game.table.tap(Pass())
    game.table.undo()
    game.table.undo()
    game.table.tap(Draw())
    assert lost(game) == []


def test_move_in_another_spelling_can_be_redone(game: Game) -> None:
    game.table.tap(Draw(by=" ann"))
    game.table.tap(Pass())
    game.table.undo()
    game.table.undo()
    game.table.redo()
    assert lost(game) == []


def test_undone_amended_move_keeps_its_arm() -> None:
    laid = Line(Play(card("red 3")), ReadBy.CAMERA, 2.0, "reading", 40.0)
    amended = Line(Amend(2, Play(card("red 5"))), ReadBy.CORRECTED, 3.0)
    lines = [Line(Start(card("red 7")), ReadBy.TAP, 1.0), laid, amended]
    stood = replay(header(), lines).lines[-1]
    assert undone([*lines, Line(Undo(), ReadBy.TAP, 4.0)]) == (stood,)
    assert stood.direction == 40.0


def test_turn_tracking_is_stored_from_the_start(store: Store) -> None:
    game = Game(store)
    game.table.start_match(header(), turns=Turns.TAPPED)
    assert lost(game) == []


def test_knock_and_idle_arm_are_stored(arms: ArmsGame) -> None:
    arms.table.see(CameraStatus(arms.now, CameraHealth.KNOCKED, "Knocked."))
    assert lost(arms) == []
    arms.table.see(PileReached(arms.now, arms.now - 1, arms.arm("Ann"), PileKind.DISCARD, ()))
    assert lost(arms) == []
    arms.table.tap(Draw(by="Ann"))
    arms.reach("Ben", 0.9, 0.1)
    assert lost(arms) == []


def test_arm_seen_during_a_question_is_evaluated_with_it(begin: Callable[..., Game]) -> None:
    """The arm shows that the draw pile is in view, which affects the choices."""
    game = begin(None)
    game.land({"red 3": 0.6, "red 8": 0.4})
    game.table.see(PileReached(0.0, 0.0, Arm(20.0, 4.0, 1), PileKind.DRAW, (0.5, 0.5)))
    assert lost(game) == []


def test_intervals_between_acts_are_stored(store: Store) -> None:
    game = TimedGame(store)
    game.table.start_match(header("classic"))
    game.lay(None, "red 1", 1.0)
    for place, name in enumerate(("red 2", "red 3", "red 4", "red 5", "red 6", "red 7")):
        game.lay(("Ann", "Ben", "Cy")[place % 3], name, 10.0 * (place + 1))
    game.stay("Ann", 62.0, 62.6)
    game.lay("Ann", {"red 3": 0.6, "red 8": 0.4}, 63.0)
    assert game.view.questions
    assert lost(game) == []


def test_times_before_a_restart_are_far_in_the_past(arms: ArmsGame, store: Store) -> None:
    """Another camera's clock starts from zero: its events are later than all earlier ones."""
    arms.lay("Ann", {"red 3": 0.6, "red 8": 0.4})
    arms.table = started_again(arms.table, store, arms.now)
    arms.table.see(CardLanded(0.5, probabilities({"red 4": 0.6, "red 5": 0.4}), arm=Arm(140.0, 4.0, 1)))
    assert arms.table.session is not None
    first, second = (waiting.what for waiting in arms.table.session.pending)
    assert isinstance(first, Sight)
    assert isinstance(second, Sight)
    assert (first.probabilities[0][0], second.probabilities[0][0]) == (card("red 3"), card("red 4"))


def test_complete_situation_is_restored(store: Store) -> None:
    journal = replay(header(), [Line(Start(card("red 7")), ReadBy.TAP, 1.0)])
    known = situation(journal, card("blue 3"))
    for direction in (20.0, 170.0, 24.0, 168.0, 19.5):
        known = known.taught(0, Arm(direction, 4.0, 1))
    hands = (Hand(1, 0, 1, 5.25, drew=True), Hand(2, 1, 2))
    known = replace(known, hands=hands, landed=5.75, dropped=3.5, noted=1)
    memory = Memory(Watch(Turns.RELAXED, 3, 2), known, RevisionLog(known), 4)
    assert load_memory(dump_memory(memory), journal) == memory


def test_revision_log_that_starts_before_its_base_is_restored() -> None:
    start = Line(Start(card("red 7")), ReadBy.TAP, 1.0)
    base = situation(replay(header(), [start, Line(Play(card("red 3")), ReadBy.CAMERA, 2.0, "a")]))
    seen = (Pending(Sight(60.0, probabilities("red 5"), "b"), at=3.0),)
    known = base.enter(Line(Undo(), ReadBy.CAMERA, 60.0))
    (hypothesis,) = [
        Hypothesis(known, (replace(s.ways[0], after=known),)) for s in hypotheses_by(base, [(seen[0], Mode())])[:1]
    ]
    revisions = RevisionLog(base, seen, (Mode(),), hypothesis.ways, (hypothesis,))
    text = dump_memory(Memory(Watch(), known, revisions))
    kept = load_memory(text, known.journal)
    assert kept.known == known
    assert '"gone": [{' in text


def test_same_moves_with_another_picture_are_rewritten() -> None:
    start = situation(Journal(Match(header()))).enter(Line(Start(card("red 7")), ReadBy.TAP, 1.0))
    one, other = (start.enter(Line(Play(card("red 3")), ReadBy.CAMERA, 2.0, reading)) for reading in "ab")
    assert correction_lines(one, one, 3.0) == ()
    lines = correction_lines(one, other, 3.0)
    assert [type(line.entry) for line in lines] == [Undo, Play]
    assert lines[-1].reading == "b"


def test_interpretation_modes_are_stored_with_observations(store: Store) -> None:
    """The first arm at the draw pile shows that it is in view; before it, draws are missed more often."""
    game = ArmsGame(store)
    game.table.start_match(header("classic"))
    game.lay("Cy", "red 1")
    game.lay("Ben", "red 2", off=-60)
    game.lay("Cy", "red 3")
    game.reach("Ann")
    session = game.table.session
    assert session is not None
    assert session.revisions is not None
    assert len(set(session.revisions.modes)) == 2
    assert lost(game) == []


@pytest.mark.slow
def test_pruned_revision_log_follows_from_its_base(arms: ArmsGame) -> None:
    lengths = set()
    for turn in range(MAX_REVISABLE + 4):
        who = ("Ann", "Ben", "Cy")[turn % 3]
        arms.lay(who, f"red {2 + turn % 8}")
        session = arms.table.session
        assert session is not None
        revisions = session.revisions
        assert revisions is not None
        lengths.add(len(revisions.seen))
        again = replayed_log(revisions.base, revisions.seen, revisions.modes, session.known)
        assert [hypothesis.weight for hypothesis in again.hypotheses] == [
            hypothesis.weight for hypothesis in revisions.hypotheses
        ]
        assert lost(arms) == []
    assert max(lengths) == MAX_REVISABLE
    assert REVISABLE in lengths


def test_later_clarity_affects_open_questions(begin: Callable[..., Game]) -> None:
    game = begin(edition="classic")
    game.land("wild")
    game.land({"wild": 0.9, "yellow 2": 0.1})
    game.land({"red skip": 0.6, "red 8": 0.4})
    assert game.view.questions
    assert lost(game) == []


def test_densest_direction_of_a_seat_is_stored() -> None:
    """Arms around one direction may be clustered about any of them."""
    known = situation(replay(header(), [Line(Start(card("red 7")), ReadBy.TAP, 1.0)]))
    ring = known.ring.learn(0, 95.0).learn(0, 115.0).learn(0, 90.0)
    known = replace(known, ring=ring)
    assert load_memory(dump_memory(Memory(Watch(), known, RevisionLog(known))), known.journal).known.ring == ring


def test_restart_after_knocks_loses_nothing(arms: ArmsGame) -> None:
    for _ in range(4):
        arms.table.see(CameraStatus(arms.now, CameraHealth.KNOCKED, "Knocked."))
        assert lost(arms) == []
