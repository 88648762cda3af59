"""The table's own sentences: questions, inferences, and notices for the host.

English in the code, like the caller's; translations are in the catalogue `table` in `locale/`.
"""

from __future__ import annotations

import gettext
from collections.abc import Sequence

from companion.caller import CATALOGUES, Caller
from companion.cards import Card, Color
from companion.referee.errors import DoesNotMatchError, message
from companion.referee.moves import Accept, ChooseColor, Draw, Judge, Move, Pass, Play, Reshuffle, Target
from companion.referee.phase import Purpose
from companion.referee.state import State
from companion.storage.records import RefusedBatchError, StoreError, StoreFullError, StoreReadOnlyError

DOMAIN = "table"

_COLORS = {
    Color.RED: message("red"),
    Color.YELLOW: message("yellow"),
    Color.GREEN: message("green"),
    Color.BLUE: message("blue"),
}


class Sentences:
    """The table's sentences in the caller's language, English without a catalogue."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._catalogue = gettext.translation(DOMAIN, CATALOGUES, [caller.language], fallback=True)

    def which_card(self, first: Card, second: Card | None) -> str:
        """Return the question which of two cards has landed."""
        if second is None:
            return self._text("Did the {card} land on the pile?", card=self._caller.card(first))
        return self._text("Is it the {first} or the {second}?", first=self.card(first), second=self.card(second))

    def lies_there(self, card: Card) -> str:
        """Return the question whether this card, which the camera did not see landing, lies on the pile."""
        return self._text("On the table lies a {card}. Is that so?", card=self._caller.card(card))

    def after_missed(self, card: Card) -> str:
        """Return the button label: it does, and this card was laid out of view before it."""
        return self._text("Yes, after a {card} that was missed", card=self._caller.card(card))

    def used_up(self, card: Card) -> str:
        """Return the question whether a card has landed of which no copy should be left."""
        return self._text("Another {card}? None should be left since the last shuffle.", card=self.card(card))

    def does_not_match(self, card: Card, state: State) -> str:
        """Return the announcement of an illegal card."""
        rest = self._text("Take it back, or let it stand.")
        if state.top is None or state.color is None:
            return rest
        return f"{self._caller.refuse(DoesNotMatchError(card, state.top, state.color))} {rest}"

    def drew_and_passed(self, player: str) -> str:
        """Return the question whether the players before this one drew and passed."""
        return self._text("Did everyone before {player} draw and pass?", player=player)

    def who_played(self, card: Card, players: Sequence[str]) -> str:
        """Return the question which of these players laid the card."""
        either = self._text(" or ").join(players)
        return self._text("Who played the {card}: {players}?", card=self._caller.card(card), players=either)

    def it_was(self, player: str) -> str:
        """Return the button label: another player laid it."""
        return self._text("It was {player}", player=player)

    def out_of_turn(self, player: str, actor: str) -> str:
        """Return the announcement of a card laid by a player who is not on turn."""
        return self._text("{player} played, but it is {actor}’s turn.", player=player, actor=actor)

    def have_drawn_and_passed(self, players: Sequence[str]) -> str:
        """Return the button label: these players drew and passed unseen."""
        if len(players) == 1:
            return self._text("{player} drew and passed", player=players[0])
        return self._text("{players} drew and passed", players=", ".join(players))

    def took_the_cards(self, player: str) -> str:
        """Return the question whether the player took the owed cards rather than stacking."""
        return self._text("Did {player} take the cards?", player=player)

    def reminder(self, player: str, left: int) -> str:
        """Return the reminder that the player still has to take this many cards."""
        if left == 1:
            return self._text("{player}, one card is still to be drawn.", player=player)
        return self._text("{player}, {count} cards are still to be drawn.", player=player, count=left)

    def directions_tell_nothing(self) -> str:
        """Return the notice that the camera cannot follow turns."""
        return self._text("The camera cannot tell your arms apart: tap who draws and passes.")

    def draw_pile_unseen(self) -> str:
        """Return the notice that the draw pile is out of view."""
        return self._text("The draw pile is not in the picture: who is passed over is taken to have drawn.")

    def which_color(self) -> str:
        """Return the question for a colour that nobody entered."""
        return self._text("Which colour was chosen?")

    def which_target(self, purpose: Purpose | None) -> str:
        """Return the question for a target nobody entered: the green shell's, or a seven's partner."""
        if purpose is Purpose.SEVEN:
            return self._text("With whom were hands exchanged?")
        return self._text("Whom did the green shell hit?")

    def challenge_right(self) -> str:
        """Return the question how a challenge ended."""
        return self._text("Was the challenge right?")

    def taken_back(self) -> str:
        """Return the question whether a card was taken back."""
        return self._text("Was a card taken back?")

    def replaced(self, player: str | None, old: str, new: str) -> str:
        """Return what an amendment changed: a card or a colour of this player's, None for the start card."""
        if player is None:
            return self._text("The first card: {new} instead of {old}.", new=new, old=old)
        return self._text("{player}: {new} instead of {old}.", player=player, new=new, old=old)

    def card(self, card: Card) -> str:
        """Return the card's name."""
        return self._caller.card(card)

    def color(self, color: Color) -> str:
        """Return the colour's name."""
        return self._text(_COLORS[color])

    def no_card(self) -> str:
        """Return the button label: no card has landed."""
        return self._text("No card")

    def let_stand(self) -> str:
        """Return the button label: the illegal card stands."""
        return self._text("Let it stand")

    def take_back(self) -> str:
        """Return the button label: the illegal card is taken back."""
        return self._text("Take it back")

    def taken_back_to(self, card: Card | None) -> str:
        """Return the button label: this card is on top again."""
        if card is None:
            return self._text("The pile is empty")
        return self._text("{card} is on top again", card=self.card(card))

    def yes(self) -> str:
        """Return the button label for yes."""
        return self._text("Yes")

    def no(self) -> str:
        """Return the button label for no."""
        return self._text("No")

    def assumed(self, card: Card) -> str:
        """Return the announcement of a card that was only probable."""
        return self._text("That is taken to be the {card}.", card=self.card(card))

    def inferred(self, move: Move, state: State) -> str | None:
        """Return the announcement of an inferred move in this state; None if none is needed."""
        actor = state.actor
        match move:
            case ChooseColor(color):
                return self._text("Nobody named the colour: it is taken to be {color}.", color=self.color(color))
            case Pass():
                return self._text("{player} is taken to have drawn and passed.", player=actor)
            case Accept():
                return self._text("{player} is taken to have accepted.", player=actor)
            case Target(player) if state.purpose is Purpose.SEVEN:
                return self._text("Hands are taken to have been exchanged with {player}.", player=player)
            case Target(player):
                return self._text("The green shell is taken to have hit {player}.", player=player)
            case Reshuffle():
                return self._text("The discard pile must have been shuffled into a new draw pile.")
            case Judge():
                return self._text("The challenge is taken to have been settled.")
            case Play(card):
                return self._text("The {card} is taken to stand.", card=self.card(card))
            case Draw():
                return None
        return None

    def not_saved(self, trouble: StoreError) -> str:
        """Return the notice that the match continues in memory only."""
        if isinstance(trouble, RefusedBatchError):
            return self._text("This match was deleted or damaged on the disk: it goes on in memory alone.")
        if isinstance(trouble, StoreFullError):
            why = self._text("The disk is full.")
        elif isinstance(trouble, StoreReadOnlyError):
            why = self._text("The data folder may not be written.")
        else:
            why = self._text("The data folder cannot be used.")
        rest = self._text("The match goes on in memory and is saved as soon as that is possible again.")
        return f"{why} {rest}"

    def no_match(self) -> str:
        """Return the prompt while no match is running."""
        return self._text("No match is running.")

    def _text(self, template: str, **values: object) -> str:
        return self._catalogue.gettext(template).format(**values)
