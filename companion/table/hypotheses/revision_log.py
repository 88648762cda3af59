"""The latest rulings with all their alternatives, so that they can be re-evaluated.

The table rules as soon as something is clear. Sometimes later observations show that it was wrong: somebody drew
unseen, an arm was confused with another. While a ruling is in this log, it can be corrected. People's statements are
final: nothing before them is re-evaluated.

The hypotheses are a function of the stored log alone, so they are the same after a restart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

from companion.journal import Line, ReadBy
from companion.referee.moves import Undo
from companion.table.hypotheses.hypotheses import Hypothesis, grown, hypotheses_by, normal
from companion.table.state import thresholds
from companion.table.state.observations import Pending, Tap
from companion.table.state.situation import Mode, Situation, Way


@dataclass(frozen=True, slots=True)
class RevisionLog:
    """The latest observations that were ruled on.

    base: the situation before them. seen: the observations; modes: how each was interpreted; ruled: the accepted way of
    each; stories: all joint explanations.
    """

    base: Situation
    seen: tuple[Pending, ...] = ()
    modes: tuple[Mode, ...] = ()
    ruled: tuple[Way, ...] = ()
    stories: tuple[Hypothesis, ...] = ()

    @property
    def known(self) -> Situation:
        """Current situation."""
        return self.ruled[-1].after if self.ruled else self.base

    def beams(self, pending: Sequence[Pending], mode: Mode) -> list[tuple[Hypothesis, ...]]:
        """Return the hypotheses for what was ruled on, then with each pending observation added."""
        found = [self.stories or (Hypothesis(self.base),)]
        for observation in pending:
            found.append(grown(found[-1], observation, mode).stories)
        return found

    def with_late(self, late: Pending, mode: Mode) -> RevisionLog:
        """Return the log with a late observation inserted, unchanged if it is too late."""
        assert late.at is not None
        place = next((n for n, o in enumerate(self.seen) if o.at is not None and o.at > late.at), len(self.seen))
        if not place and len(self.base.journal.lines):
            return self
        seen = (*self.seen[:place], late, *self.seen[place:])
        modes = (*self.modes[:place], mode, *self.modes[place:])
        stories = hypotheses_by(self.base, zip(seen, modes, strict=True))
        stands = _stands(self.known)
        ruled = next((story for story in stories if _past(story, len(seen)) == stands), stories[0]).ways
        return RevisionLog(self.base, seen, modes, ruled, tuple(stories))

    def before_camera_clock(self) -> RevisionLog:
        """Return the log placed before everything a camera sees from now on, as its clock may differ."""
        stories = tuple(
            replace(story, after=story.after.before_camera_clock(), ways=tuple(map(_long_ago, story.ways)))
            for story in self.stories
        )
        seen = tuple(observation.before_camera_clock() for observation in self.seen)
        return RevisionLog(
            self.base.before_camera_clock(), seen, self.modes, tuple(map(_long_ago, self.ruled)), stories
        )

    def is_late(self, observation: Pending) -> bool:
        """Whether something the camera saw after this was already ruled on."""
        at = observation.at
        return at is not None and any(one.at is not None and one.at > at for one in self.seen)

    def judged(self, stories: Sequence[Hypothesis]) -> RevisionLog:
        """Return the log with revised rulings, unchanged if no revision is clear.

        stories: of all observations, ruled and pending.
        """
        count = len(self.seen)
        if not count:
            return self
        shares: dict[Hashable, float] = defaultdict(float)
        likeliest: dict[Hashable, Hypothesis] = {}
        for story in stories:
            past = _past(story, count)
            shares[past] += story.weight
            likeliest.setdefault(past, story)
        stands = _stands(self.known)
        best = max(shares, key=lambda past: shares[past])
        clear = shares[best] >= thresholds.REJUDGED or shares.get(stands, 0.0) <= 1 - thresholds.SURE
        past = best if clear else stands
        return replace(self, ruled=likeliest[past].ways[:count]) if past in likeliest else self

    def going_on(self, stories: Sequence[Hypothesis]) -> list[Hypothesis]:
        """Return the hypotheses that agree with all rulings, from there on."""
        count = len(self.seen)
        outcomes = [way.outcome for way in self.ruled]
        left = [s for s in stories if [way.outcome for way in s.ways[:count]] == outcomes]
        return normal([replace(story, ways=story.ways[count:]) for story in left])

    def ruling(
        self, seen: Sequence[Pending], ruled: Sequence[Way], stories: tuple[Hypothesis, ...], mode: Mode
    ) -> RevisionLog:
        """Return the log with further rulings. stories: joint explanations with them. mode: their interpretation."""
        modes = (*self.modes, *(mode for _ in seen))
        trail = RevisionLog(self.base, (*self.seen, *seen), modes, (*self.ruled, *ruled), stories)
        if trail.seen and _is_said(trail.seen[-1]):
            return RevisionLog(trail.known)
        many = len(trail.seen) > thresholds.REMEMBERED_AT_MOST
        gone = len(trail.seen) - thresholds.REMEMBERED if many else 0
        while gone < len(trail.seen) and _is_said(trail.seen[gone]):
            gone += 1
        if not gone:
            return trail
        return replayed_log(trail.ruled[gone - 1].after, trail.seen[gone:], trail.modes[gone:], trail.known)


def replayed_log(base: Situation, seen: tuple[Pending, ...], modes: tuple[Mode, ...], known: Situation) -> RevisionLog:
    """Return the log that leads from `base` to the known situation; an empty one if none does.

    Raises ValueError unless there are as many modes as observations.
    """
    stories = hypotheses_by(base, zip(seen, modes, strict=True))
    led = next((story for story in stories if seen and _past(story, len(seen)) == _stands(known)), None)
    if led is None:
        return RevisionLog(known)
    *before, last = led.ways
    return RevisionLog(base, seen, modes, (*before, replace(last, after=known)), tuple(stories))


def correction_lines(old: Situation, new: Situation, time: float) -> tuple[Line, ...]:
    """Return the lines that lead from one situation to the other: differences are undone and entered correctly.

    The same move at another time or with another picture is a difference, too.
    """
    before, after = old.journal.lines, new.journal.lines
    same = agreeing(before, after)
    undos = (Line(Undo(), ReadBy.INFERRED, time),) * (len(before) - same)
    return (*undos, *after[same:])


def agreeing(one: Sequence[Line], other: Sequence[Line]) -> int:
    """Return the number of equal lines at the start of both."""
    return next(
        (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a is not b and a != b),
        min(len(one), len(other)),
    )


def _long_ago(way: Way) -> Way:
    return replace(way, after=way.after.before_camera_clock())


def _is_said(observation: Pending) -> bool:
    what = observation.what
    tapped = isinstance(what, Tap) and what.read_by is ReadBy.TAP
    return tapped or observation.said is not None or observation.card is not None


def _past(story: Hypothesis, count: int) -> Hashable:
    return _stands(story.ways[count - 1].after)


def _stands(known: Situation) -> Hashable:
    return known.journal.match.moves, known.outlaw
