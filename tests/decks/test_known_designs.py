"""A learnt deck of a design that the networks know: never read worse than without it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion.cards import ALL_CARDS, Card, EditionName
from companion.dataset.artist.faces import render
from companion.dataset.artist.families import StyleFamily
from companion.dataset.artist.styles import sample_style
from companion.decks.deckfile import LearntDeck
from companion.decks.places import Fitted, card_places, index_places
from companion.decks.reading import reading_parts
from companion.decks.seeking import Seeker
from companion.decks.teaching import DeckLooks, looks, views_of
from companion.decks.unlaid import Apart
from companion.decks.views import PICTURE, index_frames, outline, usual_spot
from companion.vision.crops import Crops, IndexPass, Pass
from companion.vision.geometry import homography, intersection_over_union, unit_square
from companion.vision.labels import Floats
from companion.vision.reading import Reading

NAMES = ("red 7", "blue 3", "green skip", "yellow 0")
CARDS = [ALL_CARDS.index(Card.parse(name)) for name in NAMES]
NONE = len(ALL_CARDS)


@pytest.fixture(scope="module")
def deck() -> LearntDeck:
    style = sample_style(np.random.default_rng(5), StyleFamily.WHITE_OVAL, ())
    faces = [np.ascontiguousarray(render(Card.parse(name), style, 400).image[:, :, :3]) for name in NAMES]
    pictures = []
    for face in faces:
        size = np.array(face.shape[1::-1], np.float32)
        laid = cv2.warpPerspective(face, homography(unit_square() * size, outline()), PICTURE)
        pictures.append(np.asarray(laid, np.uint8))
    cards = tuple(Card.parse(name) for name in NAMES)
    return LearntDeck("Ours", EditionName.CLASSIC, cards, tuple(pictures), usual_spot())


@pytest.fixture(scope="module")
def known(deck: LearntDeck) -> DeckLooks:
    told = looks(views_of(reading_parts()[0], deck), CARDS)
    return replace(
        told,
        cards=replace(told.cards, sharpness=20.0, trust=0.5),
        indices=replace(told.indices, sharpness=20.0, trust=0.5),
        card_places=card_places(deck, CARDS, fitted=Fitted(40.0)),
        index_places=index_places(deck, CARDS, fitted=Fitted(15.0)),
    )


def _says(name: str, chance: float, rest: int = ALL_CARDS.index(Card.parse("wild"))) -> Floats:
    """Return (57,) log-likelihoods of a card, the rest being that of another number."""
    logs = np.full(NONE + 1, -30, np.float32)
    logs[[ALL_CARDS.index(Card.parse(name)), rest]] = np.log([chance, 1 - chance])
    return logs


@pytest.fixture(scope="module")
def index(deck: LearntDeck) -> Callable[..., Reading]:
    """Return what reads the index of the red 7 with a deck, as the looks at it say with and without that."""

    def read(known: DeckLooks, with_deck: Floats, alone: Floats, belonging: float = 1.0) -> Reading:
        upright = np.array([0, -20, -20, -20], np.float32)
        reader, frame = reading_parts()[0].knowing(known), index_frames(*usual_spot())[0]
        return reader._index_reading(deck.pictures[0], frame, IndexPass(with_deck, upright, belonging, alone))

    return read


@pytest.mark.parametrize(
    ("with_deck", "alone", "told"),
    [
        (("red 8", 0.6), ("red 9", 0.97), ("red 9", False)),
        # Where only a part of a deck was laid, a card that was is less sure with it than without. The networks know it
        # no better for being the deck's: they take heavy slanted 7s for 1s.
        (("red 8", 0.6), ("red 8", 0.97), ("red 8", False)),
        (("red 8", 0.97), ("red 9", 0.6), ("red 8", True)),
    ],
)
def test_an_index_that_the_networks_tell_more_surely_is_told_as_without_the_deck(
    known: DeckLooks,
    index: Callable[..., Reading],
    with_deck: tuple[str, float],
    alone: tuple[str, float],
    told: tuple[str, bool],
) -> None:
    read = index(known, _says(*with_deck), _says(*alone))
    assert (read.card.name, read.known) == told
    assert read.confidence == index(known, _says("red 8", 0.97), _says("red 8", 0.97)).confidence


@pytest.mark.parametrize(
    ("sought", "alone", "told"), [(False, 0.97, "red 9"), (False, 0.5, "red 8"), (True, 0.97, "red 8")]
)
def test_a_card_s_corner_is_told_as_the_surer_of_deck_and_networks_says(
    deck: LearntDeck, known: DeckLooks, monkeypatch: pytest.MonkeyPatch, sought: bool, alone: float, told: str
) -> None:
    """It is the deck's corner all the same, and counts on its card."""
    seen = IndexPass(_says("red 8", 0.6), np.zeros(4, np.float32), 1.0, _says("red 9", alone))
    monkeypatch.setattr(Crops, "indices", lambda *_: [[seen]])
    reader = reading_parts()[0].knowing(replace(known, seeker=Seeker.of(deck, CARDS, 0.0) if sought else None))
    (corner,) = reader._corners(deck.pictures[0], [index_frames(*usual_spot())[0]])
    assert (corner.card.name, corner.known) == (told, True)


def test_what_the_deck_tells_for_no_index_stays_none(known: DeckLooks, index: Callable[..., Reading]) -> None:
    assert index(known, _says("red 8", 0.1, NONE), _says("red 8", 0.97)).nothing > 0.5


@pytest.mark.parametrize(
    ("alone", "sought", "still_open"), [(0.6, False, True), (0.97, False, False), (0.97, True, True)]
)
def test_an_index_that_the_networks_tell_at_a_glance_is_looked_at_no_more(
    deck: LearntDeck, known: DeckLooks, alone: float, sought: bool, still_open: bool
) -> None:
    reader = reading_parts()[0].knowing(replace(known, seeker=Seeker.of(deck, CARDS, 0.0) if sought else None))
    look = IndexPass(_says("red 8", 0.6), np.zeros(4, np.float32), 1.0, _says("red 8", alone))
    assert reader._is_open([look], 0.0) is still_open


@pytest.mark.parametrize("sought", [False, True])
def test_a_small_picture_that_fits_tells_an_index_only_of_a_design_that_is_not_known(
    deck: LearntDeck, known: DeckLooks, index: Callable[..., Reading], sought: bool
) -> None:
    """Many a letter of a card's print fits a number."""
    doubtful = _says("yellow 0", 0.5)
    read = index(replace(known, seeker=Seeker.of(deck, CARDS, 0.0) if sought else None), doubtful, doubtful, 0.0)
    assert (read.card.name == "red 7" and read.known) is sought


@pytest.mark.parametrize(("sharpness", "alone", "placed"), [(20.0, 0.6, True), (0.0, 0.6, False), (20.0, 0.99, False)])
def test_a_card_that_the_networks_tell_as_well_alone_is_not_laid_into_its_place(
    deck: LearntDeck, known: DeckLooks, sharpness: float, alone: float, placed: bool
) -> None:
    known = replace(known, cards=replace(known.cards, sharpness=sharpness))
    assert _is_placed(deck, known, NAMES[0], alone, 0.5) is placed


@pytest.mark.parametrize(
    ("part", "name", "belonging", "placed"),
    [
        (True, "red 1", 0.0, False),
        (True, "red 1", 0.2, True),
        (True, NAMES[0], 0.0, True),
        (False, "red 1", 0.0, True),
    ],
)
def test_no_picture_is_laid_on_what_looks_like_a_face_that_was_not_laid(
    deck: LearntDeck, known: DeckLooks, part: bool, name: str, belonging: float, placed: bool
) -> None:
    known = replace(known, cards=replace(known.cards, apart=Apart(10.0, 1.0, -5.0) if part else None))
    assert _is_placed(deck, known, name, 0.6, belonging) is placed


def _is_placed(deck: LearntDeck, known: DeckLooks, name: str, alone: float, belonging: float) -> bool:
    """Return whether a picture is laid on a card, outlined roughly, that the networks tell so surely alone."""
    rough = np.asarray(outline() + np.array([9, -7]), np.float32)
    seen = Pass(rough, _says(name, 0.6), belonging, _says(name, alone))
    told = reading_parts()[0].knowing(known)._placed(deck.pictures[0], seen, known)
    return intersection_over_union(told.outline, outline()) > 0.97
