"""A lesson: a deck is laid card by card, named, queried where uncertain, and learnt."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from companion.cards import Card
from companion.decks.capture.pile_capture import REFINEMENTS, LaidCard, Pile
from companion.decks.labels.laid_order import aligned
from companion.decks.labels.naming import Naming, accepted_answers, name_cards
from companion.decks.matching.card_parts import PartEmbedding
from companion.decks.model.card_views import NamingEvidence, design_spot, naming_evidence, stored_picture
from companion.decks.model.edition_cards import learnt_cards
from companion.decks.storage.deck_file import MAX_CARDS, LearntDeck, encoded
from companion.editions import Edition
from companion.vision.core.geometry import Image, Quad
from companion.vision.core.labels import Floats, log_softmax
from companion.vision.detection.box_detector import BoxFinder, BoxKind
from companion.vision.recognition.card_detector import OUTLINE_SCALES
from companion.vision.recognition.outlines import is_card_shaped
from companion.vision.recognition.reader import Reader

# How many times as long as naming takes its result is shown while cards are laid: naming takes seconds at a hundred
# cards, and the next card waits for it.
_SHOWN_FOR = 4


@dataclass(frozen=True, eq=False)
class EnrolledCard:
    """A laid card: stored picture, features in both orientations (2, D), readings of its parts (3, 57).

    quad: its outline in the picture of the pile.
    """

    picture: Image
    quad: Quad
    features: Floats
    logs: Floats
    place: int


class Lesson:
    """The state of a lesson. Thread-safe for reading while pictures are added.

    order: the cards in the order in which they are laid, if known. by_color: whether they are sorted by colour. each:
    whether every picture shows one more card.
    """

    def __init__(
        self,
        reader: Reader,
        boxes: BoxFinder,
        edition: Edition,
        order: Sequence[Card] = (),
        by_color: bool = False,
        each: bool = False,
    ) -> None:
        self._reader = learnt_cards(edition).reader(reader)
        self._boxes = boxes
        self.edition = edition
        self._order = tuple(order)
        self._by_color = by_color
        self._each = each
        # Number of pictures shown, if each shows one more card.
        self._shown_pictures = 0
        self._pile = Pile(reader.refine_outlines, each, self._boxed, self._legibility, self._proposed)
        # What cards are named by, in each outline of the pictures of the step in progress.
        self._evidence: dict[tuple[int, bytes], NamingEvidence] = {}
        self._cards: list[EnrolledCard] = []
        # Known names: laid on request or volunteered, and answers to questions.
        self._known_names: dict[int, Card] = {}
        self._answers: dict[int, Card] = {}
        self._unanswered: Naming | None = None
        self._naming: Naming | None = None
        # The naming that is shown, the time until which it is shown although cards were added, and the number of
        # statements that it takes into account.
        self._shown: tuple[Naming, float, tuple[int, int]] | None = None
        self._asked = 0
        self._revised = 0
        self._prompting = False
        self._skipped: set[Card] = set()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._cards)

    @property
    def pictures(self) -> tuple[Image, ...]:
        """The cards' pictures, (480, 320, 3) BGR uint8, in the order laid."""
        return tuple(card.picture for card in list(self._cards))

    @property
    def places(self) -> tuple[int, ...]:
        """Number of cards laid before each one, including missed ones."""
        return tuple(card.place for card in list(self._cards))

    @property
    def without_card(self) -> tuple[int, ...]:
        """Places of the pictures in which no card was found, if each shows one more card."""
        with self._lock:
            return tuple(sorted(set(range(self._shown_pictures)) - {card.place for card in self._cards}))

    @property
    def missed(self) -> tuple[tuple[Card, int | None], ...]:
        """The cards of the given order that no picture shows, with the place of the picture that should show it.

        The place is None if there is no such picture.
        """
        with self._lock:
            at = self._order_indices()
            found = {index: self._cards[i].place for i, index in at.items()}
            missed = []
            for index in sorted(set(range(len(self._order))) - found.keys()):
                before = max((known for known in found if known < index), default=None)
                place = index if before is None else found[before] + index - before
                is_shown = place < self._shown_pictures and place not in found.values()
                missed.append((self._order[index], place if is_shown else None))
            return tuple(missed)

    @property
    def revised(self) -> int:
        """How many times pictures were left out; it identifies a version of the pictures' numbers."""
        return self._revised

    def show(self, image: Image) -> int:
        """Process a still (H, W, 3) BGR uint8 picture of the pile; returns the number of additional cards found."""
        new = [self._enrolled(card) for card in self._pile.show(image)]
        self._evidence.clear()
        self._shown_pictures += self._each
        return self.add(new)

    def pass_over(self) -> None:
        """Keep the place of a picture that cannot be read, if every picture shows one more card."""
        self._pile.pass_over()
        self._shown_pictures += self._each

    def add(self, new: Sequence[EnrolledCard]) -> int:
        """Add laid cards; returns their number."""
        with self._lock:
            for card in new[: max(0, MAX_CARDS - len(self._cards))]:
                wanted = self._next_wanted()
                if wanted is not None:
                    self._known_names[len(self._cards)] = wanted
                self._cards.append(card)
            self._unanswered = self._naming = None
        return len(new)

    def prompt(self) -> None:
        """From now on request specific cards, one of each unnamed face: see `wanted`."""
        with self._lock:
            self._prompting = True

    def skip(self, card: Card) -> None:
        """Stop requesting a card that people do not have."""
        with self._lock:
            self._skipped.add(card)

    @property
    def wanted(self) -> Card | None:
        """The requested card, None without requests or when all were laid."""
        with self._lock:
            return self._next_wanted()

    def _next_wanted(self) -> Card | None:
        if not self._prompting:
            return None
        done = self._skipped.union(self._known_names.values())
        if self._answers and not self._named().set_aside:
            done |= set(self._answers.values())
        return next((card for card in self.edition.deck if card not in done), None)

    @property
    def asked(self) -> int:
        """Number of answered questions."""
        return self._asked

    def _legibility(self, image: Image, quad: Quad) -> float:
        """Return how clearly a card is read in an outline of a picture."""
        key = (id(image), quad.tobytes())
        if key not in self._evidence:
            self._evidence[key] = naming_evidence(self._reader, stored_picture(image, quad))
        return self._evidence[key].legibility

    def _enrolled(self, card: LaidCard) -> EnrolledCard:
        self._legibility(card.image, card.quad)
        evidence = self._evidence[(id(card.image), card.quad.tobytes())]
        return EnrolledCard(evidence.picture, card.quad, evidence.features, evidence.logs, card.place)

    def naming(self) -> Naming:
        """Return the current names, using answers that fit. Raises ValueError without cards."""
        with self._lock:
            return self._named()

    def shown(self) -> Naming:
        """Return the names to show while cards are laid: those of the latest cards may be missing for a while.

        Answers and pictures left out count at once. Raises ValueError without cards.
        """
        with self._lock:
            state = (self._asked, self._revised)
            if self._shown is not None and self._shown[2] == state and time.monotonic() < self._shown[1]:
                return self._shown[0]
            began = time.monotonic()
            naming, ended = self._named(), time.monotonic()
            self._shown = (naming, ended + _SHOWN_FOR * (ended - began), state)
            return naming

    def _named(self) -> Naming:
        if not self._cards:
            raise ValueError("no card was laid yet")
        if self._naming is None:
            ordered = {i: self._order[index] for i, index in self._order_indices().items()}
            known_names = ordered | self._known_names
            if self._unanswered is None:
                self._unanswered = self._names_given(known_names)
            self._naming = self._unanswered
            if self._answers:
                answered = self._names_given(known_names | self._answers)
                self._naming = accepted_answers(self._unanswered, answered)
        return self._naming

    def _order_indices(self) -> dict[int, int]:
        """Return the index in the given order for each picture that shows a card of it."""
        if not self._order or not self._cards:
            return {}
        if self._shown_pictures == len(self._order):
            return {i: card.place for i, card in enumerate(self._cards)}
        learnt = learnt_cards(self.edition)
        by_place = sorted(range(len(self._cards)), key=lambda i: self._cards[i].place)
        # On unknown designs a card's middle, the last part, shows its picture more often than its face.
        readings = np.stack([np.exp(log_softmax(self._cards[i].logs[:-1])).mean(0) for i in by_place])
        found = aligned(
            readings, [learnt.number(card) for card in self._order], [self._cards[i].place for i in by_place]
        )
        return {i: index for i, index in zip(by_place, found, strict=True) if index is not None}

    def _names_given(self, known: Mapping[int, Card]) -> Naming:
        features = np.stack([card.features for card in self._cards])
        logs = np.stack([card.logs for card in self._cards])
        return name_cards(features, logs, self.edition, known, self._by_color)

    def _boxed(self, image: Image) -> list[Quad]:
        return [box.quad for box in self._boxes.find(image, on_pile=True) if box.kind is BoxKind.CARD]

    def _proposed(self, image: Image, quads: Sequence[Quad]) -> list[Quad]:
        """Return given outlines and those of possible cards of any print, corrected by the network for any print."""
        found = [*quads, *self._boxes.with_outlines().propose_outlines(image, OUTLINE_SCALES)]
        for _ in range(REFINEMENTS):
            found = PartEmbedding.shipped().outlines(image, found)
        return [quad for quad in found if is_card_shaped(quad)]

    def answer(self, picture: int, card: Card) -> None:
        """Record people's name for a picture; it also informs about copies and other cards.

        A name given without a question is taken as certain.
        """
        with self._lock:
            asked = any(picture in question.pictures for question in self._named().questions)
            if asked:
                self._answers[picture] = card
            else:
                self._answers.pop(picture, None)
                self._known_names[picture] = card
                self._unanswered = None
            self._asked += 1
            self._naming = None

    def drop(self, picture: int) -> None:
        """Leave out a picture that shows no card, and the copies that a question asks about with it.

        The pictures after it move up; their names stay.
        """
        with self._lock:
            asked = [question.pictures for question in self._named().questions if picture in question.pictures]
            self._leave_out({picture}.union(*asked))
            self._asked += 1

    def drop_unordered(self) -> None:
        """Leave out the pictures that show no card of the given order, such as a hand."""
        with self._lock:
            if self._order:
                self._leave_out(set(range(len(self._cards))) - self._order_indices().keys())

    def _leave_out(self, gone: set[int]) -> None:
        left = [i for i in range(len(self._cards)) if i not in gone]
        now = {old: new for new, old in enumerate(left)}
        self._cards = [self._cards[i] for i in left]
        self._known_names = {now[i]: card for i, card in self._known_names.items() if i in now}
        self._answers = {now[i]: card for i, card in self._answers.items() if i in now}
        self._revised += 1
        self._unanswered = self._naming = None

    def finish(self, name: str) -> LearntDeck:
        """Return the deck as known now; pictures with uncertain names are stored without one.

        Raises ValueError without cards.
        """
        naming = self.naming()
        pictures = [one.picture for one in self._cards]
        spot = design_spot(self._boxes, list(dict(zip(naming.cards, pictures, strict=True)).values()))
        known = [i for i, sure in enumerate(naming.sure) if sure]
        unnamed = tuple(encoded(pictures[i]) for i, sure in enumerate(naming.sure) if not sure)
        cards, named = tuple(naming.cards[i] for i in known), tuple(pictures[i] for i in known)
        return LearntDeck(name, self.edition, cards, named, spot, self._asked, unnamed=unnamed)
