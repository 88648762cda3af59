"""Picture -> sightings: every face-up card once, whether it lies open or shows only a corner.

YOLO boxes whole cards and corner indices; whole cards are read in a refined outline and claim their own indices; each
index left over is one fanned or half-hidden card, two of them at opposite corners being the same one.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from companion.cards import ALL_CARDS, EditionName, deck
from companion.vision.boxes import Box, BoxFinder, BoxKind
from companion.vision.calibration import Calibration
from companion.vision.corners import (
    apart,
    at_spots,
    in_free_corners,
    index_share,
    inside,
    is_in_company,
    is_size_of_others,
    lies_across,
    middles,
    near_spots,
    one_per_card,
    opposite_pairs,
    outline_from_pair,
    strangers,
    surplus,
)
from companion.vision.geometry import Image, Quad, corner_frames, index_frame, intersection_over_smaller
from companion.vision.labels import Floats
from companion.vision.reader import CardReading, IndexReading, Reader, with_indices
from companion.vision.runtime import Network
from companion.vision.sightings import Sighting

MODEL_FOLDER = Path(__file__).resolve().parent.parent / "models"
_CHECKOUT_MODELS = Path(__file__).resolve().parents[2] / "models"


# A box with less than this score is none, but for indices in a picture of several cards: where a fan hides all else of
# a card, one with this score is worth reading, and counts if it is read with this probability, as no wild.
_BOX_LIMIT = 0.35
_FAINT_BOX, _FAINT_LIMIT, _SEVERAL = 0.1, 0.7, 3
# A box must be at least this likely to be a card at all; chosen on the generated validation scenes.
_NO_CARD_LIMIT = 0.5
_INDEX_NO_CARD_LIMIT = 0.35
# An outline of less than this share of a surer one's area is no card beside it, however near the camera is.
_FAR_SMALLER = 0.2
# An index read with more than this probability is believed against what was read of a whole card.
_SURE_INDEX, _SURE_COLOR = 0.8, 0.95
# Readings less likely than these are more often wrong than worth a question.
_WHOLE_LIMIT = 0.35
_INDEX_LIMIT = 0.4
# But where a whole card surely is, by the box' score and the reader's probability of none, it is listed as unsure.
_SURELY_BOXED, _SURELY_NOT_NONE, _ILL_READ_LIMIT = 0.8, 0.05, 0.15
# Of two like indices at one corner of a card, one is another card's if it is read with this probability.
_CLEARLY_ANOTHER = 0.7
# An index right beside other cards: one more of a fan. Without colour it may still be any dark print.
_NEIGHBOUR_LIMIT, _DARK_NEIGHBOUR_LIMIT = 0.28, 0.7
# An index read with this probability is company for another one.
_COMPANY_LIMIT = 0.6
# From so many prints in the free corners of cards on, the deck has a picture there.
_ITEMS = 3
# Where the card reader hardly doubts that there is a card, an index is likelier hard to read than mere print.
_SURELY_CARD, _MISREAD_LIMIT = 0.05, 0.24
# An index whose card's place shows no card at all to the card reader with more than this probability is other print.
# Beside other cards it may be covered by them.
_BARE_LIMIT, _NEIGHBOUR_BARE_LIMIT = 0.5, 0.96
# An index read with this probability is a card's, whatever else is about it.
_CLEAR_INDEX = 0.82
# Two whole cards sharing more of the smaller one than this are the same card boxed twice.
_SAME_CARD = 0.65
# An outline of less than this share of the area of one that it lies in is a part of it.
_PART = 0.6
# What an index found at a spot where the outline expects one adds to a candidate's score, and the score with which a
# candidate from two indices starts.
_SUPPORT_WEIGHT = 0.3
_PAIR_SCORE = 0.5
# At which scale cards are searched for that fill a third of the picture: 130 px long, as most are in training. Over 120
# piles it found more than 640 and 320 px together.
_CLOSE_SCALES = (416,)
# At which scale a picture in which nothing, or on a pile no whole card, was found is searched turned by a quarter.
_LAST_SCALES = (416,)
# Two indices whose readings agree with at least this probability can be of one card.
_ALIKE = 0.1


def model_folder() -> Path:
    """Return the folder of the shipped networks, beside the package in a checkout, inside it in an installation."""
    return MODEL_FOLDER if MODEL_FOLDER.is_dir() else _CHECKOUT_MODELS


class CardDetector:
    """Finds and reads cards. One instance may be used from several threads.

    edition: only its cards are considered, all where None. folder: detector.onnx, card-reader.onnx, index-reader.onnx
    and calibration.json. scales: longer sides in pixels at which the picture is searched. Raises ModelFileError where a
    file is missing or damaged.
    """

    def __init__(
        self,
        edition: EditionName | None = None,
        folder: Path | None = None,
        scales: tuple[int, ...] = (640, 320),
        threads: int = 0,
    ) -> None:
        folder = folder or model_folder()
        self._boxes = BoxFinder(Network(folder / "detector.onnx", threads), scales, _BOX_LIMIT)
        self._reader = Reader(
            Network(folder / "card-reader.onnx", threads), Network(folder / "index-reader.onnx", threads)
        )
        self._calibration = Calibration.load(folder / "calibration.json")
        allowed = set(ALL_CARDS if edition is None else deck(edition))
        self._allowed = np.array([card in allowed for card in ALL_CARDS] + [True])

    def detect(self, image: Image) -> list[Sighting]:
        """Return the face-up cards in a (H, W, 3) BGR uint8 picture, whole ones first, each from the left.

        Where none is found, it is searched once more, turned by a quarter.
        """
        found = self._read(image, self._boxes.find(image, least=_FAINT_BOX))
        return found or self._read(image, self._boxes.find(image, _LAST_SCALES, turned=True, least=_FAINT_BOX))

    def closely(self, image: Image) -> list[Sighting]:
        """Return the same for a picture of a pile whose cards are about a third as long as it, in half the time."""
        return self._on_pile(self._read(image, self._boxes.find(image, _CLOSE_SCALES, pile=True)))

    def thoroughly(self, image: Image) -> list[Sighting]:
        """Return the same for a picture of a pile with cards of any size.

        Where no whole card is found, it is searched once more, turned by a quarter.
        """
        found = self._read(image, self._boxes.find(image, pile=True))
        if not any(sighting.whole for sighting in found):
            turned = self._read(image, self._boxes.find(image, _LAST_SCALES, turned=True, pile=True))
            found = turned if any(sighting.whole for sighting in turned) else found
        return self._on_pile(found)

    def _on_pile(self, sightings: Sequence[Sighting]) -> list[Sighting]:
        return [s.tempered(self._calibration.pile) if s.whole else s for s in sightings]

    def _read(self, image: Image, boxes: Sequence[Box]) -> list[Sighting]:
        surely = [box for box in boxes if box.score >= _BOX_LIMIT]
        read = self._read_indices(image, surely)
        indices = [index for index in apart(read) if self._is_index(index)]
        candidates = [(box.quad, box.score) for box in surely if box.kind is BoxKind.CARD]
        whole = self._whole_cards(image, candidates, indices)
        loose = self._unclaimed(indices, whole)
        # Where the box of a card was missed or far off, its two indices say where it lies.
        pairs = [(outline_from_pair(a, b), _PAIR_SCORE) for a, b in opposite_pairs(loose) if self._read_alike(a, b)]
        if pairs:
            whole = _without_parts([*whole, *self._whole_cards(image, pairs, indices)], indices)
            loose = self._unclaimed(indices, whole)
        if len(whole) + len(loose) >= _SEVERAL:
            faint = self._read_indices(image, [box for box in boxes if box.score < _BOX_LIMIT])
            more = apart([*indices, *(index for index in faint if self._is_worth_a_card(index))])[len(indices) :]
            loose += self._unclaimed(more, whole)
            read += faint
        sightings = _of_one_size([self._sighting(reading.quad, reading.logs, whole=True) for reading in whole])
        open_cards = [sighting.quad for sighting in sightings]
        share = index_share(open_cards, [index.quad for index in indices])
        behind = self._cards_behind(image, one_per_card(loose, share), open_cards)
        sightings += self._without_items(behind, sightings, read)
        return sorted(sightings, key=lambda sighting: (not sighting.whole, float(sighting.quad[:, 0].mean())))

    def _read_indices(self, image: Image, boxes: Sequence[Box]) -> list[IndexReading]:
        return self._reader.read_indices(image, [index_frame(box.quad) for box in boxes if box.kind is BoxKind.INDEX])

    def _is_index(self, index: IndexReading) -> bool:
        return bool(self._probabilities(index.logs, False)[-1] < _INDEX_NO_CARD_LIMIT)

    def _is_worth_a_card(self, index: IndexReading) -> bool:
        probabilities = self._probabilities(index.logs, False)[:-1]
        return bool(probabilities.max() >= _FAINT_LIMIT and ALL_CARDS[int(probabilities.argmax())].color is not None)

    def _whole_cards(
        self, image: Image, candidates: Sequence[tuple[Quad, float]], indices: Sequence[IndexReading]
    ) -> list[CardReading]:
        """Return the readings of those candidates (outline, score) that are cards, best first, none twice."""
        readings = self._reader.read_cards(image, [quad for quad, _ in candidates])
        frames = [index.quad for index in indices]
        scored = []
        for (_, score), reading in zip(candidates, readings, strict=True):
            spots = at_spots(reading.quad, frames)
            own = [indices[i] for i in spots if not self._denies(indices[i], reading)]
            denied = bool(spots) and not own
            # A box about several fanned cards has indices in it, but not where one card has them.
            near = [indices[i] for i in near_spots(reading.quad, frames) if self._agrees(indices[i], reading)]
            spans_several = not spots and strangers(reading.quad, frames) >= 2 and len(near) < 2
            whole = with_indices(reading, own)
            probabilities = self._probabilities(whole.logs, True)
            surely = score >= _SURELY_BOXED and probabilities[-1] <= _SURELY_NOT_NONE
            least = _ILL_READ_LIMIT if surely else _WHOLE_LIMIT
            is_card = probabilities[-1] <= _NO_CARD_LIMIT and probabilities[:-1].max() >= least
            if is_card and _is_card_shaped(whole.quad) and not (denied or spans_several):
                support = _SUPPORT_WEIGHT * len(own)
                scored.append((score * (0.3 + float(probabilities[:-1].max())) + support, whole))
        scored.sort(key=lambda pair: -pair[0])
        return _without_parts([reading for _, reading in scored], indices)

    def _denies(self, index: IndexReading, card: CardReading) -> bool:
        """Whether an index surely is another card's than the one that was read: indices are seldom misread."""
        of_index, of_card = self._probabilities(index.logs, False)[:-1], self._probabilities(card.logs, True)[:-1]
        theirs, its = ALL_CARDS[int(of_index.argmax())], ALL_CARDS[int(of_card.argmax())]
        if theirs.face is its.face:
            # Odd light falls on a card's corner sooner than a like card of another colour lies just there.
            return bool(theirs != its and of_index.max() > _SURE_COLOR)
        return bool(of_index.max() > min(_SURE_INDEX, max(_INDEX_LIMIT, float(of_card.max()))))

    def _read_alike(self, a: IndexReading, b: IndexReading) -> bool:
        """Whether two indices may well be of the same card."""
        return bool(self._probabilities(a.logs, False) @ self._probabilities(b.logs, False) > _ALIKE)

    def _agrees(self, index: IndexReading, card: CardReading) -> bool:
        best = int(self._probabilities(card.logs, True)[:-1].argmax())
        return int(self._probabilities(index.logs, False)[:-1].argmax()) == best

    def _is_clear(self, index: IndexReading) -> bool:
        return bool(self._probabilities(index.logs, False)[:-1].max() >= _CLEARLY_ANOTHER)

    def _unclaimed(self, indices: Sequence[IndexReading], whole: Sequence[CardReading]) -> list[IndexReading]:
        """Return the indices that are none of the whole cards' own."""
        frames = [index.quad for index in indices]
        own: set[int] = set()
        for card in whole:
            spots, near = at_spots(card.quad, frames), near_spots(card.quad, frames)
            within, middle = inside(card.quad, frames), middles(card.quad, frames)
            seeming = spots | near | within | middle
            agreeing = {i for i in seeming if self._agrees(indices[i], card)}
            possible = {i for i in seeming if not self._denies(indices[i], card)}
            symbol = middle & possible
            # What else is found on a card with both its corners in view is its print, not another card.
            printed = within & (agreeing | possible if len(spots) == 2 else agreeing)
            corners = (spots & possible) | (near & agreeing) | printed
            others = surplus(card.quad, frames, corners - symbol, agreeing)
            own |= symbol | (corners - {i for i in others if self._is_clear(indices[i])})
        return [index for i, index in enumerate(indices) if i not in own]

    def _cards_behind(self, image: Image, cards: Sequence[IndexReading], whole: Sequence[Quad]) -> list[Sighting]:
        """Return the fanned and half-hidden cards among those that loose indices tell of; the others are mere print.

        Unless the index is clear, such a card is of the size of the others in the picture, and the card reader sees
        cards where it must lie.
        """
        sightings = [self._sighting(card.quad, card.logs, whole=False) for card in cards]
        bare = self._reader.no_card_probabilities(image, [card.quad for card in cards])
        company = [sighting for sighting in sightings if _is_colored(sighting, _COMPANY_LIMIT)]
        return [
            sighting
            for sighting, nothing in zip(sightings, bare, strict=True)
            if _is_colored(sighting, _CLEAR_INDEX)
            or (
                _is_likely_neighbour(sighting, nothing)
                and nothing < _NEIGHBOUR_BARE_LIMIT
                and is_in_company(sighting.quad, [*whole, *_others(sighting, company)])
            )
            or (
                sighting.confidence >= _INDEX_LIMIT
                and nothing < _BARE_LIMIT
                and is_size_of_others(sighting.quad, whole)
            )
        ]

    def _without_items(
        self, behind: Sequence[Sighting], whole: Sequence[Sighting], read: Sequence[IndexReading]
    ) -> list[Sighting]:
        """Return the cards behind others without what is the print in another card's free corner.

        UNO Mario Kart has an item's picture there, and in a fan all of them are in view: what is doubtfully read in
        such a corner, in that card's colour, is no card. `read` are all the indices that were read in the picture.
        """
        listed = [*whole, *behind]
        clear = [sighting.quad for sighting in listed if sighting.confidence >= _CLEARLY_ANOTHER]
        doubtful = [index.quad for index in read if not self._is_clear(index)]
        if len(set[int]().union(*(in_free_corners(quad, doubtful) for quad in clear))) < _ITEMS:
            return list(behind)
        return [s for s in behind if s.confidence >= _CLEARLY_ANOTHER or not _is_print_of_another(s, listed)]

    def _probabilities(self, logs: Floats, whole: bool) -> Floats:
        scaled = np.where(self._allowed, logs, -np.inf) / self._calibration.temperature(whole)
        odds = np.exp(scaled - scaled.max())
        return np.asarray(odds / odds.sum(), np.float32)

    def _sighting(self, quad: Quad, logs: Floats, whole: bool) -> Sighting:
        probabilities = self._probabilities(logs, whole)[:-1]
        order = [int(i) for i in np.argsort(-probabilities) if self._allowed[i]]
        return Sighting(
            quad,
            tuple(ALL_CARDS[i] for i in order),
            tuple(float(probabilities[i]) for i in order),
            whole,
        )


def _without_parts(readings: Sequence[CardReading], indices: Sequence[IndexReading]) -> list[CardReading]:
    """Return the readings, best first, without second boxes of a card and without boxes of a card's part.

    Cards are all of one size, so an outline much smaller than another that it lies in is a piece of that card's print.
    """
    kept: list[CardReading] = []
    for reading in readings:
        area = abs(cv2.contourArea(reading.quad))
        rivals = [
            other
            for other in kept
            if intersection_over_smaller(reading.quad, other.quad) > _SAME_CARD
            and not lies_across(reading, other, indices)
        ]
        if not rivals:
            kept.append(reading)
        elif all(abs(cv2.contourArea(other.quad)) < _PART * area for other in rivals):
            kept = [other for other in kept if all(other is not rival for rival in rivals)] + [reading]
    return kept


def _of_one_size(sightings: Sequence[Sighting]) -> list[Sighting]:
    """Return the sightings without those far smaller than a surer one: cards in a picture are of about one size."""
    areas = [abs(cv2.contourArea(sighting.quad)) for sighting in sightings]
    return [
        sighting
        for sighting, area in zip(sightings, areas, strict=True)
        if not any(
            area < _FAR_SMALLER * other_area and sighting.confidence < other.confidence
            for other, other_area in zip(sightings, areas, strict=True)
        )
    ]


def _others(sighting: Sighting, company: Sequence[Sighting]) -> list[Quad]:
    """Return the outlines of those that read otherwise: what reads alike may be the same card's other corner."""
    return [other.quad for other in company if other.card != sighting.card]


def _is_print_of_another(sighting: Sighting, cards: Sequence[Sighting]) -> bool:
    """Whether an index stands in the free corner of a surer card of its colour."""
    index = corner_frames(sighting.quad)[0]
    return any(
        card.card.color is sighting.card.color
        and card.confidence > sighting.confidence
        and in_free_corners(card.quad, [index])
        for card in cards
    )


def _is_colored(sighting: Sighting, least: float) -> bool:
    """Whether an index is read at least so surely, and not as a wild's: coloured ground is seldom anything else."""
    return sighting.confidence >= least and sighting.card.color is not None


def _is_likely_neighbour(sighting: Sighting, nothing: float) -> bool:
    if sighting.card.color is None:
        return sighting.confidence >= _DARK_NEIGHBOUR_LIMIT
    return sighting.confidence >= (_MISREAD_LIMIT if nothing < _SURELY_CARD else _NEIGHBOUR_LIMIT)


def _is_card_shaped(quad: Quad) -> bool:
    """Whether an outline is convex and not a sliver: what a card can look like short of seeing its edge."""
    if not cv2.isContourConvex(quad.reshape(-1, 1, 2)):
        return False
    width = np.hypot(*(quad[1] - quad[0])) + np.hypot(*(quad[2] - quad[3]))
    height = np.hypot(*(quad[3] - quad[0])) + np.hypot(*(quad[2] - quad[1]))
    return bool(0.2 < width / max(height, 1e-6) < 1.6)
