"""Merging of picture matches with network detections: which of the two stands."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.cards import ALL_CARDS, Card
from companion.vision.core.geometry import Quad, corner_frames
from companion.vision.core.reading import MaskedSoftmax, Reading
from companion.vision.core.sightings import Sighting
from companion.vision.detection.deck_protocol import PictureMatch
from companion.vision.recognition.deck_merge import merge_deck_matches

from .test_card_search import CARDS, lying


def test_picture_match_replaces_the_detection() -> None:
    quad, logs = lying(300, 300, 10), np.full(57, -9, np.float32)
    logs[CARDS[0]] = 0
    shown = np.ones((12, 8), bool)
    reading = Reading(quad, logs, MaskedSoftmax(1.0, np.ones(57, bool)), 1.0)
    elsewhere = Sighting(lying(600, 300, 0), (Card.parse("blue 3"),), (0.9,), True)
    there = Sighting(quad, (Card.parse("green 4"),), (0.9,), True)
    corner = Sighting(corner_frames(quad)[0], (Card.parse("green 4"),), (0.9,), True)
    merged = merge_deck_matches([there, corner, elsewhere], [(reading, PictureMatch(quad, logs, shown))])
    assert [sighting.card.name for sighting in merged] == ["blue 3", "red 7"]
    assert merge_deck_matches([there], []) == [there]


@pytest.mark.parametrize(("side", "chance", "counts"), [(1.5, 0.6, True), (5.0, 0.6, False), (5.0, 0.999, True)])
def test_card_much_larger_than_a_match_is_dropped(side: float, chance: float, counts: bool) -> None:
    quad, logs = lying(300, 300, 10), np.full(57, -9, np.float32)
    logs[CARDS[0]] = 0
    reading = Reading(quad, logs, MaskedSoftmax(1.0, np.ones(57, bool)), 1.0)
    # Its outline surrounds the whole table.
    around = np.asarray(quad.mean(0) + 60 + side * (quad - quad.mean(0)), np.float32)
    sighting = Sighting(around, (Card.parse("blue 3"), Card.parse("wild")), (chance, 1 - chance), True)
    found = merge_deck_matches([sighting], [(reading, PictureMatch(quad, logs, np.ones((12, 8), bool)))], 0.24)
    assert len(found) == 1 + counts


@pytest.mark.parametrize(("name", "moved", "counts"), [("red 7", 0, False), ("blue 3", 0, True), ("red 7", 120, True)])
def test_oversized_box_is_no_second_card(name: str, moved: float, counts: bool) -> None:
    quad, logs = lying(300, 300, 10), np.full(57, -9, np.float32)
    logs[CARDS[0]] = 0
    reading = Reading(quad, logs, MaskedSoftmax(1.0, np.ones(57, bool)), 1.0)
    around = np.asarray(quad.mean(0) + (moved, 10) + 2.1 * (quad - quad.mean(0)), np.float32)
    sighting = Sighting(around, (Card.parse(name), Card.parse("wild")), (0.7, 0.3), True)
    found = merge_deck_matches([sighting], [(reading, PictureMatch(quad, logs, np.ones((12, 8), bool)))], 0.24)
    assert len(found) == 1 + counts


@pytest.mark.parametrize(("side", "counts"), [(1.0, True), (0.5, True), (0.3, False)])
def test_card_much_smaller_than_a_sure_one_is_dropped(side: float, counts: bool) -> None:
    quad, logs = lying(300, 300, 10), np.full(57, -9, np.float32)
    quad = np.asarray(quad.mean(0) + side * (quad - quad.mean(0)), np.float32)
    logs[CARDS[0]] = logs[CARDS[1]] = np.log(0.5)
    reading = Reading(quad, logs, MaskedSoftmax(1.0, np.ones(57, bool)), 1.0)
    card = Reading(lying(600, 300, 0), np.where(np.arange(57) == 7, 0, -9.0).astype(np.float32), reading.softmax, 1.0)
    found = merge_deck_matches([], [(reading, PictureMatch(quad, logs, np.ones((12, 8), bool)))], 0.24, [card])
    assert len(found) == counts


def _half_hidden(quad: Quad, **nats: float) -> tuple[Reading, PictureMatch]:
    """Return a found card whose left half seems visible, and its picture match with the given nats, -9 for the rest."""
    logs = np.full(57, -9, np.float32)
    for name, value in nats.items():
        logs[ALL_CARDS.index(Card.parse(name.replace("_", " ")))] = value
    shown = np.zeros((12, 8), bool)
    shown[:, :4] = True
    return Reading(quad, logs, MaskedSoftmax(1.0, np.ones(57, bool)), 1.0), PictureMatch(quad, logs, shown)


def _corner(quad: Quad, name: str, chance: float) -> Sighting:
    """Return a corner of a covered card with its approximate outline."""
    return Sighting(quad, (Card.parse(name), Card.parse("wild")), (chance, 1 - chance), False)


@pytest.mark.parametrize(("chance", "named"), [(0.7, ["green 4", "red 7"]), (0.3, ["red 7"])])
def test_corner_away_from_an_occluded_cards_own_is_another(chance: float, named: list[str]) -> None:
    """What two neighbours have in common seems to be a visible part of the lower one."""
    quad = lying(300, 300, 10)
    beside = np.asarray(quad + 0.3 * (quad[1] - quad[0]) + 0.1 * (quad[3] - quad[0]), np.float32)
    found = merge_deck_matches([_corner(beside, "green 4", chance)], [_half_hidden(quad, red_7=0.0)])
    assert sorted(sighting.card.name for sighting in found) == named


def test_corner_gives_the_face_and_picture_the_color() -> None:
    """A sign without colour takes one from its surroundings; the picture barely shows the sign."""
    quad = lying(300, 300, 10)
    pair = _half_hidden(quad, yellow_7=0.0, yellow_0=-0.2, yellow_3=-0.1, yellow_9=-0.1, yellow_8=-0.2)
    assert pair[0].confidence < 0.24
    assert merge_deck_matches([], [pair], 0.24) == []
    (found,) = merge_deck_matches([_corner(quad, "blue 0", 0.8)], [pair], 0.24)
    assert found.card.name == "yellow 0"
    assert found.confidence > 0.5


@pytest.mark.parametrize(
    ("name", "chance", "whole", "stands"),
    [
        ("yellow 9", 0.9, False, True),
        ("yellow 9", 0.9, True, True),
        # Less certain than the picture, or uncertain altogether.
        ("yellow 9", 0.6, True, False),
        ("yellow 9", 0.6, False, False),
    ],
)
def test_more_confident_of_detection_and_picture_names_the_card(
    name: str, chance: float, whole: bool, stands: bool
) -> None:
    quad = lying(300, 300, 0)
    reading, one = _half_hidden(quad, red_3=0.0, red_9=-1.0, yellow_3=-1.8)
    assert 0.6 < reading.confidence < 0.7
    detected = replace(_corner(quad, name, chance), whole=whole)
    result = merge_deck_matches([detected], [(reading, one)], 0.24)
    assert [sighting.card.name == name for sighting in result] == [stands]


def test_ambiguous_picture_keeps_the_detection() -> None:
    """A neighbour covers half of a card, and its picture has too little evidence to count."""
    quad = lying(300, 300, 0)
    over = np.asarray(quad + 0.5 * (quad[1] - quad[0]), np.float32)
    doubtful = _half_hidden(quad, **{f"red_{n}": 0.0 for n in range(10)})
    top = _half_hidden(over, blue_3=0.0)
    rough = np.asarray(quad + 0.19 * (quad[3] - quad[0]), np.float32)
    detected = Sighting(rough, (Card.parse("yellow 9"), Card.parse("red 9")), (0.9, 0.05), True)
    found = merge_deck_matches([detected], [doubtful, top], 0.24)
    assert sorted(sighting.card.name for sighting in found) == ["blue 3", "yellow 9"]


@pytest.mark.parametrize(
    ("name", "chance", "off", "named"),
    [
        ("yellow 9", 0.9, 0.5, ["blue 3", "yellow 9"]),
        # Uncertain corner, corner read as the card on top, corner with its own outline.
        ("yellow 9", 0.4, 0.5, ["blue 3"]),
        ("blue 3", 0.9, 0.5, ["blue 3"]),
        ("yellow 9", 0.9, 0.1, ["blue 3"]),
    ],
)
def test_half_covered_card_counts_if_its_corner_is_visible(
    name: str, chance: float, off: float, named: list[str]
) -> None:
    quad = lying(300, 300, 0)
    top = _half_hidden(np.asarray(quad + off * (quad[1] - quad[0]), np.float32), blue_3=0.0)
    detected = Sighting(quad, (Card.parse(name), Card.parse("wild")), (chance, 1 - chance), True)
    found = merge_deck_matches([detected], [top], 0.24)
    assert sorted(sighting.card.name for sighting in found) == named


@pytest.mark.parametrize(("name", "x", "counts"), [("red 7", 0.86, False), ("red 5", 0.86, True), ("red 7", 1.2, True)])
def test_other_end_of_a_matched_card_is_no_second_card(name: str, x: float, counts: bool) -> None:
    quad = lying(300, 300, 10)
    frame = corner_frames(quad)[1]
    moved = np.asarray((x - 0.845) * (quad[1] - quad[0]), np.float32)
    # Corners are reported with the outline of the card whose first index they are.
    corner = np.asarray(np.roll(quad, 2, axis=0) + moved, np.float32)
    assert np.abs(corner_frames(corner)[0].mean(0) - frame.mean(0) - moved).max() < 2
    found = merge_deck_matches([_corner(corner, name, 0.4)], [_half_hidden(quad, red_7=0.0)], 0.24)
    assert len(found) == 1 + counts


def test_mostly_hidden_match_is_no_second_card() -> None:
    quad, (reading, one) = lying(300, 300, 10), _half_hidden(lying(303, 302, 10), red_7=0.0)
    barely_shown = replace(one, visible=one.visible & (np.arange(12)[:, None] < 4))
    detected = Sighting(quad, (Card.parse("red 7"), Card.parse("red 1")), (0.9, 0.05), True)
    assert [sighting.card.name for sighting in merge_deck_matches([detected], [(reading, barely_shown)], 0.24)] == [
        "red 7"
    ]
