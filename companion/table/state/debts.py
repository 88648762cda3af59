"""Tracks how many cards each player owes the draw pile, and how many were seen to be taken."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from companion.referee.effects import Dealt, Drawn, Effect, RoundWon, Why
from companion.referee.state import Header

ECHO_SECONDS = 30.0
"""Seconds after a typed or corrected card within which the camera is expected to see it."""


@dataclass(frozen=True, slots=True)
class Debt:
    """The cards one player has to take.

    since: time of the last addition. spoken: whether people were reminded of it. passed: whether another player has
    laid a card since. taken may exceed what is owed if the cause was undone. joined: whether another player who came to
    owe at the same moment was seen taking; simultaneous arms hide one another.
    """

    cards: int = 0
    taken: int = 0
    since: float = 0.0
    spoken: bool = False
    passed: bool = False
    joined: bool = False

    @property
    def left(self) -> int:
        """Number of cards still to be taken."""
        return max(0, self.cards - self.taken)


@dataclass(frozen=True, slots=True)
class Debts:
    """All debts, by seat."""

    seats: tuple[Debt, ...]

    def left(self, seat: int) -> int:
        """Return the number of cards the player still has to take."""
        return self.seats[seat].left

    @property
    def any(self) -> bool:
        """Whether anybody owes anything."""
        return any(debt.left for debt in self.seats)

    def after(self, header: Header, effects: Iterable[Effect], time: float) -> Debts:
        """Return the debts after these effects; cards drawn in one's own turn are no debt."""
        debts = self
        for effect in effects:
            match effect:
                case Drawn(player, count, why) if why != Why.TURN and count:
                    seat = header.seat(player)
                    old = debts.seats[seat]
                    ahead = old.taken - old.cards if time - old.since <= ECHO_SECONDS else 0
                    if ahead > 0:
                        new = Debt(count, min(ahead, count))
                    else:
                        new = Debt(old.left + count) if old.taken else replace(old, cards=old.cards + count)
                    new = replace(new, since=time, spoken=False, passed=False, joined=False)
                    debts = debts._with(seat, new if new.left else Debt())
                case RoundWon() | Dealt():
                    debts = no_debts(len(self.seats))
                case _:
                    pass
        return debts

    def before(self, header: Header, effects: Iterable[Effect], time: float) -> Debts:
        """Return the debts before these effects, as far as possible.

        Cards no longer owed by then have been taken; they count if the effects recur.
        """
        debts = self
        for effect in effects:
            if isinstance(effect, Drawn) and effect.why != Why.TURN:
                seat = header.seat(effect.player)
                old = debts.seats[seat]
                cards, taken = max(0, old.cards - effect.count), old.taken + max(0, effect.count - old.cards)
                left = replace(old, cards=cards, taken=taken, since=time) if cards or taken else Debt()
                debts = debts._with(seat, left)
        return debts

    def take(self, seat: int, count: int) -> Debts:
        """Return the debts after the player was seen taking this many cards; not below 0."""
        old = self.seats[seat]
        new = replace(old, taken=min(old.cards, old.taken + count))
        others = (
            replace(debt, joined=debt.joined or (debt.left > 0 and debt.since == old.since)) for debt in self.seats
        )
        return Debts(tuple(others))._with(seat, new if new.left else Debt())

    def played(self, seat: int) -> Debts:
        """Return the debts when this player lays a card: what they owed must have been taken unseen."""
        if all(debt == Debt() for debt in self.seats):
            return self
        return Debts(
            tuple(
                Debt() if each == seat else replace(debt, passed=debt.left > 0) for each, debt in enumerate(self.seats)
            )
        )

    def spoken(self, seat: int) -> Debts:
        """Return the debts after a reminder of this one."""
        return self._with(seat, replace(self.seats[seat], spoken=True))

    def _with(self, seat: int, debt: Debt) -> Debts:
        return Debts((*self.seats[:seat], debt, *self.seats[seat + 1 :]))


def no_debts(players: int) -> Debts:
    """Return the debts of players who owe nothing."""
    return Debts((Debt(),) * players)
