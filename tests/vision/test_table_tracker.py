"""Pile and arms together on the simulated table with exact sightings: who laid which card, who drew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from reaching import attributed_to

from companion.bench.simulation.pile_scoring import ExactSightings
from companion.cards import Card, Color, Face
from companion.dataset.scenes.layouts import Placement
from companion.dataset.simulated.actions import CarryOff, Lay, Nudge, Pace, Reach, Step
from companion.dataset.simulated.script import BESIDE_PILE, Script, write_script
from companion.dataset.simulated.seating import Chair
from companion.dataset.simulated.simulation import SimulatedTable
from companion.vision.arms.arm_tracks import Sample, Track
from companion.vision.arms.hand_visits import HandVisit as Stay
from companion.vision.arms.hand_visits import Spot, was_laying
from companion.vision.capture.frames import Frame
from companion.vision.core.events import CardLanded, PileEvent, PileGone, PileKind, PileReached
from companion.vision.core.geometry import Image, Quad
from companion.vision.core.sightings import Back
from companion.vision.imaging.zone import Zone
from companion.vision.pile.pile_tracker import PileTracker
from companion.vision.tracking.draw_pile import DrawPile
from companion.vision.tracking.landing_attribution import arrival_time
from companion.vision.tracking.table_tracker import TableTracker

pytestmark = pytest.mark.slow

HEADER = write_script(0, longest=1).header
CHAIRS = (Chair(0, 400), Chair(-380, 60), Chair(60, -400))
PACE = Pace(0.4, 0.3, 0.4)
RED_7, RED_8 = Card(Face.SEVEN, Color.RED), Card(Face.EIGHT, Color.RED)
ACTIONS = (
    Lay(0, PACE, RED_7, Placement(0.0, 0.0, 0.2)),
    Lay(1, PACE, RED_8, Placement(3.0, -2.0, 1.0)),
    Reach(2, PACE, *BESIDE_PILE, draws=True),
    Lay(2, PACE, RED_7, Placement(-3.0, 2.0, -0.4)),
)


def off(a: float, b: float) -> float:
    return abs((a - b + 180) % 360 - 180)


def watched(
    backs_from: float | None,
    actions: Sequence[Lay | Reach | CarryOff | Nudge] = ACTIONS,
    chairs: tuple[Chair, ...] = CHAIRS,
) -> tuple[list[PileEvent], list[float]]:
    """Return what a follower says of the actions, and where the chairs are.

    backs_from: from which second the draw pile looks like a back; where None, it was said where it lies.
    """
    steps = tuple(Step(1.0 + 2.4 * number, action) for number, action in enumerate(actions))
    table = SimulatedTable(4, Script(HEADER, steps, (), 11.5, chairs), size=(640, 360), rate=20, fonts=(), noise=False)
    top = table.new_tabletop()
    detect = ExactSightings()
    pile, draw = top.point(0, 0), top.point(*BESIDE_PILE)
    half = top.card_length() / 2
    now = 0.0

    def backs(_: Image) -> list[Back]:
        square = np.array([[-0.7, -1], [0.7, -1], [0.7, 1], [-0.7, 1]]) * half
        seen = backs_from is not None and now >= backs_from
        return [Back(np.asarray(draw + square, np.float32), 1.0)] if seen else []

    x, y = (int(v) for v in draw - half)
    region = (x, y, int(2 * half), int(2 * half)) if backs_from is None else None
    follower = TableTracker(PileTracker(detect), None if backs_from is None else backs, region)
    events: list[PileEvent] = []
    for frame in table.frames():
        now = frame.time
        detect.show(frame)
        events += follower.feed(Frame(frame.image, frame.time, frame.number))
    events += follower.finish()
    outward = [top.point(chair.x, chair.y) - pile for chair in chairs]
    return events, [float(np.degrees(np.arctan2(x, -y)) % 360) for x, y in outward]


@pytest.fixture(scope="module", params=[0.0, None], ids=["backs", "region"])
def reported(request: pytest.FixtureRequest) -> tuple[list[PileEvent], list[float]]:
    return watched(request.param)


def test_a_draw_from_before_the_draw_pile_was_known_is_reported_once_it_is() -> None:
    drew = next(1.0 + 2.4 * number for number, action in enumerate(ACTIONS) if isinstance(action, Reach))
    events, seats = watched(backs_from=drew + PACE.total + 0.5)
    (reach,) = (event for event in events if isinstance(event, PileReached) and event.pile is PileKind.DRAW)
    assert drew < reach.time < drew + PACE.total
    assert off(reach.arm.direction, seats[2]) < 25


def test_each_card_carries_the_arm_that_laid_it(reported: tuple[list[PileEvent], list[float]]) -> None:
    events, seats = reported
    landed = [event for event in events if isinstance(event, CardLanded)]
    assert [event.probabilities[0][0] for event in landed] == [RED_7, RED_8, RED_7]
    for event, seat in zip(landed, (0, 1, 2), strict=True):
        assert event.arm is not None
        assert min(range(3), key=lambda n: off(event.arm.direction, seats[n])) == seat  # type: ignore[union-attr]
    assert len({event.arm.track for event in landed if event.arm}) == 3


def test_a_draw_is_a_reach_for_the_draw_pile_and_nothing_else_is(reported: tuple[list[PileEvent], list[float]]) -> None:
    events, seats = reported
    draws = [event for event in events if isinstance(event, PileReached) and event.pile is PileKind.DRAW]
    assert len(draws) == 1
    assert 5.8 < draws[0].began < draws[0].time < 7.2
    assert min(range(3), key=lambda n: off(draws[0].arm.direction, seats[n])) == 2
    assert draws[0].drawn[1] > 0.5
    assert sum(draws[0].drawn) == pytest.approx(1)


def test_hand_color_decides_a_repeat_landing() -> None:
    again = Lay(1, PACE, RED_7, Placement(1.5, 1.2, 0.2))
    brushed = Nudge(1, PACE, 1.5, 1.2, 0.0)
    reported: list[float] = []
    for action in (again, brushed):
        events, _ = watched(None, (ACTIONS[0], action))
        landed = [event for event in events if isinstance(event, CardLanded) and event.same_face]
        reported.append(max((sum(share for _, share in event.probabilities) for event in landed), default=0.0))
    assert reported[0] > 0.5 > 0.2 > reported[1]


def test_who_carries_the_pile_off_across_the_draw_pile_drew_nothing() -> None:
    carried_off = (*ACTIONS[:2], CarryOff(2, Pace(0.8, 0.3, 0.8)))
    events, _ = watched(None, carried_off, (*CHAIRS[:2], Chair(400, 20)))
    assert any(isinstance(event, PileGone) for event in events)
    assert not [event for event in events if isinstance(event, PileReached) and event.pile is PileKind.DRAW]


def test_events_come_in_the_order_of_their_times(reported: tuple[list[PileEvent], list[float]]) -> None:
    times = [event.time for event in reported[0]]
    assert times == sorted(times)


ZONE = Zone(300.0, 200.0, 80.0)


def card_at(x: float, y: float, length: float = 80.0) -> Quad:
    half = np.array([length * 0.32, length / 2])
    return np.asarray(np.array([x, y]) + np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half, np.float32)


def back_at(x: float, y: float, length: float = 80.0) -> Back:
    return Back(card_at(x, y, length), 1.0)


def test_the_draw_pile_is_what_looks_like_a_back_beside_the_pile() -> None:
    pile = DrawPile()
    assert pile.is_search_due(0.0)
    pile.add_backs([back_at(300, 200), back_at(400, 210), back_at(120, 80, 300)], ZONE, 0.0)
    spot = pile.spot(ZONE)
    assert spot is not None
    assert spot.middle == pytest.approx([400, 210])
    assert not pile.is_search_due(0.5)


def test_a_draw_pile_that_the_rim_cuts_is_made_out() -> None:
    cut = card_at(400, 340)
    cut[:, 1] = cut[:, 1].clip(0, 345)
    for size, found in (((640, 348), True), ((640, 480), False)):
        pile = DrawPile()
        pile.add_backs([Back(cut, 1.0)], ZONE, 0.0, size)
        assert (pile.spot(ZONE) is not None) is found


def test_hands_show_which_of_two_backs_it_is() -> None:
    pile = DrawPile()
    pile.add_backs([back_at(400, 210), back_at(160, 200)], ZONE, 0.0)
    for _ in range(2):
        pile.add_visit(np.array([165.0, 190.0]), ZONE)
    spot = pile.spot(ZONE)
    assert spot is not None
    assert spot.middle == pytest.approx([160, 200])


def test_hands_alone_show_it_after_a_while() -> None:
    pile = DrawPile()
    for number in range(2):
        assert pile.spot(ZONE) is None
        pile.add_visit(np.array([400.0 + number, 200.0]), ZONE)
    assert pile.spot(ZONE) is not None
    pile.add_visit(np.array([305.0, 200.0]), ZONE)
    pile.reset()
    assert pile.spot(ZONE) is None


def test_one_players_resting_hand_is_not_at_the_draw_pile() -> None:
    pile = DrawPile()
    for time in (0.0, 3.0):
        pile.add_backs([back_at(400, 210)], ZONE, time)
    for number in range(5):
        pile.add_visit(np.array([200.0, 300.0]), ZONE, side=4, track=number)
    spot = pile.spot(ZONE)
    assert spot is not None
    assert spot.middle == pytest.approx([400, 210])


def test_hands_that_laid_a_card_show_nothing_of_the_draw_pile() -> None:
    pile = DrawPile()
    for number in range(4):
        pile.exclude(number)
        pile.add_visit(np.array([400.0, 200.0]), ZONE, side=number, track=number)
    assert pile.spot(ZONE) is None


def test_what_looks_like_a_back_far_off_gives_way_to_where_hands_go() -> None:
    pile = DrawPile()
    pile.add_backs([back_at(560, 210)], ZONE, 0.0)
    for number in range(2):
        pile.add_visit(np.array([400.0, 200.0]), ZONE, side=number, track=number)
    spot = pile.spot(ZONE)
    assert spot is not None
    assert spot.middle == pytest.approx([400, 200])


SIZE = (640, 480)


def seen(pile: DrawPile, backs: list[Quad], looks: int = 1) -> float | None:
    """Return which share of the draw pile is in view after so many looks, None while that is not known."""
    for number in range(looks):
        pile.add_backs([Back(quad, 1.0) for quad in backs], ZONE, 40.0 * number, SIZE)
    view = pile.visibility(ZONE, SIZE)
    return None if view is None else view.share


def test_of_a_back_at_the_rim_no_more_is_in_view_than_is_seen_of_a_card() -> None:
    assert seen(DrawPile(), [card_at(400, 400)]) == pytest.approx(1)
    assert seen(DrawPile(), [card_at(400, 472)]) == pytest.approx(0.6, abs=0.03)
    # What remains of a card is detected as an object that ends just beyond the border.
    left = np.float32([[375, 455], [425, 455], [425, 490], [375, 490]])
    assert seen(DrawPile(), [left]) == pytest.approx(0.31, abs=0.03)


def test_hands_over_a_bare_place_show_no_draw_pile_until_many_do() -> None:
    pile = DrawPile()
    for number in range(2):
        pile.add_visit(np.array([400.0, 200.0]), ZONE, side=number, track=number)
    assert pile.spot(ZONE) is not None
    assert seen(pile, []) is None
    assert seen(pile, [], looks=5) == 0
    # A back that was taken for one in a single look is none either.
    assert seen(pile, [card_at(400, 200)]) == 0
    for number in range(2, 6):
        pile.add_visit(np.array([400.0, 200.0]), ZONE, side=number, track=number)
    assert seen(pile, []) == pytest.approx(1)


def arm_to(number: int, came: tuple[float, float], goal: tuple[float, float], began: float) -> Track:
    """An arm that goes from the rim to a goal, stays there for half a second, and leaves with a card."""
    track = Track(number, gone=True)
    for step in range(21):
        share = min(1.0, step / 5, (20 - step) / 5)
        tip = np.array(came) + (np.array(goal) - came) * share
        area = 30.0 * float(np.hypot(*(tip - came))) + (0.3 * ZONE.length**2 if step > 10 else 0.0)
        track.samples.append(Sample(tip, np.array(came), 30.0, area, separate=True, time=began + step / 15))
    return track


def test_a_hand_that_rests_beside_the_pile_did_not_lay_the_card() -> None:
    spot = Spot(PileKind.DISCARD, np.array([ZONE.x, ZONE.y]), ZONE.length)
    resting = Track(1)
    for step in range(200):
        share = min(1.0, step / 5)
        tip = np.array([0.0, 200.0]) + np.array([250.0, 0.0]) * share
        resting.samples.append(Sample(tip, np.array([0.0, 200.0]), 30.0, 400, separate=True, time=step / 15))
    laying = arm_to(2, (300.0, 0.0), (300.0, 160.0), 9.0)
    assert attributed_to(spot, [resting, laying], 10.6)[0][0] is laying
    # It is the resting one that moves where nobody else is there; a hand that has just come is no resting one.
    assert attributed_to(spot, [resting], 10.6)[0][0] is resting
    assert attributed_to(spot, [resting, arm_to(2, (300.0, 0.0), (300.0, 60.0), 0.0)], 1.0)[0][0] is resting


def test_of_two_hands_at_once_the_one_that_laid_none_before_laid_the_card() -> None:
    spot = Spot(PileKind.DISCARD, np.array([ZONE.x, ZONE.y]), ZONE.length)
    one, other = arm_to(1, (0.0, 200.0), (300.0, 200.0), 9.0), arm_to(2, (300.0, 0.0), (300.0, 190.0), 9.0)
    assert attributed_to(spot, [one, other], 10.3, already_laid={1})[0][0] is other
    assert attributed_to(spot, [one, other], 10.3, already_laid={2})[0][0] is one


def test_a_card_far_from_every_arm_was_laid_by_nobody_seen() -> None:
    spot = Spot(PileKind.DISCARD, np.array([ZONE.x, ZONE.y]), ZONE.length)
    assert attributed_to(spot, [], 10.3) == ()
    assert attributed_to(spot, [arm_to(1, (600.0, 0.0), (600.0, 60.0), 9.0)], 10.3) == ()


def test_of_two_hands_alike_at_the_pile_either_may_have_laid_the_card() -> None:
    spot = Spot(PileKind.DISCARD, np.array([ZONE.x, ZONE.y]), ZONE.length)
    one, other = arm_to(1, (0.0, 200.0), (300.0, 200.0), 9.0), arm_to(2, (300.0, 0.0), (300.0, 190.0), 9.0)
    (first, likely), (second, less) = attributed_to(spot, [one, other], 10.3)
    assert {first, second} == {one, other}
    assert 0.3 < less <= likely < 0.7
    assert likely + less == pytest.approx(1)
    # Another that was there more than a second before probably did not.
    before = arm_to(3, (0.0, 200.0), (300.0, 200.0), 7.4)
    (first, likely), *_ = attributed_to(spot, [before, one], 10.3)
    assert first is one
    assert likely > 0.9


def test_who_plays_what_was_drawn_looks_at_it_first() -> None:
    stay = Stay(Track(3), PileKind.DRAW, 4.0, 5.0, 0.1, 0.5)
    assert was_laying(stay, [(3, 5.6)])
    assert not was_laying(stay, [(3, 6.0)])
    assert not was_laying(stay, [(4, 5.6)])


def test_an_arm_that_fetched_the_card_comes_to_the_pile_after_that() -> None:
    spot = Spot(PileKind.DISCARD, np.array([ZONE.x, ZONE.y]), ZONE.length)
    arm = Track(1)
    for step in range(16):
        # It lies at the draw pile first, and comes in farther to the left while it lays the card.
        laying = step >= 10
        tip, rim = (ZONE.x, ZONE.y) if laying else (ZONE.x + 1.5 * ZONE.length, ZONE.y), 200.0 if laying else 500.0
        arm.samples.append(Sample(np.array(tip), np.array([rim, 0.0]), 30.0, 400, separate=True, time=step / 15))
    assert arrival_time(spot, arm, 0.0, 1.0) == pytest.approx(10 / 15)
    assert arrival_time(spot, arm, 0.0, 0.5) == 0.0
    assert arrival_time(spot, arm, 5.0, 6.0) == 5.0


def test_a_shadow_or_what_only_now_appears_did_not_lay_the_card() -> None:
    spot = Spot(PileKind.DISCARD, np.array([ZONE.x, ZONE.y]), ZONE.length)
    laying = arm_to(2, (300.0, 0.0), (300.0, 160.0), 9.0)
    shadow = arm_to(3, (0.0, 200.0), (300.0, 190.0), 9.2)
    assert attributed_to(spot, [laying, shadow], 10.0)[0][0] is shadow
    shadow.samples = [replace(sample, solid_share=0.0) for sample in shadow.samples]
    assert attributed_to(spot, [laying, shadow], 10.0)[0][0] is laying
    appeared = arm_to(4, (0.0, 200.0), (300.0, 190.0), 9.2)
    appeared.samples = [sample for sample in appeared.samples if sample.time > 9.95]
    assert attributed_to(spot, [laying, appeared], 10.0)[0][0] is laying


def test_a_place_to_which_most_hands_go_is_not_left_for_a_stray_one() -> None:
    pile = DrawPile()
    for x, y in ((400, 200), (405, 190), (395, 215), (440, 235), (402, 204)):
        pile.add_visit(np.array([float(x), float(y)]), ZONE)
    spot = pile.spot(ZONE)
    assert spot is not None
    assert float(np.hypot(*(spot.middle - (401, 204)))) < 6
