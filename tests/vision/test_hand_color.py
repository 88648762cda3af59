"""Attribution of a landing by the colours that a hand carried."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from reaching import DISCARD, MIDDLE, attributed_to, table, towards

from companion.vision.arms.arm_detector import ArmDetector
from companion.vision.arms.arm_tracks import Sample, Track
from companion.vision.arms.hand_color import colors_at, colors_of, similarity
from companion.vision.capture.frames import Frame
from companion.vision.core.geometry import Image, Quad
from companion.vision.imaging.masks import Floats

GREEN, SKIN, GREY = (40, 150, 30), (120, 150, 205), (120, 120, 120)


def logarithms(image: Image) -> Floats:
    return np.log(image.astype(np.float32) + 5)


def colors(*inks: tuple[int, int, int]) -> Floats:
    """Return the shares of colours of stripes of these inks."""
    image = np.repeat(np.array(inks, np.uint8), 40, axis=0)
    found = colors_of(logarithms(image))
    assert found is not None
    return found


def test_blurred_and_in_other_light_a_card_is_like_itself_and_unlike_a_hand() -> None:
    card = colors(GREEN, GREEN, (230, 230, 230))
    assert card.sum() == pytest.approx(1.0)
    dimmer = colors((36, 138, 27), (38, 142, 28), (215, 215, 215))
    assert similarity(card, dimmer) > 0.8
    assert similarity(card, colors(SKIN)) < 0.3
    assert colors_of(logarithms(np.zeros((5, 3), np.uint8))) is None


def test_only_what_belongs_to_the_arm_about_its_tip_counts() -> None:
    image = np.full((60, 80, 3), GREY, np.uint8)
    image[20:30, 40:52] = GREEN
    part = np.zeros((60, 80), np.bool_)
    part[20:30, 0:52] = True
    found = colors_at(logarithms(image), part, np.array([46.0, 25.0]), 6.0)
    assert found is not None
    assert similarity(found, colors(GREEN)) > 0.95
    # At the picture's corner, and where too little is seen.
    assert colors_at(logarithms(image), part, np.array([0.0, 0.0]), 6.0) is None


def arm_with(number: int, start: tuple[float, float], end: tuple[float, float], comes: float, load: Floats) -> Track:
    """Return an arm that comes for half a second, stays for as long and leaves, with these colours at its tip."""
    track, (rim, goal) = Track(number), np.array([start, end])
    for step in range(31):
        share = min(1.0, step / 10, (30 - step) / 10)
        sample = Sample(rim + (goal - rim) * share, rim, 30.0, 400.0, separate=True, time=comes + step / 20)
        track.samples.append(replace(sample, colors=load))
    return track


def test_the_hand_that_carried_the_card_laid_it() -> None:
    """Another one hovers over the pile at the same time and leaves last."""
    card = colors(GREEN, GREEN, (230, 230, 230))
    laying = arm_with(1, (0.0, 90.0), (130.0, 90.0), 9.0, colors(GREEN, (230, 230, 230), SKIN))
    hovering = arm_with(2, (140.0, 0.0), (140.0, 85.0), 9.3, colors(SKIN))
    assert attributed_to(DISCARD, [laying, hovering], 10.4)[0][0] is hovering
    assert attributed_to(DISCARD, [laying, hovering], 10.4, card=card)[0][0] is laying
    # What it brought lay there before.
    assert attributed_to(DISCARD, [laying, hovering], 10.4, already_laid={1}, card=card)[0][0] is hovering
    # Nobody was seen to carry it.
    assert attributed_to(DISCARD, [laying, hovering], 10.4, card=colors((200, 60, 20)))[0][0] is hovering


def test_hand_with_unknown_load_is_less_probable() -> None:
    card = colors(GREEN)
    laying = arm_with(1, (0.0, 90.0), (130.0, 90.0), 9.0, card)
    hovering = arm_with(2, (140.0, 0.0), (140.0, 85.0), 9.3, card)
    hovering.samples = [replace(sample, colors=None) for sample in hovering.samples]
    assert attributed_to(DISCARD, [laying, hovering], 10.4, card=card)[0][0] is laying


def test_the_card_under_a_hand_is_none_that_it_carries() -> None:
    """What lies at its tip over the pile is there whoever brought it."""
    card = colors(GREEN)
    track = arm_with(1, (0.0, 90.0), (140.0, 90.0), 9.0, colors(SKIN))
    track.samples[9:21] = [replace(sample, colors=card) for sample in track.samples[9:21]]
    assert track.carried(card, MIDDLE, DISCARD.length, 8.0) == pytest.approx(similarity(card, colors(SKIN)))
    assert track.carried(card, MIDDLE, DISCARD.length, 11.0) is None


def test_a_film_shows_what_an_arm_carries() -> None:
    watcher = ArmDetector()
    here: Quad = np.array([[127, 70], [153, 70], [153, 110], [127, 110]], np.float32)
    loads: list[float] = []
    for number in range(40):
        now = number / 20
        image = table()
        tip = MIDDLE + towards(180) * 260 * max(0.0, 1.4 - now)
        if now > 0.5:
            out = towards(180)
            cv2.line(image, tuple(map(int, tip + out * 30)), tuple(map(int, tip + out * 300)), SKIN, 22)
            x, y = tip.astype(int)
            cv2.rectangle(image, (x - 13, y - 20), (x + 13, y + 20), GREEN, -1)
        tracks = watcher.feed(Frame(image, now, number))
        watcher.top_card = here
        assert watcher.picture is not None
        card = watcher.picture.within(here)
        for track in tracks:
            seen = track.last.colors
            if card is not None and seen is not None and 60 < float(np.hypot(*(track.last.tip - MIDDLE))) < 80:
                loads.append(similarity(seen, colors(GREEN)))
    assert loads
    assert max(loads) > 0.5
    # The card has landed: its place looks like it.
    assert watcher.picture is not None
    found = watcher.picture.within(here)
    assert found is not None
    assert similarity(found, colors(GREEN)) > 0.8
