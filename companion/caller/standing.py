"""How a match stands, in words: what the table waits for, what lies there, who holds and has how much."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from companion.caller.language import Voice
from companion.caller.words import PROMPTS, SEVEN_PROMPT, STACKING_PROMPT
from companion.referee.phase import Phase, Purpose
from companion.referee.state import State


class Standing(Voice):
    """Says how a match stands."""

    def prompt(self, state: State) -> str:
        """Return what the table is waiting for, as a request."""
        template = PROMPTS[state.phase]
        if state.phase is Phase.CHALLENGE and state.debt:
            template = STACKING_PROMPT
        elif state.purpose is Purpose.SEVEN:
            template = SEVEN_PROMPT
        challenger = state.players[state.seat_after(state.turn)] if state.turn is not None else None
        return self._text(template, player=state.actor, challenger=challenger, debt=self._number(state.debt))

    def describe(self, state: State) -> list[str]:
        """Return how the match stands: what is awaited, the pile and the direction, the hands, the scores."""
        lines = [self.prompt(state)]
        if state.top is not None:
            pile = self._text("On top: {card}.", card=self.card(state.top))
            color = (
                () if state.color is None else (self._text("The colour is {color}.", color=self._word(state.color)),)
            )
            lines.append(" ".join((pile, *color, self._word(state.direction))))
        lines.append(self._text("Cards: {counts}.", counts=table(state.players, state.hands)))
        lines.append(self._text("Points: {counts}.", counts=table(state.standings, state.standings.values())))
        if state.winners:
            lines.append(self._match([state.players[seat] for seat in state.winners]))
        return lines

    @property
    def somebody_template(self) -> str:
        """What to call a player who has no name any more, with {number} to be put in."""
        return self._text("Player {number}", number="{number}")

    def _holds(self, player: str, cards: int) -> str:
        if cards == 0:
            return self._text("{player} has no card left.", player=player)
        return self._plural("{player} holds one card.", "{player} holds {count} cards.", cards, player=player)

    def _match(self, winners: Sequence[str]) -> str:
        if len(winners) == 1:
            return self._text("{player} wins the match!", player=winners[0])
        return self._text("{players} share the match!", players=self._and(winners))

    def _and(self, players: Sequence[str]) -> str:
        if len(players) == 1:
            return players[0]
        return self._text("{players} and {player}", players=", ".join(players[:-1]), player=players[-1])


def table(players: Iterable[str], values: Iterable[int]) -> str:
    """Return the values with the players that they belong to."""
    return ", ".join(f"{player} {value}" for player, value in zip(players, values, strict=True))
