"""Sentences for effects and refusals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import assert_never

from companion.caller.corrections import Corrections
from companion.caller.deeds import Deeds
from companion.caller.options import EDITION_TITLES, OPTION_SENTENCES, OPTION_TITLES, OPTION_VALUES, PROFILE_TITLES
from companion.caller.sheet import Sheet
from companion.caller.standing import table
from companion.caller.words import ASKED_FOR
from companion.cards import Card, Item
from companion.referee.editions import Scoring
from companion.referee.effects import (
    ChallengeSettled,
    ColorChosen,
    CountCorrected,
    Dealt,
    DebtOwed,
    Drawn,
    Effect,
    GoesAgain,
    HandsRotated,
    HandsSwapped,
    ItemUsed,
    Joined,
    JumpedIn,
    Left,
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
from companion.referee.phase import Direction, Phase, Purpose
from companion.referee.state import State


class Caller(Corrections, Deeds, Sheet):
    """All sentences in one language. Raises UnknownLanguageError if there is no catalogue for it."""

    def say(self, effects: Sequence[Effect], before: State, after: State) -> list[str]:
        """Return the sentences for the effects of a move, and for what the table has to do next."""
        said = list(self._effects(effects, after))
        if before.players[before.dealer] not in after.players:
            said.append(self._text("{dealer} deals.", dealer=after.players[after.dealer]))
        if after.phase is Phase.TURN and (before.phase is Phase.START or before.purpose is Purpose.OPENING):
            said.append(self._text("{player} begins.", player=after.actor))
        elif after.phase is not before.phase and after.phase in ASKED_FOR:
            said.append(self.prompt(after))
        elif after.phase is Phase.TURN and _names_the_next(effects):
            said.append(self._text("{player} is next.", player=after.actor))
        return said

    def refuse(self, error: RefereeError) -> str:
        """Return the sentence that says why a move is refused."""
        return self._text(error.template, **{name: self._said(value) for name, value in error.values.items()})

    def option(self, name: str) -> str:
        """Return the sentence that explains the option. Raises KeyError for an unknown option."""
        return self._text(OPTION_SENTENCES[name])

    def edition_title(self, name: str) -> str:
        """Return the title of the edition. Raises KeyError for an unknown edition."""
        return self._text(EDITION_TITLES[name])

    def profile_title(self, name: str) -> str:
        """Return the title of the profile. Raises KeyError for an unknown profile."""
        return self._text(PROFILE_TITLES[name])

    def option_title(self, name: str) -> str:
        """Return the title of the option. Raises KeyError for an unknown option."""
        return self._text(OPTION_TITLES[name])

    def option_value(self, name: str, value: str) -> str:
        """Return the meaning of one value of a choice option. Raises KeyError if there is no such value."""
        return self._text(OPTION_VALUES[name, value])

    def _effects(self, effects: Sequence[Effect], after: State) -> Iterator[str]:
        rest = list(effects)
        while rest:
            effect = rest.pop(0)
            match effect:
                case ItemUsed(Item.LIGHTNING, player):
                    yield self._word(effect.item)
                    hit = [other for other in rest if isinstance(other, Drawn)]
                    if len(hit) > 1 and all(draw.count == 1 for draw in hit):
                        yield self._text("Everyone but {player} draws one.", player=player)
                        rest = rest[len(hit) :]
                case Drawn(count=0):
                    without = [effect.player, *(other.player for other in _leading_empty_draws(rest))]
                    rest = rest[len(without) - 1 :]
                    yield self._text("There is no card left for {player} to draw.", player=self._and(without))
                case Drawn(player) if rest[:1] == [Skipped(player)]:
                    rest.pop(0)
                    yield self._plural(
                        "{player} draws one and is skipped.",
                        "{player} draws {count} and is skipped.",
                        effect.count,
                        player=player,
                    )
                case Reversed() if len(after.hands) == 2 and any(isinstance(other, Skipped) for other in rest):
                    pass
                case Scored():
                    scored = [effect, *(other for other in rest if isinstance(other, Scored))]
                    rest = rest[len(scored) - 1 :]
                    yield from self._scored(scored, after)
                case RoundWon(winner) if any(isinstance(other, MatchWon) for other in rest):
                    rest = [other for other in rest if not isinstance(other, MatchWon)]
                    yield self._text("{player} is out and wins the match!", player=winner)
                case _:
                    yield self._effect(effect)

    def _effect(self, effect: Effect) -> str:
        match effect:
            case Drawn():
                return self._drawn(effect)
            case Skipped(player):
                return self._text("{player} is skipped.", player=player)
            case Reversed():
                return self._text("Play changes direction.")
            case DebtOwed(player, count):
                return self._text("{player} owes {count} cards.", player=player, count=self._number(count))
            case JumpedIn(player):
                return self._text("{player} jumps in!", player=player)
            case HandsSwapped(player, partner):
                return self._text("{player} and {partner} swap hands.", player=player, partner=partner)
            case HandsRotated(direction):
                if direction is Direction.CLOCKWISE:
                    return self._text("All hands pass one seat to the left.")
                return self._text("All hands pass one seat to the right.")
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
                    return self._text("{by} is right: {player} was not allowed to play that.", player=player, by=by)
                return self._text("{by} is wrong: {player} was allowed to play that.", player=player, by=by)
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
            case Joined(player, points):
                return self._plural(
                    "{player} joins with one point.",
                    "{player} joins with {points} points.",
                    points,
                    player=player,
                    points=points,
                )
            case Left(player, points):
                return self._plural(
                    "{player} leaves with one point.",
                    "{player} leaves with {points} points.",
                    points,
                    player=player,
                    points=points,
                )
            case MatchWon(winners):
                return self._match(winners)
        assert_never(effect)

    def _drawn(self, effect: Drawn) -> str:
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

    def _points(self, player: str, points: int) -> str:
        return self._plural(
            "{player} scores one point.", "{player} scores {points} points.", points, player=player, points=points
        )

    def _scored(self, scored: Sequence[Scored], after: State) -> Iterator[str]:
        """Yield the points of the round, then the totals."""
        if after.header.options.scoring is Scoring.LOW_TOTAL:
            left = ", ".join(f"{each.player} {each.points}" for each in scored)
            yield self._text("Points left in hand: {counts}.", counts=left)
        else:
            yield from (self._points(each.player, each.points) for each in scored)
        yield self._text("Total points: {counts}.", counts=table(after.standings, after.standings.values()))

    def _said(self, value: object) -> object:
        if isinstance(value, Card):
            return self.card(value)
        if isinstance(value, Enum):
            return self._word(value)
        if isinstance(value, RefereeError):
            return self.refuse(value)
        return value


def _leading_empty_draws(effects: Sequence[Effect]) -> Iterator[Drawn]:
    for effect in effects:
        if not isinstance(effect, Drawn) or effect.count:
            return
        yield effect


def _names_the_next(effects: Sequence[Effect]) -> bool:
    """Whether the next player should be named: after a jump-in, a won challenge, or a reverse with more than two."""
    return any(
        isinstance(effect, JumpedIn)
        or (isinstance(effect, ChallengeSettled) and effect.guilty)
        or (isinstance(effect, Reversed) and not any(isinstance(other, Skipped) for other in effects))
        for effect in effects
    )
