"""Combines boxes and readings into cards.

Whole cards are read in a refined outline and claim their own indices. Each remaining index is one fanned or half-hidden
card; two of them at opposite corners are the same one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np

from companion.vision.core.geometry import (
    Image,
    Quad,
    index_frame,
    intersection_over_smaller,
    lies_on,
    portrait,
    turned,
)
from companion.vision.core.limits import ReadingLimits
from companion.vision.core.reading import Reading, with_indices
from companion.vision.core.sightings import CERTAIN, EVEN, FAIRLY, UNSURE_BELOW, Sighting
from companion.vision.detection.box_detector import Box, BoxKind
from companion.vision.imaging.lighting import Light
from companion.vision.recognition.corners import (
    CardIndices,
    index_share,
    merge_duplicates,
    no_card_elsewhere,
    opposite_pairs,
    outline_from_index,
    outline_from_pair,
    unread_frames,
)
from companion.vision.recognition.deck_merge import merge_deck_matches
from companion.vision.recognition.fusion import CornerEvidence, Evidence, FusionModel, shipped
from companion.vision.recognition.occluded_cards import OccludedCards
from companion.vision.recognition.outlines import SAME_CARD, drop_duplicates, is_card_shaped
from companion.vision.recognition.reader import FirstPass, Reader
from companion.vision.recognition.rectify import SEVERAL, is_hand

# Minimum distance of a card's two corners over its outline's diagonal: 0.75 for one card, much less for two cards of a
# fan.
_CORNER_DISTANCE = 0.5


@dataclass(frozen=True, eq=False)
class Assembler:
    """Combines boxes into cards. reader: reads the boxes' content. limits: acceptance thresholds. fusion: gives the
    open cards' probabilities, by default the shipped model.
    """

    reader: Reader
    limits: ReadingLimits
    fusion: FusionModel = field(default_factory=shipped)

    @property
    def _occluded(self) -> OccludedCards:
        return OccludedCards(self.reader, self.limits, self.fusion)

    def assemble(
        self,
        image: Image,
        boxes: Sequence[Box],
        propose: Callable[[Image], Sequence[Quad]] | None = None,
        on_pile: bool = False,
    ) -> list[Sighting]:
        """Return the cards boxed in a (H, W, 3) BGR picture, whole ones first, each group from left to right.

        propose: finds further outlines (4, 2) of a learnt deck's cards in the picture; None to read the boxes alone.
        on_pile: whether the cards lie on a pile, where their pictures are not searched for. Cards that probably are
        none (see `Sighting`) are among them: another look may show what they are.
        """
        confident = self._confident(boxes)
        candidates = [(box.quad, box.score) for box in confident if box.kind is BoxKind.CARD]
        first = self.reader.first_pass(image, [quad for quad, _ in candidates]) if self.reader.searches_deck else None
        own, frames = explained_by_cards(list(first.confirmed.values()) if first else [], _index_frames(confident))
        readings = [*own, *self.reader.read_indices(image, frames)]
        boxed = merge_duplicates(readings)
        indices = [index for index in boxed if self._is_index(index)]
        context = _context(boxed, on_pile)
        whole = self._whole_cards(image, candidates, indices, first)
        proposals: Sequence[Quad] | None = None
        if propose is not None and self.reader.searches_deck and (on_pile or not self._explains_all(boxes, whole)):
            proposals = propose(image)
            outlines = [*(box.quad for box in boxes if box.kind is BoxKind.CARD), *proposals]
            learnt = self.reader.learnt_cards(image, _off_cards(outlines, whole))
            more = sorted(learnt, key=lambda card: -card.confidence)
            whole = drop_duplicates([*whole, *more], indices, image)
        whole = self._with_index_pairs(image, whole, indices)
        unclaimed = self._unclaimed(indices, whole)
        for card, pair in self._boxed_pairs(image, candidates, unclaimed, whole):
            whole = [*whole, card]
            unclaimed = [index for index in unclaimed if all(index is not corner for corner in pair)]
        if len(whole) + len(unclaimed) >= SEVERAL:
            faint = self._read_faint_indices(image, boxes, indices)
            more = merge_duplicates([*indices, *(index for index in faint if self._is_faint_index(index))])
            unclaimed += self._unclaimed(more[len(indices) :], whole)
            readings += faint
        frames = [index.quad for index in indices]
        fused = self._sightings(image, whole, indices, context, len(candidates), on_pile=on_pile)
        opened = [replace(one, handedness=CardIndices(one.quad, frames).handedness()) for one in fused]
        sightings = [one for one in opened if not one.is_probably_no_card]
        sightings += self._occluded.find(image, unclaimed, sightings, indices, context, readings)
        if proposals is not None and not on_pile:
            identified = [card for card in whole if _is_confidently_learnt(card)]
            outlines = [*(one.quad for one in sightings), *proposals]
            matches = self.reader.deck_matches(image, outlines, identified)
            sightings = merge_deck_matches(sightings, matches, self.limits.misread, identified)
        sightings += [one for one in opened if one.is_probably_no_card]
        return sorted(sightings, key=lambda sighting: (not sighting.whole, float(sighting.quad[:, 0].mean())))

    def evidence(
        self, image: Image, boxes: Sequence[Box], on_pile: bool
    ) -> tuple[list[Evidence], list[tuple[tuple[float, float], CornerEvidence]]]:
        """Return the evidence about every card boxed in a (H, W, 3) BGR picture, whether it is one or not, and about
        every boxed index on none of them, with its centre in pixels.
        """
        confident = self._confident(boxes)
        cards = [box for box in confident if box.kind is BoxKind.CARD]
        boxed = merge_duplicates(self.reader.read_indices(image, _index_frames(confident)))
        indices, context = [index for index in boxed if self._is_index(index)], _context(boxed, on_pile)
        readings = self.reader.read_cards(image, [box.quad for box in cards])
        scored = [replace(reading, score=box.score) for reading, box in zip(readings, cards, strict=True)]
        whole = [reading for reading in scored if self._is_card(reading, reading.score)]
        unclaimed = self._unclaimed(indices, whole)
        share = index_share([card.quad for card in whole], [index.quad for index in indices])
        implied = [replace(index, quad=outline_from_index(index, share)) for index in unclaimed]
        corners = self._occluded.evidence(image, implied, [card.quad for card in whole], context, implied)
        centers = [index.center for index in unclaimed]
        return _evidence(image, scored, indices, context, len(cards), on_pile), list(zip(centers, corners, strict=True))

    def fused(self, cards: Sequence[Evidence]) -> list[Sighting]:
        """Return the open cards with the fitted probabilities, given the evidence about each."""
        return self.fusion.sightings(cards, self.reader.card_softmax)

    def _sightings(
        self,
        image: Image,
        whole: Sequence[Reading],
        indices: Sequence[Reading],
        context: Sequence[Reading],
        candidates: int,
        on_pile: bool,
    ) -> list[Sighting]:
        """Return the open cards as sightings; those that the networks alone read have the fitted probabilities."""
        fused = iter(self.fused(_evidence(image, whole, indices, context, candidates, on_pile)))
        return [_fused_sighting(card, next(fused) if card.corners is not None else None) for card in whole]

    def complete_hand(
        self, image: Image, boxes: Sequence[Box], found: Sequence[Sighting], propose: Callable[[Image], Sequence[Quad]]
    ) -> list[Sighting]:
        """Return the cards found, completed by the learnt deck's pictures where something is boxed in a hand but not
        read.

        propose: finds outlines (4, 2) of cards in the picture. Only for decks the networks know; other decks are
        searched by picture from the start.
        """
        unexplained = self._unexplained(boxes, found) if self.reader.completes_hands and is_hand(found) else []
        if not (unexplained and self._may_show_cards(image, unexplained, found)):
            return list(found)
        if self.reader.are_of_another_deck(image, [one.quad for one in found if one.whole]):
            return list(found)
        clear = [one for one in found if one.confidence >= FAIRLY]
        outlines = [one.quad for one in found if one.confidence < FAIRLY]
        outlines += _off_cards([*(box.quad for box in boxes if box.kind is BoxKind.CARD), *propose(image)], clear)
        identified = [one for one in clear if one.whole]
        matches = self.reader.deck_matches(image, outlines, identified, [box.quad for box in unexplained])
        return merge_deck_matches(found, matches, self.limits.misread, identified, FAIRLY)

    def _confident(self, boxes: Sequence[Box]) -> list[Box]:
        return [box for box in boxes if box.score >= self.limits.box]

    def _explains_all(self, boxes: Sequence[Box], whole: Sequence[Reading]) -> bool:
        """Whether the found cards, all certainly of the learnt deck, lie on every box but the faintest indices."""
        quads = [box.quad for box in boxes if box.kind is BoxKind.CARD or box.score >= self.limits.faint_box]
        return bool(whole) and all(map(_is_confidently_learnt, whole)) and not _off_cards(quads, whole)

    def _unexplained(self, boxes: Sequence[Box], found: Sequence[Sighting]) -> list[Box]:
        """Return the confident boxes that lie on no found card."""
        return [box for box in self._confident(boxes) if _off_cards([box.quad], found)]

    def _may_show_cards(self, image: Image, unexplained: Sequence[Box], found: Sequence[Sighting]) -> bool:
        """Whether an unexplained box may be another, covered card."""
        # A corner that reads as a found card is the far end of that card, beyond its outline.
        known_cards = {one.card for one in found}
        indices = self.reader.read_indices(image, _index_frames(unexplained))
        if any(self._is_index(index) and index.card not in known_cards for index in indices):
            return True
        cards = [portrait(box.quad) for box in unexplained if box.kind is BoxKind.CARD]
        return bool((self.reader.no_card_probabilities(image, cards) <= CERTAIN).any())

    def _with_index_pairs(self, image: Image, whole: list[Reading], indices: Sequence[Reading]) -> list[Reading]:
        """Return the whole cards, and those whose box is missing or far off but whose two indices give an outline."""
        pairs = opposite_pairs(self._unclaimed(indices, whole))
        outlines = [outline_from_pair(a, b) for a, b in pairs if self._read_alike(a, b)]
        candidates = [(quad, EVEN) for quad in outlines if not _is_covered(quad, whole)]
        if not candidates:
            return whole
        return drop_duplicates([*whole, *self._whole_cards(image, candidates, indices)], indices, image)

    def _read_faint_indices(self, image: Image, boxes: Sequence[Box], indices: Sequence[Reading]) -> list[Reading]:
        faint = [box for box in boxes if self.limits.faint_box <= box.score < self.limits.box]
        return self.reader.read_indices(image, unread_frames(_index_frames(faint), indices), least=self.limits.index)

    def _boxed_pairs(
        self,
        image: Image,
        candidates: Sequence[tuple[Quad, float]],
        unclaimed: Sequence[Reading],
        whole: Sequence[Reading],
    ) -> list[tuple[Reading, Sequence[Reading]]]:
        """Return boxed cards whose two corners agree although no outline was found.

        Each card comes with its corners, taken from the unclaimed indices.
        """
        found: list[tuple[Reading, Sequence[Reading]]] = []
        for box, score in candidates:
            quad = portrait(box)
            known = [card.quad for card in whole] + [card.quad for card, _ in found]
            if score < EVEN or any(intersection_over_smaller(quad, other) > SAME_CARD for other in known):
                continue
            corners = [unclaimed[i] for i in CardIndices(quad, [index.quad for index in unclaimed]).inside()]
            if len(corners) == 2 and corners[0].card == corners[1].card:
                distance = float(np.hypot(*(corners[0].quad.mean(0) - corners[1].quad.mean(0))))
                if distance > _CORNER_DISTANCE * float(np.hypot(*(quad[2] - quad[0]))):
                    found.append((self._card_of_corners(image, quad, score, *corners), corners))
        return found

    def _card_of_corners(self, image: Image, quad: Quad, score: float, one: Reading, other: Reading) -> Reading:
        """Return the card in an outline (4, 2) that both of its corners agree on; the confidence is capped.

        Its middle only shows whether another thing lies there; a learnt deck knows its own cards.
        """
        card = replace(one, quad=quad, logs=one.logs + other.logs, score=score).capped(CERTAIN)
        if one.is_member or not self.reader.reads_printed:
            return card
        (middle,) = self.reader.predict_cards(image, [quad])
        return replace(card, middle=middle.logs, corners=(one.logs, other.logs), foreign=middle.foreign)

    def _is_index(self, index: Reading) -> bool:
        return index.no_card < self.limits.index_no_card

    def _is_faint_index(self, index: Reading) -> bool:
        """Whether a faintly boxed index belongs to a card: the networks themselves must read one there."""
        return index.confidence >= self.limits.faint and index.card.color is not None and not index.overrides_networks

    def _whole_cards(
        self,
        image: Image,
        candidates: Sequence[tuple[Quad, float]],
        indices: Sequence[Reading],
        first: FirstPass | None = None,
    ) -> list[Reading]:
        """Return the readings of those candidates (outline, score) that are cards, best first, without duplicates.

        first: the results of the first pass, if it was run.
        """
        frames = [index.quad for index in indices]
        if not self.reader.searches_deck:
            # A box around several fanned cards contains indices, but none at a card's index spots.
            on_cards = [CardIndices(portrait(quad), frames) for quad, _ in candidates]
            candidates = [
                (quad, score)
                for (quad, score), its in zip(candidates, on_cards, strict=True)
                if score >= self.limits.confident_box or its.at_spots() or not its.strangers()
            ]
        readings = self.reader.read_cards(image, [quad for quad, _ in candidates], first)
        scored = []
        for (_, score), reading in zip(candidates, readings, strict=True):
            at_spots = [indices[i] for i in CardIndices(reading.quad, frames).at_spots()]
            corners = [index for index in at_spots if not (index.is_non_index or _is_misread_corner(index, reading))]
            own = [corner for corner in corners if not self._contradicts(corner, reading)]
            whole = with_indices(reading, own)
            # Seen at a low angle, the middle is compressed while two corners that agree are legible.
            is_refuted = bool(corners) and not own and len({corner.card for corner in corners}) == len(corners)
            if self._is_card(whole, score) and not is_refuted:
                scored.append((score * (0.3 + whole.confidence), replace(whole, score=score)))
        scored.sort(key=lambda pair: -pair[0])
        return drop_duplicates([reading for _, reading in scored], indices, image)

    def _is_card(self, reading: Reading, score: float) -> bool:
        is_confident = score >= self.limits.confident_box and reading.no_card <= self.limits.confident_box_no_card
        least = self.limits.ill_read if is_confident else self.limits.whole
        return reading.no_card <= self.limits.no_card and reading.confidence >= least and is_card_shaped(reading.quad)

    def _contradicts(self, index: Reading, card: Reading) -> bool:
        """Whether a confident index contradicts the card's reading: indices are rarely misread."""
        # Odd light on a corner is more common than an identical face of another colour exactly there.
        is_other_face = index.card.face is not card.card.face
        limit = min(self.limits.sure_index, max(self.limits.index, card.confidence))
        return is_other_face and index.confidence > limit

    def _read_alike(self, a: Reading, b: Reading) -> bool:
        """Whether two indices may belong to the same card."""
        return bool(a.probabilities @ b.probabilities > self.limits.alike)

    def _unclaimed(self, indices: Sequence[Reading], whole: Sequence[Reading]) -> list[Reading]:
        """Return the indices that no whole card claims."""
        frames = [index.quad for index in indices]
        claimed: set[int] = set()
        for card in whole:
            its = CardIndices(card.quad, frames)
            at_spots, inside = its.at_spots(), its.inside()
            agreeing = {i for i in at_spots | inside if indices[i].card == card.card}
            possible = {i for i in at_spots | inside if not self._contradicts(indices[i], card)}
            # Anything else on a card with both corners in view is its print, not another card.
            printed = inside & (agreeing | possible if len(at_spots) == 2 else agreeing)
            claimed |= (at_spots & possible) | printed
            if _is_confidently_learnt(card):
                # The deck's pictures show that the card is open, so its corners are its own however they read.
                claimed |= at_spots
            claimed |= {i for i in at_spots if _is_misread_corner(indices[i], card)}
        return [index for i, index in enumerate(indices) if i not in claimed and not index.is_non_index]


def _is_covered(quad: Quad, cards: Sequence[Reading]) -> bool:
    """Whether a clearly read card lies on the middle of an outline (4, 2), so that only its corners are its own."""
    clear = [card.quad for card in cards if card.confidence >= UNSURE_BELOW]
    return any(cv2.pointPolygonTest(other, quad.mean(0).tolist(), False) >= 0 for other in clear)


def _fused_sighting(card: Reading, fused: Sighting | None) -> Sighting:
    """Return the sighting of an open card; the fitted one only says what lies there if its corners alone are read."""
    if fused is None:
        return card.sighting(whole=True)
    return fused if card.cap == 1 else card.sighting(whole=True).with_other(fused.other)


def _context(boxed: Sequence[Reading], on_pile: bool) -> Sequence[Reading]:
    """Return the boxed indices that show whether other things lie around: on a pile, those of cards below are half
    covered.
    """
    return [] if on_pile else boxed


def _evidence(
    image: Image,
    cards: Sequence[Reading],
    indices: Sequence[Reading],
    context: Sequence[Reading],
    candidates: int,
    on_pile: bool,
) -> list[Evidence]:
    """Return the evidence about those cards that the networks alone read. context: see `_context`."""
    open_cards = [(card, card.corners) for card in cards if card.corners is not None]
    frames, found = [index.quad for index in indices], []
    for (card, cropped), light in zip(open_cards, Light.on(image, [card.quad for card, _ in open_cards]), strict=True):
        its = CardIndices(card.quad, frames)
        spots = its.by_spot()
        corners = [indices[i].logs if i is not None else logs for i, logs in zip(spots, cropped, strict=True)]
        middle = card.logs if card.middle is None else card.middle
        found.append(
            Evidence(
                card.quad,
                middle.astype(np.float64),
                np.stack(corners).astype(np.float64),
                (spots[0] is not None, spots[1] is not None),
                card.score,
                its.strangers(),
                candidates,
                on_pile,
                light,
                no_card_elsewhere(card.quad, context),
                card.foreign,
            )
        )
    return found


def _is_misread_corner(index: Reading, card: Reading) -> bool:
    """Whether an index at a learnt card's index spot matches none of that deck: it is the card's own, misread."""
    return index.is_out_of_deck and card.is_member


def _is_confidently_learnt(card: Reading) -> bool:
    return min(card.membership, card.confidence) >= CERTAIN


def _off_cards(quads: Sequence[Quad], cards: Sequence[Reading | Sighting]) -> list[Quad]:
    """Return the outlines that lie on none of the cards."""
    return [quad for quad in quads if not any(lies_on(quad, card.quad) for card in cards)]


def _index_frames(boxes: Sequence[Box]) -> list[Quad]:
    return [index_frame(box.quad) for box in boxes if box.kind is BoxKind.INDEX]


def explained_by_cards(cards: Sequence[Reading], frames: Sequence[Quad]) -> tuple[list[Reading], list[Quad]]:
    """Return the indices explained by cards read without them, and the frames (4, 2) of the others."""
    explained: dict[int, Reading] = {}
    for card in cards:
        for i in CardIndices(card.quad, frames).at_spots():
            nearest = min(card.quad[0::2], key=lambda corner: float(np.hypot(*(frames[i].mean(0) - corner))))
            explained[i] = replace(card, quad=turned(frames[i], int(np.hypot(*(frames[i] - nearest).T).argmin())))
    return list(explained.values()), [frame for i, frame in enumerate(frames) if i not in explained]
