"""How soon one act can follow another: a hand needs time to come, to put a card away, and to lay it.

What follows sooner than people can do it is likelier an arm that passed by, rested, or was seen twice; and who draws a
card and plays it does so soon.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from companion.referee.moves import Draw, Flip
from companion.referee.state import Phase
from companion.table.state import thresholds
from companion.table.state.observations import Reach
from companion.table.state.situation import Situation, Way


def taken_in_time(situation: Situation, found: Iterable[Way], reach: Reach, left: float | None) -> list[Way]:
    """Return the ways of an arm at the draw pile, each weighed by how it came there and how soon, and that noted.

    left: when it left the pile, seconds by the camera's clock; None where that is not known.
    """
    if situation.noted is not None:
        return list(found)  # that it was a draw is known
    return [
        way
        if way.by is None or way.after.state.phase is Phase.FLIP  # a card fetched lands at once
        else _taken(situation, way, way.by, reach, left)
        for way in found
    ]


def landed_in_time(situation: Situation, found: Iterable[Way], at: float | None) -> list[Way]:
    """Return the ways of a card on the pile, each weighed by how soon it landed, its time noted.

    at: when it came to lie still, seconds by the camera's clock; None where that is not known.
    """
    return [way if way.card is None else _landed(situation, way, at) for way in found]


def carried_off_in_time(situation: Situation, found: Iterable[Way], at: float | None) -> list[Way]:
    """Return the ways of a pile that was carried off, each weighed by how soon after cards were taken.

    at: when it was gone, seconds by the camera's clock; None where that is not known, or nobody saw it.
    """
    lately = [hand.left for hand in situation.hands if hand.left is not None]
    hasty = at is not None and any(abs(at - left) < thresholds.LAYS_AFTER_SECONDS for left in lately)
    return [way.times(thresholds.IN_HASTE) for way in found] if hasty else list(found)


def _taken(situation: Situation, way: Way, seat: int, reach: Reach, left: float | None) -> Way:
    if reach.passing:
        way = way.times(thresholds.TAKES_IN_PASSING)
    if left is None:
        return way
    drew = bool(way.entries) and isinstance(way.entries[-1], Draw)
    hands = tuple(
        replace(hand, left=left, drew=drew) if hand.track == reach.arm.track else hand for hand in way.after.hands
    )
    way = replace(way, after=replace(way.after, hands=hands))
    return way.times(thresholds.IN_HASTE) if _came_too_soon(situation, seat, left - reach.stay) else way


def _came_too_soon(situation: Situation, seat: int, began: float) -> bool:
    """Whether a hand can hardly have come then for cards. began: seconds by the camera's clock."""
    if situation.landed is not None and began - situation.landed < thresholds.COMES_AFTER_SECONDS:
        return True
    return any(
        began - hand.left < (thresholds.PUTS_AWAY_SECONDS if hand.seat == seat else thresholds.LAYS_AFTER_SECONDS)
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
    if any(seconds < thresholds.LAYS_AFTER_SECONDS for _, seconds in since):
        return way.times(thresholds.IN_HASTE)
    drew = [seconds for hand, seconds in since if hand.drew and hand.seat == way.by]
    if not drew or situation.state.phase is not Phase.DRAWN:
        return way
    soon = min(drew) < thresholds.PLAYS_WITHIN_SECONDS
    return way.times(thresholds.PLAYS_SOON if soon else thresholds.PLAYS_LATER)
