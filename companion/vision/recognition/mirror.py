"""Mirrored pictures: front cameras show the table as a looking glass does, and digits read wrongly or not at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import cv2
import numpy as np

from companion.cards import Card, Face
from companion.vision.core.events import CardLanded, PileEvent, PileReached
from companion.vision.core.geometry import Image, tilt
from companion.vision.core.sightings import NAMED_BELOW, Handedness, Sighting

Find = Callable[[Image], list[Sighting]]
"""Finds the face-up cards in a (H, W, 3) BGR uint8 picture; quads in its pixels."""

# On 24 mirrored photographs hardly a card was read with this confidence that a mirror does not leave as it is, in eight
# mirrored fans hardly a corner with the second. Corners are seldom read more surely, however clear they are.
_SURELY, _SURELY_CORNER = 0.95, 0.88
_FAIRLY = 0.8
# After so many looks in a row in which nothing was surely read the other way round is tried, then after twice as many
# each time up to the last: an empty table must not cost much more for it.
_FIRST, _RARER, _RAREST = 3, 2, 24
# So many tries one after the other must tell the same.
_TOLD = 2
# How much more surely a card is read one way round than the other is told by the log-odds of its confidence, within
# bounds: of 161 photographs and printed cards no mirror image was read more surely by this measure, 66 more surely the
# right way by 0.5 and more, 62 by 1.5. So two cards settle in the median that a camera does not mirror, four that it
# does: that is said later, as it is rare. Until then pictures are read the way that is likelier by the last.
_LEAST_READ, _MOST_READ, _BY_ONE_CARD = 0.1, 0.993, 3.0
# The same by where its corners are, each way round, and where it reads as arrows one way alone. Of the first cards of
# mirrored pictures 16 of 146 were told wrongly without these, four with them; of those of others two as before.
_BY_CORNERS, _BY_ARROWS = 1.25, 2.0
_SURELY_MIRRORS, _SURELY_NOT, _LEANS = 4.0, -2.0, 0.5
# The same by how slanted its outline says the camera is. A mirrored card is outlined lying, as if seen from 45 to 66
# degrees though it is seen from above. Surely read in the mirror, each of 16 that a mirror leaves as they are was less
# slanted there by 36 degrees and more, none of 40 others photographed from 60 degrees by more than 32 and as sure; what
# is surer makes up for degrees, so many to one of log-odds (chosen on those and on nine mirrored ones not told before).
# So few corners without an open card may be one card in a mirror: more are a fan.
_STRAIGHTER, _BY_SLANT, _FOR_SURENESS, _FEW = 34.0, 2.5, 8.0, 2
# So much surer (log-odds) a digit that has two sides is one way round than what is read the other way, in odd light or
# from the middle alone perhaps; and what counts as no surer.
_SURER, _SUREST = 2.0, 1 - 1e-6
# The same of a card that looks alike both ways, where its corners do not tell. Of eleven photographs wrongly said to be
# mirrored all showed such cards, most of them slanted: the same one both ways by 4.6 at most, two mirrored ones by 11.
_MUCH_SURER = 8.0
# How much surer a lone digit is than the arrows that are read the other way round: of a learnt white deck six arrows'
# mirror images were by -4.1 to .4, seven mirrored digits by 1.9 and more.
_ARROWS = 1.0
_ALIKE = frozenset(
    {Face.ZERO, Face.FOUR, Face.EIGHT, Face.SKIP, Face.REVERSE, *(face for face in Face if face.is_wild)}
)
"""Faces that look about the same in a mirror."""


def flipped(image: Image) -> Image:
    """Return a (H, W, 3) picture with left and right swapped."""
    return np.asarray(cv2.flip(image, 1), np.uint8)


def is_doubtful(sightings: Sequence[Sighting]) -> bool:
    """Whether so little was read surely, and no digit that has two sides, that the picture may be mirrored."""
    return not any(map(_is_two_sided, sightings)) and 2 * _sure(sightings, NAMED_BELOW) <= len(sightings)


def _is_two_sided(sighting: Sighting) -> bool:
    """Whether a sighting would surely be read otherwise in a mirror, and its corners do not tell that it is in one."""
    least = _SURELY if sighting.whole else _SURELY_CORNER
    seen_in_one = sighting.handedness is Handedness.MIRRORED
    return sighting.confidence >= least and sighting.card.face not in _ALIKE and not seen_in_one


def is_mirrored(as_it_is: Sequence[Sighting], turned: Sequence[Sighting]) -> bool:
    """Whether a picture is mirrored, by what was read in it and in its mirror image.

    Some cards look the same in a mirror, so those read surely there must be more than twice as many. Arrows tell
    nothing where there are digits: a slanted or blurred digit's mirror image may look like them. Where fewer cards are
    made out in the mirror image, it is that which is mirrored. Of cards that all look the same in a mirror the surest
    tells it alone, see `_tells_though_alike`.
    """
    if _sure(turned, _FAIRLY) < _sure(as_it_is, _FAIRLY):
        return False
    if not any(map(_is_two_sided, turned)) and not _tells_though_alike(_surest(turned), _surest(as_it_is)):
        return False
    if _are_arrows(as_it_is, turned):
        return False
    if _sure(turned, _SURELY) > 2 * _sure(as_it_is, _SURELY):
        return True
    # What is not beyond doubt, in odd light or told by its middle alone, may be so where its corners are not read as
    # they are in a mirror; a finger on one of them does the same, but puts none where it is printed.
    if any(sighting.handedness is Handedness.PRINTED for sighting in as_it_is):
        return False
    printed = [sighting for sighting in turned if sighting.handedness is Handedness.PRINTED]
    return _sure(printed, NAMED_BELOW) > 2 * _sure(as_it_is, NAMED_BELOW)


def _are_arrows(as_it_is: Sequence[Sighting], turned: Sequence[Sighting]) -> bool:
    """Whether a lone card is read as arrows about as surely as, the other way round, as another one."""
    if not len(as_it_is) == len(turned) == 1:
        return False
    (one,), (other,) = as_it_is, turned
    return one.card.face is Face.REVERSE and _surer(other, one) < _ARROWS


def lies_oddly(sightings: Sequence[Sighting]) -> bool:
    """Whether the surest open card lies so slanted, or its corners so, as a mirrored one seems to, or is not made out.

    Where no digit that has two sides is surely read beside it the picture may be mirrored, though all is surely read.
    """
    first = _surest(sightings)
    if first is None:
        return 0 < len(sightings) <= _FEW
    odd = first.handedness is Handedness.MIRRORED or tilt(first.quad) >= _STRAIGHTER
    # Two cards, too, are surely read in a mirror, if not as surely as otherwise.
    return odd and not any(_is_two_sided(s) for s in sightings if s.card.face is not Face.DRAW_TWO)


def lies_as_printed(as_it_is: Sequence[Sighting], turned: Sequence[Sighting]) -> bool:
    """Whether the surest open card lies as a printed one does in the picture's mirror image alone, surely read there.

    So a card is told to be mirrored that looks about the same in a mirror.
    """
    first, second = _surest(as_it_is), _surest(turned)
    if second is None or second.confidence < NAMED_BELOW:
        return False
    seen_in_one = first is None or first.handedness is Handedness.MIRRORED
    if seen_in_one and second.handedness is Handedness.PRINTED and tilt(second.quad) < _STRAIGHTER:
        return True
    return first is not None and (_is_straighter(second, first) or _has_two_sides(second, first))


def _has_two_sides(one: Sighting, other: Sighting) -> bool:
    """Whether a card is much more surely a digit that has two sides than, the other way round, a sign that has not."""
    return one.card.face not in _ALIKE and other.card.face in _ALIKE and _surer(one, other) >= _SURER


def _tells_though_alike(one: Sighting | None, other: Sighting | None) -> bool:
    """Whether a card that looks the same in a mirror lies, seen from above, as printed the first way round, or is read
    both ways, and much more surely the first way."""
    if one is None:
        return False
    if one.handedness is Handedness.PRINTED and tilt(one.quad) < _STRAIGHTER:
        return True
    return other is not None and one.card == other.card and _surer(one, other) >= _MUCH_SURER


def _surer(one: Sighting, other: Sighting) -> float:
    """Return by how much in log-odds the first of two readings is the surer."""
    chances = [min(sighting.confidence, _SUREST) for sighting in (one, other)]
    return float(np.diff([np.log((1 - chance) / chance) for chance in chances])[0])


def _is_straighter(one: Sighting, other: Sighting) -> bool:
    """Whether a card surely read lies as if seen much more from above than it does the other way round."""
    surer = _log_odds(one) - _log_odds(other)
    return one.confidence >= NAMED_BELOW and tilt(other.quad) - tilt(one.quad) + _FOR_SURENESS * surer >= _STRAIGHTER


def is_surer(again: Sequence[Sighting], before: Sequence[Sighting]) -> bool:
    """Whether another look, at the picture mended, tells more: more is surely read, or something where nothing was."""
    surely, fairly = (
        [sum(sighting.confidence >= least for sighting in found) for found in (again, before)]
        for least in (_SURELY, _FAIRLY)
    )
    return surely[0] > surely[1] or (surely[1] == 0 and fairly[0] > fairly[1])


def is_fairly_read(sightings: Sequence[Sighting]) -> bool:
    """Whether anything is read so surely that no other look at it is worth its cost."""
    return any(sighting.confidence >= _FAIRLY for sighting in sightings)


def _sure(sightings: Sequence[Sighting], least: float) -> int:
    """Return how many open cards are read with this confidence, but for arrows and what seems seen in a mirror."""
    return sum(
        s.whole
        and s.confidence >= least
        and s.card.face is not Face.REVERSE
        and s.handedness is not Handedness.MIRRORED
        for s in sightings
    )


def back(sighting: Sighting, width: int) -> Sighting:
    """Return what was seen in the mirror image of a picture `width` pixels wide as it lies in the picture itself.

    Its outline stays clockwise on screen, from what is its top left there.
    """
    quad = np.array([width, 0], np.float32) + sighting.quad[[1, 0, 3, 2]] * np.array([-1, 1], np.float32)
    return replace(sighting, quad=quad, mirrored=True)


def past_mirror(event: PileEvent) -> PileEvent:
    """Return what a mirroring camera saw, arms from where they come at the table: people's ring is reversed."""
    if isinstance(event, CardLanded | PileReached) and event.arm is not None:
        return replace(event, arm=replace(event.arm, direction=-event.arm.direction % 360))
    return event


class ThroughMirror:
    """Finds cards in what one camera shows: in its mirror image, once it is known to mirror.

    Each of the first cards is read both ways, until their likelihoods tell which way is right: a mirrored digit may
    surely be another one. After that the other way is tried only where little is read surely for a while.

    thoroughly, closely: find the cards in a picture as it is, see `CardDetector`. turns: told whether the camera
    mirrors when that is found out, or is no longer so. Not to be shared between threads.
    """

    def __init__(self, thoroughly: Find, closely: Find, turns: Callable[[bool], None] = lambda _: None) -> None:
        self._thoroughly, self._closely, self._turns = thoroughly, closely, turns
        self._mirrors = self._said = False
        # By each of the first cards, how much likelier it is that the camera mirrors; None once that is settled.
        self._odds: dict[Card, float] | None = {}
        self._doubtful, self._next, self._told = 0, _FIRST, 0

    @property
    def mirrors(self) -> bool:
        """Whether the camera is taken to mirror."""
        return self._mirrors

    def thoroughly(self, image: Image) -> list[Sighting]:
        """Return the cards in a (H, W, 3) BGR uint8 picture, their outlines in its own pixels."""
        found = as_mirrored(self._thoroughly, image, self._mirrors)
        first = _surest(found)
        if self._odds is not None and first is not None and first.card not in self._odds:
            return self._weighed(image, found, first, self._odds)
        if not is_doubtful(found):
            self._doubtful, self._next, self._told = 0, _FIRST, 0
            return found
        return self._tried(image, found)

    def _weighed(self, image: Image, found: list[Sighting], first: Sighting, odds: dict[Card, float]) -> list[Sighting]:
        """Return what is found the way round that is the likelier by this card, which is a new one, and those before.

        found, first: what was found the way that was likelier so far, and the surest of it.
        """
        other = as_mirrored(self._thoroughly, image, not self._mirrors)
        second = _surest(other)
        gain = _by_one_card(first, second)
        odds[first.card] = -gain if self._mirrors else gain
        total = sum(odds.values())
        if total >= _SURELY_MIRRORS or total <= _SURELY_NOT:
            self._odds = None
        turned = total > _LEANS if not self._mirrors else total < -_LEANS
        if turned:
            self._mirrors = not self._mirrors
        if self._odds is None or not self._mirrors:
            self._say()
        return other if turned else found

    def _tried(self, image: Image, found: list[Sighting]) -> list[Sighting]:
        """Return what is found, little of it surely; the other way round once that has told more twice."""
        self._doubtful += 1
        if self._doubtful < self._next:
            return found
        other = as_mirrored(self._thoroughly, image, not self._mirrors)
        self._told = self._told + 1 if is_mirrored(found, other) and any(map(_is_two_sided, other)) else 0
        if not self._told:
            self._doubtful, self._next = 0, min(_RAREST, _RARER * self._next)
        if self._told < _TOLD:
            return found
        self._mirrors = not self._mirrors
        self._odds = None
        self._doubtful, self._next, self._told = 0, _FIRST, 0
        self._say()
        return other

    def _say(self) -> None:
        if self._said is not self._mirrors:
            self._said = self._mirrors
            self._turns(self._mirrors)

    def closely(self, image: Image) -> list[Sighting]:
        """Return the same of a picture of the pile's surroundings."""
        return as_mirrored(self._closely, image, self._mirrors)


def _surest(found: Sequence[Sighting]) -> Sighting | None:
    """Return the card that is read most surely of those that lie open."""
    return max((sighting for sighting in found if sighting.whole), key=lambda s: s.confidence, default=None)


def _by_one_card(first: Sighting, second: Sighting | None) -> float:
    """Return how much likelier than the way round of the first reading of a card that of the second one is."""
    arrows = [one is not None and one.card.face is Face.REVERSE for one in (first, second)]
    if second is not None and second.card == first.card:
        # How much surer it is one way tells nothing of the camera.
        gain = 0.0
    elif any(arrows):
        # Arrows stay arrows in a mirror; digits and two cards come to look like them.
        gain = 0.0 if second is None else _BY_ARROWS * (arrows[0] - arrows[1])
    else:
        gain = float(np.clip(_log_odds(second) - _log_odds(first), -_BY_ONE_CARD, _BY_ONE_CARD))
    if second is not None:
        gain += _BY_SLANT * (_is_straighter(second, first) - _is_straighter(first, second))
    return gain + _BY_CORNERS * ((0 if second is None else second.handedness) - first.handedness)


def _log_odds(sighting: Sighting | None) -> float:
    """Return the logarithm of the odds that a card is read rightly, within bounds; the least where there is none."""
    sure = _LEAST_READ if sighting is None else float(np.clip(sighting.confidence, _LEAST_READ, _MOST_READ))
    return float(np.log(sure / (1 - sure)))


def as_mirrored(find: Find, image: Image, mirrored: bool) -> list[Sighting]:
    """Return what `find` finds in a picture, in its mirror image if that is what the camera takes."""
    return [back(sighting, image.shape[1]) for sighting in find(flipped(image))] if mirrored else find(image)
