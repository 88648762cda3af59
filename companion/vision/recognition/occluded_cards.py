"""Cards of which only a corner is visible, in a fan or a heap.

Decides which of the read corners belong to such cards and which are other print.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from companion.vision.core.corrections import corrected_seven
from companion.vision.core.geometry import Image, Quad, corner_frames, intersection_over_smaller
from companion.vision.core.limits import ReadingLimits
from companion.vision.core.reading import Reading
from companion.vision.core.sightings import FAIRLY, RUNNER_UP_BELOW, UNSURE_BELOW, Sighting
from companion.vision.recognition.corners import CardIndices, index_share, no_card_elsewhere, one_per_card
from companion.vision.recognition.fusion import CornerEvidence, FusionModel
from companion.vision.recognition.outlines import SAME_CARD, touches_similar_card
from companion.vision.recognition.reader import Reader

# Number of prints in the free corners of cards from which the deck has a picture there.
_FREE_CORNER_PRINTS = 3


@dataclass(frozen=True, eq=False)
class OccludedCards:
    """Finds cards with one visible corner. reader: checks their outlines. limits: acceptance thresholds. fusion: gives
    the probability that a corner is no card's.
    """

    reader: Reader
    limits: ReadingLimits
    fusion: FusionModel

    def find(
        self,
        image: Image,
        unclaimed: Sequence[Reading],
        whole: Sequence[Sighting],
        indices: Sequence[Reading],
        context: Sequence[Reading],
        readings: Sequence[Reading],
    ) -> list[Sighting]:
        """Return the occluded cards of a (H, W, 3) BGR picture.

        unclaimed: indices on no whole card. whole: open cards. indices: all that certainly are indices. context: all
        boxed indices, none on a pile. readings: all index readings, those of faint boxes included.
        """
        share = index_share([sighting.quad for sighting in whole], [index.quad for index in indices])
        accepted = self._accepted(image, one_per_card(unclaimed, share), whole, context)
        return _without_prints([one for one in accepted if not _is_duplicate(one, whole)], whole, readings)

    def evidence(
        self,
        image: Image,
        corners: Sequence[Reading],
        whole: Sequence[Quad],
        context: Sequence[Reading],
        cards: Sequence[Reading],
    ) -> list[CornerEvidence]:
        """Return the evidence about cards of which one corner was read. corners: with the outlines that they imply.
        whole: outlines of open cards. context: as for `find`. cards: all that corners imply, these among them.
        """
        behind = self.reader.predict_cards(image, [corner.quad for corner in corners])
        return [
            CornerEvidence(
                corner.logs.astype(np.float64),
                outline.logs.astype(np.float64),
                len(whole),
                touches_similar_card(corner.quad, whole),
                touches_similar_card(corner.quad, [other.quad for other in cards if other is not corner]),
                no_card_elsewhere(corner.quad, context),
            )
            for corner, outline in zip(corners, behind, strict=True)
        ]

    def _accepted(
        self, image: Image, cards: Sequence[Reading], whole: Sequence[Sighting], context: Sequence[Reading]
    ) -> list[Sighting]:
        """Return the occluded cards implied by unclaimed indices.

        Once one card certainly lies there, open or with a clear corner, the other corners are cards' too, and what is
        behind them is not read. A searched deck knows its own signs.
        """
        quads = [sighting.quad for sighting in whole]
        has_card = self.reader.searches_deck or any(one.confidence >= RUNNER_UP_BELOW for one in whole)
        accepted = []
        for card, one in sorted(((card, _by_corner(card)) for card in cards), key=lambda pair: -pair[1].confidence):
            if one.confidence < self.limits.index:
                break
            other = 0.0
            if not (has_card or card.is_member):
                (other,) = self.fusion.corner_other_probabilities(self.evidence(image, [card], quads, context, cards))
                has_card = 1 - other >= RUNNER_UP_BELOW
            accepted.append(one.with_other(other))
        return accepted


def _by_corner(card: Reading) -> Sighting:
    """Return the sighting of a card of which a corner is read; a learnt deck's card needs no correction."""
    sighting = card.sighting(whole=False)
    return sighting if card.is_member else corrected_seven(sighting, card.softmax.probabilities(card.logs), FAIRLY)


def _is_duplicate(sighting: Sighting, whole: Sequence[Sighting]) -> bool:
    """Whether an unsure corner belongs to an open card."""
    return sighting.doubt is not None and any(
        card.card == sighting.card and intersection_over_smaller(card.quad, sighting.quad) > SAME_CARD for card in whole
    )


def _without_prints(
    occluded: Sequence[Sighting], whole: Sequence[Sighting], readings: Sequence[Reading]
) -> list[Sighting]:
    """Return the occluded cards without print in another card's free corner.

    UNO Mario Kart has an item's picture there, and all of them are visible in a fan: an unsure reading there in the
    card's colour is no card. readings: all index readings of the picture.
    """
    cards = [*whole, *occluded]
    clear = [sighting.quad for sighting in cards if sighting.confidence >= UNSURE_BELOW]
    unsure = [index.quad for index in readings if index.confidence < UNSURE_BELOW]
    if len(set[int]().union(*(CardIndices(quad, unsure).in_free_corners() for quad in clear))) < _FREE_CORNER_PRINTS:
        return list(occluded)
    return [one for one in occluded if one.confidence >= UNSURE_BELOW or not _is_print_of_another(one, cards)]


def _is_print_of_another(sighting: Sighting, cards: Sequence[Sighting]) -> bool:
    """Whether an index is in the free corner of a more confident card of its colour."""
    index = corner_frames(sighting.quad)[0]
    return any(
        card.card.color is sighting.card.color
        and card.confidence > sighting.confidence
        and CardIndices(card.quad, [index]).in_free_corners()
        for card in cards
    )
