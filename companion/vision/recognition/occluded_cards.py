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
from companion.vision.recognition.corners import (
    CardIndices,
    elsewhere,
    index_share,
    one_per_card,
)
from companion.vision.recognition.fusion import CornerEvidence, FusionModel
from companion.vision.recognition.outlines import SAME_CARD, is_in_company
from companion.vision.recognition.reader import Reader

# Number of prints in the free corners of cards from which the deck has a picture there.
_ITEMS = 3


@dataclass(frozen=True, eq=False)
class HiddenCards:
    """Finds cards with one visible corner. reader: checks their places. limits: acceptance thresholds. fusion: gives
    the probability that a corner is no card's.
    """

    reader: Reader
    limits: ReadingLimits
    fusion: FusionModel

    def among(
        self,
        image: Image,
        loose: Sequence[Reading],
        whole: Sequence[Sighting],
        indices: Sequence[Reading],
        signs: Sequence[Reading],
        read: Sequence[Reading],
    ) -> list[Sighting]:
        """Return the occluded cards of a (H, W, 3) BGR picture.

        loose: corners that no whole card claims. whole: open cards. indices: certain corners. signs: all boxed indices,
        none on a pile. read: all readings of corner candidates, faint boxes included.
        """
        quads = [sighting.quad for sighting in whole]
        share = index_share(quads, [index.quad for index in indices])
        likely = self._likely(image, one_per_card(loose, share), whole, signs)
        return _without_items([one for one in likely if not _is_seen_twice(one, whole)], whole, read)

    def evidence(
        self,
        image: Image,
        corners: Sequence[Reading],
        whole: Sequence[Quad],
        signs: Sequence[Reading],
        cards: Sequence[Reading],
    ) -> list[CornerEvidence]:
        """Return the evidence about cards of which one corner was read. corners: with the outlines that they imply.
        whole: outlines of open cards. signs: as for `among`. cards: all that corners imply, these among them.
        """
        behind = self.reader.predict_cards(image, [corner.quad for corner in corners])
        return [
            CornerEvidence(
                corner.logs.astype(np.float64),
                seen.logs.astype(np.float64),
                len(whole),
                is_in_company(corner.quad, whole),
                is_in_company(corner.quad, [other.quad for other in cards if other is not corner]),
                elsewhere(corner.quad, signs),
            )
            for corner, seen in zip(corners, behind, strict=True)
        ]

    def _likely(
        self, image: Image, cards: Sequence[Reading], whole: Sequence[Sighting], signs: Sequence[Reading]
    ) -> list[Sighting]:
        """Return the occluded cards implied by unclaimed indices.

        Once one card certainly lies there, open or with a clear corner, the other corners are cards' too, and what is
        behind them is not read. A searched deck knows its own signs.
        """
        quads = [sighting.quad for sighting in whole]
        is_game = self.reader.searches_deck or any(sighting.confidence >= RUNNER_UP_BELOW for sighting in whole)
        found = []
        for card, seen in sorted(((card, _by_corner(card)) for card in cards), key=lambda pair: -pair[1].confidence):
            if seen.confidence < self.limits.index:
                break
            other = 0.0
            if not (is_game or card.is_member):
                (other,) = self.fusion.other_corners(self.evidence(image, [card], quads, signs, cards))
                is_game = 1 - other >= RUNNER_UP_BELOW
            found.append(seen.unless(other))
        return found


def _by_corner(card: Reading) -> Sighting:
    """Return the sighting of a card of which a corner is read; a learnt deck's card needs no correction."""
    seen = card.sighting(whole=False)
    return seen if card.is_member else corrected_seven(seen, card.softmax.probabilities(card.logs), FAIRLY)


def _is_seen_twice(sighting: Sighting, whole: Sequence[Sighting]) -> bool:
    """Whether an unsure corner belongs to an open card."""
    return sighting.doubt is not None and any(
        card.card == sighting.card and intersection_over_smaller(card.quad, sighting.quad) > SAME_CARD for card in whole
    )


def _without_items(behind: Sequence[Sighting], whole: Sequence[Sighting], read: Sequence[Reading]) -> list[Sighting]:
    """Return the occluded cards without print in another card's free corner.

    UNO Mario Kart has an item's picture there, and all of them are visible in a fan: an unsure reading there in the
    card's colour is no card. read: all index readings of the picture.
    """
    listed = [*whole, *behind]
    clear = [sighting.quad for sighting in listed if sighting.confidence >= UNSURE_BELOW]
    unsure = [index.quad for index in read if index.confidence < UNSURE_BELOW]
    if len(set[int]().union(*(CardIndices(quad, unsure).in_free_corners() for quad in clear))) < _ITEMS:
        return list(behind)
    return [one for one in behind if one.confidence >= UNSURE_BELOW or not _is_print_of_another(one, listed)]


def _is_print_of_another(sighting: Sighting, cards: Sequence[Sighting]) -> bool:
    """Whether an index is in the free corner of a more confident card of its colour."""
    index = corner_frames(sighting.quad)[0]
    return any(
        card.card.color is sighting.card.color
        and card.confidence > sighting.confidence
        and CardIndices(card.quad, [index]).in_free_corners()
        for card in cards
    )
