"""Pictures of cards of another design are read as if no deck had been learnt."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import MagicMock

import numpy as np
import pytest

from companion.cards import ALL_CARDS, Card, EditionName
from companion.dataset.artist.styles import sample_style
from companion.dataset.gallery.decks import Sources, edge_deck
from companion.dataset.scenes.sittings import Sitting, drawn_faces
from companion.decks.model.card_views import outline, picture_views, stored_picture
from companion.decks.model.thumbnails import correlations, thumbnail
from companion.decks.service.build import DeckModel, build_model, fit_model
from companion.decks.service.deck_detector import reading_parts
from companion.decks.service.enrollment import Lesson
from companion.editions import EDITIONS
from companion.vision.core.geometry import Image, unit_square
from companion.vision.core.runtime import model_folder
from companion.vision.core.sightings import Sighting
from companion.vision.recognition.card_detector import CardDetector

from .laid import cut_faces

CARDS = [Card.parse(name) for name in ("red 7", "blue 3", "green 1", "yellow skip")]


@pytest.fixture(scope="module")
def faces() -> dict[Card, Image]:
    style = sample_style(np.random.default_rng(3))
    return drawn_faces(style, dict.fromkeys(CARDS, 1))


def _kept(face: Image) -> Image:
    height, width = face.shape[:2]
    return stored_picture(np.ascontiguousarray(face[:, :, :3]), np.asarray(unit_square() * (width, height), np.float32))


def _summary(sightings: list[Sighting]) -> list[tuple[Card, bool, float]]:
    return [(one.card, one.whole, round(one.confidence, 4)) for one in sightings]


def test_deck_that_is_not_on_the_table_changes_nothing(faces: dict[Card, Image]) -> None:
    detector = CardDetector.shipped(EditionName.CLASSIC)
    pictures = [_kept(faces[card]) for card in CARDS]
    views = [picture_views(detector.reader, picture, None) for picture in pictures]
    # Every card carries the next one's label, so any reading with the deck is wrong.
    wrong = [ALL_CARDS.index(card) for card in (*CARDS[1:], CARDS[0])]
    result = replace(fit_model(views, wrong), search=MagicMock(search=MagicMock(return_value=[])))
    others = replace(result.cards, decision=replace(result.cards.decision, offset=-99.0))
    image = Sitting({CARDS[0]: faces[CARDS[0]]}, (5, 1)).single().image
    plain, own, other = detector, detector.with_deck(result), detector.with_deck(replace(result, cards=others))
    for look in (CardDetector.detect, CardDetector.detect_pile, CardDetector.detect_closeup):
        assert _summary(look(other, image)) == _summary(look(plain, image)) != _summary(look(own, image))


@pytest.fixture(scope="module")
def pictured() -> dict[Card, Image]:
    """Ten faces with pictures from edge to edge, which no network knows."""
    faces = cut_faces(edge_deck(Sources(), 300, np.random.default_rng(2)))
    return {card: faces[card] for card in ALL_CARDS[:10]}


@pytest.fixture(scope="module")
def learnt(pictured: dict[Card, Image]) -> DeckModel:
    reader, boxes = reading_parts()
    lesson = Lesson(reader, boxes, EDITIONS[EditionName.CLASSIC], tuple(pictured), each=True)
    for picture in Sitting(pictured, (5, 2)).flip(tuple(pictured)):
        lesson.show(picture.image)
    return build_model(reader, lesson.finish("pictures"), model_folder())


def test_printed_cards_are_read_while_a_deck_of_pictures_is_learnt(faces: dict[Card, Image], learnt: DeckModel) -> None:
    plain = CardDetector.shipped(EditionName.CLASSIC)
    detector = plain.with_deck(learnt)
    assert detector.reader.searches_deck
    for seed in range(2):
        image = Sitting(faces, (seed, 1)).scattered().image
        for look in (CardDetector.detect, CardDetector.detect_pile):
            assert _summary(look(detector, image)) == _summary(look(plain, image)) != []


def test_cards_no_network_knows_are_the_decks_though_they_look_unlike_its_pictures(
    pictured: dict[Card, Image], learnt: DeckModel
) -> None:
    """As in a fan, where most of a card's outline shows its neighbours."""
    cards = replace(learnt.cards, decision=replace(learnt.cards.decision, offset=-99.0))
    detector = CardDetector.shipped(EditionName.CLASSIC).with_deck(replace(learnt, cards=cards))
    shown = Sitting({card: pictured[card] for card in ALL_CARDS[:1]}, (5, 3)).single()
    assert [one.card for one in detector.detect(shown.image)] == list(shown.cards)


def test_thumbnails_are_invariant_to_light_and_rotation(faces: dict[Card, Image]) -> None:
    kept = [_kept(faces[card]) for card in CARDS]
    known = np.stack([thumbnail(picture, outline()) for picture in kept])
    dim = np.asarray(kept[1][::-1, ::-1] * 0.5 + 10, np.uint8)
    upright, turned = correlations(thumbnail(dim, outline())[None], known)
    assert int(turned[0].argmax()) == 1
    assert turned[0, 1] > 0.95 > upright[0, 1]


def test_card_of_the_deck_is_recognised_in_other_light_upside_down_and_mirrored(faces: dict[Card, Image]) -> None:
    kept = [_kept(faces[card]) for card in CARDS]
    reader = CardDetector.shipped().reader
    views = [picture_views(reader, picture, None) for picture in kept]
    reader = reader.with_deck(fit_model(views, [ALL_CARDS.index(card) for card in CARDS]))
    dim = np.asarray(kept[1][::-1, ::-1] * 0.5 + 10, np.uint8)
    blot = np.asarray(np.random.default_rng(1).integers(0, 255, kept[0].shape), np.uint8)
    assert not reader.are_of_another_deck(dim, [outline()])
    assert not reader.are_of_another_deck(np.ascontiguousarray(dim[:, ::-1]), [outline()]), "as a front camera shows it"
    assert not reader.are_of_another_deck(dim, [])
    assert reader.are_of_another_deck(blot, [outline()])
