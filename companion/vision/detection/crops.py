"""Runs the networks on crops of whole cards and of corner indices, and adds the learnt deck's evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.core.deck_cards import DeckCards
from companion.vision.core.geometry import (
    CARD_CROP,
    CARD_MARGIN,
    INDEX_CROP,
    Image,
    Quad,
    cut,
    expand,
    homography,
    project,
    turned,
    unit_square,
)
from companion.vision.core.labels import COLOR_COUNT, FACE_COUNT, Floats, card_log_likelihoods, log_softmax
from companion.vision.core.runtime import Network
from companion.vision.core.sightings import EVEN
from companion.vision.detection.deck_protocol import Deck
from companion.vision.detection.embedding import Embedding

View = tuple[float, int]
"""How an index' frame is cropped: its enlargement as a share of its sides, and its quarter turns."""
_DeckQuery = tuple[Floats, Floats]
"""Log-likelihoods (57,) of a crop by the networks, and its features (D,)."""
_Combine = Callable[[Floats, Floats], tuple[Floats, Floats]]
"""See `LearntFaces.combine`."""

# Columns of the readers' outputs. After the colours, the index reader has the quarter turns, the card reader the
# outline's corners and the odds of other makers' cards and of other things.
_FACES = slice(FACE_COUNT)
_COLORS = slice(FACE_COUNT, FACE_COUNT + COLOR_COUNT)
_OUTLINE = slice(_COLORS.stop, _COLORS.stop + unit_square().size)


@dataclass(frozen=True, eq=False)
class CardPrediction:
    """The networks' output for one or several crops of a whole card: outline, log-likelihoods (57,), membership.

    deck_logs: the learnt deck's log-likelihoods, (57,), if the networks know its design; None otherwise, as `logs` then
    contain both. queries: of single crops, still to be put to the deck. foreign: log-odds of another maker's card or
    another thing, 0 if the network was exported without them.
    """

    outline: Quad
    logs: Floats
    membership: float
    deck_logs: Floats | None = None
    queries: tuple[_DeckQuery, ...] = ()
    foreign: float = 0.0

    @property
    def top(self) -> int:
        """Number of the most probable card."""
        return int(self.logs[:-1].argmax())


@dataclass(frozen=True, eq=False)
class IndexPrediction:
    """The networks' output for one or several crops of an index: log-likelihoods (57,) and membership.

    turns: (4,) log-likelihoods of the frame's quarter turns. deck_logs: as for a card. features: (D,) for the deck,
    None if there is nothing to query. is_out_of_deck: whether the deck was queried and matches none of the crops.
    """

    logs: Floats
    turns: Floats
    membership: float
    deck_logs: Floats | None = None
    features: Floats | None = None
    is_out_of_deck: bool = False


def mean_card(a: CardPrediction, b: CardPrediction) -> CardPrediction:
    """Return the mean of two predictions for one card; membership is the higher one."""
    outline, logs = _mean((a.outline, b.outline)), log_mean((a.logs, b.logs))
    membership = max(a.membership, b.membership)
    foreign = (a.foreign + b.foreign) / 2
    return CardPrediction(outline, logs, membership, queries=a.queries + b.queries, foreign=foreign)


def mean_index(views: Sequence[IndexPrediction]) -> IndexPrediction:
    """Return the mean of several predictions for one index; membership is the median."""
    if len(views) == 1:
        return views[0]
    logs, turns = _mean([view.logs for view in views]), _mean([view.turns for view in views])
    return IndexPrediction(logs, turns, median(view.membership for view in views))


def log_mean(logs: Sequence[Floats] | Floats) -> Floats:
    """Return the logarithms of the mean probabilities, from log-probabilities."""
    return np.asarray(np.logaddexp.reduce(logs, axis=0) - np.log(len(logs)), np.float32)


def _mean(values: Sequence[Floats] | Floats) -> Floats:
    return np.asarray(np.mean(values, axis=0, dtype=np.float32), np.float32)


@dataclass(frozen=True, eq=False)
class CropReader:
    """Runs the two exported networks on crops.

    embedding: extends the features that a learnt deck is given. deck: the learnt deck's model. combines_each_crop:
    whether its evidence is added to each crop at once, as for a searched deck, or later to all crops of an object.
    deck_cards: what the networks' cards mean, themselves if None.
    """

    card_network: Network
    index_network: Network
    embedding: Embedding | None = None
    deck: Deck | None = None
    combines_each_crop: bool = False
    deck_cards: DeckCards | None = None

    def predict_cards(self, image: Image, quads: Sequence[Quad]) -> list[CardPrediction]:
        """Return the prediction for a whole card in each outline (4, 2) of a (H, W, 3) BGR uint8 picture."""
        if not quads:
            return []
        edges = [expand(quad, CARD_MARGIN) for quad in quads]
        crops = _card_input(image, edges)
        memberships = [0.0] * len(quads)
        queries: list[tuple[_DeckQuery, ...]] = [()] * len(quads)
        if self.deck is None or not (self.combines_each_crop or self.deck.cards.identifies):
            output = self.card_network(crops)
            logs = self._logs(output)
        else:
            output, features = self._output_with_features(crops)
            logs = self._logs(output)
            if self.combines_each_crop:
                logs, shares = self.deck.cards.combine(logs, features)
                memberships = shares.tolist()
            else:
                # Designs the networks know are read and outlined as without the deck.
                queries = [(query,) for query in zip(logs, features, strict=True)]
        foreign = output[:, _OUTLINE.stop :].sum(1).tolist()
        rows = zip(_outlines(edges, output), logs, memberships, queries, foreign, strict=True)
        return [CardPrediction(quad, row, share, None, few, odds) for quad, row, share, few, odds in rows]

    def refine_outlines(self, image: Image, quads: Sequence[Quad]) -> list[Quad]:
        """Return the outline (4, 2) that the card reader finds from each rough one, without a learnt deck."""
        edges = [expand(quad, CARD_MARGIN) for quad in quads]
        return _outlines(edges, self.card_network(_card_input(image, edges))) if edges else []

    def predict_cards_upside_down(self, image: Image, quads: Sequence[Quad]) -> list[CardPrediction]:
        """Return the prediction for each outline turned by 180 degrees, with the outline in its original order."""
        predictions = self.predict_cards(image, [turned(quad, 2) for quad in quads])
        return [replace(one, outline=turned(one.outline, 2)) for one in predictions]

    def add_deck_evidence(self, cards: Sequence[CardPrediction]) -> list[CardPrediction]:
        """Return the predictions for whole cards with the evidence of a deck whose design the networks know.

        The deck is queried once for all of them.
        """
        if self.deck is None or not any(card.queries for card in cards):
            return list(cards)
        answers = _query(self.deck.cards.combine, [card.queries for card in cards])
        return [
            replace(card, deck_logs=log_mean(logs), membership=float(membership.max()), queries=())
            for card, (logs, membership) in zip(cards, answers, strict=True)
        ]

    def predict_indices(
        self, image: Image, frames: Sequence[Quad], views: Sequence[View] = ((0.0, 0),)
    ) -> list[list[IndexPrediction]]:
        """Return the predictions for an index in each frame (4, 2), one for each view."""
        if not frames:
            return []
        edges = [turned(expand(frame, growth), turn) for frame in frames for growth, turn in views]
        crops = _input([cut(image, edge, INDEX_CROP, INDEX_CROP) for edge in edges])
        network = self.index_network
        output, features = (network(crops), None) if self.deck is None else network.with_features(crops)
        logs, membership = self._logs(output), [0.0] * len(output)
        if self.deck is not None and self.combines_each_crop and features is not None:
            logs, memberships = self.deck.indices.combine(logs, features)
            membership, features = memberships.tolist(), None
        turns = log_softmax(output[:, _COLORS.stop :])
        for i, (_, turn) in enumerate(views):
            turns[i :: len(views)] = np.roll(turns[i :: len(views)], turn, axis=1)
        kept = [None] * len(output) if features is None else features
        rows = zip(logs, turns, membership, kept, strict=True)
        predictions = [IndexPrediction(*row[:3], features=row[3]) for row in rows]
        return [predictions[i : i + len(views)] for i in range(0, len(predictions), len(views))]

    def combine_index_views(self, indices: Sequence[Sequence[IndexPrediction]]) -> list[IndexPrediction]:
        """Return one prediction for the views of each index, with the evidence of a deck whose design the networks
        know.

        The deck is queried once for all of them, as it has many index prototypes.
        """
        means = [mean_index(views) for views in indices]
        queries = [[(one.logs, one.features) for one in views if one.features is not None] for views in indices]
        if self.deck is None or not any(queries):
            return means
        answers = _query(self.deck.indices.combine, queries)
        return [
            IndexPrediction(
                mean.logs,
                mean.turns,
                median(membership.tolist()),
                _mean(logs),
                is_out_of_deck=not (membership >= EVEN).any(),
            )
            for mean, (logs, membership) in zip(means, answers, strict=True)
        ]

    def _logs(self, output: Floats) -> Floats:
        """Return (N, 57) log-likelihoods of the cards that are meant, from the networks' output."""
        logs = card_log_likelihoods(output[:, _FACES], output[:, _COLORS])
        return logs if self.deck_cards is None else self.deck_cards.shared(logs)

    def _output_with_features(self, crops: Floats) -> tuple[Floats, Floats]:
        """Return the card reader's output for crops, and the features that a learnt deck is given."""
        output, features = self.card_network.with_features(crops)
        return output, features if self.embedding is None else self.embedding.descriptors(crops, features)

    def describe_cards(self, image: Image, quads: Sequence[Quad]) -> tuple[Floats, Floats]:
        """Return (N, 57) log-likelihoods and (N, D) features of whole cards in their outlines (4, 2)."""
        output, features = self._output_with_features(_card_input(image, [expand(quad, CARD_MARGIN) for quad in quads]))
        return self._logs(output), features

    def reader_features(self, image: Image, quads: Sequence[Quad]) -> Floats:
        """Return (N, D) features of the card reader alone for whole cards in their outlines (4, 2)."""
        return self.card_network.with_features(_card_input(image, [expand(quad, CARD_MARGIN) for quad in quads]))[1]

    def describe_indices(self, image: Image, frames: Sequence[Quad]) -> tuple[Floats, Floats]:
        """Return the same for the squares (4, 2) around upright indices."""
        crops = [cut(image, frame, INDEX_CROP, INDEX_CROP) for frame in frames]
        output, features = self.index_network.with_features(_input(crops))
        return self._logs(output), features


def _query(combine: _Combine, queries: Sequence[Sequence[_DeckQuery]]) -> Iterator[tuple[Floats, Floats]]:
    """Query a deck once for several crops of each object, and yield each one's (L, 57) log-likelihoods and (L,)
    memberships.
    """
    logs, features = (np.stack(part) for part in zip(*(query for few in queries for query in few), strict=True))
    combined, membership = combine(logs, features)
    end = 0
    for few in queries:
        start, end = end, end + len(few)
        yield combined[start:end], membership[start:end]


def _outlines(edges: Sequence[Quad], output: Floats) -> list[Quad]:
    """Return the outlines in the card reader's (N, D) output for crops with these edges (4, 2)."""
    corners = output[:, _OUTLINE].reshape(-1, 4, 2)
    return [project(homography(unit_square(), edge), quad) for edge, quad in zip(edges, corners, strict=True)]


def _card_input(image: Image, edges: Sequence[Quad]) -> NDArray[np.float32]:
    return _input([cut(image, edge, *CARD_CROP) for edge in edges])


def _input(crops: Sequence[Image]) -> NDArray[np.float32]:
    return np.asarray(cv2.dnn.blobFromImages(crops, 1 / 255, swapRB=True), np.float32)
