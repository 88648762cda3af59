"""Runs the networks on crops of whole cards and of corner indices, and adds the learnt deck's evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median

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

_Look = tuple[Floats, Floats]
"""Log-likelihoods (57,) by the networks, and the features (D,) a learnt deck uses."""
_Weigh = Callable[[Floats, Floats], tuple[Floats, Floats]]


@dataclass(frozen=True, eq=False)
class Pass:
    """Result of reading a whole card's crops: outline, log-likelihoods (57,), and deck membership.

    by_deck: the learnt deck's log-likelihoods, (57,), if the networks know its design; None otherwise, as `logs` then
    contain both. looks: the single crops for which the deck still has to be queried. foreign: log-odds of another
    maker's card or another thing, 0 if the network was exported without them.
    """

    outline: Quad
    logs: Floats
    membership: float
    by_deck: Floats | None = None
    looks: tuple[_Look, ...] = ()
    foreign: float = 0.0

    @property
    def top(self) -> int:
        """Number of the most probable card."""
        return int(self.logs[:-1].argmax())


@dataclass(frozen=True, eq=False)
class IndexPass:
    """Result of reading an index' crop: log-likelihoods (57,) and deck membership.

    turns: (4,) log-likelihoods of the frame's quarter turns. by_deck: as for a card. features: (D,) for the deck, None
    if there is nothing to query. is_out_of_deck: whether the deck was queried and matches none of the crops.
    """

    logs: Floats
    turns: Floats
    membership: float
    by_deck: Floats | None = None
    features: Floats | None = None
    is_out_of_deck: bool = False


def together(a: Pass, b: Pass) -> Pass:
    """Return the mean of two results."""
    outline = np.mean((a.outline, b.outline), axis=0, dtype=np.float32)
    logs, membership = mean_of((a.logs, b.logs)), max(a.membership, b.membership)
    foreign = (a.foreign + b.foreign) / 2
    return Pass(np.asarray(outline, np.float32), logs, membership, looks=a.looks + b.looks, foreign=foreign)


def mean_of(logs: Sequence[Floats] | Floats) -> Floats:
    """Return the logarithms of the mean probabilities."""
    return np.asarray(np.logaddexp.reduce(logs, axis=0) - np.log(len(logs)), np.float32)


def mean_index(looks: Sequence[IndexPass]) -> IndexPass:
    """Return the mean of several results for one index; membership is the median."""
    if len(looks) == 1:
        return looks[0]
    logs, turns = _mean([look.logs for look in looks]), _mean([look.turns for look in looks])
    return IndexPass(logs, turns, median(look.membership for look in looks))


def _mean(logs: Sequence[Floats] | Floats) -> Floats:
    return np.asarray(logs[0] if len(logs) == 1 else np.mean(logs, axis=0), np.float32)


@dataclass(frozen=True, eq=False)
class Crops:
    """Reads crops with the two exported networks.

    embedding: extends the features that a learnt deck is given. deck: the learnt deck's model. at_once: whether to
    query it for each crop immediately. meaning: what the networks' cards mean, themselves if None.
    """

    card_network: Network
    index_network: Network
    embedding: Embedding | None = None
    deck: Deck | None = None
    at_once: bool = False
    meaning: DeckCards | None = None

    def cards(self, image: Image, quads: Sequence[Quad]) -> list[Pass]:
        """Return the result for a whole card in each outline (4, 2) of a (H, W, 3) BGR uint8 picture."""
        if not quads:
            return []
        edges = [expand(quad, CARD_MARGIN) for quad in quads]
        crops = _card_input(image, edges)
        deck = self.deck if self.at_once or (self.deck is not None and self.deck.cards.identifies) else None
        output, features = (self.card_network(crops), None) if deck is None else self._described_cards(crops)
        logs = self._logs(output)
        membership = [0.0] * len(output)
        looks: list[tuple[_Look, ...]] = [()] * len(output)
        if deck is not None and features is not None:
            # Designs the networks know are read and outlined as without the deck.
            if self.at_once:
                logs, memberships = deck.cards.weigh(logs, features)
                membership = memberships.tolist()
            else:
                looks = [(one,) for one in zip(logs, features, strict=True)]
        foreign = output[:, FACE_COUNT + COLOR_COUNT + unit_square().size :].sum(1)
        each = zip(_outlines(edges, output), logs, membership, looks, foreign.tolist(), strict=True)
        return [Pass(*one[:3], looks=one[3], foreign=one[4]) for one in each]

    def outlines(self, image: Image, quads: Sequence[Quad]) -> list[Quad]:
        """Return the outline (4, 2) that the card reader finds from each rough one, without a learnt deck."""
        edges = [expand(quad, CARD_MARGIN) for quad in quads]
        return _outlines(edges, self.card_network(_card_input(image, edges))) if edges else []

    def cards_turned(self, image: Image, quads: Sequence[Quad]) -> list[Pass]:
        """Return the result for each outline upside down, with the outline in its original order."""
        seen = self.cards(image, [turned(quad, 2) for quad in quads])
        return [replace(one, outline=turned(one.outline, 2)) for one in seen]

    def cards_with_deck(self, seen: Sequence[Pass]) -> list[Pass]:
        """Return the results for whole cards with the evidence of a deck whose design the networks know.

        The deck is queried once for all of them.
        """
        if self.deck is None or not any(one.looks for one in seen):
            return list(seen)
        said = _said(self.deck.cards.weigh, [one.looks for one in seen])
        return [
            replace(one, by_deck=mean_of(logs), membership=float(membership.max()), looks=())
            for one, (logs, membership) in zip(seen, said, strict=True)
        ]

    def indices(
        self, image: Image, frames: Sequence[Quad], views: Sequence[tuple[float, int]] = ((0.0, 0),)
    ) -> list[list[IndexPass]]:
        """Return the results for an index in each frame (4, 2), in each view: by how much the frame is enlarged, and by
        how many quarter turns it is rotated.
        """
        if not frames:
            return []
        edges = [turned(expand(frame, growth), turn) for frame in frames for growth, turn in views]
        crops = _input([cut(image, edge, INDEX_CROP, INDEX_CROP) for edge in edges])
        read = self.index_network
        output, features = (read(crops), None) if self.deck is None else read.with_features(crops)
        logs, membership = self._logs(output), [0.0] * len(output)
        if self.deck is not None and self.at_once and features is not None:
            logs, memberships = self.deck.indices.weigh(logs, features)
            membership, features = memberships.tolist(), None
        turns = log_softmax(output[:, FACE_COUNT + COLOR_COUNT :])
        turns = np.stack([np.roll(row, views[i % len(views)][1]) for i, row in enumerate(turns)])
        kept = [None] * len(output) if features is None else features
        seen = [IndexPass(*one[:3], features=one[3]) for one in zip(logs, turns, membership, kept, strict=True)]
        return [seen[i : i + len(views)] for i in range(0, len(seen), len(views))]

    def indices_with_deck(self, looks: Sequence[Sequence[IndexPass]]) -> list[IndexPass]:
        """Return the combined results for each index, with the evidence of a deck whose design the networks know.

        The deck is queried once for all of them, as it has many index prototypes.
        """
        averaged = [mean_index(few) for few in looks]
        every = [[(one.logs, one.features) for one in few if one.features is not None] for few in looks]
        if self.deck is None or not any(every):
            return averaged
        said = _said(self.deck.indices.weigh, every)
        return [
            IndexPass(
                one.logs,
                one.turns,
                median(membership.tolist()),
                _mean(logs),
                is_out_of_deck=not (membership >= EVEN).any(),
            )
            for one, (logs, membership) in zip(averaged, said, strict=True)
        ]

    def _logs(self, output: Floats) -> Floats:
        """Return (N, 57) log-likelihoods of the cards that are meant, from the networks' output."""
        logs = card_log_likelihoods(output[:, :FACE_COUNT], output[:, FACE_COUNT : FACE_COUNT + COLOR_COUNT])
        return logs if self.meaning is None else self.meaning.shared(logs)

    def _described_cards(self, crops: Floats) -> tuple[Floats, Floats]:
        """Return the card reader's output for crops, and the features that a learnt deck is given."""
        output, features = self.card_network.with_features(crops)
        return output, features if self.embedding is None else self.embedding.descriptors(crops, features)

    def describe_cards(self, image: Image, quads: Sequence[Quad]) -> tuple[Floats, Floats]:
        """Return (N, 57) log-likelihoods and (N, D) features of whole cards in their outlines (4, 2)."""
        output, features = self._described_cards(_card_input(image, [expand(quad, CARD_MARGIN) for quad in quads]))
        return self._logs(output), features

    def reader_features(self, image: Image, quads: Sequence[Quad]) -> Floats:
        """Return (N, D) features of the card reader alone for whole cards in their outlines (4, 2)."""
        return self.card_network.with_features(_card_input(image, [expand(quad, CARD_MARGIN) for quad in quads]))[1]

    def describe_indices(self, image: Image, frames: Sequence[Quad]) -> tuple[Floats, Floats]:
        """Return the same for the squares (4, 2) around upright indices."""
        crops = [cut(image, frame, INDEX_CROP, INDEX_CROP) for frame in frames]
        output, features = self.index_network.with_features(_input(crops))
        return self._logs(output), features


def _said(weigh: _Weigh, looks: Sequence[Sequence[_Look]]) -> Iterator[tuple[Floats, Floats]]:
    """Query a deck once, and yield its (L, 57) log-likelihoods and (L,) memberships for each object."""
    logs, features = (np.stack(part) for part in zip(*(one for few in looks for one in few), strict=True))
    weighed, membership = weigh(logs, features)
    end = 0
    for few in looks:
        start, end = end, end + len(few)
        yield weighed[start:end], membership[start:end]


def _outlines(edges: Sequence[Quad], output: Floats) -> list[Quad]:
    """Return the outlines in the card reader's (N, D) output for crops with these edges (4, 2)."""
    start = FACE_COUNT + COLOR_COUNT
    found = output[:, start : start + unit_square().size].reshape(-1, 4, 2)
    return [project(homography(unit_square(), edge), corners) for edge, corners in zip(edges, found, strict=True)]


def _card_input(image: Image, edges: Sequence[Quad]) -> NDArray[np.float32]:
    return _input([cut(image, edge, *CARD_CROP) for edge in edges])


def _input(crops: Sequence[Image]) -> NDArray[np.float32]:
    stack = np.stack(crops)[..., ::-1].transpose(0, 3, 1, 2)
    return np.ascontiguousarray(stack).astype(np.float32) / np.float32(255)
