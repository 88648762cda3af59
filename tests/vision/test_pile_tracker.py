"""The pile tracker with exact sightings: each event and each disturbance on its own."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

import numpy as np
import pytest
from footage import (
    BLUE_3,
    GREEN_9,
    HEADER,
    PACE,
    RED_7,
    SIZE,
    exactly,
    lay,
    played,
    reported,
    table,
    watch,
)

from companion.bench.simulation.pile_scoring import ExactSightings, Score, follow, grade
from companion.cards import EditionName
from companion.dataset.scenes.layouts import Placement
from companion.dataset.simulated.actions import (
    Action,
    CarryOff,
    Knock,
    Lay,
    Nudge,
    Pace,
    Reach,
    Step,
    Straighten,
    SwitchLight,
    TakeTop,
)
from companion.dataset.simulated.script import Script, write_script
from companion.dataset.simulated.simulation import PileChange, SimulatedTable
from companion.vision.capture.frames import Frame
from companion.vision.core.events import CameraStatus, CardLanded, CardTakenBack, PileEvent, PileGone, PileMoved
from companion.vision.core.geometry import Quad, project
from companion.vision.core.sightings import Sighting
from companion.vision.imaging.motion import color_difference, describe
from companion.vision.imaging.zone import Zone
from companion.vision.pile.pile_tracker import PileTracker
from companion.vision.tracking.table_tracker import TableTracker

pytestmark = pytest.mark.slow


def test_each_card_that_lands_is_reported_once_with_where_it_lies() -> None:
    footage = table(lay(RED_7), lay(BLUE_3, angle=1.4, x=9, seat=1), lay(GREEN_9, angle=-0.5, seat=2))
    said, truth, _ = follow(footage, ExactSightings())
    events = [event for _, event in said]
    assert reported(events) == [(CardLanded, "red 7"), (CardLanded, "blue 3"), (CardLanded, "green 9")]
    for event, real in zip(events, truth, strict=True):
        assert isinstance(event, CardLanded)
        assert real.clear is not None
        assert real.time - 0.25 <= event.time <= real.clear + 0.3
        assert isinstance(event.picture, np.ndarray)
        assert event.picture.shape == (360, 640, 3)
        assert not event.same_face
    assert max(time for time, _ in said) - truth[-1].time < 1.0


def test_a_back_that_is_taken_for_a_face_is_not_where_the_pile_is() -> None:
    footage = table(lay(RED_7), lay(BLUE_3, angle=1.4, x=9, seat=1))
    exact = ExactSightings()
    back = project(footage.new_tabletop().camera, np.array([[67, -43], [123, -43], [123, 43], [67, 43]]))

    def mistaken(image: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> list[Sighting]:
        whole = image.shape[:2] == (SIZE[1], SIZE[0])
        return [*exact(image), *([Sighting(back, (GREEN_9, RED_7), (0.5, 0.3), whole=True)] if whole else [])]

    events = played(footage, exact, PileTracker(mistaken))
    assert reported(events) == [(CardLanded, "red 7"), (CardLanded, "blue 3")]


HAND = np.array([[10, 250], [50, 250], [50, 310], [10, 310]], np.float32)


def with_a_hand_in_view(exact: ExactSightings, hand: Quad) -> PileTracker:
    """Return a tracker that sees the uppermost card of somebody's open hand, too."""

    def detect(image: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> list[Sighting]:
        whole = image.shape[:2] == (SIZE[1], SIZE[0])
        seen = exact(image)
        return [*seen, Sighting(hand, (GREEN_9, RED_7), (0.95, 0.02), whole=True)] if whole else seen

    return PileTracker(detect)


def test_a_hand_held_at_the_rim_is_not_the_pile() -> None:
    footage, exact = table(lay(RED_7), lay(BLUE_3, angle=1.4, x=9, seat=1)), ExactSightings()
    events = played(footage, exact, with_a_hand_in_view(exact, HAND))
    assert reported(events) == [(CardLanded, "red 7"), (CardLanded, "blue 3")]


def test_pile_is_at_the_first_card_and_not_at_an_earlier_hand() -> None:
    footage, exact = table(lay(RED_7), lay(BLUE_3, angle=1.4, x=9, seat=1)), ExactSightings()
    events = played(footage, exact, with_a_hand_in_view(exact, HAND + np.float32([70, -20])))
    begun = [(CardLanded, "green 9"), (CardTakenBack, ""), (CardLanded, "red 7")]
    assert reported(events) == [*begun, (CardLanded, "blue 3")]


def test_the_first_card_is_found_though_something_always_moves_elsewhere() -> None:
    footage, exact = table(lay(RED_7), lay(BLUE_3, angle=1.4, x=9, seat=1), pause=3.0), ExactSightings()
    tracker, noise = PileTracker(exact), np.random.default_rng(1)
    events: list[PileEvent] = []
    for frame in footage.frames():
        frame.image[:90, :160] = noise.integers(0, 255, (90, 160, 3))
        exact.show(frame)
        events += tracker.feed(Frame(frame.image, frame.time, frame.number))
    assert reported(events) == [(CardLanded, "red 7"), (CardLanded, "blue 3")]


def test_the_first_card_is_reported_though_the_hand_that_brought_it_kept_still() -> None:
    exact, open_cards = ExactSightings(), 0
    tracker = PileTracker(lambda image: exact(image)[:open_cards])
    events: list[PileEvent] = []
    for frame in table(Lay(0, Pace(0.4, 1.0, 0.4), RED_7, Placement(0, 0, 0.3))).frames():
        exact.show(frame)
        open_cards = sum(card.visible > 0.98 for card in frame.cards)
        events += tracker.feed(Frame(frame.image, frame.time, frame.number))
    assert reported(events) == [(CardLanded, "red 7")]


def test_what_is_taken_for_a_card_in_the_first_pictures_now_and_then_is_none() -> None:
    quad = np.array([[100, 100], [160, 100], [160, 190], [100, 190]], np.float32)
    looks = count()

    def mistaken(_: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> list[Sighting]:
        return [Sighting(quad, (GREEN_9, RED_7), (0.85, 0.1), whole=True)] if next(looks) in (0, 2) else []

    tracker = PileTracker(mistaken)
    bare = [frame for frame in table(lay(RED_7)).frames() if frame.time < 1.0]
    assert not [event for frame in bare for event in tracker.feed(Frame(frame.image, frame.time, frame.number))]
    assert tracker.look_count > 2


def test_the_same_face_on_the_same_face_is_another_card() -> None:
    events = watch(lay(RED_7), lay(RED_7, angle=1.5, x=6, seat=1))
    assert reported(events) == [(CardLanded, "red 7"), (CardLanded, "red 7")]
    assert isinstance(events[1], CardLanded)
    assert events[1].same_face


def test_same_face_half_a_second_later_is_the_same_card() -> None:
    first, second = (Lay(0, Pace(0.1, 0.05, 0.1), RED_7, Placement(x, 0.0, angle)) for x, angle in ((0, 0.3), (6, 1.5)))
    for pause, landings in ((0.5, 1), (2.0, 2)):
        events = [event for _, event in follow(table(first, second, pause=pause), ExactSightings())[0]]
        assert [type(event) for event in events].count(CardLanded) == landings


def test_a_card_taken_back_brings_the_one_below_to_light() -> None:
    events = watch(lay(RED_7), lay(BLUE_3, angle=1.4, seat=1), TakeTop(1, PACE))
    assert reported(events)[2:] == [(CardTakenBack, "red 7")]


def test_taking_back_one_of_two_like_cards_is_no_nudge() -> None:
    events = watch(lay(RED_7), lay(RED_7, angle=1.5, seat=1), TakeTop(1, PACE))
    assert reported(events)[2:] == [(CardTakenBack, "red 7")]


def test_taking_the_only_card_back_leaves_a_bare_table() -> None:
    assert reported(watch(lay(RED_7), TakeTop(0, PACE))) == [(CardLanded, "red 7"), (CardTakenBack, "")]


def test_a_pile_carried_off_is_gone_and_its_top_may_return() -> None:
    actions = lay(RED_7), lay(BLUE_3, angle=1.4), CarryOff(1, PACE), lay(BLUE_3, angle=0.2, seat=1)
    events = [event for _, event in follow(table(*actions, pause=2.6), ExactSightings())[0]]
    assert reported(events)[2:] == [(PileGone, ""), (CardLanded, "blue 3")]


@pytest.mark.parametrize(
    "nuisance",
    [
        Nudge(1, Pace(0.4, 0.4, 0.4), 18.0, 8.0, 0.3),
        Nudge(1, Pace(0.4, 0.4, 0.4), 18.0, 8.0, 0.3, count=1),
        Straighten(1, Pace(0.4, 0.6, 0.4), 1.0),
        Knock(0.05, -0.03, 0.05, 1.03),
        Knock(0.01, 0.0, 0.01, 1.0),
        SwitchLight((0.5, 0.5, 0.5)),
        SwitchLight((1.0, 1.15, 1.3)),
        Reach(1, Pace(0.4, 0.1, 0.4), 5.0, 5.0),
        Reach(1, Pace(0.4, 1.0, 0.4), 10.0, -5.0),
        Reach(2, PACE, 95.0, 0.0, draws=True),
    ],
    ids=lambda nuisance: type(nuisance).__name__,
)
def test_a_nuisance_neither_invents_a_card_nor_hides_the_next(nuisance: Action) -> None:
    events = watch(lay(RED_7), lay(BLUE_3, angle=1.4, x=5, seat=1), nuisance, lay(GREEN_9, angle=-0.4, seat=2))
    cards = [item for item in reported(events) if item[0] not in (PileMoved, CameraStatus)]
    assert cards == [(CardLanded, "red 7"), (CardLanded, "blue 3"), (CardLanded, "green 9")]


def test_card_beside_the_top_is_no_landing_if_both_are_pushed() -> None:
    events = watch(lay(RED_7), lay(BLUE_3, x=32), Nudge(1, Pace(0.4, 0.4, 0.4), 5.0, 4.0, 0.06))
    assert reported(events) == [(CardLanded, "red 7"), (CardLanded, "blue 3")]


def test_a_pile_that_was_pushed_is_reported() -> None:
    events = watch(lay(RED_7), Nudge(1, Pace(0.4, 0.4, 0.4), 25.0, 10.0, 0.5))
    assert reported(events) == [(CardLanded, "red 7"), (PileMoved, "")]


def test_the_networks_run_only_when_something_changed() -> None:
    footage = table(lay(RED_7), lay(BLUE_3, angle=1.4), Reach(1, PACE, 5.0, 5.0), SwitchLight((0.8, 0.8, 0.8)))
    _, _, tracker = follow(footage, ExactSightings())
    assert 4 <= tracker.look_count <= 25


def test_no_picture_is_read_while_a_hand_rests_on_the_card() -> None:
    slow = replace(lay(BLUE_3, angle=1.4), pace=Pace(0.4, 1.2, 0.4))
    said, truth, _ = follow(table(lay(RED_7), slow, pause=5.0), ExactSightings())
    assert truth[1].clear is not None
    # The hand stays on the card for six tenths of a second after letting go.
    assert said[1][0] >= truth[1].clear - 0.2


def test_a_card_taken_back_is_noticed_when_a_hand_leaves_that_rested_by_the_pile_longer_than_it_was_clear() -> None:
    rests = Reach(2, Pace(0.4, 9.4, 0.4), 60.0, 60.0, beside=True)
    steps = Step(1.0, lay(RED_7)), Step(3.0, lay(BLUE_3, angle=1.4)), Step(5.0, rests), Step(14.2, TakeTop(1, PACE))
    footage, exact = SimulatedTable(2, Script(HEADER, steps, (), 16.4), size=SIZE, fonts=()), ExactSightings()
    events = played(footage, exact, TableTracker(PileTracker(exact)))
    assert reported(events) == [(CardLanded, "red 7"), (CardLanded, "blue 3"), (CardTakenBack, "red 7")]


def test_a_region_that_was_set_keeps_other_cards_out() -> None:
    footage = table(lay(RED_7), lay(BLUE_3, x=150, y=20))
    exact = ExactSightings()
    place = footage.new_tabletop().point(0, 0)
    region = int(place[0]) - 90, int(place[1]) - 90, 180, 180
    events = played(footage, exact, PileTracker(exact, region))
    assert reported(events) == [(CardLanded, "red 7")]


def test_still_pictures_far_apart_are_each_taken_by_themselves() -> None:
    footage = table(lay(RED_7), lay(BLUE_3, angle=1.4), lay(GREEN_9, angle=-0.4))
    stills = [frame for frame in footage.frames() if frame.number in (85, 145, 205)]
    assert all(frame.covered == 0 and frame.held is None for frame in stills)
    tracker = PileTracker(exactly(stills))
    events = [event for n, still in enumerate(stills) for event in tracker.feed(Frame(still.image, float(n), n))]
    events += tracker.finish()
    assert reported(events) == [(CardLanded, "red 7"), (CardLanded, "blue 3"), (CardLanded, "green 9")]
    assert [event.time for event in events] == [0.0, 1.0, 2.0]


def test_where_the_whole_picture_has_changed_the_pile_may_lie_elsewhere() -> None:
    tables = [table(lay(RED_7), seed=2), table(lay(BLUE_3, x=95.0), seed=15)]
    stills = [[frame for frame in each.frames() if frame.covered == 0 and frame.cards][-1] for each in tables]
    coarse = np.random.default_rng(0).integers(0, 255, (SIZE[1] // 20, SIZE[0] // 20, 3)).astype(np.uint8)
    stills[1].image[:] = coarse.repeat(20, axis=0).repeat(20, axis=1)
    tracker = PileTracker(exactly(stills))
    events = [event for n, still in enumerate(stills) for event in tracker.feed(Frame(still.image, float(n), n))]
    assert reported([*events, *tracker.finish()]) == [(CardLanded, "red 7"), (CardLanded, "blue 3")]


def test_darkness_is_no_bare_table() -> None:
    events = watch(lay(RED_7), SwitchLight((0.02, 0.02, 0.02)), SwitchLight((1.0, 1.0, 1.0)))
    assert reported(events) == [(CardLanded, "red 7")]


def test_a_change_of_light_is_no_change_of_colour_but_a_sleeve_is() -> None:
    rng = np.random.default_rng(0)
    image = rng.integers(60, 120, (180, 320, 3), dtype=np.uint8)
    dim = (image * 0.6).astype(np.uint8)
    sleeve = image.copy()
    sleeve[100:, 100:160] = (160, 20, 20)
    before = describe(image, 0.0)
    assert color_difference(before, describe(dim, 1.0)).mean() < 0.01
    assert color_difference(before, describe(sleeve, 1.0)).mean() > 0.08


def test_a_zone_holds_what_lies_about_its_middle() -> None:
    zone = Zone(100.0, 100.0, 50.0)
    square = np.array([[0, 0], [10, 0], [10, 10], [0, 10]], np.float32)
    assert zone.contains(square + 90)
    assert not zone.contains(square + 190)
    rows, columns = zone.window(120, 300)
    assert (columns.stop, rows.start) == (120, 35)


@pytest.mark.parametrize("edition", [EditionName.MARIO_KART, EditionName.MINECRAFT])
def test_a_match_with_every_nuisance_is_followed(edition: EditionName) -> None:
    seed = 4
    footage = SimulatedTable(seed, write_script(seed, edition, longest=14), edition, size=SIZE, fonts=())
    said, truth, _ = follow(footage, ExactSightings())
    score = Score()
    grade(score, seed, truth, said)
    assert sum(event.change is PileChange.LANDED for event in truth) >= 6
    assert len(score.mistakes) <= 1, score.mistakes
