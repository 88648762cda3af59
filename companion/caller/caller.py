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
from companion.caller.words import ASKED_FOR, DEMAND_PROMPT
from companion.cards import Card, Color, Face
from companion.editions.edition import STANDARD, Answer, Choice, Edition, shown_text
from companion.editions.options import Scoring
from companion.editions.program import Dare, Reveal, Step
from companion.referee.effects import (
    Answered,
    CardsShed,
    CardsTaken,
    ChallengeSettled,
    ColorChosen,
    CountCorrected,
    Dealt,
    DebtAnswered,
    DebtOwed,
    Drawn,
    Effect,
    Eliminated,
    GoesAgain,
    HandRefreshed,
    HandSeen,
    HandsPooled,
    HandsRotated,
    HandsSwapped,
    ItemUsed,
    Joined,
    JumpedIn,
    LaidSecond,
    Left,
    MatchWon,
    Renamed,
    Reshuffled,
    Reversed,
    RoundWon,
    RuleRead,
    Scored,
    SetAside,
    Skipped,
    TargetChanged,
    UnoCalled,
    Why,
)
from companion.referee.errors import RefereeError, Term
from companion.referee.legality import IN_ROUND
from companion.referee.phase import Direction, Phase, Purpose
from companion.referee.state import State


class Caller(Corrections, Deeds, Sheet):
    """All sentences in one language. Raises UnknownLanguageError if there is no catalogue for it."""

    def say(self, effects: Sequence[Effect], before: State, after: State) -> list[str]:
        """Return the sentences for the effects of a move, and for what the table has to do next."""
        said = list(self._effects(effects, before, after))
        if after.phase is Phase.START and _dealer_left(before, after):
            said.append(self._text("{dealer} deals.", dealer=after.players[after.dealer]))
        if after.phase is Phase.TURN and (before.phase is Phase.START or before.purpose is Purpose.OPENING):
            said.append(self._text("{player} begins.", player=after.actor))
        elif after.phase in ASKED_FOR and _asks_anew(before, after):
            said.append(self.prompt(after))
        elif after.phase is Phase.TURN and (_names_the_next(effects) or _moves_on(effects, before, after)):
            said.append(self._text("{player} is next.", player=after.actor))
        return said

    def refuse(self, error: RefereeError, edition: Edition | None = None) -> str:
        """Return the sentence that says why a move is refused. edition: whose names are used."""
        values = {name: self._said(value, edition) for name, value in error.values.items()}
        return self._text(error.template, **values)

    def option(self, name: str) -> str:
        """Return the sentence that explains the option. Raises KeyError for an unknown option."""
        return self._text(OPTION_SENTENCES[name])

    def edition_title(self, edition: Edition) -> str:
        """Return the title of the edition: the file's, except for printed editions."""
        title = EDITION_TITLES.get(edition.id)
        return shown_text(edition.names, self.language, edition.id) if title is None else self._text(title)

    def choice_text(self, choice: Choice) -> str:
        """Return what an edition's own option is about."""
        return shown_text(choice.text, self.language, choice.option.name)

    def profile_title(self, name: str) -> str:
        """Return the title of the profile. Raises KeyError for an unknown profile."""
        return self._text(PROFILE_TITLES[name])

    def option_title(self, name: str) -> str:
        """Return the title of the option. Raises KeyError for an unknown option."""
        return self._text(OPTION_TITLES[name])

    def option_value(self, name: str, value: str) -> str:
        """Return the meaning of one value of a choice option. Raises KeyError if there is no such value."""
        return self._text(OPTION_VALUES[name, value])

    def _effects(self, effects: Sequence[Effect], before: State, after: State) -> Iterator[str]:
        rest = list(effects)
        edition = after.header.edition
        named = None
        while rest:
            effect = rest.pop(0)
            if isinstance(effect, Drawn) and effect.why != named and _is_special(effect.why, edition):
                yield self._exclaimed(self.term(effect.why, edition))
                named = effect.why
            match effect:
                case ItemUsed(item):
                    yield self._mark(item, edition)
                case Drawn() if hit := _same_for_others(effect, rest, after):
                    rest = rest[len(hit) :]
                    yield self._plural(
                        "Everyone but {player} draws one.",
                        "Everyone but {player} draws {count}.",
                        effect.count,
                        player=next(name for name in after.players if name not in {effect.player, *hit}),
                    )
                case Drawn(count=0) if after.drawable:
                    yield self._text("{player} draws nothing.", player=effect.player)
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
                case Reversed() if _present(after) == 2 and any(isinstance(other, Skipped) for other in rest):
                    pass
                case Scored():
                    scored = [effect, *(other for other in rest if isinstance(other, Scored))]
                    rest = rest[len(scored) - 1 :]
                    yield from self._scored(scored, after)
                case RoundWon(winner) if any(isinstance(other, Eliminated) for other in effects):
                    yield self._text("{player} is the last one left and wins the round!", player=winner)
                case RoundWon(winner) if any(isinstance(other, MatchWon) for other in rest):
                    rest = [other for other in rest if not isinstance(other, MatchWon)]
                    yield self._text("{player} is out and wins the match!", player=winner)
                case DebtOwed(player, count) if after.demand is not None:
                    what = self.filter_words(after.demand.filter, edition, after.color)
                    yield self._text(DEMAND_PROMPT, player=player, what=what, debt=self._number(count))
                case Left() if before.phase in IN_ROUND:
                    yield self._effect(effect, edition)
                    yield self._text("Put those cards under the draw pile.")
                case Answered():
                    yield self._answered(effect, None if before.running is None else before.running.step)
                case _:
                    yield self._effect(effect, edition)

    def _effect(self, effect: Effect, edition: Edition) -> str:
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
            case LaidSecond(player):
                return self._text("{player} lays a second one!", player=player)
            case HandsSwapped(player, partner):
                return self._text("{player} and {partner} swap hands.", player=player, partner=partner)
            case HandsRotated(direction):
                if direction is Direction.CLOCKWISE:
                    return self._text("All hands pass one seat to the left.")
                return self._text("All hands pass one seat to the right.")
            case ItemUsed(item):
                return self._mark(item, edition)
            case GoesAgain(player):
                return self._text("{player} goes again.", player=player)
            case ColorChosen(color):
                return self._text("The colour is {color}.", color=self.color(color, edition))
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
            case Renamed(player, new):
                return self._text("{player} is called {name} from now on.", player=player, name=new)
            case TargetChanged(points):
                return self._text("The match ends at {points} points.", points=points)
            case MatchWon(winners):
                return self._match(winners)
            case Answered():
                return self._answered(effect, None)
            case Eliminated(player):
                return self._text("{player} holds too many cards and is out of this round.", player=player)
        return self._program_effect(effect, edition)

    def _program_effect(
        self,
        effect: CardsShed | DebtAnswered | HandsPooled | HandRefreshed | CardsTaken | HandSeen | RuleRead,
        edition: Edition,
    ) -> str:
        match effect:
            case CardsShed(player, 0):
                return self._text("{player} lays off nothing.", player=player)
            case CardsShed(player, count):
                return self._plural(
                    "{player} lays off one card.", "{player} lays off {count} cards.", count, player=player
                )
            case DebtAnswered(player, how):
                if how is Answer.CANCEL:
                    return self._text("{player} cancels the draw card.", player=player)
                return self._text("{player} sends the draw card back.", player=player)
            case HandsPooled(players):
                return self._text("The hands of {players} are mixed and dealt out again.", players=self._and(players))
            case HandRefreshed(player):
                return self._text("{player} draws a new hand.", player=player)
            case CardsTaken(player, 0):
                return self._text("There is no card left for {player} to take.", player=player)
            case CardsTaken(player, count):
                return self._plural(
                    "{player} takes one card from the discard pile.",
                    "{player} takes {count} cards from the discard pile.",
                    count,
                    player=player,
                )
            case HandSeen(player, of):
                return self._text("{player} looks at the hand of {of}.", player=player, of=of)
            case RuleRead(_, rule):
                return self._rule_text(rule, edition)
        assert_never(effect)

    def _answered(self, effect: Answered, step: Step | None) -> str:
        if isinstance(step, Reveal):
            if effect.yes:
                return self._text("{player} has one.", player=effect.player)
            return self._text("{player} has none.", player=effect.player)
        if isinstance(step, Dare):
            if effect.yes:
                return self._text("{player} does it.", player=effect.player)
            return self._text("{player} does not do it.", player=effect.player)
        return self._text("{player}: {what}", player=effect.player, what=self._yes_or_no(yes=effect.yes))

    def _drawn(self, effect: Drawn) -> str:
        if effect.why == Why.FALSE_UNO:
            return self._plural(
                "A wrong call of UNO: {player} draws one.",
                "A wrong call of UNO: {player} draws {count}.",
                effect.count,
                player=effect.player,
            )
        if effect.why == Why.UNO:
            return self._plural(
                "{player} did not call UNO and draws one.",
                "{player} did not call UNO and draws {count}.",
                effect.count,
                player=effect.player,
            )
        if effect.why == Face.WILD_CREEPER.value:
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

    def _said(self, value: object, edition: Edition | None) -> object:
        if isinstance(value, Card):
            return self.card(value, edition)
        if isinstance(value, Color):
            return self.color(value, edition)
        if isinstance(value, Term):
            return self.term(value, edition)
        if isinstance(value, Enum):
            return self._word(value)
        if isinstance(value, RefereeError):
            return self.refuse(value, edition)
        return value


def _is_special(why: str, edition: Edition) -> bool:
    """Whether the reason for a draw is a special face, to be named. Creepers have a sentence of their own."""
    face = Face.named(why)
    return face in edition.faces and face not in STANDARD and face is not Face.WILD_CREEPER


def _same_for_others(draw: Drawn, rest: Sequence[Effect], after: State) -> list[str]:
    """Return who draws the same after this draw, if together they are everyone but one of at least three players."""
    hit = []
    for effect in rest:
        if not isinstance(effect, Drawn) or (effect.count, effect.why) != (draw.count, draw.why):
            break
        hit.append(effect.player)
    everyone_else = draw.count and hit and len({draw.player, *hit}) == len(after.players) - 1 == len(hit) + 1
    return hit if everyone_else and not after.out else []


def _moves_on(effects: Sequence[Effect], before: State, after: State) -> bool:
    """Whether the turn has passed on because somebody left."""
    return before.actor != after.actor and any(isinstance(effect, Left) for effect in effects)


def _dealer_left(before: State, after: State) -> bool:
    return len(after.players) < len(before.players) and before.players[before.dealer] not in after.players


def _present(state: State) -> int:
    return len(state.hands) - len(state.out)


def _asks_anew(before: State, after: State) -> bool:
    """Whether the game waits for something else, or for somebody else."""
    if after.phase is not before.phase:
        return True
    return after.running is not None and (after.turn, after.running) != (before.turn, before.running)


def _leading_empty_draws(effects: Sequence[Effect]) -> Iterator[Drawn]:
    for effect in effects:
        if not isinstance(effect, Drawn) or effect.count:
            return
        yield effect


def _names_the_next(effects: Sequence[Effect]) -> bool:
    """Whether the next player should be named: after a jump-in, a won challenge, or a reverse with more than two."""
    return any(
        isinstance(effect, JumpedIn | LaidSecond)
        or (isinstance(effect, ChallengeSettled) and effect.guilty)
        or (isinstance(effect, Reversed) and not any(isinstance(other, Skipped) for other in effects))
        for effect in effects
    )
