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
from companion.vision.detection.card_backs import BackLooks
from companion.vision.detection.deck_protocol import Deck
from companion.vision.detection.embedding import Embedding
from companion.vision.imaging.motion import Floats
from companion.vision.imaging.restoration import lightened, restored
from companion.vision.imaging.white_balance import balanced
from companion.vision.recognition.assembly import Assembler
from companion.vision.recognition.fusion import CornerEvidence, Evidence, FusionModel
from companion.vision.recognition.fusion import shipped as shipped_fusion
from companion.vision.recognition.mirror import MirrorModel, back, flipped, is_better, is_fairly_read
from companion.vision.recognition.mirror import shipped as shipped_mirror
from companion.vision.recognition.reader import Reader
from companion.vision.recognition.rectify import RectifiedHand

# Minimum box score of a possible face-down card, which the network was not trained to box: on 240 drawn tables 225 draw
# piles had at least this, 213 at least 0.04.
_FAINT_BACK = 0.003
# Minimum box score with a learnt deck the networks do not know. The box is only a candidate.
_FAINTEST = 0.02
# Scale for cards that fill a third of the picture (130 px long, as most in training). On 120 piles it found more than
# 640 and 320 px together.
# It is also that of the search in the rotated picture.
_CLOSE_SCALES = (416,)
# Finer scale for larger pictures, tried if nothing is read with fair confidence: of 20 photographs of cards 45 px long,
# 3 were read without it, 9 with it, none wrong. Used always, it causes false detections.
_FINE_SCALE = 960
# Scales for outlines of cards of any print: one for exact outlines in fans, one for large cards. Of the cards in fans
# of nine designs, most of them pictures from edge to edge, they covered 99 % at an overlap of .7, and 640 px 93 %.
OUTLINE_SCALES = (_FINE_SCALE, 480)


@dataclass(frozen=True, eq=False)
class _Look:
    """Result of one look at a (H, W, 3) BGR uint8 picture. boxes: empty if they belong to another version of the
    picture. seen: the cards, and what probably is none: a better view may show what it is.
    """

    image: Image
    boxes: list[Box]
    seen: list[Sighting]

    @property
    def found(self) -> list[Sighting]:
        """The cards alone."""
        return _without_others(self.seen)


@dataclass(frozen=True, eq=False)
class CardDetector:
    """Detects and reads cards. Thread-safe.

    boxes: finds cards and indices. reader: reads them. limits: acceptance thresholds. calibration: final confidences.
    plain: detector for pictures that do not show the learnt deck. back_looks: model of face-down cards, None if it was
    not fitted. cards: what the networks' cards mean; all, themselves, if None. fusion: gives the
    probabilities of open cards, by default the shipped model. mirror: recognises mirrored pictures, likewise.
    """

    boxes: BoxFinder
    reader: Reader
    limits: ReadingLimits
    calibration: Calibration = field(default_factory=Calibration)
    plain: CardDetector | None = None
    back_looks: BackLooks | None = None
    cards: DeckCards | None = None
    fusion: FusionModel = field(default_factory=shipped_fusion)
    mirror: MirrorModel = field(default_factory=shipped_mirror)

    @cached_property
    def _assembler(self) -> Assembler:
        return Assembler(self.reader, self.limits, self.fusion)

    @classmethod
    def shipped(
        cls,
        cards: EditionName | DeckCards | None = None,
        folder: Path | None = None,
        threads: int = 0,
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
        meant = DeckCards.printed(cards) if isinstance(cards, EditionName) else cards
        reader = Reader(whole, corner, calibration, meant, Embedding.shipped(threads))
        boxes = BoxFinder(boxes_network, threshold=limits.box)
        looks, fusion, mirror = folder / "backs.json", folder / "fusion.json", folder / "mirror.json"
        back_looks = BackLooks.load(looks) if looks.exists() else None
        model = FusionModel.load(fusion) if fusion.exists() else shipped_fusion()
        comparison = MirrorModel.load(mirror) if mirror.exists() else shipped_mirror()
        return cls(boxes, reader, limits, calibration, None, back_looks, meant, model, comparison)

    def with_deck(self, deck: Deck) -> CardDetector:
        """Return a detector that also uses a learnt deck, with the same networks.

        A deck whose outlines or names are mostly uncertain carries no evidence; the detector then ignores it. Raises
        ModelFileError if the deck is searched and the network for outlines of any print is damaged.
        """
        plain = self.plain or self
        if deck.hard_to_see or deck.mostly_nameless:
            return plain
        detector = replace(self, reader=self.reader.with_deck(deck), plain=plain)
        if not deck.is_searched:
            return detector
        # For a searched deck, the readings themselves express the deck's uncertainty.
        unfanned = replace(self.calibration, fanned=1.0)
        return replace(detector, boxes=self.boxes.with_outlines(), calibration=unfanned)

    def with_deck_cards(self, cards: DeckCards) -> CardDetector:
        """Return a detector with the same networks, whose cards mean these, without a learnt deck."""
        return replace(self, reader=self.reader.with_deck_cards(cards), plain=None, cards=cards)

    def detect(self, image: Image) -> list[Sighting]:
        """Return the face-up cards in a (H, W, 3) BGR uint8 picture, whole ones first, each group from left to right.

        If none is read with fair confidence, a finer scale is tried, or the rotated picture; if few are confident, the
        picture is brightened, deblurred or mirrored as needed (see `Sighting.mirrored`).
        Hands are also read in a rectified picture.
        """
        return self._meant(self._printed(image))

    def _meant(self, found: Sequence[Sighting]) -> list[Sighting]:
        """Return sightings of printed cards as the cards that they mean."""
        return list(found) if self.cards is None else [one.in_deck(self.cards.meant) for one in found]

    def _printed(self, image: Image) -> list[Sighting]:
        look = self._closer_look(self._look(image))
        if self.plain is not None and self._shows_another_deck(image, look.found):
            return self.plain._printed(image)
        return self.calibration.in_picture(self._from_above(self._as_it_shows(look)))

    def _shows_another_deck(self, image: Image, found: Sequence[Sighting]) -> bool:
        """Whether the cards found belong to another deck than the learnt one.

        Decided by a confidently read card: the deck's own matches on other decks' cards are uncertain and similar to
        them. On two photographs of other decks, less confident cards matched the deck at .61 and .73, the correct ones
        at .32 and .24.
        """
        whole = [sighting for sighting in found if sighting.whole]
        sure = [sighting for sighting in whole if sighting.confidence >= NEARLY]
        return self.reader.searches_deck and self.reader.are_of_another_deck(image, [one.quad for one in sure or whole])

    def _as_it_shows(self, look: _Look) -> _Look:
        """Return the look, or a look at the restored or mirrored picture if that shows more."""
        image, found = look.image, look.found
        if is_fairly_read(found) and not self.mirror.is_doubtful(found):
            return look
        turned = self._look(flipped(image)).found
        if self.mirror.is_mirrored(found, turned):
            return _Look(image, [], _seen_in_mirror(turned, image))
        for mended in restored(image):
            again = self._look(mended)
            if is_better(again.seen, look.seen) or _shows_what_was_doubted(again, look):
                return replace(again, image=image, boxes=[])
        return look

    def _from_above(self, look: _Look) -> list[Sighting]:
        """Return a hand's cards as read in the rectified picture, if that finds more.

        Cards missed at first may lie outside the first rectified picture, so it is recomputed from the cards it adds.
        """
        seen, found, best, plane = look.seen, look.found, look, None
        while (level := RectifiedHand.of(look.image, seen)) is not None:
            again = self._look(level.image)
            if sum(s.clarity for s in again.found) <= sum(s.clarity for s in found):
                break
            seen = [level.back(sighting) for sighting in again.seen]
            before, found = found, _without_others(seen)
            best, plane = again, level
            if level.holds(found) or _agree(before, found):
                break
        filled = self._assembler.complete_hand(best.image, best.boxes, best.found, self._outlines)
        return filled if plane is None else [plane.back(sighting) for sighting in filled]

    def first_look(self, image: Image) -> list[Sighting]:
        """Return the printed cards found in one look at a (H, W, 3) BGR uint8 picture, uncalibrated."""
        return self._look(image).found

    def _look(self, image: Image) -> _Look:
        """Return the cards in one look. If the coarsest scale shows one card and nothing else, it suffices."""
        searches_deck = self.reader.searches_deck
        *finer, coarse = self.boxes.scales
        coarsely = self.boxes.find(image, (coarse,), least=self._least)
        if not searches_deck and _is_one_card(coarsely):
            look = self._looked(image, coarsely)
            if len(look.seen) == 1 and look.seen[0].whole and look.seen[0].confidence >= NEARLY:
                return look
        return self._looked(image, self.boxes.find(image, finer, least=self._least, known=coarsely))

    def _looked(self, image: Image, boxes: list[Box]) -> _Look:
        # Cards of a searched deck are matched in the light they were learnt in.
        lit = image if self.reader.searches_deck else self._in_white_light(image, boxes)
        return _Look(image, boxes, self._assembler.cards(lit, boxes, self._outlines))

    def _outlines(self, image: Image) -> list[Quad]:
        return self._outline_finder.propose_outlines(image, OUTLINE_SCALES)

    @cached_property
    def _outline_finder(self) -> BoxFinder:
        """Finds cards of any print. It takes 30 MB, and a deck the networks know needs it for few hands only."""
        return self.boxes.with_outlines()

    def _closer_look(self, look: _Look) -> _Look:
        """Return the look, or another one if nothing was read with fair confidence and that reads more: at a finer
        scale, or of the rotated picture if the picture has no finer detail.
        """
        image = look.image
        if self._is_resolved(look.found):
            return look
        lit = image if self.reader.searches_deck else self._in_white_light(image, look.boxes)
        is_fine = max(image.shape[:2]) > _FINE_SCALE * 3 / 4
        boxes = self.boxes.find(lit, (_FINE_SCALE,) if is_fine else _CLOSE_SCALES, not is_fine, self._least)
        again = _Look(image, [*look.boxes, *boxes], self._assembler.cards(lit, boxes))
        is_chosen = is_better(again.seen, look.seen) if look.found else again.found
        return again if is_chosen else replace(look, boxes=again.boxes)

    def _is_resolved(self, found: Sequence[Sighting]) -> bool:
        """Whether a finer look adds little; what a deck's pictures leave uncertain is not resolved by one."""
        return bool(found) and (self.reader.searches_deck or is_fairly_read(found))

    @property
    def _least(self) -> float:
        """Minimum score of a box to be read."""
        return _FAINTEST if self.reader.searches_deck else self.limits.faint_box

    def candidates(
        self, image: Image, on_pile: bool
    ) -> tuple[list[Evidence], list[tuple[tuple[float, float], CornerEvidence]]]:
        """Return the evidence about every boxed card of a (H, W, 3) BGR uint8 picture, and about every boxed index on
        none of them, with its centre in pixels, to fit their fusion.
        """
        boxes = self.boxes.find(image, pile=on_pile)
        return self._assembler.candidates(image if on_pile else self._in_white_light(image, boxes), boxes, on_pile)

    def fused(self, cards: Sequence[Evidence]) -> list[Sighting]:
        """Return the open cards with the fitted probabilities, given the evidence about each."""
        return self._assembler.fused(cards)

    def _in_white_light(self, image: Image, boxes: Sequence[Box]) -> Image:
        return balanced(image, [b.quad for b in boxes if b.kind is BoxKind.CARD and b.score >= self.limits.box])

    def backs(self, image: Image) -> list[Back]:
        """Return possible face-down cards with their probabilities."""
        quads, features = self.described_for_backs(image)
        if not quads:
            return []
        looks = self.back_looks
        likely = np.full(len(quads), EVEN) if looks is None else looks.probabilities(features)
        return [Back(quad, probability) for quad, probability in zip(quads, likely.tolist(), strict=True)]

    def described_for_backs(self, image: Image) -> tuple[list[Quad], Floats]:
        """Return upright outlines (4, 2) of card boxes of any score.

        Also returns (N, D) features of the card reader, averaged over both orientations, as a back has no top.
        """
        boxes = self.boxes.find(image, least=_FAINT_BACK)
        quads = [portrait(box.quad) for box in boxes if box.kind is BoxKind.CARD]
        if not quads:
            return [], np.zeros((0, 0), np.float32)
        ways = [self.reader.features(image, way) for way in (quads, [turned(quad, 2) for quad in quads])]
        return quads, np.mean(ways, axis=0)

    def detect_closeup(self, image: Image) -> list[Sighting]:
        """The same for a pile whose cards are about a third as long as the picture, in half the time."""
        return self._meant(self._on_pile(image, CardDetector._closely))

    def detect_pile(self, image: Image) -> list[Sighting]:
        """The same for a pile with cards of any size.

        If no whole card is found, the rotated picture is searched.
        """
        return self._meant(self._on_pile(image, CardDetector._thoroughly))

    def _closely(self, image: Image) -> list[Sighting]:
        return self._pile_cards(image, self.boxes.find(image, _CLOSE_SCALES, pile=True))

    def _thoroughly(self, image: Image) -> list[Sighting]:
        found = self._pile_cards(image, self.boxes.find(image, pile=True))
        if any(sighting.whole for sighting in found):
            return found
        again = self._pile_cards(image, self.boxes.find(image, _CLOSE_SCALES, turned=True, pile=True))
        return again if any(sighting.whole for sighting in again) else found

    def _pile_cards(self, image: Image, boxes: Sequence[Box]) -> list[Sighting]:
        outlines = partial(self.boxes.propose_outlines, scales=_CLOSE_SCALES)
        return _without_others(self._assembler.cards(image, boxes, outlines, on_pile=True))

    def _on_pile(self, image: Image, find: Callable[[CardDetector, Image], list[Sighting]]) -> list[Sighting]:
        """Return the cards of a pile; a dark picture is brightened if that increases the confidence."""
        found = find(self, image)
        if self.plain is not None and self._shows_another_deck(image, found):
            return self.plain._on_pile(image, find)
        if self.mirror.is_doubtful(found) and (light := lightened(image)) is not None:
            again = find(self, light)
            found = again if is_better(again, found) else found
        return found


def _is_one_card(boxes: Sequence[Box]) -> bool:
    """Whether one card is boxed and every other box lies on it."""
    cards = [box.quad for box in boxes if box.kind is BoxKind.CARD]
    return len(cards) == 1 and all(lies_on(box.quad, cards[0]) for box in boxes)


def _without_others(seen: Sequence[Sighting]) -> list[Sighting]:
    """Return the cards without what probably is none."""
    return [sighting for sighting in seen if not sighting.is_probably_none]


def _shows_what_was_doubted(again: _Look, look: _Look) -> bool:
    """Whether a look without a card probably held one that another look shows."""
    return not look.found and not {one.card for one in look.seen}.isdisjoint(one.card for one in again.found)


def _agree(before: Sequence[Sighting], after: Sequence[Sighting]) -> bool:
    """Whether two looks show the same cards, all of them sure, so that further looks add little."""
    sure = all(one.clarity >= UNSURE_BELOW for one in (*before, *after))
    return sure and Counter(one.card for one in before) == Counter(one.card for one in after)


def _seen_in_mirror(turned: Sequence[Sighting], image: Image) -> list[Sighting]:
    """Return the cards read in the mirrored picture in coordinates of the original.

    A single picture does not show whether the camera mirrors: many symbols read as others in a mirror.
    """
    return [back(sighting, image.shape[1]).capped(CERTAIN) for sighting in turned]
