"""Reads crops: the card of a whole-card or index crop, and the exact outline of a card."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial

import numpy as np
from numpy.typing import NDArray

from companion.cards import ALL_CARDS
from companion.vision.core.calibration import Calibration
from companion.vision.core.deck_cards import DeckCards
from companion.vision.core.geometry import Image, Quad, aspect, corner_frames, portrait, turned
from companion.vision.core.labels import Floats, log_softmax
from companion.vision.core.reading import Reading, Scale, with_indices
from companion.vision.core.runtime import Network
from companion.vision.core.sightings import CERTAIN, EVEN, FAIRLY, NEARLY, RUNNER_UP_BELOW, UNSURE_BELOW, Sighting
from companion.vision.detection.crops import Crops, IndexPass, Pass, mean_index, mean_of, together
from companion.vision.detection.deck_protocol import Deck, PictureMatch, with_pictures
from companion.vision.detection.embedding import Embedding

INDEX_VIEWS = ((-0.1, 2), (0.0, 0), (0.12, 1))
"""Views of an index: enlargement of the frame, and quarter turns.

Averaging evens out box errors and the network's errors, which differ between views (test-time augmentation: Krizhevsky
et al. 2012).
"""
MAYBE_SIDEWAYS = 0.72
"""Aspect ratio above which an outline may be a card seen sideways: at 60 degrees 56 x 87 mm appear as 56 x 43, or
longer in perspective.
"""
# Corner views of a card identified by its picture, and their weight relative to the picture. Chosen on 96 open cards of
# six designs (93 correct, 91 without), not validated on others.
_MATCH_VIEWS, _CORNERS = tuple((growth, 0) for growth, _ in INDEX_VIEWS), 0.5
# Margin (nats) from which a picture match is accepted without reading the corners.
_PLAIN = 8.0


@dataclass(frozen=True, eq=False)
class FirstPass:
    """Results of the first pass. seen: result of one crop per outline. plain: readings that need no further crops."""

    seen: Sequence[Pass]
    plain: Mapping[int, Reading]


@dataclass(frozen=True, eq=False)
class Reader:
    """Reads cards and indices with the two exported networks.

    calibration: temperatures of the networks. cards: what the networks' cards mean; all, themselves, if None.
    embedding: of card art, for learnt decks. deck: the learnt deck.
    """

    card_network: Network
    index_network: Network
    calibration: Calibration = field(default_factory=Calibration)
    cards: DeckCards | None = None
    embedding: Embedding | None = None
    deck: Deck | None = None

    @cached_property
    def _crops(self) -> Crops:
        return Crops(self.card_network, self.index_network, self.embedding, self.deck, self.seeks, self.cards)

    @cached_property
    def card_scale(self) -> Scale:
        """The cards under consideration, and the temperature of whole cards."""
        considered = np.ones(len(ALL_CARDS), bool) if self.cards is None else self.cards.considered
        return Scale(self.calibration.card, np.append(considered, True))

    @cached_property
    def _index_scale(self) -> Scale:
        return replace(self.card_scale, temperature=self.calibration.index)

    def first_pass(self, image: Image, quads: Sequence[Quad]) -> FirstPass:
        """Return the first-pass results for rough outlines (4, 2) in a (H, W, 3) BGR uint8 picture.

        Cards that are clearly a searched deck's are confirmed by an upside-down crop.
        """
        seen = self._crops.cards(image, [portrait(quad) for quad in quads])
        clear: dict[int, Reading] = {}
        scale = self.card_scale
        found = [i for i, one in enumerate(seen) if self._is_clear(one)]
        for i, view in zip(found, self._crops.cards_turned(image, [seen[i].outline for i in found]), strict=True):
            both = together(seen[i], view)
            certain = min(view.membership, scale.top_probability(both.logs)) >= CERTAIN
            if certain and seen[i].top == view.top:
                clear[i] = Reading(both.outline, both.logs, scale, membership=1.0)
        return FirstPass(seen, clear)

    def _is_clear(self, seen: Pass) -> bool:
        is_learnt = self.seeks and seen.membership >= CERTAIN
        return is_learnt and self.card_scale.top_probability(seen.logs) >= NEARLY

    def read_cards(
        self,
        image: Image,
        quads: Sequence[Quad],
        first: FirstPass | None = None,
    ) -> list[Reading]:
        """Return a reading for each rough outline (4, 2) in the (H, W, 3) BGR uint8 picture.

        The first crop refines the outline, further crops read the card in both orientations. Then the corners are read
        at full resolution, which helps if the middle shows no digit. Where the first crop shows no card, reading stops
        early and returns an improbable card. first: first-pass results, if available.
        """
        if not quads:
            return []
        first = first or self.first_pass(image, quads)
        left = [i for i in range(len(quads)) if i not in first.plain]
        seen, going_on = self._looks(image, [first.seen[i] for i in left])
        if self.deck is not None and self.seeks and not self.deck.cards.identifies:
            seen = [replace(one, membership=0.0) for one in seen]
        looks = dict(zip(left, seen, strict=True))
        cards = {
            i: Reading(one.outline, one.logs, self.card_scale, one.membership, foreign=one.foreign)
            for i, one in looks.items()
        }
        given_up = {i for i, on in zip(left, going_on, strict=True) if not on}
        read_on = [i for i in cards if i not in given_up and i not in first.plain]
        frames = [frame for i in read_on for frame in corner_frames(cards[i].quad)]
        corners = ((frame, seen) for frame, (seen,) in zip(frames, self._crops.indices(image, frames), strict=True))
        are_anothers = cache(partial(self.are_of_another_deck, image, [cards[i].quad for i in read_on]))
        for i, one in zip(read_on, self._crops.cards_with_deck([looks[i] for i in read_on]), strict=True):
            ends = [next(corners), next(corners)]
            if one.by_deck is None:
                cards[i] = self._with_corners(cards[i], [self._index(*end) for end in ends])
            else:
                by_deck = replace(cards[i], logs=one.by_deck, membership=one.membership)
                cards[i] = self._more_confident_card(cards[i], by_deck, ends, are_anothers)
        cards |= first.plain
        return [cards[i] for i in range(len(quads))]

    def _index(self, quad: Quad, seen: IndexPass) -> Reading:
        return Reading(quad, seen.logs, self._index_scale, seen.membership)

    def _with_corners(self, card: Reading, corners: Sequence[Reading]) -> Reading:
        combined = with_indices(card, self._own(card, corners))
        first, second = corners
        if card.known or not self.reads_printed:
            return combined
        return replace(combined, ends=(first.logs, second.logs))

    def _own(self, card: Reading, corners: Sequence[Reading]) -> Sequence[Reading]:
        """Return the corners that count for a card: for a learnt deck, those that belong to it."""
        if self.deck is None or not (card.known or (self.seeks and card.membership > 0)):
            return corners
        own = [one for one in corners if not one.is_non_index and one.membership >= card.membership / 2]
        return own if self.deck.has_indices else []

    def _more_confident_card(
        self,
        alone: Reading,
        by_deck: Reading,
        ends: Sequence[tuple[Quad, IndexPass]],
        are_anothers: Callable[[], bool],
    ) -> Reading:
        """Return the reading of a card of a known design, by the networks or by the deck, whichever is more confident.

        alone, by_deck: readings of the card's middle. ends: frames and readings of its corners. are_anothers: whether
        another deck lies there. If both agree, the deck only raises the confidence of cards that certainly belong to
        it: its labels may be wrong.
        """
        alone, corners = replace(alone, membership=0.0), [self._index(*end) for end in ends]
        by_networks = self._with_corners(alone, corners)
        agreed = by_deck.card == by_networks.card
        its_card = by_deck.membership >= CERTAIN if agreed else by_deck.known
        if not its_card:
            return by_networks
        if agreed and by_networks.confidence >= RUNNER_UP_BELOW:
            # The deck has many corner prototypes, so it is queried only if needed.
            return by_networks
        alone = with_indices(alone, corners)
        frames, seen = zip(*ends, strict=True)
        corners = list(map(self._more_confident_index, frames, self._crops.indices_with_deck([[one] for one in seen])))
        other = with_indices(by_deck, self._own(by_deck, corners))
        least = 0.0 if agreed and by_networks.confidence >= EVEN else NEARLY
        is_better = (agreed or other.card != by_networks.card) and other.confidence > max(alone.confidence, least)
        return self._with_corners(by_deck, corners) if is_better and not are_anothers() else by_networks

    def _looks(self, image: Image, glances: Sequence[Pass]) -> tuple[list[Pass], NDArray[np.bool_]]:
        """Return the results after a first crop per outline, and (N,) whether each was read completely."""
        seen = list(glances)
        first = [one.top for one in seen]
        read_on = ~np.array([self._is_hopeless(one) for one in seen], bool)
        refined = [portrait(one.outline) for one in seen]
        # A low camera sees a card that points towards it shorter than wide, that is sideways.
        aspects = np.array([aspect(quad) for quad in refined])
        going_on = np.flatnonzero(read_on).tolist()
        again = []
        for i, one in zip(going_on, self._crops.cards_turned(image, [refined[i] for i in going_on]), strict=True):
            seen[i] = one
            confidence = self.card_scale.top_probability(one.logs)
            if not self.seeks and confidence >= CERTAIN and one.top == first[i]:
                continue
            again.append(i)
        for i, one in zip(again, self._crops.cards(image, [refined[i] for i in again]), strict=True):
            seen[i] = together(one, seen[i])
        low = [i for i in again if aspects[i] > MAYBE_SIDEWAYS]
        sideways = [turned(refined[i], -1) for i in low]
        for i, a, b in zip(
            low, self._crops.cards(image, sideways), self._crops.cards_turned(image, sideways), strict=True
        ):
            other = together(a, b)
            if other.logs[:-1].max() > seen[i].logs[:-1].max():
                seen[i] = other
        return seen, read_on

    def _is_hopeless(self, seen: Pass) -> bool:
        """Whether the first crop shows no card; a searched deck's card may look like none to the networks."""
        return not self.seeks and float(self.card_scale.probabilities(seen.logs)[-1]) > FAIRLY

    def with_deck(self, deck: Deck) -> Reader:
        """Return a reader with the same networks and a learnt deck."""
        return replace(self, deck=deck)

    def with_cards(self, cards: DeckCards) -> Reader:
        """Return a reader with the same networks, without a deck, whose cards mean these."""
        return replace(self, cards=cards, deck=None)

    @property
    def seeks(self) -> bool:
        """Whether a learnt deck's cards, unknown to the networks, are searched for by picture."""
        return self.deck is not None and self.deck.seeks

    @property
    def reads_printed(self) -> bool:
        """Whether printed cards are read as the networks know them: no other design, no stand-ins for a deck's own,
        whose colours are other ones.
        """
        return not self.seeks and (self.cards is None or self.cards.shares is None)

    @property
    def fills_in(self) -> bool:
        """Whether cards of a learnt deck's hand that the networks miss are searched for by picture."""
        return self.deck is not None and self.deck.fills_in

    def are_of_another_deck(self, image: Image, cards: Sequence[Quad]) -> bool:
        """Whether none of the whole cards in outlines (4, 2) is probably of the learnt deck, in a mirror neither."""
        odds = self.deck_odds(image, cards)
        return len(odds) > 0 and bool((odds < 0).all())

    def deck_odds(self, image: Image, cards: Sequence[Quad]) -> Floats:
        """Return the log-odds (N,) that whole cards in outlines (4, 2) are of the learnt deck, as they are or mirrored.

        Without a deck there are none.
        """
        if self.deck is None or not cards:
            return np.zeros(0, np.float32)
        mirrored = [quad[[1, 0, 3, 2]] for quad in cards]
        ways = [turned(quad, turn) for quad in (*cards, *mirrored) for turn in (0, 2)]
        odds = self.deck.cards.odds(self.describe_cards(image, ways)[1])
        return np.asarray(odds.reshape(2, len(cards), 2).max((0, 2)), np.float32)

    def deck_matches(
        self,
        image: Image,
        known: Sequence[Quad],
        sure: Sequence[Reading | Sighting] = (),
        boxed: Sequence[Quad] | None = None,
    ) -> list[tuple[Reading, PictureMatch]]:
        """Return the learnt deck's cards in a picture, from picture matches and networks.

        sure: cards already identified, which may occlude others. known, boxed: see `Deck.seek`.
        """
        if self.deck is None:
            return []
        found = self.deck.seek(image, known, [card.quad for card in sure], boxed)
        return [(self._seen_there(image, one, self.deck), one) for one in found]

    def _seen_there(self, image: Image, one: PictureMatch, deck: Deck) -> Reading:
        """Return the reading of a match: by its picture and, if uncertain, by the networks."""
        # A face without a picture may look very similar to one that has one.
        if not len(one.unseen) and np.partition(one.logs[:-1], -2)[-2] <= -_PLAIN:
            scale = self.card_scale if one.open else self._index_scale
            return Reading(one.quad, log_softmax(one.logs[None])[0], scale, membership=1.0)
        crops = replace(self._crops, deck=deck, at_once=True)
        frames = [frame for frame in deck.corners(one.quad) if one.shows(frame.mean(0)[None]).all()]
        corners = np.zeros_like(one.logs)
        for seen in crops.indices(image, frames, _MATCH_VIEWS):
            corners += np.mean([view.logs * view.membership for view in seen], axis=0)
        if one.open:
            views = crops.cards(image, [one.quad, turned(one.quad, 2)])
            read, scale = mean_of([view.logs for view in views]) + _CORNERS * corners, self.card_scale
            # A badly outlined picture fits nothing; a crop that is certainly similar to other views of that card is it.
            if all(view.membership >= CERTAIN and one.among_seen(view.logs).max() > np.log(CERTAIN) for view in views):
                return Reading(one.quad, log_softmax(read[None])[0], scale, membership=1.0)
        else:
            read, scale = _CORNERS * corners, self._index_scale
        return Reading(one.quad, with_pictures(np.asarray(read, np.float32), one), scale, membership=1.0)

    def learnt_cards(self, image: Image, quads: Sequence[Quad]) -> list[Reading]:
        """Return the readings of rough outlines (4, 2) that the learnt deck alone accepts with high confidence."""
        if self.deck is None or not quads:
            return []
        upright = [portrait(quad) for quad in quads]
        _, features = self.describe_cards(image, [*upright, *(turned(quad, 2) for quad in upright)])
        logs = self.deck.cards.posterior(features).reshape(2, len(quads), -1)
        scale = replace(self.card_scale, temperature=1.0)
        found = [
            Reading(quad, mean_of(both), scale, membership=float(1 - np.exp(mean_of(both)[-1])))
            for quad, both in zip(upright, logs.transpose(1, 0, 2), strict=True)
        ]
        return [card for card in found if card.confidence >= UNSURE_BELOW]

    def glances(self, image: Image, quads: Sequence[Quad]) -> list[Pass]:
        """Return the card reader's results in rough outlines, occluded cards included."""
        return self._crops.cards(image, quads)

    def outlines(self, image: Image, quads: Sequence[Quad]) -> list[Quad]:
        """Return the outline (4, 2) that the card reader finds from each rough one, of half covered cards too."""
        return self._crops.outlines(image, quads)

    def no_card_probabilities(self, image: Image, quads: Sequence[Quad]) -> Floats:
        """Return (N,) the probability of "no card" there."""
        return np.exp(np.array([one.logs[-1] for one in self.glances(image, quads)], np.float32))

    def read_indices(
        self,
        image: Image,
        frames: Sequence[Quad],
        views: Sequence[tuple[float, int]] = INDEX_VIEWS,
        least: float = 0.0,
    ) -> list[Reading]:
        """Return a reading for each square (4, 2) around an index in any of four orientations.

        It averages the `views`: enlargement and quarter turns. Further views are skipped if the previous ones are
        confident or below `least`, unless a deck is searched.
        """
        looks: list[list[IndexPass]] = [[] for _ in frames]
        for view in views:
            again = [i for i, look in enumerate(looks) if not look or self._is_open(look, least)]
            if not again:
                break
            for i, seen in zip(again, self._crops.indices(image, [frames[i] for i in again], [view]), strict=True):
                looks[i] += seen
        weighed = zip(frames, self._crops.indices_with_deck(looks), strict=True)
        return [self._index_reading(frame, one) for frame, one in weighed]

    def _is_open(self, looks: Sequence[IndexPass], least: float) -> bool:
        """Whether another view of an index is worth its cost."""
        return self.seeks or least <= self._index_scale.top_probability(mean_index(looks).logs) < FAIRLY

    def _index_reading(self, frame: Quad, seen: IndexPass) -> Reading:
        """Return the combined reading of an index' views."""
        read = self._more_confident_index(turned(frame, int(seen.turns.argmax())), seen)
        if self.deck is None:
            return read
        if not self.deck.seeks:
            # The networks' readings keep their caps.
            return read if read.logs is seen.by_deck else replace(read, membership=0.0)
        return read if self.deck.indices.identifies else replace(read, membership=0.0)

    def _more_confident_index(self, quad: Quad, seen: IndexPass) -> Reading:
        """Return the reading of an index of a known design, by the networks or by the deck, whichever is more
        confident.

        If both agree, the networks' confidence is used unless the deck identifies its cards and the index certainly
        belongs to it. A match with another sign of the deck is print at an index' place.
        """
        alone = self._index(quad, seen)
        if self.deck is None or seen.by_deck is None:
            return alone
        agreed = bool(seen.by_deck.argmax() == seen.logs.argmax())
        by_deck = Reading(quad, seen.by_deck, self._index_scale, seen.membership, overrides_networks=not agreed)
        is_certain = self.deck.cards.identifies and self.deck.indices.identifies and by_deck.membership >= CERTAIN
        its_card = (is_certain and by_deck.confidence > by_deck.nothing) if agreed else by_deck.known
        credit = self.deck.indices.reader_reliability(int(alone.probabilities[:-1].argmax())) if its_card else 1.0
        if not its_card or max(credit * alone.confidence, alone.nothing) > max(by_deck.confidence, by_deck.nothing):
            return (
                replace(alone, is_out_of_deck=True) if seen.is_out_of_deck and self.deck.indices.identifies else alone
            )
        return replace(alone, is_non_index=True) if by_deck.nothing > by_deck.confidence else by_deck

    def describe_cards(self, image: Image, quads: Sequence[Quad]) -> tuple[Floats, Floats]:
        """Return (N, 57) log-likelihoods and (N, D) features of whole cards in their outlines (4, 2)."""
        return self._crops.describe_cards(image, quads)

    def features(self, image: Image, quads: Sequence[Quad]) -> Floats:
        """Return (N, D) features of the card reader for whole cards in their outlines (4, 2)."""
        return self._crops.reader_features(image, quads)

    def describe_indices(self, image: Image, frames: Sequence[Quad]) -> tuple[Floats, Floats]:
        """The same for the squares (4, 2) around upright indices."""
        return self._crops.describe_indices(image, frames)
