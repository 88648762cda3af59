"""Moves in words, for the lines of a history."""

from __future__ import annotations

from typing import assert_never

from companion.caller.language import Voice
from companion.referee.engine import doer
from companion.referee.moves import (
    Accept,
    Catch,
    Challenge,
    ChooseColor,
    Count,
    Creeper,
    Draw,
    Flip,
    Hand,
    Join,
    Judge,
    Leave,
    Move,
    Pass,
    Play,
    Reshuffle,
    Reveal,
    Start,
    Tally,
    Target,
    Uno,
)
from companion.referee.state import State


class Deeds(Voice):
    """Sentences for moves."""

    def move(self, move: Move, before: State) -> str:
        """Return a line of history for a move: who did what. `before` is the state before the move."""
        who = doer(before, move)
        what = self._done(move)
        return what if who is None else self._text("{player}: {what}", player=who, what=what)

    def _done(self, move: Move) -> str:
        match move:
            case Start(card) | Play(card) | Flip(card):
                return self.card(card)
            case ChooseColor(color):
                return self._word(color)
            case Target(player):
                return self._text("names {player}", player=player)
            case Draw():
                return self._text("draws a card")
            case Pass():
                return self._text("keeps it")
            case Accept():
                return self._text("accepts")
            case Challenge():
                return self._text("challenges")
            case Reveal():
                return self._text("shows the hand")
            case Judge(guilty):
                return self._text("was not allowed to play that") if guilty else self._text("was allowed to play that")
            case Uno():
                return "UNO"
            case Catch():
                return self._text("caught without having called UNO")
            case Creeper():
                return self._text("shows a creeper")
            case Reshuffle():
                return self._text("The discard pile is shuffled into a new draw pile.")
            case Hand(_, cards):
                return ", ".join(map(self.card, cards)) or self._text("no cards")
            case Tally(_, points):
                return self._plural("one point", "{count} points", points)
            case Join():
                return self._text("joins")
            case Leave():
                return self._text("leaves")
            case Count(_, cards):
                return self._plural("one card in hand", "{count} cards in hand", cards)
        assert_never(move)
