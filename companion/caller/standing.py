"""The state of a match in words: prompt, pile, counts and scores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from companion.caller.language import Voice
from companion.caller.words import (
    ANSWER_PROMPT,
    DARE_PROMPT,
    DEMAND_PROMPT,
    PEEK_PROMPT,
    POOL_PROMPT,
    PROMPTS,
    RANDOM_PROMPT,
    SHED_PROMPT,
    STACKING_PROMPT,
    SWAP_PROMPT,
    UNTIL_PROMPT,
)
from companion.editions.options import Stacking
from companion.editions.program import (
    ChooseColor,
    Dare,
    DrawCards,
    DrawUntil,
    PeekAtHand,
    PoolHands,
    Reveal,
    Selector,
    Shed,
    SwapHands,
)
from companion.referee.model.running import Running
from companion.referee.phase import Phase, Purpose
from companion.referee.state import State


class Standing(Voice):
    """Sentences for a state."""

    def prompt(self, state: State) -> str:
        """Return what the game waits for, as a request."""
        if state.running is not None and state.phase is not Phase.FLIP:
            return self._program_prompt(state, state.running)
        template = PROMPTS[state.phase]
        edition = state.header.edition
        if state.phase is Phase.CHALLENGE and state.debt:
            template = STACKING_PROMPT
        elif state.purpose is Purpose.SEVEN:
            template = SWAP_PROMPT
        elif state.demand is not None:
            template = DEMAND_PROMPT
        elif state.phase is Phase.DEBT and state.header.options.stacking is Stacking.OFF:
            template = ANSWER_PROMPT
        challenger = state.players[state.seat_after(state.turn)] if state.turn is not None else None
        what = "" if state.demand is None else self.filter_words(state.demand.filter, edition, state.color)
        return self._text(template, player=state.actor, challenger=challenger, debt=self._number(state.debt), what=what)

    def _program_prompt(self, state: State, running: Running) -> str:
        """Return what a program waits for (EDITIONS.md, section 7)."""
        step, player, edition = running.step, state.actor, state.header.edition
        why = self.term(running.why, edition)
        if state.phase is Phase.TARGET:
            return self._target_prompt(running, player, why)
        match step:
            case ChooseColor(random=True):
                return self._text(RANDOM_PROMPT, player=player)
            case DrawUntil(filter=wanted):
                what = self.filter_words(wanted, edition, state.color)
                return self._text(UNTIL_PROMPT, player=player, what=what)
            case Shed(filter=wanted, up_to=most):
                what = self.filter_words(wanted, edition, state.color)
                if most is None:
                    return self._text(PROMPTS[Phase.SHED], player=player, what=what)
                return self._text(SHED_PROMPT, player=player, what=what, count=self._number(most))
            case Reveal(filter=wanted):
                what = self.filter_words(wanted, edition, state.color)
                return self._text(PROMPTS[Phase.OUTCOME], player=player, what=what)
            case Dare():
                return self._text(DARE_PROMPT, player=player, text=self._rule_text(running.why, edition))
        return self._text(PROMPTS[state.phase], player=player)

    def _target_prompt(self, running: Running, player: str | None, why: str) -> str:
        """Return who is to be named: for what the next step does with the player chosen."""
        if isinstance(running.step, PoolHands):
            return self._text(POOL_PROMPT, player=player)
        match next(iter(running.steps[1:]), None):
            case DrawCards(count=int(count), who=Selector.CHOSEN):
                return self._plural(
                    "{player}, choose who draws one.", "{player}, choose who draws {count}.", count, player=player
                )
            case SwapHands(partner=Selector.CHOSEN):
                return self._text(SWAP_PROMPT, player=player)
            case PeekAtHand(of=Selector.CHOSEN):
                return self._text(PEEK_PROMPT, player=player)
        return self._text(PROMPTS[Phase.TARGET], player=player, why=why)

    def describe(self, state: State) -> list[str]:
        """Return the state in words: prompt, pile and direction, card counts, scores."""
        lines = [self.prompt(state)]
        if state.top is not None:
            pile = self._text("On top: {card}.", card=self.card(state.top, state.header.edition))
            color = []
            if state.color is not None:
                name = self.color(state.color, state.header.edition)
                color.append(self._text("The colour is {color}.", color=name))
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
