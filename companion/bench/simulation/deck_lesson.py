"""Learns a simulated match's deck, laid card by card on its table, before the match."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import numpy as np

from companion.cards import Card
from companion.dataset.simulated.script import Script, Writer
from companion.dataset.simulated.simulation import SimulatedFrame, SimulatedTable
from companion.decks.model.edition_cards import learnt_cards
from companion.decks.service.build import build_model
from companion.decks.service.deck_detector import reading_parts
from companion.decks.service.enrollment import Lesson
from companion.vision.core.runtime import model_folder
from companion.vision.recognition.card_detector import CardDetector

# Rendered frames per second; only frames in which a card lies open are used.
_RATE = 10.0
# Scatter in mm and share of straight cards when people lay a deck to be learnt.
_SCATTER, _TIDY = 6.0, 0.9


def learnt_detector(table: SimulatedTable, detector: CardDetector, model: Path | None = None) -> CardDetector:
    """Return the detector with the simulated table's deck, learnt from its cards laid in a known order.

    The light is that at the beginning of the match. detector: reads without the deck. model: folder of the networks,
    the shipped one if None.
    """
    edition = table.script.header.edition
    cards = sorted(Counter(edition.deck).elements(), key=str)
    Random(table.seed).shuffle(cards)
    reader, boxes = reading_parts(model, threads=1)
    lesson = Lesson(reader, boxes, edition, cards, each=True)
    for frame in laid(table, cards):
        lesson.show(frame.image)
    deck = lesson.finish(f"simulated {table.seed}")
    if not edition.is_printed:
        detector = detector.with_deck_cards(learnt_cards(edition).deck_cards())
    return detector.with_deck(build_model(detector.reader, deck, model or model_folder()))


def laid(table: SimulatedTable, cards: Sequence[Card]) -> Iterator[SimulatedFrame]:
    """Yield one frame for each laid card: the first without a hand."""
    film = table.showing(_laying(table, cards), _RATE)
    seen_events = 0
    for frame in film.frames():
        if frame.cover is None and len(film.events) > seen_events:
            seen_events = len(film.events)
            yield frame


def _laying(table: SimulatedTable, cards: Sequence[Card]) -> Script:
    """Return the script in which one player lays the cards on the pile in turn."""
    script = table.script
    rng = np.random.default_rng([table.seed, 12])
    writer = Writer(rng, len(script.header.players), _SCATTER, _TIDY, script.draw_pile)
    for card in cards:
        writer.lay(0, card)
        writer.wait(0.2, 0.4)
    writer.wait(0.5, 0.6)
    return Script(script.header, tuple(writer.steps), (), writer.now, script.chairs, script.draw_pile)
