"""What several looks agree on: when to look, and when what was seen is sure enough to be told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from companion.cards import Card
from companion.vision.core.geometry import intersection_over_union
from companion.vision.core.sightings import Sighting
from companion.vision.pile.features import Lying
from companion.vision.pile.motion_gate import Still
from companion.vision.pile.pile_change import PUSHED, Change, Judgement, agree
from companion.vision.pile.pile_state import KnownPile, is_at

# Looks that must agree, a quick one and a thorough one, and the mean confidence that they need: two that err
# independently are then both wrong once in 25. After so many looks, two of them thorough, what there is is said as it
# is.
_AGREE, SURE, _MOST_LOOKS = 2, 0.8, 5
# One look is enough from this confidence on, which is calibrated: it errs twice in a hundred at most. Cards in odd
# light, or told by their middle alone, come to .985 with no single rival, as all of a deck may; with one to .977.
_CERTAIN = 0.983
# A landing less likely than not waits for other looks to tell more.
_DOUBTED = 0.5
# How long a bare place must be seen before the pile counts as gone, in how many looks: the networks miss a card now and
# then, but hardly three times in a row, some frames apart.
_GONE_SECONDS, _GONE_LOOKS = 0.6, 3
# Seconds between looks that find nothing new, a frame at 30 a second, and the longest that they are put off to, so that
# what they miss costs no more than a second.
_LOOK_PAUSE, _LONGEST_PAUSE = 0.03, 1.0


@dataclass(frozen=True, eq=False)
class Look:
    """What the detector read at a time, in seconds, and what that makes of the pile."""

    time: float
    judgement: Judgement
    sightings: Sequence[Sighting]


@dataclass(frozen=True, eq=False)
class Agreement:
    """What looks agree on, and the judgements that say so."""

    judgement: Judgement
    judgements: tuple[Judgement, ...]

    @property
    def probabilities(self) -> tuple[tuple[Card, float], ...]:
        """The mean of the looks' probabilities, likeliest card first.

        Of their beliefs it is the geometric mean: a look that speaks against a landing weighs more than one in its
        favour.
        """
        tops = [(judgement.top, judgement.belief) for judgement in self.judgements if judgement.top is not None]
        belief = np.prod([belief for _, belief in tops]) ** (1 / max(1, len(tops)))
        total: dict[Card, float] = {}
        for top, _ in tops:
            for card, probability in zip(top.cards, top.probabilities, strict=True):
                total[card] = total.get(card, 0.0) + float(belief) * probability / len(tops)
        return tuple(sorted(total.items(), key=lambda item: -item[1]))


def is_new_for_certain(look: Look, pile: KnownPile) -> bool:
    """Whether a look shows a card that has landed so surely that it holds though an arm is still in the picture.

    One like the top card has where that is seen to lie where it did.
    """
    top = look.judgement.top
    if look.judgement.change is not Change.LANDED or top is None:
        return False
    if top.card == pile.top:
        old = pile.cards[-1]
        there = any(s.whole and is_at(s, old) for s in look.sightings)
        if not there or _overlap(top, old) >= PUSHED:
            return False
    return _is_certain(look.judgement, pile)


class Looks:
    """The looks at one still picture after another, since something last moved or was told."""

    def __init__(self) -> None:
        self._looks: list[Look] = []
        self._due = 0.0
        self._pause = _LOOK_PAUSE

    def __len__(self) -> int:
        return len(self._looks)

    @property
    def latest(self) -> Look:
        """The last look. There must be one."""
        return self._looks[-1]

    def clear(self) -> None:
        """Begin anew, with a look at once."""
        self._looks.clear()
        self._due, self._pause = 0.0, _LOOK_PAUSE

    def is_due(self, time: float) -> bool:
        """Whether it is time for another look."""
        return time >= self._due

    def needs_another(self, still: Still, pile: KnownPile) -> bool:
        """Whether what was seen does not yet tell enough by itself."""
        return not (still.settled and self._looks and _is_certain(self.latest.judgement, pile))

    def add(self, look: Look, settled: bool) -> None:
        """Take in a look. Until the picture has settled the next is due at once."""
        self._looks.append(look)
        self._due = look.time + (self._pause if settled else 0.0)

    def agreed(self, still: Still, pile: KnownPile, is_first: bool) -> Agreement | None:
        """Return what the looks agree on, None where more of them are needed.

        is_first: whether nothing was known before, not even that the place is bare.
        """
        latest = self.latest.judgement
        same = [look for look in self._looks if agree(look.judgement, latest)]
        agreement = Agreement(latest, tuple(look.judgement for look in same))
        if _is_certain(latest, pile):
            return agreement
        match latest.change:
            case Change.NONE if not is_first and not pile.cards and not still.alone and not still.is_waited_out:
                # Where no pile is known a hand cannot be told, and may hold the first card.
                self._look_less_often()
                done = False
            case Change.NONE:
                hidden = self._often(self._landed() if latest.top is None else self._well_read())
                done = not hidden and len(same) >= (1 if still.alone else _AGREE)
            case Change.GONE:
                lasted = still.view.time - same[0].time
                shown = not self._often(self._well_read()) and lasted >= _GONE_SECONDS and len(same) >= _GONE_LOOKS
                done = still.alone or shown
                self._pause = _GONE_SECONDS / _GONE_LOOKS
            case Change.UNCLEAR:
                return self._doubtful(agreement)
            case Change.TAKEN_BACK if self._often(self._landed()) and latest.left < len(pile.cards) - 1:
                # Several cards are seldom taken back at once.
                done = False
            case Change.LANDED if is_first and 3 * len(same) <= 2 * len(self):
                # A card that was there from the start is seen in almost every look, other than what is taken for one.
                done = False
            case Change.LANDED if latest.belief < _DOUBTED and len(self) < _MOST_LOOKS and not still.alone:
                # Another look may read the card that was taken for the old one.
                done = False
            case _:
                done = self._is_well_agreed(agreement, still)
        return agreement if done else None

    def _is_well_agreed(self, agreement: Agreement, still: Still) -> bool:
        """Whether enough looks show the same card, and read it well; or so many were taken that it must do."""
        tops = [judgement.top for judgement in agreement.judgements if judgement.top is not None]
        if still.alone:
            return True
        if len(self) >= 2 * _MOST_LOOKS and len(tops) >= len(self) / 3:
            return True
        sure = bool(np.mean([top.confidence for top in tops]) >= SURE)
        return len(tops) >= _AGREE and (sure or len(self) >= _MOST_LOOKS)

    def _doubtful(self, agreement: Agreement) -> Agreement | None:
        """Return what a corner alone, or a card that one look showed, comes to: better asked about than passed over."""
        latest, landed = agreement.judgement, self._landed()
        if len(self) > 2 * _MOST_LOOKS or all(look.judgement.top is None for look in self._looks):
            self._look_less_often()
        if len(agreement.judgements) < _MOST_LOOKS:
            return None
        if latest.top is not None:
            return agreement
        if not landed:
            return None
        doubted = replace(landed[-1], belief=landed[-1].belief / 2)
        return Agreement(doubted, (doubted,))

    def _landed(self) -> list[Judgement]:
        return [look.judgement for look in self._looks if look.judgement.change is Change.LANDED]

    def _well_read(self) -> list[Judgement]:
        return [j for j in self._landed() if j.top is not None and j.belief * j.top.confidence >= _DOUBTED]

    def _often(self, judgements: Sequence[Judgement]) -> bool:
        """Whether so many looks say so: what is there in every other look is a card that one kind of look misses."""
        return 3 * len(judgements) >= len(self)

    def _look_less_often(self) -> None:
        self._pause = min(_LONGEST_PAUSE, 2 * self._pause)


def _is_certain(judgement: Judgement, pile: KnownPile) -> bool:
    """Whether a look needs no other to agree with it.

    A card that was missed can make it seem as if nothing had happened, as if one were gone, or as if one that lies
    under it there had come.
    """
    top = judgement.top
    if top is None or judgement.change in (Change.NONE, Change.TAKEN_BACK) or judgement.belief < 1:
        return False
    like = (lying for lying in pile.cards[:-1] if lying.card == top.card)
    return top.confidence >= _CERTAIN and all(_overlap(top, lying) < PUSHED for lying in like)


def _overlap(card: Sighting, lying: Lying) -> float:
    return intersection_over_union(card.quad, lying.quad)
