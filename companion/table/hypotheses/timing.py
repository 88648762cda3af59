"""Timing constraints between actions: a hand needs time to arrive, to put a card away, and to lay it.

An action sooner than possible is more likely a passing or resting arm, or a duplicate; and a drawn card that is played
is played soon.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from companion.referee.effects import CardsTaken
from companion.referee.moves import Draw, Flip
from companion.referee.state import Phase
from companion.table.state import thresholds
from companion.table.state.debts import ECHO_SECONDS
from companion.table.state.observations import Reach
from companion.table.state.situation import Situation, Way
from companion.table.state.unseen_cards import landed_card


def taken_in_time(situation: Situation, found: Iterable[Way], reach: Reach, left: float | None) -> list[Way]:
    """Return the ways of an arm at the draw pile, weighted by where it came from and how soon.

    left: when it left the pile, seconds by the camera's clock; None if unknown.
    """
    if situation.noted is not None:
        return list(found)  # It is known to be a draw.
    return [
        way
        if way.by is None or way.after.state.phase is Phase.FLIP  # A card taken to be turned up lands at once.
        else _taken(situation, way, way.by, reach, left)
        for way in found
    ]


def landed_in_time(situation: Situation, found: Iterable[Way], at: float | None) -> list[Way]:
    """Return the ways of a landing weighted by how soon it happened, with its time recorded.

    at: when it came to rest, seconds by the camera's clock; None if unknown.
    """
    return [way if way.card is None else _landed(situation, way, at) for way in found]


def carried_off_in_time(situation: Situation, found: Iterable[Way], at: float | None) -> list[Way]:
    """Return the ways of a removed pile weighted by how soon after a draw it happened.

    at: when it was gone, seconds by the camera's clock; None if unknown.
    """
    left_at = [hand.left for hand in situation.hands if hand.left is not None]
    too_fast = at is not None and any(abs(at - left) < thresholds.MIN_LAY_DELAY_SECONDS for left in left_at)
    return [way.times(thresholds.TOO_FAST) for way in found] if too_fast else list(found)


def taken_from_pile_lately(situation: Situation, time: float) -> bool:
    """Return whether the card on top just made a player take cards out of the pile, for which the pile is lifted.

    The top card is gone and back within seconds then (EDITIONS.md, section 8). time: seconds since the epoch.
    """
    steps = zip(reversed(situation.journal.lines), reversed(situation.journal.match.history), strict=True)
    for line, step in steps:
        if any(isinstance(effect, CardsTaken) and effect.count for effect in step.effects):
            return 0 <= time - line.time <= ECHO_SECONDS
        if landed_card(step) is not None:
            break
    return False


def _taken(situation: Situation, way: Way, seat: int, reach: Reach, left: float | None) -> Way:
    if reach.passing:
        way = way.times(thresholds.DRAW_IN_PASSING)
    if left is None:
        return way
    drew = bool(way.entries) and isinstance(way.entries[-1], Draw)
    hands = tuple(
        replace(hand, left=left, drew=drew) if hand.track == reach.arm.track else hand for hand in way.after.hands
    )
    way = replace(way, after=replace(way.after, hands=hands))
    return way.times(thresholds.TOO_FAST) if _came_too_soon(situation, seat, left - reach.stay) else way


def _came_too_soon(situation: Situation, seat: int, began: float) -> bool:
    """Whether a hand is unlikely to have reached for cards by then. began: seconds by the camera's clock."""
    if situation.landed is not None and began - situation.landed < thresholds.MIN_DRAW_DELAY_SECONDS:
        return True
    return any(
        began - hand.left < (thresholds.MIN_RETURN_SECONDS if hand.seat == seat else thresholds.MIN_LAY_DELAY_SECONDS)
        for hand in situation.hands
        if hand.left is not None and (hand.drew or hand.seat == seat)
    )


def _landed(situation: Situation, way: Way, at: float | None) -> Way:
    way = replace(way, after=replace(way.after, landed=at, dropped=None))
    if at is None or any(isinstance(entry, Flip) for entry in way.entries):
        return way
    since = [
        (hand, at - hand.left)
        for hand in situation.hands
        if hand.left is not None and (hand.drew or hand.seat == way.by)
    ]
    if any(seconds < thresholds.MIN_LAY_DELAY_SECONDS for _, seconds in since):
        return way.times(thresholds.TOO_FAST)
    drew = [seconds for hand, seconds in since if hand.drew and hand.seat == way.by]
    if not drew or situation.state.phase is not Phase.DRAWN:
        return way
    soon = min(drew) < thresholds.DRAWN_CARD_SECONDS
    return way.times(thresholds.DRAWN_CARD_SOON if soon else thresholds.DRAWN_CARD_LATER)
