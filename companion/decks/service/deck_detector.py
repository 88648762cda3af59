"""Card detectors that use a learnt deck."""

from __future__ import annotations

from pathlib import Path

from companion.decks.model.edition_cards import deck_cards, learnt_cards
from companion.decks.service.build import DeckModel, build_model
from companion.decks.storage.deck_file import LearntDeck
from companion.decks.storage.library import DeckLibrary
from companion.editions import Edition
from companion.vision.core.deck_cards import DeckCards
from companion.vision.core.runtime import Network, model_folder
from companion.vision.detection.box_detector import BoxFinder
from companion.vision.detection.embedding import Embedding
from companion.vision.recognition.card_detector import CardDetector
from companion.vision.recognition.reader import Reader

HARD_TO_SEE = (
    "The pictures tell these cards apart worse than reading them does. The cards may look almost like the surface "
    "beneath them: lay them on a cloth of another colour, in even light."
)
"""What to do about a deck whose model is `hard_to_see`."""


def reading_parts(folder: Path | None = None, threads: int = 0) -> tuple[Reader, BoxFinder]:
    """Return the reader and the box finder of a folder of networks, by default the shipped one.

    Raises ModelFileError if a file is missing or damaged.
    """
    folder = folder or model_folder()
    cards, indices = (Network.shared(folder / f"{kind}-reader.onnx", threads) for kind in ("card", "index"))
    return Reader(cards, indices, embedding=Embedding.shipped(threads)), BoxFinder(
        Network.shared(folder / "detector.onnx", threads)
    )


def deck_detector(
    library: DeckLibrary, name: str, edition: Edition | None = None, folder: Path | None = None, threads: int = 0
) -> CardDetector:
    """Return the detector for the deck of this name, by default with its own edition.

    folder: of the networks, by default the shipped one. Raises ModelFileError and DeckFileError.
    """
    deck = library.load(name)
    detector = CardDetector.shipped(_cards(deck.edition, edition or deck.edition), folder, threads=threads)
    return detector.with_deck(model_of_deck(library, deck, detector.reader, folder))


def _cards(learnt: Edition, played: Edition) -> DeckCards:
    """Return what readings mean with a deck that was learnt for one edition, in a match of perhaps another."""
    return deck_cards(played) if learnt.is_printed else learnt_cards(learnt).deck_cards()


def model_of_deck(library: DeckLibrary, deck: LearntDeck, reader: Reader, folder: Path | None = None) -> DeckModel:
    """Return the model of a deck for a reader; expensive parts are cached beside the deck's file."""
    return build_model(reader, deck, folder or model_folder(), library.path(deck.name).with_suffix(".npz"))
