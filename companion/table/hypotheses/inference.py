"""Weighs all pending observations together: what is clear enough to rule on, and what must be asked.

Everything is computed from the last ruling, so the same observations always lead to the same finding, before and after
a restart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace

from companion.cards import Color
from companion.referee.moves import ChooseColor, Entry, Flip, Play, Start
from companion.table.hypotheses.finding import Candidate, Finding, Hypothesis
from companion.table.state import thresholds
from companion.table.state.observations import Pending, Reach, Sight, Tap
from companion.table.state.situation import Mode, Way


def weighed(hypotheses: list[Hypothesis], pending: Sequence[Pending], mode: Mode) -> Finding:
    """Return the finding from these hypotheses, best first."""
    last_way = hypotheses[0].ways[-1] if pending else None
    hypotheses = _where_it_leads(hypotheses)
    assumed: list[bool] = []
    candidates: list[Candidate] = []
    for place in range(len(pending)):
        candidates = candidates_at(hypotheses, place, mode)
        later = _evidence_after(pending, place)
        best = candidates[0]
        clear = _is_clear(best, pending[place], later) or (mode.sees_arms and _is_clear_of_card(candidates))
        named = mode.sees_arms and pending[place].card is not None  # People who were asked are not asked again.
        landed = sum(way.card is not None for way in best.hypotheses[0].ways[place + 1 :])
        patience = thresholds.REACH_PATIENCE if isinstance(pending[place].what, Reach) else thresholds.PATIENCE
        if not clear and not named and landed < patience:
            break
        if not clear and isinstance(pending[place].what, Reach):
            reaches = next((n for n in range(place, len(pending)) if not isinstance(pending[n].what, Reach)), place)
            best = candidates_at(_by_all_reaches(hypotheses, place, reaches), place, mode)[0]
        assumed.append(not clear)
        hypotheses = list(best.hypotheses)
    # If several ways count as one, each may belong to another hypothesis.
    settled = list(hypotheses[0].ways[: len(assumed)])
    first = len(settled)
    while first and settled[first - 1].after.illegal_card is not None:
        first -= 1  # A card that does not match, and what follows it, waits for people's decision.
    illegal = first < len(settled)
    laid_off = not illegal and len(settled) == len(pending)
    while laid_off and first and settled[first - 1].after.shed:
        first -= 1  # Cards laid off are ruled on together, once the player has finished.
    idle = 0
    while first + idle < len(settled) and _is_nothing(settled[-1 - idle]):
        idle += 1
    if illegal:
        candidates = candidates_at(hypotheses, first, mode)
    elif laid_off:
        candidates = []
    del settled[first:], assumed[first:]
    open_ways = tuple(candidates) if len(settled) < len(pending) else ()
    return Finding(tuple(settled), tuple(assumed), open_ways, illegal, idle, last_way)


def _evidence_after(pending: Sequence[Pending], place: int) -> int:
    """Return how many later observations tell whether this one was understood.

    A tap that came out of turn is not confirmed by the same player's next taps.
    """
    later = pending[place + 1 :]
    if not isinstance(pending[place].what, Tap):
        return len(later)
    return sum(not isinstance(each.what, Tap) for each in later)


def _is_nothing(way: Way) -> bool:
    return not way.lines and way.card is None and not way.after.shed


def _is_clear(best: Candidate, pending: Pending, later: int) -> bool:
    """Whether it can be ruled on. later: number of later observations, which are evidence as well."""
    what = pending.what
    least = thresholds.SURE if isinstance(what, Reach) else thresholds.CLEAR
    settled_by_later = later > 0 and not (isinstance(what, Sight) and what.landed_unseen)
    return best.probability >= least and (settled_by_later or not best.way.doubtful)


def _is_clear_of_card(candidates: Sequence[Candidate]) -> bool:
    """Whether the card is clear, and who laid it clear enough: later observations can correct that.

    What it covers permanently, such as the colour of a wild below a wild, need not be clear. A challenge would ask for
    it, and whoever has seen the hand knows.
    """
    best = candidates[0].way
    alike = [c for c in candidates if c.way.card == best.card and c.way.after.illegal_card is None]
    if best.card is None or best.doubtful or sum(c.probability for c in alike) < thresholds.CLEAR:
        return False
    leads = replace(best.after.state, contested=None)
    same = [c.probability for c in alike if replace(c.way.after.state, contested=None) == leads]
    return best.after.illegal_card is None and sum(same) >= thresholds.CLEAR_OF_ARMS


def _where_it_leads(hypotheses: list[Hypothesis]) -> list[Hypothesis]:
    """Return only the best hypothesis if all lead to the same situation, as when an unsure card is taken back."""
    if not hypotheses[0].ways:
        return hypotheses
    groups: dict[Hashable, list[Hypothesis]] = defaultdict(list)
    for hypothesis in hypotheses:
        after = hypothesis.ways[-1].after
        groups[after.journal.match.moves, after.illegal_card, after.shed].append(hypothesis)
    best = max(groups.values(), key=lambda group: sum(hypothesis.weight for hypothesis in group))
    is_decided = (
        len(best) > 1
        and sum(hypothesis.weight for hypothesis in best) >= thresholds.SURE
        and not best[0].ways[-1].doubtful
    )
    return [replace(best[0], weight=1.0)] if is_decided else hypotheses


def _by_all_reaches(hypotheses: Sequence[Hypothesis], first: int, end: int) -> list[Hypothesis]:
    """Return the hypotheses with the most probable joint actions of the arms at the draw pile.

    One draw may have been seen as two visits, each of which is unlikely to be one.
    """
    groups: dict[Hashable, list[Hypothesis]] = defaultdict(list)
    for hypothesis in hypotheses:
        groups[tuple(entry for way in hypothesis.ways[first:end] for entry in way.entries)].append(hypothesis)
    return max(groups.values(), key=lambda group: sum(hypothesis.weight for hypothesis in group))


def candidates_at(hypotheses: Iterable[Hypothesis], place: int, mode: Mode) -> list[Candidate]:
    """Return the possible ways of the observation at this position, best first."""
    alike: dict[Hashable, list[Hypothesis]] = defaultdict(list)
    for hypothesis in hypotheses:
        alike[_outcome(hypothesis, place) if mode.sees_arms else hypothesis.ways[place].outcome].append(hypothesis)
    weights = [sum(hypothesis.weight for hypothesis in group) for group in alike.values()]
    found = [
        Candidate(group[0].ways[place], weight / sum(weights), tuple(group))
        for group, weight in zip(alike.values(), weights, strict=True)
    ]
    return sorted(found, key=lambda candidate: -candidate.probability)


def _outcome(hypothesis: Hypothesis, place: int) -> Hashable:
    """Return the key of the observation's outcome, without a colour covered by a wild since."""
    way = hypothesis.ways[place]
    if not any(isinstance(entry, ChooseColor) for entry in way.entries):
        return way.outcome
    later = [entry for way in hypothesis.ways[place + 1 :] for entry in way.entries]
    entries: list[Entry] = []
    for n, entry in enumerate(way.entries):
        landing = next((e for e in (*way.entries[n + 1 :], *later) if isinstance(e, Start | Play | Flip)), None)
        covered = isinstance(entry, ChooseColor) and landing is not None and landing.card.face.is_wild
        entries.append(ChooseColor(Color.RED) if covered else entry)
    return tuple(entries), way.outcome[1:]
