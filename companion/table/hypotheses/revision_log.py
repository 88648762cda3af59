"""What was ruled on lately, with all the other ways in which it may have come about, so that it can be judged anew.

The table rules on what it sees as soon as that is clear, and goes on from there. Now and then what follows makes clear
that it was otherwise: somebody drew unseen, an arm was taken for another's. For as long as it is remembered here that
can be found out and put right. What people have said stands: behind it nothing is judged anew.

The stories follow from what is kept of a trail and nothing else, so that a restart tells them as they were.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

from companion.journal import Line, ReadBy
from companion.referee.moves import Undo
from companion.table.hypotheses.hypotheses import Story, grown, normal, stories_by
from companion.table.state import thresholds
from companion.table.state.observations import Pending, Tap
from companion.table.state.situation import Mode, Situation, Way


@dataclass(frozen=True, slots=True)
class Trail:
    """The latest observations that were ruled on.

    base: how the table stood before them. seen: what they were; modes: how each was understood; ruled: the way that
    each is held to have come about; stories: all ways in which they may have, together.
    """

    base: Situation
    seen: tuple[Pending, ...] = ()
    modes: tuple[Mode, ...] = ()
    ruled: tuple[Way, ...] = ()
    stories: tuple[Story, ...] = ()

    @property
    def known(self) -> Situation:
        """How the table stands."""
        return self.ruled[-1].after if self.ruled else self.base

    def beams(self, pending: Sequence[Pending], mode: Mode) -> list[tuple[Story, ...]]:
        """Return the stories of what was ruled on, then those with each of the pending observations besides."""
        found = [self.stories or (Story(self.base),)]
        for observation in pending:
            found.append(grown(found[-1], observation, mode).stories)
        return found

    def with_late(self, late: Pending, mode: Mode) -> Trail:
        """Return the trail with an observation that is told after what followed it, itself where it is too late."""
        assert late.at is not None
        place = next((n for n, o in enumerate(self.seen) if o.at is not None and o.at > late.at), len(self.seen))
        if not place and len(self.base.journal.lines):
            return self
        seen = (*self.seen[:place], late, *self.seen[place:])
        modes = (*self.modes[:place], mode, *self.modes[place:])
        stories = stories_by(self.base, zip(seen, modes, strict=True))
        stands = _stands(self.known)
        ruled = next((story for story in stories if _past(story, len(seen)) == stands), stories[0]).ways
        return Trail(self.base, seen, modes, ruled, tuple(stories))

    def long_ago(self) -> Trail:
        """Return the trail before whatever a camera sees from now on, whose clock may be another one's."""
        stories = tuple(
            replace(story, after=story.after.long_ago(), ways=tuple(map(_long_ago, story.ways)))
            for story in self.stories
        )
        seen = tuple(observation.long_ago() for observation in self.seen)
        return Trail(self.base.long_ago(), seen, self.modes, tuple(map(_long_ago, self.ruled)), stories)

    def is_late(self, observation: Pending) -> bool:
        """Whether something was ruled on already that the camera saw after this."""
        at = observation.at
        return at is not None and any(one.at is not None and one.at > at for one in self.seen)

    def judged(self, stories: Sequence[Story]) -> Trail:
        """Return the trail as it now seems to have been, itself where that has not become clear to be otherwise.

        stories: of what was ruled on and of all that is pending.
        """
        count = len(self.seen)
        if not count:
            return self
        shares: dict[Hashable, float] = defaultdict(float)
        likeliest: dict[Hashable, Story] = {}
        for story in stories:
            past = _past(story, count)
            shares[past] += story.weight
            likeliest.setdefault(past, story)
        stands = _stands(self.known)
        best = max(shares, key=lambda past: shares[past])
        clear = shares[best] >= thresholds.REJUDGED or shares.get(stands, 0.0) <= 1 - thresholds.SURE
        past = best if clear else stands
        return replace(self, ruled=likeliest[past].ways[:count]) if past in likeliest else self

    def going_on(self, stories: Sequence[Story]) -> list[Story]:
        """Return those of the stories in which all was as it was ruled on, each from there on."""
        count = len(self.seen)
        outcomes = [way.outcome for way in self.ruled]
        left = [s for s in stories if [way.outcome for way in s.ways[:count]] == outcomes]
        return normal([replace(story, ways=story.ways[count:]) for story in left])

    def ruling(self, seen: Sequence[Pending], ruled: Sequence[Way], stories: tuple[Story, ...], mode: Mode) -> Trail:
        """Return the trail with more ruled on. stories: of all that was, this included. mode: how it was understood."""
        modes = (*self.modes, *(mode for _ in seen))
        trail = Trail(self.base, (*self.seen, *seen), modes, (*self.ruled, *ruled), stories)
        if trail.seen and _is_said(trail.seen[-1]):
            return Trail(trail.known)
        many = len(trail.seen) > thresholds.REMEMBERED_AT_MOST
        gone = len(trail.seen) - thresholds.REMEMBERED if many else 0
        while gone < len(trail.seen) and _is_said(trail.seen[gone]):
            gone += 1
        if not gone:
            return trail
        return retraced(trail.ruled[gone - 1].after, trail.seen[gone:], trail.modes[gone:], trail.known)


def retraced(base: Situation, seen: tuple[Pending, ...], modes: tuple[Mode, ...], known: Situation) -> Trail:
    """Return the trail that led from `base` to what is known; one that begins there if none did.

    Raises ValueError unless there are as many modes as observations.
    """
    stories = stories_by(base, zip(seen, modes, strict=True))
    led = next((story for story in stories if seen and _past(story, len(seen)) == _stands(known)), None)
    if led is None:
        return Trail(known)
    *before, last = led.ways
    return Trail(base, seen, modes, (*before, replace(last, after=known)), tuple(stories))


def put_right(old: Situation, new: Situation, time: float) -> tuple[Line, ...]:
    """Return the lines that lead from the one to the other: what was otherwise is undone, and entered as it was.

    The same move seen at another time, or in another picture, is otherwise too.
    """
    before, after = old.journal.lines, new.journal.lines
    same = agreeing(before, after)
    undos = (Line(Undo(), ReadBy.INFERRED, time),) * (len(before) - same)
    return (*undos, *after[same:])


def agreeing(one: Sequence[Line], other: Sequence[Line]) -> int:
    """Return how many lines are the same in both, from the first on."""
    return next(
        (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a is not b and a != b),
        min(len(one), len(other)),
    )


def _long_ago(way: Way) -> Way:
    return replace(way, after=way.after.long_ago())


def _is_said(observation: Pending) -> bool:
    what = observation.what
    tapped = isinstance(what, Tap) and what.read_by is ReadBy.TAP
    return tapped or observation.said is not None or observation.card is not None


def _past(story: Story, count: int) -> Hashable:
    return _stands(story.ways[count - 1].after)


def _stands(known: Situation) -> Hashable:
    return known.journal.match.moves, known.outlaw
