"""From a learnt deck's pictures to what reads with it: the looks of its cards and of their indices."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from companion.cards import ALL_CARDS
from companion.cards import deck as cards_of
from companion.decks.labels.design import shown
from companion.decks.labels.label_correction import upheld
from companion.decks.labels.label_swaps import unexchanged
from companion.decks.matching.template_matching import Fitted, Places, card_places, index_places
from companion.decks.matching.template_search import Seeker
from companion.decks.model.card_views import PLAIN, UPRIGHT, CardViews, index_frames, inks, outline, study, usual_spot
from companion.decks.model.prototypes import CLASSES, NOTHING, UNNAMED, Look, fit, unit
from companion.decks.service.match_feedback import copied, votes
from companion.decks.service.membership import Likes, agreement
from companion.decks.storage.cache import Arrays, keep, kept
from companion.decks.storage.deck_file import LearntDeck
from companion.vision.core.geometry import Image, Quad, homography, project
from companion.vision.core.labels import Floats, log_softmax
from companion.vision.detection.deck_protocol import PictureMatch, Placed
from companion.vision.recognition.reader import Reader

# The views of indices that stand for how they may look elsewhere are the last ones; see `study`.
_SEED = 20
# What the file of what is kept is made anew for: another number stands for another way to work it out.
_VERSION, _FITTED, _NAMED = b"14", "fitted", "named"
# The lowest number that 16 bits are let hold.
_LOWEST = -6e4
# A sign is an index where it tells the card on this share of the pictures: well above chance, and well below what one
# that is read half the time would reach.
_TELLING = 0.3
# Log-likelihood from which on the reader refutes a name: it gives another one four in five.
_REFUTING = -0.2
# Share of the kept pictures' whole cards and indices that the networks alone name rightly, of a design that they know:
# .86 and more of nine decks that they read well on a table, .82 to .84 of three of a black design, which seeking read
# worse than they do, .79 and .83 of half a deck and of all of it, of which they read every card that lies open; .77 and
# less of seven of which they miss many cards. Of whole cards alone: of two decks with .74 and less they misread every
# third open card, which seeking mends. And of a part of a deck, of whole cards alone: of two halves with .95 and more
# one was read as well so as sought, one worse in hands (.91 for .98), for 96 and 68 ms a card less.
_FAMILIAR, _FAMILIAR_WHOLE, _FAMILIAR_PART = 0.78, 0.8, 0.95
# Copies that are less alike than this were outlined otherwise each time: in the median, those of a black deck laid on
# itself had .41; those of eight designs that were outlined rightly .85 to .99.
_AGREEING = 0.65


@dataclass(frozen=True, eq=False)
class DeckLooks:
    """What a reader is handed to read a learnt deck with: the looks of whole cards and of corner indices."""

    cards: Look
    indices: Look
    card_places: Places | None = None
    index_places: Places | None = None
    seeker: Seeker | None = None
    spot: tuple[float, float, float] | None = None
    likes: Likes | None = None
    hard_to_see: bool = False
    """Whether the cards' outlines were hardly made out as they were laid, so that their pictures tell nothing."""
    familiar: bool = False
    """Whether the networks know its design, so that its cards are sought only where they leave one out."""
    mostly_nameless: bool = False
    """Whether over two thirds of its pictures have no name, so that they tell next to nothing."""

    @property
    def seeks(self) -> bool:
        """Whether its cards are unlike any that the networks know, and worth seeking by their pictures."""
        return self.seeker is not None and not self.familiar

    @property
    def fills_in(self) -> bool:
        """Whether the networks know its cards, and those of a hand that they leave out may be sought by pictures."""
        return self.seeker is not None and self.familiar

    @property
    def has_indices(self) -> bool:
        """Whether something was found in the corners of the deck's cards."""
        return self.spot is not None

    @property
    def identifies_cards(self) -> bool:
        """Whether whole cards are told by their likeness to the deck's, which the networks do not read as well."""
        return self.cards.sharpness > 0

    @property
    def identifies_indices(self) -> bool:
        """Whether indices are."""
        return self.indices.sharpness > 0

    def index_reliability(self, card: int) -> float:
        """Return how far (0 to 1) the networks are to be believed when they say an index is that of a card's number."""
        return self.indices.credit(card)

    def seek(
        self,
        image: Image,
        known: Sequence[Quad],
        sure: Sequence[tuple[Quad, int]] = (),
        boxed: Sequence[Quad] | None = None,
        hand: bool = False,
    ) -> list[PictureMatch]:
        """Return the deck's cards in a picture, the topmost first, without those that are sure.

        known: outlines (4, 2) in which some may lie. sure: outlines of cards, numbers of ALL_CARDS, that lie there.
        boxed: what shows all cards that there are, if only a part of them, None where others may lie anywhere. hand:
        whether the sure ones are a hand's, which hide one another, and boxed is what shows the others alone.
        """
        return [] if self.seeker is None else self.seeker.seek(image, known, sure, boxed, hand)

    def are_of_another(self, image: Image, cards: Sequence[Quad]) -> bool:
        """Whether of the cards that lie whole in outlines (4, 2) of a picture none is like any of this deck."""
        return self.likes is not None and self.likes.are_of_another(image, cards)

    def corners(self, card: Quad) -> tuple[Quad, Quad]:
        """Return the squares about a card's two indices, each upright for its own."""
        matrix = homography(outline(), card)
        first, second = index_frames(*(self.spot or usual_spot()))
        return project(matrix, first), project(matrix, second)

    def weigh_cards(self, logs: Floats, features: Floats) -> tuple[Floats, Floats]:
        """Return the (N, 57) log-likelihoods of crops of whole cards with what their (N, D) features tell.

        And (N,) how surely (0 to 1) they are of this deck.
        """
        return self.cards.weigh(logs, features)

    def weigh_indices(self, logs: Floats, features: Floats) -> tuple[Floats, Floats]:
        """Return the same of crops of indices."""
        return self.indices.weigh(logs, features)

    def place_card(self, image: Image, rough: Quad) -> Placed | None:
        """Return how a card of the deck lies about a rough outline (4, 2), None where none fits there."""
        return None if self.card_places is None else self.card_places.find(image, rough)

    def place_index(self, image: Image, rough: Quad) -> Placed | None:
        """Return the same of an index about a rough frame that stands upright."""
        return None if self.index_places is None else self.index_places.find(image, rough)


def looks(views: list[CardViews], cards: list[int], prior: float | None = 0.0) -> DeckLooks:
    """Return what the views of cards (numbers of ALL_CARDS or UNNAMED) teach.

    prior: nats against a face that was not laid, None where only a part of the deck was.
    """
    against, part = prior or 0.0, prior is None
    features, logs = np.stack([v.features for v in views]), np.stack([v.logs for v in views])
    whole = fit(features, logs, cards, PLAIN, against, part)
    features, logs = np.stack([v.index_features for v in views]), np.stack([v.index_logs for v in views])
    indices = fit(features, logs, cards, index_plain(features.shape[1]), against, part)
    return DeckLooks(whole, _with_signs(indices, views, np.asarray(cards)))


def _with_signs(look: Look, views: Sequence[CardViews], cards: NDArray[np.intp]) -> Look:
    """Return the look of indices with the design's other signs as what is no card's."""
    named = cards < NOTHING
    features = np.stack([v.sign_features for v in views])[named]
    logs = np.stack([v.sign_logs for v in views])[named]
    for sign in range(features.shape[1]):
        crops = features[:, sign].reshape(-1, features.shape[-1])
        told, _ = look.weigh(logs[:, sign].reshape(-1, CLASSES), crops)
        # What tells the card is an index of a design that has more than two.
        if float((told.argmax(1).reshape(len(crops) // 8, 8) == cards[named, None]).any(1).mean()) < _TELLING:
            look = look.but(crops)
    return look


def index_plain(views: int) -> int:
    """Return how many of so many views of indices are as they are."""
    return views * 5 // 6


def views_of(reader: Reader, deck: LearntDeck) -> list[CardViews]:
    """Return the views of all pictures of a deck that were laid for it, of those without a name last."""
    rng = np.random.default_rng(_SEED)
    return [study(reader, picture, deck.spot, rng, deck.signs) for picture in deck.laid]


def further_views_of(reader: Reader, deck: LearntDeck) -> list[CardViews]:
    """Return the views of the pictures that matches have added."""
    rng = np.random.default_rng
    return [study(reader, view.picture, deck.spot, rng(_SEED), deck.signs) for view in deck.further]


def learnt_looks(reader: Reader, deck: LearntDeck, networks: Path, cache: Path | None = None) -> DeckLooks:
    """Return what reads with a deck, by the readers in the folder `networks`.

    cache: a file where the views are kept, as they take seconds; one of other networks or another deck is made anew.
    """
    key = _key(deck, networks)
    had = kept(cache, key) if cache else None
    views = views_of(reader, deck) if had is None else _views_in(had)
    cards = [*(ALL_CARDS.index(card) for card in deck.cards), *[UNNAMED] * len(deck.unnamed)]
    cards, further = _corrected(deck, views, cards, further_views_of(reader, deck))
    cards = unrefuted(views, cards)
    if deck.asked:
        cards = unexchanged(views, cards)
    # Outlines seen in a match are less exact: what matches add counts for looks, not for where a card lies.
    added = [card for _, card in further]
    prior = _against_unlaid(deck, cards + added)
    told = looks([*views, *(seen for seen, _ in further)], cards + added, prior)
    if had is not None and had[_NAMED].tolist() != cards:
        had = None
    # By indices, which such cards lack, what is missing is told from what is there.
    doubtful = (prior is None or UNNAMED in cards) and deck.spot is not None
    # Of a deck that was not sought no places are kept, and views are a little coarser than they were.
    # Of cards without indices that the networks read as well by themselves there is nothing to be learnt.
    learnt = told.identifies_cards or deck.spot is not None
    sought = learnt and not is_familiar(views, cards, doubtful) if had is None else len(had[_FITTED]) > 0
    whole = indices = seeker = None
    if sought:
        first, second = (None, None) if had is None else map(Fitted.kept, had[_FITTED])
        whole, indices = card_places(deck, cards, prior, first), index_places(deck, cards, prior, second)
    if learnt:
        seeker = Seeker.of(deck, cards, prior) if had is None else Seeker.kept(had, prior)
    if cache and had is None:
        rows = np.array([places.fitted.array() for places in (whole, indices) if places])
        worked_out = {_FITTED: rows, _NAMED: np.asarray(cards)}
        keep(cache, key, {**_as_arrays(views), **worked_out, **(seeker.arrays() if seeker else {})})
    named = [i for i, card in enumerate(cards) if card < NOTHING]
    told = replace(told, spot=deck.spot, likes=Likes(deck.laid), mostly_nameless=3 * len(named) < len(cards))
    if named and agreement([deck.laid[i] for i in named], [cards[i] for i in named]) < _AGREEING:
        # Nowhere would they fit as they were cut out.
        return replace(told, hard_to_see=True)
    told = replace(told, card_places=whole, index_places=indices)
    unseen = seeker is not None and seeker.is_worse_than(_read_alone(views, cards)[0])
    return replace(told, seeker=None if unseen else seeker, hard_to_see=unseen and sought, familiar=not sought)


def _corrected(
    deck: LearntDeck, views: Sequence[CardViews], cards: Sequence[int], further: Sequence[CardViews]
) -> tuple[list[int], list[tuple[CardViews, int]]]:
    """Return the names of a deck's pictures that hold, and the further views, with their cards, that bear them out.

    A further view that is a copy of a picture says what that is. Where its word does not prevail, or it is hardly like
    any picture and likest one of another name, it is left out, but for the first of a card.
    """
    said = [ALL_CARDS.index(view.card) for view in deck.further]
    of, close = copied(views, cards, further, said)
    units = shown(np.stack([view.features[:PLAIN] for view in views]), np.stack([inks(one) for one in deck.laid]))
    told = votes(of[close], np.asarray(said)[close].tolist(), len(views))
    names = upheld(units, cards, cards_of(deck.edition), told)
    every = zip(further, said, of, close, strict=True)
    return names, [(seen, card) for seen, card, one, near in every if names[one] == card or not (near or card in names)]


def unrefuted(views: Sequence[CardViews], cards: Sequence[int]) -> list[int]:
    """Return the cards of pictures, UNNAMED where the reader and the picture that is most alike say the same other one.

    People may err in an answer; what speaks against it must not be of one mind by chance.
    """
    labels = np.asarray(cards)
    features = np.stack([view.features[:PLAIN] for view in views])
    units = unit(features - features.mean((0, 1)))
    alike = np.einsum("nvd,mwd->nmvw", units, units, optimize=True).max((2, 3))
    np.fill_diagonal(alike, -1.0)
    said = np.stack([log_softmax(view.logs[:PLAIN]).mean(0) for view in views])
    other = labels[alike.argmax(1)]
    sure = (said.argmax(1) == other) & (said.max(1) > _REFUTING)
    return [int(card) for card in np.where(sure & (other != labels) & (labels < NOTHING), UNNAMED, labels)]


def is_familiar(views: Sequence[CardViews], cards: Sequence[int], doubtful: bool = False) -> bool:
    """Return whether the networks know a design by itself, so that its cards need not be sought by their pictures.

    Of a card in a hand its index shows, and what is found well by that is mistaken for others where it is sought.
    doubtful: whether faces or names are missing; then it is enough that they know the indices, or all but all whole
    cards, as what is missing is taken for what is there.
    """
    whole, indices = _read_alone(views, cards)
    if doubtful and (indices >= _FAMILIAR or whole >= _FAMILIAR_PART):
        return True
    return (whole + indices) / 2 >= _FAMILIAR and whole >= _FAMILIAR_WHOLE


def _read_alone(views: Sequence[CardViews], cards: Sequence[int]) -> tuple[float, float]:
    """Return the shares of the whole cards, and of the indices, of cards with a name that the networks read alone."""
    named = np.asarray(cards) != UNNAMED
    truth = np.asarray(cards)[named, None]
    whole = np.stack([view.logs[:PLAIN] for view in views])[named, :, :-1].argmax(-1)
    corners = np.stack([view.index_logs[UPRIGHT] for view in views])[named, :, :-1].argmax(-1)
    return float((whole == truth).mean()), float((corners == truth).mean())


def _against_unlaid(deck: LearntDeck, cards: Sequence[int]) -> float | None:
    """Return by how many nats a card is likelier one of a whole deck that was laid than any other, None for a part.

    cards: of the pictures that there are. What has no name may be any face that is missing.
    """
    every = len(cards_of(deck.edition))
    faces, unnamed = {card for card in cards if card < NOTHING}, sum(card == UNNAMED for card in cards)
    return float(np.log(2 * every)) if len(faces) + unnamed >= every else None


def _key(deck: LearntDeck, networks: Path) -> bytes:
    digest = hashlib.sha256(_VERSION + repr(([card.name for card in deck.cards], deck.signs)).encode())
    for name in ("card-reader.onnx", "index-reader.onnx"):
        digest.update((networks / name).read_bytes())
    for picture in deck.laid:
        digest.update(picture.tobytes())
    return digest.digest()


def _as_arrays(views: Sequence[CardViews]) -> Arrays:
    rows = {part.name: np.stack([getattr(view, part.name) for view in views]) for part in fields(CardViews)}
    return {name: np.maximum(row, _LOWEST).astype(np.float16) for name, row in rows.items()}


def _views_in(arrays: Arrays) -> list[CardViews]:
    parts = [arrays[part.name].astype(np.float32) for part in fields(CardViews)]
    return [CardViews(*row) for row in zip(*parts, strict=True)]
