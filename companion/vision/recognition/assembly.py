"""Boxes -> cards: whole cards are read in a refined outline and claim their own indices; each index left over is one
fanned or half-hidden card, two of them at opposite corners being the same one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import compress

import cv2
import numpy as np

from companion.vision.core.geometry import Image, Quad, index_frame, intersection_over_smaller, portrait, turned
from companion.vision.core.limits import ReadingLimits
from companion.vision.core.reading import Backing, Reading, as_corners_say, with_indices
from companion.vision.core.sightings import NAMED_BELOW, Sighting
from companion.vision.detection.box_detector import Box, BoxKind
from companion.vision.detection.proposals import proposals
from companion.vision.recognition.confidence_checks import as_middle_allows, as_told
from companion.vision.recognition.corners import CardIndices, apart, beside, opposite_pairs, outline_from_pair
from companion.vision.recognition.deck_merge import with_sought
from companion.vision.recognition.first_pass import FirstLooks
from companion.vision.recognition.occluded_cards import HiddenCards
from companion.vision.recognition.outlines import SAME_CARD, is_card_shaped, of_one_size, one_each, without_echo
from companion.vision.recognition.reader import Reader
from companion.vision.recognition.rectify import is_hand

# So many cards make a picture of several.
_SEVERAL = 3
# A faint corner that the first view shows with less never became a card of 669 in 160 pictures of several cards, 166 of
# which did.
_FAINTLY = 0.4
# From which score on a box is a card's though nothing but its two corners was read, and how far apart these lie at
# least, over the box' diagonal: those of one card do by 0.75 of it, those of two in a fan by much less.
_BOXED, _ENDS_APART = 0.5, 0.5
# In a fan, where so many indices are read, more than two open cards have, a box with a lower score is about several
# cards where indices lie so far from its edges in it, but none near the spots of one card's: of 2,576 boxes in 340
# pictures of several cards none of the 1,750 cards was such. A card seen from low may be.
_FAN, _BOXED_AS_ONE, _WELL_INSIDE = 5, 0.7, 0.03
# What an index found at a spot where the outline expects one adds to a candidate's score, and the score with which a
# candidate from two indices starts.
_SUPPORT_WEIGHT = 0.3
_PAIR_SCORE = 0.5
# Of the learnt deck: how many faint boxes are looked at; where a card was found that shares so much with them, none is
# sought; from which belonging on a place is looked at closely, and a card is one; and the score that it then has.
_FAINT_CARDS, _TAKEN, _GLANCE, _BELONGS, _LEARNT = 12, 0.5, 0.01, 0.5, 0.5
# A whole card of the learnt deck that is told so surely need not be sought. Where all found are such, and each box has
# as much as the second in common with one of them, be it a card's or an index' with the last score, none is.
_SURELY, _ON, _FAINT_INDEX = 0.95, 0.5, 0.2
# Of a deck that the networks know, what is read so surely is nothing else by the deck's pictures.
_STANDS = 0.8
# Where nothing else is found, a faint box counts if it is read so surely.
_READ_THOUGH_FAINT = 0.85
# Beside so many open cards as make a picture of several, each read so surely, fainter boxes are looked at: with a finer
# look where a box is not read, in 20 pictures of white cards without border, on which this was made, that told four
# more, in 20 others three, none of them wrongly; in 40 of four other designs and in 29 photographs nothing.
FAINT_BESIDE = 0.04
_SURE_FELLOW = 0.9
# What has a card's shape counts likewise: in 36 pictures of such cards (seed 111 and, afterwards, 132) that told four
# more, none wrongly; in 135 pictures without a card, plain, dark or moved, it told none.
# So little a faint box shares with the cards that were found, and so many times it is as large as they at most.
_BESIDE, _AS_LARGE = 0.2, 2.0


class Assembler:
    """Makes cards of boxes. reader: reads what is boxed. limits: what of it counts."""

    def __init__(self, reader: Reader, limits: ReadingLimits) -> None:
        self._reader = reader
        self._limits = limits
        self._hidden = HiddenCards(reader, limits)

    def cards(self, image: Image, boxes: Sequence[Box], seek: bool = False, propose: bool = False) -> list[Sighting]:
        """Return the cards that are boxed in a (H, W, 3) BGR picture, whole ones first, each from the left.

        seek: whether a learnt deck's cards are sought by their pictures besides. propose: whether its cards are looked
        for, at less cost, in faint boxes and where something stands out.
        """
        surely = [box for box in boxes if box.score >= self._limits.box]
        candidates = [(box.quad, box.score) for box in surely if box.kind is BoxKind.CARD]
        first = self._reader.first_looks(image, [quad for quad, _ in candidates]) if self._reader.seeks else None
        plain = list(first.plain.values()) if first else []
        own, frames = _told_by_cards(plain, _index_frames(surely))
        read = [*own, *self._reader.read_indices(image, frames)]
        indices = [index for index in apart(read) if self._is_index(index)]
        whole = self._whole_cards(image, candidates, indices, first)
        seeks = self._reader.seeks and seek and not _explained(boxes, whole)
        learnt = self._learnt_cards(image, boxes, whole, indices) if self._reader.seeks and propose else []
        if learnt:
            whole = one_each([*whole, *learnt], indices, image)
        loose = self._unclaimed(indices, whole)
        # Where the box of a card was missed or far off, its two indices say where it lies.
        pairs = [(outline_from_pair(a, b), _PAIR_SCORE) for a, b in opposite_pairs(loose) if self._read_alike(a, b)]
        if pairs:
            whole = one_each([*whole, *self._whole_cards(image, pairs, indices)], indices, image)
            loose = self._unclaimed(indices, whole)
        for card, ends in self._boxed_pairs(candidates, loose, whole):
            whole = [*whole, card]
            loose = [index for index in loose if all(index is not end for end in ends)]
        if len(whole) + len(loose) >= _SEVERAL:
            faint_boxes = [box for box in boxes if self._limits.faint_box <= box.score < self._limits.box]
            faint = self._reader.read_indices(image, beside(_index_frames(faint_boxes), indices), least=_FAINTLY)
            more = apart([*indices, *(index for index in faint if self._is_worth_a_card(index))])[len(indices) :]
            loose += self._unclaimed(more, whole)
            read += faint
        frames = [index.quad for index in indices]
        told = [as_told(image, card) for card in whole]
        sightings = of_one_size([replace(one, handedness=CardIndices(one.quad, frames).handedness()) for one in told])
        sightings = without_echo([*sightings, *self._hidden.among(image, loose, sightings, indices, read)])
        if seeks:
            sure = [card for card in whole if _is_surely_learnt(card)]
            unread = [box.quad for box in surely if box.kind is BoxKind.CARD]
            known = [*(s.quad for s in sightings), *_beside([*unread, *self._faint_cards(boxes)], whole)]
            sought = self._reader.sought(image, known, sure, self._telling(boxes, several=len(sightings) >= _SEVERAL))
            sightings = with_sought(sightings, sought, self._limits.misread, sure)
        return sorted(sightings, key=lambda sighting: (not sighting.whole, float(sighting.quad[:, 0].mean())))

    def faint_cards(self, image: Image, boxes: Sequence[Box], found: Sequence[Sighting] = ()) -> list[Sighting]:
        """Return what was boxed too faintly to be believed, but is surely read: cards of designs unlike any known.

        found: the other cards in the picture, which it must lie beside and be about as large as the open ones of them.
        Where there are none, or several of a design unlike any known, what merely has a card's shape is looked at, too.
        """
        several = _are_several(found)
        least = FAINT_BESIDE if several else self._limits.faint_box
        faint = [box.quad for box in boxes if box.kind is BoxKind.CARD and box.score >= least]
        shapes = proposals(image) if not found or (several and _are_unlike_known(found)) else []
        quads = [quad for quad in [*faint, *shapes] if _is_one_more(quad, found)]
        readings = self._reader.read_cards(image, quads, [Backing.NOTHING] * len(quads))
        surely = [
            reading
            for reading in readings
            if reading.confidence >= _READ_THOUGH_FAINT
            and reading.nothing <= self._limits.surely_not_none
            and is_card_shaped(reading.quad)
        ]
        surely.sort(key=lambda reading: -reading.confidence)
        return [reading.sighting(whole=True) for reading in one_each(surely, [], image)]

    def filled_in(self, image: Image, boxes: Sequence[Box], found: Sequence[Sighting]) -> list[Sighting]:
        """Return what was found, with what a learnt deck's pictures tell where a hand of it is boxed and not read.

        That is of a deck that the networks know; of another one they tell cards at once.
        """
        left = self._left_out(boxes, found) if self._reader.fills_in and is_hand(found) else []
        if not (left and self._may_show_cards(image, left, found)):
            return list(found)
        if self._reader.are_of_another_deck(image, [one.quad for one in found if one.whole]):
            return list(found)
        cards = [box.quad for box in boxes if box.kind is BoxKind.CARD]
        told = [one for one in found if one.confidence >= _STANDS]
        sure = [one for one in told if one.whole]
        known = [one.quad for one in found if one.confidence < _STANDS]
        shows = [box.quad for box in left]
        sought = self._reader.sought(image, [*known, *_beside(cards, told)], sure, shows, hand=True)
        return with_sought(found, sought, self._limits.misread, sure, _STANDS)

    def _left_out(self, boxes: Sequence[Box], found: Sequence[Sighting]) -> list[Box]:
        """Return what is surely boxed beside the cards found."""
        return [box for box in boxes if box.score >= self._limits.box and _beside([box.quad], found, _ON)]

    def _may_show_cards(self, image: Image, left: Sequence[Box], found: Sequence[Sighting]) -> bool:
        """Whether something that is boxed beside the cards found may be another card, were it a covered one."""
        # What reads as one of the cards found is its other end, which its outline has missed.
        told = {one.card for one in found}
        indices = self._reader.read_indices(image, _index_frames(left))
        if any(self._is_index(index) and index.card not in told for index in indices):
            return True
        cards = [portrait(box.quad) for box in left if box.kind is BoxKind.CARD]
        bare = self._reader.no_card_probabilities(image, cards)
        return bool((bare <= self._limits.neighbour_bare).any())

    def leaves_unread(self, boxes: Sequence[Box], found: Sequence[Sighting]) -> bool:
        """Whether beside several cards, surely read, another of their size is boxed and not read."""
        cards = [box.quad for box in boxes if box.kind is BoxKind.CARD and box.score >= self._limits.box]
        return _are_several(found) and any(_is_one_more(quad, found) for quad in cards)

    def _faint_cards(self, boxes: Sequence[Box]) -> list[Quad]:
        """Return the outlines of cards that are boxed too faintly to count by themselves, the likeliest."""
        faint = [box.quad for box in boxes if box.kind is BoxKind.CARD and box.score < self._limits.box]
        return faint[:_FAINT_CARDS]

    def _telling(self, boxes: Sequence[Box], several: bool) -> list[Quad]:
        """Return what is boxed so surely that a learnt deck's card shows there: beside several others, if faintly."""
        least = {BoxKind.CARD: FAINT_BESIDE if several else self._limits.faint_box, BoxKind.INDEX: _FAINT_INDEX}
        return [box.quad for box in boxes if box.score >= least[box.kind]]

    def _learnt_cards(
        self, image: Image, boxes: Sequence[Box], whole: Sequence[Reading], indices: Sequence[Reading]
    ) -> list[Reading]:
        """Return the readings of cards of the learnt deck that no sure box shows: faint boxes, and what stands out."""
        places = _beside([*self._faint_cards(boxes), *proposals(image)], whole)
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
            if score < _BOXED or any(intersection_over_smaller(quad, other) > SAME_CARD for other in known):
                continue
            ends = [loose[i] for i in CardIndices(quad, [index.quad for index in loose]).inside()]
            if len(ends) == 2 and ends[0].card == ends[1].card:
                apart_by = float(np.hypot(*(ends[0].quad.mean(0) - ends[1].quad.mean(0))))
                if apart_by > _ENDS_APART * float(np.hypot(*(quad[2] - quad[0]))):
                    found.append((as_corners_say(replace(ends[0], quad=quad), ends), ends))
        return found

    def _is_index(self, index: Reading) -> bool:
        return index.nothing < self._limits.index_no_card

    def _is_worth_a_card(self, index: Reading) -> bool:
        """Whether an index that is boxed faintly is one of a card: the networks must see it there themselves."""
        return index.confidence >= self._limits.faint and index.card.color is not None and not index.overrules

    def _whole_cards(
        self,
        image: Image,
        candidates: Sequence[tuple[Quad, float]],
        indices: Sequence[Reading],
        first: FirstLooks | None = None,
    ) -> list[Reading]:
        """Return the readings of those candidates (outline, score) that are cards, best first, none twice.

        first: what the first look at them has shown, if that was made.
        """
        frames = [index.quad for index in indices]
        lies = [CardIndices(portrait(quad), frames) for quad, _ in candidates]
        backing = [self._backing(lying, score) for lying, (_, score) in zip(lies, candidates, strict=True)]
        if len(indices) >= _FAN and not self._reader.seeks:
            worth = [
                held or score >= _BOXED_AS_ONE or not lying.inside(_WELL_INSIDE)
                for lying, held, (_, score) in zip(lies, backing, candidates, strict=True)
            ]
            candidates, backing = list(compress(candidates, worth)), list(compress(backing, worth))
        readings = self._reader.read_cards(image, [quad for quad, _ in candidates], backing, first)
        scored = []
        for (_, score), reading in zip(candidates, readings, strict=True):
            lying = CardIndices(reading.quad, frames)
            spots = lying.at_spots()
            corners = [indices[i] for i in spots if not (indices[i].is_print or _is_unlike_its(indices[i], reading))]
            own = [corner for corner in corners if not self._denies(corner, reading)]
            whole = as_middle_allows(with_indices(reading, own))
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
        return one_each([reading for _, reading in scored], indices, image)

    def _backing(self, lying: CardIndices, score: float) -> Backing:
        """Return what speaks for a box of this score, in which the indices lie so."""
        if score >= self._limits.surely_boxed:
            return Backing.BOX
        return Backing.INDEX if lying.about_spots() else Backing.NOTHING

    def _is_card(self, reading: Reading, score: float) -> bool:
        surely = score >= self._limits.surely_boxed and reading.nothing <= self._limits.surely_not_none
        least = self._limits.ill_read if surely else self._limits.whole
        return reading.nothing <= self._limits.no_card and reading.confidence >= least and is_card_shaped(reading.quad)

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
            if _is_surely_learnt(card):
                # By its pictures that card lies open: whatever its corners are read as, they are its own.
                own |= spots
            own |= {i for i in spots if _is_misread_its(indices[i], card)}
        return [index for i, index in enumerate(indices) if i not in own and not index.is_print]


def _are_several(found: Sequence[Sighting]) -> bool:
    return sum(one.whole and one.confidence >= _SURE_FELLOW for one in found) >= _SEVERAL


def _are_unlike_known(found: Sequence[Sighting]) -> bool:
    """Whether hardly an open card is beyond doubt: the deck's corners tell nothing, and its cards are boxed ill."""
    beyond = [one.confidence >= NAMED_BELOW for one in found if one.whole]
    return 2 * sum(beyond) < len(beyond)


def _is_unlike_its(index: Reading, card: Reading) -> bool:
    """Whether an index where a learnt deck's card has one looks like none of that deck: it is its own, read ill."""
    return index.is_unlike and card.known


def _is_misread_its(index: Reading, card: Reading) -> bool:
    """Whether an index where a card has one is its own, though read as another: of its colour, if it surely is that."""
    return _is_unlike_its(index, card) or (card.is_borne_out and index.card.color is card.card.color)


def _is_surely_learnt(card: Reading) -> bool:
    return min(card.belonging, card.confidence) >= _SURELY


def _explained(boxes: Sequence[Box], whole: Sequence[Reading]) -> bool:
    """Whether the cards found, all surely of the learnt deck, leave nothing that was boxed, however faintly."""
    telling = [box.quad for box in boxes if box.kind is BoxKind.CARD or box.score >= _FAINT_INDEX]
    return bool(whole) and all(map(_is_surely_learnt, whole)) and not _beside(telling, whole, _ON)


def _beside(quads: Sequence[Quad], cards: Sequence[Reading | Sighting], share: float = _TAKEN) -> list[Quad]:
    """Return the outlines of which less than a share lies on each card."""
    return [q for q in quads if all(intersection_over_smaller(q, card.quad) < share for card in cards)]


def _index_frames(boxes: Sequence[Box]) -> list[Quad]:
    return [index_frame(box.quad) for box in boxes if box.kind is BoxKind.INDEX]


def _told_by_cards(cards: Sequence[Reading], frames: Sequence[Quad]) -> tuple[list[Reading], list[Quad]]:
    """Return what indices show that lie where cards told without them have theirs, and the frames (4, 2) of others."""
    told: dict[int, Reading] = {}
    for card in cards:
        for i in CardIndices(card.quad, frames).at_spots():
            end = min(card.quad[0::2], key=lambda corner: float(np.hypot(*(frames[i].mean(0) - corner))))
            told[i] = replace(card, quad=turned(frames[i], int(np.hypot(*(frames[i] - end).T).argmin())))
    return list(told.values()), [frame for i, frame in enumerate(frames) if i not in told]


def _is_one_more(quad: Quad, found: Sequence[Sighting]) -> bool:
    """Whether an outline lies beside all cards that were found, as large as those that lie open."""
    area = abs(cv2.contourArea(quad))
    return all(
        intersection_over_smaller(quad, other.quad) < _BESIDE
        and (not other.whole or 1 / _AS_LARGE < abs(cv2.contourArea(other.quad)) / area < _AS_LARGE)
        for other in found
    )
