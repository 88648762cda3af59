"""Programs of special cards: one frozen dataclass per verb of EDITIONS.md, section 3, with filters and selectors."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import ClassVar

from companion.cards import Card, Color, Face


class Selector(Enum):
    """Which players a step is about (EDITIONS.md, section 2)."""

    SELF = "self"
    NEXT = "next"
    PREVIOUS = "previous"
    CHOSEN = "chosen"
    ASKED = "asked"
    AUTHOR = "author"
    OTHERS = "others"
    ALL = "all"
    MOST = "most"
    FEWEST = "fewest"

    @property
    def is_single(self) -> bool:
        """Whether at most one player is meant."""
        return self not in (Selector.OTHERS, Selector.ALL, Selector.MOST, Selector.FEWEST)


@dataclass(frozen=True, slots=True)
class Mark:
    """A picture printed on cards. bears: filters for the cards that bear it; None if only the players know."""

    id: str
    bears: tuple[Filter, ...] | None

    def is_on(self, card: Card) -> bool:
        """Return whether the card bears the mark, or may bear it where only the players know."""
        return self.bears is None or any(each.fits(card, None) for each in self.bears)


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition on cards: every field that is not None must hold.

    colors: allowed colours. in_force: the card has the colour in force. faces: allowed faces. numbers: allowed number
    faces. mark: the card bears the mark. wild: the card has no colour.
    """

    colors: frozenset[Color] | None = None
    in_force: bool = False
    faces: frozenset[Face] | None = None
    numbers: frozenset[Face] | None = None
    mark: Mark | None = None
    wild: bool = False

    def fits(self, card: Card, color: Color | None) -> bool:
        """Return whether the card fits. color: the colour in force, None while open; then `in force` fits none."""
        return (
            (self.colors is None or card.color in self.colors)
            and (not self.in_force or (color is not None and card.color is color))
            and (self.faces is None or card.face in self.faces)
            and (self.numbers is None or card.face in self.numbers)
            and (self.mark is None or self.mark.is_on(card))
            and (not self.wild or card.color is None)
        )


ANY = Filter()
"""The filter that every card fits."""


@dataclass(frozen=True, slots=True)
class Condition:
    """`if`: the step exists only if the option has the value (or, if negated, has not)."""

    option: str
    value: str | bool | int
    negated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of a program."""

    verb: ClassVar[str]
    condition: Condition | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChooseColor(Step):
    """`who` chooses the colour in force. random: a die or a device decides."""

    verb: ClassVar[str] = "color"
    random: bool = False
    who: Selector = Selector.SELF


@dataclass(frozen=True, slots=True, kw_only=True)
class ChooseTarget(Step):
    """A player is named, who is `chosen` from then on. others: nobody may name themselves."""

    verb: ClassVar[str] = "target"
    others: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawCards(Step):
    """`who` draw. count: how many; None if the table says how many (a launcher, a wheel)."""

    verb: ClassVar[str] = "draw"
    count: int | None
    who: Selector = Selector.SELF


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawUntil(Step):
    """`who` draw one by one until a card fits, that one included."""

    verb: ClassVar[str] = "draw_until"
    filter: Filter
    who: Selector = Selector.SELF


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawTo(Step):
    """`who` draw up to `count` cards in hand; None: up to the size of the largest hand."""

    verb: ClassVar[str] = "draw_to"
    count: int | None
    who: Selector = Selector.SELF


@dataclass(frozen=True, slots=True, kw_only=True)
class SkipTurns(Step):
    """The next `count` players lose their turns; None: all others."""

    verb: ClassVar[str] = "skip"
    count: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReversePlay(Step):
    """The direction of play changes."""

    verb: ClassVar[str] = "reverse"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayAgain(Step):
    """The player has another turn."""

    verb: ClassVar[str] = "again"


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnUp(Step):
    """The top card of the draw pile is turned up; its mark's program runs (R20, R21)."""

    verb: ClassVar[str] = "turn_up"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shed(Step):
    """`who` lay off cards that fit, as many as the table says, at most `up_to`."""

    verb: ClassVar[str] = "shed"
    filter: Filter
    up_to: int | None = None
    who: Selector = Selector.SELF


@dataclass(frozen=True, slots=True, kw_only=True)
class ShedExactly(Step):
    """`who` lay off `count` cards, no more than they hold; None: half the hand, rounded down."""

    verb: ClassVar[str] = "shed"
    count: int | None
    who: Selector = Selector.SELF


@dataclass(frozen=True, slots=True, kw_only=True)
class SwapHands(Step):
    """The player swaps hands with `partner`."""

    verb: ClassVar[str] = "swap"
    partner: Selector


@dataclass(frozen=True, slots=True, kw_only=True)
class RotateHands(Step):
    """Every hand passes to the next player."""

    verb: ClassVar[str] = "rotate"


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolHands(Step):
    """Hands are mixed and dealt out again. two: those of two players to be named; else everybody's."""

    verb: ClassVar[str] = "pool"
    two: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RefreshHand(Step):
    """`who` put their hands under the draw pile and draw as many."""

    verb: ClassVar[str] = "refresh"
    who: Selector = Selector.SELF


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeDiscards(Step):
    """`who` take `count` cards from the discard pile, below the top card."""

    verb: ClassVar[str] = "take"
    count: int
    who: Selector = Selector.SELF


@dataclass(frozen=True, slots=True, kw_only=True)
class PeekAtHand(Step):
    """The player looks at the hand of `of`."""

    verb: ClassVar[str] = "peek"
    of: Selector


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask(Step):
    """Each of `who` answers yes or no; then `yes` or `no` runs for that player."""

    who: Selector = Selector.NEXT
    yes: tuple[Step, ...] = ()
    no: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reveal(Ask):
    """Whether each of `who` holds a card that fits."""

    verb: ClassVar[str] = "reveal"
    filter: Filter


@dataclass(frozen=True, slots=True, kw_only=True)
class Dare(Ask):
    """Whether each of `who` does what the card's text says."""

    verb: ClassVar[str] = "dare"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRule(Step):
    """The card's text is read out for the table to carry out."""

    verb: ClassVar[str] = "rule"


@dataclass(frozen=True, slots=True, kw_only=True)
class Penalty(Step):
    """The next player draws `count` and loses the turn (EDITIONS.md, section 5)."""

    verb: ClassVar[str] = "penalty"
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand(Step):
    """The next player lays a card that fits, or draws `otherwise` cards and loses the turn."""

    verb: ClassVar[str] = "demand"
    filter: Filter
    otherwise: int


Program = tuple[Step, ...]
LAST_STEPS = (PlayAgain, TurnUp, Penalty, Demand)
"""Steps that end a program."""
