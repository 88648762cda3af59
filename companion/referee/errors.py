"""Reasons for refusing a move: one exception per error of TRANSCRIPT.md.

Each keeps its message template and values apart, so that it can be translated.
"""

from __future__ import annotations

from enum import Enum
from typing import ClassVar

from companion.cards import Card, Color
from companion.referee.phase import Phase


def message(text: str) -> str:
    """Return the text unchanged. The call marks it for extraction into the catalogues."""
    return text


class Term(str):
    """The ID of a face or mark among the values of a message, to be shown by its name."""

    __slots__ = ()


class RefereeError(Exception):
    """A move was refused. The state is unchanged.

    `code` is the error's name in a transcript; `template` and `values` make up the message.
    """

    code: ClassVar[str]
    template: ClassVar[str]

    def __init__(self, **values: object) -> None:
        super().__init__(*values.values())
        self.values = values

    def __str__(self) -> str:
        plain = {name: value.value if isinstance(value, Enum) else value for name, value in self.values.items()}
        return self.template.format(**plain)


class NoSuchPlayerError(RefereeError):
    """Nobody of this name plays. `player` is the name."""

    code = "no-such-player"
    template = message("Nobody called {player} is playing.")

    def __init__(self, player: str) -> None:
        super().__init__(player=player)
        self.player = player


class WrongPhaseError(RefereeError):
    """The move is not possible in this phase. `move` is its name in a transcript, `phase` the current phase."""

    code = "wrong-phase"
    template = message("That is not possible now: the table is waiting for {phase}.")

    def __init__(self, move: str, phase: Phase) -> None:
        super().__init__(move=move, phase=phase)
        self.move = move
        self.phase = phase


class NotYourTurnError(RefereeError):
    """`player` made a move, but `actor` is to act."""

    code = "not-your-turn"
    template = message("It is not {player}’s turn but {actor}’s.")

    def __init__(self, player: str, actor: str) -> None:
        super().__init__(player=player, actor=actor)
        self.player = player
        self.actor = actor


class NotInThisEditionError(RefereeError):
    """The deck has no such card. `card` is the card."""

    code = "not-in-this-edition"
    template = message("There is no {card} in this edition.")

    def __init__(self, card: Card) -> None:
        super().__init__(card=card)
        self.card = card


class DoesNotMatchError(RefereeError):
    """`card` does not match `top` or the colour in force, `color` (R11)."""

    code = "does-not-match"
    template = message("The {card} does not match the {top}, with {color} in force.")

    def __init__(self, card: Card, top: Card, color: Color | None) -> None:
        super().__init__(card=card, top=top, color=color)
        self.card = card
        self.top = top
        self.color = color


class DoesNotStackError(RefereeError):
    """`card` may not be stacked on `top` (R34, R35)."""

    code = "does-not-stack"
    template = message("The {card} does not stack on the {top}.")

    def __init__(self, card: Card, top: Card) -> None:
        super().__init__(card=card, top=top)
        self.card = card
        self.top = top


class MustDrawError(RefereeError):
    """The player may not pass while there are cards to draw (R45)."""

    code = "must-draw"
    template = message("{player} must keep drawing until a card can be played.")

    def __init__(self, player: str) -> None:
        super().__init__(player=player)
        self.player = player


class MustPlayError(RefereeError):
    """The player drew `card`, which fits and has to be played (R59)."""

    code = "must-play"
    template = message("{player} has to play the {card}, which fits.")

    def __init__(self, player: str, card: Card) -> None:
        super().__init__(player=player, card=card)
        self.player = player
        self.card = card


class NothingToCatchError(RefereeError):
    """The player has not missed a UNO call (R27)."""

    code = "nothing-to-catch"
    template = message("{player} has not missed a UNO call.")

    def __init__(self, player: str) -> None:
        super().__init__(player=player)
        self.player = player


class NotAtUnoError(RefereeError):
    """The player may not call UNO (R27). `cards` is the count believed."""

    code = "not-at-uno"
    template = message("{player} cannot call UNO now, with {cards} in hand.")

    def __init__(self, player: str, cards: int) -> None:
        super().__init__(player=player, cards=cards)
        self.player = player
        self.cards = cards


class NoDrawToShowError(RefereeError):
    """The player's latest draw has no card left to show (R31)."""

    code = "no-draw-to-show"
    template = message("{player} has not just drawn a card that could be a creeper.")

    def __init__(self, player: str) -> None:
        super().__init__(player=player)
        self.player = player


class TooManyCopiesError(RefereeError):
    """More copies of `card` were shown than the `copies` of the deck."""

    code = "too-many-copies"
    template = message("That would be too many: the deck has {copies} of the {card}.")

    def __init__(self, card: Card, copies: int) -> None:
        super().__init__(card=card, copies=copies)
        self.card = card
        self.copies = copies


class TooManyCardsError(RefereeError):
    """A player cannot hold `cards` cards: the deck has `deck`."""

    code = "too-many-cards"
    template = message("Nobody can hold {cards} cards: the deck has {deck}.")

    def __init__(self, cards: int, deck: int) -> None:
        super().__init__(cards=cards, deck=deck)
        self.cards = cards
        self.deck = deck


class TooManyForStepError(RefereeError):
    """More cards than can be drawn or laid off here. `cards` is the count given, `most` the limit."""

    code = "too-many-cards"
    template = message("{cards} cards are too many here: {most} are possible.")

    def __init__(self, cards: int, most: int) -> None:
        super().__init__(cards=cards, most=most)
        self.cards = cards
        self.most = most


class UnclearHandError(RefereeError):
    """Only `cards` cards drawn since a wild draw four may have the colour: the table judges (R18)."""

    code = "unclear-hand"
    template = message("Cards drawn after the wild draw four do not count, {cards} here: say whether it was allowed.")

    def __init__(self, cards: int) -> None:
        super().__init__(cards=cards)
        self.cards = cards


class TooFewCardsError(RefereeError):
    """Who draws until a card fits draws at least one."""

    code = "too-few-cards"
    template = message("{player} draws at least one card here.")

    def __init__(self, player: str) -> None:
        super().__init__(player=player)
        self.player = player


class DoesNotFitError(RefereeError):
    """`card` is not one that `why`, the face or mark, asks for."""

    code = "does-not-fit"
    template = message("The {card} is not what {why} asks for.")

    def __init__(self, card: Card, why: str) -> None:
        super().__init__(card=card, why=Term(why))
        self.card = card
        self.why = why


class AlreadyChosenError(RefereeError):
    """The player has been named already for the same step."""

    code = "already-chosen"
    template = message("{player} is chosen already.")

    def __init__(self, player: str) -> None:
        super().__init__(player=player)
        self.player = player


class PlayerIsOutError(RefereeError):
    """The player is out of the round (R54)."""

    code = "player-is-out"
    template = message("{player} is out of this round.")

    def __init__(self, player: str) -> None:
        super().__init__(player=player)
        self.player = player


class AlreadyScoredError(RefereeError):
    """The player's remaining hand has been scored, or the player went out."""

    code = "already-scored"
    template = message("{player}’s hand is already in.")

    def __init__(self, player: str) -> None:
        super().__init__(player=player)
        self.player = player


class CannotTargetSelfError(RefereeError):
    """The option `green_shell_self` is off (R24), or hands are exchanged (R42)."""

    code = "cannot-target-self"
    template = message("{player} must name somebody else.")

    def __init__(self, player: str) -> None:
        super().__init__(player=player)
        self.player = player


class AlreadyPlayingError(RefereeError):
    """The player who wants to join is already at the table (R48)."""

    code = "already-playing"
    template = message("{player} is playing already.")

    def __init__(self, player: str) -> None:
        super().__init__(player=player)
        self.player = player


class NameTakenError(RefereeError):
    """Somebody else at the table, or somebody who left, has this name (R56). `player` is the name."""

    code = "name-taken"
    template = message("Somebody is called {player} already.")

    def __init__(self, player: str) -> None:
        super().__init__(player=player)
        self.player = player


class TargetReachedError(RefereeError):
    """`player` has `points` already, so the match cannot end at `target` (R57)."""

    code = "target-reached"
    template = message("{player} has {points} points already: the target must be higher than that.")

    def __init__(self, player: str, points: int, target: int) -> None:
        super().__init__(player=player, points=points, target=target)
        self.player = player
        self.points = points
        self.target = target


class NoRoomError(RefereeError):
    """Table or deck have no room for more than these `players` (R48)."""

    code = "no-room"
    template = message("With {players} players there is no room for another one.")

    def __init__(self, players: int) -> None:
        super().__init__(players=players)
        self.players = players


class TooManyPointsError(RefereeError):
    """A player may not join with `points` at or above the target (R49)."""

    code = "too-many-points"
    template = message("{player} cannot begin with {points} points: the match ends at {target}.")

    def __init__(self, player: str, points: int, target: int) -> None:
        super().__init__(player=player, points=points, target=target)
        self.player = player
        self.points = points
        self.target = target


class HandWorthTooMuchError(RefereeError):
    """A hand was given as `points` points, but the cards that are left are worth `most`."""

    code = "too-many-points"
    template = message("A hand cannot be worth {points} points: {most} are possible.")

    def __init__(self, points: int, most: int) -> None:
        super().__init__(points=points, most=most)
        self.points = points
        self.most = most


class NothingToUndoError(RefereeError):
    """No move has been accepted."""

    code = "nothing-to-undo"
    template = message("There is nothing to take back.")


class NoSuchMoveError(RefereeError):
    """Move `n` has not been made; `moves` have been."""

    code = "no-such-move"
    template = message("There is no move {n}: {moves} have been accepted.")

    def __init__(self, n: int, moves: int) -> None:
        super().__init__(n=n, moves=moves)
        self.n = n
        self.moves = moves


class AmendBreaksLaterMoveError(RefereeError):
    """The amended match would refuse the later move `n` because of `cause`."""

    code = "amend-breaks-later-move"
    template = message("Move {n} would no longer stand: {cause}")

    def __init__(self, n: int, cause: RefereeError) -> None:
        super().__init__(n=n, cause=cause)
        self.n = n
        self.cause = cause
