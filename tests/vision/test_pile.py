"""The tracker with exact sightings: each thing that happens at a table, and each nuisance, by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count

import numpy as np
import pytest

from companion.bench.simulated import ExactSightings, Score, follow, grade
from companion.cards import Card, EditionName
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
from companion.dataset.simulated.simulation import PileChange, SimulatedFrame, SimulatedTable
from companion.vision.events import CameraStatus, CardLanded, CardTakenBack, PileEvent, PileGone, PileMoved
from companion.vision.frames import Frame
from companion.vision.geometry import Image, project
from companion.vision.motion import Zone, glance, tinted
from companion.vision.pile import Detect, PileTracker
from companion.vision.sightings import Sighting

SIZE = (640, 360)
PACE = Pace(0.4, 0.2, 0.4)
RED_7, BLUE_3, GREEN_9 = Card.parse("red 7"), Card.parse("blue 3"), Card.parse("green 9")
WILD, YELLOW_1 = Card.parse("wild"), Card.parse("yellow 1")
HEADER = write_script(0, longest=1).header


def lay(card: Card, angle: float = 0.3, x: float = 0.0, y: float = 0.0, seat: int = 0) -> Lay:
    return Lay(seat, PACE, card, Placement(x, y, angle))


def table(*actions: Action, seed: int = 2, pause: float = 2.0, size: tuple[int, int] = SIZE) -> SimulatedTable:
    """Return a table at which these actions begin two seconds apart."""
    steps = tuple(Step(1.0 + pause * i, action) for i, action in enumerate(actions))
    return SimulatedTable(seed, Script(HEADER, steps, (), 1.0 + pause * len(actions) + 0.5), size=size, fonts=())


def watch(*actions: Action, seed: int = 2, detector: ExactSightings | None = None) -> list[PileEvent]:
    """Return what the tracker says about these actions."""
    return [event for _, event in follow(table(*actions, seed=seed), detector or ExactSightings())[0]]


def told(events: Sequence[PileEvent]) -> list[tuple[type, str]]:
    """Return the kinds of events with the likeliest card's name."""
    return [(type(e), e.probabilities[0][0].name if getattr(e, "probabilities", ()) else "") for e in events]


def played(footage: SimulatedTable, exact: ExactSightings, tracker: PileTracker) -> list[PileEvent]:
    """Return what a tracker that sees by `exact` says about the footage."""
    events: list[PileEvent] = []
    for frame in footage.frames():
        exact.show(frame)
        events += tracker.feed(Frame(frame.image, frame.time, frame.number))
    return events


def exactly(stills: Sequence[SimulatedFrame]) -> Detect:
    """Return a detector that knows the truth of each of these frames."""
    exact = ExactSightings()

    def detect(image: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> list[Sighting]:
        exact.show(next(frame for frame in stills if np.shares_memory(frame.image, image)))
        return exact(image)

    return detect


def test_each_card_that_lands_is_told_once_with_where_it_lies() -> None:
    footage = table(lay(RED_7), lay(BLUE_3, angle=1.4, x=9, seat=1), lay(GREEN_9, angle=-0.5, seat=2))
    said, truth, _ = follow(footage, ExactSightings())
    events = [event for _, event in said]
    assert told(events) == [(CardLanded, "red 7"), (CardLanded, "blue 3"), (CardLanded, "green 9")]
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
    assert told(events) == [(CardLanded, "red 7"), (CardLanded, "blue 3")]


def test_the_first_card_is_told_though_the_hand_that_brought_it_kept_still() -> None:
    exact, open_cards = ExactSightings(), 0
    tracker = PileTracker(lambda image: exact(image)[:open_cards])
    events: list[PileEvent] = []
    for frame in table(Lay(0, Pace(0.4, 1.0, 0.4), RED_7, Placement(0, 0, 0.3))).frames():
        exact.show(frame)
        open_cards = sum(card.visible > 0.98 for card in frame.cards)
        events += tracker.feed(Frame(frame.image, frame.time, frame.number))
    assert told(events) == [(CardLanded, "red 7")]


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
    assert told(events) == [(CardLanded, "red 7"), (CardLanded, "red 7")]
    assert isinstance(events[1], CardLanded)
    assert events[1].same_face


def test_the_same_face_half_a_second_later_is_the_card_that_the_hand_had_not_let_go_of() -> None:
    first, second = (Lay(0, Pace(0.1, 0.05, 0.1), RED_7, Placement(x, 0.0, angle)) for x, angle in ((0, 0.3), (6, 1.5)))
    for pause, landings in ((0.5, 1), (2.0, 2)):
        events = [event for _, event in follow(table(first, second, pause=pause), ExactSightings())[0]]
        assert [type(event) for event in events].count(CardLanded) == landings


def test_a_card_taken_back_brings_the_one_below_to_light() -> None:
    events = watch(lay(RED_7), lay(BLUE_3, angle=1.4, seat=1), TakeTop(1, PACE))
    assert told(events)[2:] == [(CardTakenBack, "red 7")]


def test_taking_back_one_of_two_like_cards_is_no_nudge() -> None:
    events = watch(lay(RED_7), lay(RED_7, angle=1.5, seat=1), TakeTop(1, PACE))
    assert told(events)[2:] == [(CardTakenBack, "red 7")]


def test_taking_the_only_card_back_leaves_a_bare_table() -> None:
    assert told(watch(lay(RED_7), TakeTop(0, PACE))) == [(CardLanded, "red 7"), (CardTakenBack, "")]


def test_a_pile_carried_off_is_gone_and_its_top_may_return() -> None:
    actions = lay(RED_7), lay(BLUE_3, angle=1.4), CarryOff(1, PACE), lay(BLUE_3, angle=0.2, seat=1)
    events = [event for _, event in follow(table(*actions, pause=2.6), ExactSightings())[0]]
    assert told(events)[2:] == [(PileGone, ""), (CardLanded, "blue 3")]


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
    cards = [item for item in told(events) if item[0] not in (PileMoved, CameraStatus)]
    assert cards == [(CardLanded, "red 7"), (CardLanded, "blue 3"), (CardLanded, "green 9")]


def test_a_card_beside_the_top_one_has_not_landed_when_both_are_pushed_a_little() -> None:
    events = watch(lay(RED_7), lay(BLUE_3, x=32), Nudge(1, Pace(0.4, 0.4, 0.4), 5.0, 4.0, 0.06))
    assert told(events) == [(CardLanded, "red 7"), (CardLanded, "blue 3")]


def test_a_pile_that_was_pushed_is_told_of() -> None:
    events = watch(lay(RED_7), Nudge(1, Pace(0.4, 0.4, 0.4), 25.0, 10.0, 0.5))
    assert told(events) == [(CardLanded, "red 7"), (PileMoved, "")]


def test_the_networks_run_only_when_something_changed() -> None:
    footage = table(lay(RED_7), lay(BLUE_3, angle=1.4), Reach(1, PACE, 5.0, 5.0), SwitchLight((0.8, 0.8, 0.8)))
    _, _, tracker = follow(footage, ExactSightings())
    assert 4 <= tracker.look_count <= 25


def test_no_picture_is_read_while_a_hand_rests_on_the_card() -> None:
    slow = replace(lay(BLUE_3, angle=1.4), pace=Pace(0.4, 1.2, 0.4))
    said, truth, _ = follow(table(lay(RED_7), slow), ExactSightings())
    assert truth[1].clear is not None
    # The hand stays on the card for six tenths of a second after letting go.
    assert said[1][0] >= truth[1].clear - 0.2


def laid(card: Card, seconds: float, seat: int = 1) -> Lay:
    """Return a card laid by an arm that takes so many seconds to leave."""
    return Lay(seat, Pace(0.4, 0.2, seconds), card, Placement(5.0, 0.0, 1.4))


def surely(exact: ExactSightings) -> Detect:
    """Return a detector that reads what is there beyond doubt."""
    return lambda image: [replace(s, probabilities=(0.999, 0.0005)) for s in exact(image)]


def test_a_card_is_told_once_while_the_arm_that_laid_it_still_leaves() -> None:
    footage, exact = table(lay(RED_7), laid(BLUE_3, 1.2)), ExactSightings()
    tracker = PileTracker(surely(exact))
    said = []
    for frame in footage.frames():
        exact.show(frame)
        said += [
            (frame.time, tracker.look_count, e) for e in tracker.feed(Frame(frame.image, frame.time, frame.number))
        ]
    assert told([event for *_, event in said]) == [(CardLanded, "red 7"), (CardLanded, "blue 3")]
    time, looks, event = said[1]
    let_go, clear = footage.events[1].time, footage.events[1].clear
    assert isinstance(event, CardLanded)
    assert clear is not None
    # The arm needs half a second from the card to the edge of the pile's surroundings.
    assert let_go <= event.time < time <= clear + 0.1
    # What it leaves behind need not be looked at again.
    assert tracker.look_count == looks


def test_what_is_seen_past_an_arm_counts_as_one_of_two_looks_where_it_is_not_beyond_doubt() -> None:
    footage, exact, looked = table(lay(RED_7), laid(BLUE_3, 0.4)), ExactSightings(), list[float]()
    now = [0.0]

    def noting(image: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> list[Sighting]:
        looked.append(now[0])
        return exact(image)

    tracker, said = PileTracker(noting), []
    for frame in footage.frames():
        exact.show(frame)
        now[0] = frame.time
        said += [(frame.time, e) for e in tracker.feed(Frame(frame.image, frame.time, frame.number))]
    assert told([event for _, event in said]) == [(CardLanded, "red 7"), (CardLanded, "blue 3")]
    past_arm, last = [time for time in looked if time > 3.0][-2:]
    assert last == said[1][0]
    assert past_arm < last - 0.05


@pytest.mark.parametrize("drags", [False, True])
def test_what_is_seen_past_an_arm_is_told_only_if_the_next_picture_bears_it_out(drags: bool) -> None:
    yellow, blue = (40, 200, 220), (200, 60, 30)
    grain = np.random.default_rng(0).integers(60, 120, (45, 80, 3), dtype=np.uint8).repeat(8, axis=0).repeat(8, axis=1)

    def picture(mark: tuple[int, int, int], x: int, arm: tuple[int, int, int, int]) -> Image:
        image = grain.copy()
        image[120:240, x : x + 80] = 230
        image[130:230:20, x + 10 : x + 70] = mark
        image[145 if mark == blue else 225 : 230, x + 10 : x + 40] = mark
        left, top, right, bottom = arm
        image[top:bottom, left:right] = (110, 140, 190)
        return image

    def reads(image: Image) -> list[Sighting]:
        rows, columns = np.nonzero((image == 230).all(2))
        x, y = float(columns.min()), float(rows.min())
        card = BLUE_3 if (image == blue).all(2).any() else YELLOW_1
        quad = np.array([[x, y], [x + 80, y], [x + 80, y + 120], [x, y + 120]], np.float32)
        return [Sighting(quad, (card, RED_7), (0.999, 0.0005), whole=True)]

    coming = [picture(yellow, 280, (290 + 30 * n, 0, 350 + 30 * n, 90 + 40 * n)) for n in (0, 2, 3, 2, 0)]
    # The arm drags the card along for some way, by a sleeve, or does not.
    leaving = [picture(blue, 280 + drags * min(24, 8 * n), (384, 0, 450, 280 - 35 * n)) for n in range(6)]
    left = picture(blue, 280 + drags * 24, (0, 0, 0, 0))
    tracker = PileTracker(reads)
    said = []
    for n, image in enumerate([picture(yellow, 280, (0, 0, 0, 0))] * 20 + coming + leaving + [left] * 20):
        said += [(n, event) for event in tracker.feed(Frame(image, n / 30, n))]
    assert told([event for _, event in said]) == [(CardLanded, "yellow 1"), (CardLanded, "blue 3")]
    at_rest = 20 + len(coming) + 3
    assert (said[1][0] > at_rest) is drags


def test_a_region_that_was_set_keeps_other_cards_out() -> None:
    footage = table(lay(RED_7), lay(BLUE_3, x=150, y=20))
    exact = ExactSightings()
    place = footage.new_tabletop().point(0, 0)
    region = int(place[0]) - 90, int(place[1]) - 90, 180, 180
    events = played(footage, exact, PileTracker(exact, region))
    assert told(events) == [(CardLanded, "red 7")]


def test_what_the_detector_cannot_read_for_sure_is_said_with_both_candidates() -> None:
    exact = ExactSightings()

    def unsure(image: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> list[Sighting]:
        return [Sighting(s.quad, (RED_7, BLUE_3), (0.5, 0.45), whole=True) for s in exact(image)]

    footage = table(lay(RED_7))
    events = played(footage, exact, PileTracker(unsure))
    assert len(events) == 1
    assert isinstance(events[0], CardLanded)
    assert events[0].probabilities == ((RED_7, pytest.approx(0.5)), (BLUE_3, pytest.approx(0.45)))


@pytest.mark.parametrize("passed_over", [BLUE_3, RED_7])
def test_a_card_that_the_quick_look_passes_over_is_found_by_the_thorough_one(passed_over: Card) -> None:
    exact = ExactSightings()

    def quick(image: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> list[Sighting]:
        return [sighting for sighting in exact(image) if sighting.card != passed_over]

    footage = table(lay(RED_7), lay(BLUE_3, angle=1.4, x=9, seat=1), TakeTop(1, PACE))
    events = played(footage, exact, PileTracker(exact, closely=quick))
    assert told(events) == [(CardLanded, "red 7"), (CardLanded, "blue 3"), (CardTakenBack, "red 7")]


def test_a_card_that_the_quick_look_passes_over_is_found_though_that_surely_sees_the_old_one() -> None:
    exact = ExactSightings()

    def quick(image: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> list[Sighting]:
        return [replace(s, probabilities=(0.999, 0.0005)) for s in exact(image) if s.card == RED_7]

    footage = table(lay(RED_7), lay(BLUE_3, angle=0.3, x=40, seat=1))
    events = played(footage, exact, PileTracker(exact, closely=quick))
    assert told(events) == [(CardLanded, "red 7"), (CardLanded, "blue 3")]


def test_a_card_that_the_thorough_look_passes_over_counts_once_quick_ones_agree() -> None:
    exact = ExactSightings()

    def doubtful(image: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> list[Sighting]:
        return [replace(s, probabilities=(0.6, *s.probabilities[1:])) if s.card == BLUE_3 else s for s in exact(image)]

    def thorough(image: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> list[Sighting]:
        found = exact(image)
        if all(sighting.card != BLUE_3 for sighting in found):
            return found
        return [replace(sighting, whole=False) for sighting in found if sighting.card == RED_7]

    footage = table(lay(RED_7), lay(BLUE_3, angle=1.4, x=9, seat=1))
    events = played(footage, exact, PileTracker(thorough, closely=doubtful))
    assert told(events) == [(CardLanded, "red 7"), (CardLanded, "blue 3")]


def test_a_new_card_of_which_a_corner_alone_is_ever_read_is_told_with_doubt() -> None:
    exact = ExactSightings()

    def half_blind(image: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> list[Sighting]:
        found = exact(image)
        if all(sighting.card != BLUE_3 for sighting in found):
            return found
        return [replace(sighting, whole=False) for sighting in found if sighting.card == BLUE_3]

    events = played(table(lay(RED_7), lay(BLUE_3, angle=1.4, x=9, seat=1)), exact, PileTracker(half_blind))
    assert told(events) == [(CardLanded, "red 7"), (CardLanded, "blue 3")]
    assert isinstance(events[1], CardLanded)
    assert events[1].probabilities[0][1] == pytest.approx(0.5, abs=0.05)


def test_a_corner_that_every_other_look_reads_is_told_before_long() -> None:
    exact = ExactSightings()

    def corner(confidence: float) -> Detect:
        def detect(image: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> list[Sighting]:
            found = exact(image)
            new = [s for s in found if s.card == BLUE_3]
            return [replace(s, whole=False, probabilities=(confidence, 0.05)) for s in new] or found

        return detect

    footage = table(lay(RED_7), lay(BLUE_3, angle=1.4, x=9, seat=1))
    events = played(footage, exact, PileTracker(corner(0.4), closely=corner(0.9)))
    assert told(events) == [(CardLanded, "red 7"), (CardLanded, "blue 3")]


def reading_red_7(exact: ExactSightings) -> Detect:
    """Return a detector that reads a wild as the red 7 under it, alone."""

    def detect(image: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> list[Sighting]:
        found = exact(image)
        misread = [replace(s, cards=(RED_7, WILD), probabilities=(0.9, 0.05)) for s in found if s.card == WILD]
        return misread or found

    return detect


def test_a_card_that_is_read_as_the_one_under_it_is_told_with_doubt_and_not_as_a_nudge() -> None:
    exact = ExactSightings()
    events = played(table(lay(RED_7), lay(WILD, angle=1.4, x=9, seat=1)), exact, PileTracker(reading_red_7(exact)))
    assert [type(event) for event in events] == [CardLanded, CardLanded]
    assert isinstance(events[1], CardLanded)
    assert sum(probability for _, probability in events[1].probabilities) < 0.1


def test_a_card_that_one_look_reads_as_the_one_under_it_is_told_as_another_look_reads_it() -> None:
    exact = ExactSightings()
    footage = table(lay(RED_7), lay(WILD, angle=1.4, x=9, seat=1))
    events = played(footage, exact, PileTracker(exact, closely=reading_red_7(exact)))
    assert told(events) == [(CardLanded, "red 7"), (CardLanded, "wild")]


def test_a_top_card_that_one_look_passes_over_does_not_bring_up_the_one_under_it() -> None:
    exact, seen = ExactSightings(), list[np.ndarray[tuple[int, ...], np.dtype[np.float32]]]()

    def winking(image: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> list[Sighting]:
        found = exact(image)
        blue = [sighting.quad for sighting in found if sighting.card == BLUE_3]
        seen.extend(blue)
        if not blue or len(seen) > 3 or np.hypot(*(blue[0] - seen[0]).mean(0)) < 5:
            return found
        # Of the pile that was pushed, this look shows the lower card.
        return [Sighting(blue[0] + np.array([20, 15], np.float32), (RED_7, GREEN_9), (0.995, 0.001), whole=True)]

    footage = table(lay(RED_7), lay(BLUE_3, angle=1.4, x=9, seat=1), Nudge(0, PACE, 12.0, 9.0, 0.4, 2))
    events = played(footage, exact, PileTracker(winking))
    assert told(events)[:2] == [(CardLanded, "red 7"), (CardLanded, "blue 3")]
    assert not any(isinstance(event, CardLanded) for event in events[2:])


def once_seen(card: Card, exact: ExactSightings, look: Callable[[int, list[Sighting]], list[Sighting]]) -> Detect:
    """Return a detector that shows the exact sightings, and what the nth `look` makes of them once a card is there."""
    looks = count(1)

    def detect(image: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> list[Sighting]:
        found = exact(image)
        return look(next(looks), found) if any(sighting.card == card for sighting in found) else found

    return detect


def test_a_card_that_every_other_look_misses_has_landed_and_did_not_uncover_the_whole_pile() -> None:
    exact = ExactSightings()

    def winking(n: int, found: list[Sighting]) -> list[Sighting]:
        lowest = [sighting for sighting in found if sighting.card == RED_7]
        top = [replace(s, probabilities=(0.75, *s.probabilities[1:])) for s in found if s.card == WILD]
        return lowest if n % 2 == 0 else [*lowest, *top]

    beside = [lay(BLUE_3, x=65, seat=1), lay(GREEN_9, angle=0.9, x=65), lay(WILD, angle=2.2, x=65, seat=1)]
    events = played(table(lay(RED_7), *beside), exact, PileTracker(once_seen(WILD, exact, winking)))
    assert told(events) == [(CardLanded, name) for name in ("red 7", "blue 3", "green 9", "wild")]


def test_a_bare_face_laid_on_another_is_noticed_though_hardly_anything_changes() -> None:
    quad = np.array([[280, 120], [360, 120], [360, 240], [280, 240]], np.float32)
    yellow, blue, face = (40, 200, 220), (200, 60, 30), 230

    def bare(mark: tuple[int, int, int], hand: int = 0) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
        image = np.full((360, 640, 3), (60, 90, 60), np.uint8)
        image[120:240, 280:360] = face
        image[128:137, 286:295] = image[223:232, 345:354] = mark
        image[100 : 100 + hand, 270:370] = (110, 140, 190)
        return image

    def reads(image: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> list[Sighting]:
        corner = np.argwhere((image == face).all(2)).min(0, initial=999)[::-1]
        card = YELLOW_1 if (image == yellow).all(2).any() else BLUE_3
        return [Sighting(quad - quad[0] + np.float32(corner), (card, GREEN_9), (0.97, 0.01), whole=True)]

    hands = [bare(yellow, hand) for hand in (40, 80, 120, 160, 120, 80, 40)]
    tracker = PileTracker(reads)
    images = [bare(yellow)] * 20 + hands + [bare(blue)] * 10
    events = [event for n, image in enumerate(images) for event in tracker.feed(Frame(image, n / 30, n))]
    assert told(events) == [(CardLanded, "yellow 1"), (CardLanded, "blue 3")]


def test_a_plain_first_card_is_told_though_it_differs_from_the_table_in_its_colour_alone() -> None:
    # Both as bright as each other.
    table_color, card_color = (90, 60, 100), (230, 60, 47)
    quad = np.array([[280, 130], [340, 130], [340, 220], [280, 220]], np.float32)

    def picture(there: bool, hand: int = 0) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
        image = np.full((360, 640, 3), table_color, np.uint8)
        image[300:340, 40:90] = 20
        if there:
            image[130:220, 280:340] = card_color
        image[:hand, 290:330] = (110, 140, 190)
        return image

    def reads(image: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> list[Sighting]:
        there = (image == card_color).all(2).any()
        return [Sighting(quad, (BLUE_3, RED_7), (0.99, 0.005), whole=True)] if there else []

    hands = [picture(there, hand) for there, hand in ((False, 80), (False, 160), (True, 160), (True, 80))]
    images = [picture(False)] * 80 + hands + [picture(True)] * 30
    tracker = PileTracker(reads)
    events = [event for n, image in enumerate(images) for event in tracker.feed(Frame(image, n / 30, n))]
    assert told(events) == [(CardLanded, "blue 3")]


def test_a_card_that_one_look_in_several_reads_is_told_with_doubt() -> None:
    exact = ExactSightings()

    def seldom(n: int, found: list[Sighting]) -> list[Sighting]:
        corner = Sighting(found[0].quad, (RED_7, GREEN_9), (0.99, 0.005), whole=False)
        whole = [replace(s, probabilities=(0.9, *s.probabilities[1:])) for s in found if s.card == BLUE_3]
        return [*(whole if n == 3 else []), corner]

    events = played(
        table(lay(RED_7), lay(BLUE_3, angle=1.4, x=9, seat=1), pause=4.0),
        exact,
        PileTracker(once_seen(BLUE_3, exact, seldom)),
    )
    assert told(events) == [(CardLanded, "red 7"), (CardLanded, "blue 3")]
    assert isinstance(events[1], CardLanded)
    assert events[1].probabilities[0][1] == pytest.approx(0.45, abs=0.02)


def test_still_pictures_far_apart_are_each_taken_by_themselves() -> None:
    footage = table(lay(RED_7), lay(BLUE_3, angle=1.4), lay(GREEN_9, angle=-0.4))
    stills = [frame for frame in footage.frames() if frame.number in (85, 145, 205)]
    assert all(frame.covered == 0 and frame.held is None for frame in stills)
    tracker = PileTracker(exactly(stills))
    events = [event for n, still in enumerate(stills) for event in tracker.feed(Frame(still.image, float(n), n))]
    events += tracker.finish()
    assert told(events) == [(CardLanded, "red 7"), (CardLanded, "blue 3"), (CardLanded, "green 9")]
    assert [event.time for event in events] == [0.0, 1.0, 2.0]


def test_where_the_whole_picture_has_changed_the_pile_may_lie_elsewhere() -> None:
    tables = [table(lay(RED_7), seed=2), table(lay(BLUE_3, x=95.0), seed=15)]
    stills = [[frame for frame in each.frames() if frame.covered == 0 and frame.cards][-1] for each in tables]
    coarse = np.random.default_rng(0).integers(0, 255, (SIZE[1] // 20, SIZE[0] // 20, 3)).astype(np.uint8)
    stills[1].image[:] = coarse.repeat(20, axis=0).repeat(20, axis=1)
    tracker = PileTracker(exactly(stills))
    events = [event for n, still in enumerate(stills) for event in tracker.feed(Frame(still.image, float(n), n))]
    assert told([*events, *tracker.finish()]) == [(CardLanded, "red 7"), (CardLanded, "blue 3")]


def test_darkness_is_no_bare_table() -> None:
    events = watch(lay(RED_7), SwitchLight((0.02, 0.02, 0.02)), SwitchLight((1.0, 1.0, 1.0)))
    assert told(events) == [(CardLanded, "red 7")]


def test_a_change_of_light_is_no_change_of_colour_but_a_sleeve_is() -> None:
    rng = np.random.default_rng(0)
    image = rng.integers(60, 120, (180, 320, 3), dtype=np.uint8)
    dim = (image * 0.6).astype(np.uint8)
    sleeve = image.copy()
    sleeve[100:, 100:160] = (160, 20, 20)
    before = glance(image, 0.0)
    assert tinted(before.colors, glance(dim, 1.0).colors, before.structure.shape).mean() < 0.01
    assert tinted(before.colors, glance(sleeve, 1.0).colors, before.structure.shape).mean() > 0.08


def test_a_zone_holds_what_lies_about_its_middle() -> None:
    zone = Zone(100.0, 100.0, 50.0)
    square = np.array([[0, 0], [10, 0], [10, 10], [0, 10]], np.float32)
    assert zone.holds(square + 90)
    assert not zone.holds(square + 190)
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
