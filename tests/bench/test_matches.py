"""Tests of the benchmark of simulated matches: its report and its options."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from companion.bench.accuracy.matches import best_temperature, matches
from companion.bench.simulation.deck_lesson import laid
from companion.bench.simulation.match_run import MatchSetUp, header_by, simulated_table
from companion.bench.simulation.pile_scoring import Outcome, Score, grade
from companion.cards import Card, EditionName
from companion.dataset.simulated.script import write_script
from companion.dataset.simulated.simulation import PileChange, SimulatedTable, TrueEvent
from companion.vision.core.events import CardLanded, PileMoved

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("right", "fits"), [(90, 1.0), (99, 0.48), (75, 2.0)])
def test_the_temperature_that_fits_is_the_one_that_makes_confidences_true(right: int, fits: float) -> None:
    readings = [(0.9, 0.1)] * right + [(0.1, 0.9)] * (100 - right)
    assert best_temperature(readings) == pytest.approx(fits, rel=0.03)


@pytest.mark.parametrize(("knocked", "invented"), [(3.5, 0), (1.0, 1), (4.5, 1)])
def test_pile_moved_by_a_knocked_camera_is_no_false_event(knocked: float, invented: int) -> None:
    card, score = Card.parse("red 7"), Score()
    truth = [TrueEvent(PileChange.LANDED, 2.0, 2.3, card)]
    grade(score, 1, truth, [(2.5, CardLanded(2.3, ((card, 1.0),))), (4.3, PileMoved(4.0))], [knocked])
    assert score.counts[PileChange.LANDED, Outcome.FOUND] == 1
    assert score.counts[PileChange.LANDED, Outcome.INVENTED] == invented


def test_a_deck_to_be_learnt_shows_each_card_as_it_lies_open_without_a_hand() -> None:
    cards = [Card.parse(name) for name in ("red 7", "blue 3", "wild")]
    table = SimulatedTable(3, write_script(3, EditionName.CLASSIC, longest=1), EditionName.CLASSIC)
    frames = list(laid(table, cards))
    assert [frame.top.card for frame in frames if frame.top] == cards
    assert all(frame.covered == 0 for frame in frames)


def test_decks_are_drawn_with_the_typefaces_asked_for(tmp_path: Path) -> None:
    cards, script = [Card.parse("red 7"), Card.parse("blue 3")], write_script(3, EditionName.CLASSIC, longest=1)
    for seed in range(1, 5):
        table = simulated_table(MatchSetUp(seed, "classic", 3, 5, fonts=str(tmp_path)), script)
        without = SimulatedTable(seed, script, EditionName.CLASSIC, fonts=())
        assert np.array_equal(table.photograph(cards), without.photograph(cards))


def test_decks_never_seen_are_not_to_be_chosen_as_well() -> None:
    answer = CliRunner().invoke(matches, ["--unseen", "--families", "minimal"])
    assert answer.exit_code == 2
    assert "leave out --families" in answer.output


def test_house_rules_are_as_with_follow_and_checked_before_anything_is_played() -> None:
    result = CliRunner().invoke(matches, ["--matches", "1", "--option", "stacking=sideways"])
    assert result.exit_code == 2
    assert "stacking" in result.output
    set_up = MatchSetUp(1, "classic", 3, 5, options=("stacking=same", "jump_in=true"))
    header = header_by(set_up)
    assert header is not None
    assert (header.options.stacking.value, header.options.jump_in) == ("same", True)
    assert header_by(MatchSetUp(1, "classic", 3, 5)) is None
