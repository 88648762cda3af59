"""Builds the reading model of a learnt deck: prototypes of cards and indices, search."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np

from companion.decks.labels.design import descriptors
from companion.decks.labels.label_correction import corrected_names
from companion.decks.matching.card_search import CardSearch
from companion.decks.model.card_views import UPRIGHT, CardViews, index_frames, outline, picture_views, usual_spot
from companion.decks.model.decision import shipped_decisions
from companion.decks.model.edition_cards import learnt_cards
from companion.decks.model.prototypes import NOTHING, UNNAMED, Prototypes, fit
from companion.decks.model.thumbnails import SAME_DESIGN, agreement
from companion.decks.service.match_feedback import copies_of, votes
from companion.decks.storage.cache import Arrays, read_cache, write_cache
from companion.decks.storage.deck_file import LearntDeck
from companion.vision.core.geometry import Image, Quad, homography, project
from companion.vision.core.labels import log_softmax
from companion.vision.core.runtime import model_folder
from companion.vision.core.sightings import CERTAIN, FAIRLY
from companion.vision.detection.deck_protocol import PictureMatch
from companion.vision.recognition.reader import Reader

# Version of the cached data; change it when they are computed differently.
_VERSION, _NAMED_KEY = b"23", "named"


@dataclass(frozen=True, eq=False)
class DeckModel:
    """The model a reader uses for a learnt deck: prototypes of whole cards and of corner indices, search."""

    cards: Prototypes
    indices: Prototypes
    search: CardSearch | None = None
    spot: tuple[float, float, float] | None = None
    hard_to_see: bool = False
    """Whether the outlines were so uncertain during learning that the pictures carry no evidence."""
    familiar: bool = False
    """Whether the networks know the design, so that cards are searched for only where they miss one."""
    mostly_nameless: bool = False
    """Whether over two thirds of the pictures have no name, so that they carry little evidence."""

    @property
    def is_searched(self) -> bool:
        """Whether the networks do not know the design, so that cards must be searched for by picture."""
        return self.search is not None and not self.familiar

    @property
    def completes_hands(self) -> bool:
        """Whether the networks know the design, and cards they miss in a hand may be searched for by picture."""
        return self.search is not None and self.familiar

    @property
    def has_indices(self) -> bool:
        """Whether the deck's cards have corner indices."""
        return self.spot is not None

    def find_cards(
        self,
        image: Image,
        outlines: Sequence[Quad],
        identified: Sequence[Quad] = (),
        parts: Sequence[Quad] | None = None,
    ) -> list[PictureMatch]:
        """See `Deck.find_cards`."""
        return [] if self.search is None else self.search.search(image, outlines, identified, parts)

    def corners(self, card: Quad) -> tuple[Quad, Quad]:
        """Return the squares around a card's two indices, each upright for its own index."""
        matrix = homography(outline(), card)
        first, second = index_frames(*(self.spot or usual_spot()))
        return project(matrix, first), project(matrix, second)


def fit_model(views: list[CardViews], cards: list[int], is_complete: bool = True) -> DeckModel:
    """Return the model learnt from views of cards (numbers of ALL_CARDS or UNNAMED).

    is_complete: whether every face of the deck is among them.
    """
    decisions = shipped_decisions()
    features, logs = np.stack([v.features for v in views]), np.stack([v.logs for v in views])
    whole = fit(features, logs, cards, decisions.card, is_complete)
    features, logs = np.stack([v.index_features for v in views]), np.stack([v.index_logs for v in views])
    return DeckModel(whole, fit(features, logs, cards, decisions.corner, is_complete))


def views_of(reader: Reader, deck: LearntDeck) -> list[CardViews]:
    """Return the views of all pictures laid for a deck, those without a name last."""
    return [picture_views(reader, picture, deck.spot) for picture in deck.all_pictures]


def further_views_of(reader: Reader, deck: LearntDeck) -> list[CardViews]:
    """Return the views of the pictures added by matches."""
    return [picture_views(reader, view.picture, deck.spot) for view in deck.further]


def build_model(reader: Reader, deck: LearntDeck, networks: Path, cache: Path | None = None) -> DeckModel:
    """Return the model of a deck for the readers in the folder `networks`.

    cache: file for the views, which take seconds to compute; it is replaced if networks or deck differ.
    """
    learnt_as = learnt_cards(deck.edition)
    reader = learnt_as.reader(reader)
    key = _key(deck, networks)
    cached = read_cache(cache, key) if cache else None
    # Rounded alike with and without the cache, so that both decide alike.
    views = _views_in(_as_arrays(views_of(reader, deck)) if cached is None else cached)
    cards = [*map(learnt_as.number, deck.cards), *[UNNAMED] * len(deck.unnamed)]
    cards, further = _corrected(deck, views, cards, further_views_of(reader, deck))
    cards = without_refuted_names(views, cards)
    # Outlines from a match are less exact: its pictures count for prototypes, not for the search.
    added = [card for _, card in further]
    prior = _prior_nats(deck, cards + added)
    model = fit_model([*views, *(seen for seen, _ in further)], cards + added, prior is not None)
    if cached is not None and cached[_NAMED_KEY].tolist() != cards:
        cached = None
    # Cards that are missing or uncertain are distinguished by their indices, which such decks may lack.
    doubtful = (prior is None or UNNAMED in cards) and deck.spot is not None
    # Cards without indices that the networks read well need no learning.
    learnt = model.cards.identifies or deck.spot is not None
    is_searched = learnt and not is_familiar(views, cards, doubtful)
    search = None
    if learnt:
        search = CardSearch.of(deck, cards, prior) if cached is None else CardSearch.from_arrays(cached, prior)
    if cache and cached is None:
        computed = {_NAMED_KEY: np.asarray(cards)}
        write_cache(cache, key, {**_as_arrays(views), **computed, **(search.arrays() if search else {})})
    named = [i for i, card in enumerate(cards) if card < NOTHING]
    model = replace(model, spot=deck.spot, mostly_nameless=3 * len(named) < len(cards))
    if named and agreement([deck.all_pictures[i] for i in named], [cards[i] for i in named]) < SAME_DESIGN:
        # The pictures would fit nowhere.
        return replace(model, hard_to_see=True)
    return replace(model, search=search, familiar=not is_searched)


def _corrected(
    deck: LearntDeck, views: Sequence[CardViews], cards: Sequence[int], further: Sequence[CardViews]
) -> tuple[list[int], list[tuple[CardViews, int]]]:
    """Return the confirmed names of a deck's pictures, and the further views with their cards that support them.

    A further view that is a copy of a picture is a statement about that picture. It is dropped if it is overruled, or
    if it is most similar to a picture of another name, unless it is the first of its card.
    """
    learnt = learnt_cards(deck.edition)
    stated = [learnt.number(view.card) for view in deck.further]
    copy_of, is_copy = copies_of(views, cards, further, stated)
    units = descriptors(np.stack([view.features for view in views]))
    statement_votes = votes(copy_of[is_copy], np.asarray(stated)[is_copy].tolist(), len(views))
    names = corrected_names(units, cards, learnt.held, statement_votes)
    every = zip(further, stated, copy_of, is_copy, strict=True)
    return names, [(seen, card) for seen, card, one, near in every if names[one] == card or not (near or card in names)]


def without_refuted_names(views: Sequence[CardViews], cards: Sequence[int]) -> list[int]:
    """Return the cards of pictures, UNNAMED where the reader and the most similar picture agree on another card.

    People may answer wrongly; two independent sources rarely agree on the same other card by chance.
    """
    labels = np.asarray(cards)
    features = np.stack([view.features for view in views])
    units = descriptors(features)
    similarity = np.einsum("nvd,mwd->nmvw", units, units, optimize=True).max((2, 3))
    np.fill_diagonal(similarity, -1.0)
    readings = np.stack([log_softmax(view.logs).mean(0) for view in views])
    other = labels[similarity.argmax(1)]
    sure = (readings.argmax(1) == other) & (readings.max(1) > np.log(FAIRLY))
    return [int(card) for card in np.where(sure & (other != labels) & (labels < NOTHING), UNNAMED, labels)]


def is_familiar(views: Sequence[CardViews], cards: Sequence[int], doubtful: bool = False) -> bool:
    """Return whether the networks know a design, so that its cards need not be searched for by picture.

    In a hand the index identifies a card, and a search would confuse cards that are read well by it. doubtful: whether
    faces or names are missing; then reading the indices, or nearly all whole cards, is sufficient, because missing
    faces are confused with known ones. Of 47 learnt decks those with indices that the networks read have shares of .89
    and more in the mean of both, all others less than .54.
    """
    whole, indices = _read_alone(views, cards)
    if doubtful and (indices >= FAIRLY or whole >= CERTAIN):
        return True
    return (whole + indices) / 2 >= FAIRLY and whole >= FAIRLY


def _read_alone(views: Sequence[CardViews], cards: Sequence[int]) -> tuple[float, float]:
    """Return the shares of whole cards and of indices of named cards that the networks alone read correctly."""
    named = np.asarray(cards) != UNNAMED
    truth = np.asarray(cards)[named, None]
    whole = np.stack([view.logs for view in views])[named, :, :-1].argmax(-1)
    corners = np.stack([view.index_logs[UPRIGHT] for view in views])[named, :, :-1].argmax(-1)
    return float((whole == truth).mean()), float((corners == truth).mean())


def _prior_nats(deck: LearntDeck, cards: Sequence[int]) -> float | None:
    """Return the nats for a card of a complete deck over any other, None for an incomplete one.

    cards: those of the pictures. A picture without a name may be any missing face.
    """
    every = len(learnt_cards(deck.edition).held)
    faces, unnamed = {card for card in cards if card < NOTHING}, sum(card == UNNAMED for card in cards)
    return float(np.log(2 * every)) if len(faces) + unnamed >= every else None


def _key(deck: LearntDeck, networks: Path) -> bytes:
    digest = hashlib.sha256(_VERSION + repr([card.name for card in deck.cards]).encode())
    if not deck.edition.is_printed:
        digest.update(deck.edition.digest.encode())
    for name in ("card-reader.onnx", "index-reader.onnx"):
        digest.update((networks / name).read_bytes())
    for name in ("card-embedding.onnx", "card-parts.onnx"):
        digest.update((model_folder() / name).read_bytes())
    for picture in deck.all_pictures:
        digest.update(picture.tobytes())
    return digest.digest()


def _as_arrays(views: Sequence[CardViews]) -> Arrays:
    rows = {field.name: np.stack([getattr(view, field.name) for view in views]) for field in fields(CardViews)}
    return {name: np.maximum(row, np.finfo(np.float16).min).astype(np.float16) for name, row in rows.items()}


def _views_in(arrays: Arrays) -> list[CardViews]:
    parts = [arrays[field.name].astype(np.float32) for field in fields(CardViews)]
    return [CardViews(*row) for row in zip(*parts, strict=True)]
