"""Turns camera events into observations: what was seen, whether it may have been there before, who was visible."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from typing import assert_never

from companion.cards import Card
from companion.referee.legality import IN_ROUND
from companion.referee.moves import Reshuffle
from companion.storage.journal import ReadBy, Reading
from companion.table.session.running import Session
from companion.table.state.draw_pile_stays import VisitHistory
from companion.table.state.observations import Lift, Pending, Sight, Tap
from companion.table.state.stored_pictures import kept_picture
from companion.vision.core.events import (
    CameraHealth,
    CameraStatus,
    CardLanded,
    CardTakenBack,
    Picture,
    PileEvent,
    PileGone,
    PileKind,
    PileMoved,
    PileReached,
    Probabilities,
)


@dataclass(frozen=True, slots=True)
class Seen:
    """Result of an event: the updated session, and the observation to rule on, if any.

    reading: the stored reading of the picture, None if nothing is stored.
    """

    session: Session
    pending: Pending | None = None
    reading: Reading | None = None


_BLIND = (CameraHealth.GONE, CameraHealth.FROZEN)


class EventInterpreter:
    """Remembers the context for the next event. Not thread-safe."""

    def __init__(self) -> None:
        self._first_look = True
        self._after_gap = False
        self._early: tuple[CardLanded, Reading] | None = None
        self._visits = VisitHistory()

    def begin(self) -> None:
        """Start with another match."""
        self._first_look = True

    def changed(self) -> None:
        """Note that another camera, or none, is used from now on: its first cards may have been there before."""
        self._after_gap = True
        self._forget()

    def _forget(self) -> None:
        self._first_look = True
        self._early = None
        self._visits = VisitHistory()

    def take(self, event: PileEvent, reading: Reading | None, session: Session | None, now: float) -> Seen | None:
        """Return the result of the event in the running match, None without one.

        reading: see `reading_of`. now: seconds since the epoch.
        """
        self._after_gap |= isinstance(event, CardLanded) and event.after_dark
        first_look, after_gap = self._first_look, self._after_gap
        self._visits.note(event)
        match event:
            case CardLanded():
                assert reading is not None
                self._first_look &= session is None
                self._after_gap &= session is None
                self._early = (event, reading) if session is None else None
            case CardTakenBack():
                self._early = None
            case PileGone():
                self._forget()
            case CameraStatus():
                self._first_look |= event.health is not CameraHealth.OK
                self._after_gap |= event.health in _BLIND
            case _:
                pass
        if session is None:
            return None
        if isinstance(event, PileReached):
            if event.pile is PileKind.DRAW:
                return _reached(event, self._visits, session, now)
            return Seen(replace(session, pending=self._visits.with_late_observation(session.pending)))
        seen = _seen(event, reading, session, now, first_look=first_look)
        return _marked_after_gap(seen) if after_gap else seen

    def early(self, session: Session, now: float) -> Seen | None:
        """Return the result of a card that landed before this match began, None without one.

        now: seconds since the epoch; no observation is older than its match.
        """
        if self._early is None:
            return None
        (event, reading), self._early = self._early, None
        return _landed(event, replace(reading, time=now), session, first_look=self._first_look, early=True)


def reading_of(event: PileEvent, now: float) -> Reading | None:
    """Return the stored reading of the event's picture, reduced; None without a card. now: since the epoch (s)."""
    if not isinstance(event, CardLanded | CardTakenBack):
        return None
    quad = event.quad if isinstance(event, CardLanded) else None
    picture, corners = kept_picture(event.picture, quad)
    return Reading(secrets.token_hex(8), now, _each_once(event.probabilities), corners, picture)


def _each_once(probabilities: Probabilities) -> Probabilities:
    """Return the reading with the shares of duplicate cards added, most probable first."""
    shares: dict[Card, float] = {}
    for card, probability in probabilities:
        shares[card] = shares.get(card, 0.0) + float(probability)
    return tuple(sorted(shares.items(), key=lambda share: -share[1]))


def reading_behind(picture: Picture, now: float) -> Reading | None:
    """Return the stored reading of the picture behind a tapped move, reduced; None without one."""
    kept, _ = kept_picture(picture, None)
    return None if kept is None else Reading(secrets.token_hex(8), now, (), None, kept)


def _seen(event: PileEvent, reading: Reading | None, session: Session, now: float, *, first_look: bool) -> Seen:
    match event:
        case CardLanded():
            assert reading is not None
            return _landed(event, reading, session, first_look=first_look)
        case CardTakenBack():
            assert reading is not None
            lift = Lift(reading.time, reading.probabilities, reading.id)
            return Seen(session, Pending(lift, at=event.time), reading)
        case PileGone() if session.state.phase in IN_ROUND:
            return Seen(session, Pending(Tap(now, Reshuffle(), ReadBy.CAMERA), at=event.time))
        case CameraStatus(health=CameraHealth.KNOCKED):
            return Seen(replace(session, known=session.known.after_knock()))
        case PileGone() | CameraStatus() | PileReached() | PileMoved():
            return Seen(session)
        case _:
            assert_never(event)


def _marked_after_gap(seen: Seen) -> Seen:
    """Return the result with a card marked as possibly there since a gap."""
    pending = seen.pending
    if pending is None or not isinstance(pending.what, Sight):
        return seen
    return replace(seen, pending=replace(pending, what=replace(pending.what, after_gap=True)))


def _landed(event: CardLanded, reading: Reading, session: Session, *, first_look: bool, early: bool = False) -> Seen:
    if event.arm is not None:
        session = replace(session, watch=session.watch.counting(landings=1))
    flags = (event.same_face, first_look, early)
    sight = Sight(reading.time, reading.probabilities, reading.id, *flags, event.arm, event.rivals)
    return Seen(session, Pending(sight, at=event.time), reading)


def _reached(event: PileReached, visits: VisitHistory, session: Session, now: float) -> Seen:
    session = replace(session, watch=session.watch.counting(reaches=1))
    if session.state.phase not in IN_ROUND or not session.watch.mode(session.known.ring).sees_arms:
        return Seen(session)
    return Seen(session, Pending(visits.reach(event, now), at=event.time))
