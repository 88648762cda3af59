"""Picture -> sightings: every face-up card once, whether it lies open or shows only a corner.

How often a picture is looked at, and how: at which scales, turned, mended, in a mirror. What a look boxes, `assembly`
makes cards of.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from companion.cards import EditionName
from companion.cards import deck as cards_of
from companion.vision.core.calibration import Calibration
from companion.vision.core.geometry import Image, Quad, portrait, turned
from companion.vision.core.limits import ReadingLimits
from companion.vision.core.runtime import Network
from companion.vision.core.sightings import NAMED_MOST, UNSURE_BELOW, Back, Sighting
from companion.vision.detection.box_detector import Box, BoxFinder, BoxKind
from companion.vision.detection.card_backs import BackLooks
from companion.vision.detection.deck_protocol import Deck
from companion.vision.detection.proposals import proposals
from companion.vision.imaging.motion import Floats
from companion.vision.imaging.restoration import lightened, restored
from companion.vision.imaging.white_balance import balanced
from companion.vision.recognition.assembly import FAINT_BESIDE, Assembler
from companion.vision.recognition.mirror import (
    back,
    flipped,
    is_doubtful,
    is_fairly_read,
    is_mirrored,
    is_surer,
    lies_as_printed,
    lies_oddly,
)
from companion.vision.recognition.reader import Reader
from companion.vision.recognition.rectify import Level

MODEL_FOLDER = Path(__file__).resolve().parent.parent / "models"
_CHECKOUT_MODELS = Path(__file__).resolve().parents[2] / "models"

# Score from which a box may be a card face down, which the network was not trained to box: over tables drawn by lot the
# draw pile in view had at least this, hardly anything of a card's size else.
_FAINT_BACK = 0.04
# How likely anything is a card face down to a card reader of which nothing is known of how it sees those.
_ANY_BACK = 0.5
# The score from which boxes are asked for with a learnt deck of a design that the networks do not know, which by itself
# tells nothing.
_FAINTEST = 0.02
# How surely an open card is read that tells whether a picture shows the learnt deck: on two photographs of others what
# was less surely read was as much like a picture of the deck as .61 and .73, the card itself .32 and .24.
_TELLS_DECK = 0.9
# At which scale cards are searched for that fill a third of the picture: 130 px long, as most are in training. Over 120
# piles it found more than 640 and 320 px together.
_CLOSE_SCALES = (416,)
# At which scale a picture in which nothing, or on a pile no whole card, was found is searched turned by a quarter.
_LAST_SCALES = (416,)
# At which scales a larger picture is searched, one after the other, while nothing in it is fairly surely read: of 20
# photographs of cards 45 px long 3 were read so without, 9 at the first, 17 at the second, and none wrongly; done
# always it invents. What was mended or turned round is searched at the first alone, as each look costs.
_FINE_SCALES = (960, 1280)
# How many level pictures of a hand are looked at at most: one of eight cards, four of them read at first, took four.
_LEVEL_LOOKS = 6


def model_folder() -> Path:
    """Return the folder of the shipped networks, beside the package in a checkout, inside it in an installation."""
    return MODEL_FOLDER if MODEL_FOLDER.is_dir() else _CHECKOUT_MODELS


@dataclass(frozen=True, eq=False)
class _Look:
    """What one look at a (H, W, 3) BGR uint8 picture shows. boxes: none where it was another picture of the same."""

    image: Image
    boxes: list[Box]
    found: list[Sighting]


class CardDetector:
    """Finds and reads cards. One instance may be used from several threads.

    boxes: finds cards and indices. reader: reads them. limits: what of both counts. calibration: what the confidences
    mean that come of it. plain: what reads the pictures that show other cards than the learnt deck's. back_looks: what
    cards face down look like to the reader, None where that was not fitted.
    """

    def __init__(
        self,
        boxes: BoxFinder,
        reader: Reader,
        limits: ReadingLimits,
        calibration: Calibration | None = None,
        plain: CardDetector | None = None,
        back_looks: BackLooks | None = None,
    ) -> None:
        self._boxes = boxes
        self._reader = reader
        self._limits = limits
        self._calibration = calibration or Calibration()
        self._plain = plain
        self._back_looks = back_looks
        self._assembler = Assembler(reader, limits)

    @classmethod
    def shipped(
        cls,
        edition: EditionName | None = None,
        folder: Path | None = None,
        scales: tuple[int, ...] = (640, 320),
        threads: int = 0,
    ) -> CardDetector:
        """Return the detector with the networks of a folder, the shipped ones where it is None.

        edition: only its cards are considered, all where None. folder: detector.onnx, card-reader.onnx,
        index-reader.onnx, calibration.json, backs.json if backs were fitted, and, where it differs from the shipped
        one, limits.json. scales: longer sides in pixels at which the picture is searched. Raises ModelFileError where a
        file is missing or damaged.
        """
        folder = folder or model_folder()
        boxes_network = Network.shared(folder / "detector.onnx", threads)
        own = folder / "limits.json"
        limits = ReadingLimits.load(own if own.exists() else model_folder() / own.name)
        calibration = Calibration.load(folder / "calibration.json")
        cards, indices = (Network.shared(folder / f"{kind}-reader.onnx", threads) for kind in ("card", "index"))
        reader = Reader(cards, indices, calibration, None if edition is None else cards_of(edition).keys())
        boxes = BoxFinder(boxes_network, scales, limits.box)
        looks = folder / "backs.json"
        return cls(boxes, reader, limits, calibration, None, BackLooks.load(looks) if looks.exists() else None)

    @property
    def reader(self) -> Reader:
        """What reads the cards that are boxed."""
        return self._reader

    def knowing(self, deck: Deck) -> CardDetector:
        """Return what reads with the learnt looks of the deck on the table besides, by the same networks.

        A deck whose cards were hardly made out as they were laid, or the names of most of which are in doubt, tells
        nothing: that reads as without.
        """
        plain = self._plain or self
        if deck.hard_to_see or deck.mostly_nameless:
            return plain
        reader = self._reader.knowing(deck)
        # How well a deck that is sought is known is seen in its readings.
        calibration = replace(self._calibration, fanned=1.0, curves={}) if reader.seeks else self._calibration
        return CardDetector(self._boxes, reader, self._limits, calibration, plain, self._back_looks)

    def told_by(self, calibration: Calibration) -> CardDetector:
        """Return what finds and reads the same, told with the confidences that another calibration gives at last."""
        return CardDetector(self._boxes, self._reader, self._limits, calibration, self._plain, self._back_looks)

    def detect(self, image: Image) -> list[Sighting]:
        """Return the face-up cards in a (H, W, 3) BGR uint8 picture, whole ones first, each from the left.

        Where none is found, it is searched once more, turned by a quarter; where none is read fairly surely, for small
        ones; where hardly any is read surely, the picture is looked at lightened if it is dark, sharpened if everything
        in it moved, and in its mirror image: see `Sighting.mirrored`. A hand is looked at as from above, too.
        """
        look = self._look(image, _FINE_SCALES)
        if self._plain is not None and self._shows_another_deck(image, look.found):
            return self._plain.detect(image)
        return self._calibration.in_picture(self._from_above(self._as_it_shows(look)))

    def _shows_another_deck(self, image: Image, found: Sequence[Sighting]) -> bool:
        """Whether what a look has found are other cards than those of the learnt deck that is sought.

        A surely read card tells it: what its pictures find on another deck's cards is doubtful, and like them.
        """
        whole = [sighting for sighting in found if sighting.whole]
        sure = [sighting for sighting in whole if sighting.confidence >= _TELLS_DECK]
        return self._reader.seeks and self._reader.are_of_another_deck(image, [one.quad for one in sure or whole])

    def _as_it_shows(self, look: _Look) -> _Look:
        """Return the look at a picture, or one at it mended or in its mirror image that shows more of what is there."""
        image, found = look.image, look.found
        turned = self._look(flipped(image)).found if lies_oddly(found) else None
        if turned is not None and lies_as_printed(found, turned):
            return _Look(image, [], _seen_in_mirror(turned, image))
        if not is_doubtful(found):
            return look
        for mended in restored(image):
            again = self._look(mended).found
            if is_surer(again, found):
                return _Look(image, [], again)
        turned = self._look(flipped(image)).found if turned is None else turned
        return _Look(image, [], _seen_in_mirror(turned, image)) if is_mirrored(found, turned) else look

    def _from_above(self, look: _Look) -> list[Sighting]:
        """Return what a hand, found in a picture, is read as where it is made level, if that is more.

        What was passed over at first may lie outside the level picture: what that adds tells where the rest lies.
        """
        found, best, plane = look.found, look, None
        for _ in range(_LEVEL_LOOKS):
            level = Level.of(look.image, found)
            if level is None:
                break
            again = self._look(level.image)
            if sum(s.confidence for s in again.found) <= sum(s.confidence for s in found):
                break
            before, found = found, [level.back(sighting) for sighting in again.found]
            best, plane = again, level
            if level.holds(found) or _tell_alike(before, found):
                break
        filled = self._assembler.filled_in(best.image, best.boxes, best.found)
        return filled if plane is None else [plane.back(sighting) for sighting in filled]

    def _look(self, image: Image, fine_scales: tuple[int, ...] = _FINE_SCALES[:1]) -> _Look:
        least = _FAINTEST if self._reader.seeks else FAINT_BESIDE
        shown, boxes = image, self._boxes.find(image, least=least)
        if not self._reader.seeks:
            # The cards of a deck that is sought are known in the light that they were learnt in.
            image = balanced(image, [b.quad for b in boxes if b.kind is BoxKind.CARD and b.score >= self._limits.box])
        found = self._assembler.cards(image, boxes, seek=True)
        found = found or self._assembler.cards(image, self._boxes.find(image, _LAST_SCALES, turned=True, least=least))
        finest = 0
        for scale in fine_scales:
            # What a learnt deck's pictures leave in doubt a finer look does not tell.
            if is_fairly_read(found) or (found and self._reader.seeks) or max(image.shape[:2]) <= scale * 3 / 4:
                break
            finest = scale
            fine = self._boxes.find(image, (scale,), least=least)
            again = self._assembler.cards(image, fine)
            if not found or is_surer(again, found):
                found = again
            boxes = [*boxes, *fine]
        if Calibration.is_fan(found):
            return _Look(shown, boxes, found or self._assembler.faint_cards(image, boxes))
        found = [*found, *self._assembler.faint_cards(image, boxes, found)]
        if finest < _FINE_SCALES[0] < max(image.shape[:2]) and self._assembler.leaves_unread(boxes, found):
            fine = self._boxes.find(image, _FINE_SCALES[:1], least=least)
            found += self._assembler.faint_cards(image, fine, found)
        return _Look(shown, boxes, found)

    def backs(self, image: Image) -> list[Back]:
        """Return what may be cards face down, with how likely each is one."""
        quads, features = self.described_for_backs(image)
        if not quads:
            return []
        looks = self._back_looks
        likely = np.full(len(quads), _ANY_BACK) if looks is None else looks.probabilities(features)
        return [Back(quad, probability) for quad, probability in zip(quads, likely.tolist(), strict=True)]

    def described_for_backs(self, image: Image) -> tuple[list[Quad], Floats]:
        """Return upright outlines (4, 2) of what is boxed as a card, however faintly, or has a card's shape.

        And (N, D) what the card reader makes of each, the mean of both ways up: nobody knows which way up a back lies.
        """
        boxes = self._boxes.find(image, least=_FAINT_BACK)
        quads = [*(portrait(box.quad) for box in boxes if box.kind is BoxKind.CARD), *proposals(image)]
        if not quads:
            return [], np.zeros((0, 0), np.float32)
        ways = [self._reader.describe_cards(image, way)[1] for way in (quads, [turned(quad, 2) for quad in quads])]
        return quads, np.mean(ways, axis=0)

    def closely(self, image: Image) -> list[Sighting]:
        """Return the same for a picture of a pile whose cards are about a third as long as it, in half the time."""
        return self._on_pile(image, CardDetector._closely)

    def thoroughly(self, image: Image) -> list[Sighting]:
        """Return the same for a picture of a pile with cards of any size.

        Where no whole card is found, it is searched once more, turned by a quarter.
        """
        return self._on_pile(image, CardDetector._thoroughly)

    def _closely(self, image: Image) -> list[Sighting]:
        return self._assembler.cards(image, self._boxes.find(image, _CLOSE_SCALES, pile=True), propose=True)

    def _thoroughly(self, image: Image) -> list[Sighting]:
        found = self._assembler.cards(image, self._boxes.find(image, pile=True), propose=True)
        if any(sighting.whole for sighting in found):
            return found
        boxes = self._boxes.find(image, _LAST_SCALES, turned=True, pile=True)
        again = self._assembler.cards(image, boxes, propose=True)
        return again if any(sighting.whole for sighting in again) else found

    def _on_pile(self, image: Image, find: Callable[[CardDetector, Image], list[Sighting]]) -> list[Sighting]:
        """Return what is found on a pile, in a dark picture lightened where that is read more surely."""
        found = find(self, image)
        if self._plain is not None and self._shows_another_deck(image, found):
            return self._plain._on_pile(image, find)
        if is_doubtful(found) and (light := lightened(image)) is not None:
            again = find(self, light)
            found = again if is_surer(again, found) else found
        return self._calibration.on_pile(found)


def _tell_alike(before: Sequence[Sighting], after: Sequence[Sighting]) -> bool:
    """Whether two looks tell the same cards, none of them unsure: a further one hardly finds more."""
    sure = all(one.confidence >= UNSURE_BELOW for one in (*before, *after))
    return sure and Counter(one.card for one in before) == Counter(one.card for one in after)


def _seen_in_mirror(turned: Sequence[Sighting], image: Image) -> list[Sighting]:
    """Return what was read in a picture's mirror image as it lies in the picture.

    One picture leaves open whether the camera mirrors: many a sign reads as another one in a mirror.
    """
    return [back(sighting, image.shape[1]).at_most(NAMED_MOST) for sighting in turned]
