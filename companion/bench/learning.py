"""A simulated match's deck, laid card by card on its table and learnt before the match is played."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import numpy as np

from companion.cards import Card
from companion.cards import deck as cards_of
from companion.dataset.simulated.script import Script, Writer
from companion.dataset.simulated.simulation import SimulatedFrame, SimulatedTable
from companion.decks.service.build import build_model
from companion.decks.service.deck_detector import reading_parts
from companion.decks.service.enrollment import Lesson
from companion.vision.recognition.card_detector import CardDetector, model_folder

# Frames a second that are drawn of it: only those in which a card lies open are looked at.
_RATE = 10.0
# People lay a deck to be learnt one on the other, a little untidily (mm; share that lies straight).
_SCATTER, _TIDY = 6.0, 0.9


def learnt_detector(table: SimulatedTable, detector: CardDetector, model: Path | None = None) -> CardDetector:
    """Return what reads with the deck of a simulated table, learnt from its cards laid in turn, each of them known.

    The same light falls on it as at the beginning of the match. detector: reads without it. model: folder of the
    networks, the shipped one where None.
    """
    edition = table.script.header.edition.base
    cards = sorted(Counter(cards_of(edition)).elements(), key=str)
    Random(table.seed).shuffle(cards)
    reader, boxes = reading_parts(model, threads=1)
    lesson = Lesson(reader, boxes, edition, cards, each=True)
    for frame in laid(table, cards):
        lesson.show(frame.image)
    deck = lesson.finish(f"simulated {table.seed}")
    return detector.with_deck(build_model(detector.reader, deck, model or model_folder()))


def laid(table: SimulatedTable, cards: Sequence[Card]) -> Iterator[SimulatedFrame]:
    """Yield a frame for each of the cards, laid in turn: the first in which no hand is to be seen any more."""
    film = table.showing(_laying(table, cards), _RATE)
    told = 0
    for frame in film.frames():
        if frame.cover is None and len(film.events) > told:
            told = len(film.events)
            yield frame


def _laying(table: SimulatedTable, cards: Sequence[Card]) -> Script:
    """Return the script of cards that one player lays on the pile in turn."""
    script = table.script
    rng = np.random.default_rng([table.seed, 12])
    writer = Writer(rng, len(script.header.players), _SCATTER, _TIDY, script.draw_pile)
    for card in cards:
        writer.lay(0, card)
        writer.wait(0.2, 0.4)
    writer.wait(0.5, 0.6)
    return Script(script.header, tuple(writer.steps), (), writer.now, script.chairs, script.draw_pile)
