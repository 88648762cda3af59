"""How the table stands as far as one story goes, and one way in which an observation can have come about."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from companion.cards import Card, Color
from companion.journal import Journal, Line
from companion.referee.errors import RefereeError
from companion.referee.moves import Accept, Amend, Entry, Undo
from companion.referee.state import State
from companion.table.state.debts import Debts, nobodys
from companion.table.state.observations import long_before
from companion.table.state.seat_model import Ring, unknown
from companion.table.state.thresholds import ARMS_MIXED_UP, MISSED_DRAW
from companion.vision.core.events import Arm

_HANDS = 4
"""How many arms are remembered: more are seldom about the piles at a time."""


class Turns(Enum):
    """How the table learns who played and who drew."""

    CAMERA = "camera"
    """From people's arms, as far as they are seen; what is tapped counts as well."""
    TAPPED = "tapped"
    """From taps alone: a card is its player's whose turn it is."""
    RELAXED = "relaxed"
    """Whoever was passed over has drawn and passed."""


@dataclass(frozen=True, slots=True)
class Mode:
    """How observations are to be understood. unseen_draw: how often a player draws and passes without its being seen.

    alone: whether nobody can be asked or will tap, as with a film. least: the weight under which no way is looked for.
    """

    turns: Turns = Turns.CAMERA
    unseen_draw: float = MISSED_DRAW
    alone: bool = False
    least: float = 0.0

    @property
    def sees_arms(self) -> bool:
        """Whether arms are evidence."""
        return self.turns is not Turns.TAPPED


@dataclass(frozen=True, slots=True)
class Hand:
    """An arm that acted: the number of its track, the seat that it was held to be of, and `Arm.person`.

    left: when it left the draw pile with cards, seconds by the camera's clock; None where it laid a card, or that is
    not known. drew: whether those were drawn on its turn.
    """

    track: int
    seat: int
    person: int
    left: float | None = None
    drew: bool = False


@dataclass(frozen=True, slots=True)
class Situation:
    """A match so far; the card that lies on the pile against the rules, if one does; where people sit, what they owe.

    noted: the seat whose draw was tapped and may still be seen. hands: the arms that acted last, the latest last.
    landed: when the last card landed, seconds by the camera's clock; None where that is not known. dropped: when people
    last took a card back by tap that may still lie there, seconds since the epoch; None where none does. misled: the
    colour that a card told which was taken back since, others having acted between: it may have been another one.
    """

    journal: Journal
    outlaw: Card | None
    ring: Ring
    debts: Debts
    noted: int | None = None
    hands: tuple[Hand, ...] = ()
    landed: float | None = None
    dropped: float | None = None
    misled: Color | None = None

    @property
    def state(self) -> State:
        """How the match stands."""
        return self.journal.match.state

    @property
    def lying(self) -> Card | None:
        """The card on top of the pile."""
        return self.outlaw or self.state.top

    def enter(self, line: Line) -> Situation:
        """Return the situation with one more line; raises RefereeError where its entry is refused."""
        journal = self.journal.enter(line)
        old, new = self.state.players, journal.match.state.players
        if old != new:
            ring = self.ring.seated(old, new)
            return replace(self, journal=journal, ring=ring, debts=nobodys(len(new)), noted=None)
        debts, header = self.debts, self.state.header
        match line.entry:
            case Undo():
                debts = debts.before(header, self.journal.match.history[-1].effects, line.time)
            case Amend():
                pass
            case _:
                debts = debts.after(header, journal.match.history[-1].effects, line.time)
        return replace(self, journal=journal, debts=debts)

    def taught(self, seat: int, arm: Arm) -> Situation:
        """Return the situation where this arm was the player's in this seat."""
        hands = (*(hand for hand in self.hands if hand.track != arm.track), Hand(arm.track, seat, arm.person))[-_HANDS:]
        return replace(self, ring=self.ring.teach(seat, arm.direction, arm.spread), hands=hands)

    def shaken(self) -> Situation:
        """Return the situation where the camera was knocked: who sits where is less sure."""
        return replace(self, ring=self.ring.loosened(), hands=())

    def long_ago(self) -> Situation:
        """Return the situation before whatever a camera sees from now on, whose clock may be another one's."""
        hands = tuple(replace(hand, left=long_before(hand.left)) for hand in self.hands)
        return replace(self, hands=hands, landed=long_before(self.landed))

    def whose(self, arm: Arm) -> int | None:
        """Return whose this very arm was held to be when it acted before, since it came; None where it did not."""
        return next((hand.seat for hand in self.hands if hand.track == arm.track), None)

    def densest(self, arm: Arm) -> float:
        """Return how likely this arm is to be seen at most, whoever's it is, per degree."""
        return max(self.ring.densities(arm.direction, arm.spread))

    def density(self, seat: int, arm: Arm) -> float:
        """Return how likely this arm is to be seen if it is the player's in this seat, per degree."""
        density = self.ring.density(seat, arm.direction, arm.spread)
        before = next((hand.seat for hand in reversed(self.hands) if hand.person == arm.person), seat)
        return density if before == seat else density * ARMS_MIXED_UP


def situation(journal: Journal, outlaw: Card | None = None) -> Situation:
    """Return the situation in which nothing is known of where anybody sits, and nobody owes anything."""
    players = len(journal.match.state.players)
    return Situation(journal, outlaw, unknown(players), nobodys(players))


@dataclass(frozen=True, slots=True)
class Way:
    """One way in which an observation can have come about: what happened, and where that leads.

    card: the card that it says landed. doubtful: whether it must not be ruled on by itself, however likely it is.
    used_up: whether its card must be used up. refusal: why the rules refuse a tap that is then held to be a slip. by:
    whose arm it says was seen, as a seat.
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
        """What the referee is told."""
        return tuple(line.entry for line in self.lines)

    @property
    def accepts(self) -> tuple[Accept, ...]:
        """Where it says that cards owed were taken."""
        return tuple(entry for entry in self.entries if isinstance(entry, Accept))

    @property
    def outcome(self) -> tuple[object, ...]:
        """What tells ways apart."""
        return self.entries, self.after.outlaw, self.after.debts, self.after.ring.turned

    def then(self, line: Line, share: float = 1.0) -> Way:
        """Return the way with one more line; raises RefereeError where its entry is refused."""
        return replace(self, after=self.after.enter(line), lines=(*self.lines, line), weight=self.weight * share)

    def times(self, share: float) -> Way:
        """Return the way, so much less likely."""
        return replace(self, weight=self.weight * share)
