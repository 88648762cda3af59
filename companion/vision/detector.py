"""Picture -> sightings: every face-up card once, whether it lies open or shows only a corner.

YOLO boxes whole cards and corner indices; whole cards are read in a refined outline and claim their own indices; each
index left over is one fanned or half-hidden card, two of them at opposite corners being the same one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from companion.cards import EditionName
from companion.cards import deck as cards_of
from companion.vision.boxes import Box, BoxFinder, BoxKind
from companion.vision.calibration import Calibration
from companion.vision.corners import (
    CardIndices,
    apart,
    index_share,
    is_in_company,
    is_size_of_others,
    lies_across,
    one_per_card,
    opposite_pairs,
    outline_from_pair,
)
from companion.vision.geometry import (
    Image,
    Quad,
    clipped,
    corner_frames,
    index_frame,
    intersection_over_smaller,
    portrait,
)
from companion.vision.learnt import Deck
from companion.vision.limits import ReadingLimits
from companion.vision.mirror import back, flipped, is_doubtful, is_mirrored, is_surer
from companion.vision.proposals import proposals
from companion.vision.reader import Reader, Reading, as_corners_say, with_indices
from companion.vision.restoration import lightened, restored
from companion.vision.runtime import Network
from companion.vision.sightings import Sighting

MODEL_FOLDER = Path(__file__).resolve().parent.parent / "models"
_CHECKOUT_MODELS = Path(__file__).resolve().parents[2] / "models"

# So many cards make a picture of several.
_SEVERAL = 3
# An outline of less than this share of a surer one's area is no card beside it, however near the camera is.
_FAR_SMALLER = 0.2
# From so many prints in the free corners of cards on, the deck has a picture there.
_ITEMS = 3
# Two whole cards sharing more of the smaller one than this are the same card boxed twice.
_SAME_CARD = 0.65
# An outline of less than this share of the area of one that it lies in is a part of it.
_PART = 0.6
# Where a coloured index is read with less, it is looked whether a card lies there at all: of 70 such places in 24 drawn
# hands the eight that seemed bare were read with at most 0.4.
_LOOKED_FOR = 0.6
# From which score on a box is a card's though nothing but its two corners was read, and how far apart these lie at
# least, over the box' diagonal: those of one card do by 0.75 of it, those of two in a fan by much less.
_BOXED, _ENDS_APART = 0.5, 0.5
# What an index found at a spot where the outline expects one adds to a candidate's score, and the score with which a
# candidate from two indices starts.
_SUPPORT_WEIGHT = 0.3
_PAIR_SCORE = 0.5
# Score from which a box may be a card face down, which the network was not trained to box: over tables drawn by lot the
# draw pile in view had at least this, hardly anything of a card's size else.
_FAINT_BACK = 0.04
# From which probability of no card on it is a back; and where there is none, may be: faces of drawn decks have 0.01.
_BACK, _HARDLY_A_FACE = 0.5, 0.1
# Of the learnt deck: how many faint boxes are looked at; where a card was found that shares so much with them, none is
# sought; from which belonging on a place is looked at closely, and a card is one; and the score that it then has.
_FAINT_CARDS, _TAKEN, _GLANCE, _BELONGS, _LEARNT = 12, 0.5, 0.01, 0.5, 0.5
# The score from which boxes are asked for then, which by itself tells nothing.
_FAINTEST = 0.02
# At which scale cards are searched for that fill a third of the picture: 130 px long, as most are in training. Over 120
# piles it found more than 640 and 320 px together.
_CLOSE_SCALES = (416,)
# At which scale a picture in which nothing, or on a pile no whole card, was found is searched turned by a quarter.
_LAST_SCALES = (416,)
# At which scale a larger picture is searched in which nothing was found: it gave 13 of 21 empty pictures of small cards
# back without a mistake; done always it invents.
_FINE_SCALES = (960,)
# In such a picture a faint box counts if it is read so surely.
_READ_THOUGH_FAINT = 0.85


def model_folder() -> Path:
    """Return the folder of the shipped networks, beside the package in a checkout, inside it in an installation."""
    return MODEL_FOLDER if MODEL_FOLDER.is_dir() else _CHECKOUT_MODELS


class CardDetector:
    """Finds and reads cards. One instance may be used from several threads.

    boxes: finds cards and indices. reader: reads them. limits: what of both counts. pile: a further temperature for
    whole cards on a pile.
    """

    def __init__(self, boxes: BoxFinder, reader: Reader, limits: ReadingLimits, pile: float = 1.0) -> None:
        self._boxes = boxes
        self._reader = reader
        self._limits = limits
        self._pile = pile

    @classmethod
    def shipped(
        cls,
        edition: EditionName | None = None,
        folder: Path | None = None,
        scales: tuple[int, ...] = (640, 320),
        threads: int = 0,
    ) -> CardDetector:
        """Return the detector with the networks of a folder, the shipped ones where it is None.

        edition: only its cards are considered, all where None. folder: detector.onnx, card-reader.onnx,
        index-reader.onnx, calibration.json and, where it differs from the shipped one, limits.json. scales: longer
        sides in pixels at which the picture is searched. Raises ModelFileError where a file is missing or damaged.
        """
        folder = folder or model_folder()
        boxes_network = Network.shared(folder / "detector.onnx", threads)
        own = folder / "limits.json"
        limits = ReadingLimits.load(own if own.exists() else model_folder() / own.name)
        calibration = Calibration.load(folder / "calibration.json")
        cards, indices = (Network.shared(folder / f"{kind}-reader.onnx", threads) for kind in ("card", "index"))
        reader = Reader(cards, indices, calibration, None if edition is None else cards_of(edition).keys())
        boxes = BoxFinder(boxes_network, scales, limits.box)
        return cls(boxes, reader, limits, calibration.pile)

    @property
    def reader(self) -> Reader:
        """What reads the cards that are boxed."""
        return self._reader

    def knowing(self, deck: Deck) -> CardDetector:
        """Return what reads with the learnt looks of the deck on the table besides, by the same networks."""
        return CardDetector(self._boxes, self._reader.knowing(deck), self._limits, self._pile)

    def detect(self, image: Image) -> list[Sighting]:
        """Return the face-up cards in a (H, W, 3) BGR uint8 picture, whole ones first, each from the left.

        Where none is found, it is searched once more, turned by a quarter, and then for small ones; where hardly any is
        read surely, the picture is looked at lightened if it is dark, sharpened if everything in it moved, and in its
        mirror image: see `Sighting.mirrored`.
        """
        found = self._look(image)
        if not is_doubtful(found):
            return found
        for mended in restored(image):
            again = self._look(mended)
            if is_surer(again, found):
                return again
        turned = self._look(flipped(image))
        return [back(sighting, image.shape[1]) for sighting in turned] if is_mirrored(found, turned) else found

    def _look(self, image: Image) -> list[Sighting]:
        least = _FAINTEST if self._reader.knows_deck else self._limits.faint_box
        boxes = self._boxes.find(image, least=least)
        found = self._read(image, boxes)
        found = found or self._read(image, self._boxes.find(image, _LAST_SCALES, turned=True, least=least))
        if found:
            return found
        if max(image.shape[:2]) > _FINE_SCALES[0] * 3 / 4:
            fine = self._boxes.find(image, _FINE_SCALES, least=least)
            found = self._read(image, fine)
            boxes = [*boxes, *fine]
        return found or self._faint_cards(image, boxes)

    def _faint_cards(self, image: Image, boxes: Sequence[Box]) -> list[Sighting]:
        """Return what was boxed too faintly to be believed, but is surely read: cards of designs unlike any known."""
        least = self._limits.faint_box
        readings = self._reader.read_cards(
            image, [box.quad for box in boxes if box.kind is BoxKind.CARD and box.score >= least]
        )
        surely = [
            reading
            for reading in readings
            if reading.confidence >= _READ_THOUGH_FAINT
            and reading.nothing <= self._limits.surely_not_none
            and _is_card_shaped(reading.quad)
        ]
        surely.sort(key=lambda reading: -reading.confidence)
        return [reading.sighting(whole=True) for reading in _without_parts(surely, [], image)]

    def backs(self, image: Image) -> list[Quad]:
        """Return what is boxed as a card, however faintly, and read as none: in most cases a card face down."""
        boxes = self._boxes.find(image, least=_FAINT_BACK)
        quads = [box.quad for box in boxes if box.kind is BoxKind.CARD]
        nothing = self._reader.no_card_probabilities(image, quads)
        likely = [quad for quad, probability in zip(quads, nothing, strict=True) if probability > _BACK]
        return likely or [q for q, probability in zip(quads, nothing, strict=True) if probability > _HARDLY_A_FACE]

    def closely(self, image: Image) -> list[Sighting]:
        """Return the same for a picture of a pile whose cards are about a third as long as it, in half the time."""
        return self._on_pile(image, self._closely)

    def thoroughly(self, image: Image) -> list[Sighting]:
        """Return the same for a picture of a pile with cards of any size.

        Where no whole card is found, it is searched once more, turned by a quarter.
        """
        return self._on_pile(image, self._thoroughly)

    def _closely(self, image: Image) -> list[Sighting]:
        return self._read(image, self._boxes.find(image, _CLOSE_SCALES, pile=True))

    def _thoroughly(self, image: Image) -> list[Sighting]:
        found = self._read(image, self._boxes.find(image, pile=True))
        if any(sighting.whole for sighting in found):
            return found
        turned = self._read(image, self._boxes.find(image, _LAST_SCALES, turned=True, pile=True))
        return turned if any(sighting.whole for sighting in turned) else found

    def _on_pile(self, image: Image, find: Callable[[Image], list[Sighting]]) -> list[Sighting]:
        """Return what is found on a pile, in a dark picture lightened where that is read more surely."""
        found = find(image)
        if is_doubtful(found) and (light := lightened(image)) is not None:
            again = find(light)
            found = again if is_surer(again, found) else found
        return [s.tempered(self._pile) if s.whole else s for s in found]

    def _read(self, image: Image, boxes: Sequence[Box]) -> list[Sighting]:
        surely = [box for box in boxes if box.score >= self._limits.box]
        read = self._read_indices(image, surely)
        indices = [index for index in apart(read) if self._is_index(index)]
        candidates = [(box.quad, box.score) for box in surely if box.kind is BoxKind.CARD]
        whole = self._whole_cards(image, candidates, indices)
        if self._reader.knows_deck:
            whole = _without_parts([*whole, *self._learnt_cards(image, boxes, whole, indices)], indices, image)
        loose = self._unclaimed(indices, whole)
        # Where the box of a card was missed or far off, its two indices say where it lies.
        pairs = [(outline_from_pair(a, b), _PAIR_SCORE) for a, b in opposite_pairs(loose) if self._read_alike(a, b)]
        if pairs:
            whole = _without_parts([*whole, *self._whole_cards(image, pairs, indices)], indices, image)
            loose = self._unclaimed(indices, whole)
        for card, ends in self._boxed_pairs(candidates, loose, whole):
            whole = [*whole, card]
            loose = [index for index in loose if all(index is not end for end in ends)]
        if len(whole) + len(loose) >= _SEVERAL:
            faint = self._read_indices(
                image, [box for box in boxes if self._limits.faint_box <= box.score < self._limits.box]
            )
            more = apart([*indices, *(index for index in faint if self._is_worth_a_card(index))])[len(indices) :]
            loose += self._unclaimed(more, whole)
            read += faint
        sightings = _of_one_size([reading.sighting(whole=True) for reading in whole])
        open_cards = [sighting.quad for sighting in sightings]
        share = index_share(open_cards, [index.quad for index in indices])
        behind = self._cards_behind(image, one_per_card(loose, share), open_cards)
        sightings += self._without_items(behind, sightings, read)
        return sorted(sightings, key=lambda sighting: (not sighting.whole, float(sighting.quad[:, 0].mean())))

    def _learnt_cards(
        self, image: Image, boxes: Sequence[Box], whole: Sequence[Reading], indices: Sequence[Reading]
    ) -> list[Reading]:
        """Return the readings of cards of the learnt deck that no sure box shows: faint boxes, and what stands out."""
        faint = [box.quad for box in boxes if box.kind is BoxKind.CARD and box.score < self._limits.box]
        places = [
            quad
            for quad in [*faint[:_FAINT_CARDS], *proposals(image)]
            if all(intersection_over_smaller(quad, card.quad) < _TAKEN for card in whole)
        ]
        belonging = self._reader.belongings(image, places)
        likely = [(quad, _LEARNT) for quad, belongs in zip(places, belonging, strict=True) if belongs >= _GLANCE]
        found = self._whole_cards(image, likely, indices)
        return [card for card in found if card.belonging >= _BELONGS]

    def _boxed_pairs(
        self, candidates: Sequence[tuple[Quad, float]], loose: Sequence[Reading], whole: Sequence[Reading]
    ) -> list[tuple[Reading, Sequence[Reading]]]:
        """Return the cards that are boxed and whose two corners say the same, though their outline was not made out.

        With each of them come its corners, of the loose ones.
        """
        found: list[tuple[Reading, Sequence[Reading]]] = []
        for box, score in candidates:
            quad = portrait(box)
            known = [card.quad for card in whole] + [card.quad for card, _ in found]
            if score < _BOXED or any(intersection_over_smaller(quad, other) > _SAME_CARD for other in known):
                continue
            ends = [loose[i] for i in CardIndices(quad, [index.quad for index in loose]).inside()]
            if len(ends) == 2 and ends[0].card == ends[1].card:
                apart_by = float(np.hypot(*(ends[0].quad.mean(0) - ends[1].quad.mean(0))))
                if apart_by > _ENDS_APART * float(np.hypot(*(quad[2] - quad[0]))):
                    found.append((as_corners_say(replace(ends[0], quad=quad), ends), ends))
        return found

    def _read_indices(self, image: Image, boxes: Sequence[Box]) -> list[Reading]:
        return self._reader.read_indices(image, [index_frame(box.quad) for box in boxes if box.kind is BoxKind.INDEX])

    def _is_index(self, index: Reading) -> bool:
        return index.nothing < self._limits.index_no_card

    def _is_worth_a_card(self, index: Reading) -> bool:
        return index.confidence >= self._limits.faint and index.card.color is not None

    def _whole_cards(
        self, image: Image, candidates: Sequence[tuple[Quad, float]], indices: Sequence[Reading]
    ) -> list[Reading]:
        """Return the readings of those candidates (outline, score) that are cards, best first, none twice."""
        readings = self._reader.read_cards(image, [quad for quad, _ in candidates])
        frames = [index.quad for index in indices]
        scored = []
        for (_, score), reading in zip(candidates, readings, strict=True):
            lying = CardIndices(reading.quad, frames)
            spots = lying.at_spots()
            corners = [indices[i] for i in spots]
            own = [corner for corner in corners if not self._denies(corner, reading)]
            whole = with_indices(reading, own)
            if corners and not own and len({corner.card for corner in corners}) < len(corners):
                # Seen from low, the middle is crammed together and the corners, which say the same, are not.
                whole, own = as_corners_say(reading, corners), corners
            denied = bool(corners) and not own
            # A box about several fanned cards has indices in it, but not where one card has them.
            near = [indices[i] for i in lying.near_spots() if indices[i].card == reading.card]
            spans_several = not spots and lying.strangers() >= 2 and len(near) < 2
            if self._is_card(whole, score) and not (denied or spans_several):
                scored.append((score * (0.3 + whole.confidence) + _SUPPORT_WEIGHT * len(own), whole))
        scored.sort(key=lambda pair: -pair[0])
        return _without_parts([reading for _, reading in scored], indices, image)

    def _is_card(self, reading: Reading, score: float) -> bool:
        surely = score >= self._limits.surely_boxed and reading.nothing <= self._limits.surely_not_none
        least = self._limits.ill_read if surely else self._limits.whole
        return reading.nothing <= self._limits.no_card and reading.confidence >= least and _is_card_shaped(reading.quad)

    def _denies(self, index: Reading, card: Reading) -> bool:
        """Whether an index surely is another card's than the one that was read: indices are seldom misread."""
        if index.card.face is card.card.face:
            # Odd light falls on a card's corner sooner than a like card of another colour lies just there.
            return index.card != card.card and index.confidence > self._limits.sure_color
        return index.confidence > min(self._limits.sure_index, max(self._limits.index, card.confidence))

    def _read_alike(self, a: Reading, b: Reading) -> bool:
        """Whether two indices may well be of the same card."""
        return bool(a.probabilities @ b.probabilities > self._limits.alike)

    def _is_clear(self, index: Reading) -> bool:
        return index.confidence >= self._limits.clearly_another

    def _unclaimed(self, indices: Sequence[Reading], whole: Sequence[Reading]) -> list[Reading]:
        """Return the indices that are none of the whole cards' own."""
        frames = [index.quad for index in indices]
        own: set[int] = set()
        for card in whole:
            lying = CardIndices(card.quad, frames)
            spots, near, within, middle = lying.at_spots(), lying.near_spots(), lying.inside(), lying.middles()
            seeming = spots | near | within | middle
            agreeing = {i for i in seeming if indices[i].card == card.card}
            possible = {i for i in seeming if not self._denies(indices[i], card)}
            symbol = middle & possible
            # What else is found on a card with both its corners in view is its print, not another card.
            printed = within & (agreeing | possible if len(spots) == 2 else agreeing)
            corners = (spots & possible) | (near & agreeing) | printed
            others = lying.surplus(corners - symbol, agreeing)
            own |= symbol | (corners - {i for i in others if self._is_clear(indices[i])})
        return [index for i, index in enumerate(indices) if i not in own]

    def _cards_behind(self, image: Image, cards: Sequence[Reading], whole: Sequence[Quad]) -> list[Sighting]:
        """Return the fanned and half-hidden cards among those that loose indices tell of; the others are mere print.

        Unless the index is clear, such a card is of the size of the others in the picture, and the card reader sees
        cards where it must lie; it looks only where that decides.
        """
        limits = self._limits
        sightings = [card.sighting(whole=False) for card in cards]
        clear = [_is_colored(sighting, limits.clear_index) for sighting in sightings]
        least = min(limits.misread, limits.neighbour, limits.index)
        doubtful = [s.confidence >= least and not _is_colored(s, _LOOKED_FOR) for s in sightings]
        places = [s.quad for s, asked in zip(sightings, doubtful, strict=True) if asked]
        looked = iter(self._reader.no_card_probabilities(image, places))
        bare = [
            float(next(looked)) if asked else float(s.confidence < least)
            for s, asked in zip(sightings, doubtful, strict=True)
        ]
        company = [sighting for sighting in sightings if _is_colored(sighting, self._limits.company)]
        return [
            sighting
            for sighting, nothing, is_clear in zip(sightings, bare, clear, strict=True)
            if is_clear
            or (
                self._is_likely_neighbour(sighting, nothing)
                and nothing < self._limits.neighbour_bare
                and is_in_company(sighting.quad, [*whole, *_others(sighting, company)])
            )
            or (
                sighting.confidence >= self._limits.index
                and nothing < self._limits.bare
                and is_size_of_others(sighting.quad, whole)
            )
        ]

    def _without_items(
        self, behind: Sequence[Sighting], whole: Sequence[Sighting], read: Sequence[Reading]
    ) -> list[Sighting]:
        """Return the cards behind others without what is the print in another card's free corner.

        UNO Mario Kart has an item's picture there, and in a fan all of them are in view: what is doubtfully read in
        such a corner, in that card's colour, is no card. `read` are all the indices that were read in the picture.
        """
        listed = [*whole, *behind]
        clearly = self._limits.clearly_another
        clear = [sighting.quad for sighting in listed if sighting.confidence >= clearly]
        doubtful = [index.quad for index in read if not self._is_clear(index)]
        if len(set[int]().union(*(CardIndices(quad, doubtful).in_free_corners() for quad in clear))) < _ITEMS:
            return list(behind)
        return [s for s in behind if s.confidence >= clearly or not _is_print_of_another(s, listed)]

    def _is_likely_neighbour(self, sighting: Sighting, nothing: float) -> bool:
        limits = self._limits
        if sighting.card.color is None:
            return sighting.confidence >= limits.dark_neighbour
        return sighting.confidence >= (limits.misread if nothing < limits.surely_card else limits.neighbour)


def _without_parts(readings: Sequence[Reading], indices: Sequence[Reading], image: Image) -> list[Reading]:
    """Return the readings, best first, without second boxes of a card and without boxes of a card's part.

    Cards are all of one size, so an outline much smaller than another that it lies in is a piece of that card's print.
    Of outlines that reach out of the picture, what lies in it is compared: the rest is guessed.
    """
    height, width = image.shape[:2]
    kept: list[Reading] = []
    for reading in readings:
        area = abs(cv2.contourArea(reading.quad))
        part = clipped(reading.quad, width, height)
        rivals = [
            other
            for other in kept
            if intersection_over_smaller(part, clipped(other.quad, width, height)) > _SAME_CARD
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
        and CardIndices(card.quad, [index]).in_free_corners()
        for card in cards
    )


def _is_colored(sighting: Sighting, least: float) -> bool:
    """Whether an index is read at least so surely, and not as a wild's: coloured ground is seldom anything else."""
    return sighting.confidence >= least and sighting.card.color is not None


def _is_card_shaped(quad: Quad) -> bool:
    """Whether an outline is convex and not a sliver: what a card can look like short of seeing its edge."""
    if not cv2.isContourConvex(quad.reshape(-1, 1, 2)):
        return False
    width = np.hypot(*(quad[1] - quad[0])) + np.hypot(*(quad[2] - quad[3]))
    height = np.hypot(*(quad[3] - quad[0])) + np.hypot(*(quad[2] - quad[1]))
    return bool(0.2 < width / max(height, 1e-6) < 1.6)
