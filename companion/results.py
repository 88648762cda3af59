"""The results of a match: rounds, totals, statistics per player."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from companion.referee import effects, moves
from companion.referee.match import Match
from companion.referee.model.scoring import hand_points
from companion.storage.journal import Journal


@dataclass(frozen=True)
class ShownHand:
    """A leftover hand, its points, and the id of its picture, None without one."""

    player: str
    cards: list[str]
    points: int
    picture: str | None


@dataclass(frozen=True)
class Round:
    """One round: number, winner, each player's points by name, and the leftover hands."""

    number: int
    winner: str
    points: dict[str, int]
    hands: list[ShownHand]


@dataclass(frozen=True)
class Deeds:
    """One player's statistics in a match."""

    played: int
    drawn: int
    rounds_won: int
    uno_calls: int
    caught: int
    challenges_won: int
    challenges_lost: int


def rounds(journal: Journal) -> list[Round]:
    """Return the finished rounds, scored or not."""
    found: list[Round] = []
    number = 1
    for line, step in zip(journal.lines, journal.match.history, strict=True):
        if isinstance(step.move, moves.Hand):
            cards = step.move.cards
            points = hand_points(cards, journal.match.header.edition)
            found[-1].hands.append(ShownHand(step.move.player, [card.name for card in cards], points, line.reading))
        if isinstance(step.move, moves.Tally):
            found[-1].hands.append(ShownHand(step.move.player, [], step.move.points, line.reading))
        for effect in step.effects:
            match effect:
                case effects.RoundWon(winner):
                    found.append(Round(number, winner, {}, []))
                case effects.Scored(player, points) if found:
                    found[-1].points[player] = points
                case effects.Dealt(_, count):
                    number = count
    return found


def totals(journal: Journal) -> list[dict[str, int]]:
    """Return everybody's total after each scored round, by name; players who joined later are missing at first."""
    return [
        {player: step.state.standings.get(player, 0) for player in journal.match.everyone}
        for step in journal.match.history
        if any(isinstance(effect, effects.Scored) for effect in step.effects)
    ]


def deeds(match: Match) -> dict[str, Deeds]:
    """Return the statistics by player."""
    counts: dict[str, Counter[str]] = {player: Counter() for player in match.everyone}
    actor: str | None = None
    for step in match.history:
        if isinstance(step.move, moves.Play) and actor is not None:
            counts[actor]["played"] += 1
        for effect in step.effects:
            match effect:
                case effects.Drawn(player, count, why):
                    counts[player]["drawn"] += count
                    counts[player]["caught"] += why == effects.Why.UNO
                case effects.UnoCalled(player):
                    counts[player]["uno_calls"] += 1
                case effects.RoundWon(player):
                    counts[player]["rounds_won"] += 1
                case effects.ChallengeSettled(_, by, guilty):
                    counts[by]["challenges_won" if guilty else "challenges_lost"] += 1
        actor = step.state.actor
    names = Deeds.__dataclass_fields__
    return {player: Deeds(**{name: count[name] for name in names}) for player, count in counts.items()}
