"""Decides when to look at the pile, and when several looks agree well enough to report a change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from companion.cards import Card
from companion.vision.core.events import Probabilities
from companion.vision.core.geometry import intersection_over_union
from companion.vision.core.sightings import EVEN, FAIRLY, Sighting
from companion.vision.imaging.durations import ONE_ACT
from companion.vision.pile.features import KnownCard
from companion.vision.pile.motion_gate import Still
from companion.vision.pile.pile_change import Change, Judgement, agree
from companion.vision.pile.pile_state import KnownPile, is_at
from companion.vision.pile.thresholds import PUSHED

# Number of looks that must agree, one quick and one thorough. After `_MOST_LOOKS`, two of them thorough, the best
# result is reported.
_AGREE, _MOST_LOOKS = 2, 5
# Calibrated confidence from which one look suffices: at most two errors in a hundred.
_CERTAIN = 0.983
# Seconds and number of looks for which the place must be bare before the pile counts as gone.
_GONE_SECONDS, _GONE_LOOKS = 0.6, 3
# Initial pause in seconds between looks without news; the longest one is `ONE_ACT`.
_LOOK_PAUSE = 0.03


@dataclass(frozen=True, eq=False)
class Look:
    """The detector's sightings at a time (s), the judgement of the pile, and whether the camera seems moved."""

    time: float
    judgement: Judgement
    sightings: Sequence[Sighting]
    displaced: bool = False


def mean_probabilities(judgements: Sequence[Judgement]) -> Probabilities:
    """Return the mean of the looks' probabilities; that of a landing is geometric, so doubts weigh more."""
    tops = [(judgement.top, judgement.landing_probability) for judgement in judgements if judgement.top is not None]
    landed = np.prod([probability for _, probability in tops]) ** (1 / max(1, len(tops)))
    total: dict[Card, float] = {}
    for top, _ in tops:
        for card, probability in zip(top.cards, top.probabilities, strict=True):
            total[card] = total.get(card, 0.0) + float(landed) * probability / len(tops)
    return tuple(sorted(total.items(), key=lambda item: -item[1]))


def is_new_for_certain(look: Look, pile: KnownPile) -> bool:
    """Whether a look past an arm surely shows a landed card; one like the top must lie beside that one."""
    top = look.judgement.top
    if look.judgement.change is not Change.LANDED or top is None:
        return False
    if top.card == pile.top:
        old = pile.cards[-1]
        there = any(s.whole and is_at(s, old) for s in look.sightings)
        if not there or _overlap(top, old) >= PUSHED:
            return False
    return _is_certain(look.judgement, pile)


class PileConsensus:
    """The looks at successive still pictures since the last motion or report."""

    def __init__(self) -> None:
        self.clear()

    def __len__(self) -> int:
        return len(self._looks)

    @property
    def latest(self) -> Look:
        """The last look; there must be one."""
        return self._looks[-1]

    def clear(self) -> None:
        """Reset; the next look is due at once."""
        self._looks: list[Look] = []
        self._due, self._pause = 0.0, _LOOK_PAUSE

    def is_due(self, time: float) -> bool:
        """Whether another look is due."""
        return time >= self._due

    def needs_another(self, still: Still, pile: KnownPile) -> bool:
        """Whether the looks so far are not conclusive."""
        return not (still.settled and self._looks and _is_certain(self.latest.judgement, pile))

    def add(self, look: Look, settled: bool) -> None:
        """Add a look. Until the picture has settled the next one is due at once."""
        self._looks.append(look)
        self._due = look.time + (self._pause if settled else 0.0)

    def agreed(self, still: Still, pile: KnownPile, is_first: bool) -> list[Judgement]:
        """Return the judgements that agree on a change, latest last, if enough. is_first: nothing was known before."""
        latest = self.latest.judgement
        agreeing = [look for look in self._looks if agree(look.judgement, latest)]
        judgements = [look.judgement for look in agreeing]
        if _is_certain(latest, pile):
            return judgements
        match latest.change:
            case Change.NONE if not is_first and not pile.cards and not still.isolated and not still.is_past_patience:
                # Without a known pile a hand cannot be detected, and it may hold the first card.
                self._slow_down()
                done = False
            case Change.NONE:
                hidden = self._is_frequent(self._landings() if latest.top is None else self._well_read())
                done = not hidden and len(agreeing) >= (1 if still.isolated else _AGREE)
            case Change.GONE:
                lasted = still.view.time - agreeing[0].time
                is_bare = lasted >= _GONE_SECONDS and len(agreeing) >= _GONE_LOOKS
                done = still.isolated or (is_bare and not self._is_frequent(self._well_read()))
                self._pause = _GONE_SECONDS / _GONE_LOOKS
            case Change.UNCLEAR:
                return self._uncertain(judgements)
            case Change.TAKEN_BACK if self._is_frequent(self._landings()) and latest.remaining < len(pile.cards) - 1:
                # Several cards are rarely taken back at once.
                done = False
            case Change.LANDED if is_first and 3 * len(agreeing) <= 2 * len(self):
                # A card present from the start is seen in almost every look; a false detection is not.
                done = False
            case Change.LANDED if latest.landing_probability < EVEN and len(self) < _MOST_LOOKS and not still.isolated:
                # Another look may read the card that was mistaken for the old one.
                done = False
            case _:
                done = self._is_well_agreed(judgements, still)
        return judgements if done else []

    def _is_well_agreed(self, judgements: list[Judgement], still: Still) -> bool:
        """Whether enough looks show the same card confidently, or the maximum number of looks is reached."""
        tops = [judgement.top for judgement in judgements if judgement.top is not None]
        if still.isolated:
            return True
        if len(self) >= 2 * _MOST_LOOKS and len(tops) >= len(self) / 3:
            return True
        sure = bool(np.mean([top.confidence for top in tops]) >= FAIRLY)
        return len(tops) >= _AGREE and (sure or len(self) >= _MOST_LOOKS)

    def _uncertain(self, judgements: list[Judgement]) -> list[Judgement]:
        """Return an uncertain change, from a corner or a single look: better asked about than ignored."""
        landed = self._landings()
        if len(self) > 2 * _MOST_LOOKS or all(look.judgement.top is None for look in self._looks):
            self._slow_down()
        if len(judgements) < _MOST_LOOKS:
            return []
        if judgements[-1].top is not None:
            return judgements
        return [replace(last, landing_probability=last.landing_probability / 2) for last in landed[-1:]]

    def _landings(self) -> list[Judgement]:
        return [look.judgement for look in self._looks if look.judgement.change is Change.LANDED]

    def _well_read(self) -> list[Judgement]:
        return [j for j in self._landings() if j.top is not None and j.landing_probability * j.top.confidence >= EVEN]

    def _is_frequent(self, judgements: Sequence[Judgement]) -> bool:
        """Whether enough looks agree: a card in every second look is one that one kind of look misses."""
        return 3 * len(judgements) >= len(self)

    def _slow_down(self) -> None:
        self._pause = min(ONE_ACT, 2 * self._pause)


def _is_certain(judgement: Judgement, pile: KnownPile) -> bool:
    """Whether a single look suffices; a missed card can look like no change, a removed top or a landed lower card."""
    top = judgement.top
    if top is None or judgement.change in (Change.NONE, Change.TAKEN_BACK) or judgement.landing_probability < 1:
        return False
    like = (known for known in pile.cards[:-1] if known.card == top.card)
    return top.confidence >= _CERTAIN and all(_overlap(top, known) < PUSHED for known in like)


def _overlap(card: Sighting, known: KnownCard) -> float:
    return intersection_over_union(card.quad, known.quad)
