"""Inference of draws from a hand's path and the pile's top, on synthetic paths and pictures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.vision.arms.arm_geometry import single_arm, solid_pixels
from companion.vision.arms.arm_tracks import Sample, Track
from companion.vision.arms.hand_visits import HandVisit, Spot, VisitTracker, was_laying
from companion.vision.core.events import PileKind
from companion.vision.core.geometry import Image
from companion.vision.core.runtime import ModelFileError
from companion.vision.imaging.zone import Zone
from companion.vision.tracking.draw_inference import (
    DrawEvidence,
    DrawModel,
    UsualChange,
    is_only_hand,
    shipped,
    top_features,
    visit_event,
)
from companion.vision.tracking.idle_snapshots import IdleSnapshots, hidden_share

ZONE = Zone(300.0, 200.0, 80.0)
DRAW = Spot(PileKind.DRAW, np.array([420.0, 200.0]), 80.0)


def stay(goal: tuple[float, float], seconds: float, beyond: tuple[float, float] | None = None) -> HandVisit:
    """Return the stay at the draw pile of an arm from below that stops at a goal, and then at another place perhaps."""
    rim = np.array([420.0, 400.0])
    places = [rim + (np.array(goal) - rim) * step / 6 for step in range(7)]
    places += [np.array(goal)] * int(15 * seconds)
    if beyond is not None:
        places += [np.array(goal) + (np.array(beyond) - goal) * step / 6 for step in range(1, 7)] + [
            np.array(beyond)
        ] * 9
    there = len(places)
    places += [places[-1] + (rim - places[-1]) * step / 6 for step in range(1, 7)]
    track = Track(1, gone=True)
    for number, tip in enumerate(places):
        area = 30.0 * float(np.hypot(*(tip - rim))) + (0.3 * DRAW.length**2 if number > there - 2 else 0.0)
        track.samples.append(Sample(tip, rim, 30.0, area, separate=True, time=1.0 + number / 15))
    return max(VisitTracker(track).follow([DRAW]), key=lambda reach: reach.ended - reach.began)


def until_it_ended(reach: HandVisit) -> list[Sample]:
    """Return the hand's way without its way home."""
    return [sample for sample in reach.track.samples if sample.time <= reach.ended]


def nothing(reach: HandVisit) -> float:
    event = visit_event(reach, ZONE, DRAW, shipped().probability(DrawEvidence(reach, DRAW)))
    assert sum(event.drawn) == pytest.approx(1)
    return event.drawn[0]


def nothing_with(reach: HandVisit, share: float, usual: float = np.log(0.1), only_hand: bool = True) -> float:
    """Return the probability that nothing was drawn if this share of the draw pile's top has changed."""
    return 1 - shipped().probability(DrawEvidence(reach, DRAW, None, share, usual, only_hand))


def test_visit_to_the_middle_of_the_pile_is_a_draw() -> None:
    reach = stay((420.0, 205.0), 0.5)
    assert nothing(reach) < 0.3
    assert nothing_with(reach, 0.2) < 0.05


@pytest.mark.parametrize(
    "reach",
    [stay((420.0, 205.0), 5.0), stay((380.0, 232.0), 0.5), stay((420.0, 215.0), 0.5, beyond=(420.0, 40.0))],
    ids=["rests", "beside", "went on"],
)
def test_a_hand_that_did_something_else_there_has_drawn_with_lower_probability(reach: HandVisit) -> None:
    assert nothing(reach) > 1.5 * nothing(stay((420.0, 205.0), 0.5))


def test_a_shadow_or_a_hand_that_rests_for_long_has_drawn_with_lower_probability() -> None:
    hand, shadow = stay((420.0, 205.0), 0.5), stay((420.0, 205.0), 0.5)
    shadow.track.samples = [replace(sample, solid_share=0.01) for sample in shadow.track.samples]
    assert nothing(shadow) > nothing(hand)
    assert nothing(stay((420.0, 205.0), 8.0)) > 0.5


def test_a_hand_that_turns_round_at_once_has_drawn_with_lower_probability() -> None:
    brief, longer = stay((420.0, 205.0), 0.0), stay((420.0, 205.0), 0.5)
    assert 0.15 < brief.ended - brief.began < 0.3
    assert nothing(brief) > 2 * nothing(longer)


def test_a_hand_is_at_rest_and_at_a_pile_by_any_of_its_fingers() -> None:
    once = stay((420.0, 205.0), 0.5)
    way = []
    for number, sample in enumerate(once.track.samples):
        other = sample.tip + np.array([60.0, 4.0])
        # Now the one, now the other reaches farthest.
        way.append(replace(sample, tip=other if number % 3 else sample.tip, fingertips=(other, sample.tip)))
    (reach,) = VisitTracker(Track(1, way, gone=True)).follow([DRAW])
    assert reach.stayed
    assert reach.nearest == pytest.approx(once.nearest, abs=0.02)
    alone = [replace(sample, fingertips=()) for sample in way]
    assert not any(reach.stayed for reach in VisitTracker(Track(1, alone, gone=True)).follow([DRAW]))


def test_of_a_hand_among_others_only_where_it_was_shows() -> None:
    alone = stay((420.0, 205.0), 0.8)
    way = []
    for number, sample in enumerate(alone.track.samples):
        among = 5 <= number < len(alone.track.samples) - 6
        way.append(replace(sample, separate=not among))
    (reach,) = VisitTracker(Track(1, way, gone=True)).follow([DRAW])
    assert reach.stayed
    assert reach.ended == pytest.approx(alone.ended, abs=0.15)
    assert nothing(reach) < 0.5
    beside = [replace(sample, tip=sample.tip + np.array([36.0, 0.0])) for sample in way]
    (reach,) = VisitTracker(Track(1, beside, gone=True)).follow([DRAW])
    assert nothing(reach) > 0.55


def test_fingers_are_seen_apart() -> None:
    hand = np.zeros((90, 160), np.bool_)
    hand[:50, 60:80] = True
    assert single_arm(body(hand), np.array([[70.0, 1.0]]))[0].fingertips == ()
    hand[50:70, 61:65] = hand[50:66, 74:78] = True
    first, second = single_arm(body(hand), np.array([[70.0, 1.0]]))[0].fingertips
    assert first == pytest.approx([62.5, 68], abs=1)
    assert second == pytest.approx([75.5, 64], abs=1)


def body(hand: NDArray[np.bool_]) -> NDArray[np.float64]:
    return solid_pixels(hand, hand.astype(np.uint8))


def test_a_hand_whose_tip_creeps_about_the_pile_has_been_there_once() -> None:
    way = stay((420.0, 205.0), 3.0).track.samples
    # It rests there, and every fifth frame or so its tip is another finger's for a moment.
    way = [replace(s, tip=s.tip + np.array([90.0, 0.0]) * (10 < n < 40 and n % 5 > 2)) for n, s in enumerate(way)]
    (reach,) = VisitTracker(Track(1, way, gone=True)).follow([DRAW])
    assert reach.ended - reach.began > 2.5
    # Out of sight for as long, it has been away.
    gone = [sample for n, sample in enumerate(way) if not 21 < n < 25]
    assert len(VisitTracker(Track(1, gone, gone=True)).follow([DRAW])) == 2


def test_a_hand_that_neither_comes_nor_goes_has_barely_drawn() -> None:
    """It rests beside the pile, and only its tip is at it for a moment."""
    at_pile = stay((420.0, 205.0), 0.5).track.samples[9:13]
    aside = replace(at_pile[0], tip=np.array([340.0, 215.0]))
    before = [replace(aside, time=at_pile[0].time - number / 15) for number in range(45, 0, -1)]
    after = [replace(aside, time=at_pile[-1].time + number / 15) for number in range(1, 45)]
    (reach,) = VisitTracker(Track(1, [*before, *at_pile, *after], gone=True)).follow([DRAW])
    assert nothing(reach) > 0.5


def test_a_hand_that_comes_again_has_been_there_twice() -> None:
    once = stay((420.0, 205.0), 0.5).track
    again = [replace(sample, time=sample.time + 2.5) for sample in once.samples if sample.time < 2.0]
    track = Track(1, [*once.samples[:10], *again], gone=True)
    assert len(VisitTracker(track).follow([DRAW])) == 2


@pytest.mark.parametrize("seconds", [0.1, 0.8])
@pytest.mark.parametrize("withdrawal_time", [True, False])
def test_a_stay_on_the_way_to_the_discard_pile_is_no_draw(seconds: float, withdrawal_time: bool) -> None:
    """Who goes home before the card is laid has not been on the way there."""
    reach = stay((420.0, 205.0), seconds)
    if not withdrawal_time:
        reach.track.samples = until_it_ended(reach)
    assert was_laying(reach, [(1, reach.ended + 0.7)]) is not withdrawal_time
    assert not was_laying(reach, [(2, reach.ended + 0.7)])
    assert not was_laying(reach, [(1, reach.ended + 1.2)])


def test_what_a_hand_does_after_it_went_home_shows_nothing_of_a_draw() -> None:
    once = stay((420.0, 205.0), 0.6)
    home = once.track.last.time
    on = [replace(s, time=s.time - 1.0 + home) for s in stay((420.0, 60.0), 0.5).track.samples]
    for way in (once.track.samples, [*once.track.samples, *on]):
        reach = replace(once, track=Track(1, list(way)))
        assert nothing(reach) == pytest.approx(nothing(once))
    straight = Track(1, [*until_it_ended(once), *(s for s in on if s.tip[1] < 205)])
    assert nothing(replace(once, track=straight)) > 2 * nothing(once)


def test_colours_that_were_not_seen_show_what_those_do_that_nobody_asked_for() -> None:
    reach = stay((420.0, 205.0), 0.5)
    back = np.full(8, 1 / 8)
    assert np.array_equal(DrawEvidence(reach, DRAW, back).movement, DrawEvidence(reach, DRAW).movement)


def test_a_shadow_beside_a_hand_has_changed_nothing() -> None:
    hand, other, shadow = (stay((420.0, 205.0), 0.5) for _ in range(3))
    shadow.track.samples = [replace(sample, solid_share=0.01) for sample in shadow.track.samples]
    assert is_only_hand(hand, [hand, shadow], [], hand.began - 1)
    assert not is_only_hand(hand, [hand, other], [], hand.began - 1)


@pytest.mark.parametrize(("ended", "alone"), [(-1.5, True), (-0.5, False), (0.1, False)])
def test_who_drew_before_a_hand_went_may_have_changed_what_did(ended: float, alone: bool) -> None:
    hand = stay((420.0, 205.0), 0.5)
    assert is_only_hand(hand, [], [hand.began + ended], hand.began - 1) is alone


def test_the_more_the_top_of_the_pile_changes_the_more_probable_is_a_draw() -> None:
    reach = stay((420.0, 205.0), 0.5)
    shown = [nothing_with(reach, share) for share in (0.2, 0.05, 0.02, 0.0)]
    assert shown == sorted(shown)
    assert shown[0] < nothing(reach) < shown[-1]
    # Another hand may have done it.
    assert shown[0] < nothing_with(reach, 0.2, only_hand=False)


def test_a_neat_pile_that_changes_little_shows_a_draw_as_well() -> None:
    reach, usual = stay((420.0, 205.0), 0.5), UsualChange()
    before = nothing_with(reach, 0.035, usual.log_share)
    for _ in range(6):
        usual.add(0.035, 1.0)
    assert nothing_with(reach, 0.035, usual.log_share) < before
    learnt = usual.log_share
    assert learnt == pytest.approx(np.log(0.04), abs=0.3)
    usual.add(0.5, 0.0)
    assert usual.log_share == learnt


def test_a_change_that_another_hand_may_have_caused_counts_apart() -> None:
    alone, beside = (top_features(0.0, 0.2, -1.0, alone) for alone in (True, False))
    assert alone[1] == beside[3] < 0
    assert alone[3] == beside[1] == beside[2] == 0


@pytest.mark.parametrize("text", ["", "{}", '{"movement": {}, "top": {}}', '{"movement": 1, "top": [2]}'])
def test_a_damaged_model_file_is_reported(tmp_path: Path, text: str) -> None:
    (tmp_path / "draws.json").write_text(text)
    with pytest.raises(ModelFileError, match=r"draws\.json"):
        DrawModel.load(tmp_path / "draws.json")


def test_a_model_file_with_another_feature_is_refused(tmp_path: Path) -> None:
    shipped().save(tmp_path / "draws.json")
    (tmp_path / "draws.json").write_text(
        (tmp_path / "draws.json").read_text().replace('"movement": {', '"movement": {"x": 1,')
    )
    with pytest.raises(ModelFileError, match="other features"):
        DrawModel.load(tmp_path / "draws.json")


def test_a_saved_model_gives_the_same_probabilities(tmp_path: Path) -> None:
    shipped().save(tmp_path / "draws.json")
    evidence = DrawEvidence(stay((420.0, 205.0), 0.5), DRAW, None, 0.1, np.log(0.1))
    assert DrawModel.load(tmp_path / "draws.json").probability(evidence) == pytest.approx(
        shipped().probability(evidence)
    )


def table(shift: int = 0) -> Image:
    rng = np.random.default_rng(1)
    image = cv2.resize(rng.uniform(90, 170, (12, 20, 3)).astype(np.float32), (640, 360))
    for number in range(6):
        x, y = 395 + shift + 8 * number, 165 + 10 * number
        cv2.rectangle(image, (x, y), (x + 10, y + 12), (30, 40, 200), -1)
    return np.clip(image + rng.normal(0, 2, image.shape), 0, 255).astype(np.uint8)


@pytest.mark.parametrize("gain", [1.0, 0.7])
def test_what_an_arm_did_to_a_pile_is_seen_when_it_is_gone(gain: float) -> None:
    snapshots = IdleSnapshots()
    for number in range(45):
        time = number / 15
        image = table() if time < 1.5 else (table(4) * gain).astype(np.uint8)
        arm = np.ones((90, 160), np.uint8) if 1.0 < time < 2.0 else None
        snapshots.feed(image, time, arm, share=float(arm is not None))
        if time < 1.9:
            assert snapshots.change(DRAW.middle, DRAW.length, 1.2, 1.7) is None
    changed = snapshots.change(DRAW.middle, DRAW.length, 1.2, 1.7)
    assert changed is not None
    assert changed.share > 0.08
    elsewhere = snapshots.change(np.array([150.0, 200.0]), DRAW.length, 1.2, 1.7)
    assert elsewhere is not None
    assert elsewhere.share == pytest.approx(0, abs=0.01)
    assert snapshots.change(DRAW.middle, DRAW.length, 0.1, 0.3) is None


def test_a_hand_that_rests_elsewhere_leaves_the_pile_in_view() -> None:
    snapshots = IdleSnapshots()
    resting, over = np.zeros((90, 160), np.uint8), np.zeros((90, 160), np.uint8)
    resting[70:, :40] = 1
    over[40:, 100:110] = 1
    for number in range(45):
        time = number / 15
        arm = over if 1.0 < time < 2.0 else resting
        snapshots.feed(
            table() if time < 1.5 else table(4), time, arm, hidden_share(arm, DRAW.middle, DRAW.length, 160 / 640)
        )
    changed = snapshots.change(DRAW.middle, DRAW.length, 1.2, 1.7)
    assert changed is not None
    assert changed.share > 0.08
    # Where the hand rests, what lies under it is unknown.
    assert snapshots.change(np.array([80.0, 340.0]), DRAW.length, 1.2, 1.7) is None


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "seen"), [(102, True), (112, False)])
def test_what_a_hand_at_rest_leaves_of_a_pile_in_view_shows(columns: int, seen: bool) -> None:
    """It lies before the pile all the while, and another one comes and draws."""
    snapshots = IdleSnapshots()
    resting, over = np.zeros((90, 160), np.uint8), np.ones((90, 160), np.uint8)
    resting[30:, 80:columns] = 1
    for number in range(45):
        time = number / 15
        arm, image = over if 1.0 < time < 2.0 else resting, table() if time < 1.5 else table(4)
        # Its own fingers move: what is under them is no evidence.
        image[160:, 330 : 4 * columns - 8 * (number % 2)] = 20
        snapshots.feed(image, time, arm, hidden_share(arm, DRAW.middle, DRAW.length, 160 / 640))
    changed = snapshots.change(DRAW.middle, DRAW.length, 1.2, 1.7)
    assert (changed is not None) is seen
    assert changed is None or changed.share > 0.08
    assert snapshots.change(DRAW.middle, DRAW.length, 1.2, 1.7, clear=True) is None


@pytest.mark.slow
@pytest.mark.parametrize("place", [(-400.0, 200.0), (300.0, -500.0), (1200.0, 200.0)])
def test_nothing_hides_or_changes_a_pile_that_lies_outside_the_picture(place: tuple[float, float]) -> None:
    outside, everywhere = np.array(place), np.ones((90, 160), np.uint8)
    assert not hidden_share(everywhere, outside, DRAW.length, 160 / 640)
    snapshots = IdleSnapshots()
    for number in range(45):
        time = number / 15
        snapshots.feed(table() if time < 1.5 else table(4), time, None, share=float(1.0 < time < 2.0))
    assert snapshots.change(outside, DRAW.length, 1.2, 1.7) is None


def test_changed_pile_top_shows_a_draw_under_a_shadow() -> None:
    """It lies on more than half of the picture by then, and ends in the middle of the pile."""
    snapshots = IdleSnapshots()
    shade = 1 - 0.25 * np.clip(np.linspace(3, -2, 640, dtype=np.float32), 0, 1)[None, :, None]
    for number in range(45):
        time = number / 15
        image = table() if time < 1.5 else (table(4) * shade).astype(np.uint8)
        snapshots.feed(image, time, None, share=float(1.0 < time < 2.0))
    changed = snapshots.change(DRAW.middle, DRAW.length, 1.2, 1.7)
    assert changed is not None
    assert changed.share > 0.08


def test_shade_on_the_pile_is_no_change_of_its_top() -> None:
    snapshots = IdleSnapshots()
    shade = 1 - 0.25 * np.linspace(0, 1, 640, dtype=np.float32)[None, :, None]
    for number in range(45):
        time = number / 15
        image = table() if time < 1.5 else (table() * shade).astype(np.uint8)
        snapshots.feed(image, time, None, share=float(1.0 < time < 2.0))
    changed = snapshots.change(DRAW.middle, DRAW.length, 1.2, 1.7)
    assert changed is not None
    assert changed.share == pytest.approx(0, abs=0.01)
