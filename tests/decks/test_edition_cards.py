"""The cards of themed editions: what readings mean, and the numbers by which a learnt deck names its pictures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.cards import ALL_CARDS, Card, Face
from companion.decks.model.card_views import PICTURE
from companion.decks.model.edition_cards import LearntCards, deck_cards
from companion.decks.storage.deck_file import DeckFileError, LearntDeck, pack, unpack
from companion.editions import Edition
from companion.editions.library import shipped
from companion.vision.core.sightings import Sighting

QUAD = np.array([[0, 0], [56, 0], [56, 87], [0, 87]], np.float32)
ZELDA, FROZEN, SPONGEBOB = (shipped()[name] for name in ("zelda", "frozen", "spongebob"))
WILD, TRIFORCE = Card(Face.WILD), ZELDA.card("wild triforce")


def seen(*pairs: tuple[str, float]) -> Sighting:
    """Return a sighting of printed cards."""
    return Sighting(QUAD, tuple(Card.parse(name) for name, _ in pairs), tuple(chance for _, chance in pairs), True)


def logs(**chances: float) -> np.ndarray:
    """Return (1, 57) log-likelihoods of these faces, other cards improbable."""
    row = np.full((1, 57), 1e-6)
    for name, chance in chances.items():
        row[0, ALL_CARDS.index(Card.parse(name.replace("_", " ")))] = chance
    return np.log(row).astype(np.float32)


def test_a_reading_that_may_be_two_cards_is_shared_between_them() -> None:
    meant = seen(("wild", 0.9), ("red 7", 0.06)).as_deck_cards(deck_cards(ZELDA).by_printed)
    assert meant.cards == (WILD, TRIFORCE, Card.parse("red 7"))
    assert meant.probabilities == pytest.approx((0.45, 0.45, 0.06))
    assert meant.doubt is TRIFORCE


def test_a_reading_becomes_the_colour_of_the_edition() -> None:
    meant = seen(("red 7", 0.98), ("blue 7", 0.01)).as_deck_cards(deck_cards(FROZEN).by_printed)
    assert [card.name for card in meant.cards] == ["pink 7", "blue 7"]
    assert meant.doubt is None


def test_a_printed_card_that_the_deck_lacks_is_not_considered() -> None:
    considered = deck_cards(ZELDA).considered
    assert not considered[ALL_CARDS.index(Card(Face.WILD_CREEPER))]
    assert considered[ALL_CARDS.index(WILD)]


def test_a_printed_edition_reads_as_printed() -> None:
    shown = seen(("wild", 0.9), ("red 7", 0.06))
    assert shown.as_deck_cards(deck_cards(shipped()["classic"]).by_printed) is shown


@pytest.mark.parametrize("edition", shipped().values(), ids=lambda edition: edition.id)
def test_every_card_has_a_number_of_its_kind(edition: Edition) -> None:
    learnt = LearntCards(edition)
    assert set(edition.deck) == {card for cards in learnt.cards.values() for card in cards}
    assert sum(learnt.held.values()) == edition.size
    for number, cards in learnt.cards.items():
        assert {card.color is None for card in cards} == {ALL_CARDS[number].color is None}
    assert all(learnt.card(learnt.number(card)) is card for card in edition.deck if card not in learnt.alike)


def test_one_special_face_gets_a_number_that_the_deck_does_not_use() -> None:
    learnt = LearntCards(ZELDA)
    assert learnt.alike == ()
    assert ALL_CARDS[learnt.number(TRIFORCE)].face in (Face.WILD_ITEM_BOX, Face.WILD_CREEPER)
    assert learnt.number(WILD) == ALL_CARDS.index(WILD)


def test_faces_beyond_the_free_numbers_are_asked_for() -> None:
    assert LearntCards(SPONGEBOB).alike


def test_the_networks_do_not_decide_between_faces_that_they_take_for_one() -> None:
    learnt = LearntCards(ZELDA)
    shared = learnt.deck_cards().shared(logs(wild=0.9, red_7=0.05))[0]
    assert shared[learnt.number(WILD)] == pytest.approx(shared[learnt.number(TRIFORCE)])
    assert shared[learnt.number(WILD)] == pytest.approx(np.log(0.45), abs=1e-3)
    assert shared[ALL_CARDS.index(Card.parse("red 7"))] == pytest.approx(np.log(0.05), abs=1e-3)


def test_a_learnt_number_is_reported_as_the_special_face() -> None:
    learnt = LearntCards(ZELDA)
    own = ALL_CARDS[learnt.number(TRIFORCE)].name
    assert seen((own, 0.97)).as_deck_cards(learnt.deck_cards().by_printed).card is TRIFORCE


def _deck(edition: Edition) -> LearntDeck:
    picture = np.full((PICTURE[1], PICTURE[0], 3), 128, np.uint8)
    return LearntDeck("Ours", edition, (TRIFORCE, WILD), (picture, picture))


def test_a_deck_file_holds_its_edition() -> None:
    again = unpack(pack(_deck(ZELDA)))
    assert again.edition == ZELDA
    assert again.cards == (TRIFORCE, WILD)


def test_a_deck_file_that_names_another_edition_is_refused() -> None:
    misnamed = replace(ZELDA, id="zelde")
    with pytest.raises(DeckFileError):
        unpack(pack(_deck(misnamed)))
