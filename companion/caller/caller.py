"""The caller at the table: what happened, in short sentences, in the language of the players.

The sentences are English in the code; `locale/` has a gettext catalogue for each language.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from typing import assert_never

from companion.caller.language import Voice
from companion.caller.options import EDITION_TITLES, OPTION_SENTENCES, OPTION_TITLES, OPTION_VALUES, PROFILE_TITLES
from companion.caller.words import ASKED_FOR, PROMPTS
from companion.cards import Card, Item
from companion.referee.effects import (
    ChallengeSettled,
    ColorChosen,
    CountCorrected,
    Dealt,
    Drawn,
    Effect,
    GoesAgain,
    ItemUsed,
    MatchWon,
    Reshuffled,
    Reversed,
    RoundWon,
    Scored,
    SetAside,
    Skipped,
    UnoCalled,
    Why,
)
from companion.referee.errors import RefereeError
from companion.referee.state import Choice, Phase, State


class Caller(Voice):
    """Says things in one language; raises UnknownLanguageError where there is no catalogue for it."""

    def say(self, effects: Sequence[Effect], before: State, after: State) -> list[str]:
        """Return the sentences for what a move led to, and what the table must be told to do next."""
        said = list(self._effects(effects, before))
        if after.phase is Phase.TURN and (before.phase is Phase.START or before.choice is Choice.OPENING):
            said.append(self._text("{player} begins.", player=after.actor))
        elif after.phase is not before.phase and after.phase in ASKED_FOR:
            said.append(self.prompt(after))
        return said

    def correct(self, before: State, after: State) -> list[str]:
        """Return the sentences for what an undo or an amendment changed, and for nothing else."""
        said = list(self._differences(before, after))
        return said or [self._text("That changes nothing.")]

    def refuse(self, error: RefereeError) -> str:
        """Return the sentence for why a move is refused."""
        return self._text(error.template, **{name: self._said(value) for name, value in error.values.items()})

    def prompt(self, state: State) -> str:
        """Return what the table is waiting for, as a request."""
        challenger = state.players[state.seat_after(state.turn)] if state.turn is not None else None
        return self._text(PROMPTS[state.phase], player=state.actor, challenger=challenger)

    def describe(self, state: State) -> list[str]:
        """Return how the match stands: what is awaited, the pile and the direction, the hands, the scores."""
        lines = [self.prompt(state)]
        if state.top is not None:
            pile = self._text("On top: {card}.", card=self.card(state.top))
            color = (
                () if state.color is None else (self._text("The colour is {color}.", color=self._word(state.color)),)
            )
            lines.append(" ".join((pile, *color, self._word(state.direction))))
        lines.append(self._text("Cards: {counts}.", counts=_table(state.players, state.hands)))
        lines.append(self._text("Points: {counts}.", counts=_table(state.players, state.scores)))
        if state.winners:
            lines.append(self._match([state.players[seat] for seat in state.winners]))
        return lines

    def option(self, name: str) -> str:
        """Return the sentence that says what the option is about; raises KeyError where there is none of this name."""
        return self._text(OPTION_SENTENCES[name])

    def edition_title(self, name: str) -> str:
        """Return what the edition is called; raises KeyError where there is none of this name."""
        return self._text(EDITION_TITLES[name])

    def profile_title(self, name: str) -> str:
        """Return what the profile is called; raises KeyError where there is none of this name."""
        return self._text(PROFILE_TITLES[name])

    def option_title(self, name: str) -> str:
        """Return what the option is called; raises KeyError where there is none of this name."""
        return self._text(OPTION_TITLES[name])

    def option_value(self, name: str, value: str) -> str:
        """Return what one of the values of an option that is a choice means; raises KeyError where there is none."""
        return self._text(OPTION_VALUES[name, value])

    def _effects(self, effects: Sequence[Effect], before: State) -> Iterator[str]:
        rest = list(effects)
        while rest:
            effect = rest.pop(0)
            if isinstance(effect, ItemUsed) and effect.item is Item.LIGHTNING:
                yield self._word(effect.item)
                hit = [other for other in rest if isinstance(other, Drawn)]
                if len(hit) > 1 and all(draw.count == 1 for draw in hit):
                    yield self._text("Everyone but {player} draws one.", player=effect.player)
                    rest = rest[len(hit) :]
            elif isinstance(effect, Drawn) and effect.count and rest[:1] == [Skipped(effect.player)]:
                rest.pop(0)
                yield self._plural(
                    "{player} draws one and is skipped.",
                    "{player} draws {count} and is skipped.",
                    effect.count,
                    player=effect.player,
                )
            else:
                yield self._effect(effect)

    def _effect(self, effect: Effect) -> str:
        match effect:
            case Drawn():
                return self._drawn(effect)
            case Skipped(player):
                return self._text("{player} is skipped.", player=player)
            case Reversed(direction):
                return self._word(direction)
            case ItemUsed(item):
                return self._word(item)
            case GoesAgain(player):
                return self._text("{player} goes again.", player=player)
            case ColorChosen(color):
                return self._text("The colour is {color}.", color=self._word(color))
            case UnoCalled(player):
                return self._text("{player} calls UNO!", player=player)
            case ChallengeSettled(player, by, guilty):
                if guilty:
                    return self._text("{by} is right: {player} could not play that.", player=player, by=by)
                return self._text("{by} is wrong: {player} could play that.", player=player, by=by)
            case SetAside():
                return self._text("That card cannot start the pile. Turn up another.")
            case Reshuffled():
                return self._text("The discard pile is shuffled into a new draw pile.")
            case CountCorrected(player, _, actual):
                return self._holds(player, actual)
            case RoundWon(winner):
                return self._text("{player} is out and wins the round!", player=winner)
            case Scored(player, points):
                return self._points(player, points)
            case Dealt(dealer, number):
                return self._text("Round {round}: {dealer} deals.", dealer=dealer, round=number)
            case MatchWon(winners):
                return self._match(winners)
        assert_never(effect)

    def _drawn(self, effect: Drawn) -> str:
        if effect.count == 0:
            return self._text("There is no card left for {player} to draw.", player=effect.player)
        if effect.why is Why.UNO:
            return self._plural(
                "{player} did not call UNO and draws one.",
                "{player} did not call UNO and draws {count}.",
                effect.count,
                player=effect.player,
            )
        if effect.why is Why.WILD_CREEPER:
            return self._plural(
                "A creeper! {player} draws one more.",
                "A creeper! {player} draws {count} more.",
                effect.count,
                player=effect.player,
            )
        return self._plural("{player} draws one.", "{player} draws {count}.", effect.count, player=effect.player)

    def _holds(self, player: str, cards: int) -> str:
        if cards == 0:
            return self._text("{player} has no card left.", player=player)
        return self._plural("{player} holds one card.", "{player} holds {count} cards.", cards, player=player)

    def _points(self, player: str, points: int) -> str:
        return self._plural(
            "{player} scores one point.", "{player} scores {points} points.", points, player=player, points=points
        )

    def _match(self, winners: Sequence[str]) -> str:
        if len(winners) == 1:
            return self._text("{player} wins the match!", player=winners[0])
        both = self._text("{players} and {player}", players=", ".join(winners[:-1]), player=winners[-1])
        return self._text("{players} share the match!", players=both)

    def _differences(self, before: State, after: State) -> Iterator[str]:
        if after.round != before.round:
            yield self._text("This is round {round}.", round=after.round)
        if after.top is not None and after.top != before.top:
            yield self._text("On top: {card}.", card=self.card(after.top))
        if after.color is not None and after.color is not before.color:
            yield self._text("The colour is {color}.", color=self._word(after.color))
        if after.direction is not before.direction:
            yield self._word(after.direction)
        for player, cards, believed in zip(after.players, after.hands, before.hands, strict=True):
            if cards != believed:
                yield self._holds(player, cards)
        for player, score, believed in zip(after.players, after.scores, before.scores, strict=True):
            if score != believed:
                yield self._plural(
                    "{player} has one point.", "{player} has {points} points.", score, player=player, points=score
                )
        if after.winners != before.winners and after.winners:
            yield self._match([after.players[seat] for seat in after.winners])
        elif (after.phase, after.turn) != (before.phase, before.turn):
            yield self.prompt(after)

    def _said(self, value: object) -> object:
        if isinstance(value, Card):
            return self.card(value)
        if isinstance(value, Enum):
            return self._word(value)
        if isinstance(value, RefereeError):
            return self.refuse(value)
        return value


def _table(players: Iterable[str], values: Iterable[int]) -> str:
    return ", ".join(f"{player} {value}" for player, value in zip(players, values, strict=True))
