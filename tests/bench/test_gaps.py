"""Tests of gaps in a camera's view, and of grading the tops reported after them."""

from __future__ import annotations

import numpy as np

from companion.bench.accuracy.matches import as_markdown
from companion.bench.simulation.gaps import Gap, GapTime, TopAfterGap, gap_times, grade_gaps
from companion.bench.simulation.match_run import MatchResult, MatchSetUp
from companion.cards import Card
from companion.dataset.simulated.simulation import PileChange, TrueEvent
from companion.vision.core.events import (
    CameraHealth,
    CameraStatus,
    CardLanded,
    CardTakenBack,
    PileEvent,
    PileGone,
    PileMoved,
)

RED_7, BLUE_3 = Card.parse("red 7"), Card.parse("blue 3")


def landed(card: Card, confidence: float) -> CardLanded:
    return CardLanded(0.0, ((card, confidence),))


def test_gaps_follow_each_other_within_the_match() -> None:
    gaps = list(gap_times(3, 100.0))
    assert {gap.gap for gap in gaps} == set(Gap)
    times = [time for gap in gaps for time in (gap.start, gap.end)]
    assert times == sorted(times)
    assert times[-1] < 100.0
    assert list(gap_times(3, 5.0)) == []


def test_tops_are_graded_by_the_last_landing_before_the_next_change() -> None:
    truth = [TrueEvent(PileChange.LANDED, at, at, card) for at, card in ((5.0, RED_7), (6.0, BLUE_3), (12.0, RED_7))]
    gaps = [GapTime(Gap.ASLEEP, 4.0, 8.0), GapTime(Gap.ASLEEP, 9.0, 10.0)]

    def grade(*said: tuple[float, PileEvent]) -> list[TopAfterGap]:
        return list(grade_gaps(gaps, truth, said).elements())

    assert grade((9.0, landed(BLUE_3, 0.9))) == [TopAfterGap.RIGHT]
    assert grade((9.0, landed(RED_7, 0.9))) == [TopAfterGap.WRONG]
    assert grade((9.0, landed(RED_7, 0.6))) == [TopAfterGap.ASKED]
    assert grade((9.0, landed(RED_7, 0.9)), (9.5, landed(BLUE_3, 0.9))) == [TopAfterGap.RIGHT]
    assert grade((13.0, landed(BLUE_3, 0.9))) == [TopAfterGap.MISSED]
    gaps[0] = GapTime(Gap.ASLEEP, 4.0, 11.6)  # the next card lands before the pile can be read
    assert grade() == []


def test_top_of_a_reshuffled_pile_is_right_if_it_is_still_the_known_one() -> None:
    changes = ((PileChange.LANDED, 2.0, RED_7), (PileChange.GONE, 5.0, None), (PileChange.LANDED, 6.0, RED_7))
    truth = [TrueEvent(change, at, at, card) for change, at, card in changes]
    gaps = [GapTime(Gap.COVERED, 4.0, 8.0)]

    def grade(*said: tuple[float, PileEvent]) -> list[TopAfterGap]:
        return list(grade_gaps(gaps, truth, [(2.1, landed(RED_7, 0.9)), *said]).elements())

    assert grade((8.5, PileMoved(8.4))) == [TopAfterGap.RIGHT]
    assert grade((8.5, PileGone(8.4))) == [TopAfterGap.MISSED]
    assert grade((3.0, landed(BLUE_3, 0.9))) == [TopAfterGap.MISSED]
    assert grade((3.0, CardTakenBack(3.0, ()))) == [TopAfterGap.MISSED]
    truth[1] = TrueEvent(PileChange.MOVED, 5.0, 5.0, RED_7)  # then a like card was played
    assert grade() == [TopAfterGap.MISSED]


def test_a_covered_lens_sends_black_pictures_and_a_phone_asleep_nothing() -> None:
    picture = np.full((4, 4, 3), 200, np.uint8)
    covered, asleep = GapTime(Gap.COVERED, 1.0, 2.0), GapTime(Gap.ASLEEP, 1.0, 2.0)
    black = covered.picture(picture)
    assert black is not None
    assert not black.any()
    assert asleep.picture(picture) is None
    assert covered.status(over=False) == []
    assert asleep.status(over=False) == [CameraStatus(1.0, CameraHealth.GONE)]
    assert asleep.status(over=True) == [CameraStatus(2.0, CameraHealth.OK)]


def test_report_counts_the_tops_after_gaps_of_all_matches() -> None:
    of_each = [{TopAfterGap.RIGHT.value: 2}, {TopAfterGap.RIGHT.value: 1, TopAfterGap.ASKED.value: 1}]
    played = [
        MatchResult(MatchSetUp(seed, "classic", 2, 12, gaps=True), {}, {}, {}, (), (), (), 30, 0, 0, 1.0, gaps=gaps)
        for seed, gaps in enumerate(of_each)
    ]
    lines = as_markdown(played).splitlines()
    start = lines.index("| tops after a gap | |") + 2
    assert lines[start : start + len(TopAfterGap)] == [
        "| right | 3 |",
        "| asked | 1 |",
        "| wrong | 0 |",
        "| missed | 0 |",
    ]
