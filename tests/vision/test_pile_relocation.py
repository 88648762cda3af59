"""The pile is located at the first card, not at a hand or at cards held at the border."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_card import bare_table, outline, with_card

from companion.cards import Card
from companion.vision.capture.frames import Frame
from companion.vision.core.geometry import Image, Quad
from companion.vision.core.sightings import Sighting
from companion.vision.imaging.masks import ArmMasks
from companion.vision.pile.motion_gate import View
from companion.vision.pile.pile_relocation import PileRelocator, is_held

CORNER = outline((110, 140))
MIDDLE = outline((330, 250), 8)
RATE = 10
"""Pictures per second."""


def sighting(card: str, quad: Quad, confidence: float = 0.99) -> Sighting:
    return Sighting(quad, (Card.parse(card),), (confidence,), True)


class Table:
    """A table with cards, each from a time on; it knows what a reader of its pictures would find."""

    def __init__(self, *cards: tuple[float, Sighting]) -> None:
        self._cards = cards
        self._time = 0.0
        self._pictures: dict[int, Image] = {}

    def picture(self, time: float) -> Image:
        there = self._there(time)
        if len(there) not in self._pictures:
            image = bare_table()
            for sighting in there:
                image = with_card(image, str(sighting.card), sighting.quad)
            self._pictures[len(there)] = image
        return self._pictures[len(there)]

    def view(self, time: float) -> View:
        self._time = time
        return View(Frame(self.picture(time), time, round(time * RATE)))

    def read(self, image: Image) -> list[Sighting]:
        return self._there(self._time)

    def _there(self, time: float) -> list[Sighting]:
        return [sighting for since, sighting in self._cards if time >= since]


def located(table: Table, relocator: PileRelocator, seconds: float = 5.0) -> tuple[Sighting, float] | None:
    """Return the first answer over some seconds without motion."""
    still = np.zeros_like(table.view(0.0).descriptor.structure, np.uint8)
    for n in range(1, round(seconds * RATE)):
        found = relocator.search(table.view(n / RATE), still)
        if found is not None:
            return found
    return None


def beginning(table: Table, pile: Quad | None) -> PileRelocator:
    first = table.view(0.0)
    return PileRelocator(table.read, first, table.read(first.frame.image), pile)


def test_the_first_card_laid_in_the_middle_locates_the_pile() -> None:
    table = Table((0.0, sighting("blue 3", CORNER)), (1.0, sighting("red 7", MIDDLE)))
    found = located(table, beginning(table, CORNER))
    assert found is not None
    assert found[0].card == Card.parse("red 7")
    assert 1.0 <= found[1] < 1.7


def test_cards_that_lay_there_before_locate_nothing() -> None:
    table = Table((0.0, sighting("blue 3", CORNER)), (0.0, sighting("red 7", MIDDLE)))
    assert located(table, beginning(table, CORNER)) is None


def test_a_card_farther_from_the_middle_than_the_pile_locates_nothing() -> None:
    table = Table((0.0, sighting("blue 3", MIDDLE)), (1.0, sighting("red 7", CORNER)))
    assert located(table, beginning(table, MIDDLE)) is None


def test_a_card_less_than_a_card_nearer_to_the_middle_locates_nothing() -> None:
    beside = outline((500, 330))
    table = Table((0.0, sighting("blue 3", CORNER)), (1.0, sighting("red 7", beside)))
    assert located(table, beginning(table, CORNER)) is None


@pytest.mark.parametrize("confidence", [0.3, 0.6])
def test_an_uncertain_card_locates_nothing(confidence: float) -> None:
    table = Table((0.0, sighting("blue 3", CORNER)), (1.0, sighting("red 7", MIDDLE, confidence)))
    assert located(table, beginning(table, CORNER)) is None


def test_a_corner_alone_locates_nothing() -> None:
    corner = Sighting(MIDDLE, (Card.parse("red 7"),), (0.99,), False)
    table = Table((0.0, sighting("blue 3", CORNER)), (1.0, corner))
    assert located(table, beginning(table, CORNER)) is None


def test_without_a_still_picture_the_card_nearest_to_the_middle_is_the_pile() -> None:
    table = Table((0.0, sighting("blue 3", CORNER)), (0.0, sighting("red 7", MIDDLE)))
    found = located(table, PileRelocator(table.read))
    assert found is not None
    assert found[0].card == Card.parse("red 7")


def test_nothing_is_decided_while_the_card_moves() -> None:
    table = Table((0.0, sighting("red 7", MIDDLE)))
    relocator = PileRelocator(table.read)
    moving = np.ones_like(table.view(0.0).descriptor.structure, np.uint8)
    assert [relocator.search(table.view(n / RATE), moving) for n in range(1, 40)] == [None] * 39


def test_only_small_cards_at_the_border_may_be_held() -> None:
    whole = View(Frame(bare_table(1280, 960), 0.0, 0))
    near = View(Frame(bare_table(320, 240), 0.0, 0))
    assert is_held(outline((640, 90)), whole, None)
    assert not is_held(outline((640, 480)), whole, None)
    assert not is_held(outline((160, 90)), near, None)


@pytest.mark.parametrize(("arm", "held"), [(None, False), (slice(0, 40), False), (slice(70, 90), True)])
def test_a_card_at_the_border_that_came_is_not_held_once_the_arm_has_left(arm: slice | None, held: bool) -> None:
    masks = [np.zeros((120, 160), np.uint8) for _ in range(2)]
    for mask in masks if arm is not None else ():
        mask[:20, arm] = 1
    bare = bare_table(1280, 960)
    for arms in (ArmMasks(hidden=masks[0]), ArmMasks(ignored=masks[1])):
        assert is_held(outline((640, 90)), View(Frame(bare, 1.0, 1), arms), View(Frame(bare, 0.0, 0))) is held
