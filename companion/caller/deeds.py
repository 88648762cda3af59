"""Moves in words, for the lines of a history."""

from __future__ import annotations

from typing import assert_never

from companion.caller.language import Voice
from companion.editions.edition import Edition
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
    Outcome,
    Pass,
    Play,
    Rename,
    Reshuffle,
    Retarget,
    Reveal,
    Shed,
    Show,
    Start,
    Tally,
    Target,
    Took,
    Uno,
)
from companion.referee.state import State


class Deeds(Voice):
    """Sentences for moves."""

    def move(self, move: Move, before: State) -> str:
        """Return a line of history for a move: who did what. `before` is the state before the move."""
        who = doer(before, move)
        what = self._done(move, before.header.edition)
        return what if who is None else self._text("{player}: {what}", player=who, what=what)

    def _done(self, move: Move, edition: Edition) -> str:
        match move:
            case Start(card) | Play(card) | Flip(card):
                return self.card(card, edition)
            case ChooseColor(color):
                return self.color(color, edition)
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
            case Show(_, card):
                return self._text("shows {card}", card=self.card(card, edition))
            case Took(cards):
                return self._plural("draws one card", "draws {count} cards", cards)
            case Shed(int(count)):
                return self._plural("lays off one card", "lays off {count} cards", count)
            case Shed(cards):
                assert not isinstance(cards, int)
                shed = ", ".join(self.card(card, edition) for card in cards) or self._text("no cards")
                return self._text("lays off: {cards}", cards=shed)
            case Outcome(yes):
                return self._yes_or_no(yes=yes)
            case Reshuffle():
                return self._text("The discard pile is shuffled into a new draw pile.")
            case Hand(_, cards):
                return ", ".join(self.card(card, edition) for card in cards) or self._text("no cards")
            case Tally(_, points):
                return self._plural("one point", "{count} points", points)
            case Join():
                return self._text("joins")
            case Leave():
                return self._text("leaves")
            case Rename(_, name):
                return self._text("is called {name} from now on", name=name)
            case Retarget(points):
                return self._text("The match ends at {points} points.", points=points)
            case Count(_, cards):
                return self._plural("one card in hand", "{count} cards in hand", cards)
        assert_never(move)
