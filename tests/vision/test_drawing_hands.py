"""Hands at the draw pile that do more than one draw: rest, play the drawn card, pass over, carry a card."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from reaching import attributed_to

from companion.vision.arms.arm_tracks import Sample, Track
from companion.vision.arms.frame_border import Point
from companion.vision.arms.hand_visits import Spot, VisitTracker, stayed_at_discard_pile
from companion.vision.core.events import PileKind
from companion.vision.imaging.masks import Floats
from companion.vision.imaging.zone import Zone
from companion.vision.tracking.draw_inference import DrawEvidence, shipped

pytestmark = pytest.mark.slow

ZONE = Zone(300.0, 200.0, 80.0)
DISCARD = Spot(PileKind.DISCARD, np.array([300.0, 200.0]), 80.0)
DRAW = Spot(PileKind.DRAW, np.array([420.0, 200.0]), 80.0)
RIM = np.array([420.0, 400.0])


def way(*stops: tuple[float, float, float], rim: Point = RIM) -> list[Sample]:
    """Return an arm's samples, 15 a second: x and y of each place that its tip goes to in 0.4 s, and how long it stays.

    What is seen of the arm is as long as it reaches in, and 30 pixels wide.
    """
    tips = [rim]
    for x, y, seconds in stops:
        place = np.array([x, y])
        tips += [tips[-1] + (place - tips[-1]) * step / 6 for step in range(1, 7)]
        tips += [place] * int(15 * seconds)
    areas = [30.0 * float(np.hypot(*(tip - rim))) for tip in tips]
    return [
        Sample(np.asarray(tip), rim, 30.0, area, separate=True, time=number / 15)
        for number, (tip, area) in enumerate(zip(tips, areas, strict=True))
    ]


def reentries(samples: list[Sample]) -> list[tuple[float, float]]:
    """Return, for each re-entry of an arm, when it was last at home and when the re-entry is first seen (s)."""
    found: list[tuple[float, float]] = []
    begins = 0
    for end in range(1, len(samples) + 1):
        home = Track(1, samples[begins:end]).last_withdrawal()
        if home is not None:
            begins += home
            found.append((samples[begins].time, samples[end - 1].time))
    return found


def test_who_draws_back_for_a_moment_reaches_in_again() -> None:
    """Who draws and plays what was drawn goes home with it in between."""
    samples = way((420, 205, 0.2), (420, 390, 0.1), (310, 215, 0.5), (420, 400, 0))
    ((home, seen),) = reentries(samples)
    assert 0.8 < home < 1.2
    assert seen - home < 0.4
    assert not reentries(way((420, 205, 0.2), (310, 215, 0.5), (420, 400, 0)))


def test_a_hand_that_looks_smaller_for_a_moment_has_not_drawn_back() -> None:
    """Of a sleeve of the table's own colour a part is not seen now and then."""
    samples = way((420, 205, 1.5), (420, 400, 0))
    assert not reentries([replace(s, area=s.area / 4) if 0.8 < s.time < 1.0 else s for s in samples])
    # For a single frame all but the elbow is missed.
    number = next(number for number, sample in enumerate(samples) if sample.time > 1)
    samples[number] = replace(samples[number], tip=np.array([420.0, 380.0]), area=600.0)
    assert not reentries(samples)


def test_a_hand_that_rests_by_the_rim_reaches_in_again() -> None:
    rests = way((420, 360, 3.0), (420, 205, 0.5), (420, 360, 3.0), (310, 215, 0.5))
    assert [home for home, _ in reentries(rests)] == pytest.approx([3.4, 7.8], abs=0.3)


def test_a_hand_that_rests_by_the_pile_once_it_has_drawn_was_there_no_longer() -> None:
    """The rim is so near that a hand at rest is within reach of the pile's middle."""
    samples = way((430, 190, 0.5), (420, 240, 1.5), rim=np.array([420.0, 270.0]))
    (draw,) = VisitTracker(Track(1, samples, gone=True)).follow([DRAW])
    assert draw.ended < 1.4
    assert shipped().probability(DrawEvidence(draw, DRAW)) > 0.7


def test_hand_that_crossed_the_table_may_still_draw() -> None:
    """It drew back from there, as far as that goes, and yet is in the middle of the draw pile."""
    samples = way((300, 30, 0.4), (420, 215, 0.5), rim=np.array([420.0, 290.0]))
    reaches = VisitTracker(Track(1, samples, gone=True)).follow([DRAW])
    assert [reach.began for reach in reaches if reach.stayed] == pytest.approx([1.2], abs=0.1)


def test_reach_of_a_shadow_is_no_evidence_for_its_hand() -> None:
    samples = way((445, 205, 0.5))
    pale = [
        replace(sample, tip=np.array([20.0, 20.0]), area=40 * sample.area, solid_share=0.08) if n in (1, 2) else sample
        for n, sample in enumerate(samples)
    ]
    (draw,) = VisitTracker(Track(1, pale, gone=True)).follow([DRAW])
    assert draw.ended - draw.began > 0.4


def test_what_an_arm_does_since_it_reached_in_again_is_no_stay_of_the_old_track() -> None:
    """It came to the pile within the frames that show it, which belong to the new track alone."""
    samples = way((420, 330, 0.3), (420, 390, 0.1), (420, 205, 0.0))
    track, arrived = Track(1, samples[:1]), len(samples)
    finder = VisitTracker(track)
    for number in range(1, arrived):
        track.samples.append(samples[number])
        assert finder.follow([DRAW]) == []
    track.split_at, track.gone = 1.0, True
    assert finder.follow([DRAW]) == []
    again = Track(2, [sample for sample in samples if sample.time > track.split_at])
    assert attributed_to(DRAW, [track, again], again.last.time)[0][0] is again


def test_a_stay_that_begins_as_an_arm_reaches_in_again_is_the_new_tracks_alone() -> None:
    samples = way((420, 205, 0.5))
    (stay,) = VisitTracker(Track(1, samples, gone=True)).follow([DRAW])
    assert VisitTracker(Track(1, samples, gone=True, split_at=stay.began)).follow([DRAW]) == []


def test_who_passes_over_a_pile_was_not_busy_there() -> None:
    passes, stays = (Track(1, way((310, 215, seconds), (200, 100, 0.5))) for seconds in (0.0, 0.5))
    assert not stayed_at_discard_pile(passes, 0.0, [DISCARD, DRAW])
    assert stayed_at_discard_pile(stays, 0.0, [DISCARD, DRAW])
    assert not stayed_at_discard_pile(stays, 1.5, [DISCARD, DRAW])


def test_who_sets_out_and_passes_over_a_pile_has_not_stayed_there() -> None:
    """One of its fingers seems to be where it rested until another one is over the pile."""
    samples = way((420, 380, 2.0), (310, 215, 0.0), (200, 100, 0.5))
    first = next(number for number, sample in enumerate(samples) if np.hypot(*(sample.tip - DISCARD.middle)) < 60)
    for number in range(first + 1):
        samples[number] = replace(samples[number], fingertips=(samples[number].tip, np.array([420.0, 380.0])))
    reaches = VisitTracker(Track(1, samples, gone=True)).follow([DISCARD, DRAW])
    assert [reach.kind for reach in reaches if not reach.stayed] == [PileKind.DISCARD]
    assert not any(reach.stayed for reach in reaches)


def test_who_goes_home_with_the_colours_of_the_back_has_drawn() -> None:
    skin, back = shares(0), shares(1)
    samples = way((420, 205, 0.5), (420, 400, 0))
    half = samples[len(samples) // 2].time

    def nothing(out: Floats | None, into: Floats | None = skin) -> float:
        borne = [replace(sample, colors=into if sample.time < half else out) for sample in samples]
        (reach,) = VisitTracker(Track(1, borne, gone=True)).follow([DRAW])
        return 1 - shipped().probability(DrawEvidence(reach, DRAW, back))

    unknown = nothing(None, None)
    assert 10 * nothing((skin + back) / 2) < unknown
    # What does not go off with the back's colours may be one of several cards that look otherwise, or skin like it.
    assert nothing(back, back) == nothing(skin) < 0.5
    assert nothing(skin) > unknown


def shares(number: int) -> Floats:
    """Return the shares of colours of what has only the one of this number."""
    return np.eye(500, dtype=np.float32)[number]
