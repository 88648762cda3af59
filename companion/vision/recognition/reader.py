"""Reads crops: the card of a whole-card or index crop, and the exact outline of a card."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial

import numpy as np

from companion.cards import ALL_CARDS
from companion.vision.core.calibration import Calibration
from companion.vision.core.deck_cards import DeckCards
from companion.vision.core.geometry import Image, Quad, aspect, corner_frames, portrait, turned
from companion.vision.core.labels import Floats, log_softmax
from companion.vision.core.reading import MaskedSoftmax, Reading, with_indices
from companion.vision.core.runtime import Network
from companion.vision.core.sightings import CERTAIN, EVEN, FAIRLY, NEARLY, RUNNER_UP_BELOW, UNSURE_BELOW, Sighting
from companion.vision.detection.crops import (
    CardPrediction,
    CropReader,
    IndexPrediction,
    View,
    log_mean,
    mean_card,
    mean_index,
)
from companion.vision.detection.deck_protocol import Deck, PictureMatch, add_picture_evidence
from companion.vision.detection.embedding import Embedding

INDEX_VIEWS: tuple[View, ...] = ((-0.1, 2), (0.0, 0), (0.12, 1))
"""Views of an index.

Averaging evens out box errors and the network's errors, which differ between views (test-time augmentation: Krizhevsky
et al. 2012).
"""
MAYBE_SIDEWAYS = 0.72
"""Aspect ratio above which an outline may be a card seen sideways: at 60 degrees 56 x 87 mm appear as 56 x 43, or
longer in perspective.
"""
# Corner views of a card identified by its picture, and their weight relative to the picture. Chosen on 96 open cards of
# six designs (93 correct, 91 without), not validated on others.
_MATCH_VIEWS, _CORNER_WEIGHT = tuple((growth, 0) for growth, _ in INDEX_VIEWS), 0.5
# Lead over the second card (nats) from which a picture match is accepted without running the networks on it.
_CLEAR_LEAD = 8.0


@dataclass(frozen=True, eq=False)
class FirstPass:
    """Results of one crop per outline. predictions: of each outline. confirmed: readings that need no further crops, by
    the outline's number.
    """

    predictions: Sequence[CardPrediction]
    confirmed: Mapping[int, Reading]


@dataclass(frozen=True, eq=False)
class Reader:
    """Reads cards and indices with the two exported networks.

    calibration: temperatures of the networks. deck_cards: what the networks' cards mean; all, themselves, if None.
    embedding: of card art, for learnt decks. deck: the learnt deck.
    """

    card_network: Network
    index_network: Network
    calibration: Calibration = field(default_factory=Calibration)
    deck_cards: DeckCards | None = None
    embedding: Embedding | None = None
    deck: Deck | None = None

    @cached_property
    def _crop_reader(self) -> CropReader:
        return CropReader(
            self.card_network, self.index_network, self.embedding, self.deck, self.searches_deck, self.deck_cards
        )

    @cached_property
    def card_softmax(self) -> MaskedSoftmax:
        """The cards under consideration, and the temperature of whole cards."""
        considered = np.ones(len(ALL_CARDS), bool) if self.deck_cards is None else self.deck_cards.considered
        return MaskedSoftmax(self.calibration.card, np.append(considered, True))

    @cached_property
    def _index_softmax(self) -> MaskedSoftmax:
        return replace(self.card_softmax, temperature=self.calibration.index)

    def first_pass(self, image: Image, quads: Sequence[Quad]) -> FirstPass:
        """Return the first-pass results for rough outlines (4, 2) in a (H, W, 3) BGR uint8 picture.

        Cards that are clearly a searched deck's are confirmed by an upside-down crop.
        """
        predictions = self._crop_reader.predict_cards(image, [portrait(quad) for quad in quads])
        clear = [i for i, one in enumerate(predictions) if self._is_clear_member(one)]
        upside_down = self._crop_reader.predict_cards_upside_down(image, [predictions[i].outline for i in clear])
        confirmed: dict[int, Reading] = {}
        for i, other in zip(clear, upside_down, strict=True):
            both = mean_card(predictions[i], other)
            is_certain = min(other.membership, self.card_softmax.top_probability(both.logs)) >= CERTAIN
            if is_certain and predictions[i].top == other.top:
                confirmed[i] = Reading(both.outline, both.logs, self.card_softmax, membership=1.0)
        return FirstPass(predictions, confirmed)

    def _is_clear_member(self, card: CardPrediction) -> bool:
        is_member = self.searches_deck and card.membership >= CERTAIN
        return is_member and self.card_softmax.top_probability(card.logs) >= NEARLY

    def read_cards(self, image: Image, quads: Sequence[Quad], first: FirstPass | None = None) -> list[Reading]:
        """Return a reading for each rough outline (4, 2) in the (H, W, 3) BGR uint8 picture.

        The first crop refines the outline, further crops read the card in both orientations. Then the corners are read
        at full resolution, which helps if the middle shows no digit. Where the first crop shows no card, reading stops
        early and returns an improbable card. first: first-pass results, if available.
        """
        if not quads:
            return []
        first = first or self.first_pass(image, quads)
        predictions = list(first.predictions)
        promising = [i for i, one in enumerate(predictions) if not (i in first.confirmed or self._shows_no_card(one))]
        for i, one in zip(promising, self._refine(image, [predictions[i] for i in promising]), strict=True):
            predictions[i] = one
        if self.deck is not None and self.searches_deck and not self.deck.cards.identifies:
            predictions = [replace(one, membership=0.0) for one in predictions]
        cards = [
            Reading(one.outline, one.logs, self.card_softmax, one.membership, foreign=one.foreign)
            for one in predictions
        ]
        frames = [frame for i in promising for frame in corner_frames(cards[i].quad)]
        indices = self._crop_reader.predict_indices(image, frames)
        corners = [(frame, index) for frame, (index,) in zip(frames, indices, strict=True)]
        pairs = zip(corners[::2], corners[1::2], strict=True)
        is_another_deck = cache(partial(self.are_of_another_deck, image, [cards[i].quad for i in promising]))
        with_deck = self._crop_reader.add_deck_evidence([predictions[i] for i in promising])
        for i, one, pair in zip(promising, with_deck, pairs, strict=True):
            if one.deck_logs is None:
                cards[i] = self._with_corners(cards[i], [self._index(*corner) for corner in pair])
            else:
                by_deck = replace(cards[i], logs=one.deck_logs, membership=one.membership)
                cards[i] = self._more_confident_card(cards[i], by_deck, pair, is_another_deck)
        return [first.confirmed.get(i, card) for i, card in enumerate(cards)]

    def _index(self, quad: Quad, prediction: IndexPrediction) -> Reading:
        return Reading(quad, prediction.logs, self._index_softmax, prediction.membership)

    def _with_corners(self, card: Reading, corners: Sequence[Reading]) -> Reading:
        combined = with_indices(card, self._own_corners(card, corners))
        first, second = corners
        if card.is_member or not self.reads_printed:
            return combined
        return replace(combined, corners=(first.logs, second.logs))

    def _own_corners(self, card: Reading, corners: Sequence[Reading]) -> Sequence[Reading]:
        """Return the corners that count for a card: for a learnt deck, those that belong to it."""
        if self.deck is None or not (card.is_member or (self.searches_deck and card.membership > 0)):
            return corners
        own = [one for one in corners if not one.is_non_index and one.membership >= card.membership / 2]
        return own if self.deck.has_indices else []

    def _more_confident_card(
        self,
        by_networks: Reading,
        by_deck: Reading,
        corners: Sequence[tuple[Quad, IndexPrediction]],
        is_another_deck: Callable[[], bool],
    ) -> Reading:
        """Return the reading of a card of a known design, by the networks or by the deck, whichever is more confident.

        by_networks, by_deck: readings of the card's middle. corners: frames and predictions. is_another_deck: whether
        another deck lies there. If both agree, the deck only raises the confidence of cards that certainly belong to
        it: its labels may be wrong.
        """
        by_networks = replace(by_networks, membership=0.0)
        by_networks = self._with_corners(by_networks, [self._index(*corner) for corner in corners])
        agree = by_deck.card == by_networks.card
        is_member = by_deck.membership >= CERTAIN if agree else by_deck.is_member
        # The deck has many corner prototypes, so it is queried only if needed.
        if not is_member or (agree and by_networks.confidence >= RUNNER_UP_BELOW):
            return by_networks
        frames, predictions = zip(*corners, strict=True)
        answers = self._crop_reader.combine_index_views([[one] for one in predictions])
        by_deck = self._with_corners(by_deck, list(map(self._more_confident_index, frames, answers)))
        least = 0.0 if agree and by_networks.confidence >= EVEN else NEARLY
        # With its corners, the deck may read the networks' card after all.
        is_same = not agree and by_deck.card == by_networks.card
        is_better = not is_same and by_deck.confidence > max(by_networks.confidence, least)
        return by_deck if is_better and not is_another_deck() else by_networks

    def _refine(self, image: Image, first: Sequence[CardPrediction]) -> list[CardPrediction]:
        """Return the predictions in refined outlines: upside down, and unless both agree also upright and sideways."""
        outlines = [portrait(one.outline) for one in first]
        refined = self._crop_reader.predict_cards_upside_down(image, outlines)
        unsure = [
            i
            for i, (one, other) in enumerate(zip(first, refined, strict=True))
            if self.searches_deck or self.card_softmax.top_probability(other.logs) < CERTAIN or one.top != other.top
        ]
        upright = self._crop_reader.predict_cards(image, [outlines[i] for i in unsure])
        for i, one in zip(unsure, upright, strict=True):
            refined[i] = mean_card(one, refined[i])
        # A low camera sees a card that points towards it shorter than wide, that is sideways.
        wide = [i for i in unsure if aspect(outlines[i]) > MAYBE_SIDEWAYS]
        sideways = [turned(outlines[i], -1) for i in wide]
        either_way = self._crop_reader.predict_cards, self._crop_reader.predict_cards_upside_down
        for i, one, other in zip(wide, *(predict(image, sideways) for predict in either_way), strict=True):
            both = mean_card(one, other)
            refined[i] = max(refined[i], both, key=lambda prediction: float(prediction.logs[:-1].max()))
        return refined

    def _shows_no_card(self, card: CardPrediction) -> bool:
        """Whether the first crop shows no card; a searched deck's card may look like none to the networks."""
        return not self.searches_deck and float(self.card_softmax.probabilities(card.logs)[-1]) > FAIRLY

    def with_deck(self, deck: Deck) -> Reader:
        """Return a reader with the same networks and a learnt deck."""
        return replace(self, deck=deck)

    def with_deck_cards(self, deck_cards: DeckCards) -> Reader:
        """Return a reader with the same networks, without a deck, whose cards mean these."""
        return replace(self, deck_cards=deck_cards, deck=None)

    @property
    def searches_deck(self) -> bool:
        """Whether a learnt deck's cards, unknown to the networks, are searched for by picture."""
        return self.deck is not None and self.deck.is_searched

    @property
    def reads_printed(self) -> bool:
        """Whether printed cards are read as the networks know them: no other design, no stand-ins for a deck's own,
        whose colours are other ones.
        """
        return not self.searches_deck and (self.deck_cards is None or self.deck_cards.shares is None)

    @property
    def completes_hands(self) -> bool:
        """Whether cards of a learnt deck's hand that the networks miss are searched for by picture."""
        return self.deck is not None and self.deck.completes_hands

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
        orders = [turned(quad, turn) for quad in (*cards, *mirrored) for turn in (0, 2)]
        odds = self.deck.cards.odds(self.describe_cards(image, orders)[1])
        return np.asarray(odds.reshape(2, len(cards), 2).max((0, 2)), np.float32)

    def deck_matches(
        self,
        image: Image,
        outlines: Sequence[Quad],
        identified: Sequence[Reading | Sighting] = (),
        parts: Sequence[Quad] | None = None,
    ) -> list[tuple[Reading, PictureMatch]]:
        """Return the learnt deck's cards in a picture, from picture matches and networks.

        identified: cards that may occlude others. outlines, parts: see `Deck.find_cards`.
        """
        if self.deck is None:
            return []
        matches = self.deck.find_cards(image, outlines, [card.quad for card in identified], parts)
        return [(self._read_match(image, match, self.deck), match) for match in matches]

    def _read_match(self, image: Image, match: PictureMatch, deck: Deck) -> Reading:
        """Return the reading of a match: by its picture and, if uncertain, by the networks."""
        # A face without a picture may look very similar to one that has one.
        if not len(match.unlearnt) and np.partition(match.logs[:-1], -2)[-2] <= -_CLEAR_LEAD:
            softmax = self.card_softmax if match.is_open else self._index_softmax
            return Reading(match.quad, log_softmax(match.logs[None])[0], softmax, membership=1.0)
        crop_reader = replace(self._crop_reader, deck=deck, combines_each_crop=True)
        frames = [frame for frame in deck.corners(match.quad) if match.shows(frame.mean(0)[None]).all()]
        corners = np.zeros_like(match.logs)
        for views in crop_reader.predict_indices(image, frames, _MATCH_VIEWS):
            corners += np.mean([view.logs * view.membership for view in views], axis=0)
        if match.is_open:
            cards = crop_reader.predict_cards(image, [match.quad, turned(match.quad, 2)])
            logs, softmax = log_mean([card.logs for card in cards]) + _CORNER_WEIGHT * corners, self.card_softmax
            # A badly outlined picture fits nothing; a crop that is certainly similar to other views of that card is it.
            if all(
                card.membership >= CERTAIN and match.among_learnt(card.logs).max() > np.log(CERTAIN) for card in cards
            ):
                return Reading(match.quad, log_softmax(logs[None])[0], softmax, membership=1.0)
        else:
            logs, softmax = _CORNER_WEIGHT * corners, self._index_softmax
        logs = add_picture_evidence(np.asarray(logs, np.float32), match)
        return Reading(match.quad, logs, softmax, membership=1.0)

    def learnt_cards(self, image: Image, quads: Sequence[Quad]) -> list[Reading]:
        """Return the readings of rough outlines (4, 2) that the learnt deck alone accepts with high confidence."""
        if self.deck is None or not quads:
            return []
        upright = [portrait(quad) for quad in quads]
        _, features = self.describe_cards(image, [*upright, *(turned(quad, 2) for quad in upright)])
        posteriors = self.deck.cards.posterior(features).reshape(2, len(quads), -1).transpose(1, 0, 2)
        softmax = replace(self.card_softmax, temperature=1.0)
        cards = [
            Reading(quad, logs, softmax, membership=float(1 - np.exp(logs[-1])))
            for quad, logs in zip(upright, map(log_mean, posteriors), strict=True)
        ]
        return [card for card in cards if card.confidence >= UNSURE_BELOW]

    def predict_cards(self, image: Image, quads: Sequence[Quad]) -> list[CardPrediction]:
        """Return the card reader's output in rough outlines, occluded cards included."""
        return self._crop_reader.predict_cards(image, quads)

    def refine_outlines(self, image: Image, quads: Sequence[Quad]) -> list[Quad]:
        """Return the outline (4, 2) that the card reader finds from each rough one, of half covered cards too."""
        return self._crop_reader.refine_outlines(image, quads)

    def no_card_probabilities(self, image: Image, quads: Sequence[Quad]) -> Floats:
        """Return (N,) the probability of "no card" there."""
        return np.exp(np.array([one.logs[-1] for one in self.predict_cards(image, quads)], np.float32))

    def read_indices(
        self, image: Image, frames: Sequence[Quad], views: Sequence[View] = INDEX_VIEWS, least: float = 0.0
    ) -> list[Reading]:
        """Return a reading for each square (4, 2) around an index in any of four orientations, averaged over views.

        Further views are skipped if the previous ones are confident or below `least`, unless a deck is searched.
        """
        predictions: list[list[IndexPrediction]] = [[] for _ in frames]
        for view in views:
            unclear = [i for i, seen in enumerate(predictions) if not seen or self._needs_view(seen, least)]
            if not unclear:
                break
            new = self._crop_reader.predict_indices(image, [frames[i] for i in unclear], [view])
            for i, seen in zip(unclear, new, strict=True):
                predictions[i] += seen
        combined = self._crop_reader.combine_index_views(predictions)
        return [self._index_reading(frame, one) for frame, one in zip(frames, combined, strict=True)]

    def _needs_view(self, seen: Sequence[IndexPrediction], least: float) -> bool:
        """Whether another view of an index is worth its cost."""
        return self.searches_deck or least <= self._index_softmax.top_probability(mean_index(seen).logs) < FAIRLY

    def _index_reading(self, frame: Quad, index: IndexPrediction) -> Reading:
        """Return the reading of an index, upright."""
        reading = self._more_confident_index(turned(frame, int(index.turns.argmax())), index)
        if self.deck is None:
            return reading
        # The networks' readings keep their caps.
        is_decks = self.deck.indices.identifies if self.deck.is_searched else reading.logs is index.deck_logs
        return reading if is_decks else replace(reading, membership=0.0)

    def _more_confident_index(self, quad: Quad, index: IndexPrediction) -> Reading:
        """Return the reading of an index of a known design, by the networks or by the deck, whichever is more
        confident.

        If both agree, the networks' confidence is used unless the deck identifies its cards and the index certainly
        belongs to it. A match with another sign of the deck is print at an index' place.
        """
        by_networks = self._index(quad, index)
        if self.deck is None or index.deck_logs is None:
            return by_networks
        agree = bool(index.deck_logs.argmax() == index.logs.argmax())
        by_deck = Reading(quad, index.deck_logs, self._index_softmax, index.membership, overrides_networks=not agree)
        identifies, no_card = self.deck.indices.identifies, by_deck.no_card > by_deck.confidence
        is_certain = self.deck.cards.identifies and identifies and by_deck.membership >= CERTAIN
        is_member = (is_certain and by_deck.confidence > by_deck.no_card) if agree else by_deck.is_member
        trust = self.deck.indices.reader_reliability(int(by_networks.probabilities[:-1].argmax())) if is_member else 1.0
        networks_win = max(trust * by_networks.confidence, by_networks.no_card) > max(
            by_deck.confidence, by_deck.no_card
        )
        if not is_member or networks_win:
            return replace(by_networks, is_out_of_deck=index.is_out_of_deck and identifies)
        return replace(by_networks, is_non_index=True) if no_card else by_deck

    def describe_cards(self, image: Image, quads: Sequence[Quad]) -> tuple[Floats, Floats]:
        """Return (N, 57) log-likelihoods and (N, D) features of whole cards in their outlines (4, 2)."""
        return self._crop_reader.describe_cards(image, quads)

    def features(self, image: Image, quads: Sequence[Quad]) -> Floats:
        """Return (N, D) features of the card reader for whole cards in their outlines (4, 2)."""
        return self._crop_reader.reader_features(image, quads)

    def describe_indices(self, image: Image, frames: Sequence[Quad]) -> tuple[Floats, Floats]:
        """The same for the squares (4, 2) around upright indices."""
        return self._crop_reader.describe_indices(image, frames)
