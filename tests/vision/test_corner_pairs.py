"""Cards that only their two corners identify, because nothing is read between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
import pytest

from companion.cards import ALL_CARDS, Card
from companion.vision.core.geometry import Image, Quad, corner_frames, unit_square
from companion.vision.core.limits import ReadingLimits
from companion.vision.core.reading import MaskedSoftmax, Reading
from companion.vision.core.runtime import model_folder
from companion.vision.core.sightings import Sighting
from companion.vision.detection.box_detector import Box, BoxKind
from companion.vision.detection.crops import CardPrediction
from companion.vision.recognition.assembly import Assembler
from companion.vision.recognition.reader import Reader

SCALE = MaskedSoftmax(1.0, np.ones(len(ALL_CARDS) + 1, np.bool_))
QUAD = np.asarray(unit_square() * (200, 310) + 100, np.float32)


def _logs(chance: float, none: float) -> np.ndarray:
    """A reading with this probability of a red 5, and of no card."""
    row = np.full(len(ALL_CARDS) + 1, np.log((1 - chance - none) / len(ALL_CARDS)), np.float32)
    row[ALL_CARDS.index(Card.parse("red 5"))] = np.log(chance)
    row[-1] = np.log(none)
    return row


class _Corners:
    """A reader that reads a red 5 in every corner, and no card between them."""

    searches_deck, card_softmax = False, SCALE

    def __init__(self, foreign: float, reads_printed: bool = True) -> None:
        self._foreign = foreign
        self.reads_printed = reads_printed

    def read_indices(self, image: Image, frames: Sequence[Quad], least: float = 0.0) -> list[Reading]:
        return [Reading(frame, _logs(0.98, 0.001), SCALE) for frame in frames]

    def read_cards(self, image: Image, quads: Sequence[Quad], *_: object) -> list[Reading]:
        return [Reading(quad, _logs(0.01, 0.95), SCALE) for quad in quads]

    def predict_cards(self, image: Image, quads: Sequence[Quad]) -> list[CardPrediction]:
        return [CardPrediction(quad, _logs(0.9, 0.01), 0.0, foreign=self._foreign) for quad in quads]


def _read(reader: _Corners) -> list[Sighting]:
    limits = ReadingLimits.load(model_folder() / "limits.json")
    indices = [Box(BoxKind.INDEX, frame, 0.9) for frame in corner_frames(QUAD)]
    boxes = [Box(BoxKind.CARD, QUAD, 0.9), *indices]
    found = Assembler(cast(Reader, reader), limits).assemble(np.full((520, 420, 3), 200, np.uint8), boxes)
    return [sighting for sighting in found if sighting.whole]


def test_two_corners_name_a_card_unless_another_makers_lies_between_them() -> None:
    (own,) = _read(_Corners(foreign=-8.0))
    assert own.card == Card.parse("red 5")
    assert own.confidence > 0.75
    assert max((one.confidence for one in _read(_Corners(foreign=6.0))), default=0.0) < 0.5


@pytest.mark.parametrize("foreign", [-8.0, 6.0])
def test_a_decks_own_design_is_not_compared_with_other_makers(foreign: float) -> None:
    (card,) = _read(_Corners(foreign, reads_printed=False))
    assert card.confidence > 0.9
