"""Sentences for what an undo or an amendment changed: visible state, or else hidden state."""

from __future__ import annotations

from collections.abc import Iterator

from companion.caller.standing import Standing
from companion.cards import Face
from companion.referee.legality import left_to_show, legal, may_be_caught
from companion.referee.phase import Phase
from companion.referee.state import State


class Corrections(Standing):
    """Sentences for differences between two states."""

    def correct(self, before: State, after: State, *, rewritten: bool = False) -> list[str]:
        """Return the sentences for the differences between two states.

        rewritten: whether a move was removed or replaced, even if the state is the same.
        """
        said = [*self._shown(before, after), *self._calls(before, after), *self._hands(before, after)]
        said = said or list(self._hidden(before, after))
        if said:
            return said
        if rewritten or before != after:
            return [self._text("The record is corrected. The state of the match is unchanged.")]
        return [self._text("That changes nothing.")]

    def _shown(self, before: State, after: State) -> Iterator[str]:
        """Yield changes of what a screen shows, then the current prompt."""
        if after.round != before.round:
            yield self._text("This is round {round}.", round=after.round)
        if after.top is not None and after.top != before.top:
            yield self._text("On top: {card}.", card=self.card(after.top, after.header.edition))
        if after.color is not None and after.color is not before.color:
            yield self._text("The colour is {color}.", color=self.color(after.color, after.header.edition))
        if after.direction is not before.direction:
            yield self._word(after.direction)
        yield from self._seated(before, after)
        believed = dict(zip(before.players, before.hands, strict=True))
        for player, cards in zip(after.players, after.hands, strict=True):
            if cards != believed.get(player, cards):
                yield self._holds(player, cards)
        if after.debt != before.debt:
            yield self._owed(after)
        for player, score in after.standings.items():
            if score != before.standings.get(player, score):
                yield self._plural(
                    "{player} has one point.", "{player} has {points} points.", score, player=player, points=score
                )
        if after.winners != before.winners and after.winners:
            yield self._match([after.players[seat] for seat in after.winners])
        elif _waiting(after) != _waiting(before):
            yield self.prompt(after)

    def _seated(self, before: State, after: State) -> Iterator[str]:
        """Yield changes of who is at the table."""
        for player in after.players:
            if player not in before.players:
                yield self._text("{player} is playing.", player=player)
        for player in before.players:
            if player not in after.players:
                yield self._text("{player} is not playing.", player=player)
        if after.players != before.players and after.round == before.round:
            yield self._text("{dealer} deals.", dealer=after.players[after.dealer])

    def _owed(self, state: State) -> str:
        if not state.debt:
            return self._text("Nothing is owed.")
        if state.phase in (Phase.DEBT, Phase.CHALLENGE):
            return self._text("{player} owes {count} cards.", player=state.actor, count=self._number(state.debt))
        return self._text("{count} cards are owed.", count=self._number(state.debt))

    def _calls(self, before: State, after: State) -> Iterator[str]:
        """Yield changes of UNO calls, for hands whose count is unchanged."""
        if after.players != before.players:
            return
        for seat, player in enumerate(after.players):
            if after.hands[seat] != before.hands[seat]:
                continue
            if seat in after.called - before.called:
                yield self._text("{player} has called UNO.", player=player)
            elif seat in before.called - after.called:
                yield self._text("{player} has not called UNO.", player=player)

    def _hands(self, before: State, after: State) -> Iterator[str]:
        """Yield changes of remaining hands, if the round is being scored in both states."""
        if {before.phase, after.phase} != {Phase.SCORING} or after.players != before.players:
            return
        edition = after.header.edition
        for player, hand, earlier in zip(after.players, after.leftover, before.leftover, strict=True):
            if hand == earlier:
                continue
            if hand is None:
                yield self._text("The hand of {player} is missing.", player=player)
            elif isinstance(hand, int):
                points = self._plural("one point", "{count} points", hand)
                yield self._text("The hand of {player}: {cards}.", player=player, cards=points)
            else:
                cards = ", ".join(self.card(card, edition) for card in hand) or self._text("no cards")
                yield self._text("The hand of {player}: {cards}.", player=player, cards=cards)

    def _hidden(self, before: State, after: State) -> Iterator[str]:
        """Yield changes of what no screen shows: who may be caught or jump in, cards to show, contested colour."""
        for seat, player in enumerate(after.players if after.players == before.players else ()):
            if may_be_caught(after, seat) and not may_be_caught(before, seat):
                yield self._text("{player} can be caught for UNO.", player=player)
            elif may_be_caught(before, seat) and not may_be_caught(after, seat):
                yield self._text("{player} cannot be caught for UNO.", player=player)
            yield from self._to_show(before, after, seat)
        jump, earlier = legal(after).jump, legal(before).jump
        if jump is not None and earlier is None:
            yield self._text("Anyone may jump in on the {card}.", card=self.card(jump, after.header.edition))
        elif jump is None and earlier is not None:
            yield self._text("Nobody may jump in on the {card}.", card=self.card(earlier, after.header.edition))
        if after.contested is not before.contested and after.contested is not None:
            yield self._text(
                "The colour before the wild draw four was {color}.",
                color=self.color(after.contested, after.header.edition),
            )

    def _to_show(self, before: State, after: State, seat: int) -> Iterator[str]:
        """Yield changes of how many cards just drawn the player can still show (R31)."""
        edition, player = after.header.edition, after.players[seat]
        for face in edition.shown_when_drawn:
            left = left_to_show(after, seat, face)
            if left == left_to_show(before, seat, face):
                continue
            if face is Face.WILD_CREEPER:
                yield self._text("Creepers that {player} can still show: {count}.", player=player, count=left)
            else:
                name = self.face(face, edition)
                yield self._text("{face}: {player} can still show {count}.", face=name, player=player, count=left)


def _waiting(state: State) -> tuple[object, ...]:
    """Return what the game waits for."""
    return state.phase, state.turn, state.purpose, state.running, state.demand
