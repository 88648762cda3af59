"""Detects every face-up card of a picture once, whether it is open or shows only a corner.

Decides how often and how a picture is looked at: scales, rotation, restoration, mirror image. `assembly` combines the
boxes of one look into cards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path

import numpy as np

from companion.cards import EditionName
from companion.vision.core.calibration import Calibration
from companion.vision.core.deck_cards import DeckCards
from companion.vision.core.geometry import Image, Quad, lies_on, portrait, turned
from companion.vision.core.limits import ReadingLimits
from companion.vision.core.runtime import Network, model_folder
from companion.vision.core.sightings import CERTAIN, EVEN, NEARLY, UNSURE_BELOW, Back, Sighting
from companion.vision.detection.box_detector import Box, BoxFinder, BoxKind
from companion.vision.detection.card_backs import BackModel
from companion.vision.detection.deck_protocol import Deck
from companion.vision.detection.embedding import Embedding
from companion.vision.imaging.masks import Floats
from companion.vision.imaging.restoration import lightened, restored
from companion.vision.imaging.white_balance import balanced
from companion.vision.recognition.assembly import Assembler
from companion.vision.recognition.fusion import CornerEvidence, Evidence, FusionModel
from companion.vision.recognition.fusion import shipped as shipped_fusion
from companion.vision.recognition.mirror import MirrorModel, flipped, is_better, is_fairly_read, unmirrored
from companion.vision.recognition.mirror import shipped as shipped_mirror
from companion.vision.recognition.reader import Reader
from companion.vision.recognition.rectify import RectifiedHand

# Minimum box score of a possible face-down card, which the network was not trained to box: on 240 drawn tables 225 draw
# piles had at least this, 213 at least 0.04.
_MIN_BACK_SCORE = 0.003
# Minimum box score with a learnt deck the networks do not know. The box is only a candidate.
_MIN_SEARCHED_SCORE = 0.02
# Scale for cards that fill a third of the picture (130 px long, as most in training), also for the search in the
# rotated picture. On 120 piles it found more than 640 and 320 px together.
_CLOSE_SCALES = (416,)
# Finer scale for larger pictures, tried if nothing is read with fair confidence: of 20 photographs of cards 45 px long,
# 3 were read without it, 9 with it, none wrong. Used always, it causes false detections.
_FINE_SCALE = 960
# Scales for outlines of cards of any print. At which of them a card is found is partly chance: of 406 scattered cards
# 960 and 480 px cover 393 at an overlap of .6, these three 398.
OUTLINE_SCALES = (_FINE_SCALE, 640, *_CLOSE_SCALES)


@dataclass(frozen=True, eq=False)
class _Look:
    """Result of one run of detector and readers on a (H, W, 3) BGR uint8 picture. boxes: empty if they belong to
    another version of the picture. sightings: the cards, and what probably is none: a better view may show what it is.
    """

    image: Image
    boxes: list[Box]
    sightings: list[Sighting]

    @property
    def cards(self) -> list[Sighting]:
        """The sightings that probably are cards."""
        return _only_cards(self.sightings)


@dataclass(frozen=True, eq=False)
class CardDetector:
    """Detects and reads cards. Thread-safe.

    boxes: finds cards and indices. reader: reads them. limits: acceptance thresholds. calibration: final confidences.
    without_deck: detector for pictures that do not show the learnt deck. back_model: recognises face-down cards, None
    if it was not fitted. deck_cards: what the networks' cards mean; all, themselves, if None. fusion: gives the
    probabilities of open cards, by default the shipped model. mirror: recognises mirrored pictures, likewise.
    """

    boxes: BoxFinder
    reader: Reader
    limits: ReadingLimits
    calibration: Calibration = field(default_factory=Calibration)
    without_deck: CardDetector | None = None
    back_model: BackModel | None = None
    deck_cards: DeckCards | None = None
    fusion: FusionModel = field(default_factory=shipped_fusion)
    mirror: MirrorModel = field(default_factory=shipped_mirror)

    @cached_property
    def _assembler(self) -> Assembler:
        return Assembler(self.reader, self.limits, self.fusion)

    @classmethod
    def shipped(
        cls, cards: EditionName | DeckCards | None = None, folder: Path | None = None, threads: int = 0
    ) -> CardDetector:
        """Return the detector with the networks of a folder, by default the shipped ones.

        cards: those under consideration, a printed edition's or what the networks' cards mean. folder: contains
        detector.onnx, card-reader.onnx, index-reader.onnx, calibration.json, optionally backs.json, fusion.json,
        mirror.json and limits.json. Raises ModelFileError if a file is missing or damaged.
        """
        folder = folder or model_folder()
        boxes_network = Network.shared(folder / "detector.onnx", threads)
        own = folder / "limits.json"
        limits = ReadingLimits.load(own if own.exists() else model_folder() / own.name)
        calibration = Calibration.load(folder / "calibration.json")
        whole, corner = (Network.shared(folder / f"{kind}-reader.onnx", threads) for kind in ("card", "index"))
        deck_cards = DeckCards.printed(cards) if isinstance(cards, EditionName) else cards
        reader = Reader(whole, corner, calibration, deck_cards, Embedding.shipped(threads))
        boxes = BoxFinder(boxes_network, min_score=limits.box)
        backs, fusion, mirror = folder / "backs.json", folder / "fusion.json", folder / "mirror.json"
        back_model = BackModel.load(backs) if backs.exists() else None
        fusion_model = FusionModel.load(fusion) if fusion.exists() else shipped_fusion()
        mirror_model = MirrorModel.load(mirror) if mirror.exists() else shipped_mirror()
        return cls(boxes, reader, limits, calibration, None, back_model, deck_cards, fusion_model, mirror_model)

    def with_deck(self, deck: Deck) -> CardDetector:
        """Return a detector that also uses a learnt deck, with the same networks.

        A deck whose outlines or names are mostly uncertain carries no evidence; the detector then ignores it. Raises
        ModelFileError if the deck is searched and the network for outlines of any print is damaged.
        """
        without_deck = self.without_deck or self
        if deck.hard_to_see or deck.mostly_nameless:
            return without_deck
        detector = replace(self, reader=self.reader.with_deck(deck), without_deck=without_deck)
        if not deck.is_searched:
            return detector
        # For a searched deck, the readings themselves express the deck's uncertainty.
        unfanned = replace(self.calibration, fanned=1.0)
        return replace(detector, boxes=self.boxes.with_outlines(), calibration=unfanned)

    def with_deck_cards(self, deck_cards: DeckCards) -> CardDetector:
        """Return a detector with the same networks, whose cards mean these, without a learnt deck."""
        reader = self.reader.with_deck_cards(deck_cards)
        return replace(self, reader=reader, without_deck=None, deck_cards=deck_cards)

    def detect(self, image: Image) -> list[Sighting]:
        """Return the face-up cards in a (H, W, 3) BGR uint8 picture, whole ones first, each group from left to right.

        If none is read with fair confidence, a finer scale is tried, or the rotated picture; if few are confident, the
        picture is brightened, deblurred or mirrored as needed (see `Sighting.mirrored`).
        Hands are also read in a rectified picture.
        """
        return self._as_deck_cards(self._detect_printed(image))

    def _as_deck_cards(self, printed: Sequence[Sighting]) -> list[Sighting]:
        """Return sightings of printed cards as the cards that they mean."""
        deck_cards = self.deck_cards
        return list(printed) if deck_cards is None else [one.as_deck_cards(deck_cards.by_printed) for one in printed]

    def _detect_printed(self, image: Image) -> list[Sighting]:
        """Return the printed cards found, with calibrated confidences."""
        look = self._finer_look(self._look(image))
        printed = self._without_learnt(image, look.cards, CardDetector._detect_printed)
        if is_fairly_read(printed):
            return printed
        return self.calibration.in_picture(self._rectified_cards(self._restored_look(look)))

    def _without_learnt(
        self, image: Image, found: Sequence[Sighting], detect: Callable[[CardDetector, Image], list[Sighting]]
    ) -> list[Sighting]:
        """Return the cards as the networks alone read them, none if a card found is like the learnt deck's.

        If the networks are fairly sure of one, the cards are another deck's. found: the cards read with the learnt
        deck. Only a confidently read card counts, if there is one: the deck's own matches on other decks' cards are
        uncertain and similar to them. detect: reads without the deck.
        """
        if self.without_deck is None or not self.reader.searches_deck:
            return []
        whole = [sighting for sighting in found if sighting.whole]
        sure = [sighting for sighting in whole if sighting.confidence >= NEARLY]
        if whole and not self.reader.are_of_another_deck(image, [one.quad for one in sure or whole]):
            return []
        return detect(self.without_deck, image)

    def _restored_look(self, look: _Look) -> _Look:
        """Return the look, or a look at the mirror image or the restored picture if that shows more."""
        image, cards = look.image, look.cards
        if is_fairly_read(cards) and not self.mirror.is_doubtful(cards):
            return look
        mirrored = self._look(flipped(image)).cards
        if self.mirror.is_mirrored(cards, mirrored):
            return _Look(image, [], _from_mirror_image(mirrored, image))
        for version in restored(image):
            again = self._look(version)
            if is_better(again.sightings, look.sightings) or _shows_rejected_card(again, look):
                return replace(again, image=image, boxes=[])
        return look

    def _rectified_cards(self, look: _Look) -> list[Sighting]:
        """Return a hand's cards as read in the rectified picture, if that finds more.

        Cards missed at first may lie outside the first rectified picture, so it is recomputed from the cards it adds.
        """
        sightings, cards, best, plane = look.sightings, look.cards, look, None
        while (rectified := RectifiedHand.of(look.image, sightings)) is not None:
            again = self._look(rectified.image)
            if sum(one.clarity for one in again.cards) <= sum(one.clarity for one in cards):
                break
            sightings = [rectified.to_picture(one) for one in again.sightings]
            before, cards = cards, _only_cards(sightings)
            best, plane = again, rectified
            if rectified.contains(cards) or _are_same_cards(before, cards):
                break
        hand = self._assembler.complete_hand(best.image, best.boxes, best.cards, self._propose_outlines)
        return hand if plane is None else [plane.to_picture(one) for one in hand]

    def first_look(self, image: Image) -> list[Sighting]:
        """Return the printed cards found in one look at a (H, W, 3) BGR uint8 picture, uncalibrated."""
        return self._look(image).cards

    def _look(self, image: Image) -> _Look:
        """Return a look at a picture. If the coarsest scale shows one card and nothing else, it suffices."""
        *finer, coarsest = self.boxes.scales
        boxes = self.boxes.find(image, (coarsest,), min_score=self._min_score)
        if not self.reader.searches_deck and _is_one_card(boxes):
            look = self._read(image, boxes)
            if len(look.sightings) == 1 and look.sightings[0].whole and look.sightings[0].confidence >= NEARLY:
                return look
        return self._read(image, self.boxes.find(image, finer, min_score=self._min_score, known=boxes))

    def _read(self, image: Image, boxes: list[Box]) -> _Look:
        return _Look(image, boxes, self._assembler.assemble(self._lit(image, boxes), boxes, self._propose_outlines))

    def _lit(self, image: Image, boxes: Sequence[Box]) -> Image:
        """Return the picture in white light; cards of a searched deck are matched in the light they were learnt in."""
        return image if self.reader.searches_deck else self._in_white_light(image, boxes)

    def _propose_outlines(self, image: Image) -> list[Quad]:
        return self._outline_finder.propose_outlines(image, OUTLINE_SCALES)

    @cached_property
    def _outline_finder(self) -> BoxFinder:
        """Finds cards of any print. It takes 30 MB, and a deck the networks know needs it for few hands only."""
        return self.boxes.with_outlines()

    def _finer_look(self, look: _Look) -> _Look:
        """Return the look, or another one if nothing was read with fair confidence and that reads more: at a finer
        scale, or of the rotated picture if the picture has no finer detail.
        """
        image = look.image
        if self._is_resolved(look.cards):
            return look
        lit = self._lit(image, look.boxes)
        is_fine = max(image.shape[:2]) > _FINE_SCALE * 3 / 4
        boxes = self.boxes.find(lit, (_FINE_SCALE,) if is_fine else _CLOSE_SCALES, not is_fine, self._min_score)
        again = _Look(image, [*look.boxes, *boxes], self._assembler.assemble(lit, boxes))
        is_chosen = is_better(again.sightings, look.sightings) if look.cards else again.cards
        return again if is_chosen else replace(look, boxes=again.boxes)

    def _is_resolved(self, cards: Sequence[Sighting]) -> bool:
        """Whether a finer look adds little; what a deck's pictures leave uncertain is not resolved by one."""
        return bool(cards) and (self.reader.searches_deck or is_fairly_read(cards))

    @property
    def _min_score(self) -> float:
        """Minimum score of a box to be read."""
        return _MIN_SEARCHED_SCORE if self.reader.searches_deck else self.limits.faint_box

    def evidence(
        self, image: Image, on_pile: bool
    ) -> tuple[list[Evidence], list[tuple[tuple[float, float], CornerEvidence]]]:
        """Return the evidence about every boxed card of a (H, W, 3) BGR uint8 picture, and about every boxed index on
        none of them, with its centre in pixels, to fit their fusion.
        """
        boxes = self.boxes.find(image, on_pile=on_pile)
        return self._assembler.evidence(image if on_pile else self._in_white_light(image, boxes), boxes, on_pile)

    def fused(self, cards: Sequence[Evidence]) -> list[Sighting]:
        """Return the open cards with the fitted probabilities, given the evidence about each."""
        return self._assembler.fused(cards)

    def _in_white_light(self, image: Image, boxes: Sequence[Box]) -> Image:
        return balanced(image, [b.quad for b in boxes if b.kind is BoxKind.CARD and b.score >= self.limits.box])

    def backs(self, image: Image) -> list[Back]:
        """Return possible face-down cards with their probabilities."""
        quads, features = self.back_features(image)
        if not quads:
            return []
        model = self.back_model
        probabilities = np.full(len(quads), EVEN) if model is None else model.probabilities(features)
        return [Back(quad, probability) for quad, probability in zip(quads, probabilities.tolist(), strict=True)]

    def back_features(self, image: Image) -> tuple[list[Quad], Floats]:
        """Return upright outlines (4, 2) of card boxes of any score, and (N, D) features of the card reader.

        The features are averaged over both orientations, as a back has no top.
        """
        boxes = self.boxes.find(image, min_score=_MIN_BACK_SCORE)
        quads = [portrait(box.quad) for box in boxes if box.kind is BoxKind.CARD]
        if not quads:
            return [], np.zeros((0, 0), np.float32)
        features = [self.reader.features(image, way) for way in (quads, [turned(quad, 2) for quad in quads])]
        return quads, np.mean(features, axis=0)

    def detect_closeup(self, image: Image) -> list[Sighting]:
        """The same for a pile whose cards are about a third as long as the picture, in half the time."""
        return self._as_deck_cards(self._on_pile(image, CardDetector._closely))

    def detect_pile(self, image: Image) -> list[Sighting]:
        """The same for a pile with cards of any size.

        If no whole card is found, the rotated picture is searched.
        """
        return self._as_deck_cards(self._on_pile(image, CardDetector._thoroughly))

    def _closely(self, image: Image) -> list[Sighting]:
        return self._pile_cards(image, self.boxes.find(image, _CLOSE_SCALES, on_pile=True))

    def _thoroughly(self, image: Image) -> list[Sighting]:
        found = self._pile_cards(image, self.boxes.find(image, on_pile=True))
        if any(sighting.whole for sighting in found):
            return found
        again = self._pile_cards(image, self.boxes.find(image, _CLOSE_SCALES, rotated=True, on_pile=True))
        return again if any(sighting.whole for sighting in again) else found

    def _pile_cards(self, image: Image, boxes: Sequence[Box]) -> list[Sighting]:
        propose = partial(self.boxes.propose_outlines, scales=_CLOSE_SCALES)
        return _only_cards(self._assembler.assemble(image, boxes, propose, on_pile=True))

    def _on_pile(self, image: Image, find: Callable[[CardDetector, Image], list[Sighting]]) -> list[Sighting]:
        """Return the cards of a pile; a dark picture is brightened if that increases the confidence."""
        found = find(self, image)
        printed = self._without_learnt(image, found, lambda detector, one: detector._on_pile(one, find))
        if is_fairly_read(printed):
            return printed
        if self.mirror.is_doubtful(found) and (light := lightened(image)) is not None:
            again = find(self, light)
            found = again if is_better(again, found) else found
        return found


def _is_one_card(boxes: Sequence[Box]) -> bool:
    """Whether one card is boxed and every other box lies on it."""
    cards = [box.quad for box in boxes if box.kind is BoxKind.CARD]
    return len(cards) == 1 and all(lies_on(box.quad, cards[0]) for box in boxes)


def _only_cards(sightings: Sequence[Sighting]) -> list[Sighting]:
    """Return the sightings that probably are cards."""
    return [sighting for sighting in sightings if not sighting.is_probably_no_card]


def _shows_rejected_card(again: _Look, look: _Look) -> bool:
    """Whether another look shows a card that a look without any card took for another thing."""
    return not look.cards and not {one.card for one in look.sightings}.isdisjoint(one.card for one in again.cards)


def _are_same_cards(before: Sequence[Sighting], after: Sequence[Sighting]) -> bool:
    """Whether two looks show the same cards, all of them sure, so that further looks add little."""
    sure = all(one.clarity >= UNSURE_BELOW for one in (*before, *after))
    return sure and Counter(one.card for one in before) == Counter(one.card for one in after)


def _from_mirror_image(mirrored: Sequence[Sighting], image: Image) -> list[Sighting]:
    """Return the cards read in the mirror image of a picture in coordinates of the picture.

    A single picture does not show whether the camera mirrors: many symbols read as others in a mirror.
    """
    return [unmirrored(sighting, image.shape[1]).capped(CERTAIN) for sighting in mirrored]
