"""Cards of which only a corner shows: behind others in a fan or a heap. Which of the corners read are such cards', and
which are mere print."""

from __future__ import annotations

from collections.abc import Sequence

from companion.vision.core.geometry import Image, Quad, corner_frames, intersection_over_smaller
from companion.vision.core.limits import ReadingLimits
from companion.vision.core.reading import Reading
from companion.vision.core.sightings import Sighting
from companion.vision.recognition.confidence_checks import corner_as_told
from companion.vision.recognition.corners import (
    CardIndices,
    index_share,
    is_in_company,
    is_size_of_others,
    one_per_card,
)
from companion.vision.recognition.reader import Reader

# From so many prints in the free corners of cards on, the deck has a picture there.
_ITEMS = 3
# Where a coloured index is read with less, it is looked whether a card lies there at all: of 70 such places in 24 drawn
# hands the eight that seemed bare were read with at most 0.4.
_LOOKED_FOR = 0.6
# An unsure corner whose card would share more of its area than this with an open one that reads alike is that card's
# own, seen twice, as where it moved: in 160 pictures of hands no like card lay so on another.
_SHARED = 0.7
# What looks like nothing in the learnt deck's corners is a card's if it is read so surely: of six told of with less
# in 214 hands of six decks none was one but letters of their print; the one that was read with .4 to .6 was.
_READ_THOUGH_UNLIKE = 0.4


class HiddenCards:
    """Tells the cards that only a corner of shows. reader: looks where they must lie. limits: what of it counts."""

    def __init__(self, reader: Reader, limits: ReadingLimits) -> None:
        self._reader = reader
        self._limits = limits

    def among(
        self,
        image: Image,
        loose: Sequence[Reading],
        whole: Sequence[Sighting],
        indices: Sequence[Reading],
        read: Sequence[Reading],
    ) -> list[Sighting]:
        """Return the cards that corners tell of, in a (H, W, 3) BGR picture.

        loose: the corners that are no whole card's. whole: the cards that lie open. indices: the corners that are
        surely some. read: all that were looked at, be they corners or not.
        """
        quads = [sighting.quad for sighting in whole]
        share = index_share(quads, [index.quad for index in indices])
        loose = [index for index in loose if not index.is_unlike or index.confidence >= _READ_THOUGH_UNLIKE]
        likely = self._likely(image, one_per_card(loose, share), quads)
        return self._without_items([s for s in likely if not _is_seen_twice(s, whole)], whole, read)

    def _likely(self, image: Image, cards: Sequence[Reading], whole: Sequence[Quad]) -> list[Sighting]:
        """Return the fanned and half-hidden cards among those that loose indices tell of; the others are mere print.

        Unless the index is clear, such a card is of the size of the others in the picture, and the card reader sees
        cards where it must lie; it looks only where that decides.
        """
        limits = self._limits
        sightings = [corner_as_told(card) for card in cards]
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
        doubtful = [index.quad for index in read if index.confidence < clearly]
        if len(set[int]().union(*(CardIndices(quad, doubtful).in_free_corners() for quad in clear))) < _ITEMS:
            return list(behind)
        return [s for s in behind if s.confidence >= clearly or not _is_print_of_another(s, listed)]

    def _is_likely_neighbour(self, sighting: Sighting, nothing: float) -> bool:
        limits = self._limits
        if sighting.card.color is None:
            return sighting.confidence >= limits.dark_neighbour
        return sighting.confidence >= (limits.misread if nothing < limits.surely_card else limits.neighbour)


def _is_seen_twice(sighting: Sighting, whole: Sequence[Sighting]) -> bool:
    """Whether an unsure corner is the own one of a card that lies open."""
    return sighting.doubt is not None and any(
        card.card == sighting.card and intersection_over_smaller(card.quad, sighting.quad) > _SHARED for card in whole
    )


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
