"""Measures hands: fans, cascades and heaps of known cards, read from one picture and from three.

Hands are composed from style families held out of training, or from cards cut out of photographs.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from rich.progress import track

from companion.cards import ALL_CARDS, Card, EditionName, deck
from companion.dataset.artist.faces import CardArt
from companion.dataset.artist.families import StyleFamily
from companion.dataset.scenes.compose import SceneCard, SceneMaker
from companion.dataset.scenes.layouts import Layout
from companion.dataset.scenes.photos import card_art
from companion.vision.core.geometry import Image, cut, portrait
from companion.vision.recognition.card_detector import CardDetector
from companion.vision.recognition.hand_merging import read_hand

_LAYOUTS = (Layout.FAN, Layout.CASCADE, Layout.HEAP)
_SIZE = (960, 960)
_MIN_FACES = 8
# Minimum standard deviation in grey levels of a readable corner or face; overexposed and dark ones have less.
_CONTRAST = 5.0


@dataclass(frozen=True)
class HandFigures:
    """Shares over hands: cards read from one picture (recall and precision), hands exact from one and from three."""

    hands: int
    recall: float
    precision: float
    exact_from_one: float
    exact_from_three: float


Faces = Mapping[Card, Sequence[CardArt]]
"""Pictures of cards by what they show."""


def cut_out_cards(photos: Path) -> dict[str, Faces]:
    """Return the decks of a folder with labels.json by source, with their cards cut out by the labelled outlines.

    A deck lacks cards without a picture at least 60 px wide; decks of fewer than eight cards are left out. For
    measuring only.
    """
    decks: dict[str, dict[Card, list[CardArt]]] = {}
    for row in json.loads((photos / "labels.json").read_text()):
        if not row["boxes_complete"] or "lowres" in row["flags"]:
            continue
        image = cv2.imread(str(photos / "images" / row["file"]), cv2.IMREAD_COLOR)
        assert image is not None, f"{row['file']} is missing"
        for entry in row["boxes"]:
            if entry["card"] == "face down":
                continue
            quad = np.array(entry["quad"], np.float32)
            if cv2.contourArea(quad, oriented=True) < 0:
                quad = quad[::-1]
            side = float(np.hypot(*(quad[1] - quad[0])))
            if side < 60:
                continue
            face = cut(np.asarray(image, np.uint8), portrait(quad), 224, 352)
            faces = decks.setdefault(row["source"], {})
            faces.setdefault(Card.parse(entry["card"]), []).append(card_art(face))
    return {source: faces for source, faces in decks.items() if len(faces) >= _MIN_FACES}


@dataclass(frozen=True)
class HandDeck:
    """A scene maker and the cards that a hand may hold."""

    scenes: SceneMaker
    cards: Sequence[Card]


def measure_hands(detector: CardDetector, decks: Sequence[HandDeck], hands: int, seed: int) -> HandFigures:
    """Return the figures over hands of five to eight cards of one deck, each shown in three pictures.

    Every picture shows each card's index or most of its face; other pictures are discarded and drawn again.
    """
    rng = np.random.default_rng(seed)
    there = hit = claimed = exact_one = exact_three = 0
    for _ in track(range(hands), "hands"):
        source = decks[int(rng.integers(len(decks)))]
        hand = [source.cards[int(rng.integers(len(source.cards)))] for _ in range(int(rng.integers(5, 9)))]
        wanted = Counter(hand)
        pictures = [detector.detect(_readable_scene(source.scenes, hand, rng)) for _ in range(3)]
        for sightings in pictures:
            found = Counter(sighting.card for sighting in sightings)
            there += wanted.total()
            claimed += found.total()
            hit += (wanted & found).total()
        exact_one += Counter(s.card for s in pictures[0]) == wanted
        exact_three += Counter(held.card for held in read_hand(pictures, len(hand)).cards) == wanted
    return HandFigures(hands, hit / there, hit / max(claimed, 1), exact_one / hands, exact_three / hands)


def _readable_scene(scenes: SceneMaker, hand: Sequence[Card], rng: np.random.Generator) -> np.ndarray:
    for _ in range(50):
        order = [hand[int(i)] for i in rng.permutation(len(hand))]
        scene = scenes.make(_LAYOUTS[int(rng.integers(len(_LAYOUTS)))], order)
        if all(is_readable(card, scene.image) for card in scene.cards):
            return scene.image
    return scene.image


def is_readable(card: SceneCard, image: Image) -> bool:
    """Whether a corner of the card or most of its face is in view and properly exposed.

    image: (H, W, 3) BGR uint8, in whose pixels the outlines are given.
    """
    in_view = [index.quad for index in card.indices if index.visible >= 0.9]
    if card.visible >= 0.6:
        in_view.append(card.quad)
    return any(bool(cut(image, quad, 24, 24).std((0, 1)).max() >= _CONTRAST) for quad in in_view)


def drawn_decks(edition: EditionName, seed: int, families: Sequence[StyleFamily] | None = None) -> list[HandDeck]:
    """Return hands of an edition's cards in drawn decks, of all families by default."""
    return [HandDeck(SceneMaker(seed, _SIZE, families=families), [card for card in ALL_CARDS if card in deck(edition)])]


def photographed_decks(photos: Path, seed: int) -> list[HandDeck]:
    """Return hands of photographed cards, each of one deck only."""
    return [
        HandDeck(SceneMaker((seed, i), _SIZE, photos=faces, photo_share=1.0, deck_count=1), tuple(faces))
        for i, faces in enumerate(cut_out_cards(photos).values())
    ]
