"""Naming one card of each, as of a deck that was sorted by colour before it was laid."""

from __future__ import annotations

import numpy as np

from companion.cards import ALL_CARDS, Card, Color, EditionName, Face, deck
from companion.decks.labels.naming import name_cards
from companion.editions import EDITIONS

WILD = Card.parse("wild")


def test_wild_between_two_colors_keeps_its_name() -> None:
    """One card of each is laid; the two wilds lie between green and red."""
    rng = np.random.default_rng(3)
    colors = {None: "green 99"}
    cards = sorted(deck(EditionName.CLASSIC), key=lambda card: colors.get(card.color, card.name))
    parts = {key: rng.normal(size=24) for card in ALL_CARDS for key in (card.face, card.color)}
    features = np.stack([parts[card.face] + parts[card.color] for card in cards])[:, None].repeat(2, axis=1)
    logs = np.full((len(cards), 1, len(ALL_CARDS) + 1), -9.0, np.float32)
    for row, card in zip(logs[:, 0], cards, strict=True):
        row[ALL_CARDS.index(card)] = -0.2
    # The reader is less sure of one wild: half as sure of a red card.
    row = logs[cards.index(WILD), 0]
    row[ALL_CARDS.index(WILD)], row[ALL_CARDS.index(Card.parse("red 7"))] = -0.5, -3.0
    naming = name_cards(features.astype(np.float32), logs, EDITIONS[EditionName.CLASSIC], by_color=True)
    names = dict(zip(cards, naming.cards, strict=True))
    assert names[WILD] == WILD
    assert names[Card.parse("wild draw four")] == Card.parse("wild draw four")


def test_faces_that_look_alike_keep_their_names_if_the_reader_tells_them_apart() -> None:
    """One card of each number is laid; in every colour the 3 and the 8 look more alike than most copies do."""
    cards = [card for card in sorted(deck(EditionName.CLASSIC), key=lambda card: card.name) if card.face.is_number]
    rng = np.random.default_rng(5)
    features = rng.normal(size=(len(cards), 2, 64)).astype(np.float32)
    for color in Color:
        three, eight = (cards.index(Card(face, color)) for face in (Face.THREE, Face.EIGHT))
        features[eight] = features[three] + 0.3 * features[eight]
    logs = np.full((len(cards), 2, len(ALL_CARDS) + 1), -9.0, np.float32)
    for row, card in zip(logs, cards, strict=True):
        row[:, ALL_CARDS.index(card)] = -0.2
    naming = name_cards(features, logs, EDITIONS[EditionName.CLASSIC])
    assert list(naming.cards) == cards
