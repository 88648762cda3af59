"""The pile tracker if looks disagree, miss a card, or show only a corner."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count

import numpy as np
import pytest
from footage import (
    BLUE_3,
    GREEN_9,
    PACE,
    RED_7,
    WILD,
    YELLOW_1,
    lay,
    played,
    reported,
    table,
)

from companion.bench.simulation.pile_scoring import ExactSightings
from companion.cards import Card
from companion.dataset.simulated.actions import (
    TakeTop,
)
from companion.vision.capture.frames import Frame
from companion.vision.core.events import CardLanded, CardTakenBack
from companion.vision.core.sightings import Sighting
from companion.vision.pile.pile_tracker import Detect, PileTracker
from companion.vision.tracking.table_tracker import TableTracker

pytestmark = pytest.mark.slow


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
    events = played(footage, exact, PileTracker(exact, detect_closeup=quick))
    assert reported(events) == [(CardLanded, "red 7"), (CardLanded, "blue 3"), (CardTakenBack, "red 7")]


def test_card_missed_by_the_quick_look_is_found() -> None:
    exact = ExactSightings()

    def quick(image: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> list[Sighting]:
        return [replace(s, probabilities=(0.999, 0.0005)) for s in exact(image) if s.card == RED_7]

    footage = table(lay(RED_7), lay(BLUE_3, angle=0.3, x=40, seat=1))
    events = played(footage, exact, PileTracker(exact, detect_closeup=quick))
    assert reported(events) == [(CardLanded, "red 7"), (CardLanded, "blue 3")]


def test_agreeing_quick_looks_outweigh_a_missing_thorough_one() -> None:
    exact = ExactSightings()

    def doubtful(image: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> list[Sighting]:
        return [replace(s, probabilities=(0.6, *s.probabilities[1:])) if s.card == BLUE_3 else s for s in exact(image)]

    def thorough(image: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> list[Sighting]:
        found = exact(image)
        if all(sighting.card != BLUE_3 for sighting in found):
            return found
        return [replace(sighting, whole=False) for sighting in found if sighting.card == RED_7]

    footage = table(lay(RED_7), lay(BLUE_3, angle=1.4, x=9, seat=1))
    events = played(footage, exact, PileTracker(thorough, detect_closeup=doubtful))
    assert reported(events) == [(CardLanded, "red 7"), (CardLanded, "blue 3")]


def test_a_new_card_of_which_a_corner_alone_is_ever_read_is_reported_with_doubt() -> None:
    exact = ExactSightings()

    def half_blind(image: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> list[Sighting]:
        found = exact(image)
        if all(sighting.card != BLUE_3 for sighting in found):
            return found
        return [replace(sighting, whole=False) for sighting in found if sighting.card == BLUE_3]

    events = played(table(lay(RED_7), lay(BLUE_3, angle=1.4, x=9, seat=1)), exact, PileTracker(half_blind))
    assert reported(events) == [(CardLanded, "red 7"), (CardLanded, "blue 3")]
    assert isinstance(events[1], CardLanded)
    assert events[1].probabilities[0][1] == pytest.approx(0.5, abs=0.05)


def test_a_corner_that_every_other_look_reads_is_reported_before_long() -> None:
    exact = ExactSightings()

    def corner(confidence: float) -> Detect:
        def detect(image: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> list[Sighting]:
            found = exact(image)
            new = [s for s in found if s.card == BLUE_3]
            return [replace(s, whole=False, probabilities=(confidence, 0.05)) for s in new] or found

        return detect

    footage = table(lay(RED_7), lay(BLUE_3, angle=1.4, x=9, seat=1))
    events = played(footage, exact, PileTracker(corner(0.4), detect_closeup=corner(0.9)))
    assert reported(events) == [(CardLanded, "red 7"), (CardLanded, "blue 3")]


def reading_red_7(exact: ExactSightings) -> Detect:
    """Return a detector that reads a wild as the red 7 under it, alone."""

    def detect(image: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> list[Sighting]:
        found = exact(image)
        misread = [replace(s, cards=(RED_7, WILD), probabilities=(0.9, 0.05)) for s in found if s.card == WILD]
        return misread or found

    return detect


def test_card_read_as_the_one_below_is_reported_with_doubt() -> None:
    exact = ExactSightings()
    events = played(table(lay(RED_7), lay(WILD, angle=1.4, x=9, seat=1)), exact, PileTracker(reading_red_7(exact)))
    assert [type(event) for event in events] == [CardLanded, CardLanded]
    assert isinstance(events[1], CardLanded)
    assert sum(probability for _, probability in events[1].probabilities) < 0.1


def test_second_look_names_a_card_first_read_as_the_one_below() -> None:
    exact = ExactSightings()
    footage = table(lay(RED_7), lay(WILD, angle=1.4, x=9, seat=1))
    events = played(footage, exact, PileTracker(exact, detect_closeup=reading_red_7(exact)))
    assert reported(events) == [(CardLanded, "red 7"), (CardLanded, "wild")]


def once_seen(card: Card, exact: ExactSightings, look: Callable[[int, list[Sighting]], list[Sighting]]) -> Detect:
    """Return a detector that shows the exact sightings, and what the nth `look` makes of them once a card is there."""
    looks = count(1)

    def detect(image: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> list[Sighting]:
        found = exact(image)
        return look(next(looks), found) if any(sighting.card == card for sighting in found) else found

    return detect


def test_card_seen_by_every_other_look_has_landed() -> None:
    exact = ExactSightings()

    def winking(n: int, found: list[Sighting]) -> list[Sighting]:
        lowest = [sighting for sighting in found if sighting.card == RED_7]
        top = [replace(s, probabilities=(0.75, *s.probabilities[1:])) for s in found if s.card == WILD]
        return lowest if n % 2 == 0 else [*lowest, *top]

    beside = [lay(BLUE_3, x=65, seat=1), lay(GREEN_9, angle=0.9, x=65), lay(WILD, angle=2.2, x=65, seat=1)]
    events = played(table(lay(RED_7), *beside), exact, PileTracker(once_seen(WILD, exact, winking)))
    assert reported(events) == [(CardLanded, name) for name in ("red 7", "blue 3", "green 9", "wild")]


def test_a_card_that_is_missed_in_one_view_of_the_pile_is_found_in_another() -> None:
    exact, missing = ExactSightings(), set[tuple[int, ...]]()

    def blind(image: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> list[Sighting]:
        """Miss the card wherever the picture has the size in which it came into view."""
        found = exact(image)
        if not missing and any(sighting.card == BLUE_3 for sighting in found):
            missing.add(image.shape)
        return found if image.shape not in missing else [s for s in found if s.card != BLUE_3]

    events = played(table(lay(RED_7), lay(BLUE_3, angle=1.4, seat=1)), exact, PileTracker(blind))
    assert reported(events) == [(CardLanded, "red 7"), (CardLanded, "blue 3")]


def test_a_bare_face_laid_on_another_is_noticed_though_barely_anything_changes() -> None:
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
    assert reported(events) == [(CardLanded, "yellow 1"), (CardLanded, "blue 3")]


def test_first_card_of_uniform_color_is_reported() -> None:
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
    assert reported(events) == [(CardLanded, "blue 3")]


def test_a_card_that_one_look_in_several_reads_is_reported_with_doubt() -> None:
    exact = ExactSightings()

    def seldom(n: int, found: list[Sighting]) -> list[Sighting]:
        corner = Sighting(found[0].quad, (RED_7, GREEN_9), (0.99, 0.005), whole=False)
        whole = [replace(s, probabilities=(0.9, *s.probabilities[1:])) for s in found if s.card == BLUE_3]
        return [*(whole if n == 3 else []), corner]

    events = played(
        table(lay(RED_7), lay(BLUE_3, angle=1.4, x=9, seat=1), pause=4.0),
        exact,
        TableTracker(PileTracker(once_seen(BLUE_3, exact, seldom))),
    )
    assert reported(events) == [(CardLanded, "red 7"), (CardLanded, "blue 3")]
    assert isinstance(events[1], CardLanded)
    assert events[1].probabilities[0][1] == pytest.approx(0.45, abs=0.02)
