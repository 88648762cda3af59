"""The latest rulings with all their alternatives, so that they can be re-evaluated.

The table rules as soon as something is clear. Sometimes later observations show that it was wrong: somebody drew
unseen, an arm was confused with another. While a ruling is in this log, it can be corrected. People's statements are
final: nothing before them is re-evaluated.

The hypotheses are a function of the stored log alone, so they are the same after a restart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import replace

from companion.referee.moves import Undo
from companion.storage.journal import Line, ReadBy
from companion.table.hypotheses.finding import Hypothesis, RevisionLog, common_prefix
from companion.table.hypotheses.hypotheses import extended, hypotheses_by, normalized
from companion.table.state import thresholds
from companion.table.state.observations import Pending, Tap
from companion.table.state.situation import Mode, Situation, Way


def beams_of(log: RevisionLog, pending: Sequence[Pending], mode: Mode) -> list[tuple[Hypothesis, ...]]:
    """Return the hypotheses for what was ruled on, then with each pending observation added."""
    found = [log.hypotheses or (Hypothesis(log.base),)]
    for observation in pending:
        found.append(extended(found[-1], observation, mode).hypotheses)
    return found


def with_late_observation(log: RevisionLog, late: Pending, mode: Mode) -> RevisionLog:
    """Return the log with a late observation inserted, unchanged if it is too late."""
    assert late.at is not None
    place = next((n for n, o in enumerate(log.seen) if o.at is not None and o.at > late.at), len(log.seen))
    if not place and len(log.base.journal.lines):
        return log
    seen = (*log.seen[:place], late, *log.seen[place:])
    modes = (*log.modes[:place], mode, *log.modes[place:])
    hypotheses = hypotheses_by(log.base, zip(seen, modes, strict=True))
    current = _match_key(log.known)
    ruled = next(
        (hypothesis for hypothesis in hypotheses if _outcome_after(hypothesis, len(seen)) == current), hypotheses[0]
    ).ways
    return RevisionLog(log.base, seen, modes, ruled, tuple(hypotheses))


def revised(log: RevisionLog, hypotheses: Sequence[Hypothesis]) -> RevisionLog:
    """Return the log with revised rulings, unchanged if no revision is clear.

    hypotheses: of all observations, ruled and pending.
    """
    count = len(log.seen)
    if not count:
        return log
    shares: dict[Hashable, float] = defaultdict(float)
    most_probable: dict[Hashable, Hypothesis] = {}
    for hypothesis in hypotheses:
        outcome = _outcome_after(hypothesis, count)
        shares[outcome] += hypothesis.weight
        most_probable.setdefault(outcome, hypothesis)
    current = _match_key(log.known)
    best = max(shares, key=lambda outcome: shares[outcome])
    clear = shares[best] >= thresholds.REVISION_PROBABILITY or shares.get(current, 0.0) <= 1 - thresholds.SURE
    outcome = best if clear else current
    return replace(log, ruled=most_probable[outcome].ways[:count]) if outcome in most_probable else log


def continuations(log: RevisionLog, hypotheses: Sequence[Hypothesis]) -> list[Hypothesis]:
    """Return the hypotheses that agree with all rulings, from there on."""
    count = len(log.seen)
    outcomes = [way.outcome for way in log.ruled]
    left = [s for s in hypotheses if [way.outcome for way in s.ways[:count]] == outcomes]
    return normalized([replace(hypothesis, ways=hypothesis.ways[count:]) for hypothesis in left])


def with_rulings(
    log: RevisionLog, seen: Sequence[Pending], ruled: Sequence[Way], hypotheses: tuple[Hypothesis, ...], mode: Mode
) -> RevisionLog:
    """Return the log with further rulings. hypotheses: joint explanations with them. mode: their interpretation."""
    modes = (*log.modes, *(mode for _ in seen))
    revisions = RevisionLog(log.base, (*log.seen, *seen), modes, (*log.ruled, *ruled), hypotheses)
    if revisions.seen and _is_stated(revisions.seen[-1]):
        return RevisionLog(revisions.known)
    too_many = len(revisions.seen) > thresholds.MAX_REVISABLE
    dropped = len(revisions.seen) - thresholds.REVISABLE if too_many else 0
    while dropped < len(revisions.seen) and _is_stated(revisions.seen[dropped]):
        dropped += 1
    if not dropped:
        return revisions
    return replayed_log(
        revisions.ruled[dropped - 1].after, revisions.seen[dropped:], revisions.modes[dropped:], revisions.known
    )


def replayed_log(base: Situation, seen: tuple[Pending, ...], modes: tuple[Mode, ...], known: Situation) -> RevisionLog:
    """Return the log that leads from `base` to the known situation; an empty one if none does.

    Raises ValueError unless there are as many modes as observations.
    """
    hypotheses = hypotheses_by(base, zip(seen, modes, strict=True))
    matching = next(
        (
            hypothesis
            for hypothesis in hypotheses
            if seen and _outcome_after(hypothesis, len(seen)) == _match_key(known)
        ),
        None,
    )
    if matching is None:
        return RevisionLog(known)
    *before, last = matching.ways
    return RevisionLog(base, seen, modes, (*before, replace(last, after=known)), tuple(hypotheses))


def correction_lines(old: Situation, new: Situation, time: float) -> tuple[Line, ...]:
    """Return the lines that lead from one situation to the other: differences are undone and entered correctly.

    The same move at another time or with another picture is a difference, too.
    """
    before, after = old.journal.lines, new.journal.lines
    same = common_prefix(before, after)
    undos = (Line(Undo(), ReadBy.INFERRED, time),) * (len(before) - same)
    return (*undos, *after[same:])


def _is_stated(observation: Pending) -> bool:
    what = observation.what
    tapped = isinstance(what, Tap) and what.read_by is ReadBy.TAP
    return tapped or observation.said is not None or observation.card is not None


def _outcome_after(hypothesis: Hypothesis, count: int) -> Hashable:
    return _match_key(hypothesis.ways[count - 1].after)


def _match_key(known: Situation) -> Hashable:
    return known.journal.match.moves, known.illegal_card, known.shed
