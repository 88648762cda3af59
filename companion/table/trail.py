"""What was ruled on lately, with all the other ways in which it may have come about, so that it can be judged anew.

The table rules on what it sees as soon as that is clear, and goes on from there. Now and then what follows makes clear
that it was otherwise: somebody drew unseen, an arm was taken for another's. For as long as it is remembered here that
can be found out and put right. What people have said stands: behind it nothing is judged anew.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

from companion.journal import Line, ReadBy
from companion.referee.moves import Undo
from companion.table import thresholds
from companion.table.observations import Pending, Tap
from companion.table.situation import Mode, Situation, Way
from companion.table.stories import Story, grown, normal, stories_of


@dataclass(frozen=True, slots=True)
class Trail:
    """The latest observations that were ruled on.

    base: how the table stood before them. seen: what they were; ruled: the way that each is held to have come about;
    stories: all ways in which they may have, together.
    """

    base: Situation
    seen: tuple[Pending, ...] = ()
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
        stories = stories_of(self.base, seen, mode)
        stands = _stands(self.known)
        ruled = next((story for story in stories if _past(story, len(seen)) == stands), stories[0]).ways
        return Trail(self.base, seen, ruled, tuple(stories))

    def untimed(self) -> Trail:
        """Return the trail before whatever a camera sees from now on, whose clock may be another one's."""
        stories = tuple(
            replace(story, after=story.after.untimed(), ways=tuple(map(_untimed, story.ways))) for story in self.stories
        )
        seen = tuple(replace(observation, at=None) for observation in self.seen)
        return Trail(self.base.untimed(), seen, tuple(map(_untimed, self.ruled)), stories)

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

    def ruling(self, seen: Sequence[Pending], ruled: Sequence[Way], stories: tuple[Story, ...]) -> Trail:
        """Return the trail with more ruled on. stories: of all that was, this included."""
        trail = Trail(self.base, (*self.seen, *seen), (*self.ruled, *ruled), stories)
        said = [place for place, observation in enumerate(trail.seen) if _is_said(observation)]
        if said and not trail.seen[said[-1] + 1 :]:
            return Trail(trail.known)
        while len(trail.seen) > thresholds.REMEMBERED or any(map(_is_said, trail.seen[:1])):
            trail = trail._shortened()
        return trail

    def _shortened(self) -> Trail:
        outcome = self.ruled[0].outcome
        left = [replace(story, ways=story.ways[1:]) for story in self.stories if story.ways[0].outcome == outcome]
        if not left:
            return Trail(self.known)
        return Trail(self.ruled[0].after, self.seen[1:], self.ruled[1:], tuple(normal(left)))


def retraced(base: Situation, seen: tuple[Pending, ...], known: Situation, mode: Mode) -> Trail:
    """Return the trail that led from `base` to what is known, as after a restart; one that begins there if none did."""
    stories = stories_of(base, seen, mode)
    led = next((story for story in stories if seen and _past(story, len(seen)) == _stands(known)), None)
    if led is None:
        return Trail(known)
    *before, last = led.ways
    return Trail(base, seen, (*before, replace(last, after=known)), tuple(stories))


def put_right(old: Situation, new: Situation, time: float) -> tuple[Line, ...]:
    """Return the lines that lead from the one to the other: what was otherwise is undone, and entered as it was."""
    before, after = old.journal.lines, new.journal.lines
    same = 0
    while same < min(len(before), len(after)) and before[same].entry == after[same].entry:
        same += 1
    undos = (Line(Undo(), ReadBy.INFERRED, time),) * (len(before) - same)
    return (*undos, *after[same:])


def _untimed(way: Way) -> Way:
    return replace(way, after=way.after.untimed())


def _is_said(observation: Pending) -> bool:
    what = observation.what
    tapped = isinstance(what, Tap) and what.read_by is ReadBy.TAP
    return tapped or observation.said is not None or observation.card is not None


def _past(story: Story, count: int) -> Hashable:
    return _stands(story.ways[count - 1].after)


def _stands(known: Situation) -> Hashable:
    return known.journal.match.moves, known.outlaw
