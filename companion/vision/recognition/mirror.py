"""Detects and handles mirrored pictures, as front cameras send: mirrored digits are misread or not read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import cv2
import numpy as np

from companion.cards import Card, Face
from companion.vision.core.events import CardLanded, PileEvent, PileReached
from companion.vision.core.geometry import Image, tilt
from companion.vision.core.sightings import CERTAIN, FAIRLY, RUNNER_UP_BELOW, Handedness, Sighting

Find = Callable[[Image], list[Sighting]]
"""Finds the face-up cards in a (H, W, 3) BGR uint8 picture; quads in its pixels."""

# Confidences that cards and corners rarely reach in mirrored pictures unless their face is symmetric (24 mirrored
# photographs, eight mirrored fans). Corners rarely reach high confidence in general.
_CONFIDENT_CORNER = 0.88
# After this many looks without a confident card the mirrored picture is tried, then at intervals doubling up to the
# last value, so that an empty table stays cheap.
_FIRST, _RARER, _RAREST = 3, 2, 24
# Number of consecutive tries that must agree.
_AGREEING = 2
# Difference in confidence between both orientations, as bounded log-odds: of 161 photographs and printed cards no
# mirror image was more confident, 66 originals by 0.5 and more, 62 by 1.5. In the median two cards settle that a camera
# does not mirror, four that it does, as that is rare. Until then the more probable orientation is used.
_LEAST_READ, _MOST_READ, _BY_ONE_CARD = 0.1, 0.993, 3.0
# Weight of the corners' positions in each orientation, and of a face that reads as arrows in one orientation only.
# Without them 16 of 146 mirrored pictures were decided wrongly by their first card, with them four; for other pictures
# two in both cases.
_BY_CORNERS, _BY_ARROWS = 1.25, 2.0
_MIRRORS, _MIRRORS_NOT, _LEANS = 4.0, -2.0, 0.5
# The same for the tilt implied by the outline. A mirrored card's outline is found on its side, as if seen from 45 to 66
# degrees. For 16 confidently read mirrored cards with symmetric faces the tilt dropped by at least 36 degrees when
# mirrored; for 40 others photographed from 60 degrees by at most 32 at equal confidence. A higher confidence offsets
# `_DEGREES_PER_ODDS` degrees per log-odds. Up to `_FEW` corners without an open card may be one mirrored card; more
# are a fan.
_STRAIGHTER, _BY_SLANT, _DEGREES_PER_ODDS, _FEW = 34.0, 2.5, 8.0, 2
# Log-odds by which an asymmetric digit in one orientation must exceed the reading in the other, which may be caused by
# odd light; and the confidence treated as certain.
_HIGHER_ODDS, _CERTAIN = 2.0, 1 - 1e-6
# The same for a symmetric face whose corners do not decide. Eleven photographs wrongly classified as mirrored showed
# such cards, mostly tilted, with a difference of at most 4.6; two mirrored ones had 11.
_MUCH_HIGHER_ODDS = 8.0
# The same for a single digit against arrows in the other orientation: six arrows of a learnt white deck had -4.1 to .4,
# seven mirrored digits at least 1.9.
_ARROWS = 1.0
_ALIKE = frozenset(
    {Face.ZERO, Face.FOUR, Face.EIGHT, Face.SKIP, Face.REVERSE, *(face for face in Face if face.is_wild)}
)
"""Faces that look about the same when mirrored."""


def flipped(image: Image) -> Image:
    """Return a (H, W, 3) picture with left and right swapped."""
    return np.asarray(cv2.flip(image, 1), np.uint8)


def is_doubtful(sightings: Sequence[Sighting]) -> bool:
    """Whether so little was read confidently that the picture may be mirrored.

    Asymmetric digits speak against it, cards whose indices lie where a mirror puts them speak for it.
    """
    printed = sum(map(_is_two_sided, sightings))
    turned = sum(sighting.handedness is Handedness.MIRRORED for sighting in sightings)
    return printed <= turned and 2 * _confident(sightings, RUNNER_UP_BELOW) <= len(sightings)


def _is_two_sided(sighting: Sighting) -> bool:
    """Whether a sighting would read differently when mirrored and its corners do not indicate a mirror."""
    least = CERTAIN if sighting.whole else _CONFIDENT_CORNER
    seen_in_one = sighting.handedness is Handedness.MIRRORED
    return sighting.clarity >= least and sighting.card.face not in _ALIKE and not seen_in_one


def is_mirrored(as_it_is: Sequence[Sighting], turned: Sequence[Sighting]) -> bool:
    """Whether a picture is mirrored, given the readings of it and of its mirror image.

    Some faces are symmetric, so the mirror image must have more than twice as many confident cards. Arrows do not count
    beside digits: the mirror image of a tilted or blurred digit may look like them. If fewer cards are found in the
    mirror image, the picture is not mirrored. If all faces are symmetric, the most confident card decides, see
    `_shows_orientation`.
    """
    if _confident(turned, FAIRLY) < _confident(as_it_is, FAIRLY):
        return False
    if not any(map(_is_two_sided, turned)) and not _shows_orientation(
        _most_confident(turned), _most_confident(as_it_is)
    ):
        return False
    if _are_arrows(as_it_is, turned):
        return False
    if _confident(turned, CERTAIN) > 2 * _confident(as_it_is, CERTAIN):
        return True
    # A card below certainty (odd light, or supported by its middle only) may be mirrored if its corners do not show the
    # printed orientation. A finger on a corner looks similar, but never puts an index where it is printed.
    if any(sighting.handedness is Handedness.PRINTED for sighting in as_it_is):
        return False
    printed = [sighting for sighting in turned if sighting.handedness is Handedness.PRINTED]
    return _confident(printed, RUNNER_UP_BELOW) > 2 * _confident(as_it_is, RUNNER_UP_BELOW)


def _are_arrows(as_it_is: Sequence[Sighting], turned: Sequence[Sighting]) -> bool:
    """Whether a single card reads as arrows in one orientation about as confidently as another face in the other."""
    if not len(as_it_is) == len(turned) == 1:
        return False
    (one,), (other,) = as_it_is, turned
    return one.card.face is Face.REVERSE and _odds_ratio(other, one) < _ARROWS


def looks_mirrored(sightings: Sequence[Sighting]) -> bool:
    """Whether the most confident open card has the tilt or the corners of a mirrored card, or there is no open card.

    If no asymmetric digit is read beside it, the picture may be mirrored although everything is read confidently.
    """
    first = _most_confident(sightings)
    if first is None:
        return 0 < len(sightings) <= _FEW
    odd = first.handedness is Handedness.MIRRORED or tilt(first.quad) >= _STRAIGHTER
    # A draw two is read confidently in a mirror, too.
    return odd and not any(_is_two_sided(s) for s in sightings if s.card.face is not Face.DRAW_TWO)


def is_printed_in_mirror(as_it_is: Sequence[Sighting], turned: Sequence[Sighting]) -> bool:
    """Whether the most confident open card has its printed handedness only in the mirror image, read confidently there.

    This identifies mirrored cards with symmetric faces.
    """
    first, second = _most_confident(as_it_is), _most_confident(turned)
    if second is None or second.clarity < RUNNER_UP_BELOW:
        return False
    seen_in_one = first is None or first.handedness is Handedness.MIRRORED
    if seen_in_one and second.handedness is Handedness.PRINTED and tilt(second.quad) < _STRAIGHTER:
        return True
    return first is not None and (_is_straighter(second, first) or _has_two_sides(second, first))


def _has_two_sides(one: Sighting, other: Sighting) -> bool:
    """Whether a card is much more confidently an asymmetric digit than a symmetric sign in the other orientation."""
    return one.card.face not in _ALIKE and other.card.face in _ALIKE and _odds_ratio(one, other) >= _HIGHER_ODDS


def _shows_orientation(one: Sighting | None, other: Sighting | None) -> bool:
    """Whether a symmetric face shows the orientation: by its tilt, its corners, or a much higher confidence."""
    if one is None:
        return False
    if one.handedness is Handedness.PRINTED and tilt(one.quad) < _STRAIGHTER:
        return True
    return other is not None and one.card == other.card and _odds_ratio(one, other) >= _MUCH_HIGHER_ODDS


def _odds_ratio(one: Sighting, other: Sighting) -> float:
    """Return the difference of two readings' confidences in log-odds."""
    chances = [min(sighting.clarity, _CERTAIN) for sighting in (one, other)]
    return float(np.diff([np.log((1 - chance) / chance) for chance in chances])[0])


def _is_straighter(one: Sighting, other: Sighting) -> bool:
    """Whether a confidently read card has a much smaller tilt than in the other orientation."""
    gain = _log_odds(one) - _log_odds(other)
    return (
        one.clarity >= RUNNER_UP_BELOW and tilt(other.quad) - tilt(one.quad) + _DEGREES_PER_ODDS * gain >= _STRAIGHTER
    )


def is_better(again: Sequence[Sighting], before: Sequence[Sighting]) -> bool:
    """Whether a look at the restored picture is better: more confident cards, or a card where there was none."""
    confidently, fairly = (
        [sum(sighting.clarity >= least for sighting in found) for found in (again, before)]
        for least in (CERTAIN, FAIRLY)
    )
    return confidently[0] > confidently[1] or (confidently[1] == 0 and fairly[0] > fairly[1])


def is_fairly_read(sightings: Sequence[Sighting]) -> bool:
    """Whether a card is read with enough confidence that another look is not worth its cost."""
    return any(sighting.confidence >= FAIRLY for sighting in sightings)


def _confident(sightings: Sequence[Sighting], least: float) -> int:
    """Return the number of open cards with this confidence, except arrows and cards that appear mirrored."""
    return sum(
        s.whole and s.clarity >= least and s.card.face is not Face.REVERSE and s.handedness is not Handedness.MIRRORED
        for s in sightings
    )


def back(sighting: Sighting, width: int) -> Sighting:
    """Return a sighting of the mirror image of a picture `width` pixels wide in coordinates of the picture.

    Its outline stays clockwise on screen, from its top left there.
    """
    quad = np.array([width, 0], np.float32) + sighting.quad[[1, 0, 3, 2]] * np.array([-1, 1], np.float32)
    return replace(sighting, quad=quad, mirrored=True)


def unmirrored_event(event: PileEvent) -> PileEvent:
    """Return an event of a mirroring camera with the arms' directions as at the table."""
    if isinstance(event, CardLanded | PileReached) and event.arm is not None:
        return replace(event, arm=replace(event.arm, direction=-event.arm.direction % 360))
    return event


class ThroughMirror:
    """Finds cards in a camera's pictures, using the mirror image once the camera is known to mirror.

    The first cards are read in both orientations until their likelihoods decide: a mirrored digit may be confidently
    another one. After that the other orientation is tried only if little is read confidently for a while.

    detect_pile, detect_closeup: find the cards of a picture as it is, see `CardDetector`. turns: called when the
    decision changes. Not thread-safe.
    """

    def __init__(self, detect_pile: Find, detect_closeup: Find, turns: Callable[[bool], None] = lambda _: None) -> None:
        self._thoroughly, self._closely, self._turns = detect_pile, detect_closeup, turns
        self._mirrors = self._said = False
        # Log-odds that the camera mirrors, by each of the first cards; None once decided.
        self._odds: dict[Card, float] | None = {}
        self._doubtful, self._next, self._agreed = 0, _FIRST, 0

    @property
    def mirrors(self) -> bool:
        """Whether the camera is assumed to mirror."""
        return self._mirrors

    def detect_pile(self, image: Image) -> list[Sighting]:
        """Return the cards in a (H, W, 3) BGR uint8 picture, their outlines in its own pixels."""
        found = as_mirrored(self._thoroughly, image, self._mirrors)
        first = _most_confident(found)
        if self._odds is not None and first is not None and first.card not in self._odds:
            return self._weighed(image, found, first, self._odds)
        if not is_doubtful(found):
            self._doubtful, self._next, self._agreed = 0, _FIRST, 0
            return found
        return self._tried(image, found)

    def _weighed(self, image: Image, found: list[Sighting], first: Sighting, odds: dict[Card, float]) -> list[Sighting]:
        """Return the cards found in the orientation favoured by this new card and the previous ones.

        found, first: the cards in the orientation favoured so far, and the most confident one.
        """
        other = as_mirrored(self._thoroughly, image, not self._mirrors)
        second = _most_confident(other)
        gain = _by_one_card(first, second)
        odds[first.card] = -gain if self._mirrors else gain
        total = sum(odds.values())
        if total >= _MIRRORS or total <= _MIRRORS_NOT:
            self._odds = None
        turned = total > _LEANS if not self._mirrors else total < -_LEANS
        if turned:
            self._mirrors = not self._mirrors
        if self._odds is None or not self._mirrors:
            self._say()
        return other if turned else found

    def _tried(self, image: Image, found: list[Sighting]) -> list[Sighting]:
        """Return the cards found; the other orientation is used after it was better twice in a row."""
        self._doubtful += 1
        if self._doubtful < self._next:
            return found
        other = as_mirrored(self._thoroughly, image, not self._mirrors)
        self._agreed = self._agreed + 1 if is_mirrored(found, other) and any(map(_is_two_sided, other)) else 0
        if not self._agreed:
            self._doubtful, self._next = 0, min(_RAREST, _RARER * self._next)
        if self._agreed < _AGREEING:
            return found
        self._mirrors = not self._mirrors
        self._odds = None
        self._doubtful, self._next, self._agreed = 0, _FIRST, 0
        self._say()
        return other

    def _say(self) -> None:
        if self._said is not self._mirrors:
            self._said = self._mirrors
            self._turns(self._mirrors)

    def detect_closeup(self, image: Image) -> list[Sighting]:
        """The same for the region around the pile."""
        return as_mirrored(self._closely, image, self._mirrors)


def _most_confident(found: Sequence[Sighting]) -> Sighting | None:
    """Return the most confident open card."""
    return max((sighting for sighting in found if sighting.whole), key=lambda s: s.clarity, default=None)


def _by_one_card(first: Sighting, second: Sighting | None) -> float:
    """Return the log-odds of the second reading's orientation against that of the first one."""
    arrows = [one is not None and one.card.face is Face.REVERSE for one in (first, second)]
    if second is not None and second.card == first.card:
        # The difference in confidence carries no information about the camera.
        gain = 0.0
    elif any(arrows):
        # Arrows stay arrows in a mirror; digits and draw twos can look like them.
        gain = 0.0 if second is None else _BY_ARROWS * (arrows[0] - arrows[1])
    else:
        gain = float(np.clip(_log_odds(second) - _log_odds(first), -_BY_ONE_CARD, _BY_ONE_CARD))
    if second is not None:
        gain += _BY_SLANT * (_is_straighter(second, first) - _is_straighter(first, second))
    return gain + _BY_CORNERS * ((0 if second is None else second.handedness) - first.handedness)


def _log_odds(sighting: Sighting | None) -> float:
    """Return the bounded log-odds that a card is read correctly; the minimum if there is none."""
    sure = _LEAST_READ if sighting is None else float(np.clip(sighting.clarity, _LEAST_READ, _MOST_READ))
    return float(np.log(sure / (1 - sure)))


def as_mirrored(find: Find, image: Image, mirrored: bool) -> list[Sighting]:
    """Return what `find` finds in a picture, or in its mirror image if the camera mirrors."""
    return [back(sighting, image.shape[1]) for sighting in find(flipped(image))] if mirrored else find(image)
