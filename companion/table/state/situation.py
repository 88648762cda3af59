"""State of the table under one hypothesis, and one way an observation can have come about."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from companion.cards import Card, Color
from companion.referee.errors import RefereeError
from companion.referee.moves import Accept, Amend, Entry, Shed, Undo
from companion.referee.state import Phase, State
from companion.storage.journal import Journal, Line
from companion.table.state.debts import Debt, Debts, no_debts
from companion.table.state.observations import Sight, long_before
from companion.table.state.seat_model import SeatRing, unknown
from companion.table.state.thresholds import ARMS_CONFUSED, MISSED_DRAW
from companion.vision.core.events import Arm

_HANDS = 4
"""Number of remembered arms: more are rarely at the piles at a time."""


class Turns(Enum):
    """How the table learns who played and who drew."""

    CAMERA = "camera"
    """From people's arms, as far as they are seen, and from taps."""
    TAPPED = "tapped"
    """From taps alone: a card belongs to the player on turn."""
    RELAXED = "relaxed"
    """Players passed over have drawn and passed."""


@dataclass(frozen=True, slots=True)
class Mode:
    """How observations are interpreted. unseen_draw: probability that a player draws and passes unseen.

    alone: whether nobody can be asked or will tap, as for a film. least: minimum weight of a way.
    """

    turns: Turns = Turns.CAMERA
    unseen_draw: float = MISSED_DRAW
    alone: bool = False
    least: float = 0.0

    @property
    def sees_arms(self) -> bool:
        """Whether arms are evidence."""
        return self.turns is not Turns.TAPPED

    def arm(self, sight: Sight) -> Arm | None:
        """Return the arm seen to lay the card, None without one or if arms are no evidence."""
        return sight.arm if self.sees_arms else None


@dataclass(frozen=True, slots=True)
class Hand:
    """An arm that acted: track number, attributed seat, and `Arm.person`.

    left: when it left the draw pile with cards, seconds by the camera's clock; None if it laid a card or it is unknown.
    drew: whether those were drawn on its turn.
    """

    track: int
    seat: int
    person: int
    left: float | None = None
    drew: bool = False


@dataclass(frozen=True, slots=True)
class Situation:
    """State under one hypothesis: the match, an illegal card on the pile, the seats and the debts.

    noted: seat whose draw was tapped and may still be seen. hands: arms that acted last, oldest first. landed: time of
    the last landing in seconds by the camera's clock, None if unknown. dropped: time (since the epoch, s) at which
    people last took a card back by tap that may still be there, None if none is. wrong_color: colour implied by a card
    that was taken back after others had acted; it may have been another one. shed: cards that landed while the referee
    waits for what the player lays off (EDITIONS.md, section 8), oldest first.
    """

    journal: Journal
    illegal_card: Card | None
    ring: SeatRing
    debts: Debts
    noted: int | None = None
    hands: tuple[Hand, ...] = ()
    landed: float | None = None
    dropped: float | None = None
    wrong_color: Color | None = None
    shed: tuple[Card, ...] = ()

    @property
    def state(self) -> State:
        """State of the match."""
        return self.journal.match.state

    @property
    def lying(self) -> Card | None:
        """The card on top of the pile."""
        return self.illegal_card or (self.shed[-1] if self.shed else self.state.top)

    def enter(self, line: Line) -> Situation:
        """Return the situation with one more line; raises RefereeError if its entry is refused."""
        journal = self.journal.enter(line)
        old, new = self.state.players, journal.match.state.players
        if len(old) != len(new):
            return self._reseated(journal, line)
        debts, header = self.debts, self.state.header
        match line.entry:
            case Undo():
                debts = debts.before(header, self.journal.match.history[-1].effects, line.time)
            case Amend():
                pass
            case _:
                debts = debts.after(header, journal.match.history[-1].effects, line.time)
        laid_off = isinstance(line.entry, Shed) or journal.match.state.phase is not Phase.SHED
        return replace(self, journal=journal, debts=debts, shed=() if laid_off else self.shed)

    def _reseated(self, journal: Journal, line: Line) -> Situation:
        """Return the situation after somebody came or left: the others keep their places, arms and debts."""
        old, new = self.state.players, journal.match.state.players
        places = {old.index(player): seat for seat, player in enumerate(new) if player in old}
        kept = {places[seat]: debt for seat, debt in enumerate(self.debts.seats) if seat in places}
        debts = Debts(tuple(kept.get(seat, Debt()) for seat in range(len(new))))
        if not isinstance(line.entry, Undo | Amend):
            debts = debts.after(journal.match.state.header, journal.match.history[-1].effects, line.time)
        return replace(
            self,
            journal=journal,
            ring=self.ring.seated(old, new),
            debts=debts,
            noted=None if self.noted is None else places.get(self.noted),
            hands=tuple(replace(hand, seat=places[hand.seat]) for hand in self.hands if hand.seat in places),
            shed=(),
        )

    def taught(self, seat: int, arm: Arm) -> Situation:
        """Return the situation if this arm was the player's in this seat."""
        hands = (*(hand for hand in self.hands if hand.track != arm.track), Hand(arm.track, seat, arm.person))[-_HANDS:]
        return replace(self, ring=self.ring.teach(seat, arm.direction, arm.spread), hands=hands)

    def after_knock(self) -> Situation:
        """Return the situation after the camera was knocked: seats are less certain."""
        return replace(self, ring=self.ring.less_certain(), hands=())

    def before_camera_clock(self) -> Situation:
        """Return the situation placed before everything a camera sees from now on, as its clock may differ."""
        hands = tuple(replace(hand, left=long_before(hand.left)) for hand in self.hands)
        return replace(self, hands=hands, landed=long_before(self.landed))

    def seat_of_arm(self, arm: Arm) -> int | None:
        """Return the seat this arm was attributed to earlier in its visit; None if it did not act."""
        return next((hand.seat for hand in self.hands if hand.track == arm.track), None)

    def max_density(self, arm: Arm) -> float:
        """Return the maximum density of this arm over all players, per degree."""
        return max(self.ring.densities(arm.direction, arm.spread))

    def density(self, seat: int, arm: Arm) -> float:
        """Return the density of this arm for the player in this seat, per degree."""
        density = self.ring.density(seat, arm.direction, arm.spread)
        before = next((hand.seat for hand in reversed(self.hands) if hand.person == arm.person), seat)
        return density if before == seat else density * ARMS_CONFUSED


def situation(journal: Journal, illegal_card: Card | None = None) -> Situation:
    """Return the situation without knowledge of seats and without debts."""
    players = len(journal.match.state.players)
    return Situation(journal, illegal_card, unknown(players), no_debts(players))


@dataclass(frozen=True, slots=True)
class Way:
    """One way an observation can have come about: what happened, and the resulting situation.

    card: the card that landed, if any. doubtful: whether it needs a question however probable it is. used_up: whether
    all copies of its card should be used up. refusal: why the rules refuse a tap, which is then considered a slip. by:
    seat of the arm that was seen.
    """

    after: Situation
    lines: tuple[Line, ...] = ()
    weight: float = 1.0
    card: Card | None = None
    doubtful: bool = False
    used_up: bool = False
    refusal: RefereeError | None = None
    by: int | None = None

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The entries for the referee."""
        return tuple(line.entry for line in self.lines)

    @property
    def accepts(self) -> tuple[Accept, ...]:
        """The entries that say that owed cards were taken."""
        return tuple(entry for entry in self.entries if isinstance(entry, Accept))

    @property
    def outcome(self) -> tuple[object, ...]:
        """The key that distinguishes ways."""
        return self.entries, self.after.illegal_card, self.after.debts, self.after.ring.turned, self.after.shed

    def then(self, line: Line, share: float = 1.0) -> Way:
        """Return the way with one more line; raises RefereeError if its entry is refused."""
        return replace(self, after=self.after.enter(line), lines=(*self.lines, line), weight=self.weight * share)

    def times(self, share: float) -> Way:
        """Return the way with its weight scaled."""
        return replace(self, weight=self.weight * share)
