"""The state of a match in words: prompt, pile, counts and scores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from companion.caller.language import Voice
from companion.caller.words import PROMPTS, SEVEN_PROMPT, STACKING_PROMPT
from companion.referee.phase import Phase, Purpose
from companion.referee.state import State


class Standing(Voice):
    """Sentences for a state."""

    def prompt(self, state: State) -> str:
        """Return what the game waits for, as a request."""
        template = PROMPTS[state.phase]
        if state.phase is Phase.CHALLENGE and state.debt:
            template = STACKING_PROMPT
        elif state.purpose is Purpose.SEVEN:
            template = SEVEN_PROMPT
        challenger = state.players[state.seat_after(state.turn)] if state.turn is not None else None
        return self._text(template, player=state.actor, challenger=challenger, debt=self._number(state.debt))

    def describe(self, state: State) -> list[str]:
        """Return the state in words: prompt, pile and direction, card counts, scores."""
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
        """Template for the name of a deleted player, with the placeholder {number}."""
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
    """Return the values labelled with their players."""
    return ", ".join(f"{player} {value}" for player, value in zip(players, values, strict=True))
