"""Ways the pile can have gone back: cards taken back, laid off beneath, or collected."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from companion.cards import Card
from companion.referee.moves import (
    Accept,
    ChooseColor,
    Reshuffle,
    Shed,
    Target,
    Undo,
    Uno,
)
from companion.referee.state import Phase
from companion.storage.journal import Line, ReadBy
from companion.table.hypotheses.timing import taken_from_pile_lately
from companion.table.state import thresholds
from companion.table.state.debts import ECHO_SECONDS
from companion.table.state.observations import Lift
from companion.table.state.situation import Situation, Way
from companion.table.state.unseen_cards import landed_card

_AFTER_PLAY = (Phase.SCORING, Phase.OVER)


def lift_ways(situation: Situation, lift: Lift) -> list[Way]:
    """Return how far the pile can have gone back. After a round it may be collected, which undoes nothing."""
    phase = situation.state.phase
    if phase is Phase.START:
        return [Way(situation)]
    reading = dict(lift.probabilities)
    bare = max(1 - sum(reading.values()), thresholds.FLOOR)

    def fits(card: Card | None) -> float:
        return bare if card is None else max(reading.get(card, 0.0), thresholds.FLOOR)

    none, one, *more = thresholds.TAKEN_BACK
    if situation.dropped is not None and lift.time - situation.dropped <= ECHO_SECONDS:
        none, one = one, none  # It is the card people said was gone, or one that never landed.
    situation = replace(situation, dropped=None)
    if situation.shed:
        return [*_lifted_off(situation, lift, none * fits(situation.lying), one, fits)]
    if taken_from_pile_lately(situation, lift.time):
        found, one = [Way(situation, weight=one)], none
    else:
        found = [Way(situation, weight=none * fits(situation.lying))]
    if phase in _AFTER_PLAY:
        found.append(Way(situation, weight=thresholds.COLLECTED))
    way = Way(replace(situation, illegal_card=None), doubtful=phase in _AFTER_PLAY)
    shares = iter((one, *more))
    if situation.illegal_card is not None:
        way = _without_guess(way, lift.time)
        found.append(replace(way, weight=next(shares) * thresholds.MISMATCH_TAKEN_BACK_FACTOR * fits(way.after.lying)))
    for share in shares:
        further = without_last_card(way, lift.time)
        if further is None:
            break
        way = further
        after = replace(way.after, wrong_color=None if situation.lying is None else situation.lying.color)
        found.append(replace(way, after=after, weight=share * fits(way.after.lying)))
    return found


def _lifted_off(
    situation: Situation, lift: Lift, unchanged: float, lifted: float, fits: Callable[[Card | None], float]
) -> Iterator[Way]:
    """Yield the ways of a lift while cards are laid off: a false report, all of them gone beneath, the last taken back.

    unchanged: weight of the false report. lifted: share of the others. fits: probability of each card to be on top.
    """
    way = Way(situation)
    yield way.times(unchanged)
    done = way.then(Line(Shed(situation.shed), ReadBy.CAMERA, lift.time, lift.reading))
    yield done.times(lifted * fits(done.after.lying))
    *left, _ = situation.shed
    if left:
        fewer = replace(situation, shed=tuple(left))
        yield Way(fewer, weight=lifted * fits(fewer.lying))


def without_last_card(way: Way, time: float) -> Way | None:
    """Return the way before the last landing of this round; None without one.

    It is doubtful if others have acted since, as their moves would be undone with it.
    """
    round_ = way.after.state.round
    while way.after.journal.match.history and way.after.state.round == round_:
        last = way.after.journal.match.history[-1]
        mere_answer = isinstance(last.move, ChooseColor | Target | Uno | Reshuffle)
        card = landed_card(last)
        way = way.then(Line(Undo(), ReadBy.CAMERA, time))
        if card is not None:
            return _without_guess(way, time)
        if not mere_answer:
            way = replace(way, doubtful=True)
    return None


def _without_guess(way: Way, time: float) -> Way:
    """Return the way without the colour, and its consequences, implied by the card that was taken back.

    It may have been taken back because it did not match; the next card decides.
    """
    lines = way.after.journal.lines
    count = 1 + (bool(lines) and isinstance(lines[-1].entry, Accept))
    guessed = [*lines[max(0, len(lines) - count) :]]
    if guessed and isinstance(guessed[0].entry, ChooseColor) and all(g.read_by is ReadBy.INFERRED for g in guessed):
        for _ in guessed:
            way = way.then(Line(Undo(), ReadBy.CAMERA, time))
    return way
